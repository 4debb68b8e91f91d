"""The number of legal plays to a depth from fixed deals, checked against the table kept beside this file.

A change of the numbers is a change of the rules. The entries: the deck in the order in which it is dealt, the table
first and then a card at a time from the dealer's right, and how many sequences of legal plays there are of 1, 2, 3, ...
cards.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rules.capture_game import Hand, Position, deal, play
from rules.cards import Card, parse_cards
from tests.scorer.hands import RULES, header

SETUPS: list[tuple[str, int, dict[str, Any]]] = [
    ("scopa", 2, {}), ("scopa", 3, {}), ("scopa", 4, {"team": True}), ("scopa", 4, {"scopone": "10+0"}),
    ("scopa", 2, {"scopa_di_quindici": True}), ("scopa", 2, {"asso_piglia_tutto": "scopa"}),
    ("scopa", 2, {"preset": "scopa-bga"}), ("scupuni", 4, {}), ("slurp", 2, {}),
]
COUNTS = json.loads((Path(__file__).parent / "capture_counts.json").read_text(encoding="utf-8"))


def plays_to_depth(game: str, players: int, options: dict[str, Any], codes: list[str], depth: int) -> int:
    """Count the sequences of legal plays of that many cards from a deck as dealt."""
    head, rules, deck = header(game, players, **options), RULES[game], parse_cards(codes)
    laid = rules.opening(head, 0 if options.get("scopone") == "10+0" else 4).table
    start, _ = deal(rules, head, 0, deck[:laid], deck)

    def dealt(hand: Hand, rest: tuple[Card, ...]) -> tuple[list[tuple[Card, ...]], tuple[Card, ...]]:
        sizes = sum(hand.hand_sizes)
        held = [rest[(seat - 1) % players:sizes:players] for seat in range(players)]
        return held, rest[sizes:]

    def count(hand: Hand, held: list[tuple[Card, ...]], rest: tuple[Card, ...], left: int) -> int:
        if not left or hand.turn is None:
            return 1
        if not any(held):
            held, rest = dealt(hand, rest)
        total = 0
        for card in held[hand.turn]:
            position = Position(hand.known_table, hand.turn, hand.dealer, hand.played == 0,
                                hand.played >= hand.to_play - 1)
            captures = rules.captures(head, card, position)
            choices = [*captures, *([()] if rules.may_lay(head, card, position, captures) else [])]
            if left == 1:
                total += len(choices)
                continue
            remaining = list(held)
            remaining[hand.turn] = tuple(other for other in held[hand.turn] if other != card)
            for takes in choices:
                after, ruling = play(rules, head, hand, hand.turn, card, takes, deck)
                assert ruling.ruling == "legal"
                total += count(after, remaining, rest, left - 1)
        return total

    return count(start, [() for _ in range(players)], deck[laid:], depth)


@pytest.mark.parametrize("entry", COUNTS, ids=lambda entry: f"{entry['game']}-{entry['players']}-{entry['options']}")
def test_counts(entry: dict[str, Any]) -> None:
    codes = entry["deck"].split()
    depths = [count for count in entry["plays"] if count < 20_000]
    assert len(codes) == 40 and len(depths) >= 3
    found = [plays_to_depth(entry["game"], entry["players"], entry["options"], codes, depth)
             for depth in range(1, len(depths) + 1)]
    assert found == depths


def test_every_setup_is_in_the_table() -> None:
    assert [(entry["game"], entry["players"], entry["options"]) for entry in COUNTS[::2]] == SETUPS
