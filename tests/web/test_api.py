from __future__ import annotations

import json

import pytest
from flask import Flask
from flask.testing import FlaskClient

import web
from tests.web.fake_table import FakeTable
from tests.web.hands import ScriptedTable


def test_healthz(client: FlaskClient) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok\n")


def test_the_state_is_that_of_the_table(client: FlaskClient, table: FakeTable) -> None:
    answer = client.get("/api/state")
    assert answer.get_json() == table.state("en")
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("query", "language"),
    [("", "en"), ("?lang=it", "it"), ("?lang=en", "en"), ("?lang=xx", "en"), ("?lang=", "en")],
)
def test_the_state_is_asked_in_the_language_of_the_request(
    client: FlaskClient, table: FakeTable, query: str, language: str
) -> None:
    client.get(f"/api/state{query}")
    assert table.languages == [language]


def test_the_programs_language_is_the_default(table: FakeTable) -> None:
    client = web.create_app(table, "it").test_client()
    client.get("/api/state")
    assert table.languages == ["it"]
    assert 'lang="it"' in client.get("/").text


def test_an_unknown_language_of_the_program_is_an_error(table: FakeTable) -> None:
    with pytest.raises(ValueError, match="de"):
        web.create_app(table, "de")


def test_an_unchanged_state_is_not_sent_again(client: FlaskClient, table: FakeTable) -> None:
    revision = client.get("/api/state").get_json()["revision"]
    assert client.get(f"/api/state?after={revision}").status_code == 204
    table.change(table.state("en"))
    assert client.get(f"/api/state?after={revision}").get_json()["revision"] == revision + 1


@pytest.mark.parametrize("path", ["/api/state?after=x", "/api/frame.jpg?after=", "/api/frame.jpg?after=1.5"])
def test_a_number_that_is_none_is_refused_plainly(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 400
    assert answer.get_json() == {"error": "“after” must be a whole number."}


def test_there_is_no_picture_before_the_first(client: FlaskClient) -> None:
    answer = client.get("/api/frame.jpg")
    assert (answer.status_code, answer.data) == (204, b"")


def test_a_picture_tells_its_frame_and_the_states_revision(client: FlaskClient, table: FakeTable) -> None:
    table.show_picture(7)
    answer = client.get("/api/frame.jpg")
    assert answer.mimetype == "image/jpeg"
    assert answer.data.startswith(b"\xff\xd8\xff")
    assert answer.headers["X-Frame-Index"] == "7"
    assert int(answer.headers["X-Revision"]) == table.state("en")["revision"]
    assert client.get("/api/frame.jpg?after=7").status_code == 204
    # A film that begins anew counts from 0: the picture is another one though its number is smaller.
    table.show_picture(0)
    assert client.get("/api/frame.jpg?after=7").headers["X-Frame-Index"] == "0"


def test_a_command_reaches_the_table(client: FlaskClient, table: FakeTable) -> None:
    command = {"type": "correct", "event": 3, "card": "7d", "takes": ["7c"], "player": 1}
    answer = client.post("/api/command", json=command)
    assert answer.status_code == 200
    assert answer.get_json()["event"] == 6
    assert table.commands == [command]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "Event 99 is not on the record: it has 5."),
        ("?lang=it", "L'evento 99 non è nel verbale: ne ha 5."),
    ],
)
def test_a_refused_command_tells_why_in_the_language(
    client: FlaskClient, table: FakeTable, query: str, message: str
) -> None:
    table.refusal = ("command-no-event", {"event": 99, "count": 5})
    answer = client.post(f"/api/command{query}", json={"type": "undo", "event": 99})
    assert answer.status_code == 409
    assert answer.get_json() == {"error": message}


@pytest.mark.parametrize("body", ["", "{", "[]", '"undo"', "null", "7"])
def test_what_is_no_command_is_refused(client: FlaskClient, table: FakeTable, body: str) -> None:
    answer = client.post("/api/command", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert "error" in answer.get_json()
    assert table.commands == []


def test_too_long_a_command_is_refused(client: FlaskClient, table: FakeTable) -> None:
    answer = client.post("/api/command", json={"type": "forfeit", "player": 0, "reason": "x" * 20_000})
    assert answer.status_code == 413
    assert answer.get_json() == {"error": "This is too long."}
    assert table.commands == []


def test_the_record_can_be_downloaded(client: FlaskClient, table: FakeTable) -> None:
    answer = client.get("/api/record")
    assert answer.text == table.record()
    assert answer.headers["Content-Disposition"] == 'attachment; filename="hand.jsonl"'
    assert json.loads(answer.text.splitlines()[0])["type"] == "match"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/nothing", 404), ("GET", "/api/command", 405), ("PUT", "/api/command", 405)],
)
def test_errors_of_the_api_are_json(client: FlaskClient, method: str, path: str, status: int) -> None:
    answer = client.open(path, method=method, content_type="application/json")
    assert answer.status_code == status
    assert list(answer.get_json()) == ["error"]


def test_errors_elsewhere_are_a_page(client: FlaskClient) -> None:
    answer = client.get("/nothing?lang=it")
    assert answer.status_code == 404
    assert "Qui non c'è niente." in answer.text.replace("&#39;", "'")


def test_a_failing_table_is_answered_without_its_insides(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(language: str) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr(app.extensions["state_feed"].live_table, "state", fail)
    answer = app.test_client().get("/api/state")
    assert answer.status_code == 500
    assert answer.get_json() == {"error": "The dashboard could not answer."}


def test_a_correction_recomputes_the_real_table(hands: ScriptedTable) -> None:
    client = web.create_app(hands).test_client()
    hands.play_out()
    before = client.get("/api/state").get_json()["score"]
    last_taking = [play for play in before["plays"] if play["takes"]][-1]
    answer = client.post(
        "/api/command",
        json={"type": "correct", "event": last_taking["event"], "takes": last_taking["takes"][:-1]},
    )
    assert answer.status_code == 200
    after = client.get("/api/state").get_json()["score"]
    corrected = next(play for play in after["plays"] if play["event"] == last_taking["event"])
    assert corrected["takes"] == last_taking["takes"][:-1]
    assert corrected["corrected"]
    assert after["hands"] != before["hands"]
