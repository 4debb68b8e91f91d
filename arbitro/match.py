"""From what people say of a match, on the command line or in a form, to the beginning of a hand record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arbitro.errors import UnusableInputError
from arbitro.wording import WordedError
from rules.options import OPTIONS, option, read_options, unknown_game
from rules.record import PLAYERS

_LONGEST_NAME = 40


class MatchError(WordedError, ValueError):
    """Say why a match cannot be set up like that."""


@dataclass(frozen=True)
class Match:
    """What is played: the beginning of a hand record."""

    game: str
    players: tuple[str, ...]
    dealer: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def event(self) -> dict[str, Any]:
        """Return the match event of the hand record."""
        return {
            "type": "match",
            "format": 1,
            "game": self.game,
            "players": list(self.players),
            "dealer": self.dealer,
            "options": dict(self.options),
        }


def read_match(game: str, players: str | None, dealer: int, options: Sequence[str]) -> Match:
    """Return the match described by options of the command line.

    `players` are names separated by commas in seat order, two unnamed ones if None; `options` are texts "key=value".

    Raises `UnusableInputError` for names, seats or options that cannot be, `rules.options.OptionError` for options that
    the game does not have.
    """
    game, options = check_game(game), tuple(options)
    names = ["Player 1", "Player 2"] if players is None else [name.strip() for name in players.split(",")]
    if any(not name for name in names):
        raise UnusableInputError("a player's name is empty: give --players like Anna,Bruno")
    if len(set(names)) != len(names):
        raise UnusableInputError("two players have the same name: give each another one in --players")
    if not 0 <= dealer < len(names):
        raise UnusableInputError(f"--dealer {dealer} is no seat: the seats are 0 to {len(names) - 1}")
    return Match(game, tuple(names), dealer, game_options(game, options))


def match_of_form(form: Mapping[str, Any]) -> Match:
    """Return the match that a form describes: game, players (a list of names), dealer (a seat), options by name.

    Options that are given keep their values; those left out have the game's own. Raises `MatchError` or
    `rules.options.OptionError`, both with their texts in English and Italian.
    """
    game = form.get("game")
    if not isinstance(game, str):
        raise unknown_game(game)
    game = check_game(game)
    players = form.get("players")
    if not isinstance(players, list) or not all(isinstance(name, str) for name in players):
        raise MatchError("match-no-names")
    names = [" ".join(name.split()) for name in players]
    fewest, most = PLAYERS[game]
    if not fewest <= len(names) <= most:
        code = "match-count" if fewest == most else "match-counts"
        raise MatchError(code, game=game, fewest=fewest, most=most, count=len(names))
    for seat, name in enumerate(names):
        if not name or len(name) > _LONGEST_NAME or not name.isprintable():
            raise MatchError("match-name", seat=seat + 1, most=_LONGEST_NAME)
        if name in names[:seat]:
            raise MatchError("match-same-name", name=name)
    dealer = form.get("dealer", 0)
    if not isinstance(dealer, int) or isinstance(dealer, bool) or not 0 <= dealer < len(names):
        raise MatchError("match-dealer")
    given = form.get("options", {})
    if not isinstance(given, Mapping):
        raise MatchError("match-options")
    complete = read_options(game, given)
    if complete.get("team") and len(names) != 4:
        raise MatchError("match-pairs", count=len(names))
    named = {option(game, name).name for name in given if name != "preset"}
    preset = {"preset": given["preset"]} if given.get("preset") else {}
    chosen = {name: value for name, value in complete.items() if name in named}
    return Match(game, tuple(names), dealer, preset | chosen)


def check_game(game: str) -> str:
    """Return the name of a game in its usual form; raises `OptionError` with the nearest for one that is not known."""
    name = game.strip().lower()
    if name not in OPTIONS:
        raise unknown_game(game)
    return name


def game_options(game: str, options: Sequence[str]) -> dict[str, bool | int | str]:
    """Return the options given as "key=value", checked and with values of their types; those not given are left out."""
    given: dict[str, str] = {}
    for text in options:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UnusableInputError(f"--option {text} has no value: write it like --option target=16")
        given[name.strip()] = value.strip()
    complete = read_options(game, given)
    names = [option(game, name).name for name in given if name != "preset"]
    return ({"preset": given["preset"]} if "preset" in given else {}) | {
        name: complete[name] for name in names
    }
