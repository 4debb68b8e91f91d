"""The models that are shipped read the project's own decks, laid on a plain cloth. Skipped until they are trained."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from rules.cards import FRENCH_CODES, ITALIAN_CODES
from tests.vision.builders import quad
from vision.models import Models
from vision.reading import CardReader

ROOT = Path(__file__).resolve().parent.parent.parent
DECKS = ROOT / "datasets" / "decks"

pytestmark = pytest.mark.skipif(
    not (ROOT / "models" / "manifest.json").is_file(), reason="the models are not trained yet"
)


@pytest.fixture(scope="module")
def reader() -> CardReader:
    return CardReader(Models(ROOT / "models"))


def laid_out(deck: str, codes: list[str], seed: int) -> np.ndarray:
    """A photo of ten cards of an own deck in two rows, each turned a little, some upside down."""
    rng = np.random.default_rng(seed)
    image = np.full((1080, 1920, 3), (70, 95, 60), np.float32)
    image += cv2.resize(rng.normal(0, 10, (270, 480)).astype(np.float32), (1920, 1080))[..., None]
    for i, code in enumerate(codes):
        face = cv2.imread(str(DECKS / deck / f"{code}.webp"), cv2.IMREAD_COLOR)
        assert face is not None, f"{deck} has no picture of {code}"
        height = 300.0
        width = height * face.shape[1] / face.shape[0]
        turn = float(rng.uniform(-25, 25)) + 180 * (i % 2)
        corners = quad(220 + 370 * (i % 5), 290 + 500 * (i // 5), width, height, turn)
        small = cv2.resize(face, (round(width), round(height)), interpolation=cv2.INTER_AREA)
        source = np.float32(
            [[0, 0], [small.shape[1], 0], [small.shape[1], small.shape[0]], [0, small.shape[0]]]
        )
        warp = cv2.getPerspectiveTransform(source, corners)
        mask = cv2.warpPerspective(np.ones(small.shape[:2], np.float32), warp, (1920, 1080))[..., None]
        image = image * (1 - mask) + cv2.warpPerspective(small, warp, (1920, 1080)).astype(np.float32) * mask
    return np.clip(image + rng.normal(0, 3, image.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_the_own_italian_deck_is_read(reader: CardReader, start: int) -> None:
    codes = list(ITALIAN_CODES[start : start + 10])
    reading = reader.read_picture(laid_out("italian", codes, start))
    assert sorted(reading.codes) == sorted(codes)
    assert reading.deck == "italian"


@pytest.mark.parametrize("start", range(0, 50, 10))
def test_the_own_french_deck_is_read(reader: CardReader, start: int) -> None:
    codes = list(FRENCH_CODES[start : start + 10])
    reading = reader.read_picture(laid_out("french", codes, start))
    assert sorted(reading.codes) == sorted(codes)
    assert reading.deck == "french"


def test_an_empty_cloth_holds_no_cards(reader: CardReader) -> None:
    reading = reader.read_picture(laid_out("italian", [], 0))
    assert reading.cards == reading.backs == ()
