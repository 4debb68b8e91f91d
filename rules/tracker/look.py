"""What the tracker is given: the table at rest, as probabilities. Owns no image and knows no game."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Moment = Literal["laid", "taken"]


class LookError(ValueError):
    """Say that a look cannot be used: a bad probability, a track named twice, time running backwards."""


@dataclass(frozen=True, slots=True)
class SeenCard:
    """Hold what is known of one tracked card.

    Args:
        track: Number that stays with this physical card; larger numbers were seen first later.
        probabilities: Card code to probability, 0 to 1, summing to at most 1 (the rest is doubt). All evidence for the
            card so far, not the newest frame's alone. May be empty: a card is there, its face unread.
    """

    track: int
    probabilities: Mapping[str, float]

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            LookError: A negative track, or probabilities that are none.
        """
        if self.track < 0:
            raise LookError(f"a track is 0 or more, not {self.track}")
        total = 0.0
        for code, probability in self.probabilities.items():
            if not math.isfinite(probability) or not 0.0 <= probability <= 1.0 + 1e-6:
                raise LookError(f"track {self.track}: the probability of {code} is {probability}")
            total += probability
        if total > 1.001:
            raise LookError(f"track {self.track}: the probabilities sum to {total:.3f}")


@dataclass(frozen=True, slots=True)
class Reach:
    """Say from where somebody reached to lay a card or to take it away.

    Args:
        track: The card's number.
        moment: `laid` or `taken`.
        side_deg: Direction from the table to the person, in degrees counter-clockwise as seen from above, from any
            direction that stays the same.
        weight: How much that is worth, 0 (nothing) to 1 (seen well and often).
    """

    track: int
    moment: Moment
    side_deg: float
    weight: float

    def __post_init__(self) -> None:
        """Check the values.

        Raises:
            LookError: Another moment, a direction that is none, or a weight beyond its bounds.
        """
        if self.moment not in ("laid", "taken"):
            raise LookError(f"track {self.track}: a card is laid or taken, not {self.moment!r}")
        if not math.isfinite(self.side_deg) or not 0.0 <= self.weight <= 1.0:
            raise LookError(f"track {self.track}: reached from {self.side_deg} with weight {self.weight}")


@dataclass(frozen=True, slots=True)
class TableLook:
    """Hold the face-up cards of the playing area at one moment of rest.

    Args:
        t_ms: Media time in milliseconds.
        cards: All that lie there, hidden ones included; not the players' piles.
        passed: Cards seen since the look before and gone again, such as one that was played, took, and left with what
            it took before the table came to rest.
        reached: From where cards were laid that are new in this look, and taken that are gone from it, as far as that
            was seen.
    """

    t_ms: int
    cards: tuple[SeenCard, ...]
    passed: tuple[SeenCard, ...] = field(default=())
    reached: tuple[Reach, ...] = field(default=())

    def __post_init__(self) -> None:
        """Check that no track is named twice.

        Raises:
            LookError: It is.
        """
        tracks = [card.track for card in (*self.cards, *self.passed)]
        if len(tracks) != len(set(tracks)):
            raise LookError("a track is named twice in one look")
