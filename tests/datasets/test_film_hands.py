"""Random hands to film, and given records made ready for filming."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.film.hands import HandPlan, plan_of_record, random_hand
from rules.cards import FRENCH_40_CODES, ITALIAN_CODES
from rules.record import check_events
from scorer import score_record

SEEDS = st.integers(0, 100_000)


def plays_of(plan: HandPlan) -> list[dict]:
    return [event for event in plan.events if event["type"] == "play"]


@given(SEEDS, st.sampled_from([2, 4]), st.sampled_from([ITALIAN_CODES, FRENCH_40_CODES]))
@settings(max_examples=25, deadline=None)
def test_a_random_hand_uses_every_card_once_and_is_legal(seed: int, players: int, codes: tuple[str, ...]) -> None:
    plan = random_hand(seed, players=players, codes=codes, dealer=seed % players)
    check_events(plan.events)
    played = [play["card"] for play in plays_of(plan)]
    assert sorted([*plan.events[1]["table"], *played]) == sorted(codes)
    assert [play["ruling"] for play in score_record(plan.events)["plays"]] == ["legal"] * 36
    assert sorted(code for hands in plan.rounds for hand in hands for code in hand) == sorted(played)


@given(SEEDS)
@settings(max_examples=15, deadline=None)
def test_planted_illegal_plays_and_no_others_are_illegal(seed: int) -> None:
    plan = random_hand(seed, illegal=2)
    ruled = {play["event"] for play in score_record(plan.events)["plays"] if play["ruling"] == "illegal"}
    assert ruled == set(plan.planted)
    assert len(plan.planted) == 2


def test_the_same_seed_gives_the_same_hand_and_another_seed_another() -> None:
    assert random_hand(5) == random_hand(5)
    assert random_hand(5) != random_hand(6)


def test_hands_hold_what_a_referee_must_see() -> None:
    plays = [play for seed in range(12) for play in plays_of(random_hand(seed))]
    assert any(len(play["takes"]) > 2 for play in plays)
    assert any(not play["takes"] for play in plays)
    sweeps = [play["sweep"] for seed in range(12) for play in score_record(random_hand(seed).events)["plays"]]
    assert 2 <= sum(sweeps) <= 60


@pytest.mark.parametrize(("players", "codes", "said"), [
    (5, ITALIAN_CODES, "not for 5 players"),
    (2, ITALIAN_CODES[:30], "40 different cards"),
])
def test_what_cannot_be_dealt_is_said(players: int, codes: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        random_hand(1, players=players, codes=codes)


def test_a_record_gives_back_the_plan_that_it_was_written_from() -> None:
    plan = random_hand(8, players=4, dealer=2)
    again = plan_of_record(plan.events)
    assert again.events == plan.events
    # Within a round the record tells the order of play, not that of the deal.
    assert [[sorted(hand) for hand in hands] for hands in again.rounds] == [
        [sorted(hand) for hand in hands] for hands in plan.rounds]


def test_a_player_that_was_not_seen_is_whose_turn_it_is() -> None:
    plan = random_hand(8)
    unseen = [{**event, "player": None} if event["type"] == "play" else event for event in plan.events]
    assert plan_of_record(unseen).events == plan.events


MATCH = {"type": "match", "format": 1, "game": "scopa", "players": ["A", "B"], "dealer": 0, "options": {}}
DEAL = {"type": "deal", "table": ["1d", "2d", "3d", "4d"]}


@pytest.mark.parametrize(("events", "said"), [
    ([], "begin with a match"),
    ([MATCH], "no deal"),
    ([MATCH, DEAL, DEAL], "event 3: one film shows one hand"),
    ([MATCH, DEAL, {"type": "play", "player": 1, "card": None, "takes": []}], "event 3: the card played"),
    ([MATCH, DEAL, {"type": "play", "player": 1, "card": "1d", "takes": []}], "event 3: the card played"),
    ([MATCH, DEAL, {"type": "play", "player": 1, "card": "7d", "takes": ["5c"]}], "event 3: takes cards"),
    ([MATCH, DEAL, {"type": "undo", "event": 2}], "event 3: a film cannot show"),
    ([{**MATCH, "players": ["A"]}, DEAL], "2 to 4 players"),
])
def test_a_record_that_cannot_be_filmed_names_the_event(events: list[dict], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        plan_of_record(events)
