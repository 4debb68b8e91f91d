"""Pictures of cards for films: the project's own decks, or a folder of pictures named by card code."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets import decks
from rules.cards import FRENCH_40_CODES, ITALIAN_CODES

#: Transparent border around a sprite, px, so that its edge is blended with what is behind it.
PAD_PX = 3

#: The name of the back among the faces.
BACK = "back"

#: Height of a card in life, mm, by the pattern that a folder's name begins with, and where it names none.
_HEIGHTS_MM = {"napoletane": 83.0, "siciliane": 83.0, "piacentine": 94.0, "trevisane": 103.0, "bergamasche": 94.0,
               "bresciane": 90.0, "triestine": 103.0, "romagnole": 88.0, "sarde": 88.0, "trentine": 95.0,
               "toscane": 88.0, "genovesi": 88.0, "piemontesi": 88.0, "milanesi": 88.0, "fr": 88.0}
_ITALIAN_MM, _FRENCH_MM = 90.0, 89.0


class FaceSource:
    """A deck whose faces can be had at any size.

    Args:
        deck: name of one of the project's own decks, or a folder with a picture `CODE.jpg` or `CODE.png` for each card.
        back: one of `datasets.decks.back_names()`, the first if not given.

    Attributes:
        codes: the codes of the deck's forty cards of the capture games.
        card_mm: width and height of a card in life, mm.

    Raises:
        ValueError: when there is no such deck or folder, or the folder lacks cards; the message says which.
    """

    def __init__(self, deck: str | Path, back: str | None = None) -> None:
        self.name = str(deck)
        self._folder = None if self.name in decks.DECKS else Path(deck)
        self._back = back or decks.back_names()[0]
        if self._back not in decks.back_names():
            raise ValueError(f"no back {back!r}; there are {', '.join(decks.back_names())}")
        if self._folder is None:
            self._family = self.name
            self.card_mm = decks.size_mm(self.name)
        else:
            if not self._folder.is_dir():
                raise ValueError(f"no deck {self.name!r}: give {', '.join(decks.DECKS)} or a folder of card pictures")
            self._family = "italian" if _file_of(self._folder, "7d") else "french"
            height_mm = _ITALIAN_MM if self._family == "italian" else _FRENCH_MM
            height_mm = _HEIGHTS_MM.get(self._folder.resolve().name.split("_")[0], height_mm)
            self.card_mm = (height_mm, height_mm)
        self.codes: tuple[str, ...] = ITALIAN_CODES if self._family == "italian" else FRENCH_40_CODES
        if self._folder is not None:
            missing = [code for code in self.codes if _file_of(self._folder, code) is None]
            if missing:
                raise ValueError(f"the deck in {self._folder} lacks pictures of {', '.join(missing[:5])}"
                                 + (" and others" if len(missing) > 5 else ""))
            height_px, width_px = _read(_file_of(self._folder, self.codes[0]) or self._folder).shape[:2]
            self.card_mm = (self.card_mm[1] * width_px / height_px, self.card_mm[1])
        self._sprites: dict[tuple[str, int], NDArray[np.uint8]] = {}

    def _upright(self, code: str, height_px: int) -> NDArray[np.uint8]:
        if code != BACK:
            return (decks.load_face(self.name, code, height_px) if self._folder is None
                    else _from_folder(self._folder, code, height_px))
        back = decks.load_back(self._family, self._back, height_px)
        width_px = round(height_px * self.card_mm[0] / self.card_mm[1])
        return back if self._folder is None else _as_wide(back, width_px)

    def sprite(self, code: str, height_px: float) -> NDArray[np.uint8]:
        """Return a card's picture at about a height, for warping.

        Args:
            code: a card code, or `BACK`.
            height_px: height at which the card will be seen; the sprite is at most a fifth larger or smaller.

        Returns:
            (h, w, 4) uint8, BGR premultiplied by alpha, with a transparent border of `PAD_PX` on all sides.
        """
        step = max(16, round(4 * math.log2(max(height_px, 12.0))))
        if (code, step) not in self._sprites:
            picture = self._upright(code, round(2 ** (step / 4)))
            picture = cv2.copyMakeBorder(picture, PAD_PX, PAD_PX, PAD_PX, PAD_PX, cv2.BORDER_REPLICATE)
            alpha = picture[..., 3].astype(np.float32)
            alpha[:PAD_PX], alpha[-PAD_PX:], alpha[:, :PAD_PX], alpha[:, -PAD_PX:] = 0, 0, 0, 0
            sprite = np.empty_like(picture)
            sprite[..., :3] = picture[..., :3] * (alpha / 255)[..., None]
            sprite[..., 3] = alpha
            self._sprites[code, step] = sprite
        return self._sprites[code, step]


def sprite_corners(sprite: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the corners (4, 2) of the card in its sprite, in pixel-centre coordinates, clockwise from top left."""
    h, w = sprite.shape[:2]
    left, top, right, bottom = PAD_PX - 0.5, PAD_PX - 0.5, w - PAD_PX - 0.5, h - PAD_PX - 0.5
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)], np.float32)


def _file_of(folder: Path, code: str) -> Path | None:
    return next((path for ext in ("png", "jpg", "jpeg", "webp") if (path := folder / f"{code}.{ext}").is_file()), None)


@lru_cache(maxsize=256)
def _read(path: Path) -> NDArray[np.uint8]:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError(f"{path} is not a picture")
    return picture


def _from_folder(folder: Path, code: str, height_px: int) -> NDArray[np.uint8]:
    path = _file_of(folder, code)
    if path is None:
        raise ValueError(f"no picture of {code} in {folder}")
    picture = _read(path)
    width_px = round(height_px * picture.shape[1] / picture.shape[0])
    smaller = height_px < picture.shape[0]
    picture = cv2.resize(picture, (width_px, height_px), interpolation=cv2.INTER_AREA if smaller else cv2.INTER_CUBIC)
    return np.dstack([picture, _rounded(width_px, height_px, 0.065 * width_px)])


def _as_wide(back: NDArray[np.uint8], width_px: int) -> NDArray[np.uint8]:
    """Make a back as wide as a card: rim and corners stay, the ornament between is cut, or drawn out where short."""
    rim = round(0.06 * back.shape[0])
    inside, wanted = back[:, rim:-rim], width_px - 2 * rim
    if wanted < inside.shape[1]:
        first = (inside.shape[1] - wanted) // 2
        inside = inside[:, first: first + wanted]
    else:
        inside = cv2.resize(inside, (wanted, back.shape[0]), interpolation=cv2.INTER_AREA)
    return np.hstack([back[:, :rim], inside, back[:, -rim:]])


def _rounded(width_px: int, height_px: int, radius_px: float) -> NDArray[np.uint8]:
    """Return the coverage (h, w) of a rectangle with round corners, 0..255."""
    x = np.abs(np.arange(width_px) + 0.5 - width_px / 2)[None] - (width_px / 2 - radius_px)
    y = np.abs(np.arange(height_px) + 0.5 - height_px / 2)[:, None] - (height_px / 2 - radius_px)
    outside = np.hypot(np.maximum(x, 0), np.maximum(y, 0)) - radius_px
    return (np.clip(0.5 - outside, 0, 1) * 255).astype(np.uint8)
