"""What holds for any record of all seven games, however little sense the events make one after the other."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.cards import FRENCH_CODES, FRENCH_RANKS, ITALIAN_CODES
from rules.record import CAPTURE_GAMES, PLAYERS, SLAP_GAMES, Event, RecordError
from scorer import score_record
from scorer.explain import explain
from scorer.report import render
from tests.scorer.hands import NAMES

SETTINGS = settings(deadline=None, max_examples=60)
SEEDS = st.integers(0, 10**9)
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "scopa": [{}, {"asso_piglia_tutto": "scopa", "first_past_the_post": True, "target": 3},
              {"scopa_di_quindici": True, "napola": True}, {"preset": "scopa-bga"}, {"settanta": True}],
    "scupuni": [{}, {"both_over": "play_another_hand"}], "slurp": [{}, {"target": 2, "partite": 1}],
    "slapjack": [{}, {"time_limit": 1}], "irish-snap": [{}, {"winner": True}],
    "spit": [{}, {"stock_piles": 4, "choose_pile": True, "alternate_colours": True}],
    "speed": [{}, {"scoring": True, "side_piles": 5}],
}


def record_of(chance: random.Random) -> list[Event]:
    """Give a record of a random game, each event in form and the whole without any plan."""
    game = chance.choice(list(PLAYERS))
    players = chance.randint(*PLAYERS[game])
    header: Event = {"type": "match", "format": 1, "game": game, "players": NAMES[:players],
                     "dealer": chance.randrange(players), "options": chance.choice(OPTIONS[game])}
    if game in SLAP_GAMES and chance.random() < 0.5:
        header["stocks"] = [chance.randrange(1, 5) for _ in range(players)]
    events = [header]
    for number in range(2, chance.choice([4, 12, 40])):
        events.append(event_of(game, players, number, chance))
        try:
            score_record(events)
        except RecordError:
            events.pop()
    return events


def event_of(game: str, players: int, number: int, chance: random.Random) -> Event:
    """Give an event of a game, with its time near the hundredfold of its number."""
    codes = FRENCH_CODES if game not in ("scopa", "scupuni") else ITALIAN_CODES
    card, seat = chance.choice([None, *codes]), chance.randrange(players)
    when: Event = {} if chance.random() < 0.3 else {
        "t_ms": max(0, number * 100 + chance.randrange(-300, 300)), "error_ms": chance.choice([0, 17, 50, None])}
    common: list[Event] = [{"type": "forfeit", "player": seat, "reason": "a\nb"}, {"type": "end"}, {"type": "deal"}]
    if chance.random() < 0.08:
        return chance.choice(common)
    if game in CAPTURE_GAMES:
        takes = chance.choice([[], [], [chance.choice(codes)], chance.sample(codes, 2), None, [None]])
        return chance.choice([
            {"type": "play", "player": chance.choice([None, seat]), "card": card, "takes": takes,
             "marked": chance.choice([None, True])}] * 8 + [
            {"type": "deal", "table": chance.sample(codes, chance.choice([0, 4, 4, 3]))}])
    if game in SLAP_GAMES:
        return chance.choice([
            {"type": "flip", "player": chance.choice([None, seat]), "card": chance.choice([card, "JS", "AH"]), **when,
             "call": chance.choice([None] * 9 + [chance.choice(FRENCH_RANKS)])},
            {"type": "slap", "player": seat, **when, "under": chance.choice([[], [(seat + 1) % players]])},
            {"type": "slap", "player": seat, **when},
            {"type": "time", "t_ms": number * 100},
        ][:chance.choice([3, 3, 4])])
    pile = chance.randrange(2)
    return chance.choice([
        {"type": "land", "player": seat, "card": card, "pile": pile, **when},
        {"type": "land", "player": seat, "card": card, "pile": pile, **when},
        {"type": "grab", "player": seat, "pile": pile, **when, "under": chance.choice([[], [1 - seat]])},
        {"type": "spit", "cards": chance.sample(codes, chance.choice([1, 2])), "pile": chance.choice([None, 0, 1])},
    ])


def shown(document: dict[str, Any], *without: str) -> dict[str, Any]:
    """Give what a document comes to, without line numbers and without what was taken back."""
    told = {name: document[name] for name in ("state", "match", "counts", "turned") if name in document}
    for name in ("plays", "flips", "slaps", "landings", "grabs", "hands", "flags"):
        told[name] = [part for part in document.get(name, []) if not part.get("undone")]
    plain: dict[str, Any] = json.loads(json.dumps(told, allow_nan=False), object_hook=lambda part: {
        name: value for name, value in part.items() if name not in ("event", "deal_event", "end_event", *without)})
    return plain


@SETTINGS
@given(SEEDS)
def test_taking_any_event_back_is_as_if_it_had_not_been(seed: int) -> None:
    chance = random.Random(seed)
    events = record_of(chance)
    if len(events) < 2:
        return
    place = chance.randrange(1, len(events))
    undone = [*events, {"type": "undo", "event": place + 1}]
    assert shown(score_record(undone)) == shown(score_record(events[:place] + events[place + 1:]))
    assert shown(score_record([*undone, {"type": "undo", "event": len(undone)}])) == shown(score_record(events))


@SETTINGS
@given(SEEDS)
def test_letting_any_event_stand_changes_nothing(seed: int) -> None:
    """Wherever it is said: what people say of an event is nothing that happens at the table."""
    chance = random.Random(seed)
    events = record_of(chance)
    if len(events) < 2:
        return
    place = chance.randrange(1, len(events))
    said = {"type": "stand", "event": chance.randrange(2, place + 2)}
    told = score_record([*events[:place + 1], said, *events[place + 1:]])
    assert shown(told, "stands") == shown(score_record(events))


@SETTINGS
@given(SEEDS)
def test_any_record_can_be_told_and_no_card_is_made_or_lost(seed: int) -> None:
    events = record_of(random.Random(seed))
    for language in ("en", "it"):
        assert explain(events, language) and render(score_record(events, language), language)
    counts = score_record(events).get("counts")
    if counts:
        assert sum(sum(of) if isinstance(of, list) else of for name, of in counts.items() if name in (
            "stocks", "pile", "spit", "piles", "covered")) == sum(events[0].get("stocks") or [52])


@pytest.mark.parametrize("candidates", [5, [None], [{"card": "zz"}], "x", [[]], [{"card": [1]}], {}, [{}]])
def test_readings_of_the_camera_that_make_no_sense_are_passed_over(candidates: object) -> None:
    events = [{"type": "match", "game": "scopa", "players": ["Anna", "Bruno"]},
              {"type": "play", "player": 1, "card": None, "takes": [], "candidates": candidates}]
    assert "it could be the ace of denari" in explain(events)
    assert score_record(events)["plays"][0]["candidates"][0] == {"card": "1d", "takes": [], "legal": True}
