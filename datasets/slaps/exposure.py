"""What the sensor gathers while its shutter is open: frames with true motion blur and a rolling shutter.

The picture is drawn at many moments of the exposure, and every row adds up those at which it was exposed. What does
not move is drawn once and kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.render import draw_grain
from datasets.slaps.layers import Canvas, HandLayer, Layer
from datasets.slaps.room import LIGHT_ONE, Picture, Room

#: A part of the picture: left, top, right, bottom.
Box = tuple[int, int, int, int]

#: How far something may go from one drawn moment to the next, px, and how many moments an exposure has at most.
_STEP_PX, _MOST_STEPS = 3.0, 18


class Exposures:
    """Takes pictures of layers over a table.

    Args:
        room: table, light, camera and shutter.
        layers: what lies and moves there, from bottom to top.
    """

    def __init__(self, room: Room, layers: Sequence[Layer]) -> None:
        self._room, self._layers = room, list(layers)
        self.size = room.camera.size
        self._kept: tuple[tuple[object, ...], Picture] = ((), room.table)
        self._grain = draw_grain(self._room.seed, self.size)

    def take(self, t_ms: float) -> Picture:
        """Take a picture whose middle row is half exposed at `t_ms`; in even light, without noise: see `develop`."""
        shutter = self._room.shutter
        half = (shutter.readout_ms + shutter.exposure_ms) / 2
        start, end = t_ms - half, t_ms + half
        seen = [layer for layer in self._layers if layer.seen(start, end)]
        moving = [layer.moving(start, end) for layer in seen]
        lowest = moving.index(True) if True in moving else len(seen)
        still = self._still(seen[:lowest], t_ms)
        if lowest == len(seen):
            return still.copy()
        picture = still.copy()
        over = Canvas(picture, 0, 0)
        upper = seen[lowest:]
        for layer, moves in zip(upper, moving[lowest:], strict=True):
            if not moves:
                layer.draw(over, t_ms)
        all_movers = [layer for layer, moves in zip(upper, moving[lowest:], strict=True) if moves]
        for window, movers in self._groups(all_movers, start, end):
            there = [layer for layer in upper if layer in movers or _meet(_box(layer.outline(t_ms)), window)]
            self._gather(picture, still, there, window, t_ms, self._steps(movers, start, end))
        return picture

    def develop(self, picture: Picture, t_ms: float, index: int) -> Picture:
        """Give a picture its light, and what lens and sensor add: blur, drift of the exposure, noise."""
        room = self._room
        picture = cv2.multiply(picture, room.light, scale=1 / LIGHT_ONE)
        reach = 3 if room.focus_px < 0.9 else 5
        picture = cv2.GaussianBlur(picture, (reach, reach), room.focus_px)
        seconds, phase = t_ms / 1000, room.seed % 1000
        gain = 1 + room.drift * (0.6 * math.sin(1.1 * seconds + phase) + 0.4 * math.sin(2.3 * seconds + 2.1 * phase))
        x, y = np.random.default_rng([room.seed, index]).integers(0, 64, 2)
        grain = self._grain[y: y + self.size[1], x: x + self.size[0]]
        weight = room.noise / 16  # the grain is stored around 128 with a standard deviation of 16 levels
        return cv2.addWeighted(picture, gain, grain, weight, -128 * weight)

    def _still(self, layers: list[Layer], t_ms: float) -> Picture:
        key = tuple((id(layer), *map(float, layer.outline(t_ms)[0])) for layer in layers)
        if key != self._kept[0]:
            picture = self._room.table.copy()
            canvas = Canvas(picture, 0, 0)
            for layer in layers:
                layer.draw(canvas, t_ms)
            self._kept = (key, picture)
        return self._kept[1]

    def _groups(self, movers: list[Layer], start: float, end: float) -> list[tuple[Box, list[Layer]]]:
        """Return the parts of the picture in which something moves, apart from one another, and what moves there."""
        groups: list[tuple[Box, list[Layer]]] = []
        for layer in movers:
            box, members = _box(np.concatenate([layer.outline(t) for t in (start, (start + end) / 2, end)])), [layer]
            while met := next((group for group in groups if _meet(group[0], box)), None):
                groups.remove(met)
                other = met[0]
                box = (min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3]))
                members = met[1] + members
            groups.append((box, members))
        width, height = self.size
        cut = [((max(left, 0), max(top, 0), min(right, width), min(bottom, height)), members)
               for (left, top, right, bottom), members in groups]
        return [(box, members) for box, members in cut if box[0] < box[2] and box[1] < box[3]]

    def _steps(self, movers: list[Layer], start: float, end: float) -> int:
        """Return how many moments an exposure needs."""
        fastest = 0.0
        times = np.linspace(start, end, 5)
        for layer in movers:
            spots = [layer.fingers_px(t) if isinstance(layer, HandLayer) else layer.outline(t) for t in times]
            ways = [float(np.hypot(*(b - a).T).max()) for a, b in pairwise(spots)]
            fastest = max(fastest, max(ways) / (times[1] - times[0]))
        return min(max(math.ceil(fastest * self._room.shutter.exposure_ms / _STEP_PX), 1), _MOST_STEPS)

    def _gather(self, picture: Picture, still: Picture, layers: list[Layer], window: Box,
                t_ms: float, steps: int) -> None:
        """Draw the layers within a window at every moment of the exposure and put their mean into the picture."""
        left, top, right, bottom = window
        shutter, height = self._room.shutter, self.size[1]
        step = shutter.exposure_ms / steps
        begin = t_ms - (shutter.readout_ms + shutter.exposure_ms) / 2
        total = np.zeros((bottom - top, right - left, 3), np.float32)
        counts = np.zeros(bottom - top, np.int32)
        moments = math.ceil((shutter.readout_ms + shutter.exposure_ms) / step - 1e-9)
        for i in range(moments):
            since = (i + 0.5) * step
            if shutter.readout_ms > 0:
                # Row r opens at r / height * readout and is open for the exposure.
                first = math.ceil((since - shutter.exposure_ms) / shutter.readout_ms * height)
                last = math.ceil(since / shutter.readout_ms * height)
                low, high = max(first, top), min(last, bottom)
            else:
                low, high = top, bottom
            if low >= high:
                continue
            part = still[low:high, left:right].copy()
            canvas = Canvas(part, left, low)
            for layer in layers:
                layer.draw(canvas, begin + since)
            rows = slice(low - top, high - top)
            cv2.accumulate(part, total[rows])
            counts[rows] += 1
        self._mean(picture[top:bottom, left:right], total, counts)

    @staticmethod
    def _mean(region: Picture, total: NDArray[np.float32], counts: NDArray[np.int32]) -> None:
        """Write the mean of each row; rows of one count lie together."""
        edges = np.flatnonzero(np.diff(counts)) + 1
        for low, high in zip([0, *edges], [*edges, len(counts)], strict=True):
            if counts[low]:
                region[low:high] = cv2.convertScaleAbs(total[low:high], alpha=1 / int(counts[low]))


def _box(points: NDArray[np.float32]) -> Box:
    """Return left, top, right, bottom around points, with room for soft edges."""
    left, top = np.floor(points.min(axis=0)).astype(int) - 6
    right, bottom = np.ceil(points.max(axis=0)).astype(int) + 7
    return int(left), int(top), int(right), int(bottom)


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
