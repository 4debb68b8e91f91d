"""Options as data: types, defaults, presets, and what is said of those that are not known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rules.options import OPTIONS, PRESETS, OptionError, options_page, read_options

ROOT = Path(__file__).resolve().parents[2]

EVERY_OPTION = [(game, known) for game, options in OPTIONS.items() for known in options]


@pytest.mark.parametrize(("game", "known"), EVERY_OPTION, ids=lambda value: getattr(value, "name", value))
def test_every_option_has_a_sentence_and_a_default_that_is_allowed(game: str, known: Any) -> None:
    assert known.value(known.default) == known.default
    for language in ("en", "it"):
        assert known.sentence[language].endswith(".") and len(known.sentence[language]) > 15
    assert known.allowed
    for choice in known.choices:
        assert known.value(choice) == choice
    assert set(known.means.values()) <= set(known.choices)


@pytest.mark.parametrize("game", OPTIONS)
def test_defaults(game: str) -> None:
    assert read_options(game, {}) == {known.name: known.default for known in OPTIONS[game]}


@pytest.mark.parametrize(("game", "given", "name", "value"), [
    ("scopa", {"target": "16"}, "target", 16), ("scopa", {"target": 21}, "target", 21),
    ("scopa", {"napola": "yes"}, "napola", True), ("scopa", {"napola": "off"}, "napola", False),
    ("scopa", {"asso_piglia_tutto": "no_scopa"}, "asso_piglia_tutto", "no_scopa"),
    ("scopa", {"asso_piglia_tutto": True}, "asso_piglia_tutto", "scopa"),
    ("scopa", {"asso_piglia_tutto": False}, "asso_piglia_tutto", "no"),
    ("scopa", {"scopone": True}, "scopone", "yes"), ("scopa", {"scopone": "9+4"}, "target", 21),
    ("scopa", {"scopone": "9+4", "target": 11}, "target", 11),
    ("scopa", {"scopone_scientifico": True}, "scopone", "10+0"),
    ("scopa", {"scopone": "10+0"}, "scopone_scientifico", True), ("scopa", {"scopone": "9+4"}, "team", True),
    ("scopa", {"settanta": True}, "primiera", "settanta"), ("scopa", {"primiera_simple": True}, "settanta", True),
    ("scopa", {"primiera": "settanta"}, "settanta", True), ("scopa", {"last_sweep": "yes"}, "last_sweep", True),
    ("scupuni", {"both_over": "play_another_hand"}, "both_over", "play_another_hand"),
    ("speed", {"side_piles": 5}, "side_piles", "5"), ("speed", {"side_piles": "10"}, "side_piles", "10"),
    ("spit", {"stock_piles": "4"}, "stock_piles", 4), ("irish-snap", {"winner": True}, "winner", True),
    ("scopa", {"preset": "scopa-bga"}, "primiera", "any_suits"),
    ("scopa", {"preset": "scopa-bga", "fewest_cards": False}, "fewest_cards", False),
])
def test_values(game: str, given: dict[str, Any], name: str, value: object) -> None:
    options = read_options(game, given)
    assert options[name] == value and type(options[name]) is type(value)


@pytest.mark.parametrize(("game", "given", "message"), [
    ("scopa", {"targt": 11}, "scopa has no option 'targt': did you mean target?"),
    ("scopa", {"primera_simple": True}, "did you mean primiera_simple?"),
    ("scopa", {"xyzzy": 1}, "its options are target, "),
    ("scopa", {"target": 0}, "option target: 0 is not a whole number from 1 to 1000"),
    ("scopa", {"target": "many"}, "option target: 'many' is not a whole number"),
    ("scopa", {"target": True}, "option target: True is not a whole number"),
    ("scopa", {"target": 11.5}, "option target: 11.5 is not"),
    ("scopa", {"target": None}, "option target: None is not"),
    ("scopa", {"napola": "maybe"}, "option napola: 'maybe' is not yes or no"),
    ("scopa", {"napola": [1]}, "option napola: [1] is not yes or no"),
    ("scopa", {"asso_piglia_tutto": "scop"}, "did you mean scopa? allowed: no | scopa | no_scopa | traditional"),
    ("scopa", {"asso_piglia_tutto": 1}, "option asso_piglia_tutto: 1 is not known"),
    ("scopa", {"asso_piglia_tutto": {"a": 1}}, "option asso_piglia_tutto: {'a': 1} is not known"),
    ("scopa", {"scopone": "9+4", "team": False}, "scopone is played in pairs"),
    ("scopa", {"scopone": "9+4", "scopone_scientifico": True}, "cannot go with scopone 9+4"),
    ("scopa", {"settanta": True, "primiera": "any_suits"}, "cannot go with primiera any_suits"),
    ("scopa", {"preset": "scopa-bgaa"}, "scopa has no preset 'scopa-bgaa': did you mean scopa-bga?"),
    ("slurp", {"preset": "scopa"}, "slurp has no preset 'scopa': its presets: none"),
    ("scop", {}, "'scop' is not a game known here: did you mean scopa?"),
    ("spit", {"stock_piles": 3}, "option stock_piles: 3 is not a whole number from 4 to 5"),
])
def test_what_is_not_known_is_refused_by_name(game: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as error:
        read_options(game, given)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_a_preset_is_only_a_named_set_of_options() -> None:
    for name, (game, options) in PRESETS.items():
        assert read_options(game, {"preset": name}) == read_options(game, options)


def test_the_page_of_the_documentation_is_made_from_the_data() -> None:
    assert (ROOT / "docs" / "options.md").read_text(encoding="utf-8") == options_page("en")
    assert "Punti che vincono la partita" in options_page("it")
