"""What a watch that goes on must remember of the one before, and how it knows the cards again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from arbitro.fold import Session
from arbitro.journal import Journal
from arbitro.looks import look_from
from rules.cards import Card
from rules.tracker import SeenCard, TableLook

Family = Literal["italian", "french"]

# How much of two readings must agree for them to be of the same card.
_SAME = 0.5


@dataclass(frozen=True)
class Memory:
    """What is known from before.

    Attributes:
        first_track: a number above every track so far, so that cards not known again get numbers of their own.
        family: kind of deck, None if no card has been read yet.
        look: the last look at the table at rest, None if there was none.
        game: what is played, as far as people have set it up; None leaves it to who asks.
    """

    first_track: int = 0
    family: Family | None = None
    look: TableLook | None = None
    game: str | None = None


def remembered(journal: Journal, session: Session) -> Memory:
    """Return what a journal, and the session folded from it, say of the table."""
    last: TableLook | None = None
    highest = -1
    for event in journal.events():
        if event.kind == "table" and "look" in event.body:
            last = look_from(event.body["t_ms"], event.body["look"])
            highest = max([highest, *(card.track for card in (*last.cards, *last.passed))])
    return Memory(highest + 1, _family_of(session), last, session.about.get("game"))


def known_again(before: TableLook, now: TableLook) -> dict[int, int]:
    """Return, for tracks of a look, the tracks that the same cards had in a look before.

    Cards are known by their faces, the surest first, since each face exists once; where they lie says little, for
    the camera may have been moved meanwhile.
    """
    pairs = sorted(
        ((_agreement(old, new), old.track, new.track) for old in before.cards for new in now.cards),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    numbers: dict[int, int] = {}
    for agreement, old, new in pairs:
        if agreement >= _SAME and new not in numbers and old not in numbers.values():
            numbers[new] = old
    return numbers


def _agreement(old: SeenCard, new: SeenCard) -> float:
    return sum(min(p, new.probabilities.get(code, 0.0)) for code, p in old.probabilities.items())


def _family_of(session: Session) -> Family | None:
    for event in session.record:
        for code in (*event.get("table", ()), event.get("card")):
            if code is not None:
                return "french" if Card.parse(code).is_french else "italian"
    return None
