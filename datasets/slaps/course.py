"""How hands and cards move in a slap, in continuous time: milliseconds in, millimetres over the table out.

The pile lies at the origin of the table, x right and y away from the near side, z up. A hand's place is that of the
middle of its palm, with z the height of its underside; its arm points from the player's shoulder.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from datasets.film.motion import Pose, Track, ease

#: How fast a jolt goes through the pile, ms.
_JOLT_MS = 9.0

#: After so many times that, it is over.
_JOLT_OVER = 7

#: How much a hand that hovers trembles up and down, mm, and how long one trembling takes, ms.
_TREMBLE_MM, _TREMBLE_MS = 0.9, 150.0


@dataclass(frozen=True, slots=True)
class Jolt:
    """A push that moves what lies in the pile, from `t_ms` on, by a millimetre or so."""

    t_ms: float
    x: float
    y: float

    def at(self, t_ms: float) -> tuple[float, float]:
        """Return how far it has pushed at a time."""
        since = t_ms - self.t_ms
        if since <= 0:
            return 0.0, 0.0
        if since > _JOLT_MS * _JOLT_OVER:
            return self.x, self.y
        # It overshoots once, as cards that are let go by a hand's flesh do.
        share = 1 - math.exp(-since / _JOLT_MS) * math.cos(since / _JOLT_MS)
        return self.x * share, self.y * share

    def active(self, start_ms: float, end_ms: float) -> bool:
        """Tell whether it moves something between two times."""
        return start_ms < self.t_ms + _JOLT_MS * _JOLT_OVER and end_ms > self.t_ms


@dataclass(slots=True)
class SlapCourse:
    """A hand that slaps, or feints: it reaches in, comes down, stops, stays, lifts and leaves.

    Attributes:
        away: x, y of the palm outside the picture; target: where it comes down.
        contact_ms: when it first touches what lies there; for a feint, when it has stopped above it.
        height_mm: how high its underside then is: the top of what it lies on, or for a feint above it.
        peak_mm: how high it is raised before it comes down; reach_ms, drop_ms: how long before the contact it sets
            out, and comes down.
        drop_power: how it comes down: 1 evenly, 2 ever faster.
        carried: share of its way that the hand has made when it touches, 1 straight down.
        parted_ms: when it lifts; leave_ms: how long it then takes to be gone.
        slide: how far it slides while it lies, or draws back and up while it hovers, mm.
        feint: whether it stops above the pile.
        jolts: pushes by later hands.
    """

    away: tuple[float, float]
    target: tuple[float, float]
    contact_ms: float
    height_mm: float
    peak_mm: float
    reach_ms: float
    drop_ms: float
    drop_power: float
    carried: float
    parted_ms: float
    leave_ms: float
    slide: tuple[float, float] = (0.0, 0.0)
    feint: bool = False
    jolts: list[Jolt] = field(default_factory=list)

    @property
    def span_ms(self) -> tuple[float, float]:
        """When the hand is on its way or lies there."""
        return self.contact_ms - self.reach_ms, self.parted_ms + self.leave_ms

    def at(self, t_ms: float) -> Pose:
        """Return where the hand is."""
        start, _ = self.span_ms
        if t_ms >= self.parted_ms:
            return self._leaving(t_ms)
        if t_ms >= self.contact_ms:
            return self._lying(t_ms)
        share = min(max((t_ms - start) / self.reach_ms, 0.0), 1.0)
        way = ease(share * self.carried) / ease(self.carried)
        falls = self.contact_ms - self.drop_ms
        if t_ms < falls:
            z = 90 + (self.peak_mm - 90) * ease(min(max((t_ms - start) / (falls - start), 0.0), 1.0))
        else:
            fallen = (t_ms - falls) / self.drop_ms
            fallen = ease(fallen) if self.feint else fallen**self.drop_power
            z = self.peak_mm + (self.height_mm - self.peak_mm) * fallen
        return Pose(self.away[0] + (self.target[0] - self.away[0]) * way,
                    self.away[1] + (self.target[1] - self.away[1]) * way, z)

    def _lying(self, t_ms: float) -> Pose:
        share = ease(min((t_ms - self.contact_ms) / max(self.parted_ms - self.contact_ms, 1.0), 1.0))
        x, y = self.target[0] + self.slide[0] * share, self.target[1] + self.slide[1] * share
        for jolt in self.jolts:
            dx, dy = jolt.at(t_ms)
            x, y = x + dx, y + dy
        z = self.height_mm
        if self.feint:
            # Nothing holds a hand in the air: it trembles, and already draws back.
            z += math.hypot(*self.slide) * share
            z += _TREMBLE_MM * (1 - math.cos(2 * math.pi * (t_ms - self.contact_ms) / _TREMBLE_MS))
        return Pose(x, y, z)

    def _leaving(self, t_ms: float) -> Pose:
        lain = self._lying(self.parted_ms)
        share = min((t_ms - self.parted_ms) / self.leave_ms, 1.0)
        way = ease(share)
        z = lain.z + (100 - lain.z) * ease(min(2.2 * share, 1.0))
        return Pose(lain.x + (self.away[0] - lain.x) * way, lain.y + (self.away[1] - lain.y) * way, z)


@dataclass(slots=True)
class CarryCourse:
    """A hand that brings a card: keyframes of its palm."""

    track: Track

    @property
    def span_ms(self) -> tuple[float, float]:
        """When the hand is on its way."""
        return self.track.times_ms[0], self.track.times_ms[-1]

    def at(self, t_ms: float) -> Pose:
        """Return where the hand is."""
        return self.track.at(t_ms)


@dataclass(slots=True)
class CardCourse:
    """A card: how it came, if it came during the film, where it then lies, and what pushed it since.

    Attributes:
        rest: where it lies.
        track: how it comes there; None if it lay there from the start.
        lies_ms: when it came to lie.
        jolts: pushes since.
    """

    rest: Pose
    track: Track | None = None
    lies_ms: float = -math.inf
    jolts: list[Jolt] = field(default_factory=list)

    def at(self, t_ms: float) -> Pose:
        """Return where the card is."""
        if self.track is not None and t_ms < self.lies_ms:
            return self.track.at(t_ms)
        x, y = self.rest.x, self.rest.y
        for jolt in self.jolts:
            dx, dy = jolt.at(t_ms)
            x, y = x + dx, y + dy
        return self.rest.moved(x=x, y=y)

    def moving(self, start_ms: float, end_ms: float) -> bool:
        """Tell whether it moves between two times."""
        if self.track is not None and start_ms < self.lies_ms:
            return self.track.times_ms[0] < end_ms
        return any(jolt.active(start_ms, end_ms) for jolt in self.jolts)
