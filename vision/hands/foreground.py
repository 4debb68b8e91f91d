"""Tell what has come into the picture from what lay there: a background that is learned, and masks of what covers it.

A hand reaches in from the picture's border and is never part of the background; a card that is left behind stands alone
and soon belongs to it, which is told as a change. Light that the camera evens out, shadows and edges that tremble are
no foreground. Everything works on the small pictures of `vision.hands.sequence`.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

LEAST_DIFFERENCE = 14.0
"""Grey levels by which a pixel must differ from the background, in any colour, at the least."""
NOISE_TIMES = 5.0
"""The same in multiples of the picture's own noise."""
BRIGHT, DARKEST = 140.0, 0.35
"""Grey level of what is bright in a well lit picture, and how far less light lowers what must differ."""
TREMBLE_PX = 0.45
"""How far edges may tremble (compression, a table that is hit), in pixels."""
SHADOW_FROM = 0.5
"""Share of the light that a shadow leaves at the least."""
SHADOW_SPREAD = 0.10
"""By how much the shares of the three colours may differ in a shadow."""
SETTLED_FRAMES = 3
"""Frames for which what stands alone must lie still to become background."""
NEAR_PX = 13
"""What is no farther than this from an arm belongs to it: a hand behind a sleeve that is not seen."""
LEFT_SHARE = 0.045
"""Share of the picture up to which something can be left behind; what is larger is a hand."""
FIRST_FRAMES = 5
"""Frames from which it is learned what lay there when the film began."""
SAME_SHARE = 0.7
"""Share of a place that looks the same at the end of a film as at its beginning if nothing stayed there."""
SPECK_PX = 12
"""Patches up to this area are noise."""
_ALPHA = 0.06
# Exchanges after which the fifth of nine values is their median.
_MEDIAN_OF_NINE = (
    (1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3),
    (5, 8), (4, 7), (3, 6), (1, 4), (2, 5), (4, 7), (4, 2), (6, 4), (4, 2),
)  # fmt: skip

Picture = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Change:
    """Something that was left behind, such as a card.

    Attributes:
        frame: number of the frame in which it was first seen to stand alone.
        mask: (h, w) bool, where.
    """

    frame: int
    mask: Mask


@dataclass(frozen=True, eq=False)
class Foreground:
    """What covers the background, in every frame.

    Attributes:
        masks: (n, h, w) bool.
        backgrounds: the background's picture by the number of the frame from which it holds.
        changes: what was left behind, the oldest first.
        noise: standard deviation of the noise of a pixel, in grey levels.
        levels: (n, 3) factors by which the light of each colour differs from the background's.
    """

    masks: Mask
    backgrounds: dict[int, Picture]
    changes: tuple[Change, ...]
    noise: float
    levels: npt.NDArray[np.float64]

    def background(self, frame: int) -> Picture:
        """Return the background's picture as it was in a frame."""
        return self.backgrounds[max(number for number in self.backgrounds if number <= frame)]


def find_foreground(images: npt.NDArray[np.uint8]) -> Foreground:
    """Find what covers the background in pictures (n, h, w, 3) uint8 of a camera that stands still."""
    count, height, width = images.shape[:3]
    noise = _noise(images)
    ground = _begun(images).astype(np.float32)
    # In little light hands differ little from the table.
    light = float(np.clip(np.percentile(ground[::4, ::4], 90) / BRIGHT, DARKEST, 1))
    least = max(LEAST_DIFFERENCE * light, NOISE_TIMES * noise)
    backgrounds = {0: ground.round().astype(np.uint8)}
    now = backgrounds[0]
    allowed = _allowed(now, least)
    masks = np.zeros((count, height, width), bool)
    levels = np.ones((count, 3))
    still = np.zeros((height, width), np.uint8)
    changes: list[Change] = []
    before: Picture | None = None
    covered = masks[0]
    for number in range(count):
        levels[number] = _levels(images[number], now, covered)
        image = _levelled(images[number], levels[number])
        differs = cv2.compare(most_apart(image, now), allowed, cv2.CMP_GT)
        whole = _covered(image, now, differs)
        moved = most_apart(image, image if before is None else before) >= least
        still = np.where(moved, 0, cv2.add(still, 1)).astype(np.uint8)
        before = image
        covered, alone = _split(whole)
        left = _left_behind(alone, still)
        if left is not None:
            ground[left] = image[left]
            changes.append(Change(max(0, number - SETTLED_FRAMES + 1), left))
        masks[number] = covered
        if alone.any():
            masks[number] |= alone & (still < SETTLED_FRAMES)
        # Shadows are no foreground, but they do not belong to the background either.
        cv2.accumulateWeighted(image, ground, _ALPHA, (~(whole | (differs > 0))).view(np.uint8))
        if left is not None:
            now = backgrounds[number] = np.clip(ground.round(), 0, 255).astype(np.uint8)
            allowed = _allowed(now, least)
    return Foreground(masks, backgrounds, tuple(changes), noise, levels)


def most_apart(one: Picture, other: Picture) -> Picture:
    """Return (h, w) uint8: the difference of two pictures in the colour in which it is greatest."""
    blue, green, red = cv2.split(cv2.absdiff(one, other))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def _begun(images: Picture) -> Picture:
    """Return the background as it was when the film began.

    It is what the first frames show, but for arms that were there already: there it is what is usual. Where the last
    frames show what the first ones do, an arm came and went in between; else it is told by its outline which of the two
    shows an arm: the other one goes on evenly across it.
    """
    usual, first, last = _usual(images), _usual(images[:FIRST_FRAMES]), _usual(images[-FIRST_FRAMES:])
    same = cv2.compare(most_apart(first, last), LEAST_DIFFERENCE, cv2.CMP_LE)
    differs = cv2.compare(most_apart(usual, first), LEAST_DIFFERENCE, cv2.CMP_GT)
    differs = cv2.morphologyEx(differs, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    count, labels = cv2.connectedComponents(differs, connectivity=8)
    border = touches_border(labels, count)
    ground = first.copy()
    for label in np.flatnonzero(border):
        patch = (labels == label).view(np.uint8)
        if same[patch > 0].mean() > 255 * SAME_SHARE:
            continue
        outline = cv2.morphologyEx(patch, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)).view(bool)
        if _steepness(usual, outline) < _steepness(first, outline):
            there = cv2.dilate(patch, np.ones((9, 9), np.uint8)).view(bool)
            ground[there] = usual[there]
    return ground


def _steepness(image: Picture, where: Mask) -> float:
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (0, 0), 1.0)
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)
    return float(cv2.magnitude(across, down)[where].mean())


def _usual(images: Picture) -> Picture:
    """Return what each pixel shows most of the time: the median of nine frames, or of all where there are fewer."""
    count = len(images)
    if count < 9:
        return np.asarray(np.sort(images, axis=0)[count // 2])
    nine = [images[i] for i in np.linspace(0, count - 1, 9).round().astype(int)]
    for i, j in _MEDIAN_OF_NINE:
        nine[i], nine[j] = np.minimum(nine[i], nine[j]), np.maximum(nine[i], nine[j])
    return nine[4]


def touches_border(labels: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.bool_]:
    """Tell which labels (of `count`) of a label picture lie at its border."""
    found = np.zeros(count, bool)
    for line in (labels[:2], labels[-2:], labels[:, :2], labels[:, -2:]):
        found[np.unique(line)] = True
    found[0] = False
    return found


def _noise(images: Picture) -> float:
    """Estimate a pixel's noise from neighbouring frames, as far as nothing moves in them."""
    if len(images) < 2:
        return 2.0
    picks = np.unique(np.linspace(0, len(images) - 2, min(8, len(images) - 1)).round().astype(int))
    spreads = []
    for number in picks:
        apart = images[number + 1, ::3, ::3, 1].astype(np.int16) - images[number, ::3, ::3, 1]
        spreads.append(float(np.median(np.abs(apart - np.median(apart)))) * 1.4826 / np.sqrt(2))
    return float(np.clip(np.median(spreads), 0.7, 8.0))


def _allowed(ground: Picture, least: float) -> Picture:
    """Return by how much each pixel may differ: the noise, and more at edges."""
    grey = cv2.cvtColor(ground, cv2.COLOR_BGR2GRAY).astype(np.float32)
    across, down = cv2.Sobel(grey, cv2.CV_32F, 1, 0, scale=0.125), cv2.Sobel(grey, cv2.CV_32F, 0, 1, scale=0.125)
    slope = cv2.dilate(cv2.magnitude(across, down), np.ones((3, 3), np.uint8))
    return np.clip(least + 2 * TREMBLE_PX * slope, 0, 255).astype(np.uint8)


def _levels(image: Picture, ground: Picture, covered: Mask) -> npt.NDArray[np.float64]:
    """Return the light of each colour against the background's, from what is not covered."""
    free = ~covered[::6, ::6]
    some, base = image[::6, ::6][free].astype(np.float64), ground[::6, ::6][free].astype(np.float64)
    levels = np.ones(3)
    for channel in range(3):
        bright = (base[:, channel] > 25) & (base[:, channel] < 245)
        if bright.sum() > 50:
            levels[channel] = np.clip(np.median(some[bright, channel] / base[bright, channel]), 0.5, 2.0)
    return levels


def _levelled(image: Picture, levels: npt.NDArray[np.float64]) -> Picture:
    if np.all(np.abs(levels - 1) < 0.01):
        return image
    table = np.clip(np.arange(256)[None, :, None] / levels, 0, 255).round().astype(np.uint8)
    return cv2.LUT(image, table)


def _covered(image: Picture, ground: Picture, differs: Picture) -> Mask:
    """Return what differs from the background and is no shadow, without specks and with gaps closed."""
    mask = differs.copy()
    left, top, wide, high = cv2.boundingRect(mask)
    if not wide:
        return mask.astype(bool)
    box = np.s_[top : top + high, left : left + wide]
    # Most of a picture is table: only what differs is looked at for shadows.
    inside = mask[box] > 0
    shares = (image[box][inside].astype(np.float32) + 4) / (ground[box][inside].astype(np.float32) + 4)
    blue, green, red = shares.T
    least, most = np.minimum(np.minimum(blue, green), red), np.maximum(np.maximum(blue, green), red)
    shadow = (least > SHADOW_FROM) & (most < 1) & (most - least < SHADOW_SPREAD)
    mask[box][inside] = np.where(shadow, 0, mask[box][inside])
    filled = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    filled = cv2.morphologyEx(filled, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    return filled.astype(bool)


def _split(mask: Mask) -> tuple[Mask, Mask]:
    """Return what reaches in from the border, and what stands alone; specks are dropped."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.view(np.uint8), connectivity=8)
    border = touches_border(labels, count)
    if border.any():
        reach = cv2.dilate(border[labels].view(np.uint8), np.ones((2 * NEAR_PX + 1,) * 2, np.uint8)).view(bool)
        border[np.unique(labels[reach])] = True
        border[0] = False
    large = stats[:, cv2.CC_STAT_AREA] > SPECK_PX
    large[0] = False
    alone = ~border & large
    return (border & large)[labels], alone[labels] if alone.any() else np.zeros_like(mask)


def _left_behind(alone: Mask, still: Picture) -> Mask | None:
    """Return those patches that stand alone and lie still."""
    if not alone.any():
        return None
    count, labels = cv2.connectedComponents(alone.view(np.uint8), connectivity=8)
    sizes = np.bincount(labels.ravel(), minlength=count)
    resting = np.bincount(labels.ravel(), weights=(still >= SETTLED_FRAMES).ravel(), minlength=count)
    rests = (resting > 0.9 * sizes) & (sizes < LEFT_SHARE * alone.size)
    rests[0] = False
    left = rests[labels]
    return left if left.any() else None
