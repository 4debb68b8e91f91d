"""The hand record: round trips, and one-line errors that name the line."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.record import Event, RecordError, parse_record, write_record
from scorer import score_record
from scorer.explain import explain
from scorer.report import render
from tests.scorer.hands import match, random_hand

HEADER = '{"type": "match", "format": 1, "game": "scopa", "players": ["Anna", "Bruno"], "dealer": 0, "options": {}}'
SLAPJACK = '{"type": "match", "format": 1, "game": "slapjack", "players": ["Anna", "Bruno"], "dealer": 0}'
SPIT = '{"type": "match", "format": 1, "game": "spit", "players": ["Anna", "Bruno"]}'


def test_reading_and_writing_again_gives_the_same_events() -> None:
    text = "\n".join([
        HEADER[:-1] + ', "place": "at Gino\'s", "nested": {"a": [1, null]}}',
        '{"type": "deal", "table": ["4d", "3c", null, "Rs"], "t_ms": 12.5}',
        '{"type": "play", "player": null, "card": null, "takes": null, "note": "perché no"}', '{"type": "end"}', ""])
    record = parse_record(text)
    assert parse_record(write_record(record)).events == record.events
    assert record.events == [json.loads(line) for line in text.splitlines()]
    assert record.header.players == ("Anna", "Bruno") and not record.cut_off
    assert parse_record(text.encode()).events == record.events
    assert parse_record(("\ufeff" + text).replace("\n", "\r\n")).events == record.events


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(["scopa", "slurp"]))
def test_record_to_state_to_record_is_the_identity(seed: int, game: str) -> None:
    events = [match(game), *random_hand(game, random.Random(seed), illegal=0.2)]
    text = write_record(events)
    read = parse_record(text)
    document = score_record(read.events)
    # What the document tells of every play is enough to write the play again.
    again = [{**event, "card": told["card"], "takes": told["takes"], "player": told["player"]} if told else event
             for event, told in zip(read.events, [None, None, *document["plays"], None], strict=True)]
    assert write_record(again) == text


@pytest.mark.parametrize(("lines", "line", "message"), [
    ("", 1, "the record is empty"),
    ("\n\n", 1, "the record is empty"),
    ('{"type": "deal", "table": []}\n', 1, "the header is missing"),
    ("[1, 2]\n", 1, "expected an event (a JSON object), not [1, 2]"),
    ("not json\n", 1, "not JSON"),
    (f"{HEADER}\n\n{{}}\n", 2, "the line is empty"),
    (f"{HEADER}\nNaN\n", 2, "not JSON"),
    (HEADER + '\n{"type": "pley"}\n', 2, 'type "pley" is not known: did you mean play?'),
    (HEADER + '\n{"card": "7d"}\n', 2, "type null is not known"),
    (HEADER + "\n" + HEADER + "\n", 2, "a second match event"),
    (HEADER + '\n{"type": "flip", "player": 0, "card": "7D"}\n', 2, "flip is not an event of scopa"),
    (HEADER + '\n{"type": "deal", "table": ["4d", "9d"]}\n', 2, "table: '9d' is not a card"),
    (HEADER + '\n{"type": "deal", "table": ["4d", "4d"]}\n', 2, "table: 4d is there twice"),
    (HEADER + '\n{"type": "deal", "table": "4d"}\n', 2, 'table: expected a list of cards, not "4d"'),
    (HEADER + '\n{"type": "play", "player": 0, "takes": []}\n', 2, "card: missing"),
    (HEADER + '\n{"type": "play", "player": 0, "card": 7}\n', 2, "card: 7 is not a card"),
    (HEADER + '\n{"type": "play", "player": 2, "card": "7d"}\n', 2, "player: expected a seat from 0 to 1, not 2"),
    (HEADER + '\n{"type": "play", "player": true, "card": "7d"}\n', 2, "player: expected a seat"),
    (HEADER + '\n{"type": "play", "player": 0, "card": "7d", "takes": ["7d"]}\n', 2, "takes: 7d is there twice"),
    (HEADER + '\n{"type": "play", "player": 0, "card": "7d", "marked": "yes"}\n', 2, "marked: expected true"),
    (HEADER + '\n{"type": "undo", "event": 2}\n', 2, "event: expected the line of an earlier event"),
    (HEADER + '\n{"type": "undo", "event": 1}\n', 2, "event: expected the line of an earlier event"),
    (HEADER + '\n{"type": "stand"}\n', 2, "event: expected the line of an earlier event"),
    (HEADER + '\n{"type": "forfeit", "player": null}\n', 2, "player: expected a seat"),
    (HEADER + '\n{"type": "forfeit", "player": 0, "reason": 3}\n', 2, "reason: expected a text"),
    (HEADER.replace("scopa", "scupuni") + "\n", 1, "players: scupuni is for 4 players, not 2"),
    (HEADER.replace('["Anna", "Bruno"]', "2") + "\n", 1, "players: expected a list of names, not 2"),
    (HEADER.replace('"Bruno"', '"\\ud800"') + "\n", 1, "players: expected a list of names"),
    (HEADER.replace('"dealer": 0', '"dealer": 2') + "\n", 1, "dealer: expected a seat from 0 to 1, not 2"),
    (HEADER.replace('"format": 1', '"format": 2') + "\n", 1, "format 2 is not known: expected 1"),
    (HEADER.replace('"scopa"', '"scopaa"') + "\n", 1, "did you mean scopa?"),
    (HEADER.replace("{}", '{"targt": 3}') + "\n", 1, "did you mean target?"),
    (HEADER.replace("{}", "[3]") + "\n", 1, "options: expected names and values, not [3]"),
    (HEADER.replace("{}", '{"team": true}') + "\n", 1, "pairs (team, scopone) need 4 players, not 2"),
    (SLAPJACK[:-1] + ', "stocks": [26]}\n', 1, "stocks: expected 2 counts of cards, not [26]"),
    (SLAPJACK[:-1] + ', "stocks": [40, 40]}\n', 1, "stocks: 80 cards are more than the 52"),
    (SLAPJACK + '\n{"type": "slap", "player": 0, "t_ms": "now"}\n', 2, 't_ms: expected a number'),
    (SLAPJACK + '\n{"type": "slap", "player": 0, "t_ms": 1e999}\n', 2, '1e999 is too large a number'),
    (SLAPJACK + '\n{"type": "slap", "player": 0, "under": [0]}\n', 2, "under: expected the seats of other players"),
    (SLAPJACK + '\n{"type": "flip", "player": 0, "card": "7D", "call": "11"}\n', 2, "call: expected a rank"),
    (SLAPJACK + '\n{"type": "flip", "player": 0}\n', 2, "card: missing"),
    (SPIT + '\n{"type": "land", "player": 0, "card": "7D", "pile": 2}\n', 2, "pile: expected 0 or 1, not 2"),
    (SPIT + '\n{"type": "land", "player": 0, "pile": 1}\n', 2, "card: missing"),
    (SPIT + '\n{"type": "spit", "cards": []}\n', 2, "cards: expected one card or two"),
    (SPIT + '\n{"type": "layout", "stocks": [15], "spit": [11, 11]}\n', 2, "stocks: expected two counts of cards"),
    (f'{HEADER}\n{{"type": "play", "x": "{"y" * 100_001}"}}\n', 2, "characters"),
    (HEADER + "\n" + "{}\n" * 100_000, 100_001, "the record has 100001 lines: a record has at most 100000"),
    ("[" * 100_000 + "\n", 1, "not JSON"),
    (HEADER + "\n" + '{"a":' * 10_000 + "\n", 2, "not JSON"),
])
def test_what_is_wrong_is_told_in_one_line(lines: str, line: int, message: str) -> None:
    with pytest.raises(RecordError) as error:
        parse_record(lines)
    assert error.value.line == line and message in str(error.value)
    assert str(error.value).startswith(f"line {line}: ") and "\n" not in str(error.value)


def test_binary_is_no_record() -> None:
    with pytest.raises(RecordError, match=r"line 2: not text in UTF-8"):
        parse_record(HEADER.encode() + b"\n\xff\xfe\x00")


@pytest.mark.parametrize("tail", ['{"type": "pl', '{"type": "play", "player": 0, "card"', "{"])
def test_a_record_cut_off_in_its_last_line_gives_what_came_before(tail: str) -> None:
    record = parse_record(f'{HEADER}\n{{"type": "deal", "table": []}}\n{tail}')
    assert record.cut_off and len(record.events) == 2
    with pytest.raises(RecordError, match="line 3: not JSON"):
        parse_record(f'{HEADER}\n{{"type": "deal", "table": []}}\n{tail}\n')


def broken(chance: random.Random) -> bytes:
    """Give a record that something has happened to."""
    game = chance.choice(["scopa", "slurp", "scupuni"])
    players = 4 if game == "scupuni" else 2
    events: list[Event] = [match(game, players), *random_hand(game, chance, players, illegal=0.2)]
    lines = write_record(events).splitlines()
    how = chance.randrange(8)
    if how == 0:
        return "\n".join(lines).encode()[:chance.randrange(3000)]
    if how == 1:
        chance.shuffle(lines)
    elif how == 2:
        place = chance.randrange(len(lines))
        event = json.loads(lines[place])
        event[chance.choice(list(event))] = chance.choice([None, 3, -1, "x", [], {}, [[]], True, 1.5, ["7d", "7d"]])
        lines[place] = json.dumps(event)
    elif how == 3:
        place = chance.randrange(len(lines))
        lines[place] = lines[place].replace(chance.choice("dcsbDHCS72"), chance.choice(["z", "9", '"', "\\", "\u2028"]))
    elif how == 4:
        lines *= chance.randrange(2, 20)
    elif how == 5:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(2000)))
    elif how == 6:
        for _ in range(chance.randrange(1, 6)):
            del lines[chance.randrange(len(lines))]
    else:
        event = {"type": chance.choice(["correct", "undo", "stand", "decide", "forfeit", "end", "deal", "play"]),
                 "event": chance.randrange(-2, 60), "player": chance.choice([0, 1, 5, None]),
                 "card": chance.choice(["7d", "7D", None, "q"]), "takes": chance.choice([[], None, ["7c"], ["7H"]]),
                 "table": chance.choice([[], ["7d"], None]), "reason": "x"}
        lines.insert(chance.randrange(1, len(lines) + 1), json.dumps(event))
    return ("\n".join(lines) + chance.choice(["", "\n"])).encode()


@pytest.mark.parametrize("part", range(4))
def test_broken_records_give_one_line_errors_or_a_partial_state(part: int) -> None:
    errors = states = 0
    for seed in range(50):
        data = broken(random.Random(part * 50 + seed))
        try:
            events = parse_record(data).events
            document = score_record(events)
        except RecordError as error:
            assert "\n" not in str(error) and len(str(error)) < 400
            errors += 1
        else:
            assert render(document) and explain(events, "it")
            json.dumps(document)
            states += 1
    assert errors > 5 and states > 5


def test_a_record_cut_off_in_the_middle_of_a_letter_gives_what_came_before() -> None:
    data = (HEADER + "\n" + '{"type": "forfeit", "player": 0, "reason": "perché').encode()
    record = parse_record(data[:-1])
    assert len(record.events) == 1 and record.cut_off
    with pytest.raises(RecordError, match="line 2: not text in UTF-8"):
        parse_record(HEADER.encode() + b"\n\xc3")


@pytest.mark.parametrize(("number", "message"), [
    ("1e400", "1e400 is too large"), ("-1e400", "-1e400 is too large"), ("NaN", "not JSON"), ("Infinity", "not JSON"),
])
def test_a_number_that_json_cannot_hold_is_refused(number: str, message: str) -> None:
    with pytest.raises(RecordError, match=f"line 2: {message}"):
        parse_record(f'{HEADER}\n{{"type": "deal", "table": [], "confidence": {number}}}\n')


@pytest.mark.parametrize("given_options", ["false", "[]", '""', "0"])
def test_options_of_the_wrong_type_are_refused_even_when_empty(given_options: str) -> None:
    with pytest.raises(RecordError, match="line 1: options: expected names and values"):
        parse_record(HEADER.replace("{}", given_options) + "\n")
