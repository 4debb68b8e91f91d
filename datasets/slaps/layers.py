"""What lies and moves over the table, each a flat picture that is warped to where the camera sees its corners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.camera import card_corners_mm
from datasets.film.faces import BACK, FaceSource, sprite_corners
from datasets.film.motion import Pose
from datasets.slaps.course import CardCourse, CarryCourse, SlapCourse
from datasets.slaps.hands import SHADOW_BLURS_MM, HandPicture
from datasets.slaps.room import Picture, Room

#: Half the thickness of a hand, mm: its picture is drawn at this height over its underside.
_HALF_HAND_MM = 11.0

#: How much the forearm of a lying hand rises to the elbow, and from which height of the hand on it is level.
_RISE, _LEVEL_MM = 0.08, 200.0

_CARD_SHADOW_PAD_MM = 24.0

#: Height of the strips that slanting things are drawn in, px.
_STRIP_PX = 96


@dataclass(frozen=True, slots=True)
class Canvas:
    """A part of the picture: its pixels, and the place of its upper left one."""

    pixels: Picture
    left: int
    top: int


class Layer(Protocol):
    """A thing that is drawn over those before it."""

    def seen(self, start_ms: float, end_ms: float) -> bool:
        """Tell whether it can be in the picture between two times."""

    def moving(self, start_ms: float, end_ms: float) -> bool:
        """Tell whether it moves between two times."""

    def outline(self, t_ms: float) -> NDArray[np.float32]:
        """Return the corners (n, 2) in pixels of all that it covers or shades."""

    def draw(self, canvas: Canvas, t_ms: float) -> None:
        """Draw it with its shadow."""


class CardLayer:
    """A card of the pile, or one that is brought to it."""

    def __init__(self, code: str, course: CardCourse, room: Room, faces: FaceSource,
                 shadow: Picture) -> None:
        self.code, self.course, self._room, self._faces, self._shadow = code, course, room, faces, shadow

    def seen(self, start_ms: float, end_ms: float) -> bool:
        """Tell whether it has been brought by then."""
        track = self.course.track
        return track is None or end_ms >= track.times_ms[0]

    def moving(self, start_ms: float, end_ms: float) -> bool:
        """Tell whether it moves between two times."""
        return self.course.moving(start_ms, end_ms)

    def quad(self, t_ms: float) -> NDArray[np.float32]:
        """Return its corners (4, 2), pixel-centre coordinates."""
        return self._room.pixels(card_corners_mm(self.course.at(t_ms), self._faces.card_mm))

    def outline(self, t_ms: float) -> NDArray[np.float32]:
        """Return the corners of card and shadow."""
        return np.concatenate([self.quad(t_ms), self._shadow_quad(self.course.at(t_ms))])

    def draw(self, canvas: Canvas, t_ms: float) -> None:
        """Draw it with its shadow."""
        pose = self.course.at(t_ms)
        height = max(pose.z - self.course.rest.z, 0.0)
        strength = self._room.shadow_strength * (0.7 if height < 1 else 0.5 * math.exp(-height / 120))
        ground = self._shadow_quad(pose)
        darken(canvas, self._shadow, ground, strength, _whole(*self._shadow.shape), ground[None])
        quad = self.quad(t_ms)
        name = self.code if math.cos(pose.roll) >= 0 else BACK
        long = float(max(np.hypot(*(quad[3] - quad[0])), np.hypot(*(quad[2] - quad[1])), 12.0))
        sprite = self._faces.sprite(name, long)
        paste(canvas, sprite, sprite_corners(sprite), quad, quad[None])

    def _shadow_quad(self, pose: Pose) -> NDArray[np.float32]:
        w, h = self._faces.card_mm
        height = max(pose.z - self.course.rest.z, 0.0)
        x, y = self._room.shadow_mm
        ground = Pose(pose.x + x * height, pose.y + y * height, self.course.rest.z, pose.angle)
        pad = 2 * _CARD_SHADOW_PAD_MM
        return self._room.pixels(card_corners_mm(ground, (w * max(abs(math.cos(pose.roll)), 0.3) + pad, h + pad)))


def card_shadow(card_mm: tuple[float, float]) -> Picture:
    """Draw the soft shadow of a lying card."""
    pad = round(_CARD_SHADOW_PAD_MM)
    shadow = np.zeros((round(card_mm[1]) + 2 * pad, round(card_mm[0]) + 2 * pad), np.uint8)
    shadow[pad:-pad, pad:-pad] = 255
    return cv2.GaussianBlur(shadow, (0, 0), 1.6)


class HandLayer:
    """A hand with its arm."""

    def __init__(self, player: int, side: str, picture: HandPicture, course: SlapCourse | CarryCourse,
                 shoulder: tuple[float, float], room: Room) -> None:
        self.player, self.side, self.hand, self.course = player, side, picture, course
        self._shoulder, self._room = shoulder, room
        h, w = picture.picture.shape[:2]
        self._whole = _whole(h, w)
        self._shadow_whole = _whole(*picture.shadows[0].shape)
        self._points = np.concatenate([picture.corners_mm, *picture.shapes_mm])
        self._shadow_points = np.concatenate([picture.shadow_corners_mm, *picture.shadow_shapes_mm])

    def seen(self, start_ms: float, end_ms: float) -> bool:
        """Tell whether it is on its way or lies there."""
        start, end = self.course.span_ms
        return end_ms > start and start_ms < end

    def moving(self, start_ms: float, end_ms: float) -> bool:
        """Tell whether it moves between two times."""
        first, middle, last = (self.course.at(t) for t in (start_ms, (start_ms + end_ms) / 2, end_ms))
        return first != last or first != middle

    def place_mm(self, local: NDArray[np.float64], pose: Pose, at_height_mm: float = _HALF_HAND_MM
                 ) -> NDArray[np.float64]:
        """Return points (n, 3) over the table of points (n, 2) in the hand's frame."""
        away = math.hypot(pose.x - self._shoulder[0], pose.y - self._shoulder[1])
        fx, fy = (pose.x - self._shoulder[0]) / away, (pose.y - self._shoulder[1]) / away
        rise = _RISE * (1 - pose.z / _LEVEL_MM)
        turn = np.array([(fy, -fx, 0.0), (fx, fy, -rise)])
        return local @ turn + np.array([pose.x, pose.y, pose.z + at_height_mm])

    def quad(self, t_ms: float) -> NDArray[np.float32]:
        """Return the corners (4, 2) of its picture, pixel-centre coordinates."""
        return self._room.pixels(self.place_mm(self.hand.corners_mm, self.course.at(t_ms)))

    def fingers_px(self, t_ms: float) -> NDArray[np.float32]:
        """Return where finger tips, palm and wrist are seen, (3, 2)."""
        spots = np.array([(0.0, self.hand.reach_mm), (0.0, 0.0), (0.0, self.hand.wrist_mm)])
        return self._room.pixels(self.place_mm(spots, self.course.at(t_ms)))

    def _seen_at(self, pose: Pose) -> NDArray[np.float32]:
        """Return where the corners of its picture and of its shapes are seen, (n, 4, 2)."""
        return self._room.pixels(self.place_mm(self._points, pose)).reshape(-1, 4, 2)

    def _shadow_at(self, pose: Pose) -> NDArray[np.float32]:
        """Return where the corners of its shadow's picture and of the shadow's shapes are seen, (n, 4, 2)."""
        points = self.place_mm(self._shadow_points, pose)
        points[:, :2] += points[:, 2:] * np.array([self._room.shadow_mm])
        points[:, 2] = 2.0
        return self._room.pixels(points).reshape(-1, 4, 2)

    def outline(self, t_ms: float) -> NDArray[np.float32]:
        """Return the corners of all that arm and shadow cover."""
        pose = self.course.at(t_ms)
        return np.concatenate([*self._seen_at(pose)[1:], *self._shadow_at(pose)[1:]])

    def draw(self, canvas: Canvas, t_ms: float) -> None:
        """Draw it with its shadow, which is the softer and weaker the higher the hand."""
        pose = self.course.at(t_ms)
        blur = 2.5 + 0.13 * max(pose.z, 0.0)
        level = min(range(len(SHADOW_BLURS_MM)), key=lambda i: abs(math.log(SHADOW_BLURS_MM[i] / blur)))
        strength = self._room.shadow_strength * (0.45 + 0.5 * math.exp(-max(pose.z, 0.0) / 45))
        shadow = self._shadow_at(pose)
        darken(canvas, self.hand.shadows[level], shadow[0], min(strength, 0.85), self._shadow_whole, shadow[1:])
        seen = self._seen_at(pose)
        paste(canvas, self.hand.picture, self._whole, seen[0], seen[1:])

    def mask(self, t_ms: float, size: tuple[int, int], scale: float = 1.0, hand_only: bool = False
             ) -> NDArray[np.bool_]:
        """Return where it is in the picture, shrunk by `scale`, whatever lies over it: (h, w) bool."""
        alpha = self.hand.picture[..., 3]
        if hand_only:
            top = self.hand.corners_mm[0, 1]
            per_mm = alpha.shape[0] / (top - self.hand.corners_mm[2, 1])
            alpha = alpha.copy()
            alpha[max(round((top - self.hand.wrist_mm) * per_mm), 0):] = 0
        quad = ((self.quad(t_ms) + np.float32(0.5)) * np.float32(scale) - np.float32(0.5)).astype(np.float32)
        warp = cv2.getPerspectiveTransform(self._whole, quad)
        return cv2.warpPerspective(alpha, warp, (round(size[0] * scale), round(size[1] * scale))) > 127


def _whole(height: int, width: int) -> NDArray[np.float32]:
    return np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32) - np.float32(0.5)


def _parts(canvas: Canvas, shapes: NDArray[np.float32]) -> list[tuple[int, int, int, int]]:
    """Return left, top, right, bottom of strips of a canvas that together hold some convex shapes, in the canvas.

    An arm that comes in slantwise fills little of the rectangle around it; its strips have little to spare.
    """
    h, w = canvas.pixels.shape[:2]
    # Plain numbers: there are so few corners that arrays would take longer.
    sides = [(*a, *b) for shape in (shapes - np.array([canvas.left, canvas.top], np.float32)).tolist()
             for a, b in zip(shape, shape[1:] + shape[:1], strict=True)]
    top = max(math.floor(min(side[1] for side in sides)) - 1, 0)
    bottom = min(math.ceil(max(side[1] for side in sides)) + 2, h)
    parts = []
    for low in range(top, bottom, _STRIP_PX):
        high = min(low + _STRIP_PX, bottom)
        left, right = math.inf, -math.inf
        for ax, ay, bx, by in sides:
            if ay > by:
                ax, ay, bx, by = bx, by, ax, ay
            if by < low - 1 or ay > high + 1:
                continue
            slope = (bx - ax) / (by - ay) if by > ay else 0.0
            first = ax + slope * (low - 1 - ay) if ay < low - 1 else ax
            last = ax + slope * (high + 1 - ay) if by > high + 1 else bx
            left, right = min(left, first, last), max(right, first, last)
        if right > 0 and left < w:
            parts.append((max(math.floor(left) - 1, 0), low, min(math.ceil(right) + 2, w), high))
    return parts


def paste(canvas: Canvas, sprite: Picture, corners: NDArray[np.float32], quad: NDArray[np.float32],
          shapes: NDArray[np.float32]) -> None:
    """Draw a premultiplied sprite where a quad is seen (pixel-centre coordinates of the whole picture), in place.

    Args:
        canvas: what is drawn on.
        sprite: (h, w, 4) uint8; corners: (4, 2) in it, which come to lie at `quad`.
        quad: (4, 2) in the whole picture.
        shapes: (n, 4, 2) corners of quads in the whole picture, outside of which the sprite is empty.
    """
    warp = cv2.getPerspectiveTransform(corners, quad)
    for left, top, right, bottom in _parts(canvas, shapes):
        layer = cv2.warpPerspective(sprite, _shifted(warp, canvas.left + left, canvas.top + top),
                                    (right - left, bottom - top), flags=cv2.INTER_LINEAR)
        behind = cv2.cvtColor(cv2.bitwise_not(cv2.extractChannel(layer, 3)), cv2.COLOR_GRAY2BGR)
        region = canvas.pixels[top:bottom, left:right]
        cv2.add(cv2.multiply(region, behind, scale=1 / 255), cv2.cvtColor(layer, cv2.COLOR_BGRA2BGR), dst=region)


def darken(canvas: Canvas, shadow: Picture, quad: NDArray[np.float32], strength: float,
           corners: NDArray[np.float32], shapes: NDArray[np.float32]) -> None:
    """Darken a canvas under the quad of a shadow's picture, in place; `paste` explains the arguments."""
    warp = cv2.getPerspectiveTransform(corners, quad)
    for left, top, right, bottom in _parts(canvas, shapes):
        layer = cv2.warpPerspective(shadow, _shifted(warp, canvas.left + left, canvas.top + top),
                                    (right - left, bottom - top), flags=cv2.INTER_LINEAR)
        kept = cv2.cvtColor(cv2.convertScaleAbs(layer, alpha=-strength, beta=255), cv2.COLOR_GRAY2BGR)
        region = canvas.pixels[top:bottom, left:right]
        cv2.multiply(region, kept, dst=region, scale=1 / 255)


def _shifted(warp: NDArray[np.float64], left: int, top: int) -> NDArray[np.float64]:
    """Return a warp into the whole picture as one into a part that begins at `left`, `top`."""
    shifted = warp.copy()
    shifted[0] -= left * warp[2]
    shifted[1] -= top * warp[2]
    return shifted
