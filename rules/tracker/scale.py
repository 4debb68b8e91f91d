"""How likely a reading of the hand is. Owns the weighing, not the search for readings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

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
    """

    reading: Reading
    score: float
    captors: tuple[Shares | None, ...]
    illegal: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Captor:
    """Hold what is known of a capturing card by itself: its evidence times how plausible the capture is for each face.

    Args:
        weights: In deck order.
        likely: The evidence alone, in deck order.
        legal: Mask of the faces for which the capture is legal.
        total: Sum of the weights.
        top: Index of the greatest weight.
        is_plain: Whether the top face is so sure that the others hardly count.
        shares: The weights as shares of their sum.
    """

    weights: tuple[float, ...]
    likely: tuple[float, ...]
    legal: int
    total: float
    top: int
    is_plain: bool
    shares: Shares


@dataclass(frozen=True, slots=True)
class _Slot:
    """Hold a capturing card's place in the hand while faces are shared out."""

    number: int
    never_seen: bool
    captor: _Captor


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

    def weigh(self, reading: Reading) -> Weighed:
        """Weigh a reading from the beginning of the hand."""
        settings, evidence, bits = self._settings, self._evidence, self._bits
        held = dict(reading.faces)
        follows = dict(reading.follows)
        used = 0
        score = reading.cost + settings.arms * self._seating.weigh(reading.deal, reading.plays)
        for track, face in reading.faces:
            if used & bits[face]:
                return Weighed(reading, IMPOSSIBLE, (), ())
            used |= bits[face]
            score += evidence.log_of(track)[face]
            for member in follows.get(track, ()):
                score += evidence.log_of(member)[face]
        table = 0
        for track in reading.deal:
            table |= bits[held[track]]
        illegal = [False] * len(reading.plays)
        slots: list[_Slot] = []
        seen = unseen = 0
        for number, play in enumerate(reading.plays):
            if play.is_missed:
                slots.append(_Slot(number, True, self._captor((play.card,), 0, table)))
                continue
            if not play.takes:
                face = held[play.card]
                if not self._lays(face, table):
                    score += settings.log_illegal_lay
                    illegal[number] = True
                table |= bits[face]
                continue
            taken = 0
            for track in play.takes:
                taken |= bits[held[track]]
            # Whether players show the card they capture with is a habit of theirs, learned as the hand goes on.
            hides = (settings.unseen_prior * settings.habit_weight + unseen) / (
                settings.habit_weight + seen + unseen
            )
            if play.card < 0:
                score += math.log(hides)
                unseen += 1
            else:
                score += math.log(1.0 - hides)
                seen += 1
            tracks = (play.card, *follows.get(play.card, ()))
            slots.append(_Slot(number, play.card < 0, self._captor(tracks, taken, table)))
            table &= ~taken
        captors: list[Shares | None] = [None] * len(reading.plays)
        score += self._settle(slots, used, captors)
        for slot in slots:
            wrong = sum(
                share for face, share in captors[slot.number] or () if not slot.captor.legal >> face & 1
            )
            illegal[slot.number] = wrong > 0.5
        return Weighed(reading, score, tuple(captors), tuple(illegal))

    def _lays(self, face: int, table: int) -> bool:
        known = self._may_lay.get((face, table))
        if known is None:
            known = self._may_lay[face, table] = self._game.may_lay(self._game.deck[face], self._codes(table))
        return known

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
        top = max(range(len(weights)), key=weights.__getitem__)
        is_plain = tracks[0] >= 0 and weights[top] >= _PLAIN * total > 0
        captor = _Captor(weights, likely, legal, total, top, is_plain, _sparse(weights, total))
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

    def _settle(self, slots: list[_Slot], used: int, captors: list[Shares | None]) -> float:
        """Share the faces that are left among the capturing cards, the surest first.

        Returns:
            The log-probability of what was seen of them.
        """
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
            if captors[slot.number] is not None:
                used |= self._bits[slot.captor.top]
        while left:
            weights = [
                [0.0 if used & bit else w for w, bit in zip(slot.captor.weights, self._bits, strict=True)]
                for slot in left
            ]
            sums = [sum(row) for row in weights]
            if min(sums) <= 0.0:
                return IMPOSSIBLE
            peaks = [max(row) / total for row, total in zip(weights, sums, strict=True)]
            surest = max(range(len(left)), key=peaks.__getitem__)
            # Sure cards are settled one by one; when only doubtful ones remain they no longer narrow each other.
            is_sure = peaks[surest] >= _SURE
            for place in [surest] if is_sure else range(len(left)):
                slot, total = left[place], sums[place]
                captors[slot.number] = _sparse(weights[place], total)
                chance = 1.0
                if slot.never_seen:
                    # Of a card never seen only its being among the cards not seen otherwise is known.
                    chance = sum(
                        p for p, bit in zip(slot.captor.likely, self._bits, strict=True) if not used & bit
                    )
                score += math.log(total / chance)
            if not is_sure:
                break
            used |= self._bits[max(range(len(weights[surest])), key=weights[surest].__getitem__)]
            del left[surest]
        return score


def _sparse(weights: Sequence[float], total: float) -> Shares:
    """Give the faces that have a noticeable share of the whole, the greatest first."""
    if total <= 0.0:
        return ()
    shares = [(face, weight / total) for face, weight in enumerate(weights) if weight > _NOTICEABLE * total]
    shares.sort(key=lambda pair: (-pair[1], pair[0]))
    return tuple(shares)
