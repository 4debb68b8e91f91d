"""Counting one side's pile from photos, without having followed the hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arbitro.errors import UnusableInputError
from arbitro.match import check_game, game_options
from rules.cards import FRENCH_40_CODES, FRENCH_CODES, ITALIAN_CODES, Card
from rules.record import CAPTURE_GAMES, Header, read_header
from scorer.points import Pile, Point, points_of
from scorer.wording import plain, say

# Made during play: no photo of a pile tells them.
_MADE_IN_PLAY = ("scope", "slurps")


class PileCounter:
    """Count a pile of a capture game against what the other side must then hold.

    Raises `UnusableInputError` for a game that is not counted by its pile, `rules.options.OptionError` for an option
    that it does not have.
    """

    def __init__(self, game: str, options: Sequence[str]) -> None:
        game = check_game(game)
        if game not in CAPTURE_GAMES:
            raise UnusableInputError(f"{game} has no pile to count: use one of {', '.join(CAPTURE_GAMES)}")
        given: Mapping[str, Any] = game_options(game, options)
        in_pairs = game == "scupuni" or bool(given.get("team")) or given.get("scopone", "no") != "no"
        seats = 4 if in_pairs else 2
        self.header: Header = read_header(
            {
                "type": "match",
                "game": game,
                "players": [str(seat) for seat in range(seats)],
                "options": dict(given),
            }
        )

    @property
    def faces(self) -> tuple[str, ...]:
        """The codes that can lie in such a pile: what else is seen on the photos is none of its cards."""
        return FRENCH_40_CODES if self.header.game == "slurp" else (*ITALIAN_CODES, *FRENCH_40_CODES)

    def points(self, codes: Sequence[str], unread: int, language: str) -> dict[str, Any]:
        """Return what the pile is worth: {"cards", "unread", "points": [...], "total", "certain"}.

        `codes` are the cards read, `unread` is how many more lie in it; with any of those the points are not certain.
        """
        is_french = any(code in FRENCH_CODES for code in codes)
        deck = FRENCH_40_CODES if is_french or self.header.game == "slurp" else ITALIAN_CODES
        mine = Pile(tuple(Card.parse(code) for code in codes))
        theirs = Pile(tuple(Card.parse(code) for code in deck if code not in set(codes)))
        awards = [
            award[0] for award in points_of(self.header, [mine, theirs]) if award[0].name not in _MADE_IN_PLAY
        ]
        return {
            "cards": len(codes),
            "unread": unread,
            "points": [_told(point, language) for point in awards],
            "total": sum(point.points for point in awards),
            "certain": unread == 0,
        }


def _told(point: Point, language: str) -> dict[str, Any]:
    return {
        "name": point.name,
        "points": point.points,
        "cards": [card.code for card in point.cards if card is not None],
        "why": say(point.why, point.args, language),
        "why_code": point.why,
        "why_args": {name: plain(value) for name, value in point.args},
    }
