from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from rules.cards import FRENCH_CODES, ITALIAN_CODES
from vision.classifier import CLASSES, NONE, Classifier, Readings
from vision.detections import BACK, FACE, Detections
from vision.enrolment import NOTHING, Enrolment, _apart
from vision.gallery import PICTURE_SIZE, Gallery, GalleryError, Kind
from vision.likeness import KnownDeck
from vision.reading import CardReader, Sight

FEATURES = 64


def look_of(code: str) -> np.ndarray:
    """Return the features of a face: directions that have nothing in common."""
    rng = np.random.default_rng(CLASSES.index(code))
    return rng.normal(size=FEATURES).astype(np.float32)


class Reader:
    """Reads photos that say themselves what lies on them: rows of (true code, probabilities that it is read with)."""

    def __init__(self) -> None:
        self.detector = SimpleNamespace(score=0.25)
        self.classifier = SimpleNamespace(
            model_id="a" * 64, details={}, size=(128, 80), read_straightened=self._read_straightened
        )
        self.photos: list[list[list[tuple[str, Mapping[str, float]]]]] = []
        self.found_as = FACE
        self.asked_for_mirror: list[bool] = []

    def _read_straightened(self, pictures: np.ndarray) -> Readings:
        # A picture's colour says what face it is; variants of it in another light show something else.
        codes = [CLASSES[min(int(picture[90, 60, 0]), NONE - 1)] for picture in pictures]
        return self._readings([(code, {code: 0.99}) for code in codes], 0.0)

    def _readings(self, cards: Sequence[tuple[str, Mapping[str, float]]], noise: float) -> Readings:
        log_probs = np.full((len(cards), NONE + 1), np.log(1e-5))
        features = np.zeros((len(cards), FEATURES), np.float32)
        rng = np.random.default_rng(len(self.photos))
        for row, (code, read) in enumerate(cards):
            for candidate, probability in read.items():
                log_probs[row, CLASSES.index(candidate)] = np.log(probability)
            features[row] = look_of(code) + noise * rng.normal(size=FEATURES)
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        flags = np.zeros(len(cards), bool)
        return Readings(log_probs.astype(np.float32), features, flags, flags)

    def find_cards(
        self,
        image: np.ndarray,
        *,
        known: Any = None,
        decks: Sequence[Any] = (),
        may_be_mirrored: bool = True,
    ) -> Sight:
        self.asked_for_mirror.append(may_be_mirrored)
        rows = self.photos.pop(0)
        quads, cards = [], []
        for y, row in enumerate(rows):
            for x, card in enumerate(row):
                left, top = 30 + 70 * x, 30 + 110 * y
                quads.append([[left, top], [left + 50, top], [left + 50, top + 80], [left, top + 80]])
                cards.append(card)
                image[top : top + 80, left : left + 50] = CLASSES.index(card[0])
        found = Detections(
            np.array(quads, np.float32).reshape(-1, 4, 2), np.full(len(cards), 0.9), np.full(len(cards), self.found_as)
        )
        return Sight(image, found, self._readings(cards, 0.15), False, known or next(iter(decks), None))


def sure(*codes: str) -> list[tuple[str, Mapping[str, float]]]:
    return [(code, {code: 0.97}) for code in codes]


def read_as(code: str, **read: float) -> tuple[str, Mapping[str, float]]:
    """Return a card with what it is read as; a code that begins with a digit is written with a leading underscore."""
    return code, {name.lstrip("_"): probability for name, probability in read.items()}


def enrolment_of(*photos: list[list[Any]], kind: Kind | None = None, **how: Any) -> Enrolment:
    reader = Reader()
    enrolment = Enrolment(cast(CardReader, reader), kind, **how)
    for number, rows in enumerate(photos, start=1):
        reader.photos.append(rows)
        enrolment.add_photo(np.zeros((1000, 1000, 3), np.uint8), f"photo {number}")
    return enrolment


def proposed(enrolment: Enrolment) -> list[tuple[str | None, str]]:
    return [(proposal.card, proposal.state) for proposal in enrolment.proposals()]


def test_cards_that_read_well_are_not_asked_about() -> None:
    enrolment = enrolment_of([sure("7d", "1s"), sure("Rb", "4c")])
    assert proposed(enrolment) == [("7d", "sure"), ("1s", "sure"), ("Rb", "sure"), ("4c", "sure")]
    assert enrolment.deck_kind == "italian"
    assert enrolment.missing() == [c for c in ITALIAN_CODES if c not in ("7d", "1s", "Rb", "4c")]


def test_a_french_deck_is_found_out() -> None:
    enrolment = enrolment_of([sure("KS", "10H", "2D")])
    assert enrolment.deck_kind == "french"
    assert enrolment.codes == FRENCH_CODES


def test_doubtful_cards_have_their_candidates() -> None:
    enrolment = enrolment_of([[*sure("1d"), read_as("6c", _6c=0.5, _6d=0.4)]])
    doubtful = enrolment.proposals()[1]
    assert doubtful.state == "doubtful"
    assert [code for code, _ in doubtful.candidates[:2]] == ["6c", "6d"]


def test_one_card_on_two_photos_is_one_card_though_little_else_is_known() -> None:
    twice = enrolment_of([[read_as("6c", _6c=0.5, _6d=0.48)]], [sure("6c")])
    assert [card for card, _ in proposed(twice)] == ["6c", "6c"]


def test_what_is_left_when_the_others_are_given_out() -> None:
    # Another photo shows the six of coppe for sure, and it does not look like this card.
    first = enrolment_of([[read_as("6d", _6c=0.5, _6d=0.48)]], [sure("6c")]).proposals()[0]
    assert (first.card, first.state) == ("6d", "sure")


def test_an_answer_settles_a_card_and_what_follows_from_it() -> None:
    enrolment = enrolment_of([[read_as("6c", _6c=0.5, _6d=0.48), read_as("6d", _6c=0.48, _6d=0.5)]])
    assert enrolment.proposals()[0].state == "doubtful"
    enrolment.answer(0, 1, "6c")
    assert proposed(enrolment) == [("6c", "said"), ("6d", "sure")]
    enrolment.retract(0, 1)
    assert enrolment.proposals()[0].state == "doubtful"


@pytest.mark.parametrize(("kind", "found"), [("other", 3), ("italian", 0)])
def test_faces_of_other_images_were_lost_because_they_look_like_backs(kind: Kind, found: int) -> None:
    """A children's deck was enrolled with half its cards; of a deck of suits a back stays a back."""
    reader = Reader()
    reader.found_as = BACK
    reader.photos.append([[read_as(code, none=0.9) for code in ("1d", "2d", "3d")]])
    enrolment = Enrolment(cast(CardReader, reader), kind)
    assert len(enrolment.add_photo(np.zeros((1000, 1000, 3), np.uint8), "photo 1")) == found


@pytest.mark.parametrize(("kind", "asked"), [("other", False), ("italian", True), (None, True)])
def test_photos_of_other_images_were_taken_for_mirrored_ones(kind: Kind | None, asked: bool) -> None:
    """Three of ten photos were turned round, on the word of a classifier that never saw such images."""
    reader = Reader()
    reader.photos.append([sure("1d", "2d", "3d")])
    Enrolment(cast(CardReader, reader), kind).add_photo(np.zeros((1000, 1000, 3), np.uint8), "photo 1")
    assert reader.asked_for_mirror == [asked]


def test_what_is_no_card_is_left_out() -> None:
    enrolment = enrolment_of([sure("1d", "2d", "3d")])
    enrolment.answer(0, 2, NOTHING)
    assert proposed(enrolment)[1] == (None, "left-out")
    assert "2d" in enrolment.missing()
    assert enrolment.gallery("x").codes == ("1d", "3d")


def test_suits_in_order_are_understood_although_most_cards_are_not_read() -> None:
    unread = [read_as(code, **{f"_{c}": 1 / 40 for c in ITALIAN_CODES}) for code in ITALIAN_CODES[20:30]]
    row = [*sure("1s", "2s", "3s"), *unread[3:8], *sure("Cs", "Rs")]
    assert [card for card, _ in proposed(enrolment_of([row]))] == list(ITALIAN_CODES[20:30])


def test_a_deck_of_other_pictures_is_learnt_by_its_order() -> None:
    nonsense = [[read_as(code, none=0.9) for code in ITALIAN_CODES[start : start + 10]] for start in (0, 10, 20, 30)]
    enrolment = enrolment_of(nonsense, kind="other")
    assert all(state == "doubtful" for _, state in proposed(enrolment)), "nothing says what is what"
    enrolment.set_order("dcsb")
    assert proposed(enrolment) == [(code, "sure") for code in ITALIAN_CODES]
    made = enrolment.gallery("Giraffes")
    assert made.kind == "other" and made.codes == ITALIAN_CODES


def test_an_order_that_does_not_fit_a_deck_of_other_pictures_is_asked_about() -> None:
    enrolment = enrolment_of([[read_as(code, none=0.9) for code in ITALIAN_CODES[:9]]], kind="other")
    enrolment.set_order("d")
    assert all(state == "doubtful" for _, state in proposed(enrolment)), "one of ten is missing, nobody knows which"


def test_the_gallery_holds_a_picture_of_each_card() -> None:
    made = enrolment_of([sure("7d", "1s")], [sure("7d", "2s")]).gallery("  Nonna ", "Bresciane")
    assert (made.name, made.kind, made.note) == ("Nonna", "italian", "Bresciane")
    assert {code: len(made.pictures[code]) for code in made.codes} == {"7d": 2, "1s": 1, "2s": 1}
    for code in made.codes:
        middle = made.thumbnail(code)[80:110, 40:80]
        assert (middle == CLASSES.index(code)).all(), f"the picture of {code} shows another card"


def test_photos_are_added_to_a_deck() -> None:
    before = enrolment_of([sure("7d", "1s")]).gallery("Nonna")
    more = enrolment_of([sure("2s", "7d")], known=before)
    assert "1s" not in more.missing()
    after = more.gallery("ignored")
    assert after.name == "Nonna"
    assert {code: len(after.pictures[code]) for code in after.codes} == {"7d": 2, "1s": 1, "2s": 1}


def test_a_photo_is_left_out() -> None:
    enrolment = enrolment_of([sure("7d")], [sure("1s")])
    enrolment.answer(0, 1, "6d")
    enrolment.forget_photo(0)
    assert proposed(enrolment) == [("1s", "sure")]
    assert enrolment.answers == {}


@pytest.mark.parametrize(("photo", "number", "code"), [(0, 9, "7d"), (4, 1, "7d"), (0, 1, "KS"), (0, 1, "xx")])
def test_answers_that_cannot_be(photo: int, number: int, code: str) -> None:
    enrolment = enrolment_of([sure("7d", "1s")])
    with pytest.raises(GalleryError):
        enrolment.answer(photo, number, code)


def test_nothing_known_is_no_deck() -> None:
    with pytest.raises(GalleryError, match="no card is known"):
        enrolment_of([[]]).gallery("Nonna")


def test_an_order_that_is_none_is_refused() -> None:
    with pytest.raises(GalleryError, match="neither"):
        enrolment_of([sure("7d")]).set_order("xyz")


def test_a_box_across_two_cards_is_none() -> None:
    quads = np.array(
        [
            [[0, 0], [50, 0], [50, 80], [0, 80]],
            [[30, 0], [80, 0], [80, 80], [30, 80]],
            [[60, 0], [110, 0], [110, 80], [60, 80]],
            [[105, 0], [155, 0], [155, 80], [105, 80]],
        ],
        np.float32,
    )
    assert list(_apart(quads, np.array([0.9, 0.3, 0.8, 0.7]))) == [0, 2, 3]
    assert list(_apart(quads[:0], np.zeros(0))) == []


def test_nobody_misses_the_eights_of_a_french_deck_until_one_is_shown() -> None:
    assert len(enrolment_of([sure("KS", "2D")]).missing()) == 38
    assert len(enrolment_of([sure("KS", "10D")]).missing()) == 50


def test_a_deck_that_is_like_an_enrolled_one_is_proposed_by_it() -> None:
    unread = {f"_{code}": 1 / 40 for code in ITALIAN_CODES}
    row = [read_as(code, **unread) for code in ("7d", "Rs", "4b")]
    assert all(state == "doubtful" for _, state in proposed(enrolment_of([row])))
    looks = {code: (look_of(code) / np.linalg.norm(look_of(code)))[None] for code in ITALIAN_CODES}
    pictures = {code: np.zeros((1, *PICTURE_SIZE, 3), np.uint8) for code in ITALIAN_CODES}
    classifier = cast(Classifier, Reader().classifier)
    alike = KnownDeck(Gallery("Nonna", "italian", pictures, "", looks, classifier.model_id), classifier)
    after = enrolment_of([row], decks=[alike])
    assert [card for card, _ in proposed(after)] == ["7d", "Rs", "4b"]
    assert after.gallery("Zia").codes == ("7d", "Rs", "4b"), "only what was shown is in the new deck"
