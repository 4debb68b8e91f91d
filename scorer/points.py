"""Piles to points, for the three capture games: each point with its cards and the reason why.

A point that goes to nobody is told as well ("5-5: nobody"). Everything here is a function of the piles and the sweeps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rules.cards import Card
from rules.record import Header

PRIMIERA_VALUES = {"7": 21, "6": 18, "1": 16, "A": 16, "5": 15, "4": 14, "3": 13, "2": 12}
_FIGURE = 10
_SETTANTA_ORDER = (7, 6, 1, 5, 4, 3, 2)
_SUITS = "dcsb"


@dataclass(frozen=True, slots=True)
class Pile:
    """Hold what one side has taken: the cards seen, how many were not seen, and the card that made each sweep."""

    cards: tuple[Card, ...]
    unseen: int = 0
    sweeps: tuple[Card | None, ...] = ()

    @property
    def size(self) -> int:
        """Give the number of cards, those not seen included."""
        return len(self.cards) + self.unseen


@dataclass(frozen=True, slots=True)
class Point:
    """Hold the points that one side gets, or does not get (0), for one thing.

    ``why`` is the code of the reason and ``args`` what its text needs; ``cards`` are the cards that prove it.
    """

    name: str
    points: int
    cards: tuple[Card | None, ...]
    why: str
    args: tuple[tuple[str, object], ...] = ()


Award = list[Point]
"""One point of the game as each side gets it or not, by side."""


def points_of(header: Header, piles: Sequence[Pile]) -> list[Award]:
    """Give every point of the game in the order in which it is called, each for all sides."""
    return [count(header, piles) for count in counters(header)]


def counters(header: Header) -> list[Callable[[Header, Sequence[Pile]], Award]]:
    """Give the counts that a game makes, in the order in which they are called (scopa.md#10 to 14, slurp.md#10)."""
    if header.game == "slurp":
        return [sevens, diamonds, figures, cards, five_of_hearts, slurps]
    counts: list[Callable[[Header, Sequence[Pile]], Award]] = [carte, denari, settebello, primiera, scope]
    if header.options["napola"]:
        counts.append(napola)
    if header.options["re_bello"]:
        counts.append(re_bello)
    return counts


# Scopa and Scupuni --------------------------------------------------------------------------------------------------


def carte(header: Header, piles: Sequence[Pile]) -> Award:
    """Count scopa.md#10: more than half the cards; with three sides or more strictly the most."""
    sizes = [pile.size for pile in piles]
    winner = _strictly_most(sizes)
    if len(piles) == 2 and winner is not None and sizes[winner] <= 20:
        winner = None
    return _compared("carte", sizes, winner, [pile.cards for pile in piles])


def denari(header: Header, piles: Sequence[Pile]) -> Award:
    """Count scopa.md#11: strictly the most cards of denari; scupuni.md#9: six or more."""
    held = [tuple(card for card in pile.cards if card.italian_suit == "d") for pile in piles]
    sizes = [len(of_side) for of_side in held]
    winner = _strictly_most(sizes)
    if header.game == "scupuni" and winner is not None and sizes[winner] < 6:
        winner = None
    return _compared("denari", sizes, winner, held)


def settebello(header: Header, piles: Sequence[Pile]) -> Award:
    """Count scopa.md#12: the 7 of denari."""
    return _held("settebello", piles, lambda card: card.italian_suit == "d" and card.value == 7)


def re_bello(header: Header, piles: Sequence[Pile]) -> Award:
    """Count the variant re_bello: the king of denari."""
    return _held("re_bello", piles, lambda card: card.italian_suit == "d" and card.value == 10)


def napola(header: Header, piles: Sequence[Pile]) -> Award:
    """Count the variant napola: 1, 2 and 3 of denari are 3 points, and each next denari in sequence one more."""
    award = []
    for pile in piles:
        by_value = {card.value: card for card in pile.cards if card.italian_suit == "d"}
        run: list[Card] = []
        while len(run) + 1 in by_value:
            run.append(by_value[len(run) + 1])
        if len(run) >= 3:
            award.append(Point("napola", len(run), tuple(run), "napola", (("length", len(run)),)))
        else:
            award.append(Point("napola", 0, (), "no-napola"))
    return award


def scope(header: Header, piles: Sequence[Pile]) -> Award:
    """Count scopa.md#14: each scopa."""
    return _sweeps("scope", piles)


@dataclass(frozen=True, slots=True)
class Primiera:
    """Hold the primiera of one side: its best card of each suit it has, their sum, and what ranks before the sum."""

    cards: tuple[Card, ...]
    sum: int
    suits: int


def primiera_of(pile: Pile) -> Primiera:
    """Give the best card of each suit of a pile and their sum (scopa.md#13, scupuni.md#9)."""
    best_of: dict[str, Card] = {}
    for card in pile.cards:
        best = best_of.get(card.italian_suit)
        if best is None or _primiera_value(card) > _primiera_value(best):
            best_of[card.italian_suit] = card
    cards = tuple(best_of[suit] for suit in _SUITS if suit in best_of)
    return Primiera(cards, sum(map(_primiera_value, cards)), len(cards))


def primiera(header: Header, piles: Sequence[Pile]) -> Award:
    """Count scopa.md#13 and scupuni.md#9: the highest sum among the sides with all suits, or with the most suits."""
    if header.options.get("primiera") == "settanta":
        return _settanta(piles)
    hands = [primiera_of(pile) for pile in piles]
    most_suits = max(hand.suits for hand in hands)
    any_suits = header.options.get("primiera") == "any_suits"
    sums = [hand.sum if any_suits or hand.suits == most_suits else 0 for hand in hands]
    winner = _strictly_most(sums)
    award = []
    for side, hand in enumerate(hands):
        others = [other.sum for number, other in enumerate(hands) if number != side]
        args: tuple[tuple[str, object], ...] = (("sums", (hand.sum, *others)), ("cards", hand.cards),
                                                ("suits", hand.suits), ("most_suits", most_suits))
        if side == winner:
            beaten = max(others) >= hand.sum
            award.append(Point("primiera", 1, hand.cards, "more-suits" if beaten else "primiera", args))
        elif not any_suits and hand.suits < most_suits:
            award.append(Point("primiera", 0, hand.cards, "lacks-suit", args))
        else:
            why = "primiera-level" if winner is None else "primiera"
            award.append(Point("primiera", 0, hand.cards, why, args))
    return award


def _primiera_value(card: Card) -> int:
    return PRIMIERA_VALUES.get(card.rank, _FIGURE)


def _settanta(piles: Sequence[Pile]) -> Award:
    """Count the variant settanta: most sevens; ties by sixes, then aces, then 5, 4, 3, 2."""
    for value in _SETTANTA_ORDER:
        held = [tuple(card for card in pile.cards if card.value == value) for pile in piles]
        counts = [len(of_side) for of_side in held]
        leaders = _leaders(counts)
        if len(leaders) < len(piles):
            # Sides that fall behind at one rank are out: the next rank decides among the leaders alone.
            if len(leaders) == 1:
                return [Point("primiera", int(side in leaders), held[side],
                              "settanta" if side in leaders else "fewer",
                              (("counts", _own_first(counts, side)), ("value", value)))
                        for side in range(len(piles))]
            among = _settanta([piles[side] for side in leaders])
            by_side = dict(zip(leaders, among, strict=True))
            return [by_side.get(side) or Point("primiera", 0, held[side], "fewer",
                                               (("counts", _own_first(counts, side)), ("value", value)))
                    for side in range(len(piles))]
    return [Point("primiera", 0, (), "level") for _ in piles]


# Slurp --------------------------------------------------------------------------------------------------------------


def sevens(header: Header, piles: Sequence[Pile]) -> Award:
    """Count slurp.md#10a: three or four sevens; at 2-2 the holder of the 6 of hearts."""
    return _deck_point("sevens", piles, lambda card: card.value == 7, 4, "c")


def diamonds(header: Header, piles: Sequence[Pile]) -> Award:
    """Count slurp.md#10b: six diamonds or more; at 5-5 the holder of the 6 of diamonds."""
    return _deck_point("diamonds", piles, lambda card: card.italian_suit == "d", 10, "d")


def figures(header: Header, piles: Sequence[Pile]) -> Award:
    """Count slurp.md#10c: seven figures or more; at 6-6 the holder of the 6 of clubs."""
    return _deck_point("figures", piles, lambda card: card.is_figure, 12, "b")


def cards(header: Header, piles: Sequence[Pile]) -> Award:
    """Count slurp.md#10d: 21 cards or more; at 20-20 the holder of the 6 of spades."""
    return _deck_point("cards", piles, lambda card: True, 40, "s")


def five_of_hearts(header: Header, piles: Sequence[Pile]) -> Award:
    """Count slurp.md#10e: the 5 of hearts."""
    return _held("five_of_hearts", piles, lambda card: card.italian_suit == "c" and card.value == 5)


def slurps(header: Header, piles: Sequence[Pile]) -> Award:
    """Count slurp.md#5 and 6: each Slurp point."""
    return _sweeps("slurps", piles)


def _deck_point(name: str, piles: Sequence[Pile], belongs: Callable[[Card], bool], all_of_them: int,
                six_of: str) -> Award:
    held = [tuple(card for card in pile.cards if belongs(card)) for pile in piles]
    counts = [len(of_side) + (piles[side].unseen if name == "cards" else 0) for side, of_side in enumerate(held)]
    winner = next((side for side, count in enumerate(counts) if count * 2 > all_of_them), None)
    if winner is not None:
        return [Point(name, int(side == winner), held[side], "majority" if side == winner else "fewer",
                      (("counts", _own_first(counts, side)), ("count", counts[side]), ("of", all_of_them),
                       ("name", name)))
                for side in range(len(piles))]
    if counts[0] != counts[1] or counts[0] * 2 != all_of_them:
        return [Point(name, 0, held[side], "nobody", (("counts", _own_first(counts, side)), ("of", all_of_them)))
                for side in range(len(piles))]
    award = []
    for side, pile in enumerate(piles):
        six = next((card for card in pile.cards if card.value == 6 and card.italian_suit == six_of), None)
        decided: tuple[Card, ...] = (six,) if six else ()
        award.append(Point(name, int(six is not None), (*held[side], *(card for card in decided
                                                                      if card not in held[side])),
                           "level-with-six" if six else "level-without-six",
                           (("counts", _own_first(counts, side)), ("six", _six_name(pile, six_of)))))
    return award


def _six_name(pile: Pile, suit: str) -> Card:
    french = any(card.is_french for card in pile.cards)
    return Card("6", {"d": "D", "c": "H", "s": "S", "b": "C"}[suit] if french else suit)


# Common -------------------------------------------------------------------------------------------------------------


def _sweeps(name: str, piles: Sequence[Pile]) -> Award:
    return [Point(name, len(pile.sweeps), pile.sweeps, "sweeps" if pile.sweeps else "no-sweeps",
                  (("count", len(pile.sweeps)),)) for pile in piles]


def _held(name: str, piles: Sequence[Pile], is_it: Callable[[Card], bool]) -> Award:
    award = []
    taken = any(is_it(card) for pile in piles for card in pile.cards)
    for pile in piles:
        held = tuple(card for card in pile.cards if is_it(card))
        why = "holds" if held else "other-side-holds" if taken else "nobody-holds"
        award.append(Point(name, min(1, len(held)), held, why, (("name", name),)))
    return award


def _compared(name: str, sizes: Sequence[int], winner: int | None, held: Sequence[tuple[Card, ...]]) -> Award:
    return [Point(name, int(side == winner), held[side],
                  "more" if side == winner else "nobody" if winner is None else "fewer",
                  (("counts", _own_first(sizes, side)),))
            for side in range(len(sizes))]


def _strictly_most(counts: Sequence[int]) -> int | None:
    leaders = _leaders(counts)
    return leaders[0] if len(leaders) == 1 and counts[leaders[0]] > 0 else None


def _leaders(counts: Sequence[int]) -> list[int]:
    most = max(counts)
    return [side for side, count in enumerate(counts) if count == most]


def _own_first(counts: Sequence[int], side: int) -> tuple[int, ...]:
    """Give the counts with a side's own first, as people say them: "21-19"."""
    return (counts[side], *(count for number, count in enumerate(counts) if number != side))
