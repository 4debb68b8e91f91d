"""What the tabletop tells: changes, looks at rest, and cards for display. Plain values without behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

ChangeKind = Literal["appeared", "left", "moved", "read-anew"]
Moment = Literal["laid", "taken"]
State = Literal["lying", "hidden", "moving"]
Zone = Literal["table", "pile"]


@dataclass(frozen=True, slots=True)
class TableChange:
    """Say that a face-up card of the playing area appeared, left, moved, or is read as another face than before."""

    kind: ChangeKind
    track: int
    t_ms: int
    card: str | None


@dataclass(frozen=True, slots=True)
class StableCard:
    """Hold a card of a look at rest: its track and the probabilities of its faces, summing to at most 1."""

    track: int
    probabilities: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reach:
    """Say from where somebody reached to lay a card or to take it away.

    Args:
        track: The card.
        moment: Whether it was laid or taken.
        side_deg: Direction to the person, in degrees counter-clockwise from the picture's right.
        weight: How much that is worth, 0 to 1.
    """

    track: int
    moment: Moment
    side_deg: float
    weight: float


@dataclass(frozen=True, slots=True)
class StableLook:
    """Hold the table at rest.

    Args:
        t_ms: Media time.
        cards: Face-up cards of the playing area, the hidden ones included.
        passed: Cards seen since the look before and gone again.
        reached: From where cards were laid that are new in this look, and taken that are gone, as far as it was seen.
    """

    t_ms: int
    cards: tuple[StableCard, ...]
    passed: tuple[StableCard, ...] = ()
    reached: tuple[Reach, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class TableCard:
    """Hold a card for display.

    Args:
        track: Number of the physical card.
        card: Code of its face, None while it is not read or if it lies face down.
        confidence: Probability of the best face, every face existing once; of a back, the detector's score.
        candidates: Codes with probabilities, best first.
        quad: (4, 2) float32 corners in pixels of the picture.
        state: Whether it lies, moves, or is hidden by a hand or a card.
        face: Whether it shows its face.
        zone: Whether it belongs to the playing area or to a pile of face-down cards.
    """

    track: int
    card: str | None
    confidence: float
    candidates: tuple[tuple[str, float], ...]
    quad: npt.NDArray[np.float32]
    state: State
    face: Literal["up", "down"]
    zone: Zone
