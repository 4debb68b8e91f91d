"""The page of slaps, with a room for slaps that is made up."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arbitro.table import CommandError
from tests.web.fake_table import FakeTable
from web import create_app
from web.slaps import slap_texts

SCRIPT = Path(__file__).parent.parent.parent / "web" / "static" / "js" / "slaps.js"


class FakeRoom:
    """One dispute that is too close, between Anna and Bruno."""

    def __init__(self, folder: Path) -> None:
        self.asked = 0
        self.decided: list[tuple[int, int]] = []
        self.strip = folder / "strip.png"
        self.strip.write_bytes(b"png")

    def state(self, language: str) -> dict[str, Any]:
        return {"busy": False, "players": ["Anna", "Bruno"], "slaps": [{"number": 1, "text": language}]}

    def picture(self, number: int, frame: int) -> bytes | None:
        return b"jpeg" if (number, frame) == (1, 0) else None

    def file(self, number: int, name: str) -> Path | None:
        return {"strip": self.strip, "clip": self.strip.with_name("gone.mp4")}.get(name) if number == 1 else None

    def ask(self) -> None:
        self.asked += 1

    def decide(self, number: int, player: int) -> dict[str, Any]:
        if number != 1:
            raise KeyError(number)
        if player > 1:
            raise CommandError("command-player", player=player, last=1)
        self.decided.append((number, player))
        return {"event": 5, "revision": 9}


@pytest.fixture
def slap_room(tmp_path: Path) -> FakeRoom:
    return FakeRoom(tmp_path)


@pytest.fixture
def slap_client(slap_room: FakeRoom) -> FlaskClient:
    return create_app(FakeTable(), slap_room=slap_room).test_client()


@pytest.mark.parametrize(("language", "heading"), [("en", "Dispute: look"), ("it", "Contestazione")])
def test_the_page_in_both_languages(slap_client: FlaskClient, language: str, heading: str) -> None:
    answer = slap_client.get(f"/slaps/?lang={language}")
    assert answer.status_code == 200
    assert heading in answer.text


def test_the_dashboard_leads_there_only_where_there_are_slaps(slap_client: FlaskClient) -> None:
    assert 'id="to-slaps"' in slap_client.get("/").text
    without = create_app(FakeTable()).test_client()
    assert 'id="to-slaps"' not in without.get("/").text
    assert without.get("/slaps/").status_code == 404


def test_the_script_uses_exactly_the_texts_it_is_given() -> None:
    app: Flask = create_app(FakeTable())
    used = set(re.findall(r'say\("(\w+)"', SCRIPT.read_text(encoding="utf-8"))) | {"strip", "slow", "clip"}
    with app.test_request_context("/"):
        assert set(slap_texts()) == used


def test_state_frames_and_files(slap_client: FlaskClient) -> None:
    assert slap_client.get("/slaps/state?lang=it").get_json()["slaps"] == [{"number": 1, "text": "it"}]
    assert slap_client.get("/slaps/1/frame/0.jpg").data == b"jpeg"
    assert slap_client.get("/slaps/1/frame/9.jpg").status_code == 404
    with slap_client.get("/slaps/1/strip") as answer:
        assert (answer.data, answer.mimetype) == (b"png", "image/png")
    for missing in ("/slaps/1/clip", "/slaps/2/strip", "/slaps/1/secret"):
        assert slap_client.get(missing).status_code == 404


def test_somebody_disputes(slap_client: FlaskClient, slap_room: FakeRoom) -> None:
    assert slap_client.post("/slaps/ask", json={}).status_code == 202
    assert slap_room.asked == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"number": 1, "player": 1}, 200),
        ({"number": 1, "player": 7}, 409),
        ({"number": 3, "player": 1}, 404),
        ({"number": "1", "player": 1}, 400),
        ([], 400),
    ],
)
def test_the_people_decide(slap_client: FlaskClient, slap_room: FakeRoom, body: Any, status: int) -> None:
    assert slap_client.post("/slaps/decide", json=body).status_code == status
    assert slap_room.decided == ([(1, 1)] if status == 200 else [])
