"""Table surfaces made by code: cloth, checked and printed cloth, wood, felt, stone."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

KINDS = ("cloth", "checked", "striped", "printed", "wood", "planks", "felt", "stone", "plain")


def surface(
    rng: np.random.Generator, kind: str | None = None, size: tuple[int, int] = (768, 768)
) -> NDArray[np.uint8]:
    """Make one table surface, seen from straight above.

    Args:
        rng: source of all randomness.
        kind: one of `KINDS`; chosen at random if None.
        size: height and width in pixels.

    Returns:
        Picture of the surface, shape (height, width, 3), BGR.
    """
    kind = kind or str(rng.choice(KINDS))
    if kind not in KINDS:
        raise ValueError(f"no surface {kind!r}; there are {', '.join(KINDS)}")
    base = _MAKERS[kind](rng, size)
    return np.clip(base, 0, 255).astype(np.uint8)


def smooth_noise(
    rng: np.random.Generator, size: tuple[int, int], cell_px: float, stretch: float = 1.0
) -> NDArray[np.float32]:
    """Smooth random field of about unit range, shape `size`; `stretch` > 1 draws it out along x."""
    height, width = size
    rows = max(2, round(height / cell_px))
    columns = max(2, round(width / (cell_px * stretch)))
    field = rng.normal(0, 1, (rows, columns)).astype(np.float32)
    return cv2.resize(field, (width, height), interpolation=cv2.INTER_CUBIC)


def _colour(
    rng: np.random.Generator, saturation: tuple[int, int], value: tuple[int, int]
) -> NDArray[np.float32]:
    hsv = np.array([[[rng.integers(0, 180), rng.integers(*saturation), rng.integers(*value)]]], np.uint8)
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)


def _weave(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    """Threads of a cloth as brightness factors around 1, shape (h, w, 1)."""
    height, width = size
    period = rng.uniform(2.2, 6)
    x = np.sin(np.arange(width, dtype=np.float32) * 2 * np.pi / period)
    y = np.sin(np.arange(height, dtype=np.float32) * 2 * np.pi / (period * rng.uniform(0.9, 1.1)))
    threads = 1 + rng.uniform(0.01, 0.07) * (x[None] + y[:, None])
    grain = rng.normal(0, rng.uniform(0.01, 0.05), size).astype(np.float32)
    folds = smooth_noise(rng, size, rng.uniform(120, 400)) * rng.uniform(0, 0.07)
    return (threads + grain + folds)[..., None]


def _cloth(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    return _colour(rng, (0, 200), (60, 250)) * _weave(rng, size)


def _bands(rng: np.random.Generator, length: int, period: float, count: int) -> NDArray[np.float32]:
    """Weights of `count` bands repeated along `length` pixels, shape (length,), 0..1."""
    position = (np.arange(length, dtype=np.float32) / period) % 1
    weights = np.zeros(length, np.float32)
    for _ in range(count):
        start, wide = rng.uniform(0, 1), rng.uniform(0.04, 0.5)
        band = ((position - start) % 1) < wide
        weights = np.maximum(weights, band.astype(np.float32) * np.float32(rng.uniform(0.4, 1)))
    return cv2.GaussianBlur(weights[None], (3, 1), 0)[0]


def _checked(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    height, width = size
    period = float(np.exp(rng.uniform(np.log(10), np.log(140))))
    ground = _colour(rng, (0, 60), (170, 255)) if rng.random() < 0.7 else _colour(rng, (0, 200), (30, 160))
    thread = _colour(rng, (0, 255), (20, 200))
    count = int(rng.integers(1, 4))
    across = _bands(rng, width, period, count)[None, :, None]
    along = _bands(rng, height, period, count)[:, None, None]
    share = (across + along) / 2
    return np.asarray((ground * (1 - share) + thread * share) * _weave(rng, size), np.float32)


def _striped(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    height, width = size
    period = float(np.exp(rng.uniform(np.log(8), np.log(200))))
    share = _bands(rng, width, period, int(rng.integers(1, 5)))[None, :, None]
    picture = _colour(rng, (0, 120), (120, 255)) * (1 - share) + _colour(rng, (0, 255), (20, 220)) * share
    return np.broadcast_to(picture, (height, width, 3)) * _weave(rng, size)


def _printed(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    """A printed cloth or oilcloth: flowers, dots, fruit, scrolls, even card-like rectangles."""
    height, width = size
    picture = np.full((height, width, 3), _colour(rng, (0, 120), (90, 255)), np.float32)
    cell = int(rng.integers(40, 190))
    tile = np.full((cell, cell, 3), picture[0, 0], np.float32)
    for _ in range(int(rng.integers(2, 9))):
        colour = tuple(float(c) for c in _colour(rng, (40, 255), (40, 240)))
        centre = tuple(int(v) for v in rng.integers(0, cell, 2))
        radius = int(rng.integers(2, max(3, cell // 4)))
        shape = rng.integers(0, 4)
        if shape == 0:
            cv2.circle(tile, centre, radius, colour, -1, cv2.LINE_AA)
        elif shape == 1:
            for petal in range(5):
                angle = petal * 2 * np.pi / 5
                spot = (int(centre[0] + radius * np.cos(angle)), int(centre[1] + radius * np.sin(angle)))
                cv2.circle(tile, spot, max(1, radius // 2), colour, -1, cv2.LINE_AA)
        elif shape == 2:
            axes = (radius, max(1, radius // 3))
            cv2.ellipse(tile, centre, axes, float(rng.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA)
        else:
            box = cv2.boxPoints(
                (
                    (float(centre[0]), float(centre[1])),
                    (radius * 2.0, radius * 3.0),
                    float(rng.uniform(0, 90)),
                )
            )
            cv2.polylines(tile, [box.astype(np.int32)], True, colour, int(rng.integers(1, 4)), cv2.LINE_AA)
    repeats = (height // cell + 1, width // cell + 1, 1)
    picture = np.tile(tile, repeats)[:height, :width]
    return picture * _weave(rng, size)


def _wood_grain(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    rings = smooth_noise(rng, size, rng.uniform(25, 90), stretch=rng.uniform(6, 20))
    lines = np.sin(rings * rng.uniform(3, 14))
    fibres = smooth_noise(rng, size, 2.5, stretch=rng.uniform(20, 60))
    return 1 + lines * rng.uniform(0.03, 0.16) + fibres * rng.uniform(0.01, 0.06)


def _wood_colour(rng: np.random.Generator) -> NDArray[np.float32]:
    hsv = np.array([[[rng.integers(6, 22), rng.integers(50, 200), rng.integers(50, 235)]]], np.uint8)
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)


def _wood(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    return _wood_colour(rng) * _wood_grain(rng, size)[..., None]


def _planks(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    height, width = size
    colour = _wood_colour(rng)
    picture = np.empty((height, width, 3), np.float32)
    plank = int(rng.integers(40, 180))
    for top in range(0, height, plank):
        rows = min(plank, height - top)
        strip = _wood_grain(rng, (rows, width))[..., None] * colour * rng.uniform(0.85, 1.15)
        strip[: int(rng.integers(1, 4))] *= rng.uniform(0.4, 0.9)
        picture[top : top + rows] = strip
    return picture


def _felt(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    hue = int(rng.choice([60, 65, 75, 85, 110, 0, 175, 120]))
    hsv = np.array([[[hue, rng.integers(90, 255), rng.integers(40, 190)]]], np.uint8)
    colour = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)
    fuzz = rng.normal(0, rng.uniform(0.02, 0.09), size).astype(np.float32)
    patches = smooth_noise(rng, size, rng.uniform(80, 300)) * rng.uniform(0, 0.06)
    return colour * (1 + cv2.GaussianBlur(fuzz, (0, 0), rng.uniform(0.5, 1.2)) + patches)[..., None]


def _stone(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    field = sum(smooth_noise(rng, size, cell) / 2**i for i, cell in enumerate((200, 90, 40, 18)))
    veins = np.exp(-np.abs(field) * rng.uniform(4, 14))[..., None]
    ground, vein = _colour(rng, (0, 50), (90, 245)), _colour(rng, (0, 70), (40, 200))
    share = veins * rng.uniform(0.1, 0.7)
    speckle = 1 + rng.normal(0, rng.uniform(0.005, 0.06), size).astype(np.float32)[..., None]
    return (ground * (1 - share) + vein * share) * speckle


def _plain(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    colour = _colour(rng, (0, 140), (25, 255))
    return colour * (1 + rng.normal(0, 0.01, size).astype(np.float32)[..., None])


_MAKERS = {
    "cloth": _cloth,
    "checked": _checked,
    "striped": _striped,
    "printed": _printed,
    "wood": _wood,
    "planks": _planks,
    "felt": _felt,
    "stone": _stone,
    "plain": _plain,
}
