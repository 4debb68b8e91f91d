"""Hands that slap: photographed cut-outs with a drawn forearm, or drawn ones where no photographs are at hand.

A hand is a flat picture of the back of an open hand with its arm, in millimetres around the middle of the palm: x to
the hand's right, y to the finger tips. Persons are split into `train` and `test` as in `datasets.render`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.arm import Arm, Look, arm_of_hand, arm_shape, wrist_px
from datasets.render.assets import person_of, shared_folder, split_files

Picture = NDArray[np.uint8]

#: Radius of the largest circle in an adult's palm, mm: it gives a cut-out its scale, wherever its wrist is cut.
_PALM_RADIUS_MM = 37.0

#: How far behind the finger tips of a drawn hand the middle of its palm lies, mm.
_DRAWN_PALM_MM = 108.0

#: Over which length a photographed hand passes into the drawn forearm, mm.
_FEATHER_MM = 14.0

#: Blurs of the shadow's pictures, mm; a shadow is the softer the higher the hand.
SHADOW_BLURS_MM = (3.0, 7.0, 14.0, 26.0)

_SHADOW_PX_PER_MM = 0.4
_SHADOW_PAD_MM = 60.0


@dataclass(frozen=True)
class HandPicture:
    """An arm as it is seen from above.

    Attributes:
        picture: (h, w, 4) uint8, BGR premultiplied by alpha.
        corners_mm: (4, 2) corners of the picture, clockwise from top left, in the hand's own frame.
        wrist_mm: y of the wrist in that frame (negative).
        reach_mm: y of the finger tips.
        shadows: pictures of the shadow, one for each of `SHADOW_BLURS_MM`.
        shadow_corners_mm: their corners.
        shapes_mm: corners of rectangles around hand and forearm; shadow_shapes_mm: the same for the shadow.
    """

    picture: Picture
    corners_mm: NDArray[np.float64]
    wrist_mm: float
    reach_mm: float
    shadows: tuple[Picture, ...]
    shadow_corners_mm: NDArray[np.float64]
    shapes_mm: tuple[NDArray[np.float64], ...]
    shadow_shapes_mm: tuple[NDArray[np.float64], ...]

    def mirrored(self) -> HandPicture:
        """Return the other hand of the same person."""
        return replace(self, picture=np.ascontiguousarray(self.picture[:, ::-1]),
                       corners_mm=_mirrored(self.corners_mm),
                       shadows=tuple(np.ascontiguousarray(shadow[:, ::-1]) for shadow in self.shadows),
                       shadow_corners_mm=_mirrored(self.shadow_corners_mm),
                       shapes_mm=tuple(map(_mirrored, self.shapes_mm)),
                       shadow_shapes_mm=tuple(map(_mirrored, self.shadow_shapes_mm)))


def _mirrored(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    return (corners * np.array([-1.0, 1.0]))[[1, 0, 3, 2]]


class Persons:
    """The people of a split, each with two hands.

    Args:
        split: `train` or `test`.

    Raises:
        ValueError: for another split.
    """

    def __init__(self, split: str) -> None:
        if split not in ("train", "test"):
            raise ValueError(f"no split {split!r}; there are train and test")
        shared = shared_folder()
        self._hands: dict[str, list[Path]] = {}
        if shared is not None:
            for path in split_files(shared / "textures" / "hands" / "11k-hands", split, key=person_of):
                if path.name.startswith("dorsal"):
                    self._hands.setdefault(person_of(path), []).append(path)

    def draw(self, rng: np.random.Generator, players: Sequence[int], length_mm: float, px_per_mm: float
             ) -> dict[int, dict[str, HandPicture]]:
        """Draw a different person for each player: the pictures of the `left` and the `right` hand.

        Args:
            rng: source of randomness.
            players: who is seen.
            length_mm: how far their arms reach back from the finger tips.
            px_per_mm: scale of the pictures.
        """
        names = sorted(self._hands)
        waiting = [names[i] for i in rng.permutation(len(names))]
        pairs = {}
        for player in players:
            look = Look.random(rng)
            made = None
            while made is None and waiting and rng.random() < 0.97:
                files = self._hands[waiting.pop()]
                made = _from_photograph(files[int(rng.integers(len(files)))], look, rng, length_mm, px_per_mm)
            side, hand = made if made is not None else ("right", _drawn(look, length_mm, px_per_mm))
            other = "left" if side == "right" else "right"
            pairs[player] = {side: hand, other: hand.mirrored()}
        return pairs


@dataclass(frozen=True)
class _Measures:
    """A cut-out turned fingers up, in px: middle of palm and wrist, palm's radius, wrist's width, rows that lack."""

    palm: tuple[float, float]
    wrist: tuple[float, float]
    radius: float
    wrist_wide: float
    missing: int


def _read(path: Path) -> Picture | None:
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None or picture.ndim != 3 or picture.shape[2] != 4:
        return None
    return np.ascontiguousarray(picture[::-1, ::-1])


@lru_cache(maxsize=512)
def _measure(path: Path) -> _Measures | None:
    """Measure a cut-out, lengthened to the wrist where it ends before; None where its edge is not cut straight."""
    picture = _read(path)
    if picture is None:
        return None
    solid = picture[..., 3] > 127
    rows, columns = solid.shape
    cut = np.flatnonzero(solid[-3])
    if cut.size < 20:
        return None
    beside = max(int(solid[:, 0].sum()), int(solid[:, -1].sum()))
    padded = cv2.copyMakeBorder(solid.astype(np.uint8), 1, 60, 1, 1, cv2.BORDER_CONSTANT, value=0)
    padded[rows + 1:, 1: columns + 1] = solid[-1]
    depth = cv2.distanceTransform(padded, cv2.DIST_L2, 5)[1: rows - 4, 1: columns + 1]
    _, radius, _, palm = cv2.minMaxLoc(depth)
    wide = float(cut[-1] - cut[0] + 1)
    if beside > 0.12 * rows or not 1.05 * radius < wide < 2.4 * radius or palm[1] < 1.7 * radius:
        return None
    missing = max(0, round(1.5 * radius - (rows - palm[1])))
    if missing:
        wide = min(wide, 1.4 * radius)
    return _Measures((float(palm[0]), float(palm[1])), (float(cut[0] + cut[-1]) / 2, float(rows + missing)), radius,
                     wide, missing)


def _lengthened(picture: Picture, measures: _Measures) -> Picture:
    """Carry a hand that is cut through its back on to the wrist: mirrored at the cut and narrowing."""
    if not measures.missing:
        return picture
    rows, columns = picture.shape[:2]
    cut = np.flatnonzero(picture[-3, :, 3] > 127)
    narrow = min(1.0, measures.wrist_wide / (cut[-1] - cut[0] + 1))
    beyond = np.arange(rows + measures.missing, dtype=np.float32)[:, None] - (rows - 3)
    share = np.clip(beyond / measures.missing, 0, 1)
    squeeze = 1 + (1 / narrow - 1) * share * share * (3 - 2 * share)
    x = np.arange(columns, dtype=np.float32)[None]
    map_x = measures.wrist[0] + (x - measures.wrist[0]) * squeeze
    map_y = np.broadcast_to(rows - 3 - np.abs(beyond), map_x.shape)
    return cv2.remap(picture, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_LINEAR,
                     borderMode=cv2.BORDER_CONSTANT)


def _from_photograph(path: Path, look: Look, rng: np.random.Generator, length_mm: float, px_per_mm: float
                     ) -> tuple[str, HandPicture] | None:
    picture, measures = _read(path), _measure(path)
    if picture is None or measures is None:
        return None
    picture = _lengthened(picture, measures)
    source = measures.radius / (_PALM_RADIUS_MM * rng.uniform(0.88, 1.06))
    wrist_wide_mm = measures.wrist_wide / source
    scale = float(np.clip(wrist_wide_mm / 53, 0.85, 1.25))
    along = np.array(measures.palm) - measures.wrist
    away_mm = float(np.hypot(*along)) / source
    turn = float(np.arctan2(along[0], -along[1]))
    wrist = np.array(wrist_px(scale, px_per_mm)) + np.array([0.0, 6.0 * px_per_mm])
    rows, columns = arm_shape(length_mm, px_per_mm)
    tone = _tone(rng)
    skin = _skin_at_wrist(picture, measures) * tone
    prepared = _prepared(picture, measures, source, tone)
    zoom = px_per_mm / source
    c, s = np.cos(-turn) * zoom, np.sin(-turn) * zoom
    x, y = measures.wrist
    matrix = np.array([[c, -s, wrist[0] - c * x + s * y], [s, c, wrist[1] - s * x - c * y]])
    if zoom < 0.7:
        prepared = cv2.GaussianBlur(prepared, (0, 0), 0.45 / zoom)
    hand = cv2.warpAffine(prepared, matrix, (columns, rows), flags=cv2.INTER_LINEAR)
    if measures.missing and look.sleeve is None:
        look = replace(look, sleeve=Look.random(rng).sleeve or (90, 70, 60))
    at_wrist = measures.missing or rng.random() < 0.6
    blue, green, red = (int(v) for v in np.clip(skin, 12, 250))
    look = replace(look, skin=(blue, green, red), scale=scale,
                   cuff_mm=160 * scale + float(rng.uniform(-8, 8) if at_wrist else rng.uniform(8, 130)))
    arm = arm_of_hand(look, hand, px_per_mm)
    palm = wrist - np.array([0.0, away_mm * px_per_mm])
    tips = np.flatnonzero(hand[..., 3].max(axis=1) > 127)
    side = "left" if "-left" in path.name else "right"
    return side, _picture_of(arm, palm, float(palm[1] - wrist[1]) / px_per_mm, float(palm[1] - tips[0]) / px_per_mm,
                             px_per_mm)


def _tone(rng: np.random.Generator) -> NDArray[np.float32]:
    """Return factors (BGR) that shift a skin a little; some go darker than any of the photographed people."""
    dark = rng.uniform(0.5, 0.8) if rng.random() < 0.2 else rng.uniform(0.88, 1.06)
    return np.array([dark * rng.uniform(0.94, 1.03), dark, dark * rng.uniform(0.98, 1.04)], np.float32)


def _skin_at_wrist(picture: Picture, measures: _Measures) -> NDArray[np.float32]:
    rows = picture.shape[0]
    band = picture[max(rows - round(0.35 * measures.radius), 0): rows - 4]
    inside = band[band[..., 3] > 220][:, :3]
    return np.median(inside, axis=0).astype(np.float32) if len(inside) else np.array([110, 140, 200], np.float32)


def _prepared(picture: Picture, measures: _Measures, source: float, tone: NDArray[np.float32]) -> Picture:
    """Close the small gaps that cutting out has left, shift the skin's tone and fade the hand out at its wrist."""
    alpha = picture[..., 3]
    closed = cv2.morphologyEx(alpha, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7)))
    gaps = ((closed > 127) & (alpha < 128)).astype(np.uint8)
    colour = cv2.inpaint(np.ascontiguousarray(picture[..., :3]), cv2.dilate(gaps, np.ones((3, 3), np.uint8)), 3,
                         cv2.INPAINT_TELEA)
    away = (picture.shape[0] - np.arange(picture.shape[0], dtype=np.float32)) / (source * _FEATHER_MM)
    solid = cv2.GaussianBlur(np.maximum(closed, alpha), (3, 3), 0).astype(np.float32) * np.clip(away, 0, 1)[:, None]
    prepared = np.empty_like(picture)
    prepared[..., :3] = np.clip(colour * tone, 0, 255) * (solid / 255)[..., None]
    prepared[..., 3] = solid
    return prepared


def _drawn(look: Look, length_mm: float, px_per_mm: float) -> HandPicture:
    arm = Arm(look, length_mm, px_per_mm).sprite(1.0)
    palm = np.array([-arm.corners_mm[0, 0], arm.corners_mm[0, 1] + _DRAWN_PALM_MM * look.scale]) * px_per_mm
    wrist = wrist_px(look.scale, px_per_mm)[1]
    return _picture_of(arm.picture, palm, float(palm[1] - wrist) / px_per_mm,
                       (_DRAWN_PALM_MM + 18) * look.scale, px_per_mm)


def _picture_of(arm: Picture, palm: NDArray[Any], wrist_mm: float, reach_mm: float, px_per_mm: float) -> HandPicture:
    rows, columns = arm.shape[:2]
    left, top = -palm[0] / px_per_mm, palm[1] / px_per_mm
    right, bottom = left + columns / px_per_mm, top - rows / px_per_mm
    corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    pad = _SHADOW_PAD_MM
    small = (round(columns / px_per_mm * _SHADOW_PX_PER_MM), round(rows / px_per_mm * _SHADOW_PX_PER_MM))
    flat = cv2.resize(arm[..., 3], small, interpolation=cv2.INTER_AREA)
    around = round(pad * _SHADOW_PX_PER_MM)
    flat = cv2.copyMakeBorder(flat, around, around, around, around, cv2.BORDER_CONSTANT, value=0)
    shadows = tuple(cv2.GaussianBlur(flat, (0, 0), blur * _SHADOW_PX_PER_MM) for blur in SHADOW_BLURS_MM)
    pad = around / _SHADOW_PX_PER_MM
    grown = corners + np.array([(-pad, pad), (pad, pad), (pad, -pad), (-pad, -pad)])
    wrist = round((top - wrist_mm) * px_per_mm)
    shapes = tuple(np.array([left, top]) + _frame(arm[..., 3], *rows_of) / px_per_mm * np.array([1, -1])
                   for rows_of in ((0, wrist), (wrist, rows)))
    wider = 0.75 * _SHADOW_PAD_MM * np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)])
    return HandPicture(arm, corners, wrist_mm, reach_mm, shadows, grown, shapes,
                       tuple(shape + wider for shape in shapes))


def _frame(alpha: Picture, low: int, high: int) -> NDArray[np.float64]:
    """Return the corners (4, 2) in px, clockwise from top left, of a rectangle around what some rows show."""
    left, top, wide, tall = cv2.boundingRect((alpha[low:high] > 0).astype(np.uint8))
    right, bottom = left + wide + 2, low + top + tall + 2
    return np.array([(left - 2, low + top - 2), (right, low + top - 2), (right, bottom), (left - 2, bottom)], float)
