"""Find the four corners of a card near where the detector saw it.

A detector's box is a rectangle, and its angle may be some degrees off; a card that is seen at a slant is no rectangle
at all. Owns the small network that says where the corners really lie.

The model: input ``crops`` float32 (n, 3, height, width), RGB in 0..1, boxes with ``CORNERS_MARGIN`` around them; output
``corners`` float32 (n, 12): how far the four corners lie from the box's, x and y in shares of its sides; then the
logarithms of the errors to expect, which training needs.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.crops import straighten
from vision.models import ModelError, Models

CORNERS_SIZE = (112, 80)
"""Height and width of a crop, in pixels."""
CORNERS_MARGIN = 0.4
"""Share of the box's height and width that is seen around it."""
PASSES = 3
"""How often at most the corners are looked for, each time around those found before."""
SETTLED = 0.03
"""Shares of a side that corners move by on the mean, below which they are not looked for again."""
BATCH = 32
SHAPE = (0.5, 1.8)
"""Bounds of the found card's area against the box's."""
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


def in_card_units(box: npt.NDArray[np.floating], points: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    """Say where points (n, 2) lie in the frame of a box (4, 2): its first corner is (0, 0), its third (1, 1)."""
    homography = cv2.getPerspectiveTransform(np.asarray(box, np.float32), _UNIT)
    return cv2.perspectiveTransform(np.asarray(points, np.float32)[None], homography)[0]


def _in_picture(box: npt.NDArray[np.float32], points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    homography = cv2.getPerspectiveTransform(_UNIT, box)
    return cv2.perspectiveTransform(points[None], homography)[0]


class CornerFinder:
    """Find corners.

    Args:
        models: where the model comes from.

    Raises:
        ModelError: if the model is missing or is not such a network.
    """

    def __init__(self, models: Models) -> None:
        entry = models.entry("corners")
        self._session = models.session("corners")
        self.size = entry.input_hw
        outputs = [output.name for output in self._session.get_outputs()]
        if outputs != ["corners"]:
            raise ModelError(f"{entry.path} does not find corners: it gives {', '.join(outputs)}")
        self._input_name = self._session.get_inputs()[0].name

    def run(self, crops: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Run the model on (n, height, width, 3) uint8 BGR crops; returns (n, 12) float32."""
        told = [np.zeros((0, 12), np.float32)]
        for start in range(0, len(crops), BATCH):
            rgb = crops[start : start + BATCH, :, :, ::-1].transpose(0, 3, 1, 2)
            batch = np.ascontiguousarray(rgb, np.float32) / np.float32(255)
            told.append(self._session.run(["corners"], {self._input_name: batch})[0])
        return np.concatenate(told)

    def fit(self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """Move the corners of boxes to those of the cards: the first of what `locate` returns."""
        return self.locate(image, quads)[0]

    def locate(
        self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.floating]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Move the corners of boxes to those of the cards, and say how far off they are expected to be.

        Args:
            image: (height, width, 3) uint8, BGR.
            quads: (n, 4, 2) corners in pixels, in the order of `Detections`.

        Returns:
            (n, 4, 2) float32 quads in the same order; a box whose corners cannot be a card's stays as it came. And
            (n,) float32 expected errors, in shares of the card's sides.
        """
        # In C order: OpenCV refuses the corners of a mirrored picture, which are a view turned round.
        fitted = np.array(quads, np.float32, order="C").reshape(-1, 4, 2)
        errors = np.zeros(len(fitted), np.float32)
        boxes = fitted.copy()
        moving = np.arange(len(fitted))
        for _ in range(PASSES):
            told = self.run(straighten(image, fitted[moving], self.size, CORNERS_MARGIN))
            offsets = told[:, :8].reshape(-1, 4, 2)
            errors[moving] = np.exp(np.clip(told[:, 8:], -8, 2).mean(axis=1))
            for i, offset in zip(moving, offsets, strict=True):
                moved = _in_picture(fitted[i], _UNIT + offset)
                if _is_card_like(moved, boxes[i]):
                    fitted[i] = moved
            moving = moving[~(np.abs(offsets).mean(axis=(1, 2)) < SETTLED)]
            if not len(moving):
                break
        return fitted, errors


def _is_card_like(quad: npt.NDArray[np.float32], box: npt.NDArray[np.float32]) -> bool:
    """Tell whether found corners can be those of the card that a box was meant for."""
    if not np.isfinite(quad).all() or not cv2.isContourConvex(quad):
        return False
    share = float(cv2.contourArea(quad)) / max(float(cv2.contourArea(box)), 1e-9)
    return SHAPE[0] <= share <= SHAPE[1]
