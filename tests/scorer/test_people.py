"""What the people at the table do to a record: let stand, take back, correct, mark, play out of turn, end early."""

from __future__ import annotations

import random
from typing import Any

import pytest

from rules.record import Event, RecordError
from scorer import score_record
from tests.scorer.hands import dealt, match, played, random_hand


def shown(document: dict[str, Any]) -> dict[str, Any]:
    """Give what a record comes to, leaving out how it was told."""
    return {name: document[name] for name in ("state", "match")} | {
        "sides": [[(side["captured"], side["total"]) for side in hand["sides"]] for hand in document["hands"]]}


START = [match(), dealt("4d 3c 7b Rs"), played(1, "7s: 4d 3c")]


def test_an_illegal_play_leaves_the_cards_where_they_went() -> None:
    document = score_record([*START, played(0, "7d: 7b")])
    assert document["plays"][0]["ruling"] == "illegal"
    assert document["state"]["captured"] == [["7b", "7d"], ["4d", "3c", "7s"]]
    assert document["state"]["table"] == ["Rs"]
    stands = score_record([*START, {"type": "stand", "event": 3}, played(0, "7d: 7b")])
    assert shown(stands) == shown(document)
    assert stands["plays"][0]["stands"] is True


def test_a_play_taken_back_never_was_and_the_same_player_plays_again() -> None:
    document = score_record([*START, {"type": "undo", "event": 3}, played(1, "7s: 7b"), played(0, "Rd: Rs")])
    assert document["plays"][0]["undone"] is True and document["plays"][0]["ruling"] == "illegal"
    assert [told["ruling"] for told in document["plays"][1:]] == ["legal", "legal"]
    assert document["flags"] == []
    assert document["state"]["hand_sizes"] == [2, 2]


@pytest.mark.parametrize("seed", range(4))
def test_taking_back_anything_restores_the_state_before_it(seed: int) -> None:
    chance = random.Random(seed)
    events = [match(), *random_hand("scopa", chance, illegal=0.3)]
    cut = chance.randrange(3, len(events))
    before = score_record(events[:cut])
    undone = score_record([*events[:cut + 1], {"type": "undo", "event": cut + 1}])
    assert shown(undone) == shown(before)
    again = score_record([*events[:cut + 1], {"type": "undo", "event": cut + 1}, {"type": "undo", "event": cut + 2}])
    assert shown(again) == shown(score_record(events[:cut + 1]))


def test_an_undo_in_the_middle_recomputes_everything_later() -> None:
    events = [*START, played(0, "7d: 7b"), played(1, "Rd: Rs"), {"type": "undo", "event": 3}]
    document = score_record(events)
    assert document["state"]["captured"] == [["7b", "7d"], ["Rs", "Rd"]]
    assert document["state"]["table"] == ["4d", "3c"]
    assert [told["ruling"] for told in document["plays"]] == ["illegal", "illegal", "legal"]
    assert document["plays"][1]["reasons"] == ["out-of-turn"]


def test_a_correction_replaces_what_it_names() -> None:
    events = [*START, played(0, "7d: 7b"), {"type": "correct", "event": 3, "card": "7c", "takes": ["7b"]},
              {"type": "correct", "event": 4, "takes": []}]
    document = score_record(events)
    assert [(told["card"], told["takes"], told["ruling"]) for told in document["plays"]] == [
        ("7c", ["7b"], "legal"), ("7d", [], "illegal")]
    assert document["plays"][1]["reasons"] == ["capture-was-due"]
    assert all(told["corrected"] for told in document["plays"])
    # The later correction of the same event counts.
    document = score_record([*events, {"type": "correct", "event": 3, "card": "7s"}])
    assert document["plays"][0]["card"] == "7s" and document["plays"][0]["takes"] == ["7b"]
    # A correction can be taken back, and corrected.
    document = score_record([*events, {"type": "undo", "event": 6}])
    assert document["plays"][1]["takes"] == ["7b"]
    document = score_record([*events, {"type": "correct", "event": 6, "takes": ["Rs"]}])
    assert document["plays"][1]["takes"] == ["Rs"]


def test_a_deal_and_a_header_can_be_corrected() -> None:
    document = score_record([*START, {"type": "correct", "event": 2, "table": ["4d", "3c", "5b", "Rs"]}])
    assert document["plays"][0]["ruling"] == "legal"
    document = score_record([*START, {"type": "correct", "event": 1, "dealer": 1, "players": ["Anna", "Beppe"]}])
    assert document["plays"][0]["reasons"] == ["out-of-turn", "single-card-precedence"]
    assert document["players"] == ["Anna", "Beppe"]


@pytest.mark.parametrize(("correction", "message"), [
    ({"event": 3, "card": "9x"}, "line 4: the correction of event 3 does not fit: card: '9x' is not a card"),
    ({"event": 4, "card": "7d"}, "line 4: event: expected the line of an earlier event, from 1 to 3, not 4"),
    ({"event": 3, "player": 2}, "line 4: the correction of event 3 does not fit: player: expected a seat"),
    ({"event": 3, "takes": ["7s"]}, "line 4: the correction of event 3 does not fit: takes: 7s is there twice"),
    ({"event": 1, "game": "poker"}, "line 4: the correction of event 1 does not fit: game: "),
    ({"event": 1, "options": {"targt": 3}}, "did you mean target?"),
])
def test_a_correction_that_does_not_fit_names_its_line(correction: Event, message: str) -> None:
    with pytest.raises(RecordError) as error:
        score_record([*START, {"type": "correct", **correction}])
    assert message in str(error.value)


def test_a_header_correction_that_leaves_events_without_a_seat_is_refused() -> None:
    events = [match(players=4), dealt("4d 3c 7b Rs"), played(3, "7s"),
              {"type": "correct", "event": 1, "players": ["Anna", "Bruno"]}]
    with pytest.raises(RecordError, match="line 3: player: expected a seat from 0 to 1"):
        score_record(events)


@pytest.mark.parametrize(("players", "seats", "flagged"), [
    # Two players: one plays out of turn, then the other comes, whose turn it was.
    (2, [1, 0, 0, 1, 0, 1], [2]),
    # Four: play goes on at the right of the one who played.
    (4, [1, 2, 0, 1, 2, 3], [2]),
])
def test_out_of_turn(players: int, seats: list[int], flagged: list[int]) -> None:
    """scopa.md#6 scopa.md#2: it is flagged once, and play goes on at the right of who played."""
    cards = ["Rd", "Rc", "Fd", "Fc", "Cd", "Cc"]
    events = [match(players=players), dealt("1d 1c 1s 1b"),
              *(played(seat, card) for seat, card in zip(seats, cards, strict=True))]
    told = score_record(events)["plays"]
    assert [place for place, of_play in enumerate(told) if "out-of-turn" in of_play["reasons"]] == flagged
    assert told[flagged[0]]["rule"] == "scopa.md#6" and told[flagged[0]]["ruling"] == "illegal"


def test_the_round_is_over_when_its_cards_are_played_whoever_played_them() -> None:
    """scopa.md#5: who has no card left is skipped; who plays without having one is flagged."""
    cards = ["Rd", "Fd", "Cd", "2c", "3c", "4c"]
    events = [match(), dealt("1d 1c 1s 1b"),
              *(played(seat, card) for seat, card in zip([1, 0, 1, 1, 1, 0], cards, strict=True))]
    document = score_record(events)
    assert [flag["reason"] for flag in document["flags"]] == ["no-cards-left"]
    assert document["state"]["hand_sizes"] == [3, 3] and document["state"]["stock"] == 24
    events = [match(), dealt("1d 1c 1s 1b"),
              *(played(seat, card) for seat, card in zip([1, 1, 1, 0], cards[:4], strict=True))]
    assert score_record(events)["state"]["turn"] == 0


def test_a_wrong_mark_is_flagged_and_changes_nothing() -> None:
    """scopa.md#8."""
    document = score_record([match(), dealt("4d 3c 7b Rs"), played(1, "7s: 7b", marked=True)])
    assert document["plays"][0]["ruling"] == "legal"
    assert [(flag["event"], flag["reason"], flag["rule"]) for flag in document["flags"]] == [
        (3, "scopa-not-allowed", "scopa.md#8")]
    assert document["hands"][0]["sides"][1]["sweeps"] == 0


@pytest.mark.parametrize(("play", "reasons", "captured"), [
    # A captured card is played again, or lies there again to be taken: it is where it was last seen.
    ("7b", ["card-seen-twice", "capture-was-due"], [[], ["7s"]]),
    ("7b: 4d 3c", ["card-seen-twice"], [["4d", "3c", "7b"], ["7s"]]),
    ("2s: 7s", ["card-seen-twice", "not-a-sum"], [["7s", "2s"], ["7b"]]),
    ("Rs", ["card-seen-twice"], [[], ["7b", "7s"]]),
])
def test_a_card_seen_twice(play: str, reasons: list[str], captured: list[list[str]]) -> None:
    document = score_record([match(), dealt("4d 3c 7b Rs"), played(1, "7s: 7b"), played(0, play)])
    told = document["plays"][-1]
    assert (told["ruling"], told["reasons"]) == ("illegal", reasons)
    assert document["state"]["captured"] == captured
    assert [(flag["event"], flag["reason"]) for flag in document["flags"]] == [(4, "card-seen-twice")]


def test_everything_that_is_wrong_is_listed_at_once_and_the_hand_goes_on() -> None:
    events = [match(), dealt("7d Rc Rs"), played(1, "7d"), played(1, "8H"), played(0, "Rs: 4b"),
              played(None, "2c")]
    document = score_record(events)
    assert [(flag["event"], flag["reason"]) for flag in document["flags"]] == [
        (2, "short-deal"), (3, "card-seen-twice"), (4, "foreign-card"), (5, "card-seen-twice")]
    assert document["plays"][1]["reasons"] == ["out-of-turn"]
    assert document["plays"][2]["reasons"] == ["card-seen-twice", "not-on-table", "not-a-sum"]
    assert document["plays"][3]["ruling"] == "legal"


def test_more_than_forty_cards_are_flagged() -> None:
    events = [match(), *random_hand("scopa", random.Random(2))]
    events.insert(-1, played(None, "7d"))
    document = score_record(events)
    assert "too-many-cards" in [flag["reason"] for flag in document["flags"]]
    # It may take nothing any more, however much lies there.
    assert document["plays"][-1]["legal_takes"] == [] and len(document["plays"]) == 37


@pytest.mark.parametrize(("table", "reason"), [("4d 3c 7b", "short-deal"), ("", "short-deal"),
                                               ("4d 3c 7b Rs 2c", "long-deal")])
def test_a_wrong_deal_is_flagged_and_played_on(table: str, reason: str) -> None:
    """scopa.md#3."""
    events = [match(), dealt(table), played(None, "1s")]
    document = score_record(events)
    assert [flag["reason"] for flag in document["flags"]] == [reason]
    assert document["plays"][0]["ruling"] == "legal"
    assert sum(document["state"]["hand_sizes"]) + document["state"]["stock"] + len(document["state"]["table"]) == 40


def test_a_table_card_left_out_of_the_deal_is_found_when_it_is_taken() -> None:
    """scopa.md#3: the count of all cards stays right."""
    document = score_record([match(), dealt("4d 3c 7b"), played(1, "Rd: Rs")])
    assert document["plays"][0]["reasons"] == ["not-on-table"]
    state = document["state"]
    assert sum(state["hand_sizes"]) + state["stock"] + len(state["table"]) + len(state["captured"][1]) == 40


def test_a_card_thought_taken_unseen_is_found_when_it_is_taken_by_name() -> None:
    unseen: Event = {"type": "play", "player": 1, "card": None, "takes": []}
    guessed: Event = {"type": "play", "player": 0, "card": "Fd", "takes": [None]}
    state = score_record([match(), dealt("4d 3c 7b Rs"), unseen, guessed, played(1, "2d: 2c")])["state"]
    assert sum(state["hand_sizes"]) + state["stock"] + len(state["table"]) + sum(map(len, state["captured"])) == 40


def test_several_hands_move_the_deal_on() -> None:
    events = [match(), *random_hand("scopa", random.Random(1)), *random_hand("scopa", random.Random(2), dealer=1),
              *random_hand("scopa", random.Random(3))]
    document = score_record(events)
    assert [hand["dealer"] for hand in document["hands"]] == [0, 1, 0]
    assert all(told["ruling"] == "legal" for told in document["plays"])
    assert document["match"]["totals"] == [
        sum(hand["sides"][side]["total"] for hand in document["hands"]) for side in (0, 1)]
    assert [told["hand"] for told in document["plays"]] == [0] * 36 + [1] * 36 + [2] * 36


def test_a_void_deal_that_is_ended_counts_as_nothing() -> None:
    """scopa.md#4."""
    document = score_record([match(), dealt("Rd Rc Rs 2b"), {"type": "end"}, dealt("4d 3c 7b Rs"), played(1, "1s")])
    assert len(document["hands"]) == 1 and document["plays"][0]["ruling"] == "legal"


def test_a_misdeal_that_is_played_on_is_counted() -> None:
    document = score_record([match(), dealt("Rd Rc Rs 2b"), played(1, "Rb: Rd"), {"type": "end"}])
    assert [flag["reason"] for flag in document["flags"]] == ["misdeal", "cards-not-played"]
    assert document["hands"][0]["sides"][1]["captured"] == ["Rd", "Rb", "Rc", "Rs", "2b"]


def test_a_record_without_deal_or_end_still_counts() -> None:
    document = score_record([match(), played(1, "7s")])
    assert [flag["reason"] for flag in document["flags"]] == ["no-deal"]
    document = score_record([match(), {"type": "end"}])
    assert [flag["reason"] for flag in document["flags"]] == ["no-deal"]
    hand = random_hand("scopa", random.Random(1))
    document = score_record([match(), *hand[:-1], *random_hand("scopa", random.Random(2), dealer=1)])
    assert [flag["reason"] for flag in document["flags"]] == ["hand-not-ended"]
    assert [of_hand["finished"] for of_hand in document["hands"]] == [True, True]


def test_three_more_cards_each_may_be_recorded() -> None:
    """scopa.md#5: a deal without table cards between the rounds says what the state knows."""
    hand = random_hand("scopa", random.Random(1))
    document = score_record([match(), *hand[:7], {"type": "deal"}, *hand[7:]])
    assert document["flags"] == [] and len(document["hands"]) == 1
    document = score_record([match(), *hand[:5], {"type": "deal"}, *hand[5:]])
    assert [flag["reason"] for flag in document["flags"]] == ["deal-between"]


def test_a_forfeit_ends_the_match() -> None:
    document = score_record([*START, {"type": "forfeit", "player": 0, "reason": "looked"}])
    assert document["match"]["winner"] == 1 and document["state"]["phase"] == "over"
    document = score_record([*START, {"type": "forfeit", "player": 0}, {"type": "undo", "event": 4}])
    assert document["match"]["winner"] is None and document["state"]["phase"] == "play"
    document = score_record([match(players=3), {"type": "forfeit", "player": 0}])
    assert document["match"]["winner"] is None and document["match"]["forfeit"]["player"] == 0


def test_a_match_that_is_over_is_flagged_when_it_goes_on() -> None:
    events = [match(target=1), *random_hand("scopa", random.Random(4)),
              *random_hand("scopa", random.Random(2), dealer=1)]
    document = score_record(events)
    assert document["match"]["winner"] is not None
    assert [flag["reason"] for flag in document["flags"]] == ["match-over"]


def test_who_played_is_worked_out_where_it_was_not_seen() -> None:
    told = score_record([match(), dealt("4d 3c 7b Rs"), played(None, "1s"), played(None, "1c: 1s")])["plays"]
    assert [(of_play["player"], of_play["ruling"]) for of_play in told] == [(1, "legal"), (0, "legal")]


def test_a_card_not_seen_is_unclear_with_what_it_could_have_been() -> None:
    events = [match(), dealt("4d 3c 7b Rs"), {"type": "play", "player": 1, "card": None, "takes": ["7b"]},
              played(0, "7d")]
    document = score_record(events)
    told = document["plays"][0]
    assert (told["ruling"], told["reasons"]) == ("unclear", ["card-not-seen"])
    # The settebello is played later, so it was one of the other two.
    assert [choice["card"] for choice in told["candidates"] if choice["legal"]] == ["7c", "7s"]
    assert len(told["candidates"]) == 35
    assert document["state"]["captured"][1] == ["7b", None]
    # Out of turn is certain whatever the card was.
    document = score_record([*events[:2], {"type": "play", "player": 0, "card": None, "takes": []}])
    assert document["plays"][0]["reasons"] == ["card-not-seen", "out-of-turn"]


def test_a_card_laid_unseen_is_known_when_it_is_taken() -> None:
    events = [match(), dealt("4d 3c 7b Rs"), {"type": "play", "player": 1, "card": None, "takes": []},
              played(0, "Fd: Fc")]
    document = score_record(events)
    assert document["plays"][1]["ruling"] == "legal"
    assert document["state"]["table"] == ["4d", "3c", "7b", "Rs"]
    assert document["state"]["captured"][0] == ["Fc", "Fd"]


def test_takes_not_seen_are_worked_out_where_there_is_one_choice() -> None:
    def told(card: str) -> dict[str, Any]:
        event = {"type": "play", "player": 1, "card": card, "takes": None}
        ruling: dict[str, Any] = score_record([match(), dealt("4d 3c 1b Rs"), event])["plays"][0]
        return ruling

    assert (told("Rd")["ruling"], told("Rd")["takes"]) == ("legal", ["Rs"])
    assert (told("Cd")["ruling"], told("Cd")["takes"]) == ("legal", [])
    unclear = score_record([match(), dealt("4d 4c 1b Rs"), {"type": "play", "player": 1, "card": "4s", "takes": None}])
    assert unclear["plays"][0]["reasons"] == ["takes-not-seen"]
    assert [choice["takes"] for choice in unclear["plays"][0]["candidates"]] == [["4d"], ["4c"]]
    seen = {"type": "play", "player": 1, "card": "4s", "takes": [None]}
    unclear = score_record([match(), dealt("4d 4c 1b Rs"), seen])
    assert unclear["plays"][0]["ruling"] == "unclear"
    assert [choice["takes"] for choice in unclear["plays"][0]["candidates"]] == [["4d"], ["4c"]]


def test_a_table_card_not_seen() -> None:
    events: list[Event] = [match(), {"type": "deal", "table": ["4d", "3c", "7b", None]}, played(1, "Rd: Rs")]
    document = score_record(events)
    assert document["flags"] == [] and document["plays"][0]["ruling"] == "legal"
    assert document["state"]["table"] == ["4d", "3c", "7b"]


def test_a_hand_cut_off_gives_the_state_so_far() -> None:
    hand = random_hand("scopa", random.Random(1))
    for cut in range(len(hand)):
        document = score_record([match(), *hand[:cut]])
        assert len(document["plays"]) == max(0, cut - 1)
        assert document["match"]["totals"] == [0, 0]
        assert [of_hand["finished"] for of_hand in document["hands"]] == ([False] if cut else [])


def test_a_play_taken_back_before_any_deal_begins_no_hand() -> None:
    document = score_record([match(), played(1, "7s"), {"type": "undo", "event": 2}, dealt("4d 3c 7b Rs")])
    assert document["flags"] == [] and len(document["hands"]) == 1 and document["plays"][0]["undone"] is True


def test_a_card_not_seen_is_sought_among_the_cards_of_its_own_hand() -> None:
    """In games that deal no table the hands are told apart all the same."""
    first = random_hand("scupuni", random.Random(1), 4)
    hidden = [*first[:5], {**first[5], "card": None, "takes": []}, *first[6:]]
    events = [match("scupuni", 4), *hidden, *random_hand("scupuni", random.Random(2), 4, dealer=1)]
    told = score_record(events)["plays"][4]
    assert [candidate["card"] for candidate in told["candidates"]] == [first[5]["card"]]
