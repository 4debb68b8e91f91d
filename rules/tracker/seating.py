"""Where the players sit, learned from the arms that reach in, and so who played. Owns no reading of the play.

Nobody says which seat is on which side of the table. But seats follow one another counter-clockwise, as the play
does, so only two things must be found out: the directions from which arms come, one a seat, and which of them is the
first seat's. The first is seen at once; the second follows from whose turn it was, and each reading of the hand says
something else about that: the weights here let the one prevail in which the same person always reaches from the same
side.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from rules.tracker.look import Moment, Reach
from rules.tracker.reading import Play

# An arm's direction is wrong, or another person's, so often, however well it was seen.
_ASTRAY = 0.06
# How narrowly the directions of one person lie together (von Mises).
_NARROW = 5.0
# Directions are counted in so many bins to find where they heap up; heaps nearer than this are one person.
_BINS = 36
_APART_DEG = 50.0
_LEAST_HEAP = 0.08
# What was seen last of a hand that is over may belong to the next one: so much of it is kept.
_KEPT = 20
# So many directions are remembered: people change places.
_MOST_DIRECTIONS = 300
# What the people who dealt and played before tell of who sits where counts for so many plays at most.
_MOST_KNOWN = 6.0

_Sums = tuple[list[float], int, int]
# For each way to turn the seats against the sides the log-probability; plays whose arm was seen, and others.

Row = tuple[float, ...]
"""For each side, the log-probability of what was seen if the arm came from there."""


class Seating:
    """Learn the sides of the seats, and say how well plays fit whose turn they were."""

    def __init__(self, seats: int, dealer: int) -> None:
        """Begin with nothing known.

        Args:
            seats: Number of players, numbered in the direction of play.
            dealer: The seat that deals.
        """
        self.seats = seats
        self._dealer = dealer
        self._told: dict[int, int] = {}
        self._reached: dict[tuple[int, Moment], Reach] = {}
        self._directions: list[tuple[float, float]] = []
        self._sides: tuple[float, ...] = ()
        self._rows: dict[tuple[int, Moment], Row] = {}
        self._plays: dict[tuple[int, tuple[int, ...]], Row] = {}
        self._known: tuple[float, ...] = (0.0,) * seats
        self._even = (0.0,) * seats
        self._summed: dict[int, tuple[Sequence[Play], Sequence[int], _Sums]] = {}

    # -- whose turn -----------------------------------------------------------------------------------------------

    def begin_hand(self, dealer: int, deal: Sequence[int] = (), plays: Sequence[Play] = ()) -> None:
        """Begin a hand with another dealer, keeping what the deal and the plays of the last one taught."""
        if deal or plays:
            sums, _, _ = self._sums(deal, plays)
            best = max(sums)
            # Only how much better than the others the best is counts, and not for ever: people change places.
            self._known = tuple(max(each - best, -_MOST_KNOWN) for each in sums)
        self._dealer = dealer
        self._told = {}
        # The next hand's opening table has been seen already.
        self._reached = dict(list(self._reached.items())[-_KEPT:])
        self._forget_rows()

    def tell_player(self, number: int, player: int) -> None:
        """Take the people's word for who played the play of this number (from 0); the next ones follow in turn."""
        self._told[number] = player
        self._summed = {}

    def seat(self, number: int) -> int:
        """Give the seat whose turn the play of this number (from 0) is."""
        for told in range(number, -1, -1):
            if told in self._told:
                return (self._told[told] + number - told) % self.seats
        return (self._dealer + 1 + number) % self.seats

    # -- what is seen ---------------------------------------------------------------------------------------------

    def see(self, reached: Iterable[Reach], names: Mapping[tuple[int, Moment], int]) -> bool:
        """Take from where cards were reached; `names` gives the tracker's number of a card for a moment.

        Returns:
            Whether there was anything new.
        """
        is_new = False
        for reach in reached:
            key = (names[reach.track, reach.moment], reach.moment)
            if reach.weight <= 0.0 or key in self._reached:
                continue
            self._reached[key] = reach
            self._directions.append((reach.side_deg % 360, reach.weight))
            is_new = True
        if is_new:
            del self._directions[:-_MOST_DIRECTIONS]
            sides = _sides_of(self._directions, self.seats)
            # A side beside the direction 0 must not change its place among the others when it moves over it.
            turns = [sides[turn:] + sides[:turn] for turn in range(self.seats)] if self._sides else [sides]
            self._sides = min(turns, key=lambda turn: sum(map(_apart, turn, self._sides)))
            self._forget_rows()
        return is_new

    def was_reached(self, track: int, moment: Moment) -> bool:
        """Tell whether an arm was seen to lay a card, or to take it."""
        return (track, moment) in self._reached

    @property
    def sides(self) -> tuple[float, ...]:
        """Give the directions from which people reach, in degrees, counter-clockwise; empty before any was seen."""
        return self._sides

    # -- how it fits ----------------------------------------------------------------------------------------------

    def row(self, card: int, takes: tuple[int, ...]) -> Row:
        """Give for each side how likely what was seen of a play's arms is if the player sits there.

        Args:
            card: The track of the card played; negative for one that nobody saw.
            takes: The tracks taken.
        """
        known = self._plays.get((card, takes))
        if known is None:
            laid = self._reach_row(card, "laid")
            # Cards taken leave under one hand: together they are one thing seen.
            left = [self._reach_row(track, "taken") for track in ((*takes, card) if takes else ())]
            left = [row for row in left if row is not self._even]
            known = laid
            if left:
                known = tuple(a + sum(each) / len(left) for a, each in zip(laid, zip(*left, strict=True), strict=True))
            self._plays[card, takes] = known
        return known

    def weigh(self, deal: Sequence[int], plays: Sequence[Play], before: Sequence[Play] | None = None) -> float:
        """Give the log-probability of the arms seen in a hand, over all ways to seat the players.

        Args:
            deal: The tracks of the opening table.
            plays: The plays.
            before: Plays weighed before, with the same deal, of which these may be the continuation.
        """
        if not self._sides:
            return 0.0
        sums, shown, unshown = self._sums(deal, plays, before)
        best = max(sums)
        fits = best + math.log(sum(math.exp(each - best) for each in sums) / self.seats)
        return fits + _log_habit(shown, unshown)

    def missed(self, deal: Sequence[int], plays: Sequence[Play], card: int, takes: tuple[int, ...]) -> int:
        """Give how many plays must have been missed before one for its player to be who was seen; 0 if unknown.

        Args:
            deal: The tracks of the opening table.
            plays: The plays before.
            card: The track of the card played, negative for one that nobody saw.
            takes: The tracks taken.
        """
        row = self.row(card, takes)
        best = max(row)
        if not self._sides or min(row) > best - 1.0:
            return 0
        sums, _, _ = self._sums(deal, plays)
        turned = max(range(self.seats), key=sums.__getitem__)
        for missed in range(self.seats):
            if row[(self.seat(len(plays) + missed) + turned) % self.seats] >= best - 0.5:
                return missed
        return 0

    def _sums(
        self, deal: Sequence[int], plays: Sequence[Play], before: Sequence[Play] | None = None
    ) -> _Sums:
        """Add up what plays tell; what was found out is kept."""
        # Readings that differ in faces only have the very same tuple of plays, which is kept so that its id is its own.
        known = self._summed.get(id(plays))
        if known is not None and known[0] is plays and known[1] == deal:
            return known[2]
        if len(self._summed) > 2_000:
            self._summed.clear()
        earlier = None if before is None else self._summed.get(id(before))
        if (
            before is not None
            and earlier is not None
            and earlier[0] is before
            and earlier[1] == deal
            and plays[: len(before)] == before
        ):
            sums, shown, unshown = earlier[2]
            for number in range(len(before), len(plays)):
                play, seat = plays[number], self.seat(number)
                row = self.row(play.card, play.takes)
                if row is not self._even:
                    shown += 1
                elif not play.is_missed:
                    unshown += 1
                sums = [each + row[(seat + turned) % self.seats] for turned, each in enumerate(sums)]
            summed = (sums, shown, unshown)
        else:
            summed = self._summed_up(deal, plays)
        self._summed[id(plays)] = (plays, deal, summed)
        return summed

    def _summed_up(self, deal: Sequence[int], plays: Sequence[Play]) -> _Sums:
        seats = self.seats
        by_seat = [list(self._even) for _ in range(seats)]
        dealt = [row for row in (self._reach_row(track, "laid") for track in deal) if row is not self._even]
        if dealt:
            dealer = by_seat[self._dealer]
            for side in range(seats):
                dealer[side] += sum(row[side] for row in dealt) / len(dealt)
        shown = unshown = 0
        is_told = bool(self._told)
        first = self._dealer + 1
        for number, play in enumerate(plays):
            row = self._plays.get((play.card, play.takes)) or self.row(play.card, play.takes)
            if row is self._even:
                # Of a card that was seen only after the next one the arm had gone already.
                is_late = number + 1 < len(plays) and 0 <= plays[number + 1].card < play.card
                unshown += not play.is_missed and not is_late
                continue
            shown += 1
            seat = self.seat(number) if is_told else (first + number) % seats
            sums = by_seat[seat]
            for side in range(seats):
                sums[side] += row[side]
        sums = [
            sum(by_seat[seat][(seat + turned) % seats] for seat in range(seats)) + self._known[turned]
            for turned in range(seats)
        ]
        return sums, shown, unshown

    def _forget_rows(self) -> None:
        self._rows = {}
        self._plays = {}
        self._summed = {}

    def _reach_row(self, track: int, moment: Moment) -> Row:
        key = (track, moment)
        row = self._rows.get(key)
        if row is None:
            reach = self._reached.get(key)
            row = self._rows[key] = self._even if reach is None else self._row_of(reach)
        return row

    def _row_of(self, reach: Reach) -> Row:
        near = [math.exp(_NARROW * (math.cos(math.radians(reach.side_deg - side)) - 1)) for side in self._sides]
        # Somebody who sits nowhere reaches everywhere alike.
        stray = 1e-3
        whole = sum(near) + stray * self.seats
        astray = _ASTRAY + (1 - _ASTRAY) * (1 - reach.weight) ** 2
        return tuple(math.log((1 - astray) * (each + stray) / whole + astray / self.seats) for each in near)


def _log_habit(shown: int, unshown: int) -> float:
    """Give the log-probability that so many plays show an arm and so many do not, however often arms are seen.

    Where arms have been seen at every play, something that came without one is hardly a play (Krichevsky and Trofimov
    1981: the mean over all rates).
    """
    both = math.lgamma(shown + 0.5) + math.lgamma(unshown + 0.5) - math.lgamma(shown + unshown + 1)
    return both - math.log(math.pi)


def _sides_of(directions: Sequence[tuple[float, float]], seats: int) -> tuple[float, ...]:
    """Find the directions from which arms come, one a seat.

    Where fewer people than seats have reached in yet, the others are put in the middle of the widest gaps.

    Args:
        directions: Degrees with weights.
        seats: How many there are.

    Returns:
        Degrees, ascending.
    """
    bins = [0.0] * _BINS
    for degrees, weight in directions:
        place = degrees / 360 * _BINS
        for near in (-1, 0, 1):
            bins[int(place + near) % _BINS] += weight * (1.0 if near == 0 else 0.5)
    whole = sum(bins)
    found: list[float] = []
    for place in sorted(range(_BINS), key=lambda each: (-bins[each], each)):
        middle = (place + 0.5) * 360 / _BINS
        if len(found) == seats or bins[place] < _LEAST_HEAP * whole:
            break
        if all(_apart(middle, other) >= _APART_DEG for other in found):
            found.append(middle)
    for _ in range(3):
        found = [_mean(directions, side, found) for side in found]
    while len(found) < seats:
        ordered = sorted(found)
        following = ordered[1:] + ordered[:1]
        gaps = [(after - before) % 360 or 360.0 for before, after in zip(ordered, following, strict=True)]
        widest = max(range(len(gaps)), key=gaps.__getitem__)
        found.append((ordered[widest] + gaps[widest] / 2) % 360)
    return tuple(sorted(found))


def _mean(directions: Sequence[tuple[float, float]], side: float, sides: Sequence[float]) -> float:
    """Give the mean of the directions that are nearer to this side than to the others."""
    east = north = 0.0
    for degrees, weight in directions:
        if min(sides, key=lambda other: _apart(degrees, other)) == side:
            east += weight * math.cos(math.radians(degrees))
            north += weight * math.sin(math.radians(degrees))
    return math.degrees(math.atan2(north, east)) % 360 if math.hypot(east, north) > 1e-6 else side


def _apart(first: float, second: float) -> float:
    return abs((first - second + 180) % 360 - 180)
