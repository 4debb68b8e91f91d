"""Cut cards out of a picture and straighten them, for the classifier."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

CROP_SIZE = (128, 80)
"""Height and width of a straightened card, in pixels."""

CROP_MARGIN = 0.04
"""Share of the card's height and width that is kept around it, so that the card's own edge is seen."""


def straighten(
    image: NDArray[np.uint8],
    quads: NDArray[np.floating],
    size: tuple[int, int] = CROP_SIZE,
    margin: float = CROP_MARGIN,
) -> NDArray[np.uint8]:
    """Cut the cards at `quads` out of `image`, upright and stretched to one size.

    Args:
        image: picture, shape (H, W, 3), BGR.
        quads: card corners in pixels, shape (n, 4, 2): top-left, top-right, bottom-right, bottom-left of the
            upright card. Corners may lie outside the picture; what is not seen repeats the border's pixels.
        size: height and width of a crop in pixels.
        margin: share of the card's size that is added on every side.

    Returns:
        Crops, shape (n, height, width, 3), BGR.
    """
    height, width = size
    quads = np.asarray(quads, np.float32).reshape(-1, 4, 2)
    crops = np.empty((len(quads), height, width, 3), np.uint8)
    inset_x, inset_y = width * margin / (1 + 2 * margin), height * margin / (1 + 2 * margin)
    for i, quad in enumerate(quads):
        longest = max(
            np.linalg.norm(quad[0] - quad[3]) / (height - 2 * inset_y),
            np.linalg.norm(quad[1] - quad[0]) / (width - 2 * inset_x),
        )
        # warpPerspective samples single pixels: without this step a large card would be cut out with aliasing.
        factor = min(8, max(1, round(longest)))
        target = np.array(
            [
                [inset_x, inset_y],
                [width - inset_x, inset_y],
                [width - inset_x, height - inset_y],
                [inset_x, height - inset_y],
            ],
            np.float32,
        )
        # Pixel centres lie at half-integers of the continuous coordinates that quads are given in.
        homography = cv2.getPerspectiveTransform(quad - 0.5, target * factor - 0.5)
        crop = cv2.warpPerspective(
            image,
            homography,
            (width * factor, height * factor),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        crops[i] = crop if factor == 1 else cv2.resize(crop, (width, height), interpolation=cv2.INTER_AREA)
    return crops
