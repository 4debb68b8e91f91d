"""Draw the four aces of the Italian deck, each filled by one large sign."""

from __future__ import annotations

from datasets.decks import svg
from datasets.decks.italian_pips import rays, sun_face
from datasets.decks.palette import Palette


def _ribbon(p: Palette, colour: str) -> str:
    """Draw a ribbon that winds below the middle, 320 wide around the origin."""
    return (
        svg.path("M-160 20C-130 -10 -100 -6 -84 16L-96 64C-112 40 -136 40 -164 66L-146 42Z", colour)
        + svg.path("M160 20C130 -10 100 -6 84 16L96 64C112 40 136 40 164 66L146 42Z", colour)
        + svg.path("M-100 6C-50 40 50 40 100 6L94 50C50 82 -50 82 -94 50Z", p.white)
        + svg.path("M-80 34C-40 58 40 58 80 34", width=2.5, stroke_dasharray="9 8")
    )


def _leaves(p: Palette, colour: str) -> str:
    """Draw two branches of laurel around the origin, 300 wide and 300 high, open at the top."""
    leaf = "M0 0C-14 -18 -12 -40 0 -58C12 -40 14 -18 0 0Z"
    parts = [svg.path("M0 150C-120 130 -160 40 -120 -110M0 150C120 130 160 40 120 -110", width=6.0)]
    spots = (
        (-40, 142, -78),
        (-86, 116, -50),
        (-118, 76, -28),
        (-134, 28, -8),
        (-136, -22, 8),
        (-124, -74, 22),
        (-62, 118, 20),
        (-98, 80, 40),
        (-118, 32, 52),
        (-122, -16, 64),
    )
    for x, y, turn in spots:
        parts.append(svg.path(leaf, colour, transform=svg.place(x, y, 1.0, turn)))
        parts.append(svg.path(leaf, colour, transform=svg.place(-x, y, 1.0, -turn)))
    return "".join(parts)


def ace(p: Palette, suit: str, sign: str, width: float, height: float, name: str, plain: bool = False) -> str:
    """Draw the ace of a suit, filling a card of `width` by `height` tenths of a millimetre.

    `sign` is the suit's pip; `plain` draws nothing but one large sign.
    """
    k = min(width / 520, height / 830)
    tall = min(height / 880 / k, 1.18)
    if plain:
        scale: tuple[float, float] = {"d": (3.6, 3.6), "c": (3.7, 3.7), "s": (2.4, 2.35), "b": (2.9, 2.35)}[
            suit
        ]
        return svg.define(name, sign) + svg.group(
            svg.use(name, svg.place(0, 0, scale), class_="pip"),
            svg.place(width / 2, height / 2, (k, k * tall)),
        )
    draw = {"d": _denari, "c": _coppe, "s": _spade, "b": _bastoni}[suit]
    return svg.group(
        svg.define(name, sign) + draw(p, name),
        svg.place(width / 2, height / 2, (k, k * tall)),
        stroke=p.ink,
        width=4.0,
        stroke_linejoin="round",
    )


def _denari(p: Palette, name: str) -> str:
    wings = (
        "M-40 -60C-120 -190 -200 -170 -222 -250C-236 -150 -232 -40 -196 20"
        "C-210 60 -200 110 -176 130C-180 170 -150 200 -120 200"
        "C-90 180 -60 140 -40 90Z"
    )
    feathers = (
        "M-204 -196C-196 -110 -170 -60 -120 -40M-214 -120C-204 -40 -170 0 -120 20"
        "M-196 20C-176 50 -150 70 -110 70M-176 130C-156 140 -130 130 -96 110"
    )
    wing = svg.path(wings, p.blue) + svg.path(feathers, width=4.0)
    heads = ""
    for side in (1, -1):
        heads += svg.group(
            svg.path(
                "M20 -60L16 -150C6 -200 -26 -236 -40 -284C-66 -298 -96 -284 -112 -262"
                "C-94 -262 -86 -256 -82 -248C-84 -200 -84 -140 -74 -60Z",
                p.blue,
            )
            + svg.path("M-72 -286C-92 -288 -112 -276 -116 -258L-84 -262Z", p.gold)
            + svg.circle(-66, -272, 6, p.white)
            + svg.circle(-67, -272, 2.5, p.ink),
            None if side == 1 else "scale(-1 1)",
        )
    tail = svg.path(
        "M-50 130C-80 220 -110 260 -120 320C-80 300 -60 320 -40 350C-26 320 -14 330 0 360"
        "C14 330 26 320 40 350"
        "C60 320 80 300 120 320C110 260 80 220 50 130Z",
        p.red,
    ) + svg.path("M-30 180L-44 310M0 180V330M30 180L44 310", width=4.0)
    crown = svg.path("M-44 -268L-58 -340L-26 -306L0 -352L26 -306L58 -340L44 -268Z", p.gold) + svg.path(
        "M-46 -286H46V-266H-46Z", p.red
    )
    coin = svg.use(name, svg.place(0, 10, 2.9), class_="pip")
    face = svg.group(svg.path(rays(16, 62, 92), p.red) + sun_face(p, 60), svg.place(0, 10))
    breast = svg.path(
        "M-30 -172L-46 -158M30 -172L46 -158M-40 -140L-58 -124M40 -140L58 -124M-14 -146L0 -130L14 -146",
        width=3.5,
    )
    return wing + svg.group(wing, "scale(-1 1)") + tail + heads + breast + crown + coin + face


def _coppe(p: Palette, name: str) -> str:
    handles = "M-108 -70C-230 -120 -230 80 -86 66M108 -70C230 -120 230 80 86 66"
    base = (
        svg.path("M-140 330C-140 290 -60 280 -34 240L-26 150H26L34 240C60 280 140 290 140 330Z", p.red)
        + svg.path("M-120 312C-80 296 80 296 120 312L140 330H-140Z", p.gold)
        + svg.ellipse(0, 196, 54, 26, p.gold)
        + svg.ellipse(0, 160, 34, 14, p.blue)
    )
    bowl = (
        svg.path(handles, width=34.0)
        + svg.path(handles, stroke=p.gold, width=24.0)
        + svg.path("M-136 -130C-150 30 -90 150 0 160C90 150 150 30 136 -130Z", p.red)
        + svg.path("M-120 30C-90 110 -50 150 0 160C50 150 90 110 120 30C70 66 -70 66 -120 30Z", p.green)
        + svg.path("M-60 62C-56 110 -30 140 0 160C30 140 56 110 60 62", width=4.0)
        + svg.path("M-142 -140H142L136 -74C80 -44 -80 -44 -136 -74Z", p.gold)
        + "".join(
            svg.circle(x, y, 15, c)
            for x, y, c in (
                (-96, -96, p.blue),
                (-48, -80, p.red),
                (0, -76, p.blue),
                (48, -80, p.red),
                (96, -96, p.blue),
            )
        )
    )
    heart = svg.path(
        "M0 20C-40 -10 -46 -40 -24 -44C-10 -46 -2 -36 0 -28C2 -36 10 -46 24 -44C46 -40 40 -10 0 20Z", p.gold
    )
    lid = (
        svg.path("M-142 -140C-130 -220 -60 -250 0 -252C60 -250 130 -220 142 -140Z", p.green)
        + svg.path("M-70 -144C-64 -200 -30 -240 0 -252C30 -240 64 -200 70 -144", width=4.0)
        + svg.ellipse(0, -140, 146, 20, p.white)
        + svg.path(rays(8, 24, 56), p.gold, transform="translate(0 -300)")
        + svg.circle(0, -300, 20, p.red)
    )
    return svg.group(base + bowl + heart + lid, class_="pip")


def _spade(p: Palette, name: str) -> str:
    wreath = svg.group(_leaves(p, p.green), svg.place(0, 20, 1.3))
    blade = svg.use(name, svg.place(0, 0, (2.35, 2.25)), class_="pip")
    return wreath + blade + svg.group(_ribbon(p, p.red), svg.place(0, 236, 1.3))


def _bastoni(p: Palette, name: str) -> str:
    leaf = "M0 0C-40 -30 -50 -90 -20 -140C30 -110 40 -50 0 0Z"
    sprouts = "".join(
        svg.path(leaf, colour, transform=svg.place(x, y, scale, turn))
        + svg.path("M0 0C-14 -40 -20 -80 -20 -120", width=2.5, transform=svg.place(x, y, scale, turn))
        for x, y, turn, scale, colour in (
            (-50, -60, -40, 1.1, p.gold),
            (50, -40, 60, 1.1, p.gold),
            (-40, 60, -70, 1.0, p.red),
            (36, 90, 80, 1.0, p.red),
            (-60, -180, -20, 1.0, p.red),
            (60, -170, 45, 1.0, p.red),
        )
    )
    stick = svg.use(name, svg.place(0, 0, (2.6, 2.25)), class_="pip")
    return sprouts + stick + svg.group(_ribbon(p, p.blue), svg.place(0, 200, 1.3))
