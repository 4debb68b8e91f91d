from __future__ import annotations

import pytest

from arbitro.errors import UnusableInputError
from arbitro.pile import PileCounter
from rules.cards import ITALIAN_CODES
from rules.options import OptionError

# 21 cards with all the denari of an ordinary good hand: settebello, most cards, most denari, and the better sevens.
GOOD = [code for code in ITALIAN_CODES if code[1] == "d"] + [
    code for code in ITALIAN_CODES if code[0] == "7" and code[1] != "d"
] + [code for code in ITALIAN_CODES if code[1] == "c" and code[0] != "7"][:8]  # fmt: skip


def test_a_good_pile_gets_every_point_that_a_photo_can_tell() -> None:
    counted = PileCounter("scopa", []).points(GOOD, 0, "en")
    assert counted["cards"] == 21
    assert counted["certain"] is True
    assert {point["name"]: point["points"] for point in counted["points"]} == {
        "carte": 1,
        "denari": 1,
        "settebello": 1,
        "primiera": 1,
    }
    assert counted["total"] == 4
    assert next(point["why"] for point in counted["points"] if point["name"] == "carte") == "21-19"


def test_the_other_side_of_it_gets_none() -> None:
    rest = [code for code in ITALIAN_CODES if code not in GOOD]
    assert PileCounter("scopa", []).points(rest, 0, "it")["total"] == 0


def test_unread_cards_make_the_points_uncertain() -> None:
    counted = PileCounter("scopa", []).points(GOOD, 2, "en")
    assert counted["certain"] is False
    assert counted["unread"] == 2


def test_french_cards_are_counted_against_a_french_deck() -> None:
    counted = PileCounter("scopa", []).points(["7D", "AD", "2D", "3D", "4D", "5D"], 0, "en")
    points = {point["name"]: point["points"] for point in counted["points"]}
    assert points["settebello"] == points["denari"] == 1
    assert points["carte"] == 0


def test_options_count() -> None:
    points = PileCounter("scopa", ["napola=yes"]).points(["1d", "2d", "3d", "4d"], 0, "en")["points"]
    assert {point["name"]: point["points"] for point in points}["napola"] == 4


def test_slurp_counts_french_cards_only() -> None:
    counter = PileCounter("slurp", [])
    assert not set(counter.faces) & set(ITALIAN_CODES)
    assert "slurps" not in {point["name"] for point in counter.points(["5H"], 0, "en")["points"]}


def test_pairs_are_counted_as_pairs() -> None:
    assert len(PileCounter("scopa", ["scopone=yes"]).header.sides) == 2
    assert len(PileCounter("scupuni", []).header.sides) == 2


@pytest.mark.parametrize(("game", "options"), [("slapjack", []), ("scoppa", []), ("scopa", ["napolla=yes"])])
def test_what_cannot_be_counted_is_refused(game: str, options: list[str]) -> None:
    with pytest.raises((UnusableInputError, OptionError)):
        PileCounter(game, options)
