"""Slurp, by Roberto Rampini (games/slurp.md)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.capture_game import Opening, Place, Position, standard_complaints
from rules.captures import Take, ace_captures, ace_matches, legal_captures
from rules.cards import Card
from rules.record import Header
from rules.ruling import Reason

_RULES_OF = dict.fromkeys(("not-a-sum", "single-card-precedence", "more-than-one"), "slurp.md#2")
_RULES_OF_ACES = dict.fromkeys(_RULES_OF, "slurp.md#6")


class Slurp:
    """Rule on the plays of Slurp (games/slurp.md; the numbers are that page's)."""

    page = "slurp.md"
    turn_rule = "slurp.md#2"
    deal_rule = "slurp.md#1"

    def opening(self, header: Header, laid: int) -> Opening:
        """Give 1: four cards on the table and three each."""
        return Opening(table=4, hand=3)

    def misdeal(self, header: Header, table: Sequence[Card]) -> list[Reason]:
        """Give 1: two or more aces among the four are dealt again."""
        aces = tuple(card for card in table if card.value == 1)
        return [Reason("misdeal", "slurp.md#1", (("cards", aces),))] if len(aces) >= 2 else []

    def captures(self, header: Header, card: Card, position: Position) -> list[Take]:
        """Give 2 and 6: an equal card or else a set; an ace takes an ace or else the whole table."""
        return ace_captures(position.table) if card.value == 1 else legal_captures(card, position.table)

    def may_lay(self, header: Header, card: Card, position: Position, captures: Sequence[Take]) -> bool:
        """Give 4: a card stays on the table only if it can capture nothing."""
        return not captures

    def complaints(self, header: Header, card: Card, takes: Sequence[Card], position: Position,
                   captures: Sequence[Take]) -> list[Reason]:
        """Give 2, 4 and 6."""
        if not takes:
            if not captures:
                return []
            return [Reason("capture-was-due", "slurp.md#4", (("card", card), ("captures", tuple(captures))))]
        if card.value != 1:
            return standard_complaints(card, takes, position, _RULES_OF)
        return standard_complaints(card, takes, position, _RULES_OF_ACES, matches=ace_matches(takes, position.table))

    def rule_of(self, header: Header, card: Card, takes: Sequence[Place], position: Position) -> str:
        """Give the rule under which a play is legal: 2 for a capture, 6 for an ace, 4 for a card laid."""
        if card.value == 1:
            return "slurp.md#6"
        return "slurp.md#2" if takes else "slurp.md#4"

    def is_sweep(self, header: Header, card: Place, table: Sequence[Place], position: Position) -> bool:
        """Give 5: emptying the table always scores, with the last capture too."""
        return True

    def sweep_rule(self, header: Header, card: Place, table: Sequence[Place], position: Position) -> str:
        """Give 5, or 6 for an ace."""
        return "slurp.md#6" if card is not None and card.value == 1 else "slurp.md#5"


RULES = Slurp()
