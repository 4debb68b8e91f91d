from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from arbitro.errors import UnusableInputError
from arbitro.journal import Journal, JournalError, sole_writer
from arbitro.match import Match
from arbitro.pipeline import Sight
from arbitro.settings import Settings
from arbitro.table import LiveTable, SessionMismatchError
from arbitro.watching import Dashboard, Watch, run_watch
from tests.arbitro.scripted import LOOKS, PICTURES, SCOPA, HandSeer, draw_pictures, watch_pictures
from vision.camera import CameraError, Frame

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_pictures(tmp_path_factory.mktemp("watching") / "pictures")


@pytest.fixture(scope="module")
def whole_record(pictures: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The record of the hand when nothing interrupts it."""
    return watch_pictures(pictures, tmp_path_factory.mktemp("whole") / "j.sqlite", HandSeer())[0].record


def test_a_folder_of_pictures_is_watched_to_its_end(pictures: Path, tmp_path: Path) -> None:
    outcome, told = watch_pictures(pictures, tmp_path / "j.sqlite", HandSeer())
    assert outcome.plays == 5
    assert not outcome.stopped
    assert outcome.document["frames"] == PICTURES
    assert outcome.document["dropped_frames"] == 0
    assert outcome.document["fps"] > 0
    for play in outcome.document["plays"]:
        assert play["t_ms"] in {look.t_ms for look in LOOKS}
        assert 0 < play["confidence"] <= 1
    assert told == [f"everything seen is kept in {tmp_path / 'j.sqlite'}"]
    assert json.loads(outcome.record.splitlines()[0])["players"] == ["Anna", "Bruno"]


def test_a_watch_that_has_ended_is_not_watched_again(pictures: Path, tmp_path: Path) -> None:
    first, _ = watch_pictures(pictures, tmp_path / "j.sqlite", HandSeer())
    seer = HandSeer()
    again, told = watch_pictures(pictures, tmp_path / "j.sqlite", seer)
    assert seer.frames == 0
    assert again.record == first.record
    assert again.document["frames"] == PICTURES
    assert "going on" in told[0]


def test_the_journal_of_another_session_is_refused(pictures: Path, tmp_path: Path) -> None:
    watch_pictures(pictures, tmp_path / "j.sqlite", HandSeer())
    other = Watch(str(pictures), Match("scopa", ("Carla", "Dario")), "auto", tmp_path / "j.sqlite")
    with pytest.raises(SessionMismatchError):
        run_watch(other, Settings(), lambda memory: HandSeer(), print)


def started(pictures: Path, journal: Path, seconds_a_look: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.arbitro.scripted", str(pictures), str(journal), str(seconds_a_look)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def plays_in(journal: Path) -> int:
    if not journal.is_file():
        return 0
    with Journal(journal) as opened:
        return sum(event.body.get("type") == "play" for event in opened.events() if event.kind == "record")


def wait_for_plays(process: subprocess.Popen[str], journal: Path, count: int) -> None:
    until = time.monotonic() + 60
    while plays_in(journal) < count:
        assert process.poll() is None, "it ended too soon"
        assert time.monotonic() < until, "nothing was played"
        time.sleep(0.05)


def test_a_killed_watch_goes_on_where_it_was(pictures: Path, tmp_path: Path, whole_record: str) -> None:
    journal = tmp_path / "j.sqlite"
    with started(pictures, journal, 0.2) as process:
        wait_for_plays(process, journal, 2)
        process.kill()
    assert 2 <= plays_in(journal) < 5
    seer = HandSeer()
    outcome, _ = watch_pictures(pictures, journal, seer)
    assert 0 < seer.frames < PICTURES
    assert outcome.record == whole_record


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send Ctrl-C to one process alone")
def test_ctrl_c_leaves_a_good_journal_and_says_where_it_is(
    pictures: Path, tmp_path: Path, whole_record: str
) -> None:
    journal = tmp_path / "j.sqlite"
    with started(pictures, journal, 0.6) as process:
        wait_for_plays(process, journal, 2)
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert f"stopped; everything seen is in {journal}" in told
    with Journal(journal) as opened:
        assert LiveTable(opened).state("en")["session"]["status"] == "playing"
    assert watch_pictures(pictures, journal, HandSeer())[0].record == whole_record


class Visitor(HandSeer):
    """Open the dashboard while the watch is going on."""

    def __init__(self, told: list[str]) -> None:
        super().__init__()
        self._told = told
        self.state: dict = {}

    def look(self, frame: Frame) -> Sight:
        if frame.index == PICTURES - 1:
            said = "the dashboard is at "
            (url,) = [line.removeprefix(said) for line in self._told if line.startswith(said)]
            with urllib.request.urlopen(url + "api/state", timeout=30) as answer:
                self.state = json.load(answer)
        return super().look(frame)


def served(pictures: Path, journal: Path, port: int) -> tuple[Visitor, list[str]]:
    told: list[str] = []
    visitor = Visitor(told)
    run_watch(
        Watch(str(pictures), SCOPA, "auto", journal, speed=50),
        Settings(),
        lambda memory: visitor,
        told.append,
        Dashboard("127.0.0.1", port, "en", opens_browser=False, stays=False),
    )
    return visitor, told


def test_the_dashboard_shows_the_watch_while_it_goes_on(pictures: Path, tmp_path: Path) -> None:
    visitor, _ = served(pictures, tmp_path / "j.sqlite", 8400)
    assert visitor.state["session"]["status"] == "playing"
    assert len(visitor.state["score"]["plays"]) == 5


def test_the_next_free_port_is_taken(pictures: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        visitor, told = served(pictures, tmp_path / "j.sqlite", port)
        assert f":{port}/" not in told[0]
    assert visitor.state["session"]["status"] == "playing"


def test_an_address_that_is_not_ours_is_one_clear_error(pictures: Path, tmp_path: Path) -> None:
    elsewhere = Dashboard("192.0.2.1", 8400, "en", opens_browser=False, stays=False)
    with pytest.raises(UnusableInputError, match=r"dashboard\.host"):
        run_watch(
            Watch(str(pictures), SCOPA, "auto", tmp_path / "j.sqlite"),
            Settings(),
            lambda memory: HandSeer(),
            print,
            elsewhere,
        )


def test_a_source_that_fails_in_the_middle_ends_the_watch_with_its_reason(tmp_path: Path) -> None:
    folder = draw_pictures(tmp_path / "pictures")
    (folder / "7.png").write_bytes(b"no picture")
    with pytest.raises(CameraError, match=r"7\.png"):
        watch_pictures(folder, tmp_path / "j.sqlite", HandSeer())
    assert plays_in(tmp_path / "j.sqlite") >= 1


def test_two_watches_wrote_one_journal_and_saw_a_play_twice(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with (
        sole_writer(path),
        pytest.raises(JournalError, match=r"another watch writes the journal .*: stop that one"),
        sole_writer(path),
    ):
        pass
    with sole_writer(path):  # nothing is left of a watch that has ended
        pass


def test_a_watch_that_died_had_not_said_where_its_journal_is(pictures: Path, tmp_path: Path) -> None:
    _, told = watch_pictures(pictures, tmp_path / "j.sqlite", HandSeer())
    assert f"everything seen is kept in {tmp_path / 'j.sqlite'}" in told
