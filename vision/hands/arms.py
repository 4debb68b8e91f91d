"""Follow arms from the border at which they enter the picture.

An arm is known by the place on the border through which it reaches in: that place hardly moves while the hand does, and
it says from whose seat the arm comes. Where arms meet over the pile, a pixel belongs to the arm whose line from the
border to the pile is nearest, and to none for sure where two are about as near.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.hands.foreground import Mask

RUN_PX = 8
"""Length on the border from which something reaches in, in pixels."""
BAND_PX = 30
"""What hangs together within so many pixels of the border is one arm."""
STEP_PX = 110
"""How far the place of entry may move from frame to frame, in pixels along the border."""
JOINED_PX = 9
"""Parts of an arm that are nearer than this hang together."""
LOST_FRAMES = 6
"""Frames for which an arm may be out of sight and still be the same."""


@dataclass(eq=False)
class Arm:
    """Follow one arm.

    Attributes:
        frames: numbers of the frames in which it was seen, in order.
        entries: for each of these, x and y of where it crosses the border.
    """

    frames: list[int] = field(default_factory=list)
    entries: list[tuple[float, float]] = field(default_factory=list)
    ring: float = 0.0

    def entry(self, frame: int) -> tuple[float, float]:
        """Return where it crosses the border in a frame, or in the nearest one in which it was seen."""
        nearest = min(range(len(self.frames)), key=lambda i: abs(self.frames[i] - frame))
        return self.entries[nearest]

    def seen(self, frame: int) -> bool:
        """Tell whether it was seen in a frame."""
        return frame in self.frames


def follow_arms(masks: Mask) -> list[Arm]:
    """Find the arms in foreground masks (n, h, w), in the order in which they come."""
    arms: list[Arm] = []
    height, width = masks.shape[1:]
    length = 2 * (height + width)
    for number, mask in enumerate(masks):
        runs = border_runs(mask)
        alive = [arm for arm in arms if number - arm.frames[-1] <= LOST_FRAMES]
        pairs = sorted(
            (min(abs(run - arm.ring), length - abs(run - arm.ring)), i, j)
            for i, (run, _) in enumerate(runs)
            for j, arm in enumerate(alive)
        )
        taken_runs: set[int] = set()
        taken_arms: set[int] = set()
        for apart, i, j in pairs:
            if apart > STEP_PX or i in taken_runs or j in taken_arms:
                continue
            taken_runs.add(i)
            taken_arms.add(j)
            alive[j].ring = runs[i][0]
            alive[j].frames.append(number)
            alive[j].entries.append(runs[i][1])
        for i, (ring, entry) in enumerate(runs):
            if i not in taken_runs:
                arms.append(Arm([number], [entry], ring))
    return arms


def border_runs(mask: Mask) -> list[tuple[float, tuple[float, float]]]:
    """Return where a mask reaches the border: for each place how far along the border, and its x and y.

    Places that hang together close to the border are one: a sleeve with a fold in it.
    """
    height, width = mask.shape
    band = mask.copy()
    band[BAND_PX:-BAND_PX, BAND_PX:-BAND_PX] = False
    if not band.any():
        return []
    _, labels = cv2.connectedComponents(band.view(np.uint8), connectivity=8)
    lines = (labels[1], labels[:, -2], labels[-2][::-1], labels[:, 1][::-1])
    ring = np.concatenate(lines)
    runs = []
    for label in np.unique(ring[ring > 0]):
        places = np.flatnonzero(ring == label)
        if len(places) < RUN_PX:
            continue
        # Around the corner where the ring begins, places are counted from the other end.
        around = np.angle(np.exp(2j * np.pi * places / len(ring)).mean()) / (2 * np.pi) * len(ring)
        place = float(around % len(ring))
        runs.append((place, _point(place, height, width)))
    return runs


def _point(place: float, height: int, width: int) -> tuple[float, float]:
    if place < width:
        return float(place), 0.0
    if place < width + height:
        return float(width - 1), float(place - width)
    if place < 2 * width + height:
        return float(2 * width + height - 1 - place), float(height - 1)
    return 0.0, float(2 * (width + height) - 1 - place)


def distance_to_line(
    shape: tuple[int, int], begin: tuple[float, float], end: tuple[float, float]
) -> npt.NDArray[np.float32]:
    """Return how far each pixel (h, w) is from the line between two points, in pixels."""
    ys, xs = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32)
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    along = np.clip(((xs - begin[0]) * dx + (ys - begin[1]) * dy) / max(dx * dx + dy * dy, 1e-6), 0, 1)
    return np.hypot(xs - begin[0] - along * dx, ys - begin[1] - along * dy).astype(np.float32)


def cells(
    shape: tuple[int, int],
    entries: list[tuple[float, float]],
    pile: tuple[float, float],
    margin_px: float,
) -> list[Mask]:
    """Return for each arm the pixels that are surely nearer to its line to the pile than to any other's."""
    distances = [distance_to_line(shape, entry, pile) for entry in entries]
    sure = []
    for i, own in enumerate(distances):
        others = [other for j, other in enumerate(distances) if j != i]
        nearest = np.minimum.reduce(others) if others else np.full(shape, np.inf, np.float32)
        sure.append(own + margin_px < nearest)
    return sure


def component_with(mask: Mask, seed: Mask) -> Mask:
    """Return the parts of a mask that hang together with a seed, across gaps of a few pixels."""
    joined = cv2.dilate(mask.view(np.uint8), np.ones((JOINED_PX, JOINED_PX), np.uint8))
    count, labels = cv2.connectedComponents(joined, connectivity=8)
    found = np.zeros(count, bool)
    found[np.unique(labels[seed & mask])] = True
    found[0] = False
    return found[labels] & mask
