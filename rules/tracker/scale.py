"""How likely a reading of the hand is. Owns the weighing, not the search for readings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from rules.tracker.evidence import EvidenceBook
from rules.tracker.reading import Reading
from rules.tracker.seating import Seating
from rules.tracker.settings import TrackerSettings
from rules.tracker.table_game import Codes, TableGame

IMPOSSIBLE = -math.inf

# From this probability on a capturing card's face is denied to the others.
_SURE = 0.8
# From this share on the other faces of a capturing card are left out of account where nothing disputes the first.
_PLAIN = 0.97
# Faces with at least this part of a capturing card's whole weight are looked at one by one.
_COUNTS = 1e-3
# Shares below this are not listed.
_NOTICEABLE = 0.005

Shares = tuple[tuple[int, float], ...]
"""Faces (index in the deck) with their probabilities, the greatest first, small ones left out."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """Hold a reading with its weight.

    Args:
        reading: The reading.
        score: Its log-probability up to a constant shared by all readings of the hand.
        captors: For each play, None if the card was laid, else the faces that the capturing card, or that of a play
            that was missed, may have, given everything else in the reading.
        illegal: For each play, whether its best interpretation breaks the rules.
        fold: What the weighing came to, to go on from; None for a reading that cannot be.
    """

    reading: Reading
    score: float
    captors: tuple[Shares | None, ...]
    illegal: tuple[bool, ...]
    fold: _Fold | None


@dataclass(frozen=True, slots=True)
class _Captor:
    """Hold what is known of a capturing card by itself: its evidence times how plausible the capture is for each face.

    Args:
        ranked: The faces that count with mask and weight, the greatest weight first.
        rest: Sum of the weights of all other faces, which are small.
        is_even: Whether nothing at all is known of the card itself.
        legal: Mask of the faces for which the capture is legal.
        total: Sum of the weights.
        top: Index of the greatest weight.
        is_plain: Whether the top face is so sure that the others hardly count.
        shares: The weights as shares of their sum.
        mask: Mask of the ranked faces.
        known_free: What `free` found out, by the ranked faces that are held elsewhere.
    """

    ranked: tuple[tuple[int, int, float], ...]
    rest: float
    is_even: bool
    legal: int
    total: float
    top: int
    is_plain: bool
    shares: Shares
    mask: int
    known_free: dict[int, tuple[tuple[tuple[int, float], ...], float]] = field(default_factory=dict)

    def free(self, used: int) -> tuple[tuple[tuple[int, float], ...], float]:
        """Give the ranked faces that nobody else holds, with their weights, and the sum of these."""
        held = used & self.mask
        known = self.known_free.get(held)
        if known is None:
            ranked = tuple([(face, weight) for face, bit, weight in self.ranked if not held & bit])
            known = self.known_free[held] = (ranked, sum([weight for _, weight in ranked]))
        return known


@dataclass(frozen=True, slots=True)
class _Slot:
    """Hold a capturing card's place in the hand while faces are shared out."""

    number: int
    never_seen: bool
    captor: _Captor


@dataclass(frozen=True, slots=True)
class _Fold:
    """Hold what all plays of a reading came to.

    Args:
        version: Of the evidence that it rests on.
        score: The log-probability of faces, of laying and of showing cards; capturing cards come later.
        used: Mask of the faces held.
        table: Mask of the faces lying there.
        seen: Captures whose card was seen; and `unseen`.
        slots: The capturing cards' places.
        illegal: For each play, whether it laid a card that may not be laid.
    """

    version: int
    score: float
    used: int
    table: int
    seen: int
    unseen: int
    slots: tuple[_Slot, ...]
    illegal: tuple[bool, ...]


class Scale:
    """Weigh readings: what was seen, times how plausible it is as a course of play.

    Sets of cards are bit masks over the deck here: the same questions are asked of the same few tables thousands of
    times, and every answer is kept.
    """

    def __init__(
        self, game: TableGame, evidence: EvidenceBook, seating: Seating, settings: TrackerSettings
    ) -> None:
        """Join what is needed to weigh."""
        self._game = game
        self._evidence = evidence
        self._seating = seating
        self._settings = settings
        self._bits = tuple(1 << i for i in range(len(game.deck)))
        self._may_lay: dict[tuple[int, int], bool] = {}
        self._factors: dict[tuple[int, int], tuple[tuple[float, ...], int]] = {}
        self._captors: dict[tuple[tuple[int, ...], int, int], tuple[int, _Captor]] = {}
        self._settlements: dict[
            tuple[int, tuple[int, ...]], tuple[float, tuple[Shares, ...], tuple[_Captor, ...]]
        ] = {}

    def weigh(self, reading: Reading, before: Weighed | None = None) -> Weighed:
        """Weigh a reading.

        Args:
            reading: The reading.
            before: One that it grew out of, if there is one: where the reading only adds to it, only what was added is
                looked at.
        """
        fold = self._folded(reading, before)
        if fold is None:
            return Weighed(reading, IMPOSSIBLE, (), (), None)
        earlier = None if before is None else before.reading.plays
        arms = self._seating.weigh(reading.deal, reading.plays, earlier)
        settled, shares_of = self._settled(fold.slots, fold.used)
        captors: list[Shares | None] = [None] * len(reading.plays)
        illegal = list(fold.illegal)
        for slot, shares in zip(fold.slots, shares_of, strict=True):
            captors[slot.number] = shares
            if shares and not slot.captor.legal >> shares[0][0] & 1:
                wrong = sum(share for face, share in shares if not slot.captor.legal >> face & 1)
                illegal[slot.number] = wrong > 0.5
        score = reading.cost + fold.score + settled + self._settings.arms * arms
        return Weighed(reading, score, tuple(captors), tuple(illegal), fold)

    def _folded(self, reading: Reading, before: Weighed | None) -> _Fold | None:
        """Go through the plays, from the beginning or from where an earlier reading ends; None if a face is twice."""
        settings, evidence, bits = self._settings, self._evidence, self._bits
        held = dict(reading.faces)
        follows = dict(reading.follows)
        fold = None if before is None else before.fold
        faces = reading.faces
        if (
            fold is not None
            and before is not None
            and fold.version == evidence.version_of_all
            and reading.follows == before.reading.follows
            and reading.deal == before.reading.deal
            and reading.grows_from(before.reading)
        ):
            known = len(before.reading.faces)
            is_at_end = faces[:known] == before.reading.faces
            faces = faces[known:] if is_at_end else tuple(set(faces) - set(before.reading.faces))
            score, used, table = fold.score, fold.used, fold.table
            seen, unseen = fold.seen, fold.unseen
            slots, illegal = list(fold.slots), list(fold.illegal)
        else:
            score, used, table, seen, unseen = 0.0, 0, 0, 0, 0
            slots, illegal = [], []
            for track in reading.deal:
                table |= bits[held[track]]
        for track, face in faces:
            if used & bits[face]:
                return None
            used |= bits[face]
            score += evidence.log_of(track)[face]
            for member in follows.get(track, ()):
                score += evidence.log_of(member)[face]
        habit, prior = settings.habit_weight, settings.unseen_prior * settings.habit_weight
        for number in range(len(illegal), len(reading.plays)):
            card, takes, _ = reading.plays[number]
            illegal.append(False)
            if not takes:
                if card < 0:
                    slots.append(_Slot(number, True, self._captor((card,), 0, table)))
                    continue
                face = held[card]
                may = self._may_lay.get((face, table))
                if not (self._lays(face, table) if may is None else may):
                    score += settings.log_illegal_lay
                    illegal[number] = True
                table |= bits[face]
                continue
            taken = 0
            for track in takes:
                taken |= bits[held[track]]
            # Whether players show the card they capture with is a habit of theirs, learned as the hand goes on.
            hides = (prior + unseen) / (habit + seen + unseen)
            if card < 0:
                score += math.log(hides)
                unseen += 1
            else:
                score += math.log(1.0 - hides)
                seen += 1
            tracks = (card, *follows[card]) if card in follows else (card,)
            slots.append(_Slot(number, card < 0, self._captor(tracks, taken, table)))
            table &= ~taken
        return _Fold(evidence.version_of_all, score, used, table, seen, unseen, tuple(slots), tuple(illegal))

    def _lays(self, face: int, table: int) -> bool:
        may = self._may_lay[face, table] = self._game.may_lay(self._game.deck[face], self._codes(table))
        return may

    def _codes(self, mask: int) -> Codes:
        return frozenset(code for code, bit in zip(self._game.deck, self._bits, strict=True) if mask & bit)

    def _captor(self, tracks: tuple[int, ...], taken: int, table: int) -> _Captor:
        """Weigh a capturing card by itself; what was said of the same card and capture before is kept."""
        key = (tracks if tracks[0] >= 0 else self._evidence.unseen_key(tracks[0]), taken, table)
        version = self._evidence.version(tracks)
        known = self._captors.get(key)
        if known is not None and known[0] == version:
            return known[1]
        factors, legal = self._plausible(taken, table)
        likely = self._evidence.together(tracks)
        weights = tuple(p * f for p, f in zip(likely, factors, strict=True))
        total = sum(weights)
        order = sorted(range(len(weights)), key=lambda face: (-weights[face], face))
        top = order[0]
        counting = [face for face in order if weights[face] >= max(_COUNTS * total, 1e-12)]
        ranked = tuple([(face, self._bits[face], weights[face]) for face in counting])
        rest = max(0.0, total - sum(weights[face] for face in counting))
        is_plain = tracks[0] >= 0 and weights[top] >= _PLAIN * total > 0
        is_even = max(likely) - min(likely) < 1e-9
        shares = _shares([(face, weight) for face, _, weight in ranked], total)
        mask = sum(bit for _, bit, _ in ranked)
        captor = _Captor(ranked, rest, is_even, legal, total, top, is_plain, shares, mask)
        if len(self._captors) > 20_000:
            self._captors.clear()
        self._captors[key] = (version, captor)
        return captor

    def _plausible(self, taken: int, table: int) -> tuple[tuple[float, ...], int]:
        """Give, for each card of the deck, how plausible it is that it took these cards from this table.

        Returns:
            Factors of at most 1 in deck order, 0 for cards of the table itself; and the mask of the cards that may.
        """
        known = self._factors.get((taken, table))
        if known is not None:
            return known
        if not taken:
            # Of a play that was missed nothing is known but that its card was in nobody's sight.
            factors = [0.0 if table & bit else 1.0 for bit in self._bits]
            result = self._factors[taken, table] = (tuple(factors), (1 << len(self._bits)) - 1)
            return result
        lying, takes = self._codes(table), self._codes(taken)
        wrong = self._settings.illegal_capture * self._settings.illegal_spread ** min(len(lying), 6)
        plausible = []
        may = 0
        for code, bit in zip(self._game.deck, self._bits, strict=True):
            if table & bit:
                plausible.append(0.0)
                continue
            legal = self._game.captures(code, lying)
            if takes in legal:
                may |= bit
            plausible.append(1.0 / len(legal) if takes in legal else wrong)
        if len(self._factors) > 20_000:
            self._factors.clear()
        result = self._factors[taken, table] = (tuple(plausible), may)
        return result

    def _settled(self, slots: tuple[_Slot, ...], used: int) -> tuple[float, tuple[Shares, ...]]:
        """Share the faces that are left among the capturing cards, the surest first; what was found out is kept.

        Returns:
            The log-probability of what was seen of them, and the shares of each.
        """
        # Captors that are kept are the same objects as long as their evidence is the same.
        key = (used, tuple([id(slot.captor) for slot in slots]))
        known = self._settlements.get(key)
        if known is None:
            if len(self._settlements) > 20_000:
                self._settlements.clear()
            captors: dict[int, Shares] = {}
            score = self._settle(slots, used, captors)
            shares = tuple(captors.get(slot.number, ()) for slot in slots)
            # The captors are kept with it: as long as they live no other object has their ids.
            known = self._settlements[key] = (score, shares, tuple(slot.captor for slot in slots))
        return known[0], known[1]

    def _settle(self, slots: tuple[_Slot, ...], used: int, captors: dict[int, Shares]) -> float:
        score = 0.0
        tops = [slot.captor.top for slot in slots if slot.captor.is_plain]
        left = []
        for slot in slots:
            captor = slot.captor
            if captor.is_plain and not used & self._bits[captor.top] and tops.count(captor.top) == 1:
                captors[slot.number] = captor.shares
                score += math.log(captor.total)
            else:
                left.append(slot)
        for slot in slots:
            if slot.number in captors:
                used |= self._bits[slot.captor.top]
        faces = len(self._bits)
        while left:
            open_faces = faces - used.bit_count()
            if not open_faces:
                return IMPOSSIBLE
            free = [slot.captor.free(used) for slot in left]
            # The faces that hardly count are as often free as any.
            part = open_faces / faces
            sums = [total + slot.captor.rest * part for slot, (_, total) in zip(left, free, strict=True)]
            if min(sums) <= 0.0:
                return IMPOSSIBLE
            peaks = [
                ranked[0][1] / total if ranked else 0.0 for (ranked, _), total in zip(free, sums, strict=True)
            ]
            surest = max(range(len(left)), key=peaks.__getitem__)
            # Sure cards are settled one by one; when only doubtful ones remain they no longer narrow each other.
            is_sure = peaks[surest] >= _SURE
            for place in [surest] if is_sure else range(len(left)):
                slot, total = left[place], sums[place]
                captors[slot.number] = _shares(free[place][0], total) or self._any_of(used)
                # Of a card never seen only its being among the cards not seen otherwise is known.
                chance = open_faces / faces if slot.never_seen and slot.captor.is_even else 1.0
                score += math.log(total / chance)
            if not is_sure:
                break
            used |= self._bits[free[surest][0][0][0]]
            del left[surest]
        return score

    def _any_of(self, used: int) -> Shares:
        """Give all faces that are not used, each as likely as the others."""
        free = [face for face, bit in enumerate(self._bits) if not used & bit]
        return tuple([(face, 1.0 / len(free)) for face in free])


def _shares(ranked: Sequence[tuple[int, float]], total: float) -> Shares:
    """Give the faces that have a noticeable share of the whole; both lists begin with the greatest."""
    if total <= 0.0:
        return ()
    return tuple([(face, weight / total) for face, weight in ranked if weight > _NOTICEABLE * total])
