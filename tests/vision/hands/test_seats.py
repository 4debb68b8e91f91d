"""Seats: directions, and whose an arm is."""

from __future__ import annotations

import pytest

from vision.hands.seats import Seats, SeatsError, apart_deg, direction_deg, parse_seats, spread_seats


def test_sides_and_angles_in_player_order() -> None:
    assert parse_seats("bottom, right,top,left").angles_deg == (270.0, 0.0, 90.0, 180.0)
    assert parse_seats("270,342,-306").angles_deg == (270.0, 342.0, 54.0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bottom", "2 to 10"),
        ("bottom,middle", "middle"),
        ("bottom,bottom", "degrees apart"),
        ("0,nan", "no seat"),
        (",".join(str(angle) for angle in range(0, 352, 32)), "2 to 10"),
    ],
)
def test_seats_that_cannot_be_are_told(text: str, why: str) -> None:
    with pytest.raises(SeatsError, match=why):
        parse_seats(text)


@pytest.mark.parametrize(
    ("angle", "owner"), [(270, 0), (250, 0), (355, 1), (20, 1), (181, 3), (135, None), (90, 2), (226, None)]
)
def test_an_arm_is_the_nearest_players_if_that_is_clear(angle: float, owner: int | None) -> None:
    assert Seats((270.0, 0.0, 90.0, 180.0)).owner(angle) == owner


def test_an_arm_from_far_away_is_nobodys() -> None:
    assert Seats((270.0, 0.0)).owner(150) is None


@pytest.mark.parametrize("players", range(2, 11))
def test_players_are_spread_around_the_table(players: int) -> None:
    seats = spread_seats(players)
    assert len(seats.angles_deg) == players
    assert seats.angles_deg[0] == 270.0
    assert [seats.owner(angle) for angle in seats.angles_deg] == list(range(players))


def test_directions_turn_counter_clockwise_with_y_down() -> None:
    assert direction_deg((10, 10), (20, 10)) == 0
    assert direction_deg((10, 10), (10, 0)) == 90
    assert direction_deg((10, 10), (10, 20)) == 270
    assert apart_deg(350, 10) == 20
