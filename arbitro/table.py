"""The live table: joins what the camera sees, the rules and the points into one state that can be shown and corrected.

Owns the only writing hand on the journal of a running session and the lock that orders camera and people. It looks at
no pixels (`arbitro.pipeline` does) and serves no pages (`web` does).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from arbitro.fold import OF_ONE_HAND, RECORD_COMMANDS, Reading, Session, fold
from arbitro.journal import Journal
from arbitro.looks import look_from, look_to_json
from arbitro.match import Match, MatchError, match_of_form
from arbitro.slaptracker import tracker_for
from arbitro.wording import WordedError, say
from rules.cards import FRENCH_CODES, ITALIAN_CODES
from rules.options import OptionError
from rules.record import CAPTURE_GAMES
from rules.tracker import TableLook, TrackerWarning
from scorer import score_record

ASK_BELOW = 0.9
"""A play read with less confidence than this is asked about on the dashboard."""

_KNOWN_CODES = frozenset((*ITALIAN_CODES, *FRENCH_CODES))
# A line of the record that tells the tracker nothing.
_A_LINE = {"type": "stand", "event": 0}

Scorer = Callable[[Sequence[Mapping[str, Any]], str], dict[str, Any]]


class CommandError(WordedError):
    """A person's command cannot be carried out; nothing was changed."""


class SessionMismatchError(Exception):
    """The journal holds another session than the one that should go on in it."""


class RecordTracker(Protocol):
    """What the live table needs of `rules.tracker.Tracker`."""

    @property
    def warnings(self) -> Sequence[TrackerWarning]:
        """All warnings so far, the oldest first."""
        ...

    def look(self, look: TableLook) -> list[dict[str, Any]]:
        """Take in a look at the table and return the record events that follow from it."""
        ...

    def tick(self, t_ms: int) -> list[dict[str, Any]]:
        """Let time pass over an unchanged table."""
        ...

    def finish(self, t_ms: int | None = None) -> list[dict[str, Any]]:
        """Take in that nothing more comes."""
        ...

    def command(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Take in what the people said."""
        ...


class LiveTable:
    """Hold the session of one journal; camera and people may call from different threads.

    A journal that already holds a session is read at once: its state is shown, and `begin` goes on with it.
    """

    def __init__(
        self,
        journal: Journal,
        *,
        make_tracker: Callable[[dict[str, Any]], RecordTracker] = tracker_for,
        score: Scorer = score_record,
        ask_below: float = ASK_BELOW,
    ) -> None:
        self.journal = journal
        self._make_tracker = make_tracker
        self._score = score
        self._ask_below = ask_below
        self._lock = threading.RLock()
        self._session = fold(journal.events())
        self._tracker: RecordTracker | None = None
        self._scores: dict[str, tuple[list[dict[str, Any]], int, dict[str, Any]]] = {}
        self._picture: _Picture | None = None
        self._image: Any = None
        self._performance: dict[str, Any] = {}

    # What the pipeline calls

    def begin(self, match: Match, **about: Any) -> Session:
        """Start the session, or go on with the one that the journal holds, and return what it has come to.

        `about` says what is watched: source, deck, live. A session that goes on has its tracker brought to where it
        was by looking again at everything that the journal says was seen.

        `match` is what the session was begun with, whatever people have set up on the dashboard since.

        Raises `SessionMismatchError` if the journal was begun with another game or other players.
        """
        with self._lock:
            self._catch_up()
            if not self._session.record:
                self.journal.append_all(
                    [
                        ("session", {**match.event(), **about}),
                        ("record", match.event()),
                    ]
                )
                self._catch_up()
            else:
                self._check_same(match)
                self.journal.append("session", about)
                self._catch_up()
            self._tracker = self._tracker_as_it_was()
            return self._session

    def _check_same(self, match: Match) -> None:
        begun = self._session.begun_as
        wanted = match.event()
        for key, name in (
            ("game", "game"),
            ("players", "players"),
            ("dealer", "dealer"),
            ("options", "options"),
        ):
            if begun.get(key) != wanted[key]:
                raise SessionMismatchError(
                    f"the journal {self.journal.path} holds another session ({name}: {_plain(begun.get(key))}, "
                    f"not {_plain(wanted[key])}): name another file with --journal"
                )

    def _tracker_as_it_was(self) -> RecordTracker:
        """Return a tracker that was told all that the journal holds, except commands that were taken back.

        With a match that people set up, a new one begins: it is told what lies on the table, and all that followed.
        Lines of the record are counted by the tracker: for each one that it does not write this time, it is told of a
        line that changes nothing.
        """
        session = self._session
        tracker = self._make_tracker(session.record[0])
        if session.begun_look is not None:
            tracker.look(look_from(session.begun_look["t_ms"], session.begun_look["look"]))
        number = int(bool(session.begun_at))
        for event in self.journal.events(after=session.begun_at):
            body = event.body
            if event.kind in ("record", "command"):
                number += 1
            if event.kind == "table" and "look" in body:
                tracker.look(look_from(body["t_ms"], body["look"]))
            elif event.kind == "status" and body.get("tracker") == "tick":
                tracker.tick(body["t_ms"])
            elif event.kind == "status" and body.get("tracker") == "finish":
                tracker.finish(body["t_ms"])
            elif event.kind in ("record", "command"):
                if number in session.taken_back or self._takes_back_a_command(body):
                    tracker.command(_A_LINE)
                elif event.kind == "command":
                    tracker.command(body)
        return tracker

    def _takes_back_a_command(self, event: Mapping[str, Any]) -> bool:
        return event.get("type") == "undo" and event.get("event") in self._session.taken_back

    def observe(self, look: TableLook, shown: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Take in a look at the table when it lies still, and return the record events that follow from it.

        `shown` is the `table` row to journal: t_ms, index, width, height, cards.
        """
        with self._lock:
            noted = look_to_json(look)
            # A table that came to rest a moment ago may be reported after time has been told: time never runs back.
            t_ms = max(look.t_ms, self._session.last_t_ms or 0)
            # The tracker gets what the journal will give it when the session is read again, rounding included.
            exact = look_from(t_ms, noted)
            row = {**shown, "t_ms": t_ms, "look": noted}
            return self._told("table", row, lambda tracker: tracker.look(exact))

    def tick(self, t_ms: int) -> list[dict[str, Any]]:
        """Let media time pass over an unchanged table; returns the record events that were held back until now."""
        with self._lock:
            return self._told("status", {"t_ms": t_ms, "tracker": "tick"}, lambda tracker: tracker.tick(t_ms))

    def finish(self, t_ms: int, performance: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Take in that the source has ended; returns the record events that were held back until now."""
        row = {
            "t_ms": t_ms,
            "source": "ended",
            "error": None,
            "performance": performance,
            "tracker": "finish",
        }
        with self._lock:
            self._performance = {}
            return self._told("status", row, lambda tracker: tracker.finish(t_ms))

    def _told(
        self, kind: str, row: Mapping[str, Any], tell: Callable[[RecordTracker], list[dict[str, Any]]]
    ) -> list[dict[str, Any]]:
        """Tell the tracker something, and journal it with what follows from it in one piece."""
        tracker = self._tracker
        if tracker is None:
            raise RuntimeError("begin() comes first")
        warned_before = len(tracker.warnings)
        events = [_plain_json(event) for event in tell(tracker)]
        rows: list[tuple[str, Mapping[str, Any]]] = [(kind, row), *(("record", event) for event in events)]
        if any(event["type"] == "deal" for event in events):
            rows += [
                ("warning", {"code": code, "on": False})
                for code in OF_ONE_HAND
                if code in self._session.warnings
            ]
        rows += [
            ("warning", {"code": warning.code, "on": True, "args": dict(warning.args)})
            for warning in tracker.warnings[warned_before:]
        ]
        self.journal.append_all(rows)
        self._catch_up()
        return events

    def show_table(self, shown: Mapping[str, Any]) -> None:
        """Journal what lies on the table now, without a look for the tracker."""
        with self._lock:
            self.journal.append("table", shown)
            self._catch_up()

    def note_status(self, **status: Any) -> None:
        """Journal where the source stands: source ("open", "lost", "stopped"), error, t_ms, performance."""
        with self._lock:
            self.journal.append("status", status)
            self._catch_up()

    def note_deck(self, deck: str) -> None:
        """Journal which kind of deck lies on the table, if that is news."""
        with self._lock:
            if self._session.about.get("deck") != deck:
                self.journal.append("session", {"deck": deck})
                self._catch_up()

    def warn(self, code: str, on: bool, **args: Any) -> None:
        """Journal that a warning holds from now on, or no longer; saying what holds already does nothing."""
        with self._lock:
            held = self._session.warnings.get(code)
            if (held == args) if on else (held is None):
                return
            self.journal.append("warning", {"code": code, "on": on, "args": args if on else {}})
            self._catch_up()

    def show_picture(
        self, index: int, t_ms: int, size: tuple[int, int], encode: Callable[[], bytes], image: Any = None
    ) -> None:
        """Give the newest picture, `size` = (width, height) of the camera's; `encode` makes its JPEG when asked.

        `image` is the picture in full, for who wants to look at it closely.
        """
        self._picture = _Picture(index, t_ms, size, encode)
        self._image = image

    def show_performance(self, performance: Mapping[str, Any]) -> None:
        """Give the newest performance (frames, fps, dropped_frames), until the end's is journalled."""
        self._performance = dict(performance)

    # What the dashboard and the command line call

    def latest_picture(self) -> tuple[int, bytes] | None:
        """Return (frame index, JPEG) of the newest picture, None before the first one."""
        picture = self._picture
        return None if picture is None else (picture.index, picture.jpeg())

    def latest_image(self) -> Any:
        """Return the newest picture in full, (height, width, 3) uint8 BGR, None before the first one."""
        return self._image

    def events(self) -> list[dict[str, Any]]:
        """Return the hand record so far."""
        with self._lock:
            self._catch_up()
            return [dict(event) for event in self._session.record]

    def add_events(self, events: Sequence[Mapping[str, Any]]) -> int:
        """Put events that were seen on the record, and return the number of the first of them.

        Raises `CommandError`, with nothing changed, if they do not fit the record.
        """
        with self._lock:
            self._catch_up()
            plain = [_plain_json(event) for event in events]
            self._check_record(plain)
            first = len(self._session.record) + 1
            self.journal.append_all([("record", event) for event in plain])
            self._catch_up()
            return first

    def record(self) -> str:
        """Return the hand record so far as JSON Lines."""
        with self._lock:
            self._catch_up()
            return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in self._session.record)

    def score(self, language: str = "en") -> dict[str, Any]:
        """Return the document of `arbitro score`, each play with how it was read: t_ms, confidence, candidates."""
        with self._lock:
            self._catch_up()
            return self._scored(language)

    def _scored(self, language: str) -> dict[str, Any]:
        cached = self._scores.get(language)
        record = self._session.record
        if cached is not None and cached[0] is record and cached[1] == len(record):
            return cached[2]
        document = self._score(record, language)
        for play in document.get("plays", ()):
            read = self._session.readings.get(play["event"], Reading())
            play["t_ms"] = read.t_ms
            play["confidence"] = 1.0 if read.settled else read.confidence
            # What the camera thinks possible; without it, the rules' own candidates for a card that was not seen stay.
            play["candidates"] = read.candidates or play.get("candidates", [])
        self._scores[language] = (record, len(record), document)
        return document

    def state(self, language: str = "en") -> dict[str, Any]:
        """Return everything that the dashboard shows, its texts in a language ("en" or "it")."""
        with self._lock:
            self._catch_up()
            session, picture = self._session, self._picture
            about, table = session.about, session.table
            document = self._scored(language) if session.record else {}
            return {
                "revision": session.revision,
                "session": {
                    "source": about.get("source", ""),
                    "game": about.get("game", ""),
                    "players": about.get("players", []),
                    "dealer": about.get("dealer", 0),
                    "options": about.get("options", {}),
                    "deck": about.get("deck", ""),
                    "status": session.status,
                    "error": session.error,
                    "live": about.get("live", False),
                    "may_set_up": bool(session.record) and _may_set_up(document),
                },
                "picture": {
                    "index": table.get("index", 0) if picture is None else picture.index,
                    "width": table.get("width", 0) if picture is None else picture.size[0],
                    "height": table.get("height", 0) if picture is None else picture.size[1],
                    "t_ms": table.get("t_ms", 0) if picture is None else picture.t_ms,
                },
                "table": table.get("cards", []),
                "score": document,
                "questions": self._questions(document, language),
                "warnings": [
                    {"code": code, "text": say(code, args, language)}
                    for code, args in session.warnings.items()
                ],
                "performance": {"fps": 0.0, "dropped_frames": 0, **session.performance, **self._performance},
            }

    def _questions(self, document: Mapping[str, Any], language: str) -> list[dict[str, Any]]:
        questions = []
        players = document.get("players", [])
        for play in document.get("plays", ()):
            read = self._session.readings.get(play["event"])
            if read is None or read.settled or read.confidence is None or not read.candidates:
                continue
            if read.confidence >= self._ask_below:
                continue
            args = {"percent": round(100 * read.confidence)}
            if play["player"] is None:
                text = say("which-play-nobody", args, language)
            else:
                text = say("which-play", {**args, "player": players[play["player"]]}, language)
            questions.append({"event": play["event"], "text": text, "candidates": read.candidates})
        return questions

    def command(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out what a person says and recompute everything from it.

        - {"type": "correct", "event": N, "card": ..., "takes": [...], "player": ...}: what event N really was; fields
          left out stay as they were read. A deal is corrected with "table".
        - {"type": "answer", "event": N, "choice": K} or with "card" and "takes": the answer to a question.
        - {"type": "stand", "event": N}: the people let an illegal play stand.
        - {"type": "undo", "event": N}: they took a play back; or event N was a command, which is as if it had not been.
        - {"type": "forfeit", "player": P, "reason": "..."}.
        - {"type": "match", "game": ..., "players": [...], "dealer": ..., "options": {...}}: another match than the one
          that was begun, as long as no play of it stands, or after it is over; a record of its own begins with it.

        Returns {"event": number of the new event on the record, "revision": number in the journal}.

        Raises `CommandError`, with nothing changed, if the command does not fit the record.
        """
        with self._lock:
            self._catch_up()
            if not self._session.record:
                raise CommandError("command-no-session")
            if command.get("type") == "match":
                return self._set_up(command)
            if command.get("type") == "undo" and command.get("event") in self._session.followed:
                return self._take_back(command["event"])
            event = self._checked(command)
            number = len(self._session.record) + 1
            self._check_record([event])
            follow: list[dict[str, Any]] = []
            if self._tracker is not None:
                follow = [_plain_json(seen) for seen in self._tracker.command(event)]
            revision = self.journal.append_all([("command", event), *(("record", seen) for seen in follow)])
            self._catch_up()
            return {"event": number, "revision": revision}

    @property
    def game(self) -> str:
        """The game that is being played, "" before the session begins."""
        with self._lock:
            return str(self._session.about.get("game", ""))

    def may_set_up(self) -> bool:
        """Tell whether another match may be set up: no play of this one stands, or it is over."""
        with self._lock:
            self._catch_up()
            if not self._session.record:
                return False
            return _may_set_up(self._scored("en"))

    def _set_up(self, command: Mapping[str, Any]) -> dict[str, Any]:
        if self.game not in CAPTURE_GAMES:
            raise CommandError("command-not-followed", game=command.get("game"))
        if not self.may_set_up():
            raise CommandError("command-match-begun")
        try:
            event = match_of_form(command).event()
        except (OptionError, MatchError) as error:
            raise CommandError("command-match", why=error) from error
        if event["game"] not in CAPTURE_GAMES:
            raise CommandError("command-not-followed", game=event["game"])
        tracker = self._make_tracker(event)
        look, follow = self._session.dealt_look(), []
        if look is not None:
            follow = tracker.look(look_from(look["t_ms"], look["look"]))
        seen = [("record", _plain_json(of_table)) for of_table in follow]
        revision = self.journal.append_all([("command", event), *seen])
        self._catch_up()
        if self._tracker is not None:
            self._tracker = tracker
        return {"event": 1, "revision": revision}

    def _check_record(self, more: Sequence[dict[str, Any]]) -> None:
        try:
            self._score([*self._session.record, *more], "en")
        except ValueError as error:
            raise CommandError("command-refused", why=str(error)) from error

    def _take_back(self, number: int) -> dict[str, Any]:
        """Make a command and all that followed from it undone, the newest first, and set the tracker back."""
        session = self._session
        follow = session.followed[number]
        newer = set(range(number + 1, len(session.record) + 1)) - set(follow) - session.taken_back
        newer = {other for other in newer if not self._takes_back_a_command(session.record[other - 1])}
        has_new_lines = any(session.record[other - 1]["type"] not in ("correct", "undo") for other in follow)
        if number in session.taken_back or self._takes_back_a_command(session.record[number - 1]):
            raise CommandError("command-taken-back", event=number)
        if newer or has_new_lines:
            raise CommandError("command-too-late", event=number)
        undone = [{"type": "undo", "event": other} for other in (number, *reversed(follow))]
        self._check_record(undone)
        first = len(session.record) + 1
        revision = self.journal.append_all([("command", event) for event in undone])
        self._catch_up()
        if self._tracker is not None:
            self._tracker = self._tracker_as_it_was()
        return {"event": first, "revision": revision}

    def _checked(self, command: Mapping[str, Any]) -> dict[str, Any]:
        kind = command.get("type")
        if kind == "forfeit":
            reason = command.get("reason")
            return {
                "type": "forfeit",
                "player": self._seat(command.get("player")),
                "reason": reason if isinstance(reason, str) else "",
            }
        if kind == "answer":
            return self._correction(self._answered(command))
        if kind == "correct":
            return self._correction(command)
        if kind == "decide":
            number, _ = self._target(command)
            return {"type": "decide", "event": number, "player": self._seat(command.get("player"))}
        if kind not in RECORD_COMMANDS:
            raise CommandError("command-unknown", type=kind)
        number, target = self._target(command)
        if target["type"] != "play":
            raise CommandError("command-not-a-play", event=number)
        return {"type": kind, "event": number}

    def _target(self, command: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        number, record = command.get("event"), self._session.record
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= len(record):
            raise CommandError("command-no-event", event=number, count=len(record))
        return number, record[number - 1]

    def _answered(self, command: Mapping[str, Any]) -> dict[str, Any]:
        number, _ = self._target(command)
        if "choice" not in command:
            return {**command, "type": "correct"}
        choice, read = command["choice"], self._session.readings.get(number, Reading())
        if not isinstance(choice, int) or isinstance(choice, bool) or not 0 <= choice < len(read.candidates):
            raise CommandError("command-choice", event=number, choice=choice)
        chosen = read.candidates[choice]
        return {
            "event": number,
            **{name: chosen[name] for name in ("card", "takes", "player") if name in chosen},
        }

    def _correction(self, command: Mapping[str, Any]) -> dict[str, Any]:
        number, target = self._target(command)
        event: dict[str, Any] = {"type": "correct", "event": number}
        if target["type"] == "deal":
            event["table"] = self._cards(command.get("table"))
            return event
        if target["type"] != "play":
            raise CommandError("command-not-correctable", event=number)
        if "card" in command:
            event["card"] = None if command["card"] is None else self._card(command["card"])
        if "takes" in command:
            event["takes"] = self._cards(command["takes"], besides=command.get("card"))
        if "player" in command:
            event["player"] = None if command["player"] is None else self._seat(command["player"])
        if len(event) == 2:
            raise CommandError("command-nothing")
        return event

    def _seat(self, player: object) -> int:
        seats = len(self._session.record[0]["players"])
        if not isinstance(player, int) or isinstance(player, bool) or not 0 <= player < seats:
            raise CommandError("command-player", player=player, last=seats - 1)
        return player

    def _card(self, code: object) -> str:
        if not isinstance(code, str) or code not in _KNOWN_CODES:
            raise CommandError("command-card", card=code)
        return code

    def _cards(self, codes: object, besides: object = None) -> list[str]:
        if not isinstance(codes, list):
            raise CommandError("command-takes")
        cards = [self._card(code) for code in codes]
        if len(set(cards)) != len(cards) or besides in cards:
            raise CommandError("command-takes")
        return cards

    def _catch_up(self) -> None:
        fold(self.journal.events(after=self._session.revision), self._session)


def _may_set_up(document: Mapping[str, Any]) -> bool:
    # Hands that slap are followed from the beginning of a watch, or not at all.
    if document.get("game") not in CAPTURE_GAMES:
        return False
    match = document["match"]
    if match["winner"] is not None or match.get("forfeit"):
        return True
    return all(play.get("undone") for play in document["plays"])


class _Picture:
    """One picture to show; its JPEG is made once, when it is first asked for."""

    def __init__(self, index: int, t_ms: int, size: tuple[int, int], encode: Callable[[], bytes]) -> None:
        self.index, self.t_ms, self.size = index, t_ms, size
        self._encode: Callable[[], bytes] | None = encode
        self._jpeg = b""
        self._lock = threading.Lock()

    def jpeg(self) -> bytes:
        with self._lock:
            if self._encode is not None:
                self._jpeg, self._encode = self._encode(), None
            return self._jpeg


def _plain_json(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event as JSON would give it back: tuples as lists, numbers as Python's own."""
    plain: dict[str, Any] = json.loads(json.dumps(event))
    return plain


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
