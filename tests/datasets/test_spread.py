"""Decks laid out in rows, decks of other kinds, and what enrolment is measured with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from datasets.evaluate import enrolment
from datasets.evaluate.enrolment import Learnt, document
from datasets.render.assets import Assets
from datasets.render.other_decks import FITTING_KINDS, KINDS, other_deck
from datasets.render.spread import render_spread
from datasets.render.sprites import DeckLook
from rules.cards import ITALIAN_CODES
from vision.likeness import KnownDeck, Pooling
from vision.rows import spread_of


def photos() -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [
        cv2.resize(rng.integers(0, 256, (5, 4, 3), dtype=np.uint8), (300, 400), interpolation=cv2.INTER_NEAREST)
        for _ in range(40)
    ]


def assets(kind: str = "shapes") -> Assets:
    surface = np.full((200, 200, 3), (40, 90, 30), np.uint8)
    return Assets([other_deck(kind, np.random.default_rng(1), photos())], [surface], [], [], [])


@pytest.mark.parametrize("kind", (*KINDS, *FITTING_KINDS))
def test_a_deck_of_another_kind_has_forty_different_faces(kind: str) -> None:
    faces = other_deck(kind, np.random.default_rng(1), photos()).faces
    assert tuple(faces) == ITALIAN_CODES
    assert all(face.shape == faces["1d"].shape and face.dtype == np.uint8 for face in faces.values())
    assert len({face.tobytes() for face in faces.values()}) == 40


def test_there_is_no_other_kind() -> None:
    with pytest.raises(ValueError, match="tarot"):
        other_deck("tarot", np.random.default_rng(1), [])


@pytest.mark.parametrize(("count", "columns", "size"), [(10, 5, (640, 480)), (40, 10, (1280, 960))])
def test_cards_lie_in_rows_upright_and_inside_the_picture(count: int, columns: int, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(7)
    codes = ITALIAN_CODES[:count]
    laid = assets()
    shown = render_spread(rng, laid, laid.decks[0], codes, columns, DeckLook.random(rng), size_px=size)
    assert shown.image.shape == (size[1], size[0], 3)
    assert [card.code for card in shown.cards] == list(codes)
    quads = np.stack([card.quad_px for card in shown.cards])
    assert (quads > 0).all() and (quads < np.array(size)).all()
    spread = spread_of(quads, np.zeros(count, bool))
    assert list(spread.order) == list(range(count)), "read in rows they are in the order in which they were laid"
    assert spread.turned_deg == 0


def test_the_same_seed_gives_the_same_picture() -> None:
    laid = assets()

    def shown() -> np.ndarray:
        rng = np.random.default_rng(5)
        return render_spread(rng, laid, laid.decks[0], ["1d", "2d"], 2, DeckLook.random(rng), size_px=(320, 240)).image

    assert np.array_equal(shown(), shown())


class Familiar:
    """A known deck whose likeness to a reading is what the reading says."""

    family = "italian"

    def __init__(self, name: str) -> None:
        self.name = name

    def familiarity(self, features: np.ndarray) -> np.ndarray:
        return np.asarray(features[:, 0 if self.name == "a" else 1])


def part(deck: Any, likeness: tuple[float, float], confidence: float) -> tuple[Any, Any, Any]:
    log_probs = np.full((6, 93), -9.0)
    log_probs[:, 0] = np.log(confidence)

    class SixCards(SimpleNamespace):
        def __len__(self) -> int:
            return 6

    features = np.tile(likeness, (6, 1))
    return cast(KnownDeck, deck), SixCards(features=features, log_probs=log_probs), np.zeros(6)


def test_the_likeness_asked_for_lies_between_a_deck_and_the_next_printing() -> None:
    first, second = Familiar("a"), Familiar("b")
    parts = [part(first, (0.95, 0.8), 0.9), part(second, (0.82, 0.97), 0.8), part(first, (0.93, 0.84), 0.6)]
    assert 0.84 < enrolment._known_from(parts) <= 0.93
    assert enrolment._known_from(parts[:1] * 0) == Pooling.known, "nothing measured changes nothing"
    assert enrolment._unknown_below(parts) == pytest.approx(0.6, abs=0.02)


def test_the_figures_are_told_for_decks_of_all_kinds() -> None:
    learnt = [
        Learnt("bresciane", 40, found=40, sure=(37, 36), questions=3, in_rows=1, chosen=(4, 5)),
        Learnt("other-shapes", 40, found=35, questions=35, chosen=(2, 6)),
    ]
    told = document(learnt, {"bresciane": (0, 5)}, (8, 1, 12), "a" * 64)
    assert "| bresciane | 40/40 | 36/37 | 3 | 1 |" in told
    assert "| other-shapes | 35/40 | 0/0 | 35 | - |" in told
    assert "8 of 12 noticed; 1 of 12" in told
    assert "| bresciane | 0/5 |" in told
