"""How rulings and flags are told in a document: each with its code, its rule, its arguments and its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rules.record import Header, Settled
from rules.ruling import Reason
from scorer.wording import Args, plain, say


class Notes:
    """Word what the referee says of a record in ``en`` or ``it``, and keep what is wrong with it as ``flags``."""

    def __init__(self, header: Header, language: str) -> None:
        """Begin without a flag."""
        self.header = header
        self.language = language
        self.flags: list[dict[str, Any]] = []

    def say(self, code: str, args: Args = ()) -> str:
        """Give the sentence for a code, players by their names."""
        return say(code, args, self.language, self.header.players)

    def flag(self, number: int, *reasons: Reason) -> None:
        """Tell what is wrong at an event beyond a ruling of its own."""
        for reason in reasons:
            self.flags.append({"event": number, "reason": reason.code, "text": self.say(reason.code, reason.args),
                               "rule": reason.rule, "args": plain_args(reason.args)})

    def forfeit(self, here: Settled, rule: str) -> dict[str, Any]:
        """Flag that a player gives up, and give it as the match tells it."""
        seat, why = here.event["player"], here.event.get("reason") or ""
        self.flag(here.number, Reason("forfeit" if why else "forfeit-plain", rule, (("player", seat), ("reason", why))))
        return {"event": here.number, "player": seat, "reason": why}

    def reasons(self, reasons: Sequence[Reason]) -> dict[str, Any]:
        """Give the reasons of a ruling: their codes, and beside each its sentence and arguments."""
        return {"reasons": [reason.code for reason in reasons],
                "why": [self.say(reason.code, reason.args) for reason in reasons],
                "why_args": [plain_args(reason.args) for reason in reasons]}


def plain_args(args: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Give arguments as JSON can hold them."""
    return {name: plain(value) for name, value in args}


def marks(here: Settled) -> dict[str, bool]:
    """Give what people did to an event, as its entry tells it: ``undone``, ``stands``, ``corrected``, where true."""
    return {mark: True for mark in ("undone", "stands", "corrected") if getattr(here, mark)}
