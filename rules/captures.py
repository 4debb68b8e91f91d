"""What a played card may take: the part that all capture games share (games/README.md, Capturing).

A set is found by walking the table once with the sums that the rest of it can still reach, so that no branch is
entered that leads nowhere: the work grows with the number of captures found, not with two to the number of cards.
"""

from __future__ import annotations

from collections.abc import Sequence

from rules.cards import Card

Take = tuple[Card, ...]
"""The cards that one capture takes from the table, in the order in which they lie there."""


def legal_captures(card: Card, table: Sequence[Card]) -> list[Take]:
    """Give every capture that a card can make by the common rules (games/README.md, Capturing 1-4).

    The single cards of equal value if there are any, else every set of two or more that sums to the card's value.
    Smaller sets come first, and sets of one size in the order of the table.

    >>> table = [Card.parse(code) for code in ("4d", "3c", "1b", "2s")]
    >>> [[str(taken) for taken in take] for take in legal_captures(Card.parse("7s"), table)]
    [['4d', '3c'], ['4d', '1b', '2s']]
    """
    singles = [(lying,) for lying in table if lying.value == card.value]
    if singles:
        return list(singles)
    return sets_with_sum(table, card.value, at_least=2)


def ace_captures(table: Sequence[Card]) -> list[Take]:
    """Give every capture of an ace that takes all (scopa.md#asso_piglia_tutto, slurp.md#6).

    An ace that lies there if there is one, alone; else the whole table, and nothing when it is empty.

    >>> table = [Card.parse(code) for code in ("3H", "JD", "QC")]
    >>> [[str(taken) for taken in take] for take in ace_captures(table)]
    [['3H', 'JD', 'QC']]
    """
    aces: list[Take] = [(lying,) for lying in table if lying.value == 1]
    return aces if aces or not table else [tuple(table)]


def ace_matches(takes: Sequence[Card], table: Sequence[Card]) -> bool:
    """Tell whether cards are of those that an ace that takes all can take: aces, or everything where none lies."""
    if any(lying.value == 1 for lying in table):
        return all(taken.value == 1 for taken in takes)
    return set(takes) >= set(table)


def can_capture(card: Card, table: Sequence[Card]) -> bool:
    """Tell whether a card can take anything by the common rules, without listing what."""
    # An equal card is itself a sum of one, and a set is a sum of more: either way the value must be reachable.
    return has_sum(table, card.value)


def has_sum(table: Sequence[Card], total: int) -> bool:
    """Tell whether some cards of the table, one or more, sum to a total above zero."""
    if total <= 0:
        return False
    reachable = 1
    for lying in table:
        reachable |= reachable << lying.value
    return bool(reachable >> total & 1)


def sets_with_sum(table: Sequence[Card], total: int, at_least: int = 1) -> list[Take]:
    """Give every set of at least ``at_least`` table cards whose values sum to ``total``.

    Smaller sets come first, and sets of one size in the order of the table.
    """
    if total <= 0:
        return []
    cards = [lying for lying in table if lying.value <= total]
    values = [lying.value for lying in cards]
    count = len(cards)
    # reachable[i] has bit s set when some of the cards from i on sum to s.
    reachable = [1] * (count + 1)
    for place in range(count - 1, -1, -1):
        reachable[place] = reachable[place + 1] | reachable[place + 1] << values[place]

    found: list[Take] = []
    # Each entry: the next card to look at, what is still missing, the cards chosen so far.
    pending: list[tuple[int, int, Take]] = [(0, total, ())]
    while pending:
        place, missing, chosen = pending.pop()
        if not reachable[place] >> missing & 1:
            continue
        if missing == 0:
            if len(chosen) >= at_least:
                found.append(chosen)
            continue
        pending.append((place + 1, missing, chosen))
        if values[place] <= missing:
            pending.append((place + 1, missing - values[place], (*chosen, cards[place])))
    # The walk finds sets of one size already in table order, and sorting by size keeps that order.
    found.sort(key=len)
    return found
