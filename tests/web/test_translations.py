from __future__ import annotations

import re
import string
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo
from flask import Flask
from flask.testing import FlaskClient

from arbitro import wording
from rules.cards import FRENCH_CODES, ITALIAN_CODES
from rules.options import OPTIONS
from rules.record import CAPTURE_GAMES, PLAYERS, read_header
from scorer.phrases import WORDS
from scorer.points import Pile, points_of
from tests.scorer.hands import match
from web import catalog
from web.languages import COOKIE, LANGUAGES
from web.texts import card_texts, page_texts

# The decks' page has texts of its own; tests/web/test_enrolment.py holds its script against them.
SCRIPTS = sorted(
    path for path in (Path(catalog.ROOM) / "static" / "js").glob("*.js") if path.name != "enrolment.js"
)
# Keys that the script makes from codes of the state, as in `ruling.${play.ruling}`.
COMPOSED = {
    "deck": ["italian", "french", "unknown"],
    "game": list(OPTIONS),
    "points": [word.removeprefix("name-") for word in WORDS if word.startswith("name-")],
    "ruling": ["legal", "illegal", "unclear", "stand", "undo"],
    "status": ["waiting", "playing", "hand-over", "ended", "no-camera"],
}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name} | set(
        re.findall(r"%\(\w+\)s", text)
    )


def test_the_sources_hold_texts_of_every_kind_of_file() -> None:
    files = {location for message in catalog.source_texts() for location, _ in message.locations}
    assert {"web/texts.py", "web/api.py", "web/guard.py", "web/templates/dashboard.html"} <= files


@pytest.mark.parametrize("language", catalog.TRANSLATED)
def test_every_text_is_translated(language: str) -> None:
    assert catalog.untranslated(language) == []


@pytest.mark.parametrize("language", catalog.TRANSLATED)
def test_translations_keep_the_places_to_fill_in(language: str) -> None:
    for message in catalog.read_translations(language):
        if message.id:
            assert fields(str(message.string)) == fields(str(message.id)), message.id


@pytest.mark.parametrize("language", catalog.TRANSLATED)
def test_no_translation_is_left_over(language: str) -> None:
    known = {message.id for message in catalog.source_texts()}
    assert [message.id for message in catalog.read_translations(language) if message.id not in known] == []


@pytest.mark.parametrize("language", catalog.TRANSLATED)
def test_the_compiled_catalog_is_that_of_the_written_one(language: str) -> None:
    with catalog.po_path(language).with_suffix(".mo").open("rb") as file:
        compiled = {message.id: message.string for message in read_mo(file) if message.id}
    written = {message.id: message.string for message in catalog.read_translations(language) if message.id}
    assert compiled == written, "run `python -m web.catalog`"


def test_the_dashboard_speaks_the_languages_of_the_program() -> None:
    assert set(LANGUAGES) == set(wording.LANGUAGES) == {"en", *catalog.TRANSLATED}


def test_the_script_uses_exactly_the_texts_it_is_given(app: Flask) -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    used = (
        set(re.findall(r"""text\(\s*\n?\s*"([\w.-]+)\"""", sources))
        | set(re.findall(r"""\? "([a-z]+\.[\w.-]+)" : "[a-z]+\.[\w.-]+\"""", sources))
        | set(re.findall(r"""\? "[a-z]+\.[\w.-]+" : "([a-z]+\.[\w.-]+)\"""", sources))
    )
    composed = set(re.findall(r"""text\(\s*`(\w+)\.\$\{""", sources))
    assert composed == set(COMPOSED)
    used |= {f"{kind}.{name}" for kind, names in COMPOSED.items() for name in names}
    with app.test_request_context("/"):
        given = set(page_texts("en"))
    assert used - given == set(), "texts that the script lacks"
    assert given - used == set(), "texts that nobody shows"


@pytest.mark.parametrize("language", LANGUAGES)
def test_points_and_games_have_labels_in_all_games(app: Flask, language: str) -> None:
    """The dashboard words every point that a game counts, and names every game that has options."""
    with app.test_request_context("/"):
        texts = page_texts(language)
    for game in OPTIONS:
        assert texts[f"game.{game}"]
    for game in CAPTURE_GAMES:
        options = {} if game == "slurp" else {"napola": True, "re_bello": True}
        header = read_header(match(game, PLAYERS[game][1], **options))
        sides = [Pile(())] * len(header.sides)
        for award in points_of(header, sides):
            assert texts[f"points.{award[0].name}"][0].isupper() or texts[f"points.{award[0].name}"][0].isdigit()


def test_every_card_has_a_name_in_both_languages(app: Flask) -> None:
    with app.test_request_context("/"):
        english, italian = card_texts("en"), card_texts("it")
    assert set(english) == set(italian) == {*ITALIAN_CODES, *FRENCH_CODES, "back"}
    assert (english["7d"], italian["QS"]) == ("7 of denari", "donna di picche")
    assert len(set(english.values())) == len(english)


@pytest.mark.parametrize(("language", "heading"), [("en", "On the table"), ("it", "Sul tavolo")])
def test_the_page_is_written_in_the_language_asked_for(
    client: FlaskClient, language: str, heading: str
) -> None:
    page = client.get(f"/?lang={language}").text
    assert f'<html lang="{language}">' in page
    assert heading in page


def test_the_choice_of_language_is_remembered(client: FlaskClient) -> None:
    assert '<html lang="en">' in client.get("/").text
    client.get("/?lang=it")
    assert '<html lang="it">' in client.get("/").text
    client.set_cookie(COOKIE, "xx")
    assert '<html lang="en">' in client.get("/").text
