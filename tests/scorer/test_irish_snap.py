"""Irish Snap: the rules of its page (games/irish-snap.md)."""

from __future__ import annotations

from typing import Any

import pytest

from rules.cards import FRENCH_RANKS
from rules.record import Event
from scorer import score_record
from tests.scorer.hands import match
from tests.scorer.test_slapjack import decide, flagged, flip, slap, verdicts


def score(*events: Event, players: int = 3, **fields: Any) -> dict[str, Any]:
    document = score_record([{**match("irish-snap", players), **fields}, *events])
    assert sum(document["counts"]["stocks"]) + document["counts"]["pile"] == sum(fields.get("stocks") or [52])
    return document


def test_the_call_goes_from_ace_to_king_and_around() -> None:
    """irish-snap.md#1."""
    cards = ["2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "10H", "JH", "QH", "KH", "AH", "2D"]
    document = score(*(flip(None, card) for card in cards))
    assert [told["call"] for told in document["flips"]] == [*FRENCH_RANKS, "A"]
    assert not any(told["match"] for told in document["flips"])
    assert document["state"]["next_call"] == "2"


def test_a_call_corrected_by_hand_is_counted_on_from() -> None:
    """irish-snap.md#1: skipped or repeated calls happen."""
    document = score(flip(1, "4H"), flip(2, "5H", call="3"), flip(0, "7H"))
    assert [told["call"] for told in document["flips"]] == ["A", "3", "4"]


def test_the_last_hand_down_takes_the_pile() -> None:
    """irish-snap.md#2: play restarts from the ace at the left of the one who took it."""
    document = score(flip(1, "4H"), flip(2, "2H"), slap(0, 900), slap(1, 1000), slap(2, 950), flip(2, "3H"))
    assert verdicts(document) == [(0, "wins"), (1, "takes"), (2, "wins")]
    assert document["slaps"][1]["by_ms"] == 50
    assert document["counts"] == {"stocks": [17, 19, 15], "pile": 1}
    assert document["flips"][-1]["call"] == "A" and document["flips"][-1]["ruling"] == "legal"
    # The one on top.
    document = score(flip(1, "AH"), slap(0, 900), slap(1, 901, under=(2,)), slap(2, 900, under=()))
    assert dict(verdicts(document))[0] == "too-close" and dict(verdicts(document))[1] == "wins"
    document = score(flip(1, "AH"), slap(0, 900, under=(1, 2)), slap(1, 901, under=(2,)), slap(2, 900))
    assert dict(verdicts(document)) == {0: "wins", 1: "wins", 2: "takes"}


def test_a_false_slap_takes_the_pile_and_the_first_of_several() -> None:
    """irish-snap.md#3."""
    document = score(flip(1, "4H"), slap(0, 900), flip(1, "AH"))
    assert verdicts(document) == [(0, "takes")]
    assert document["counts"] == {"stocks": [18, 16, 17], "pile": 1}
    document = score(flip(1, "4H"), slap(0, 900), slap(2, 800))
    assert verdicts(document) == [(0, "false"), (2, "takes")]
    document = score(flip(1, "4H"), slap(0, 900), slap(2, 890))
    assert verdicts(document) == [(0, "too-close"), (2, "too-close")]
    assert document["counts"]["pile"] == 1


def test_who_does_not_slap_counts_as_last() -> None:
    """irish-snap.md#4."""
    document = score(flip(1, "AH"), slap(0, 900), slap(1, 1000), flip(0, "4H"))
    assert verdicts(document) == [(2, "takes"), (0, "wins"), (1, "wins")]
    assert document["slaps"][0]["event"] == 2
    assert document["counts"]["stocks"] == [16, 17, 18]
    # Two who do not slap: the people decide.
    document = score(flip(1, "AH"), slap(0, 900), flip(2, "4H"))
    assert sorted(verdicts(document)) == [(0, "wins"), (1, "unclear"), (2, "unclear")]
    assert [flag["reason"] for flag in document["flags"]] == ["several-did-not-slap"]
    assert document["counts"]["pile"] == 2
    document = score(flip(1, "AH"), slap(0, 900), {"type": "decide", "event": 3, "player": 2}, flip(0, "4H"))
    assert document["counts"]["stocks"] == [16, 17, 18]
    # A card at which nobody has slapped yet may still be slapped.
    document = score(flip(1, "AH"))
    assert document["slaps"] == [] and document["flags"] == []


def test_without_cards_one_is_skipped_but_must_slap() -> None:
    """irish-snap.md#5."""
    document = score(flip(1, "4H"), flip(2, "5H"), flip(0, "6H"), flip(2, "7H"), stocks=[20, 1, 20])
    assert all(told["ruling"] == "legal" for told in document["flips"])
    document = score(flip(1, "AH"), slap(0, 1), slap(2, 100), stocks=[20, 1, 20])
    assert dict(verdicts(document))[1] == "takes"


def test_only_one_with_cards_has_lost() -> None:
    """irish-snap.md#5."""
    document = score(flip(1, "4H"), flip(2, "5H"), players=3, stocks=[20, 1, 1])
    assert document["match"]["loser"] == 0 and document["match"]["winner"] is None
    assert document["state"]["phase"] == "over"


def test_the_winner_variant() -> None:
    """irish-snap.md#6: all cards laid, and one more slap in time."""
    events = [flip(1, "4H"), flip(2, "2H"), slap(0, 100), slap(1, 0), slap(2, 50)]
    document = score(*events, stocks=[20, 1, 20], options={"winner": True})
    assert document["match"]["winner"] == 1
    assert document["counts"]["stocks"] == [22, 0, 19]
    document = score(*events[:2], slap(0, 0), slap(1, 100), slap(2, 50), stocks=[20, 1, 20], options={"winner": True})
    assert document["match"]["winner"] is None
    assert document["counts"]["stocks"] == [20, 2, 19]
    # A false slap takes the pile as usual, and one plays on.
    document = score(*events[:1], slap(1, 0), stocks=[20, 1, 20], options={"winner": True})
    assert document["match"]["winner"] is None and document["counts"]["stocks"] == [20, 1, 20]
    # Without the variant nobody wins by that.
    document = score(*events, stocks=[20, 1, 20])
    assert document["match"]["winner"] is None


def test_the_cards_of_who_has_forfeited_keep_nobody_from_losing() -> None:
    """irish-snap.md#5."""
    document = score(flip(1, "4H"), {"type": "forfeit", "player": 0}, flip(2, "5H"), stocks=[30, 1, 21])
    assert document["match"]["over"] and document["match"]["loser"] == 2


def test_there_is_no_time_limit() -> None:
    """irish-snap.md#5: it is played until one has lost; most cards win nothing here."""
    document = score(flip(1, "4H"), {"type": "time", "t_ms": 600_000}, flip(2, "5H"))
    assert [(flag["event"], flag["reason"]) for flag in document["flags"]] == [(3, "no-time-limit")]
    assert document["match"]["winner"] is None and document["flips"][-1]["ruling"] == "legal"


def test_a_third_hand_between_does_not_settle_a_contradiction() -> None:
    """irish-snap.md#2: two hands contradict each other, and a third one's time lies between theirs."""
    document = score(flip(1, "AS", t_ms=1000), slap(1, 1100), slap(0, 1200), slap(2, 1400, under=(1,)))
    assert verdicts(document) == [(1, "unclear"), (0, "unclear"), (2, "unclear")]
    assert document["counts"]["pile"] == 1
    # One that was clearly before both was in time.
    document = score(flip(1, "AS", t_ms=1000), slap(1, 1300), slap(0, 1100), slap(2, 1400, under=(1,)))
    assert verdicts(document) == [(1, "unclear"), (0, "wins"), (2, "unclear")]


@pytest.mark.parametrize(("events", "codes", "stocks"), [
    # Two who did not slap: the people decide between them, and are told where they decide for one who did.
    ([flip(1, "AH"), slap(0, 900), decide(3, 2)], [], [17, 17, 18]),
    ([flip(1, "AH"), slap(0, 900), decide(3, 0)], ["decided-against"], [18, 17, 17]),
    ([flip(1, "AH"), decide(2, 2)], [], [17, 17, 18]),
    ([flip(1, "4H"), slap(0, 900), slap(2, 905), decide(3, 1)], ["decided-did-not-slap"], [17, 18, 17]),
    ([flip(1, "4H"), decide(2, 1)], ["decided-no-slap"], [17, 17, 17]),
    ([slap(0, 900), decide(2, 1)], ["decided-nothing"], [17, 18, 17]),
])
def test_a_decision_that_goes_against_the_record_is_flagged(events: list[Event], codes: list[str],
                                                            stocks: list[int]) -> None:
    """irish-snap.md#3 irish-snap.md#4."""
    document = score(*events)
    assert [code for _, code in flagged(document) if code.startswith("decided")] == codes
    assert document["counts"]["stocks"] == stocks


def test_a_slap_after_the_end_names_a_rule() -> None:
    """irish-snap.md#5 irish-snap.md#6."""
    document = score(flip(1, "4H"), flip(2, "5H"), slap(0, 900), flip(0, "6H"), slap(1, 2000), stocks=[50, 1, 1])
    assert document["slaps"][-1]["why_code"] == "game-over" and document["slaps"][-1]["rule"] == "irish-snap.md#5"
