"""The hand record: JSON Lines, one event a line, the first line naming the game and the players.

Reading checks the form of every event and names the line of the first that is wrong; whether a play is legal, or a
position possible, is for the games to say. Fields that are not known are kept, so that reading a record and writing it
again gives the same events.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from rules.cards import Card, CardCodeError
from rules.options import OPTIONS, OptionError, Options, nearest, read_options, unknown_game

Event = dict[str, Any]

FORMAT = 1
MAX_LINE = 100_000
MAX_LINES = 100_000
_MAX_MS = 10**12

CAPTURE_GAMES = ("scopa", "scupuni", "slurp")
SLAP_GAMES = ("slapjack", "irish-snap")
RACE_GAMES = ("spit", "speed")

PLAYERS = {"scopa": (2, 4), "scupuni": (4, 4), "slurp": (2, 2), "slapjack": (2, 10), "irish-snap": (2, 10),
           "spit": (2, 2), "speed": (2, 2)}
"""The fewest and the most players of each game."""

_ANY_GAME = ("match", "correct", "stand", "undo", "forfeit", "end")
_OF_GAMES = {
    "deal": CAPTURE_GAMES + SLAP_GAMES + RACE_GAMES, "play": CAPTURE_GAMES,
    "flip": SLAP_GAMES, "slap": SLAP_GAMES, "time": SLAP_GAMES,
    "land": RACE_GAMES, "spit": RACE_GAMES, "grab": RACE_GAMES, "layout": RACE_GAMES,
    "decide": SLAP_GAMES + RACE_GAMES,
    **dict.fromkeys(_ANY_GAME, CAPTURE_GAMES + SLAP_GAMES + RACE_GAMES),
}
TYPES = tuple(_OF_GAMES)
"""The types of events, of all games."""


class RecordError(ValueError):
    """Say what is wrong with a record, and in which line (from 1; 0 when it is not one line's fault)."""

    def __init__(self, line: int, message: str) -> None:
        """Keep the line and the message apart, and both together as the text of the error."""
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line
        self.message = message


@dataclass(frozen=True, slots=True)
class Header:
    """Hold what the first line of a record says, checked: the game, who sits where, who deals, the options."""

    game: str
    players: tuple[str, ...]
    dealer: int
    options: Options
    stocks: tuple[int, ...] | None = None

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """Give the seats of each side: the two pairs, or each player for himself."""
        seats = range(len(self.players))
        if self.game == "scupuni" or self.options.get("team"):
            return (tuple(seats[::2]), tuple(seats[1::2]))
        return tuple((seat,) for seat in seats)


@dataclass(frozen=True, slots=True)
class Record:
    """Hold a record that has been read: its events, one a line, as they were written.

    ``cut_off`` tells that the last line broke off in the middle and was left out.
    """

    events: list[Event]
    cut_off: bool = False

    @property
    def header(self) -> Header:
        """Give what the first line says."""
        return read_header(self.events[0])


@dataclass(slots=True)
class Settled:
    """Hold an event as it stands after people have corrected the record.

    ``number`` is its line, ``event`` its fields with all corrections in, ``undone`` that it was taken back, ``stands``
    that the people let it stand, ``decided`` the player for whom they decided a dispute in which it takes part and
    ``decided_at`` the line in which they did: of several decisions about one dispute the last one holds.
    """

    number: int
    event: Event
    corrected: bool = False
    undone: bool = False
    stands: bool = False
    decided: int | None = None
    decided_at: int = 0
    corrections: list[tuple[int, Event]] = field(default_factory=list)


def parse_record(text: str | bytes) -> Record:
    """Read a record; raise ``RecordError`` that names the line.

    A last line without its line break that is not whole JSON is left out: the record was cut off while being written.
    """
    if isinstance(text, bytes):
        text = _decode(text)
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise RecordError(1, 'the record is empty: it begins with a line {"type": "match", "format": 1, ...}')
    lines = text.split("\n")
    whole = lines[-1] == ""
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) > MAX_LINES:
        raise RecordError(MAX_LINES + 1, f"the record has {len(lines)} lines: a record has at most {MAX_LINES}")
    events: list[Event] = []
    cut_off = False
    for number, line in enumerate(lines, 1):
        try:
            events.append(_read_line(number, line))
        except RecordError:
            if whole or number < len(lines) or number == 1 or not line.lstrip().startswith("{"):
                raise
            if _is_json(line):
                raise
            cut_off = True
    check_events(events)
    return Record(events, cut_off)


def write_record(record: Record | Sequence[Mapping[str, Any]]) -> str:
    """Give the text of a record, one event a line, each line with its line break."""
    events = record.events if isinstance(record, Record) else record
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)


def check_events(events: Sequence[Mapping[str, Any]]) -> Header:
    """Check the form of all events of a record and give its header; raise ``RecordError`` naming the line."""
    if not events:
        raise RecordError(1, "the record is empty: it begins with a match event")
    header = read_header(events[0])
    for number, event in enumerate(events[1:], 2):
        check_event(number, event, header)
    return header


def read_header(event: Mapping[str, Any], line: int = 1) -> Header:
    """Check the first event of a record and give what it says; raise ``RecordError``."""
    if not isinstance(event, Mapping) or event.get("type") != "match":
        raise RecordError(line, 'the header is missing: a record begins with {"type": "match", "format": 1, ...}')
    if event.get("format", FORMAT) != FORMAT or isinstance(event.get("format"), bool):
        raise RecordError(line, f"format {_shown(event['format'])} is not known: expected {FORMAT}")
    game = event.get("game")
    if not isinstance(game, str) or game not in OPTIONS:
        raise RecordError(line, f"game: {unknown_game(game)}")
    players = event.get("players")
    if not isinstance(players, (list, tuple)) or not all(_is_name(name) for name in players):
        raise RecordError(line, f"players: expected a list of names, not {_shown(players)}")
    fewest, most = PLAYERS[game]
    if not fewest <= len(players) <= most:
        many = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise RecordError(line, f"players: {game} is for {many} players, not {len(players)}")
    dealer = event.get("dealer", 0)
    if not isinstance(dealer, int) or isinstance(dealer, bool) or not 0 <= dealer < len(players):
        raise RecordError(line, f"dealer: expected a seat from 0 to {len(players) - 1}, not {_shown(dealer)}")
    given = event.get("options")
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise RecordError(line, f"options: expected names and values, not {_shown(given)}")
    try:
        options = read_options(game, given)
    except OptionError as error:
        raise RecordError(line, str(error)) from None
    if options.get("team") and len(players) != 4:
        raise RecordError(line, f"options: pairs (team, scopone) need 4 players, not {len(players)}")
    return Header(game, tuple(players), dealer, options, _read_stocks(line, game, len(players), event.get("stocks")))


def _read_stocks(line: int, game: str, players: int, stocks: Any) -> tuple[int, ...] | None:
    if stocks is None or game not in SLAP_GAMES:
        return None
    if not _are_counts(stocks, players):
        raise RecordError(line, f"stocks: expected {players} counts of cards, not {_shown(stocks)}")
    if sum(stocks) > 52:
        raise RecordError(line, f"stocks: {sum(stocks)} cards are more than the 52 of the deck")
    return tuple(stocks)


def check_event(number: int, event: Mapping[str, Any], header: Header) -> None:
    """Check the form of the event in a line after the first; raise ``RecordError`` naming the line."""
    if not isinstance(event, Mapping):
        raise RecordError(number, f"expected an event (a JSON object), not {_shown(event)}")
    kind = event.get("type")
    if not isinstance(kind, str) or kind not in _OF_GAMES:
        near = nearest(kind, TYPES) if isinstance(kind, str) else None
        hint = f"did you mean {near}? " if near else ""
        raise RecordError(number, f"type {_shown(kind)} is not known: {hint}expected one of {', '.join(TYPES)}")
    if kind == "match":
        raise RecordError(number, "a second match event: a record holds one match")
    if header.game not in _OF_GAMES[kind]:
        raise RecordError(number, f"{kind} is not an event of {header.game}")
    _CHECKS[kind](number, event, header)


def settle(events: Sequence[Mapping[str, Any]]) -> tuple[Header, list[Settled]]:
    """Give a record as it stands with all its corrections, and what the people decided of each event.

    ``correct`` gives an event new fields, ``undo`` takes an event back, ``stand`` lets it stand, ``decide`` settles a
    dispute. Each of these may itself be undone or corrected by a later one. Raise ``RecordError`` naming the line.
    """
    written = check_events(events)
    settled = [Settled(number, dict(event)) for number, event in enumerate(events, 1)]
    # From the last to the first, so that whatever is said of an event is known when its own turn comes.
    for here in reversed(settled):
        for number, correction in sorted(here.corrections, key=lambda pair: pair[0]):
            fields = {name: value for name, value in correction.items() if name not in ("type", "event")}
            here.event = {**here.event, **fields}
            here.corrected = True
            _check_corrected(number, here, written)
        if here.undone:
            continue
        kind = here.event["type"]
        if kind not in ("correct", "undo", "stand", "decide"):
            continue
        target = settled[here.event["event"] - 1]
        if kind == "correct":
            target.corrections.append((here.number, here.event))
        elif kind == "undo":
            target.undone = True
        elif kind == "stand":
            target.stands = True
        elif target.decided is None:
            target.decided = here.event["player"]
            target.decided_at = here.number
    header = read_header(settled[0].event)
    if settled[0].corrected:
        # With other players or another game, events that fitted the header as it was written may fit no more.
        for here in settled[1:]:
            check_event(here.number, here.event, header)
    return header, settled


def _check_corrected(number: int, here: Settled, header: Header) -> None:
    try:
        if here.number == 1:
            read_header(here.event, number)
        else:
            check_event(here.number, here.event, header)
    except RecordError as error:
        raise RecordError(number, f"the correction of event {here.number} does not fit: {error.message}") from None


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[:error.start]
        if error.reason == "unexpected end of data" and before.rpartition(b"\n")[2].lstrip().startswith(b"{"):
            # Cut off in the middle of a letter, in a last line that is not whole in any case.
            return before.decode("utf-8")
        line = data[:error.start].count(b"\n") + 1
        raise RecordError(line, "not text in UTF-8: a record is a text file of JSON lines") from None


def _read_line(number: int, line: str) -> Event:
    if len(line) > MAX_LINE:
        raise RecordError(number, f"the line has {len(line)} characters: an event has at most {MAX_LINE}")
    if not line.strip():
        raise RecordError(number, "the line is empty: expected one event a line")
    try:
        event = json.loads(line, parse_constant=_refuse_constant, parse_float=_finite)
    except _TooLargeError as error:
        raise RecordError(number, f"{error}: expected a number that a computer can hold") from None
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "it cannot be read"
        raise RecordError(number, f"not JSON ({reason}): expected one event a line, like "
                                  '{"type": "end"}') from None
    if not isinstance(event, dict):
        raise RecordError(number, f"expected an event (a JSON object), not {_shown(event)}")
    return event


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


class _TooLargeError(ValueError):
    """Say that a number is too large for a float."""


def _finite(digits: str) -> float:
    """Read a number; one that is too large for a float would be written again as no JSON has it."""
    number = float(digits)
    if math.isinf(number):
        raise _TooLargeError(f"{digits[:40]} is too large a number")
    return number


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _is_name(value: object) -> bool:
    # Half a surrogate pair can be written in JSON but not printed.
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _are_counts(value: object, how_many: int) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == how_many and all(
        _is_int(count) and 0 <= count <= 52 for count in value)


def _shown(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = repr(type(value))
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= 40 else text[:37] + "..."


def _seat(number: int, event: Mapping[str, Any], header: Header, may_be_unseen: bool = False) -> None:
    player = event.get("player")
    if player is None and may_be_unseen:
        return
    if not _is_int(player) or not 0 <= player < len(header.players):
        raise RecordError(number, f"player: expected a seat from 0 to {len(header.players) - 1}, not {_shown(player)}")


def _card(number: int, name: str, code: object) -> None:
    if code is None:
        return
    try:
        Card.parse(code)
    except CardCodeError as error:
        raise RecordError(number, f"{name}: {error}") from None


def _cards(number: int, name: str, codes: object, known: Sequence[object] = ()) -> None:
    if not isinstance(codes, (list, tuple)):
        raise RecordError(number, f"{name}: expected a list of cards, not {_shown(codes)}")
    seen = set(known)
    for code in codes:
        _card(number, name, code)
        if code is not None and code in seen:
            raise RecordError(number, f"{name}: {code} is there twice in one event")
        seen.add(code)


def _count(number: int, event: Mapping[str, Any], name: str, most: int, default: int | None = None) -> None:
    value = event.get(name, default)
    if value is None and name in ("t_ms", "error_ms"):
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
        raise RecordError(number, f"{name}: expected a number from 0 to {most}, not {_shown(value)}")


def _times(number: int, event: Mapping[str, Any]) -> None:
    _count(number, event, "t_ms", _MAX_MS)
    _count(number, event, "error_ms", _MAX_MS)


def _under(number: int, event: Mapping[str, Any], header: Header) -> None:
    under = event.get("under", [])
    if not isinstance(under, (list, tuple)) or not all(
            _is_int(seat) and 0 <= seat < len(header.players) and seat != event.get("player") for seat in under):
        raise RecordError(number, f"under: expected the seats of other players, not {_shown(under)}")


def _pile(number: int, event: Mapping[str, Any], required: bool = True) -> None:
    pile = event.get("pile")
    if pile is None and not required:
        return
    if not _is_int(pile) or pile not in (0, 1):
        raise RecordError(number, f"pile: expected 0 or 1, not {_shown(pile)}")


def _check_deal(number: int, event: Mapping[str, Any], header: Header) -> None:
    _cards(number, "table", event.get("table", []))


def _check_play(number: int, event: Mapping[str, Any], header: Header) -> None:
    _seat(number, event, header, may_be_unseen=True)
    if "card" not in event:
        raise RecordError(number, "card: missing; expected a code, or null for a card that was not seen")
    _card(number, "card", event["card"])
    if event.get("takes", []) is not None:
        _cards(number, "takes", event.get("takes", []), known=[event["card"]] if event["card"] else [])
    if not isinstance(event.get("marked"), (bool, type(None))):
        raise RecordError(number, f"marked: expected true, false or null, not {_shown(event['marked'])}")


def _check_reference(number: int, event: Mapping[str, Any], header: Header) -> None:
    target = event.get("event")
    first = 1 if event["type"] == "correct" else 2
    if number <= first:
        raise RecordError(number, "event: expected the line of an earlier event, and there is none")
    if not _is_int(target) or not first <= target < number:
        raise RecordError(number, f"event: expected the line of an earlier event, from {first} to {number - 1}, "
                                  f"not {_shown(target)}")


def _check_decide(number: int, event: Mapping[str, Any], header: Header) -> None:
    _check_reference(number, event, header)
    _seat(number, event, header)


def _check_forfeit(number: int, event: Mapping[str, Any], header: Header) -> None:
    _seat(number, event, header)
    if not isinstance(event.get("reason", ""), (str, type(None))):
        raise RecordError(number, f"reason: expected a text, not {_shown(event['reason'])}")


def _check_flip(number: int, event: Mapping[str, Any], header: Header) -> None:
    _seat(number, event, header, may_be_unseen=True)
    if "card" not in event:
        raise RecordError(number, "card: missing; expected a code, or null for a card that was not seen")
    _card(number, "card", event["card"])
    _times(number, event)
    call = event.get("call")
    if call is not None and call not in ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"):
        raise RecordError(number, f"call: expected a rank from A to K, not {_shown(call)}")


def _check_slap(number: int, event: Mapping[str, Any], header: Header) -> None:
    _seat(number, event, header)
    _times(number, event)
    _under(number, event, header)


def _check_time(number: int, event: Mapping[str, Any], header: Header) -> None:
    _times(number, event)


def _check_land(number: int, event: Mapping[str, Any], header: Header) -> None:
    _seat(number, event, header)
    if "card" not in event:
        raise RecordError(number, "card: missing; expected a code, or null for a card that was not seen")
    _card(number, "card", event["card"])
    _pile(number, event)
    _times(number, event)


def _check_spit(number: int, event: Mapping[str, Any], header: Header) -> None:
    cards = event.get("cards")
    _cards(number, "cards", cards)
    if not isinstance(cards, (list, tuple)) or not 1 <= len(cards) <= 2:
        raise RecordError(number, "cards: expected one card or two")
    _pile(number, event, required=False)
    _seat(number, event, header, may_be_unseen=True)


def _check_grab(number: int, event: Mapping[str, Any], header: Header) -> None:
    _seat(number, event, header)
    _pile(number, event)
    _times(number, event)
    _under(number, event, header)


def _check_layout(number: int, event: Mapping[str, Any], header: Header) -> None:
    for name in ("stocks", "spit"):
        counts = event.get(name)
        if not _are_counts(counts, 2):
            raise RecordError(number, f"{name}: expected two counts of cards, not {_shown(counts)}")


def _check_nothing(number: int, event: Mapping[str, Any], header: Header) -> None:
    """Accept an event that has no fields of its own."""


_CHECKS = {
    "deal": _check_deal, "play": _check_play, "end": _check_nothing,
    "correct": _check_reference, "stand": _check_reference, "undo": _check_reference,
    "decide": _check_decide, "forfeit": _check_forfeit,
    "flip": _check_flip, "slap": _check_slap, "time": _check_time,
    "land": _check_land, "spit": _check_spit, "grab": _check_grab, "layout": _check_layout,
}
