"""Scopa, with its variants (games/scopa.md)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.capture_game import Opening, Place, Position, standard_complaints
from rules.captures import Take, ace_captures, ace_matches, legal_captures, sets_with_sum
from rules.cards import Card
from rules.record import Header
from rules.ruling import Reason

_RULES_OF = {"not-a-sum": "README.md#2", "single-card-precedence": "README.md#2", "more-than-one": "README.md#1"}
_FIFTEEN = 15


class Scopa:
    """Rule on the plays of Scopa (games/scopa.md; the numbers are that page's)."""

    page = "scopa.md"
    turn_rule = "scopa.md#6"
    deal_rule = "scopa.md#3"

    def opening(self, header: Header, laid: int) -> Opening:
        """Give 3: three cards each and four on the table; in scopone ten and none, or nine and four."""
        scopone = header.options["scopone"]
        if scopone == "10+0" or (scopone == "yes" and laid == 0):
            return Opening(table=0, hand=10)
        if scopone != "no":
            return Opening(table=4, hand=9)
        return Opening(table=4, hand=3)

    def misdeal(self, header: Header, table: Sequence[Card]) -> list[Reason]:
        """Give 4: three or four kings are dealt again; with asso_piglia_tutto, two or more aces are too."""
        reasons = []
        kings = tuple(card for card in table if card.value == 10)
        if len(kings) >= 3:
            reasons.append(Reason("misdeal", "scopa.md#4", (("cards", kings),)))
        aces = tuple(card for card in table if card.value == 1)
        if len(aces) >= 2 and header.options["asso_piglia_tutto"] != "no":
            reasons.append(Reason("misdeal", "scopa.md#asso_piglia_tutto", (("cards", aces),)))
        return reasons

    def captures(self, header: Header, card: Card, position: Position) -> list[Take]:
        """Give 6 and the variants: what a card may take."""
        table = position.table
        if self._ace_is_special(header, card, position):
            return ace_captures(table)
        if header.options["scopa_di_quindici"]:
            found = sets_with_sum(table, _FIFTEEN - card.value)
        else:
            found = legal_captures(card, table)
        if header.options["fewest_cards"] and found:
            # Smaller sets come first.
            found = [take for take in found if len(take) == len(found[0])]
        return found

    def may_lay(self, header: Header, card: Card, position: Position, captures: Sequence[Take]) -> bool:
        """Give 7: a card that can take must take."""
        return not captures

    def complaints(self, header: Header, card: Card, takes: Sequence[Card], position: Position,
                   captures: Sequence[Take]) -> list[Reason]:
        """Give 7 and the common rules of capturing."""
        if not takes:
            if not captures:
                return []
            return [Reason("capture-was-due", "scopa.md#7", (("card", card), ("captures", tuple(captures))))]
        if self._ace_is_special(header, card, position):
            rules_of = dict.fromkeys(_RULES_OF, "scopa.md#asso_piglia_tutto")
            return standard_complaints(card, takes, position, rules_of, matches=ace_matches(takes, position.table))
        if header.options["scopa_di_quindici"]:
            rules_of = dict.fromkeys(_RULES_OF, "scopa.md#scopa_di_quindici")
            fifteen = sum(taken.value for taken in takes) + card.value == _FIFTEEN
            reasons = standard_complaints(card, takes, position, rules_of, precedence=False, matches=fifteen)
        else:
            reasons = standard_complaints(card, takes, position, _RULES_OF)
        if not reasons and captures and len(takes) > len(captures[0]) and header.options["fewest_cards"]:
            reasons.append(Reason("fewest-cards", "README.md#2",
                                  (("card", card), ("takes", tuple(takes)), ("captures", tuple(captures)))))
        return reasons

    def rule_of(self, header: Header, card: Card, takes: Sequence[Place], position: Position) -> str:
        """Give the rule under which a play is legal: 6, or the variant that lets the card take."""
        if takes and self._ace_is_special(header, card, position):
            return "scopa.md#asso_piglia_tutto"
        if takes and header.options["scopa_di_quindici"]:
            return "scopa.md#scopa_di_quindici"
        return "scopa.md#6"

    def is_sweep(self, header: Header, card: Place, table: Sequence[Place], position: Position) -> bool:
        """Give 8: emptying the table scores, unless with the very last card of the hand."""
        if position.last and not header.options["last_sweep"]:
            return False
        takes_all = card is not None and self._ace_is_special(header, card, position) and not _has_ace(table)
        return not (takes_all and header.options["asso_piglia_tutto"] == "no_scopa")

    def sweep_rule(self, header: Header, card: Place, table: Sequence[Place], position: Position) -> str:
        """Give 8, or asso_piglia_tutto where an ace takes all without a point."""
        if card is not None and self._ace_is_special(header, card, position) and not _has_ace(table):
            return "scopa.md#asso_piglia_tutto"
        return "scopa.md#8"

    @staticmethod
    def _ace_is_special(header: Header, card: Card, position: Position) -> bool:
        variant = header.options["asso_piglia_tutto"]
        return card.value == 1 and variant != "no" and not (variant == "traditional" and position.first)


def _has_ace(table: Sequence[Place]) -> bool:
    return any(lying is not None and lying.value == 1 for lying in table)


RULES = Scopa()
