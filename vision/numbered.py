"""A photo with a number on each of its cards, so that people can speak of them."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

LONG_SIDE_PX = 1600
JPEG_QUALITY = 85
_INK, _PAPER = (20, 20, 20), (90, 235, 255)


def numbered_photo(
    image: npt.NDArray[np.uint8], cards: Iterable[tuple[int, npt.NDArray[np.floating]]]
) -> bytes:
    """Return a JPEG of the photo, at most 1600 pixels long, with outlines and numbers.

    Args:
        image: (height, width, 3) uint8, BGR.
        cards: number and (4, 2) corners in pixels of each card.
    """
    scale = min(1.0, LONG_SIDE_PX / max(image.shape[:2]))
    if scale < 1:
        image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    else:
        image = image.copy()
    for number, quad in cards:
        corners = np.asarray(quad, np.float64) * scale
        size = float(np.linalg.norm(corners[1] - corners[0])) / 70
        thick = max(1, round(size * 2))
        cv2.polylines(image, [np.round(corners).astype(np.int32)], True, _PAPER, thick, cv2.LINE_AA)
        (width, height), _ = cv2.getTextSize(str(number), cv2.FONT_HERSHEY_SIMPLEX, size, thick)
        x, y = np.round(corners.mean(axis=0) + np.array([-width / 2, height / 2])).astype(int).tolist()
        edge = thick * 2
        cv2.rectangle(image, (x - edge, y - height - edge), (x + width + edge, y + edge), _PAPER, -1)
        cv2.putText(image, str(number), (x, y), cv2.FONT_HERSHEY_SIMPLEX, size, _INK, thick, cv2.LINE_AA)
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return data.tobytes()
