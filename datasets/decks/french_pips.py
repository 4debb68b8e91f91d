"""Draw hearts, diamonds, spades and clubs around the origin, each about 100 wide and 100 high, in variable shapes."""

from __future__ import annotations

import random
from dataclasses import dataclass

from datasets.decks import svg


@dataclass(frozen=True)
class PipShape:
    """Say how the four suit signs are shaped.

    `width` is against the height (about 0.85 to 1.05); `hollow` (0 to 1) bends the diamond's sides inwards;
    `lobe` is the radius of the club's leaves (22 to 28); `cleft` the depth of the heart's notch (10 to 28);
    `stem` the width of the foot of spades and clubs (18 to 44); `point` how sharply hearts and spades run to
    their point (0 blunt to 1 sharp).
    """

    width: float = 0.92
    hollow: float = 0.35
    lobe: float = 24.5
    cleft: float = 18.0
    stem: float = 30.0
    point: float = 0.5

    @classmethod
    def random(cls, rng: random.Random) -> PipShape:
        """Draw shapes at random."""
        return cls(
            width=rng.uniform(0.8, 1.08),
            hollow=rng.choice((0.0, 0.0, rng.uniform(0.1, 0.7))),
            lobe=rng.uniform(22, 27.5),
            cleft=rng.uniform(10, 28),
            stem=rng.uniform(16, 46),
            point=rng.random(),
        )


def _heart(shape: PipShape, low: float) -> str:
    """Give the path of a heart from y -50 to `low`."""
    n = svg.num
    top = -50 + shape.cleft
    pull = 6 + 20 * shape.point
    return (
        f"M0 {n(low)}C{n(-pull * 0.5)} {n(low - pull)} -50 {n(18 - 14 * shape.point)} -50 -20C-50 -40 -38 -50 -25 -50"
        f"C-12 -50 -3 {n(top - 12)} 0 {n(top)}C3 {n(top - 12)} 12 -50 25 -50C38 -50 50 -40 50 -20"
        f"C50 {n(18 - 14 * shape.point)} {n(pull * 0.5)} {n(low - pull)} 0 {n(low)}Z"
    )


def _stem(shape: PipShape, top: float) -> str:
    """Give the path of a flared foot from `top` to y 50."""
    half = shape.stem / 2
    n = svg.num
    return (
        f"M-4 {n(top)}C-4 30 {n(-half * 0.5)} 44 {n(-half)} 50H{n(half)}C{n(half * 0.5)} 44 4 30 4 {n(top)}Z"
    )


def pip_path(suit: str, shape: PipShape) -> str:
    """Give the path of a suit ("H", "D", "C", "S"), upright."""
    n = svg.num
    if suit == "H":
        return _heart(shape, 50)
    if suit == "D":
        # A straight side, or one bent towards the middle.
        x, y = 21.0 - 13 * shape.hollow, 25.0 - 13 * shape.hollow
        return f"M0 -50Q{n(x)} {n(-y)} 42 0Q{n(x)} {n(y)} 0 50Q{n(-x)} {n(y)} -42 0Q{n(-x)} {n(-y)} 0 -50Z"
    if suit == "S":
        # A heart upside down on a foot.
        spade = _turned(_heart(shape, 50), 0.8)
        return spade + _stem(shape, 5)
    r = shape.lobe
    leaves = "".join(
        f"M{n(x - r)} {n(y)}A{n(r)} {n(r)} 0 1 1 {n(x + r)} {n(y)}A{n(r)} {n(r)} 0 1 1 {n(x - r)} {n(y)}Z"
        for x, y in ((0, -50 + r), (-49 + r, 12.0), (49 - r, 12.0))
    )
    return leaves + "M-14 -12H14L12 18H-12Z" + _stem(shape, 5)


def _turned(d: str, squash: float) -> str:
    """Turn path data upside down and squash it upwards around y = -50."""
    out = []
    horizontal = True
    for token in svg.tokens(d):
        if token.isalpha():
            out.append(token)
            horizontal = True
            continue
        value = float(token)
        out.append(svg.num(value if horizontal else (-value + 50) * squash - 50))
        horizontal = not horizontal
    return " ".join(out)


def pip(suit: str, shape: PipShape, colour: str, outline: str | None = None) -> str:
    """Draw a suit sign around the origin, 100 high."""
    more = {"stroke": outline, "width": 4.0} if outline else {}
    return svg.path(pip_path(suit, shape), colour, transform=f"scale({shape.width:.3f} 1)", **more)  # type: ignore[arg-type]
