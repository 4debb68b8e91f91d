from __future__ import annotations

import numpy as np
import pytest

from rules.cards import FRENCH_CODES, ITALIAN_CODES
from vision.rows import order_of, spread_of, suit_columns, with_order, with_runs

SUITS = suit_columns(ITALIAN_CODES)


def card(x: float, y: float, turn_deg: float = 0.0, width: float = 50.0, height: float = 80.0) -> np.ndarray:
    """Return the quad of a card around (x, y), turned clockwise."""
    corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    turn = np.radians(turn_deg)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(corners @ rotation + [x, y], np.float32)


def grid(rows: int, columns: int) -> np.ndarray:
    return np.stack([card(100 + 70 * c, 100 + 110 * r) for r in range(rows) for c in range(columns)])


def upright(count: int) -> np.ndarray:
    return np.zeros(count, bool)


def test_cards_are_read_row_by_row() -> None:
    quads = grid(3, 4)
    shuffled = np.random.default_rng(2).permutation(12)
    spread = spread_of(quads[shuffled], upright(12))
    assert [int(shuffled[i]) for i in spread.order] == list(range(12))
    assert spread.turned_deg == 0
    assert [spread.rows[i] for i in spread.order] == [0] * 4 + [1] * 4 + [2] * 4
    assert [spread.places[i] for i in spread.order] == [0, 1, 2, 3] * 3


def test_rows_that_rise_are_still_rows() -> None:
    quads = grid(3, 6)
    tilt = np.array([[1.0, -0.12], [0.12, 1.0]], np.float32)
    spread = spread_of(quads @ tilt.T, upright(18))
    assert list(spread.order) == list(range(18))


def test_a_gap_in_a_row_leaves_a_place_out() -> None:
    quads = np.delete(grid(1, 6), 2, axis=0)
    assert spread_of(quads, upright(5)).places == (0, 1, 3, 4, 5)


def test_a_photo_on_its_head_is_read_from_the_other_end() -> None:
    spread = spread_of(grid(2, 4), np.ones(8, bool))
    assert spread.turned_deg == 180
    assert list(spread.order) == list(range(7, -1, -1))


def test_a_few_cards_on_their_heads_turn_no_photo() -> None:
    down = np.array([True, False, False, True, False, False, False, False])
    assert spread_of(grid(2, 4), down).turned_deg == 0
    assert spread_of(grid(1, 2), np.ones(2, bool)).turned_deg == 0, "two cards are too few to tell"


@pytest.mark.parametrize(("head", "turned"), [(False, 90), (True, 270)])
def test_a_photo_that_lies_on_its_side(head: bool, turned: int) -> None:
    # Cards lie crosswise, their tops to the left: rows run from below to above.
    quads = np.stack([card(100 + 110 * r, 400 - 70 * c, -90) for r in range(2) for c in range(4)])
    spread = spread_of(quads, np.full(8, head))
    assert spread.turned_deg == turned
    expected = list(range(8)) if not head else list(range(7, -1, -1))
    assert list(spread.order) == expected


def test_nothing_has_no_order() -> None:
    assert spread_of(np.zeros((0, 4, 2)), upright(0)).order == ()


def even(count: int) -> np.ndarray:
    return np.full((count, 40), 1 / 40)


def test_a_suit_in_order_is_seen_though_half_of_it_cannot_be_read() -> None:
    probs = even(10)
    for place in (0, 2, 5, 7, 9):
        probs[place] = 0.3 / 39
        probs[place, 20 + place] = 0.7
    runs = with_runs(probs, range(10), SUITS)
    assert list(runs.argmax(axis=1)) == list(range(20, 30))
    assert runs.max(axis=1).min() > 0.9
    assert np.allclose(runs.sum(axis=1), 1)


def test_a_suit_from_the_king_down_with_a_gap() -> None:
    places = [0, 1, 2, 4, 5]
    probs = even(5)
    for place, code in enumerate(("Rb", "Cb", "Fb", "6b", "5b")):
        probs[place] = 0.4 / 39
        probs[place, ITALIAN_CODES.index(code)] = 0.6
    runs = with_runs(probs, places, SUITS)
    assert [ITALIAN_CODES[i] for i in runs.argmax(axis=1)] == ["Rb", "Cb", "Fb", "6b", "5b"]
    assert runs.max(axis=1).min() > 0.95


def test_cards_in_no_order_keep_what_they_read() -> None:
    probs = np.full((6, 40), 0.02 / 39)
    for place, column in enumerate((3, 30, 12, 8, 27, 19)):
        probs[place, column] = 0.98
    assert np.allclose(with_runs(probs, range(6), SUITS), probs, atol=1e-3)


def test_one_card_out_of_place_is_not_silenced_by_the_rest() -> None:
    probs = np.full((10, 40), 0.0002 / 39)
    for place in range(10):
        probs[place, place] = 0.9998
    probs[4] = 0.0002 / 39
    probs[4, 33] = 0.9998
    runs = with_runs(probs, range(10), SUITS)
    assert runs[4].argmax() in (4, 33)
    assert runs[4, 33] > 0.02, "it stays among the candidates, and is asked about if the two are close"
    assert runs.argmax(axis=1)[5] == 5


def test_three_cards_are_too_few_for_an_order() -> None:
    probs = even(3)
    assert with_runs(probs, range(3), SUITS) is probs


def test_a_named_order_holds_although_cards_were_missed() -> None:
    listed = list(range(40))
    seen = [i for i in listed if i not in (7, 21)]
    probs = np.full((38, 40), 0.3 / 39)
    for row, column in enumerate(seen):
        probs[row, column] = 0.7
    probs[10] = 1 / 40
    assert list(with_order(probs, listed).argmax(axis=1)) == seen


def test_a_named_order_needs_no_reading() -> None:
    assert list(with_order(even(40), list(range(40))).argmax(axis=1)) == list(range(40))


def test_orders_in_words() -> None:
    assert order_of("dcsb", ITALIAN_CODES) == list(ITALIAN_CODES)
    assert order_of("H, 2S 3S", FRENCH_CODES) == [*FRENCH_CODES[:13], "2S", "3S"]
    assert order_of("", ITALIAN_CODES) == []


@pytest.mark.parametrize("text", ["dxsb", "8d", "d 1d", "dd", "1D"])
def test_orders_that_cannot_be(text: str) -> None:
    with pytest.raises(ValueError, match=r"neither|twice"):
        order_of(text, ITALIAN_CODES)
