"""The variants and options of Scopa (games/scopa.md, Variants and rule 15)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from rules.cards import parse_cards
from scorer import score_record
from scorer.match import add_hand, first_home, new_match
from scorer.points import Pile, points_of, primiera
from tests.scorer.hands import dealt, first_play, header, match, played, random_hand


@pytest.mark.parametrize(("variant", "table", "play", "ruling", "reasons", "legal_takes"), [
    ("scopa", "4d 3c 2b Rs", "1s: 4d 3c 2b Rs", "legal", [], [["4d", "3c", "2b", "Rs"]]),
    ("no_scopa", "4d 3c 2b Rs", "1s: 4d 3c 2b Rs", "legal", [], [["4d", "3c", "2b", "Rs"]]),
    ("scopa", "4d 3c 2b Rs", "1s: 4d 3c", "illegal", ["not-a-sum"], [["4d", "3c", "2b", "Rs"]]),
    ("scopa", "4d 3c 2b Rs", "1s", "illegal", ["capture-was-due"], [["4d", "3c", "2b", "Rs"]]),
    ("scopa", "4d 1c 2b Rs", "1s: 1c", "legal", [], [["1c"]]),
    ("scopa", "4d 1c 2b Rs", "1s: 4d 1c 2b Rs", "illegal", ["not-a-sum", "single-card-precedence"], [["1c"]]),
    ("no", "4d 3c 2b Rs", "1s", "legal", [], []),
    ("no", "4d 3c 2b Rs", "1s: 4d 3c 2b Rs", "illegal", ["not-a-sum"], []),
    # Traditionally not with the first card of a hand.
    ("traditional", "4d 3c 2b Rs", "1s", "legal", [], []),
    ("traditional", "4d 3c 2b Rs", "1s: 4d 3c 2b Rs", "illegal", ["not-a-sum"], []),
])
def test_an_ace_takes_everything(variant: str, table: str, play: str, ruling: str, reasons: list[str],
                                 legal_takes: list[list[str]]) -> None:
    """scopa.md#asso_piglia_tutto."""
    told = first_play("scopa", table, play, asso_piglia_tutto=variant)
    assert (told["ruling"], told["reasons"], told["legal_takes"]) == (ruling, reasons, legal_takes)


@pytest.mark.parametrize(("variant", "all_scores", "alone_scores"), [
    ("scopa", True, True), ("no_scopa", False, True), ("traditional", True, True)])
def test_whether_the_ace_makes_a_scopa(variant: str, all_scores: bool, alone_scores: bool) -> None:
    """scopa.md#asso_piglia_tutto: with or without a point; an ace that lay alone is a scopa; on nothing it is laid."""
    events = [match(asso_piglia_tutto=variant), dealt("4d 3c 2b Rs"), played(None, "Fs"),
              played(None, "1s: 4d 3c 2b Rs Fs"), played(None, "1c"), played(None, "1b: 1c"), played(None, "1d")]
    told = score_record(events)["plays"]
    assert [of_play["ruling"] for of_play in told] == ["legal"] * 5
    assert [of_play["sweep"] for of_play in told] == [False, all_scores, False, alone_scores, False]
    assert told[1]["rule"] == "scopa.md#asso_piglia_tutto"


@pytest.mark.parametrize(("table", "play", "ruling", "reasons", "legal_takes"), [
    ("5d 3c 7b Rs", "5s: Rs", "legal", [], [["Rs"], ["3c", "7b"]]),
    ("5d 3c 7b Rs", "5s: 3c 7b", "legal", [], [["Rs"], ["3c", "7b"]]),
    ("5d 3c 7b Rs", "5s: 5d", "illegal", ["not-a-sum"], [["Rs"], ["3c", "7b"]]),
    ("5d 3c 7b Rs", "5s", "illegal", ["capture-was-due"], [["Rs"], ["3c", "7b"]]),
    ("5d 3c 7b Rs", "Rd: 5d", "legal", [], [["5d"]]),
    ("2d 3c 7b Rs", "Fd: 7b", "legal", [], [["7b"]]),
    ("2d 3c Rb Rs", "Fd", "legal", [], []),
])
def test_fifteen(table: str, play: str, ruling: str, reasons: list[str], legal_takes: list[list[str]]) -> None:
    """scopa.md#scopa_di_quindici: the card and what it takes sum to 15; no precedence of the equal card."""
    told = first_play("scopa", table, play, scopa_di_quindici=True)
    assert (told["ruling"], told["reasons"], told["legal_takes"]) == (ruling, reasons, legal_takes)


@pytest.mark.parametrize(("options", "table", "sizes", "flags"), [
    ({"scopone": "9+4"}, "4d 3c 2b Rs", 9, []), ({"scopone": "10+0"}, "", 10, []),
    ({"scopone": True}, "4d 3c 2b Rs", 9, []), ({"scopone": True}, "", 10, []),
    ({"scopone_scientifico": True}, "", 10, []), ({"scopone": "9+4"}, "4d 3c 2b", 9, ["short-deal"]),
    ({"scopone_scientifico": True}, "4d 3c 2b Rs", 9, ["long-deal"]),
])
def test_scopone(options: dict[str, Any], table: str, sizes: int, flags: list[str]) -> None:
    """scopa.md#scopone: one round, pairs, target 21."""
    document = score_record([match(players=4, **options), dealt(table)])
    assert document["state"]["hand_sizes"] == [sizes] * 4 and document["match"]["target"] == 21
    assert document["state"]["sides"] == [[0, 2], [1, 3]]
    assert [flag["reason"] for flag in document["flags"]] == flags


@pytest.mark.parametrize("scopone", ["9+4", "10+0"])
def test_a_hand_of_scopone(scopone: str) -> None:
    """scopa.md#scopone: the last card of the hand is the dealer's."""
    for seed in range(6):
        events = [match(players=4, scopone=scopone), *random_hand("scopa", random.Random(seed), 4, scopone=scopone)]
        document = score_record(events)
        last = document["plays"][-1]
        assert last["player"] == 0 and not last["sweep"] and document["flags"] == []
        assert sum(len(side["captured"]) for side in document["hands"][0]["sides"]) == 40


def test_pairs_pool_their_captures() -> None:
    """scopa.md#team scopa.md#1."""
    events = [match(players=4, team=True), dealt("4d 3c 2b Rs"), played(1, "4c: 4d"), played(2, "Cs"),
              played(3, "3d: 3c"), played(0, "2d: 2b")]
    assert [side["captured"] for side in score_record(events)["hands"][0]["sides"]] == [
        ["2b", "2d"], ["4d", "4c", "3c", "3d"]]
    assert len(score_record([match(players=4), *events[1:]])["hands"][0]["sides"]) == 4


@pytest.mark.parametrize(("target", "totals", "winner"), [
    (11, (11, 10), 0), (11, (10, 10), None), (11, (12, 12), None), (11, (11, 13), 1), (16, (15, 3), None),
    (16, (16, 3), 0), (21, (21, 20), 0), (31, (30, 31), 1), (5, (5, 0), 0), (11, (11, 11, 4), None),
    (11, (4, 12, 11), 1),
])
def test_the_match(target: int, totals: tuple[int, ...], winner: int | None) -> None:
    """scopa.md#15: to 11, 16, 21, 31 or any number; if the leaders are level, another hand."""
    head = header(players=len(totals), target=target)
    assert add_hand(head, new_match(head), totals).winner == winner


def test_first_past_the_post() -> None:
    """scopa.md#15: scope as made, then carte, denari, settebello, primiera; the first to get there wins at once."""
    head = header(target=3, first_past_the_post=True)
    start = add_hand(head, new_match(head), (2, 2))
    # A makes the first scopa; B would have got more in the end.
    assert first_home(head, start, [0, 1], [[0, 1], [0, 1], [0, 1], [0, 1]]) == 0
    assert first_home(head, start, [], [[0, 1], [1, 0], [1, 0], [1, 0]]) == 1
    assert first_home(head, start, [], [[0, 0], [1, 0], [0, 1], [0, 1]]) == 0
    assert first_home(head, start, [], [[0, 0], [0, 0]]) is None


def test_a_scopa_wins_at_once() -> None:
    """scopa.md#15: in the middle of the hand."""
    events = [match(target=1, first_past_the_post=True), dealt("1d Rd 2c Fs"), played(1, "Rs: Rd"),
              played(0, "Fc: Fs"), played(1, "2s: 2c"), played(0, "1s: 1d")]
    assert score_record(events)["match"]["winner"] == 0
    assert score_record(events)["state"]["phase"] == "over"
    assert score_record([match(target=1), *events[1:]])["match"]["winner"] is None


def test_the_other_book() -> None:
    """The preset scopa-bga: fewest cards, primiera of any suits, the traditional ace."""
    told = first_play("scopa", "4d 3c 1b 2s", "7s: 4d 1b 2s", preset="scopa-bga")
    assert (told["ruling"], told["reasons"], told["legal_takes"]) == ("illegal", ["fewest-cards"], [["4d", "3c"]])
    told = first_play("scopa", "4d 3c 1b 2s", "7s: 4d 3c", preset="scopa-bga")
    assert told["ruling"] == "legal"
    told = first_play("scopa", "4d 3c 1b 2s", "7s: 4d 1b 2s", preset="scopa")
    assert told["ruling"] == "legal"
    head = header(preset="scopa-bga")
    # Three sevens are 63, four twos 48: without the test of four suits the sevens win.
    piles = [Pile(parse_cards(["7d", "7c", "7s"])), Pile(parse_cards(["2d", "2c", "2s", "2b"]))]
    assert [point.points for point in primiera(head, piles)] == [1, 0]
    assert [point.points for point in primiera(header(), piles)] == [0, 1]


def test_french_cards_stand_for_italian_ones() -> None:
    """README.md: denari are diamonds, coppe hearts, spade spades, bastoni clubs; jack 8, queen 9."""
    told = first_play("scopa", "JD 3H 2C KS", "JS: JD")
    assert told["ruling"] == "legal"
    award = points_of(header(napola=True, re_bello=True), [Pile(parse_cards(["7D", "AD", "2D", "3D", "KD"])), Pile(())])
    assert {of_point[0].name: of_point[0].points for of_point in award} == {
        "carte": 0, "denari": 1, "settebello": 1, "primiera": 1, "scope": 0, "napola": 3, "re_bello": 1}


def test_a_deal_that_is_wrong_in_several_ways_is_told_all_of_them() -> None:
    """scopa.md#4 and scopa.md#asso_piglia_tutto."""
    deal = {"type": "deal", "table": ["Rd", "Rc", "Rs", "1d", "1c"]}
    document = score_record([match(asso_piglia_tutto="scopa"), deal])
    assert [(flag["reason"], flag["rule"]) for flag in document["flags"]] == [
        ("long-deal", "scopa.md#3"), ("misdeal", "scopa.md#4"), ("misdeal", "scopa.md#asso_piglia_tutto")]
