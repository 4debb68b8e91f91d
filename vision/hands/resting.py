"""Where and when arms lie still near a pile: the candidates for hands that have touched it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.hands.arms import Arm, cells, component_with
from vision.hands.foreground import Foreground, Mask, most_apart
from vision.hands.sequence import Sequence

MARGIN_PX = 14.0
"""By how much nearer to its own line than to another arm's a pixel must be to be an arm's for sure."""
MOVING_SHARE = 0.06
"""Share of a hand's pixels that may change from frame to frame while it lies still."""
HAND_SHARE = 0.30
"""How far a hand with its wrist reaches from the finger tips, as a share of the picture's longer side, at the most."""
LEAST_HAND_PX = 150
"""Area of the visible part of a hand below which nothing can be said of it."""


@dataclass(frozen=True, eq=False)
class Rest:
    """Describe an arm that lay still near the pile.

    Attributes:
        arm: the arm.
        first, last: numbers of the first and the last frame in which it lay still.
        reach_px: how near it came to the middle of the pile.
    """

    arm: Arm
    first: int
    last: int
    reach_px: float


class ArmMasks:
    """Give each arm's own pixels in each frame.

    Args:
        sequence: the film.
        foreground: what covers its background.
        arms: the arms in it.
        pile: middle of the pile, x and y in pixels of the small picture.
    """

    def __init__(
        self, sequence: Sequence, foreground: Foreground, arms: list[Arm], pile: tuple[float, float]
    ) -> None:
        self.sequence, self.foreground, self.arms, self.pile = sequence, foreground, arms, pile
        self._seen = [frozenset(arm.frames) for arm in arms]
        self._cells: dict[tuple[tuple[float, float], ...], list[Mask]] = {}
        self._own: dict[tuple[int, int], Mask] = {}
        self._parts: dict[tuple[int, int], tuple[Mask, bool]] = {}

    def present(self, frame: int) -> list[int]:
        """Return the numbers of the arms that are in a frame."""
        return [number for number, seen in enumerate(self._seen) if frame in seen]

    def own(self, number: int, frame: int) -> Mask:
        """Return the pixels (h, w) that are surely an arm's in a frame."""
        key = (number, frame)
        if key not in self._own:
            self._own[key] = self._own_now(number, frame)
        return self._own[key]

    def cell(self, number: int, frame: int, among: list[int] | None = None) -> Mask:
        """Return the pixels (h, w) that are nearer to an arm's line than to any other's that is there."""
        among = self.present(frame) if among is None else among
        if number not in among:
            among = sorted([*among, number])
        # Places of entry are rounded, so that arms that hardly move need no new cells.
        places = [self.arms[other].entry(frame) for other in among]
        entries = [(round(x / 6) * 6.0, round(y / 6) * 6.0) for x, y in places]
        key = tuple(entries)
        if key not in self._cells:
            shape = self.foreground.masks.shape[1:]
            self._cells[key] = cells(shape, entries, self.pile, MARGIN_PX)
        return self._cells[key][among.index(number)]

    def nearest(self, region: Mask, frame: int) -> int | None:
        """Return the number of the arm that covers most of a region (h, w) in a frame; None if none does."""
        covers = [(int((self.own(number, frame) & region).sum()), -number) for number in self.present(frame)]
        best = max(covers, default=(0, 0))
        return -best[1] if best[0] else None

    def alone(self, number: int, frame: int) -> bool:
        """Tell whether nothing else that reaches in hangs together with an arm in a frame."""
        return self._part(number, frame)[1]

    def part(self, number: int, frame: int) -> Mask:
        """Return what hangs together with an arm in a frame (h, w): the arm, and what else touches it."""
        return self._part(number, frame)[0]

    def _own_now(self, number: int, frame: int) -> Mask:
        part, alone = self._part(number, frame)
        return part if alone else part & self.cell(number, frame)

    def _part(self, number: int, frame: int) -> tuple[Mask, bool]:
        """Return what hangs together with an arm where it enters, and whether no other arm does."""
        key = (number, frame)
        if key not in self._parts:
            mask = self.foreground.masks[frame]
            part = component_with(mask, self._seed(number, frame) & mask)
            others = [other for other in self.present(frame) if other != number]
            self._parts[key] = part, not any((self._seed(other, frame) & part).any() for other in others)
        return self._parts[key]

    def _seed(self, number: int, frame: int) -> Mask:
        seed = np.zeros(self.foreground.masks.shape[1:], np.uint8)
        x, y = self.arms[number].entry(frame)
        cv2.circle(seed, (round(x), round(y)), 5, 1, -1)
        return seed.view(bool)


def distance_from(pile: tuple[float, float], shape: tuple[int, int]) -> np.ndarray:
    """Return how far each pixel (h, w) is from a point."""
    ys, xs = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32)
    return np.hypot(xs - pile[0], ys - pile[1])


def find_rests(masks: ArmMasks, near_px: float) -> list[Rest]:
    """Find every arm's times of lying still within `near_px` of the pile."""
    sequence, foreground = masks.sequence, masks.foreground
    shape = foreground.masks.shape[1:]
    far = distance_from(masks.pile, shape)
    around = far < near_px + HAND_SHARE * max(shape)
    least = max(14.0, 5 * foreground.noise)
    count = len(sequence)
    moving = np.ones((len(masks.arms), count))
    reach = np.full((len(masks.arms), count), np.inf)
    for frame in range(count):
        present = masks.present(frame)
        if not present:
            continue
        steps = None
        if frame:
            steps = most_apart(sequence.images[frame], sequence.images[frame - 1]) > least
        for number in present:
            own = masks.own(number, frame) & around
            area = int(own.sum())
            if area < LEAST_HAND_PX:
                continue
            reach[number, frame] = float(far[own].min())
            if steps is not None:
                edge = own | (masks.own(number, frame - 1) & around) if frame - 1 in masks.arms[number].frames else own
                moving[number, frame] = float((steps & edge).sum()) / area
    rests = []
    for number, arm in enumerate(masks.arms):
        still = (moving[number] < MOVING_SHARE) & (reach[number] < near_px)
        for frame in map(int, np.flatnonzero(sequence.repeated)):
            # A repeated frame shows no motion whatever happens: it says what its neighbours say.
            still[frame] = still[frame - 1] and (frame + 1 >= count or still[frame + 1])
        # A jolt by the next hand is no end of lying still.
        for frame in range(1, count - 1):
            if still[frame - 1] and still[frame + 1] and moving[number, frame] < 5 * MOVING_SHARE:
                still[frame] = True
        edges = np.flatnonzero(np.diff(np.concatenate([[0], still.view(np.int8), [0]])))
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            rests.append(Rest(arm, int(first), int(last) - 1, float(reach[number, first:last].min())))
    return sorted(rests, key=lambda rest: rest.first)
