"""Painted arms that come down on a painted pile, in frames with true motion blur and known contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.camera import Frame

SIZE = (640, 360)
PILE = (320.0, 180.0)
INTERVAL_MS = 1000 / 30
_INSIDE = 3
_CAMERA_MM = 700.0
_PX_PER_MM = 0.75


@dataclass(frozen=True)
class PaintedArm:
    """An arm from a direction (degrees, counter-clockwise from the right) that touches at a time.

    `beyond_px` is how far its finger tips reach beyond the middle of the pile, `feint_mm` how high above the pile it
    stops; it draws back at `parts_ms`.
    """

    angle_deg: float
    touch_ms: float
    parts_ms: float
    skin: tuple[int, int, int] = (110, 150, 205)
    sleeve: tuple[int, int, int] = (150, 80, 60)
    beyond_px: float = 5.0
    feint_mm: float = 0.0
    speed_px_ms: float = 0.9

    def left_px(self, t_ms: float) -> float:
        """How far it is from where it rests, along its way."""
        if t_ms < self.touch_ms:
            since = self.touch_ms - t_ms
            return self.speed_px_ms * since * (1 - min(since, 250) / 900)
        return max(0.0, t_ms - self.parts_ms) ** 2 / 400

    def height_mm(self, t_ms: float) -> float:
        """How high it is."""
        if t_ms < self.touch_ms:
            return self.feint_mm + min(80.0, 0.7 * (self.touch_ms - t_ms))
        return self.feint_mm + min(80.0, 0.5 * max(0.0, t_ms - self.parts_ms))


def _sprite(arm: PaintedArm) -> tuple[np.ndarray, np.ndarray]:
    """The arm with its finger tips at (60, 20), pointing up: colours and cover, 120 wide and 520 high."""
    colour = np.zeros((520, 120, 3), np.uint8)
    cover = np.zeros((520, 120), np.uint8)
    for layer, value in ((colour, arm.skin), (cover, 255)):
        for x, y in ((36, 34), (52, 22), (68, 24), (84, 36)):
            cv2.line(layer, (x, y), (44 + (x - 36) // 2, 100), value, 11, cv2.LINE_AA)
        cv2.line(layer, (100, 92), (74, 128), value, 12, cv2.LINE_AA)
        cv2.ellipse(layer, (60, 112), (29, 38), 0, 0, 360, value, -1, cv2.LINE_AA)
        cv2.rectangle(layer, (40, 140), (80, 200), value, -1)
    cv2.rectangle(cover, (36, 178), (84, 519), 255, -1)
    cv2.rectangle(colour, (36, 178), (84, 519), arm.sleeve, -1)
    for y in range(190, 520, 14):
        cv2.line(colour, (36, y), (84, y + 6), tuple(int(v * 0.7) for v in arm.sleeve), 3)
    for x, y in ((52, 60), (66, 64), (60, 96), (50, 110), (72, 118)):
        cv2.circle(colour, (x, y), 3, tuple(int(v * 0.75) for v in arm.skin), -1)
    return colour, cover


def table() -> np.ndarray:
    """The table with a pile on it."""
    rng = np.random.default_rng(4)
    grain = cv2.GaussianBlur(rng.normal(0, 60, (SIZE[1], SIZE[0])).astype(np.float32), (0, 0), 2.5)
    image = np.clip(np.array([60, 95, 70], np.float32) + grain[..., None], 0, 255).astype(np.uint8)
    x, y = map(round, PILE)
    cv2.rectangle(image, (x - 24, y - 34), (x + 24, y + 34), (240, 240, 240), -1)
    cv2.circle(image, (x, y), 10, (30, 30, 200), -1)
    cv2.rectangle(image, (x - 24, y - 34), (x + 24, y + 34), (120, 120, 120), 1)
    return image


def frames(
    arms: Sequence[PaintedArm],
    *,
    length_ms: float = 1300,
    interval_ms: float = INTERVAL_MS,
    exposure_ms: float = 12.0,
    noise: float = 1.5,
    skipped: Sequence[int] = (),
    repeated: Sequence[int] = (),
) -> list[Frame]:
    """Film arms; those later in the list lie on top. A frame's time is the middle of its exposure."""
    sprites = [_sprite(arm) for arm in arms]
    ground = table()
    rng = np.random.default_rng(7)
    made: list[Frame] = []
    for number in range(int(length_ms / interval_ms)):
        t_ms = number * interval_ms
        if number in skipped:
            continue
        if number in repeated and made:
            made.append(Frame(made[-1].image, t_ms, number))
            continue
        total = np.zeros((SIZE[1], SIZE[0], 3), np.float32)
        for part in np.linspace(-0.5, 0.5, _INSIDE):
            total += _painted(ground, arms, sprites, t_ms + part * exposure_ms)
        image = total / _INSIDE + rng.normal(0, noise, (SIZE[1], SIZE[0], 1))
        made.append(Frame(np.clip(image, 0, 255).astype(np.uint8), t_ms, number))
    return made


def _painted(
    ground: np.ndarray, arms: Sequence[PaintedArm], sprites: Sequence[tuple[np.ndarray, np.ndarray]], t_ms: float
) -> np.ndarray:
    image = ground.astype(np.float32)
    for arm, (colour, cover) in zip(arms, sprites, strict=True):
        outward = math.radians(arm.angle_deg)
        ux, uy = math.cos(outward), -math.sin(outward)
        left = arm.left_px(t_ms) - arm.beyond_px
        if left > 420:
            continue
        tip = (PILE[0] + ux * left, PILE[1] + uy * left)
        scale = 1 / (1 - arm.height_mm(t_ms) / _CAMERA_MM)
        # The sprite's y (down the arm) points outward.
        matrix = np.array(
            [
                [-uy * scale, ux * scale, 0],
                [ux * scale, uy * scale, 0],
            ]
        )
        matrix[:, 2] = np.array(tip) - matrix[:, :2] @ np.array([60.0, 20.0])
        over = cv2.warpAffine(colour, matrix, SIZE, flags=cv2.INTER_LINEAR).astype(np.float32)
        share = cv2.warpAffine(cover, matrix, SIZE, flags=cv2.INTER_LINEAR).astype(np.float32)[..., None] / 255
        image = image * (1 - share) + over * share
    return image
