"""How sure each play is, given all readings that are still possible. Owns no search and no record."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rules.tracker.reading import Play
from rules.tracker.scale import Shares, Weighed

Outcome = tuple[str, tuple[str, ...]]
"""A card played and the cards that it took, sorted."""


@dataclass(frozen=True, slots=True)
class Chances:
    """Hold what the readings say of one play.

    Args:
        outcomes: By card and takes, the probability that the player it is given to played so.
        cards: The same, whoever played.
    """

    outcomes: Mapping[Outcome, float]
    cards: Mapping[Outcome, float]

    def of(self, card: str | None, takes: tuple[str, ...]) -> float:
        """Give the probability of a card and takes; of the likeliest card with these takes for a card not known."""
        if card is not None:
            return min(self.outcomes.get((card, takes), 0.0), 1.0)
        return max((p for (_, taken), p in self.outcomes.items() if taken == takes), default=0.0)

    def ranked(self) -> list[tuple[Outcome, float]]:
        """Give all cards and takes with their probabilities, whoever played, the likeliest first."""
        return sorted(self.cards.items(), key=lambda pair: (-pair[1], pair[0]))


def chances_of(
    best: Weighed, beam: Sequence[Weighed], deck: Sequence[str], seat: Callable[[int], int]
) -> list[Chances]:
    """Give the chances of each play of one reading, as all readings together see it.

    A play is found in the other readings by its card, or by what it took if the card was not seen: it may be the
    play of another number there, and so another player's.

    Args:
        best: The reading whose plays are asked for.
        beam: All readings, this one included.
        deck: The codes.
        seat: Gives the seat of the play of a number.
    """
    weights = [math.exp(each.score - beam[0].score) for each in beam]
    whole = sum(weights)
    outcomes: list[dict[Outcome, float]] = [{} for _ in best.reading.plays]
    cards: list[dict[Outcome, float]] = [{} for _ in best.reading.plays]
    for weighed, weight in zip(beam, weights, strict=True):
        held = dict(weighed.reading.faces)
        by_key = {_key(number, play): number for number, play in enumerate(weighed.reading.plays)}
        for number, play in enumerate(best.reading.plays):
            other = by_key.get(_key(number, play))
            if other is None:
                # The same card may have been captured there without being seen before, or the other way round.
                other = number if number < len(weighed.reading.plays) else None
            if other is None:
                continue
            seen = weighed.reading.plays[other]
            takes = tuple(sorted(deck[held[track]] for track in seen.takes))
            for face, share in _shares_of(weighed, other, held):
                outcome = (deck[face], takes)
                part = weight * share / whole
                cards[number][outcome] = cards[number].get(outcome, 0.0) + part
                if seat(other) == seat(number):
                    outcomes[number][outcome] = outcomes[number].get(outcome, 0.0) + part
    return [Chances(outcome, card) for outcome, card in zip(outcomes, cards, strict=True)]


def _key(number: int, play: Play) -> tuple[object, ...]:
    if play.card >= 0:
        return ("card", play.card)
    return ("takes", play.takes) if play.takes else ("missed", number)


def _shares_of(weighed: Weighed, number: int, held: Mapping[int, int]) -> Shares:
    shares = weighed.captors[number]
    return ((held[weighed.reading.plays[number].card], 1.0),) if shares is None else shares
