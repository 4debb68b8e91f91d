"""What holds for every hand, whatever is played: found out on random hands and tables."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.capture_game import Position
from rules.cards import Card
from rules.record import Event
from scorer import score_record
from tests.scorer.hands import RULES, deck_for, header, match, random_hand

SETTINGS = settings(deadline=None, max_examples=40)
SEEDS = st.integers(0, 10**9)
TABLES: list[tuple[str, int, dict[str, Any]]] = [
    ("scopa", 2, {}), ("scopa", 3, {}), ("scopa", 4, {}), ("scopa", 4, {"team": True}),
    ("scopa", 4, {"scopone": "9+4"}), ("scopa", 4, {"scopone": "10+0"}), ("scopa", 2, {"scopa_di_quindici": True}),
    ("scopa", 2, {"asso_piglia_tutto": "scopa"}), ("scopa", 2, {"asso_piglia_tutto": "no_scopa"}),
    ("scopa", 2, {"preset": "scopa-bga"}), ("scopa", 2, {"napola": True, "re_bello": True, "settanta": True}),
    ("scupuni", 4, {}), ("slurp", 2, {}),
]


def hand_of(table: tuple[str, int, dict[str, Any]], seed: int, illegal: float = 0.25) -> list[Event]:
    game, players, options = table
    return [match(game, players, **options),
            *random_hand(game, random.Random(seed), players, illegal=illegal, **options)]


@SETTINGS
@given(st.sampled_from(TABLES), SEEDS)
def test_forty_cards_are_always_exactly_somewhere(table: tuple[str, int, dict[str, Any]], seed: int) -> None:
    events = hand_of(table, seed)
    cut = random.Random(seed).randrange(2, len(events) + 1)
    state = score_record(events[:cut])["state"]
    seen = [*state["table"], *(code for pile in state["captured"] for code in pile)]
    assert len(seen) == len(set(seen))
    assert len(seen) + sum(state["hand_sizes"]) + state["stock"] == 40


@SETTINGS
@given(st.sampled_from(TABLES), SEEDS)
def test_forty_cards_are_somewhere_even_if_not_seen(table: tuple[str, int, dict[str, Any]], seed: int) -> None:
    chance = random.Random(seed)
    events = hand_of(table, seed, illegal=0.1)
    for place, event in enumerate(events):
        hide = chance.random()
        if event["type"] != "play" or hide > 0.3:
            continue
        unseen = {"card": None} if hide < 0.1 else {"takes": None} if hide < 0.2 else {
            "takes": [None if chance.random() < 0.5 else code for code in event["takes"]]}
        events[place] = {**event, **unseen}
    document = score_record(events[:chance.randrange(2, len(events) + 1)])
    state = document["state"]
    seen = [*state["table"], *(code for pile in state["captured"] for code in pile)]
    known = [code for code in seen if code is not None]
    assert len(known) == len(set(known))
    assert len(seen) + sum(state["hand_sizes"]) + state["stock"] == 40


@SETTINGS
@given(st.sampled_from(TABLES), SEEDS)
def test_only_what_was_played_wrong_is_illegal(table: tuple[str, int, dict[str, Any]], seed: int) -> None:
    document = score_record(hand_of(table, seed, illegal=0))
    assert {told["ruling"] for told in document["plays"]} == {"legal"} and document["flags"] == []
    document = score_record(hand_of(table, seed, illegal=0.5))
    for told in document["plays"]:
        takes = set(told["takes"])
        right = told["may_lay"] if not takes else any(set(take) == takes for take in told["legal_takes"])
        assert told["ruling"] == ("legal" if right else "illegal")
        assert bool(told["reasons"]) == (told["ruling"] == "illegal")


@SETTINGS
@given(SEEDS, st.floats(0, 0.5))
def test_deck_points_of_a_slurp_hand_are_five(seed: int, illegal: float) -> None:
    """slurp.md#10: the points of a Gioco sum to five and the slurps."""
    hand = score_record(hand_of(("slurp", 2, {}), seed, illegal))["hands"][0]
    captured = any(side["captured"] for side in hand["sides"])
    total = sum(side["total"] for side in hand["sides"])
    assert total == 5 * captured + sum(side["sweeps"] for side in hand["sides"])


@SETTINGS
@given(st.sampled_from([table for table in TABLES if table[0] != "slurp"]), SEEDS)
def test_the_four_points_of_scopa_are_at_most_four(table: tuple[str, int, dict[str, Any]], seed: int) -> None:
    """scopa.md#10 scopa.md#11 scopa.md#12 scopa.md#13."""
    hand = score_record(hand_of(table, seed))["hands"][0]
    points: dict[str, int] = {}
    for side in hand["sides"]:
        for point in side["points"]:
            assert point["why"] and point["cards"]
            points[point["name"]] = points.get(point["name"], 0) + point["points"]
    assert all(points.get(name, 0) <= 1 for name in ("carte", "denari", "settebello", "primiera", "re_bello"))
    assert sum(points.get(name, 0) for name in ("carte", "denari", "settebello", "primiera")) <= 4


@SETTINGS
@given(st.sampled_from([table for table in TABLES if table[1] != 3]), SEEDS)
def test_relabelling_the_sides_swaps_the_result(table: tuple[str, int, dict[str, Any]], seed: int) -> None:
    events = hand_of(table, seed)
    players = table[1]
    turned = [{**event, "player": (event["player"] + 1) % players} if "player" in event else event
              for event in events]
    turned[0] = {**events[0], "dealer": 1, "players": ["Bruno", "Anna", "Carla", "Dario"][:players]}
    before, after = score_record(events), score_record(turned)
    sides = len(before["hands"][0]["sides"])
    for side in range(sides):
        told, moved = before["hands"][0]["sides"][side], after["hands"][0]["sides"][(side + 1) % sides]
        assert (told["captured"], told["total"], told["sweeps"]) == (moved["captured"], moved["total"], moved["sweeps"])
    assert [told["ruling"] for told in before["plays"]] == [told["ruling"] for told in after["plays"]]


def every_capture(game: str, card: Card, table: list[Card], options: dict[str, Any],
                  first: bool) -> set[frozenset[Card]]:
    """Give every capture by trying all sets of table cards, as the page words it."""
    sets = [frozenset(chosen) for size in range(1, len(table) + 1) for chosen in combinations(table, size)]
    values = {chosen: sum(lying.value for lying in chosen) for chosen in sets}
    ace_variant = "scopa" if game == "slurp" else options.get("asso_piglia_tutto", "no")
    if card.value == 1 and ace_variant != "no" and not (ace_variant == "traditional" and first):
        aces = {chosen for chosen in sets if len(chosen) == 1 and values[chosen] == 1}
        return aces or {chosen for chosen in sets if len(chosen) == len(table)}
    if options.get("scopa_di_quindici"):
        found = {chosen for chosen in sets if values[chosen] + card.value == 15}
    else:
        singles = {chosen for chosen in sets if len(chosen) == 1 and values[chosen] == card.value}
        found = singles or {chosen for chosen in sets if len(chosen) > 1 and values[chosen] == card.value}
    if options.get("fewest_cards") and found:
        fewest = min(map(len, found))
        found = {chosen for chosen in found if len(chosen) == fewest}
    return found


@pytest.mark.parametrize(("game", "options"), [
    ("scopa", {}), ("scupuni", {}), ("slurp", {}), ("scopa", {"scopa_di_quindici": True}),
    ("scopa", {"asso_piglia_tutto": "scopa"}), ("scopa", {"fewest_cards": True, "asso_piglia_tutto": "traditional"}),
])
def test_trying_all_sets_agrees_on_ten_thousand_tables(game: str, options: dict[str, Any]) -> None:
    """README.md#1 README.md#2 README.md#3 README.md#4 slurp.md#2 slurp.md#6 scupuni.md#5."""
    chance = random.Random(7)
    head = header(game, 4 if game == "scupuni" else 2, **options)
    deck = list(deck_for(game))
    for _ in range(10_000):
        card, *table = chance.sample(deck, chance.randint(1, 8))
        position = Position(tuple(table), 1, 0, first=chance.random() < 0.5, last=False)
        found = RULES[game].captures(head, card, position)
        expected = every_capture(game, card, table, options, position.first)
        assert {frozenset(take) for take in found} == expected and len(found) == len(expected)
        declining = game == "scupuni" and card.value not in [lying.value for lying in table]
        assert RULES[game].may_lay(head, card, position, found) == (declining or not expected)
