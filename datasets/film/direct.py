"""Direct a hand of cards: from what is played to where every card and every hand is at every moment."""

from __future__ import annotations

import random

from datasets.film.director import Director
from datasets.film.hands import HandPlan
from datasets.film.layout import Layout
from datasets.film.mess import MessyDirector
from datasets.film.script import STYLES, Script, Style


def write_script(plan: HandPlan, layout: Layout, style: Style | str = "calm", seed: int = 0) -> Script:
    """Direct a hand: give every card and every hand its motions.

    Args:
        plan: the hand to film.
        layout: places; `layout.players` must be that of the plan.
        style: pace of play, or the name of one of `STYLES`.
        seed: the same seed gives the same script.

    Raises:
        ValueError: for an unknown style, or a layout for another number of players.
    """
    if isinstance(style, str):
        if style not in STYLES:
            raise ValueError(f"no style {style!r}; there are {', '.join(STYLES)}")
        style = STYLES[style]
    if layout.players != len(plan.events[0]["players"]):
        raise ValueError("the layout is for another number of players than the hand")
    rng = random.Random(f"script {seed}")
    director = MessyDirector(plan, layout, style, rng, seed) if style.mess else Director(plan, layout, style, rng)
    return director.direct()
