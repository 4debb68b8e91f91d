"""Slapjack: the rules of its page (games/slapjack.md)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.contacts import Contact, first, last
from rules.record import Event, Settled
from rules.slap_game import in_order
from scorer import score_record
from scorer.explain import explain
from scorer.report import render
from tests.scorer.hands import match


def flip(player: int | None, card: str | None, **fields: Any) -> Event:
    return {"type": "flip", "player": player, "card": card, **fields}


def slap(player: int, t_ms: int | None = None, error_ms: int = 17, under: tuple[int, ...] = ()) -> Event:
    event: Event = {"type": "slap", "player": player, "error_ms": error_ms, "under": list(under)}
    return event if t_ms is None else {**event, "t_ms": t_ms}


def verdicts(document: dict[str, Any]) -> list[tuple[int, str]]:
    return [(told["player"], told["verdict"]) for told in document["slaps"]]


def score(*events: Event, players: int = 3, **fields: Any) -> dict[str, Any]:
    document = score_record([{**match("slapjack", players), **fields}, *events])
    assert sum(document["counts"]["stocks"]) + document["counts"]["pile"] == sum(
        fields.get("stocks") or [52])
    return document


@pytest.mark.parametrize(("players", "dealer", "stocks"), [
    (2, 0, [26, 26]), (3, 0, [17, 18, 17]), (3, 2, [18, 17, 17]), (5, 4, [11, 11, 10, 10, 10]),
    (10, 0, [5, 6, 6, 5, 5, 5, 5, 5, 5, 5]),
])
def test_dealt_as_evenly_as_it_goes(players: int, dealer: int, stocks: list[int]) -> None:
    """slapjack.md#1: the one at the dealer's left begins."""
    document = score_record([{**match("slapjack", players), "dealer": dealer}])
    assert document["counts"] == {"stocks": stocks, "pile": 0}
    assert document["state"]["turn"] == (dealer + 1) % players


def test_flips_go_clockwise() -> None:
    """slapjack.md#2."""
    document = score(flip(1, "4H"), flip(None, "5H"), flip(1, "6H"), flip(2, "7H"))
    assert [(told["player"], told["ruling"], told["reasons"]) for told in document["flips"]] == [
        (1, "legal", []), (2, "legal", []), (1, "illegal", ["out-of-turn"]), (2, "legal", [])]
    assert document["counts"] == {"stocks": [17, 16, 15], "pile": 4}


def test_the_first_to_slap_a_jack_wins_the_pile_and_the_left_goes_on() -> None:
    """slapjack.md#3."""
    document = score(flip(1, "4H"), flip(2, "JS"), slap(0, 1530), slap(2, 1600))
    assert verdicts(document) == [(0, "wins"), (2, "late")]
    assert [told["by_ms"] for told in document["slaps"]] == [70, 70]
    assert document["counts"] == {"stocks": [19, 17, 16], "pile": 0}
    assert document["state"]["turn"] == 1


def test_the_hand_at_the_bottom_wins() -> None:
    """slapjack.md#4: under decides before times do."""
    document = score(flip(1, "JS"), slap(0, 1530), slap(2, 1540, under=(0,)))
    assert verdicts(document) == [(0, "late"), (2, "wins")]
    document = score(flip(1, "JS"), slap(0, 1530), slap(2, 1540))
    assert verdicts(document) == [(0, "too-close"), (2, "too-close")]
    assert document["counts"] == {"stocks": [17, 17, 17], "pile": 1}
    # The third was clearly later, whoever was first.
    document = score(flip(1, "JS"), slap(0, 1530), slap(2, 1540), slap(1, 1700))
    assert verdicts(document) == [(0, "too-close"), (2, "too-close"), (1, "late")]
    # Hands through hands between: 2 below 0 below 1.
    document = score(flip(1, "JS"), slap(1), slap(0, under=(1,)), slap(2, under=(0,)))
    assert verdicts(document) == [(1, "late"), (0, "late"), (2, "wins")]


def test_evidence_that_contradicts_itself_is_unclear_until_the_people_decide() -> None:
    """slapjack.md#4: a clear time against what the picture shows."""
    events = [flip(1, "JS"), slap(0, 1500), slap(2, 1600, under=(0,))]
    document = score(*events)
    assert verdicts(document) == [(0, "unclear"), (2, "unclear")]
    assert document["counts"]["pile"] == 1
    document = score(*events, {"type": "decide", "event": 3, "player": 0}, flip(1, "4H"))
    assert verdicts(document) == [(0, "unclear"), (2, "unclear")]
    assert all(told["decided"] for told in document["slaps"])
    assert document["counts"] == {"stocks": [18, 16, 17], "pile": 1}


def test_a_false_slap_pays_the_player_of_the_card() -> None:
    """slapjack.md#5."""
    document = score(flip(1, "4H"), flip(2, "5H"), slap(0, 900), slap(2, 950))
    assert verdicts(document) == [(0, "false"), (2, "false")]
    assert [told["why_code"] for told in document["slaps"]] == ["false-pays", "false-own-card"]
    assert document["counts"] == {"stocks": [16, 17, 17], "pile": 2}


def test_without_cards_one_may_slap_the_next_jack() -> None:
    """slapjack.md#6: winning brings back, losing it or a false slap puts out."""
    document = score(flip(1, "4H"), flip(2, "JS"), slap(1, 100), flip(0, "5H"), stocks=[20, 1, 20])
    assert document["counts"] == {"stocks": [19, 2, 19], "pile": 1}
    assert document["state"]["turn"] == 1 and document["state"]["out"] == []
    document = score(flip(1, "4H"), flip(2, "JS"), slap(0, 100), flip(2, "JH"), slap(1, 200), flip(0, "5H"),
                     stocks=[20, 1, 20])
    assert verdicts(document) == [(0, "wins"), (1, "late")]
    assert document["state"]["out"] == [1]
    document = score(flip(1, "4H"), slap(1, 90), flip(2, "JS"), stocks=[20, 1, 20])
    assert document["state"]["out"] == [1]
    assert document["slaps"][0]["why_code"] == "false-without-cards"


def test_whoever_holds_all_the_cards_has_won() -> None:
    """slapjack.md#7."""
    document = score(flip(1, "JS"), slap(0, 100), players=2, stocks=[51, 1])
    assert document["match"]["winner"] == 0 and document["counts"] == {"stocks": [52, 0], "pile": 0}
    assert document["state"]["phase"] == "over"


@pytest.mark.parametrize(("stocks", "winner"), [([20, 15, 17], 0), ([17, 18, 17], None), ([17, 20, 15], 1)])
def test_with_a_time_limit_most_cards_win(stocks: list[int], winner: int | None) -> None:
    """slapjack.md#7: level is a draw."""
    document = score(flip(1, "4H"), {"type": "time", "t_ms": 600000}, flip(2, "5H"), stocks=stocks,
                     options={"time_limit": 10})
    assert document["match"]["winner"] == winner
    assert document["match"]["draw"] == (winner is None)
    assert document["flips"][-1]["reasons"] == ["game-over"]
    document = score(flip(1, "4H"), flip(2, "5H", t_ms=60001), stocks=stocks, options={"time_limit": 1})
    assert [flag["reason"] for flag in document["flags"]] == ["time-over", "game-over"]


def test_a_slap_before_the_card_is_face_up_is_a_slap_of_the_card_beneath() -> None:
    """slapjack.md#8."""
    document = score(flip(1, "4H", t_ms=1000), flip(2, "JS", t_ms=2000), slap(0, 1900))
    assert verdicts(document) == [(0, "false")]
    assert document["counts"] == {"stocks": [16, 18, 16], "pile": 2}
    # Within the error of its time it is not early.
    document = score(flip(1, "4H", t_ms=1000), flip(2, "JS", t_ms=2000), slap(0, 1990))
    assert verdicts(document) == [(0, "wins")]
    # On the bare table there is nothing to pay for.
    document = score(flip(1, "4H", t_ms=1000), slap(0, 900))
    assert verdicts(document) == [(0, "false")]
    assert document["counts"]["stocks"] == [17, 17, 17]


def test_a_jack_nobody_slaps_stays_and_once_covered_cannot_be_slapped() -> None:
    """slapjack.md#8."""
    document = score(flip(1, "JS"), flip(2, "4H"), slap(0, 500))
    assert verdicts(document) == [(0, "false")]


def test_one_player_slapping_twice_slaps_once() -> None:
    """slapjack.md#4."""
    document = score(flip(1, "JS"), slap(0, 500), slap(2, 700), slap(0, 600))
    assert verdicts(document) == [(0, "wins"), (2, "late"), (0, "late")]


def test_a_card_not_seen_leaves_the_slaps_open() -> None:
    """slapjack.md#3."""
    document = score(flip(1, None), slap(0, 500), {"type": "decide", "event": 3, "player": 0})
    assert verdicts(document) == [(0, "unclear")]
    assert document["flips"][0]["ruling"] == "unclear"
    assert document["counts"]["stocks"] == [18, 17, 17]


def test_the_same_card_twice_in_the_pile_is_flagged() -> None:
    """slapjack.md#2."""
    document = score(flip(1, "4H"), flip(2, "4H"))
    assert [flag["reason"] for flag in document["flags"]] == ["card-seen-twice"]


def test_a_forfeit_leaves_the_others_in() -> None:
    document = score(flip(1, "4H"), {"type": "forfeit", "player": 2, "reason": "left the table"}, flip(0, "5H"))
    assert document["flips"][-1]["ruling"] == "legal"
    document = score({"type": "forfeit", "player": 1}, players=2)
    assert document["match"]["winner"] == 0


def test_taking_a_flip_back_gives_the_card_back() -> None:
    document = score(flip(1, "4H"), flip(2, "JS"), slap(0, 100), {"type": "undo", "event": 3})
    assert document["counts"] == {"stocks": [16, 18, 17], "pile": 1}
    assert verdicts(document) == [(0, "false")]


def test_the_last_of_several_decisions_about_one_dispute_holds() -> None:
    dispute = [flip(1, "4H"), flip(2, "JS"), slap(0, 1500), slap(1, 1510)]
    first, second = {"type": "decide", "event": 5, "player": 1}, {"type": "decide", "event": 4, "player": 0}
    assert score(*dispute, first, second)["counts"]["stocks"] == [19, 17, 16]
    assert score(*dispute, second, first)["counts"]["stocks"] == [17, 19, 16]


def test_who_has_forfeited_does_not_win_when_the_time_is_up() -> None:
    """slapjack.md#7."""
    document = score(flip(1, "4H"), {"type": "forfeit", "player": 0}, {"type": "time", "t_ms": 600_000},
                     stocks=[40, 5, 7], options={"time_limit": 10})
    assert document["match"]["winner"] == 2


def test_no_card_is_made_when_more_are_flipped_than_the_players_had() -> None:
    """slapjack.md: the stocks and the pile add up to what was dealt, always."""
    score(*(flip(None, card) for card in ("4H", "5H", "6H", "7H", "8H")), stocks=[1, 1, 1])


def walked_back(settled: list[Settled]) -> list[int]:
    """Give the events in order as the page says it: each slap goes back over the flips it clearly came before."""
    ordered: list[Settled] = []
    for here in settled:
        place = len(ordered)
        if here.event["type"] == "slap" and here.event.get("t_ms") is not None:
            flips = [at for at, other in enumerate(ordered) if other.event["type"] == "flip" and not other.undone]
            for at in reversed(flips):
                t_ms, error = ordered[at].event.get("t_ms"), ordered[at].event.get("error_ms", 0)
                if t_ms is None or t_ms - here.event["t_ms"] <= error + here.event["error_ms"]:
                    break
                place = at
        ordered.insert(place, here)
    return [here.number for here in ordered]


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(["flip", "slap", "undone", "end"]), st.none() | st.integers(0, 40),
                          st.integers(0, 6)), max_size=30))
def test_slaps_recorded_late_find_the_card_that_lay_there(told: list[tuple[str, int | None, int]]) -> None:
    """slapjack.md#8."""
    settled = []
    for number, (kind, t_ms, error_ms) in enumerate(told, 2):
        event: Event = {"type": "flip" if kind == "undone" else kind, "player": 0, "error_ms": error_ms}
        if t_ms is not None:
            event["t_ms"] = t_ms
        settled.append(Settled(number, event, undone=kind == "undone"))
    assert [here.number for here in in_order(settled)] == walked_back(settled)


def test_when_the_last_ones_put_themselves_out_together_nobody_has_won() -> None:
    """slapjack.md#6 slapjack.md#7."""
    events = [flip(1, "4H"), flip(0, "5H"), slap(0, 500), slap(1, 510), {"type": "time"}]
    for cut in (4, 5):
        document = score(*events[:cut], players=2, stocks=[1, 1], options={"time_limit": 1})
        assert document["match"] == {"winner": None, "loser": None, "over": True, "draw": True}


def decide(event: int, player: int) -> Event:
    return {"type": "decide", "event": event, "player": player}


def flagged(document: dict[str, Any]) -> list[tuple[int, str]]:
    return [(flag["event"], flag["reason"]) for flag in document["flags"]]


def test_a_third_hand_between_does_not_settle_a_contradiction() -> None:
    """slapjack.md#4: two hands contradict each other, and a third one's time lies between theirs."""
    jack = flip(1, "JC", t_ms=2000)
    low, middle, high = slap(0, 3005, 5), slap(1, 3205, 5), slap(2, 3405, 5, under=(0,))
    assert verdicts(score(jack, low, high, players=4)) == [(0, "unclear"), (2, "unclear")]
    document = score(jack, low, middle, high, players=4)
    # If the first time is the wrong one, the hand between was first.
    assert verdicts(document) == [(0, "unclear"), (1, "unclear"), (2, "unclear")]
    assert document["counts"] == {"stocks": [13, 12, 13, 13], "pile": 1}
    # One that came after both is late, whichever of the two is wrong.
    document = score(jack, low, high, slap(1, 3900, 5), players=4)
    assert verdicts(document) == [(0, "unclear"), (2, "unclear"), (1, "late")]
    # One that was clearly before both has won, whatever they say of each other.
    document = score(jack, low, high, slap(1, 2500, 5), players=4)
    assert verdicts(document) == [(0, "late"), (2, "late"), (1, "wins")]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.none() | st.integers(0, 60), st.integers(0, 6), st.sets(st.integers(0, 4))),
                min_size=1, max_size=5))
def test_nobody_wins_whom_another_hand_contradicts_directly(told: list[tuple[int | None, int, set[int]]]) -> None:
    """slapjack.md#4, and likewise for the hand on top."""
    hands = [Contact(number, number, t_ms, error, frozenset(under - {number}))
             for number, (t_ms, error, under) in enumerate(told)]
    for verdict, is_first in ((first(hands), True), (last(hands), False)):
        if verdict.kind != "clear":
            continue
        found = verdict.contacts[0]
        for other in hands:
            lower, upper = (other, found) if is_first else (found, other)
            assert upper.player not in lower.under
            if found.t_ms is not None and other.t_ms is not None:
                early, late = (other, found) if is_first else (found, other)
                assert late.t_ms - early.t_ms <= late.error_ms + early.error_ms


def test_for_whom_the_people_decided_is_told() -> None:
    """slapjack.md#4."""
    events = [match("slapjack", 3), flip(1, "JS"), slap(0, 1500), slap(2, 1510), decide(3, 2)]
    document = score_record(events)
    assert [told["decided_for"] for told in document["slaps"]] == [2, 2] and document["flags"] == []
    for language, words in (("en", "The people decided for Carla."), ("it", "I giocatori hanno deciso per Carla.")):
        assert words in explain(events, language)
    for language, words in (("en", "the people decided for Carla"), ("it", "i giocatori hanno deciso per Carla")):
        assert words in render(score_record(events, language), language)
    assert [told["decided_for"] for told in score_record(events[:-1])["slaps"]] == [None, None]


@pytest.mark.parametrize(("events", "code", "stocks"), [
    ([flip(1, "JS"), slap(0, 1500), slap(2, 1700), decide(3, 2)], "decided-against", [17, 17, 18]),
    ([flip(1, "JS"), slap(0, 1500), slap(2, 1510), decide(3, 1)], "decided-did-not-slap", [17, 18, 17]),
    ([flip(1, "JS"), decide(2, 1)], "decided-no-slap", [17, 17, 17]),
    ([flip(1, "4H"), decide(2, 1)], "decided-no-jack", [17, 17, 17]),
    ([flip(1, "4H"), slap(0, 1500), decide(3, 0)], "decided-no-jack", [16, 18, 17]),
    ([slap(0, 1500), decide(2, 0)], "decided-nothing", [17, 18, 17]),
    ([flip(1, "JS"), {"type": "end"}, decide(3, 0)], "decided-nothing", [17, 17, 17]),
    ([flip(1, "JS"), slap(0, 1500), {"type": "undo", "event": 3}, decide(3, 0)], "decided-nothing", [17, 17, 17]),
    ([flip(1, "JS"), {"type": "forfeit", "player": 0}, slap(0, 9), slap(2, 9), decide(4, 0)], "decided-when-out",
     [17, 17, 18]),
])
def test_a_decision_that_goes_against_the_record_is_flagged(events: list[Event], code: str, stocks: list[int]) -> None:
    """slapjack.md#3 slapjack.md#5."""
    document = score(*events)
    assert flagged(document)[-1] == (len(events) + 1, code)
    assert document["counts"]["stocks"] == stocks
    assert "Notes:" in render(document) and document["flags"][-1]["text"] in explain([match("slapjack", 3), *events])


def test_a_decision_after_the_end_is_flagged_and_the_slap_names_a_rule() -> None:
    """slapjack.md#7."""
    document = score(flip(1, "JS"), slap(0, 100), flip(0, "JH"), slap(1, 900), decide(5, 1), players=2,
                     stocks=[51, 1])
    assert [told["rule"] for told in document["slaps"]] == ["slapjack.md#3", "slapjack.md#7"]
    assert (6, "decided-nothing") in flagged(document) and document["match"]["winner"] == 0


@pytest.mark.parametrize("language", ["en", "it"])
def test_no_slap_is_told_twice_to_be_too_close(language: str) -> None:
    events = [match("slapjack", 3), flip(1, "JS"), slap(0, 1500), slap(2, 1510)]
    told = [line for line in explain(events, language).splitlines() if line.startswith(("3.", "4."))]
    rows = [line for line in render(score_record(events, language), language).splitlines() if "slapjack.md#4" in line]
    for line in (*told, *rows):
        assert line.count("too close") + line.count("troppo vicin") == 1
    assert len(told) == len(rows) == 2


def test_stocks_that_are_not_the_whole_deck_are_flagged() -> None:
    """slapjack.md#1: all stocks and the pile add up to 52."""
    document = score(stocks=[10, 10, 10])
    assert flagged(document) == [(1, "stocks-not-deck")]
    assert document["flags"][0]["rule"] == "slapjack.md#1"
    assert flagged(score(stocks=[50, 1, 1])) == []


@pytest.mark.parametrize(("limit", "t_ms", "code", "over"), [
    (0, 600_000, "no-time-limit", False), (10, 1000, "time-too-early", False), (10, 600_000, "time-over", True),
    (10, None, "time-over", True),
])
def test_time_ends_a_game_only_at_its_limit(limit: int, t_ms: int | None, code: str, over: bool) -> None:
    """slapjack.md#7."""
    document = score(flip(1, "4H"), {"type": "time", "t_ms": t_ms}, options={"time_limit": limit})
    assert [(flag["event"], flag["reason"], flag["rule"]) for flag in document["flags"]] == [(3, code, "slapjack.md#7")]
    assert document["match"]["over"] is over
