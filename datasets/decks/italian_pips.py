"""Draw the suit signs of the Italian deck: coins, cups, swords and clubs, in the southern and the northern manner.

Every sign is drawn around the origin. A coin has radius 50; a cup is 96 wide and 120 high; a southern sword is 60 wide
and 320 long with its point up; a southern club is 70 wide and 320 long with its thick end up.
"""

from __future__ import annotations

import math
from typing import Any

from datasets.decks import svg
from datasets.decks.palette import Palette

COIN_DESIGNS = ("rosette", "sun", "star", "beads")
CUP_DESIGNS = ("chalice", "goblet", "urn", "faceted")
SWORD_DESIGNS = ("blue", "steel", "dagger")
CLUB_DESIGNS = ("cudgel", "trunk", "leafy")


def petals(count: int, inner: float, outer: float, width: float, turn: float = 0.0) -> str:
    """Give the path of petals (pointed ovals) around the origin."""
    parts = []
    for k in range(count):
        a = turn + 2 * math.pi * k / count
        c, s = math.cos(a), math.sin(a)
        middle = (inner + outer) / 2
        x0, y0, x1, y1 = inner * c, inner * s, outer * c, outer * s
        lx, ly = middle * c - width * s, middle * s + width * c
        rx, ry = middle * c + width * s, middle * s - width * c
        parts.append(
            f"M{svg.num(x0)} {svg.num(y0)}Q{svg.num(lx)} {svg.num(ly)} {svg.num(x1)} {svg.num(y1)}"
            f"Q{svg.num(rx)} {svg.num(ry)} {svg.num(x0)} {svg.num(y0)}Z"
        )
    return "".join(parts)


def rays(count: int, inner: float, outer: float, turn: float = 0.0) -> str:
    """Give the path of a star with `count` points around the origin."""
    points = []
    for k in range(2 * count):
        radius = outer if k % 2 == 0 else inner
        a = turn - math.pi / 2 + math.pi * k / count
        points.append(f"{svg.num(radius * math.cos(a))} {svg.num(radius * math.sin(a))}")
    return "M" + "L".join(points) + "Z"


def _beads(count: int, radius: float) -> str:
    """Give dash settings that draw `count` round beads along a circle."""
    step = 2 * math.pi * radius / count
    return f"0 {step:.2f}"


def sun_face(p: Palette, size: float) -> str:
    """Draw a calm face in a disc of radius `size` around the origin."""
    face = (
        svg.circle(0, 0, 30, p.gold, p.ink, 2.5)
        + svg.circle(-14, 6, 5, p.red, opacity=0.45)
        + svg.circle(14, 6, 5, p.red, opacity=0.45)
        + svg.circle(-9.5, -4, 2.6, p.ink)
        + svg.circle(9.5, -4, 2.6, p.ink)
        + svg.path(
            "M-15 -9Q-10 -14 -4 -9M4 -9Q10 -14 15 -9M0 -6Q-5 4 1 6M-9 12Q0 19 9 12",
            stroke=p.ink,
            width=2.4,
            stroke_linecap="round",
        )
    )
    return svg.group(face, f"scale({size / 30:.3f})")


def coin(p: Palette, design: str) -> str:
    """Draw a coin of radius 50."""
    edge = svg.circle(0, 0, 48, p.gold, p.ink, 4.0)
    bead_ring = svg.circle(
        0, 0, 40.5, stroke=p.ink, width=6.0, stroke_dasharray=_beads(24, 40.5), stroke_linecap="round"
    )
    if design == "sun":
        return edge + svg.path(rays(16, 30, 45), p.red, p.ink, 1.5) + sun_face(p, 27)
    if design == "star":
        return (
            edge
            + svg.circle(0, 0, 39, p.blue, p.ink, 3.0)
            + svg.path(rays(8, 16, 37), p.gold, p.ink, 2.0)
            + svg.circle(0, 0, 12, p.red, p.ink, 2.0)
        )
    if design == "beads":
        return (
            edge
            + bead_ring
            + svg.circle(0, 0, 33, p.white, p.ink, 2.5)
            + svg.path(petals(10, 6, 31, 9), p.gold, p.ink, 1.8)
            + svg.circle(0, 0, 9, p.gold, p.ink, 2.0)
        )
    return (
        edge
        + bead_ring
        + svg.circle(0, 0, 33, p.red, p.ink, 3.0)
        + svg.path(petals(8, 4, 31, 12), p.gold, p.ink, 1.8)
        + svg.circle(0, 0, 9, p.blue, p.ink, 2.0)
    )


def cup(p: Palette, design: str) -> str:
    """Draw a cup 96 wide and 120 high."""
    pen: dict[str, Any] = {"stroke": p.ink, "width": 3.5, "stroke_linejoin": "round"}
    if design == "goblet":
        shapes = (
            svg.path("M-38 58C-30 40 -10 44 -8 22L8 22C10 44 30 40 38 58Z", p.gold)
            + svg.path("M-42 -50C-42 2 -26 22 0 24C26 22 42 2 42 -50Z", p.gold)
            + svg.path("M-40 -24H40L37 -6H-37Z", p.blue)
            + svg.ellipse(0, -50, 42, 9, p.red)
            + svg.circle(-20, -15, 6, p.red)
            + svg.circle(0, -15, 6, p.white)
            + svg.circle(20, -15, 6, p.red)
            + svg.ellipse(0, 27, 15, 7, p.red)
        )
    elif design == "urn":
        handles = "M-30 -34C-60 -40 -56 6 -24 2M30 -34C60 -40 56 6 24 2"
        shapes = (
            svg.path(handles, width=9.0)
            + svg.path(handles, stroke=p.gold, width=4.0)
            + svg.path("M-30 58L-22 42L-8 36V18H8V36L22 42L30 58Z", p.red)
            + svg.path("M-36 -52C-30 -30 -40 -8 -22 12C-10 22 10 22 22 12C40 -8 30 -30 36 -52Z", p.green)
            + svg.path("M-33 -40H33L32 -24H-32Z", p.gold)
            + svg.ellipse(0, -52, 36, 8, p.red)
            + svg.path("M-18 -14V8M0 -14V14M18 -14V8", width=2.5)
        )
    elif design == "faceted":
        shapes = (
            svg.path("M-34 58L-26 36L-10 24L10 24L26 36L34 58Z", p.blue)
            + svg.path("M-40 -40L-28 -2L-10 10H10L28 -2L40 -40Z", p.blue)
            + svg.path("M-44 -56L-30 -64H30L44 -56L36 -36H-36Z", p.red)
            + svg.path("M-12 -38L-9 8H9L12 -38ZM-10 26L-14 56H14L10 26Z", p.gold)
            + svg.path("M-18 8H18L14 26H-14Z", p.red)
        )
    else:
        shapes = (
            svg.path("M-40 58C-38 44 -14 42 -10 30L-8 18H8L10 30C14 42 38 44 40 58Z", p.red)
            + svg.path("M-34 58C-30 50 30 50 34 58Z", p.gold)
            + svg.path("M-40 -48C-42 -14 -30 18 0 20C30 18 42 -14 40 -48Z", p.red)
            + svg.path("M-36 -14C-32 8 -18 20 0 20C18 20 32 8 36 -14C20 -4 -20 -4 -36 -14Z", p.green)
            + svg.path("M-43 -54H43L41 -36C20 -30 -20 -30 -41 -36Z", p.gold)
            + svg.ellipse(0, -54, 43, 7, p.white)
            + svg.ellipse(0, 26, 14, 7, p.gold)
        )
    return svg.group(shapes, **pen)


def sword(p: Palette, design: str) -> str:
    """Draw a straight sword, 60 wide and 320 long, point up."""
    blade, edge = (p.blue, p.steel) if design == "blue" else (p.steel, p.white)
    half = 15 if design == "dagger" else 11
    shapes = (
        svg.path(f"M0 -160L{half} -132L{half - 1} 74H{1 - half}L{-half} -132Z", blade)
        + svg.path(f"M0 -148L0 72L{1 - half} 74L{-half} -132Z", edge)
        + svg.path("M-6 82H6L7 130H-7Z", p.red if design != "steel" else p.green)
        + svg.path("M-7 96H7M-7 108H7M-7 120H7", width=2.5)
        + svg.path(
            "M-30 72C-34 60 -22 58 -16 66H16C22 58 34 60 30 72C34 88 22 92 16 84H-16C-22 92 -34 88 -30 72Z",
            p.gold,
        )
        + svg.circle(0, 142, 15, p.gold)
        + svg.circle(0, 75, 6, p.red)
        + svg.circle(0, 142, 5, p.red)
    )
    return svg.group(shapes, stroke=p.ink, width=3.5, stroke_linejoin="round")


def club(p: Palette, design: str) -> str:
    """Draw a club, 70 wide and 320 long, thick end up."""
    pen: dict[str, Any] = {"stroke": p.ink, "width": 4.0, "stroke_linejoin": "round"}
    if design == "trunk":
        shapes = (
            svg.path(
                "M-26 -148L26 -152L29 -80L40 -92L42 -74L29 -52L24 40L34 34L34 50L22 66L14 156H-14"
                "L-20 20"
                "L-34 6L-32 -10L-22 -2L-29 -96Z",
                p.green,
            )
            + svg.path("M-10 -120L-6 -40M10 -100L8 0M-6 10L-4 120M6 40L5 140", width=2.5)
            + svg.ellipse(0, -150, 26, 10, p.red)
            + svg.ellipse(0, -150, 12, 4, p.gold)
            + svg.ellipse(41, -83, 5, 9, p.red)
            + svg.ellipse(-33, -2, 5, 8, p.red)
        )
    elif design == "leafy":
        shapes = (
            svg.path("M-20 -140C-22 -162 22 -162 20 -140L10 156H-10Z", p.brown)
            + svg.path(
                "M-14 -100C-60 -110 -34 -60 -12 -70ZM13 -70C60 -76 36 -26 11 -40ZM-12 0"
                "C-54 -8 -34 44 -10 30Z"
                "M9 50C48 46 30 90 8 78Z",
                p.green,
            )
            + svg.path("M-9 -128L-4 130M8 -120L5 120", width=2.2)
            + svg.path("M-13 116L13 116L12 136H-12Z", p.gold)
        )
    else:
        shapes = (
            svg.path(
                "M0 -158C32 -158 36 -120 33 -84C30 -30 16 40 13 150C8 160 -8 160 -13 150"
                "C-16 40 -30 -30 -33 -84"
                "C-36 -120 -32 -158 0 -158Z",
                p.green,
            )
            + svg.path(
                "M0 -158C32 -158 36 -120 33 -84C30 -30 16 40 13 150C8 156 4 157 0 157C8 40 12 -60 0 -158Z",
                p.brown,
            )
            + svg.path("M-14 104H14L13 150C8 160 -8 160 -13 150Z", p.red)
            + svg.path(
                "M-22 -110C-16 -116 -10 -112 -10 -104C-14 -98 -20 -100 -22 -110ZM12 -70"
                "C18 -76 24 -72 23 -64"
                "C19 -58 13 -60 12 -70ZM-20 -40C-14 -46 -8 -42 -8 -34C-12 -28 -18 -30 -20 -40ZM6 0C11 -5 15 -2 15 5"
                "C11 10 7 8 6 0Z",
                p.gold,
            )
            + svg.path("M-15 98H15V110H-15Z", p.gold)
        )
    return svg.group(shapes, **pen)


def scimitars(p: Palette, count: int, width: float, height: float) -> str:
    """Draw `count` swords as in the north around the origin: curved, interlaced, a straight one amid odd counts."""
    pairs = count // 2
    blade = min(width / (10.5 if pairs < 3 else 12), 44.0)
    step = min(blade * 1.3, width * 0.36 / max(pairs, 1))
    drawn = []
    for k in range(pairs):
        bow = width * 0.47 - k * step
        foot = width * 0.30 - k * step * 0.35
        for side in (-1, 1):
            drawn.append(_scimitar(p, side, bow, foot, height, blade))
    if count % 2:
        drawn.append(
            svg.group(
                sword(p, "steel"),
                svg.place(0, 0, (1.15, height / 340 * (0.62 if pairs > 2 else 0.9))),
                class_="pip",
            )
        )
    return "".join(drawn)


def _scimitar(p: Palette, side: int, bow: float, foot: float, height: float, blade: float) -> str:
    top, bottom = -height * 0.49, height * 0.36
    n = svg.num
    d = (
        f"M{n(-side * foot)} {n(bottom)}C{n(side * bow * 1.33)} {n(bottom * 0.55)} "
        f"{n(side * bow * 1.33)} {n(top * 0.55)} {n(-side * foot)} {n(top)}"
    )
    # The hilt follows the blade's direction at its foot.
    turn = math.degrees(math.atan2(side * (bow * 1.33 + foot), bottom * 0.45))
    hilt = svg.group(
        svg.path("M-7 10H7L8 62H-8Z", p.red)
        + svg.path("M-34 0H34V14H-34Z", p.gold)
        + svg.circle(0, 72, 15, p.gold)
        + svg.circle(-34, 7, 9, p.blue)
        + svg.circle(34, 7, 9, p.blue),
        svg.place(-side * foot, bottom, blade / 26, turn * 0.8),
        stroke=p.ink,
        width=4.0,
    )
    long = f"{n(height * 0.14)} {n(height * 0.1)}"
    return svg.group(
        svg.path(d, stroke=p.ink, width=blade, stroke_linecap="round")
        + svg.path(d, stroke=p.white, width=blade - 7)
        + svg.path(d, stroke=p.blue, width=blade - 7, stroke_dasharray=long)
        + svg.path(
            d,
            stroke=p.red,
            width=blade * 0.25,
            stroke_dasharray=long,
            stroke_dashoffset=svg.num(height * 0.12),
        )
        + svg.path(d, stroke=p.gold, width=blade * 0.22)
        + hilt,
        class_="pip",
    )


def baton(p: Palette, length: float, thickness: float) -> str:
    """Draw a straight painted baton of the north, upright around the origin."""
    half, t = length / 2, thickness / 2
    bands = []
    inner = half - thickness * 1.6
    for k, colour in enumerate((p.red, p.white, p.blue, p.gold, p.blue, p.white, p.red)):
        bands.append(svg.rect(-t, -inner + k * 2 * inner / 7, 2 * t, 2 * inner / 7, colour))
    knob = svg.path(
        f"M{svg.num(-t * 1.5)} 0H{svg.num(t * 1.5)}L{svg.num(t)} {svg.num(-t)}H{svg.num(-t)}Z", p.gold
    ) + svg.ellipse(0, -t * 1.8, t * 1.15, t, p.green)
    knob += svg.path(rays(5, t * 0.35, t * 0.8), p.red, transform=f"translate(0 {svg.num(-t * 3.0)})")
    return svg.group(
        "".join(bands) + svg.group(knob, svg.place(0, -inner)) + svg.group(knob, svg.place(0, inner, 1, 180)),
        stroke=p.ink,
        width=3.0,
        stroke_linejoin="round",
    )


def crossed_batons(p: Palette, count: int, width: float, height: float, name: str) -> str:
    """Draw `count` batons as in the north around the origin: crossed, an upright one amid an odd number."""
    pairs = count // 2
    thickness = min(width / (9 if pairs < 3 else 10.5), 54.0)
    step = thickness * 1.3
    lean = math.atan2(width - thickness * 2 - (pairs - 1) * step, height - thickness)
    length = (height - thickness) / math.cos(lean) * 0.97
    drawn = [svg.define(name, baton(p, length, thickness))]
    for k in range(pairs):
        shift = (k - (pairs - 1) / 2) * step
        for side in (-1, 1):
            drawn.append(svg.use(name, svg.place(shift, 0, 1, side * math.degrees(lean)), class_="pip"))
    if count % 2:
        drawn.append(svg.use(name, svg.place(0, 0, (1.15, height / length * 0.98)), class_="pip"))
    return "".join(drawn)
