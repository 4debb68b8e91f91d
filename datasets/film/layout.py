"""Places on the table: where the players sit, where their piles and the deck lie, where a card finds room."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from datasets.film.motion import Pose

#: Thickness of a card, mm.
CARD_MM = 0.3

#: The sides of the table, counter-clockwise, with the unit vector from the middle to each.
SIDES = {"right": (1.0, 0.0), "far": (0.0, 1.0), "left": (-1.0, 0.0), "near": (0.0, -1.0)}

#: Where players sit if nobody says, by their number.
_USUAL_SIDES = {2: ("near", "far"), 3: ("near", "right", "far"), 4: ("near", "right", "far", "left")}


@dataclass(frozen=True, slots=True)
class Layout:
    """The part of the table that the game uses, a rectangle around the middle, and its fixed places.

    Args:
        players: 2 to 4.
        half_mm: half the width and half the height of the rectangle, mm.
        card_mm: width and height of a card, mm.
        beyond_mm: how far from the middle a hand must go to be out of the picture: right, far, left, near.
        sides: the side of each seat, of `SIDES`, going round counter-clockwise; if empty, 2 sit near and far, and more
            counter-clockwise from the near side.
        pairs: whether seats 0 and 2, and 1 and 3, share a pile, so that four players have two.

    Raises:
        ValueError: for sides that the players cannot sit at.
    """

    players: int
    half_mm: tuple[float, float] = (450.0, 253.0)
    card_mm: tuple[float, float] = (56.0, 90.0)
    beyond_mm: tuple[float, float, float, float] = (640.0, 440.0, 640.0, 440.0)
    sides: tuple[str, ...] = ()
    pairs: bool = True

    def __post_init__(self) -> None:
        """Check the sides."""
        if not self.sides:
            return
        if len(self.sides) != self.players or len(set(self.sides)) != self.players or not set(self.sides) <= set(SIDES):
            raise ValueError(f"{self.players} players sit at as many different sides of {', '.join(SIDES)}, "
                             f"not at {', '.join(self.sides)}")
        around = list(SIDES)
        steps = [(around.index(b) - around.index(a)) % 4
                 for a, b in zip(self.sides, self.sides[1:] + self.sides[:1], strict=True)]
        if sum(steps) != 4:
            raise ValueError(f"players sit counter-clockwise around the table: {', '.join(self.sides)} is not")

    def side(self, seat: int) -> str:
        """Return the side of the table that a player sits at."""
        return (self.sides or _USUAL_SIDES[self.players])[seat]

    def outward(self, seat: int) -> tuple[float, float]:
        """Return the unit vector from the middle of the table to a seat."""
        return SIDES[self.side(seat)]

    def right_hand(self, seat: int) -> tuple[float, float]:
        """Return the unit vector to a player's right, who looks to the middle."""
        x, y = self.outward(seat)
        return -y, x

    def facing(self, seat: int) -> float:
        """Return the angle of a card that a player sees upright."""
        x, y = self.outward(seat)
        return math.atan2(x, -y)

    def pile(self, seat: int) -> Pose:
        """Return where a player's captured cards lie: at the right hand."""
        (dx, dy), (rx, ry) = self.outward(seat), self.right_hand(seat)
        w, h = self.half_mm
        return Pose((0.56 * dx + 0.72 * rx) * w if rx else 0.72 * dx * w,
                    (0.56 * dy) * h if rx else 0.56 * ry * h, 0.0, self.facing(seat))

    def deck(self, dealer: int) -> Pose:
        """Return where the undealt cards lie: at the dealer's left, clear of the piles."""
        w, h = self.half_mm
        y = self.outward(dealer)[1]
        if self.players == 2 and {self.side(0), self.side(1)} == {"near", "far"}:
            return Pose(0.78 * w * y, 0.12 * h * y, 0.0, self.facing(dealer))
        owners = (0, 1) if self.players == 4 and self.pairs else range(self.players)
        taken = {(self.pile(seat).x > 0, self.pile(seat).y > 0) for seat in owners}
        free = [(x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0) if (x > 0, y > 0) not in taken]
        # The dealer's left-hand corner, else the free one next to it; the upright way is that of the near side.
        (dx, dy), (rx, ry) = self.outward(dealer), self.right_hand(dealer)
        if free:
            x, y = max(free, key=lambda at: (at[0] * (dx - rx) + at[1] * (dy - ry), at[0] * dx + at[1] * dy))
            return Pose(0.8 * w * x, 0.5 * h * y, 0.0, 0.0)
        # Four piles fill the corners: the deck lies at the left or the right side, between its player's cards and pile.
        end = -1.0 if self.side(dealer) in ("near", "left") else 1.0
        return Pose(0.86 * w * end, 0.3 * h * end, 0.0, math.pi / 2)

    def base(self, seat: int) -> tuple[float, float]:
        """Return the shoulder that a player's right arm turns around, outside the picture, mm."""
        (dx, dy), (rx, ry) = self.outward(seat), self.right_hand(seat)
        far = self.beyond(seat) + 260
        return dx * far + rx * 170, dy * far + ry * 170

    def beyond(self, seat: int) -> float:
        """Return how far from the middle, on a player's side, the picture surely ends, mm."""
        x, y = self.outward(seat)
        return self.beyond_mm[0 if x > 0 else 2 if x < 0 else 1 if y > 0 else 3]

    def off_camera(self, seat: int, sideways_mm: float = 0.0) -> Pose:
        """Return where a player's hand waits outside the picture, fingers to the middle."""
        (dx, dy), (rx, ry) = self.outward(seat), self.right_hand(seat)
        far = self.beyond(seat) + 130
        return Pose(dx * far + rx * (60 + sideways_mm), dy * far + ry * (60 + sideways_mm), 60.0, self.facing(seat))

    def border(self, seat: int) -> Pose:
        """Return where three face-down cards are put for a player, at the border of the table."""
        x, y = self.outward(seat)
        w, h = self.half_mm
        return Pose(x * w * 0.84, y * h * 0.84, 0.0, self.facing(seat))

    def central_half_mm(self) -> tuple[float, float]:
        """Return half the size of the area that table cards are laid in."""
        return 0.54 * self.half_mm[0], 0.52 * self.half_mm[1]

    def find_room(self, rng: random.Random, lying: Sequence[Pose], *, near: Pose | None = None,
                  crooked: float = 0.12, facing: float = 0.0) -> Pose:
        """Find a place for one more card among those lying, as a person would: free if there is one, near the others.

        Args:
            rng: source of randomness.
            lying: poses of the cards that lie on the table.
            near: prefer places near this pose, else near the middle.
            crooked: standard deviation of the angle, radians.
            facing: angle of a card laid straight.
        """
        w, h = self.central_half_mm()
        best, best_cost = Pose(0, 0), math.inf
        for _ in range(90):
            pose = Pose(rng.uniform(-w, w), rng.uniform(-h, h), 0.0, facing + rng.gauss(0, crooked))
            covered = sum(self.overlap(pose, other) for other in lying)
            tight = sum(self.overlap(pose, other, grow_mm=7) for other in lying)
            middle = near or Pose(0, 0)
            away = math.hypot((pose.x - middle.x) / w, (pose.y - middle.y) / h)
            cost = 6 * covered + 1.5 * tight + 0.45 * away + rng.uniform(0, 0.25)
            if cost < best_cost:
                best, best_cost = pose, cost
        return best

    def beside(self, rng: random.Random, target: Pose, others: Iterable[Pose]) -> Pose:
        """Find a place for a card that takes `target`: touching it or partly on it, covering little of `others`."""
        others = list(others)
        w, h = self.card_mm
        lay_on = rng.random() < 0.5
        best, best_cost = target, math.inf
        for _ in range(40):
            turn = target.angle + rng.gauss(0, 0.15) + (math.pi if rng.random() < 0.2 else 0)
            sideways = rng.random() < 0.6
            reach = (w if sideways else h) * (rng.uniform(0.38, 0.62) if lay_on else rng.uniform(0.9, 1.08))
            direction = target.angle + (0 if sideways else math.pi / 2) + math.pi * rng.randrange(2)
            pose = Pose(target.x + math.cos(direction) * reach + rng.gauss(0, 3),
                        target.y + math.sin(direction) * reach + rng.gauss(0, 3), 0.0, turn)
            cost = 4 * sum(self.overlap(pose, other) for other in others) + rng.uniform(0, 0.3)
            cost += 3 * max(0.0, abs(pose.x) / self.half_mm[0] - 0.62)
            cost += 3 * max(0.0, abs(pose.y) / self.half_mm[1] - 0.66)
            if cost < best_cost:
                best, best_cost = pose, cost
        return best

    def corners(self, pose: Pose, grow_mm: float = 0.0) -> list[tuple[float, float]]:
        """Return the four corners of a lying card, counter-clockwise from its lower left, mm."""
        w, h = self.card_mm[0] / 2 + grow_mm / 2, self.card_mm[1] / 2 + grow_mm / 2
        c, s = math.cos(pose.angle), math.sin(pose.angle)
        return [(pose.x + c * x - s * y, pose.y + s * x + c * y) for x, y in ((-w, -h), (w, -h), (w, h), (-w, h))]

    def overlap(self, a: Pose, b: Pose, grow_mm: float = 0.0) -> float:
        """Return the share of card `a` that lies in the rectangle of card `b`, 0..1."""
        if math.hypot(a.x - b.x, a.y - b.y) > math.hypot(*self.card_mm) + grow_mm:
            return 0.0
        inside = clip_polygon(self.corners(a, grow_mm), self.corners(b, grow_mm))
        return polygon_area(inside) / ((self.card_mm[0] + grow_mm) * (self.card_mm[1] + grow_mm))


def clip_polygon(subject: list[tuple[float, float]], window: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the part of a convex polygon inside a convex window, both counter-clockwise (Sutherland-Hodgman)."""
    result = subject
    for (ax, ay), (bx, by) in zip(window, window[1:] + window[:1], strict=True):
        if not result:
            break
        points, result = result, []
        sides = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in points]
        for i, (point, side) in enumerate(zip(points, sides, strict=True)):
            before, before_side = points[i - 1], sides[i - 1]
            if (side >= 0) != (before_side >= 0):
                share = before_side / (before_side - side)
                result.append((before[0] + (point[0] - before[0]) * share, before[1] + (point[1] - before[1]) * share))
            if side >= 0:
                result.append(point)
    return result


def polygon_area(points: Sequence[tuple[float, float]]) -> float:
    """Return the area of a simple polygon (shoelace formula)."""
    return abs(sum(x * points[i - 1][1] - points[i - 1][0] * y for i, (x, y) in enumerate(points))) / 2
