"""Unseen cards: what is sure and what is possible, from the cards that can still be where."""

from __future__ import annotations

import random
from itertools import product

import pytest

from rules.cards import ITALIAN_DECK, Card, parse_cards
from rules.record import Event
from scorer import score_record
from scorer.points import Pile, points_of
from scorer.unseen import bounds, resolve
from tests.scorer.hands import header, match, random_hand


def test_a_hand_with_cards_never_seen_tells_sure_and_possible() -> None:
    events: list[Event] = [match(), {"type": "deal", "table": ["7d", "3c", "5b", "Rs"]},
                           {"type": "play", "player": 1, "card": "7s", "takes": ["7d"]}, {"type": "end"}]
    document = score_record(events)
    side = document["hands"][0]["sides"][1]
    assert {point["name"]: point["sure"] for point in side["points"]} == {
        "denari": False, "settebello": True, "primiera": False}
    assert side["cards"] == [5, 40] and len(document["hands"][0]["unseen"]) == 35


def test_one_card_not_seen_that_can_only_be_one_is_known() -> None:
    events = [match(), *random_hand("scopa", random.Random(3))]
    full = score_record(events)
    place = next(place for place, event in enumerate(events) if event.get("takes"))
    hidden = score_record([*events[:place], {**events[place], "card": None}, *events[place + 1:]])
    assert hidden["hands"][0]["sides"] != [] and "unseen" not in hidden["hands"][0]
    assert [side["total"] for side in hidden["hands"][0]["sides"]] == [
        side["total"] for side in full["hands"][0]["sides"]]
    assert hidden["plays"][place - 2]["candidates"] == [
        {"card": events[place]["card"], "takes": events[place]["takes"], "legal": True}]


def test_while_a_hand_is_played_only_what_is_sure_is_counted() -> None:
    events = [match(), *random_hand("scopa", random.Random(8))]
    final = score_record(events)["hands"][0]
    for cut in range(3, len(events), 6):
        hand = score_record(events[:cut])["hands"][0]
        for side, of_side in enumerate(hand["sides"]):
            got = {point["name"]: point["points"] for point in final["sides"][side]["points"]}
            for point in of_side["points"]:
                assert point["sure"] and got.get(point["name"], 0) >= point["points"]
            for span in of_side["possible"]:
                assert span["sure"] <= got.get(span["name"], 0) <= span["possible"]
            assert of_side["cards"][0] <= len(final["sides"][side]["captured"]) <= of_side["cards"][1]


@pytest.mark.parametrize("seed", range(12))
def test_bounds_are_right_for_every_place_of_the_cards_not_seen(seed: int) -> None:
    """scopa.md#10 scopa.md#11 scopa.md#12 scopa.md#13: tried out card by card, nowhere included."""
    chance = random.Random(seed)
    deck = list(ITALIAN_DECK)
    chance.shuffle(deck)
    unseen, seen = deck[:5], deck[5:]
    cut = chance.randint(12, 22)
    slots = (chance.randint(0, 2), chance.randint(0, 1))
    piles = [Pile(tuple(seen[:cut]), slots[0]), Pile(tuple(seen[cut:]), slots[1])]
    head = header(napola=True)
    found = bounds(head, piles, unseen)
    lowest: dict[tuple[int, str], int] = {}
    highest: dict[tuple[int, str], int] = {}
    for places in product((0, 1, None), repeat=len(unseen)):
        if any(places.count(side) < slots[side] for side in (0, 1)):
            continue
        case = [Pile((*piles[side].cards, *(card for card, place in zip(unseen, places, strict=True) if place == side)))
                for side in (0, 1)]
        for award in points_of(head, case):
            for side in (0, 1):
                key = (side, award[side].name)
                lowest[key] = min(lowest.get(key, 99), award[side].points)
                highest[key] = max(highest.get(key, 0), award[side].points)
    for side in (0, 1):
        for span in found.ranges[side]:
            key = (side, span.name)
            # Bounds may be wider than the truth, never narrower; with two sides and few cards they are exact.
            assert (span.sure, span.possible) == (lowest[key], highest[key])


def test_resolve_names_cards_only_where_there_is_one_place() -> None:
    unseen = parse_cards(["7d", "1c"])
    piles, left = resolve([Pile((), 2), Pile(())], unseen)
    assert piles[0].cards == unseen and left == ()
    piles, left = resolve([Pile((), 1), Pile((), 1)], unseen)
    assert left == unseen and piles[0].cards == ()
    piles, left = resolve([Pile((), 1), Pile(())], unseen)
    assert left == unseen
    assert resolve([Pile(())], ())[1] == ()
    assert Card.parse("7d") in unseen
