"""Smooth motions of cards and hands over a table, as keyframes in millimetres and milliseconds.

The table is the plane z = 0; x points right and y points away from seat 0, with the origin in the middle of the table;
z points up to the camera. Angles are in radians, counter-clockwise as seen from above.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a thing is: its middle in mm and how it is turned.

    `angle` turns the card's upright direction away from +y. `roll` turns the card over its long axis: 0 lies face up,
    pi lies face down. `grip` is used by hands only: 0 pinches a card at its edge, 1 lies flat with fingers spread.
    """

    x: float
    y: float
    z: float = 0.0
    angle: float = 0.0
    roll: float = 0.0
    grip: float = 0.0

    def moved(self, **changes: float) -> Pose:
        """Return the pose with some of its fields replaced."""
        return replace(self, **changes)


def ease(share: float) -> float:
    """Return the path share of a minimum-jerk movement after `share` (0..1) of its time."""
    return share * share * share * (10 - 15 * share + 6 * share * share)


def nearest_turn(angle: float, to: float) -> float:
    """Return `angle` plus the number of whole turns that brings it nearest to `to` (radians)."""
    return angle + 2 * math.pi * round((to - angle) / (2 * math.pi))


@dataclass(slots=True)
class Track:
    """Keyframes of one thing; between two of them it moves with minimum jerk, after the last it rests.

    `lifts[i]` is how far above the straight way the thing is raised in the middle of the way to keyframe i, in mm.
    """

    times_ms: list[float] = field(default_factory=list)
    poses: list[Pose] = field(default_factory=list)
    lifts_mm: list[float] = field(default_factory=list)

    def put(self, t_ms: float, pose: Pose) -> None:
        """Set the pose from `t_ms` on (a jump; only for what nobody sees). Times must not go back."""
        if self.times_ms and t_ms > self.times_ms[-1]:
            self._append(t_ms, self.poses[-1], 0.0)
        self._append(t_ms, pose, 0.0)

    def go(self, start_ms: float, end_ms: float, pose: Pose, lift_mm: float = 0.0) -> None:
        """Rest until `start_ms`, then move to `pose`, arriving at `end_ms`."""
        if not self.times_ms:
            raise ValueError("a thing that has no place yet cannot move")
        if end_ms <= start_ms:
            raise ValueError(f"a movement must take time: {start_ms} to {end_ms} ms")
        last = self.poses[-1]
        if start_ms > self.times_ms[-1]:
            self._append(start_ms, last, 0.0)
        self._append(end_ms, pose.moved(angle=nearest_turn(pose.angle, last.angle)), lift_mm)

    def _append(self, t_ms: float, pose: Pose, lift_mm: float) -> None:
        if self.times_ms and t_ms < self.times_ms[-1] - 1e-6:
            raise ValueError(f"keyframes must follow one another in time: {t_ms} after {self.times_ms[-1]} ms")
        self.times_ms.append(t_ms)
        self.poses.append(pose)
        self.lifts_mm.append(lift_mm)

    @property
    def end(self) -> Pose:
        """The last pose."""
        return self.poses[-1]

    def moving(self, t_ms: float) -> bool:
        """Tell whether the thing is between two different poses at `t_ms`."""
        i = bisect_right(self.times_ms, t_ms)
        return 0 < i < len(self.times_ms) and self.poses[i - 1] != self.poses[i]

    def segment(self, t_ms: float) -> int:
        """Return the number of keyframes passed at `t_ms`: it names the resting place while nothing moves."""
        return bisect_right(self.times_ms, t_ms)

    def at(self, t_ms: float) -> Pose:
        """Return the pose at `t_ms`; before the first keyframe it is the first pose."""
        i = bisect_right(self.times_ms, t_ms)
        if i == 0:
            return self.poses[0]
        if i == len(self.times_ms):
            return self.poses[-1]
        a, b = self.poses[i - 1], self.poses[i]
        if a == b:
            return a
        linear = (t_ms - self.times_ms[i - 1]) / (self.times_ms[i] - self.times_ms[i - 1])
        s = ease(linear)
        lift = self.lifts_mm[i] * math.sin(math.pi * s)
        return Pose(
            a.x + (b.x - a.x) * s,
            a.y + (b.y - a.y) * s,
            a.z + (b.z - a.z) * s + lift,
            a.angle + (b.angle - a.angle) * s,
            a.roll + (b.roll - a.roll) * s,
            a.grip + (b.grip - a.grip) * s,
        )
