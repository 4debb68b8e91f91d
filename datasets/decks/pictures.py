"""Read the committed pictures of Arbitro's own decks."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from datasets.decks.backs import STANDARD_BACKS
from datasets.decks.french import FrenchStyle
from datasets.decks.italian import ItalianStyle
from rules.cards import FRENCH_CODES, ITALIAN_CODES

FOLDER = Path(__file__).parent
RASTER_HEIGHT_PX = 420
DECKS: dict[str, tuple[str, ...]] = {"italian": ITALIAN_CODES, "french": FRENCH_CODES}
"""The card codes of each deck, in order."""


def size_mm(deck: str) -> tuple[float, float]:
    """Give the width and height of a deck's cards in millimetres ("italian" or "french")."""
    _codes(deck)
    return ItalianStyle().size_mm if deck == "italian" else FrenchStyle().size_mm


def back_names() -> tuple[str, ...]:
    """List the backs that `load_back` knows."""
    return tuple(STANDARD_BACKS)


def load_face(deck: str, code: str, height_px: int) -> npt.NDArray[np.uint8]:
    """Read a face of our own deck as BGRA uint8 (height_px, width, 4), transparent outside the card.

    The picture is stored 420 px high and scaled from there; above that it gets soft.

    Raises:
        ValueError: no such deck or card, or the height is not positive.
        FileNotFoundError: the picture is missing; `python -m datasets.decks` writes it.
    """
    if code not in _codes(deck):
        raise ValueError(f"the {deck} deck has no card {code!r}")
    return _scaled(_stored(FOLDER / deck / f"{code}.webp"), height_px)


def load_back(deck: str, name: str, height_px: int) -> npt.NDArray[np.uint8]:
    """Read one of our own backs by name in the size of a deck's cards, as `load_face` reads a face.

    Raises:
        ValueError: no such deck or back, or the height is not positive.
        FileNotFoundError: the picture is missing; `python -m datasets.decks` writes it.
    """
    _codes(deck)
    if name not in STANDARD_BACKS:
        raise ValueError(f"there is no back {name!r}; there are {', '.join(STANDARD_BACKS)}")
    return _scaled(_stored(FOLDER / "backs" / f"{deck}-{name}.webp"), height_px)


def _codes(deck: str) -> tuple[str, ...]:
    if deck not in DECKS:
        raise ValueError(f"there is no deck {deck!r}; there are {', '.join(DECKS)}")
    return DECKS[deck]


@lru_cache(maxsize=128)
def _stored(path: Path) -> npt.NDArray[np.uint8]:
    if not path.is_file():
        raise FileNotFoundError(f"{path.name} is missing beside {path.parent}; run: python -m datasets.decks")
    image = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_UNCHANGED)
    if image is None or image.ndim != 3 or image.shape[2] != 4:
        raise ValueError(f"{path} is not a card picture; run: python -m datasets.decks")
    return np.asarray(image, np.uint8)


def _scaled(image: npt.NDArray[np.uint8], height_px: int) -> npt.NDArray[np.uint8]:
    if height_px < 1:
        raise ValueError(f"a card of {height_px} px cannot be drawn; say a height of 1 px or more")
    height, width = image.shape[:2]
    if height_px == height:
        return image.copy()
    size = (max(1, round(width * height_px / height)), height_px)
    # Colour is weighted by alpha while scaling, so that no dark rim comes in from outside the card.
    solid = image.astype(np.float32)
    solid[..., :3] *= solid[..., 3:] / 255
    way = cv2.INTER_AREA if height_px < height else cv2.INTER_CUBIC
    scaled = cv2.resize(solid, size, interpolation=way)
    alpha = np.clip(scaled[..., 3:], 0, 255)
    scaled[..., :3] = np.where(alpha > 0, scaled[..., :3] * 255 / np.maximum(alpha, 1e-3), 0)
    scaled[..., 3:] = alpha
    return np.clip(np.rint(scaled), 0, 255).astype(np.uint8)
