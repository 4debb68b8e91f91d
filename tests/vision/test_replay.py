"""The replay: what is kept, what a clip holds, and when its frames were taken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.vision.builders import write_film
from vision.camera import Camera, Frame
from vision.replay import ReplayBuffer, ReplayError, clip_of_film, clip_times

SIZE = (96, 64)
UNEVEN = (0.0, 33.4, 66.6, 100.0, 180.25, 200.125, 233.0, 700.0, 1900.5, 1933.25)


def picture(level: int, size: tuple[int, int] = SIZE) -> np.ndarray:
    """A picture whose number can be read again after compression."""
    return np.full((size[1], size[0], 3), level * 20 + 10, np.uint8)


def number(image: np.ndarray) -> int:
    return round((float(image.mean()) - 10) / 20)


def filled(times_ms: Sequence[float], **options: float) -> ReplayBuffer:
    buffer = ReplayBuffer(patient=True, **options)  # type: ignore[arg-type]
    for index, t_ms in enumerate(times_ms):
        buffer.add(Frame(picture(index % 12), t_ms, index))
    return buffer


def numbers_of(path: Path) -> list[tuple[int, float]]:
    with Camera.open(path) as film:
        return [(number(frame.image), frame.t_ms) for frame in film]


def test_a_clip_holds_the_frames_with_the_times_at_which_they_were_taken(tmp_path: Path) -> None:
    with filled(UNEVEN) as buffer:
        clip = buffer.save(tmp_path / "a.mp4", 0, 5000)
    assert clip.times_ms == UNEVEN
    assert clip_times(clip.path) == UNEVEN
    seen = numbers_of(clip.path)
    assert [index for index, _ in seen] == list(range(len(UNEVEN)))
    assert [t_ms for _, t_ms in seen] == pytest.approx(UNEVEN, abs=0.01)


def test_a_clip_begins_at_a_frame_that_stands_by_itself(tmp_path: Path) -> None:
    with filled(UNEVEN) as buffer:
        clip = buffer.save(tmp_path / "a.mp4", 690, 1910)
    assert clip.times_ms == (700.0, 1900.5)
    assert [index for index, _ in numbers_of(clip.path)] == [7, 8]


def test_frames_are_given_for_looking_at_them_again() -> None:
    with filled(UNEVEN) as buffer:
        frames = list(buffer.frames(100, 250))
    assert [(number(frame.image), frame.t_ms) for frame in frames] == [
        (3, 100.0), (4, 180.25), (5, 200.125), (6, 233.0)
    ]  # fmt: skip


def test_only_the_newest_seconds_are_kept() -> None:
    times = [float(t_ms) for t_ms in range(0, 10_000, 100)]
    with filled(times, seconds=3) as buffer:
        list(buffer.frames(9000, 9900))
        assert buffer.span_ms is not None
        first_ms, last_ms = buffer.span_ms
        assert last_ms == 9900
        assert 9900 - 3000 - 600 <= first_ms <= 9900 - 3000
        with pytest.raises(ReplayError, match=r"nothing of .* is kept"):
            list(buffer.frames(0, 1000))


def test_memory_is_bounded_even_by_pictures_that_do_not_compress(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    with ReplayBuffer(seconds=30, max_bytes=400_000, patient=True) as buffer:
        for index in range(120):
            noise = rng.integers(0, 255, (240, 320, 3), dtype=np.uint8)
            buffer.add(Frame(noise, index * 33.3, index))
        clip = buffer.save(tmp_path / "n.mp4", 3900, 4000)
        assert buffer.memory_bytes <= 400_000
    assert clip.times_ms[-1] == pytest.approx(119 * 33.3)


def test_a_clip_never_replaces_another(tmp_path: Path) -> None:
    with filled(UNEVEN) as buffer:
        buffer.save(tmp_path / "a.mp4", 0, 200)
        before = (tmp_path / "a.mp4").read_bytes()
        with pytest.raises(ReplayError, match="already"):
            buffer.save(tmp_path / "a.mp4", 600, 2000)
    assert (tmp_path / "a.mp4").read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.mp4"]


def test_two_moments_give_two_different_clips(tmp_path: Path) -> None:
    with filled(UNEVEN) as buffer:
        first = buffer.save(tmp_path / "a.mp4", 0, 200)
        second = buffer.save(tmp_path / "b.mp4", 600, 2000)
    assert {index for index, _ in numbers_of(first.path)} & {
        index for index, _ in numbers_of(second.path)
    } == set()


def test_what_was_added_a_moment_ago_is_in_the_clip(tmp_path: Path) -> None:
    with ReplayBuffer(patient=True) as buffer:
        for index in range(20):
            buffer.add(Frame(picture(index % 12, (640, 480)), index * 10.0, index))
        assert buffer.save(tmp_path / "a.mp4", 0, 1000).times_ms[-1] == 190.0


def test_a_camera_that_changes_its_size_goes_on(tmp_path: Path) -> None:
    with ReplayBuffer(patient=True) as buffer:
        for index in range(6):
            size = SIZE if index < 3 else (128, 80)
            buffer.add(Frame(picture(index, size), index * 40.0, index))
        clip = buffer.save(tmp_path / "a.mp4", 0, 1000)
    assert clip.times_ms == (120.0, 160.0, 200.0)


def test_frames_are_left_out_and_counted_rather_than_keeping_a_camera_waiting() -> None:
    with ReplayBuffer() as buffer:
        for index in range(200):
            buffer.add(Frame(picture(1, (1280, 720)), index * 1.0, index))
        kept = len(list(buffer.frames(0, 1000)))
        assert kept + buffer.left_out == 200
        assert kept >= 1


def test_after_closing_clips_can_still_be_made(tmp_path: Path) -> None:
    buffer = filled(UNEVEN)
    buffer.close()
    buffer.close()
    buffer.add(Frame(picture(3), 9000.0, 99))
    assert buffer.save(tmp_path / "a.mp4", 0, 9000).times_ms == UNEVEN


def test_waiting_for_a_moment_that_comes_and_for_one_that_does_not() -> None:
    with filled(UNEVEN) as buffer:
        assert buffer.wait_until(1900, timeout_s=5)
        assert not buffer.wait_until(99_000, timeout_s=0)


def test_a_part_of_a_film_becomes_a_clip(tmp_path: Path) -> None:
    write_film(tmp_path / "film.mp4")
    clip = clip_of_film(tmp_path / "film.mp4", tmp_path / "a.mp4", 100, 300)
    assert clip.times_ms == pytest.approx((120, 160, 200, 240, 280))
    with Camera.open(tmp_path / "film.mp4") as film:
        levels = [float(frame.image.mean()) for frame in film][3:8]
    with Camera.open(clip.path) as film:
        assert [float(frame.image.mean()) for frame in film] == pytest.approx(levels, abs=4)


def test_a_folder_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    with filled(UNEVEN) as buffer, pytest.raises(ReplayError, match="cannot be written"):
        buffer.save(tmp_path / "none" / "a.mp4", 0, 200)


def test_a_film_that_is_no_clip_has_no_times_of_its_own(tmp_path: Path) -> None:
    write_film(tmp_path / "film.mp4")
    assert clip_times(tmp_path / "film.mp4") is None
    assert clip_times(tmp_path / "missing.mp4") is None
