"""What light, lens, sensor and codec do to a picture: the last steps of a rendering."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.surfaces import smooth_noise

MOST_BURNT = 1.6
"""How much brighter than white a picture's brightest things are at most before the sensor clips them."""


def light_field(rng: np.random.Generator, size: tuple[int, int], harshness: float) -> NDArray[np.float32]:
    """Light over the table as factors, shape (h, w, 3): gradient, lamps, soft and hard shadows, colour.

    Args:
        rng: source of randomness.
        size: height and width in pixels.
        harshness: 0 gives nearly even light, 1 the worst.
    """
    height, width = size
    low = (max(2, height // 8), max(2, width // 8))
    y, x = np.mgrid[0 : low[0], 0 : low[1]].astype(np.float32)
    y, x = y / low[0] - 0.5, x / low[1] - 0.5
    direction = rng.uniform(0, 2 * np.pi)
    field: NDArray[np.float32] = 1 + harshness * rng.uniform(0, 0.7) * (
        x * np.cos(direction) + y * np.sin(direction)
    )
    if rng.random() < 0.35:
        cx, cy = rng.uniform(-0.6, 0.6, 2)
        reach = rng.uniform(0.25, 0.9)
        lamp = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / reach**2)
        field = field * (1 - harshness * 0.45 + harshness * rng.uniform(0.4, 1.0) * lamp)
    field = cv2.resize(field.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    for _ in range(int(rng.integers(0, 3)) if rng.random() < 0.5 else 0):
        shadow = np.zeros(low, np.float32)
        corners = rng.uniform(-0.3, 1.3, (int(rng.integers(3, 6)), 2)) * [low[1], low[0]]
        cv2.fillPoly(shadow, [cv2.convexHull(corners.astype(np.int32))], 1.0)
        soft = rng.uniform(0.3, 5)
        shadow = cv2.GaussianBlur(shadow, (0, 0), soft)
        shadow = cv2.resize(shadow, (width, height), interpolation=cv2.INTER_LINEAR)
        field *= 1 - shadow * rng.uniform(0.15, 0.3 + 0.4 * harshness)
    tint = np.array([1, 1, 1], np.float32)
    if rng.random() < 0.5:
        warm = rng.normal(0, 0.14) * harshness
        tint = np.array([1 - warm * 1.3, 1 - abs(rng.normal(0, 0.02)), 1 + warm], np.float32)
    return cv2.multiply(cv2.merge([np.maximum(field, 0.08)] * 3), (*tuple(float(t) for t in tint), 1.0))


def glare_field(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    """Reflections of lamps and windows on glossy things, shape (h, w), in grey levels to be added."""
    height, width = size
    low = (max(2, height // 4), max(2, width // 4))
    field = np.zeros(low, np.float32)
    for _ in range(int(rng.integers(1, 4))):
        centre = (float(rng.uniform(0, low[1])), float(rng.uniform(0, low[0])))
        box = (
            centre,
            (float(rng.uniform(5, low[1] * 0.5)), float(rng.uniform(4, low[0] * 0.3))),
            float(rng.uniform(0, 180)),
        )
        spot = np.zeros(low, np.float32)
        if rng.random() < 0.5:
            cv2.ellipse(spot, box, 1.0, -1)
        else:
            cv2.fillPoly(spot, [cv2.boxPoints(box).astype(np.int32)], 1.0)
        field += cv2.GaussianBlur(spot, (0, 0), rng.uniform(2, 12)) * rng.uniform(20, 170)
    return cv2.resize(field, (width, height), interpolation=cv2.INTER_LINEAR)


def motion_kernel(length_px: float, angle_rad: float) -> NDArray[np.float32]:
    """Kernel of a straight smear, sums to 1."""
    size = max(3, int(np.ceil(length_px)) | 1)
    kernel = np.zeros((size, size), np.float32)
    middle = (size - 1) / 2
    reach = np.array([np.cos(angle_rad), np.sin(angle_rad)]) * length_px / 2
    start, end = (middle - reach) * 16, (middle + reach) * 16
    cv2.line(
        kernel,
        (round(start[0]), round(start[1])),
        (round(end[0]), round(end[1])),
        1.0,
        1,
        cv2.LINE_AA,
        shift=4,
    )
    total = kernel.sum()
    return kernel / total if total else np.ones((1, 1), np.float32)


def photograph(rng: np.random.Generator, scene: NDArray[np.float32], harshness: float) -> NDArray[np.uint8]:
    """Take a picture of a lit scene with a bad camera.

    Args:
        rng: source of randomness.
        scene: lit scene, shape (h, w, 3), BGR, 0..255 (values beyond are clipped as a sensor does).
        harshness: 0 is a good camera in good light, 1 the worst.

    Returns:
        Picture, same shape, uint8.
    """
    height, width = scene.shape[:2]
    exposure = np.exp(rng.normal(0, 0.12 + 0.22 * harshness))
    mean = float(scene[::8, ::8].mean()) + 1
    # A camera exposes for the picture's mean, and misses.
    target = rng.uniform(75, 150) if rng.random() < 0.75 else mean
    # A dark table makes it burn white cards, but never so far that no print is left on them.
    brightest = float(np.percentile(scene[::8, ::8], 97)) + 1
    gain = min(np.clip(target / mean, 0.4, 2.6) * exposure, MOST_BURNT * 255 / brightest)
    balance = 1 + rng.normal(0, 0.03 + 0.05 * harshness, 3).astype(np.float32)
    picture = cv2.multiply(scene, (*tuple(float(g) for g in gain * balance), 1.0))
    if rng.random() < 0.4:
        y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
        x = np.linspace(-1, 1, width, dtype=np.float32)[None]
        fall_off = 1 - np.float32(rng.uniform(0.05, 0.35) / 2) * (x * x + y * y)
        picture = cv2.multiply(picture, cv2.merge([fall_off] * 3))
    if rng.random() < 0.22 * (0.5 + harshness):
        picture = cv2.filter2D(
            picture, -1, motion_kernel(rng.uniform(1.5, 2 + 7 * harshness), rng.uniform(0, np.pi))
        )
    if rng.random() < 0.55:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 0.7 + 1.3 * harshness * rng.random()))
    if rng.random() < 0.3:
        shrink = rng.uniform(0.45, 0.95)
        small = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        picture = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    noise = rng.uniform(0, 2.5) if rng.random() < 0.6 else rng.uniform(2, 5 + 11 * harshness)
    if noise > 0.3:
        grain = _noise_bank()[int(rng.integers(0, 4))]
        top, left = (int(v) for v in rng.integers(0, 900 - 640, 2))
        if (
            top + height > 900 or left + width > 900
        ):  # a picture larger than those of training: grain side by side
            grain = np.tile(grain, (2 + height // 900, 2 + width // 900, 1))
        grain = grain[top : top + height, left : left + width]
        if rng.random() < 0.4:
            grain = cv2.GaussianBlur(grain, (0, 0), 0.8) * 1.8
        picture = cv2.scaleAdd(np.ascontiguousarray(grain), float(noise), picture)
    if rng.random() < 0.25:
        # The over-sharpening of cheap webcams.
        blurred = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.8, 1.8))
        amount = rng.uniform(0.4, 1.8)
        picture = cv2.addWeighted(picture, 1 + amount, blurred, -amount, 0)
    picture8 = cv2.convertScaleAbs(cv2.max(picture, 0))
    gamma = np.exp(rng.normal(0, 0.18))
    contrast = rng.uniform(0.75, 1.2) if rng.random() < 0.4 else 1.0
    ramp = np.arange(256, dtype=np.float32)
    ramp = 255 * (ramp / 255) ** gamma
    ramp = (ramp - 128) * contrast + 128 + (rng.uniform(-15, 25) if contrast < 1 else 0)
    picture8 = cv2.LUT(picture8, np.clip(ramp, 0, 255).astype(np.uint8))
    if rng.random() < 0.3:
        hsv = cv2.cvtColor(picture8, cv2.COLOR_BGR2HSV)
        hsv[..., 1] = np.clip(hsv[..., 1] * np.float32(rng.uniform(0.4, 1.5)), 0, 255).astype(np.uint8)
        picture8 = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)
    return compress(rng, picture8, harshness)


def compress(rng: np.random.Generator, picture: NDArray[np.uint8], harshness: float) -> NDArray[np.uint8]:
    """JPEG, or the coarser look of a video codec at a low bit rate."""
    quality = int(rng.uniform(70 - 50 * harshness, 97))
    if rng.random() < 0.2:
        # Video: chroma at half size, blocks smoothed by the in-loop filter.
        picture = cv2.bilateralFilter(picture, 5, rng.uniform(8, 22), 3)
        quality = int(rng.uniform(18, 60))
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


_BANK: list[NDArray[np.float32]] = []


def _noise_bank() -> list[NDArray[np.float32]]:
    """Ready-made grain: drawing a million normals for each picture would be the slowest step of all."""
    if not _BANK:
        rng = np.random.default_rng(20)
        for _ in range(4):
            luma = rng.normal(0, 0.8, (900, 900, 1)).astype(np.float32)
            chroma = rng.normal(0, 0.6, (900, 900, 3)).astype(np.float32)
            _BANK.append((luma + chroma) * (1 + 0.1 * smooth_noise(rng, (900, 900), 90)[..., None]))
    return _BANK
