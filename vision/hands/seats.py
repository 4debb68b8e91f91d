"""Who sits where: seats as directions from the pile, and whose an arm is that comes from somewhere.

Directions are angles in degrees as on paper: 0 is the picture's right, 90 its top, counter-clockwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SIDES = {"right": 0.0, "top": 90.0, "left": 180.0, "bottom": 270.0}
"""Directions of the picture's sides."""
NEAREST_DEG = 50.0
"""An arm that comes from farther away than this from every seat is nobody's."""
MARGIN_DEG = 8.0
"""By how much nearer the nearest seat must be than the next one."""


class SeatsError(ValueError):
    """Raised for seats that cannot be; the message is one line for people."""


@dataclass(frozen=True)
class Seats:
    """Hold the direction of each player's seat, in degrees, by the player's number."""

    angles_deg: tuple[float, ...]

    def owner(self, angle_deg: float) -> int | None:
        """Return the player from whose seat an arm comes; None if that is not clear."""
        ranked = sorted((apart_deg(angle_deg, seat), player) for player, seat in enumerate(self.angles_deg))
        if not ranked or ranked[0][0] > NEAREST_DEG:
            return None
        if len(ranked) > 1 and ranked[1][0] - ranked[0][0] < MARGIN_DEG:
            return None
        return ranked[0][1]


def parse_seats(text: str) -> Seats:
    """Read seats such as "bottom,right,top,left", or angles in degrees such as "270,342,54", in player order.

    Raises:
        SeatsError: if a seat is neither, two seats are nearly the same, or there are fewer than two or more than ten.
    """
    names = [name.strip().lower() for name in text.split(",")]
    angles = []
    for name in names:
        if name in SIDES:
            angles.append(SIDES[name])
            continue
        try:
            angle = float(name)
        except ValueError:
            angle = math.nan
        if not math.isfinite(angle):
            raise SeatsError(
                f"“{name}” is no seat: name sides (bottom, right, top, left) or angles in degrees, in player order"
            )
        angles.append(angle % 360)
    if not 2 <= len(angles) <= 10:
        raise SeatsError(f"{len(angles)} seats: 2 to 10 players can sit around a table")
    for i, angle in enumerate(angles):
        for other in angles[:i]:
            if apart_deg(angle, other) < 2 * MARGIN_DEG:
                raise SeatsError(
                    f"two seats are less than {2 * MARGIN_DEG:g} degrees apart: give each player a direction of his own"
                )
    return Seats(tuple(angles))


def spread_seats(players: int) -> Seats:
    """Return seats for so many players around the table, the first at the bottom, the next to his right as seen."""
    if players <= 4:
        return Seats(tuple(SIDES[side] for side in ("bottom", "right", "top", "left"))[:players])
    return Seats(tuple((270 + 360 * player / players) % 360 for player in range(players)))


def apart_deg(a: float, b: float) -> float:
    """Return the angle between two directions, 0 to 180 degrees."""
    return abs((a - b + 180) % 360 - 180)


def direction_deg(origin: Sequence[float], point: Sequence[float]) -> float:
    """Return the direction from one point of the picture to another (x, y in pixels, y down), 0 to 360 degrees."""
    return math.degrees(math.atan2(origin[1] - point[1], point[0] - origin[0])) % 360
