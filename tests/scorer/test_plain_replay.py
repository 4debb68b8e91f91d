"""Hands replayed and counted a second time, as plainly as the pages say it, to compare with the scorer."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.record import Event
from scorer import score_record
from tests.scorer.hands import match, random_hand

WORTH = {"7": 21, "6": 18, "1": 16, "5": 15, "4": 14, "3": 13, "2": 12, "F": 10, "C": 10, "R": 10}
TABLES = [("scopa", 2, False), ("scopa", 3, False), ("scopa", 4, False), ("scopa", 4, True), ("scupuni", 4, True)]


def replay(game: str, players: int, pairs: bool, events: list[Event]) -> tuple[list[list[str]], list[int]]:
    """Give what each side has taken and its sweeps (scopa.md#8 scopa.md#9 scupuni.md#8)."""
    sides = 2 if pairs else players
    piles: list[list[str]] = [[] for _ in range(sides)]
    sweeps = [0] * sides
    table = list(events[1]["table"])
    plays = [event for event in events if event["type"] == "play"]
    last_side = None
    for number, event in enumerate(plays, 1):
        side = event["player"] % sides
        if event["takes"]:
            table = [card for card in table if card not in event["takes"]]
            piles[side] += [*event["takes"], event["card"]]
            last_side = side
            dealers_last = number == len(plays) and (game == "scopa" or event["player"] == 0)
            if not table and not dealers_last:
                sweeps[side] += 1
        else:
            table.append(event["card"])
    if last_side is not None:
        piles[last_side] += table
    return piles, sweeps


def alone_most(counts: list[int]) -> int | None:
    best = max(counts)
    return counts.index(best) if best > 0 and counts.count(best) == 1 else None


def plain_points(piles: list[list[str]], sweeps: list[int]) -> list[dict[str, int]]:
    """Count scopa.md#10 scopa.md#11 scopa.md#12 scopa.md#13 scopa.md#14."""
    points: list[dict[str, int]] = [{} for _ in piles]
    denari = [[card for card in pile if card[1] == "d"] for pile in piles]
    for name, winner in (("carte", alone_most([len(pile) for pile in piles])),
                         ("denari", alone_most([len(cards) for cards in denari]))):
        if winner is not None:
            points[winner][name] = 1
    for side, pile in enumerate(piles):
        if "7d" in pile:
            points[side]["settebello"] = 1
        if sweeps[side]:
            points[side]["scope"] = sweeps[side]
        run = 0
        while "1234567FCR"[run:run + 1] and "1234567FCR"[run] + "d" in pile:
            run += 1
        if run >= 3:
            points[side]["napola"] = run
        if "Rd" in pile:
            points[side]["re_bello"] = 1
    best = [{suit: max((WORTH[card[0]] for card in pile if card[1] == suit), default=0) for suit in "dcsb"}
            for pile in piles]
    suits = [sum(1 for worth in of_side.values() if worth) for of_side in best]
    sums = [sum(of_side.values()) if held == max(suits) else 0 for of_side, held in zip(best, suits, strict=True)]
    winner = alone_most(sums)
    if winner is not None:
        points[winner]["primiera"] = 1
    return points


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(TABLES), st.integers(0, 10**9), st.sampled_from([0.0, 0.3]))
def test_a_plain_replay_comes_to_the_same(table: tuple[str, int, bool], seed: int, illegal: float) -> None:
    game, players, pairs = table
    options: dict[str, Any] = {"napola": True, "re_bello": True}
    if game == "scopa" and pairs:
        options["team"] = True
    chance = random.Random(seed)
    events = [match(game, players, **options),
              *random_hand(game, chance, players, illegal=illegal, **options)]
    hand = score_record(events)["hands"][0]
    piles, sweeps = replay(game, players, pairs, events)
    assert [side["captured"] for side in hand["sides"]] == piles
    assert [side["sweeps"] for side in hand["sides"]] == sweeps
    told = [{point["name"]: point["points"] for point in side["points"]} for side in hand["sides"]]
    if sum(map(len, piles)) == 40:
        assert told == plain_points(piles, sweeps)
        assert [side["total"] for side in hand["sides"]] == [sum(points.values()) for points in told]
