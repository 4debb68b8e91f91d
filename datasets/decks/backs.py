"""Draw card backs: symmetrical under a half turn, in several ornaments and any two or three colours."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from datasets.decks import svg
from datasets.decks.italian_pips import petals, rays
from datasets.decks.palette import hls, mix

DESIGNS = ("lattice", "rosettes", "scales", "sunburst", "vine", "tiles", "stripes", "plain", "weave", "dots")


@dataclass(frozen=True)
class BackStyle:
    """Say how a back is printed.

    `design` is one of DESIGNS; `main`, `second` and `accent` are #rrggbb; `border` is the white margin in
    tenths of a millimetre (0 prints to the edge); `step` is the ornament's repeat in tenths of a millimetre;
    `medallion` puts an emblem in the middle.
    """

    size_mm: tuple[float, float] = (52.0, 88.0)
    design: str = "lattice"
    main: str = "#1f4e8c"
    second: str = "#dfe9f4"
    accent: str = "#f5bf2c"
    paper: str = "#fffdf7"
    border: float = 30.0
    step: float = 46.0
    medallion: bool = True
    corner_mm: float = 3.5

    @classmethod
    def random(cls, rng: random.Random) -> BackStyle:
        """Draw a back at random; the same `rng` state gives the same style."""
        hue = rng.choice((0.0, 0.6, 0.6, 0.98, 0.35, 0.08, rng.random(), rng.random()))
        main = hls(hue + rng.uniform(-0.03, 0.03), rng.uniform(0.16, 0.48), rng.uniform(0.4, 0.95))
        second = (
            mix(main, "#ffffff", rng.uniform(0.6, 0.97))
            if rng.random() < 0.7
            else hls(rng.random(), 0.85, 0.6)
        )
        if rng.random() < 0.15:
            main, second = second, main
        return cls(
            size_mm=rng.choice(
                (
                    (52.0, 88.0),
                    (50.0, 83.0),
                    (50.0, 94.0),
                    (49.0, 103.0),
                    (63.0, 88.0),
                    (63.0, 88.0),
                    (57.0, 88.0),
                )
            ),
            design=rng.choice(DESIGNS),
            main=main,
            second=second,
            accent=hls(rng.random(), rng.uniform(0.4, 0.75), 0.8),
            paper=rng.choice(("#ffffff", "#fffdf7", "#f6edd8")),
            border=rng.choice((0.0, rng.uniform(12, 55), rng.uniform(12, 55))),
            step=rng.uniform(24, 80),
            medallion=rng.random() < 0.4,
            corner_mm=rng.uniform(2.5, 5.5),
        )


STANDARD_BACKS: dict[str, BackStyle] = {
    "blue-lattice": BackStyle(),
    "red-rosettes": BackStyle(
        design="rosettes", main="#a81e2b", second="#fbe3d6", accent="#f5bf2c", step=58.0
    ),
    "green-scales": BackStyle(design="scales", main="#176140", second="#d8efdc", accent="#e8b92f", step=52.0),
    "night-sunburst": BackStyle(
        design="sunburst", main="#23264f", second="#e9e2c8", accent="#f0b429", step=60.0, border=24.0
    ),
    "azulejo-tiles": BackStyle(
        design="tiles", main="#22539b", second="#f4f7fb", accent="#e2a72e", step=65.0, medallion=False
    ),
}
"""The backs that come with Arbitro's own decks, by name."""


def _grid(w: float, h: float, step: float) -> tuple[int, int, float, float]:
    """Fit whole repeats into w by h: columns, rows and their exact steps."""
    columns, rows = max(2, round(w / step)), max(2, round(h / step))
    return columns, rows, w / columns, h / rows


def _tiled(name: str, motif: str, w: float, h: float, step: float, staggered: bool = False) -> str:
    """Repeat a motif, drawn around the origin for a cell of 100 by 100, over a field of w by h around the origin."""
    columns, rows, dx, dy = _grid(w, h, step)
    cells = []
    for r in range(rows + (1 if staggered else 0)):
        for c in range(columns):
            cells.append((-w / 2 + (c + 0.5) * dx, -h / 2 + (r + (0.0 if staggered else 0.5)) * dy))
    if staggered:
        cells += [(-w / 2 + c * dx, -h / 2 + (r + 0.5) * dy) for r in range(rows) for c in range(columns + 1)]
    # One row of repeats, used row by row, keeps the file small.
    lines: dict[float, list[float]] = {}
    for x, y in cells:
        lines.setdefault(round(y, 3), []).append(x)
    out = [svg.define(name, svg.group(motif, f"scale({dx / 100:.3f} {dy / 100:.3f})"))]
    seen: dict[tuple[float, ...], str] = {}
    for y, xs in lines.items():
        key = tuple(round(x, 3) for x in xs)
        if key not in seen:
            seen[key] = f"{name}-row{len(seen)}"
            out.append(
                svg.define(seen[key], "".join(svg.use(name, f"translate({svg.num(x)} 0)") for x in xs))
            )
        out.append(svg.use(seen[key], f"translate(0 {svg.num(y)})"))
    return "".join(out)


def _field(style: BackStyle, w: float, h: float, name: str) -> str:
    """Draw the ornament over a field of w by h around the origin."""
    m, s, a = style.main, style.second, style.accent
    ground = svg.rect(-w / 2, -h / 2, w, h, m)
    if style.design == "lattice":
        motif = (
            svg.path("M-50 0L0 -50L50 0L0 50Z", stroke=s, width=9.0)
            + svg.path(petals(4, 3, 30, 12), s)
            + svg.circle(0, 0, 7, a)
        )
        return ground + _tiled(name, motif, w, h, style.step)
    if style.design == "rosettes":
        motif = (
            svg.circle(0, 0, 46, stroke=s, width=5.0)
            + svg.path(petals(8, 8, 42, 13, math.pi / 8), s)
            + svg.circle(0, 0, 9, a)
            + svg.path("M50 38L62 50L50 62L38 50Z", a)
        )
        return ground + _tiled(name, motif, w, h, style.step)
    if style.design == "scales":
        # Scales turn over at the middle, so that the back reads the same both ways up.
        motif = "".join(svg.circle(0, -50, r, c, s, 4.0) for r, c in ((72, m), (50, m), (28, a)))
        half = svg.group(
            _tiled(name, motif, w, h / 2, style.step, staggered=True), f"translate(0 {svg.num(-h / 4)})"
        )
        top = svg.clip(
            f"{name}-top", f"M{svg.num(-w / 2)} {svg.num(-h / 2)}H{svg.num(w / 2)}V0H{svg.num(-w / 2)}Z"
        )
        upper = svg.group(half, clip_path=f"url(#{name}-top)")
        return (
            ground
            + top
            + svg.define(f"{name}-half", upper)
            + svg.use(f"{name}-half")
            + svg.use(f"{name}-half", "rotate(180)")
        )
    if style.design == "sunburst":
        reach = math.hypot(w, h) / 2
        count = max(12, 2 * round(900 / style.step))
        wedges = "".join(
            f"M0 0L{svg.num(reach * math.cos(t))} {svg.num(reach * math.sin(t))}L{svg.num(reach * math.cos(t + d))} "
            f"{svg.num(reach * math.sin(t + d))}Z"
            for k in range(count)
            for t, d in ((2 * math.pi * k / count, math.pi / count),)
        )
        circles = "".join(svg.circle(0, 0, w * r, stroke=a, width=5.0) for r in (0.3, 0.36))
        return ground + svg.path(wedges, s, opacity=0.85) + svg.circle(0, 0, w * 0.33, m) + circles
    if style.design == "vine":
        motif = (
            svg.path("M-50 0C-25 -40 25 40 50 0M-50 0C-25 40 25 -40 50 0", stroke=s, width=7.0)
            + svg.path(petals(4, 12, 44, 10, math.pi / 4), s)
            + svg.circle(0, 0, 11, a)
            + svg.circle(50, 0, 9, a)
            + svg.circle(-50, 0, 9, a)
        )
        return ground + _tiled(name, motif, w, h, style.step)
    if style.design == "tiles":
        motif = (
            svg.rect(-48, -48, 96, 96, s)
            + svg.path(petals(4, 6, 62, 20, math.pi / 4), m)
            + svg.path(petals(4, 4, 40, 12), a)
            + svg.path(
                "M-48 -20A28 28 0 0 0 -20 -48M48 -20A28 28 0 0 1 20 -48M-48 20A28 28 0 0 1 -20 48"
                "M48 20A28 28 0 0 0 20 48",
                stroke=m,
                width=7.0,
            )
        )
        return ground + _tiled(name, motif, w, h, style.step)
    if style.design == "stripes":
        # Counted from the middle, so that the stripes fall on themselves when the card is turned.
        lean, gap = h * 0.3, style.step * 0.6
        count = int((w / 2 + lean) / gap) + 1
        lines = "".join(
            f"M{svg.num(k * gap - lean)} {svg.num(-h / 2)}L{svg.num(k * gap + lean)} {svg.num(h / 2)}"
            for k in range(-count, count + 1)
        )
        return ground + svg.path(lines, stroke=s, width=style.step * 0.22)
    if style.design == "weave":
        motif = svg.path("M-50 -25H0M0 25H50", stroke=s, width=26.0) + svg.path(
            "M-25 0V50M25 -50V0", stroke=a, width=26.0
        )
        return ground + _tiled(name, motif, w, h, style.step)
    if style.design == "dots":
        return ground + _tiled(name, svg.circle(0, 0, 20, s), w, h, style.step, staggered=True)
    return ground


def _medallion(style: BackStyle, w: float) -> str:
    """Draw an emblem that is the same both ways up: a star of sixteen points in two rings."""
    r = w * 0.27
    return (
        svg.circle(0, 0, r, style.second, style.main, 6.0)
        + svg.circle(0, 0, r * 0.9, stroke=style.accent, width=5.0)
        + svg.path(rays(16, r * 0.5, r * 0.84), style.main)
        + svg.circle(0, 0, r * 0.42, style.second)
        + svg.path(petals(8, r * 0.06, r * 0.4, r * 0.11), style.accent)
        + svg.circle(0, 0, r * 0.09, style.main)
    )


def back_svg(style: BackStyle | None = None) -> str:
    """Draw a back as an SVG document; lengths are tenths of a millimetre."""
    style = style or STANDARD_BACKS["blue-lattice"]
    width, height = style.size_mm[0] * 10, style.size_mm[1] * 10
    border = style.border
    w, h = width - 2 * border, height - 2 * border
    radius = max(style.corner_mm * 10 - border, 6)
    name = "motif"
    right, low, inner_x, inner_y = (svg.num(v) for v in (w / 2, h / 2, w / 2 - radius, h / 2 - radius))
    window = (
        f"M-{inner_x} -{low}H{inner_x}Q{right} -{low} {right} -{inner_y}V{inner_y}Q{right} {low} {inner_x} {low}"
        f"H-{inner_x}Q-{right} {low} -{right} {inner_y}V-{inner_y}Q-{right} -{low} -{inner_x} -{low}Z"
    )
    field = svg.clip("window", window) + svg.group(_field(style, w, h, name), clip_path="url(#window)")
    if style.medallion:
        field += _medallion(style, w)
    if border > 10:
        field += svg.path(window, stroke=style.main, width=6.0)
    body = svg.group(field, svg.place(width / 2, height / 2))
    return svg.document(width, height, body, style.corner_mm * 10, style.paper, "#c9c4b8" if border else None)
