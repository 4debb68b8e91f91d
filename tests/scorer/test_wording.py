"""English and Italian: every code has its sentence, and the sentences say what they should."""

from __future__ import annotations

import random
import re
from pathlib import Path
from string import Formatter

import pytest

from rules.cards import FRENCH_CODES, ITALIAN_CODES, parse_cards
from rules.record import read_header
from scorer import score_record
from scorer.explain import explain
from scorer.phrases import PHRASES, WORDS
from scorer.points import Pile, primiera
from scorer.report import render
from scorer.wording import LANGUAGES, WordingError, card_name, cards_named, joined, player_name, say, the_card
from tests.scorer.hands import dealt, match, played, random_hand
from tests.scorer.test_slapjack import flip, slap
from tests.scorer.test_spit import grab, land, spit

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("code", PHRASES)
def test_both_languages_use_the_same_arguments(code: str) -> None:
    fields = [{name for _, name, _, _ in Formatter().parse(PHRASES[code][language]) if name} for language in LANGUAGES]
    assert fields[0] == fields[1] and set(PHRASES[code]) == set(LANGUAGES)


@pytest.mark.parametrize("word", WORDS)
def test_every_word_is_there_in_both_languages(word: str) -> None:
    assert set(WORDS[word]) == set(LANGUAGES) and all(WORDS[word].values())


def test_every_code_in_the_sources_has_a_sentence() -> None:
    codes = set()
    for room in ("rules", "scorer"):
        for path in [*(ROOT / room).glob("*.py"), *(ROOT / room / "games").glob("*.py")]:
            text = path.read_text(encoding="utf-8")
            codes |= set(re.findall(r'\bReason\(\s*"([a-z-]+)"', text))
            codes |= set(re.findall(r'"([a-z]+(?:-[a-z]+)+)" (?:if|else)\b', text)) & set(PHRASES)
    assert codes >= {"out-of-turn", "capture-was-due", "misdeal", "not-adjacent", "card-seen-twice"}
    assert codes <= set(PHRASES)


def test_cards_and_players_are_named() -> None:
    assert card_name("7d") == "7 of denari" and card_name("Fc", "it") == "fante di coppe"
    assert card_name("QS", "it") == "donna di picche" and card_name("10D") == "10 of diamonds"
    assert [the_card(code, "it") for code in ("1d", "8H", "QH", "Rb", None)] == [
        "l'asso di denari", "l'8 di cuori", "la donna di cuori", "il re di bastoni", "una carta non vista"]
    assert cards_named(["7d", "3c"]) == "7 of denari and 3 of coppe"
    assert joined(["a", "b", "c"], "it") == "a, b e c" and joined([]) == ""
    assert player_name(0, ["Anna"]) == "Anna" and player_name(1, ["Anna", " "], "it") == "giocatore 1"
    names = [card_name(code, language) for language in LANGUAGES for code in (*ITALIAN_CODES, *FRENCH_CODES)]
    assert len(set(names[:92])) == 92 and len(set(names[92:])) == 92


def test_sentences() -> None:
    assert say("nobody", {"counts": (5, 5)}) == "5-5: nobody"
    assert say("out-of-turn", {"player": 0, "turn": 1}, "it", ["Anna", "Bruno"]) == (
        "Anna ha giocato fuori turno: toccava a Bruno")
    with pytest.raises(WordingError, match="language 'fr' is not known: expected en or it"):
        say("nobody", {}, "fr")
    with pytest.raises(WordingError):
        score_record([match()], "fr")


HAND = [match(), dealt("4d 3c 7b Rs"), played(1, "7s: 4d 3c"), played(0, "7d: 7b"), {"type": "stand", "event": 3},
        played(1, "Rd: Rs", marked=False), {"type": "play", "player": 0, "card": None, "takes": []}]


def test_a_hand_is_told_play_by_play() -> None:
    assert explain(HAND).splitlines() == [
        "Scopa, played by Anna and Bruno.",
        "2. Hand 1. Anna deals; on the table: the 4 of denari, the 3 of coppe, the 7 of bastoni and the re of spade.",
        "3. Bruno plays the 7 of spade and takes the 4 of denari and the 3 of coppe. Not legal: an equal card lay "
        "there (the 7 of bastoni) and must be taken alone (README.md#2). It is let stand.",
        "4. Anna plays the 7 of denari and takes the 7 of bastoni.",
        "6. Bruno plays the re of denari and takes the re of spade. The table is empty: scopa! Note: the table was "
        "swept and the point was not marked.",
        "7. Anna lays a card that was not seen. Unclear: the card played was not seen; it could be the ace of denari, "
        "the 2 of denari, the 3 of denari, the 5 of denari or the 6 of denari.",
        "The hand is not over.",
        "Anna: settebello 1 (holds the settebello).",
        "Bruno: scope 1 (made: 1).",
    ]
    assert explain(HAND, "it").splitlines()[2] == (
        "3. Bruno gioca il 7 di spade e prende il 4 di denari e il 3 di coppe. Non è valida: c'era una carta uguale "
        "(il 7 di bastoni), che va presa da sola (README.md#2). La si lascia valere.")


def test_the_points_of_a_whole_hand_are_told_with_their_reasons() -> None:
    events = [match(), *random_hand("scopa", random.Random(1))]
    document = score_record(events)
    lines = explain(events).splitlines()
    assert lines[-1] == f"The match stands at {document['match']['totals'][0]}-{document['match']['totals'][1]}."
    text = "\n".join(lines)
    for side in document["hands"][0]["sides"]:
        for point in side["points"]:
            assert f"{point['name']} {point['points']} ({point['why']})" in text
        primiera = [point for point in side["points"] + side["lost"] if point["name"] == "primiera"]
        assert primiera[0]["why_args"]["sums"][0] == side["primiera"]["sum"]
        assert primiera[0]["why_args"]["cards"] == side["primiera"]["cards"]


RECORDS = [
    HAND, [*HAND, {"type": "end"}],
    [match(), *random_hand("scopa", random.Random(1), illegal=0.3), *random_hand("scopa", random.Random(2))],
    [match("slurp"), *random_hand("slurp", random.Random(1), illegal=0.3)],
    [match("scupuni", 4), *random_hand("scupuni", random.Random(1), 4),
     {"type": "forfeit", "player": 1, "reason": "x"}],
    [match("slapjack", 3), flip(1, "4H"), flip(2, "JS"), slap(0, 100), slap(1, 105), {"type": "undo", "event": 2},
     flip(0, "4H"), slap(1), {"type": "forfeit", "player": 0}, {"type": "time", "t_ms": 9}],
    [match("irish-snap", 3), flip(1, "AH"), slap(0, 100), flip(2, None), slap(1), slap(2), flip(0, "5H")],
    [match("spit"), spit("4D", "KH"), land(0, "5H", 0, 10), land(1, "3H", 0, 12), land(1, "3D", 1),
     {"type": "undo", "event": 5}, grab(0, 0, 5), grab(1, 0, 6), {"type": "decide", "event": 7, "player": 0},
     {"type": "layout", "stocks": [15, 15], "spit": [3, 19]}],
    [match("speed", scoring=True), spit("4D", "KH"), land(0, "5H", 0), {"type": "deal"},
     {"type": "forfeit", "player": 0}],
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("events", RECORDS, ids=[str(place) for place in range(len(RECORDS))])
def test_every_event_is_told_and_every_document_can_be_printed(events: list[dict[str, object]], language: str) -> None:
    document = score_record(events, language)
    told, page = explain(events, language), render(document, language)
    numbers = {int(line.split(".")[0]) for line in told.splitlines() if line.split(".")[0].isdigit()}
    rulings = document.get("plays", []) + document.get("flips", []) + document.get("landings", [])
    assert numbers >= {ruling["event"] for ruling in rulings}
    assert told.endswith("\n") and page.endswith("\n") and "?" not in told.replace("?:", "")
    for flag in document["flags"]:
        assert flag["text"] in page
    for name in document["players"]:
        assert name in page


def test_the_table_of_a_hand() -> None:
    page = render(score_record([*HAND, {"type": "end"}]))
    assert "Hand 1 (dealt by Anna)" in page
    assert "  3     Bruno   7s     4d 3c  illegal, let stand: an equal card lay there" in page
    assert "settebello: holds the settebello [7d]" in page
    assert "Match (to 11): Anna " in page and "Notes:" in page and "line 6: the table was swept" in page
    assert "never seen: 1d 2d" in page


def test_no_italian_sentence_puts_an_article_after_di_or_a() -> None:
    cards = ("card", "cards", "on", "takes", "six", "equal", "captures")
    wrong = re.compile(rf"\b(?:di|a|da|in) \{{(?:{'|'.join(cards)})\}}")
    assert [code for code, phrase in PHRASES.items() if wrong.search(phrase["it"])] == []


@pytest.mark.parametrize("code", ["short-deal", "long-deal", "wrong-layout", "cards-not-played"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_one_card_is_not_told_as_1_cards(code: str, language: str) -> None:
    told = say(code, {"player": 0, "cards": 1, "expected": 4}, language, ["Anna"])
    assert "1 cards" not in told and "1 carte" not in told


def test_the_last_cards_on_the_table_are_told_with_who_takes_them() -> None:
    """scopa.md#9."""
    start = [match(), dealt("4d 3c 7b Rs")]
    end = {"type": "end"}
    assert "4. The hand is over. Bruno captured last and takes what lies there: the 4 of denari, the 3 of coppe and " \
        "the re of spade." in explain([*start, played(1, "7s: 7b"), end])
    assert "Nessuno ha preso: quel che resta non va a nessuno: il 4 di denari, " in explain(
        [*start, played(1, "1s"), end], "it")
    assert "  left on the table: 4d 3c Rs -> Bruno" in render(score_record([*start, played(1, "7s: 7b"), end]))
    swept = explain([match(), dealt("4d 3c"), played(1, "7s: 4d 3c"), end])
    assert "3. The hand is over.\n" not in swept and "4. The hand is over. Note:" in swept


def test_primiera_is_told_with_the_cards_of_both() -> None:
    """scopa.md#13: also of the side that lost it, or when it is nobody's."""
    events = [match(), *random_hand("scopa", random.Random(5), illegal=0.1)]
    shown = [line for line in render(score_record(events)).splitlines() if "primiera: " in line]
    for side, line in zip(score_record(events)["hands"][0]["sides"], shown, strict=True):
        assert all(card_name(code) in line for code in side["primiera"]["cards"])
    a, b = (parse_cards(cards.split()) for cards in ("7d 6c 1s 5b", "7c 7s 6d Fb"))
    level = primiera(read_header(match()), [Pile(a), Pile(b)])[0]
    assert say(level.why, level.args) == (
        "70-70: nobody: the 7 of denari, the 6 of coppe, the ace of spade and the 5 of bastoni")
    none = primiera(read_header(match()), [Pile(()), Pile(b)])[0]
    assert say(none.why, none.args) == "0-70, and has 0 suits only, not 4: no card"


@pytest.mark.parametrize("name", ["Anna\nBruno", "Anna\x1b[31m", "Anna\u2028", "\u202eAnna", "\x00", "\u2066 Anna"])
def test_a_name_cannot_break_a_line_or_steer_the_terminal(name: str) -> None:
    events = [{**match(), "players": [name, "Bruno"]}, dealt("4d 3c 7b Rs"), played(1, "7s: 7b"),
              {"type": "forfeit", "player": 0, "reason": f"left\r{name}"}]
    harmless = [{**match(), "players": ["Anna", "Bruno"]}, *events[1:-1], {**events[-1], "reason": "left"}]
    for write in (explain, lambda record: render(score_record(record))):
        assert not any(letter in write(events) for letter in "\x1b\r\x00\u2028\u202e\u2066")
        assert len(write(events).splitlines()) == len(write(harmless).splitlines())
    assert score_record(events)["players"][0] == name


def test_the_settebello_was_held_in_broken_italian() -> None:
    assert say("holds", {"name": "settebello"}, "it") == "ha preso: settebello"
