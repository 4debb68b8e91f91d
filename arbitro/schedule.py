"""Which frames are worth a look: those in which something moved, and now and then one of a resting table.

Works in media time, so that a film looked at as fast as the machine can gives the same looks every time.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

# Motion is looked for in a small grey picture: fingers are still several pixels wide in it, and noise has gone.
_SMALL_WIDTH_PX = 160
# Grey levels (0..255) by which a pixel must change; sensor noise and compression stay below after shrinking.
_NOTICEABLE = 12


class Schedule:
    """Say which frames are due.

    Args:
        looks_per_s: looks in a second of media time while something moves.
        idle_ms: time between looks while nothing moves.
        motion: part of the picture (0..1) that must change to count as motion.
    """

    def __init__(self, looks_per_s: float, idle_ms: int, motion: float) -> None:
        self._busy_ms = 1000 / looks_per_s
        self._idle_ms = idle_ms
        self._motion = motion
        self._last_ms: float | None = None
        self._before: npt.NDArray[np.uint8] | None = None

    def is_due(self, image: npt.NDArray[np.uint8], t_ms: float, *, is_restless: bool = False) -> bool:
        """Tell whether this frame should be looked at; a frame that is counts as looked at.

        `image` is (height, width, 3) uint8 BGR, `t_ms` its media time, never falling. `is_restless` asks for looks as
        if something moved.
        """
        if self._last_ms is None:
            self._before = _small(image)
            self._last_ms = t_ms
            return True
        # A frame a hair before its time is taken: frames come every 33.3 ms, and waiting for the next one would
        # turn ten looks a second into seven and a half.
        since_ms = t_ms - self._last_ms + 2
        if since_ms < self._busy_ms:
            return False
        small = _small(image)
        if not is_restless and not self._moved(small) and since_ms < self._idle_ms:
            return False
        self._before = small
        self._last_ms = t_ms
        return True

    def _moved(self, small: npt.NDArray[np.uint8]) -> bool:
        if self._before is None or self._before.shape != small.shape:
            return True
        changed = cv2.absdiff(small, self._before) > _NOTICEABLE
        return bool(np.count_nonzero(changed) > self._motion * changed.size)


def _small(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    height = max(1, round(image.shape[0] * _SMALL_WIDTH_PX / image.shape[1]))
    # Every fourth pixel first: averaging all of a large picture takes longer than all the rest.
    step = max(1, image.shape[1] // (_SMALL_WIDTH_PX * 4))
    thinned = np.ascontiguousarray(image[::step, ::step])
    grey = cv2.cvtColor(thinned, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.resize(grey, (_SMALL_WIDTH_PX, height), interpolation=cv2.INTER_AREA), np.uint8)
