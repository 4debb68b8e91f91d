"""Cards and their codes.

A code is a rank followed by a suit. Italian suits are lower case (``7d`` is the settebello) and French suits are
upper case (``10D``), so that no code is ambiguous and one file can hold both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

ITALIAN_SUITS = "dcsb"
ITALIAN_RANKS = ("1", "2", "3", "4", "5", "6", "7", "F", "C", "R")
FRENCH_SUITS = "HDCS"
FRENCH_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
FRENCH_40_RANKS = ("A", "2", "3", "4", "5", "6", "7", "J", "Q", "K")

ITALIAN_CODES: tuple[str, ...] = tuple(rank + suit for suit in ITALIAN_SUITS for rank in ITALIAN_RANKS)
"""The 40 Italian codes: denari, coppe, spade, bastoni; ace to re within a suit."""

FRENCH_CODES: tuple[str, ...] = tuple(rank + suit for suit in FRENCH_SUITS for rank in FRENCH_RANKS)
"""The 52 French codes: hearts, diamonds, clubs, spades; ace to king within a suit."""

FRENCH_40_CODES: tuple[str, ...] = tuple(rank + suit for suit in FRENCH_SUITS for rank in FRENCH_40_RANKS)
"""The 40 French codes of the capture games: no eights, nines and tens."""

# A French queen stands where the cavallo stands and a jack where the fante stands. Eights, nines and tens are in no
# deck of a capture game; they get their pips so that every card has a value.
_VALUES = {
    **{str(pips): pips for pips in range(1, 11)},
    "A": 1, "F": 8, "C": 9, "R": 10, "J": 8, "Q": 9, "K": 10,
}
_SUIT_PARALLELS = {"D": "d", "H": "c", "S": "s", "C": "b"}


class CardCodeError(ValueError):
    """Say that a text is not the code of a card."""


@dataclass(frozen=True, slots=True)
class Card:
    """Hold one face of an Italian or a French deck.

    ``rank`` is one of ``1``-``7 F C R`` (Italian) or ``A 2``-``10 J Q K`` (French); ``suit`` one of ``d c s b`` or
    ``H D C S``. ``code`` is both together, ``value`` the capture value (ace 1, pips, 8, 9 and 10 for the figures), and
    ``italian_suit`` the suit or its Italian parallel: diamonds are denari, hearts coppe, clubs bastoni
    (games/README.md, Cards).

    >>> Card.parse("7d").value, Card.parse("QS").value
    (7, 9)
    """

    rank: str
    suit: str
    code: str = field(init=False, compare=False, repr=False)
    value: int = field(init=False, compare=False, repr=False)
    italian_suit: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check rank and suit; raise ``CardCodeError`` for a face that no deck has."""
        ranks: tuple[str, ...] = ()
        if self.suit in tuple(ITALIAN_SUITS):
            ranks = ITALIAN_RANKS
        elif self.suit in tuple(FRENCH_SUITS):
            ranks = FRENCH_RANKS
        if self.rank not in ranks:
            raise CardCodeError(_complaint(self.rank + self.suit))
        object.__setattr__(self, "code", self.rank + self.suit)
        object.__setattr__(self, "value", _VALUES[self.rank])
        object.__setattr__(self, "italian_suit", _SUIT_PARALLELS.get(self.suit, self.suit))

    def __str__(self) -> str:
        """Give the code."""
        return self.code

    @classmethod
    def parse(cls, code: object) -> Card:
        """Give the card of a code; raise ``CardCodeError`` for anything else.

        >>> Card.parse("10D")
        Card(rank='10', suit='D')
        """
        card = _BY_CODE.get(code) if isinstance(code, str) else None
        if card is None:
            raise CardCodeError(_complaint(code))
        return card

    @property
    def is_french(self) -> bool:
        """Tell whether the card belongs to a French deck."""
        return self.suit in FRENCH_SUITS

    @property
    def order(self) -> int:
        """Give the place in the suit: 1 to 10 in an Italian deck, 1 (ace) to 13 (king) in a French one."""
        return (FRENCH_RANKS if self.is_french else ITALIAN_RANKS).index(self.rank) + 1

    @property
    def is_figure(self) -> bool:
        """Tell whether the card is a fante, cavallo or re, or a jack, queen or king."""
        return self.rank in "FCRJQK"

    @property
    def is_red(self) -> bool:
        """Tell whether a French card is a heart or a diamond."""
        return self.suit in "HD"


def _complaint(code: object) -> str:
    return (f"{code!r} is not a card: a code is a rank (Italian 1-7 F C R, French A 2-10 J Q K) "
            "and a suit (Italian d c s b, French H D C S), for example 7d or 10D")


_BY_CODE: dict[str, Card] = {}
for _code in ITALIAN_CODES + FRENCH_CODES:
    _BY_CODE[_code] = Card(_code[:-1], _code[-1])


def parse_cards(codes: Iterable[object]) -> tuple[Card, ...]:
    """Give the cards of several codes, in order; raise ``CardCodeError`` at the first that is none."""
    return tuple(Card.parse(code) for code in codes)


ITALIAN_DECK: tuple[Card, ...] = parse_cards(ITALIAN_CODES)
FRENCH_DECK: tuple[Card, ...] = parse_cards(FRENCH_CODES)
FRENCH_40_DECK: tuple[Card, ...] = parse_cards(FRENCH_40_CODES)
