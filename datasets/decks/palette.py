"""Give the colours that a deck is printed in."""

from __future__ import annotations

import colorsys
import random
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Palette:
    """Name the inks of a deck as #rrggbb colours; `ink` draws the outlines, `paper` is the card itself."""

    ink: str = "#1d1a24"
    red: str = "#d5262b"
    blue: str = "#1f5fae"
    green: str = "#1f7f46"
    gold: str = "#f5bf2c"
    brown: str = "#8a5a2b"
    steel: str = "#9fc6e6"
    skin: str = "#f8d3b0"
    white: str = "#fffdf5"
    paper: str = "#fffdf7"

    @classmethod
    def random(cls, rng: random.Random) -> Palette:
        """Draw a palette: printing inks shifted in hue, faded or rich, on white to yellowed paper."""
        richness = rng.uniform(0.65, 1.1)
        light = rng.uniform(0.85, 1.12)
        shifted = {
            name: _shift(
                getattr(cls, name), rng.uniform(-0.03, 0.03), richness, light * rng.uniform(0.88, 1.1)
            )
            for name in ("red", "blue", "green", "gold", "brown", "steel", "skin")
        }
        if rng.random() < 0.2:
            # Old two- and three-ink printings: green or brown gives way to another ink.
            shifted[rng.choice(("green", "brown"))] = shifted[rng.choice(("red", "blue", "gold"))]
        yellowing = rng.choice((0.0, 0.0, 0.02, 0.05, 0.1))
        paper = (
            _shift("#fffefa", 0.0, 1.0, 1.0) if yellowing == 0 else _mix("#fffefa", "#f2d9a0", yellowing * 5)
        )
        ink = rng.choice(("#141218", "#1d1a24", "#2b2320", "#14203c"))
        return replace(cls(), ink=ink, paper=paper, white=_mix(paper, "#ffffff", 0.5), **shifted)


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def _hex(rgb: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(min(max(part, 0.0), 1.0) * 255):02x}" for part in rgb)


def _shift(colour: str, hue: float, saturation: float, lightness: float) -> str:
    h, level, s = colorsys.rgb_to_hls(*_rgb(colour))
    return _hex(colorsys.hls_to_rgb((h + hue) % 1.0, min(level * lightness, 1.0), min(s * saturation, 1.0)))


def _mix(first: str, second: str, share: float) -> str:
    a, b = _rgb(first), _rgb(second)
    return _hex((a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share))


def mix(first: str, second: str, share: float) -> str:
    """Mix two #rrggbb colours; `share` is how much of the second."""
    return _mix(first, second, share)


def hls(hue: float, lightness: float, saturation: float) -> str:
    """Give the #rrggbb colour of a hue, a lightness and a saturation, each 0 to 1."""
    return _hex(colorsys.hls_to_rgb(hue % 1.0, lightness, saturation))
