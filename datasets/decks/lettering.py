"""Draw index letters and numerals as strokes, in several designs, so that no font is needed."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from datasets.decks import svg

_BOX_WIDTH = 60.0
_BOX_HEIGHT = 100.0

# Centre lines of the characters in a box 60 wide and 100 high, drawn with a pen.
_ROUND = {
    "0": "M30 8C50 8 52 30 52 50C52 70 50 92 30 92C10 92 8 70 8 50C8 30 10 8 30 8Z",
    "1": "M13 27L33 9V92",
    "2": "M9 30C9 14 18 8 30 8C43 8 51 16 51 29C51 48 28 62 10 92L52 92",
    "3": "M10 22C13 12 20 8 30 8C42 8 50 16 50 28C50 40 41 47 28 47C42 47 52 55 52 69C52 83 43 92 30 92"
    "C19 92 11 87 8 77",
    "4": "M41 92V9L8 66H55",
    "5": "M49 8H16L12 46C18 40 24 38 31 38C44 38 52 48 52 64C52 82 42 92 29 92C18 92 11 87 8 77",
    "6": "M48 20C44 12 38 8 31 8C16 8 8 26 8 56C8 80 16 92 30 92C43 92 52 82 52 66"
    "C52 51 43 42 31 42C19 42 10 50 8 62",
    "7": "M8 8H52C38 34 28 60 26 92",
    "8": "M30 47C18 47 11 39 11 28C11 16 18 8 30 8C42 8 49 16 49 28C49 39 42 47 30 47C16 47 8 56 8 69"
    "C8 83 17 92 30 92C43 92 52 83 52 69C52 56 44 47 30 47Z",
    "9": "M12 80C16 88 22 92 29 92C44 92 52 74 52 44C52 20 44 8 30 8C17 8 8 18 8 34"
    "C8 49 17 58 29 58C41 58 50 50 52 38",
    "A": "M6 92L30 8L54 92M15 63H45",
    "B": "M12 8H30C42 8 48 16 48 27C48 39 41 47 29 47H12M29 47C44 47 52 56 52 69C52 84 43 92 30 92H12V8",
    "C": "M51 26C48 14 41 8 31 8C15 8 8 26 8 50C8 74 15 92 31 92C41 92 49 85 52 73",
    "D": "M12 8H26C44 8 52 24 52 50C52 76 44 92 26 92H12Z",
    "F": "M12 92V8H52M12 47H42",
    "H": "M10 8V92M50 8V92M10 49H50",
    "J": "M44 8V68C44 84 37 92 26 92C15 92 8 85 7 70",
    "K": "M12 8V92M52 8L13 56M26 42L54 92",
    "Q": "M30 8C50 8 52 30 52 50C52 70 50 92 30 92C10 92 8 70 8 50C8 30 10 8 30 8ZM34 64L57 102",
    "R": "M12 92V8H32C45 8 51 17 51 30C51 43 44 52 31 52H12M30 52L53 92",
    "T": "M6 8H54M30 8V92",
    "V": "M7 8L30 92L53 8",
}
_ANGULAR = {
    "0": "M20 8H40L52 22V78L40 92H20L8 78V22Z",
    "2": "M9 28V20L20 8H40L51 20V38L9 84V92H52",
    "3": "M9 8H51L31 40H40L52 52V78L40 92H20L8 80",
    "5": "M50 8H12V42H40L52 54V78L40 92H20L8 80",
    "6": "M49 8H32L8 46V78L20 92H40L52 78V56L42 45H9",
    "7": "M8 8H52V18L26 62V92",
    "8": "M20 8H40L49 18V38L40 47H20L11 38V18ZM20 47H40L52 59V79L40 92H20L8 79V59Z",
    "9": "M11 92H28L52 54V22L40 8H20L8 22V44L18 55H51",
    "C": "M52 24L40 8H20L8 22V78L20 92H40L52 76",
    "D": "M12 8H38L52 24V76L38 92H12Z",
    "J": "M44 8V78L32 92H20L8 80V70",
    "Q": "M20 8H40L52 22V78L40 92H20L8 78V22ZM34 64L57 102",
}
_FLAT_THREE = "M9 8H50L28 42C44 42 52 52 52 67C52 83 43 92 29 92C18 92 10 87 8 77"
_OPEN_FOUR = "M16 8L8 58H52M40 34V92"
_SERIFS = {
    "1": "M15 92H51",
    "2": "M52 95V76",
    "4": "M28 92H54",
    "5": "M49 5V22",
    "7": "M8 5V24",
    "A": "M-1 92H17M43 92H61M22 8H34",
    "B": "M3 8H14M3 92H14",
    "C": "M51 6V30",
    "D": "M3 8H14M3 92H14",
    "F": "M3 92H23M3 8H14M52 5V22",
    "H": "M1 8H19M1 92H19M41 8H59M41 92H59",
    "J": "M29 8H57",
    "K": "M2 8H23M2 92H22M42 8H60M43 92H61",
    "R": "M3 92H22M3 8H14M44 92H60",
    "T": "M6 5V24M54 5V24M19 92H41",
    "V": "M-1 8H17M43 8H61",
}


@dataclass(frozen=True)
class Lettering:
    """Say how index characters look.

    `weight` is the pen's width in hundredths of the height, `contrast` how much thicker upright strokes are than level
    ones, `slant` degrees to the right, `condensed` the width against the usual one, `outline` hollow characters.
    """

    skeleton: str = "round"
    weight: float = 15.0
    contrast: float = 1.25
    serif: bool = True
    slant: float = 0.0
    condensed: float = 0.95
    outline: bool = False
    flat_three: bool = False
    open_four: bool = False
    sharp: bool = True

    @classmethod
    def random(cls, rng: random.Random) -> Lettering:
        """Draw a design at random."""
        return cls(
            skeleton="round" if rng.random() < 0.8 else "angular",
            weight=rng.uniform(9, 22),
            contrast=rng.choice((1.0, 1.0, 1.2, 1.5, 1.8)),
            serif=rng.random() < 0.5,
            slant=rng.choice((0.0, 0.0, 0.0, 0.0, 8.0, 12.0)),
            condensed=rng.uniform(0.7, 1.15),
            outline=rng.random() < 0.06,
            flat_three=rng.random() < 0.2,
            open_four=rng.random() < 0.15,
            sharp=rng.random() < 0.6,
        )

    def _line(self, character: str, plain: bool = False) -> str:
        """Give a character's centre line; `plain` leaves its serifs out."""
        if character == "3" and self.flat_three:
            line = _FLAT_THREE
        elif character == "4" and self.open_four:
            line = _OPEN_FOUR
        elif self.skeleton == "angular" and character in _ANGULAR:
            line = _ANGULAR[character]
        else:
            line = _ROUND[character]
        if self.serif and not plain:
            line += _SERIFS.get(character, "")
        return line


def _advances(text: str, style: Lettering, squeeze: float) -> list[tuple[str, float, float]]:
    """Set the characters one after another: (character, left edge, width factor), in the character box's units."""
    placed = []
    x = 0.0
    for character in text:
        width = style.condensed * squeeze
        # The one is narrow by nature, the rest share a box.
        own = 0.74 if character == "1" and len(text) > 1 else 1.0
        placed.append((character, x - (4 * width if own < 1 else 0), width))
        x += _BOX_WIDTH * width * own + style.weight * 0.3 + 3
    placed.append(("", x - style.weight * 0.3 - 3, 0.0))
    return placed


def text_width(text: str, height: float, style: Lettering, squeeze: float = 1.0) -> float:
    """Give the width that `text` takes at a height, both in tenths of a millimetre."""
    return _advances(text, style, squeeze)[-1][1] * height / _BOX_HEIGHT


def draw_text(
    text: str,
    x: float,
    y: float,
    height: float,
    colour: str,
    style: Lettering,
    squeeze: float = 1.0,
    paper: str = "#fff",
) -> str:
    """Draw `text` centred on x with its top at y.

    `squeeze` narrows every character (a joined 10); `paper` fills hollow characters.
    """
    tight = squeeze < 0.7
    if tight:
        # A thick pen would fill the eyes of narrow characters.
        style = replace(style, weight=min(style.weight, 15.0), contrast=min(style.contrast, 1.2))
    elif squeeze < 1:
        style = replace(style, weight=min(style.weight, 17.0), contrast=min(style.contrast, 1.3))
    placed = _advances(text, style, squeeze)
    scale = height / _BOX_HEIGHT
    # A pen that is wider than high: strokes are drawn in a space that is then stretched sideways.
    lines = "".join(
        svg.path(
            svg.stretched(style._line(character, tight), width / style.contrast, 1),
            None,
            transform=f"translate({svg.num(left / style.contrast)} 0)" if left else None,
        )
        for character, left, width in placed[:-1]
    )
    slant = f" skewX({-style.slant:.0f})" if style.slant else ""
    lean = 50 * scale * style.slant / 57.3
    move = (
        f"translate({svg.num(x - placed[-1][1] * scale / 2 + lean)} {svg.num(y)}){slant} "
        f"scale({scale * style.contrast:.3f} {scale:.3f})"
    )
    joint = "miter" if style.sharp else "round"
    pen = {"fill": "none", "stroke_linejoin": joint, "stroke_linecap": "butt" if style.sharp else "round"}
    drawn = svg.group(lines, stroke=colour, width=style.weight, **pen)
    if style.outline:
        drawn += svg.group(lines, stroke=paper, width=max(style.weight - 7, 3.0), **pen)
    return svg.group(drawn, move)
