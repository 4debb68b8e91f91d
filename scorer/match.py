"""Points of hands to the match: totals, and who has won (scopa.md#15, scupuni.md#10, slurp.md Frame)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rules.record import Header


@dataclass(frozen=True, slots=True)
class Match:
    """Hold how a match stands: totals of the Partita being played, Partite won (Slurp), and the side that has won.

    ``partita_winner`` is the side that has just won a Partita whose totals still stand.
    """

    totals: tuple[int, ...]
    target: int
    partite: tuple[int, ...]
    winner: int | None = None
    partita_winner: int | None = None
    forfeited: int | None = None

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more is to be played."""
        return self.winner is not None or self.forfeited is not None


def new_match(header: Header) -> Match:
    """Begin a match."""
    sides = len(header.sides)
    return Match((0,) * sides, int(header.options["target"]), (0,) * sides)


def before_hand(match: Match) -> Match:
    """Give the match as the next hand begins: after a Partita has been won, the next one starts from nothing."""
    if match.partita_winner is None or match.winner is not None:
        return match
    return replace(match, totals=(0,) * len(match.totals), partita_winner=None)


def add_hand(header: Header, match: Match, points: Sequence[int], first_home: int | None = None) -> Match:
    """Add the points of a hand and look whether a side has won.

    ``first_home`` is the side that got to the target first while the points were called (``first_past_the_post``).
    """
    totals = tuple(total + more for total, more in zip(match.totals, points, strict=True))
    match = replace(match, totals=totals)
    if match.is_over:
        return match
    if header.options.get("first_past_the_post"):
        return replace(match, winner=first_home)
    leader = _leader(header, totals, match.target)
    if leader is None:
        return match
    if header.game != "slurp":
        return replace(match, winner=leader)
    partite = tuple(won + (side == leader) for side, won in enumerate(match.partite))
    winner = leader if partite[leader] >= int(header.options["partite"]) else None
    return replace(match, partite=partite, partita_winner=leader, winner=winner)


def forfeit(header: Header, match: Match, seat: int) -> Match:
    """End a match that a player loses by forfeit: the other side wins, or the best of the others if not level."""
    if match.is_over:
        return match
    side = next(number for number, seats in enumerate(header.sides) if seat in seats)
    others = {number: total for number, total in enumerate(match.totals) if number != side}
    best = [number for number, total in others.items() if total == max(others.values())]
    return replace(match, forfeited=side, winner=best[0] if len(best) == 1 else None)


def first_home(header: Header, match: Match, sweeps: Sequence[int], called: Sequence[Sequence[int]]) -> int | None:
    """Give the side that reaches the target first as points are called (scopa.md#15, first_past_the_post).

    ``sweeps`` names the side of each sweep as made; ``called`` gives the points of each count by side, as called.
    """
    totals = list(match.totals)
    for side in sweeps:
        totals[side] += 1
        if totals[side] >= match.target:
            return side
    for points in called:
        for side, more in enumerate(points):
            totals[side] += more
        home = [side for side, total in enumerate(totals) if total >= match.target]
        if home:
            return max(home, key=lambda side: totals[side])
    return None


def _leader(header: Header, totals: Sequence[int], target: int) -> int | None:
    most = max(totals)
    if most < target or totals.count(most) > 1:
        return None
    over = sum(total >= target for total in totals)
    if over > 1 and header.options.get("both_over") == "play_another_hand":
        return None
    return totals.index(most)
