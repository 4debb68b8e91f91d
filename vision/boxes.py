"""Geometry of oriented boxes: portrait quads, overlaps, and the suppression of doubles.

Owns what two boxes have to do with each other in the picture. Knows no model and no picture.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.detections import BACK, FACE, HAND, Detections

DOUBLE_COVER = 0.85
"""Share of the smaller box inside the larger one above which two boxes are one card. Cards that truly lie
over each other are told apart up to 70 %; 85 % of two equal boxes is an overlap (IoU) of 0.74."""
LOOKS_COVER = 0.72
"""The same between looks of different scale at one picture."""
SAME_CENTRE = 0.3
"""Distance of two centres, as a share of the smaller short side, below which boxes of two looks are one
card."""
FINER_LOOK_BONUS = 0.05
"""By how much less a box of a finer look may score and still be the one that is kept."""


def portrait_quads(boxes: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    """Turn rotated boxes into quads in the order of `Detections`.

    Args:
        boxes: (n, 5), centre x, centre y, width, height in pixels and the angle in radians by which the
            width's direction is turned from the x axis towards the y axis (clockwise as seen, since y points
            down).

    Returns:
        (n, 4, 2) float32 corners: the first edge is the shorter one, corners go clockwise as seen, and the
        first edge is the upper one in the picture (the left one of a card that lies exactly crosswise).
    """
    boxes = np.asarray(boxes, np.float64).reshape(-1, 5)
    cx, cy, width, height, angle = boxes.T
    lies = width > height
    width, height = np.where(lies, height, width), np.where(lies, width, height)
    angle = np.where(lies, angle + np.pi / 2, angle)
    angle = (
        angle + np.pi / 2
    ) % np.pi - np.pi / 2  # -90 to 90 degrees: the card's long side then points down
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (width / 2)[:, None]
    down = np.stack([-np.sin(angle), np.cos(angle)], axis=1) * (height / 2)[:, None]
    centre = np.stack([cx, cy], axis=1)
    corners = [centre - along - down, centre + along - down, centre + along + down, centre - along + down]
    return np.stack(corners, axis=1).astype(np.float32)


def quad_areas(quads: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Return the areas of quads (n, 4, 2) in square pixels, (n,) float64."""
    x, y = np.asarray(quads, np.float64)[..., 0], np.asarray(quads, np.float64)[..., 1]
    return np.asarray(np.abs((x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1)) / 2)


def intersection_area(first: npt.NDArray[np.floating], second: npt.NDArray[np.floating]) -> float:
    """Return the area in square pixels that two quads (4, 2) share."""
    # Around their own middle: OpenCV computes in float32 and loses pixels far from the origin.
    middle = (np.mean(first, axis=0) + np.mean(second, axis=0)) / 2
    area, _ = cv2.intersectConvexConvex(
        np.ascontiguousarray(first - middle, np.float32), np.ascontiguousarray(second - middle, np.float32)
    )
    return float(area)


def overlaps(quads: npt.NDArray[np.floating]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return how much every two of n quads overlap.

    Args:
        quads: (n, 4, 2) corners in pixels.

    Returns:
        (n, n) IoU, and (n, n) share of the smaller quad that lies inside the larger one; both symmetric,
        diagonal 1.
    """
    count = len(quads)
    areas = quad_areas(quads)
    shared = np.diag(areas)
    low, high = quads.min(axis=1), quads.max(axis=1)
    for i in range(count):
        near = (low[i] < high[i + 1 :]).all(axis=1) & (low[i + 1 :] < high[i]).all(axis=1)
        for j in np.flatnonzero(near) + i + 1:
            shared[i, j] = shared[j, i] = intersection_area(quads[i], quads[j])
    union = areas[:, None] + areas[None, :] - shared
    smaller = np.minimum(areas[:, None], areas[None, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        iou = np.where(union > 0, shared / union, 0.0)
        cover = np.where(smaller > 0, shared / smaller, 0.0)
    return np.clip(iou, 0, 1), np.clip(cover, 0, 1)


def first_of_each(same: npt.NDArray[np.bool_]) -> list[int]:
    """Return which of n things to keep, in order, so that none is the same as one kept before it.

    Args:
        same: (n, n) bool, whether two of them are the same; the best come first.
    """
    kept: list[int] = []
    for i in range(len(same)):
        if not same[i, kept].any():
            kept.append(i)
    return kept


def without_doubles(detections: Detections, cover: float = DOUBLE_COVER) -> Detections:
    """Keep the best of boxes that are the same thing.

    Two boxes are one card when the smaller lies in the larger by `cover` or more, a face and a back alike: a
    detector without suppression of its own sometimes gives both. A hand over a card is both a hand and a
    card.

    Args:
        detections: boxes in any order.
        cover: share of the smaller box, see `DOUBLE_COVER`.

    Returns:
        The kept boxes, best score first.
    """
    ordered = detections.pick(np.argsort(-detections.scores, kind="stable"))
    if len(ordered) < 2:
        return ordered
    _, covers = overlaps(ordered.quads)
    hand = ordered.class_ids == HAND
    double = (covers >= cover) & (hand[:, None] == hand[None, :])
    return ordered.pick(first_of_each(double))


def merged_looks(looks: Sequence[Detections]) -> Detections:
    """Join what several looks of different scale saw of one picture.

    Boxes of one card differ more between looks than within one, so less is asked for than in
    `without_doubles`: they cover each other by `LOOKS_COVER`, or have nearly the same centre.

    Args:
        looks: boxes of each look, without doubles, in pixels of the picture; coarse looks first.

    Returns:
        Boxes without doubles, best first; of equally good ones those of the finer look.
    """
    found = Detections.joined(looks)
    if len(found) < 2:
        return found
    look = np.repeat(np.arange(len(looks)), [len(seen) for seen in looks])
    order = np.argsort(-(found.scores + FINER_LOOK_BONUS * look), kind="stable")
    found, look = found.pick(order), look[order]
    _, covers = overlaps(found.quads)
    centres, short = found.centres, found.sizes.min(axis=1)
    apart = np.linalg.norm(centres[:, None] - centres[None, :], axis=2)
    near = apart < SAME_CENTRE * np.minimum(short[:, None], short[None, :])
    hand = found.class_ids == HAND
    double = (
        ((covers >= LOOKS_COVER) | near) & (look[:, None] != look[None, :]) & (hand[:, None] == hand[None, :])
    )
    return found.pick(first_of_each(double))


def share_inside(quads: npt.NDArray[np.floating], picture_hw: tuple[int, int]) -> npt.NDArray[np.float64]:
    """Return which share of each quad (n, 4, 2) lies inside the picture, (n,) float64 in 0..1."""
    height, width = picture_hw
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    areas = quad_areas(quads)
    inside = np.array([intersection_area(quad, frame) for quad in quads], np.float64).reshape(-1)
    return np.clip(np.where(areas > 0, inside / np.maximum(areas, 1e-9), 0.0), 0, 1)


def is_card(class_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Tell which class ids are cards, (n,) bool."""
    return (class_ids == FACE) | (class_ids == BACK)
