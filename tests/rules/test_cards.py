"""Cards and their codes (games/README.md, Cards)."""

import pytest

from rules.cards import FRENCH_40_CODES, FRENCH_CODES, ITALIAN_CODES, Card, CardCodeError, parse_cards


def test_the_decks_have_their_sizes_and_no_card_twice() -> None:
    assert len(ITALIAN_CODES) == len(set(ITALIAN_CODES)) == 40
    assert len(FRENCH_CODES) == len(set(FRENCH_CODES)) == 52
    assert set(FRENCH_40_CODES) < set(FRENCH_CODES) and len(FRENCH_40_CODES) == 40
    assert not set(ITALIAN_CODES) & set(FRENCH_CODES)


@pytest.mark.parametrize("code", ITALIAN_CODES + FRENCH_CODES)
def test_codes_round_trip(code: str) -> None:
    card = Card.parse(code)
    assert card.code == str(card) == code
    assert Card(card.rank, card.suit) == card


@pytest.mark.parametrize(("code", "value", "italian_suit", "order"), [
    ("1d", 1, "d", 1), ("7d", 7, "d", 7), ("Fc", 8, "c", 8), ("Cs", 9, "s", 9), ("Rb", 10, "b", 10),
    ("AH", 1, "c", 1), ("JD", 8, "d", 11), ("QC", 9, "b", 12), ("KS", 10, "s", 13), ("10D", 10, "d", 10),
])
def test_values_and_suits(code: str, value: int, italian_suit: str, order: int) -> None:
    card = Card.parse(code)
    assert (card.value, card.italian_suit, card.order) == (value, italian_suit, order)


@pytest.mark.parametrize("code", ["", "7", "d", "8d", "7D ", "d7", "1H", "Ad", "11H", "7dd", "FH", None, 7, ["7d"], {}])
def test_anything_else_is_refused(code: object) -> None:
    with pytest.raises(CardCodeError, match="is not a card"):
        Card.parse(code)
    if isinstance(code, list):
        with pytest.raises(CardCodeError):
            parse_cards([code])


@pytest.mark.parametrize(("rank", "suit"), [("", ""), ("7", ""), ("", "d"), ("8", "d"), ("7", "dc")])
def test_a_face_that_no_deck_has_cannot_be_made(rank: str, suit: str) -> None:
    with pytest.raises(CardCodeError):
        Card(rank, suit)
