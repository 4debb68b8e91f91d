"""How a picture is laid into the detector's input, and boxes are brought back.

Owns sizes, margins and the tiles of a large picture. Coordinates are continuous: the centre of the first
pixel is at (0.5, 0.5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

STRIDE = 32
"""Inputs of the detector are multiples of this many pixels."""
SHORTEST_PX = 96
"""Smallest side of a rectangular input: a smaller one has fewer places to look at than rows of output."""
PADDING_VALUE = 114
"""Grey that fills what the picture does not cover."""
DEFAULT_MARGIN = 0.06
"""Share of the input left free on every side, so that boxes of cards cut by the border have room."""


@dataclass(frozen=True)
class Letterbox:
    """Place a picture in an input: scaled by `scale`, then shifted by `left` and `top`.

    Attributes:
        height, width: size of the input in pixels.
        scale: pixels of the input per pixel of the picture.
        left, top: where the picture's corner comes to lie, in pixels of the input (whole numbers).
        picture_hw: height and width of the scaled picture in pixels of the input.
    """

    height: int
    width: int
    scale_x: float
    scale_y: float
    left: int
    top: int
    picture_hw: tuple[int, int]

    @classmethod
    def fit(
        cls, picture_hw: tuple[int, int], input_hw: tuple[int, int], margin: float = DEFAULT_MARGIN
    ) -> Letterbox:
        """Fit a picture into an input, centred, with `margin` of the input free on every side.

        Args:
            picture_hw: height and width of the picture in pixels.
            input_hw: height and width of the input in pixels.
            margin: share of the input's height and width that stays free on each side.
        """
        height, width = input_hw
        room_h, room_w = height * (1 - 2 * margin), width * (1 - 2 * margin)
        scale = min(room_h / picture_hw[0], room_w / picture_hw[1])
        # Rounded to whole pixels, so each axis keeps its own exact scale.
        scaled_h = max(1, min(math.floor(room_h + 1e-6), round(picture_hw[0] * scale)))
        scaled_w = max(1, min(math.floor(room_w + 1e-6), round(picture_hw[1] * scale)))
        return cls(
            height,
            width,
            scaled_w / picture_hw[1],
            scaled_h / picture_hw[0],
            (width - scaled_w) // 2,
            (height - scaled_h) // 2,
            (scaled_h, scaled_w),
        )

    def apply(self, image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return the input picture, (height, width, 3) uint8, channels as in `image`."""
        scaled_h, scaled_w = self.picture_hw
        if (scaled_h, scaled_w) == image.shape[:2]:
            scaled = image
        else:
            shrinks = self.scale_x < 1
            scaled = cv2.resize(
                image, (scaled_w, scaled_h), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
            )
        canvas = np.full((self.height, self.width, 3), PADDING_VALUE, np.uint8)
        canvas[self.top : self.top + scaled_h, self.left : self.left + scaled_w] = scaled
        return canvas

    def to_picture(self, points: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """Bring points (..., 2) from pixels of the input to pixels of the picture."""
        moved = (np.asarray(points, np.float64) - (self.left, self.top)) / (self.scale_x, self.scale_y)
        return moved.astype(np.float32)

    def to_input(self, points: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """Bring points (..., 2) from pixels of the picture to pixels of the input."""
        moved = np.asarray(points, np.float64) * (self.scale_x, self.scale_y) + (self.left, self.top)
        return moved.astype(np.float32)


def rectangular_input(
    picture_hw: tuple[int, int], long_side: int, margin: float = DEFAULT_MARGIN, stride: int = STRIDE
) -> tuple[int, int]:
    """Return the smallest input with the given long side that holds the picture at the scale of the square
    one.

    A 16:9 picture needs little more than half of a square, and the detector's time goes with the area.

    Args:
        picture_hw: height and width of the picture in pixels.
        long_side: longer side of the input in pixels, a multiple of `stride`.
        margin: as in `Letterbox.fit`.
        stride: both sides are multiples of this.

    Returns:
        Height and width in pixels.
    """
    height, width = picture_hw
    short_share = min(height, width) / max(height, width)
    short_side = min(long_side, max(SHORTEST_PX, math.ceil(long_side * short_share / stride - 1e-9) * stride))
    return (short_side, long_side) if width >= height else (long_side, short_side)


@dataclass(frozen=True)
class Tile:
    """A rectangle of a picture, in whole pixels, with which of its sides lie inside the picture."""

    left: int
    top: int
    right: int
    bottom: int

    def cut(self, image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return that part of the picture, without copying."""
        return image[self.top : self.bottom, self.left : self.right]

    def holds(
        self, quads: npt.NDArray[np.floating], picture_hw: tuple[int, int], free_px: float
    ) -> npt.NDArray[np.bool_]:
        """Tell which quads keep away from those sides of the tile that lie inside the picture.

        Args:
            quads: (n, 4, 2) corners in pixels of the picture.
            picture_hw: height and width of the picture.
            free_px: pixels that every corner keeps from such a side.

        Returns:
            (n,) bool.
        """
        x, y = quads[..., 0], quads[..., 1]
        good = np.ones(len(quads), bool)
        if self.left > 0:
            good &= x.min(axis=1) >= self.left + free_px
        if self.top > 0:
            good &= y.min(axis=1) >= self.top + free_px
        if self.right < picture_hw[1]:
            good &= x.max(axis=1) <= self.right - free_px
        if self.bottom < picture_hw[0]:
            good &= y.max(axis=1) <= self.bottom - free_px
        return good


def tiles_of(picture_hw: tuple[int, int], across: int, overlap_px: int) -> list[Tile]:
    """Cut a picture into tiles of equal size that overlap.

    Args:
        picture_hw: height and width of the picture in pixels.
        across: number of tiles along the longer side; the shorter side gets as many as keep tiles nearly
            square.
        overlap_px: by how much neighbours overlap, in pixels.

    Returns:
        Tiles, row by row. Together they cover the picture.
    """
    longest = max(picture_hw)
    length = (longest + (across - 1) * overlap_px) / across

    def spans(size: int) -> list[tuple[int, int]]:
        if size <= length:
            return [(0, size)]
        count = max(1, math.ceil((size - overlap_px) / max(1.0, length - overlap_px) - 1e-6))
        side = math.ceil((size + (count - 1) * overlap_px) / count)
        starts = np.linspace(0, size - side, count).round().astype(int)
        return [(int(start), int(start) + side) for start in starts]

    return [
        Tile(left, top, right, bottom)
        for top, bottom in spans(picture_hw[0])
        for left, right in spans(picture_hw[1])
    ]
