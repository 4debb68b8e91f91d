"""Captures by the common rules (games/README.md, Capturing)."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.captures import can_capture, has_sum, legal_captures, sets_with_sum
from rules.cards import FRENCH_40_DECK, ITALIAN_DECK, Card, parse_cards


def takes(card: str, table: str) -> list[str]:
    """Give the captures of a card as texts, one a capture."""
    found = legal_captures(Card.parse(card), parse_cards(table.split()))
    return [" ".join(taken.code for taken in take) for take in found]


@pytest.mark.parametrize(("table", "card", "expected"), [
    ("4d 3c 7b", "7s", ["7b"]),
    ("4d 3c 1b 2s", "7s", ["4d 3c", "4d 1b 2s"]),
    ("7d 7c", "7s", ["7d", "7c"]),
    ("Rd 6c 4c", "Rb", ["Rd"]),
    ("1d", "1s", ["1d"]),
    ("", "7s", []),
    ("5d", "7s", []),
    ("3H JD", "KS", []),
    ("3H 7D", "KS", ["3H 7D"]),
    ("JD QC", "QS", ["QC"]),
    ("1d 2c 3s 4b", "Rc", ["1d 2c 3s 4b"]),
])
def test_worked_tables(table: str, card: str, expected: list[str]) -> None:
    """README.md#1 README.md#2 README.md#3 README.md#4."""
    assert takes(card, table) == expected


def brute_force(table: tuple[Card, ...], total: int, at_least: int) -> set[frozenset[Card]]:
    return {frozenset(chosen)
            for size in range(at_least, len(table) + 1)
            for chosen in combinations(table, size)
            if sum(lying.value for lying in chosen) == total}


tables = st.sampled_from([ITALIAN_DECK, FRENCH_40_DECK]).flatmap(
    lambda deck: st.lists(st.sampled_from(deck), unique=True, max_size=11))


@settings(deadline=None)
@given(tables, st.integers(1, 14), st.integers(1, 3))
def test_sets_with_sum_agree_with_trying_all(table: list[Card], total: int, at_least: int) -> None:
    found = sets_with_sum(table, total, at_least)
    assert {frozenset(take) for take in found} == brute_force(tuple(table), total, at_least)
    assert len(found) == len({frozenset(take) for take in found})
    assert [len(take) for take in found] == sorted(len(take) for take in found)
    assert has_sum(table, total) == bool(brute_force(tuple(table), total, 1))


@settings(deadline=None)
@given(tables, st.sampled_from(ITALIAN_DECK))
def test_a_set_is_only_offered_without_an_equal_card(table: list[Card], card: Card) -> None:
    """README.md#2."""
    found = legal_captures(card, table)
    assert can_capture(card, table) == bool(found)
    if any(lying.value == card.value for lying in table):
        assert all(len(take) == 1 for take in found)
    else:
        assert all(len(take) > 1 for take in found)
    for take in found:
        assert [lying for lying in table if lying in take] == list(take)
