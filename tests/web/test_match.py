"""The page on which a match is set up: every option of every game, from the options' own data."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

import web
from arbitro.journal import Journal
from rules.options import OPTIONS, PRESETS
from rules.record import PLAYERS
from tests.arbitro.hands import looks_of_a_hand
from tests.arbitro.test_table import SHOWN, watched
from tests.web.conftest import Serving
from tests.web.dashboard_page import DashboardPage
from tests.web.fake_table import FakeTable
from web.match import MOST_PLAYERS


@pytest.mark.parametrize("language", ["en", "it"])
def test_every_option_is_there_with_its_sentence_default_and_values(client: FlaskClient, language: str) -> None:
    page = unescape(client.get(f"/match?lang={language}").text)
    assert f'<html lang="{language}">' in page
    for game, options in OPTIONS.items():
        fieldset = page.split(f'data-game="{game}"')[1].split("</fieldset>")[0]
        assert f'data-most="{PLAYERS[game][1]}"' in fieldset
        for option in options:
            assert f'name="{option.name}"' in fieldset and option.sentence[language] in fieldset
            assert option.allowed[language].replace(" | ", ", ") in fieldset
            for choice in option.choices:
                assert f'value="{choice}"' in fieldset
    for name in PRESETS:
        assert f'<option value="{name}"' in page
    assert page.count('name="player"') == MOST_PLAYERS == 10


def test_the_form_is_filled_in_with_the_match_as_it_is(client: FlaskClient, table: FakeTable) -> None:
    text = re.search(r'id="settings">(.*?)</script>', client.get("/match").text)
    assert text is not None
    session = json.loads(unescape(text[1]))["session"]
    assert session == {"game": "scopa", "players": ["Anna", "Bruno"], "dealer": 0, "options": {}}


def test_the_way_there_is_shown_only_while_a_match_may_be_set_up(client: FlaskClient, table: FakeTable) -> None:
    assert "Cards of this match have been played" in client.get("/match").text
    state = table.state("en")
    state["session"]["may_set_up"] = True
    table.change(state)
    assert "Cards of this match have been played" not in client.get("/match").text


def test_a_match_that_cannot_be_is_answered_with_the_nearest_that_can(tmp_path: Path) -> None:
    live = watched(tmp_path / "j.sqlite")
    client = web.create_app(live).test_client()
    form = {"type": "match", "game": "scopa", "players": ["Anna", "Bruno"], "options": {"targt": "16"}}
    answer = client.post("/api/command?lang=it", json=form)
    assert answer.status_code == 409 and "forse target?" in answer.get_json()["error"]
    assert client.post("/api/command", json={**form, "options": {"target": 16}}).get_json()["event"] == 1
    live.journal.close()


# In a browser


@pytest.mark.browser
def test_a_match_is_set_up_in_the_browser_and_followed(
    serve: type[Serving], page: DashboardPage, tmp_path: Path, journals: list[Journal]
) -> None:
    page.expect_complaints("409")
    live = watched(tmp_path / "j.sqlite")
    journals.append(live.journal)
    page.open(serve(live).url)
    page.tap("#set-up a")
    page.wait_for(lambda: page.text("#match-form"))
    # The dashboard's games and their options, one set shown at a time.
    assert page.texts('[name="game"] option') == [
        "Scopa", "Scupuni", "Slurp", "Slapjack", "Irish Snap", "Spit", "Speed"]  # fmt: skip
    # Those that this watch would refuse to go over to cannot be chosen.
    assert page.texts('[name="game"] option:disabled') == ["Slapjack", "Irish Snap", "Spit", "Speed"]
    assert page.script("return [...document.querySelectorAll('.options:not([hidden])')].map(e => e.dataset.game)") == [
        "scopa"]  # fmt: skip
    seats = [seat for seat in page.find_all('[name="player"]') if seat.is_displayed()]
    assert [seat.get_attribute("value") for seat in seats] == ["Anna", "Bruno", "", ""]
    for seat, name in zip(seats, ["Carla", "Dario", "Elsa", "Fabio"], strict=True):
        seat.clear()
        seat.send_keys(name)
    assert page.texts('[name="dealer"] option') == ["Carla", "Dario", "Elsa", "Fabio"]
    page.tap('[name="dealer"] option[value="3"]')
    # A preset fills in its options; a number that cannot be is refused with the nearest that can.
    page.tap('[name="preset"] option[value="scopa-bga"]')
    assert page.script("return document.getElementById('scopa-fewest_cards').value") == "yes"
    page.tap('#scopa-team option[value="yes"]')
    target = page.find("#scopa-target")
    target.clear()
    target.send_keys("0")
    page.tap("#match-form button[type=submit]")
    page.wait_for(lambda: "did you mean 1?" in page.text("#match-failure"))
    assert live.journal.last_id == live.state("en")["revision"] and "Carla" not in live.record()
    target.clear()
    target.send_keys("21")
    page.tap("#match-form button[type=submit]")
    page.wait_for(lambda: page.revision > 0)
    assert json.loads(live.record()) == {
        "type": "match", "format": 1, "game": "scopa", "players": ["Carla", "Dario", "Elsa", "Fabio"], "dealer": 3,
        "options": {"preset": "scopa-bga", "team": True, "target": 21}}  # fmt: skip
    assert page.text("#match") == "Match to 21"
    assert [name.split("\n")[0] for name in page.texts("#sides h3")] == ["Carla & Elsa", "Dario & Fabio"]
    for look in looks_of_a_hand(seed=3, plays=2):
        live.observe(look, SHOWN)
    page.wait_for(lambda: len(page.plays) == 2)
    assert page.text("#set-up") == "" and "Carla" in page.plays[1]


@pytest.mark.browser
def test_the_form_fits_a_phone_in_italian(serve: type[Serving], page: DashboardPage, table: FakeTable) -> None:
    url = serve(table).url
    phone = {"width": 320, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    page.browser.get(f"{url}/match?lang=it")
    page.wait_for(lambda: page.text("#match-form"))
    for game in ("slurp", "scupuni"):
        page.tap(f'[name="game"] option[value="{game}"]')
        assert not page.overflows_sideways()
    assert sum(seat.is_displayed() for seat in page.find_all('[name="player"]')) == 4
    assert page.text("h2").lower() == "prepara la partita"
    assert not page.find("#match-form button[type=submit]").is_enabled()


def test_options_were_called_by_their_english_code_names_on_the_italian_form(client: FlaskClient) -> None:
    page = unescape(client.get("/match?lang=it").text)
    for game, options in OPTIONS.items():
        for option in options:
            called = re.search(rf'<label for="{game}-{option.name}">([^<]+)</label>', page)
            assert called is not None and called[1][0].isupper(), option.name
    for english in ("first past the post", "last sweep", "fewest cards", "Both over the target"):
        assert english not in page
