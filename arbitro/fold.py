"""What a session has come to: a fold over its journal.

Owns the meaning of the journal's rows (docs/architecture.md lists their fields). It computes no points and touches no
file: `arbitro.table` gives it the rows and asks the scorer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arbitro.journal import Event

RecordEvent = dict[str, Any]

# The people's commands that go on the hand record as they are; `answer` becomes a `correct` first.
RECORD_COMMANDS = ("correct", "stand", "undo", "forfeit")
# Warnings about the play, which are over when the next hand begins.
OF_ONE_HAND = ("lost-thread", "missing-plays")


@dataclass
class Reading:
    """How one play was read: by the camera with a confidence (0..1), or said by the people.

    `candidates` are the other readings that the camera thinks possible, likeliest first.
    """

    t_ms: int | None = None
    confidence: float | None = None
    candidates: list[dict[str, Any]] = field(default_factory=list)
    settled: bool = False


@dataclass
class Session:
    """The state of a session after a number of events; an empty journal gives the empty session.

    Attributes:
        about: what the newest `session` row says, or a match set up since: source, game, players, dealer, options,
            deck, live.
        begun_as: the match event with which the journal begins; people may have set up another one since.
        begun_at: number of the journal's event with which the newest match begins.
        begun_look: what lay on the table for it then: a `table` row with a look, None if there was none.
        record: the hand record of the newest match so far; event N of the contract is `record[N - 1]`.
        readings: by event number, how the plays were read.
        followed: by event number of a person's command, the numbers of the events that the tracker wrote in answer.
        taken_back: event numbers of the people's commands that they took back, and of what followed from those.
        table: the newest `table` row: what lies there.
        look: the newest `table` row that has a look.
        last_t_ms: media time up to which the film has been looked at, None before the first look.
        source: "waiting", "open", "lost" or "ended".
        error: why there is no picture, if there is none.
        warnings: by code, the arguments of the warnings that hold now.
        performance: frames, fps, dropped_frames.
        revision: number of the newest event.
    """

    about: dict[str, Any] = field(default_factory=dict)
    begun_as: RecordEvent = field(default_factory=dict)
    begun_at: int = 0
    begun_look: dict[str, Any] | None = None
    record: list[RecordEvent] = field(default_factory=list)
    readings: dict[int, Reading] = field(default_factory=dict)
    followed: dict[int, list[int]] = field(default_factory=dict)
    taken_back: set[int] = field(default_factory=set)
    table: dict[str, Any] = field(default_factory=dict)
    look: dict[str, Any] | None = None
    last_t_ms: int | None = None
    source: str = "waiting"
    error: str | None = None
    warnings: dict[str, dict[str, Any]] = field(default_factory=dict)
    performance: dict[str, Any] = field(default_factory=dict)
    revision: int = 0
    _answering: int | None = None

    def apply(self, event: Event) -> None:
        """Take in the next event of the journal."""
        body = event.body
        match event.kind:
            case "session":
                self.about = {**self.about, **body}
            case "record":
                self._add_to_record(body, settled=False)
                if self._answering is not None:
                    self.followed[self._answering].append(len(self.record))
            case "command" if body["type"] == "match":
                self._begin_anew(body)
                self.begun_at = event.id
            case "command":
                self._add_to_record(body, settled=True)
                self._answering = len(self.record)
                self.followed[self._answering] = []
            case "table":
                self._answering = None
                self.table = body
                if "look" in body:
                    self.look = body
                self._look_until(body.get("t_ms"))
            case "status":
                self._answering = None
                self.source = body.get("source", self.source)
                self.error = body.get("error")
                self.performance = {**self.performance, **body.get("performance", {})}
                self._look_until(body.get("t_ms"))
            case "warning":
                if body["on"]:
                    self.warnings[body["code"]] = body.get("args", {})
                else:
                    self.warnings.pop(body["code"], None)
        self.revision = event.id

    def dealt_look(self) -> dict[str, Any] | None:
        """Return the `table` row that shows what lies there for a match that is set up now, None if nothing does.

        Once cards have been played, what lies there is of the match before.
        """
        return None if any(event["type"] == "play" for event in self.record) else self.look

    def _begin_anew(self, match: RecordEvent) -> None:
        self.begun_look = self.dealt_look()
        self.about = {**self.about, **{name: match[name] for name in ("game", "players", "dealer", "options")}}
        self.record = []
        self.readings, self.followed, self.taken_back = {}, {}, set()
        self._answering = None
        for code in OF_ONE_HAND:
            self.warnings.pop(code, None)
        self._add_to_record(match, settled=True)

    def _look_until(self, t_ms: int | None) -> None:
        if t_ms is not None:
            self.last_t_ms = max(t_ms, self.last_t_ms or 0)

    def _add_to_record(self, body: Mapping[str, Any], *, settled: bool) -> None:
        if not self.begun_as:
            self.begun_as = dict(body)
        self.record.append(dict(body))
        kind = body["type"]
        if kind == "play":
            self.readings[len(self.record)] = _reading(body)
        elif kind == "correct" and isinstance(body.get("event"), int):
            read = self.readings.setdefault(body["event"], Reading())
            if settled:
                read.settled = True
            elif not read.settled:
                revised = _reading(body)
                self.readings[body["event"]] = Reading(
                    revised.t_ms if revised.t_ms is not None else read.t_ms,
                    revised.confidence,
                    revised.candidates,
                )
        elif kind in ("stand", "undo") and settled and isinstance(body.get("event"), int):
            target = body["event"]
            if target in self.followed or target in self.taken_back:
                self._take_back(target)
            else:
                self.readings.setdefault(target, Reading()).settled = True

    def _take_back(self, number: int) -> None:
        self.taken_back |= {number, *self.followed.get(number, ())}
        about = self.record[number - 1].get("event")
        if number in self.followed and about in self.readings:
            self.readings[about].settled = any(
                self.record[other - 1].get("event") == about
                for other in self.followed
                if other not in self.taken_back
            )

    @property
    def status(self) -> str:
        """Where the session stands: "waiting", "playing", "hand-over", "ended" or "no-camera"."""
        if self.source == "lost":
            return "no-camera"
        if self.source == "ended":
            return "ended"
        for event in reversed(self.record):
            if event["type"] == "end":
                return "hand-over"
            if event["type"] in ("deal", "play"):
                return "playing"
        return "waiting"


def _reading(body: Mapping[str, Any]) -> Reading:
    return Reading(body.get("t_ms"), body.get("confidence"), list(body.get("candidates") or []))


def fold(events: Iterable[Event], session: Session | None = None) -> Session:
    """Return the session after `events`, starting from the empty one or going on (in place) with `session`."""
    session = Session() if session is None else session
    for event in events:
        session.apply(event)
    return session
