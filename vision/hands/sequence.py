"""A short film made small, for looking at the motion of hands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Frame

LONG_SIDE_PX = 640
"""Longer side of the small pictures: a finger is then about ten pixels wide, and a hand moves by few of them."""
REPEATED_LEVELS = 0.35
"""Mean difference in grey levels below which, while something moves, a frame is the one before once more."""


@dataclass(frozen=True, eq=False)
class Sequence:
    """Hold the frames of a short film.

    Attributes:
        images: (n, h, w, 3) uint8, BGR, small.
        t_ms: (n,) float64 media times.
        scale: pixels of a small picture for one of the camera's.
        size: width and height of the camera's pictures.
        repeated: (n,) bool, frames that show the one before once more: their times tell nothing.
    """

    images: npt.NDArray[np.uint8]
    t_ms: npt.NDArray[np.float64]
    scale: float
    size: tuple[int, int]
    repeated: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.t_ms)

    @property
    def interval_ms(self) -> float:
        """Usual time between two frames that differ."""
        times = self.t_ms[~self.repeated]
        return float(np.median(np.diff(times))) if len(times) > 1 else 40.0

    def part(self, first: int, last: int) -> Sequence:
        """Return the frames from `first` up to, and without, `last`."""
        return Sequence(
            self.images[first:last], self.t_ms[first:last], self.scale, self.size, self.repeated[first:last]
        )


def small(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return a picture made small enough for looking at motion; one that is small already as it is."""
    height, width = image.shape[:2]
    scale = LONG_SIDE_PX / max(height, width)
    if scale >= 1:
        return image
    size = (max(8, round(width * scale)), max(8, round(height * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def sequence_of(frames: Iterable[Frame]) -> Sequence | None:
    """Make the sequence of some frames of one size; None without frames. Frames of another size are left out."""
    images: list[npt.NDArray[np.uint8]] = []
    times: list[float] = []
    size: tuple[int, int] | None = None
    for frame in frames:
        height, width = frame.image.shape[:2]
        if size is None:
            size = (width, height)
        if (width, height) == size:
            images.append(small(frame.image))
            times.append(frame.t_ms)
    if size is None:
        return None
    stacked = np.stack(images)
    return Sequence(stacked, np.array(times), stacked.shape[2] / size[0], size, _repeated(stacked))


def _repeated(images: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Tell which frames repeat the one before: hardly any difference where its neighbours differ."""
    count = len(images)
    steps = np.zeros(count)
    for i in range(1, count):
        steps[i] = cv2.absdiff(images[i, ::2, ::2], images[i - 1, ::2, ::2]).mean()
    repeated = np.zeros(count, bool)
    for i in range(1, count):
        around = np.concatenate([steps[max(1, i - 3) : i], steps[i + 1 : i + 4]])
        usual = float(np.median(around)) if len(around) else 0.0
        repeated[i] = steps[i] < min(REPEATED_LEVELS, 0.3 * usual)
    return repeated
