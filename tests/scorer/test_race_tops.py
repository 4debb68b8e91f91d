"""Spit and Speed where it is open which card lies on top, or where a card was not seen."""

from __future__ import annotations

from typing import Any

import pytest

from rules.record import Event
from scorer import score_record
from scorer.explain import explain
from scorer.report import render
from tests.scorer.hands import match
from tests.scorer.test_spit import land, spit

# Both cards fit on the 3 of spades, and on one another they do not.
OPEN = [spit("3S", "4D"), land(0, "4H", 0, 2000), land(1, "2C", 0, 2017)]


def score(*events: Event, game: str = "spit", **options: Any) -> dict[str, Any]:
    return score_record([match(game, 2, **options), *events])


def words(document: dict[str, Any]) -> list[str]:
    return [told["ruling"] for told in document["landings"]]


@pytest.mark.parametrize("game", ["spit", "speed"])
def test_no_definite_ruling_on_one_guessed_top(game: str) -> None:
    """spit.md#3 speed.md#3: the card after two in an open order may lie on either."""
    start = [spit("QD", "3C"), land(1, "2C", 1, 2000, 0), land(0, "3H", 1, 2000, 17)]
    document = score(*start, land(1, "3S", 1, 3000, 5), game=game)
    assert words(document) == ["too-close"] * 3
    last = document["landings"][-1]
    assert last["reasons"] == ["top-open"] and last["on"] is None and last["on_possible"] == ["2C", "3H"]
    # What is the same on both tops holds.
    assert words(score(*start, land(1, "KS", 1, 3000, 5), game=game))[-1] == "illegal"
    # A card that landed clearly later is the one top that the next one can lie on.
    assert words(score(*start, land(1, "3S", 1, 3000, 5), land(0, "4C", 1, 4000, 5), game=game))[-1] == "legal"
    # The people decide: 3H first, so 2C is on top; and the other way round.
    for player, ruling in ((0, "legal"), (1, "illegal")):
        decided = score(*start, land(1, "3S", 1, 3000, 5), {"type": "decide", "event": 3, "player": player}, game=game)
        assert words(decided) == ["too-close", "too-close", ruling]


def test_a_card_that_fits_one_of_two_possible_tops_is_too_close() -> None:
    """spit.md#3."""
    start = [spit("3S", "4D"), land(0, "4H", 0, 2000), land(1, "5C", 0, 2010)]
    assert words(score(*start, land(0, "4S", 0, 3000)))[-1] == "too-close"
    # One that fits both is legal, and turned spit cards cover what was open.
    assert words(score(*OPEN, land(0, "3D", 0, 3000)))[-1] == "legal"
    assert words(score(*start, spit("5D", "KH"), land(0, "4S", 0, 3000)))[-1] == "legal"


def test_an_open_top_beneath_an_open_order() -> None:
    document = score(*OPEN, land(0, "5H", 0, 3000), land(1, "9C", 0, 3000))
    assert words(document) == ["too-close"] * 3 + ["illegal"]
    last = document["landings"][-1]
    assert last["on_possible"] == ["4H", "2C", "5H"] and last["why_args"] == [{"card": "9C", "on": ["4H", "2C", "5H"]}]


def test_many_cards_in_an_open_order_are_not_ruled_in_the_order_of_the_record() -> None:
    cards = ["9C", "7H", "9D", "7S", "9H", "7C", "9S"]
    document = score(spit("8D", "KH"), *(land(place % 2, card, 0, 2000) for place, card in enumerate(cards)))
    assert words(document) == ["too-close"] * 2 + ["illegal"] * 5
    # A player's own cards follow one another as recorded: between 9C and 9H there was 9D.
    assert "9C" not in document["landings"][4]["on_possible"]


def test_a_card_open_with_the_one_before_the_last_is_drawn_in() -> None:
    """spit.md#3: cards 0 and 2 are open, whatever landed between."""
    document = score(spit("8D", "KH"), land(0, "9C", 0, 2000), land(0, "8C", 0, 2010), land(1, "7H", 0, 2015))
    assert words(document) == ["too-close"] * 3
    assert document["landings"][2]["on_possible"] == ["8D", "9C", "8C"]


def test_onto_an_empty_pile_only_the_first_of_two_is_illegal() -> None:
    """spit.md#2: and which was first is open."""
    document = score(land(0, "9C", 0, 2000), land(1, "8H", 0, 2010))
    assert words(document) == ["too-close"] * 2
    assert document["landings"][0]["on_possible"] == ["empty", "8H"]
    assert "plays the 9 of clubs onto an empty pile or onto the 8 of hearts." in explain(
        [match("spit"), land(0, "9C", 0, 2000), land(1, "8H", 0, 2010)])


def test_a_card_that_is_illegal_in_every_order_is_illegal() -> None:
    """spit.md#3: with the reasons that all orders share."""
    start = [spit("2C", "2S"), land(0, "AC", 1, 2000, 5), land(1, "10C", 1, 2000, 0)]
    told = score(*start, alternate_colours=True)["landings"]
    assert [(one["ruling"], one["reasons"]) for one in told] == [
        ("illegal", ["same-colour"]), ("illegal", ["not-adjacent", "same-colour"])]
    text = explain([match("spit", alternate_colours=True), *start])
    assert "the ace of clubs has the colour of the 2 of spades or the 10 of clubs" in text
    # Without a reason in common all are told.
    told = score(spit("2C", "2S"), land(0, "AC", 1, 2000), land(1, "9D", 1, 2000), alternate_colours=True)["landings"]
    assert [(one["ruling"], one["reasons"]) for one in told] == [
        ("illegal", ["same-colour", "not-adjacent"]), ("illegal", ["not-adjacent"])]
    # The other card of the two may still be too close to call.
    assert words(score(spit("8D", "KH"), land(0, "2C", 0, 2000), land(1, "7H", 0, 2000))) == ["illegal", "too-close"]


def test_what_the_people_decided_is_told_with_for_whom() -> None:
    """spit.md#3."""
    events = [match("spit"), spit("3C", "QD"), land(0, "2C", 0, 2000, 0), land(1, "4H", 0, 2000, 17),
              {"type": "decide", "event": 3, "player": 1}]
    first, second = score_record(events)["landings"]
    assert (second["ruling"], second["reasons"], second["decided_for"], second["decided_ruling"]) == (
        "too-close", ["order-open"], 1, "legal")
    assert (first["reasons"], first["decided_ruling"], first["on"]) == (["order-open", "not-adjacent"], "illegal", "4H")
    lines = explain(events).splitlines()
    assert lines[2].endswith("(spit.md#3). The people decided that Bruno was first. So it is not legal: the 2 of clubs "
                             "is not next to the 4 of hearts.")
    assert lines[3].endswith("(spit.md#3). The people decided that Bruno was first. So it is legal.")
    assert "(spit.md#3); the people decided for Bruno: illegal; the 2 of clubs is not" in render(score_record(events))
    assert "Per decisione dei giocatori la prima carta è di Bruno. Quindi è valida." in explain(events, "it")


@pytest.mark.parametrize("game", ["spit", "speed"])
def test_a_card_beneath_that_was_not_seen_is_no_empty_pile(game: str) -> None:
    """spit.md#3 speed.md#3."""
    for start in ([spit("3C", None)], [spit("3C", "QD"), land(1, None, 1)]):
        events = [match(game), *start, land(0, "4C", 1)]
        last = score_record(events)["landings"][-1]
        assert (last["ruling"], last["reasons"], last["on"], last["on_possible"]) == (
            "unclear", ["top-not-seen"], None, [None])
        number = len(events)
        assert (f"{number}. Anna plays the 4 of clubs onto a card that was not seen. Unclear: the card beneath was not "
                f"seen ({game}.md#3).") in explain(events).splitlines()
        assert " ?  " in render(score_record(events))
    assert "3. Bruno plays a card that was not seen onto the queen of diamonds. Unclear: the card played was not " in (
        explain([match(game), spit("3C", "QD"), land(1, None, 1)]))


def test_too_close_is_said_once() -> None:
    for language, words_ in (("en", "too close to call"), ("it", "troppo vicin")):
        events = [match("spit"), *OPEN, {"type": "grab", "player": 0, "pile": 0, "t_ms": 5000, "error_ms": 9},
                  {"type": "grab", "player": 1, "pile": 0, "t_ms": 5000, "error_ms": 9}]
        for text in (explain(events, language), render(score_record(events, language), language)):
            lines = [line.lower() for line in text.splitlines() if words_ in line.lower()]
            assert len(lines) == 4 and all(line.count(words_) == 1 for line in lines)


@pytest.mark.parametrize(("card", "sul"), [("3C", "sul 3 di fiori"), ("QC", "sulla donna di fiori"),
                                           ("AC", "sull'asso di fiori"), ("8C", "sull'8 di fiori"),
                                           (None, "su una carta non vista")])
def test_su_and_the_article_are_one_word(card: str | None, sul: str) -> None:
    assert f"3. Anna mette il 2 di cuori {sul}." in explain([match("spit"), spit(card, "KD"), land(0, "2H", 0)], "it")


def test_a_round_of_speed_is_told_with_its_points() -> None:
    """speed.md#5."""
    lay: Event = {"type": "layout", "stocks": [1, 29], "spit": [10, 10]}
    won = [lay, spit("8D", "KH"), land(0, "9C", 0)]
    text = explain([match("speed", scoring=True), *won]).splitlines()
    assert "4. Anna wins the round and gets 29 points." in text and "Points (to 50): Anna 29, Bruno 0." in text
    assert "4. Anna wins the round." in explain([match("speed"), *won]).splitlines()
    # After the round it is the round that is over, not the game; after the match the game.
    for scoring, reason in ((True, "round-over"), (False, "game-over")):
        document = score(*won, land(1, "QH", 1), game="speed", scoring=scoring)
        assert [flag["reason"] for flag in document["flags"] if flag["event"] == 5] == [reason]
        assert document["match"]["over"] is not scoring
    document = score(*won, {"type": "forfeit", "player": 0}, {"type": "deal"}, *won, game="speed", scoring=True)
    assert document["match"]["winner"] == 1 and document["match"]["totals"] == [29, 0]


@pytest.mark.parametrize("game", ["spit", "speed"])
def test_what_is_played_after_a_forfeit_is_flagged(game: str) -> None:
    """scupuni.md#11: the match ends."""
    document = score(spit("8D", "KH"), {"type": "forfeit", "player": 0}, land(0, "9C", 0), spit("7D", "QH"),
                     land(1, "8C", 0), {"type": "undo", "event": 6}, game=game)
    assert [(flag["event"], flag["reason"]) for flag in document["flags"]] == [
        (3, "forfeit-plain"), (4, "match-over"), (5, "match-over")]


@pytest.mark.parametrize("game", ["spit", "speed"])
def test_a_forfeit_after_a_forfeit_changes_nothing(game: str) -> None:
    document = score({"type": "forfeit", "player": 0}, {"type": "forfeit", "player": 1}, game=game)
    assert document["match"]["winner"] == 1 and document["match"]["forfeit"]["player"] == 0
    assert [flag["reason"] for flag in document["flags"]] == ["forfeit-plain", "match-over"]


@pytest.mark.parametrize("game", ["spit", "speed"])
def test_nobody_has_won_when_it_is_open_whose_last_card_was_first(game: str) -> None:
    """spit.md#8 speed.md#5."""
    lay: Event = {"type": "layout", "stocks": [1, 1], "spit": [1, 1] if game == "spit" else [24, 24]}
    start = [lay, spit("8D", "KH"), land(0, "9C", 0, 2000), land(1, "7H", 0, 2010)]
    document = score(*start, game=game)
    assert document["match"]["winner"] is None
    assert [flag["event"] for flag in document["flags"] if flag["reason"] == "finish-open"] == [5]
    for player in (0, 1):
        decided = score(*start, {"type": "decide", "event": 5, "player": player}, game=game)
        assert decided["match"]["winner"] == player
        assert "finish-open" not in [flag["reason"] for flag in decided["flags"]]
