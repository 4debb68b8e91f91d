"""The journal: every event of a session in order, in one SQLite file that is only ever added to.

Owns the file and its format. Knows nothing of cards: what the events mean is read by `arbitro.fold`. Everything
shown is a fold over these rows, so a program that was killed goes on where the journal ends.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

FORMAT = 1
KINDS = ("session", "record", "table", "status", "warning", "command")

# Marks the file as ours in SQLite's header ("ARBI"), so that another program's database is refused, not written to.
_APPLICATION_ID = 0x41524249

# How often `wait` looks for rows that another process added; rows of this process wake it at once.
_FOREIGN_ROWS_S = 0.5

_SCHEMA = f"""
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    t_ms INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ({", ".join(f"'{kind}'" for kind in KINDS)})),
    body TEXT NOT NULL
);
CREATE TRIGGER events_never_change BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;
CREATE TRIGGER events_never_go BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;
"""


class JournalError(Exception):
    """The journal cannot be opened, read or written; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class Event:
    """One row: its number (from 1, rising), the wall clock when it was written, its kind and its body."""

    id: int
    t_ms: int
    kind: str
    body: dict[str, Any]


def _written(kind: str, body: Mapping[str, Any]) -> str:
    if kind not in KINDS:
        raise ValueError(f"unknown kind of event {kind!r}: one of {', '.join(KINDS)}")
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except TypeError as error:
        raise ValueError(f"an event's body must be plain JSON: {error}") from error


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Be the only process that writes the journal at `path`, while the context lasts.

    What holds it is a lock on an empty file beside the journal, `<journal>.lock`, which the system lets go of however
    the process ends. Raises `JournalError` if another process writes there, or the folder cannot be written.
    """
    beside = path.with_name(f"{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A database is a lock that works alike on every system.
        lock = sqlite3.connect(beside, timeout=0, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(
            f"the journal {path} cannot be opened ({error}): name another file with --journal"
        ) from error
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        raise JournalError(
            f"another watch writes the journal {path}: stop that one, or name another file with --journal"
        ) from error
    try:
        yield
    finally:
        lock.close()


class Journal:
    """Open the journal at `path`, making it if it is not there yet.

    One process writes, any number of processes and threads read. Every `append` is on the disk when it returns: what
    was written before a kill or a power cut is all there afterwards.

    Raises `JournalError` if the file is not a journal, is one of a newer format, or cannot be opened.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._grown = threading.Condition()
        self._closed = False
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                self.path, timeout=10.0, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                f"the journal {self.path} cannot be opened ({error}): name another file with --journal"
            ) from error
        try:
            self._prepare()
        except sqlite3.Error as error:
            self._database.close()
            raise JournalError(f"{self.path} is not a journal of Arbitro: {error}") from error
        except JournalError:
            self._database.close()
            raise

    def _prepare(self) -> None:
        self._database.execute("PRAGMA synchronous = FULL")
        # The lock is taken before looking, so that two processes that open a new file do not both lay the table.
        self._database.execute("BEGIN IMMEDIATE")
        try:
            (application_id,) = self._database.execute("PRAGMA application_id").fetchone()
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            (tables,) = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if application_id == 0 and version == 0 and tables == 0:
                for statement in _SCHEMA.split(";\n"):
                    self._database.execute(statement)
                self._database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                self._database.execute(f"PRAGMA user_version = {FORMAT}")
            elif application_id != _APPLICATION_ID:
                raise JournalError(
                    f"{self.path} is another program's database: name another file for the journal"
                )
            elif version > FORMAT:
                raise JournalError(
                    f"the journal {self.path} is of format {version}, this program reads up to {FORMAT}: "
                    "update Arbitro, or name another file"
                )
        finally:
            self._database.execute("COMMIT")
        # Write-ahead logging lets readers read while a row is written, and a torn write is rolled back on opening.
        self._database.execute("PRAGMA journal_mode = WAL")

    def append(self, kind: str, body: Mapping[str, Any]) -> int:
        """Write one event and return its number.

        Raises `ValueError` for an unknown kind or a body that JSON cannot hold, `JournalError` if the disk refuses.
        """
        return self.append_all([(kind, body)])

    def append_all(self, events: Iterable[tuple[str, Mapping[str, Any]]]) -> int:
        """Write events that belong together, all or none of them, and return the number of the last (0 for none).

        Raises as `append` does.
        """
        t_ms = time.time_ns() // 1_000_000
        rows = [(t_ms, kind, _written(kind, body)) for kind, body in events]
        number = 0
        with self._grown:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                try:
                    for row in rows:
                        cursor = self._database.execute(
                            "INSERT INTO events (t_ms, kind, body) VALUES (?, ?, ?)", row
                        )
                        number = cursor.lastrowid or 0
                    self._database.execute("COMMIT")
                except sqlite3.Error:
                    self._database.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise JournalError(f"the journal {self.path} cannot be written: {error}") from error
            self._grown.notify_all()
        return number

    def events(self, after: int = 0) -> Iterator[Event]:
        """Yield the events with a number above `after`, in order, as they stood when the first one was asked for."""
        with self._grown:
            try:
                rows = self._database.execute(
                    "SELECT id, t_ms, kind, body FROM events WHERE id > ? ORDER BY id", (after,)
                ).fetchall()
            except sqlite3.Error as error:
                raise JournalError(f"the journal {self.path} cannot be read: {error}") from error
        for number, t_ms, kind, body in rows:
            yield Event(number, t_ms, kind, json.loads(body))

    @property
    def last_id(self) -> int:
        """The number of the newest event, 0 while there is none."""
        with self._grown:
            if self._closed:
                raise JournalError(f"the journal {self.path} is closed")
            try:
                (number,) = self._database.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()
            except sqlite3.Error as error:
                raise JournalError(f"the journal {self.path} cannot be read: {error}") from error
        return int(number)

    def wait(self, after: int, timeout_s: float) -> bool:
        """Wait until there is an event with a number above `after`; False if none came in `timeout_s`.

        A journal that is closed meanwhile ends the wait with False.
        """
        deadline = time.monotonic() + timeout_s
        with self._grown:
            while not self._closed:
                if self.last_id > after:
                    return True
                left_s = deadline - time.monotonic()
                if left_s <= 0:
                    return False
                self._grown.wait(min(left_s, _FOREIGN_ROWS_S))
        return False

    def close(self) -> None:
        """Close the file and end all waits; closing twice does nothing."""
        with self._grown:
            if not self._closed:
                self._closed = True
                self._database.close()
            self._grown.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()
