"""Looks at the table as the journal keeps them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rules.tracker import Reach, SeenCard, TableLook

_LEAST_PROBABILITY = 0.001


def _rounded_down(probability: float) -> float:
    # Never up: together the probabilities of a card must stay at most 1.
    return math.floor(float(probability) * 10_000) / 10_000


def look_to_json(look: TableLook) -> dict[str, Any]:
    """Return a look as the journal keeps it: probabilities to four places, the smallest left out."""

    def cards(seen: Sequence[SeenCard]) -> list[dict[str, Any]]:
        return [
            {
                "track": card.track,
                "probabilities": {
                    code: _rounded_down(p)
                    for code, p in card.probabilities.items()
                    if p >= _LEAST_PROBABILITY
                },
            }
            for card in seen
        ]

    reached = [
        {
            "track": reach.track,
            "moment": reach.moment,
            "side_deg": round(reach.side_deg) % 360,
            "weight": round(reach.weight, 2),
        }
        for reach in look.reached
    ]
    return {"cards": cards(look.cards), "passed": cards(look.passed), "reached": reached}


def look_from(t_ms: int, noted: Mapping[str, Any]) -> TableLook:
    """Return the look at a media time that `look_to_json` noted."""

    def cards(seen: Sequence[Mapping[str, Any]]) -> tuple[SeenCard, ...]:
        return tuple(SeenCard(track=card["track"], probabilities=card["probabilities"]) for card in seen)

    # Journals of before hands were followed do not say who reached.
    reached = tuple(Reach(**reach) for reach in noted.get("reached", ()))
    return TableLook(t_ms=t_ms, cards=cards(noted["cards"]), passed=cards(noted["passed"]), reached=reached)
