"""Which hand came first: the order of contacts from who lies under whom and from times with their errors.

Used for slaps, for cards that land on one pile, and for hands that grab a pile. What lies underneath decides before
times do; times decide when they differ by more than the two errors together; what neither separates stays open, and
what contradicts itself is said to do so. A verdict that the recording does not carry is never given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Contact:
    """Hold one hand that touched: its event, whose it is, when (ms, with its error), and whose hands lie on top."""

    event: int
    player: int
    t_ms: float | None = None
    error_ms: float = 0
    under: frozenset[int] = frozenset()


class Order(Enum):
    """Say how two contacts follow one another."""

    BEFORE = "before"
    AFTER = "after"
    OPEN = "open"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Hold who came first (or last) of several: one contact when it is clear, else all that it can have been.

    ``kind`` is ``clear``, ``too-close`` or ``unclear`` (evidence that contradicts itself). ``evidence`` is ``time``,
    ``under`` or ``both`` when clear, and empty where there was only one.
    """

    kind: str
    contacts: tuple[Contact, ...]
    evidence: str = ""


def contact(number: int, event: dict[str, object]) -> Contact:
    """Give the contact of a slap, a grab or a landing as it is recorded."""
    t_ms, error_ms, under = event.get("t_ms"), event.get("error_ms"), event.get("under")
    assert isinstance(event["player"], int)
    return Contact(number, event["player"], t_ms if isinstance(t_ms, (int, float)) else None,
                   error_ms if isinstance(error_ms, (int, float)) else 0,
                   frozenset(under) if isinstance(under, (list, tuple)) else frozenset())


def first(contacts: Sequence[Contact]) -> Verdict:
    """Give who touched first: the hand at the bottom (slapjack.md#4)."""
    lies_below = _lies_below(contacts)
    return _extreme(contacts, _ordered(contacts), lambda a, b: (a.player, b.player) in lies_below)


def last(contacts: Sequence[Contact]) -> Verdict:
    """Give who touched last: the hand on top (irish-snap.md#2)."""
    lies_below, order = _lies_below(contacts), _ordered(contacts)
    return _extreme(contacts, lambda a, b: order(b, a), lambda a, b: (b.player, a.player) in lies_below)


def clearly_before(a_ms: float, a_error: float, b_ms: float, b_error: float) -> bool:
    """Tell whether one time is before another by more than the two errors together."""
    return b_ms - a_ms > a_error + b_error


def _ordered(contacts: Sequence[Contact]) -> Callable[[Contact, Contact], Order]:
    lies_below = _lies_below(contacts)

    def order(a: Contact, b: Contact) -> Order:
        below, above = (a.player, b.player) in lies_below, (b.player, a.player) in lies_below
        earlier, later = _by_time(a, b), _by_time(b, a)
        if (below and above) or (below and later) or (above and earlier):
            return Order.CONTRADICTED
        if below or earlier:
            return Order.BEFORE
        return Order.AFTER if above or later else Order.OPEN

    return order


def _lies_below(contacts: Sequence[Contact]) -> set[tuple[int, int]]:
    """Give all pairs of players of whom the first one's hand lies below the other's, also through hands between."""
    pairs = {(touch.player, above) for touch in contacts for above in touch.under}
    while True:
        further = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not further:
            return pairs
        pairs |= further


def _by_time(a: Contact, b: Contact) -> bool:
    return (a.t_ms is not None and b.t_ms is not None
            and clearly_before(a.t_ms, a.error_ms, b.t_ms, b.error_ms))


def _extreme(contacts: Sequence[Contact], order: Callable[[Contact, Contact], Order],
             by_picture: Callable[[Contact, Contact], bool]) -> Verdict:
    """Give the one that nobody else was clearly before; ``by_picture`` tells before by who lies below whom alone.

    Of two hands that contradict each other one has a wrong time, or the picture is wrong, and nobody knows which. So
    the time of one of them puts a third hand behind only where the other one puts it behind as well.
    """
    against = {touch: [other for other in contacts if order(touch, other) is Order.CONTRADICTED] for touch in contacts}

    def puts_behind(other: Contact, touch: Contact) -> bool:
        return order(other, touch) is Order.BEFORE and (
            by_picture(other, touch) or all(order(rival, touch) is Order.BEFORE for rival in against[other]))

    left = [touch for touch in contacts
            if not any(puts_behind(other, touch) for other in contacts if other is not touch)]
    if not left:
        return Verdict("unclear", tuple(contacts))
    # A third hand between two that contradict each other does not settle which of them was there before the other.
    rivals = [rival for touch in left for rival in against[touch]]
    if rivals:
        return Verdict("unclear", tuple(touch for touch in contacts if touch in left or touch in rivals))
    if len(left) == 1:
        return Verdict("clear", tuple(left), _evidence(left[0], contacts))
    return Verdict("too-close", tuple(left))


def _evidence(found: Contact, contacts: Sequence[Contact]) -> str:
    others = [touch for touch in contacts if touch is not found]
    if not others:
        return ""
    lies_below = _lies_below(contacts)
    under = any((found.player, other.player) in lies_below or (other.player, found.player) in lies_below
                for other in others)
    time = all(_by_time(found, other) or _by_time(other, found) for other in others)
    return "both" if under and time else "under" if under else "time"
