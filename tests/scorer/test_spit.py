"""Spit: the rules of its page (games/spit.md)."""

from __future__ import annotations

from typing import Any

import pytest

from rules.record import Event
from scorer import score_record
from tests.scorer.hands import match


def land(player: int, card: str | None, pile: int, t_ms: int | None = None, error_ms: int = 17) -> Event:
    event: Event = {"type": "land", "player": player, "card": card, "pile": pile}
    return event if t_ms is None else {**event, "t_ms": t_ms, "error_ms": error_ms}


def spit(*cards: str | None, **fields: Any) -> Event:
    return {"type": "spit", "cards": list(cards), **fields}


def grab(player: int, pile: int, t_ms: int | None = None, under: tuple[int, ...] = ()) -> Event:
    return {"type": "grab", "player": player, "pile": pile, "t_ms": t_ms, "error_ms": 17, "under": list(under)}


def layout(stocks: list[int], spit_cards: list[int]) -> Event:
    return {"type": "layout", "stocks": stocks, "spit": spit_cards}


def score(*events: Event, **options: Any) -> dict[str, Any]:
    document = score_record([match("spit", 2, **options), *events])
    counts = document["counts"]
    assert sum(counts["stocks"]) + sum(counts["spit"]) + sum(counts["piles"]) == 52
    return document


def rulings(document: dict[str, Any]) -> list[tuple[str | None, str, list[str]]]:
    return [(told["on"], told["ruling"], told["reasons"]) for told in document["landings"]]


def reasons(document: dict[str, Any]) -> list[str]:
    return [flag["reason"] for flag in document["flags"]]


def test_the_first_layout() -> None:
    """spit.md#1: 26 each, 15 in the stock piles and 11 to spit; with four piles 10 and 16."""
    assert score()["counts"]["stocks"] == [15, 15] and score()["counts"]["spit"] == [11, 11]
    four = score(stock_piles=4)["counts"]
    assert (four["stocks"], four["spit"]) == ([10, 10], [16, 16])
    assert reasons(score(layout([15, 15], [11, 11]))) == []
    assert reasons(score(layout([14, 15], [12, 11]))) == ["wrong-layout"]


def test_both_spit_onto_their_own_piles() -> None:
    """spit.md#2."""
    document = score(spit("4D", "JH"))
    assert document["counts"]["piles"] == [1, 1] and document["counts"]["spit"] == [10, 10]
    assert document["state"]["table"] == ["4D", "JH"]


@pytest.mark.parametrize(("card", "pile", "ruling", "why"), [
    ("5H", 0, "legal", []), ("3H", 0, "legal", []), ("6H", 0, "illegal", ["not-adjacent"]),
    ("AH", 1, "legal", []), ("QS", 1, "legal", []), ("2S", 1, "illegal", ["not-adjacent"]),
    ("KS", 1, "illegal", ["not-adjacent"]),
])
def test_a_card_is_next_to_the_pile(card: str, pile: int, ruling: str, why: list[str]) -> None:
    """spit.md#3: one above or below, around the corner K-A-2."""
    document = score(spit("4D", "KH"), land(0, card, pile))
    assert rulings(document)[-1][1:] == (ruling, why)
    assert rulings(document)[-1][0] == ["4D", "KH"][pile]
    # It counts as played and lies there in any case.
    assert document["counts"]["stocks"] == [14, 15] and document["counts"]["piles"][pile] == 2


def test_aces_are_next_to_twos_and_kings() -> None:
    """spit.md#3."""
    document = score(spit("AD", "2H"), land(0, "KH", 0), land(1, "AS", 1), land(1, "AC", 0))
    assert [ruling for _, ruling, _ in rulings(document)] == ["legal", "legal", "legal"]


def test_an_empty_place_and_more_than_five_piles_cannot_be_seen_on_the_centre() -> None:
    """spit.md#4: turning up and moving a stock card changes no count."""
    document = score(spit("4D", "KH"), land(0, "5H", 0), land(0, "6H", 0))
    assert document["counts"]["stocks"] == [13, 15]


def test_alternate_colours() -> None:
    """The variant alternate_colours, with all reasons at once."""
    document = score(spit("4D", "KH"), land(0, "5H", 0), land(0, "6S", 0), land(1, "9D", 1), alternate_colours=True)
    assert rulings(document) == [("4D", "illegal", ["same-colour"]), ("5H", "legal", []),
                                 ("KH", "illegal", ["not-adjacent", "same-colour"])]


def test_stuck_both_spit_again_or_one_alone() -> None:
    """spit.md#5: who spits alone keeps to one pile."""
    events = [layout([15, 15], [1, 21]), spit("4D", "KH"), spit("8S", player=1, pile=0), spit("9S"),
              spit("2S", player=1, pile=1)]
    document = score(*events)
    assert document["counts"]["piles"] == [3, 2] and document["counts"]["spit"] == [0, 17]
    assert reasons(document) == ["other-spit-pile"]
    assert reasons(score(layout([15, 15], [1, 21]), spit("4D", "KH"), spit("8S", "9S"))) == ["no-spit-left"]
    # An empty place where there is nothing to turn.
    assert score(layout([15, 15], [1, 21]), spit("4D", "KH"), spit(None, "9S"))["counts"]["spit"] == [0, 19]


LADDER = ["5H", "6H", "7H", "8H", "9H", "10H", "JH", "QH", "JS", "10S", "9S", "8S", "7S", "6S", "5S"]


def out_of_stock() -> list[Event]:
    """Give a start after which player 0 has no stock cards, and the piles are 16 and 1."""
    return [spit("4D", "KH"), *(land(0, card, 0) for card in LADDER)]


def test_different_piles_each_gets_the_one_he_slapped() -> None:
    """spit.md#6 spit.md#1."""
    document = score(*out_of_stock(), grab(1, 0, 5000), grab(0, 1, 5010))
    assert [(told["player"], told["verdict"]) for told in document["grabs"]] == [(1, "gets"), (0, "gets")]
    # Player 0: 10 spit cards and pile 1; player 1: 15 stock, 10 spit and 16 of pile 0.
    assert document["counts"] == {"stocks": [11, 15], "spit": [0, 26], "piles": [0, 0], "played": [15, 0],
                                  "one_pile": True}


def test_on_one_pile_the_hand_underneath_gets_it() -> None:
    """spit.md#6."""
    start = out_of_stock()
    document = score(*start, grab(1, 1, 5000), grab(0, 1, 5005, under=(1,)))
    assert [(told["player"], told["verdict"]) for told in document["grabs"]] == [(1, "other-pile"), (0, "gets")]
    document = score(*start, grab(1, 1, 5000), grab(0, 1, 5100))
    assert [(told["player"], told["verdict"]) for told in document["grabs"]] == [(1, "gets"), (0, "other-pile")]
    assert document["counts"]["stocks"] == [15, 15] and document["counts"]["spit"] == [11, 11]
    document = score(*start, grab(1, 1, 5000), grab(0, 1, 5005))
    assert [told["verdict"] for told in document["grabs"]] == ["too-close", "too-close"]
    assert document["counts"]["piles"] == [16, 1]
    number = len(start) + 2
    document = score(*start, grab(1, 1, 5000), grab(0, 1, 5005), {"type": "decide", "event": number, "player": 1})
    assert document["counts"]["stocks"] == [15, 15] and document["counts"]["piles"] == [0, 0]


def test_grabbing_while_both_have_cards_is_flagged() -> None:
    """spit.md#6."""
    assert reasons(score(spit("4D", "KH"), grab(0, 1, 100))) == ["grab-too-early"]


def test_a_new_layout_is_compared_with_what_was_counted() -> None:
    """spit.md#6: each adds what he has left."""
    start = [*out_of_stock(), grab(1, 0, 5000), grab(0, 1, 5010)]
    assert reasons(score(*start, layout([11, 15], [0, 26]))) == []
    assert reasons(score(*start, layout([13, 15], [0, 24]))) == ["other-totals"]
    document = score_record([match("spit"), *start, layout([11, 15], [0, 25])])
    assert reasons(document) == ["not-all-cards"]


def test_fewer_than_fifteen_cards_lay_as_far_as_they_go() -> None:
    """spit.md#7: no spit cards, and one spit pile."""
    document = score(layout([11, 15], [0, 26]))
    assert reasons(document) == [] and document["counts"]["one_pile"] is True
    assert reasons(score(layout([10, 15], [1, 26]))) == ["wrong-layout"]


def test_with_one_pile_the_first_out_takes_nothing() -> None:
    """spit.md#8: the other takes the pile and the first without any card has won."""
    start = [layout([1, 15], [0, 36]), spit("4D", player=1, pile=0)]
    document = score(*start, land(0, "5H", 0))
    assert document["match"]["winner"] == 0 and document["state"]["phase"] == "over"
    # The other one is out of stock first and has spit cards left.
    start = [layout([14, 15], [0, 23]), spit("4D", player=1, pile=0)]
    document = score(*start, *(land(1, card, 0) for card in LADDER))
    assert document["counts"]["stocks"] == [15, 15] and document["counts"]["spit"] == [15, 7]
    assert document["match"]["winner"] is None


def test_who_is_out_first_chooses() -> None:
    """The variant choose_pile."""
    document = score(*out_of_stock(), grab(1, 1, 4000), grab(0, 1, 5100), choose_pile=True)
    assert [(told["player"], told["verdict"]) for told in document["grabs"]] == [(1, "other-pile"), (0, "gets")]


def test_two_cards_landing_on_one_pile() -> None:
    """spit.md#3: which touched first, and whether the second was legal on the first."""
    start = [spit("8D", "KH")]
    # Clear by time, whatever the order of the record.
    document = score(*start, land(1, "7H", 0, 2100), land(0, "9C", 0, 2000))
    assert rulings(document) == [("9C", "illegal", ["not-adjacent"]), ("8D", "legal", [])]
    # Within the error, and it matters.
    document = score(*start, land(0, "9C", 0, 2000), land(1, "7H", 0, 2010))
    assert [(ruling, why) for _, ruling, why in rulings(document)] == [("too-close", ["order-open"])] * 2
    document = score(*start, land(0, "9C", 0, 2000), land(1, "7H", 0, 2010),
                     {"type": "decide", "event": 4, "player": 1})
    assert [(told["on"], told["ruling"], told["reasons"]) for told in document["landings"]] == [
        ("7H", "too-close", ["order-open", "not-adjacent"]), ("8D", "too-close", ["order-open"])]
    assert document["state"]["table"] == ["9C", "KH"]
    # Within the error, and it does not matter: neither fits in any order.
    document = score(*start, land(0, "2C", 0, 2000), land(1, "4H", 0, 2010))
    assert [ruling for _, ruling, _ in rulings(document)] == ["illegal", "illegal"]
    # Two piles are two things.
    document = score(*start, land(0, "9C", 0, 2000), land(1, "QH", 1, 2001))
    assert [ruling for _, ruling, _ in rulings(document)] == ["legal", "legal"]


def test_a_landing_taken_back_leaves_the_pile_as_it_was() -> None:
    """spit.md#3."""
    document = score(spit("8D", "KH"), land(0, "2C", 0), {"type": "undo", "event": 3}, land(1, "9H", 0))
    assert rulings(document) == [("8D", "illegal", ["not-adjacent"]), ("8D", "legal", [])]
    assert document["counts"]["stocks"] == [15, 14]


def test_what_cannot_be_is_flagged_and_goes_on() -> None:
    document = score(land(0, "2C", 0), spit("8D", "KH"), land(1, "8D", 1))
    assert rulings(document)[0] == (None, "illegal", ["nothing-there"])
    assert reasons(document) == ["card-seen-twice"]
    document = score(spit("8D", "KH"), land(1, None, 1), land(0, "9D", 1))
    assert [ruling for _, ruling, _ in rulings(document)] == ["unclear", "unclear"]


def test_the_last_of_several_decisions_holds_for_cards_and_for_grabs() -> None:
    start = [spit("8H", "KH"), land(0, "9C", 0, 100), land(1, "7C", 0, 110)]
    for players, first in (((0, 1), 1), ((1, 0), 0)):
        decisions = [{"type": "decide", "event": 4 - number, "player": player}
                     for number, player in enumerate(players)]
        told = score_record([match("spit"), *start, *decisions])["landings"]
        assert told[first]["on"] == "8H"
    grabs = [layout([1, 15], [25, 11]), spit("8H", "KH"), land(0, "9C", 0), grab(0, 1, 200), grab(1, 1, 205)]
    decisions = [{"type": "decide", "event": 6, "player": 1}, {"type": "decide", "event": 5, "player": 0}]
    counts = score_record([match("spit"), *grabs, *decisions])["counts"]
    assert counts["spit"] == [10, 12]


def test_no_card_is_made_when_more_are_turned_than_there_are() -> None:
    document = score(*(spit("4D", "KH") for _ in range(40)))
    assert document["counts"]["piles"] == [26, 26] and "no-spit-left" in reasons(document)
    # The pile onto which it is turned may be the empty one.
    document = score(*(spit("4D", player=0, pile=0) for _ in range(53)), land(1, "5H", 1))
    assert document["counts"]["piles"] == [51, 1]


def test_what_is_said_between_two_cards_does_not_part_them() -> None:
    """spit.md#3: two cards landed one after the other, whatever was said or taken back meanwhile."""
    start = [spit("8D", "KH"), land(1, "QC", 1), land(0, "9C", 0, 2000)]
    for said in ({"type": "stand", "event": 3}, {"type": "correct", "event": 3, "card": "QS"},
                 {"type": "undo", "event": 3}):
        document = score(*start, said, land(1, "7H", 0, 2010))
        assert [told["ruling"] for told in document["landings"] if told["pile"] == 0] == ["too-close"] * 2
    grabbed = [*out_of_stock(), grab(1, 0, 5000), land(0, "2C", 1), grab(0, 1, 5010)]
    document = score(*grabbed, {"type": "undo", "event": len(grabbed)})
    assert [told["why_code"] for told in document["grabs"]] == ["other-piles", "other-piles"]
