"""Hands on a painted pile: whose, when, and which lies underneath."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.vision.hands.painted import INTERVAL_MS, PILE, PaintedArm, frames
from vision.hands.seats import Seats
from vision.hands.sequence import sequence_of
from vision.hands.slaps import Dispute, SlapLook, find_slaps, hidden_hands

SEATS = Seats((270.0, 0.0, 90.0, 180.0))
DARK = (50, 70, 110)


def look(arms: Sequence[PaintedArm], **filming: object) -> SlapLook:
    film = sequence_of(frames(arms, **filming))  # type: ignore[arg-type]
    assert film is not None
    return find_slaps(film, SEATS, elsewhere=lambda: [PILE])


def only(seen: SlapLook) -> Dispute:
    assert len(seen.disputes) == 1
    return seen.disputes[0]


def test_a_hand_that_lies_longer_than_it_is_away_is_no_background() -> None:
    dispute = only(look([PaintedArm(270, 702.0, 1400)], length_ms=1700))
    (hand,) = dispute.hands
    assert hand.player == 0
    assert abs(hand.t_ms - 702.0) <= hand.error_ms
    assert hand.error_ms < INTERVAL_MS


@pytest.mark.parametrize(("touch_ms", "exposure_ms"), [(691.0, 4.0), (699.0, 28.0), (715.0, 12.0)])
def test_contacts_are_told_to_below_a_frame(touch_ms: float, exposure_ms: float) -> None:
    dispute = only(look([PaintedArm(180, touch_ms, 1400)], exposure_ms=exposure_ms))
    (hand,) = dispute.hands
    assert hand.player == 3
    assert abs(hand.t_ms - touch_ms) <= min(hand.error_ms, 0.6 * INTERVAL_MS)


def test_two_hands_come_in_the_order_of_their_contacts() -> None:
    arms = [PaintedArm(0, 650, 1400, beyond_px=-12), PaintedArm(180, 730, 1400, skin=DARK, beyond_px=-12)]
    dispute = only(look(arms))
    assert [hand.player for hand in dispute.hands] == [1, 3]
    first, second = dispute.hands
    assert abs((second.t_ms - first.t_ms) - 80) <= first.error_ms + second.error_ms
    assert dispute.above(0) == dispute.above(1) == []


@pytest.mark.parametrize("lower_first", [True, False])
def test_a_hand_that_lies_on_after_the_other_has_gone_tells_which_was_on_top(lower_first: bool) -> None:
    lower = PaintedArm(270, 690 if lower_first else 700, 1450, beyond_px=35)
    upper = PaintedArm(0, 700, 1010, skin=DARK, beyond_px=35)
    dispute = only(look([lower, upper]))
    places = {hand.player: place for place, hand in enumerate(dispute.hands)}
    assert dispute.above(places[0]) == [places[1]]
    assert dispute.above(places[1]) == []


@pytest.mark.parametrize("lower_from", [270, 0])
def test_hands_that_came_together_are_told_apart_while_the_upper_one_draws_back(lower_from: int) -> None:
    """Of hands that came and left together it stayed open who was below, though one bared the other as it left."""
    lower = PaintedArm(lower_from, 700, 1170, beyond_px=35)
    upper = PaintedArm(270 - lower_from, 705, 1010, skin=DARK, beyond_px=35)
    dispute = only(look([lower, upper]))
    places = {SEATS.angles_deg[hand.player or 0]: place for place, hand in enumerate(dispute.hands)}
    assert dispute.above(places[lower_from]) == [places[270 - lower_from]]
    assert dispute.above(places[270 - lower_from]) == []


def test_a_hand_that_came_and_drew_back_has_visited_the_pile() -> None:
    seen = look([PaintedArm(90, 500, 520, beyond_px=-5)])
    (visit,) = seen.visits
    assert (visit.player, visit.pile) == (2, 0)
    came, nearest, left = (float(seen.sequence.t_ms[frame]) for frame in (visit.came, visit.nearest, visit.left))
    assert came <= nearest < 620 and 520 < left < 800


def test_a_hand_of_the_tables_colour_is_not_overlooked() -> None:
    """A pale hand on a pale table in dim light was not told from the table, and others were ruled on without it."""
    seen = look([PaintedArm(0, 650, 1400, beyond_px=-12)])
    frame = only(seen).lying_frame(len(seen.sequence))
    followed = np.array([(330, 150), (430, 150), (430, 210), (330, 210)], np.float32)
    assert hidden_hands(seen, frame, [followed]) == 0
    assert hidden_hands(seen, frame, [followed, followed - (120, 0)]) == 1
    assert hidden_hands(seen, frame, [followed, followed - (310, 100)]) == 0, "one that lies far from the pile"


def test_a_hand_that_stops_above_the_pile_is_no_slap() -> None:
    seen = look([PaintedArm(270, 700, 830, feint_mm=60)])
    assert seen.disputes == ()


def test_missing_and_repeated_frames_only_widen_the_error() -> None:
    dispute = only(look([PaintedArm(90, 705, 1400)], skipped=(20,), repeated=(22,)))
    (hand,) = dispute.hands
    assert abs(hand.t_ms - 705) <= hand.error_ms


def test_an_empty_table_shows_nothing() -> None:
    seen = look([])
    assert (seen.hands, seen.disputes, seen.arms) == ((), (), 0)


def test_a_film_of_three_frames_shows_no_slap() -> None:
    assert look([PaintedArm(270, 50, 900)], length_ms=100).disputes == ()


def test_a_hand_from_where_nobody_sits_is_nobodys() -> None:
    film = sequence_of(frames([PaintedArm(90, 700, 1400)]))
    assert film is not None
    seen = find_slaps(film, Seats((270.0, 0.0)), elsewhere=lambda: [PILE])
    assert [hand.player for hand in seen.hands] == [None]
