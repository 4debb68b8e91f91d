"""From readings to record events: what is new is written, what was written wrongly is corrected. Owns line numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

Event = dict[str, Any]

Core = tuple[int, str | None, tuple[str, ...]]
"""Player, card and takes: what makes a play another one for the record."""


@dataclass(frozen=True, slots=True)
class WantedPlay:
    """Hold a play as the record should say it.

    Args:
        player: Seat.
        card: Code, or None when the card was not seen well enough.
        takes: Codes taken, sorted.
        t_ms: When it was first seen.
        confidence: Probability that player, card and takes are all right.
        candidates: Other ways to read it, the likeliest first, as `{"card", "takes", "probability"}`.
        is_held: Whether it is too early to write it down.
    """

    player: int
    card: str | None
    takes: tuple[str, ...]
    t_ms: int
    confidence: float
    candidates: tuple[Mapping[str, Any], ...] = ()
    is_held: bool = False

    def core(self) -> Core:
        """Give what makes it another play for the record."""
        return (self.player, self.card, self.takes)

    def fields(self) -> Event:
        """Give the fields of a play or of its correction."""
        return {
            "player": self.player,
            "card": self.card,
            "takes": list(self.takes),
            "t_ms": self.t_ms,
            "confidence": round(self.confidence, 4),
            "candidates": [dict(candidate) for candidate in self.candidates],
        }


# A confidence is told again when it has grown by so much, and its doubt shrunk by this factor; or fallen by the factor.
_NOTICEABLE, _FACTOR = 0.08, 2.0


def _is_surer_or_not(told: float, now: float) -> bool:
    """Tell whether a confidence has changed so much that people should know.

    While somebody is about to play all that came before may look a little less sure for a moment: that is no news.
    """
    if now < told:
        return now < told / _FACTOR
    return now - told >= _NOTICEABLE and 1.0 - told >= _FACTOR * (1.0 - now)


@dataclass(slots=True)
class _Written:
    """Hold a play as the record says it."""

    line: int
    core: Core
    confidence: float
    is_told: bool = False


@dataclass(slots=True)
class RecordWriter:
    """Keep the record in step with the best reading.

    Lines are counted from 1, the match event being line 1; every event that is written and every command counts.
    """

    lines: int = 1
    _plays: list[_Written] = field(default_factory=list)
    _deal_line: int | None = None
    _deal: tuple[str, ...] = ()

    @property
    def plays(self) -> int:
        """Give the number of plays of this hand in the record."""
        return len(self._plays)

    def cores(self) -> list[Core]:
        """Give player, card and takes of each play of this hand as the record has them."""
        return [written.core for written in self._plays]

    def start_hand(self) -> None:
        """Forget the hand before; its lines stay as they are."""
        self._plays = []
        self._deal_line = None
        self._deal = ()

    def play_at(self, line: int) -> int | None:
        """Give the number (from 0) of the play that was written on this line, or None."""
        for number, written in enumerate(self._plays):
            if written.line == line:
                return number
        return None

    def is_deal(self, line: int) -> bool:
        """Say whether this line is this hand's deal."""
        return line == self._deal_line

    def count_command(self) -> int:
        """Count a line that somebody else wrote; give its number."""
        self.lines += 1
        return self.lines

    def take_over(self, number: int, event: Mapping[str, Any]) -> None:
        """Take a person's correction of a play for what the record says: it need not be said again."""
        written = self._plays[number]
        player, card, takes = written.core
        if event.get("player") is not None:
            player = int(event["player"])
        if "card" in event:
            card = event["card"]
        if event.get("takes") is not None:
            takes = tuple(sorted(str(taken) for taken in event["takes"]))
        written.core, written.is_told = (player, card, takes), True

    def drop(self, number: int) -> None:
        """Forget a play that the people took back."""
        del self._plays[number]

    def write_deal(self, table: Sequence[str], t_ms: int, confidence: float) -> list[Event]:
        """Write the opening table, or correct it."""
        codes = tuple(table)
        if self._deal_line is not None and set(codes) == set(self._deal):
            return []
        self._deal = codes
        body: Event = {"table": list(codes), "t_ms": t_ms, "confidence": round(confidence, 4)}
        if self._deal_line is None:
            self._deal_line = self.lines + 1
            return [self._line({"type": "deal", **body})]
        return [self._line({"type": "correct", "event": self._deal_line, **body})]

    def write_plays(self, wanted: Sequence[WantedPlay]) -> list[Event]:
        """Bring the plays of the record up to what is wanted.

        A play that never was is undone, one read anew is corrected, and so is one of which later plays have shown that
        it is much surer, or much less sure, than it was said to be. The record has no way to put a play in between:
        from there on every play is corrected to what came one before it.
        """
        ready = list(wanted)
        while ready and ready[-1].is_held and len(ready) > len(self._plays):
            ready.pop()
        events: list[Event] = []
        if len(ready) < len(self._plays):
            events += self._undo_surplus(ready)
        for number, play in enumerate(ready):
            if number < len(self._plays):
                written = self._plays[number]
                is_news = not written.is_told and _is_surer_or_not(written.confidence, play.confidence)
                if written.core != play.core() or is_news:
                    events.append(self._line({"type": "correct", "event": written.line, **play.fields()}))
                    written.core, written.confidence = play.core(), play.confidence
            else:
                self._plays.append(_Written(self.lines + 1, play.core(), play.confidence))
                events.append(self._line({"type": "play", **play.fields()}))
        return events

    def write_end(self, t_ms: int) -> list[Event]:
        """Close the hand."""
        return [self._line({"type": "end", "t_ms": t_ms})]

    def _undo_surplus(self, ready: Sequence[WantedPlay]) -> list[Event]:
        # Undo those that fit nothing, so that few lines change; the players shift, so they do not count here.
        have = [written.core[1:] for written in self._plays]
        want = [play.core()[1:] for play in ready]
        surplus = len(have) - len(want)
        doomed: list[int] = []
        for tag, start, stop, other, end in SequenceMatcher(None, have, want, autojunk=False).get_opcodes():
            if tag in ("delete", "replace"):
                doomed += list(range(start + (end - other), stop))
        doomed = sorted(doomed, reverse=True)[:surplus]
        while len(doomed) < surplus:
            doomed.append(max(set(range(len(have))) - set(doomed)))
        events = []
        for number in sorted(doomed, reverse=True):
            events.append(self._line({"type": "undo", "event": self._plays[number].line}))
            del self._plays[number]
        return events

    def _line(self, event: Event) -> Event:
        self.lines += 1
        return event
