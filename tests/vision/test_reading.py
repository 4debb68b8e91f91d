from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rules.cards import FRENCH_40_CODES
from tests.vision.builders import (
    CARD_BGR,
    detections,
    find_colours,
    log_probs_of,
    painted_table,
    quad,
    tiny_models,
)
from vision.classifier import Readings
from vision.detections import BACK
from vision.models import Models
from vision.reading import CardReader, PictureReading, read_together, which_deck

HW = (1000, 1000)


def spread(count: int) -> list[np.ndarray]:
    return [quad(100 + 110 * i, 300, 60, 96) for i in range(count)]


def read(
    *readings: dict[str, float],
    quads: list[np.ndarray] | None = None,
    scores: list[float] | None = None,
    class_ids: list[int] | None = None,
    **options: object,
) -> PictureReading:
    count = len(readings)
    made = Readings(
        log_probs_of(*readings), np.ones((count, 2), np.float32), np.zeros(count, bool), np.zeros(count, bool)
    )
    return read_together(detections(quads or spread(count), scores, class_ids), made, HW, **options)


def test_sure_readings_are_read() -> None:
    reading = read({"7d": 0.99}, {"Fc": 0.97}, {"1b": 0.9})
    assert reading.codes == ["7d", "Fc", "1b"]
    assert reading.deck == "italian"
    assert reading.warnings == ()
    assert all(card.confidence > 0.85 and card.face == "up" for card in reading.cards)
    assert reading.size == (1000, 1000)


def test_a_doubtful_card_is_listed_with_its_candidates_and_not_guessed() -> None:
    reading = read({"7d": 0.99}, {"6c": 0.5, "7c": 0.45})
    assert reading.codes == ["7d"]
    doubtful = reading.cards[1]
    assert doubtful.card is None
    assert [code for code, _ in doubtful.candidates[:2]] == ["6c", "7c"]
    assert doubtful.confidence == doubtful.candidates[0][1] < 0.6
    assert [(remark.code, remark.args) for remark in reading.warnings] == [("unread", (1,))]


def test_a_card_is_read_that_is_likelier_right_than_wrong_and_has_no_rival() -> None:
    assert read({"7d": 0.99}, {"6c": 0.6, "7c": 0.2}).codes == ["7d", "6c"]
    assert read({"7d": 0.99}, {"6c": 0.42, "7c": 0.1}).codes == ["7d"]


def test_the_other_cards_resolve_a_doubt() -> None:
    """What is surely elsewhere cannot be this card."""
    reading = read({"6c": 0.995}, {"6c": 0.5, "7c": 0.48})
    assert reading.codes == ["6c", "7c"]


def test_one_box_seen_twice_is_one_card() -> None:
    near = [quad(300, 300), quad(310, 315)]
    assert read({"7d": 0.99}, {"7d": 0.98}, quads=near, scores=[0.8, 0.7]).codes == ["7d"]
    apart = [quad(300, 300), quad(600, 300)]
    both = read({"7d": 0.98}, {"7d": 0.98}, quads=apart)
    assert both.codes == [], "which of two equal readings is wrong cannot be told"
    assert len(both.cards) == 2


def test_the_deck_is_found_by_vote_and_helps_to_read() -> None:
    reading = read({"7H": 0.9}, {"KS": 0.95}, {"QD": 0.9}, {"AC": 0.5, "1b": 0.45})
    assert reading.deck == "french"
    assert reading.codes == ["7H", "KS", "QD", "AC"]
    assert read({"AC": 0.5, "1b": 0.45}).deck is None
    assert read({"AC": 0.5, "1b": 0.45}, deck="italian").codes == ["1b"]


def test_only_faces_of_the_game_are_read() -> None:
    reading = read({"7H": 0.6, "8H": 0.38}, {"KS": 0.99}, faces=FRENCH_40_CODES)
    assert [card.card for card in reading.cards] == ["7H", "KS"]
    eight = read({"8H": 0.95}, {"KS": 0.99}, faces=FRENCH_40_CODES)
    assert eight.codes == ["KS"], "a face that cannot be there is not turned into one that can"
    with pytest.raises(ValueError, match="belongs to a deck"):
        read({"7H": 0.9}, faces=["7d"], deck="french")


def test_backs_lie_face_down_unless_a_face_is_plain_to_see() -> None:
    reading = read({"none": 0.99}, {"7d": 0.99}, {"5c": 0.7}, class_ids=[BACK, BACK, BACK])
    assert len(reading.backs) == 2
    assert all(card.card is None and card.face == "down" for card in reading.backs)
    assert reading.codes == ["7d"]


def test_a_weak_box_of_nothing_is_no_card_and_a_strong_one_is_an_unread_card() -> None:
    reading = read({"7d": 0.99}, {"none": 0.97}, {"none": 0.97}, scores=[0.9, 0.4, 0.9])
    assert [card.card for card in reading.cards] == ["7d", None]


def test_a_box_of_low_score_is_a_card_if_a_face_is_read_in_it() -> None:
    reading = read(
        {"7d": 0.95}, {"6d": 0.95}, {"5d": 0.5}, {"none": 0.9}, {"none": 0.9},
        scores=[0.9, 0.2, 0.2, 0.2, 0.2], class_ids=[0, 0, 0, 0, BACK], strong=0.35,
    )  # fmt: skip
    assert [card.card for card in reading.cards] == ["7d", "6d"]
    assert reading.backs == ()


def test_cards_cut_by_the_border_and_tiny_cards_are_flagged() -> None:
    reading = read(
        {"7d": 0.99},
        {"6d": 0.99},
        {"5d": 0.99},
        quads=[quad(10, 200), quad(500, 500, 20, 32), quad(500, 700)],
    )
    assert [(card.card, card.cut, card.small) for card in reading.cards] == [
        ("7d", True, False),
        ("6d", False, True),
        ("5d", False, False),
    ]
    assert [(remark.code, remark.args) for remark in reading.warnings] == [("cut", (1,)), ("small", (1, 32))]


def test_a_face_of_other_images_that_looks_like_a_back_was_never_read() -> None:
    """Of a known deck of other images such a card is a face if it is likelier one than not; a back stays a back."""
    seen = ({"7d": 0.8}, {"2d": 0.1, "none": 0.85})
    of_suits = read(*seen, class_ids=[BACK, BACK], deck="italian")
    assert (of_suits.codes, len(of_suits.backs)) == ([], 2)
    other = read(*seen, class_ids=[BACK, BACK], deck="italian", other_images=True)
    assert (other.codes, len(other.backs)) == (["7d"], 1)


def test_a_card_lies_where_it_was_read() -> None:
    box, edges = quad(300, 300, 80, 80), quad(303, 302, 60, 90, 4)
    flags = np.array([False])
    made = Readings(log_probs_of({"7d": 0.99}), np.ones((1, 2), np.float32), flags, flags, edges[None])
    (card,) = read_together(detections([box]), made, HW).cards
    np.testing.assert_array_equal(card.quad, edges)


def test_an_empty_table() -> None:
    reading = read()
    assert (reading.cards, reading.backs, reading.deck) == ((), (), None)
    assert [remark.code for remark in reading.warnings] == ["nothing-found"]
    with pytest.raises(ValueError, match="as many"):
        read_together(detections([quad(1, 1)]), read_nothing(), HW)


def read_nothing() -> Readings:
    return Readings(log_probs_of(), np.zeros((0, 2), np.float32), np.zeros(0, bool), np.zeros(0, bool))


def test_the_vote_ignores_what_cannot_be_read() -> None:
    assert which_deck(log_probs_of()) == (None, 0.5)
    kind, share = which_deck(log_probs_of({"7d": 0.9}, *[{"none": 0.99}] * 50))
    assert kind == "italian"
    assert share > 0.9


def test_a_photo_from_pixels_to_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = CardReader(Models(tiny_models(tmp_path / "models")))
    monkeypatch.setattr(reader.detector, "run", find_colours)
    image = painted_table(
        (1600, 1200),
        [(quad(400, 400, 200, 320, 30), CARD_BGR["AH"]), (quad(1000, 700, 200, 320, -70), CARD_BGR["none"])],
    )
    reading = reader.read_picture(image)
    assert reading.codes == ["AH"]
    assert [card.card for card in reading.cards] == ["AH", None]
    assert reading.deck == "french"
    assert len(reader.read_picture(np.full((300, 400, 3), 90, np.uint8)).cards) == 0


def test_a_deck_that_nothing_is_read_of_is_said_to_be_unknown_and_not_guessed() -> None:
    weak = {"7d": 0.25, "6d": 0.2}
    reading = read(weak, {"Fc": 0.25, "Cc": 0.2}, {"1b": 0.22}, {"4s": 0.2}, {"KS": 0.28})
    assert reading.codes == []
    assert reading.deck is None
    assert reading.warnings[0].code == "unknown-deck"
    assert reading.cards[0].candidates, "what it might be is listed all the same"


def test_who_names_the_kind_of_deck_is_believed() -> None:
    reading = read({"7d": 0.25}, {"Fc": 0.25}, {"1b": 0.22}, {"4s": 0.2}, deck="italian")
    assert reading.deck == "italian"
    assert "unknown-deck" not in [remark.code for remark in reading.warnings]


def test_half_covered_cards_make_no_deck_unknown() -> None:
    reading = read({"7d": 0.99}, {"Fc": 0.97}, {"1b": 0.3}, {"4s": 0.28})
    assert reading.codes[:2] == ["7d", "Fc"]
    assert "unknown-deck" not in [remark.code for remark in reading.warnings]


def test_a_french_card_among_italian_ones_is_said() -> None:
    reading = read({"7d": 0.99}, {"Fc": 0.97}, {"1b": 0.98}, {"KS": 0.99}, {"4c": 0.99})
    assert ("two-kinds", (1,)) in [(remark.code, remark.args) for remark in reading.warnings]
    assert "KS" not in reading.codes
    assert "two-kinds" not in [remark.code for remark in read({"7d": 0.99}, {"Fc": 0.97}).warnings]
