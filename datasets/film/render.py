"""Frames of a scripted hand as a camera above the table sees them, and where every card is in them.

What lies still is composed once and kept; only what moves is drawn for each frame. Every flat thing (a card, an arm) is
a picture with alpha that is warped to where the camera sees its corners.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.arm import Arm, ArmSprite
from datasets.film.camera import TableCamera, card_corners_mm
from datasets.film.camerawork import moved_camera
from datasets.film.faces import BACK, FaceSource, sprite_corners
from datasets.film.motion import Pose, Track
from datasets.film.people import photographed_arms
from datasets.film.script import CardScript, Script
from datasets.film.setting import Setting
from datasets.film.things import Person, draw_glass, draw_person, hull_mask

Picture = NDArray[np.uint8]

#: The light map in eight bits: this value is a factor of one.
_LIGHT_ONE = 128.0

#: Soft shadows of a card: up to this height in mm, blurred by so many mm, with this share of the full strength.
_CARD_SHADOWS = ((1.0, 1.3, 1.0), (12.0, 4.0, 0.8), (math.inf, 9.0, 0.6))

_SHADOW_PX_PER_MM = 1.0
_SHADOW_PAD_MM = 26.0

#: A carried card that rests in the air, higher than this, throws the shadow of one that moves, mm.
_IN_THE_AIR_MM = 10.0

#: How soft the shadow of somebody who leans in is, mm, and how much of the light over the table that person takes.
_PERSON_SHADOW_MM, _PERSON_SHADE = 45.0, 0.7


@dataclass(frozen=True, slots=True)
class CardTruth:
    """Where a card is in one frame.

    Attributes:
        code: the card; place: one of `script.PLACES`; face_up: whether its face is seen.
        moving: whether it moves; quad: (4, 2) float px, top left, top right, bottom right, bottom left of the card
            standing upright, the whole card also where it is covered or outside the picture.
        visible: share of the card that is seen, 0..1.
    """

    code: str
    place: str
    face_up: bool
    moving: bool
    quad: NDArray[np.float64]
    visible: float

    def as_json(self) -> dict[str, Any]:
        """Return the truth as plain values, pixels to a tenth."""
        return {
            "card": self.code, "place": self.place, "face": "up" if self.face_up else "down", "moving": self.moving,
            "quad": [[round(float(v), 1) for v in corner] for corner in self.quad], "visible": round(self.visible, 3),
        }


def draw_grain(seed: int, size: tuple[int, int]) -> Picture:
    """Draw a sensor's noise, 64 px wider and higher than pictures of `size` (width, height), uint8 around 128.

    Each picture takes another part of it: drawing noise anew for every picture would be the slowest step.
    """
    rng = np.random.default_rng([seed, 11])
    h, w = size[1] + 64, size[0] + 64
    grey = rng.normal(0, 12, (h, w, 1)).astype(np.float32)
    colour = cv2.GaussianBlur(rng.normal(0, 18, (h, w, 3)).astype(np.float32), (3, 3), 0.8)
    return np.clip(128 + grey + colour, 0, 255).astype(np.uint8)


class FilmRenderer:
    """Draws the frames of one film.

    Args:
        script: what happens.
        setting: where it happens; its layout must be the script's.
        faces: the deck.
        fps: frames a second of film, 10 to 60.

    Raises:
        ValueError: for a frame rate out of range.
    """

    def __init__(self, script: Script, setting: Setting, faces: FaceSource, fps: float = 30.0) -> None:
        if not 10 <= fps <= 60:
            raise ValueError(f"a film has 10 to 60 frames a second, not {fps:g}")
        self.script, self.setting, self.faces, self.fps = script, setting, faces, fps
        self.camera, self._standing = setting.camera, (0.0, 0.0, 0.0)
        self.size = self.camera.size
        self._light = np.clip(setting.light * _LIGHT_ONE, 0, 255).astype(np.uint8)
        self._empty_table = self._draw_table()
        self._still: tuple[tuple[tuple[str, int], ...], Picture] = ((), self._empty_table)
        self._people: dict[int, tuple[Picture, Picture]] = {}
        reach = max(setting.layout.beyond_mm) * 2 + 500
        # Arms are drawn a little finer than they are seen, hands being nearer to the camera than the table.
        scale = min(max(1.3 * self._px_per_mm(), 0.7), 2.2)
        self._arms = (
            {seat: Arm(setting.looks[seat], reach, scale) for seat in script.arms} if setting.split is None else
            photographed_arms(setting.seed, setting.split, sorted(script.arms), reach, scale))
        self._card_shadows = [_shadow_sprite(setting.layout.card_mm, blur) for _, blur, _ in _CARD_SHADOWS]
        self._grain = draw_grain(self.setting.seed, self.size)

    # ------------------------------------------------------------------ frames

    @property
    def frame_count(self) -> int:
        """Number of frames of the film."""
        return math.ceil(self.script.duration_ms * self.fps / 1000)

    def time_ms(self, index: int) -> float:
        """Return the time of a frame, ms."""
        return index * 1000 / self.fps

    def given(self) -> list[int]:
        """Return the numbers of the frames that the camera gives: all but those that it loses."""
        return [i for i in range(self.frame_count) if not self.script.work.loses(i, self.time_ms(i))]

    def camera_at(self, t_ms: float) -> TableCamera:
        """Return the camera as it stands at a time."""
        return moved_camera(self.setting.camera, self.script.work.standing(t_ms))

    def frame(self, index: int) -> Picture:
        """Draw one frame; the same index always gives the same picture."""
        t_ms = self.time_ms(index)
        self._stand(t_ms)
        still: list[CardScript] = []
        moving: list[CardScript] = []
        for card in self.script.cards.values():
            place = card.place_at(t_ms)
            if place != "held":
                in_the_air = place == "carried" and card.track.at(t_ms).z > _IN_THE_AIR_MM
                (moving if in_the_air or card.track.moving(t_ms) else still).append(card)
        picture = self._still_layer(still, t_ms).copy()
        arms = [(seat, track) for seat, track in self.script.arms.items() if self._arm_seen(seat, track, t_ms)]
        for card in moving:
            self._shade_card(picture, card.track.at(t_ms))
        for seat, track in arms:
            self._shade_arm(picture, seat, track.at(t_ms))
        people = [(number, person) for number, person in enumerate(self.script.persons)
                  if person.track.times_ms[0] <= t_ms < person.track.times_ms[-1]]
        for number, person in people:
            self._shade_person(picture, number, person, t_ms)
        for card in sorted(moving, key=lambda c: c.track.at(t_ms).z):
            self._draw_moving_card(picture, card, t_ms)
        for glass in self.script.glasses:
            if glass.seen(t_ms):
                draw_glass(picture, self.camera, glass, glass.track.at(t_ms), self.setting.shadow_mm,
                           self.setting.shadow_strength)
        for seat, track in arms:
            self._draw_arm(picture, seat, track, t_ms)
        for number, person in people:
            self._draw_person(picture, number, person, t_ms)
        return self._develop(picture, index)

    def _stand(self, t_ms: float) -> None:
        """Put the camera where it stands at a time; what was drawn as seen from elsewhere is drawn anew."""
        standing = self.script.work.standing(t_ms)
        if standing != self._standing:
            self.camera, self._standing = self.camera_at(t_ms), standing
            self._empty_table = self._draw_table()
            self._still = ((), self._empty_table)

    def _develop(self, picture: Picture, index: int) -> Picture:
        """Give the picture what the sensor and the camera's automatics add."""
        blur_px = self.script.work.blur_mm(self.time_ms(index)) * self._px_per_mm()
        if blur_px > 1.2:
            picture = _soften(picture, math.hypot(blur_px, self.setting.focus_px))
        elif self.setting.focus_px > 0:
            focus_px = math.hypot(blur_px, self.setting.focus_px)
            reach = 3 if focus_px < 0.9 else 5
            picture = cv2.GaussianBlur(picture, (reach, reach), focus_px)
        gains = self.script.work.gains(self.time_ms(index))
        if gains != (1.0, 1.0, 1.0):
            levels = np.arange(256, dtype=np.float32)[:, None] * np.array(gains, np.float32)
            picture = cv2.LUT(picture, np.clip(np.round(levels), 0, 255).astype(np.uint8)[None])
        t = index / self.fps
        phase = self.setting.seed % 1000
        gain = 1 + self.setting.drift * (0.6 * math.sin(0.21 * t + phase) + 0.4 * math.sin(0.53 * t + 2.1 * phase))
        rng = np.random.default_rng([self.setting.seed, index])
        x, y = rng.integers(0, 64, 2)
        grain = self._grain[y: y + self.size[1], x: x + self.size[0]]
        # The grain is stored around 128 with a standard deviation of 16 levels.
        weight = self.setting.noise / 16
        return cv2.addWeighted(picture, gain, grain, weight, -128 * weight)

    def _draw_table(self) -> Picture:
        left, near, right, far = self.setting.texture_mm
        h, w = self.setting.table.shape[:2]
        texture = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32) - 0.5
        table = np.array([(left, far, 0), (right, far, 0), (right, near, 0), (left, near, 0)], float)
        to_picture = cv2.getPerspectiveTransform(texture, self._pixels(table))
        picture = cv2.warpPerspective(self.setting.table, to_picture, self.size, flags=cv2.INTER_LINEAR,
                                      borderMode=cv2.BORDER_REFLECT_101)
        return np.clip(picture * self.setting.light, 0, 255).astype(np.uint8)

    def _still_layer(self, cards: list[CardScript], t_ms: float) -> Picture:
        """Return the table with the cards that lie still, composed anew only when they change."""
        key = tuple((card.code, card.track.segment(t_ms)) for card in cards)
        if key != self._still[0]:
            picture = self._empty_table.copy()
            poses = sorted(((card.track.at(t_ms), card.code) for card in cards), key=lambda pair: pair[0].z)
            for pose, _ in poses:
                if pose.z > 3:  # a stack throws a shadow as a whole, from the height of its top
                    self._shade_card(picture, pose, 0.025)
            for pose, code in poses:
                # Within a stack only the uppermost cards show the shadows that they throw on one another.
                if pose.z < 1 or pose.z > _stack_top(pose, poses) - 1.5:
                    self._shade_card(picture, pose.moved(z=min(pose.z, 0.6)), 1.0 if pose.z < 1 else 0.45)
                self._blend_card(picture, code, [pose])
            self._still = (key, picture)
        return self._still[1]

    # ------------------------------------------------------------------ cards

    def _px_per_mm(self) -> float:
        """Return the scale of the picture in the middle of the table."""
        ends = self.camera.project(np.array([(-50.0, 0, 0), (50.0, 0, 0)]))
        return float(np.hypot(*(ends[1] - ends[0]))) / 100

    def _pixels(self, points_mm: NDArray[np.floating]) -> NDArray[np.float32]:
        """Project to pixel-centre coordinates, as warps need them."""
        return (self.camera.project(points_mm) - 0.5).astype(np.float32)

    def _shade_card(self, picture: Picture, pose: Pose, share: float = 1.0) -> None:
        level = next(i for i, (height, _, _) in enumerate(_CARD_SHADOWS) if pose.z <= height)
        w, h = self.setting.layout.card_mm
        grown = (w + 2 * _SHADOW_PAD_MM, h + 2 * _SHADOW_PAD_MM)
        reach = pose.z + 0.8
        sx, sy = self.setting.shadow_mm
        ground = Pose(pose.x + sx * reach, pose.y + sy * reach, 0.0, pose.angle)
        corners = card_corners_mm(ground, (grown[0] * max(abs(math.cos(pose.roll)), 0.3), grown[1]))
        strength = self.setting.shadow_strength * _CARD_SHADOWS[level][2] * share
        _darken(picture, self._card_shadows[level], self._pixels(corners), strength)

    def _blend_card(self, picture: Picture, code: str, poses: list[Pose]) -> None:
        """Draw a card, blurred over the poses that it takes while the shutter is open."""
        quads = [self._pixels(card_corners_mm(pose, self.setting.layout.card_mm)) for pose in poses]
        name = code if math.cos(poses[0].roll) >= 0 else BACK
        sprite = self.faces.sprite(name, _height_of(quads[0]))
        _blend(picture, sprite, sprite_corners(sprite), quads, self._light)

    def _draw_moving_card(self, picture: Picture, card: CardScript, t_ms: float) -> None:
        self._blend_card(picture, card.code, self._while_open(card.track, t_ms))

    def _while_open(self, track: Track, t_ms: float) -> list[Pose]:
        """Return the poses of a moving thing while the shutter is open around `t_ms`, the middle first."""
        half = self.setting.shutter * 500 / self.fps
        first, last = track.at(t_ms - half), track.at(t_ms + half)
        ends = self.camera.project(np.array([(first.x, first.y, first.z), (last.x, last.y, last.z)]))
        way = float(np.hypot(*(ends[1] - ends[0]))) + abs(last.angle - first.angle) * 40
        count = min(max(math.ceil(way / 3.5), 1), 9)
        middle = track.at(t_ms)
        if count == 1:
            return [middle]
        side = 1 if math.cos(middle.roll) >= 0 else -1
        poses = [track.at(t_ms - half + 2 * half * (i + 0.5) / count) for i in range(count)]
        return [middle, *(pose for pose in poses if math.cos(pose.roll) * side > 0.02)]

    # ------------------------------------------------------------------ arms

    def _arm_seen(self, seat: int, track: Track, t_ms: float) -> bool:
        pose = track.at(t_ms)
        x, y = self.setting.layout.outward(seat)
        return pose.x * x + pose.y * y < self.setting.layout.beyond(seat) + 110

    def _arm_corners(self, seat: int, pose: Pose, sprite: ArmSprite, flat: bool) -> NDArray[np.float64]:
        bx, by = self.setting.layout.base(seat)
        away = math.hypot(pose.x - bx, pose.y - by)
        fx, fy = (pose.x - bx) / away, (pose.y - by) / away
        x, y = sprite.corners_mm[:, 0], sprite.corners_mm[:, 1]
        corners = np.stack([pose.x + fy * x + fx * y, pose.y - fx * x + fy * y, pose.z + 8 - 0.11 * y], axis=1)
        if flat:
            reach = corners[:, 2:] + 14
            corners = np.hstack([corners[:, :2] + np.array([self.setting.shadow_mm]) * reach, np.zeros((4, 1))])
        return corners

    def _shade_arm(self, picture: Picture, seat: int, pose: Pose) -> None:
        sprite = self._arms[seat].sprite(pose.grip)
        corners = self._pixels(self._arm_corners(seat, pose, sprite, flat=True))
        _darken(picture, sprite.shadow, corners, self.setting.shadow_strength * 0.85)

    def _draw_arm(self, picture: Picture, seat: int, track: Track, t_ms: float) -> None:
        poses = self._while_open(track, t_ms)
        sprite = self._arms[seat].sprite(poses[0].grip)
        quads = [self._pixels(self._arm_corners(seat, pose, sprite, flat=False)) for pose in poses]
        _blend(picture, sprite.picture, _whole(sprite.picture), quads, self._light)

    # ------------------------------------------------------------------ people

    def _person_pictures(self, number: int, person: Person) -> tuple[Picture, Picture]:
        """Return the picture of somebody who leans in, and that of the shadow."""
        if number not in self._people:
            picture = draw_person(person)
            corners = person.corners_mm(Pose(0, 0))
            per_mm = 0.2
            size = tuple(round(math.dist(corners[0], corners[i]) * per_mm) for i in (1, 3))
            pad = round(_PERSON_SHADOW_MM * 2 * per_mm)
            flat = cv2.resize(picture[..., 3], size, interpolation=cv2.INTER_AREA)
            flat = cv2.copyMakeBorder(flat, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=0)
            self._people[number] = picture, cv2.GaussianBlur(flat, (0, 0), _PERSON_SHADOW_MM * per_mm)
        return self._people[number]

    def _shade_person(self, picture: Picture, number: int, person: Person, t_ms: float) -> None:
        pose = person.track.at(t_ms)
        x, y = self.setting.shadow_mm
        ground = pose.moved(x=pose.x + x * pose.z, y=pose.y + y * pose.z, z=0.0)
        corners = person.corners_mm(ground)
        middle = corners.mean(axis=0)
        along, across = math.dist(corners[0], corners[3]), math.dist(corners[0], corners[1])
        pad = 4 * _PERSON_SHADOW_MM
        wider = np.array([(across + pad) / across, (along + pad) / along, 1.0])
        c, s = math.cos(pose.angle), math.sin(pose.angle)
        turn = np.array([(c, -s, 0), (s, c, 0), (0, 0, 1)])
        corners = middle + ((corners - middle) @ turn * wider) @ turn.T
        _darken(picture, self._person_pictures(number, person)[1], self._pixels(corners),
                self.setting.shadow_strength * _PERSON_SHADE)

    def _draw_person(self, picture: Picture, number: int, person: Person, t_ms: float) -> None:
        sprite = self._person_pictures(number, person)[0]
        quads = [self._pixels(person.corners_mm(pose)) for pose in self._while_open(person.track, t_ms)]
        _blend(picture, sprite, _whole(sprite), quads, self._light)

    # ------------------------------------------------------------------ truth

    def truth(self, index: int) -> list[CardTruth]:
        """Return where every card is in a frame, apart from those in players' hands outside the picture."""
        t_ms = self.time_ms(index)
        self._stand(t_ms)
        seen = [(card, card.track.at(t_ms)) for card in self.script.cards.values() if card.place_at(t_ms) != "held"]
        seen.sort(key=lambda pair: (pair[0].track.moving(t_ms), pair[1].z))
        owner = np.zeros((self.size[1] // 2, self.size[0] // 2), np.int32)
        quads, areas = [], []
        for number, (_, pose) in enumerate(seen, 1):
            quad = self.camera.project(card_corners_mm(pose, self.setting.layout.card_mm))
            quads.append(quad)
            areas.append(max(float(cv2.contourArea((quad / 2).astype(np.float32))), 1.0))
            cv2.fillConvexPoly(owner, np.round(quad * 8 - 4).astype(np.int32), number, shift=4)
        for seat, track in self.script.arms.items():
            if self._arm_seen(seat, track, t_ms):
                owner[self._mask(*self._arm_picture(seat, track.at(t_ms)))] = 0
        for glass in self.script.glasses:
            if glass.seen(t_ms):
                owner[hull_mask(self.camera, glass.outline(glass.track.at(t_ms)), self.size, 0.5)] = 0
        for number, person in enumerate(self.script.persons):
            if person.track.times_ms[0] <= t_ms < person.track.times_ms[-1]:
                corners = self._pixels(person.corners_mm(person.track.at(t_ms)))
                owner[self._mask(self._person_pictures(number, person)[0], corners)] = 0
        counts = np.bincount(owner.ravel(), minlength=len(seen) + 1)
        return [
            CardTruth(card.code, card.place_at(t_ms), math.cos(pose.roll) >= 0, card.track.moving(t_ms), quad,
                      min(float(counts[number]) / area, 1.0))
            for number, ((card, pose), quad, area) in enumerate(zip(seen, quads, areas, strict=True), 1)
        ]

    def _arm_picture(self, seat: int, pose: Pose) -> tuple[Picture, NDArray[np.float32]]:
        sprite = self._arms[seat].sprite(pose.grip)
        return sprite.picture, self._pixels(self._arm_corners(seat, pose, sprite, flat=False))

    def _mask(self, sprite: Picture, corners: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return where a sprite is seen in the picture at half its size."""
        to_picture = cv2.getPerspectiveTransform(_whole(sprite), (corners / 2).astype(np.float32))
        half = (self.size[0] // 2, self.size[1] // 2)
        return cv2.warpPerspective(sprite[..., 3], to_picture, half) > 127


def _soften(picture: Picture, blur_px: float) -> Picture:
    """Blur a picture; strong blurs are made at half the size, which looks the same and takes a fraction of the time."""
    if blur_px < 3:
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), blur_px), np.uint8)
    half = cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(cv2.GaussianBlur(half, (0, 0), blur_px / 2), picture.shape[1::-1]), np.uint8)


def _stack_top(pose: Pose, poses: list[tuple[Pose, str]]) -> float:
    """Return the height of the uppermost card that lies in the same stack, mm."""
    return max(other.z for other, _ in poses if abs(other.x - pose.x) < 40 and abs(other.y - pose.y) < 40)


def _whole(picture: Picture) -> NDArray[np.float32]:
    h, w = picture.shape[:2]
    return np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32) - np.float32(0.5)


def _height_of(quad: NDArray[np.float32]) -> float:
    """Return the greater of the two lengths of a card's long sides, px."""
    return float(max(np.hypot(*(quad[3] - quad[0])), np.hypot(*(quad[2] - quad[1]))))


def _window(quads: list[NDArray[np.float32]], shape: tuple[int, ...]) -> tuple[int, int, int, int] | None:
    points = np.concatenate(quads)
    left, top = np.floor(points.min(axis=0)).astype(int) - 2
    right, bottom = np.ceil(points.max(axis=0)).astype(int) + 3
    left, top, right, bottom = max(left, 0), max(top, 0), min(right, shape[1]), min(bottom, shape[0])
    return (left, top, right, bottom) if left < right and top < bottom else None


def _blend(picture: Picture, sprite: Picture, corners: NDArray[np.float32], quads: list[NDArray[np.float32]],
           light: Picture) -> None:
    """Draw a premultiplied sprite onto a picture, averaged over the quads (pixel-centre coordinates), in place."""
    window = _window(quads, picture.shape)
    if window is None:
        return
    left, top, right, bottom = window
    size = (right - left, bottom - top)
    origin = np.array([left, top], np.float32)
    total: NDArray[Any] | None = None
    for quad in quads:
        warp = cv2.getPerspectiveTransform(corners, quad - origin)
        layer = cv2.warpPerspective(sprite, warp, size, flags=cv2.INTER_LINEAR)
        if len(quads) == 1:
            total = layer
        elif total is None:
            total = layer.astype(np.uint16)
        else:
            cv2.add(total, layer, dst=total, dtype=cv2.CV_16U)
    assert total is not None
    mixed = total if len(quads) == 1 else cv2.convertScaleAbs(total, alpha=1 / len(quads))
    alpha = mixed[..., 3]
    if not alpha.any():
        return
    behind = cv2.cvtColor(cv2.bitwise_not(alpha), cv2.COLOR_GRAY2BGR)
    region = picture[top:bottom, left:right]
    lit = cv2.multiply(cv2.cvtColor(mixed, cv2.COLOR_BGRA2BGR), light[top:bottom, left:right], scale=1 / _LIGHT_ONE)
    cv2.add(cv2.multiply(region, behind, scale=1 / 255), lit, dst=region)


def _darken(picture: Picture, shadow: Picture, quad: NDArray[np.float32], strength: float) -> None:
    """Darken a picture under a shadow's quad (pixel-centre coordinates), in place."""
    window = _window([quad], picture.shape)
    if window is None:
        return
    left, top, right, bottom = window
    warp = cv2.getPerspectiveTransform(_whole(shadow), quad - np.array([left, top], np.float32))
    layer = cv2.warpPerspective(shadow, warp, (right - left, bottom - top), flags=cv2.INTER_LINEAR)
    kept = cv2.cvtColor(cv2.bitwise_not(cv2.convertScaleAbs(layer, alpha=strength)), cv2.COLOR_GRAY2BGR)
    region = picture[top:bottom, left:right]
    cv2.multiply(region, kept, dst=region, scale=1 / 255)


def _shadow_sprite(card_mm: tuple[float, float], blur_mm: float) -> Picture:
    w, h = (round((side + 2 * _SHADOW_PAD_MM) * _SHADOW_PX_PER_MM) for side in card_mm)
    pad = round(_SHADOW_PAD_MM * _SHADOW_PX_PER_MM)
    sprite = np.zeros((h, w), np.uint8)
    sprite[pad: h - pad, pad: w - pad] = 255
    return cv2.GaussianBlur(sprite, (0, 0), blur_mm * _SHADOW_PX_PER_MM)
