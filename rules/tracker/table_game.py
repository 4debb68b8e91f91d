"""What the tracker must know of a capture game: whose turn, what a card may take, how many plays. Not the referee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.captures import legal_captures, sets_with_sum
from rules.cards import FRENCH_40_CODES, ITALIAN_CODES, Card

Codes = frozenset[str]

_DECK_SIZE = 40
_FOLLOWED = ("scopa", "scupuni", "slurp")


class UnknownGameError(ValueError):
    """Say that the tracker does not follow this game."""


class TableGame:
    """Know how one capture game moves cards between hands and table.

    It serves to weigh readings of what was seen; rulings are the referee's.
    """

    def __init__(self, match: Mapping[str, Any], deck: Sequence[str] | None = None) -> None:
        """Read a match event.

        Args:
            match: The record's match event: `game`, `players`, `dealer`, `options`.
            deck: The 40 codes in play; by default the game's own (Scopa and Scupuni Italian, Slurp French).

        Raises:
            UnknownGameError: A game that is not followed, or a number of players that it does not have.
        """
        name = str(match.get("game", ""))
        if name not in _FOLLOWED:
            raise UnknownGameError(
                f"the game {name!r} is not one whose plays are followed: {', '.join(_FOLLOWED)}"
            )
        options = dict(match.get("options") or {})
        self.name = name
        self.seats = len(match.get("players") or ())
        if self.seats not in {"scopa": (2, 3, 4), "scupuni": (4,), "slurp": (2,)}[name]:
            raise UnknownGameError(f"{name} is not played by {self.seats}")
        if deck is None:
            deck = FRENCH_40_CODES if name == "slurp" else ITALIAN_CODES
        self.deck = tuple(deck)
        self.value = {code: Card.parse(code).value for code in self.deck}
        scopone = options.get("scopone")
        if name == "scupuni" or scopone == "scientifico" or options.get("scopone_scientifico"):
            self.opening = 0
        else:
            self.opening = 4
        self.plays = _DECK_SIZE - self.opening
        self._fifteen = bool(options.get("scopa_di_quindici"))
        self._ace_takes_all = name == "slurp" or options.get("asso_piglia_tutto", "no") not in (
            "no",
            None,
            False,
        )
        self._may_decline_sum = name == "scupuni"
        self._legal: dict[tuple[int, Codes], tuple[Codes, ...]] = {}

    def seat(self, dealer: int, play: int) -> int:
        """Give the seat whose turn the play of this number (from 0) is; seats are numbered in the direction of play."""
        return (dealer + 1 + play) % self.seats

    def captures(self, card: str, table: Codes) -> tuple[Codes, ...]:
        """List what the card may take from the table (../games: "Capturing, common to all")."""
        key = (self.value[card], table)
        known = self._legal.get(key)
        if known is None:
            if len(self._legal) > 200_000:
                self._legal.clear()
            known = self._legal[key] = self._captures(card, table)
        return known

    def may_lay(self, card: str, table: Codes) -> bool:
        """Say whether the card may be laid down without taking."""
        if self._may_decline_sum:
            return all(self.value[other] != self.value[card] for other in table)
        return not self.captures(card, table)

    def is_void(self, table: Codes) -> bool:
        """Say whether the opening table must be dealt again (three kings or more; two aces where aces take all)."""
        if self._ace_takes_all and sum(self.value[code] == 1 for code in table) >= 2:
            return True
        return self.name == "scopa" and sum(self.value[code] == 10 for code in table) >= 3

    def _captures(self, code: str, table: Codes) -> tuple[Codes, ...]:
        card = Card.parse(code)
        if card.value == 1 and self._ace_takes_all and table:
            aces = tuple(frozenset({lying}) for lying in sorted(table) if self.value[lying] == 1)
            return aces or (table,)
        lying_cards = [Card.parse(lying) for lying in sorted(table)]
        takes = (
            sets_with_sum(lying_cards, 15 - card.value)
            if self._fifteen
            else legal_captures(card, lying_cards)
        )
        return tuple(frozenset(taken.code for taken in take) for take in takes)
