"""Scupuni: every worked example and every rule of its page (games/scupuni.md)."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from rules import capture_game
from rules.cards import ITALIAN_CODES, ITALIAN_DECK, Card, parse_cards
from rules.games import scupuni
from scorer import score_record
from scorer.match import Match, add_hand, new_match
from scorer.points import Pile, points_of
from tests.scorer.hands import dealt, first_play, header, match, played, random_hand


@pytest.mark.parametrize(("table", "play", "ruling", "reasons", "legal_takes", "may_lay", "sweep", "rule"), [
    ("6d 4c Rs", "Rb: Rs", "legal", [], [["Rs"]], False, False, "scupuni.md#5"),
    ("6d 4c Rs", "Rb: 6d 4c", "illegal", ["single-card-precedence"], [["Rs"]], False, False, "scupuni.md#5"),
    ("6d 4c", "Rb: 6d 4c", "legal", [], [["6d", "4c"]], True, True, "scupuni.md#5"),
    ("6d 4c", "Rb", "legal", [], [["6d", "4c"]], True, False, "scupuni.md#7"),
    ("6d 4c", "4b: 4c", "legal", [], [["4c"]], False, False, "scupuni.md#5"),
    ("6d 4c", "4b", "illegal", ["capture-was-due"], [["4c"]], False, False, "scupuni.md#7"),
    ("6d 4c", "9d".replace("9d", "Cd"), "legal", [], [], True, False, "scupuni.md#7"),
    ("6d 4c", "Cd: 6d 4c", "illegal", ["not-a-sum"], [], True, True, "scupuni.md#5"),
    ("4d 4c 2s", "4b: 4d 4c", "illegal", ["more-than-one"], [["4d"], ["4c"]], False, False, "README.md#1"),
    ("7d 2c 5s 4b", "Cc: 7d 2c", "legal", [], [["7d", "2c"], ["5s", "4b"]], True, False, "scupuni.md#5"),
])
def test_plays(table: str, play: str, ruling: str, reasons: list[str], legal_takes: list[list[str]], may_lay: bool,
               sweep: bool, rule: str) -> None:
    """scupuni.md#5 scupuni.md#6 scupuni.md#7 and README.md#1."""
    told = first_play("scupuni", table, play)
    assert (told["ruling"], told["reasons"], told["rule"]) == (ruling, reasons, rule)
    assert (told["legal_takes"], told["may_lay"], told["sweep"]) == (legal_takes, may_lay, sweep)


def test_ten_cards_each_and_none_on_the_table() -> None:
    """scupuni.md#1 scupuni.md#2 scupuni.md#3 scupuni.md#4: the player at the dealer's right begins."""
    state = score_record([match("scupuni", 4, dealer=2), dealt()])["state"]
    assert (state["hand_sizes"], state["stock"], state["turn"], state["sides"]) == (
        [10, 10, 10, 10], 0, 3, [[0, 2], [1, 3]])
    assert [flag["reason"] for flag in score_record([match("scupuni", 4), dealt("7d")])["flags"]] == ["long-deal"]


def test_the_dealers_fortieth_card_is_no_scopa() -> None:
    """scupuni.md#8: the cards are taken, no point; any other player's sweep counts."""
    swept = {True: 0, False: 0}
    for seed in range(40):
        events = [match("scupuni", 4), *random_hand("scupuni", random.Random(seed), 4)]
        table = score_record(events[:-2])["state"]["table"]
        events[-2] = {**events[-2], "takes": table}
        document = score_record(events)
        if table:
            last = document["plays"][-1]
            assert last["player"] == 0 and last["sweep"] is False
            assert document["state"]["table"] == []
            swept[False] += 1
        swept[True] += any(told["sweep"] for told in document["plays"])
    assert swept[False] > 10 and swept[True] > 10


def test_an_earlier_sweep_counts_when_the_fortieth_card_takes_nothing() -> None:
    """scupuni.md#8 scupuni.md#6."""
    codes = [code for code in ITALIAN_CODES if code not in ("1d", "1c", "Rb", "Cb", "Fb", "7b")]
    events = [match("scupuni", 4), dealt()]
    # Thirty-four cards that people let lie or take as they like, then a sweep with the 36th card by the dealer.
    events += [played(None, code) for code in codes]
    events += [played(None, f"Rb: {' '.join(codes)}"), played(None, "1d"), played(None, "1c: 1d"), played(None, "Cb"),
               played(None, "Fb"), played(None, "7b"), {"type": "end"}]
    document = score_record(events)
    assert [told["event"] for told in document["plays"] if told["sweep"]] == [37, 39]
    assert document["hands"][0]["sides"][0]["sweeps"] == 2 - sum(
        told["player"] % 2 for told in document["plays"] if told["sweep"])


def count(a: str, b: str, sweeps: tuple[int, int] = (0, 0)) -> list[dict[str, int]]:
    award = points_of(header("scupuni", 4), [Pile(parse_cards(a.split()), sweeps=(None,) * sweeps[0]),
                                             Pile(parse_cards(b.split()), sweeps=(None,) * sweeps[1])])
    return [{of_point[side].name: of_point[side].points for of_point in award if of_point[side].points}
            for side in (0, 1)]


def test_primiera_of_the_page() -> None:
    """scupuni.md#9."""
    a, b = count("7d 7s 7b", "2d 2c 2s 2b")
    assert "primiera" in b and "primiera" not in a
    # A has no coppe (d+s+b), B no spade (d+c+b): the higher sum.
    a, b = count("7d 6s 5b", "6d 7c 4b")
    assert "primiera" in a and "primiera" not in b
    a, b = count("7d 6s 5b", "6d 7c 5s".replace("5s", "5b"))
    assert "primiera" not in {**a, **b}


def test_the_hand_of_the_page() -> None:
    """scupuni.md#9: 20-20, 5-5, settebello B, primiera level, scope 2-1: A 2, B 2."""
    a = "1d 2d 5d Fd Rd 1c 3c 4c 6c Cc Rc 7s Fs Rs 4b 6b 7b Fb Cb Rb"
    b = " ".join(code for code in ITALIAN_CODES if code not in a.split())
    assert count(a, b, (2, 1)) == [{"scope": 2}, {"settebello": 1, "scope": 1}]


@pytest.mark.parametrize(("totals", "both_over", "winner"), [
    ((21, 19), "higher_wins", 0), ((20, 20), "higher_wins", None), ((21, 21), "higher_wins", None),
    ((22, 24), "higher_wins", 1), ((22, 24), "play_another_hand", None), ((18, 24), "play_another_hand", 1),
    ((24, 24), "play_another_hand", None),
])
def test_the_first_pair_at_21_wins(totals: tuple[int, int], both_over: str, winner: int | None) -> None:
    """scupuni.md#10."""
    head = header("scupuni", 4, both_over=both_over)
    assert new_match(head) == Match((0, 0), 21, (0, 0))
    assert add_hand(head, new_match(head), totals).winner == winner


def test_talking_loses_the_game() -> None:
    """scupuni.md#11: the match ends for the other pair, with the reason on the record."""
    document = score_record([match("scupuni", 4), dealt(), played(1, "7d"),
                             {"type": "forfeit", "player": 2, "reason": "signalled"}])
    told: dict[str, Any] = document["match"]
    assert told["winner"] == 1 and told["forfeit"] == {"event": 4, "player": 2, "reason": "signalled"}
    assert document["state"]["phase"] == "over" and document["flags"][0]["rule"] == "scupuni.md#11"


def test_the_rest_is_as_in_scopa() -> None:
    """scupuni.md#12: the hand is counted by the same names, and the table goes to whoever captured last."""
    events = [match("scupuni", 4), *random_hand("scupuni", random.Random(1), 4)]
    document = score_record(events)
    assert sum(len(side["captured"]) for side in document["hands"][0]["sides"]) == 40
    assert all(told["ruling"] == "legal" for told in document["plays"])


def test_six_denari_are_needed() -> None:
    """scupuni.md#9: 6 or more, though in a hand that was broken off five can be the most."""
    a, b = count("1d 2d 3d 4d 5d", "6d 7d")
    assert "denari" not in {**a, **b}
    assert count("1d 2d 3d 4d 5d 6d", "7d")[0]["denari"] == 1


@pytest.mark.parametrize(("played_before", "seat", "sweep"), [(35, 0, True), (39, 0, False), (39, 2, True)])
def test_only_the_last_card_of_the_dealer_sweeps_without_a_point(played_before: int, seat: int, sweep: bool) -> None:
    """scupuni.md#8: the 36th card of the dealer counts, and so does a 40th that another player plays out of turn."""
    head = header("scupuni", 4)
    hand, _ = capture_game.deal(scupuni.RULES, head, 0, [], ITALIAN_DECK)
    hand = replace(hand, played=played_before, turn=0, table=parse_cards(["7d"]))
    _, ruling = capture_game.play(scupuni.RULES, head, hand, seat, Card.parse("7c"), parse_cards(["7d"]),
                                  ITALIAN_DECK)
    assert ruling.sweep == sweep
