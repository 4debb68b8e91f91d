"""One reading of the hand so far, and how likely it is. Owns the weighing, not the search for readings."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from rules.tracker.evidence import EvidenceBook
from rules.tracker.settings import TrackerSettings
from rules.tracker.table_game import Codes, TableGame

IMPOSSIBLE = -math.inf

# From this probability on a capturing card's face is denied to the others.
_SURE = 0.8


@dataclass(frozen=True, slots=True)
class Play:
    """Hold one play as it is read.

    Args:
        card: Track of the card played; a negative number for a card that no picture showed.
        takes: Tracks taken, in ascending order; empty for a card laid.
        t_ms: Media time of the look that showed it first.
    """

    card: int
    takes: tuple[int, ...]
    t_ms: int


@dataclass(frozen=True, slots=True)
class Reading:
    """Hold one way to understand all that was seen in this hand.

    Args:
        deal: Tracks of the opening table.
        plays: The plays in order.
        table: Tracks lying on the table now, in the order they came.
        faces: For every track that lay on the table and is not a capturing card, the index of its face in the deck.
        follows: For a card that was lost and found under another number, the newer tracks.
        ghosts: Tracks that are held to be no card of the game's.
        lost: Tracks of the table that are held to lie there although they were not seen.
        waiting: Tracks of capturing cards that are still to be seen leaving.
        next_deal: Tracks held to be the next hand's opening table.
        cost: Log-probability of what is not weighed anew each time (ghosts, cards lost, ...), at most 0.
        missing_plays: How many plays are held to have been missed at the hand's end; None while it is going on.
    """

    deal: tuple[int, ...] = ()
    plays: tuple[Play, ...] = ()
    table: tuple[int, ...] = ()
    faces: tuple[tuple[int, int], ...] = ()
    follows: tuple[tuple[int, tuple[int, ...]], ...] = ()
    ghosts: frozenset[int] = frozenset()
    lost: frozenset[int] = frozenset()
    waiting: frozenset[int] = frozenset()
    next_deal: tuple[int, ...] = ()
    cost: float = 0.0
    missing_plays: int | None = None

    def key(self) -> tuple[object, ...]:
        """Give what makes two readings the same one."""
        shape = tuple((play.card, play.takes) for play in self.plays)
        return (self.deal, shape, self.table, self.faces, self.follows, self.ghosts, self.lost, self.waiting,
                self.next_deal, self.missing_plays)  # fmt: skip

    def face_of(self, track: int) -> int | None:
        """Give the index of the face a track is held to have, or None for a capturing card."""
        for other, face in self.faces:
            if other == track:
                return face
        return None

    def members(self, track: int) -> tuple[int, ...]:
        """Give all the tracks under which one card was seen."""
        for first, newer in self.follows:
            if first == track:
                return (first, *newer)
        return (track,)

    def canonical(self) -> dict[int, int]:
        """Map the newer tracks of cards lost and found to the first one."""
        return {track: first for first, newer in self.follows for track in newer}

    def with_face(self, track: int, face: int | None) -> Reading:
        """Give the reading with another face for a track, or with none."""
        rest = [(other, held) for other, held in self.faces if other != track]
        if face is not None:
            rest.append((track, face))
            rest.sort()
        return replace(self, faces=tuple(rest))


@dataclass(frozen=True, slots=True)
class Weighed:
    """Hold a reading with its weight.

    Args:
        reading: The reading.
        score: Its log-probability up to a constant shared by all readings of the hand.
        captors: For each play, None if the card was laid, else the probability of each face of the capturing card
            (deck order), given everything else in the reading.
        illegal: For each play, whether its best interpretation breaks the rules.
    """

    reading: Reading
    score: float
    captors: tuple[tuple[float, ...] | None, ...]
    illegal: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Slot:
    """Hold a capturing card while faces are shared out."""

    number: int
    never_seen: bool
    likely: tuple[float, ...]
    factors: tuple[float, ...]

    def weights(self, free: list[bool]) -> list[float]:
        """Give what was seen times what is plausible, for the faces that are free."""
        return [p * f if is_free else 0.0 for p, f, is_free in zip(self.likely, self.factors, free, strict=True)]


class Scale:
    """Weigh readings: what was seen, times how plausible it is as a course of play."""

    def __init__(self, game: TableGame, evidence: EvidenceBook, settings: TrackerSettings) -> None:
        """Join what is needed to weigh."""
        self._game = game
        self._evidence = evidence
        self._settings = settings
        self._factors: dict[tuple[Codes, Codes], tuple[float, ...]] = {}

    def weigh(self, reading: Reading) -> Weighed:
        """Weigh a reading from the beginning of the hand."""
        deck = self._game.deck
        settings = self._settings
        held = dict(reading.faces)
        free = [True] * len(deck)
        score = reading.cost
        for track, face in reading.faces:
            if not free[face]:
                return Weighed(reading, IMPOSSIBLE, (), ())
            free[face] = False
            for member in reading.members(track):
                score += math.log(self._evidence.of(member)[face])
        table = {track: deck[held[track]] for track in reading.deal}
        illegal: list[bool] = []
        slots: list[_Slot] = []
        seen = unseen = 0
        for number, play in enumerate(reading.plays):
            lying = frozenset(table.values())
            if not play.takes:
                code = deck[held[play.card]]
                legal = self._game.may_lay(code, lying)
                if not legal:
                    score += settings.log_illegal_lay
                illegal.append(not legal)
                table[play.card] = code
                continue
            taken = frozenset(table.pop(track) for track in play.takes)
            factors = self.factors(taken, lying)
            # Whether players show the card they capture with is a habit of theirs, learned as the hand goes on.
            hides = (settings.unseen_prior * settings.habit_weight + unseen) / (settings.habit_weight + seen + unseen)
            if play.card < 0:
                score += math.log(hides)
                unseen += 1
            else:
                score += math.log(1.0 - hides)
                seen += 1
            likely = self._evidence.together(reading.members(play.card))
            slots.append(_Slot(number, play.card < 0, likely, factors))
            illegal.append(False)
        captors: list[tuple[float, ...] | None] = [None] * len(reading.plays)
        score += self._settle(slots, free, captors, illegal)
        return Weighed(reading, score, tuple(captors), tuple(illegal))

    def factors(self, taken: Codes, table: Codes) -> tuple[float, ...]:
        """Give, for each card of the deck, how plausible it is that it took these cards from this table.

        Args:
            taken: Codes taken, a subset of `table`.
            table: Codes lying there before the play.

        Returns:
            Factors of at most 1 in deck order; 0 for cards of the table itself.
        """
        key = (taken, table)
        known = self._factors.get(key)
        if known is not None:
            return known
        if len(self._factors) > 50_000:
            self._factors.clear()
        wrong = self._settings.illegal_capture * 0.5 ** min(len(table), 6)
        factors = []
        for code in self._game.deck:
            if code in table:
                factors.append(0.0)
                continue
            legal = self._game.captures(code, table)
            factors.append(1.0 / len(legal) if taken in legal else wrong)
        result = self._factors[key] = tuple(factors)
        return result

    def _settle(
        self,
        slots: list[_Slot],
        free: list[bool],
        captors: list[tuple[float, ...] | None],
        illegal: list[bool],
    ) -> float:
        """Share the faces that are left among the capturing cards, the surest first.

        Returns:
            The log-probability of what was seen of them.
        """
        score = 0.0
        left = list(slots)
        while left:
            weights = [slot.weights(free) for slot in left]
            sums = [sum(row) for row in weights]
            if min(sums) <= 0.0:
                return IMPOSSIBLE
            peaks = [max(row) / total for row, total in zip(weights, sums, strict=True)]
            surest = max(range(len(left)), key=peaks.__getitem__)
            # Sure cards are settled one by one; when only doubtful ones remain they no longer narrow each other.
            is_sure = peaks[surest] >= _SURE
            for place in [surest] if is_sure else range(len(left)):
                slot, total = left[place], sums[place]
                shares = tuple(weight / total for weight in weights[place])
                captors[slot.number] = shares
                # Of a card never seen only its being among the cards not seen otherwise is known.
                chance = sum(p for p, f in zip(slot.likely, free, strict=True) if f) if slot.never_seen else 1.0
                score += math.log(total / chance)
                wrong = sum(p for p, f in zip(shares, slot.factors, strict=True) if f <= self._settings.illegal_capture)
                illegal[slot.number] = wrong > 0.5
            if not is_sure:
                break
            shares = captors[left.pop(surest).number] or ()
            free[max(range(len(shares)), key=shares.__getitem__)] = False
        return score
