"""Whole random hands through the tracker: all that is seen clearly must come out right, and nearly all that is not."""

from __future__ import annotations

from typing import Any

import pytest

from rules.tracker import TableLook, Tracker
from scorer import score_record
from tests.rules.tracker.simulated import Hand, Noise, fold, follow, play_hand, plays_of

PLAYERS = ["Anna", "Bruno", "Carla", "Dario"]


def match(seats: int = 2, dealer: int = 0, **options: Any) -> dict[str, Any]:
    """Give a match event of Scopa."""
    return {
        "type": "match",
        "format": 1,
        "game": "scopa",
        "players": PLAYERS[:seats],
        "dealer": dealer,
        "options": options,
    }


def record_of(header: dict[str, Any], hand: Hand) -> list[dict[str, Any]]:
    """Give the true record of a hand."""
    plays = [
        {"type": "play", "player": seat, "card": card, "takes": takes} for seat, card, takes in hand.plays
    ]
    return [header, {"type": "deal", "table": hand.deal}, *plays, {"type": "end"}]


def points(document: dict[str, Any]) -> list[list[tuple[str, int]]]:
    """Give the points of each hand and side by name."""
    return [
        [(point["name"], point["points"]) for side in hand["sides"] for point in side["points"]]
        for hand in document["hands"]
    ]


@pytest.mark.parametrize(
    ("seats", "dealer", "options", "noise"),
    [
        (2, 0, {}, Noise()),
        (2, 1, {}, Noise(in_passing=0.5)),
        (3, 2, {}, Noise()),
        (4, 1, {}, Noise(in_passing=0.2)),
        (4, 3, {"team": True}, Noise()),
    ],
)
def test_a_hand_seen_clearly_is_right_to_the_last_point(
    seats: int, dealer: int, options: dict[str, Any], noise: Noise
) -> None:
    header = match(seats, dealer, **options)
    hand, _ = play_hand(11 + seats, noise, seats, dealer)
    events = follow(hand.looks, Tracker(header))
    (seen,) = fold(events)
    assert plays_of(seen) == hand.plays
    assert seen[-1]["type"] == "end"
    assert points(score_record([header, *events])) == points(score_record(record_of(header, hand)))


def test_the_next_hand_is_dealt_by_the_next_dealer() -> None:
    first, camera = play_hand(5, Noise())
    second, _ = play_hand(6, Noise(), dealer=1, first_track=camera.track, t_ms=camera.t_ms + 9000)
    tracker = Tracker(match())
    events = follow([*first.looks, *second.looks], tracker)
    hands = fold(events)
    assert [plays_of(hand) for hand in hands] == [first.plays, second.plays]
    assert [hand[-1]["type"] for hand in hands] == ["end", "end"]
    assert tracker.warnings == ()


def test_a_hand_that_is_thrown_together_early_is_closed_by_the_next_deal() -> None:
    first, camera = play_hand(5, Noise())
    cut = first.looks[:20]
    second, _ = play_hand(6, Noise(), dealer=1, first_track=camera.track, t_ms=camera.t_ms + 9000)
    empty = TableLook(cut[-1].t_ms + 1500, ())
    dealt = next(place for place, look in enumerate(second.looks) if len(look.cards) == 4)
    tracker = Tracker(match())
    events = follow([*cut, empty, *second.looks[dealt:]], tracker)
    hands = fold(events)
    assert plays_of(hands[-1]) == second.plays
    assert "missing-plays" in [warning.code for warning in tracker.warnings]


@pytest.mark.parametrize(
    ("noise", "least_right"),
    [
        (Noise(misread=0.05), 35),
        (Noise(sure_misread=0.01, misread=0.03), 34),
        (Noise(take_back=0.05), 36),
        (Noise(illegal=0.04), 36),
        (Noise(renumbered=0.1, ghost=0.02), 34),
        (Noise(misread=0.03, in_passing=0.4, never_shown=0.05), 33),
    ],
)
def test_a_hand_seen_badly_is_nearly_right(noise: Noise, least_right: int) -> None:
    hand, _ = play_hand(2, noise)
    (seen,) = fold(follow(hand.looks, Tracker(match())))
    assert sorted(seen[0]["table"]) == sorted(hand.deal)
    right = sum(mine == theirs for mine, theirs in zip(plays_of(seen), hand.plays, strict=True))
    assert right >= least_right


def test_the_same_looks_give_the_same_record() -> None:
    hand, _ = play_hand(3, Noise(misread=0.1, in_passing=0.3, never_shown=0.1))
    looks = hand.looks[:25]
    assert follow(looks, Tracker(match())) == follow(looks, Tracker(match()))
