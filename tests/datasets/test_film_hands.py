"""Random hands to film, and given records made ready for filming."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets.film.hands import HABITS, HandPlan, plan_of_record, random_hand
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
    assert 1 <= len(plan.planted) <= 2  # the last may find no occasion


def test_the_same_seed_gives_the_same_hand_and_another_seed_another() -> None:
    assert random_hand(5) == random_hand(5)
    assert random_hand(5) != random_hand(6)


def test_hands_hold_what_a_referee_must_see() -> None:
    plays = [play for seed in range(12) for play in plays_of(random_hand(seed))]
    assert any(len(play["takes"]) > 2 for play in plays)
    assert any(not play["takes"] for play in plays)
    sweeps = [play["sweep"] for seed in range(12) for play in score_record(random_hand(seed).events)["plays"]]
    assert 2 <= sum(sweeps) <= 60


GAMES = [
    ("scopa", 3, {}, ITALIAN_CODES), ("scopa", 4, {"team": False}, ITALIAN_CODES), ("slurp", None, {}, FRENCH_40_CODES),
    ("scupuni", None, {}, ITALIAN_CODES), ("scopa", 4, {"scopone": "9+4"}, ITALIAN_CODES),
    ("scopa", 4, {"scopone_scientifico": True}, ITALIAN_CODES),
    ("scopa", 2, {"asso_piglia_tutto": "scopa"}, ITALIAN_CODES),
    ("scopa", 2, {"asso_piglia_tutto": "no_scopa"}, FRENCH_40_CODES),
    ("scopa", 2, {"scopa_di_quindici": True}, ITALIAN_CODES), ("scopa", 2, {"preset": "scopa-bga"}, ITALIAN_CODES),
]


@pytest.mark.parametrize(("game", "players", "options", "codes"), GAMES)
@given(seed=SEEDS)
@settings(max_examples=4, deadline=None)
def test_a_random_hand_of_any_game_is_legal_by_its_rules(
        game: str, players: int | None, options: dict, codes: tuple[str, ...], seed: int) -> None:
    plan = random_hand(seed, game=game, players=players, options=options, codes=codes, mixed_habits=True)
    document = score_record(plan.events)
    assert {play["ruling"] for play in document["plays"]} == {"legal"}
    assert not document["flags"]
    played = [play["card"] for play in plays_of(plan)]
    assert sorted([*plan.events[1]["table"], *played]) == sorted(codes)
    assert plan_of_record(plan.events).events == plan.events
    for play, ruled in zip(plays_of(plan), document["plays"], strict=True):
        assert not (play.get("marked") is False and ruled["sweep"])
        assert ("taking" in play) == bool(play["takes"])


@pytest.mark.parametrize(("game", "players", "options", "codes"), GAMES)
def test_illegal_plays_are_planted_in_any_game_and_are_the_only_ones(
        game: str, players: int | None, options: dict, codes: tuple[str, ...]) -> None:
    planted = 0
    for seed in range(8):
        plan = random_hand(seed, game=game, players=players, options=options, codes=codes, illegal=2)
        ruled = {play["event"] for play in score_record(plan.events)["plays"] if play["ruling"] == "illegal"}
        assert ruled == set(plan.planted)
        planted += len(ruled)
    assert planted >= 14


def test_habits_change_how_cards_are_taken_and_not_what_is_played() -> None:
    plain, mixed = random_hand(5), random_hand(5, mixed_habits=True)
    without = [{key: value for key, value in event.items() if key != "taking"} for event in mixed.events]
    assert without == plain.events
    ways = {(play["player"], play["taking"]) for seed in range(6)
            for play in plays_of(random_hand(seed, mixed_habits=True)) if play["takes"]}
    assert ways == {(player, taking) for player in (0, 1) for taking in HABITS}


def test_a_sweep_that_does_not_count_is_not_to_be_marked() -> None:
    unmarked = 0
    for seed in range(30):
        plan = random_hand(seed, options={"asso_piglia_tutto": "no_scopa"})
        table = set(plan.events[1]["table"])
        for play, ruled in zip(plays_of(plan), score_record(plan.events)["plays"], strict=True):
            emptied = bool(play["takes"]) and set(play["takes"]) == table
            table = table - set(play["takes"]) if play["takes"] else table | {play["card"]}
            assert (play.get("marked", emptied)) == ruled["sweep"]
            unmarked += play.get("marked") is False
    assert unmarked > 10


@pytest.mark.parametrize(("how", "said"), [
    ({"game": "poker"}, "no capture game 'poker'"),
    ({"game": "slurp"}, "French cards"),
    ({"game": "scupuni", "players": 2}, "scupuni is for 4 players"),
    ({"options": {"napolo": True}}, "napola"),
])
def test_what_cannot_be_played_is_said(how: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        random_hand(1, **how)


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
    ([{**MATCH, "game": "spit"}, DEAL], "a hand of scopa, scupuni, slurp"),
    ([MATCH, DEAL, {"type": "play", "player": 1, "card": "1c", "takes": ["1d"], "taking": "grabbed"}],
     "event 3: taking is one of"),
])
def test_a_record_that_cannot_be_filmed_names_the_event(events: list[dict], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        plan_of_record(events)
