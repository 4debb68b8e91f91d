"""Draw the parts that court figures share: heads, hair, crowns, hats, hands and collars.

A head is drawn around the origin, its face about 70 wide and 96 high and turned a little to the left.
Outlines are inherited: callers put everything into a group with a stroke.
"""

from __future__ import annotations

from datasets.decks import svg
from datasets.decks.palette import Palette


def head(p: Palette, hair: str, beard: bool = False, long_hair: bool = False, lips: str | None = None) -> str:
    """Draw a head without a hat; `hair` also colours the beard."""
    locks = (
        "M-30 -44C-52 -20 -50 40 -62 74C-40 84 -30 60 -26 40H30C34 66 46 86 68 72C52 40 56 -20 34 -46Z"
        if long_hair
        else "M-34 -40C-50 -10 -48 24 -50 44C-40 52 -30 44 -28 34H34C38 48 48 52 56 42C50 20 52 -14 36 -44Z"
    )
    face = "M-36 -34C-40 -6 -40 22 -22 42C-10 54 8 52 22 38C36 20 40 -10 36 -36C20 -52 -18 -52 -36 -34Z"
    parts = [svg.path(locks, hair), svg.path(face, p.skin)]
    if beard:
        parts.append(
            svg.path(
                "M-39 -2C-42 30 -40 66 -8 88C28 76 42 40 38 -4C32 14 26 20 14 18"
                "C4 12 -14 12 -22 18C-32 20 -36 12 "
                "-39 -2Z",
                hair,
            )
        )
        parts.append(
            svg.path("M-24 62C-18 70 -12 74 -8 78M4 66C0 72 -2 76 -4 80M-30 44L-26 52M20 54L14 62", width=2.0)
        )
    cheeks = svg.circle(-24, 12, 7, p.red, "none", opacity=0.3) + svg.circle(
        20, 12, 8, p.red, "none", opacity=0.3
    )
    eyes = (
        svg.ellipse(-21, -10, 6.5, 4.5, p.white, width=2.0)
        + svg.ellipse(9, -10, 7, 4.5, p.white, width=2.0)
        + svg.circle(-22, -10, 3, p.ink, "none")
        + svg.circle(7, -10, 3.2, p.ink, "none")
    )
    lines = svg.path(
        "M-31 -20C-26 -25 -19 -25 -14 -20M1 -21C7 -26 15 -25 20 -19M-9 -8C-14 2 -18 9 -14 13L-5 13",
        width=2.8,
        stroke_linecap="round",
    )
    mouth = svg.path(
        "M-20 27C-14 23 -10 25 -8 26C-5 24 0 24 5 27C-2 34 -14 34 -20 27Z", lips or p.red, width=1.6
    )
    return "".join(parts) + cheeks + eyes + lines + mouth


def crown(p: Palette, design: int) -> str:
    """Draw a king's crown for a head at the origin; four designs."""
    balls: tuple[tuple[float, float], ...]
    if design == 0:
        tines = "M-44 -36L-56 -92L-30 -66L-22 -104L0 -70L22 -104L30 -66L56 -92L44 -36Z"
        balls = ((-56, -94), (-22, -106), (22, -106), (56, -94))
    elif design == 1:
        tines = "M-44 -36L-54 -86L-24 -62L0 -108L24 -62L54 -86L44 -36Z"
        balls = ((-54, -88), (0, -112), (54, -88))
    elif design == 2:
        tines = "M-44 -36C-62 -70 -50 -92 -30 -88C-18 -104 18 -104 30 -88C50 -92 62 -70 44 -36Z"
        balls = ((-40, -90), (0, -108), (40, -90))
    else:
        tines = "M-44 -36L-50 -80H-34V-66H-18V-92H18V-66H34V-80H50L44 -36Z"
        balls = ((-42, -84), (0, -98), (42, -84))
    band = svg.path("M-46 -34C-20 -46 20 -46 46 -34L44 -52C20 -62 -20 -62 -44 -52Z", p.red)
    gems = svg.circle(-20, -48, 5, p.blue) + svg.circle(20, -48, 5, p.blue) + svg.circle(0, -50, 6, p.green)
    return (
        svg.path(tines, p.gold)
        + "".join(svg.circle(x, y, 7, p.red if design % 2 else p.blue) for x, y in balls)
        + band
        + svg.group(gems, width=2.0)
    )


def coronet(p: Palette, design: int, jewel: str) -> str:
    """Draw a queen's light crown over a veil; four designs."""
    balls: tuple[tuple[float, float], ...]
    if design % 2 == 0:
        tines = "M-38 -40C-44 -60 -40 -74 -34 -84L-20 -60L0 -90L20 -60L34 -84C40 -74 44 -60 38 -40Z"
        balls = ((-34, -86), (0, -93), (34, -86))
    else:
        tines = "M-38 -40L-44 -70L-26 -58L-16 -80L0 -60L16 -80L26 -58L44 -70L38 -40Z"
        balls = ((-44, -72), (-16, -82), (16, -82), (44, -72))
    band = svg.path("M-40 -36C-18 -48 18 -48 40 -36L39 -48C18 -58 -18 -58 -39 -48Z", jewel)
    return svg.path(tines, p.gold) + "".join(svg.circle(x, y, 5, jewel) for x, y in balls) + band


def feathered_cap(cloth: str, trim: str, plume: str) -> str:
    """Draw a page's soft cap with a long feather."""
    feather = (
        "M22 -62C50 -112 98 -116 118 -78C124 -60 112 -44 100 -40C106 -56 100 -68 90 -72C72 -80 50 -66 36 -48Z"
    )
    return (
        svg.path(feather, plume)
        + svg.path("M30 -56C56 -86 84 -94 106 -78", width=2.5)
        + svg.path("M-48 -34C-66 -62 -36 -90 4 -86C44 -86 62 -60 48 -32C20 -46 -20 -46 -48 -34Z", cloth)
        + svg.path("M-50 -30C-22 -46 20 -46 50 -30L48 -44C20 -58 -22 -58 -49 -44Z", trim)
    )


def brimmed_hat(cloth: str, trim: str, plume: str) -> str:
    """Draw a hat with an upturned brim and a low feather."""
    return (
        svg.path("M-34 -44C-36 -86 -14 -98 6 -96C30 -96 40 -76 38 -44Z", cloth)
        + svg.path("M-70 -54C-56 -28 54 -24 74 -58C60 -46 30 -40 0 -42C-30 -42 -56 -44 -70 -54Z", trim)
        + svg.path("M10 -74C40 -120 84 -112 96 -86C80 -92 60 -82 44 -60C34 -50 18 -56 10 -74Z", plume)
    )


def helmet(p: Palette, plume: str) -> str:
    """Draw an open helmet with a crest of feathers."""
    return (
        svg.path("M-6 -84C-2 -124 40 -136 84 -104C104 -88 104 -52 92 -24C86 -58 66 -82 30 -84Z", plume)
        + svg.path("M20 -104C50 -108 76 -88 86 -56", width=2.5)
        + svg.path(
            "M-48 -26C-50 -74 -26 -92 2 -92C34 -92 52 -70 50 -4L36 -6L34 -34C14 -46 -24 -46 -48 -26Z", p.steel
        )
        + svg.path("M-52 -24C-26 -46 16 -46 38 -34L38 -46C16 -58 -28 -58 -51 -38Z", p.gold)
    )


def turban(cloth: str, jewel: str, plume: str) -> str:
    """Draw a wound turban with a jewel and an upright feather."""
    return (
        svg.path("M-6 -76C-22 -108 -6 -136 18 -140C14 -124 22 -104 14 -78Z", plume)
        + svg.path("M-50 -34C-62 -74 -28 -92 2 -90C38 -90 62 -68 48 -32C20 -48 -20 -48 -50 -34Z", cloth)
        + svg.path(
            "M-48 -46C-14 -74 20 -76 46 -64M-40 -66C-8 -86 20 -88 36 -80M-52 -38C-12 -58 26 -58 50 -40",
            width=2.5,
        )
        + svg.circle(-2, -66, 8, jewel)
    )


def hand(p: Palette) -> str:
    """Draw a closed hand around the origin, about 40 wide, holding something upright."""
    return svg.path("M-18 -14C-8 -22 14 -20 18 -8C22 6 16 18 4 20C-10 22 -22 12 -20 0Z", p.skin) + svg.path(
        "M-19 -4H-2M-19 5H-2M-14 13H0", width=2.0
    )


def ermine(points: tuple[tuple[float, float], ...]) -> str:
    """Draw the black tails of ermine at each point."""
    return "".join(
        svg.path(
            f"M{svg.num(x)} {svg.num(y)}L{svg.num(x - 4)} {svg.num(y + 13)}H{svg.num(x + 4)}Z", "#222", "none"
        )
        for x, y in points
    )
