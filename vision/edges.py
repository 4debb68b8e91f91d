"""Find the four edges of a card near where the detector saw it.

A detector's box is a rectangle, and its angle may be some degrees off; a card that is seen at a slant is no
rectangle at all. The card's own edges tell where it really lies. Owns that search; it knows no model.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

WORKING_SHORT_PX = 88.0
"""Short side of a card in the picture that is searched; larger cards are made smaller first."""
MARGIN = 0.45
"""Share of the card's sides that is looked at around it."""
TURNS_DEG = (0.0, -13.0, 13.0, -26.0, 26.0)
"""Turns of the box from which the search begins."""
REACH = 0.17
"""How far from the box an edge is looked for, as a share of the short side."""
SLOPE_DEG = 9.0
"""By how much an edge may be turned against the start's."""
SAMPLES = 24
SLOPES = 11
ENDS_FREE = 0.09
"""Share of an edge's length at both ends that is not looked at: corners are rounded."""
CLEAR_STEP = 24.0
"""Difference of grey levels at an edge that counts as half certain."""
WRONG_WAY = 0.25
"""What an edge counts that is brighter outside than inside."""
OUTER_BONUS = 0.06
"""How much weaker, as a share, an outer line may be than an inner one and still be taken: cards have printed
frames."""
FAR_COST = 0.25
"""How much weaker a line at the end of the reach counts than one where the box has it."""
TURN_COST = 0.0025
"""Support that a degree of turn costs, so that the detector's angle is kept where both fit."""
KEEP_BONUS = 0.02
"""By how much more support a found quad needs than the box as it came."""
FOUND_FROM = 0.3
"""Support of an edge below which it counts as hidden and the box's own line is kept."""
SHAPE = (0.6, 1.5)
"""Bounds of the found card's area against the box's."""


def fit_edges(
    image: npt.NDArray[np.uint8], quads: npt.NDArray[np.floating]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Move the corners of boxes to the edges that are seen in the picture.

    Args:
        image: (height, width, 3) uint8, BGR.
        quads: (n, 4, 2) corners in pixels, in the order of `Detections`.

    Returns:
        (n, 4, 2) float32 quads in the same order, and (n,) float32 how well edges support them: 0 not at all,
        1 everywhere. Where no edges are found the quad is returned as it came, with its own support.
    """
    quads = np.asarray(quads, np.float32).reshape(-1, 4, 2)
    fitted = quads.copy()
    support = np.zeros(len(quads), np.float32)
    for i, quad in enumerate(quads):
        patch, begin, scale = _patch(image, quad)
        if patch is None:
            continue
        slopes = _gradients(patch)
        start = (quad.astype(np.float64) - begin) * scale
        starts = np.stack([_turned(start, turn) for turn in TURNS_DEG])
        tried = _search(slopes, _search(slopes, starts))
        scores = _support(slopes, np.concatenate([start[None], tried]))
        scores[1:] -= TURN_COST * np.abs(TURNS_DEG)
        scores[1:] -= np.where([_is_card_like(candidate, start) for candidate in tried], KEEP_BONUS, 9.0)
        best = int(scores.argmax())
        if best > 0:
            fitted[i] = tried[best - 1] / scale + begin
        support[i] = max(0.0, float(scores[best]))
    return fitted, support


def _patch(
    image: npt.NDArray[np.uint8], quad: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.float32] | None, npt.NDArray[np.float32], float]:
    """Return the surroundings of a card in working size, where they begin in the picture, and their scale."""
    edges = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    short = max(1.0, float(min(edges[0] + edges[2], edges[1] + edges[3]) / 2))
    reach = MARGIN * float(edges.max())
    height, width = image.shape[:2]
    left, top = np.floor(np.maximum(quad.min(axis=0) - reach, 0)).astype(int)
    right, bottom = np.ceil(np.minimum(quad.max(axis=0) + reach, (width, height))).astype(int)
    begin = np.array([left, top], np.float32)
    if right - left < 8 or bottom - top < 8:
        return None, begin, 1.0
    scale = min(2.0, WORKING_SHORT_PX / short)
    size = max(8, round((right - left) * scale)), max(8, round((bottom - top) * scale))
    small = cv2.resize(
        image[top:bottom, left:right], size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    )
    return cv2.GaussianBlur(small, (0, 0), 1.0).astype(np.float32), begin, scale


def _gradients(patch: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the slopes of each channel, (height, width, 2, 3) float32, in grey levels over about three
    pixels."""
    across = cv2.Scharr(patch, cv2.CV_32F, 1, 0) / 16
    down = cv2.Scharr(patch, cv2.CV_32F, 0, 1) / 16
    return np.stack([across, down], axis=2)


def _strength(
    slopes: npt.NDArray[np.float32], points: npt.NDArray[np.float64], normals: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    """Return how clear an edge is at points, 0 to 1; 0 outside the patch.

    Args:
        slopes: as of `_gradients`.
        points: (..., 2) places in the patch.
        normals: (..., 2) directions out of the card there, of length 1; broadcast against `points`.
    """
    height, width = slopes.shape[:2]
    x, y = points[..., 0].astype(np.int32), points[..., 1].astype(np.int32)
    inside = (x >= 1) & (y >= 1) & (x < width - 1) & (y < height - 1)
    step = slopes[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    outward = normals.astype(np.float32)[..., None]
    along = step[..., 0, :] * outward[..., 0, :] + step[..., 1, :] * outward[..., 1, :]
    # A card's own edge goes from paper to what is darker; a neighbour's edge, seen from here, goes the other way.
    size = np.maximum(-along.min(axis=-1), WRONG_WAY * along.max(axis=-1)) * 2
    return np.where(inside, size / (size + CLEAR_STEP), np.float32(0))


def _sides(
    quads: npt.NDArray[np.float64],
) -> tuple[
    npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]
]:
    """Return middles, directions and outward normals (t, 4, 2) and lengths (t, 4) of the sides of quads (t,
    4, 2)."""
    following = np.roll(quads, -1, axis=1)
    lengths = np.maximum(np.linalg.norm(following - quads, axis=2), 1e-6)
    along = (following - quads) / lengths[..., None]
    return (quads + following) / 2, along, np.stack([along[..., 1], -along[..., 0]], axis=-1), lengths


_PLACES = np.linspace(-0.5 + ENDS_FREE, 0.5 - ENDS_FREE, SAMPLES)


def _support(slopes: npt.NDArray[np.float32], quads: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean clearness of the edges along the sides of quads (t, 4, 2), (t,)."""
    middle, along, normal, length = _sides(quads)
    on_side = middle[:, :, None] + (_PLACES * length[..., None])[..., None] * along[:, :, None]
    steps = np.array([-1.0, 0.0, 1.0])[:, None]
    points = on_side[..., None, :] + steps * normal[:, :, None, None]
    clear = _strength(slopes, points, normal[:, :, None, None])
    return np.asarray(clear.max(axis=-1).mean(axis=(1, 2)), np.float64)


def _search(slopes: npt.NDArray[np.float32], quads: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Move each side of quads (t, 4, 2) to the straight line near it along which the edge is clearest."""
    middle, along, normal, length = _sides(quads)
    reach = max(3, round(float(length.min(axis=1).mean()) * REACH))
    offsets = np.arange(-reach, reach + 1, dtype=np.float64)
    tangents = np.tan(np.radians(np.linspace(-SLOPE_DEG, SLOPE_DEG, SLOPES)))
    margin = int(np.ceil(tangents.max() * float(length.max()) / 2)) + 1
    wide = np.arange(-reach - margin, reach + margin + 1, dtype=np.float64)
    on_side = middle[:, :, None] + (_PLACES * length[..., None])[..., None] * along[:, :, None]
    points = on_side[..., None, :] + wide[:, None] * normal[:, :, None, None]  # t, sides, samples, offsets, 2
    clear = _strength(slopes, points, normal[:, :, None, None])
    away = offsets / reach
    preference = 1 + OUTER_BONUS * away - FAR_COST * away**2
    best = np.full(length.shape, -1.0)
    shift, slope = np.zeros(length.shape), np.zeros(length.shape)
    for tangent in tangents:
        # Along a line of this slope each sample looks at its own offset: the samples are shifted, then averaged.
        steps = (tangent * length[..., None] * _PLACES).round().astype(int) + margin
        index = steps[..., None] + np.arange(len(offsets))
        score = np.take_along_axis(clear, index, axis=3).mean(axis=2) * preference
        at = score.argmax(axis=2)
        value = np.take_along_axis(score, at[..., None], axis=2)[..., 0]
        better = value > best
        best = np.where(better, value, best)
        shift = np.where(better, offsets[at], shift)
        slope = np.where(better, tangent, slope)
    hidden = best < FOUND_FROM
    shift, slope = np.where(hidden, 0.0, shift), np.where(hidden, 0.0, slope)
    through = middle + shift[..., None] * normal
    direction = along + slope[..., None] * normal
    # Corners are where each side crosses the one before it.
    before_through, before = np.roll(through, 1, axis=1), np.roll(direction, 1, axis=1)
    turn = before[..., 0] * direction[..., 1] - before[..., 1] * direction[..., 0]
    gap = through - before_through
    step = (gap[..., 0] * direction[..., 1] - gap[..., 1] * direction[..., 0]) / np.where(
        np.abs(turn) < 1e-6, 1e-6, turn
    )
    return np.asarray(before_through + step[..., None] * before)


def _turned(quad: npt.NDArray[np.floating], degrees: float) -> npt.NDArray[np.float64]:
    turn = np.radians(degrees)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    centre = quad.mean(axis=0)
    return np.asarray((quad - centre) @ matrix.T + centre, np.float64)


def _is_card_like(quad: npt.NDArray[np.float64], start: npt.NDArray[np.floating]) -> bool:
    """Tell whether a found quad can be the card that the start was meant for."""
    sides = np.roll(quad, -1, axis=0) - quad
    following = np.roll(sides, -1, axis=0)
    crosses = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    if not (crosses > 0).all():
        return False
    lengths = np.linalg.norm(sides, axis=1)
    sines = crosses / np.maximum(lengths * np.roll(lengths, -1), 1e-9)
    if sines.min() < 0.7 or max(lengths[0], lengths[2]) > 1.5 * min(lengths[0], lengths[2]):
        return False
    if max(lengths[1], lengths[3]) > 1.5 * min(lengths[1], lengths[3]):
        return False
    share = _area(quad) / max(_area(start), 1e-9)
    return SHAPE[0] <= share <= SHAPE[1]


def _area(quad: npt.NDArray[np.floating]) -> float:
    x, y = quad[:, 0], quad[:, 1]
    return float(abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2)
