"""Irish Snap and its winner variant (games/irish-snap.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rules.cards import FRENCH_RANKS, Card
from rules.contacts import Contact, Verdict, first, last
from rules.record import Header
from rules.ruling import Reason
from rules.slap_game import SlapRuling, SlapTable, gap_ms, next_with_cards, once_each, paid

PAGE = "irish-snap.md"


def with_call(table: SlapTable, given: str | None) -> SlapTable:
    """Give the table after a card was laid with a call: the next in turn, or the one that was corrected by hand.

    The call is not heard but follows from the cards laid since the last restart (irish-snap.md#1).
    """
    place = FRENCH_RANKS.index(given) if given is not None else table.laid % len(FRENCH_RANKS)
    return replace(table, call=FRENCH_RANKS[place], laid=place + 1)


def is_match(table: SlapTable) -> bool | None:
    """Tell whether everybody must slap: the newest card is of the rank called (``None``: it was not seen)."""
    if table.top is None:
        return False
    card: Card | None = table.top.card
    return None if card is None else card.rank == table.call


def close(header: Header, table: SlapTable, final: bool = False) -> tuple[SlapTable, list[SlapRuling]]:
    """Settle the dispute over the newest card and give the verdict on every slap (irish-snap.md#2 to 6).

    ``final`` tells that the record ends here: then a card at which nobody slapped may still be slapped.
    """
    match = is_match(table)
    rulings: list[SlapRuling] = []
    pending = bool(match) and final and not table.dispute and table.decided is None
    if match and not pending:
        table, rulings = _match(header, table)
    elif table.dispute:
        table, rulings = _false_slaps(table, match)
    left_open = table.decided is None and any(ruling.verdict in ("too-close", "unclear") for ruling in rulings)
    if not pending and not left_open:
        table = _look_for_the_loser(header, table)
    return replace(table, dispute=(), decided=None), rulings


def undecidable(table: SlapTable) -> Reason | None:
    """Give why what the people decided of the newest card cannot hold, if it cannot: nobody has the pile to take."""
    if table.top is None:
        return Reason("decided-nothing", f"{PAGE}#3", (("player", table.decided),))
    if not table.dispute and not is_match(table):
        return Reason("decided-no-slap", f"{PAGE}#3", (("player", table.decided),))
    if table.decided in table.out:
        return Reason("decided-when-out", f"{PAGE}#2", (("player", table.decided),))
    return None


def _match(header: Header, table: SlapTable) -> tuple[SlapTable, list[SlapRuling]]:
    """Find the last hand down, or the one that did not come down at all (irish-snap.md#2, 4)."""
    hands, further = once_each([touch for touch in table.dispute if touch.player not in table.out])
    rulings = _repeated(further)
    slapped = {touch.player for touch in hands}
    missing = [seat for seat in range(len(table.stocks)) if seat not in slapped and seat not in table.out]
    assert table.top is not None
    decided = table.decided
    if missing:
        verdict = Verdict("clear" if len(missing) == 1 else "unclear", ())
        for seat in missing:
            word = "takes" if len(missing) == 1 else "unclear"
            why = "did-not-slap" if len(missing) == 1 else "several-did-not-slap"
            rulings.append(SlapRuling(table.top.event, seat, word, f"{PAGE}#4", why, (("player", seat),), None,
                                      decided is not None))
        taker = missing[0] if len(missing) == 1 else None
    else:
        verdict = last(hands)
        taker = verdict.contacts[0].player if verdict.kind == "clear" else None
    for touch in hands:
        if touch not in verdict.contacts:
            rulings.append(SlapRuling(touch.event, touch.player, "wins", f"{PAGE}#2", "in-time", (),
                                      gap_ms(touch, hands), decided is not None))
            continue
        word = "takes" if verdict.kind == "clear" else verdict.kind
        why = (f"last-by-{verdict.evidence}" if verdict.evidence else "last") if word == "takes" else verdict.kind
        rulings.append(SlapRuling(touch.event, touch.player, word, f"{PAGE}#2", why, (), gap_ms(touch, hands),
                                  decided is not None))
    if decided is not None:
        taker = decided
    home = _first_home(header, table, hands, verdict, taker)
    if taker is not None:
        table = _takes(table, taker)
    if home is not None and not table.over:
        table = replace(table, over=True, winner=home, turn=None)
    return table, rulings


def _false_slaps(table: SlapTable, match: bool | None) -> tuple[SlapTable, list[SlapRuling]]:
    """Give the pile to the first of the false slappers (irish-snap.md#3)."""
    hands, further = once_each([touch for touch in table.dispute if touch.player not in table.out])
    rulings = _repeated(further)
    verdict = Verdict("unclear", tuple(hands)) if match is None else _first_of(hands)
    decided = table.decided
    for touch in hands:
        if touch not in verdict.contacts:
            word, why = "false", "false-later"
        elif match is None:
            word, why = "unclear", "card-not-seen"
        elif verdict.kind == "clear":
            word, why = "takes", "false-first" if len(hands) > 1 else "false-alone"
        else:
            word, why = verdict.kind, verdict.kind
        rulings.append(SlapRuling(touch.event, touch.player, word, f"{PAGE}#3", why,
                                  (("call", table.call),), gap_ms(touch, hands), decided is not None))
    taker = decided
    if taker is None and verdict.kind == "clear" and verdict.contacts:
        taker = verdict.contacts[0].player
    if taker is not None:
        table = _takes(table, taker)
    return table, rulings


def _first_of(hands: Sequence[Contact]) -> Verdict:
    return first(hands) if hands else Verdict("clear", ())


def _takes(table: SlapTable, taker: int) -> SlapTable:
    """Put the pile under a player's stock; play restarts from the ace at his left (irish-snap.md#2)."""
    table = replace(table, stocks=paid(table.stocks, taker, -table.pile_size), pile=(), buried=0, laid=0, call=None)
    return replace(table, turn=next_with_cards(table, taker))


def _first_home(header: Header, table: SlapTable, hands: Sequence[Contact], verdict: Verdict,
                taker: int | None) -> int | None:
    """Give who has laid all his cards and slapped once more without being last (irish-snap.md#6)."""
    if not header.options["winner"]:
        return None
    safe = [touch for touch in hands if touch.player != taker and touch not in (
        verdict.contacts if taker is None else ()) and not table.stocks[touch.player]]
    if not safe:
        return None
    # Several at once: the first of them to touch was there first.
    earliest = first(safe)
    return earliest.contacts[0].player if earliest.kind == "clear" else None


def _look_for_the_loser(header: Header, table: SlapTable) -> SlapTable:
    """End the game when only one person has cards to lay: that person has lost (irish-snap.md#5)."""
    if table.over or header.options["winner"]:
        return table
    # Who has forfeited lays no more cards, however many lie there.
    holders = [seat for seat, stock in enumerate(table.stocks) if stock and seat not in table.out]
    if len(holders) != 1:
        return table
    return replace(table, over=True, turn=None, loser=holders[0])


def _repeated(further: Sequence[Contact]) -> list[SlapRuling]:
    return [SlapRuling(touch.event, touch.player, "late", f"{PAGE}#2", "slapped-before") for touch in further]
