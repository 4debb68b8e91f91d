"""What a ruling is made of, in every game."""

from __future__ import annotations

from dataclasses import dataclass

UNNUMBERED = "README.md"
"""The page of what holds for all games without being a numbered rule, such as where a card can be."""

Args = tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """Hold one reason of a ruling, or one thing that is wrong with a position.

    ``code`` names it, ``rule`` is the rule's place on its page (``scopa.md#7``), ``args`` what its text needs.
    """

    code: str
    rule: str
    args: Args = ()
