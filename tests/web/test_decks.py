from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

import web
from tests.web.fake_table import FakeTable
from web.application import DECKS_FOLDER
from web.decks import DRAWINGS, complete_drawings


def test_all_drawings_are_there() -> None:
    assert complete_drawings(DECKS_FOLDER) == ["italian", "french", "backs"]


@pytest.mark.parametrize(
    "path", ["italian/7d", "italian/Rb", "french/10D", "french/AS", "backs/french-blue-lattice"]
)
def test_a_card_is_served_as_a_drawing(client: FlaskClient, path: str) -> None:
    with client.get(f"/decks/{path}.svg") as answer:
        assert answer.mimetype == "image/svg+xml"
        assert answer.data.startswith(b"<svg")
        assert "script-src" not in answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "max-age=3600" in answer.headers["Cache-Control"]


@pytest.mark.parametrize(
    "path",
    [
        "italian/7D",
        "italian/8d",
        "french/7d",
        "nowhere/7d",
        "italian/..%2F..%2Fweb",
        "italian/%2e%2e/7d",
        "backs/x",
    ],
)
def test_nothing_else_is_served(client: FlaskClient, path: str) -> None:
    assert client.get(f"/decks/{path}.svg").status_code == 404


def test_a_deck_that_lacks_a_card_is_shown_as_labels(tmp_path: Path, table: FakeTable) -> None:
    italian = tmp_path / "italian"
    italian.mkdir()
    for name in DRAWINGS["italian"]:
        (italian / f"{name}.svg").write_text("<svg/>")
    assert complete_drawings(tmp_path) == ["italian"]
    (italian / "7d.svg").unlink()
    assert complete_drawings(tmp_path) == []
    client = web.create_app(table, decks_folder=tmp_path).test_client()
    assert '"drawings": []' in client.get("/").text
    assert client.get("/decks/italian/7d.svg").status_code == 404
