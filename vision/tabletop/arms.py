"""Arms over the table: from which side of the picture they reach in, and at which places they have been.

A hand's box goes on to where the arm leaves the picture. That end tells where the person sits; cards that come or leave
at the other end while the arm is there were laid or taken by that person. Owns no card.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.tabletop.geometry import Quad, covered_part

# An end of a box counts as leaving the picture from this distance to its border, as a part of the picture's height.
_AT_BORDER = 0.06
# A hand is at a place from this part of it covered, or with its finger tips so near its centre, in card heights.
_COVERS = 0.05
_NEAR_TIPS = 0.8
# Sights are kept for so long: longer than a play takes.
_KEPT_MS = 12_000
# How fast a sight of an arm loses weight with its distance in time from what it should explain.
_FADES_MS = 400.0


@dataclass(frozen=True, slots=True, eq=False)
class ArmSight:
    """Hold an arm as one picture showed it.

    Attributes:
        t_ms: media time of the picture.
        quad: (4, 2) the hand's box in pixels.
        tips: (2,) the middle of the end that reaches into the picture.
        side_deg: direction to the person from the table, in degrees counter-clockwise from the picture's right; None if
            the box does not come to the picture's border.
    """

    t_ms: int
    quad: Quad
    tips: npt.NDArray[np.float32]
    side_deg: float | None


@dataclass(frozen=True, slots=True)
class Side:
    """Hold from where somebody reached.

    Attributes:
        side_deg: direction to the person in degrees, 0 to 360, counter-clockwise from the picture's right.
        weight: how much it is worth, 0 to 1: many sights that agree are worth 1.
    """

    side_deg: float
    weight: float


def arm_sight(quad: Quad, size: tuple[int, int], t_ms: int) -> ArmSight:
    """Return what a hand's box tells of the arm.

    Args:
        quad: (4, 2) box of a hand in pixels.
        size: width and height of the picture in pixels.
        t_ms: media time of the picture.
    """
    width, height = size
    middle = quad.mean(axis=0)
    ends = (quad + np.roll(quad, -1, axis=0)) / 2
    # How far each end lies outside of each border: left, right, upper, lower.
    outside = np.stack([-ends[:, 0], ends[:, 0] - width, -ends[:, 1], ends[:, 1] - height], axis=1)
    end, border = np.unravel_index(int(outside.argmax()), outside.shape)
    tips = np.asarray(ends[(end + 2) % 4], np.float32)
    if outside[end, border] < -_AT_BORDER * height:
        return ArmSight(t_ms, quad, tips, None)
    along = ends[end] - middle
    along = along / max(float(np.hypot(*along)), 1e-6)
    # An arm may come in aslant, and one may sit at a corner: between the arm's direction and the border's own.
    normal = np.array([(-1, 0), (1, 0), (0, -1), (0, 1)][border])
    x, y = along + normal
    return ArmSight(t_ms, quad, tips, math.degrees(math.atan2(-y, x)) % 360)


class ArmMemory:
    """Keep where arms have been in the last seconds."""

    def __init__(self) -> None:
        """Begin without memory."""
        self._sights: deque[ArmSight] = deque()

    def see(self, hands: Sequence[Quad], size: tuple[int, int], t_ms: int) -> None:
        """Take the boxes (4, 2) of the hands in a picture of a size (width, height)."""
        self._sights.extend(arm_sight(quad, size, t_ms) for quad in hands)
        while self._sights and t_ms - self._sights[0].t_ms > _KEPT_MS:
            self._sights.popleft()

    def who_was_at(self, place: Quad, height_px: float, from_ms: int, to_ms: int) -> Side | None:
        """Return from which side somebody reached to a place.

        Args:
            place: (4, 2) quad of a card in pixels.
            height_px: a card's height there.
            from_ms: media time from which it happened.
            to_ms: media time until which it happened; sights before and after are worth less.

        Returns:
            The mean direction of the arms seen there; None if there were none, or if they contradict each other.
        """
        centre = place.mean(axis=0)
        east = north = total = 0.0
        for sight in self._sights:
            if sight.side_deg is None:
                continue
            apart_ms = max(from_ms - sight.t_ms, sight.t_ms - to_ms, 0)
            if apart_ms > 4 * _FADES_MS:
                continue
            is_there = float(np.hypot(*(sight.tips - centre))) <= _NEAR_TIPS * height_px
            if not is_there and covered_part(place, [sight.quad]) < _COVERS:
                continue
            weight = math.exp(-apart_ms / _FADES_MS)
            east += weight * math.cos(math.radians(sight.side_deg))
            north += weight * math.sin(math.radians(sight.side_deg))
            total += weight
        length = math.hypot(east, north)
        if total < 0.05 or length < 0.3 * total:
            return None
        # One sight may err; three that agree hardly do.
        return Side(math.degrees(math.atan2(north, east)) % 360, length / total * total / (total + 0.5))
