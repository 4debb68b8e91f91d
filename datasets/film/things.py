"""What comes on to or over the table beside cards and hands: glasses and cups, and people who lean in."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.camera import TableCamera
from datasets.film.motion import Pose, Track

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]

#: Kinds of vessel: radius at the bottom and at the rim, height, mm; how full; colour of what is in it (BGR), and how
#: much that hides; colour of the wall, None for clear glass.
VESSELS: dict[str, tuple[float, float, float, float, Colour, float, Colour | None]] = {
    "water": (29.0, 36.0, 98.0, 0.6, (228, 232, 228), 0.12, None),
    "wine": (28.0, 35.0, 92.0, 0.55, (28, 14, 88), 0.86, None),
    "beer": (29.0, 37.0, 124.0, 0.8, (40, 150, 214), 0.72, None),
    "cup": (21.0, 31.0, 58.0, 0.7, (18, 30, 46), 0.97, (226, 232, 236)),
    "mug": (39.0, 41.0, 94.0, 0.8, (28, 50, 84), 0.97, (150, 96, 52)),
}

#: Height of a leaning head's widest part over the table, mm, and how far hair, shoulders and arms reach around it.
HEAD_HEIGHT_MM = 330.0
_PERSON_MM, _PERSON_PX_PER_MM = (620.0, 520.0), 0.7

_AROUND = np.linspace(0, 2 * math.pi, 49)[:-1]


@dataclass(frozen=True, slots=True)
class Glass:
    """A vessel that is put on the table and taken away again.

    Attributes:
        kind: of `VESSELS`; track: its foot.
        start_ms, end_ms: it is in the picture between these times.
    """

    kind: str
    start_ms: float
    end_ms: float
    track: Track = field(default_factory=Track)

    def seen(self, t_ms: float) -> bool:
        """Tell whether it can be in the picture."""
        return self.start_ms <= t_ms < self.end_ms

    def outline(self, pose: Pose) -> NDArray[np.float64]:
        """Return points (n, 3), mm, whose convex hull it fills."""
        low, rim, height, *_ = VESSELS[self.kind]
        return np.concatenate([_circle(pose, low, 0.0), _circle(pose, rim, height)])


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who leans in over the table.

    Attributes:
        seat: the player's; track: the middle of the head, `angle` the direction looked in (0 is +y).
        hair, cloth: colours, BGR; seed: of hair and cloth.
    """

    seat: int
    hair: Colour
    cloth: Colour
    seed: int
    track: Track = field(default_factory=Track)

    def corners_mm(self, pose: Pose) -> NDArray[np.float64]:
        """Return the corners (4, 3) of the picture of `draw_person`, clockwise from top left, mm."""
        w, h = _PERSON_MM
        c, s = math.cos(pose.angle), math.sin(pose.angle)
        local = np.array([(-w / 2, h * 0.28), (w / 2, h * 0.28), (w / 2, -h * 0.72), (-w / 2, -h * 0.72)])
        return np.stack([pose.x + c * local[:, 0] - s * local[:, 1], pose.y + s * local[:, 0] + c * local[:, 1],
                         np.full(4, pose.z)], axis=1)


def _circle(pose: Pose, radius: float, height: float) -> NDArray[np.float64]:
    return np.stack([pose.x + radius * np.cos(_AROUND), pose.y + radius * np.sin(_AROUND),
                     np.full(_AROUND.shape, pose.z + height)], axis=1)


def _polygon(layer: NDArray[np.float32], points: NDArray[np.float64], colour: tuple[float, ...]) -> None:
    hull = cv2.convexHull(points.astype(np.float32))
    cv2.fillConvexPoly(layer, np.round(hull * 16).astype(np.int32), colour, cv2.LINE_AA, shift=4)


def _ring(layer: NDArray[np.float32], points: NDArray[np.float64], value: float, wide: float) -> None:
    cv2.polylines(layer, [np.round(points * 16).astype(np.int32)], True, value, max(round(wide), 1), cv2.LINE_AA, 4)


def hull_mask(camera: TableCamera, points_mm: NDArray[np.float64], size: tuple[int, int], scale: float
              ) -> NDArray[np.bool_]:
    """Return where the hull of points is seen, in a picture of `size` (width, height) shrunk by `scale`."""
    mask = np.zeros((round(size[1] * scale), round(size[0] * scale)), np.uint8)
    hull = cv2.convexHull((camera.project(points_mm) * scale).astype(np.float32))
    cv2.fillConvexPoly(mask, np.round(hull * 16 - 8).astype(np.int32), 1, shift=4)
    return mask.astype(bool)


def draw_glass(picture: Picture, camera: TableCamera, glass: Glass, pose: Pose, shadow_mm: tuple[float, float],
               shadow_strength: float) -> None:
    """Draw a vessel and its shadow on to a picture, in place.

    Args:
        picture: (h, w, 3) uint8 BGR.
        camera: sees it.
        glass: which; pose: where its foot stands.
        shadow_mm: how far it throws its shadow for each mm of height; shadow_strength: 0 none .. 1 black.
    """
    low, rim, height, full, liquid, hides, wall = VESSELS[glass.kind]
    level = 6 + (height - 10) * full

    def seen(radius: float, z: float) -> NDArray[np.float64]:
        return camera.project(_circle(pose, radius, z)) - 0.5 - origin

    feet, top = _circle(pose, low, 0.0), _circle(pose, rim, height)
    shade = np.concatenate([feet, top])
    shade[:, :2] += (shade[:, 2:] - pose.z + 0.5 * pose.z) * np.array([shadow_mm])
    shade[:, 2] = 0
    everything = camera.project(np.concatenate([feet, top, shade]))
    pad = 12 + 0.02 * picture.shape[1]
    left, upper = np.maximum(np.floor(everything.min(axis=0) - pad), 0).astype(int)
    right, lower = np.minimum(np.ceil(everything.max(axis=0) + pad), picture.shape[1::-1]).astype(int)
    if left >= right or upper >= lower:
        return
    origin = np.array([left, upper], float)
    region = picture[upper:lower, left:right].astype(np.float32)
    mm = float(np.hypot(*(everything[0] - everything[24]))) / (2 * low)  # px in a mm, at the foot

    def mask(points: NDArray[np.float64]) -> NDArray[np.float32]:
        layer = np.zeros(region.shape[:2], np.float32)
        _polygon(layer, points, (1.0,))
        return layer

    dark = cv2.GaussianBlur(mask(camera.project(shade) - 0.5 - origin), (0, 0), max(5.0 * mm, 0.8))
    region *= (1 - shadow_strength * (0.42 if wall is None else 0.85) * dark)[..., None]
    foot, rim_seen, level_seen = seen(low, 0), seen(rim, height), seen(low + (rim - low) * level / height - 2, level)
    body = mask(np.concatenate([foot, rim_seen]))
    # How far from the middle of the body a pixel is, across it: walls are bright and dark at their edges.
    inside = cv2.distanceTransform((body > 0.5).astype(np.uint8), cv2.DIST_L2, 3) / max(rim * mm, 1.0)
    edge = np.exp(-(inside / 0.13) ** 2)
    if wall is None:
        # What lies behind is seen shifted and smeared through the glass.
        through = cv2.GaussianBlur(np.roll(region, (round(4 * mm), -round(3 * mm)), (0, 1)), (0, 0), max(1.6 * mm, 0.6))
        share = (0.75 * body)[..., None]
        region = region * (1 - share) + (through * 0.93 + 8) * share
        poured = mask(np.concatenate([seen(low - 2.5, 4), level_seen]))
        share = (hides * poured * (0.82 + 0.18 * edge))[..., None]
        region = region * (1 - share) + np.array(liquid, np.float32) * 0.8 * share
        region += (34 * edge * body)[..., None]
        region *= (1 - 0.22 * np.exp(-((inside - 0.2) / 0.06) ** 2) * body)[..., None]
    else:
        sides = 0.62 + 0.38 * np.clip(inside * 2.2, 0, 1)
        region = region * (1 - body[..., None]) + np.array(wall, np.float32) * sides[..., None] * body[..., None]
        hollow = mask(seen(rim - 3, height))[..., None]
        region = region * (1 - hollow) + np.array(wall, np.float32) * 0.66 * hollow
        level_seen = seen(low + (rim - low) * level / height - 3, min(level, height - 6))
    surface = mask(level_seen)
    if wall is not None:
        surface *= mask(seen(rim - 3, height))
    share = ((hides if wall is not None else 0.35 + 0.6 * hides) * surface)[..., None]
    region = region * (1 - share) + np.array(liquid, np.float32) * share
    shine = np.zeros(region.shape[:2], np.float32)
    _ring(shine, rim_seen, 0.55, 1.6 * mm)
    _ring(shine, level_seen, 0.25, 0.8 * mm)
    if wall is None:
        _ring(shine, foot, 0.3, 2.2 * mm)
    spot = level_seen.mean(axis=0) + np.array([-0.35, -0.35]) * rim * mm
    cv2.ellipse(shine, (round(spot[0]), round(spot[1])), (max(round(5 * mm), 1), max(round(3 * mm), 1)), -35, 0, 360,
                0.7, -1, cv2.LINE_AA)
    shine = cv2.GaussianBlur(shine, (0, 0), max(0.5 * mm, 0.5))[..., None]
    region = region * (1 - shine) + 236 * shine
    picture[upper:lower, left:right] = np.clip(region, 0, 255)


def draw_person(person: Person) -> Picture:
    """Draw head and shoulders as seen from above, looking to the picture's top.

    Returns:
        (h, w, 4) uint8, BGR premultiplied by alpha; `Person.corners_mm` says where it belongs.
    """
    rng = np.random.default_rng(person.seed)
    scale = _PERSON_PX_PER_MM
    w, h = (round(side * scale) for side in _PERSON_MM)
    x = ((np.arange(w) + 0.5) / scale - _PERSON_MM[0] / 2).astype(np.float32)[None]
    y = (_PERSON_MM[1] * 0.28 - (np.arange(h) + 0.5) / scale).astype(np.float32)[:, None]
    lumps = cv2.resize(rng.normal(0, 1, (7, 8)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    folds = cv2.resize(rng.normal(0, 1, (9, 26)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    # The back goes on out of the picture behind the shoulders, a little narrower.
    behind = np.clip((-y - 60) / 260, 0, 1)
    slope = np.clip((12 - y) / 130, 0, 1)
    half = (232 - 50 * behind) * np.sqrt(slope * (2 - slope)) + 5 * lumps
    cloth_in = np.clip((half - np.abs(x)) * scale * 0.6, 0, 1) * np.clip((12 - y) * scale * 0.3, 0, 1)
    round_ = np.clip(1 - (np.abs(x) / np.maximum(half, 1)) ** 3, 0, 1)
    cloth = np.array(person.cloth, np.float32) * ((0.5 + 0.5 * round_) * (1 + 0.10 * folds + 0.05 * lumps))[..., None]
    head_x, head_y = 76 + 4 * lumps, 97 + 4 * lumps
    radius = np.hypot(x / head_x, y / head_y)
    head_in = np.clip((1 - radius) * 80 * scale * 0.5, 0, 1)
    turn = np.arctan2(x, y + 40)
    strands = cv2.GaussianBlur(rng.normal(0, 1, (1, 720)).astype(np.float32), (0, 0), 1.3)[0]
    grain = strands[((turn + math.pi) / (2 * math.pi) * 719).astype(int)]
    light = 0.62 + 0.5 * np.clip(1 - radius * radius, 0, 1) + 0.22 * grain
    light += 0.35 * np.exp(-((np.hypot(x + 22, y - 18) - 34) / 12) ** 2) * (turn < 0.5)
    hair = np.array(person.hair, np.float32) * light[..., None]
    # The head throws a shadow on the shoulders.
    cloth *= (1 - 0.5 * np.exp(-np.clip(radius - 1, 0, None) * 3.2))[..., None]
    colour = cloth * (1 - head_in[..., None]) + hair * head_in[..., None]
    alpha = np.maximum(cloth_in, head_in)
    picture = np.empty((h, w, 4), np.uint8)
    picture[..., :3] = np.clip(colour, 0, 255) * alpha[..., None]
    picture[..., 3] = alpha * 255
    # So near to the camera it is out of focus.
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 3.2 * scale), np.uint8)
