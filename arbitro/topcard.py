"""Which card lies on top of a pile: when it came, where it can be read, and what it is as far as that is sure.

A wrong card costs somebody a pile, so what is asked is not which card is likeliest but whether what matters is sure:
that it is a jack or certainly none, that it is of the rank called or certainly not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from rules.cards import FRENCH_CODES
from vision.hands.pile import COVERED_SHARE, OVER_SHARE, disc, new_cards
from vision.hands.seats import direction_deg
from vision.hands.slaps import SlapLook

SURE_FROM = 0.8
"""Probability of its rank from which a card counts as read."""
RULED_OUT = 0.02
"""Probability below which a card is not of a rank: jacks have been read as kings, but never as surely as that."""
LIKELY_FROM = 0.5
"""Probability of the rank of a card that is named because the rank that matters is ruled out, whichever it is."""
READINGS = 3
"""Frames in which a card is read."""
CROP_SHARE = 0.19
"""Half the side of the cut-out around a pile in which its top card is read, as a share of the picture's longer side."""
CLOSE_PX = 320
"""Longer side of the detector's input for cut-outs."""
HOLDS_SHARE = 0.85
"""Share of what changed when a card came that its box must hold."""
AS_GOOD = 0.6
"""A box that scores so many times the best one may be the card on top as well."""

LAID_MS = 30.0
"""By how much later or earlier than the hand that lays it a card may touch the pile."""
JOSTLED_MS = 75.0
"""The same where two hands lay cards on one pile at once, and are in each other's way."""

Chances = npt.NDArray[np.float64]
"""Probabilities of the French cards, (52,) in the order of `rules.cards.FRENCH_CODES`."""
Top = dict[str, Any]
"""A card on top: t_ms (None for what lay there from the start), error_ms, player, pile, card, confidence, `call` (Irish
Snap, if known), `counted` (false for what lay there from the start if cards may have come upon it unseen), `from` and
`until`, frames between which it is seen, `frames` in which it is to be read, and `changed`, (n, 2) x and y of what
changed in the small picture when it came."""


class TopReader:
    """Find piles and read the cards on top of them.

    Args:
        detector, classifier: as `vision.detector.Detector` and `vision.classifier.Classifier`.
    """

    def __init__(self, detector: Any, classifier: Any) -> None:
        self._detector, self._classifier = detector, classifier
        # Cut-outs need no input as large as whole tables do; the model is the same one.
        self._close = copy(detector)
        if detector is not None:
            self._close.long_side = CLOSE_PX

    def piles(self, images: Sequence[npt.NDArray[np.uint8]], count: int = 1) -> list[tuple[float, float]]:
        """Return where up to `count` piles of cards lie in some pictures of one table, x and y in their pixels.

        The pile that is seen best comes first; there are fewer where fewer are found.
        """
        from vision.boxes import is_card

        centres: list[npt.NDArray[np.float32]] = []
        scores: list[float] = []
        long_sides: list[float] = []
        for image in images:
            found = self._detector.detect(image)
            found = found.pick(is_card(found.class_ids))
            centres += list(found.centres)
            scores += [float(score) for score in found.scores]
            long_sides += [float(size) for size in found.sizes.max(axis=1)] if len(found) else []
        piles: list[tuple[float, float]] = []
        if not centres:
            return piles
        places, weights = np.array(centres), np.array(scores)
        # Cards of one pile lie within half a card of its middle, whichever way up.
        near = min(0.08 * max(images[0].shape[:2]), 0.6 * float(np.median(long_sides)))
        left = np.ones(len(places), bool)
        while left.any() and len(piles) < count:
            apart = np.linalg.norm(places[:, None] - places[None, :], axis=2)
            support = (apart < near) @ (weights * left) * left
            middle = places[int(np.argmax(support))]
            close = (np.hypot(*(places - middle).T) < near) & left
            x, y = np.average(places[close], axis=0, weights=weights[close])
            piles.append((float(x), float(y)))
            left &= np.hypot(*(places - (x, y)).T) >= 1.2 * near
        return piles

    def hands(self, image: npt.NDArray[np.uint8]) -> list[npt.NDArray[np.float32]]:
        """Return the boxes (4, 2) of the hands in a picture, in its pixels."""
        from vision.detections import HAND

        return [] if self._detector is None else list(self._detector.detect(image).of(HAND).quads)

    def read(
        self,
        images: Sequence[npt.NDArray[np.uint8]],
        near: tuple[float, float],
        within_px: float,
        changed: npt.NDArray[np.float32],
    ) -> Chances | None:
        """Read the card on top of a pile in some pictures of it.

        Args:
            images: full pictures in which no hand is over the pile.
            near: its middle, x and y in pixels.
            within_px: how far from there the middle of a card on it may be.
            changed: (n, 2) x and y of what changed when the card came; empty if that was not seen.

        Returns:
            The probabilities of the cards, in the mean of the pictures; None if no card is found.
        """
        votes = []
        for image in images:
            half = round(CROP_SHARE * max(image.shape[:2]))
            left, top = max(0, round(near[0]) - half), max(0, round(near[1]) - half)
            cut = np.ascontiguousarray(image[top : round(near[1]) + half, left : round(near[0]) + half])
            vote = self._read_cut(cut, np.array([left, top], np.float32), near, within_px, changed)
            if vote is not None:
                votes.append(vote)
        return np.asarray(np.mean(votes, axis=0), np.float64) if votes else None

    def _read_cut(
        self,
        cut: npt.NDArray[np.uint8],
        corner: npt.NDArray[np.float32],
        near: tuple[float, float],
        within_px: float,
        changed: npt.NDArray[np.float32],
    ) -> Chances | None:
        from vision.classifier import FRENCH
        from vision.detections import FACE

        found = self._close.detect(cut).of(FACE)
        if not len(found):
            return None
        close = np.linalg.norm(found.centres + corner - np.array(near, np.float32), axis=1) < within_px
        if len(changed):
            # What changed lies on the new card: a box that does not hold it is of a card below.
            close &= np.array([_share_inside(quad + corner, changed) >= HOLDS_SHARE for quad in found.quads])
        found = found.pick(close)
        if not len(found):
            return None
        # Without a change nothing tells which of two good boxes is that of the card on top: then both are read, and
        # what is sure is what both say.
        rivals = found.scores >= (1.0 if len(changed) else AS_GOOD) * found.scores[0]
        read = self._classifier.read(cut, found.quads[rivals][:2])
        chances = np.exp(read.log_probs.astype(np.float64))[:, FRENCH].mean(axis=0)
        return np.asarray(chances, np.float64)


def _share_inside(quad: npt.NDArray[np.float32], points: npt.NDArray[np.float32]) -> float:
    """Return the share of points (n, 2) that lie in a convex quad (4, 2), or just beside it."""
    edges = np.roll(quad, -1, axis=0) - quad
    lengths = np.maximum(np.linalg.norm(edges, axis=1), 1e-6)
    away = points[:, None] - quad[None]
    across = (edges[None, :, 0] * away[..., 1] - edges[None, :, 1] * away[..., 0]) / lengths
    margin = 0.04 * float(lengths.max())
    return float(((across > -margin).all(axis=1) | (across < margin).all(axis=1)).mean())


def ranks_of(chances: Chances) -> dict[str, float]:
    """Return the probability of each rank."""
    ranks: dict[str, float] = {}
    for code, chance in zip(FRENCH_CODES, chances, strict=True):
        ranks[code[:-1]] = ranks.get(code[:-1], 0.0) + float(chance)
    return ranks


def named(chances: Chances | None, matters: str | None) -> tuple[str | None, float]:
    """Return which card it is, None if what matters is not sure, and the probability of the likeliest rank.

    Args:
        chances: what was read; None if nothing was.
        matters: the rank on which the ruling hangs (the jack, the rank called); None if every rank matters.
    """
    if chances is None:
        return None, 0.0
    ranks = ranks_of(chances)
    rank = max(ranks, key=lambda one: ranks[one])
    sure = ranks[rank]
    of_rank = [i for i, code in enumerate(FRENCH_CODES) if code[:-1] == rank]
    card = FRENCH_CODES[max(of_rank, key=lambda i: chances[i])]
    if rank == matters:
        return (card if sure >= SURE_FROM else None), sure
    if matters is None:
        # Any other rank may be the one that matters: none of them may be likely.
        rival = max(chance for other, chance in ranks.items() if other != rank)
        return (card if sure >= SURE_FROM and rival <= 2 * RULED_OUT else None), sure
    return (card if sure >= LIKELY_FROM and ranks[matters] <= RULED_OUT else None), sure


def find_tops(look: SlapLook) -> list[Top]:
    """Return when which card came on top of which pile, and the frames in which it can be read, in order of time.

    What lay there when the film began comes first, with no time.
    """
    tops: list[Top] = []
    for pile in range(len(look.places)):
        runs = look.runs(pile)
        if not runs:
            continue
        starts = [runs[0].first, *(after.first for _, after in new_cards(runs, look.slapped()))]
        of_pile: list[Top] = [_top(pile, None, None, None, starts[0])]
        # Whatever was over a pile before it was first seen may have laid cards there.
        of_pile[0]["counted"] = not runs[0].first or not arms_over(look, pile, -1, runs[0].first)
        for before, after in new_cards(runs, look.slapped()):
            # A pile that is seen between the fingers of the hand that lays a card changes twice by one card.
            known = {(top["player"], top["t_ms"]) for top in of_pile}
            came = _came(look, pile, before.last, after.first)
            of_pile += [top for top in came if (top["player"], top["t_ms"]) not in known]
        for number, top in enumerate(of_pile):
            later = [other["from"] for other in of_pile[number + 1 :] if other["from"] > top["from"]]
            top["until"] = min([*later, len(look.sequence)])
            seen = [run for run in runs if run.first >= top["from"] and run.last < top["until"]]
            # Cards that landed one upon the other before anybody could see them: only the last one lies on top.
            hidden = any(other["from"] == top["from"] for other in of_pile[number + 1 :])
            top["frames"] = [] if hidden or not seen else _spread(seen)
            top["changed"] = seen[0].where if seen and top["t_ms"] is not None else np.zeros((0, 2), np.float32)
        tops += of_pile
    return sorted(tops, key=lambda top: -1.0 if top["t_ms"] is None else top["t_ms"])


def _top(pile: int, t_ms: float | None, error_ms: float | None, player: int | None, first: int) -> Top:
    return {"t_ms": t_ms, "error_ms": error_ms, "player": player, "pile": pile, "from": first, "card": None,
            "confidence": 0.0, "call": None, "counted": True}  # fmt: skip


def _came(look: SlapLook, pile: int, last: int, first: int) -> list[Top]:
    """Return the cards that came on a pile between the last frame of a quiet run and the first one of the next."""
    times = look.sequence.t_ms
    hands = [
        hand
        for hand in look.hands
        if hand.kind == "play" and hand.pile in (pile, None) and last <= hand.last_still and hand.first_still <= first
    ]
    # Where there are several piles, two players may lay cards on one at once, and hide each other's hands.
    seen = {hand.player for hand in hands}
    all_seen = len(look.places) < 2 or seen >= _owners(look, arms_over(look, pile, last, first))
    if hands and all_seen:
        # A hand may wait above the pile before it lays its card: the last time it lay still is when it did.
        last_of = {hand.player: hand for hand in sorted(hands, key=lambda hand: hand.t_ms)}
        least = LAID_MS if len(last_of) == 1 else JOSTLED_MS
        return [
            _top(pile, hand.t_ms, float(np.hypot(hand.error_ms, least)), hand.player, first)
            for hand in last_of.values()
        ]
    slapped = [hand.approach.rest.arm for hand in look.hands if hand.kind == "slap"]
    if len(look.places) < 2:
        there = set(arms_over(look, pile, last, first))
    else:
        there = {number for frame in range(last + 1, first) for number in look.masks.present(frame)}
    laid = [number for number in there if look.masks.arms[number] not in slapped]
    visits = [visit for visit in look.visits if visit.pile == pile and last <= visit.nearest <= first]
    visits = [visit for visit in visits if [visit.arm] == [look.masks.arms[number] for number in laid]]
    if len(visits) == 1 and not hands:
        # Nothing else came: its card lay there from somewhere between when it came and when it had drawn back.
        begin, end = float(times[visits[0].came]), float(times[visits[0].left])
        return [_top(pile, (begin + end) / 2, (end - begin) / 2, visits[0].player, first)]
    begin, end = float(times[last]), float(times[first])
    # Where two players may lay cards at once, an arm that is not told from another hides that it did.
    player = only_arm(look, pile, last, first) if len(look.places) < 2 or len(there) == 1 else None
    return [_top(pile, (begin + end) / 2, (end - begin) / 2, player, first)]


def only_arm(look: SlapLook, pile: int, last: int, first: int) -> int | None:
    """Return whose arm it was that came over a pile between two frames; None if none or several did."""
    players = _owners(look, arms_over(look, pile, last, first, apart=True))
    return next(iter(players)) if len(players) == 1 else None


def _owners(look: SlapLook, arms: Mapping[int, int]) -> set[int | None]:
    """Return whose arms some are, given their numbers with a frame in which each was seen."""
    entries = [look.masks.arms[number].entry(frame) for number, frame in arms.items()]
    return {look.seats.owner(direction_deg(look.pile, entry)) for entry in entries}


def arms_over(look: SlapLook, pile: int, last: int, first: int, *, apart: bool = False) -> dict[int, int]:
    """Return the numbers of the arms that came over a pile between two frames, with a frame in which each was there.

    All of those that hang together over it count, or only those of which pixels there are surely their own (`apart`).
    """
    shape = look.sequence.images.shape[1:3]
    over = disc(look.places[pile], OVER_SHARE * max(shape), (shape[0], shape[1]))
    found: dict[int, int] = {}
    for frame in range(last + 1, first):
        for number in look.masks.present(frame):
            mask = look.masks.own(number, frame) if apart else look.masks.part(number, frame)
            if number not in found and (mask & over).sum() > COVERED_SHARE * over.sum():
                found[number] = frame
    return found


def _spread(runs: Sequence[Any]) -> list[int]:
    """Return some frames of runs: from the end of the first run, and one of the next."""
    frames = list(range(runs[0].first, runs[0].last + 1))
    picked = [frames[-1], frames[len(frames) // 2]] if len(frames) > 2 else frames[-1:]
    for run in runs[1:2]:
        picked.append((run.first + run.last) // 2)
    return sorted(set(picked))[:READINGS]


def readings_wanted(tops: Iterable[Mapping[str, Any]]) -> set[int]:
    """Return the numbers of the frames in which top cards can be read."""
    return {frame for top in tops for frame in top["frames"]}
