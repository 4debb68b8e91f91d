"""What the race games share: two centre piles, cards that land on them without turns, and who was there first.

A card is one rank above or below the pile's top, around the corner. Where two cards land on one pile within the error
of their times, every order that the times allow is tried: a ruling that is the same in all of them holds, any other is
too close to call. Cards stay where they physically went, and all 52 are always somewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from rules.cards import Card
from rules.contacts import Contact, clearly_before
from rules.record import Header, Settled
from rules.ruling import Reason

DECK_SIZE = 52
_RANKS = 13
_MOST_ORDERED = 5
# No more cards than this can have landed on both piles before one that is recorded late, with none of them turned.
_MOST_LANDED = 2 * DECK_SIZE


@dataclass(frozen=True, slots=True)
class RaceTable:
    """Hold the state of Spit or Speed.

    ``stocks`` are the cards that each player has to play (Speed: hand and stock together), ``spit`` those still to be
    turned (Speed: the side piles), ``piles`` the cards in the centre, oldest first (``None``: not seen), ``covered``
    the face-down cards at the centre places (Speed). ``spitter_pile`` is the pile that a player who spits alone keeps
    to. ``grabs`` are the hands on the piles since the last card, with the pile of each.
    """

    stocks: tuple[int, int]
    spit: tuple[int, int]
    piles: tuple[tuple[Card | None, ...], tuple[Card | None, ...]] = ((), ())
    covered: tuple[int, int] = (0, 0)
    played: tuple[int, int] = (0, 0)
    single: bool = False
    spitter_pile: int | None = None
    grabs: tuple[tuple[Contact, int], ...] = ()
    grab_decided: int | None = None
    grab_decided_at: int = 0
    over: bool = False
    winner: int | None = None

    @property
    def total(self) -> int:
        """Give the number of cards that are somewhere."""
        return sum(self.stocks) + sum(self.spit) + sum(map(len, self.piles)) + sum(self.covered)


@dataclass(frozen=True, slots=True)
class LandRuling:
    """Hold what the referee says of a card that landed: on what, and whether it may lie there."""

    event: int
    player: int
    card: Card | None
    pile: int
    on: Card | None
    ruling: str
    reasons: tuple[Reason, ...]
    rule: str
    flags: tuple[Reason, ...] = ()
    decided: bool = False


@dataclass(frozen=True, slots=True)
class GrabRuling:
    """Hold the verdict on a hand that grabbed a pile: ``gets``, ``other-pile`` or ``too-close``."""

    event: int
    player: int
    pile: int
    verdict: str
    rule: str
    why: str
    decided: bool = False


def is_adjacent(card: Card, other: Card) -> bool:
    """Tell whether a card is one rank above or below another, around the corner (spit.md#3, speed.md#3).

    >>> is_adjacent(Card.parse("KD"), Card.parse("AS"))
    True
    """
    return (card.order - other.order) % _RANKS in (1, _RANKS - 1)


def misfits(header: Header, card: Card | None, on: Card | None, page: str) -> tuple[Reason, ...]:
    """Give all reasons why a card may not lie on another (spit.md#3 and alternate_colours, speed.md#3)."""
    if card is None or on is None:
        return ()
    reasons = []
    args = (("card", card), ("on", on))
    if not is_adjacent(card, on):
        reasons.append(Reason("not-adjacent", f"{page}#3", args))
    if header.options.get("alternate_colours") and card.is_red == on.is_red:
        reasons.append(Reason("same-colour", f"{page}#alternate_colours", args))
    return tuple(reasons)


def in_order(settled: Sequence[Settled]) -> list[Settled]:
    """Give the events with the cards that land on one pile in the order of their times, where that is clear."""
    ordered: list[Settled] = []
    for here in settled:
        place = len(ordered)
        if here.event["type"] == "land" and here.event.get("t_ms") is not None:
            for index in range(place - 1, max(-1, place - 1 - _MOST_LANDED), -1):
                before = ordered[index].event
                if before["type"] != "land":
                    break
                if before["pile"] != here.event["pile"] or ordered[index].undone:
                    continue
                if not _is_before(here.event, before):
                    break
                place = index
        ordered.insert(place, here)
    return ordered


def groups(settled: Sequence[Settled]) -> Iterator[list[Settled]]:
    """Give the events one by one, but cards together that landed on one pile with their order left open."""
    taken: set[int] = set()
    for index, here in enumerate(settled):
        if here.number in taken:
            continue
        group = [here]
        if here.event["type"] == "land" and not here.undone:
            for place in range(index + 1, len(settled)):
                later = settled[place]
                if later.event["type"] != "land":
                    break
                if later.undone or later.event["pile"] != here.event["pile"]:
                    continue
                if not _is_open(group[-1].event, later.event):
                    break
                group.append(later)
        taken.update(member.number for member in group)
        yield group


def land(header: Header, table: RaceTable, group: Sequence[Settled], page: str) -> tuple[RaceTable, list[LandRuling]]:
    """Rule on cards that landed on one pile, one or several with their order open, and give the state after them."""
    pile = group[0].event["pile"]
    top = table.piles[pile][-1] if table.piles[pile] else None
    nothing_there = not table.piles[pile]
    decided = max(group, key=lambda member: member.decided_at).decided
    orders = list(_orders(group))
    usual = list(group)
    if decided is not None:
        # The people say who was first: of the orders that leave it open, the first that begins with that player.
        usual = next((list(order) for order in orders if order[0].event["player"] == decided), usual)
    told: dict[int, LandRuling] = {}
    for here, on in _with_tops(usual, top):
        told[here.number] = _ruling(header, table, here, on, nothing_there and here is usual[0], page)
    if len(orders) > 1:
        outcomes = {here.number: {tuple(flag.code for flag in misfits(header, _card(here), on, page))
                                  for order in orders for member, on in _with_tops(order, top) if member is here}
                    for here in group}
        if any(len(of_card) > 1 for of_card in outcomes.values()):
            told = {number: replace(ruling, ruling="too-close", decided=decided is not None,
                                    reasons=ruling.reasons if decided is not None else (
                                        Reason("order-open", f"{page}#3"),))
                    for number, ruling in told.items()}
    after = table
    for here in usual:
        if not here.undone:
            after = _laid(after, here, pile)
    return after, [told[here.number] for here in group]


def paid(counts: tuple[int, int], player: int, cards: int) -> tuple[int, int]:
    """Give two counts after a player has given that many cards away."""
    return (counts[0] - cards, counts[1]) if player == 0 else (counts[0], counts[1] - cards)


def onto(piles: tuple[tuple[Card | None, ...], tuple[Card | None, ...]], pile: int,
         card: Card | None) -> tuple[tuple[Card | None, ...], tuple[Card | None, ...]]:
    """Give the piles with a card on top of one of them."""
    return ((*piles[0], card), piles[1]) if pile == 0 else (piles[0], (*piles[1], card))


def paid_by(table: RaceTable, pile: int, givers: Sequence[tuple[str, int]]) -> RaceTable:
    """Take the card that has just come onto a pile from the first that has one: ``stocks`` or ``spit`` of a player.

    Where nobody has one left, a card in the centre was counted twice: the lowest one goes.
    """
    for name, player in givers:
        counts: tuple[int, int] = getattr(table, name)
        if counts[player]:
            changed = paid(counts, player, 1)
            return replace(table, stocks=changed) if name == "stocks" else replace(table, spit=changed)
    piles = table.piles
    lowest = pile if len(piles[pile]) > 1 else 1 - pile
    return replace(table, piles=(piles[0][1:], piles[1]) if lowest == 0 else (piles[0], piles[1][1:]))


def seen_twice(table: RaceTable, card: Card | None) -> bool:
    """Tell whether a card lies in the centre already."""
    return card is not None and any(card in pile for pile in table.piles)


def _ruling(header: Header, table: RaceTable, here: Settled, on: Card | None, nothing_there: bool,
            page: str) -> LandRuling:
    card, player, pile = _card(here), here.event["player"], here.event["pile"]
    reasons = list(misfits(header, card, on, page))
    flags: list[Reason] = []
    if nothing_there:
        reasons.append(Reason("nothing-there", f"{page}#2"))
    if seen_twice(table, card):
        reasons.append(Reason("card-seen-twice", f"{page}#3", (("card", card), ("where", "pile-centre"))))
        flags.append(reasons[-1])
    if not table.stocks[player]:
        flags.append(Reason("no-cards-left", f"{page}#3", (("player", player),)))
    if table.over:
        flags.append(Reason("game-over", f"{page}#{8 if page == 'spit.md' else 5}"))
    unseen = card is None or (on is None and not nothing_there)
    verdict = "illegal" if reasons else "unclear" if unseen else "legal"
    if unseen and not reasons:
        reasons.append(Reason("card-not-seen", f"{page}#3"))
    return LandRuling(here.number, player, card, pile, on, verdict, tuple(reasons), f"{page}#3", tuple(flags))


def _laid(table: RaceTable, here: Settled, pile: int) -> RaceTable:
    """Put a card on a pile; it comes from the player's stock, or from wherever a card too many was counted."""
    player = here.event["player"]
    table = replace(table, piles=onto(table.piles, pile, _card(here)), played=paid(table.played, player, -1))
    return paid_by(table, pile, (("stocks", player), ("spit", player), ("stocks", 1 - player), ("spit", 1 - player)))


def _with_tops(order: Sequence[Settled], top: Card | None) -> Iterator[tuple[Settled, Card | None]]:
    for here in order:
        yield here, top
        if not here.undone:
            top = _card(here)


def _orders(group: Sequence[Settled]) -> Iterator[Sequence[Settled]]:
    """Give the orders in which the cards of a group can have landed, that of the record first."""
    if len(group) == 1 or len(group) > _MOST_ORDERED:
        yield group
        return
    for order in permutations(group):
        if all(_may_follow(order[i], order[j]) for i in range(len(order)) for j in range(i + 1, len(order))):
            yield order


def _may_follow(a: Settled, b: Settled) -> bool:
    """Tell whether ``a`` can have landed before ``b``; one player plays one card at a time, as recorded."""
    if a.event["player"] == b.event["player"]:
        return a.number < b.number
    return not _is_before(b.event, a.event)


def _is_before(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return (a.get("t_ms") is not None and b.get("t_ms") is not None
            and clearly_before(a["t_ms"], a.get("error_ms") or 0, b["t_ms"], b.get("error_ms") or 0))


def _is_open(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Tell whether the times leave open which of two cards landed first; without times the record's order holds."""
    return (a["player"] != b["player"] and a.get("t_ms") is not None and b.get("t_ms") is not None
            and not _is_before(a, b) and not _is_before(b, a))


def _card(here: Settled) -> Card | None:
    code = here.event["card"]
    return None if code is None else Card.parse(code)
