"""Compose one picture: a table, cards on it, things and hands over them, light and a camera; with exact labels."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render import objects
from datasets.render.assets import Assets, Deck
from datasets.render.layout import place_cards
from datasets.render.lens import glare_field, light_field, photograph
from datasets.render.projection import Pose
from datasets.render.sprites import DeckLook, card_sprite

FRAME_SHAPES = (
    (640, 480),
    (640, 480),
    (640, 360),
    (640, 360),
    (640, 427),
    (480, 640),
    (360, 640),
    (640, 640),
)
CARD_HEIGHT_MM = 88.0


@dataclass(frozen=True)
class LabelledCard:
    """A card in a picture.

    Attributes:
        code: the face, or None if it lies face down.
        deck: name of the printing.
        quad_px: corners of the whole card, (4, 2), from its true top-left, clockwise; may lie outside the picture.
        visible: share of the card that is seen, 0..1.
    """

    code: str | None
    deck: str
    quad_px: NDArray[np.float32]
    visible: float


@dataclass(frozen=True)
class LabelledHand:
    """A hand with its arm: outline polygon in pixels, shape (n, 2), clipped to the picture."""

    outline_px: NDArray[np.float32]


@dataclass(frozen=True)
class Rendering:
    """A finished picture (h, w, 3) BGR with its labels; `tilt_deg` is the camera's angle off the vertical."""

    image: NDArray[np.uint8]
    cards: list[LabelledCard]
    hands: list[LabelledHand]
    tilt_deg: float


@dataclass
class Canvas:
    """The scene while it is drawn.

    Attributes:
        colour: light coming from the scene, (h, w, 3) uint8, BGR.
        owner: what is seen at each pixel: 0 the table, i + 1 card i, -1 things, -2 - i hand i; (h, w) int16.
        gloss: how much of a reflection each pixel shows, (h, w) float32.
        light_px: where shadows fall, in pixels per millimetre of height.
    """

    colour: NDArray[np.uint8]
    owner: NDArray[np.int16]
    gloss: NDArray[np.float32]
    light_px: NDArray[np.float32]
    shadow: float
    placed: list[NDArray[np.float32]] = field(default_factory=list)

    def blend(
        self, box: tuple[int, int, int, int], colour: NDArray[np.uint8], alpha: NDArray[np.floating]
    ) -> None:
        """Lay `colour`, (h, w, 3) or one colour (3,), with `alpha` (h, w) over the rectangle (left, top, right,
        bottom)."""
        left, top, right, bottom = box
        region = self.colour[top:bottom, left:right]
        if colour.ndim == 1:
            colour = np.broadcast_to(colour, region.shape)
        # blendLinear divides by the sum of the weights, which is one here.
        self.colour[top:bottom, left:right] = cv2.blendLinear(
            np.ascontiguousarray(colour), np.ascontiguousarray(region), alpha, 1 - alpha
        )

    def darken(self, box: tuple[int, int, int, int], alpha: NDArray[np.floating]) -> None:
        """Cast a shadow of strength `alpha` (h, w) over the rectangle."""
        left, top, right, bottom = box
        factor = cv2.convertScaleAbs(alpha, alpha=-255 * self.shadow, beta=255)
        region = self.colour[top:bottom, left:right]
        self.colour[top:bottom, left:right] = cv2.multiply(region, cv2.merge([factor] * 3), scale=1 / 255)

    def clip_box(self, points: NDArray[np.floating], margin: float) -> tuple[int, int, int, int] | None:
        """Rectangle around points, grown by a margin, within the picture; None if outside."""
        height, width = self.owner.shape
        left, top = np.floor(points.min(0) - margin).astype(int)
        right, bottom = np.ceil(points.max(0) + margin).astype(int)
        left, top, right, bottom = max(0, left), max(0, top), min(width, right), min(height, bottom)
        return (
            (int(left), int(top), int(right), int(bottom)) if right - left > 1 and bottom - top > 1 else None
        )


def render(rng: np.random.Generator, assets: Assets, difficulty: float = 1.0) -> Rendering:
    """Render one random picture.

    Args:
        rng: source of all randomness: the same generator state and assets give the same picture.
        assets: what to draw from.
        difficulty: 0 gives clear, level, uncovered cards; 1 everything that real tables do.
    """
    harshness = difficulty * float(rng.uniform(0, 1))
    width, height = FRAME_SHAPES[int(rng.integers(len(FRAME_SHAPES)))]
    card_px = float(np.exp(rng.uniform(np.log(40), np.log(300))))
    if rng.random() < 0.08:
        card_px = float(rng.uniform(300, 430))
    tilt = 55 * difficulty * float(rng.beta(1, 2.2))
    pose = Pose.looking(
        (width, height),
        card_px / CARD_HEIGHT_MM,
        tilt,
        float(rng.uniform(0, 360)),
        float(rng.uniform(0, 360)),
        float(rng.uniform(35, 75)),
    )
    canvas = _table(rng, assets, pose)
    deck = assets.decks[int(rng.integers(len(assets.decks)))]
    quads, codes, names = _lay_cards(rng, assets, deck, pose, canvas, card_px, difficulty)
    objects.lay_things(rng, canvas, assets, pose, card_px, difficulty)
    hand_count = (
        int(rng.choice([0, 1, 2, 3], p=[0.6, 0.25, 0.11, 0.04]))
        if rng.random() < 0.5 + 0.5 * difficulty
        else 0
    )
    for i in range(hand_count):
        objects.lay_hand(rng, canvas, assets, card_px, -2 - i)
    lit = cv2.multiply(canvas.colour, light_field(rng, (height, width), harshness), dtype=cv2.CV_32F)
    if rng.random() < 0.4 * (0.4 + harshness):
        lit += (canvas.gloss * glare_field(rng, (height, width)))[..., None]
    image = photograph(rng, lit, harshness)
    return Rendering(image, _label_cards(canvas, quads, codes, names), _label_hands(canvas, hand_count), tilt)


def _table(rng: np.random.Generator, assets: Assets, pose: Pose) -> Canvas:
    width, height = pose.size_px
    if rng.random() < 0.08:
        photo = assets.clutter[int(rng.integers(len(assets.clutter)))]
        colour = cv2.resize(photo, (width, height), interpolation=cv2.INTER_AREA)
    else:
        colour = _ground(rng, assets, pose)
        if rng.random() < 0.22:
            colour = _beyond_the_edge(rng, assets, pose, colour)
    angle = rng.uniform(0, 2 * np.pi)
    reach = rng.uniform(0.2, 1.4) * pose.px_per_mm
    return Canvas(
        colour,
        np.zeros((height, width), np.int16),
        np.full((height, width), rng.choice([0.0, 0.15, 0.6]), np.float32),
        np.array([np.cos(angle), np.sin(angle)], np.float32) * np.float32(reach),
        float(rng.uniform(0.15, 0.75)),
    )


def _ground(rng: np.random.Generator, assets: Assets, pose: Pose) -> NDArray[np.uint8]:
    texture = assets.surfaces[int(rng.integers(len(assets.surfaces)))]
    if rng.random() < 0.3:
        texture = cv2.convertScaleAbs(
            texture, alpha=float(rng.uniform(0.4, 1.2)), beta=float(rng.uniform(0, 30))
        )
    mm_per_texel = float(np.exp(rng.uniform(np.log(0.25), np.log(1.6))))
    turn = rng.uniform(0, 2 * np.pi)
    cos, sin = np.cos(turn) * mm_per_texel, np.sin(turn) * mm_per_texel
    half_h, half_w = texture.shape[0] / 2, texture.shape[1] / 2
    to_table = np.array(
        [[cos, -sin, -cos * half_w + sin * half_h], [sin, cos, -sin * half_w - cos * half_h], [0, 0, 1.0]]
    )
    scale = mm_per_texel * pose.px_per_mm
    if scale < 0.6:
        texture = cv2.resize(
            texture, None, fx=max(scale, 0.1), fy=max(scale, 0.1), interpolation=cv2.INTER_AREA
        )
        to_table = to_table @ np.diag([1 / max(scale, 0.1), 1 / max(scale, 0.1), 1])
    return cv2.warpPerspective(
        texture,
        pose.table_homography @ to_table,
        pose.size_px,
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REFLECT,
    )


def _beyond_the_edge(
    rng: np.random.Generator, assets: Assets, pose: Pose, colour: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Let the table end within the picture: beyond its edge a floor, a chair, whatever."""
    width, height = pose.size_px
    pool = assets.clutter if rng.random() < 0.5 else assets.surfaces
    beyond = cv2.resize(pool[int(rng.integers(len(pool)))], (width, height), interpolation=cv2.INTER_AREA)
    angle = rng.uniform(0, 2 * np.pi)
    normal = np.array([np.cos(angle), np.sin(angle)])
    edge = np.array([width / 2, height / 2]) + normal * rng.uniform(0.2, 0.5) * min(width, height)
    along = np.array([-normal[1], normal[0]]) * 2000
    far = edge + normal * 2000
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(
        mask, [np.array([edge - along, edge + along, far + along, far - along], np.int32)], 255, cv2.LINE_AA
    )
    return np.where(mask[..., None] > 127, (beyond * rng.uniform(0.4, 1)).astype(np.uint8), colour)


def _lay_cards(
    rng: np.random.Generator,
    assets: Assets,
    deck: Deck,
    pose: Pose,
    canvas: Canvas,
    card_px: float,
    difficulty: float,
) -> tuple[list[NDArray[np.float32]], list[str | None], list[str]]:
    height, width = canvas.owner.shape
    room = width * height / (card_px * card_px * 0.6)
    most = int(np.clip(room * 1.1, 1, 16))
    count = 0 if rng.random() < 0.05 else round(1 + (most - 1) * rng.beta(1.3, 1.0))
    codes = list(deck.faces)
    rng.shuffle(codes)
    art = deck.faces[codes[0]]
    aspect = art.shape[0] / art.shape[1] * float(rng.uniform(0.96, 1.04))
    look = DeckLook.random(rng)
    back = assets.backs[int(rng.integers(len(assets.backs)))]
    quads: list[NDArray[np.float32]] = []
    seen: list[str | None] = []
    names: list[str] = []
    card_width = CARD_HEIGHT_MM / aspect
    for i, place in enumerate(place_cards(rng, pose, count, card_width, CARD_HEIGHT_MM)):
        code = codes[i] if place.face_up and i < len(codes) else None
        picture = deck.art(code, card_px) if code else back
        quad = pose.project(place.corners_mm(card_width, CARD_HEIGHT_MM), place.z_mm)
        size = max(np.linalg.norm(quad[0] - quad[3]), np.linalg.norm(quad[1] - quad[2]))
        sprite = card_sprite(rng, picture, int(np.clip(size * 1.1, 16, 460)), aspect, look)
        draw_card(canvas, sprite, quad, place.z_mm, len(quads) + 1, 1.0 if not look.sleeved else 1.6)
        if look.sleeved:
            objects.sleeve(rng, canvas, quad)
        quads.append(quad)
        seen.append(code)
        names.append(deck.name)
    return quads, seen, names


def draw_card(
    canvas: Canvas,
    sprite: NDArray[np.uint8],
    quad: NDArray[np.float32],
    z_mm: float,
    owner: int,
    gloss: float = 1.0,
) -> None:
    """Draw a card's sprite (BGRA) into the quad, with its shadow and the side of its pile."""
    size = float(np.linalg.norm(quad[0] - quad[2]))
    box = canvas.clip_box(quad, 4 + size * 0.06)
    if box is None:
        return
    left, top, right, bottom = box
    rows, columns = sprite.shape[:2]
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32) - 0.5
    offset = np.array([left, top], np.float32) + np.float32(0.5)
    homography = cv2.getPerspectiveTransform(corners, quad - offset)
    warped = cv2.warpPerspective(
        sprite,
        homography,
        (right - left, bottom - top),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    coverage = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(coverage, np.round((quad - offset) * 16).astype(np.int32), 255, cv2.LINE_AA, shift=4)
    alpha = cv2.multiply(warped[..., 3], coverage, scale=1 / 255).astype(np.float32) / 255
    shift = canvas.light_px * np.float32(0.8 + z_mm)
    if np.abs(shift).max() > 0.1:
        moved = cv2.warpAffine(
            alpha, np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32), (right - left, bottom - top)
        )
        canvas.darken(box, cv2.GaussianBlur(moved, (0, 0), 0.6 + 0.3 * float(np.abs(shift).max())))
    if z_mm > 0.8:
        # The side of the pile: paper-grey, drawn once below its top card.
        low = quad + np.array([0, min(size * 0.06, z_mm * 0.15)], np.float32)
        side = np.zeros((bottom - top, right - left), np.uint8)
        cv2.fillConvexPoly(side, np.round((low - offset) * 16).astype(np.int32), 255, cv2.LINE_AA, shift=4)
        canvas.blend(
            box, np.array([185, 190, 195], np.uint8), side.astype(np.float32) * np.float32(0.9 / 255)
        )
    canvas.blend(box, warped[..., :3], alpha)
    solid = alpha > 0.5
    canvas.owner[top:bottom, left:right][solid] = owner
    canvas.gloss[top:bottom, left:right][solid] = gloss


def _label_cards(
    canvas: Canvas, quads: list[NDArray[np.float32]], codes: list[str | None], names: list[str]
) -> list[LabelledCard]:
    seen = np.bincount(canvas.owner[canvas.owner > 0].ravel(), minlength=len(quads) + 1)
    labels = []
    for i, (quad, code, name) in enumerate(zip(quads, codes, names, strict=True)):
        area = abs(float(cv2.contourArea(quad)))
        # Rounded corners and soft edges leave a little less than the quad's area.
        visible = min(1.0, float(seen[i + 1]) / (area * 0.985)) if area > 1 else 0.0
        labels.append(LabelledCard(code, name, quad, visible))
    return labels


def _label_hands(canvas: Canvas, count: int) -> list[LabelledHand]:
    hands = []
    for i in range(count):
        mask = (canvas.owner == -2 - i).astype(np.uint8)
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        if not contours:
            continue
        largest = max(contours, key=cv2.contourArea)
        if cv2.contourArea(largest) > 60:
            hands.append(LabelledHand(cv2.approxPolyDP(largest, 1.0, True).reshape(-1, 2).astype(np.float32)))
    return hands
