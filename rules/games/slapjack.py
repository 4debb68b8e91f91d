"""Slapjack (games/slapjack.md)."""

from __future__ import annotations

from dataclasses import replace

from rules.contacts import Contact, Verdict, first
from rules.record import Header
from rules.ruling import Reason
from rules.slap_game import SlapRuling, SlapTable, gap_ms, next_with_cards, once_each, paid

PAGE = "slapjack.md"


def close(header: Header, table: SlapTable) -> tuple[SlapTable, list[SlapRuling]]:
    """Settle the dispute over the newest card and give the verdict on every slap (slapjack.md#3 to 6)."""
    rulings: list[SlapRuling] = []
    top = table.top
    if table.dispute and (top is None or (top.card is not None and top.card.rank != "J")):
        for touch in table.dispute:
            table, ruling = _false_slap(table, touch)
            rulings.append(ruling)
    elif table.dispute:
        table, rulings = _slaps_at_a_jack(table)
    return _look_for_the_end(replace(table, dispute=(), decided=None)), rulings


def undecidable(table: SlapTable) -> Reason | None:
    """Give why what the people decided of the newest card cannot hold, if it cannot: only a jack slapped is won."""
    args = (("player", table.decided), ("card", table.top.card if table.top else None))
    if table.top is not None and table.top.card is not None and table.top.card.rank != "J":
        return Reason("decided-no-jack", f"{PAGE}#3", args)
    if table.top is None:
        return Reason("decided-nothing", f"{PAGE}#8", args)
    if not table.dispute:
        return Reason("decided-no-slap", f"{PAGE}#8", args)
    return Reason("decided-when-out", f"{PAGE}#6", args) if table.decided in table.out else None


def time_over(table: SlapTable) -> SlapTable:
    """End a game whose time is up: most cards win, level is a draw (slapjack.md#7); not who has forfeited."""
    left = [seat for seat in range(len(table.stocks)) if seat not in table.out]
    most = max((table.stocks[seat] for seat in left), default=0)
    leaders = [seat for seat in left if table.stocks[seat] == most]
    return replace(table, over=True, turn=None, winner=leaders[0] if len(leaders) == 1 else None)


def _false_slap(table: SlapTable, touch: Contact) -> tuple[SlapTable, SlapRuling]:
    """Let a false slapper pay the top card of his stock to who played the card slapped (slapjack.md#5, 6)."""
    player = touch.player
    if player in table.out:
        return table, SlapRuling(touch.event, player, "false", f"{PAGE}#6", "slap-when-out")
    if not table.stocks[player]:
        table = replace(table, out=table.out | {player})
        return table, SlapRuling(touch.event, player, "false", f"{PAGE}#6", "false-without-cards")
    if table.top is None:
        return table, SlapRuling(touch.event, player, "false", f"{PAGE}#8", "nothing-to-slap")
    to = table.top.player
    args = (("player", player), ("to", to), ("card", table.top.card))
    if to == player:
        return table, SlapRuling(touch.event, player, "false", f"{PAGE}#5", "false-own-card", args)
    stocks = paid(table.stocks, player, 1)
    if to in table.out:
        # Who is out for good plays no more cards: the card stays in the game, in the centre.
        table = replace(table, stocks=stocks, buried=table.buried + 1)
    else:
        table = replace(table, stocks=paid(stocks, to, -1))
    if table.turn is None or not table.stocks[table.turn]:
        table = replace(table, turn=next_with_cards(table, to if table.turn is None else table.turn))
    return table, SlapRuling(touch.event, player, "false", f"{PAGE}#5", "false-pays", args)


def _slaps_at_a_jack(table: SlapTable) -> tuple[SlapTable, list[SlapRuling]]:
    """Find who slapped a jack first and give him the pile (slapjack.md#3, 4)."""
    entitled = [touch for touch in table.dispute if touch.player not in table.out]
    barred = [touch for touch in table.dispute if touch.player in table.out]
    hands, further = once_each(entitled)
    rulings = [SlapRuling(touch.event, touch.player, "late", f"{PAGE}#6", "slap-when-out") for touch in barred]
    rulings += [SlapRuling(touch.event, touch.player, "late", f"{PAGE}#3", "slapped-before") for touch in further]
    seen = table.top is not None and table.top.card is not None
    verdict = first(hands) if seen and hands else Verdict("unclear", tuple(hands))
    decided = table.decided
    for touch in hands:
        if touch not in verdict.contacts:
            late_by = _later_by(touch, verdict)
            rulings.append(SlapRuling(touch.event, touch.player, "late", f"{PAGE}#4", "later", (), late_by,
                                      decided is not None))
            continue
        word = "wins" if verdict.kind == "clear" else verdict.kind
        if not seen:
            why = "card-not-seen"
        elif verdict.kind == "clear":
            why = f"first-by-{verdict.evidence}" if verdict.evidence else "only-slap"
        else:
            why = verdict.kind
        rulings.append(SlapRuling(touch.event, touch.player, word, f"{PAGE}#4" if len(hands) > 1 else f"{PAGE}#3",
                                  why, (), gap_ms(touch, hands), decided is not None))
    winner = decided if decided is not None else (
        verdict.contacts[0].player if verdict.kind == "clear" and verdict.contacts else None)
    if winner is not None and table.pile_size:
        stocks = paid(table.stocks, winner, -table.pile_size)
        # Without cards one may slap the next jack; if somebody else wins it, one is out (slapjack.md#6).
        lost = frozenset(seat for seat, stock in enumerate(stocks) if not stock)
        table = replace(table, stocks=stocks, pile=(), buried=0, out=(table.out | lost) - {winner})
        table = replace(table, turn=next_with_cards(table, winner))
    return table, rulings


def _later_by(touch: Contact, verdict: Verdict) -> float | None:
    if verdict.kind != "clear" or touch.t_ms is None or verdict.contacts[0].t_ms is None:
        return None
    return touch.t_ms - verdict.contacts[0].t_ms


def _look_for_the_end(table: SlapTable) -> SlapTable:
    """End the game when one player holds all the cards, or nobody else is left (slapjack.md#7)."""
    if table.over:
        return table
    left = [seat for seat in range(len(table.stocks)) if seat not in table.out]
    holders = [seat for seat, stock in enumerate(table.stocks) if stock]
    if not left:
        # The last ones slapped a card that is no jack, all without cards: nobody can win any more.
        return replace(table, over=True, turn=None)
    if len(left) == 1 or (len(holders) == 1 and not table.pile_size):
        winner = left[0] if len(left) == 1 else holders[0]
        return replace(table, over=True, turn=None, winner=winner)
    return table
