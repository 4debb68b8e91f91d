"""Where quads lie to each other, in card heights. Owns no card."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.boxes import intersection_area, quad_areas
from vision.detections import Detections

Quad = npt.NDArray[np.float32]

# Two boxes are of one card if their centres are nearer than this, in short sides, and they are turned alike (radians).
_TWIN_CENTRES = 0.3
_TWIN_TURN = 0.35
_MASK_PX = 32
_UNIT = np.array([[0, 0], [_MASK_PX, 0], [_MASK_PX, _MASK_PX], [0, _MASK_PX]], np.float32)


def card_height(quad: Quad) -> float:
    """Return the mean length of the two longer sides of a quad, in pixels."""
    edges = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return float(max(edges[0] + edges[2], edges[1] + edges[3]) / 2)


def long_axis(quad: Quad) -> float:
    """Return the direction of the long side in radians, 0 to pi."""
    first = quad[1] - quad[0] + quad[2] - quad[3]
    second = quad[2] - quad[1] + quad[3] - quad[0]
    along = first if np.hypot(*first) > np.hypot(*second) else second
    return float(np.arctan2(along[1], along[0]) % np.pi)


def turned_by(first: Quad, second: Quad) -> float:
    """Return by how much the long sides of two quads differ, in radians from 0 to pi/2."""
    apart = abs(long_axis(first) - long_axis(second))
    return min(apart, np.pi - apart)


def aligned(quad: Quad, like: Quad) -> Quad:
    """Return the quad with its corners in the order of the like one's: its first corner is nearest to that one's."""
    turns = [np.roll(quad, k, axis=0) for k in (0, 2)]
    return min(turns, key=lambda turn: float(np.abs(turn - like).sum()))


def covered_part(quad: Quad, others: Sequence[Quad]) -> float:
    """Return the part of a quad that other quads cover together, 0 to 1."""
    near = [other for other in others if _boxes_touch(quad, other)]
    if not near:
        return 0.0
    if len(near) == 1:
        area = float(quad_areas(quad[None])[0])
        return min(1.0, intersection_area(quad, near[0]) / area) if area > 0 else 0.0
    # Several covers overlap each other: paint them into a small picture of the card.
    to_unit = cv2.getPerspectiveTransform(np.ascontiguousarray(quad, np.float32), _UNIT)
    mask = np.zeros((_MASK_PX, _MASK_PX), np.uint8)
    for other in near:
        corners = cv2.perspectiveTransform(np.ascontiguousarray(other[None], np.float32), to_unit)[0]
        cv2.fillConvexPoly(mask, np.clip(np.round(corners), -4096, 4096).astype(np.int32), 1)
    return float(mask.mean())


def without_twins(cards: Detections) -> Detections:
    """Keep the best of boxes of the same card: those that lie nearly on each other, wherever their corners are.

    Of two cards that lie so the upper one hides the lower, which then has no box at all.
    """
    kept: list[int] = []
    centres, shorts = cards.centres, cards.sizes.min(axis=1) if len(cards) else np.zeros(0)
    for i in np.argsort(-cards.scores, kind="stable").tolist():
        is_twin = any(
            float(np.hypot(*(centres[i] - centres[j]))) < _TWIN_CENTRES * min(shorts[i], shorts[j])
            and turned_by(cards.quads[i], cards.quads[j]) < _TWIN_TURN
            for j in kept
        )
        if not is_twin:
            kept.append(i)
    return cards.pick(sorted(kept)) if len(kept) < len(cards) else cards


def _boxes_touch(first: Quad, second: Quad) -> bool:
    return bool(
        (first.min(axis=0) < second.max(axis=0)).all() and (second.min(axis=0) < first.max(axis=0)).all()
    )
