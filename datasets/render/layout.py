"""Where cards lie on the table: scattered, rows, half-covered rows, fans, piles, decks with a card under them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datasets.render.projection import Pose

PATTERNS = ("scattered", "row", "covered-row", "fan", "pile", "deck", "crossed", "pair")


@dataclass
class Placement:
    """A card on the table: centre and height in mm, the direction of its top edge, which side is up."""

    x_mm: float
    y_mm: float
    angle_rad: float
    z_mm: float
    face_up: bool

    def corners_mm(self, width_mm: float, height_mm: float) -> np.ndarray:
        """Corners on the table, shape (4, 2): top-left, top-right, bottom-right, bottom-left of the card."""
        half_w, half_h = width_mm / 2, height_mm / 2
        # Seen from above with y pointing up on the table, "right" of the card is clockwise from its top.
        up = np.array([np.cos(self.angle_rad), np.sin(self.angle_rad)])
        right = np.array([up[1], -up[0]])
        centre = np.array([self.x_mm, self.y_mm])
        return np.array(
            [
                centre + up * half_h - right * half_w,
                centre + up * half_h + right * half_w,
                centre - up * half_h + right * half_w,
                centre - up * half_h - right * half_w,
            ]
        )


def place_cards(
    rng: np.random.Generator, pose: Pose, count: int, width_mm: float, height_mm: float
) -> list[Placement]:
    """Lay `count` cards in view of the camera, in groups of random patterns; later ones lie on top."""
    placed: list[Placement] = []
    while len(placed) < count:
        left = count - len(placed)
        pattern = str(rng.choice(PATTERNS, p=[0.33, 0.13, 0.13, 0.1, 0.09, 0.07, 0.05, 0.1]))
        size = 1 if pattern == "scattered" else int(rng.integers(2, 9))
        placed += _group(rng, pose, pattern, min(left, size), width_mm, height_mm, placed)
    return placed


def _spot(rng: np.random.Generator, pose: Pose, margin: float) -> np.ndarray:
    width, height = pose.size_px
    pixel = [rng.uniform(-margin, 1 + margin) * width, rng.uniform(-margin, 1 + margin) * height]
    return pose.unproject(np.array([pixel]))[0]


def _free_spot(
    rng: np.random.Generator, pose: Pose, placed: list[Placement], apart_mm: float, margin: float
) -> np.ndarray:
    """A spot away from cards already there, if one is found in a few tries."""
    spot = _spot(rng, pose, margin)
    for _ in range(8):
        if all(np.hypot(spot[0] - p.x_mm, spot[1] - p.y_mm) > apart_mm for p in placed):
            break
        spot = _spot(rng, pose, margin)
    return spot


def _group(
    rng: np.random.Generator, pose: Pose, pattern: str, size: int, w: float, h: float, placed: list[Placement]
) -> list[Placement]:
    margin = 0.04 if rng.random() < 0.25 else -0.08
    apart = rng.choice([0.0, 0.45 * h, 0.9 * h], p=[0.15, 0.25, 0.6])
    x, y = _free_spot(rng, pose, placed, float(apart), margin)
    angle = rng.uniform(0, 2 * np.pi)
    up = np.array([np.cos(angle), np.sin(angle)])
    right = np.array([up[1], -up[0]])
    face_up = bool(rng.random() < 0.88)
    level = 0.3 * sum(np.hypot(x - p.x_mm, y - p.y_mm) < h for p in placed)

    def card(dx: float, dy: float, turn: float, z: float, up_side: bool) -> Placement:
        position = np.array([x, y]) + right * dx + up * dy
        return Placement(float(position[0]), float(position[1]), float(angle + turn), level + z, up_side)

    def jitter(scale: float) -> float:
        return float(rng.normal(0, scale))

    if pattern == "scattered":
        return [card(0, 0, 0, 0, face_up)]
    if pattern == "row":
        gap = w * rng.uniform(1.02, 1.5)
        sloppy = rng.uniform(0, 0.12)
        flip = rng.random() < 0.5
        return [
            card(
                (i - (size - 1) / 2) * gap,
                jitter(h * sloppy * 0.5),
                jitter(sloppy) + np.pi * (flip and rng.random() < 0.5),
                0,
                rng.random() < 0.95,
            )
            for i in range(size)
        ]
    if pattern == "covered-row":
        step = rng.uniform(0.22, 0.8)
        along = rng.random() < 0.6
        sloppy = rng.uniform(0, 0.08)
        return [
            card(
                i * step * w if along else jitter(w * sloppy),
                jitter(h * sloppy) if along else -i * step * h * 0.8,
                jitter(sloppy),
                0.3 * i,
                face_up,
            )
            for i in range(size)
        ]
    if pattern == "fan":
        spread = rng.uniform(0.1, 0.4) * rng.choice([-1, 1])
        pivot = h * rng.uniform(0.5, 1.1)
        cards = []
        for i in range(size):
            turn = (i - (size - 1) / 2) * spread + jitter(0.03)
            cards.append(card(pivot * np.sin(-turn), pivot * (np.cos(turn) - 1), turn, 0.3 * i, face_up))
        return cards
    if pattern == "pile":
        sloppy = rng.uniform(0.01, 0.35)
        up_side = rng.random() < 0.5
        return [
            card(jitter(w * sloppy * 0.5), jitter(h * sloppy * 0.4), jitter(sloppy), 0.3 * i, up_side)
            for i in range(size)
        ]
    if pattern == "deck":
        thickness = rng.uniform(1, 12)
        under = card(0, h * rng.uniform(0.25, 0.6), np.pi / 2 * rng.integers(0, 2) + jitter(0.05), 0, True)
        return [under, card(0, 0, jitter(0.05), thickness, False)][:size]
    if pattern == "pair":
        # Two cards of one player, the upper one turned and pushed along, a corner of the lower one showing.
        turn = rng.uniform(0.05, 0.6) * rng.choice([-1, 1])
        return [
            card(0, 0, 0, 0, face_up),
            card(
                w * rng.uniform(0.15, 0.7) * rng.choice([-1, 1]),
                h * rng.uniform(-0.35, 0.35),
                turn,
                0.3,
                face_up,
            ),
        ][:size]
    cross = [
        card(0, 0, 0, 0, face_up),
        card(jitter(w * 0.2), jitter(h * 0.2), np.pi / 2 + jitter(0.2), 0.4, face_up),
    ]
    return cross[:size]
