"""Speed (games/speed.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rules.cards import Card
from rules.race_game import DECK_SIZE, RaceTable, laid_on, paid, paid_by, seen_twice
from rules.record import Header
from rules.ruling import Reason

PAGE = "speed.md"
HAND = 5


def start(header: Header) -> RaceTable:
    """Lay out (speed.md#1): two side piles, a face-down card at each centre place, the rest for the players."""
    side = int(header.options["side_piles"])
    each = (DECK_SIZE - 2 - 2 * side) // 2
    return RaceTable((each, each), (side, side), covered=(1, 1))


def layout(header: Header, table: RaceTable, event: dict[str, Any]) -> tuple[RaceTable, list[Reason]]:
    """Take a layout as people made it, and say what is wrong with it (speed.md#1)."""
    right = start(header)
    stocks, spit = (event["stocks"][0], event["stocks"][1]), (event["spit"][0], event["spit"][1])
    flags = []
    total = sum(stocks) + sum(spit) + sum(right.covered)
    if total != DECK_SIZE:
        flags.append(Reason("not-all-cards", f"{PAGE}#1", (("cards", total), ("expected", DECK_SIZE))))
    for player in (0, 1):
        if stocks[player] != right.stocks[player]:
            flags.append(Reason("wrong-layout", f"{PAGE}#1", (
                ("player", player), ("cards", stocks[player]), ("expected", right.stocks[player]))))
    return replace(right, stocks=stocks, spit=spit), flags


def spit(header: Header, table: RaceTable, event: dict[str, Any]) -> tuple[RaceTable, list[Reason]]:
    """Turn the centre cards, later the tops of the side piles, onto the centre piles (speed.md#2, 4).

    When the side piles are used up, the centre piles below their top cards become the new ones.
    """
    cards = [None if code is None else Card.parse(code) for code in event["cards"]]
    flags: list[Reason] = []
    if not any(table.covered) and not any(table.spit):
        table = _new_side_piles(table)
    piles = [event["pile"]] if len(cards) == 1 and event.get("pile") is not None else list(range(len(cards)))
    for pile, card in zip(piles, cards, strict=True):
        if seen_twice(table, card):
            flags.append(Reason("card-seen-twice", f"{PAGE}#4", (("card", card), ("where", "pile-centre"))))
        if table.covered[pile]:
            table = replace(laid_on(table, pile, card), covered=paid(table.covered, pile, 1))
            continue
        if not table.spit[pile]:
            flags.append(Reason("no-side-pile", f"{PAGE}#4", (("cards", pile),)))
        table = paid_by(laid_on(table, pile, card), pile, (
            ("spit", pile), ("spit", 1 - pile), ("stocks", pile), ("stocks", 1 - pile)))
    return table, flags


def hand_and_stock(table: RaceTable, player: int) -> tuple[int, int]:
    """Give the cards in a player's hand, five at most, and in his stock (speed.md#2, 3)."""
    hand = min(HAND, table.stocks[player])
    return hand, table.stocks[player] - hand


def look_for_the_winner(table: RaceTable) -> RaceTable:
    """End the round when a player is out of hand and stock cards (speed.md#5)."""
    if table.over:
        return table
    for player in (0, 1):
        if not table.stocks[player]:
            return replace(table, over=True, winner=player)
    return table


def _new_side_piles(table: RaceTable) -> RaceTable:
    below = sum(max(0, len(pile) - 1) for pile in table.piles)
    piles = (table.piles[0][-1:], table.piles[1][-1:])
    return replace(table, piles=piles, spit=(below - below // 2, below // 2))
