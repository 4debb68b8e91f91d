"""Reprints: the art of a deck as another maker of the same pattern might print it.

Of most regional patterns one printing only is at hand, and a network that knows one printing reads the others badly. A
reprint keeps what the pattern prescribes, and changes what makers are free in: inks, weight of the lines, how much of
the card the picture fills, and the hand that drew it.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.surfaces import smooth_noise

Image = NDArray[np.uint8]

INKS = 0.13
"""How far the inks are from the art's: standard deviation of a colour matrix around the one that changes nothing."""
FILLED = (0.84, 1.03)
"""Bounds of the picture's width and height against the art's."""
DRAWN_OTHERWISE = 0.012
"""How far lines are displaced, as a share of the card's height."""
WEIGHT_SHARE = 0.35
"""How many reprints have thinner or thicker lines."""


def other_inks(rng: np.random.Generator, image: Image, spread: float = INKS) -> Image:
    """Change the colours of a picture (h, w, 3) BGR; what is grey or white stays as it is."""
    matrix = np.eye(3) + rng.normal(0, spread, (3, 3))
    matrix /= matrix.sum(axis=1, keepdims=True)
    return np.asarray(cv2.transform(image, matrix.astype(np.float32)), np.uint8)


def reprint(rng: np.random.Generator, faces: dict[str, Image]) -> dict[str, Image]:
    """Make a reprint of a deck: pictures of the same codes and sizes, printed alike.

    Args:
        rng: source of the maker's choices.
        faces: (h, w, 3) BGR by code.
    """
    matrix = np.eye(3) + rng.normal(0, INKS, (3, 3))
    matrix = (matrix / matrix.sum(axis=1, keepdims=True)).astype(np.float32)
    darkness = float(np.exp(rng.normal(0, 0.2)))
    curve = (255 * (np.arange(256) / 255) ** darkness).astype(np.uint8)
    filled = rng.uniform(*FILLED, 2) if rng.random() < 0.6 else np.ones(2)
    weight = int(rng.choice([-1, 1])) if rng.random() < WEIGHT_SHARE else 0
    bent = DRAWN_OTHERWISE * float(rng.uniform(0, 1))
    printed = {}
    for code, face in faces.items():
        image = cv2.LUT(cv2.transform(face, matrix), curve)
        if weight:
            thicken = cv2.erode if weight > 0 else cv2.dilate
            image = thicken(image, np.ones((2, 2), np.uint8))
        printed[code] = _placed(_redrawn(rng, image, bent), filled)
    return printed


def _redrawn(rng: np.random.Generator, image: Image, bent: float) -> Image:
    """Displace the lines smoothly, as another hand draws the same figure; the card's edges stay."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    inside = np.sin(np.pi * (y + 0.5) / height) * np.sin(np.pi * (x + 0.5) / width)
    maps = [
        axis + np.float32(bent * height) * inside * smooth_noise(rng, (height, width), height * 0.22)
        for axis in (x, y)
    ]
    return np.asarray(cv2.remap(image, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _placed(image: Image, filled: NDArray[np.floating]) -> Image:
    """Scale the picture by (x, y) around the card's middle; what is beyond is paper."""
    height, width = image.shape[:2]
    grey = image.min(axis=2)
    paper = tuple(int(value) for value in np.median(image[grey >= np.percentile(grey, 60)], axis=0))
    scale = np.array(
        [
            [filled[0], 0, (1 - filled[0]) * (width - 1) / 2],
            [0, filled[1], (1 - filled[1]) * (height - 1) / 2],
        ]
    )
    return np.asarray(
        cv2.warpAffine(
            image, scale, (width, height), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT, borderValue=paper
        ),
        np.uint8,
    )
