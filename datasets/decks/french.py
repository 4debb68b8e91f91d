"""Draw the fifty-two cards of a French deck, in one standard and many random printings."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from datasets.decks import french_courts, svg
from datasets.decks.french_pips import PipShape, pip
from datasets.decks.lettering import Lettering, draw_text, text_width
from datasets.decks.palette import Palette, hls
from rules.cards import FRENCH_CODES

_TWO_COLOURS = {"H": "#d0202a", "D": "#d0202a", "C": "#16161c", "S": "#16161c"}
_FOUR_COLOURS = {"H": "#d0202a", "D": "#1c56b8", "C": "#147a3c", "S": "#16161c"}


@dataclass(frozen=True)
class FrenchStyle:
    """Say how a French deck is printed; the default is Arbitro's own deck.

    Lengths are tenths of a millimetre. `index` is the height of the index characters (normal 70, jumbo up to
    330, none 0); `corners` how many carry one (2 or 4); `ten` is "10", "joined" (one narrow sign) or "T";
    `letters` names ace, jack, queen, king. `index_pip` is the suit sign under the index against its height (0
    leaves it out), `index_beside` puts it beside. `pips` is "standard", "large" (one big sign instead of the
    layout), "numeral" (a big character instead) or "boxed" (the picture in a small frame, which takes the share
    `box` of the room it would have in width and height). `dress_shift` hands the courts' colours round.
    `courts` is "figures", "busts" (larger, without frame) or "emblem" (crown and sign only). `suits` gives each
    suit's colour; `ace` 0 to 3 is the ornament of the ace of spades.
    """

    size_mm: tuple[float, float] = (63.0, 88.0)
    index: float = 78.0
    corners: int = 2
    ten: str = "joined"
    letters: tuple[str, str, str, str] = ("A", "J", "Q", "K")
    lettering: Lettering = field(default_factory=Lettering)
    index_pip: float = 0.8
    index_beside: bool = False
    index_margin: float = 22.0
    pips: str = "standard"
    box: tuple[float, float] = (0.86, 0.72)
    shape: PipShape = field(default_factory=PipShape)
    pip_size: float = 126.0
    spread: tuple[float, float] = (1.0, 1.0)
    courts: str = "figures"
    court_frame: bool = True
    court_pattern: int = 0
    head_scale: float = 1.12
    dress_shift: int = 0
    mirrored: bool = False
    palette: Palette = field(default_factory=Palette)
    suits: tuple[str, str, str, str] = (
        _TWO_COLOURS["H"],
        _TWO_COLOURS["D"],
        _TWO_COLOURS["C"],
        _TWO_COLOURS["S"],
    )
    paper: str = "#fffffb"
    border: float = 0.0
    edge: str | None = "#c4c4c0"
    ace: int = 1
    pip_outline: bool = False
    corner_mm: float = 3.5

    @classmethod
    def random(cls, rng: random.Random) -> FrenchStyle:
        """Draw a printing at random; the same `rng` state gives the same style."""
        index = rng.choices(
            (rng.uniform(52, 85), rng.uniform(85, 130), rng.uniform(130, 230), rng.uniform(230, 330), 0.0),
            (40, 25, 24, 6, 5),
        )[0]
        jumbo = index > 120
        four = rng.random() < 0.18
        suits = dict(_FOUR_COLOURS if four else _TWO_COLOURS)
        red = hls(rng.uniform(-0.03, 0.03), rng.uniform(0.36, 0.52), rng.uniform(0.65, 0.98))
        black = rng.choice(("#000000", "#16161c", "#22222c", "#101830"))
        suits.update({"H": red, "S": black} if four else {"H": red, "D": red, "C": black, "S": black})
        return cls(
            size_mm=rng.choice(
                ((63.0, 88.0), (63.0, 88.0), (57.0, 88.0), (59.0, 91.0), (62.0, 100.0), (56.0, 87.0))
            ),
            index=index,
            corners=4 if rng.random() < (0.1 if jumbo else 0.3) else 2,
            ten=rng.choices(("10", "joined", "T"), (5, 5, 1))[0],
            letters=rng.choices(
                (
                    ("A", "J", "Q", "K"),
                    ("1", "V", "D", "R"),
                    ("A", "B", "D", "K"),
                    ("A", "V", "D", "R"),
                    ("A", "B", "V", "H"),
                    ("1", "J", "Q", "K"),
                ),
                (84, 4, 4, 4, 2, 2),
            )[0],
            lettering=Lettering.random(rng),
            index_pip=rng.choice((0.0, 0.5)) if jumbo and rng.random() < 0.25 else rng.uniform(0.5, 1.15),
            index_beside=rng.random() < 0.1,
            index_margin=rng.uniform(4, 34),
            pips=rng.choices(
                ("standard", "large", "boxed", "numeral"), (5, 3, 5, 1) if jumbo else (22, 2, 5, 1)
            )[0],
            box=(rng.uniform(0.6, 1.0), rng.uniform(0.5, 0.95)),
            shape=PipShape.random(rng),
            pip_size=rng.uniform(70, 142) * (0.85 if jumbo else 1.0),
            spread=(rng.uniform(0.8, 1.08), rng.uniform(0.85, 1.04)),
            courts=rng.choices(("figures", "busts", "emblem"), (7, 3, 1))[0],
            court_frame=rng.random() < 0.7,
            court_pattern=rng.randrange(6),
            head_scale=rng.uniform(0.95, 1.35),
            dress_shift=rng.randrange(16),
            mirrored=rng.random() < 0.5,
            palette=Palette.random(rng),
            suits=(suits["H"], suits["D"], suits["C"], suits["S"]),
            paper=rng.choice(
                ("#ffffff", "#fffffb", "#fdf8e8", "#f8f0da", "#f4f7fb", hls(rng.random(), 0.95, 0.5))
            ),
            border=rng.choice((0.0, 0.0, 0.0, rng.uniform(8, 26))),
            edge=rng.choice((None, "#c4c4c0", "#55555a")),
            ace=rng.randrange(4),
            pip_outline=rng.random() < 0.08,
            corner_mm=rng.uniform(2.5, 5.5),
        )


_PLACES: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0, 0),),
    2: ((0, -1), (0, 1)),
    3: ((0, -1), (0, 0), (0, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    7: ((-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (-1, 1), (1, 1)),
    8: ((-1, -1), (1, -1), (0, -0.5), (-1, 0), (1, 0), (0, 0.5), (-1, 1), (1, 1)),
    9: ((-1, -1), (1, -1), (-1, -1 / 3), (1, -1 / 3), (0, 0), (-1, 1 / 3), (1, 1 / 3), (-1, 1), (1, 1)),
    10: (
        (-1, -1),
        (1, -1),
        (0, -2 / 3),
        (-1, -1 / 3),
        (1, -1 / 3),
        (-1, 1 / 3),
        (1, 1 / 3),
        (0, 2 / 3),
        (-1, 1),
        (1, 1),
    ),
}


class _Sheet:
    """Hold one card's style, size and the room that its indices leave."""

    def __init__(self, code: str, style: FrenchStyle) -> None:
        self.code, self.style = code, style
        self.rank, self.suit = code[:-1], code[-1]
        self.colour = style.suits["HDCS".index(self.suit)]
        self.width, self.height = style.size_mm[0] * 10, style.size_mm[1] * 10
        self.middle = (self.width / 2, self.height / 2)
        # Jumbo indices leave a narrower picture, but never less than 45 % of the card (a third beside the largest);
        # what then remains limits the index and the sign below it.
        margin = style.index_margin + style.border
        letter = 0.62 * style.lettering.condensed
        least = 0.225 if style.index <= 200 else 0.17
        self.half_w = max(self.width / 2 - max(margin + style.index * letter + 14, 46), self.width * least)
        column = self.width / 2 - self.half_w - margin
        self.index = min(style.index, column / letter)
        self.index_pip = min(self.index * style.index_pip, max(column / max(style.shape.width, 0.9), 40.0))
        self.column = column
        self.half_h = self.height / 2 - max(48, style.border + 34)
        if style.pips == "boxed":
            self.half_w, self.half_h = self.half_w * style.box[0], self.half_h * style.box[1]

    def pip(self, x: float, y: float, size: float, turned: bool = False, counted: bool = False) -> str:
        """Repeat the card's suit sign around (x, y), `size` high; layout pips are marked as such."""
        return svg.use(
            f"pip-{self.code}",
            svg.place(x, y, size / 100, 180 if turned else 0),
            class_="pip" if counted else None,
        )

    def both(self, drawn: str) -> str:
        """Draw at the top and, turned, at the bottom."""
        return drawn + svg.group(drawn, f"rotate(180 {svg.num(self.middle[0])} {svg.num(self.middle[1])})")


def _index_text(sheet: _Sheet) -> tuple[str, float]:
    """Give the index characters and how narrow they are set."""
    style = sheet.style
    if sheet.rank == "10":
        return ("T", 1.0) if style.ten == "T" else ("10", 0.62 if style.ten == "joined" else 0.82)
    if sheet.rank in "AJQK":
        return style.letters["AJQK".index(sheet.rank)], 1.0
    return sheet.rank, 1.0


def _indices(sheet: _Sheet) -> str:
    style = sheet.style
    if style.index <= 0:
        return ""
    text, squeeze = _index_text(sheet)
    margin = style.index_margin + style.border
    wide = sheet.index * 0.6 * style.lettering.condensed
    x = margin + max(wide, sheet.index_pip * 0.9) / 2
    own = text_width(text, sheet.index, style.lettering, squeeze)
    if own > sheet.column + 14:
        # A ten beside a jumbo layout is set narrower.
        squeeze *= (sheet.column + 14) / own
        own = text_width(text, sheet.index, style.lettering, squeeze)
    x = max(x, margin + own / 2 - 4)
    top = margin + 6
    mark = draw_text(text, x, top, sheet.index, sheet.colour, style.lettering, squeeze, style.paper)
    if style.index_pip:
        size = sheet.index_pip
        if style.index_beside:
            mark += sheet.pip(x + own / 2 + size * 0.62, top + sheet.index / 2, size)
        else:
            mark += sheet.pip(x, top + sheet.index * 1.12 + size / 2, size)
    drawn = sheet.both(mark)
    if style.corners == 4:
        # The other two corners: the same mark moved across, characters never mirrored.
        across = (
            svg.group(mark, f"translate({svg.num(sheet.width - 2 * x)} 0)") if not style.index_beside else ""
        )
        drawn += sheet.both(across) if across else ""
    return drawn


def _layout(sheet: _Sheet, count: int) -> str:
    style = sheet.style
    if style.pips == "large":
        return sheet.pip(*sheet.middle, min(sheet.width * 0.5, sheet.height * 0.4) * 1.1)
    if style.pips == "numeral":
        text, squeeze = _index_text(sheet)
        height = min(sheet.height * 0.36, sheet.width * 0.5)
        return draw_text(
            text,
            sheet.middle[0],
            sheet.middle[1] - height / 2,
            height,
            sheet.colour,
            style.lettering,
            squeeze,
            style.paper,
        )
    half_w, half_h = sheet.half_w, sheet.half_h
    size = min(style.pip_size, half_w * 0.95, half_h * 0.44)
    dx = min((half_w - size / 2) * style.spread[0], half_w - size * 0.4)
    dy = min((half_h - size / 2) * 0.94 * style.spread[1], half_h - size * 0.5)
    drawn = [
        sheet.pip(sheet.middle[0] + x * dx, sheet.middle[1] + y * dy, size, turned=y > 0.01, counted=True)
        for x, y in _PLACES[count]
    ]
    return "".join(drawn)


def _ace(sheet: _Sheet) -> str:
    style = sheet.style
    x, y = sheet.middle
    if sheet.suit != "S" or style.ace == 0:
        size = min(
            style.pip_size * (1.0 if style.ace == 0 and style.pips != "large" else 1.9), sheet.half_w * 1.4
        )
        return sheet.pip(x, y, size, counted=True)
    size = min(sheet.half_w * 1.75, 400)
    big = sheet.pip(x, y, size, counted=True)
    p = style.palette
    accent = p.gold if style.ace == 2 else style.paper
    if style.ace == 1:
        # A laurel and a disc within the large sign.
        sprig = "".join(
            svg.path(
                "M0 0C-9 -14 -9 -30 0 -44C9 -30 9 -14 0 0Z",
                accent,
                transform=svg.place(x + s * dx * size / 300, y + dy * size / 300, size / 330, s * turn),
            )
            for s in (-1, 1)
            for dx, dy, turn in ((22, 56, 70), (48, 40, 50), (66, 14, 28), (72, -16, 8), (64, -44, -12))
        )
        star = svg.circle(x, y - size * 0.06, size * 0.075, accent)
        return big + sprig + star
    if style.ace == 2:
        rings = "".join(
            svg.circle(x, y + size * 0.02, size * r, stroke=accent, width=size * 0.018)
            for r in (0.1, 0.16, 0.22)
        )
        return big + rings
    wreath = "".join(
        svg.path(
            "M0 0C-12 -20 -12 -40 0 -60C12 -40 12 -20 0 0Z",
            sheet.colour,
            transform=svg.place(x + s * dx * size / 300, y + dy * size / 300, size / 420, s * turn),
        )
        for s in (-1, 1)
        for dx, dy, turn in (
            (30, 190, 80),
            (86, 178, 62),
            (132, 146, 44),
            (164, 100, 26),
            (178, 48, 10),
            (176, -8, -6),
        )
    )
    return sheet.pip(x, y, size * 0.8, counted=True) + wreath


def _emblem(sheet: _Sheet) -> str:
    """Draw a court without a figure: the rank's headgear over a large suit sign."""
    p, (x, y) = sheet.style.palette, sheet.middle
    size = min(sheet.half_w * 1.1, 260)
    k = size / 150
    if sheet.rank == "K":
        hat = (
            svg.path("M-60 0L-76 -84L-38 -46L0 -100L38 -46L76 -84L60 0Z", p.gold)
            + svg.rect(-62, -6, 124, 22, p.red)
            + "".join(svg.circle(a, b, 9, p.red) for a, b in ((-76, -88), (0, -104), (76, -88)))
        )
    elif sheet.rank == "Q":
        hat = (
            svg.path("M-54 0C-70 -40 -64 -60 -56 -74L-28 -30L0 -80L28 -30L56 -74C64 -60 70 -40 54 0Z", p.gold)
            + "".join(svg.circle(a, b, 10, p.blue) for a, b in ((-56, -78), (0, -86), (56, -78)))
            + svg.path("M-56 -2C-20 -16 20 -16 56 -2V16C20 4 -20 4 -56 16Z", p.blue)
        )
    else:
        hat = svg.path(
            "M-64 10C-70 -50 -30 -70 6 -68C50 -66 70 -40 60 10C20 -8 -20 -8 -64 10Z", p.green
        ) + svg.path("M20 -50C50 -110 100 -100 112 -64C84 -70 60 -56 40 -34Z", p.red)
    top = svg.group(hat, svg.place(x, y - size * 0.55, k), stroke=p.ink, width=4.0, stroke_linejoin="round")
    return sheet.both(top) + sheet.pip(x, y, size * 0.85)


def _court(sheet: _Sheet) -> str:
    style = sheet.style
    p = style.palette
    if style.courts == "emblem":
        return _emblem(sheet)
    bust = style.courts == "busts"
    half_w = min(sheet.half_w * (1.12 if bust else 1.0), sheet.width / 2 - 30)
    half_h = sheet.half_h * (1.04 if bust else 0.98)
    half_h = min(half_h, half_w * 2.05)
    box = (sheet.middle[0] - half_w, sheet.middle[1] - half_h, 2 * half_w, 2 * half_h)
    sign_size = 96.0
    corner = sheet.pip(64, 62, sign_size)
    art = french_courts.court(
        p,
        sheet.rank,
        sheet.suit,
        box,
        corner,
        sheet.code,
        style.court_pattern,
        style.head_scale * (1.12 if bust else 1.0),
        style.mirrored,
        style.dress_shift,
    )
    frame = (
        svg.rect(*box, stroke=p.ink if not style.pip_outline else p.blue, width=4.0)
        if style.court_frame and not bust
        else ""
    )
    return art + frame


def face_svg(code: str, style: FrenchStyle | None = None) -> str:
    """Draw one face as an SVG document.

    `code` is a French card code ("10D", "KS"); lengths in the drawing are tenths of a millimetre.

    Raises:
        ValueError: the code names no French card.
    """
    if code not in FRENCH_CODES:
        raise ValueError(f"{code!r} is no French card; say a rank A, 2-10, J, Q or K and a suit H, D, C or S")
    style = style or FrenchStyle()
    sheet = _Sheet(code, style)
    outline = style.palette.gold if style.pip_outline else None
    body = svg.define(f"pip-{code}", pip(sheet.suit, style.shape, sheet.colour, outline))
    if style.pips == "boxed" and sheet.rank not in "JQK":
        (x, y), w, h = sheet.middle, sheet.half_w + 12, sheet.half_h + 12
        body += svg.rect(x - w, y - h, 2 * w, 2 * h, stroke=sheet.colour, width=3.0)
    if style.border:
        inset = style.border
        body += svg.rect(
            inset,
            inset,
            sheet.width - 2 * inset,
            sheet.height - 2 * inset,
            stroke=sheet.colour,
            width=4.0,
            radius=max(style.corner_mm * 10 - inset, 6),
        )
    if sheet.rank in "JQK":
        body += _court(sheet)
    elif sheet.rank == "A":
        body += _ace(sheet)
    else:
        body += _layout(sheet, int(sheet.rank))
    body += _indices(sheet)
    return svg.document(sheet.width, sheet.height, body, style.corner_mm * 10, style.paper, style.edge)
