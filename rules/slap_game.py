"""What the slap games share: stocks dealt out, cards flipped onto one pile in turn, and disputes over the top card.

All slaps between two flips are one dispute. It is settled when the next card is flipped, or when the record ends. A
slap that clearly came before the flip it is recorded after was a slap of the card beneath (slapjack.md#8).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from rules.cards import Card
from rules.contacts import Contact, clearly_before, contact
from rules.record import Header, Settled
from rules.ruling import Args, Reason

DECK_SIZE = 52


@dataclass(frozen=True, slots=True)
class Flipped:
    """Hold a card on the pile: its face (``None`` if not seen), who played it, and in which event."""

    card: Card | None
    player: int
    event: int


@dataclass(frozen=True, slots=True)
class SlapTable:
    """Hold the state of a slap game.

    ``stocks`` are the counts by seat; ``pile`` lies in the centre, its newest card last, on top of ``buried`` cards
    paid into it. ``out`` are the seats out for good; ``dispute`` the slaps at the newest card, ``decided`` for whom the
    people decided it, in the event ``decided_at``. ``laid`` counts the cards since the last restart and ``call`` is
    what was called with the newest (Irish Snap). ``turn`` is ``None`` when nobody can play; ``over`` tells that the
    game has ended, ``winner`` or ``loser`` with whom.
    """

    stocks: tuple[int, ...]
    turn: int | None
    pile: tuple[Flipped, ...] = ()
    buried: int = 0
    out: frozenset[int] = frozenset()
    dispute: tuple[Contact, ...] = ()
    decided: int | None = None
    decided_at: int = 0
    laid: int = 0
    call: str | None = None
    over: bool = False
    winner: int | None = None
    loser: int | None = None

    @property
    def top(self) -> Flipped | None:
        """Give the newest card of the pile."""
        return self.pile[-1] if self.pile else None

    @property
    def pile_size(self) -> int:
        """Give the number of cards in the centre."""
        return len(self.pile) + self.buried


@dataclass(frozen=True, slots=True)
class FlipRuling:
    """Hold what the referee says of a flip; ``call`` and ``is_match`` in Irish Snap only."""

    event: int
    player: int
    card: Card | None
    ruling: str
    reasons: tuple[Reason, ...]
    rule: str
    call: str | None = None
    is_match: bool | None = None


@dataclass(frozen=True, slots=True)
class SlapRuling:
    """Hold the verdict on one slap, or on a player who did not slap (then ``event`` is the flip's).

    ``by_ms`` is the time between the hands that decided it; ``why`` the code of the reason; ``decided`` that the people
    decided the dispute.
    """

    event: int
    player: int
    verdict: str
    rule: str
    why: str
    args: Args = ()
    by_ms: float | None = None
    decided: bool = False


def deal_out(header: Header) -> SlapTable:
    """Deal the deck one by one from the dealer's left, or take the stocks that the record gives (slapjack.md#1)."""
    players = len(header.players)
    stocks = header.stocks
    if stocks is None:
        extra = DECK_SIZE % players
        stocks = tuple(DECK_SIZE // players + ((seat - header.dealer - 1) % players < extra)
                       for seat in range(players))
    table = SlapTable(stocks, None)
    return replace(table, turn=next_with_cards(table, header.dealer))


def next_with_cards(table: SlapTable, seat: int) -> int | None:
    """Give the next seat clockwise that has cards to play and is not out."""
    players = len(table.stocks)
    return next((later for later in ((seat + step) % players for step in range(1, players + 1))
                 if table.stocks[later] and later not in table.out), None)


def in_order(settled: Sequence[Settled]) -> list[Settled]:
    """Give the events with every slap before the flips that it clearly preceded, as far as times tell."""
    # One block for each card: its flip, then what happened until the next one. The first block has no flip.
    blocks: list[list[Settled]] = [[]]
    # The blocks that a slap can belong to: one whose flip came no earlier than a later flip hides nothing from it.
    possible = [0]
    for here in settled:
        event = here.event
        place = len(blocks) - 1
        if event["type"] == "flip" and not here.undone:
            blocks.append([])
            place += 1
            while possible[-1] and _earliest_ms(event) <= _earliest_ms(blocks[possible[-1]][0].event):
                possible.pop()
            possible.append(place)
        elif event["type"] == "slap" and event.get("t_ms") is not None:
            later = bisect_left(possible, True, lo=1, key=lambda block: _preceded(event, blocks[block][0].event))
            place = possible[later - 1]
        blocks[place].append(here)
    return [here for block in blocks for here in block]


def add_slap(table: SlapTable, here: Settled) -> SlapTable:
    """Take a slap into the dispute over the newest card, and whom the people decided for if they did."""
    table = replace(table, dispute=(*table.dispute, contact(here.number, here.event)))
    if here.decided is None or (table.decided is not None and here.decided_at < table.decided_at):
        return table
    return replace(table, decided=here.decided, decided_at=here.decided_at)


def flip(table: SlapTable, here: Settled, page: str) -> tuple[SlapTable, FlipRuling]:
    """Lay the top card of a stock on the pile (slapjack.md#2, irish-snap.md#1); the dispute before must be closed.

    Whoever flips a card has one: where the count says he has none, a card too many was counted elsewhere, and the
    largest stock gives it, so that all cards are always somewhere.
    """
    expected = table.turn
    player = here.event.get("player")
    if player is None:
        player = expected if expected is not None else 0
    card = Card.parse(here.event["card"]) if here.event["card"] is not None else None
    turn_rule = f"{page}#{2 if page == 'slapjack.md' else 1}"
    reasons: list[Reason] = []
    if expected is not None and player != expected:
        reasons.append(Reason("out-of-turn", turn_rule, (("player", player), ("turn", expected))))
    giver = player
    if not table.stocks[player]:
        reasons.append(Reason("no-cards-left", turn_rule, (("player", player),)))
        giver = max(range(len(table.stocks)), key=lambda seat: table.stocks[seat])
    if card is not None and any(lying.card == card for lying in table.pile):
        reasons.append(Reason("card-seen-twice", turn_rule, (("card", card), ("where", "pile-centre"))))
    if table.over:
        reasons.append(Reason("game-over", turn_rule, ()))
    stocks = paid(table.stocks, giver, 1)
    after = replace(table, stocks=stocks, pile=(*table.pile, Flipped(card, player, here.number)),
                    dispute=(), decided=here.decided, decided_at=here.decided_at)
    if not any(table.stocks) and table.pile:
        # Nobody had a card left to give: one that lies in the pile was counted twice.
        after = replace(after, pile=after.pile[1:])
    after = replace(after, turn=next_with_cards(after, player))
    verdict = "illegal" if reasons else "unclear" if card is None else "legal"
    if card is None:
        reasons.append(Reason("card-not-seen", turn_rule, ()))
    return after, FlipRuling(here.number, player, card, verdict, tuple(reasons), turn_rule)


def paid(stocks: tuple[int, ...], seat: int, cards: int) -> tuple[int, ...]:
    """Give the stocks after a seat has given that many cards away, as far as it has them (negative: has got them)."""
    return (*stocks[:seat], max(0, stocks[seat] - cards), *stocks[seat + 1:])


def once_each(dispute: Sequence[Contact]) -> tuple[list[Contact], list[Contact]]:
    """Give the first slap of each player in a dispute, and the further ones, which change nothing."""
    kept: dict[int, Contact] = {}
    further: list[Contact] = []
    for touch in dispute:
        known = kept.get(touch.player)
        if known is None:
            kept[touch.player] = touch
        elif touch.t_ms is not None and known.t_ms is not None and touch.t_ms < known.t_ms:
            further.append(known)
            kept[touch.player] = touch
        else:
            further.append(touch)
    return list(kept.values()), further


def gap_ms(touch: Contact, others: Sequence[Contact]) -> float | None:
    """Give the time in ms between a hand and the nearest of the others, if all that is known."""
    gaps = [abs(touch.t_ms - other.t_ms) for other in others
            if other is not touch and touch.t_ms is not None and other.t_ms is not None]
    return min(gaps) if gaps else None


def _earliest_ms(flipped: Mapping[str, Any]) -> float:
    """Give the earliest time at which a flip can have been; one without a time can have been at any."""
    t_ms = flipped.get("t_ms")
    return -inf if t_ms is None else t_ms - (flipped.get("error_ms") or 0)


def _preceded(slap: Mapping[str, Any], flipped: Mapping[str, Any]) -> bool:
    return flipped.get("t_ms") is not None and clearly_before(
        slap["t_ms"], slap.get("error_ms") or 0, flipped["t_ms"], flipped.get("error_ms") or 0)
