from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arbitro.journal import FORMAT, KINDS, Event, Journal, JournalError

ROOT = Path(__file__).resolve().parents[2]

bodies = st.dictionaries(
    st.text(max_size=8),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


def listed(journal: Journal) -> list[tuple[int, str, dict]]:
    return [(event.id, event.kind, event.body) for event in journal.events()]


def test_events_come_back_in_order_with_numbers_from_one(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.last_id == 0
        assert journal.append("session", {"game": "scopa"}) == 1
        assert journal.append("record", {"type": "end"}) == 2
        assert listed(journal) == [(1, "session", {"game": "scopa"}), (2, "record", {"type": "end"})]
        assert [event.id for event in journal.events(after=1)] == [2]
        assert journal.last_id == 2
        assert isinstance(next(journal.events()), Event)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(written=st.lists(st.tuples(st.sampled_from(KINDS), bodies), max_size=8))
def test_reading_after_reopening_gives_what_was_written(tmp_path_factory, written) -> None:
    path = tmp_path_factory.mktemp("journal") / "j.sqlite"
    with Journal(path) as journal:
        for kind, body in written:
            journal.append(kind, body)
    with Journal(path) as journal:
        assert [(kind, body) for _, kind, body in listed(journal)] == written


_WRITER = """
import sys
from arbitro.journal import Journal
journal = Journal(sys.argv[1])
number = 0
while True:
    number = journal.append("record", {"type": "play", "number": number + 1})
    print(number, flush=True)
"""


def test_what_was_written_before_a_kill_is_all_there(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as writer:  # fmt: skip
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) >= 40:
                break
        writer.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        told = [int(line) for line in writer.stdout if line.endswith("\n")]
    acknowledged = max(told, default=40)
    with Journal(path) as journal:
        rows = listed(journal)
        assert len(rows) >= acknowledged
        assert rows == [(n, "record", {"type": "play", "number": n}) for n in range(1, len(rows) + 1)]
        assert journal.append("record", {"type": "end"}) == len(rows) + 1


def test_events_that_belong_together_are_written_all_or_none(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.append_all([]) == 0
        assert journal.append_all([("table", {}), ("record", {"type": "end"})]) == 2
        with pytest.raises(ValueError, match="plain JSON"):
            journal.append_all([("table", {}), ("record", {"path": Path("x")})])
        assert [kind for _, kind, _ in listed(journal)] == ["table", "record"]


def test_several_readers_see_what_one_writer_appends(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with Journal(path) as writer, Journal(path) as first, Journal(path) as second:
        writer.append("status", {"status": "playing"})
        assert listed(first) == listed(second) == listed(writer)
        assert first.wait(after=0, timeout_s=0)
        assert not second.wait(after=1, timeout_s=0)


def test_wait_is_woken_by_an_append_of_another_thread(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        woken: list[bool] = []
        waiter = threading.Thread(target=lambda: woken.append(journal.wait(after=0, timeout_s=30)))
        waiter.start()
        journal.append("status", {})
        waiter.join(timeout=30)
        assert woken == [True]


def test_closing_ends_a_wait(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    woken: list[bool] = []
    waiter = threading.Thread(target=lambda: woken.append(journal.wait(after=0, timeout_s=30)))
    waiter.start()
    journal.close()
    journal.close()
    waiter.join(timeout=30)
    assert woken == [False]
    with pytest.raises(JournalError, match="closed"):
        _ = journal.last_id


def test_rows_cannot_be_changed_or_taken_away(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with Journal(path) as journal:
        journal.append("status", {"status": "playing"})
    database = sqlite3.connect(path)
    for statement in ("DELETE FROM events", "UPDATE events SET body = '{}'"):
        with pytest.raises(sqlite3.IntegrityError, match="only added to"):
            database.execute(statement)
    database.close()


def test_refused_bodies_and_kinds(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        with pytest.raises(ValueError, match="unknown kind"):
            journal.append("gossip", {})
        with pytest.raises(ValueError, match="plain JSON"):
            journal.append("record", {"path": Path("x")})
        with pytest.raises(ValueError, match="JSON"):
            journal.append("record", {"confidence": float("nan")})
        assert journal.last_id == 0


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("shopping: bread, milk\n" * 40)
    with pytest.raises(JournalError, match="not a journal"):
        Journal(path)
    assert path.read_text().startswith("shopping")


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE bills (amount)")
    database.commit()
    database.close()
    with pytest.raises(JournalError, match="another program"):
        Journal(path)
    database = sqlite3.connect(path)
    assert [name for (name,) in database.execute("SELECT name FROM sqlite_master")] == ["bills"]
    database.close()


def test_a_newer_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    Journal(path).close()
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {FORMAT + 1}")
    database.close()
    with pytest.raises(JournalError, match="update Arbitro"):
        Journal(path)


def test_a_folder_in_place_of_the_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal(tmp_path)


def test_a_folder_named_as_journal_was_refused_without_saying_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"cannot be opened .*: name another file with --journal"):
        Journal(tmp_path)
