"""Which of two hands lies on top, from what is seen where both lie.

A hand is rigid, so how it looks where it is covered is known from frames in which it is not: before the other hand
came, or after one of them had gone. Carried to where the hand rests, that look is held against what is seen there
while both lie. Where the two looks differ, what is seen is one of them, and that hand is on top. When too few pixels
tell them apart, or they do not agree, nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from vision.hands.approach import Approach, Registrar, displacement, shifted
from vision.hands.foreground import Mask, Picture
from vision.hands.register import Pose
from vision.hands.resting import HAND_SHARE, distance_from

OVERLAP_PX = 90
"""Pixels of the small picture that two hands must share to lie on one another."""
TELLING_PX = 90
"""Pixels in which the two looks must differ for the picture to tell."""
TELLING_LEVELS = 16.0
"""Grey levels from which two looks differ."""
AGREED = 0.80
"""Share of the telling pixels that must agree."""
FITS_LEVELS = 22.0
"""Mean difference from its expected look up to which the upper hand is believed to be seen."""
COVERED_PX = 120
"""Pixels of a hand that must be hidden by another one for it to lie below."""
CONTRADICTED_PX = 40
"""If so many of the upper hand are hidden too, nothing is said."""
COVERED_LEVELS = 26.0
"""Grey levels by which what is seen must differ from the hand that is hidden."""
NEARLY_PX = 1.5
"""How far from where it rests a hand may be in the frame that its look is taken from, for this."""
ALIGN_PX = 5
"""How far a carried look may be moved to fit, in pixels."""
BESIDE_PX = 28
"""How far from the overlap it must fit, in pixels."""
SURE_SUPPORT = 0.55
"""Share of a hand's look that must be found again in the frame that its look is taken from."""
ROUGH_SUPPORT = 0.35
"""The same where it only matters how far a hand reaches: of a blurred hand less is alike."""
BEYOND_PX = 8.0
"""How far beyond another hand's finger tips a hand must lie to be seen by itself, in pixels: blur, and a bent thumb."""
TIP_QUANTILE = 0.998
"""Share of a hand's pixels that lie no farther from where its arm enters than its finger tips."""
_SLOW_PX = 9.0

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Stacking:
    """Say how two hands lie.

    Attributes:
        overlap_px: area that both cover, in pixels of the small picture.
        upper: 0 or 1, which of the two lies on top; None if they do not overlap or it is not clear.
        agreed: share of the telling pixels that say so.
        telling_px: number of telling pixels.
    """

    overlap_px: int
    upper: int | None = None
    agreed: float = 0.0
    telling_px: int = 0

    @property
    def overlaps(self) -> bool:
        """Whether the two hands lie on one another."""
        return self.overlap_px >= OVERLAP_PX


@dataclass(frozen=True, eq=False)
class Look:
    """Hold how a hand looks where it rests, covered parts included.

    Attributes:
        picture: (h, w, 3) float32.
        mask: (h, w) bool, its pixels, as far as they are known.
        frame: number of the frame from which it is known.
        moved_px: how far the hand was then from where it rests.
    """

    picture: Floats
    mask: Mask
    frame: int
    moved_px: float


def stacking(registrar: Registrar, one: Approach, two: Approach, others: Sequence[Approach] = ()) -> Stacking:
    """Tell which of two hands that rested at the same time lies on top, given the other hands that rested there."""
    masks = registrar.masks
    first = max(one.first_still, two.first_still)
    last = min(one.last_still, two.last_still)
    if last < first:
        return Stacking(0)
    resting = [_resting_look(registrar, one, two), _resting_look(registrar, two, one)]
    covered = [_covered(registrar, look, hand, other, first, last, others) for look, hand, other in (
        (resting[0], one, two), (resting[1], two, one))]  # fmt: skip
    if max(covered) >= COVERED_PX:
        # A hand of which less is seen than when it lay there alone lies below; both at once cannot be.
        upper = 1 if covered[0] >= COVERED_PX else 0
        if min(covered) >= CONTRADICTED_PX:
            return Stacking(max(covered), None, 0.5, max(covered))
        return Stacking(max(covered), upper, 1 - min(covered) / max(covered), max(covered))
    looks = [whole or _moving_look(registrar, hand) for whole, hand in zip(resting, (one, two), strict=True)]
    if looks[0] is None or looks[1] is None:
        return Stacking(0)
    # Pushes die down in some frames; after them the hands lie as they lay when their looks were taken.
    frames = sorted({min(first + 1, last), min(first + 2, last), min(first + 3, last)})
    seen = _settled([_smooth(masks.sequence.images[frame]) for frame in frames])
    a, b = _aligned(seen, looks[0], looks[1]), _aligned(seen, looks[1], looks[0])
    both = cv2.erode((a.mask & b.mask).view(np.uint8), np.ones((3, 3), np.uint8)).view(bool)
    area = int(both.sum())
    if area < OVERLAP_PX:
        return Stacking(area)
    apart_a, apart_b = _apart(seen, a.picture), _apart(seen, b.picture)
    telling = both & (np.abs(a.picture - b.picture).max(axis=2) > TELLING_LEVELS)
    count = int(telling.sum())
    if count < TELLING_PX:
        return Stacking(area, None, 0.5, count)
    share = float((apart_a < apart_b)[telling].mean())
    upper = 0 if share > 0.5 else 1
    agreed = max(share, 1 - share)
    fits = float((apart_a if upper == 0 else apart_b)[telling].mean())
    if agreed < AGREED or fits > FITS_LEVELS:
        return Stacking(area, None, agreed, count)
    return Stacking(area, upper, agreed, count)


def _covered(
    registrar: Registrar,
    look: Look | None,
    hand: Approach,
    other: Approach,
    first: int,
    last: int,
    others: Sequence[Approach],
) -> int:
    """Count the pixels of a hand, as it lay there without the other one, that are not seen while both lie.

    It must be known from where it rests, or nearly. What third hands cover does not count; those that lay there all
    the time cover the same.
    """
    if look is None or look.moved_px > NEARLY_PX:
        return 0
    masks = registrar.masks
    frames = sorted({min(first + 1, last), min(first + 2, last), min(first + 3, last)})
    seen = _settled([_smooth(masks.sequence.images[frame]) for frame in frames])
    number = masks.arms.index(hand.rest.arm)
    entry = masks.arms[number].entry(hand.first_still)
    near = distance_from(masks.pile, look.mask.shape) < HAND_SHARE * max(look.mask.shape)
    away = distance_from(entry, look.mask.shape) > distance_from(entry, look.mask.shape)[hand.region].min()
    inside = cv2.erode((look.mask & near & away).view(np.uint8), np.ones((5, 5), np.uint8)).view(bool)
    gone = inside & (_apart(seen, look.picture) > COVERED_LEVELS)
    gone = cv2.morphologyEx(gone.view(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).view(bool)
    count, labels = cv2.connectedComponents(gone.view(np.uint8), connectivity=8)
    frame = frames[-1]
    begun, over = min(frames[0], look.frame), max(frame, look.frame)
    lay = {id(each.rest.arm) for each in others if each.first_still <= begun and over <= each.last_still}
    third = np.zeros_like(gone)
    own = np.zeros_like(gone)
    for present in masks.present(frame):
        if masks.arms[present] is other.rest.arm:
            own |= masks.own(present, frame)
        elif present != number and id(masks.arms[present]) not in lay:
            third |= masks.own(present, frame)
    found = 0
    for label in range(1, count):
        patch = labels == label
        if third.any() and _gap(patch, third) < _gap(patch, own):
            continue
        found += int(patch.sum())
    return found


def _gap(patch: Mask, mask: Mask) -> float:
    """Return how far a patch is from a mask, in pixels."""
    if not mask.any():
        return np.inf
    return float(cv2.distanceTransform((~mask).view(np.uint8), cv2.DIST_L2, 3)[patch].min())


def _settled(images: list[Floats]) -> Floats:
    """Return what up to three pictures show most of the time: their median."""
    if len(images) < 3:
        return np.asarray(np.mean(images, axis=0), np.float32)
    a, b, c = images
    return np.maximum(np.minimum(a, b), np.minimum(np.maximum(a, b), c))


def _smooth(image: Picture) -> Floats:
    return cv2.GaussianBlur(image, (0, 0), 0.8).astype(np.float32)


def _aligned(seen: Floats, look: Look, other: Look) -> Look:
    """Return a look moved by the few pixels that bring it onto what is seen of the hand beside the other one."""
    both = (look.mask & other.mask).view(np.uint8)
    if not both.any():
        return look
    beside = cv2.dilate(both, np.ones((2 * BESIDE_PX + 1,) * 2, np.uint8)).view(bool)
    around = cv2.dilate(other.mask.view(np.uint8), np.ones((7, 7), np.uint8)).view(bool)
    visible = look.mask & beside & ~around
    ys, xs = np.nonzero(visible)
    if len(ys) < 4 * TELLING_PX:
        return look
    every = max(1, len(ys) // 2000)
    ys, xs = ys[::every], xs[::every]
    height, width = visible.shape
    best, shift = np.inf, (0, 0)
    for dy in range(-ALIGN_PX, ALIGN_PX + 1):
        for dx in range(-ALIGN_PX, ALIGN_PX + 1):
            at = np.clip(ys - dy, 0, height - 1), np.clip(xs - dx, 0, width - 1)
            apart = float(np.abs(seen[ys, xs] - look.picture[at]).mean()) + 0.05 * float(np.hypot(dx, dy))
            if apart < best:
                best, shift = apart, (dy, dx)
    return Look(
        np.roll(look.picture, shift, axis=(0, 1)), np.roll(look.mask, shift, axis=(0, 1)), look.frame, look.moved_px
    )


def _apart(seen: Floats, look: Floats) -> Floats:
    """Return the difference of two pictures, the least within a pixel, in the colour in which it is greatest."""
    least = None
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            moved = np.roll(look, (dy, dx), axis=(0, 1))
            apart = np.abs(seen - moved).max(axis=2)
            least = apart if least is None else np.minimum(least, apart)
    assert least is not None
    return np.asarray(cv2.blur(least, (3, 3)), np.float32)


def _resting_look(registrar: Registrar, hand: Approach, other: Approach) -> Look | None:
    """Return how a hand looks where it rests, from a frame in which the other one is not near it, or no longer over it.

    Best is a frame in which the other one is away. Else what lies beyond its finger tips is known while it comes or
    leaves.
    """
    masks = registrar.masks
    number = masks.arms.index(hand.rest.arm)
    frames = [*range(hand.first_still, other.first_still), *range(other.last_still + 1, hand.last_still + 1)]
    frames = [frame for frame in frames if frame <= hand.last_still and frame in hand.rest.arm.frames]
    for frame in frames:
        if other.first_still - 4 <= frame <= other.last_still + 1:
            continue
        if masks.alone(number, frame):
            return _carried(registrar, hand, frame, Pose())
    beyond = _fingers_px(registrar, other)
    if beyond is None:
        return None
    shape = masks.foreground.masks.shape[1:]
    entry = other.rest.arm.entry(other.first_still)
    tips = [(_tip_px(registrar, other, frame, beyond), frame) for frame in frames]
    tip, frame = min(((tip, frame) for tip, frame in tips if tip is not None), default=(np.inf, 0))
    # A hand that has hardly set out hides all that it hid before.
    if tip > _to_middle_px(other) + beyond - 2 * BEYOND_PX:
        return None
    whole = masks.part(number, frame)
    for third in masks.present(frame):
        if masks.arms[third] not in (hand.rest.arm, other.rest.arm):
            whole = whole & ~cv2.dilate(masks.own(third, frame).view(np.uint8), np.ones((9, 9), np.uint8)).view(bool)
    seen = whole & (distance_from(entry, shape) > tip + BEYOND_PX)
    return Look(_smooth(masks.sequence.images[frame]), seen, frame, 0.0)


def _fingers_px(registrar: Registrar, hand: Approach) -> float | None:
    """Return how far beyond the middle of a hand's template its finger tips lie, in pixels, at rest.

    It is known from frames in which the hand is by itself; None if there is none.
    """
    masks = registrar.masks
    away = distance_from(hand.rest.arm.entry(hand.first_still), masks.foreground.masks.shape[1:])
    alone = [(frame, masks.nearest(shifted(hand.region, pose), frame), pose) for frame, pose in hand.poses.items()]
    alone += [(frame, number, pose) for frame, (number, pose) in registrar.leaving(hand).items()]
    found = []
    for frame, number, pose in alone:
        if pose.support >= ROUGH_SUPPORT and number is not None and masks.alone(number, frame):
            tip = float(np.quantile(away[masks.own(number, frame)], TIP_QUANTILE))
            found.append((tip - _to_middle_px(hand) + _along_px(hand, pose)) / np.exp(pose.growth))
    return max(found, default=None)


def _to_middle_px(hand: Approach) -> float:
    """Return how far the middle of a hand's template is from where its arm enters."""
    entry = hand.rest.arm.entry(hand.first_still)
    return float(np.hypot(entry[0] - hand.middle[0], entry[1] - hand.middle[1]))


def _along_px(hand: Approach, pose: Pose) -> float:
    """Return how far the middle of a hand in a pose is drawn back along its arm from where it rests, in pixels."""
    entry = hand.rest.arm.entry(hand.first_still)
    outward = np.array([entry[0] - hand.middle[0], entry[1] - hand.middle[1]])
    return float(np.array([pose.x, pose.y]) @ outward / max(float(np.linalg.norm(outward)), 1.0))


def _tip_px(registrar: Registrar, hand: Approach, frame: int, beyond_px: float) -> float | None:
    """Return how far from where its arm enters the finger tips of a hand that comes or leaves lie in a frame.

    `beyond_px` is how far they lie beyond the middle of its template. None if it was not followed to that frame.
    """
    leaving = {number: pose for number, (_, pose) in registrar.leaving(hand).items()}
    pose = (hand.poses if frame < hand.first_still else leaving).get(frame)
    if pose is None and frame > hand.last_still and leaving and frame > max(leaving):
        # It was followed until it was well away, and does not come back.
        pose = leaving[max(leaving)]
    if pose is None or pose.support < ROUGH_SUPPORT:
        return None
    # A hand that is raised is nearer to the camera, and looks larger.
    return _to_middle_px(hand) - _along_px(hand, pose) + beyond_px * float(np.exp(pose.growth))


def _moving_look(registrar: Registrar, hand: Approach) -> Look | None:
    """Return how a hand looks where it rests, from the best frame in which it comes or leaves by itself."""
    found: list[tuple[float, int, Pose]] = []
    for frame, pose in hand.poses.items():
        near = pose.support >= SURE_SUPPORT and frame < hand.first_still
        if near and not _touches(registrar, hand, pose, frame):
            found.append((_blur(hand, frame), frame, pose))
    found += [(speed, frame, pose) for frame, pose, speed in _leaving_alone(registrar, hand)]
    if not found:
        return None
    _, frame, pose = min(found, key=lambda entry: entry[0])
    return _carried(registrar, hand, frame, pose)


def _touches(registrar: Registrar, hand: Approach, pose: Pose, frame: int) -> bool:
    """Tell whether another arm hangs together with a hand in a frame."""
    number = registrar.masks.nearest(shifted(hand.region, pose), frame)
    return number is None or not registrar.masks.alone(number, frame)


def _blur(hand: Approach, frame: int) -> float:
    """Return how far a hand moved around a frame, in pixels: its blur."""
    places = [
        hand.poses[near].vector(hand.radius_px) for near in (frame - 1, frame, frame + 1) if near in hand.poses
    ]
    return float(max((np.linalg.norm(b - a) for a, b in pairwise(places)), default=99.0))


def _leaving_alone(registrar: Registrar, hand: Approach) -> list[tuple[int, Pose, float]]:
    """Return the frames in which a hand that leaves is by itself and near, with its pose and speed."""
    found = []
    before = Pose()
    for frame, (number, pose) in registrar.leaving(hand).items():
        step = float(np.hypot(pose.x - before.x, pose.y - before.y))
        before = pose
        if registrar.masks.alone(number, frame) and pose.support >= SURE_SUPPORT:
            found.append((frame, pose, max(step, 0.15 * displacement(pose, hand.radius_px))))
            if displacement(pose, hand.radius_px) > 4 * _SLOW_PX:
                break
    return found


def _carried(registrar: Registrar, hand: Approach, frame: int, pose: Pose) -> Look:
    """Return a hand's look in a frame, carried to where it rests."""
    masks = registrar.masks
    image = _smooth(masks.sequence.images[frame])
    number = masks.nearest(shifted(hand.region, pose), frame)
    own = masks.own(number, frame) if number is not None else masks.foreground.masks[frame]
    cx, cy = hand.middle
    scale, c, s = np.exp(pose.growth), np.cos(pose.turn), np.sin(pose.turn)
    # Where a resting pixel was in that frame.
    matrix = np.array(
        [
            [scale * c, -scale * s, cx + pose.x - scale * (c * cx - s * cy)],
            [scale * s, scale * c, cy + pose.y - scale * (s * cx + c * cy)],
        ],
        np.float32,
    )
    size = (own.shape[1], own.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    picture = cv2.warpAffine(image, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.warpAffine(own.astype(np.float32), matrix, size, flags=flags) > 0.5
    return Look(np.asarray(picture, np.float32), mask, frame, displacement(pose, hand.radius_px))
