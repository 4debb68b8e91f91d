"""Hands on a pile in a short film: who touched when, and which hand lies under which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.hands.approach import Approach, Registrar, displacement, follow_approach
from vision.hands.arms import follow_arms
from vision.hands.foreground import Foreground, Mask, find_foreground
from vision.hands.resting import ArmMasks, distance_from, find_rests
from vision.hands.seats import Seats, direction_deg
from vision.hands.sequence import Sequence
from vision.hands.stacking import Stacking, stacking

NEAR_SHARE = 0.20
"""How far from the middle of the pile a hand on it may end, as a share of the picture's longer side."""
CAME_PX = 12.0
"""How far a hand must have come before it rests to have touched and not only moved a little."""
CHANGE_SHARE = 0.0015
"""Share of the picture that something must cover to be a card."""
CARD_SHARE = 0.12
"""Share of the picture that a card covers at the most."""
SOLID = 0.6
"""Share of the rectangle around it that a card's patch fills."""
SLIM = 2.4
"""How much longer than wide a card's patch may be."""
OVER_SHARE = 0.06
"""How far from the middle of the pile a hand hides its top card, as a share of the picture's longer side."""
PLAY_AFTER_FRAMES = 8
"""A card that is seen lying so soon after a hand left was laid by it."""
HOLD_MS = 280.0
"""A hand that draws back sooner than this need not have touched: it may have stopped above the pile."""
PLAY_MS = 330.0
"""A hand that lays a card is gone sooner than this; pushes of the pile look like a new card too."""
DISPUTE_MS = 1500.0
"""Contacts that follow one another within this time belong together."""


@dataclass(frozen=True, eq=False)
class HandSeen:
    """Describe one hand that came to rest on, or above, the pile.

    Attributes:
        player: whose it is; None if that is not clear.
        angle_deg: direction from which its arm comes.
        t_ms, error_ms: when it touched, and how well that is known.
        first_still, last_still: frames between which it lay.
        kind: "slap"; "play" when it laid a card; "hover" when it stopped above the pile.
        approach: how it came.
    """

    player: int | None
    angle_deg: float
    t_ms: float
    error_ms: float
    first_still: int
    last_still: int
    kind: str
    approach: Approach


@dataclass(frozen=True, eq=False)
class Dispute:
    """Hold hands that came down at one card.

    Attributes:
        hands: in the order of their times.
        hovers: hands that came and went so quickly that it is not sure whether they touched.
        unseen: arms that were at the pile too, and of which it could not be told whether and when they touched.
        stackings: by the places of two hands in `hands`, how they lie.
    """

    hands: tuple[HandSeen, ...]
    hovers: tuple[HandSeen, ...] = ()
    unseen: int = 0
    stackings: dict[tuple[int, int], Stacking] = field(default_factory=dict)

    @property
    def t_ms(self) -> float:
        """Time of the first contact."""
        return self.hands[0].t_ms

    def above(self, place: int) -> list[int]:
        """Return the places of the hands that lie on a hand."""
        found = []
        for (one, two), seen in self.stackings.items():
            if seen.upper is None or place not in (one, two):
                continue
            upper = two if seen.upper == 1 else one
            if upper != place:
                found.append(upper)
        return sorted(found)


@dataclass(frozen=True, eq=False)
class SlapLook:
    """Hold what was found in a film.

    Attributes:
        sequence, foreground: the film, made small, and what covers its background.
        pile: middle of the pile, x and y in pixels of the small picture.
        hands: all hands that came to rest near it, in the order of their times.
        disputes: slaps that belong together.
        arms: how many different arms reached in.
    """

    sequence: Sequence
    foreground: Foreground
    pile: tuple[float, float]
    hands: tuple[HandSeen, ...]
    disputes: tuple[Dispute, ...]
    arms: int
    masks: ArmMasks


def find_slaps(
    sequence: Sequence, seats: Seats, elsewhere: Callable[[], tuple[float, float] | None] | None = None
) -> SlapLook:
    """Find the hands that came down on a pile.

    Args:
        sequence: the film; for exact times at least half a second from before the first hand came.
        seats: who sits where.
        elsewhere: tells where cards lie, x and y in pixels of the small pictures, if no card is seen to be laid.
    """
    foreground = find_foreground(sequence.images)
    arms = [arm for arm in follow_arms(foreground.masks) if len(arm.frames) > 1]
    middle = _pile_of(foreground)
    if middle is None and elsewhere is not None:
        middle = elsewhere()
    if middle is None:
        height, width = sequence.images.shape[1:3]
        middle = ((width - 1) / 2, (height - 1) / 2)
    masks = ArmMasks(sequence, foreground, arms, middle)
    rests = find_rests(masks, NEAR_SHARE * max(sequence.images.shape[1:3]))
    registrar = Registrar(masks)
    hands = []
    for rest in rests:
        approach = follow_approach(registrar, rest)
        if approach is None or approach.touch is None:
            continue
        came = max(displacement(pose, approach.radius_px) for pose in approach.poses.values())
        if came < CAME_PX:
            continue
        angle = direction_deg(middle, rest.arm.entry(rest.first))
        hands.append(
            HandSeen(
                seats.owner(angle), angle, approach.touch.t_ms, approach.touch.error_ms, approach.first_still,
                approach.last_still, _kind(sequence, foreground, approach), approach,
            )
        )  # fmt: skip
    hands.sort(key=lambda hand: hand.t_ms)
    slaps = [hand for hand in hands if hand.kind == "slap"]
    hovers = [hand for hand in hands if hand.kind == "hover"]
    known = {id(hand.approach.rest.arm) for hand in hands}
    disputes = tuple(_dispute(registrar, part, hovers, known) for part in _grouped(slaps))
    return SlapLook(sequence, foreground, middle, tuple(hands), disputes, len(arms), masks)


def _pile_of(foreground: Foreground) -> tuple[float, float] | None:
    """Return where cards were left behind; None if none were."""
    best, place = 0.0, None
    for change in foreground.changes:
        patch = _patch(change.mask)
        if patch is not None and patch[1] > best:
            place, best = patch
    return place


def card_changes(look: SlapLook) -> list[int]:
    """Return the numbers of the frames in which a new card was first seen lying at the pile."""
    near = NEAR_SHARE * max(look.sequence.images.shape[1:3])
    frames = []
    for change in look.foreground.changes:
        patch = _patch(change.mask)
        # What differs in the first frames is what the background was learned from, and no new card.
        if patch is None or change.frame < 3:
            continue
        if np.hypot(patch[0][0] - look.pile[0], patch[0][1] - look.pile[1]) < near:
            frames.append(change.frame)
    return frames


def quiet_frames(look: SlapLook, first: int, end: int) -> list[int]:
    """Return the numbers of the frames from `first` up to, and without, `end` in which no hand is over the pile."""
    height, width = look.sequence.images.shape[1:3]
    over = np.zeros((height, width), np.uint8)
    cv2.circle(over, (round(look.pile[0]), round(look.pile[1])), round(OVER_SHARE * max(height, width)), 1, -1)
    disc = over.view(bool)
    masks = look.foreground.masks
    return [frame for frame in range(first, end) if (masks[frame] & disc).sum() < 0.04 * disc.sum()]


def _patch(mask: Mask) -> tuple[tuple[float, float], float] | None:
    """Return middle and area of the largest patch in a mask that may be a card, or a part of one."""
    height, width = mask.shape
    closed = cv2.morphologyEx(mask.view(np.uint8), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed)
    best = None
    for label in range(1, count):
        area = float(stats[label, cv2.CC_STAT_AREA])
        if not CHANGE_SHARE * height * width <= area <= CARD_SHARE * height * width:
            continue
        left, top, wide, high = (int(v) for v in stats[label, :4])
        if left < 3 or top < 3 or left + wide > width - 3 or top + high > height - 3:
            continue
        ys, xs = np.nonzero(labels == label)
        corners = cv2.minAreaRect(np.stack([xs, ys], axis=1).astype(np.float32))
        long, short = max(corners[1]) + 1, min(corners[1]) + 1
        if area < SOLID * long * short or long > SLIM * short:
            continue
        if best is None or area > best[1]:
            best = ((float(corners[0][0]), float(corners[0][1])), area)
    return best


def _kind(sequence: Sequence, foreground: Foreground, approach: Approach) -> str:
    """Tell a hand that laid a card from one that slapped: the card is seen as soon as it has gone."""
    rest, times = approach.rest, sequence.t_ms
    held_ms = times[approach.last_still] - times[approach.first_still]
    for change in foreground.changes if held_ms < PLAY_MS else ():
        while_there = rest.first - 2 <= change.frame <= approach.last_still + PLAY_AFTER_FRAMES
        if while_there and _patch(change.mask) is not None:
            return "play"
    if held_ms < HOLD_MS and approach.last_still + 1 < len(times):
        return "hover"
    return "slap"


def _grouped(hands: list[HandSeen]) -> list[list[HandSeen]]:
    groups: list[list[HandSeen]] = []
    for hand in hands:
        if groups and hand.t_ms - groups[-1][-1].t_ms <= DISPUTE_MS:
            groups[-1].append(hand)
        else:
            groups.append([hand])
    return groups


def _unseen(masks: ArmMasks, hands: list[HandSeen], known: set[int]) -> int:
    """Count the arms that reach to the pile when all hands lie there, and are none that was followed to its touch."""
    shape = masks.foreground.masks.shape[1:]
    frame = min(max(hand.first_still for hand in hands) + 2, len(masks.sequence) - 1)
    far = distance_from(masks.pile, shape)
    found = 0
    for number in masks.present(frame):
        own = masks.own(number, frame)
        reaches = bool(own.any()) and float(far[own].min()) < NEAR_SHARE * max(shape)
        found += reaches and id(masks.arms[number]) not in known
    return found


def _dispute(registrar: Registrar, hands: list[HandSeen], hovers: list[HandSeen], known: set[int]) -> Dispute:
    found = {}
    for one in range(len(hands)):
        for two in range(one + 1, len(hands)):
            found[one, two] = stacking(registrar, hands[one].approach, hands[two].approach)
    first, last = hands[0].t_ms - DISPUTE_MS, hands[-1].t_ms + DISPUTE_MS
    around = tuple(hand for hand in hovers if first <= hand.t_ms <= last)
    return Dispute(tuple(hands), around, _unseen(registrar.masks, hands, known), found)


def outline_of(look: SlapLook, hand: HandSeen, frame: int) -> npt.NDArray[np.bool_]:
    """Return the pixels (h, w) of the small picture that are surely a hand's in a frame."""
    number = look.masks.arms.index(hand.approach.rest.arm)
    return look.masks.own(number, frame)
