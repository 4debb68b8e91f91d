from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from rules.cards import FRENCH_CODES, ITALIAN_CODES
from tests.vision.test_gallery import pictures
from vision.classifier import CLASSES, FRENCH, NONE, Classifier, Readings, small_pictures
from vision.gallery import Gallery, Kind
from vision.likeness import KnownDeck, Pooling, choose_deck, is_unknown, surest_half

LENGTH = 48


def look_of(code: str, deck: int = 0) -> np.ndarray:
    """Return the features of a face of a deck: faces of one deck share nothing but the deck's own direction."""
    own = np.random.default_rng([CLASSES.index(code), deck]).normal(size=LENGTH)
    shared = np.random.default_rng([1000, deck]).normal(size=LENGTH)
    features = own + 0.7 * shared
    return np.asarray(features / np.linalg.norm(features), np.float32)


def classifier(**details: Any) -> Classifier:
    return cast(Classifier, SimpleNamespace(model_id="a" * 64, details=details))


def deck(codes: tuple[str, ...] = ITALIAN_CODES, number: int = 0, kind: Kind = "italian", **details: Any) -> KnownDeck:
    features = {code: look_of(code, number)[None] for code in codes}
    gallery = Gallery(
        f"deck {number}", kind, {code: pictures(1) for code in codes}, "", features, classifier().model_id
    )
    return KnownDeck(gallery, classifier(**details))


def readings(*codes: str, number: int = 0, seen: dict[str, float] | None = None, noise: float = 0.1) -> Readings:
    """Return readings of cards of a deck; the classifier reads each as `seen`, or as nothing in particular."""
    log_probs = np.full((len(codes), NONE + 1), np.log(1 / 93), np.float32)
    if seen is not None:
        log_probs[:] = np.log(1e-4)
        for code, probability in seen.items():
            log_probs[:, CLASSES.index(code)] = np.log(probability)
    rng = np.random.default_rng(5)
    features = np.stack([look_of(code, number) + noise * rng.normal(size=LENGTH) / LENGTH**0.5 for code in codes])
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    flags = np.zeros(len(codes), bool)
    return Readings(log_probs, features.astype(np.float32), flags, flags)


def best(read: Readings) -> list[str]:
    return [CLASSES[i] for i in read.log_probs.argmax(axis=1)]


def test_likeness_reads_what_the_classifier_cannot() -> None:
    read = deck().read(readings("7d", "Rs", "4b"))
    assert best(read) == ["7d", "Rs", "4b"]
    assert np.exp(read.log_probs.max(axis=1)).min() > 0.9
    assert np.allclose(np.exp(read.log_probs.astype(np.float64)).sum(axis=1), 1, atol=1e-3)


def test_likeness_overrules_a_classifier_that_is_half_sure() -> None:
    assert best(deck().read(readings("7d", seen={"6d": 0.6, "7d": 0.2}))) == ["7d"]


def test_a_deck_of_other_pictures_does_not_listen_to_the_classifier() -> None:
    nonsense = readings("7d", seen={"none": 0.999})
    assert best(deck(kind="other").read(nonsense)) == ["7d"]


def test_values_that_suit_a_classifier_that_knows_the_deck_do_not_blind_one_that_does_not() -> None:
    """A deck of other images has its own: with the general ones (a trusted classifier, a strict "none") every card of
    it was none of its faces."""
    general = {"weight": 0.4, "temperature": 0.17, "none": 0.85}
    lying = readings("7d", "Rs", noise=0.6)  # as like as cards of such decks are: between the two values of "none"
    assert best(deck(kind="other", likeness=general).read(lying)) == ["7d", "Rs"]
    blind = general | {"alone_temperature": 0.17, "alone_none": 0.85}
    assert best(deck(kind="other", likeness=blind).read(lying)) == ["none", "none"]


def painted(*codes: str) -> dict[str, np.ndarray]:
    return {code: pictures(1, CLASSES.index(code)) for code in codes}


def test_faces_of_other_images_whose_features_are_alike_were_not_told_apart() -> None:
    """The right face had a likeness of 0.95 and the next one 0.90, and nothing was said; the pictures tell them apart,
    moved a little, in another light, and on their head."""
    faces = painted("7d", "6d", "Rb")
    same = look_of("7d")[None]
    gallery = Gallery("animals", "other", faces, "", dict.fromkeys(faces, same), classifier().model_id)
    known = KnownDeck(gallery, classifier())
    shown = np.concatenate([faces[code] for code in ("7d", "6d", "Rb")])
    shown = np.clip(np.roll(shown, 6, axis=1) * 0.7 + 20, 0, 255).astype(np.uint8)[:, ::-1, ::-1]
    seen = readings("7d", "7d", "7d")
    assert np.ptp(known.read(seen).log_probs[:, [CLASSES.index(code) for code in faces]]) < 1e-3
    read = known.read(replace(seen, pictures=small_pictures(shown)))
    assert best(read) == ["7d", "6d", "Rb"]
    assert np.exp(read.log_probs.max(axis=1)).min() > 0.5


def test_a_card_that_looks_like_no_face_of_other_images_is_none() -> None:
    faces = painted("7d", "6d", "Rb")
    gallery = Gallery("a", "other", faces, "", {code: look_of(code)[None] for code in faces}, classifier().model_id)
    strange = replace(readings("1s", number=9), pictures=small_pictures(pictures(1, 77)))
    assert best(KnownDeck(gallery, classifier()).read(strange)) == ["none"]


def test_cards_of_the_other_kind_are_none_of_the_decks() -> None:
    read = deck().read(readings("KS", number=7, seen={"KS": 0.99}))
    assert best(read) == ["none"]
    assert np.exp(read.log_probs[:, FRENCH]).max() < 1e-6


def test_a_face_that_the_gallery_lacks_is_left_to_the_classifier() -> None:
    some = deck(tuple(code for code in ITALIAN_CODES if code != "7d"))
    assert best(some.read(readings("7d", seen={"7d": 0.97}))) == ["7d"]
    assert best(some.read(readings("6d", seen={"6d": 0.97}))) == ["6d"]


def test_a_gallery_of_two_cards_still_tells_them_apart() -> None:
    two = deck(("7d", "6d"))
    likeness = two.likeness(readings("7d").features)[0]
    assert likeness[ITALIAN_CODES.index("7d")] > 0.9
    assert likeness[ITALIAN_CODES.index("6d")] < 0.5


def test_the_models_manifest_says_how_likeness_is_weighed() -> None:
    assert deck(likeness={"weight": 0.1, "temperature": 0.2, "none": 0.3}).pooling == Pooling(0.1, 0.2, 0.3)
    assert deck(likeness={"temperature": 0.2}).pooling == Pooling(temperature=0.2)
    assert deck().pooling == Pooling()


def test_nothing_reads_as_nothing() -> None:
    nothing = Readings(
        np.zeros((0, 93), np.float32), np.zeros((0, 1), np.float32), np.zeros(0, bool), np.zeros(0, bool)
    )
    assert len(deck().read(nothing)) == 0
    assert deck().familiarity(nothing.features).shape == (0,)


def test_an_enrolled_deck_is_known_again_by_its_cards() -> None:
    decks = [deck(number=0), deck(number=1), deck(FRENCH_CODES, 2, "french")]
    for number, codes in ((0, ITALIAN_CODES), (1, ITALIAN_CODES), (2, FRENCH_CODES)):
        assert choose_deck(readings(*codes[3:9], number=number), decks) is decks[number]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_few_cards_are_too_few_to_know_a_deck(count: int) -> None:
    cards = readings("7d", "6d", "5d", "4d").pick(np.arange(count, dtype=int))
    assert choose_deck(cards, [deck()]) is None
    assert not is_unknown(cards.log_probs)


def test_a_deck_that_is_not_enrolled_is_not_taken_for_another() -> None:
    assert choose_deck(readings(*ITALIAN_CODES[:8], number=5), [deck(number=0), deck(number=1)]) is None


def test_two_decks_that_are_the_same_cannot_be_told_apart() -> None:
    assert choose_deck(readings(*ITALIAN_CODES[:8]), [deck(), deck()]) is None


def test_cards_that_nothing_is_read_in_are_unknown() -> None:
    unread = readings("7d", "6d", "5d", "4d").log_probs
    assert is_unknown(unread)
    surely = readings("7d", "6d", "5d", "4d", seen={"7d": 0.95}).log_probs
    assert not is_unknown(surely)
    assert not is_unknown(np.concatenate([unread[:2], surely[:3]])), "half covered cards do not speak"


def test_the_surest_half() -> None:
    assert surest_half(np.array([0.9, 0.1, 0.5])) == pytest.approx(0.7)
    assert surest_half(np.array([])) == 0.0
