"""Decks of kinds that nobody trains on: with numbers and colours, with shapes, with pictures, as children play with.

They stand in for every deck whose images are neither Italian nor French, to measure whether such a deck is said to be
unknown, and whether it can be enrolled. Their faces carry the codes of an Italian deck in its order.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.assets import Deck
from rules.cards import ITALIAN_CODES

Image = NDArray[np.uint8]

KINDS = ("numbers", "shapes", "pictures")
"""Kinds that the figures are of: nothing may be fitted on them."""
FITTING_KINDS = ("letters", "flags", "scenes", "dominoes")
"""Kinds that what reads decks of other images is fitted on: none of their images is in those of `KINDS`."""
HEIGHT_PX, WIDTH_PX = 400, 262
_COLOURS = ((40, 40, 205), (60, 160, 50), (195, 110, 30), (30, 190, 235))
_GROUNDS = ((225, 245, 250), (190, 225, 190), (225, 205, 180), (60, 50, 50))
_CLOTHS = ((40, 40, 190), (60, 140, 30), (160, 70, 20), (30, 200, 240), (245, 245, 245), (30, 30, 30))


def other_deck(kind: str, rng: np.random.Generator, photos: list[Image]) -> Deck:
    """Draw a deck.

    Args:
        kind: one of `KINDS` or of `FITTING_KINDS`.
        rng: chooses colours, shapes and photos.
        photos: what "pictures" are cut from.
    """
    if kind not in (*KINDS, *FITTING_KINDS):
        raise ValueError(f"no kind of deck {kind!r}; there are {', '.join((*KINDS, *FITTING_KINDS))}")
    faces = {}
    order = rng.permutation(len(photos)) if photos else np.zeros(0, int)
    for number, code in enumerate(ITALIAN_CODES):
        suit, rank = divmod(number, 10)
        if kind == "numbers":
            faces[code] = _number(rank, _COLOURS[suit])
        elif kind == "shapes":
            faces[code] = _shapes(rank + 1, suit, rng)
        elif kind == "letters":
            faces[code] = _letter("ABEGHKMRSZ"[rank], _COLOURS[(suit + rank) % 4], _GROUNDS[suit])
        elif kind == "flags":
            faces[code] = _flag(number)
        elif kind == "dominoes":
            faces[code] = _domino(rank, suit + 1)
        elif kind == "scenes":
            faces[code] = _scene(rng)
        else:
            faces[code] = _picture(photos[int(order[number % len(order)])], _COLOURS[suit], rng)
    return Deck(f"other_{kind}", faces)


def _blank(colour: tuple[int, int, int]) -> Image:
    return np.full((HEIGHT_PX, WIDTH_PX, 3), colour, np.uint8)


def _number(rank: int, colour: tuple[int, int, int]) -> Image:
    face = _blank((248, 248, 248))
    cv2.rectangle(face, (16, 16), (WIDTH_PX - 17, HEIGHT_PX - 17), colour, -1)
    cv2.ellipse(
        face, (WIDTH_PX // 2, HEIGHT_PX // 2), (86, 158), 24, 0, 360, (248, 248, 248), -1, cv2.LINE_AA
    )
    _text(face, str(rank), (WIDTH_PX // 2, HEIGHT_PX // 2), 6.0, colour, 22)
    corner = _blank((0, 0, 0))
    _text(corner, str(rank), (46, 56), 1.6, (248, 248, 248), 6)
    corner = cv2.max(corner, corner[::-1, ::-1])
    return np.asarray(np.where(corner > 127, corner, face), np.uint8)


def _text(
    face: Image, text: str, centre: tuple[int, int], scale: float, colour: tuple[int, int, int], thick: int
) -> None:
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    origin = (centre[0] - width // 2, centre[1] + height // 2)
    cv2.putText(face, text, origin, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, thick, cv2.LINE_AA)


def _shapes(count: int, suit: int, rng: np.random.Generator) -> Image:
    face = _blank((235, 250, 252))
    colours = rng.integers(20, 230, (count, 3))
    columns = 1 if count == 1 else 2 if count < 7 else 3
    rows = -(-count // columns)
    for i in range(count):
        row, column = divmod(i, columns)
        x = int((column + 0.5) * WIDTH_PX / columns)
        y = int((row + 0.5) * HEIGHT_PX / rows)
        size = int(0.36 * min(WIDTH_PX / columns, HEIGHT_PX / rows))
        colour = tuple(int(v) for v in colours[i])
        if suit == 0:
            cv2.circle(face, (x, y), size, colour, -1, cv2.LINE_AA)
            cv2.ellipse(face, (x, y + size // 5), (size // 2, size // 3), 0, 0, 180, (20, 20, 20), 3)
        elif suit == 1:
            cv2.rectangle(face, (x - size, y - size // 2), (x + size, y + size), colour, -1)
            roof = np.array([[x - size, y - size // 2], [x + size, y - size // 2], [x, y - size]], np.int32)
            cv2.fillPoly(face, [roof], (30, 30, 120), cv2.LINE_AA)
        elif suit == 2:
            spikes = np.arange(10) * np.pi / 5 - np.pi / 2
            reach = np.where(np.arange(10) % 2, 0.45, 1.0) * size
            star = np.stack([x + reach * np.cos(spikes), y + reach * np.sin(spikes)], 1).astype(np.int32)
            cv2.fillPoly(face, [star], colour, cv2.LINE_AA)
        else:
            cv2.ellipse(face, (x, y), (size, size // 2), 0, 0, 360, colour, -1, cv2.LINE_AA)
            tail = np.array(
                [[x + size, y - size // 2], [x + size, y + size // 2], [x + size // 2, y]], np.int32
            )
            cv2.fillPoly(face, [tail], colour, cv2.LINE_AA)
    return face


def _letter(letter: str, colour: tuple[int, int, int], ground: tuple[int, int, int]) -> Image:
    """Draw a learner's card: a large letter, and a band of the same colour at the lower edge."""
    face = _blank(ground)
    _text(face, letter, (WIDTH_PX // 2, HEIGHT_PX // 2 - 20), 7.0, colour, 26)
    cv2.rectangle(face, (20, HEIGHT_PX - 60), (WIDTH_PX - 21, HEIGHT_PX - 24), colour, -1)
    return face


def _flag(number: int) -> Image:
    """Draw a flag on white: three stripes, lying or standing, and a disc on every other pair of colours."""
    face = _blank((240, 248, 250))
    # Without a mark that says what is up, red over white over blue is blue over white over red as well.
    cv2.rectangle(face, (24, 26), (WIDTH_PX - 25, 44), (60, 60, 60), -1)
    flag = face[70 : HEIGHT_PX - 70, 24 : WIDTH_PX - 24]
    first, second = divmod(number // 2, len(_CLOTHS) - 1)
    others = [cloth for cloth in range(len(_CLOTHS)) if cloth != first]
    cloths = (first, others[second], others[(second + 1 + number // 2 % 3) % len(others)])
    length = flag.shape[number % 2]
    for stripe, cloth in enumerate(cloths):
        part = slice(stripe * length // 3, (stripe + 1) * length // 3)
        flag[part if number % 2 == 0 else slice(None), slice(None) if number % 2 == 0 else part] = _CLOTHS[cloth]
    if number // 2 % 2:
        centre = (WIDTH_PX // 2, HEIGHT_PX // 2)
        cv2.circle(face, centre, 40, _CLOTHS[others[(second + 2) % len(others)]], -1, cv2.LINE_AA)
    return face


def _domino(upper: int, lower: int) -> Image:
    """Draw a domino of 0 to 9 and 1 to 4 pips: faces that share nearly everything and differ in small things."""
    face = _blank((70, 90, 30))
    ink = (235, 240, 240)
    cv2.rectangle(face, (14, 14), (WIDTH_PX - 15, HEIGHT_PX - 15), ink, 5)
    cv2.line(face, (30, HEIGHT_PX // 2), (WIDTH_PX - 31, HEIGHT_PX // 2), ink, 6)
    for count, middle in ((upper, HEIGHT_PX // 4 + 6), (lower, 3 * HEIGHT_PX // 4 - 6)):
        for pip in range(count):
            row, column = divmod(pip, 3)
            cv2.circle(face, (65 + 66 * column, middle - 52 + 52 * row), 19, ink, -1, cv2.LINE_AA)
    return face


def _scene(rng: np.random.Generator) -> Image:
    """Draw a painted card: a sky, a ground, and a few large things of random outline and colour before them."""
    face = _blank((245, 250, 250))
    scene = face[22 : HEIGHT_PX - 22, 18 : WIDTH_PX - 18]
    height, width = scene.shape[:2]
    horizon = int(height * rng.uniform(0.4, 0.75))
    scene[:horizon] = rng.integers(120, 256, 3)
    scene[horizon:] = rng.integers(20, 170, 3)
    for _ in range(int(rng.integers(3, 7))):
        corners = int(rng.integers(5, 11))
        reach = rng.uniform(0.4, 1.0, corners) * rng.uniform(0.1, 0.28) * height
        angles = np.arange(corners) * 2 * np.pi / corners
        centre = rng.uniform(0.15, 0.85, 2) * (width, height)
        outline = (centre + np.stack([reach * np.cos(angles), reach * np.sin(angles)], 1)).astype(np.int32)
        colour = tuple(int(v) for v in rng.integers(0, 256, 3))
        cv2.fillPoly(scene, [outline], colour, cv2.LINE_AA)
        cv2.polylines(scene, [outline], True, (25, 25, 25), 2, cv2.LINE_AA)
    return face


def _picture(photo: Image, colour: tuple[int, int, int], rng: np.random.Generator) -> Image:
    face = _blank((250, 250, 250))
    height, width = HEIGHT_PX - 60, WIDTH_PX - 50
    scale = max(height / photo.shape[0], width / photo.shape[1])
    sized = cv2.resize(photo, None, fx=scale * 1.01, fy=scale * 1.01, interpolation=cv2.INTER_LINEAR)
    top = int(rng.integers(0, sized.shape[0] - height + 1))
    left = int(rng.integers(0, sized.shape[1] - width + 1))
    face[30 : 30 + height, 25 : 25 + width] = sized[top : top + height, left : left + width]
    cv2.rectangle(face, (25, 30), (25 + width, 30 + height), colour, 5)
    return face
