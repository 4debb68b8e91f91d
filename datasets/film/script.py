"""The script of a filmed hand: which card and which hand is where at every moment, and what else happens."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from datasets.film.camerawork import CameraWork
from datasets.film.hands import Event
from datasets.film.layout import Layout
from datasets.film.motion import Track
from datasets.film.things import Glass, Person

#: Where a card can be. `held` is a player's hand outside the picture; `carried` is in motion under a hand.
PLACES = ("deck", "carried", "border", "held", "table", "pile")


@dataclass(frozen=True, slots=True)
class Style:
    """How fast the people play. All times in ms; each is varied at random.

    Attributes:
        reach: a hand comes in with a card; press: it rests on the card laid; withdraw: it goes out again.
        show: a card that takes lies still beside what it takes, the hand a little aside.
        gather: from one card to the next while gathering; carry: to the pile, turning the cards over.
        pause: nobody moves between two plays; deal: one card or packet from the deck to its place.
        spread: standard deviation of each time's logarithm.
        mess: whether all that disturbs at a real table happens too.
    """

    name: str
    reach: float
    press: float
    withdraw: float
    show: float
    gather: float
    carry: float
    pause: float
    deal: float
    spread: float = 0.12
    mess: bool = False


STYLES = {
    style.name: style
    for style in (
        Style("calm", 700, 160, 520, 900, 380, 800, 1200, 620),
        Style("lively", 470, 110, 360, 620, 250, 520, 330, 430),
        Style("brisk", 330, 70, 260, 330, 170, 380, 200, 330),
        Style("messy", 420, 95, 330, 460, 220, 470, 380, 380, spread=0.3, mess=True),
    )
}


@dataclass(slots=True)
class CardScript:
    """One card through the film: its motion and the places it goes through."""

    code: str
    track: Track = field(default_factory=Track)
    place_times_ms: list[float] = field(default_factory=list)
    places: list[str] = field(default_factory=list)

    def enter(self, t_ms: float, place: str) -> None:
        """Say that the card belongs to `place` from `t_ms` on."""
        if place not in PLACES:
            raise ValueError(f"no such place: {place}")
        self.place_times_ms.append(t_ms)
        self.places.append(place)

    def place_at(self, t_ms: float) -> str:
        """Return the place that the card belongs to at `t_ms`."""
        return self.places[max(0, bisect_right(self.place_times_ms, t_ms) - 1)]


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happens beside the plays, and when: the truth of it.

    Attributes:
        kind: one of `KINDS`; start_ms, end_ms: from when to when.
        details: what else there is to know, as plain values.
    """

    kind: str
    start_ms: float
    end_ms: float
    details: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values, times to a millisecond."""
        return {"kind": self.kind, "from_ms": round(self.start_ms), "to_ms": round(self.end_ms), **self.details}


@dataclass(slots=True)
class Script:
    """A filmed hand in full: the truth that the film shows.

    Attributes:
        layout: places on the table.
        cards: script of each card, by code.
        arms: motion of each seat's right hand; a seat that never moves has none. A hand's pose is the point between
            its finger tips; `angle` is not used (the arm points from the shoulder).
        events: the hand record with `t_ms` (the card lies still) and, for plays, `settled_ms` (all of it is done).
        duration_ms: length of the film.
        planted: 1-based numbers of the events that are illegal on purpose.
        happenings: what happens beside the plays, in the order of their beginnings.
        work: what the camera and the light do.
        glasses: things that are put on the table; persons: who leans in over it.
    """

    layout: Layout
    cards: dict[str, CardScript]
    arms: dict[int, Track]
    events: list[Event]
    duration_ms: float
    planted: tuple[int, ...] = ()
    happenings: list[Happening] = field(default_factory=list)
    work: CameraWork = field(default_factory=CameraWork)
    glasses: list[Glass] = field(default_factory=list)
    persons: list[Person] = field(default_factory=list)

    def codes_at(self, place: str, t_ms: float) -> list[str]:
        """Return the codes of the cards that belong to a place at a time."""
        return [code for code, card in self.cards.items() if card.place_at(t_ms) == place]
