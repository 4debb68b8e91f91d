"""Write SVG by hand: short numbers, shapes, groups and whole documents as plain text.

Lengths are in tenths of a millimetre of a card at true size, y down.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_TOKEN = re.compile(r"[MLCQAHVZ]|-?\d+(?:\.\d+)?")
_PAIRS = {"M": 1, "L": 1, "C": 3, "Q": 2}


def num(value: float) -> str:
    """Write a coordinate with one decimal at most, without a trailing zero."""
    text = f"{value:.1f}"
    if text.endswith(".0"):
        text = text[:-2]
    return "0" if text == "-0" else text


def attributes(**values: object) -> str:
    """Write XML attributes; underscores stand for hyphens, None leaves one out, numbers are shortened."""
    parts = []
    for name, value in values.items():
        if value is None:
            continue
        shown = num(value) if isinstance(value, float) else str(value)
        parts.append(f' {name.rstrip("_").replace("_", "-")}="{shown}"')
    return "".join(parts)


def path(
    d: str, fill: str | None = "none", stroke: str | None = None, width: float | None = None, **more: object
) -> str:
    """Draw a path; `d` is path data, `fill=None` inherits from the group."""
    return f'<path d="{d}"{attributes(fill=fill, stroke=stroke, stroke_width=width, **more)}/>'


def circle(
    x: float,
    y: float,
    r: float,
    fill: str | None = "none",
    stroke: str | None = None,
    width: float | None = None,
    **more: object,
) -> str:
    """Draw a circle around (x, y)."""
    shape = attributes(cx=num(x), cy=num(y), r=num(r))
    return f"<circle{shape}{attributes(fill=fill, stroke=stroke, stroke_width=width, **more)}/>"


def ellipse(
    x: float,
    y: float,
    rx: float,
    ry: float,
    fill: str | None = "none",
    stroke: str | None = None,
    width: float | None = None,
    **more: object,
) -> str:
    """Draw an upright ellipse around (x, y)."""
    shape = attributes(cx=num(x), cy=num(y), rx=num(rx), ry=num(ry))
    return f"<ellipse{shape}{attributes(fill=fill, stroke=stroke, stroke_width=width, **more)}/>"


def rect(
    x: float,
    y: float,
    w: float,
    h: float,
    fill: str | None = "none",
    stroke: str | None = None,
    width: float | None = None,
    radius: float = 0,
    **more: object,
) -> str:
    """Draw a rectangle from its top-left corner, rounded by `radius`."""
    shape = attributes(x=num(x), y=num(y), width=num(w), height=num(h), rx=num(radius) if radius else None)
    return f"<rect{shape}{attributes(fill=fill, stroke=stroke, stroke_width=width, **more)}/>"


def group(
    content: str | Iterable[str], transform: str | None = None, width: float | None = None, **more: object
) -> str:
    """Wrap shapes in a group with shared attributes."""
    inside = content if isinstance(content, str) else "".join(content)
    return f"<g{attributes(transform=transform, stroke_width=width, **more)}>{inside}</g>"


def define(name: str, content: str) -> str:
    """Define a group that `use` can repeat."""
    return f'<defs><g id="{name}">{content}</g></defs>'


def use(name: str, transform: str | None = None, **more: object) -> str:
    """Repeat a defined group."""
    return f'<use href="#{name}"{attributes(transform=transform, **more)}/>'


def clip(name: str, d: str) -> str:
    """Define a clip path from path data."""
    return f'<defs><clipPath id="{name}"><path d="{d}"/></clipPath></defs>'


def place(x: float, y: float, scale: float | tuple[float, float] = 1, turn: float = 0) -> str:
    """Give the transform that scales, then turns (degrees, clockwise), then moves the origin to (x, y)."""
    text = f"translate({num(x)} {num(y)})"
    if turn:
        text += f" rotate({num(turn)})"
    sx, sy = scale if isinstance(scale, tuple) else (scale, scale)
    if (sx, sy) != (1, 1):
        text += f" scale({sx:.3f})" if sx == sy else f" scale({sx:.3f} {sy:.3f})"
    return text


def tokens(d: str) -> list[str]:
    """Split absolute path data into commands and numbers."""
    return _TOKEN.findall(d)


def stretched(d: str, sx: float, sy: float) -> str:
    """Scale absolute path data (M L C Q H V Z) without touching the width of its strokes."""
    out: list[str] = []
    command, index = "", 0
    for token in tokens(d):
        if token.isalpha():
            command, index = token, 0
            out.append(token)
            continue
        horizontal = command == "H" or (command in _PAIRS and index % 2 == 0)
        out.append(num(float(token) * (sx if horizontal else sy)))
        index += 1
    return " ".join(out)


def document(
    width: float, height: float, body: str, corner: float, paper: str, edge: str | None = None
) -> str:
    """Make a whole card: a sheet of paper with rounded corners (transparent outside), then `body`.

    `width`, `height` and `corner` (radius) are tenths of a millimetre; `edge` is the colour of a hair-thin outline.
    """
    outline = {"stroke": edge, "width": 2.0} if edge else {}
    inset = 1.0 if edge else 0.0
    sheet = rect(inset, inset, width - 2 * inset, height - 2 * inset, paper, radius=corner, **outline)  # type: ignore[arg-type]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{num(width / 10)}mm" height="{num(height / 10)}mm" '
        f'viewBox="0 0 {num(width)} {num(height)}">{sheet}{body}</svg>\n'
    )
