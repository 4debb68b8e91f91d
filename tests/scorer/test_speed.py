"""Speed: the rules of its page (games/speed.md)."""

from __future__ import annotations

from typing import Any

import pytest

from rules.record import Event
from scorer import score_record
from tests.scorer.hands import match
from tests.scorer.test_spit import grab, land, layout, reasons, rulings, spit


def score(*events: Event, **options: Any) -> dict[str, Any]:
    document = score_record([match("speed", 2, **options), *events])
    counts = document["counts"]
    assert sum(map(sum, (counts["stocks"], counts["spit"], counts["piles"], counts["covered"]))) == 52
    return document


@pytest.mark.parametrize(("side_piles", "stocks"), [(10, 15), (5, 20), ("5", 20)])
def test_both_layouts(side_piles: object, stocks: int) -> None:
    """speed.md#1: 20+2+30, or 10+2+40."""
    counts = score(side_piles=side_piles)["counts"]
    assert counts["stocks"] == [stocks] * 2 and counts["spit"] == [int(str(side_piles))] * 2
    assert counts["covered"] == [1, 1] and counts["hands"] == [5, 5]
    assert reasons(score(layout([15, 15], [10, 10]))) == []
    assert "wrong-layout" in reasons(score(layout([14, 16], [10, 10])))


def test_both_turn_a_centre_card() -> None:
    """speed.md#2: the centre cards come first, the side piles later."""
    counts = score(spit("8D", "KH"))["counts"]
    assert (counts["covered"], counts["spit"], counts["piles"]) == ([0, 0], [10, 10], [1, 1])


def test_a_hand_card_goes_next_to_either_pile() -> None:
    """speed.md#3."""
    document = score(spit("8D", "KH"), land(0, "9C", 0), land(0, "AC", 1), land(1, "3H", 1))
    assert rulings(document) == [("8D", "legal", []), ("KH", "legal", []), ("AC", "illegal", ["not-adjacent"])]
    assert document["landings"][-1]["rule"] == "speed.md#3"
    assert document["counts"]["stocks"] == [13, 14] and document["counts"]["played"] == [2, 1]


def test_the_hand_is_five_at_most() -> None:
    """speed.md#2 speed.md#3: fewer only when the stock is used up."""
    document = score(layout([3, 27], [10, 10]), spit("8D", "KH"))
    assert document["counts"]["hands"] == [3, 5]


def test_stuck_both_turn_from_the_side_piles_and_they_are_made_anew() -> None:
    """speed.md#4."""
    cards = [f"{rank}{suit}" for suit in "HS" for rank in "A23456789"]
    events = [spit(*cards[2 * turn:2 * turn + 2]) for turn in range(6)]
    counts = score(*events, side_piles=5)["counts"]
    assert counts["spit"] == [0, 0] and counts["piles"] == [6, 6]
    counts = score(*events, spit("KC", "KD"), side_piles=5)["counts"]
    assert counts["spit"] == [4, 4] and counts["piles"] == [2, 2]


def test_out_of_cards_wins_the_round() -> None:
    """speed.md#5."""
    start = [layout([1, 29], [10, 10]), spit("8D", "KH"), land(0, "9C", 0)]
    document = score(*start)
    assert document["match"]["winner"] == 0 and document["match"]["totals"] == [1, 0]
    document = score(*start, {"type": "deal"}, *start[:2], scoring=True)
    assert document["match"]["winner"] is None and document["match"]["totals"] == [29, 0]
    document = score(*start, {"type": "deal"}, *start, scoring=True)
    assert document["match"]["winner"] == 0 and document["match"]["totals"] == [58, 0]
    assert document["match"]["target"] == 50


def test_no_pile_is_grabbed() -> None:
    assert reasons(score(spit("8D", "KH"), grab(0, 1, 100))) == ["no-grabs"]


def test_a_card_turned_where_no_side_pile_is_left_lies_there_all_the_same() -> None:
    """speed.md#4."""
    document = score(layout([25, 25], [0, 0]), spit("8D", "KH"), spit("9D", "QH"))
    assert document["state"]["table"] == ["9D", "QH"] and document["counts"]["stocks"] == [24, 24]
    assert reasons(document).count("no-side-pile") == 2
