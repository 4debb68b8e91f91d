"""The time of a touch, fitted to where a hand was in the frames before."""

from __future__ import annotations

import numpy as np
import pytest

from vision.hands.contact import fit_touch

INTERVAL_MS = 100 / 3
TIMES = np.arange(6) * INTERVAL_MS


def places(touch_ms: float, speed: float = 0.9) -> np.ndarray:
    """How far a hand that touches at a time is from where it rests, in two ways at once."""
    left = np.maximum(touch_ms - TIMES, 0.0) * speed
    return np.stack([0.8 * left, -0.6 * left], axis=1)


@pytest.mark.parametrize("touch_ms", [101.0, 112.0, 125.0, 132.0])
def test_an_even_way_ends_when_the_hand_touches(touch_ms: float) -> None:
    touch = fit_touch(TIMES, places(touch_ms), INTERVAL_MS, TIMES[4])
    assert abs(touch.t_ms - touch_ms) <= min(touch.error_ms, 0.35 * INTERVAL_MS)
    assert touch.error_ms < 0.7 * INTERVAL_MS


def test_a_hand_that_was_hardly_found_again_is_timed_less_surely() -> None:
    """A hand that was found in a wrong place just before its touch had as small an error as any other."""
    way = places(112.0)
    way[3] = (18.0, -22.0)
    sure = fit_touch(TIMES, way, INTERVAL_MS, TIMES[4])
    doubted = fit_touch(TIMES, way, INTERVAL_MS, TIMES[4], np.array([0.8, 0.8, 0.7, 0.4, 0.95, 1.0]))
    assert doubted.error_ms > 1.3 * sure.error_ms
    assert abs(doubted.t_ms - 112.0) <= doubted.error_ms


def test_a_hand_that_leapt_to_where_it_rests_is_timed_less_surely() -> None:
    """A hand that was found lying beside its place, and then in it, seemed to have come within a frame."""
    way = np.zeros((6, 2))
    way[:4] = (6.0, -25.0)
    way[:3] += np.array([(4.0, -4.0), (-2.0, 0.0), (0.0, 1.0)])
    leapt = fit_touch(TIMES, way, INTERVAL_MS, TIMES[4])
    came = fit_touch(TIMES, places(112.0), INTERVAL_MS, TIMES[4])
    assert leapt.error_ms > 1.5 * came.error_ms


def test_a_hand_that_seems_to_draw_back_for_one_frame_may_have_touched_before() -> None:
    """A resting hand that was taken for another one in one frame seemed to have touched two frames late."""
    way = np.array([(70.0, 10.0), (14.0, 7.0), (7.0, 8.0), (-38.0, -31.0), (0.0, 0.0), (0.0, 0.0)])
    touch = fit_touch(TIMES, way, INTERVAL_MS, TIMES[4])
    assert touch.t_ms - touch.error_ms <= TIMES[1]
