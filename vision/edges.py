"""Find the four edges of a card near where the detector saw it.

A detector's box is a rectangle, and its angle may be some degrees off; a card that is seen at a slant is no
rectangle at all. The card's own edges tell where it really lies. Owns that search; it knows no model.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

WORKING_SHORT_PX = 72.0
"""Short side of a card in the picture that is searched; larger cards are made smaller first."""
MARGIN = 0.45
"""Share of the card's sides that is looked at around it."""
TURNS_DEG = (0.0, -13.0, 13.0, -26.0, 26.0)
"""Turns of the box from which the search begins."""
REACH = 0.17
"""How far from the box an edge is looked for, as a share of the short side."""
SLOPE_DEG = 9.0
"""By how much an edge may be turned against the start's."""
CARD_PX = (64, 100)
"""Width and height at which a card is searched."""
ENOUGH = 0.75
"""Support with which the search ends."""
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
        start = (quad.astype(np.float64) - begin) * scale
        best, most = start, -1.0
        for turn in TURNS_DEG:
            first, before, after = _search(patch, _turned(start, turn))
            if turn == 0:
                most = before + KEEP_BONUS
            if after < most - 0.1:  # a second search gains no more than that
                continue
            second, _, again = _search(patch, first)
            candidate, score = (second, again) if again > after else (first, after)
            if score - TURN_COST * abs(turn) > most and _is_card_like(candidate, start):
                best, most = candidate, score - TURN_COST * abs(turn)
            if most >= ENOUGH:
                break
        fitted[i] = quad if best is start else best / scale + begin
        support[i] = min(1.0, max(0.0, most if best is not start else most - KEEP_BONUS))
    return fitted, support


def _patch(
    image: npt.NDArray[np.uint8], quad: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.uint8] | None, npt.NDArray[np.float32], float]:
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
    return cv2.GaussianBlur(small, (3, 3), 0.8), begin, scale


_PLACES = np.linspace(ENDS_FREE, 1 - ENDS_FREE, SAMPLES)
_REACH_PX = round(CARD_PX[0] * REACH)
_TANGENTS = np.tan(np.radians(np.linspace(-SLOPE_DEG, SLOPE_DEG, SLOPES)))
_BORDER_PX = _REACH_PX + int(np.ceil(np.tan(np.radians(SLOPE_DEG)) * CARD_PX[1] / 2)) + 2
_OFFSETS = np.arange(-_REACH_PX, _REACH_PX + 1)
_PREFERENCE = (1 + OUTER_BONUS * (_OFFSETS / _REACH_PX) - FAR_COST * (_OFFSETS / _REACH_PX) ** 2).astype(
    np.float32
)
_UPRIGHT = np.array(
    [
        [_BORDER_PX, _BORDER_PX],
        [_BORDER_PX + CARD_PX[0], _BORDER_PX],
        [_BORDER_PX + CARD_PX[0], _BORDER_PX + CARD_PX[1]],
        [_BORDER_PX, _BORDER_PX + CARD_PX[1]],
    ],
    np.float32,
)


def _line_index(length: int) -> npt.NDArray[np.int64]:
    """Return which column each sample looks at: (slopes, samples, offsets), for a side of that length in
    pixels."""
    shifts = np.rint(_TANGENTS[:, None] * (_PLACES - 0.5) * length).astype(np.int64)
    return shifts[:, :, None] + _OFFSETS + _BORDER_PX


_ROWS = tuple((_BORDER_PX + _PLACES * length).astype(int) for length in CARD_PX)
_STRIP_PX = 2 * _BORDER_PX + 1
_SIDE_INDEX = (_line_index(CARD_PX[0]), _line_index(CARD_PX[1]))


def _out_of_paper(steps: npt.NDArray[np.int16], sign: int) -> npt.NDArray[np.float32]:
    """Return how strong edges are, (samples, columns), of slopes (samples, columns, 3) that grow into the card.

    A card's own edge goes from paper to what is darker; a neighbour's, seen from here, the other way.
    """
    blue, green, red = steps[..., 0], steps[..., 1], steps[..., 2]
    most, least = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
    grows, falls = (most, -least) if sign > 0 else (-least, most)
    return np.maximum(grows.astype(np.float32), np.float32(WRONG_WAY) * falls)


def _search(
    patch: npt.NDArray[np.uint8], quad: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], float, float]:
    """Move each side of a quad (4, 2) to the straight line near it along which the edge is clearest.

    Returns:
        The moved quad (4, 2), the clearness along the sides before, and after: 0 to 1.
    """
    to_upright = cv2.getPerspectiveTransform(quad.astype(np.float32) - 0.5, _UPRIGHT - 0.5)
    size = (CARD_PX[0] + 2 * _BORDER_PX, CARD_PX[1] + 2 * _BORDER_PX)
    upright = cv2.warpPerspective(patch, to_upright, size, borderMode=cv2.BORDER_REPLICATE)
    lines: list[tuple[float, float]] = []  # outward shift in the middle, and tangent, of each side
    before = after = 0.0
    for axis in (0, 1):  # sides that run across, then sides that run down
        step = cv2.Scharr(upright, cv2.CV_16S, axis, 1 - axis)
        if axis == 0:
            step = step.transpose(1, 0, 2)
        # Rows now run along the sides, columns across them.
        at = _ROWS[axis]
        near, far = step[at, :_STRIP_PX][:, ::-1], step[at, -_STRIP_PX:]
        first, second = _out_of_paper(near, 1), _out_of_paper(far, -1)
        for strip in (first, second):
            clear = strip / (strip + CLEAR_STEP * 8)
            score = clear[np.arange(SAMPLES)[None, :, None], _SIDE_INDEX[axis]].mean(
                axis=1
            )  # slopes, offsets
            middle = score[SLOPES // 2, _REACH_PX - 1 : _REACH_PX + 2].max()
            slope, offset = np.unravel_index(int((score * _PREFERENCE).argmax()), score.shape)
            before += float(middle) / 4
            if score[slope, offset] < FOUND_FROM:
                lines.append((0.0, 0.0))
                after += float(middle) / 4
            else:
                lines.append((float(_OFFSETS[offset]), float(_TANGENTS[slope])))
                after += float(score[slope, offset]) / 4
    (top, top_t), (bottom, bottom_t), (left, left_t), (right, right_t) = lines
    x0, x1 = _UPRIGHT[0, 0], _UPRIGHT[1, 0]
    y0, y1 = _UPRIGHT[0, 1], _UPRIGHT[2, 1]
    middle_x, middle_y = (x0 + x1) / 2, (y0 + y1) / 2
    corners = []
    for y, y_slope, x, x_slope in (
        (y0 - top, -top_t, x0 - left, -left_t),
        (y0 - top, -top_t, x1 + right, right_t),
        (y1 + bottom, bottom_t, x1 + right, right_t),
        (y1 + bottom, bottom_t, x0 - left, -left_t),
    ):
        # Where y + y_slope (px - middle_x) and x + x_slope (py - middle_y) meet.
        py = (y + y_slope * (x - x_slope * middle_y - middle_x)) / (1 - y_slope * x_slope)
        corners.append((x + x_slope * (py - middle_y), py))
    back = np.linalg.inv(to_upright)
    moved = cv2.perspectiveTransform(np.array([corners], np.float64) - 0.5, back)[0] + 0.5
    return np.asarray(moved, np.float64), before, after


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
