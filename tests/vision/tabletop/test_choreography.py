"""Tabletop and tracker together over the script of a film: every card where the film has it, seen imperfectly."""

from __future__ import annotations

import pytest

from rules.cards import ITALIAN_CODES
from rules.tracker import Tracker
from tests.rules.tracker.simulated import fold, plays_of
from tests.vision.tabletop.choreography import FilmedHand
from vision.tabletop import Tabletop


@pytest.mark.parametrize(("style", "seed"), [("brisk", 3)])
def test_a_whole_hand_is_followed(style: str, seed: int) -> None:
    film = FilmedHand(seed, style)
    events, _ = film.follow(Tabletop(ITALIAN_CODES), Tracker(film.events[0]))
    (hand,) = fold(events)
    truth = [(e["player"], e["card"], sorted(e["takes"])) for e in film.events if e["type"] == "play"]
    assert sorted(hand[0]["table"]) == sorted(film.events[1]["table"])
    assert plays_of(hand) == truth
    assert hand[-1]["type"] == "end"
