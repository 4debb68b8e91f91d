"""Slapjack: the rules of its page (games/slapjack.md)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.record import Event, Settled
from rules.slap_game import in_order
from scorer import score_record
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
    document = score(flip(1, "4H"), {"type": "time", "t_ms": 600000}, flip(2, "5H"), stocks=stocks)
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
                     stocks=[40, 5, 7])
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
    events = [flip(1, "4H"), flip(0, "5H"), slap(0, 500), slap(1, 510), {"type": "time", "t_ms": 9000}]
    for cut in (4, 5):
        document = score(*events[:cut], players=2, stocks=[1, 1])
        assert document["match"] == {"winner": None, "loser": None, "over": True, "draw": True}
