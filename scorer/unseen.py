"""What points are sure and what is possible while some cards have not been seen.

A point is sure for a side if it gets it wherever the cards not seen are, and possible if it gets it for some place of
them. Cards that lie unseen in a pile are in that pile, whichever they are; the others may be anywhere, or nowhere.

A point grows with one's own cards and shrinks with those of the others. So only the extremes need looking at: all that
can be elsewhere in the pile of one other side, and all that can be one's own in one's own. Which of the cards not seen
lie in a pile as unseen is tried out as far as that stays small; beyond, the bounds are wider but never wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

from rules.cards import Card
from rules.record import Header
from scorer.points import Award, Pile, counters, scope, slurps

_MOST_TRIALS = 64


@dataclass(frozen=True, slots=True)
class Range:
    """Hold the points that a side is sure of and those that it can get, for one thing."""

    name: str
    sure: int
    possible: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """Hold what is known in spite of unseen cards: which are unseen, and by side the ranges and the fewest cards."""

    unseen: tuple[Card, ...]
    ranges: tuple[tuple[Range, ...], ...]
    fewest_cards: tuple[int, ...]
    most_cards: tuple[int, ...]


def resolve(piles: Sequence[Pile], unseen: Sequence[Card]) -> tuple[list[Pile], tuple[Card, ...]]:
    """Name the cards that lie unseen in a pile where they can only be these: one pile has them all."""
    slots = [pile.unseen for pile in piles]
    if not unseen or sum(slots) != len(unseen) or sum(1 for slot in slots if slot) != 1:
        return list(piles), tuple(unseen)
    return [replace(pile, cards=(*pile.cards, *unseen), unseen=0) if pile.unseen else pile for pile in piles], ()


def bounds(header: Header, piles: Sequence[Pile], unseen: Sequence[Card]) -> Bounds:
    """Give the points that are sure and those that are possible, sweeps left out."""
    free = max(0, len(unseen) - sum(pile.unseen for pile in piles))
    counts = [count for count in counters(header) if count not in (scope, slurps)]
    by_side = []
    for side in range(len(piles)):
        lowest = _extremes(header, counts, side, _worst(piles, unseen, side), min)
        highest = _extremes(header, counts, side, _best(piles, unseen, side), max)
        by_side.append(tuple(Range(low.name, low.points, high.points)
                             for low, high in zip(lowest, highest, strict=True)))
    sizes = [pile.size for pile in piles]
    return Bounds(tuple(unseen), tuple(by_side), tuple(sizes), tuple(size + free for size in sizes))


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    points: int


def _extremes(header: Header, counts: Sequence[Callable[[Header, Sequence[Pile]], Award]], side: int,
              cases: Iterable[list[Pile]], extreme: Callable[[Iterable[int]], int]) -> list[_Named]:
    awards = [[count(header, case)[side] for count in counts] for case in cases]
    return [_Named(of_point[0].name, extreme([point.points for point in of_point]))
            for of_point in zip(*awards, strict=True)]


def _worst(piles: Sequence[Pile], unseen: Sequence[Card], side: int) -> Iterable[list[Pile]]:
    """Give the cases that are worst for a side: what need not be its own belongs to one of the others."""
    for own in _choices(unseen, piles[side].unseen, otherwise=()):
        rest = [card for card in unseen if card not in own]
        for other in range(len(piles)):
            if other != side:
                case = list(piles)
                case[side] = _filled(piles[side], own)
                case[other] = _filled(piles[other], rest)
                yield case


def _best(piles: Sequence[Pile], unseen: Sequence[Card], side: int) -> Iterable[list[Pile]]:
    """Give the cases that are best for a side: what need not be the others' is its own."""
    theirs = sum(pile.unseen for number, pile in enumerate(piles) if number != side)
    for elsewhere in _choices(unseen, theirs, otherwise=()):
        case = list(piles)
        case[side] = _filled(piles[side], [card for card in unseen if card not in elsewhere])
        others = [number for number in range(len(piles)) if number != side and piles[number].unseen]
        if len(others) == 1:
            case[others[0]] = _filled(piles[others[0]], elsewhere)
        yield case


def _choices(unseen: Sequence[Card], how_many: int, otherwise: tuple[Card, ...]) -> Iterable[tuple[Card, ...]]:
    if 0 < how_many <= len(unseen) and comb(len(unseen), how_many) <= _MOST_TRIALS:
        return combinations(unseen, how_many)
    return (otherwise,)


def _filled(pile: Pile, cards: Sequence[Card]) -> Pile:
    """Give a pile with these cards in it, its unseen ones being among them as far as they go."""
    return replace(pile, cards=(*pile.cards, *cards), unseen=max(0, pile.unseen - len(cards)))
