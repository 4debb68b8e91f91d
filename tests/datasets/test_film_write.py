"""Writing films, and the command that makes them."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from click.testing import CliRunner

from datasets.film import demo_film_path, demo_record_path
from datasets.film.__main__ import main, parse_size
from datasets.film.hands import HandPlan, random_hand
from datasets.film.write import encode, make_film
from rules.record import parse_record, write_record
from scorer import score_record


def short_plan() -> HandPlan:
    """A hand of one round: four cards on the table and three plays each."""
    plan = random_hand(2)
    return HandPlan([*plan.events[:8], {"type": "end"}], plan.rounds[:1])


def pictures(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="bgr24") for frame in container.decode(video=0)]


def test_encoded_frames_come_back_in_number_size_and_likeness(tmp_path: Path) -> None:
    x, y = np.meshgrid(np.arange(64), np.arange(48))
    frames = [np.dstack([x * 3, y * 4, np.full_like(x, 20 * i)]).astype(np.uint8) for i in range(12)]
    assert encode(tmp_path / "a.mp4", iter(frames), 24, crf=12) == 12
    back = pictures(tmp_path / "a.mp4")
    assert len(back) == 12 and back[0].shape == (48, 64, 3)
    assert max(np.abs(a.astype(int) - b).mean() for a, b in zip(frames, back, strict=True)) < 6
    with av.open(str(tmp_path / "a.mp4")) as container:
        assert container.streams.video[0].codec_context.name == "h264"
        assert float(container.streams.video[0].average_rate) == 24


def test_lost_frames_leave_gaps_and_the_others_keep_their_times(tmp_path: Path) -> None:
    frames = [np.full((48, 64, 3), 20 * i, np.uint8) for i in range(6)]
    numbers = [0, 1, 2, 9, 10, 17]
    assert encode(tmp_path / "a.mp4", iter(frames), 20, crf=12, numbers=numbers) == 6
    with av.open(str(tmp_path / "a.mp4")) as container:
        times = [frame.time for frame in container.decode(video=0)]
    assert times == pytest.approx([number / 20 for number in numbers])


def test_the_truth_of_a_messy_film_is_of_the_frames_that_are_there(tmp_path: Path) -> None:
    files = make_film(short_plan(), tmp_path, "one", seed=4, style="messy", size=(160, 120), fps=10, with_truth=True)
    assert files.truth is not None
    truth = json.loads(files.truth.read_text(encoding="utf-8"))
    with av.open(str(files.film)) as container:
        times = [frame.time * 1000 for frame in container.decode(video=0)]
    assert times == pytest.approx([frame["t_ms"] for frame in truth["frames"]], abs=0.1)
    assert max(b - a for a, b in pairwise(times)) > 199
    record = parse_record(files.record.read_text(encoding="utf-8"))
    assert record.events[0]["film"]["happenings"] == truth["happenings"]


def test_no_frames_and_frames_of_two_sizes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one frame"):
        encode(tmp_path / "none.mp4", iter([]), 30)
    assert not (tmp_path / "none.mp4").exists()
    with pytest.raises(ValueError, match="another size"):
        encode(tmp_path / "two.mp4", iter([np.zeros((48, 64, 3), np.uint8), np.zeros((48, 80, 3), np.uint8)]), 30)


def test_a_film_has_its_record_and_truth_beside_it(tmp_path: Path) -> None:
    plan = short_plan()
    files = make_film(plan, tmp_path / "films", "one", seed=4, style="brisk", size=(320, 180), fps=10, with_truth=True)
    record = parse_record(files.record.read_text(encoding="utf-8"))
    times = ("t_ms", "settled_ms")
    bare = [{key: value for key, value in event.items() if key not in times} for event in record.events]
    assert bare == plan.events
    assert len(score_record(record.events)["plays"]) == 6
    assert files.truth is not None
    truth = json.loads(files.truth.read_text(encoding="utf-8"))
    frames = pictures(files.film)
    assert len(truth["frames"]) == len(frames)
    assert frames[0].shape == (180, 320, 3)
    assert record.events[-1]["t_ms"] < truth["frames"][-1]["t_ms"]
    for event in record.events[2:-1]:
        shown = next(frame for frame in truth["frames"] if frame["t_ms"] > event["t_ms"])
        assert any(card["card"] == event["card"] and card["place"] == "table" for card in shown["cards"])


def test_the_command_films_a_given_record(tmp_path: Path) -> None:
    record = tmp_path / "hand.jsonl"
    record.write_text(write_record(short_plan().events), encoding="utf-8")
    result = CliRunner().invoke(main, ["--record", str(record), "--out", str(tmp_path), "--name", "given",
                                       "--style", "brisk", "--size", "160x120", "--fps", "10"])
    assert result.exit_code == 0, result.output
    assert parse_record((tmp_path / "given.jsonl").read_text(encoding="utf-8")).events[3]["card"]
    assert len(pictures(tmp_path / "given.mp4")) > 50


@pytest.mark.parametrize(("options", "said"), [
    (["--size", "big"], "a size is written like 1280x720"),
    (["--size", "641x360"], "must be even"),
    (["--deck", "nowhere"], "no deck 'nowhere'"),
    (["--fps", "3"], "10 to 60 frames"),
    (["--record", "missing.jsonl"], "missing.jsonl"),
    (["--seats", "near,above"], "different sides"),
    (["--option", "napola"], "an option is written like"),
    (["--option", "napolo=yes"], "napola"),
    (["--game", "slurp", "--players", "3"], "slurp is for 2 players"),
    (["--game", "slurp", "--deck", "italian"], "French cards"),
])
def test_bad_input_is_one_line_and_status_2(tmp_path: Path, options: list[str], said: str) -> None:
    result = CliRunner().invoke(main, ["--out", str(tmp_path), *options])
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output


def test_a_record_with_a_fault_names_its_line(tmp_path: Path) -> None:
    record = tmp_path / "bad.jsonl"
    record.write_text('{"type": "match", "format": 1, "game": "scopa", "players": ["A", "B"], "dealer": 0}\nnonsense\n',
                      encoding="utf-8")
    result = CliRunner().invoke(main, ["--out", str(tmp_path), "--record", str(record)])
    assert result.exit_code == 2
    assert "line 2" in result.output


def test_sizes_are_read() -> None:
    assert parse_size(" 1280X720 ") == (1280, 720)
    with pytest.raises(ValueError):
        parse_size("1280*720")


def test_the_demo_film_is_small_and_its_record_is_a_whole_legal_hand() -> None:
    assert demo_film_path().stat().st_size < 8_000_000
    events = parse_record(demo_record_path().read_text(encoding="utf-8")).events
    document = score_record(events)
    assert len(document["plays"]) == 36
    assert all(play["ruling"] == "legal" for play in document["plays"])
    with av.open(str(demo_film_path())) as container:
        seconds = float(container.duration) / av.time_base
    assert 60 <= seconds <= 100
    assert events[-1]["t_ms"] < seconds * 1000
