"""Render a deck laid out in rows, as people lay it out to photograph it: upright, uncovered, a camera held over it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.assets import Assets, Deck
from datasets.render.layout import Placement
from datasets.render.lens import light_field, photograph
from datasets.render.projection import Pose
from datasets.render.scene import CARD_HEIGHT_MM, Canvas, LabelledCard, Rendering, draw_card
from datasets.render.sprites import DeckLook, card_sprite

FILLS = 0.86
"""Share of the picture that the rows take up."""
GAP = 0.22
"""Space between cards, as a share of their width."""


def render_spread(
    rng: np.random.Generator,
    assets: Assets,
    deck: Deck,
    codes: Sequence[str],
    columns: int,
    look: DeckLook,
    *,
    size_px: tuple[int, int] = (1280, 960),
    most_tilt_deg: float = 25.0,
    harshness: float = 0.3,
) -> Rendering:
    """Render cards of one deck lying in rows.

    Args:
        rng: source of all randomness.
        assets: tables to lay them on.
        deck: the deck's faces.
        codes: the cards in reading order, from the upper left.
        columns: cards in a row.
        look: what the cards of this deck share, the same over all pictures of it.
        size_px: width and height of the picture.
        most_tilt_deg: the camera is up to so far off the vertical.
        harshness: 0 gives even light and a clear picture, 1 the worst.
    """
    first = deck.faces[codes[0]]
    aspect = first.shape[0] / first.shape[1]
    width_mm, height_mm = CARD_HEIGHT_MM / aspect, CARD_HEIGHT_MM
    step_x, step_y = width_mm * (1 + GAP), height_mm + width_mm * GAP
    rows = -(-len(codes) // columns)
    pose = Pose.looking(
        size_px,
        FILLS * min(size_px[0] / (columns * step_x), size_px[1] / (rows * step_y)),
        float(rng.uniform(0, most_tilt_deg)),
        float(rng.uniform(0, 360)),
        float(rng.uniform(0, 360)),
        float(rng.uniform(40, 65)),
    )
    canvas = _empty_table(rng, assets, pose)
    width, height = size_px
    middle, above = pose.unproject(np.array([[width / 2, height / 2], [width / 2, height / 2 - 40]]))
    up = (above - middle) / np.linalg.norm(above - middle)
    heading = float(np.arctan2(up[1], up[0])) + float(rng.normal(0, 0.04))
    up = np.array([np.cos(heading), np.sin(heading)])
    right = np.array([up[1], -up[0]])
    labels: list[LabelledCard] = []
    for i, code in enumerate(codes):
        row, column = divmod(i, columns)
        x = (column - (columns - 1) / 2) * step_x + rng.normal(0, 0.03) * width_mm
        y = ((rows - 1) / 2 - row) * step_y + rng.normal(0, 0.03) * width_mm
        centre = middle + right * x + up * y
        place = Placement(
            float(centre[0]), float(centre[1]), heading + float(rng.normal(0, 0.035)), 0.3, True
        )
        quad = pose.project(place.corners_mm(width_mm, height_mm), place.z_mm)
        tall = float(max(np.linalg.norm(quad[0] - quad[3]), np.linalg.norm(quad[1] - quad[2])))
        sprite = card_sprite(rng, deck.art(code, tall), int(np.clip(tall * 1.1, 16, 460)), aspect, look)
        draw_card(canvas, sprite, quad, place.z_mm, i + 1, 1.0)
        labels.append(LabelledCard(code, deck.name, quad, 1.0))
    lit = cv2.multiply(canvas.colour, light_field(rng, (height, width), harshness), dtype=cv2.CV_32F)
    return Rendering(photograph(rng, lit, harshness), labels, [], pose.tilt_deg)


def _empty_table(rng: np.random.Generator, assets: Assets, pose: Pose) -> Canvas:
    width, height = pose.size_px
    texture = assets.surfaces[int(rng.integers(len(assets.surfaces)))]
    mm_per_texel = float(np.exp(rng.uniform(np.log(0.4), np.log(1.2))))
    half_h, half_w = texture.shape[0] / 2, texture.shape[1] / 2
    to_table: NDArray[np.float64] = np.diag([mm_per_texel, mm_per_texel, 1.0]) @ np.array(
        [[1, 0, -half_w], [0, 1, -half_h], [0, 0, 1.0]]
    )
    colour = cv2.warpPerspective(
        texture,
        pose.table_homography @ to_table,
        pose.size_px,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REFLECT,
    )
    angle = rng.uniform(0, 2 * np.pi)
    reach = rng.uniform(0.2, 1.0) * pose.px_per_mm
    return Canvas(
        colour,
        np.zeros((height, width), np.int16),
        np.zeros((height, width), np.float32),
        np.array([np.cos(angle), np.sin(angle)], np.float32) * np.float32(reach),
        float(rng.uniform(0.15, 0.6)),
    )
