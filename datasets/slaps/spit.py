"""Films of Spit: cards that land on two piles without turns, and hands that grab a pile at the end."""

from __future__ import annotations

import random
from dataclasses import replace

from datasets.slaps.case import Case, Flip, HandCase, lifted
from rules.cards import FRENCH_CODES, Card
from rules.race_game import is_adjacent

#: How long a hand needs at least from one landing to its next, ms.
_CYCLE_MS = 900.0


def spit_case(rng: random.Random, case: Case, gap_ms: float) -> Case:
    """Draw what happens in a film of Spit: two cards land on one pile so close together, or two hands grab.

    Args:
        rng: source of randomness.
        case: what is drawn already: kind, seats, light.
        gap_ms: time between the two landings or hands that decide.
    """
    deck = list(FRENCH_CODES)
    rng.shuffle(deck)
    depth = rng.randint(1, 4)
    piles = tuple(tuple(deck.pop() for _ in range(depth)) for _ in range(2))
    if case.kind == "grab":
        return _grab(rng, replace(case, piles=piles), gap_ms)
    return _landings(rng, replace(case, piles=piles), deck, gap_ms)


def _grab(rng: random.Random, case: Case, gap_ms: float) -> Case:
    players = [0, 1]
    rng.shuffle(players)
    first = rng.uniform(650, 1000)
    pile = rng.randrange(2)
    same = rng.random() < 0.7
    # Hands from opposite sides lie on one another when both reach over the middle of the pile.
    over = rng.random() < 0.6
    hands = []
    for number, player in enumerate(players):
        depth = rng.uniform(25, 75) if over else rng.uniform(-32, -10)
        side = "left" if rng.random() < 0.25 else "right"
        hands.append(HandCase(player, side, first + gap_ms * number, depth, rng.gauss(0, 10), 0.0,
                              pile=pile if same or number == 0 else 1 - pile))
    down = lifted(rng, hands)
    return replace(case, gap_class=case.gap_class if same else "", hands=down,
                   duration_ms=max(hand.parted_ms for hand in down) + 480)


def _landings(rng: random.Random, case: Case, deck: list[str], gap_ms: float) -> Case:
    """Let both players play cards; two of them come to one pile shortly after one another."""
    quicker = rng.randrange(2)
    pile = rng.randrange(2)
    at = rng.uniform(560, 800)
    lands = []
    if rng.random() < 0.5:
        lands.append((at, rng.randrange(2), rng.randrange(2)))
        at += _CYCLE_MS + rng.uniform(0, 150)
    lands += [(at, quicker, pile), (at + gap_ms, 1 - quicker, pile)]
    if rng.random() < 0.5:
        lands.append((at + gap_ms + _CYCLE_MS + rng.uniform(0, 200), rng.randrange(2), rng.randrange(2)))
    tops = [cards[-1] for cards in case.piles]
    below = list(tops)
    flips: list[Flip] = []
    for t_ms, player, on in lands:
        fits = rng.random() < 0.75
        code = next((code for code in deck if is_adjacent(Card.parse(code), Card.parse(tops[on])) == fits), deck[0])
        # A player who meant the card below plays what fitted that one.
        if flips and flips[-1].pile == on and t_ms - flips[-1].lands_ms < 400 and rng.random() < 0.5:
            meant = Card.parse(below[on])
            code = next((code for code in deck if is_adjacent(Card.parse(code), meant)), code)
        deck.remove(code)
        flips.append(Flip(player, code, t_ms, on))
        below[on], tops[on] = tops[on], code
    return replace(case, flips=tuple(flips), duration_ms=flips[-1].lands_ms + 620)
