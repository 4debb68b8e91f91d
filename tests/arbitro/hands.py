"""Builders of what a table of Scopa shows: looks at a hand that is played, without any picture."""

from __future__ import annotations

from random import Random

from rules.captures import legal_captures
from rules.cards import ITALIAN_CODES, Card
from rules.tracker import SeenCard, TableLook

ANNA_AND_BRUNO = ("Anna", "Bruno")


def seen(track: int, code: str, probability: float = 0.99) -> SeenCard:
    return SeenCard(track, {code: probability})


def looks_of_a_hand(seed: int, plays: int = 36) -> list[TableLook]:
    """Return the looks at a hand of Scopa for two that is dealt and played at random, every play lying still once."""
    deck = [*ITALIAN_CODES]
    Random(seed).shuffle(deck)
    track_of = {code: track for track, code in enumerate(deck)}
    table, hand = deck[:4], deck[4 : 4 + plays]
    t_ms = 1000

    def look(extra: tuple[str, ...] = ()) -> TableLook:
        return TableLook(t_ms, tuple(seen(track_of[code], code) for code in (*table, *extra)))

    looks = [look()]
    for code in hand:
        t_ms += 4000
        looks.append(look((code,)))
        captures = legal_captures(Card.parse(code), [Card.parse(lying) for lying in table])
        if captures:
            taken = {card.code for card in captures[0]}
            table = [lying for lying in table if lying not in taken]
            t_ms += 1000
            looks.append(look())
        else:
            table.append(code)
    return looks
