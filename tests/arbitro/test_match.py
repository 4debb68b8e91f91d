from __future__ import annotations

import pytest

from arbitro.errors import UnusableInputError
from arbitro.match import read_match
from rules.options import OptionError


def test_options_of_the_command_line_get_the_types_of_the_record() -> None:
    match = read_match("Scopa", "Anna, Bruno", 1, ["target=16", "napola=yes", "asso_piglia_tutto=no_scopa"])
    assert match.event() == {
        "type": "match",
        "format": 1,
        "game": "scopa",
        "players": ["Anna", "Bruno"],
        "dealer": 1,
        "options": {"target": 16, "napola": True, "asso_piglia_tutto": "no_scopa"},
    }


@pytest.mark.parametrize(
    ("game", "players", "dealer", "options", "complaint"),
    [
        ("scopa", "Anna,", 0, [], "name is empty"),
        ("scopa", "Anna,Anna", 0, [], "same name"),
        ("scopa", None, 2, [], "the seats are 0 to 1"),
        ("scopa", None, 0, ["target"], "has no value"),
        ("scopa", None, 0, ["=4"], "has no value"),
        ("scopa", None, 0, ["tarjet=16"], "did you mean target?"),
        ("scopa", None, 0, ["target=many"], "whole number"),
        ("scoppa", None, 0, [], "did you mean scopa?"),
    ],
)
def test_what_cannot_be_is_refused(
    game: str, players: str | None, dealer: int, options: list[str], complaint: str
) -> None:
    with pytest.raises((UnusableInputError, OptionError)) as caught:
        read_match(game, players, dealer, options)
    assert complaint in str(caught.value)
