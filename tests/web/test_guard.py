from __future__ import annotations

import pytest
from flask.testing import FlaskClient

import web
from tests.web.fake_table import FakeTable
from web.guard import host_is_ours, origin_is_ours

COMMAND = {"type": "undo", "event": 3}


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost", True),
        ("localhost:8000", True),
        ("LOCALHOST", True),
        ("table.localhost:80", True),
        ("127.0.0.1", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("192.168.1.20:8000", True),
        ("evil.example", False),
        ("evil.example:8000", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("", False),
        (":8000", False),
        ("[::1", False),
        ("kitchen.local", True),
        ("Kitchen.local:8000", True),
    ],
)
def test_hosts(host: str, ours: bool) -> None:
    assert host_is_ours(host, names=["kitchen.local"]) is ours


@pytest.mark.parametrize(
    ("origin", "ours"),
    [
        (None, True),
        ("http://127.0.0.1:8000", True),
        ("http://127.0.0.1", False),
        ("http://127.0.0.1:8001", False),
        ("https://127.0.0.1:8000", False),
        ("http://localhost:8000", False),
        ("https://evil.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_origins(origin: str | None, ours: bool) -> None:
    assert origin_is_ours(origin, "http", "127.0.0.1:8000") is ours


@pytest.mark.parametrize(
    "path", ["/", "/api/state", "/api/frame.jpg", "/api/events", "/static/dashboard.css"]
)
def test_a_foreign_host_sees_nothing(client: FlaskClient, table: FakeTable, path: str) -> None:
    table.show_picture(1)
    answer = client.get(path, headers={"Host": "evil.example"})
    assert answer.status_code == 403
    assert "Anna" not in answer.text


def test_a_named_host_may_be_allowed(table: FakeTable) -> None:
    client = web.create_app(table, allowed_hosts=["kitchen.local"]).test_client()
    assert client.get("/api/state", headers={"Host": "kitchen.local:8000"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
    ],
)
def test_a_command_from_elsewhere_is_refused(
    client: FlaskClient, table: FakeTable, headers: dict[str, str]
) -> None:
    answer = client.post("/api/command", json=COMMAND, headers=headers)
    assert answer.status_code == 403
    assert "error" in answer.get_json()
    assert table.commands == []


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_a_command_must_come_as_json(client: FlaskClient, table: FakeTable, content_type: str) -> None:
    # What a foreign form can send without being asked by the browser is never taken for a command.
    answer = client.post("/api/command", data='{"type": "undo", "event": 3}', content_type=content_type)
    assert answer.status_code == 415
    assert table.commands == []


@pytest.mark.parametrize(
    "headers",
    [{}, {"Origin": "http://localhost"}, {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}],
)
def test_the_pages_own_commands_pass(client: FlaskClient, table: FakeTable, headers: dict[str, str]) -> None:
    assert client.post("/api/command", json=COMMAND, headers=headers).status_code == 200
    assert table.commands == [COMMAND]


@pytest.mark.parametrize("path", ["/", "/api/state", "/static/dashboard.css", "/nothing"])
def test_every_answer_carries_the_policy(client: FlaskClient, path: str) -> None:
    with client.get(path) as answer:
        headers = answer.headers
    policy = headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_the_page_holds_no_inline_script_or_style_and_nothing_from_elsewhere(client: FlaskClient) -> None:
    page = client.get("/").text
    assert "<style" not in page
    assert " style=" not in page
    assert " onclick" not in page
    assert "//" not in page.replace("<!doctype html>", "")
    scripts = [part.split(">")[0] for part in page.split("<script")[1:]]
    assert all("src=" in script or 'type="application/json"' in script for script in scripts)


def test_names_of_players_cannot_break_the_page(table: FakeTable, client: FlaskClient) -> None:
    state = table.state("en")
    state["session"]["players"] = ["</script><script>alert(1)</script>", "Bruno"]
    table.change(state)
    assert "alert(1)" not in client.get("/").text
