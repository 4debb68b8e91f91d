"""Card sprites: a face or back as the camera would meet it: worn, dirty, tinted, bent, sleeved, with round corners."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.surfaces import smooth_noise


@dataclass(frozen=True)
class DeckLook:
    """What all cards of one deck on one table share.

    Attributes:
        corner: radius of the corners as a share of the card's width.
        border: width of an additional blank border, likewise.
        paper: colour of the paper as factors, BGR.
        ink: how much of the print's contrast is left, 0..1.
        wear: amount of dirt, creases and worn edges, 0..1.
        bend: bow of the cards as a share of their width.
        sleeved: whether the cards are in plastic sleeves.
    """

    corner: float
    border: float
    paper: NDArray[np.float32]
    ink: float
    wear: float
    bend: float
    sleeved: bool

    @classmethod
    def random(cls, rng: np.random.Generator) -> DeckLook:
        """Draw a deck's look."""
        yellow = rng.uniform(0, 1) ** 2
        paper = np.array([1 - 0.22 * yellow, 1 - 0.07 * yellow, 1 - 0.02 * yellow], np.float32) * rng.uniform(
            0.86, 1
        )
        return cls(
            corner=float(rng.uniform(0.03, 0.1)),
            border=float(rng.uniform(0.01, 0.07)) if rng.random() < 0.35 else 0.0,
            paper=paper,
            ink=float(rng.uniform(0.68, 1)),
            wear=float(rng.uniform(0, 1) ** 2),
            bend=float(rng.uniform(0.01, 0.05)) if rng.random() < 0.25 else 0.0,
            sleeved=bool(rng.random() < 0.05),
        )


def corner_mask(height: int, width: int, radius: float) -> NDArray[np.float32]:
    """Soft-edged mask of a rectangle with rounded corners, shape (height, width), 0..1."""
    x = np.abs(np.arange(width, dtype=np.float32) - (width - 1) / 2) - ((width - 1) / 2 - radius)
    y = np.abs(np.arange(height, dtype=np.float32) - (height - 1) / 2) - ((height - 1) / 2 - radius)
    distance = np.hypot(np.maximum(x, 0)[None], np.maximum(y, 0)[:, None])
    return np.clip(radius + 0.5 - distance, 0, 1)


def card_sprite(
    rng: np.random.Generator, art: NDArray[np.uint8], height_px: int, aspect: float, look: DeckLook
) -> NDArray[np.uint8]:
    """Make the sprite of one card, BGRA, shape (height_px, height_px / aspect, 4).

    Args:
        rng: source of the wear of this very card.
        art: the face or back, BGR.
        height_px: height of the sprite in pixels.
        aspect: height over width of the card.
        look: what the deck's cards share.
    """
    width_px = max(8, round(height_px / aspect))
    edge = round(look.border * width_px)
    inner = (width_px - 2 * edge, height_px - 2 * edge)
    shrinking = art.shape[0] > inner[1]
    image = cv2.resize(art, inner, interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_CUBIC)
    if edge:
        image = cv2.copyMakeBorder(image, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=(250, 250, 250))
    ramp = np.arange(256, dtype=np.float32)[:, None]
    faded = (255 - (255 - ramp) * look.ink) * look.paper
    image = cv2.LUT(image, faded.astype(np.uint8)[None])
    mask = corner_mask(height_px, width_px, max(1.0, look.corner * width_px))
    if look.wear > 0.05 or look.bend:
        image = cv2.convertScaleAbs(_worn(rng, image, look))
    sprite = cv2.merge([*cv2.split(image), cv2.convertScaleAbs(mask, alpha=255)])
    if look.bend:
        sprite = _bow(rng, sprite, look.bend)
    return sprite


def _worn(rng: np.random.Generator, image: NDArray[np.uint8], look: DeckLook) -> NDArray[np.float32]:
    """The face with dirt, creases, worn edges, and the light on a bent card."""
    height_px, width_px = image.shape[:2]
    picture = image.astype(np.float32)
    if look.wear > 0.05:
        dirt = smooth_noise(rng, (height_px, width_px), max(3.0, width_px * rng.uniform(0.08, 0.6)))
        factor = 1 + np.clip(dirt, -2, 0.3) * np.float32(0.09 * look.wear)
        if rng.random() < look.wear:
            rim = 1 - corner_mask(height_px, width_px, max(1.0, look.corner * width_px * 1.6))
            rim = np.maximum(rim, _frame(height_px, width_px, max(1, round(width_px * 0.02))))
            factor *= 1 - rim * np.float32(rng.uniform(0.05, 0.35) * look.wear)
        picture = cv2.multiply(picture, cv2.merge([factor] * 3))
        if rng.random() < look.wear * 0.6:
            _crease(rng, picture)
    if look.bend:
        along = np.linspace(-1, 1, height_px, dtype=np.float32)
        across = np.linspace(-1, 1, width_px, dtype=np.float32)
        slope = along[:, None] if rng.random() < 0.5 else across[None]
        picture *= (1 + slope * look.bend * rng.uniform(-4, 4))[..., None]
    return np.clip(picture, 0, 255)


def _frame(height: int, width: int, thick: int) -> NDArray[np.float32]:
    frame = np.ones((height, width), np.float32)
    frame[thick:-thick, thick:-thick] = 0
    return frame


def _crease(rng: np.random.Generator, picture: NDArray[np.float32]) -> None:
    height, width = picture.shape[:2]
    start = (int(rng.integers(0, width)), int(rng.integers(0, height)))
    end = (int(rng.integers(0, width)), int(rng.integers(0, height)))
    line = np.zeros((height, width), np.float32)
    cv2.line(line, start, end, 1, 1, cv2.LINE_AA)
    light = rng.choice([-1, 1]) * rng.uniform(15, 70)
    picture += (cv2.GaussianBlur(line, (3, 3), 0) * light)[..., None]


def _bow(rng: np.random.Generator, sprite: NDArray[np.uint8], bend: float) -> NDArray[np.uint8]:
    """Bow the card's long edges in and out, as a bent card looks from the side; its corners stay in place."""
    height, width = sprite.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    shift = np.sin(np.linspace(0, np.pi, height, dtype=np.float32)) * width * bend * rng.uniform(-1, 1)
    # Squeezed a little, so that the bowed edge stays inside the sprite.
    squeeze = 1 + bend
    map_x = (x - width / 2) * squeeze + width / 2 + shift[:, None]
    return cv2.remap(
        sprite, map_x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(200, 200, 200, 0)
    )
