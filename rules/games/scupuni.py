"""Scupuni, the scopone of Caltavuturo (games/scupuni.md)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.capture_game import Opening, Place, Position, standard_complaints
from rules.captures import Take, legal_captures
from rules.cards import Card
from rules.record import Header
from rules.ruling import Reason

_RULES_OF = {"not-a-sum": "scupuni.md#5", "single-card-precedence": "scupuni.md#5", "more-than-one": "README.md#1"}


class Scupuni:
    """Rule on the plays of Scupuni (games/scupuni.md; the numbers are that page's)."""

    page = "scupuni.md"
    turn_rule = "scupuni.md#4"
    deal_rule = "scupuni.md#4"

    def opening(self, header: Header, laid: int) -> Opening:
        """Give 4: ten cards each and none on the table."""
        return Opening(table=0, hand=10)

    def misdeal(self, header: Header, table: Sequence[Card]) -> list[Reason]:
        """Give none: no card is laid on the table."""
        return []

    def captures(self, header: Header, card: Card, position: Position) -> list[Take]:
        """Give 5: an equal card, or else any set that sums to the card."""
        return legal_captures(card, position.table)

    def may_lay(self, header: Header, card: Card, position: Position, captures: Sequence[Take]) -> bool:
        """Give 7: a card may be laid when its value is different from every value on the table."""
        return all(lying.value != card.value for lying in position.table)

    def complaints(self, header: Header, card: Card, takes: Sequence[Card], position: Position,
                   captures: Sequence[Take]) -> list[Reason]:
        """Give 5 and 7."""
        if takes:
            return standard_complaints(card, takes, position, _RULES_OF)
        if self.may_lay(header, card, position, captures):
            return []
        return [Reason("capture-was-due", "scupuni.md#7", (("card", card), ("captures", tuple(captures))))]

    def rule_of(self, header: Header, card: Card, takes: Sequence[Place], position: Position) -> str:
        """Give the rule under which a play is legal: 5 for a capture, 7 for a card laid."""
        return "scupuni.md#5" if takes else "scupuni.md#7"

    def is_sweep(self, header: Header, card: Place, table: Sequence[Place], position: Position) -> bool:
        """Give 6 and 8: emptying the table scores, unless the dealer does it with the last card of all."""
        return not (position.last and position.seat == position.dealer)

    def sweep_rule(self, header: Header, card: Place, table: Sequence[Place], position: Position) -> str:
        """Give 6, or 8 for the last card of all."""
        return "scupuni.md#8" if position.last else "scupuni.md#6"


RULES = Scupuni()
