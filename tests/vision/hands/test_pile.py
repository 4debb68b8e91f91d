"""Piles: when they are seen, new cards on them, and on which of them a hand lies."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from vision.hands.foreground import Foreground
from vision.hands.pile import QuietRun, card_reach_px, new_cards
from vision.hands.seats import Seats
from vision.hands.slaps import HandSeen, _is_watched, _kind, arms_towards, pile_under

NOWHERE = np.zeros((0, 2), np.float32)


def run(first: int, last: int, changed: float = 0.0) -> QuietRun:
    return QuietRun(0, first, last, changed, NOWHERE)


def test_pushed_cards_are_no_new_ones() -> None:
    runs = [run(0, 9), run(20, 29, 0.02), run(50, 60, 0.02), run(80, 90, 0.2), run(95, 99, 0.005)]
    found = [(before.first, after.first) for before, after in new_cards(runs, slapped=[(32, 48), (62, 78)])]
    # Hands lay on the pile before frame 50, and moved its cards; before frame 80 much more has changed than that.
    assert found == [(0, 20), (50, 80)]


def first(t_ms: float, pile: int | None = 0) -> HandSeen:
    return cast(HandSeen, SimpleNamespace(t_ms=t_ms, pile=pile))


FILM: Any = SimpleNamespace(t_ms=np.arange(100) * 33.0)


@pytest.mark.parametrize(
    ("runs", "t_ms", "watched"),
    [
        ([run(0, 30)], 1100.0, True),
        ([run(0, 20)], 1100.0, False),
        ([run(0, 20), run(60, 70, 0.001)], 1100.0, True),
        ([run(0, 20), run(60, 70, 0.2)], 1100.0, False),
        ([run(0, 20), run(60, 70, 0.2)], 800.0, True),
        ([run(60, 70)], 1100.0, False),
        ([], 1100.0, False),
    ],
)
def test_what_lay_on_top_is_known_if_the_pile_was_seen_just_before(
    runs: list[QuietRun], t_ms: float, watched: bool
) -> None:
    assert _is_watched(FILM, runs, [], first(t_ms)) is watched


def hand_from_below(tip: tuple[int, int]) -> np.ndarray:
    """A hand of 30 x 90 pixels whose fingers end at a place."""
    region = np.zeros((360, 640), bool)
    region[tip[1] : tip[1] + 90, tip[0] - 15 : tip[0] + 15] = True
    return region


PLACES = [(260.0, 180.0), (370.0, 180.0)]


@pytest.mark.parametrize(("x", "pile"), [(262, 0), (225, 0), (368, 1), (316, None)])
def test_a_hand_lies_on_the_pile_under_its_fingers(x: int, pile: int | None) -> None:
    assert pile_under(hand_from_below((x, 150)), (x, 359.0), PLACES) == pile
    assert pile_under(hand_from_below((x, 150)), (x, 359.0), PLACES[:1]) == 0


def test_a_hand_that_reaches_across_one_pile_lies_on_the_other() -> None:
    region = np.zeros((360, 640), bool)
    region[165:195, 245:420] = True
    assert pile_under(region, (639.0, 180.0), PLACES) == 0


def test_cards_of_one_pile_do_not_reach_the_next() -> None:
    assert card_reach_px(PLACES[:1], (360, 640)) == pytest.approx(57.6)
    assert card_reach_px(PLACES, (360, 640)) < 55


@pytest.mark.parametrize(("arms", "players"), [(((35, 20),), {1}), (((82, 14), (35, 14)), {0, 1}), ((), set()),
                                               (((300, 20),), set())])
def test_an_arm_that_hangs_together_with_another_is_not_overlooked(
    arms: tuple[tuple[float, int], ...], players: set[int]
) -> None:
    """An arm that was not told from another, or from the table, was taken for that of one who had not slapped."""
    mask = np.zeros((360, 640), np.uint8)
    for angle, wide in arms:
        out = np.radians(angle)
        cv2.line(mask, (320, 180), (round(320 + 700 * np.cos(out)), round(180 - 700 * np.sin(out))), 1, wide)
    assert arms_towards(mask.view(bool), (320.0, 180.0), Seats((82.0, 35.0, 200.0))) == players


@pytest.mark.parametrize(("held", "kind"), [(4, "play"), (10, "slap")])
def test_a_short_slap_that_pushes_the_pile_lays_no_card(held: int, kind: str) -> None:
    """A hand that lay on the pile for a third of a second, and moved its cards, was taken for one that laid a card."""
    seen = [run(0, 20), run(22 + held, 60, 0.05)]
    approach: Any = SimpleNamespace(rest=SimpleNamespace(first=21), first_still=21, last_still=21 + held)
    assert _kind(FILM, cast(Foreground, SimpleNamespace(changes=())), seen, approach) == kind


def test_a_hand_that_is_lost_under_others_has_laid_no_card() -> None:
    """A slap that other hands soon covered was taken for the laying of a card, and the call was counted one too far."""
    seen = [run(0, 20), run(50, 60, 0.3)]
    approach: Any = SimpleNamespace(rest=SimpleNamespace(first=21), first_still=21, last_still=23)
    assert _kind(FILM, cast(Foreground, SimpleNamespace(changes=())), seen, approach) == "hover"
