"""What camera and light do during a film: lamps go on, autofocus hunts, frames are lost, somebody knocks at it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from datasets.film.camera import TableCamera

Gains = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class LightChange:
    """The light changes, and the camera's automatics make up for a part of it.

    Attributes:
        start_ms: when it begins; ramp_ms: how long it takes.
        factors: of blue, green and red, when it has changed.
        settle_ms: time constant of the automatics; settled: the factors that stay.
    """

    start_ms: float
    ramp_ms: float
    factors: Gains
    settle_ms: float
    settled: Gains

    def gains(self, t_ms: float) -> Gains:
        """Return the factors of blue, green and red at a time."""
        since = t_ms - self.start_ms
        if since <= 0:
            return 1.0, 1.0, 1.0
        arrived = min(since / self.ramp_ms, 1.0)
        kept = math.exp(-max(since - self.ramp_ms, 0.0) / self.settle_ms)
        b, g, r = (1 + (s + (f - s) * kept - 1) * arrived for f, s in zip(self.factors, self.settled, strict=True))
        return b, g, r


@dataclass(frozen=True, slots=True)
class FocusHunt:
    """The autofocus goes out of focus and back, several times, weaker each time.

    Attributes:
        start_ms, end_ms: from when to when; blur_mm: standard deviation of the greatest blur, on the table.
        swings: how many times it goes out of focus.
    """

    start_ms: float
    end_ms: float
    blur_mm: float
    swings: int

    def at(self, t_ms: float) -> float:
        """Return the blur at a time, mm."""
        share = (t_ms - self.start_ms) / (self.end_ms - self.start_ms)
        if not 0 < share < 1:
            return 0.0
        return self.blur_mm * abs(math.sin(math.pi * self.swings * share)) * (1 - 0.6 * share)


@dataclass(frozen=True, slots=True)
class LostFrames:
    """Frames are lost between two times: all of them, or all but every `kept`th."""

    start_ms: float
    end_ms: float
    kept: int = 0

    def loses(self, index: int, t_ms: float) -> bool:
        """Tell whether a frame is lost."""
        return self.start_ms <= t_ms < self.end_ms and (not self.kept or index % self.kept != 0)


@dataclass(frozen=True, slots=True)
class Nudge:
    """Somebody knocks against the camera: it swings and stays a little aside.

    Attributes:
        start_ms, end_ms: from when to when it moves; shift_mm: how far it is moved over the table, x and y.
        turn: how far it is turned about the upright, radians.
    """

    start_ms: float
    end_ms: float
    shift_mm: tuple[float, float]
    turn: float

    def share(self, t_ms: float) -> float:
        """Return how much of the nudge has been done: it overshoots and settles at 1."""
        share = (t_ms - self.start_ms) / (self.end_ms - self.start_ms)
        if share <= 0:
            return 0.0
        return 1.0 if share >= 1 else 1 - (1 - share) * math.exp(-4 * share) * math.cos(3 * math.pi * share)


@dataclass(slots=True)
class CameraWork:
    """All that camera and light do in one film."""

    lights: list[LightChange] = field(default_factory=list)
    hunts: list[FocusHunt] = field(default_factory=list)
    losses: list[LostFrames] = field(default_factory=list)
    nudges: list[Nudge] = field(default_factory=list)

    def gains(self, t_ms: float) -> Gains:
        """Return the factors of blue, green and red that the light gives at a time."""
        b = g = r = 1.0
        for light in self.lights:
            one = light.gains(t_ms)
            b, g, r = b * one[0], g * one[1], r * one[2]
        return b, g, r

    def blur_mm(self, t_ms: float) -> float:
        """Return the standard deviation of the blur of the whole picture at a time, mm on the table."""
        return max((hunt.at(t_ms) for hunt in self.hunts), default=0.0)

    def loses(self, index: int, t_ms: float) -> bool:
        """Tell whether the camera loses a frame."""
        return any(loss.loses(index, t_ms) for loss in self.losses)

    def standing(self, t_ms: float) -> tuple[float, float, float]:
        """Return how far the camera is from where it was put: x and y in mm, and the turn in radians."""
        shares = [(nudge, nudge.share(t_ms)) for nudge in self.nudges]
        return (sum(nudge.shift_mm[0] * share for nudge, share in shares),
                sum(nudge.shift_mm[1] * share for nudge, share in shares),
                sum(nudge.turn * share for nudge, share in shares))


def moved_camera(camera: TableCamera, standing: tuple[float, float, float]) -> TableCamera:
    """Return a camera that has been moved as `CameraWork.standing` says."""
    x, y, turn = standing
    return camera if standing == (0.0, 0.0, 0.0) else camera.moved((x, y), turn)
