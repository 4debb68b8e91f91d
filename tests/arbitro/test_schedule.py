from __future__ import annotations

import numpy as np
import pytest

from arbitro.schedule import Schedule

FPS = 30


def due_frames(schedule: Schedule, pictures: list[np.ndarray], *, restless: bool = False) -> list[int]:
    return [
        number
        for number, picture in enumerate(pictures)
        if schedule.is_due(picture, number * 1000 / FPS, is_restless=restless)
    ]


def still(count: int, noise: int = 0) -> list[np.ndarray]:
    random = np.random.default_rng(5)
    table = np.full((360, 640, 3), 90, np.int16)
    return [
        (table + random.integers(-noise, noise + 1, table.shape)).clip(0, 255).astype(np.uint8)
        for _ in range(count)
    ]


def crossing(count: int) -> list[np.ndarray]:
    """A card-sized bright patch that crosses the table, 10 pixels a frame."""
    pictures = still(count)
    for number, picture in enumerate(pictures):
        picture[100:190, 10 * number : 10 * number + 60] = 230
    return pictures


def test_a_moving_card_is_looked_at_ten_times_a_second() -> None:
    assert due_frames(Schedule(10, 500, 0.004), crossing(60)) == list(range(0, 60, 3))


@pytest.mark.parametrize("noise", [0, 12])
def test_a_resting_table_is_looked_at_twice_a_second_noise_or_not(noise: int) -> None:
    assert due_frames(Schedule(10, 500, 0.004), still(60, noise)) == [0, 15, 30, 45]


def test_restlessness_counts_as_motion() -> None:
    assert due_frames(Schedule(10, 500, 0.004), still(12), restless=True) == [0, 3, 6, 9]


def test_a_card_that_appears_between_two_idle_looks_is_noticed_at_once() -> None:
    pictures = still(20)
    for picture in pictures[7:]:
        picture[100:190, 200:260] = 230
    # Noticed with frame 7; nothing changes after it.
    assert due_frames(Schedule(10, 500, 0.004), pictures) == [0, 7]


def test_a_change_of_the_pictures_size_is_a_change() -> None:
    schedule = Schedule(10, 500, 0.004)
    assert schedule.is_due(still(1)[0], 0)
    assert schedule.is_due(np.zeros((720, 640, 3), np.uint8), 110)
