"""One reading of the hand so far: what was dealt, played, and lies there."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import NamedTuple

# So many of the last plays may still turn out otherwise.
_STILL_OPEN = 2


class Play(NamedTuple):
    """Hold one play as it is read.

    Args:
        card: Track of the card played; a negative number for a card that no picture showed.
        takes: Tracks taken, in ascending order; empty for a card laid, and for a play that was missed altogether.
        t_ms: Media time of the look that showed it first.
    """

    card: int
    takes: tuple[int, ...]
    t_ms: int

    @property
    def is_missed(self) -> bool:
        """Whether nothing of it was seen: that there was a play follows from whose turn it was afterwards."""
        return self.card < 0 and not self.takes


@dataclass(frozen=True, slots=True)
class Reading:
    """Hold one way to understand all that was seen in this hand.

    Args:
        deal: Tracks of the opening table.
        plays: The plays in order.
        table: Tracks lying on the table now, in the order they came.
        faces: For every track that lay on the table and is not a capturing card, the index of its face in the deck;
            by track, ascending.
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
        return (self.deal, self.plays, self.table, self.faces, self.follows, self.ghosts, self.lost, self.waiting,
                self.next_deal, self.missing_plays)  # fmt: skip

    def situation(self) -> tuple[object, ...]:
        """Give what readings that differ only in what is long past have in common: the same may come of them."""
        lying = tuple([self.face_of(track) for track in self.table])
        return (len(self.plays), self.plays[-_STILL_OPEN:], self.table, lying, self.lost, self.waiting,
                self.next_deal, self.missing_plays)  # fmt: skip

    def grows_from(self, before: Reading) -> bool:
        """Tell whether this reading only adds to an earlier one, changing neither its plays nor its faces."""
        plays, faces = len(before.plays), len(before.faces)
        return (
            self.plays[:plays] == before.plays
            and (self.faces[:faces] == before.faces or set(before.faces) <= set(self.faces))
        )

    def face_of(self, track: int) -> int | None:
        """Give the index of the face a track is held to have, or None for a capturing card."""
        place = bisect_left(self.faces, (track, -1))
        if place < len(self.faces) and self.faces[place][0] == track:
            return self.faces[place][1]
        return None

    def members(self, track: int) -> tuple[int, ...]:
        """Give all the tracks under which one card was seen."""
        for first, newer in self.follows:
            if first == track:
                return (first, *newer)
        return (track,)

    def under(self, track: int, newer: int, cost: float) -> Reading:
        """Give the reading in which a card is seen under a newer number; `cost` is the log-probability of that."""
        followed = (*self.members(track)[1:], newer)
        return replace(
            self,
            follows=(*((t, m) for t, m in self.follows if t != track), (track, followed)),
            ghosts=self.ghosts - {newer},
            lost=self.lost - {track},
            cost=self.cost + cost,
        )

    def canonical(self) -> dict[int, int]:
        """Map the newer tracks of cards lost and found to the first one."""
        return {track: first for first, newer in self.follows for track in newer}

    def with_face(self, track: int, face: int | None) -> Reading:
        """Give the reading with another face for a track, or with none."""
        place = bisect_left(self.faces, (track, -1))
        is_held = place < len(self.faces) and self.faces[place][0] == track
        between = () if face is None else ((track, face),)
        return replace(self, faces=(*self.faces[:place], *between, *self.faces[place + is_held :]))
