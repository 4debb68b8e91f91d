"""Scopa: every worked example and every rule of its page (games/scopa.md)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from rules.cards import parse_cards
from scorer import score_record
from scorer.points import Pile, points_of
from tests.scorer.hands import dealt, first_play, header, match, played, random_hand


@pytest.mark.parametrize(("table", "play", "ruling", "reasons", "legal_takes", "rule"), [
    # The worked examples.
    ("4d 3c 7b Rs", "7s: 7b", "legal", [], [["7b"]], "scopa.md#6"),
    ("4d 3c 7b Rs", "7s: 4d 3c", "illegal", ["single-card-precedence"], [["7b"]], "README.md#2"),
    ("4d 3c 1b 2s", "7s: 4d 3c", "legal", [], [["4d", "3c"], ["4d", "1b", "2s"]], "scopa.md#6"),
    ("4d 3c 1b 2s", "7s: 4d 1b 2s", "legal", [], [["4d", "3c"], ["4d", "1b", "2s"]], "scopa.md#6"),
    ("4d 3c 1b 2s", "7s", "illegal", ["capture-was-due"], [["4d", "3c"], ["4d", "1b", "2s"]], "scopa.md#7"),
    ("7d 7c Rs Rc", "7s: 7d", "legal", [], [["7d"], ["7c"]], "scopa.md#6"),
    ("7d 7c Rs Rc", "7s: 7c", "legal", [], [["7d"], ["7c"]], "scopa.md#6"),
    ("7d 7c Rs Rc", "7s: 7d 7c", "illegal", ["more-than-one"], [["7d"], ["7c"]], "README.md#1"),
    ("Rd 6c 4c 2s", "Rb: Rd", "legal", [], [["Rd"]], "scopa.md#6"),
    ("Rd 6c 4c 2s", "Rb: 6c 4c", "illegal", ["single-card-precedence"], [["Rd"]], "README.md#2"),
    # All reasons at once, and cards that do not match at all.
    ("4d 2c 7b Rs", "7s: 4d 2c", "illegal", ["not-a-sum", "single-card-precedence"], [["7b"]], "README.md#2"),
    ("4d 2c Fb Rs", "7s: Fb", "illegal", ["not-a-sum"], [], "README.md#2"),
    ("4d 2c Fb Rs", "7s", "legal", [], [], "scopa.md#6"),
    ("4d 2c Fb Rs", "7s: 5c", "illegal", ["not-on-table", "not-a-sum"], [], "README.md#1"),
])
def test_plays(table: str, play: str, ruling: str, reasons: list[str], legal_takes: list[list[str]],
               rule: str) -> None:
    """scopa.md#6 scopa.md#7 README.md#1 README.md#2 README.md#3 README.md#4."""
    told = first_play("scopa", table, play)
    assert (told["ruling"], told["reasons"], told["rule"]) == (ruling, reasons, rule)
    assert told["legal_takes"] == legal_takes
    assert told["may_lay"] == (not legal_takes)
    assert not told["sweep"]


def test_an_ace_takes_the_ace_that_lies_alone_and_it_is_a_scopa() -> None:
    """scopa.md#8."""
    document = score_record([match(), dealt("1d Rd 2c Fs"), played(1, "Rs: Rd"), played(0, "Fc: Fs"),
                             played(1, "2s: 2c"), played(0, "1s: 1d", marked=True)])
    assert [told["sweep"] for told in document["plays"]] == [False, False, False, True]
    assert document["plays"][-1]["ruling"] == "legal"
    assert document["hands"][0]["sides"][0]["sweeps"] == 1
    assert document["flags"] == []


def test_everything_goes_counter_clockwise() -> None:
    """scopa.md#2: the player at the dealer's right begins, the turn passes to the right, and so does the deal."""
    events = [match(players=3, dealer=1), dealt("4d 3c 1b 2s"), played(None, "Rd"), played(None, "Rs: Rd"),
              played(None, "Fs")]
    assert [told["player"] for told in score_record(events)["plays"]] == [2, 0, 1]
    events += [{"type": "end"}, dealt("4d 3c 1b 2s"), played(None, "Rd")]
    assert score_record(events)["plays"][-1]["player"] == 0


@pytest.mark.parametrize(("players", "sizes", "stock"), [(2, [3, 3], 30), (3, [3, 3, 3], 27), (4, [3, 3, 3, 3], 24)])
def test_three_cards_each_and_four_on_the_table(players: int, sizes: list[int], stock: int) -> None:
    """scopa.md#1 scopa.md#3 scopa.md#5."""
    state = score_record([match(players=players), dealt("4d 3c 1b 2s")])["state"]
    assert (state["hand_sizes"], state["stock"], state["turn"], state["phase"]) == (sizes, stock, 1, "play")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_whole_hand_is_dealt_in_rounds(players: int) -> None:
    """scopa.md#5: 6 rounds of 6, 4 of 9, 3 of 12."""
    events = [match(players=players), *random_hand("scopa", random.Random(players), players)]
    stocks = []
    for cut in range(2, len(events)):
        state = score_record(events[:cut])["state"]
        assert sum(state["hand_sizes"]) + state["stock"] + len(state["table"]) + sum(
            map(len, state["captured"])) == 40
        if not stocks or stocks[-1] != state["stock"]:
            stocks.append(state["stock"])
    assert stocks == list(range(36 - 3 * players, -1, -3 * players))
    document = score_record(events)
    assert all(told["ruling"] == "legal" for told in document["plays"])
    assert document["flags"] == []
    assert document["state"]["phase"] == "deal"


@pytest.mark.parametrize(("table", "options", "flagged"), [
    ("Rd Rc Rs 2b", {}, True), ("Rd Rc Rs Rb", {}, True), ("Rd Rc Fs 2b", {}, False),
    ("1d 1c Rs 2b", {}, False), ("1d 1c Rs 2b", {"asso_piglia_tutto": "scopa"}, True),
    ("1d 3c Rs 2b", {"asso_piglia_tutto": "no_scopa"}, False),
    ("KD KH KS 2C", {}, True),
])
def test_a_misdeal_is_dealt_again_by_the_same_dealer(table: str, options: dict[str, Any], flagged: bool) -> None:
    """scopa.md#4 scopa.md#asso_piglia_tutto."""
    events = [match(**options), dealt(table)]
    assert [flag["reason"] for flag in score_record(events)["flags"]] == ["misdeal"] * flagged
    events += [dealt("4d 3c 1b 2s") if table[1] == "d" else dealt("4D 3C AS 2S")]
    document = score_record(events)
    assert document["state"]["turn"] == 1
    assert len(document["hands"]) == 1


def last_card_sweeps(last_sweep: bool) -> dict[str, Any]:
    """Give a hand in which the very last card empties the table (an illegal play that was let stand)."""
    events = [match(last_sweep=last_sweep), dealt("7d 7c 7s 7b")]
    for rank in "RCF65432":
        for laid, taking in ("dc", "sb"):
            events += [played(None, rank + laid), played(None, f"{rank}{taking}: {rank}{laid}")]
    events += [played(None, "1d"), played(None, "1c: 1d"), played(None, "1s"),
               played(None, "1b: 1s 7d 7c 7s 7b", marked=True), {"type": "end"}]
    return score_record(events)


def test_the_very_last_card_is_no_scopa_unless_the_table_says_so() -> None:
    """scopa.md#8: cards taken, no point; the option last_sweep."""
    document = last_card_sweeps(last_sweep=False)
    assert document["plays"][-1]["sweep"] is False
    assert [flag["reason"] for flag in document["flags"] if flag["event"] == 38] == ["scopa-not-allowed"]
    assert len(document["hands"][0]["sides"][0]["captured"]) == 40
    document = last_card_sweeps(last_sweep=True)
    assert document["plays"][-1]["sweep"] is True
    assert [flag["reason"] for flag in document["flags"] if flag["event"] == 38] == []


def test_what_is_left_goes_to_whoever_captured_last_and_is_no_scopa() -> None:
    """scopa.md#9 README.md#5."""
    document = score_record([match(), dealt("4d 3c Fs 2s"), played(1, "4c: 4d"), played(0, "Rs"), {"type": "end"}])
    sides = document["hands"][0]["sides"]
    assert sides[1]["captured"] == ["4d", "4c", "3c", "Fs", "2s", "Rs"]
    assert sides[0]["captured"] == [] and sides[1]["sweeps"] == 0
    assert [flag["reason"] for flag in document["flags"]] == ["cards-not-played"]


def test_a_hand_without_a_capture_leaves_the_table_to_nobody() -> None:
    """README.md#5."""
    document = score_record([match(), dealt("4d 3c Fs 2s"), played(1, "Rc"), {"type": "end"}])
    assert [side["captured"] for side in document["hands"][0]["sides"]] == [[], []]
    assert [flag["reason"] for flag in document["flags"]] == ["cards-not-played", "nobody-captured"]


def count(*piles: str, sweeps: tuple[int, ...] = (), players: int = 0, **options: Any) -> list[dict[str, int]]:
    """Give the points by name of each side from what it has taken."""
    head = header(players=players or len(piles), **options)
    counted = points_of(head, [
        Pile(parse_cards(pile.split()), sweeps=(None,) * (sweeps[side] if sweeps else 0))
        for side, pile in enumerate(piles)])
    return [{award[side].name: award[side].points for award in counted if award[side].points}
            for side in range(len(piles))]


DENARI = "1d 2d 3d 4d 5d 6d 7d Fd Cd Rd"
COPPE = "1c 2c 3c 4c 5c 6c 7c Fc Cc Rc"
SPADE = "1s 2s 3s 4s 5s 6s 7s Fs Cs Rs"
BASTONI = "1b 2b 3b 4b 5b 6b 7b Fb Cb Rb"


def test_primiera_of_the_page() -> None:
    """scopa.md#13: 70-70 is nobody's; a side with all suits beats three sevens."""
    assert "primiera" not in str(count("7d 6c 1s 5b", "7c 7s 6d Fb"))
    a, b = count("7d 7c 7s", "2d 2c 2s 2b")
    assert "primiera" not in a and b["primiera"] == 1
    # No side has all four: those with the most suits compare.
    a, b = count("7d 7c 7s", "2d 2b")
    assert a["primiera"] == 1
    a, b, c = count("7d 7c", "7s 7b 2c", "Fd Fs Fc")
    assert "primiera" not in {**a, **c} and b["primiera"] == 1
    assert count("", "")[0] == {}


def test_the_hand_of_the_page() -> None:
    """scopa.md#10 scopa.md#11 scopa.md#12 scopa.md#13 scopa.md#14: 20-20, 5-5, settebello A, level, scope 1-2: 2-2."""
    a = "1d 3d 5d 6d 7d 1c 3c 4c Fc Rc 1s 2s 4s 7s Fs Rs 1b 2b 3b 5b"
    b = " ".join(code for code in f"{DENARI} {COPPE} {SPADE} {BASTONI}".split() if code not in a.split())
    assert count(a, b, sweeps=(1, 2)) == [{"settebello": 1, "scope": 1}, {"scope": 2}]


@pytest.mark.parametrize(("piles", "carte", "denari"), [
    ((f"{DENARI} {COPPE} 1s", f"{BASTONI} 2s 3s 4s 5s 6s 7s Fs Cs Rs"), 0, 0),
    ((f"1d 2d 3d 4d 5d {COPPE} 1s 2s 3s 4s 5s", f"6d 7d Fd Cd Rd {BASTONI} 6s 7s Fs Cs Rs"), None, None),
    # Three sides: strictly the most, or none.
    ((f"{DENARI} 1c 2c 3c 4c", "5c 6c 7c Fc Cc Rc 1s 2s 3s 4s 5s 6s 7s", f"{BASTONI} Fs Cs Rs"), 0, 0),
    (("1d 2d 3d 4d 1c", "5d 6d 7d Fd 2c", "Cd Rd"), None, None),
])
def test_carte_and_denari(piles: tuple[str, ...], carte: int | None, denari: int | None) -> None:
    """scopa.md#10 scopa.md#11."""
    points = count(*piles)
    for name, winner in (("carte", carte), ("denari", denari)):
        assert [side for side, of_side in enumerate(points) if name in of_side] == (
            [] if winner is None else [winner])


@pytest.mark.parametrize(("pile", "points"), [
    ("1d 2d 3d 4d 5d", 5), (DENARI, 10), ("1d 2d 3d", 3), ("1d 2d 4d", 0), ("2d 3d 4d", 0), ("1c 2c 3c", 0),
])
def test_napola(pile: str, points: int) -> None:
    """The variant napola: A holds 1 to 5 of denari, not the 6: 5 points."""
    assert count(pile, "Rc", napola=True)[0].get("napola", 0) == points
    assert "napola" not in count(pile, "Rc")[0]


def test_re_bello() -> None:
    """The variant re_bello."""
    assert count("Rd", "Rc", re_bello=True)[0]["re_bello"] == 1
    assert "re_bello" not in count("Rd", "Rc")[0]


@pytest.mark.parametrize(("piles", "winner"), [
    (("7d 7c", "7s 6d 6c 6s"), 0), (("7d 6c", "7s 6d 6s"), 1), (("7d 6c 1d", "7s 6d 1s 1c"), 1),
    (("5d 2c", "5c 2s"), None), (("5d 2c", "5c 2s 2b"), 1), (("4d Rc", "Rs Rb"), 0),
    (("7d 6d", "7s 6c 1d", "7b 7c"), 2), (("7d 6d", "7s 6c 1d", "5b Rc"), 1), (("", ""), None),
])
@pytest.mark.parametrize("option", ["settanta", "primiera_simple"])
def test_settanta(piles: tuple[str, ...], winner: int | None, option: str) -> None:
    """The variant settanta: most sevens, ties by sixes, aces, 5, 4, 3, 2."""
    points = count(*piles, **{option: True})
    assert [side for side, of_side in enumerate(points) if "primiera" in of_side] == (
        [] if winner is None else [winner])
