"""Things that lie on and over cards: hands with arms, glasses, phones, coins, pens, paper, folded cloth, sleeves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.assets import Assets
from datasets.render.lens import motion_kernel
from datasets.render.projection import Pose

if TYPE_CHECKING:
    from datasets.render.scene import Canvas

THING = -1


def lay_things(
    rng: np.random.Generator, canvas: Canvas, assets: Assets, pose: Pose, card_px: float, difficulty: float
) -> None:
    """Put some random objects on the table; few lie over cards."""
    if rng.random() > 0.15 + 0.45 * difficulty:
        return
    kinds = (_paper, _round_thing, _glass, _bar, _cut_out, _cloth_fold)
    for _ in range(int(rng.integers(1, 4))):
        kinds[int(rng.choice(len(kinds), p=[0.24, 0.22, 0.16, 0.16, 0.14, 0.08]))](
            rng, canvas, assets, card_px
        )


def _spot(rng: np.random.Generator, canvas: Canvas) -> tuple[float, float]:
    """A spot, mostly one where no card lies."""
    height, width = canvas.owner.shape
    for _ in range(6):
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        if canvas.owner[int(y), int(x)] == 0:
            break
    return float(x), float(y)


def _stamp(canvas: Canvas, mask: NDArray[np.uint8], colour: NDArray[np.uint8]) -> None:
    """Draw an opaque thing given by its mask over the whole picture, with its shadow."""
    points = cv2.findNonZero(mask)
    if points is None:
        return
    shift = canvas.light_px * np.float32(6)
    box = canvas.clip_box(points.reshape(-1, 2), 8 + float(np.abs(shift).max()))
    if box is None:
        return
    left, top, right, bottom = box
    mask = mask[top:bottom, left:right]
    alpha = mask.astype(np.float32) / 255
    moved = cv2.warpAffine(
        alpha, np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32), (right - left, bottom - top)
    )
    canvas.darken(box, cv2.GaussianBlur(moved, (0, 0), 2.5))
    canvas.blend(box, colour[top:bottom, left:right], alpha)
    canvas.owner[top:bottom, left:right][mask > 127] = THING
    canvas.gloss[top:bottom, left:right][mask > 127] = 0.3


def _paper(rng: np.random.Generator, canvas: Canvas, assets: Assets, card_px: float) -> None:
    """A sheet, a note, a coaster, a packet: bright rectangles that are no cards."""
    height, width = canvas.owner.shape
    size = card_px * rng.uniform(0.35, 2.2)
    box = cv2.boxPoints(
        (_spot(rng, canvas), (size, size * rng.uniform(0.3, 1.0)), float(rng.uniform(0, 180)))
    )
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, box.astype(np.int32), 255, cv2.LINE_AA)
    bright = rng.random() < 0.7
    colour = np.full(
        (height, width, 3), rng.uniform(170, 250, 3) if bright else rng.uniform(20, 220, 3), np.uint8
    )
    ink = tuple(float(v) for v in rng.uniform(10, 150, 3))
    origin, across, down = box[0], box[1] - box[0], box[3] - box[0]
    for line in np.arange(0.12, 0.92, rng.uniform(0.07, 0.25)):
        if rng.random() < 0.8:
            start = origin + across * rng.uniform(0.05, 0.2) + down * line
            end = origin + across * rng.uniform(0.5, 0.95) + down * line
            cv2.line(
                colour,
                start.astype(int).tolist(),
                end.astype(int).tolist(),
                ink,
                int(rng.integers(1, 4)),
                cv2.LINE_AA,
            )
    if rng.random() < 0.3:
        centre = (origin + across * 0.5 + down * 0.5).astype(int).tolist()
        cv2.circle(
            colour,
            centre,
            int(size * rng.uniform(0.05, 0.2)),
            tuple(float(v) for v in rng.uniform(0, 255, 3)),
            -1,
            cv2.LINE_AA,
        )
    _stamp(canvas, mask, colour)


def _round_thing(rng: np.random.Generator, canvas: Canvas, assets: Assets, card_px: float) -> None:
    """Coins, chips, plates, cups seen from above."""
    height, width = canvas.owner.shape
    x, y = _spot(rng, canvas)
    radius = card_px * float(rng.choice([rng.uniform(0.1, 0.25), rng.uniform(0.35, 1.3)], p=[0.6, 0.4]))
    squash = rng.uniform(0.7, 1)
    colour = np.zeros((height, width, 3), np.uint8)
    mask = np.zeros((height, width), np.uint8)
    centre, turn = (int(x), int(y)), float(rng.uniform(0, 180))
    for i, share in enumerate((1.0, rng.uniform(0.75, 0.95), rng.uniform(0.3, 0.7))):
        axes = (max(1, int(radius * share)), max(1, int(radius * share * squash)))
        tone = tuple(float(v) for v in rng.uniform(20, 255, 3))
        cv2.ellipse(colour, centre, axes, turn, 0, 360, tone, -1, cv2.LINE_AA)
        if i == 0:
            cv2.ellipse(mask, centre, axes, turn, 0, 360, 255, -1, cv2.LINE_AA)
    _stamp(canvas, mask, colour)


def _glass(rng: np.random.Generator, canvas: Canvas, assets: Assets, card_px: float) -> None:
    """A glass: what is behind it shows through, brightened, tinted and blurred; its rim shines."""
    height, width = canvas.owner.shape
    x, y = _spot(rng, canvas) if rng.random() < 0.6 else (rng.uniform(0, width), rng.uniform(0, height))
    radius = card_px * rng.uniform(0.3, 0.6)
    mask = np.zeros((height, width), np.uint8)
    axes = (max(2, int(radius)), max(2, int(radius * rng.uniform(0.75, 1))))
    cv2.ellipse(mask, (int(x), int(y)), axes, float(rng.uniform(0, 180)), 0, 360, 255, -1, cv2.LINE_AA)
    tint = np.uint8(rng.choice([[235, 235, 230], [60, 60, 170], [80, 190, 220], [200, 210, 205]]))
    behind = cv2.GaussianBlur(canvas.colour, (0, 0), 1.5)
    seen = cv2.addWeighted(behind, 0.85, np.broadcast_to(tint, behind.shape).astype(np.uint8), 0.15, 0)
    strength = rng.uniform(0.3, 0.9)
    canvas.blend((0, 0, width, height), seen, mask.astype(np.float32) / 255 * np.float32(strength))
    rim = cv2.morphologyEx(mask, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    canvas.blend(
        (0, 0, width, height),
        np.array([245, 245, 245], np.uint8),
        rim.astype(np.float32) / 255 * np.float32(0.7),
    )
    if strength > 0.75:
        canvas.owner[mask > 127] = THING


def _bar(rng: np.random.Generator, canvas: Canvas, assets: Assets, card_px: float) -> None:
    """Phones, pens, cigarettes, cutlery, cables."""
    height, width = canvas.owner.shape
    thin = rng.random() < 0.6
    length = card_px * rng.uniform(0.8, 1.9)
    thick = max(2.0, length * (rng.uniform(0.02, 0.09) if thin else rng.uniform(0.4, 0.55)))
    box = cv2.boxPoints((_spot(rng, canvas), (length, thick), float(rng.uniform(0, 180))))
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, box.astype(np.int32), 255, cv2.LINE_AA)
    tone = rng.uniform(10, 70) if not thin else rng.uniform(10, 240, 3)
    colour = np.full((height, width, 3), tone, np.uint8)
    if not thin and rng.random() < 0.5:
        inner = cv2.boxPoints((tuple(box.mean(0).tolist()), (length * 0.9, thick * 0.9), 0.0))
        cv2.polylines(colour, [inner.astype(np.int32)], True, (120.0, 120.0, 120.0), 1, cv2.LINE_AA)
    _stamp(canvas, mask, colour)


def _cut_out(rng: np.random.Generator, canvas: Canvas, assets: Assets, card_px: float) -> None:
    """A piece of a photograph as an object of any shape."""
    height, width = canvas.owner.shape
    photo = assets.clutter[int(rng.integers(len(assets.clutter)))]
    colour = cv2.resize(photo, (width, height), interpolation=cv2.INTER_AREA)
    x, y = _spot(rng, canvas)
    angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(4, 12))))
    radius = card_px * rng.uniform(0.3, 1.1) * rng.uniform(0.6, 1, len(angles))
    outline = np.column_stack([x + np.cos(angles) * radius, y + np.sin(angles) * radius])
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [outline.astype(np.int32)], 255, cv2.LINE_AA)
    _stamp(canvas, mask, colour)


def _cloth_fold(rng: np.random.Generator, canvas: Canvas, assets: Assets, card_px: float) -> None:
    """A cloth, jacket or bag that comes in from a side and covers whatever lies there."""
    height, width = canvas.owner.shape
    texture = assets.surfaces[int(rng.integers(len(assets.surfaces)))]
    colour = cv2.resize(texture, (width, height), interpolation=cv2.INTER_AREA).astype(
        np.float32
    ) * rng.uniform(0.5, 1.1)
    angle = rng.uniform(0, 2 * np.pi)
    normal = np.array([np.cos(angle), np.sin(angle)])
    edge = np.array([width, height]) / 2 + normal * rng.uniform(0.15, 0.5) * min(width, height)
    along = np.array([-normal[1], normal[0]])
    steps = np.linspace(-900, 900, 40)
    wave = np.cumsum(rng.normal(0, 9, 40))
    border = edge + along * steps[:, None] + normal * (wave - wave.mean())[:, None]
    outline = np.vstack([border, border[::-1] + normal * 1500])
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [outline.astype(np.int32)], 255, cv2.LINE_AA)
    colour = (
        colour
        * np.clip(
            1 + 0.25 * np.sin(np.add.outer(np.arange(height), np.arange(width)) / rng.uniform(12, 60)),
            0.5,
            1.3,
        ).astype(np.float32)[..., None]
    )
    _stamp(canvas, mask, cv2.convertScaleAbs(colour))


def sleeve(rng: np.random.Generator, canvas: Canvas, quad: NDArray[np.float32]) -> None:
    """A plastic sleeve around a card: a rim beyond its edge and a milky sheen."""
    centre = quad.mean(0)
    outer = centre + (quad - centre) * np.float32(1.06)
    box = canvas.clip_box(outer, 2)
    if box is None:
        return
    left, top, right, bottom = box
    mask = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(mask, (outer - [left, top]).astype(np.int32), 255, cv2.LINE_AA)
    canvas.blend(
        box,
        np.array([225, 225, 225], np.uint8),
        mask.astype(np.float32) / 255 * np.float32(rng.uniform(0.05, 0.2)),
    )
    rim = cv2.morphologyEx(mask, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)).astype(np.float32) / 255
    canvas.blend(box, np.array([240, 240, 240], np.uint8), rim * np.float32(0.4))


def lay_hand(rng: np.random.Generator, canvas: Canvas, assets: Assets, card_px: float, owner: int) -> None:
    """Reach a hand into the picture, mostly at a card, with an arm to the border behind it, sometimes moving."""
    height, width = canvas.owner.shape
    cut_out = assets.hands[int(rng.integers(len(assets.hands)))]
    if rng.random() < 0.5:
        cut_out = cut_out[:, ::-1]
    cards = np.argwhere(canvas.owner > 0)
    if len(cards) and rng.random() < 0.75:
        tip = cards[int(rng.integers(len(cards)))][::-1].astype(np.float32)
    else:
        tip = np.array([rng.uniform(0, width), rng.uniform(0, height)], np.float32)
    # The arm comes from a side; mostly the nearest one.
    sides = np.array([[0, -1], [1, 0], [0, 1], [-1, 0]], np.float32)
    distances = np.array([tip[1], width - tip[0], height - tip[1], tip[0]])
    side = sides[int(distances.argmin() if rng.random() < 0.6 else rng.integers(4))]
    heading = np.arctan2(side[1], side[0]) + rng.normal(0, 0.35)
    toward_arm = np.array([np.cos(heading), np.sin(heading)], np.float32)
    length = card_px * rng.uniform(1.5, 2.3)
    rows, columns = cut_out.shape[:2]
    scale = length / rows
    # In the cut-outs the wrist is at the top: its direction (0, -1) is turned towards the arm.
    turn = np.arctan2(toward_arm[1], toward_arm[0]) + np.pi / 2
    cos, sin = np.cos(turn) * scale, np.sin(turn) * scale
    anchor = np.array([columns / 2, rows * rng.uniform(0.78, 0.97)], np.float32)
    matrix = np.array(
        [
            [cos, -sin, tip[0] - cos * anchor[0] + sin * anchor[1]],
            [sin, cos, tip[1] - sin * anchor[0] - cos * anchor[1]],
        ],
        np.float32,
    )
    source = cut_out
    if scale < 0.7:
        source = cv2.resize(cut_out, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        matrix = matrix @ np.diag(
            np.array([columns / source.shape[1], rows / source.shape[0], 1], np.float32)
        )
    layer = cv2.warpAffine(source, matrix, (width, height), flags=cv2.INTER_LINEAR)
    alpha = layer[..., 3].astype(np.float32) / 255
    colour = cv2.convertScaleAbs(layer[..., :3], alpha=float(rng.uniform(0.6, 1.15)))
    arm = _arm(rng, canvas, assets, cut_out, toward_arm, tip + toward_arm * length * 0.72, length)
    if arm is not None:
        arm_alpha, arm_colour = arm
        alpha_all = np.maximum(alpha, arm_alpha)
        colour = cv2.blendLinear(colour, arm_colour, alpha, 1 - alpha)
        alpha = alpha_all
    seen = np.argwhere(alpha[::4, ::4] > 0)
    box = canvas.clip_box(seen[:, ::-1] * 4.0, 40) if len(seen) else None
    if box is None:
        return
    left, top, right, bottom = box
    alpha, colour = alpha[top:bottom, left:right], np.ascontiguousarray(colour[top:bottom, left:right])
    if rng.random() < 0.35:
        kernel = motion_kernel(float(card_px * rng.uniform(0.03, 0.3)), float(rng.uniform(0, np.pi)))
        blurred = cv2.filter2D(np.dstack([colour * alpha[..., None], alpha]), -1, kernel)
        alpha = blurred[..., 3]
        colour = cv2.convertScaleAbs(blurred[..., :3] / np.maximum(alpha, 1e-3)[..., None])
    shift = canvas.light_px * np.float32(rng.uniform(4, 30))
    moved = cv2.warpAffine(
        alpha, np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32), (right - left, bottom - top)
    )
    canvas.darken(box, cv2.blur(moved, (9, 9)))
    canvas.blend(box, colour, np.ascontiguousarray(alpha))
    canvas.owner[top:bottom, left:right][alpha > 0.5] = owner
    canvas.gloss[top:bottom, left:right][alpha > 0.5] = 0.2


def _arm(
    rng: np.random.Generator,
    canvas: Canvas,
    assets: Assets,
    cut_out: NDArray[np.uint8],
    toward_arm: NDArray[np.float32],
    wrist: NDArray[np.float32],
    length: float,
) -> tuple[NDArray[np.floating], NDArray[np.uint8]] | None:
    """The arm behind a hand: alpha (h, w) and colour (h, w, 3); bare or in a sleeve."""
    height, width = canvas.owner.shape
    across = np.array([-toward_arm[1], toward_arm[0]], np.float32)
    thick, grow = length * rng.uniform(0.13, 0.19), rng.uniform(1.2, 2.0)
    far = wrist + toward_arm * 1500
    outline = np.stack(
        [
            wrist - across * thick,
            wrist + across * thick,
            far + across * thick * grow * 3,
            far - across * thick * grow * 3,
        ]
    )
    mask = np.zeros((height, width), np.uint8)
    cv2.fillConvexPoly(mask, outline.astype(np.int32), 255, cv2.LINE_AA)
    if not mask.any():
        return None
    y = np.arange(height, dtype=np.float32)[:, None]
    x = np.arange(width, dtype=np.float32)[None]
    across_share = ((x - wrist[0]) * across[0] + (y - wrist[1]) * across[1]) / np.float32(thick * 2)
    shade = np.clip(1 - 0.35 * across_share**2, 0.45, 1)
    if rng.random() < 0.55:
        texture = assets.surfaces[int(rng.integers(len(assets.surfaces)))]
        base = cv2.resize(texture, (width, height), interpolation=cv2.INTER_AREA)
    else:
        solid = cut_out[cut_out[..., 3] > 200][:, :3]
        tone = np.median(solid, axis=0) if len(solid) else np.array([120, 140, 180], np.float32)
        base = np.full((height, width, 3), tone, np.uint8)
    shading = cv2.merge([cv2.convertScaleAbs(shade, alpha=255)] * 3)
    return mask.astype(np.float32) / 255, cv2.multiply(base, shading, scale=1 / 255)
