"""Draw the forty cards of an Italian deck: denari, coppe, spade, bastoni; ace to seven, fante, cavallo, re.

The design is the project's own. It keeps to what the regional patterns have in common, so that whoever knows one of
them reads it at once: gold coins, footed cups, steel swords, green clubs; a page on foot, a rider, a crowned king.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from datasets.decks import italian_courts, svg
from datasets.decks import italian_pips as pips
from datasets.decks.italian_aces import ace
from datasets.decks.lettering import Lettering, draw_text
from datasets.decks.palette import Palette
from rules.cards import ITALIAN_CODES

_PORTRAIT_MM = (
    (50.0, 83.0),
    (52.0, 88.0),
    (50.0, 94.0),
    (52.0, 95.0),
    (51.0, 94.0),
    (45.0, 90.0),
    (49.0, 103.0),
    (56.0, 103.0),
    (57.0, 88.0),
)


@dataclass(frozen=True)
class ItalianStyle:
    """Say how an Italian deck is printed; the default is Arbitro's own deck.

    `size_mm` is the card's width and height. `tradition` is "southern" (straight swords and clubs, one by
    one) or "northern" (curved swords and crossed batons, interlaced). `numerals` is "none", "small" or
    "large"; `court_numbers` what fante, cavallo and re carry: "8" (8 9 10), "11" (11 12 13), "letters" (F C
    R) or "none". `frame` counts lines around the picture. `double_headed` courts are cut at the waist and
    mirrored. `pip_scale` and `spread` (of the pips from the middle) are about 1. `layout` and `stick_layout`
    choose among the arrangements of coins and cups, and of swords and clubs; `plain_aces` leave the ornament
    around the large sign out; `dress_shift` hands the courts' colours round.
    """

    size_mm: tuple[float, float] = (52.0, 88.0)
    tradition: str = "southern"
    palette: Palette = field(default_factory=Palette)
    coin_design: str = "rosette"
    cup_design: str = "chalice"
    sword_design: str = "blue"
    club_design: str = "cudgel"
    numerals: str = "small"
    court_numbers: str = "8"
    lettering: Lettering = field(default_factory=Lettering)
    frame: int = 1
    edge: str | None = "#c9c4b8"
    double_headed: bool = False
    mirrored: bool = False
    pip_scale: float = 1.0
    spread: float = 1.0
    layout: int = 0
    stick_layout: int = 0
    plain_aces: bool = False
    dress_shift: int = 0
    corner_mm: float = 3.5

    @classmethod
    def random(cls, rng: random.Random) -> ItalianStyle:
        """Draw a printing at random; the same `rng` state gives the same style."""
        size = rng.choice(_PORTRAIT_MM)
        northern = rng.random() < 0.4
        return cls(
            size_mm=size,
            tradition="northern" if northern else "southern",
            palette=Palette.random(rng),
            coin_design=rng.choice(pips.COIN_DESIGNS),
            cup_design=rng.choice(pips.CUP_DESIGNS),
            sword_design=rng.choice(pips.SWORD_DESIGNS),
            club_design=rng.choice(pips.CLUB_DESIGNS),
            numerals=rng.choices(("none", "small", "large"), (5, 3, 1))[0],
            court_numbers=rng.choice(("8", "8", "11", "letters", "none")),
            lettering=Lettering.random(rng),
            frame=rng.choice((0, 0, 1, 1, 2)),
            edge=rng.choice((None, "#c9c4b8", "#77736b")),
            double_headed=rng.random() < (0.7 if northern else 0.3),
            mirrored=rng.random() < 0.4,
            pip_scale=rng.uniform(0.72, 1.08),
            spread=rng.uniform(0.85, 1.05),
            layout=rng.randrange(3),
            stick_layout=rng.randrange(3),
            plain_aces=rng.random() < 0.3,
            dress_shift=rng.choice((0, rng.randrange(32))),
            corner_mm=rng.uniform(2.0, 5.0),
        )


# Places of coins and cups, x and y from the middle in halves of the picture; per rank one or more arrangements.
_PLACES: dict[int, tuple[tuple[tuple[float, float], ...], ...]] = {
    2: (((0, -0.52), (0, 0.52)),),
    3: (
        ((0, -0.7), (0, 0), (0, 0.7)),
        ((0, -0.6), (-0.5, 0.5), (0.5, 0.5)),
        ((-0.5, -0.66), (0, 0), (0.5, 0.66)),
    ),
    4: (((-0.52, -0.56), (0.52, -0.56), (-0.52, 0.56), (0.52, 0.56)),),
    5: (((-0.54, -0.66), (0.54, -0.66), (0, 0), (-0.54, 0.66), (0.54, 0.66)),),
    6: (((-0.52, -0.7), (0.52, -0.7), (-0.52, 0), (0.52, 0), (-0.52, 0.7), (0.52, 0.7)),),
    7: (
        ((-0.54, -0.74), (0.54, -0.74), (0, -0.37), (-0.54, 0), (0.54, 0), (-0.54, 0.74), (0.54, 0.74)),
        ((0, -0.78), (-0.52, -0.3), (0.52, -0.3), (-0.52, 0.24), (0.52, 0.24), (-0.52, 0.78), (0.52, 0.78)),
        ((-0.54, -0.74), (0.54, -0.74), (-0.54, -0.1), (0, -0.42), (0.54, -0.1), (-0.54, 0.7), (0.54, 0.7)),
    ),
}
# Southern swords and clubs: x, y, length against half the picture's height, turn in degrees.
_STICKS: dict[int, tuple[tuple[tuple[float, float, float, float], ...], ...]] = {
    2: (
        ((-0.42, 0, 1.5, 0), (0.42, 0, 1.5, 0)),
        ((0, -0.5, 0.92, 0), (0, 0.5, 0.92, 0)),
        ((0, 0, 1.7, 25), (0, 0, 1.7, -25)),
    ),
    3: (
        ((-0.5, -0.5, 0.92, 0), (0.5, -0.5, 0.92, 0), (0, 0.5, 0.92, 180)),
        ((-0.62, 0, 1.4, 0), (0, 0, 1.4, 0), (0.62, 0, 1.4, 0)),
        ((0, -0.5, 0.92, 0), (-0.5, 0.5, 0.92, 0), (0.5, 0.5, 0.92, 0)),
    ),
    4: (((-0.5, -0.5, 0.92, 0), (0.5, -0.5, 0.92, 0), (-0.5, 0.5, 0.92, 180), (0.5, 0.5, 0.92, 180)),),
    5: (
        (
            (-0.62, -0.5, 0.9, 0),
            (0.62, -0.5, 0.9, 0),
            (0, 0, 0.9, 0),
            (-0.62, 0.5, 0.9, 180),
            (0.62, 0.5, 0.9, 180),
        ),
    ),
    6: (
        (
            (-0.64, -0.5, 0.9, 0),
            (0, -0.5, 0.9, 0),
            (0.64, -0.5, 0.9, 0),
            (-0.64, 0.5, 0.9, 180),
            (0, 0.5, 0.9, 180),
            (0.64, 0.5, 0.9, 180),
        ),
    ),
    7: (
        (
            (-0.64, -0.57, 0.78, 0),
            (0, -0.57, 0.78, 0),
            (0.64, -0.57, 0.78, 0),
            (0, 0, 0.86, 90),
            (-0.64, 0.57, 0.78, 180),
            (0, 0.57, 0.78, 180),
            (0.64, 0.57, 0.78, 180),
        ),
    ),
}


class _Sheet:
    """Hold what every drawing of one card needs: its style, its picture's middle and size, its name for ids."""

    def __init__(self, code: str, style: ItalianStyle) -> None:
        self.code, self.style = code, style
        self.width, self.height = style.size_mm[0] * 10, style.size_mm[1] * 10
        self.middle = (self.width / 2, self.height / 2)
        numeral_room = {"none": 0.0, "small": 14.0, "large": 34.0}[style.numerals]
        self.half_w = self.width / 2 - 34 - (numeral_room if code[0] not in "FCR" else 0) * 0.5
        self.half_h = self.height / 2 - 36

    def sign(self, suit: str) -> str:
        style = self.style
        return {
            "d": lambda: pips.coin(style.palette, style.coin_design),
            "c": lambda: pips.cup(style.palette, style.cup_design),
            "s": lambda: pips.sword(style.palette, style.sword_design),
            "b": lambda: pips.club(style.palette, style.club_design),
        }[suit]()


def _round_pips(sheet: _Sheet, suit: str, rank: int) -> str:
    """Lay out coins or cups."""
    places = _PLACES[rank][sheet.style.layout % len(_PLACES[rank])]
    rows = len({y for _, y in places})
    natural = 100.0 if suit == "d" else 120.0
    room_h = 2 * sheet.half_h / {1: 1, 2: 2.2, 3: 3.05, 5: 4.1}.get(rows, 4.1)
    room_w = sheet.half_w * (0.98 if rank > 3 or sheet.style.layout else 1.25)
    scale = min(room_h / natural, room_w / 100, 2.3) * 0.97 * sheet.style.pip_scale
    name = f"pip-{sheet.code}"
    # Near the border the outermost pips must stay inside.
    limit_x, limit_y = sheet.half_w - 50 * scale, sheet.half_h - natural / 2 * scale
    drawn = [svg.define(name, sheet.sign(suit))]
    for x, y in places:
        dx = max(-limit_x, min(limit_x, x * sheet.half_w * sheet.style.spread))
        dy = max(-limit_y, min(limit_y, y * sheet.half_h * sheet.style.spread))
        drawn.append(
            svg.use(name, svg.place(sheet.middle[0] + dx, sheet.middle[1] + dy, scale), class_="pip")
        )
    return "".join(drawn)


def _stick_pips(sheet: _Sheet, suit: str, rank: int) -> str:
    """Lay out swords or clubs."""
    style = sheet.style
    if style.tradition == "northern":
        width, height = 2 * sheet.half_w, 2 * sheet.half_h
        drawing = (
            pips.scimitars(style.palette, rank, width, height)
            if suit == "s"
            else pips.crossed_batons(style.palette, rank, width, height, f"pip-{sheet.code}")
        )
        return svg.group(drawing, svg.place(*sheet.middle))
    name = f"pip-{sheet.code}"
    drawn = [svg.define(name, sheet.sign(suit))]
    thick = min(sheet.half_w / 92, 2.2) * (1.25 if rank < 3 else 1.05 if rank < 5 else 0.88) * style.pip_scale
    for x, y, length, turn in _STICKS[rank][style.stick_layout % len(_STICKS[rank])]:
        span = sheet.half_h if turn % 180 != 90 else sheet.half_w * 2
        stretch = length * span / 320 * min(style.pip_scale * 1.02, 1.0)
        drawn.append(
            svg.use(
                name,
                svg.place(
                    sheet.middle[0] + x * sheet.half_w,
                    sheet.middle[1] + y * sheet.half_h,
                    (min(thick, stretch * 1.35), stretch),
                    turn,
                ),
                class_="pip",
            )
        )
    return "".join(drawn)


def _court(sheet: _Sheet, suit: str, rank: str) -> str:
    style = sheet.style
    p = style.palette
    northern_club = suit == "b" and style.tradition == "northern"
    shape = svg.group(pips.baton(p, 310, 40)) if northern_club else sheet.sign(suit)

    def sign(x: float, y: float, scale: float, turn: float) -> str:
        return svg.group(shape, svg.place(x, y, scale, turn))

    draw = {"F": italian_courts.fante, "C": italian_courts.cavallo, "R": italian_courts.re}[rank]
    figure = draw(p, suit, sign, style.dress_shift)
    sx = (sheet.width - 52) / italian_courts.BOX_WIDTH
    sy = min((sheet.height - 60) / italian_courts.BOX_HEIGHT, sx * 1.22)
    flip = -1 if style.mirrored else 1
    if style.double_headed:
        # Only what lies above the waist is kept; the half is enlarged to fill half of the card.
        cut = 470.0 if rank == "C" else 440.0
        sy = min((sheet.height / 2 - 24) / cut, sx * 1.22)
        top = sheet.middle[1] - cut * sy
        half = svg.group(
            svg.group(
                figure,
                f"translate({svg.num(sheet.middle[0] - flip * 200 * sx)} {svg.num(top)}) "
                f"scale({flip * sx:.3f} {sy:.3f})",
                stroke=p.ink,
                width=4.5,
                stroke_linejoin="round",
            ),
            clip_path=f"url(#half-{sheet.code})",
        )
        x, y = sheet.middle
        name = f"figure-{sheet.code}"
        return (
            svg.clip(f"half-{sheet.code}", f"M20 0H{svg.num(2 * x - 20)}V{svg.num(y)}H20Z")
            + svg.define(name, half)
            + svg.use(name)
            + svg.use(name, f"rotate(180 {svg.num(x)} {svg.num(y)})")
            + svg.path(f"M24 {svg.num(y)}H{svg.num(2 * x - 24)}", stroke=p.ink, width=5.0)
        )
    top = sheet.middle[1] - italian_courts.BOX_HEIGHT * sy / 2
    return svg.group(
        figure,
        f"translate({svg.num(sheet.middle[0] - flip * 200 * sx)} {svg.num(top)}) scale({flip * sx:.3f} {sy:.3f})",
        stroke=p.ink,
        width=4.5,
        stroke_linejoin="round",
    )


_COURT_NUMBERS = {"8": ("8", "9", "10"), "11": ("11", "12", "13"), "letters": ("F", "C", "R")}


def _numeral(sheet: _Sheet, rank: str) -> str:
    style = sheet.style
    if style.numerals == "none" or (rank in "FCR" and style.court_numbers == "none"):
        return ""
    text = _COURT_NUMBERS[style.court_numbers]["FCR".index(rank)] if rank in "FCR" else rank
    height = 40.0 if style.numerals == "small" else 78.0
    x = 17 + (20 if style.numerals == "small" else 34) * (1.15 if len(text) > 1 else 1.0)
    mark = draw_text(
        text,
        x,
        24,
        height,
        style.palette.ink,
        style.lettering,
        0.72 if len(text) > 1 else 1.0,
        style.palette.paper,
    )
    turned = svg.group(mark, f"rotate(180 {svg.num(sheet.middle[0])} {svg.num(sheet.middle[1])})")
    return mark + turned


def face_svg(code: str, style: ItalianStyle | None = None) -> str:
    """Draw one face as an SVG document.

    `code` is an Italian card code ("7d", "Rb"); lengths in the drawing are tenths of a millimetre.

    Raises:
        ValueError: the code names no Italian card.
    """
    if code not in ITALIAN_CODES:
        raise ValueError(f"{code!r} is no Italian card; say a rank 1-7, F, C or R and a suit d, c, s or b")
    style = style or ItalianStyle()
    rank, suit = code[0], code[1]
    sheet = _Sheet(code, style)
    p = style.palette
    if rank == "1":
        body = ace(p, suit, sheet.sign(suit), sheet.width, sheet.height, f"pip-{code}", style.plain_aces)
    elif rank in "FCR":
        body = _court(sheet, suit, rank)
    elif suit in "dc":
        body = _round_pips(sheet, suit, int(rank))
    else:
        body = _stick_pips(sheet, suit, int(rank))
    lines = "".join(
        svg.rect(
            inset,
            inset,
            sheet.width - 2 * inset,
            sheet.height - 2 * inset,
            stroke=p.ink,
            width=3.0 if k else 2.5,
            radius=max(style.corner_mm * 10 - inset, 4),
        )
        for k, inset in enumerate((14.0, 22.0)[: style.frame])
    )
    numeral = _numeral(sheet, rank)
    return svg.document(
        sheet.width, sheet.height, lines + body + numeral, style.corner_mm * 10, p.paper, style.edge
    )
