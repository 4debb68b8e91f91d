"""Where the picture changes from one look to the next, in a small grey copy of it."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.tabletop.geometry import Quad

_SMALL_WIDTH_PX = 320


class Motion:
    """Compare the newest picture with the one before."""

    def __init__(self, patch_change: float) -> None:
        """Begin without a picture; `patch_change` is the mean change in grey levels from which something moves."""
        self._patch_change = patch_change
        self._now: npt.NDArray[np.uint8] | None = None
        self._before: npt.NDArray[np.uint8] | None = None
        self._scale = 1.0

    def see(self, image: npt.NDArray[np.uint8]) -> None:
        """Take a picture, (height, width, 3) uint8 BGR."""
        height, width = image.shape[:2]
        step = max(1, width // (_SMALL_WIDTH_PX * 2))
        grey = cv2.cvtColor(np.ascontiguousarray(image[::step, ::step]), cv2.COLOR_BGR2GRAY)
        self._scale = _SMALL_WIDTH_PX / width
        size = (_SMALL_WIDTH_PX, max(1, round(height * self._scale)))
        self._before = self._now
        self._now = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)

    def is_at(self, quad: Quad) -> bool:
        """Tell whether the picture changed at a place (4, 2), in pixels of the picture as it was given."""
        before, now = self._before, self._now
        if before is None or now is None or before.shape != now.shape:
            return False
        low = np.floor(quad.min(axis=0) * self._scale).astype(int)
        high = np.ceil(quad.max(axis=0) * self._scale).astype(int)
        x0, y0 = max(0, int(low[0])), max(0, int(low[1]))
        x1, y1 = min(now.shape[1], int(high[0])), min(now.shape[0], int(high[1]))
        if x1 <= x0 or y1 <= y0:
            return False
        change = cv2.absdiff(now[y0:y1, x0:x1], before[y0:y1, x0:x1])
        return float(change.mean()) > self._patch_change
