"""The picture that the dashboard shows: the camera's, made smaller, as JPEG."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt


def jpeg_of(image: npt.NDArray[np.uint8], width_px: int, quality: int) -> bytes:
    """Return a picture (height, width, 3) uint8 BGR as JPEG, at most `width_px` wide, `quality` 0..100."""
    if image.shape[1] > width_px:
        height_px = max(1, round(image.shape[0] * width_px / image.shape[1]))
        image = np.asarray(cv2.resize(image, (width_px, height_px), interpolation=cv2.INTER_AREA), np.uint8)
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes()
