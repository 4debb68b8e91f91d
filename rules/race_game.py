"""What the race games share: two centre piles, cards that land on them without turns, and who was there first.

A card is one rank above or below the pile's top, around the corner. Where cards land on one pile within the error of
their times, every order that the times allow counts: a ruling that is the same in all of them holds, any other is too
close to call. Which card lies on top after them stays open too, until one lands clearly later or the people decide.
Cards stay where they physically went, and all 52 are always somewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rules.cards import Card
from rules.contacts import Contact, clearly_before
from rules.record import Header, Settled
from rules.ruling import Reason

DECK_SIZE = 52
_RANKS = 13
# No more cards than this can have landed on both piles before one that is recorded late, with none of them turned.
_MOST_LANDED = 2 * DECK_SIZE

Top = tuple[Card | None, ...]
"""What a card can have landed on: nothing at all (empty), or one card (``None``: not seen)."""


@dataclass(frozen=True, slots=True)
class RaceTable:
    """Hold the state of Spit or Speed.

    ``stocks`` are the cards that each player has to play (Speed: hand and stock together), ``spit`` those still to be
    turned (Speed: the side piles), ``piles`` the cards in the centre, oldest first (``None``: not seen), ``covered``
    the face-down cards at the centre places (Speed). ``open_tops`` are the cards of each pile that may be its top where
    the order in which they landed is open; else it is empty and the newest card is the top. ``spitter_pile`` is the
    pile that a player who spits alone keeps to. ``grabs`` are the hands on the piles since the last card, with the
    pile of each.
    """

    stocks: tuple[int, int]
    spit: tuple[int, int]
    piles: tuple[tuple[Card | None, ...], tuple[Card | None, ...]] = ((), ())
    open_tops: tuple[tuple[Card | None, ...], tuple[Card | None, ...]] = ((), ())
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
    """Hold what the referee says of a card that landed: on what, and whether it may lie there.

    ``beneath`` are all that it can have landed on. ``decided_for`` is the player whom the people decided to have been
    first, and ``decided_ruling`` what then holds of a card that was too close to call.
    """

    event: int
    player: int
    card: Card | None
    pile: int
    beneath: tuple[Top, ...]
    ruling: str
    reasons: tuple[Reason, ...]
    rule: str
    flags: tuple[Reason, ...] = ()
    decided_for: int | None = None
    decided_ruling: str | None = None


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
            together: list[Settled] = [here]
            for later in settled[index + 1:index + 1 + _MOST_LANDED]:
                if later.event["type"] != "land":
                    break
                if later.undone or later.event["pile"] != here.event["pile"]:
                    continue
                together.append(later)
                if any(_is_open(before.event, later.event) for before in group):
                    # Whatever landed between the two is drawn in with them.
                    group = list(together)
        taken.update(member.number for member in group)
        yield group


def land(header: Header, table: RaceTable, group: Sequence[Settled], page: str) -> tuple[RaceTable, list[LandRuling]]:
    """Rule on cards that landed on one pile, one or several with their order open, and give the state after them.

    A ruling holds if it is the same on all that the card can have landed on. Of cards in an open order the illegal
    ones are those that are illegal in every order; if the order matters to any other, all others are ``too-close``.
    """
    pile, tops = group[0].event["pile"], possible_tops(table, group[0].event["pile"])
    after = _after(group)
    order_open = len(group) > 1 and sum(map(len, after)) < len(group) * (len(group) - 1) // 2
    recorded = [_judged(header, table, here, beneath, page)
                for here, beneath in zip(group, _beneath(after, tops, group), strict=True)]
    depends = any(ruling == "too-close" for ruling, _ in recorded)
    first = _decided_first(group, after) if order_open else None
    if first is not None:
        after = _after(group, first)
    beneath = _beneath(after, tops, group)
    rulings = []
    for place, here in enumerate(group):
        ruling, reasons = recorded[place]
        decided = _judged(header, table, here, beneath[place], page)
        if ruling == "too-close" or (order_open and depends and ruling != "illegal"):
            ruling = "too-close"
            reasons = (Reason("order-open" if order_open else "top-open", f"{page}#3"),)
            if first is not None:
                reasons += decided[1]
        elif first is not None:
            reasons = decided[1]
        rulings.append(LandRuling(
            here.number, here.event["player"], _card(here), pile, beneath[place], ruling, reasons, f"{page}#3",
            _flags(table, here, page), None if first is None else group[first].event["player"],
            None if first is None else decided[0]))
    if group[0].undone:
        return table, rulings
    for place in _one_order(after):
        table = _laid(table, group[place], pile)
    newest = tuple(dict.fromkeys(_card(here) for here, later in zip(group, after, strict=True) if not later))
    if len(newest) > 1:
        table = replace(table, open_tops=(newest, table.open_tops[1]) if pile == 0 else (table.open_tops[0], newest))
    return table, rulings


def possible_tops(table: RaceTable, pile: int) -> tuple[Top, ...]:
    """Give all that can be on top of a pile: one thing, unless the order of its newest cards is open."""
    if table.piles[pile] and table.open_tops[pile]:
        return tuple((card,) for card in table.open_tops[pile])
    return (table.piles[pile][-1:],)


def paid(counts: tuple[int, int], player: int, cards: int) -> tuple[int, int]:
    """Give two counts after a player has given that many cards away."""
    return (counts[0] - cards, counts[1]) if player == 0 else (counts[0], counts[1] - cards)


def laid_on(table: RaceTable, pile: int, card: Card | None) -> RaceTable:
    """Put a card on top of a pile; what its top was no longer matters then."""
    piles, tops = table.piles, table.open_tops
    if pile == 0:
        return replace(table, piles=((*piles[0], card), piles[1]), open_tops=((), tops[1]))
    return replace(table, piles=(piles[0], (*piles[1], card)), open_tops=(tops[0], ()))


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


def _judged(header: Header, table: RaceTable, here: Settled, beneath: Sequence[Top],
            page: str) -> tuple[str, tuple[Reason, ...]]:
    """Give the ruling on a card and its reasons; ``too-close`` if it is not the same on all that may lie beneath."""
    outcomes = [_judged_on(header, table, _card(here), top, page) for top in beneath]
    if len({ruling for ruling, _ in outcomes}) > 1:
        return "too-close", ()
    return outcomes[0][0], _together([reasons for _, reasons in outcomes])


def _judged_on(header: Header, table: RaceTable, card: Card | None, top: Top,
               page: str) -> tuple[str, tuple[Reason, ...]]:
    reasons = list(misfits(header, card, top[0] if top else None, page))
    if not top:
        reasons.append(Reason("nothing-there", f"{page}#2"))
    if seen_twice(table, card):
        reasons.append(Reason("card-seen-twice", f"{page}#3", (("card", card), ("where", "pile-centre"))))
    if reasons:
        return "illegal", tuple(reasons)
    if card is None:
        reasons.append(Reason("card-not-seen", f"{page}#3"))
    if top == (None,):
        reasons.append(Reason("top-not-seen", f"{page}#3"))
    return "unclear" if reasons else "legal", tuple(reasons)


def _together(outcomes: Sequence[tuple[Reason, ...]]) -> tuple[Reason, ...]:
    """Give the reasons that all outcomes have in common, or all of them if there is none; the cards beneath in one."""
    found = [reason for reasons in outcomes for reason in reasons]
    common = [reason for reason in found if all(reason.code in {other.code for other in reasons}
                                                for reasons in outcomes)]
    told: dict[str, Reason] = {}
    for reason in common or found:
        same = [other for other in found if other.code == reason.code]
        beneath = tuple(dict.fromkeys(value for other in same for name, value in other.args if name == "on"))
        told.setdefault(reason.code, reason if len(beneath) < 2 else replace(reason, args=tuple(
            (name, beneath if name == "on" else value) for name, value in reason.args)))
    return tuple(told.values())


def _flags(table: RaceTable, here: Settled, page: str) -> tuple[Reason, ...]:
    flags = []
    card, player = _card(here), here.event["player"]
    if seen_twice(table, card):
        flags.append(Reason("card-seen-twice", f"{page}#3", (("card", card), ("where", "pile-centre"))))
    if not table.stocks[player]:
        flags.append(Reason("no-cards-left", f"{page}#3", (("player", player),)))
    if table.over:
        flags.append(Reason("game-over", f"{page}#8") if page == "spit.md" else Reason("round-over", f"{page}#5"))
    return tuple(flags)


def _laid(table: RaceTable, here: Settled, pile: int) -> RaceTable:
    """Put a card on a pile; it comes from the player's stock, or from wherever a card too many was counted."""
    player = here.event["player"]
    table = replace(laid_on(table, pile, _card(here)), played=paid(table.played, player, -1))
    return paid_by(table, pile, (("stocks", player), ("spit", player), ("stocks", 1 - player), ("spit", 1 - player)))


def _after(group: Sequence[Settled], first: int | None = None) -> list[set[int]]:
    """Give for each card of a group the places of those that landed after it for certain.

    ``first`` is the place of a card that the people decided to have been the first. What contradicts itself goes by
    the order of the record.
    """
    places = range(len(group))
    after: list[set[int]] = [set() for _ in group]
    for a in places:
        for b in places[a + 1:]:
            if _is_before(group[b].event, group[a].event):
                after[b].add(a)
            elif not _is_open(group[a].event, group[b].event):
                after[a].add(b)
    if first is not None:
        after[first].update(place for place in places if place != first)
    for between in places:
        for a in places:
            if between in after[a]:
                after[a] |= after[between]
    if any(place in after[place] for place in places):
        return [set(places[place + 1:]) for place in places]
    return after


def _beneath(after: Sequence[set[int]], tops: tuple[Top, ...], group: Sequence[Settled]) -> list[tuple[Top, ...]]:
    """Give for each card of a group all that it can have landed on: the pile's tops, or another of the group."""
    places = range(len(group))
    everything = []
    for here in places:
        found = list(tops) if not any(here in later for later in after) else []
        for other in places:
            if other == here or other in after[here]:
                continue
            if here not in after[other] or not any(here in after[between] for between in after[other]):
                found.append((_card(group[other]),))
        everything.append(tuple(dict.fromkeys(found)))
    return everything


def _one_order(after: Sequence[set[int]]) -> list[int]:
    """Give the places of a group in one order that is possible, that of the record as far as it is."""
    order: list[int] = []
    left = list(range(len(after)))
    while left:
        following = next(place for place in left if not any(place in after[other] for other in left))
        order.append(following)
        left.remove(following)
    return order


def _decided_first(group: Sequence[Settled], after: Sequence[set[int]]) -> int | None:
    """Give the place of the card that the people decided to have been first, if it can have been; else ``None``."""
    player = max(group, key=lambda member: member.decided_at).decided
    return next((place for place, here in enumerate(group) if here.event["player"] == player
                 and not any(place in later for later in after)), None)


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
