"""Builders for hand records in tests: short texts in, events out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from rules.capture_game import Hand, Position, deal, end, play
from rules.cards import Card, parse_cards
from rules.games import scopa, scupuni, slurp
from rules.record import Event, Header, read_header
from scorer import score_record

RULES = {"scopa": scopa.RULES, "scupuni": scupuni.RULES, "slurp": slurp.RULES}
NAMES = ["Anna", "Bruno", "Carla", "Dario", "Elsa", "Fabio", "Gina", "Hugo", "Ida", "Livio"]


def match(game: str = "scopa", players: int = 2, dealer: int = 0, **options: Any) -> Event:
    """Give a header."""
    return {"type": "match", "format": 1, "game": game, "players": NAMES[:players], "dealer": dealer,
            "options": options}


def header(game: str = "scopa", players: int = 2, dealer: int = 0, **options: Any) -> Header:
    """Give a header as read."""
    return read_header(match(game, players, dealer, **options))


def dealt(table: str = "") -> Event:
    """Give a deal from codes with spaces between."""
    return {"type": "deal", "table": table.split()}


def played(player: int | None, text: str, **fields: Any) -> Event:
    """Give a play from ``7s`` (laid) or ``7s: 4d 3c`` (takes)."""
    card, _, takes = text.partition(":")
    return {"type": "play", "player": player, "card": card.strip(), "takes": takes.split(), **fields}


def first_play(game: str, table: str, play_text: str, **options: Any) -> dict[str, Any]:
    """Give the ruling of one play on a table that was dealt like that; the player is the one whose turn it is.

    Scupuni deals no table, so its cards are laid one after the other.
    """
    players = 4 if game == "scupuni" or options.get("team") or options.get("scopone") else 2
    events = [match(game, players, **options)]
    if game == "scupuni":
        events.append(dealt())
        events += [played(None, code) for code in table.split()]
    else:
        events.append(dealt(table))
    events.append(played(None, play_text))
    ruling: dict[str, Any] = score_record(events)["plays"][-1]
    return ruling


def random_hand(game: str, chance: random.Random, players: int = 2, dealer: int = 0, illegal: float = 0.0,
                deck: Sequence[Card] | None = None, **options: Any) -> list[Event]:
    """Give the events of a whole random hand, deal to end, the plays legal but for a share of ``illegal`` ones."""
    head = header(game, players, dealer, **options)
    rules = RULES[game]
    if deck is None:
        deck = deck_for(game)
    left = list(deck)
    while True:
        chance.shuffle(left)
        opening = rules.opening(head, 0 if options.get("scopone") == "10+0" else 4)
        table, rest = left[:opening.table], left[opening.table:]
        if not rules.misdeal(head, table):
            break
    hand, _ = deal(rules, head, dealer, table, deck)
    events: list[Event] = [{"type": "deal", "table": [card.code for card in table]}]
    held: list[list[Card]] = [[] for _ in range(players)]
    while hand.turn is not None:
        if not any(held):
            for _ in range(hand.each):
                for step in range(players):
                    held[(dealer + 1 + step) % players].append(rest.pop())
        card = held[hand.turn].pop(chance.randrange(len(held[hand.turn])))
        takes = choose(rules, head, hand, card, chance, illegal)
        events.append({"type": "play", "player": hand.turn, "card": card.code,
                       "takes": [taken.code for taken in takes]})
        hand, _ = play(rules, head, hand, hand.turn, card, takes, deck)
    events.append({"type": "end"})
    end(rules, hand)
    return events


def choose(rules: Any, head: Header, hand: Hand, card: Card, chance: random.Random,
           illegal: float) -> Sequence[Card]:
    """Give what a card takes: something it may, or, for a share of the plays, any cards at all."""
    assert hand.turn is not None
    position = Position(hand.known_table, hand.turn, hand.dealer, hand.played == 0, hand.played >= hand.to_play - 1)
    captures = rules.captures(head, card, position)
    if chance.random() < illegal:
        return chance.sample(hand.known_table, chance.randint(0, len(hand.known_table)))
    choices = list(captures)
    if rules.may_lay(head, card, position, captures):
        choices.append(())
    chosen: Sequence[Card] = chance.choice(choices)
    return chosen


def deck_for(game: str) -> tuple[Card, ...]:
    """Give the 40 cards with which a capture game is played."""
    ranks, suits = (("A", "2", "3", "4", "5", "6", "7", "J", "Q", "K"), "HDCS") if game == "slurp" else (
        ("1", "2", "3", "4", "5", "6", "7", "F", "C", "R"), "dcsb")
    return parse_cards(rank + suit for suit in suits for rank in ranks)
