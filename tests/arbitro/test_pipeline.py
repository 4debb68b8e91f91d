from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arbitro.journal import Journal
from arbitro.match import Match
from arbitro.pipeline import Pipeline, Sight
from arbitro.settings import Settings
from arbitro.table import LiveTable
from rules.tracker import TableLook
from tests.arbitro.hands import ANNA_AND_BRUNO, looks_of_a_hand
from vision.camera import Camera, CameraError, Frame, SourceLost

SCOPA = Match("scopa", ANNA_AND_BRUNO)
FRAME_MS = 100


class ScriptedCamera(Camera):
    """Give grey frames every 100 ms, of which each differs from the one before; an error in the list is raised."""

    def __init__(self, frames: Sequence[int | Exception], *, live: bool = False) -> None:
        self.source = "script"
        self.live = live
        self._script = list(frames)
        self.closed = False

    def read(self, timeout_s: float = 3.0) -> Frame | None:
        if not self._script:
            return None
        step = self._script.pop(0)
        if isinstance(step, Exception):
            raise step
        image = np.full((90, 160, 3), 40 + 160 * (step % 2), np.uint8)
        return Frame(image, float(step * FRAME_MS), step)

    def close(self) -> None:
        self.closed = True


class ScriptedEyes:
    """See given looks when their time has come."""

    is_restless = False

    def __init__(self, looks: Sequence[TableLook] = (), late: Sequence[TableLook] = ()) -> None:
        self._looks = list(looks)
        self._late = tuple(late)
        self.times_ms: list[int] = []
        self.warnings: dict[str, dict[str, Any] | None] = {}

    def look(self, frame: Frame) -> Sight:
        self.times_ms.append(int(frame.t_ms))
        due = tuple(look for look in self._looks if look.t_ms <= frame.t_ms)
        self._looks = [look for look in self._looks if look.t_ms > frame.t_ms]
        x = int(frame.t_ms) // 10 % 500
        card = {
            "track": 1, "card": "7d", "confidence": 0.9, "candidates": [["7d", 0.9]], "state": "lying", "face": "up",
            "quad": [[x, 0], [x + 10, 0], [x + 10, 20], [x, 20]],
        }  # fmt: skip
        return Sight([card], due, self.warnings, "italian")

    def close_look(self, t_ms: int) -> tuple[TableLook, ...]:
        return self._late


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveTable]:
    with Journal(tmp_path / "j.sqlite") as journal:
        table = LiveTable(journal)
        table.begin(SCOPA, source="script", deck="auto", live=False)
        yield table


def kinds(live: LiveTable) -> list[str]:
    return [event.kind for event in live.journal.events()]


def statuses(live: LiveTable) -> list[str]:
    return [
        event.body["source"]
        for event in live.journal.events()
        if "source" in event.body and event.kind == "status"
    ]


def test_a_film_is_watched_to_its_end_and_its_plays_are_on_the_record(live: LiveTable) -> None:
    looks = looks_of_a_hand(seed=3, plays=4)
    frames = looks[-1].t_ms // FRAME_MS + 20
    Pipeline(live, ScriptedCamera(range(frames)), ScriptedEyes(looks), Settings()).run(is_film=True)
    state = live.state("en")
    assert state["session"]["status"] == "ended"
    assert state["session"]["deck"] == "italian"
    assert len(state["score"]["plays"]) == 4
    assert state["performance"]["frames"] == frames
    assert state["picture"]["index"] == frames - 1
    picture = live.latest_picture()
    assert picture is not None
    assert picture[1].startswith(b"\xff\xd8")


def test_what_is_said_at_the_films_end_counts(live: LiveTable) -> None:
    looks = looks_of_a_hand(seed=3, plays=2)
    Pipeline(live, ScriptedCamera(range(3)), ScriptedEyes((), late=looks), Settings()).run(is_film=True)
    assert len(live.state("en")["score"]["plays"]) == 2


def test_an_outline_that_hardly_moves_is_not_journalled_again(live: LiveTable) -> None:
    class Steady(ScriptedEyes):
        def look(self, frame: Frame) -> Sight:
            sight = super().look(frame)
            for number, corner in enumerate(sight.cards[0]["quad"]):
                corner[0] = 10 * number + int(frame.t_ms) % 3
            return sight

    Pipeline(live, ScriptedCamera(range(40)), Steady(), Settings()).run(is_film=True)
    assert kinds(live).count("table") == 1


def test_moving_outlines_are_journalled_at_most_five_times_a_second(live: LiveTable) -> None:
    Pipeline(live, ScriptedCamera(range(41)), ScriptedEyes(), Settings()).run(is_film=True)
    assert 4 <= kinds(live).count("table") <= 21


def test_a_camera_that_is_unplugged_and_back_is_said_and_survived(live: LiveTable) -> None:
    lost = SourceLost("camera 0 gives no pictures; check its cable")
    camera = ScriptedCamera([0, 1, lost, lost, 2, 3], live=True)
    seen: list[dict[str, Any]] = []

    class Watching(ScriptedEyes):
        def look(self, frame: Frame) -> Sight:
            seen.append(live.state("en"))
            return super().look(frame)

    Pipeline(live, camera, Watching(), Settings()).run(is_film=False)
    warned = [event.body for event in live.journal.events() if event.kind == "warning"]
    assert [(body["code"], body["on"]) for body in warned] == [("camera-lost", True), ("camera-lost", False)]
    assert statuses(live) == ["open", "lost", "open", "ended"]
    assert seen[-1]["session"]["error"] is None


def test_while_the_camera_is_lost_the_state_says_no_camera(live: LiveTable) -> None:
    pipeline: Pipeline

    class Gone(ScriptedCamera):
        def read(self, timeout_s: float = 3.0) -> Frame | None:
            if not self._script:
                states.append(live.state("it"))
                pipeline.stop()
                raise SourceLost("camera 0 gives no pictures")
            return super().read(timeout_s)

    states: list[dict[str, Any]] = []
    pipeline = Pipeline(
        live, Gone([0, SourceLost("camera 0 gives no pictures")], live=True), ScriptedEyes(), Settings()
    )
    pipeline.run(is_film=False)
    assert states[0]["session"]["status"] == "no-camera"
    assert states[0]["session"]["error"] == "camera 0 gives no pictures"
    assert "telecamera" in states[0]["warnings"][0]["text"]


def test_the_performance_is_shown_while_it_is_watched(live: LiveTable) -> None:
    seen: list[dict[str, Any]] = []

    class Watching(ScriptedEyes):
        def look(self, frame: Frame) -> Sight:
            seen.append(live.state("en")["performance"])
            return super().look(frame)

    Pipeline(live, ScriptedCamera(range(6)), Watching(), Settings()).run(is_film=True)
    assert [performance.get("frames") for performance in seen] == [None, 1, 2, 3, 4, 5]


def test_a_source_that_fails_for_good_is_journalled_and_raised(live: LiveTable) -> None:
    pipeline = Pipeline(
        live, ScriptedCamera([0, CameraError("the film is damaged")]), ScriptedEyes(), Settings()
    )
    with pytest.raises(CameraError, match="damaged"):
        pipeline.run(is_film=True)
    assert live.state("en")["session"]["error"] == "the film is damaged"


def test_stopping_leaves_a_journal_that_goes_on(tmp_path: Path) -> None:
    looks = looks_of_a_hand(seed=3, plays=6)
    frames = looks[-1].t_ms // FRAME_MS + 20

    def watch(path: Path, stop_after: int | None = None) -> str:
        with Journal(path) as journal:
            live = LiveTable(journal)
            after_ms = live.begin(SCOPA, source="script").last_t_ms
            eyes = ScriptedEyes([look for look in looks if after_ms is None or look.t_ms > after_ms])
            pipeline = Pipeline(live, ScriptedCamera(range(frames)), eyes, Settings())
            if stop_after is not None:
                see = eyes.look

                def look(frame: Frame) -> Sight:
                    if frame.index >= stop_after:
                        pipeline.stop()
                    return see(frame)

                eyes.look = look  # type: ignore[method-assign]
            pipeline.run(after_ms, is_film=True)
            return live.record()

    whole = watch(tmp_path / "whole.sqlite")
    first = watch(tmp_path / "broken.sqlite", stop_after=frames // 2)
    assert whole.startswith(first)
    assert first != whole
    assert watch(tmp_path / "broken.sqlite") == whole


def test_a_live_source_goes_on_counting_time_from_where_the_journal_ends(live: LiveTable) -> None:
    eyes = ScriptedEyes()
    Pipeline(live, ScriptedCamera(range(4), live=True), eyes, Settings()).run(60_000, is_film=False)
    assert eyes.times_ms == [61_000, 61_100, 61_200, 61_300]


def test_warnings_of_the_picture_come_and_go(live: LiveTable) -> None:
    eyes = ScriptedEyes()
    eyes.warnings = {"cards-too-small": {"pixels": 41}}
    Pipeline(live, ScriptedCamera(range(2)), eyes, Settings()).run(is_film=True)
    assert [warning["code"] for warning in live.state("en")["warnings"]] == ["cards-too-small"]
    eyes.warnings = {"cards-too-small": None}
    Pipeline(live, ScriptedCamera(range(2, 4)), eyes, Settings()).run(is_film=True)
    assert live.state("en")["warnings"] == []


def test_a_lay_that_is_held_back_is_written_while_nothing_else_happens(live: LiveTable) -> None:
    """An illegal lay is held back in case a capture follows: time alone must bring it on the record."""
    opening = [*looks_of_a_hand(seed=3, plays=0)[0].cards]
    codes = [next(iter(card.probabilities)) for card in opening]
    values = {code[0] for code in codes}
    equal = next(
        code for code in ("7s", "2b", "5s", "4s", "Fs", "6b", "1b") if code[0] in values and code not in codes
    )
    laid = type(opening[0])(99, {equal: 0.99})
    looks = [TableLook(1000, tuple(opening)), TableLook(3000, (*opening, laid))]
    Pipeline(live, ScriptedCamera(range(95)), ScriptedEyes(looks), Settings()).run(is_film=True)
    told_before_the_end = []
    for event in live.journal.events():
        if event.kind == "status" and event.body.get("tracker") == "finish":
            break
        if event.kind == "record":
            told_before_the_end.append(event.body["type"])
    assert told_before_the_end == ["match", "deal", "play"]
    assert json.loads(live.record().splitlines()[2])["card"] == equal


def test_a_paced_film_waits_for_its_time_and_a_slow_machine_misses_no_frame(
    live: LiveTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frames come every 100 ms of film at double speed; looking at the third takes a second."""
    clock_s = [1000.0]
    waited_s: list[float] = []

    class SlowOnce(ScriptedEyes):
        def look(self, frame: Frame) -> Sight:
            clock_s[0] += 1.0 if frame.index == 2 else 0.0
            return super().look(frame)

    def wait(timeout_s: float) -> bool:
        waited_s.append(round(timeout_s, 3))
        clock_s[0] += timeout_s
        return False

    pipeline = Pipeline(live, ScriptedCamera(range(6)), SlowOnce(), Settings(), speed=2.0)
    monkeypatch.setattr("arbitro.pipeline.time.monotonic", lambda: clock_s[0])
    monkeypatch.setattr(pipeline._stopping, "wait", wait)
    pipeline.run(is_film=True)
    assert waited_s == [0.05, 0.05, 0.0, 0.05, 0.05]
    assert live.state("en")["performance"]["frames"] == 6
