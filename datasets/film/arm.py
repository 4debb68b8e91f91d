"""Arms and hands drawn from nothing: bones with flesh around them, lit from above.

A hand is a height field over the table: every bone is a tapered capsule, and where two meet the higher one is seen, as
from above. Light, creases, nails and cloth are laid over that. Nothing is photographed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

#: Skin under white light, BGR, from light to dark.
SKINS = ((168, 190, 232), (140, 168, 222), (112, 146, 205), (88, 120, 182), (62, 90, 146), (44, 62, 104))

#: The drawn field: half its width, and how far it reaches before and behind the finger tips, mm.
_HALF_WIDTH_MM, _AHEAD_MM = 100.0, 45.0

#: How far behind the finger tips grips differ, and how much more is drawn on both sides so that blurs meet there, mm.
_HAND_MM, _SEAM_MM = 205.0, 33.0


@dataclass(frozen=True, slots=True)
class Look:
    """How one player's arm looks.

    Attributes:
        skin: BGR of the skin; sleeve: BGR of the cloth, or None for a bare arm.
        pattern: `plain`, `stripes` or `knit`; cuff_mm: where the sleeve begins, behind the finger tips.
        scale: size of the hand, 1 is 188 mm long; left_handed: mirrored.
        texture_seed: of wrinkles and folds.
    """

    skin: tuple[int, int, int]
    sleeve: tuple[int, int, int] | None
    pattern: str
    cuff_mm: float
    scale: float
    texture_seed: int

    @classmethod
    def random(cls, rng: np.random.Generator) -> Look:
        """Draw a look: light to dark skin, bare arm or sleeve."""
        light = rng.uniform(0, len(SKINS) - 1)
        low = int(light)
        a, b = np.array(SKINS[low]), np.array(SKINS[min(low + 1, len(SKINS) - 1)])
        skin = np.clip(a + (b - a) * (light - low) + rng.normal(0, 6, 3), 20, 245)
        sleeve = None
        if rng.random() < 0.75:
            hsv = np.array([[[rng.integers(0, 180), rng.integers(10, 170), rng.integers(40, 235)]]], np.uint8)
            sleeve = _bgr(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0])
        return cls(_bgr(skin), sleeve, str(rng.choice(["plain", "plain", "stripes", "knit"])),
                   float(rng.uniform(185, 245)), float(rng.uniform(0.9, 1.08)), int(rng.integers(2**31)))


def _bgr(colour: NDArray[Any]) -> tuple[int, int, int]:
    return int(colour[0]), int(colour[1]), int(colour[2])


# Joints of a right hand seen from its back, fingers up, origin between the finger tips of a pinch: x right, y forward,
# z up, mm. For each finger: knuckle, middle joint, last joint, tip. Two grips: pinching a card's edge, and lying flat.
_PINCH = {
    "index": ((-22, -72, 42), (-24, -34, 50), (-12, -10, 34), (-5, 9, 16)),
    "middle": ((-3, -75, 45), (-2, -33, 54), (4, -8, 36), (6, 12, 16)),
    "ring": ((15, -74, 42), (19, -38, 48), (20, -16, 32), (18, 2, 16)),
    "little": ((31, -70, 36), (36, -42, 40), (36, -25, 28), (32, -11, 16)),
    "thumb": ((-27, -112, 26), (-47, -74, 26), (-42, -38, 18), (-24, -10, 9)),
}
_FLAT = {
    "index": ((-24, -74, 24), (-31, -36, 20), (-34, -12, 15), (-36, 8, 11)),
    "middle": ((-4, -77, 26), (-5, -32, 21), (-5, -4, 16), (-5, 18, 11)),
    "ring": ((15, -75, 24), (20, -34, 20), (23, -9, 15), (26, 11, 11)),
    "little": ((32, -70, 20), (42, -42, 17), (48, -25, 13), (53, -10, 10)),
    "thumb": ((-28, -112, 20), (-52, -88, 18), (-70, -62, 14), (-78, -38, 10)),
}
_RADII = {
    "index": (10.5, 9.2, 8.2, 7.0),
    "middle": (11.0, 9.6, 8.6, 7.2),
    "ring": (10.5, 9.2, 8.0, 6.8),
    "little": (9.2, 7.8, 6.9, 6.0),
    "thumb": (14.5, 12.0, 10.4, 8.2),
}
_WRIST = (2.0, -160.0, 30.0)


def _joints(grip: float) -> dict[str, NDArray[np.float32]]:
    """Return the joints of each finger, (4, 3) mm, for a grip between pinching (0) and lying flat (1)."""
    return {name: np.array(_PINCH[name], np.float32) * (1 - grip) + np.array(_FLAT[name], np.float32) * grip
            for name in _PINCH}


class ArmSprite:
    """A drawn arm for one grip: colours with alpha, and a soft shadow.

    Attributes:
        picture: (h, w, 4) uint8, BGR premultiplied by alpha.
        shadow: (h', w') uint8, blurred alpha at a quarter of the scale.
        corners_mm: (4, 2) corners of the picture in the arm's own frame, clockwise from top left, mm; the origin is
            between the finger tips.
    """

    def __init__(self, picture: NDArray[np.uint8], px_per_mm: float,
                 corners_mm: NDArray[np.float64] | None = None) -> None:
        length_mm = picture.shape[0] / px_per_mm - _AHEAD_MM
        half_mm = picture.shape[1] / px_per_mm / 2
        self.corners_mm = corners_mm if corners_mm is not None else np.array([
            (-half_mm, _AHEAD_MM), (half_mm, _AHEAD_MM), (half_mm, -length_mm), (-half_mm, -length_mm)])
        self.picture = picture
        small = cv2.resize(picture[..., 3], None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        self.shadow = cv2.GaussianBlur(small, (0, 0), 7 * px_per_mm / 4)


class Arm:
    """One player's arm; its sprites are drawn when first needed and kept.

    Args:
        look: how it looks.
        length_mm: how far it reaches back from the finger tips.
        px_per_mm: scale of the drawing.
    """

    _STEPS = 3

    def __init__(self, look: Look, length_mm: float, px_per_mm: float = 1.8) -> None:
        self.look, self.px_per_mm = look, px_per_mm
        rng = np.random.default_rng(look.texture_seed)
        self._hand_rows, self._seam_rows = round((_AHEAD_MM + _HAND_MM) * px_per_mm), round(_SEAM_MM * px_per_mm)
        rows = max(round((_AHEAD_MM + length_mm) * px_per_mm), self._hand_rows + self._seam_rows)
        shape = (rows, round(2 * _HALF_WIDTH_MM * px_per_mm))
        self._texture = _Texture.random(rng, shape, px_per_mm)
        # The forearm is the same for every grip, so it is drawn once; the rows of the seam are drawn twice and cut.
        tail = _Field(slice(self._hand_rows - self._seam_rows, rows), shape[1], px_per_mm)
        self._tail = _draw(look, self._texture, 0.0, tail)[self._seam_rows:]
        self._sprites: dict[int, ArmSprite] = {}

    def sprite(self, grip: float) -> ArmSprite:
        """Return the sprite nearest to a grip (0 pinch .. 1 flat)."""
        step = round(min(max(grip, 0.0), 1.0) * self._STEPS)
        if step not in self._sprites:
            field = _Field(slice(0, self._hand_rows + self._seam_rows), self._tail.shape[1], self.px_per_mm)
            head = _draw(self.look, self._texture, step / self._STEPS, field)
            self._sprites[step] = ArmSprite(np.vstack([head[: self._hand_rows], self._tail]), self.px_per_mm)
        return self._sprites[step]


@dataclass(frozen=True)
class _Texture:
    """Random fields over the whole arm, (rows, columns), of about unit range."""

    mottle: NDArray[np.float32]
    pores: NDArray[np.float32]
    folds: NDArray[np.float32]
    threads: NDArray[np.float32]

    @classmethod
    def random(cls, rng: np.random.Generator, shape: tuple[int, int], px_per_mm: float) -> _Texture:
        return cls(
            mottle=_patches(rng, shape, 13 * px_per_mm, 13 * px_per_mm),
            pores=cv2.GaussianBlur(rng.normal(0, 1, shape).astype(np.float32), (0, 0), 1.0),
            folds=(_patches(rng, shape, 22 * px_per_mm, 39 * px_per_mm)
                   + 0.5 * _patches(rng, shape, 9.5 * px_per_mm, 22 * px_per_mm)),
            threads=rng.normal(0, 1, shape).astype(np.float32),
        )


class _Field:
    """The pixels that are drawn: some rows of the arm.

    Attributes:
        x, y: places of the pixels, (1, columns) and (rows, 1), mm.
    """

    def __init__(self, rows: slice, columns: int, px_per_mm: float) -> None:
        self.rows, self.px_per_mm = rows, px_per_mm
        y = np.arange(rows.start, rows.stop, dtype=np.float32)[:, None]
        self.y = np.float32(_AHEAD_MM) - (y + np.float32(0.5)) / np.float32(px_per_mm)
        self.x = (np.arange(columns, dtype=np.float32)[None] + np.float32(0.5 - columns / 2)) / np.float32(px_per_mm)

    @property
    def shape(self) -> tuple[int, int]:
        return self.y.shape[0], self.x.shape[1]

    def around(self, x_mm: float, y_mm: float, reach_mm: float) -> tuple[slice, slice]:
        """Return the rows and columns within `reach_mm` of a place; they may be none."""
        rows = np.flatnonzero(np.abs(self.y[:, 0] - y_mm) <= reach_mm)
        columns = np.flatnonzero(np.abs(self.x[0] - x_mm) <= reach_mm)
        return (slice(rows[0], rows[-1] + 1) if rows.size else slice(0, 0),
                slice(columns[0], columns[-1] + 1) if columns.size else slice(0, 0))


def arm_shape(length_mm: float, px_per_mm: float) -> tuple[int, int]:
    """Return rows and columns of the picture of an arm that reaches `length_mm` back from the finger tips."""
    return round((_AHEAD_MM + length_mm) * px_per_mm), round(2 * _HALF_WIDTH_MM * px_per_mm)


def wrist_px(scale: float, px_per_mm: float) -> tuple[float, float]:
    """Return where the wrist of a hand of a scale lies in an arm's picture: x and y, px."""
    return (_HALF_WIDTH_MM + _WRIST[0] * scale) * px_per_mm, (_AHEAD_MM - _WRIST[1] * scale) * px_per_mm


def arm_of_hand(look: Look, hand: NDArray[np.uint8], px_per_mm: float) -> NDArray[np.uint8]:
    """Put a drawn forearm to the picture of a hand, under it where the arm is bare, over it where it is sleeved.

    Args:
        look: of the forearm; its skin should be the hand's at the wrist.
        hand: (h, w, 4) uint8, BGR premultiplied by alpha, of `arm_shape`, its wrist at `wrist_px`.
        px_per_mm: scale of the picture.

    Returns:
        The whole arm, of the same shape, likewise premultiplied.
    """
    field = _Field(slice(0, hand.shape[0]), hand.shape[1], px_per_mm)
    texture = _Texture.random(np.random.default_rng(look.texture_seed), hand.shape[:2], px_per_mm)
    height = _forearm(look, field)
    bare = np.clip(0.5 + height * np.float32(px_per_mm * 0.8), 0, 1)
    colour: NDArray[Any] = _skin(look, texture, np.maximum(height, 0), 1.0, np.zeros_like(height), field)
    over = hand[..., 3].astype(np.float32) / 255
    colour = colour * (1 - over[..., None]) + hand[..., :3].astype(np.float32)
    alpha = (over + bare * (1 - over)).astype(np.float32)
    # Where only the hand is, its premultiplied colour stands for itself.
    alone = hand[..., :3].astype(np.float32) / np.maximum(over, np.float32(1 / 255))[..., None]
    colour = np.where(bare[..., None] > 0.02, colour, alone)
    if look.sleeve is not None:
        colour, alpha = _sleeve(look, texture, colour, alpha, field)
    return _premultiplied(colour, alpha)


def _patches(rng: np.random.Generator, shape: tuple[int, int], down: float, across: float) -> NDArray[np.float32]:
    coarse = rng.normal(0, 1, (int(shape[0] / down) + 3, int(shape[1] / across) + 3)).astype(np.float32)
    return cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)


def _draw(look: Look, texture: _Texture, grip: float, field: _Field) -> NDArray[np.uint8]:
    height, nails = _flesh(look, grip, field)
    height = _join(_forearm(look, field), height, 14.0)
    alpha = np.clip(0.5 + height * field.px_per_mm * 0.8, 0, 1)
    colour = _skin(look, texture, np.maximum(height, 0), grip, nails, field)
    if look.sleeve is not None:
        colour, alpha = _sleeve(look, texture, colour, alpha, field)
    return _premultiplied(colour, cv2.GaussianBlur(alpha, (0, 0), 0.7))


def _premultiplied(colour: NDArray[np.float32], alpha: NDArray[np.float32]) -> NDArray[np.uint8]:
    picture = np.empty((*alpha.shape, 4), np.uint8)
    picture[..., :3] = np.clip(colour, 0, 255) * alpha[..., None]
    picture[..., 3] = alpha * 255
    return picture


def _capsule(x: NDArray[np.float32], y: NDArray[np.float32], a: NDArray[np.floating], b: NDArray[np.floating],
             ra: float, rb: float) -> NDArray[np.float32]:
    """Return the height of a tapered capsule over the table, mm; negative outside: minus the distance to it."""
    a, b = a.astype(np.float32), b.astype(np.float32)  # doubles would make every pixel a double
    dx, dy = b[0] - a[0], b[1] - a[1]
    along = np.clip(((x - a[0]) * dx + (y - a[1]) * dy) / max(dx * dx + dy * dy, 1e-6), 0, 1)
    distance = np.hypot(x - a[0] - along * dx, y - a[1] - along * dy)
    radius = ra + (rb - ra) * along
    inside = radius * radius - distance * distance
    top = a[2] + (b[2] - a[2]) * along + np.sqrt(np.maximum(inside, 0))
    return np.where(inside > 0, top, np.minimum(radius - distance, -1e-3)).astype(np.float32)


def _join(a: NDArray[np.float32], b: NDArray[np.float32], soft_mm: float) -> NDArray[np.float32]:
    """Return the smooth maximum of two height fields: flesh that grows together."""
    h = np.clip(0.5 + 0.5 * (a - b) / soft_mm, 0, 1)
    return b + (a - b) * h + soft_mm * h * (1 - h)


def _flesh(look: Look, grip: float, field: _Field) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the height of the hand without its forearm, mm, and where the nails are, 0..1."""
    x, y = field.x / np.float32(look.scale), field.y / np.float32(look.scale)
    joints = _joints(grip)
    wrist = np.array(_WRIST)
    back: NDArray[np.float32] | None = None
    for name, joint in joints.items():
        if name == "thumb":
            continue
        start = wrist + np.array([(joint[0][0] - wrist[0]) * 0.45, 4, -2])
        bone = _capsule(x, y, start, joint[0], 17.0, _RADII[name][0] + 3.5)
        back = bone if back is None else _join(bone, back, 9.0)
    assert back is not None
    thumb = joints["thumb"]
    root = wrist + np.array([-9, 12, -6])
    back = _join(_capsule(x, y, root, thumb[0], 18.0, 16.5), back, 10.0)
    back = _join(_capsule(x, y, thumb[0], thumb[1], 16.0, 13.0), back, 9.0)
    nails = np.zeros_like(back)
    for name, joint in joints.items():
        radii = _RADII[name]
        finger: NDArray[np.float32] | None = None
        for i in range(1 if name == "thumb" else 0, 3):
            bone = _capsule(x, y, joint[i], joint[i + 1], radii[i] * (1.04 if i else 1.1), radii[i + 1])
            finger = bone if finger is None else _join(bone, finger, 2.5)
        assert finger is not None
        # A knuckle of the middle joint is a little thicker than the bones.
        finger = _join(_capsule(x, y, joint[1], joint[1] + np.array([0.01, 0, 0]), radii[1] * 1.06, radii[1] * 1.06),
                       finger, 2.0)
        nails[finger > back] = 0
        tip = field.around(joint[3][0] * look.scale, joint[3][1] * look.scale, 2 * radii[3] * look.scale)
        nail = _nail(x[:, tip[1]], y[tip[0]], joint, radii[3], name)
        nails[tip] = np.maximum(nails[tip], nail * (finger[tip] >= back[tip] - 1))
        back = _join(finger, back, 3.5 if name != "thumb" else 4.5)
    return back, nails


def _nail(x: NDArray[np.float32], y: NDArray[np.float32], joint: NDArray[np.float32], radius: float,
          name: str) -> NDArray[np.float32]:
    """Return where a finger's nail is, 0..1."""
    flat = np.hypot(joint[3][0] - joint[2][0], joint[3][1] - joint[2][1])
    ux, uy = (joint[3][0] - joint[2][0]) / flat, (joint[3][1] - joint[2][1]) / flat
    # A thumb shows its nail from the side.
    aside = 0.25 if name == "thumb" else 0.0
    dx = x - (joint[3][0] + (ux * 0.12 - uy * aside) * radius)
    dy = y - (joint[3][1] + (uy * 0.12 + ux * aside) * radius)
    along, across = dx * ux + dy * uy, -dx * uy + dy * ux
    # Superellipse: straighter sides than an ellipse has.
    return np.clip(2.5 - 2.5 * (np.abs(along / (radius * 0.78)) ** 3 + np.abs(across / (radius * 0.62)) ** 3), 0, 1)


def _forearm(look: Look, field: _Field) -> NDArray[np.float32]:
    """Return the height of the forearm and what follows it, mm."""
    x, y = field.x, field.y
    wrist = np.array(_WRIST) * look.scale
    elbow = np.array([wrist[0] + 4, wrist[1] - 230, 44.0])
    shoulder = np.array([elbow[0] + 2, elbow[1] - 2000, 50.0])
    return _join(_capsule(x, y, wrist + np.array([0, 12, 0]), elbow, 25 * look.scale, 38 * look.scale),
                 _capsule(x, y, elbow, shoulder, 38 * look.scale, 46 * look.scale), 6.0)


def _normals(height: NDArray[np.float32], px_per_mm: float) -> tuple[NDArray[np.float32], ...]:
    """Return the three parts of the unit normals of a height field, each of its shape."""
    smooth = cv2.GaussianBlur(height, (0, 0), 0.67 * px_per_mm)
    gx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3, scale=px_per_mm / 8)
    gy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3, scale=px_per_mm / 8)
    length = np.sqrt(gx * gx + gy * gy + 1)
    return -gx / length, -gy / length, 1 / length


def _skin(look: Look, texture: _Texture, bare: NDArray[np.float32], grip: float, nails: NDArray[np.float32],
          field: _Field) -> NDArray[np.float32]:
    """Return the colour of the bare arm, (rows, columns, 3) BGR."""
    nx, ny, nz = _normals(bare, field.px_per_mm)
    light = 0.50 + 0.56 * np.clip(-0.35 * nx - 0.35 * ny + 0.87 * nz, 0, 1)
    light *= 0.84 + 0.16 * np.clip(nz * 1.6, 0, 1)  # edges turn away from the sky
    # What lies lower than its surroundings gets less light: between fingers, under the palm.
    around = cv2.GaussianBlur(bare, (0, 0), 9 * field.px_per_mm)
    light *= np.clip(1 + (bare - around) * 0.008, 0.8, 1.08)
    creases = cv2.GaussianBlur(bare, (0, 0), 2.4 * field.px_per_mm) - bare
    light *= np.clip(1 - np.maximum(creases, 0) * 0.05, 0.72, 1)
    light *= 1 + 0.018 * texture.mottle[field.rows] + 0.05 * texture.pores[field.rows]
    light = np.maximum(light, 0.46)
    skin = np.array(look.skin, np.float32)
    colour = np.broadcast_to(skin, (*bare.shape, 3)) * light[..., None]
    colour = _blush(look, colour, grip, field) * (1 - _knuckle_lines(look, grip, field))[..., None]
    nails = cv2.GaussianBlur(nails, (0, 0), 0.8)[..., None]
    nail_colour = np.clip(skin * 0.75 + np.array([62, 62, 76], np.float32), 0, 255) * (light * 1.03)[..., None]
    rim = np.clip(nails * (1 - nails) * 4, 0, 1) * 0.14
    return (colour * (1 - nails * 0.75) + nail_colour * nails * 0.75) * (1 - rim)


def _blush(look: Look, colour: NDArray[np.float32], grip: float, field: _Field) -> NDArray[np.float32]:
    """Redden finger tips and knuckles, where blood shows."""
    red = np.zeros(field.shape, np.float32)
    for joint in _joints(grip).values():
        for i, (strength, wide) in enumerate(((0.5, 11), (0.8, 8), (0.4, 7), (1.0, 9))):
            cx, cy = joint[i][0] * look.scale, joint[i][1] * look.scale
            spot = field.around(cx, cy, 3.2 * wide)
            d2 = (field.x[:, spot[1]] - cx) ** 2 + (field.y[spot[0]] - cy) ** 2
            red[spot] = np.maximum(red[spot], strength * np.exp(-d2 / (2 * wide * wide)))
    return colour * (1 - red[..., None] * np.array([0.15, 0.12, 0.0], np.float32))


def _knuckle_lines(look: Look, grip: float, field: _Field) -> NDArray[np.float32]:
    """Return how dark the creases over the finger joints are, (rows, columns), 0..1."""
    dark = np.zeros(field.shape, np.float32)
    for name, joint in _joints(grip).items():
        for i, count, depth in ((1, 3, 0.16), (2, 2, 0.13)):
            direction = joint[i + 1] - joint[i - 1]
            flat = math.hypot(direction[0], direction[1])
            ux, uy = direction[0] / flat, direction[1] / flat
            cx, cy = joint[i][0] * look.scale, joint[i][1] * look.scale
            spot = field.around(cx, cy, 16.0)
            x, y = field.x[:, spot[1]] - cx, field.y[spot[0]] - cy
            along, across = x * ux + y * uy, -x * uy + y * ux
            wide = np.exp(-((across / (_RADII[name][i] * 0.62)) ** 4))
            for k in range(count):
                bow = along - (k - (count - 1) / 2) * 2.1 + across * across * 0.012 * (1 if k else -1)
                dark[spot] = np.maximum(dark[spot], depth * wide * np.exp(-((bow / 0.55) ** 2)))
    return dark


def _sleeve(look: Look, texture: _Texture, colour: NDArray[np.float32], alpha: NDArray[np.float32], field: _Field
            ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Dress the arm behind the cuff."""
    x, y = field.x, field.y
    behind = -look.cuff_mm - y + x * x * 0.0016  # the cuff bends around the wrist
    middle = _WRIST[0] * look.scale + np.clip(-look.cuff_mm - y, 0, 300) * 0.018
    half = 36 * look.scale + np.clip(behind, 0, 500) * 0.055 + 2.5 * np.sin(behind / 17.0)
    cross = (x - middle) / half
    inside = np.clip((1 - np.abs(cross)) * half * field.px_per_mm * 0.6, 0, 1) * np.clip(behind * field.px_per_mm, 0, 1)
    round_ = np.sqrt(np.clip(1 - cross * cross, 0, 1))
    folds = texture.folds[field.rows]
    slope = cv2.Sobel(folds, cv2.CV_32F, 0, 1, ksize=5) * 0.09 + cv2.Sobel(folds, cv2.CV_32F, 1, 0, ksize=5) * 0.05
    light = (0.42 + 0.58 * round_) * (1 + 0.16 * np.tanh(slope * field.px_per_mm / 1.8))
    light *= 1 - 0.12 * np.clip(cross, -1, 1)
    cloth = np.broadcast_to(np.array(look.sleeve, np.float32), (*alpha.shape, 3)).copy()
    if look.pattern == "stripes":
        stripe = (np.sin(cross * 20) > 0.55).astype(np.float32)
        cloth *= 1 - 0.45 * cv2.GaussianBlur(stripe, (0, 0), 0.8)[..., None]
    elif look.pattern == "knit":
        rib = 1 + 0.10 * np.sin(cross * 60) + 0.06 * np.sin(y * 3.0)
        cloth *= rib[..., None]
    else:
        cloth *= (1 + 0.03 * texture.threads[field.rows])[..., None]
    hem = np.exp(-(((behind - 9) / 0.9) ** 2)) * 0.22 + np.exp(-((behind / 1.6) ** 2)) * 0.35
    cloth *= (light * (1 - hem))[..., None]
    # The cuff throws a small shadow on the wrist.
    shade = np.clip(1 - np.exp(-np.abs(np.minimum(behind, 0)) / 5) * 0.45, 0, 1).astype(np.float32, copy=False)
    colour = colour * shade[..., None]
    # Cloth hides the bare arm behind it, also where it is slimmer than the flesh.
    dressed = np.clip(behind * field.px_per_mm, 0, 1)
    alpha = alpha * (1 - dressed) + inside * dressed
    share = inside[..., None]
    return colour * (1 - share) + cloth * share, alpha
