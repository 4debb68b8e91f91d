"""Draw the fante, the cavallo and the re of the Italian deck as full figures.

Figures stand in a box 400 wide and 700 high with the ground at 680; `sign` draws the suit's object at a place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from datasets.decks import figures, svg
from datasets.decks.palette import Palette, mix

BOX_WIDTH = 400.0
BOX_HEIGHT = 700.0


@dataclass(frozen=True)
class Dress:
    """Name the colours one suit's people wear, and the coat of its horse."""

    main: str
    second: str
    trim: str
    legs: str
    hair: str
    horse: str
    mane: str


def dress(p: Palette, suit: str, shift: int = 0) -> Dress:
    """Give the dress of a suit ("d", "c", "s", "b"); `shift` hands clothes, hair and horses round among the suits."""
    k = "dcsb".index(suit)
    clothes = (
        (p.gold, p.red, p.blue, p.red),
        (p.red, p.blue, p.gold, p.blue),
        (p.blue, mix(p.steel, p.white, 0.4), p.gold, p.red),
        (p.green, p.gold, p.red, p.brown),
    )
    hair = (p.brown, "#d9a441", "#3a2a20", "#7a3b1d")
    horses = (
        (mix(p.brown, p.white, 0.55), p.brown),
        (mix(p.white, p.steel, 0.3), p.gold),
        (mix(p.ink, p.brown, 0.35), p.ink),
        (p.brown, mix(p.brown, p.ink, 0.6)),
    )
    return Dress(*clothes[(k + shift) % 4], hair[(k + shift // 4) % 4], *horses[(k + shift // 8) % 4])


Sign = Callable[[float, float, float, float], str]
"""Draw the suit's object at x, y with a scale and a turn in degrees."""


def _ground(p: Palette, suit: str) -> str:
    colour = {"d": p.gold, "c": p.green, "s": p.blue, "b": p.green}[suit]
    return svg.path("M30 680C60 656 340 656 370 680V696H30Z", mix(colour, p.white, 0.25)) + svg.path(
        "M60 684L72 670L80 684M150 686L160 672L170 686M250 686L258 672L268 686M318 684L328 670L338 684",
        width=2.5,
    )


def _arm(cloth: str, cuff: str, d: str, width: float = 44.0) -> str:
    """Draw a sleeve along a path, with its outline."""
    return (
        svg.path(d, width=width + 9, stroke_linecap="round", stroke_linejoin="round")
        + svg.path(d, stroke=cloth, width=width, stroke_linecap="round", stroke_linejoin="round")
        + svg.path(d, stroke=cuff, width=width * 0.3, stroke_linecap="butt", stroke_dasharray="10 16")
    )


def _held(p: Palette, suit: str, sign: Sign, x: float, y: float, size: float, lean: float) -> str:
    """Draw the suit's object in a hand at (x, y): coins and cups above it, swords and clubs gripped at their foot."""
    if suit == "d":
        return sign(x, y - 76 * size, 1.35 * size, 0) + svg.group(figures.hand(p), svg.place(x, y, 1.15))
    if suit == "c":
        return sign(x, y - 58 * size, 1.25 * size, 0) + svg.group(figures.hand(p), svg.place(x, y, 1.15))
    if suit == "s":
        # The grip lies 106 below the middle of the sword.
        return svg.group(sign(0, -106 * size, size, 0), svg.place(x, y, (1.35, 1), lean)) + svg.group(
            figures.hand(p), svg.place(x, y, 1.15)
        )
    return svg.group(sign(0, -112 * size, size, 0), svg.place(x, y, (1.15, 1), lean)) + svg.group(
        figures.hand(p), svg.place(x, y, 1.15)
    )


def fante(p: Palette, suit: str, sign: Sign, shift: int = 0) -> str:
    """Draw a page who stands on the ground, the suit's object raised in his hand."""
    w = dress(p, suit, shift)
    hat = {
        "d": figures.feathered_cap(p.blue, p.gold, p.red),
        "c": figures.brimmed_hat(p.red, p.gold, p.blue),
        "s": figures.helmet(p, p.red),
        "b": figures.feathered_cap(p.red, p.green, p.gold),
    }[suit]
    cape = svg.path(
        "M150 230C110 320 104 420 84 540C130 560 160 540 176 500L260 500"
        "C270 540 300 560 336 540C310 420 300 320 258 230Z",
        w.trim,
    )
    legs = (
        svg.path("M168 420L160 560L152 640C140 652 122 660 108 664V680H186L190 640L200 560L204 430Z", w.legs)
        + svg.path(
            "M200 430L212 560L216 640L220 680H298V664C284 660 266 652 252 640L250 560L246 420Z",
            mix(w.legs, p.white, 0.45),
        )
        + svg.path(
            "M152 640C140 652 122 660 108 664V680H186L190 636ZM214 636L220 680H298V664"
            "C284 660 266 652 252 636Z",
            w.trim,
        )
        + svg.path("M161 548H202M211 548H250", stroke=p.gold, width=9.0)
    )
    tunic = (
        svg.path(
            "M156 222C140 260 150 320 158 352L124 470C160 488 250 488 286 470L250 352"
            "C260 310 268 260 250 222Z",
            w.main,
        )
        + svg.path("M158 352L148 476M190 356L184 483M220 356L228 483M250 352L264 476", width=3.0)
        + svg.path("M124 470C160 488 250 488 286 470L282 452C246 468 160 468 129 452Z", w.second)
        + svg.path("M180 222L204 330L228 222Z", w.second)
        + svg.path("M204 240V330", width=2.5)
        + svg.path("M152 336C180 348 226 348 256 336L254 358C226 370 180 370 155 358Z", w.trim)
        + svg.circle(204, 356, 9, p.gold)
    )
    near = _arm(w.main, w.second, "M252 246C300 280 310 320 262 352", 40) + svg.group(
        figures.hand(p), svg.place(258, 354, 0.9, 20)
    )
    far = _arm(w.main, w.second, "M158 250C120 300 84 300 74 262", 40)
    collar = svg.path("M156 224C180 200 226 200 252 224C240 246 168 246 156 224Z", p.white)
    face = svg.group(figures.head(p, w.hair) + hat, svg.place(202, 152, 1.06))
    return (
        _ground(p, suit)
        + cape
        + legs
        + tunic
        + far
        + near
        + collar
        + face
        + _held(p, suit, sign, 70, 252, 0.9 if suit in "sb" else 1.12, -4)
    )


def cavallo(p: Palette, suit: str, sign: Sign, shift: int = 0) -> str:
    """Draw a rider on a prancing horse, the suit's object raised before him."""
    w = dress(p, suit, shift)
    shade = mix(w.horse, p.ink, 0.3)
    far_legs = svg.path(
        "M300 500C296 560 276 590 270 640L254 676H290L298 644C310 600 330 570 336 520Z", shade
    ) + svg.path(
        "M150 480C120 520 104 530 100 560C98 590 112 610 112 640L104 668H138L140 620"
        "C132 590 136 572 156 556L222 506L200 470Z",
        shade,
    )
    tail = svg.path(
        "M352 392C396 400 404 470 388 530C384 566 394 590 398 610C364 596 350 560 356 520"
        "C360 480 356 440 340 420Z",
        w.mane,
    )
    body = svg.path(
        "M34 350C28 334 36 320 46 310L84 240L92 210L106 232C140 250 170 300 206 366"
        "C250 384 290 372 330 374"
        "C362 384 374 430 370 470C368 500 376 520 372 546C364 580 366 610 368 640L376 676H332L336 640"
        "C332 600 334 576 330 556C318 530 300 516 294 498C262 512 222 510 190 502C176 520 160 540 122 520"
        "C100 508 84 512 70 526C76 548 90 566 96 590L70 604C56 580 40 552 36 524C52 484 96 470 124 476"
        "C108 440 112 400 110 364C100 356 84 356 72 366C62 378 44 372 34 350Z",
        w.horse,
    )
    mane = svg.path(
        "M104 232C140 226 190 300 214 362C196 366 180 352 172 338C166 340 158 330 156 316"
        "C148 316 140 304 138 292"
        "C126 288 112 262 104 232Z",
        w.mane,
    )
    hooves = svg.path("M332 660H372L376 676H330ZM70 604L96 590L90 614L76 618Z", p.ink)
    bridle = (
        svg.circle(76, 280, 5, p.ink)
        + svg.path("M42 338L48 346M58 352C52 356 46 356 42 352", width=3.0)
        + svg.path("M56 304L84 352M84 246L110 330M70 326C120 350 170 352 206 330", stroke=p.red, width=7.0)
        + svg.circle(72, 328, 6, p.gold)
    )
    harness = (
        svg.path("M112 400C130 430 180 440 206 420", stroke=w.trim, width=11.0)
        + svg.circle(126, 418, 7, p.gold)
        + svg.circle(154, 431, 7, p.gold)
        + svg.path("M206 366C250 384 290 376 318 372L326 452C290 470 240 470 208 456Z", w.second)
        + svg.path("M207 440C240 456 290 456 325 436L326 452C290 470 240 470 208 456Z", w.trim)
        + svg.path("M330 392C350 410 356 440 352 470", stroke=w.trim, width=9.0)
    )
    cape = svg.path("M232 220C300 226 330 290 346 380C320 392 296 386 280 376L238 330Z", w.trim)
    torso = (
        svg.path("M194 226C182 270 190 330 200 366C226 384 262 384 284 370C288 320 286 262 268 224Z", w.main)
        + svg.path("M212 222L230 344L250 222Z", w.second)
        + svg.path("M197 340C226 354 260 354 285 342L284 362C260 374 226 374 201 362Z", p.gold)
    )
    leg = (
        svg.path(
            "M212 360C190 396 184 420 190 452L204 528L170 548V566H232L236 528L240 460"
            "C262 430 276 400 280 366Z",
            w.legs,
        )
        + svg.path("M194 476L204 528L170 548V566H232L236 528L240 472Z", mix(p.brown, p.ink, 0.25))
        + svg.path("M193 470L241 466L240 484L196 488Z", p.gold)
    )
    rein_arm = _arm(w.main, w.second, "M262 250C276 300 250 330 212 330", 38) + svg.group(
        figures.hand(p), svg.place(206, 330, 0.85)
    )
    raised = _arm(w.main, w.second, "M202 248C170 280 128 260 110 222", 38)
    hat = {
        "d": figures.brimmed_hat(p.red, p.gold, p.blue),
        "c": figures.helmet(p, p.gold),
        "s": figures.turban(p.white, p.red, p.blue),
        "b": figures.brimmed_hat(p.green, p.red, p.gold),
    }[suit]
    collar = svg.path("M192 228C212 206 250 206 270 226C254 248 208 248 192 228Z", p.white)
    face = svg.group(figures.head(p, w.hair) + hat, svg.place(230, 156, 1.0))
    return (
        _ground(p, suit)
        + far_legs
        + tail
        + body
        + mane
        + hooves
        + bridle
        + cape
        + harness
        + torso
        + leg
        + raised
        + rein_arm
        + collar
        + face
        + _held(p, suit, sign, 104, 210, 0.8 if suit in "sb" else 1.0, -12)
    )


def re(p: Palette, suit: str, sign: Sign, shift: int = 0) -> str:
    """Draw a bearded, crowned king in a long mantle before his throne, the suit's object in his hand."""
    w = dress(p, suit, shift)
    throne = (
        svg.path("M108 300V170C108 96 300 96 300 170V300Z", mix(w.trim, p.ink, 0.15))
        + svg.path("M124 300V180C124 118 284 118 284 180V300Z", mix(w.trim, p.white, 0.25))
        + svg.circle(108, 160, 15, p.gold)
        + svg.circle(300, 160, 15, p.gold)
    )
    mantle = svg.path("M140 226C84 260 64 400 40 676H368C344 400 324 260 268 226Z", w.main)
    trim = (
        svg.path(
            "M172 250C150 400 140 560 140 676H104C108 540 120 380 150 240ZM236 250"
            "C258 400 268 560 268 676H304"
            "C300 540 288 380 258 240Z",
            p.white,
        )
        + figures.ermine(tuple((140 - k * 5, 310 + k * 62) for k in range(6)))
        + figures.ermine(tuple((268 + k * 5, 310 + k * 62) for k in range(6)))
    )
    folds = svg.path("M92 420C84 520 76 600 70 668M316 420C324 520 332 600 338 668", width=3.0)
    robe = (
        svg.path("M172 240C150 400 140 560 140 676H268C268 560 258 400 236 240Z", w.second)
        + svg.path("M146 560H262L268 676H140Z", w.trim)
        + svg.path("M146 560H262L263 578H145Z", p.gold)
        + svg.path(
            "M168 590L184 620L168 650L152 620ZM204 590L220 620L204 650L188 620ZM240 590"
            "L256 620L240 650L224 620Z",
            p.gold,
        )
        + svg.path("M157 372H251L253 400H154Z", p.gold)
        + svg.circle(204, 386, 13, p.red)
        + svg.path("M186 408C180 460 176 520 174 552M222 408C228 460 232 520 234 552", width=3.0)
    )
    shoes = svg.path("M150 676C140 690 170 694 196 690V672ZM258 676C268 690 238 694 212 690V672Z", p.red)
    cape = svg.path(
        "M136 230C160 204 250 204 272 230C300 262 306 300 306 318C270 330 250 316 204 316"
        "C158 316 138 330 102 318"
        "C102 300 108 262 136 230Z",
        p.white,
    ) + figures.ermine(
        ((130, 262), (160, 280), (250, 280), (280, 262), (118, 296), (292, 296), (190, 292), (220, 292))
    )
    chain = (
        svg.path("M150 240C170 300 238 300 258 240", stroke=p.gold, width=8.0)
        + svg.circle(204, 290, 12, p.gold)
        + svg.circle(204, 290, 5, p.red)
    )
    left = _arm(w.main, w.trim, "M126 300C90 340 78 370 84 330", 44)
    right = _arm(w.main, w.trim, "M284 306C320 360 306 390 286 410", 44) + svg.group(
        figures.hand(p), svg.place(282, 412, 1.05, 20)
    )
    hair = mix(w.hair, p.white, 0.15 if suit in "sb" else 0.0)
    face = svg.group(
        figures.head(p, hair, beard=True) + figures.crown(p, "dcsb".index(suit)), svg.place(204, 158, 1.12)
    )
    return (
        _ground(p, suit)
        + throne
        + mantle
        + folds
        + trim
        + shoes
        + robe
        + left
        + right
        + cape
        + chain
        + face
        + _held(p, suit, sign, 74, 322, 1.16, -4)
    )
