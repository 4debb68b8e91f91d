"""What lies on a pile when no hand is over it, and whether that is another card than before.

A card that is laid on a pile of cards hides what was seen there; what shows of it as new are its pips and two of its
edges. So the pictures before and after are held against each other at the pile's place alone: a new card changes much
more of them than the pushes that hands give the pile.
"""

from __future__ import annotations

from collections.abc import Sequence as Several
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from vision.hands.foreground import BRIGHT, DARKEST, Foreground, Mask, Picture, most_apart
from vision.hands.sequence import Sequence

Place = tuple[float, float]

OVER_SHARE = 0.06
"""How far from the middle of the pile a hand hides its top card, as a share of the picture's longer side."""
COVERED_SHARE = 0.04
"""Share of that place which a hand may cover without hiding anything."""
CARD_SHARE = 0.09
"""How far from the middle of the pile a card on it reaches, as a share of the picture's longer side."""
NEW_LEVELS = 40.0
"""Grey levels, in good light, by which a pixel differs that shows another card."""
NEW_SHARE = 0.014
"""Share of the pile's place that differs when another card lies on top."""
PUSHED_SHARE = 0.05
"""The same when hands have lain on the pile in the meantime, which moves its cards."""
_PICTURES = 5


@dataclass(frozen=True, eq=False)
class QuietRun:
    """Describe a run of frames in which no hand is over a pile.

    Attributes:
        place: number of the pile.
        first, last: numbers of the first and the last frame.
        changed: share of the pile's place that differs from the run before; 0 for the first run.
        where: (n, 2) x and y of the pixels that differ.
    """

    place: int
    first: int
    last: int
    changed: float
    where: npt.NDArray[np.float32]


def quiet_runs(sequence: Sequence, foreground: Foreground, places: Several[Place]) -> tuple[QuietRun, ...]:
    """Find the runs of frames in which each pile is seen, pile by pile in the order of their time.

    Args:
        sequence: the film.
        foreground: what covers its background.
        places: the middle of each pile, x and y in pixels of the small picture.
    """
    shape = sequence.images.shape[1:3]
    light = float(np.clip(np.percentile(foreground.background(0)[::4, ::4], 90) / BRIGHT, DARKEST, 1))
    found: list[QuietRun] = []
    for number, place in enumerate(places):
        over = disc(place, OVER_SHARE * max(shape), shape)
        covered = foreground.masks[:, over].mean(axis=1)
        quiet = np.concatenate([[False], covered < COVERED_SHARE, [False]])
        edges = np.flatnonzero(np.diff(quiet.view(np.int8)))
        # Only what lies around the pile is looked at, with a pixel more for what trembles.
        reach = card_reach_px(places, shape)
        left, top = max(0, round(place[0] - reach) - 2), max(0, round(place[1] - reach) - 2)
        box = np.s_[:, top : round(place[1] + reach) + 3, left : round(place[0] + reach) + 3]
        images = sequence.images[box]
        around = disc(place, reach, shape)[box[1:]]
        before: Picture | None = None
        for first, end in zip(edges[::2], edges[1::2], strict=True):
            now = _usual(images[first : min(end, first + _PICTURES)])
            where = np.zeros((0, 2), np.float32)
            if before is not None:
                differs = (_least_apart(before, now) > NEW_LEVELS * light) & around
                ys, xs = np.nonzero(differs)
                where = np.stack([xs + left, ys + top], axis=1).astype(np.float32)
            found.append(QuietRun(number, int(first), int(end) - 1, len(where) / float(around.sum()), where))
            before = _usual(images[max(first, end - _PICTURES) : end])
    return tuple(found)


def card_reach_px(places: Several[Place], shape: tuple[int, int]) -> float:
    """Return how far from a pile's middle its cards reach, in pixels: not as far as the next pile."""
    gaps = [float(np.hypot(a[0] - b[0], a[1] - b[1])) for a in places for b in places if a is not b]
    return min([CARD_SHARE * max(shape), *(0.48 * gap for gap in gaps)])


def new_cards(runs: Several[QuietRun], slapped: Several[tuple[int, int]] = ()) -> list[tuple[QuietRun, QuietRun]]:
    """Return the runs of one pile between which a new card came to lie on it, in pairs.

    Args:
        runs: of one pile, in order.
        slapped: first and last frames between which hands lay on it.
    """
    found = []
    for before, after in pairwise(runs):
        pushed = any(before.last < last and first < after.first for first, last in slapped)
        if after.changed >= (PUSHED_SHARE if pushed else NEW_SHARE):
            found.append((before, after))
    return found


def disc(place: Place, radius_px: float, shape: tuple[int, int]) -> Mask:
    """Return the pixels (h, w) within a radius of a place."""
    mask = np.zeros(shape, np.uint8)
    cv2.circle(mask, (round(place[0]), round(place[1])), round(radius_px), 1, -1)
    return mask.view(bool)


def _usual(images: Picture) -> Picture:
    return np.asarray(np.median(images, axis=0), np.uint8)


def _least_apart(one: Picture, other: Picture) -> Picture:
    """Return (h, w): the difference of two pictures, the least within a pixel, so that edges may tremble."""
    least: Picture | None = None
    for down in (-1, 0, 1):
        for across in (-1, 0, 1):
            apart = most_apart(one, np.roll(other, (down, across), axis=(0, 1)))
            least = apart if least is None else np.minimum(least, apart)
    assert least is not None
    return least
