"""Reprints of decks: what another maker changes, and what the pattern keeps."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.render import assets
from datasets.render.reprints import other_inks, reprint


def face(colour: tuple[int, int, int]) -> np.ndarray:
    """A card with a black frame, and a figure of one colour in its upper half."""
    image = np.full((400, 240, 3), 250, np.uint8)
    cv2.rectangle(image, (12, 12), (227, 387), (20, 20, 20), 3)
    cv2.circle(image, (120, 110), 60, colour, -1)
    return image


FACES = {"Rd": face((30, 30, 200)), "2c": face((190, 120, 20))}


def test_a_reprint_has_the_same_cards_and_looks_otherwise() -> None:
    printed = reprint(np.random.default_rng(1), FACES)
    assert list(printed) == list(FACES)
    for code, image in printed.items():
        assert image.shape == FACES[code].shape and image.dtype == np.uint8
        assert (image != FACES[code]).mean() > 0.05
        upper, lower = image[40:190, 40:200], image[230:360, 40:200]
        assert upper.astype(int).std() > 3 * lower.astype(int).std(), "the figure stays where it is"


def test_the_same_seed_prints_the_same() -> None:
    first, again = (reprint(np.random.default_rng(7), FACES) for _ in range(2))
    assert all((first[code] == again[code]).all() for code in FACES)


@pytest.mark.parametrize("seed", range(5))
def test_other_inks_leave_paper_and_black_lines_alone(seed: int) -> None:
    greys = np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 3, axis=2)
    changed = other_inks(np.random.default_rng(seed), greys, 0.13)
    assert np.abs(changed.astype(int) - greys).max() <= 1
    red = np.full((4, 4, 3), (30, 30, 200), np.uint8)
    assert (other_inks(np.random.default_rng(seed), red, 0.13) != red).any()


def test_only_what_is_trained_on_is_reprinted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are taken on the art as it is, and printings that are kept out never come in by a reprint."""
    if assets.shared_folder() is None:
        pytest.skip("needs the art of real decks (ARBITRO_SHARED)")
    monkeypatch.setattr(assets, "REPRINTED", 1.0)
    monkeypatch.setattr(assets, "reprint", lambda rng, faces: faces)
    trained_on = assets.load_assets("train", decks="seen", procedural=1)
    assert all(deck.name.endswith(", reprinted") for deck in trained_on.decks)
    assert not {deck.name.removesuffix(", reprinted") for deck in trained_on.decks} & set(assets.HELD_OUT_DECKS)
    measured_on = assets.load_assets("test", decks="fr_aguilar_lgpl3", procedural=1)
    assert [deck.name for deck in measured_on.decks] == ["fr_aguilar_lgpl3"]
