"""Hands on a pile in a short film: who touched when, and which hand lies under which."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Several
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.hands.approach import Approach, Registrar, displacement, follow_approach
from vision.hands.arms import Arm, follow_arms
from vision.hands.foreground import Foreground, Mask, find_foreground
from vision.hands.pile import Place, QuietRun, new_cards, quiet_runs
from vision.hands.resting import ArmMasks, distance_from, find_rests
from vision.hands.seats import Seats, apart_deg, direction_deg
from vision.hands.sequence import Sequence
from vision.hands.stacking import Stacking, stacking
from vision.hands.visits import Visit, find_visits

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
PLAY_AFTER_FRAMES = 8
"""A card that is seen lying so soon after a hand left was laid by it."""
FINGERS_FROM = 0.6
"""Share of a hand's pixels, from its arm on, behind which its fingers begin."""
CLEARLY_NEARER = 0.75
"""A hand lies on the pile that is nearer than so many times the distance to the next one."""
SECTOR_DEG = 18.0
"""How far beside its seat's direction an arm may lie."""
WRIST_SHARES = (0.08, 0.20)
"""Where the wrist of a hand on the pile lies, from its middle, as shares of the picture's longer side: behind the
fingers of those who reach across, and before sleeves begin, which may look like the table."""
REACHED_SHARE = 0.85
"""Share of the way between these that a hand covers."""
HIDDEN_SHARE = 0.2
"""Share of a hand's box that must differ from the background for the hand to be one that was followed."""
GONE_FRAMES = 10
"""Frames in which a hand that laid a card has gone."""
UNWATCHED_MS = 250.0
"""A pile that was not seen for longer before a hand touched it may have got another card in the meantime."""
HOLD_MS = 280.0
"""A hand that draws back sooner than this need not have touched: it may have stopped above the pile."""
PLAY_MS = 280.0
"""A hand that lays a card is gone sooner than this; pushes of the pile look like a new card too."""
SEEN_AGAIN_MS = 600.0
"""A pile is seen again so soon after the hand that laid a card. If it stays covered, the hand may lie below others."""
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
        pile: number of the pile that it came down on; None if it lies between piles.
    """

    player: int | None
    angle_deg: float
    t_ms: float
    error_ms: float
    first_still: int
    last_still: int
    kind: str
    approach: Approach
    pile: int | None = 0


@dataclass(frozen=True, eq=False)
class Dispute:
    """Hold hands that came down at one card.

    Attributes:
        hands: in the order of their times.
        hovers: hands that came and went so quickly that it is not sure whether they touched.
        unseen: arms that were at the pile too, and of which it could not be told whether and when they touched.
        watched: whether what lay on top when the first hand touched is what was seen before: the pile was seen shortly
            before, or nothing has changed on it when it is seen again.
        stackings: by the places of two hands in `hands`, how they lie.
    """

    hands: tuple[HandSeen, ...]
    hovers: tuple[HandSeen, ...] = ()
    unseen: int = 0
    watched: bool = True
    stackings: dict[tuple[int, int], Stacking] = field(default_factory=dict)

    @property
    def t_ms(self) -> float:
        """Time of the first contact."""
        return self.hands[0].t_ms

    def lying_frame(self, count: int) -> int:
        """Return the number of the frame, of so many, in which all hands lie there and pushes have died down."""
        return min(max(hand.first_still for hand in self.hands) + 2, count - 1)

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
        pile: middle of all piles, x and y in pixels of the small picture.
        places: middle of each pile, from left to right.
        quiet: when each pile is seen without a hand over it.
        hands: all hands that came to rest near it, in the order of their times.
        disputes: slaps that belong together.
        arms: how many different arms reached in.
        masks: what belongs to each arm.
        seats: who sits where.
        visits: arms that came to a pile and went away again.
    """

    sequence: Sequence
    foreground: Foreground
    pile: tuple[float, float]
    hands: tuple[HandSeen, ...]
    disputes: tuple[Dispute, ...]
    arms: int
    masks: ArmMasks
    places: tuple[Place, ...]
    quiet: tuple[QuietRun, ...]
    seats: Seats
    visits: tuple[Visit, ...] = ()

    def runs(self, pile: int) -> list[QuietRun]:
        """Return the runs of frames in which a pile is seen, in order."""
        return [run for run in self.quiet if run.place == pile]

    def slapped(self) -> list[tuple[int, int]]:
        """Return the first and last frames of all hands that lay on a pile for long, and so may have pushed it."""
        return [(hand.first_still, hand.last_still) for hand in self.hands if hand.kind == "slap"]


def find_slaps(
    sequence: Sequence, seats: Seats, elsewhere: Callable[[], Several[Place]] | None = None
) -> SlapLook:
    """Find the hands that came down on a pile, or on one of several.

    Args:
        sequence: the film; for exact times at least half a second from before the first hand came.
        seats: who sits where.
        elsewhere: tells where piles lie, x and y in pixels of the small pictures, if that is not known from a card
            that is seen to be laid beside everything else.
    """
    foreground = find_foreground(sequence.images)
    arms = [arm for arm in follow_arms(foreground.masks) if len(arm.frames) > 1]
    places = list(elsewhere()) if elsewhere is not None else []
    laid = _pile_of(foreground)
    if not places and laid is not None:
        places = [laid]
    if not places:
        height, width = sequence.images.shape[1:3]
        places = [((width - 1) / 2, (height - 1) / 2)]
    places.sort()
    middle = (float(np.mean([x for x, _ in places])), float(np.mean([y for _, y in places])))
    quiet = quiet_runs(sequence, foreground, places)
    masks = ArmMasks(sequence, foreground, arms, middle)
    apart = max(float(np.hypot(x - middle[0], y - middle[1])) for x, y in places)
    rests = find_rests(masks, NEAR_SHARE * max(sequence.images.shape[1:3]) + apart)
    registrar = Registrar(masks)
    hands = []
    for rest in rests:
        approach = follow_approach(registrar, rest)
        if approach is None or approach.touch is None:
            continue
        came = max(displacement(pose, approach.radius_px) for pose in approach.poses.values())
        if came < CAME_PX:
            continue
        entry = rest.arm.entry(rest.first)
        angle = direction_deg(middle, entry)
        pile = pile_under(approach.region, entry, places)
        hands.append(
            HandSeen(
                seats.owner(angle), angle, approach.touch.t_ms, approach.touch.error_ms, approach.first_still,
                approach.last_still, _kind(sequence, foreground, quiet, approach), approach, pile,
            )
        )  # fmt: skip
    hands.sort(key=lambda hand: hand.t_ms)
    slaps = [hand for hand in hands if hand.kind == "slap"]
    known = {id(hand.approach.rest.arm) for hand in hands}
    slapped = [(hand.first_still, hand.last_still) for hand in slaps]
    visits = tuple(find_visits(masks, places, seats))
    disputes = tuple(
        _dispute(
            registrar, part, hands, known, seats,
            _is_watched(sequence, quiet, slapped, part[0]) or _was_laid_before(masks, quiet, visits, slaps, part[0]),
        )
        for part in _grouped(slaps)
    )  # fmt: skip
    return SlapLook(
        sequence, foreground, middle, tuple(hands), disputes, len(arms), masks, tuple(places), quiet, seats, visits
    )


def pile_under(region: Mask, entry: Place, places: Several[Place]) -> int | None:
    """Return the number of the pile on which a hand lies; None if it is about as near to another one.

    Args:
        region: (h, w) bool, the hand's pixels.
        entry: where its arm enters the picture.
        places: the middle of each pile.
    """
    if len(places) == 1:
        return 0
    # What counts is where the fingers are: an arm may cross one pile on its way to the other.
    far = distance_from(entry, region.shape)
    fingers = region & (far > np.quantile(far[region], FINGERS_FROM))
    ys, xs = np.nonzero(fingers)
    ranked = sorted((float(np.hypot(xs.mean() - x, ys.mean() - y)), pile) for pile, (x, y) in enumerate(places))
    return ranked[0][1] if ranked[0][0] < CLEARLY_NEARER * ranked[1][0] else None


def _pile_of(foreground: Foreground) -> Place | None:
    """Return where cards were left behind; None if none were."""
    best, place = 0.0, None
    for change in foreground.changes:
        patch = _patch(change.mask)
        if patch is not None and patch[1] > best:
            place, best = patch
    return place


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


def _kind(sequence: Sequence, foreground: Foreground, quiet: Several[QuietRun], approach: Approach) -> str:
    """Tell a hand that laid a card from one that slapped: it is soon gone, and another card lies there."""
    rest, times = approach.rest, sequence.t_ms
    held_ms = times[approach.last_still] - times[approach.first_still]
    if held_ms < PLAY_MS:
        for pile in {run.place for run in quiet}:
            for before, after in new_cards([run for run in quiet if run.place == pile]):
                there = before.last <= approach.last_still and approach.first_still <= after.first
                if there and times[after.first] - times[approach.last_still] <= SEEN_AGAIN_MS:
                    return "play"
        for change in foreground.changes:
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


def _is_watched(
    sequence: Sequence, quiet: Several[QuietRun], slapped: list[tuple[int, int]], first: HandSeen
) -> bool:
    """Tell whether no other card can have come between when a pile was last seen and when the first hand touched it."""
    times = sequence.t_ms
    for pile in {run.place for run in quiet} if first.pile is None else {first.pile}:
        runs = [run for run in quiet if run.place == pile]
        before = [run for run in runs if times[run.first] <= first.t_ms]
        if not before:
            return False
        if first.t_ms - times[before[-1].last] <= UNWATCHED_MS:
            continue
        after = runs[len(before) :]
        if not after or any(came is after[0] for _, came in new_cards(runs, slapped)):
            return False
    return bool(quiet)


def _was_laid_before(
    masks: ArmMasks, quiet: Several[QuietRun], visits: Several[Visit], slaps: Several[HandSeen], first: HandSeen
) -> bool:
    """Tell whether all that came to a pile since it was last seen had drawn back when the first hand touched it.

    Then what is seen to lie there afterwards lay there already, whenever it came.
    """
    if first.pile is None:
        return False
    times = masks.sequence.t_ms
    runs = [run for run in quiet if run.place == first.pile]
    before = [run for run in runs if times[run.first] <= first.t_ms]
    if not before or len(before) == len(runs):
        return False
    begun, end = before[-1].last, runs[len(before)].first
    slapped = {id(hand.approach.rest.arm) for hand in slaps}
    since = [visit for visit in visits if visit.pile == first.pile and visit.nearest > begun]
    gone = {id(visit.arm) for visit in since if times[visit.left] < first.t_ms - first.error_ms}
    others = {id(masks.arms[number]) for frame in range(begun + 1, end) for number in masks.present(frame)} - slapped
    near = {id(arm) for arm in masks.arms if id(arm) in others and _comes_near(masks, arm, begun, end, NEAR_SHARE)}
    return bool(gone) and near <= gone


def _comes_near(masks: ArmMasks, arm: Arm, begun: int, end: int, share: float) -> bool:
    """Tell whether an arm comes within a share of the picture's longer side of the pile between two frames."""
    number = masks.arms.index(arm)
    far = distance_from(masks.pile, masks.foreground.masks.shape[1:])
    frames = [frame for frame in arm.frames if begun < frame < end]
    near = share * max(far.shape)
    return any(float(far[masks.own(number, frame)].min(initial=np.inf)) < near for frame in frames)


def arms_towards(mask: Mask, pile: Place, seats: Seats) -> set[int]:
    """Return the players from whose seats something reaches to a pile, whatever arms were told apart.

    Args:
        mask: (h, w) bool, what covers the background.
        pile: the middle of the pile.
        seats: who sits where.
    """
    height, width = mask.shape
    near, far = (share * max(height, width) for share in WRIST_SHARES)
    away = np.arange(near, far, 2.0)
    found = set()
    for player, seat in enumerate(seats.angles_deg):
        others = [apart_deg(seat, other) for other in seats.angles_deg if other is not seat]
        spread = min([SECTOR_DEG, *(other / 2 - 2 for other in others)])
        for angle in np.radians(np.arange(seat - spread, seat + spread + 1, 3.0)):
            xs, ys = pile[0] + np.cos(angle) * away, pile[1] - np.sin(angle) * away
            inside = (xs >= 1) & (ys >= 1) & (xs < width - 1) & (ys < height - 1)
            if inside.sum() > 5 and mask[ys[inside].astype(int), xs[inside].astype(int)].mean() > REACHED_SHARE:
                found.add(player)
                break
    return found


def _dispute(
    registrar: Registrar, hands: list[HandSeen], everybody: list[HandSeen], known: set[int], seats: Seats, watched: bool
) -> Dispute:
    found = {}
    for one in range(len(hands)):
        for two in range(one + 1, len(hands)):
            others = [hand.approach for place, hand in enumerate(hands) if place not in (one, two)]
            found[one, two] = stacking(registrar, hands[one].approach, hands[two].approach, others)
    first, last = hands[0].t_ms - DISPUTE_MS, hands[-1].t_ms + DISPUTE_MS
    around = tuple(hand for hand in everybody if hand.kind == "hover" and first <= hand.t_ms <= last)
    masks = registrar.masks
    frame = min(max(hand.first_still for hand in hands) + 2, len(masks.sequence) - 1)
    # Arms that meet far from the pile are one; then a line to a seat nobody has slapped from tells of the second.
    lately = [hand for hand in everybody if hand.kind == "play" and hand.last_still >= frame - GONE_FRAMES]
    slapped = {hand.player for hand in (*hands, *around, *lately)}
    hidden = arms_towards(masks.foreground.masks[frame], masks.pile, seats) - slapped
    return Dispute(tuple(hands), around, max(_unseen(masks, hands, known), len(hidden)), watched, found)


def hidden_hands(look: SlapLook, frame: int, boxes: Several[npt.NDArray[np.float32]]) -> int:
    """Count the hands near a pile, given the boxes (4, 2) of those that are seen in a frame, that cover no background.

    A hand of the table's own colour hides from what tells hands by their difference to the table.
    """
    mask = look.foreground.masks[frame]
    near = NEAR_SHARE * max(mask.shape)
    found = 0
    for box in boxes:
        inside = np.zeros(mask.shape, np.uint8)
        cv2.fillConvexPoly(inside, np.round(box).astype(np.int32), 1)
        close = max(cv2.pointPolygonTest(box.astype(np.float32), place, True) for place in look.places) > -near
        found += close and bool(inside.any()) and float(mask[inside.view(bool)].mean()) < HIDDEN_SHARE
    return found


def outline_of(look: SlapLook, hand: HandSeen, frame: int) -> npt.NDArray[np.bool_]:
    """Return the pixels (h, w) of the small picture that are surely a hand's in a frame."""
    number = look.masks.arms.index(hand.approach.rest.arm)
    return look.masks.own(number, frame)
