"""Arms that came to a pile and went away again: who may have laid a card there, and by when.

A hand that lays a card may be gone so quickly that no frame shows it at rest. Then that it came and drew back tells
that its card lay there by the time it was gone. Only frames count in which its arm is by itself: where arms meet,
nobody knows where one of them ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.hands.arms import Arm
from vision.hands.pile import OVER_SHARE, Place
from vision.hands.resting import ArmMasks, distance_from
from vision.hands.seats import Seats, direction_deg

LEFT_PX = 15.0
"""How far from its nearest place a hand, with what it carries, has drawn back when its card lies there for sure."""


@dataclass(frozen=True, eq=False)
class Visit:
    """Describe an arm that came to a pile and drew back.

    Attributes:
        arm: the arm; player: whose it is, None if that is not clear.
        pile: number of the pile.
        came, nearest, left: frames in which it was first seen over the pile, was nearest to its middle, and had
            drawn back.
    """

    arm: Arm
    player: int | None
    pile: int
    came: int
    nearest: int
    left: int


def find_visits(masks: ArmMasks, places: Sequence[Place], seats: Seats) -> list[Visit]:
    """Find the visits to each pile, in the order in which they ended."""
    shape = masks.foreground.masks.shape[1:]
    over = OVER_SHARE * max(shape)
    found = []
    for pile, place in enumerate(places):
        far = distance_from(place, shape)
        for number, arm in enumerate(masks.arms):
            came = nearest = None
            reach = np.inf
            for frame in arm.frames:
                if not masks.alone(number, frame):
                    continue
                now = float(far[masks.own(number, frame)].min(initial=np.inf))
                if nearest is None and now >= over:
                    continue
                came = frame if came is None else came
                if now < reach:
                    nearest, reach = frame, now
                elif now > reach + LEFT_PX and nearest is not None:
                    player = seats.owner(direction_deg(masks.pile, arm.entry(nearest)))
                    found.append(Visit(arm, player, pile, came, nearest, frame))
                    came, nearest, reach = None, None, np.inf
    return sorted(found, key=lambda visit: visit.left)
