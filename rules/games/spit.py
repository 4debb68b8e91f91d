"""Spit and its variants (games/spit.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rules.cards import Card
from rules.contacts import Contact, first
from rules.race_game import DECK_SIZE, GrabRuling, RaceTable, laid_on, paid_by, seen_twice
from rules.record import Header, Settled
from rules.ruling import Reason

PAGE = "spit.md"
_EACH = DECK_SIZE // 2


def stock_size(header: Header) -> int:
    """Give the cards of a whole row of stock piles: 15 with five piles, 10 with four (spit.md#1)."""
    piles = int(header.options["stock_piles"])
    return piles * (piles + 1) // 2


def lay_out(header: Header, totals: tuple[int, int]) -> RaceTable:
    """Lay out anew from what each player has (spit.md#1, 7): as far as the stock piles go, the rest to spit.

    A player with fewer cards than the piles need has no spit cards, and then there is only one spit pile.
    """
    full = stock_size(header)
    stocks = (min(full, totals[0]), min(full, totals[1]))
    spit = (totals[0] - stocks[0], totals[1] - stocks[1])
    return RaceTable(stocks, spit, single=min(totals) < full)


def start(header: Header) -> RaceTable:
    """Lay out the first time: 26 cards each (spit.md#1)."""
    return lay_out(header, (_EACH, DECK_SIZE - _EACH))


def layout(header: Header, table: RaceTable, event: dict[str, Any]) -> tuple[RaceTable, list[Reason]]:
    """Take a layout as people made it, and say what is wrong with it (spit.md#1, 6, 7)."""
    stocks, spit = tuple(event["stocks"]), tuple(event["spit"])
    totals = (stocks[0] + spit[0], stocks[1] + spit[1])
    right = lay_out(header, totals)
    flags = []
    if sum(totals) != DECK_SIZE:
        flags.append(Reason("not-all-cards", f"{PAGE}#1", (("cards", sum(totals)), ("expected", DECK_SIZE))))
    for player in (0, 1):
        if stocks[player] != right.stocks[player]:
            flags.append(Reason("wrong-layout", f"{PAGE}#{7 if totals[player] < stock_size(header) else 1}",
                              (("player", player), ("cards", stocks[player]), ("expected", right.stocks[player]))))
    before = (table.stocks[0] + table.spit[0], table.stocks[1] + table.spit[1])
    # A record may begin in the middle of a game: only what was counted in it can be compared.
    if any(table.played) and not any(table.piles) and sum(totals) == DECK_SIZE and totals != before:
        flags.append(Reason("other-totals", f"{PAGE}#6", (("counts", totals), ("expected", before))))
    return replace(right, stocks=stocks, spit=spit, played=table.played), flags


def spit(header: Header, table: RaceTable, event: dict[str, Any]) -> tuple[RaceTable, list[Reason]]:
    """Turn spit cards onto the spit piles (spit.md#2, 5): each onto his own, or one player alone onto one pile."""
    cards = [None if code is None else Card.parse(code) for code in event["cards"]]
    flags: list[Reason] = []
    able = [player for player in (0, 1) if table.spit[player]]
    if len(cards) == 1:
        player = event.get("player")
        if player is None:
            player = able[0] if len(able) == 1 else 0
        turned = [(player, cards[0])]
    else:
        # An empty place is a card that was not seen only where there was a card to turn.
        turned = [(player, card) for player, card in enumerate(cards) if card is not None or table.spit[player]]
    alone = len(turned) == 1
    for player, card in turned:
        if not table.spit[player]:
            flags.append(Reason("no-spit-left", f"{PAGE}#5", (("player", player),)))
        if seen_twice(table, card):
            flags.append(Reason("card-seen-twice", f"{PAGE}#2", (("card", card), ("where", "pile-centre"))))
        pile = player
        if alone:
            pile = event.get("pile")
            if pile is None:
                pile = table.spitter_pile if table.spitter_pile is not None else player
            if table.spitter_pile is not None and pile != table.spitter_pile:
                flags.append(Reason("other-spit-pile", f"{PAGE}#5", (("player", player),)))
            table = replace(table, spitter_pile=pile)
        table = paid_by(laid_on(table, pile, card), pile, (
            ("spit", player), ("stocks", player), ("spit", 1 - player), ("stocks", 1 - player)))
    return table, flags


def look_for_the_winner(header: Header, table: RaceTable) -> RaceTable:
    """End the game when a player has got rid of all stock and spit cards; with one pile, lay out anew (spit.md#8).

    With one spit pile, who gets rid of his stock first takes nothing from the centre, and the other takes the pile.
    """
    if table.over:
        return table
    for player in (0, 1):
        if not table.stocks[player] and not table.spit[player]:
            return replace(table, over=True, winner=player)
    for player in (0, 1):
        if table.single and not table.stocks[player]:
            centre = sum(map(len, table.piles))
            totals = [table.stocks[seat] + table.spit[seat] for seat in (0, 1)]
            totals[1 - player] += centre
            return replace(lay_out(header, (totals[0], totals[1])), played=table.played)
    return table


def close_grabs(header: Header, table: RaceTable) -> tuple[RaceTable, list[GrabRuling], list[Reason]]:
    """Settle which player gets which spit pile, and lay out anew (spit.md#6, and choose_pile)."""
    if not table.grabs:
        return table, [], []
    flags: list[Reason] = []
    hands: dict[int, tuple[Contact, int]] = {}
    for touch, pile in table.grabs:
        hands.setdefault(touch.player, (touch, pile))
    number = table.grabs[0][0].event
    out_of_stock = [player for player in (0, 1) if not table.stocks[player]]
    if not out_of_stock and any(table.spit):
        flags.append(Reason("grab-too-early", f"{PAGE}#6", (("event", number),)))
    decided = table.grab_decided
    rulings: list[GrabRuling] = []
    chooser = out_of_stock[0] if header.options["choose_pile"] and len(out_of_stock) == 1 else None
    gets: tuple[int, int] | None = None
    if chooser is not None:
        gets, rulings = _chosen(hands, chooser)
    elif len({pile for _, pile in hands.values()}) == len(hands):
        for touch, pile in hands.values():
            why = "other-piles" if len(hands) > 1 else "only-grab"
            rulings.append(GrabRuling(touch.event, touch.player, pile, "gets", f"{PAGE}#6", why))
            gets = (touch.player, pile)
    else:
        verdict = first([touch for touch, _ in hands.values()])
        for touch, pile in hands.values():
            if verdict.kind != "clear":
                word, why = "too-close", verdict.kind
            elif touch in verdict.contacts:
                word, why, gets = "gets", f"grab-by-{verdict.evidence}", (touch.player, pile)
            else:
                word, why = "other-pile", "grab-later"
            rulings.append(GrabRuling(touch.event, touch.player, pile, word, f"{PAGE}#6", why, decided is not None))
    if decided is not None:
        gets = (decided, hands[decided][1] if decided in hands else 1 - next(iter(hands.values()))[1])
    if gets is None:
        return replace(table, grabs=(), grab_decided=None), rulings, flags
    player, pile = gets
    totals = [table.stocks[seat] + table.spit[seat] for seat in (0, 1)]
    totals[player] += len(table.piles[pile])
    totals[1 - player] += len(table.piles[1 - pile])
    return replace(lay_out(header, (totals[0], totals[1])), played=table.played), rulings, flags


def _chosen(hands: dict[int, tuple[Contact, int]], chooser: int) -> tuple[tuple[int, int] | None, list[GrabRuling]]:
    gets = (chooser, hands[chooser][1]) if chooser in hands else None
    rulings = []
    for touch, pile in hands.values():
        if touch.player == chooser:
            word, why = "gets", "chooses"
        elif gets is not None:
            word, why = "gets" if pile != gets[1] else "other-pile", "other-chooses"
        else:
            word, why = "too-close", "other-chooses"
        rulings.append(GrabRuling(touch.event, touch.player, pile, word, f"{PAGE}#choose_pile", why))
    return gets, rulings


def decided_grab(table: RaceTable, here: Settled) -> RaceTable:
    """Keep for whom the people decided a grab; of several decisions the last one holds."""
    if here.decided is None or (table.grab_decided is not None and here.decided_at < table.grab_decided_at):
        return table
    return replace(table, grab_decided=here.decided, grab_decided_at=here.decided_at)
