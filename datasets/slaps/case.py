"""What happens in a film of slaps: who sits where, what is flipped when, whose hand comes down when."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

GAMES = ("slapjack", "irish-snap", "spit")

#: What kind of dispute a film shows: `quiet` shows none, `grab` and `landings` are of Spit.
KINDS = ("slap", "false", "late", "feint", "quiet", "grab", "landings")

@dataclass(frozen=True, slots=True)
class Flip:
    """A card that is brought to a pile, and who brings it; `lands_ms` is when it comes to lie."""

    player: int
    code: str
    lands_ms: float
    pile: int = 0


@dataclass(frozen=True, slots=True)
class HandCase:
    """A hand that comes down.

    Attributes:
        player: whose; side: `left` or `right`.
        touches_ms: when it touches, or for a feint when it has stopped.
        depth_mm: how far its finger tips reach beyond the middle of the pile; negative: they end before it.
        aside_mm: how far from the line to its player it comes down.
        feint: whether it stops above the pile; stops_mm: how far above.
        pile: on which pile.
        parted_ms: when it lifts.
    """

    player: int
    side: str
    touches_ms: float
    depth_mm: float
    aside_mm: float
    parted_ms: float
    feint: bool = False
    stops_mm: float = 0.0
    pile: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """What happens in one film.

    Attributes:
        game: one of `GAMES`; kind: one of `KINDS`.
        gap_class: `wide`, `near` or `below` a frame; empty where nothing is decided.
        angles_deg: for each player the direction from the pile, counter-clockwise from the picture's right.
        piles: for each pile the cards that lie there from the start, undermost first.
        first_player: who brought the undermost card of the first pile.
        flips, hands: what comes, in time.
        dim: whether light is short.
        missing, repeated: shares of frames that get lost, and that show the picture before them.
        duration_ms: length of the film.
    """

    game: str
    kind: str
    gap_class: str
    angles_deg: tuple[float, ...]
    piles: tuple[tuple[str, ...], ...]
    first_player: int
    flips: tuple[Flip, ...]
    hands: tuple[HandCase, ...]
    dim: bool
    missing: float
    repeated: float
    duration_ms: float

    @property
    def players(self) -> int:
        """Number of players."""
        return len(self.angles_deg)


def side_of(angle_deg: float) -> str:
    """Name the side of the picture that a direction from the pile leads to."""
    return ("right", "top", "left", "bottom")[round(angle_deg % 360 / 90) % 4]


def lifted(rng: random.Random, hands: Sequence[HandCase]) -> tuple[HandCase, ...]:
    """Give hands the times at which they lift again, mostly the uppermost first, and order them by their contacts."""
    last = max(hand.touches_ms for hand in hands)
    lifted = []
    at = last + rng.uniform(300, 750)
    for hand in sorted(hands, key=lambda hand: -hand.touches_ms):
        if hand.feint:
            lifted.append(replace(hand, parted_ms=hand.touches_ms + rng.uniform(50, 260)))
            continue
        pulled_out = rng.random() < 0.1 and hand.touches_ms < last - 40
        lifted.append(replace(hand, parted_ms=last + rng.uniform(150, 280) if pulled_out else at))
        at += rng.uniform(0, 140)
    return tuple(sorted(lifted, key=lambda hand: hand.touches_ms))


def outward(angle_deg: float) -> tuple[float, float]:
    """Return the unit vector from the pile to a player."""
    return math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
