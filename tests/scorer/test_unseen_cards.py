"""Plays of which the camera did not see enough: what is said of them and what they can have been."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from rules.cards import ITALIAN_DECK, Card
from rules.record import Event
from scorer import score_record
from scorer.explain import explain
from tests.scorer.hands import match, played


def deal(*table: str | None) -> Event:
    return {"type": "deal", "table": list(table)}


def play(player: int, card: str | None, takes: list[str | None] | None) -> Event:
    return {"type": "play", "player": player, "card": card, "takes": takes}


def last_play(*events: Event) -> dict[str, Any]:
    told: dict[str, Any] = score_record(list(events))["plays"][-1]
    return told


def sevens_and_others(told: dict[str, Any]) -> tuple[set[str], set[str]]:
    """Give the single cards with which a play is illegal, and those with which it is legal."""
    legal, illegal = told["candidates"]
    assert legal["legal"] and not illegal["legal"]
    return {code for code, in illegal["unseen"]}, {code for code, in legal["unseen"]}


def test_a_set_taken_beside_an_unseen_card_was_called_legal() -> None:
    told = last_play(match(), deal(None, "3c", "4c", "Fc"), play(1, "7b", ["3c", "4c"]))
    assert (told["ruling"], told["reasons"], told["rule"]) == ("unclear", ["table-card-not-seen"], "README.md#2")
    illegal, legal = sevens_and_others(told)
    assert illegal == {"7d", "7c", "7s"}
    assert illegal | legal == {card.code for card in ITALIAN_DECK} - {"7b", "3c", "4c", "Fc"}
    assert all((reading["card"], reading["takes"]) == ("7b", ["3c", "4c"]) for reading in told["candidates"])


@pytest.mark.parametrize(("game", "table", "card", "other"), [
    ("scopa", (None, "Rc", "Cc", "Fc"), "4b", {"4d", "4c", "4s"}),
    ("slurp", (None, "KC", "QC", "JC"), "4H", {"4D", "4C", "4S"}),
])
def test_a_card_laid_beside_an_unseen_card_was_called_legal(
        game: str, table: tuple[str | None, ...], card: str, other: set[str]) -> None:
    told = last_play(match(game), deal(*table), play(1, card, []))
    assert (told["ruling"], told["reasons"]) == ("unclear", ["table-card-not-seen"])
    assert told["rule"] == ("scopa.md#7" if game == "scopa" else "slurp.md#4")
    assert sevens_and_others(told)[0] == other


def test_a_card_laid_after_an_unseen_play_was_called_legal() -> None:
    told = last_play(match(), deal("Rd", "Rc", "Cc", "Fc"), play(1, None, []), play(0, "4b", []))
    assert (told["ruling"], told["reasons"]) == ("unclear", ["table-card-not-seen"])
    told = last_play(match("scupuni", 4), deal(), play(1, None, []), play(2, "4b", []))
    assert told["rule"] == "scupuni.md#7" and sevens_and_others(told)[0] == {"4d", "4c", "4s"}


@pytest.mark.parametrize("events", [
    # Every other 7 is seen elsewhere: on the table before, or played later in the hand.
    [deal(None, "3c", "4c", "Fc"), play(1, "7b", ["3c", "4c"]), play(0, "7d", []), play(1, "7c", ["7d"]),
     play(0, "7s", [])],
    # An equal card is taken: no other card on the table can change that.
    [deal(None, "7c", "4c", "Fc"), play(1, "7b", ["7c"])],
    # Illegal already, whatever lies there.
    [deal(None, "7c", "3c", "4c"), play(1, "7b", ["3c", "4c"])],
    # The card that was not seen is the one taken.
    [deal(None, "3c", "Rc", "Fc"), play(1, "5b", ["3c", "2c"])],
])
def test_a_ruling_stays_definite_where_no_unseen_card_changes_it(events: list[Event]) -> None:
    told = score_record([match(), *events])["plays"][0]
    assert told["ruling"] != "unclear" and "candidates" not in told


def test_a_play_that_every_unseen_card_makes_illegal_is_illegal() -> None:
    told = last_play(match(asso_piglia_tutto=True), deal(None, "3c", "Rc", "Fc"), play(1, "1b", ["3c", "Rc", "Fc"]))
    assert (told["ruling"], told["reasons"], told["rule"]) == (
        "illegal", ["not-a-sum"], "scopa.md#asso_piglia_tutto")


def test_two_unseen_cards_that_only_together_change_the_ruling() -> None:
    """No other king can lie there: only two cards that sum to 10 would have had to be taken with the king."""
    others = [play(0, "Rs", ["Rd"]), play(1, "Rb", []), play(0, "Rc", ["Rb"])]
    told = score_record([match(), deal(None, None), play(1, "Rd", []), *others])["plays"][0]
    assert (told["ruling"], told["reasons"], told["rule"]) == ("unclear", ["table-card-not-seen"], "scopa.md#7")
    legal, illegal = told["candidates"]
    assert {sum(Card.parse(code).value for code in pair) for pair in illegal["unseen"]} == {10}
    assert 10 not in {sum(Card.parse(code).value for code in pair) for pair in legal["unseen"]}


@pytest.mark.parametrize("lying", [1, 2])
@pytest.mark.parametrize(("card", "takes"), [("7b", []), ("7b", ["3c", "4c"]), ("Fs", ["Fc"]), ("1d", []), ("Rs", [])])
def test_a_ruling_is_definite_just_where_all_cards_agree(lying: int, card: str, takes: list[str]) -> None:
    """Tried out: the unseen cards put in, one set after the other."""
    seen = [*takes, *(code for code in ("3c", "4c", "Fc", "6c") if code not in takes)][:4 - lying]
    told = last_play(match(), deal(*[None] * lying, *seen), play(1, card, takes))
    free = [other.code for other in ITALIAN_DECK if other.code not in (card, *seen)]
    rulings = {last_play(match(), deal(*others, *seen), play(1, card, takes))["ruling"]
               for others in combinations(free, lying)}
    assert told["ruling"] == (rulings.pop() if len(rulings) == 1 else "unclear")


def test_the_unseen_card_on_the_table_is_told_in_words() -> None:
    events = [match(), deal(None, "3c", "4c", "Fc"), play(1, "7b", ["3c", "4c"])]
    assert ("Unclear: a card on the table was not seen, and the ruling hangs on it; the play is against the rules if "
            "it is the 7 of denari, the 7 of coppe or the 7 of spade." in explain(events))
    assert ("Incerta: una carta sul tavolo non si è vista, e da quella dipende il giudizio; la giocata non è valida "
            "se è il 7 di denari, il 7 di coppe o il 7 di spade." in explain(events, "it"))


@pytest.mark.parametrize(("game", "table", "card", "takes", "candidates", "en", "it"), [
    ("scopa", ("2c", "3c", "5b", "1s"), "2d", ["2c", None],
     [(["2c", "3c"], False), (["2c", "5b"], False), (["2c", "1s"], False)],
     "it could be the 3 of coppe, the 5 of bastoni or the ace of spade.",
     "può essere il 3 di coppe, il 5 di bastoni o l'asso di spade."),
    ("scopa", ("2c", "3c", "5s", "1s"), "6d", ["5s", None], [(["5s", "1s"], True)],
     "it could be the ace of spade.", "può essere l'asso di spade."),
    ("slurp", ("4H", "3D", "7S", "KC"), "7D", [None], [(["7S"], True)],
     "it could be the 7 of spades.", "può essere il 7 di picche."),
    # The card taken was not seen on the table either.
    ("scopa", (None, "3c", "4c", "Fc"), "7b", [None], [(["7d"], True), (["7c"], True), (["7s"], True)],
     "it could be the 7 of denari, the 7 of coppe or the 7 of spade.",
     "può essere il 7 di denari, il 7 di coppe o il 7 di spade."),
])
def test_a_take_not_seen_was_told_as_the_card_played(
        game: str, table: tuple[str | None, ...], card: str, takes: list[str | None],
        candidates: list[tuple[list[str], bool]], en: str, it: str) -> None:
    events = [match(game), deal(*table), play(1, card, takes)]
    told = score_record(events)["plays"][0]
    assert told["ruling"] == "unclear"
    assert [(reading["takes"], reading["legal"]) for reading in told["candidates"]] == candidates
    assert en in explain(events) and it in explain(events, "it")
    assert "?" not in explain(events) + explain(events, "it")


@pytest.mark.parametrize("reading", [
    {"card": "7b", "takes": 5}, {"card": "7b", "takes": ["zz"]}, {"card": "7b", "takes": [[]]},
    {"card": "7b", "takes": [], "unseen": 3}, {"card": "7b", "takes": [], "unseen": [["zz"]]},
])
@pytest.mark.parametrize("takes", [[], [None]])
def test_readings_that_name_no_cards_are_passed_over(reading: dict[str, object], takes: list[str | None]) -> None:
    events = [match(), deal(None, "3c", "Rc", "Fc"), {**play(1, "7b", takes), "candidates": [reading]}]
    assert reading not in score_record(events)["plays"][0]["candidates"]
    assert explain(events).count("Unclear") == 1


def test_what_was_taken_is_not_guessed_while_an_unseen_card_can_be_it() -> None:
    told = last_play(match(), deal(None, "3c", "4c", "Fc"), play(1, "7b", None))
    takes = [reading["takes"] for reading in told["candidates"]]
    assert told["ruling"] == "unclear" and takes[0] == ["3c", "4c"] and ["7s"] in takes


@pytest.mark.parametrize(("card", "takes", "reason", "rule"), [
    ("7s", ["5c"], "not-on-table", "README.md#1"),
    ("7s", ["3c", "4d"], "not-on-table", "README.md#2"),
    ("2c", [], "card-seen-twice", "README.md#card-seen-twice"),
    (None, [], "card-not-seen", "README.md#1"),
    ("7s", [None], "takes-not-seen", "README.md#1"),
    ("7s", ["3c", None], "takes-not-seen", "README.md#2"),
])
def test_the_page_of_all_games_was_named_without_a_place(
        card: str | None, takes: list[str | None], reason: str, rule: str) -> None:
    told = last_play(match(), deal("2c", "3c", "Rc", "Cc"), play(1, card, takes))
    assert (told["reasons"][0], told["rules"][0]) == (reason, rule)


def test_a_second_forfeit_turned_the_result_round() -> None:
    """slurp: the match is over with the first; scupuni.md#11."""
    first: Event = {"type": "forfeit", "player": 0, "reason": "spoke"}
    events: list[Event] = [match("slurp"), deal("4H", "3D", "7S", "KC"), first]
    once, twice = score_record(events), score_record([*events, {"type": "forfeit", "player": 1, "reason": "x"}])
    assert twice["match"] == once["match"] and once["match"]["winner"] == 1
    assert twice["flags"] == [*once["flags"], {**twice["flags"][-1], "event": 4, "reason": "match-over"}]


@pytest.mark.parametrize("game", ["scopa", "scupuni", "slurp"])
def test_plays_after_a_forfeit_were_not_flagged(game: str) -> None:
    players = 4 if game == "scupuni" else 2
    table = {"scopa": ("2c", "3c", "Rc", "Cc"), "slurp": ("4H", "3D", "7S", "KC"), "scupuni": ()}[game]
    card = "6H" if game == "slurp" else "7s"
    events: list[Event] = [match(game, players), deal(*table), {"type": "forfeit", "player": 0}, played(1, card)]
    flags = score_record(events)["flags"]
    assert [(flag["event"], flag["reason"]) for flag in flags] == [(3, "forfeit-plain"), (4, "match-over")]
