"""The decks' page: what it answers without a browser, and in one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

import web
from arbitro.decksight import AUTO
from tests.web.conftest import Serving
from tests.web.dashboard_page import DashboardPage
from tests.web.fake_decks import FakeDecks
from tests.web.fake_table import FakeTable
from vision.gallery import KINDS
from web import catalog
from web.enrolment import page_texts

Serve = Callable[..., Serving]


@pytest.fixture
def decks() -> FakeDecks:
    return FakeDecks()


@pytest.fixture
def with_decks(table: FakeTable, decks: FakeDecks) -> FlaskClient:
    app = web.create_app(table, deck_room=decks)
    app.config["TESTING"] = True
    return app.test_client()


def test_without_decks_there_is_no_page(client: FlaskClient) -> None:
    assert client.get("/enrolment").status_code == 404
    assert client.get("/api/decks").status_code == 404


def test_the_dashboard_leads_to_the_decks_if_there_are_any(client: FlaskClient, with_decks: FlaskClient) -> None:
    assert 'href="/enrolment"' in with_decks.get("/").text
    assert 'href="/enrolment"' not in client.get("/").text


def test_the_script_uses_exactly_the_texts_it_is_given(table: FakeTable) -> None:
    source = (Path(catalog.ROOM) / "static" / "js" / "enrolment.js").read_text(encoding="utf-8")
    used = set(re.findall(r"""text\(\s*"([\w.-]+)\"""", source))
    used |= set(re.findall(r"""\? "(deck\.[\w.-]+)" : "deck""", source))
    used |= set(re.findall(r"""\? "deck\.[\w.-]+" : "(deck\.[\w.-]+)\"""", source))
    assert set(re.findall(r"text\(\s*`(\w+)\.\$\{", source)) == {"kind", "card"}
    used |= {f"kind.{kind}" for kind in (AUTO, *KINDS)}
    used |= {f"card.{state}" for state in ("said", "sure", "doubtful", "left-out")}
    with web.create_app(table).test_request_context("/enrolment"):
        given = set(page_texts())
    assert used - given == set(), "texts that the script lacks"
    # Cards are named in texts.js, which all pages share.
    assert given - used == {"card.unknown"}, "texts that nobody shows"


@pytest.mark.parametrize(("language", "word"), [("en", "Learn a deck"), ("it", "Imparare un mazzo")])
def test_the_page_is_in_both_languages(with_decks: FlaskClient, language: str, word: str) -> None:
    answer = with_decks.get(f"/enrolment?lang={language}")
    assert answer.status_code == 200
    assert word in answer.text


def test_commands_change_the_decks_and_answer_the_state(with_decks: FlaskClient, decks: FakeDecks) -> None:
    decks.add_deck("Nonna")

    def do(**command: Any) -> Any:
        answer = with_decks.post("/api/decks", json=command)
        assert answer.status_code == 200, answer.text
        return answer.json

    assert do(do="choose", deck="Nonna")["wanted"] == "Nonna"
    begun = do(do="begin", kind="italian", order="dcsb")
    assert begun["enrolment"]["photos"] == []
    assert do(do="take")["found"] == 2
    assert do(do="answer", photo=0, number=2, card="7d")["enrolment"]["doubtful"] == 0
    assert do(do="answer", photo=0, number=2, card=None)["enrolment"]["doubtful"] == 1
    assert do(do="answer", photo=0, number=2, card="")["enrolment"]["photos"][0]["cards"][1]["state"] == "left-out"
    saved = do(do="save", name="Zio", note="Sarde")
    assert (saved["name"], saved["wanted"], saved["enrolment"]) == ("Zio", "Zio", None)
    assert decks.done == [("begin", "italian", "dcsb", ""), ("save", "Zio", "Sarde", False)]
    assert [deck["name"] for deck in do(do="remove", deck="Nonna")["decks"]] == ["Zio"]
    do(do="begin", kind="other")
    assert do(do="cancel")["enrolment"] is None


@pytest.mark.parametrize(
    "command",
    [
        {}, [], {"do": 7}, {"do": "dance"}, {"do": "choose", "deck": 7}, {"do": "choose", "deck": "x" * 500},
        {"do": "answer", "photo": "0", "number": 1, "card": "7d"}, {"do": "answer", "photo": True, "number": 1},
        {"do": "answer", "photo": 0, "number": 1, "card": ["7d"]}, {"do": "forget"},
    ],
)  # fmt: skip
def test_commands_that_are_none_are_refused(with_decks: FlaskClient, command: Any) -> None:
    answer = with_decks.post("/api/decks", json=command)
    assert answer.status_code == 400
    assert answer.json["error"]


@pytest.mark.parametrize(("language", "words"), [("en", "That cannot be"), ("it", "Non è possibile")])
def test_what_cannot_be_is_told_in_the_visitors_language(
    with_decks: FlaskClient, language: str, words: str
) -> None:
    answer = with_decks.post(f"/api/decks?lang={language}", json={"do": "remove", "deck": "nobody's"})
    assert answer.status_code == 409
    assert answer.json["error"] == words


def test_a_deck_goes_out_and_comes_in_as_a_file(with_decks: FlaskClient, decks: FakeDecks) -> None:
    decks.add_deck("Nonna è qui")
    out = with_decks.get("/api/decks/file/Nonna%20%C3%A8%20qui")
    assert out.data == "the file of Nonna è qui".encode()
    assert "attachment" in out.headers["Content-Disposition"]
    assert with_decks.get("/api/decks/file/nobody").status_code == 409
    data = b"x" * 100_000
    octets = "application/octet-stream"
    answer = with_decks.post("/api/decks/file", data=data, content_type=octets)
    assert answer.json["name"] == "Imported"
    assert decks.imported == [data], "more than a command may be long"
    assert with_decks.post("/api/decks/file", data=b"rubbish", content_type=octets).status_code == 409


@pytest.mark.parametrize("address", ["/api/decks/file", "/api/decks/photo"])
def test_files_of_other_pages_are_refused(with_decks: FlaskClient, address: str) -> None:
    octets = "application/octet-stream"
    other = {"Origin": "http://example.com"}
    assert with_decks.post(address, data=b"x", content_type="text/plain").status_code == 415
    assert with_decks.post(address, data=b"x", content_type="multipart/form-data").status_code == 415
    assert with_decks.post(address, data=b"x", content_type=octets, headers=other).status_code == 403


def test_a_file_that_is_too_long_is_refused(with_decks: FlaskClient, decks: FakeDecks) -> None:
    answer = with_decks.post("/api/decks/file", data=bytes(25_000_000), content_type="application/octet-stream")
    assert answer.status_code == 413
    assert decks.imported == []
    assert with_decks.post("/api/decks", data=bytes(20_000), content_type="application/json").status_code in (400, 413)


def test_pictures_are_answered_or_not_there(with_decks: FlaskClient, decks: FakeDecks) -> None:
    decks.add_deck("Nonna")
    assert with_decks.get("/api/decks/face/Nonna/7d.jpg").mimetype == "image/jpeg"
    assert with_decks.get("/api/decks/face/Nonna/8d.jpg").status_code == 404
    assert with_decks.get("/api/decks/face/nobody/7d.jpg").status_code == 404
    assert with_decks.get("/api/decks/photo/0.jpg").status_code == 404
    decks.begin("auto")
    decks.take()
    assert with_decks.get("/api/decks/photo/0.jpg").mimetype == "image/jpeg"
    assert with_decks.get("/api/decks/photo/0/1.jpg").mimetype == "image/jpeg"


# In a browser


def opened(serve: Serve, page: DashboardPage, table: FakeTable, decks: FakeDecks, language: str = "en") -> None:
    serving = serve(table, deck_room=decks)
    page.browser.get(f"{serving.url}enrolment?lang={language}")
    page.wait_for(lambda: page.script("return document.body.dataset.ready") == "true")


@pytest.mark.browser
def test_a_deck_is_learnt_from_the_camera(
    serve: Serve, page: DashboardPage, table: FakeTable, decks: FakeDecks
) -> None:
    table.show_picture(0)
    opened(serve, page, table, decks)
    page.tap("#begin-form button")
    page.wait_for(lambda: page.text("#progress") == "0 of 40 cards")
    assert len(page.find_all("#missing .card")) == 40
    page.wait_for(lambda: page.script("return document.querySelector('#camera').naturalWidth") > 0)
    page.tap("#take")
    page.wait_for(lambda: page.text("#progress") == "1 of 40 cards · 1 to be answered")
    assert page.script("return document.querySelector('[data-card=\"0-1\"]').dataset.state") == "sure"
    page.script("document.querySelector('[data-card=\"0-2\"]').dispatchEvent(new MouseEvent('click'))")
    page.wait_for(lambda: page.text("#card-title") == "Card 2 of photo 1")
    candidates = page.find_all("#card-candidates button")
    assert [one.get_attribute("data-code") for one in candidates] == ["2d", "7d"]
    candidates[1].click()
    page.wait_for(lambda: page.text("#progress") == "2 of 40 cards")
    assert len(page.find_all("#missing .card")) == 38
    page.find("#save-form [name=name]").send_keys("Nonna")
    page.tap("#save")
    page.wait_for(lambda: page.text(".deck-name") == "Nonna")
    assert "38 still missing" in page.text(".deck-about")
    assert page.text(".use") == "In use"
    assert decks.wanted == "Nonna"
    assert ("save", "Nonna", "", False) in decks.done


@pytest.mark.browser
def test_the_deck_of_the_table_is_changed_with_one_tap(
    serve: Serve, page: DashboardPage, table: FakeTable, decks: FakeDecks
) -> None:
    decks.add_deck("Nonna")
    opened(serve, page, table, decks, "it")
    page.tap(".use")
    page.wait_for(lambda: decks.wanted == "Nonna")
    page.wait_for(lambda: page.text(".use") == "In uso")
    page.tap('[data-kind="french"]')
    page.wait_for(lambda: decks.wanted == "french")
    pressed = '[data-kind="french"][aria-pressed="true"]'
    page.wait_for(lambda: page.find_all(pressed))


@pytest.mark.browser
def test_a_photo_from_a_file_and_an_order_that_is_none(
    serve: Serve, page: DashboardPage, table: FakeTable, decks: FakeDecks, tmp_path: Any
) -> None:
    opened(serve, page, table, decks)
    page.expect_complaints(r"409")
    page.find("#begin-form [name=order]").send_keys("xyz")
    page.tap("#begin-form button")
    page.wait_for(lambda: page.text("#failure") == "That cannot be")
    page.script("document.querySelector('#begin-form [name=order]').value = 'dcsb'")
    page.tap("#begin-form button")
    page.wait_for(lambda: page.text("#progress"))
    assert page.text("#failure") == ""
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(b"a photo of 40 kB" * 2500)
    page.find("#photo-files").send_keys(str(photo))
    page.wait_for(lambda: ("photo", 40_000) in decks.done)
    page.wait_for(lambda: page.find_all(".photo"))
    page.tap(".photo header button")
    page.wait_for(lambda: not page.find_all(".photo"))
