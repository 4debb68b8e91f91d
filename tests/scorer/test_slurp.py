"""Slurp: every worked example and every rule of its page (games/slurp.md)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from rules.cards import FRENCH_40_CODES, parse_cards
from rules.record import Event
from scorer import score_record
from scorer.match import add_hand, before_hand, new_match
from scorer.points import Pile, points_of
from tests.scorer.hands import dealt, header, match, played, random_hand


def ruled(table: str, play: str) -> dict[str, Any]:
    """Give the ruling of a play on a table that came about in the middle of a hand, so that it may be any table."""
    events: list[Event] = [match("slurp"), dealt(table), played(None, play)]
    if len(table.split()) != 4:
        # Any other number of cards is a short deal, which is flagged and played on from.
        document = score_record(events)
        assert [flag["reason"] for flag in document["flags"]] == ["short-deal"]
    told: dict[str, Any] = score_record(events)["plays"][-1]
    return told


@pytest.mark.parametrize(("table", "play", "ruling", "reasons", "legal_takes", "sweep", "rule"), [
    ("4H 3D 7S KC", "7D: 7S", "legal", [], [["7S"]], False, "slurp.md#2"),
    ("4H 3D 7S KC", "7D: 4H 3D", "illegal", ["single-card-precedence"], [["7S"]], False, "slurp.md#2"),
    ("KD 6H 4C 2S", "KS: KD", "legal", [], [["KD"]], False, "slurp.md#2"),
    ("KD 6H 4C 2S", "KS: 6H 4C", "illegal", ["single-card-precedence"], [["KD"]], False, "slurp.md#2"),
    ("3H JD QC", "AS: 3H JD QC", "legal", [], [["3H", "JD", "QC"]], True, "slurp.md#6"),
    ("3H JD QC", "AS: 3H JD", "illegal", ["not-a-sum"], [["3H", "JD", "QC"]], False, "slurp.md#6"),
    ("3H JD QC", "AS", "illegal", ["capture-was-due"], [["3H", "JD", "QC"]], False, "slurp.md#4"),
    ("AH JD QC", "AS: AH", "legal", [], [["AH"]], False, "slurp.md#6"),
    ("AH JD QC", "AS: AH JD QC", "illegal", ["not-a-sum", "single-card-precedence"], [["AH"]], True, "slurp.md#6"),
    ("AH", "AS: AH", "legal", [], [["AH"]], True, "slurp.md#6"),
    ("5C", "AD: 5C", "legal", [], [["5C"]], True, "slurp.md#6"),
    ("", "AD", "legal", [], [], False, "slurp.md#6"),
    ("2C 3S QD KH", "7D", "legal", [], [], False, "slurp.md#4"),
    ("2C 5S QD KH", "7D", "illegal", ["capture-was-due"], [["2C", "5S"]], False, "slurp.md#4"),
    ("2C 5S AD KH", "JD: 2C 5S AD", "legal", [], [["2C", "5S", "AD"]], False, "slurp.md#2"),
    ("7H 7C QD KH", "7D: 7H 7C", "illegal", ["more-than-one"], [["7H"], ["7C"]], False, "slurp.md#2"),
])
def test_plays(table: str, play: str, ruling: str, reasons: list[str], legal_takes: list[list[str]], sweep: bool,
               rule: str) -> None:
    """slurp.md#2 slurp.md#4 slurp.md#5 slurp.md#6."""
    told = ruled(table, play)
    assert (told["ruling"], told["reasons"], told["rule"]) == (ruling, reasons, rule)
    assert told["legal_takes"] == legal_takes and told["may_lay"] == (not legal_takes)
    assert told["sweep"] == sweep


def test_two_aces_among_the_four_are_dealt_again_by_the_same_dealer() -> None:
    """slurp.md#1."""
    events = [match("slurp"), dealt("AH AD 3C KS")]
    assert [flag["reason"] for flag in score_record(events)["flags"]] == ["misdeal"]
    state = score_record([*events, dealt("2H AD 3C KS")])["state"]
    assert (state["turn"], state["dealer"], state["hand_sizes"], state["stock"]) == (1, 0, [3, 3], 30)


def test_a_gioco_is_six_manche() -> None:
    """slurp.md#2 slurp.md#3 slurp.md#8: the opponent opens; three cards more each, until the deck is used up."""
    rest = [rank + suit for rank in ["7", "6", "5", "4", "J", "Q", "K", "3", "2"] for suit in "HDCS"]
    table, rest = rest[:4], rest[4:]
    events = [match("slurp"), dealt(" ".join(table))]
    for laid, taking in zip(rest[::2], rest[1::2], strict=True):
        events += [played(None, laid), played(None, f"{taking}: {laid}")]
    # The four sevens lie there still when the aces come.
    events += [played(None, f"AH: {' '.join(table)}", marked=True), played(None, "AD"),
               played(None, "AC: AD", marked=True), played(None, "AS"), {"type": "end"}]
    document = score_record(events)
    assert len(document["plays"]) == 36 and document["plays"][0]["player"] == 1
    assert all(told["ruling"] == "legal" for told in document["plays"])
    assert [side["sweeps"] for side in document["hands"][0]["sides"]] == [0, 2]
    # The last ace lies there and goes to whoever captured last: 4 sevens, 6 aces and sevens, and the one left.
    assert len(document["hands"][0]["sides"][1]["captured"]) == 8
    assert document["flags"] == []


def test_the_very_last_card_of_the_gioco_scores() -> None:
    """slurp.md#5: unlike scopa."""
    for seed in range(3):
        events = [match("slurp"), *random_hand("slurp", random.Random(seed))]
        last = score_record(events)["plays"][-1]
        table = score_record(events[:-2])["state"]["table"]
        events[-2] = {**events[-2], "takes": table}
        if table:
            assert score_record(events)["plays"][-1]["sweep"] is True
        assert last["event"] == 38


def test_markers_that_differ_are_flagged() -> None:
    """slurp.md#7: face-up markers must equal the Slurp points."""
    events = [match("slurp"), dealt("AH 7D"), played(1, "7S: 7D"), played(0, "AS: AH", marked=False)]
    assert [flag["reason"] for flag in score_record(events)["flags"]] == ["short-deal", "scopa-not-marked"]
    events[-1] = played(0, "AS: AH", marked=True)
    assert [flag["reason"] for flag in score_record(events)["flags"]] == ["short-deal"]
    events[-2] = played(1, "7S: 7D", marked=True)
    assert [flag["reason"] for flag in score_record(events)["flags"]] == ["short-deal", "scopa-not-allowed"]


def test_what_is_left_goes_to_whoever_captured_last() -> None:
    """slurp.md#9: no Slurp point for that."""
    document = score_record([match("slurp"), dealt("2H 3D QC KS"), played(1, "2D: 2H"), played(0, "5S"),
                             {"type": "end"}])
    side = document["hands"][0]["sides"][1]
    assert side["captured"] == ["2H", "2D", "3D", "QC", "KS", "5S"] and side["sweeps"] == 0


def count(pile: str, slurps: tuple[int, int] = (0, 0)) -> tuple[dict[str, int], dict[str, int]]:
    """Give the points of both when A holds these cards and B all others."""
    own = pile.split()
    rest = [code for code in FRENCH_40_CODES if code not in own]
    piles = [Pile(parse_cards(own), sweeps=(None,) * slurps[0]), Pile(parse_cards(rest), sweeps=(None,) * slurps[1])]
    award = points_of(header("slurp"), piles)
    a, b = ({of_point[side].name: of_point[side].points for of_point in award} for side in (0, 1))
    return a, b


TWENTY_A = "7H 7D 6H 6C 5H AD 2D 3D 4D JH JC JS QH QC KH AC 2C 3C AS 2S"


def test_the_gioco_of_the_page() -> None:
    """slurp.md#10: sevens 2-2 A has 6H; diamonds 5-5 B 6D; figures 6-6 A 6C; cards 20-20 B 6S; 5H A: 3-2."""
    a, b = count(TWENTY_A)
    assert a == {"sevens": 1, "diamonds": 0, "figures": 1, "cards": 0, "five_of_hearts": 1, "slurps": 0}
    assert b == {"sevens": 0, "diamonds": 1, "figures": 0, "cards": 1, "five_of_hearts": 0, "slurps": 0}


@pytest.mark.parametrize(("pile", "name", "points"), [
    ("7H 7D 7C", "sevens", (1, 0)), ("7H", "sevens", (0, 1)), ("7H 7D 6H", "sevens", (1, 0)),
    ("7H 7D", "sevens", (0, 1)), ("AD 2D 3D 4D 5D 6D", "diamonds", (1, 0)), ("AD 2D 3D 4D 5D", "diamonds", (0, 1)),
    ("AD 2D 3D 4D 6D", "diamonds", (1, 0)), ("JH JD JC JS QH QD QC", "figures", (1, 0)),
    ("JH JD JC JS QH QD 6C", "figures", (1, 0)), ("JH JD JC JS QH QD", "figures", (0, 1)),
    ("5H", "five_of_hearts", (1, 0)), ("", "five_of_hearts", (0, 1)), ("", "cards", (0, 1)),
    (" ".join(FRENCH_40_CODES[:21]), "cards", (1, 0)), (" ".join(FRENCH_40_CODES[:20]), "cards", (0, 1)),
    (" ".join([*FRENCH_40_CODES[:19], "6S"]), "cards", (1, 0)),
])
def test_deck_points(pile: str, name: str, points: tuple[int, int]) -> None:
    """slurp.md#10 slurp.md#10a slurp.md#10b slurp.md#10c slurp.md#10d slurp.md#10e."""
    a, b = count(pile)
    assert (a[name], b[name]) == points
    assert sum(a.values()) + sum(b.values()) == 5


def test_slurp_points_are_added() -> None:
    a, b = count(TWENTY_A, (2, 1))
    assert a["slurps"] == 2 and b["slurps"] == 1 and sum(a.values()) + sum(b.values()) == 8


def test_nobody_captured_anything() -> None:
    """slurp.md#10: points whose cards nobody holds are not awarded, and the record says so."""
    document = score_record([match("slurp"), dealt("2H 3D QC KS"), played(1, "6D"), {"type": "end"}])
    assert [side["total"] for side in document["hands"][0]["sides"]] == [0, 0]
    assert [flag["args"]["name"] for flag in document["flags"] if flag["reason"] == "point-not-awarded"] == [
        "sevens", "diamonds", "figures", "cards", "five_of_hearts"]


def totals_after(*points: tuple[int, int], **options: Any) -> dict[str, Any]:
    """Give the match after hands with these points, through the same steps as a record takes."""
    head = header("slurp", **options)
    state = new_match(head)
    for of_hand in points:
        state = add_hand(head, before_hand(state), of_hand)
    return {"totals": list(state.totals), "partite": list(state.partite), "winner": state.winner,
            "partita_winner": state.partita_winner}


def test_a_partita_goes_on_while_it_is_level() -> None:
    """slurp.md Frame: 16-16 play on, 17-16 after the next is won."""
    level = totals_after((16, 16))
    assert level == {"totals": [16, 16], "partite": [0, 0], "winner": None, "partita_winner": None}
    won = totals_after((16, 16), (1, 0))
    assert won == {"totals": [17, 16], "partite": [1, 0], "winner": None, "partita_winner": 0}
    assert totals_after((16, 16), (1, 0), (2, 3))["totals"] == [2, 3]
    assert totals_after((14, 14))["partite"] == [0, 0]


def test_a_torneo_goes_to_the_first_with_three_partite() -> None:
    """slurp.md Frame."""
    assert totals_after((15, 0), (0, 15), (15, 0))["winner"] is None
    assert totals_after((15, 0), (0, 15), (15, 0), (15, 3))["winner"] == 0
    assert totals_after((15, 0), partite=1)["winner"] == 0


def test_the_players_take_turns_as_dealer() -> None:
    """slurp.md Frame: Gioco by Gioco."""
    events = [match("slurp"), *random_hand("slurp", random.Random(5)),
              *random_hand("slurp", random.Random(6), dealer=1)]
    document = score_record(events)
    assert [hand["dealer"] for hand in document["hands"]] == [0, 1]
    assert all(told["ruling"] == "legal" for told in document["plays"])
    assert document["match"]["totals"] == [
        sum(hand["sides"][side]["total"] for hand in document["hands"]) for side in (0, 1)]
