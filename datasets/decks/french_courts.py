"""Draw the double-headed kings, queens and jacks of the French deck.

Half a court is drawn in a box 440 wide with its middle line at y 365; it reaches 70 below that line, where the other
half, turned upside down, takes over along a slanting cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from datasets.decks import figures, svg
from datasets.decks.palette import Palette, mix

BOX_WIDTH = 440.0
HALF_HEIGHT = 365.0


@dataclass(frozen=True)
class Dress:
    """Name the colours one suit's court wears."""

    robe: str
    lining: str
    trim: str
    sleeve: str
    hair: str
    grey: bool = False


def dress(p: Palette, suit: str, shift: int = 0) -> Dress:
    """Give the dress of a suit ("H", "D", "C", "S"); `shift` hands the colours round."""
    robes = (p.red, p.gold, p.green, p.blue)
    linings = (p.gold, p.red, p.gold, p.red)
    trims = (p.blue, p.blue, p.red, p.gold)
    sleeves = (p.blue, p.red, p.blue, p.gold)
    hair = ("#d8a03c", p.brown, "#5a3420", "#2f2622")
    k = "HDCS".index(suit)
    order = (k + shift) % 4
    return Dress(
        robes[order],
        linings[order],
        trims[order],
        sleeves[order],
        hair[(k + shift // 4) % 4],
        (k + shift // 4) % 4 == 3,
    )


def _pattern(kind: int, colour: str, accent: str) -> str:
    """Draw the front panel's ornament between x 150 and 290, y 225 to 440."""
    if kind == 0:
        return "".join(
            svg.path(f"M220 {y}L250 {y + 24}L220 {y + 48}L190 {y + 24}Z", colour)
            + svg.circle(220, y + 24, 7, accent)
            for y in (246, 300, 354, 408)
        )
    if kind == 1:
        return "".join(svg.path(f"M{x} 215V450", stroke=colour, width=11.0) for x in (180, 220, 260))
    if kind == 2:
        return "".join(
            svg.path(f"M150 {y}L220 {y + 34}L290 {y}", stroke=colour, width=12.0)
            for y in (235, 275, 315, 355, 395)
        )
    if kind == 4:
        return "".join(
            svg.path(f"M{x} {y}H{x + 24}V{y + 24}H{x}Z", colour if (k + j) % 2 else accent, width=2.0)
            for j, y in enumerate(range(214, 440, 24))
            for k, x in enumerate(range(148, 286, 24))
        )
    if kind == 5:
        return "".join(
            svg.path(f"M{x} 215L{x - 150} 450M{x - 150} 215L{x} 450", stroke=colour, width=6.0)
            for x in range(160, 440, 34)
        )
    return "".join(
        svg.circle(x, y, 11, colour) + svg.circle(x, y, 4, accent)
        for k, y in enumerate((250, 288, 326, 364, 402))
        for x in ((190, 250) if k % 2 else (170, 220, 270))
    )


def _body(p: Palette, w: Dress, pattern: int, rank: str) -> str:
    """Draw shoulders, mantle, front panel and sleeves."""
    wide = {"K": 0, "Q": 14, "J": 6}[rank]
    mantle = svg.path(
        f"M160 196C100 206 {44 + wide} 236 {20 + wide} 300L0 450H440"
        f"L{420 - wide} 300C{396 - wide} 236 340 206 280 196Z",
        w.robe,
    )
    folds = svg.path(
        "M66 262C58 320 52 380 50 440M104 240C100 300 96 380 96 440M336 240"
        "C340 300 344 380 344 440M374 262C382 320 388 380 390 440",
        width=3.0,
    )
    edges = svg.path(
        "M164 200C150 280 142 360 138 450H104C108 360 122 270 140 206ZM276 200"
        "C290 280 298 360 302 450H336C332 360 318 270 300 206Z",
        p.white if rank == "K" else w.trim,
    )
    tails = (
        figures.ermine(
            tuple((134 - k * 4, 236 + k * 40) for k in range(6))
            + tuple((306 + k * 4, 236 + k * 40) for k in range(6))
        )
        if rank == "K"
        else "".join(
            svg.circle(134 - k * 3.6, 240 + k * 34, 6, p.gold)
            + svg.circle(306 + k * 3.6, 240 + k * 34, 6, p.gold)
            for k in range(7)
        )
    )
    panel = svg.path("M164 200C150 280 142 360 138 450H302C298 360 290 280 276 200Z", w.lining)
    return mantle + folds + panel + _pattern(pattern, w.robe, p.white) + edges + tails


def _sleeve(p: Palette, w: Dress, d: str) -> str:
    return (
        svg.path(d, width=64.0, stroke_linecap="round", stroke_linejoin="round")
        + svg.path(d, stroke=w.sleeve, width=55.0, stroke_linecap="round", stroke_linejoin="round")
        + svg.path(d, stroke=mix(w.sleeve, p.white, 0.55), width=55.0, stroke_dasharray="9 22")
        + svg.path(d, stroke=p.gold, width=8.0)
    )


def _sword(p: Palette) -> str:
    """Draw a sword whose grip is at the origin, point up, 300 high."""
    return (
        svg.path("M-11 -30V-250L0 -280L11 -250V-30Z", p.steel)
        + svg.path("M0 -270V-30", width=2.5)
        + svg.path("M-40 -36C-46 -20 -30 -16 -22 -22H22C30 -16 46 -20 40 -36Z", p.gold)
        + svg.rect(-8, -22, 16, 52, p.red)
        + svg.circle(0, 38, 13, p.gold)
    )


def _sceptre(p: Palette) -> str:
    return (
        svg.rect(-7, -190, 14, 250, p.gold)
        + svg.circle(0, -206, 24, p.blue)
        + svg.path("M-24 -206H24M0 -230V-182", width=3.0)
        + svg.path("M-5 -230H5V-244H18V-254H5V-268H-5V-254H-18V-244H-5Z", p.gold)
    )


def _axe(p: Palette) -> str:
    return (
        svg.rect(-8, -230, 16, 300, p.brown)
        + svg.path("M8 -214C40 -230 74 -226 86 -250C98 -200 92 -150 66 -116C60 -140 34 -150 8 -148Z", p.steel)
        + svg.path("M-8 -204L-44 -214V-158L-8 -164Z", p.steel)
        + svg.path("M0 -262L12 -230H-12Z", p.gold)
    )


def _orb(p: Palette) -> str:
    return (
        svg.circle(0, -50, 44, p.blue)
        + svg.path("M-44 -50C-20 -38 20 -38 44 -50M0 -94V-44", stroke=p.gold, width=9.0)
        + svg.path("M-6 -92H6V-108H20V-120H6V-136H-6V-120H-20V-108H-6Z", p.gold)
    )


def _flower(p: Palette, petal: str, count: int) -> str:
    petals = "".join(
        svg.ellipse(0, -26, 15, 22, petal, transform=f"rotate({360 * k // count})") for k in range(count)
    )
    stalk = (
        svg.path("M0 60C-6 10 4 -30 0 -76", width=11.0)
        + svg.path("M0 60C-6 10 4 -30 0 -76", stroke=p.green, width=5.0)
        + svg.path(
            "M0 10C-30 6 -40 -16 -44 -34C-20 -34 0 -20 0 10ZM0 -8C26 -12 36 -30 38 -48C16 -46 0 -34 0 -8Z",
            p.green,
        )
    )
    return stalk + svg.group(petals + svg.circle(0, 0, 14, p.gold), "translate(0 -112)")


def _halberd(p: Palette) -> str:
    return (
        svg.rect(-7, -200, 14, 280, p.brown)
        + svg.path("M0 -290L18 -230L8 -196H-8L-18 -230Z", p.steel)
        + svg.path(
            "M8 -196C40 -206 56 -190 66 -170C44 -166 30 -160 8 -150ZM-8 -190L-46 -170L-8 -156Z", p.steel
        )
        + svg.path("M-8 -146H8L22 -96L8 -110L0 -92L-8 -110L-22 -96Z", p.red)
    )


def _banner(p: Palette, cloth: str) -> str:
    return (
        svg.rect(-6, -280, 12, 360, p.brown)
        + svg.path("M6 -276C24 -288 44 -262 66 -274L52 -232L66 -190C44 -178 24 -204 6 -192Z", cloth)
        + svg.circle(30, -233, 12, p.gold)
        + svg.circle(0, -288, 12, p.gold)
    )


def _lute(p: Palette) -> str:
    return (
        svg.rect(-8, -230, 16, 150, p.brown)
        + svg.path(
            "M0 -110C40 -110 52 -60 52 -30C52 14 24 30 0 30C-24 30 -52 14 -52 -30C-52 -60 -40 -110 0 -110Z",
            p.gold,
        )
        + svg.circle(0, -44, 17, p.ink)
        + svg.path("M-4 -220V10M4 -220V10", width=2.0)
        + svg.path("M-16 -250H16L10 -222H-10Z", p.brown)
    )


def _leaf(p: Palette) -> str:
    return (
        svg.path("M0 70V-100", width=12.0)
        + svg.path("M0 70V-100", stroke=p.brown, width=6.0)
        + svg.path("M0 -60C-60 -90 -60 -190 0 -250C60 -190 60 -90 0 -60Z", p.green)
        + svg.path("M0 -64V-230M0 -100L-30 -134M0 -100L30 -134M0 -140L-28 -172M0 -140L28 -172", width=3.0)
    )


def _attribute(p: Palette, rank: str, suit: str) -> str:
    things: dict[str, dict[str, Callable[[], str]]] = {
        "K": {"H": lambda: _sword(p), "D": lambda: _axe(p), "C": lambda: _orb(p), "S": lambda: _sceptre(p)},
        "Q": {
            "H": lambda: _flower(p, p.red, 6),
            "D": lambda: _flower(p, p.gold, 8),
            "C": lambda: _flower(p, p.blue, 5),
            "S": lambda: _flower(p, p.white, 7),
        },
        "J": {
            "H": lambda: _leaf(p),
            "D": lambda: _banner(p, p.red),
            "C": lambda: _lute(p),
            "S": lambda: _halberd(p),
        },
    }
    return things[rank][suit]()


def _face(p: Palette, w: Dress, rank: str, suit: str) -> str:
    order = "HDCS".index(suit)
    if rank == "K":
        hair = mix(w.hair, p.white, 0.6) if w.grey else w.hair
        return figures.head(p, hair, beard=True) + figures.crown(p, order)
    if rank == "Q":
        veil = svg.path(
            "M-44 -40C-76 -4 -70 60 -84 104C-40 116 -30 80 -26 56H30C36 84 52 112 88 100C70 50 78 -4 46 -42Z",
            w.trim,
        )
        return veil + figures.head(p, w.hair, long_hair=True) + figures.coronet(p, order, w.robe)
    hat = (
        figures.feathered_cap(w.robe, p.gold, w.trim),
        figures.brimmed_hat(w.lining, w.robe, w.trim),
        figures.feathered_cap(w.trim, p.gold, w.lining),
        figures.brimmed_hat(w.robe, w.trim, w.lining),
    )[order]
    return figures.head(p, w.hair) + hat


def half_court(p: Palette, rank: str, suit: str, pattern: int, head_scale: float, shift: int) -> str:
    """Draw the upper half of a king ("K"), queen ("Q") or jack ("J"), outlines included."""
    w = dress(p, suit, shift)
    collar = {
        "K": svg.path("M150 196C180 182 260 182 290 196C282 232 158 232 150 196Z", p.gold)
        + "".join(svg.circle(x, y, 6, p.red) for x, y in ((180, 208), (207, 214), (234, 214), (261, 208))),
        "Q": svg.path("M164 198C190 188 250 188 276 198L262 226L241 214L220 234L199 214L178 226Z", p.white)
        + svg.path("M176 232C196 262 244 262 264 232", stroke=p.gold, width=7.0),
        "J": svg.path(
            "M152 198C180 180 260 180 288 198C292 220 262 228 254 214C246 230 228 232 220 218"
            "C212 232 194 230 186 214"
            "C178 228 148 220 152 198Z",
            p.white,
        ),
    }[rank]
    thing = svg.group(
        _attribute(p, rank, suit), svg.place(350, 300, {"K": 0.95, "Q": 1.0, "J": 0.95}[rank], 8)
    )
    gripping = (
        _sleeve(p, w, "M318 232C372 262 384 330 362 356")
        if rank == "K"
        else _sleeve(p, w, "M312 230C362 262 380 318 362 346")
    )
    resting = _sleeve(p, w, "M118 240C70 280 62 340 128 350") + svg.group(
        figures.hand(p), svg.place(158, 346, 1.15, -8)
    )
    grip = svg.group(figures.hand(p), svg.place(352, 318, 1.2))
    face = svg.group(_face(p, w, rank, suit), svg.place(220, 132, head_scale))
    sash = svg.path("M-20 425L460 305V335L-20 455Z", p.white) + svg.path("M-20 425L460 305", width=5.0)
    body = _body(p, w, pattern, rank)
    # A jack or a queen bends over the thing held; a king holds it upright behind the hand.
    return svg.group(
        body + gripping + resting + thing + grip + collar + face + sash,
        stroke=p.ink,
        width=4.2,
        stroke_linejoin="round",
    )


def court(
    p: Palette,
    rank: str,
    suit: str,
    box: tuple[float, float, float, float],
    sign: str,
    name: str,
    pattern: int,
    head_scale: float,
    mirrored: bool,
    shift: int = 0,
) -> str:
    """Draw a whole double-headed court into `box` (x, y, width, height); `sign` stands at both ends beside the head."""
    x, y, w, h = box
    sx, sy = w / BOX_WIDTH, h / (2 * HALF_HEIGHT)
    flip = -1 if mirrored else 1
    # The slanting cut maps onto itself when the card is turned.
    cut = f"M0 0H{svg.num(BOX_WIDTH)}V310L0 420Z"
    inner = svg.group(
        half_court(p, rank, suit, pattern, head_scale, shift) + sign, clip_path=f"url(#cut-{name})"
    )
    half = svg.group(
        inner,
        f"translate({svg.num(x + (w if mirrored else 0))} {svg.num(y)}) scale({flip * sx:.3f} {sy:.3f})",
    )
    cx, cy = svg.num(x + w / 2), svg.num(y + h / 2)
    return (
        svg.clip(f"cut-{name}", cut)
        + svg.define(f"half-{name}", half)
        + svg.use(f"half-{name}")
        + svg.use(f"half-{name}", f"rotate(180 {cx} {cy})")
    )
