from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.arbitro.conftest import Ran
from vision.reading import PictureReading, ReadCard, Remark

Arbitro = Callable[..., Ran]
QUAD = np.array([[10, 10], [60, 10], [60, 90], [10, 90]], np.float32)


def card(
    code: str | None, confidence: float = 0.97, candidates: Sequence[tuple[str, float]] = ()
) -> ReadCard:
    return ReadCard(code, confidence, tuple(candidates) or ((code or "7d", confidence),), QUAD, "up", 0.9)


def reading(*cards: ReadCard, backs: int = 0, remarks: Sequence[Remark] = ()) -> PictureReading:
    down = tuple(ReadCard(None, 0.9, (), QUAD, "down", 0.9) for _ in range(backs))
    return PictureReading((640, 480), "italian" if cards else None, tuple(cards), down, tuple(remarks))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[PictureReading]:
    """What the photos will be read as, one after the other."""
    will_read: list[PictureReading] = []
    asked: list[dict[str, Any]] = []

    class Reader:
        def __init__(self, models: object) -> None: ...

        def read_picture(self, image: np.ndarray, **how: Any) -> PictureReading:
            asked.append(how)
            return will_read[len(asked) - 1]

    monkeypatch.setattr("vision.reading.CardReader", Reader)
    monkeypatch.setattr("vision.models.Models", lambda threads=2: None)
    return will_read


@pytest.fixture
def photos(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "one.png", tmp_path / "two.png"]
    for path in paths:
        cv2.imwrite(str(path), np.zeros((48, 64, 3), np.uint8))
    return paths


def test_the_document_is_the_union_over_the_photos(
    arbitro: Arbitro, reads: list[PictureReading], photos: list[Path]
) -> None:
    reads += [reading(card("7d"), card("2c"), backs=3), reading(card("2c"), card("1d"))]
    ran = arbitro("count", *photos, "--json")
    assert ran.status == 0
    document = ran.document
    assert document["cards"] == ["1d", "7d", "2c"]
    first = document["images"][0]
    assert first["file"] == str(photos[0])
    assert first["size"] == [640, 480]
    assert first["deck"] == "italian"
    assert first["face_down"] == 3
    assert first["cards"][0] == {
        "card": "7d",
        "confidence": 0.97,
        "quad": [[10, 10], [60, 10], [60, 90], [10, 90]],
    }
    assert "points" not in document


def test_a_card_that_is_not_read_is_listed_with_its_candidates_and_never_guessed(
    arbitro: Arbitro, reads: list[PictureReading], photos: list[Path]
) -> None:
    doubtful = card(None, 0.5, [("6d", 0.5), ("7d", 0.4)])
    reads.append(reading(card("1d"), doubtful, remarks=[Remark("unread", (1,))]))
    document = arbitro("count", photos[0], "--json").document
    assert document["cards"] == ["1d"]
    assert document["images"][0]["cards"][1]["card"] is None
    assert document["images"][0]["cards"][1]["candidates"] == [["6d", 0.5], ["7d", 0.4]]
    assert document["images"][0]["warnings"][0]["code"] == "unread"


def test_with_a_game_the_pile_is_counted(
    arbitro: Arbitro, reads: list[PictureReading], photos: list[Path]
) -> None:
    reads.append(reading(card("7d"), card(None)))
    ran = arbitro("count", photos[0], "--game", "scopa", "--json")
    points = ran.document["points"]
    assert {point["name"]: point["points"] for point in points["points"]}["settebello"] == 1
    assert points["certain"] is False


@pytest.mark.parametrize("language", ["en", "it"])
def test_for_people_everything_is_told(
    arbitro: Arbitro, reads: list[PictureReading], photos: list[Path], language: str
) -> None:
    remarks = [Remark("unread", (1,)), Remark("cut", (2,)), Remark("small", (3, 21))]
    reads.append(reading(card("7d"), card(None, 0.5, [("6d", 0.5)]), backs=2, remarks=remarks))
    ran = arbitro("count", photos[0], "--game", "scopa", "--lang", language)
    assert ran.status == 0
    for word in ("7d", "6d 50%", "settebello", str(photos[0])):
        assert word in ran.out


def test_a_photo_without_a_card_is_status_1(
    arbitro: Arbitro, reads: list[PictureReading], photos: list[Path]
) -> None:
    reads.append(reading(remarks=[Remark("nothing-found")]))
    ran = arbitro("count", photos[0], "--json")
    assert ran.status == 1
    assert ran.document["cards"] == []
    assert ran.document["images"][0]["deck"] is None


def test_what_is_no_picture_is_one_line(
    arbitro: Arbitro, reads: list[PictureReading], tmp_path: Path
) -> None:
    path = tmp_path / "notes.jpg"
    path.write_text("shopping list")
    assert "notes.jpg" in arbitro("count", path).complaint
    assert "nowhere.jpg" in arbitro("count", "nowhere.jpg").complaint


@pytest.mark.parametrize(
    "command", [["count", "x.jpg"], ["demo", "--no-dashboard"], ["watch", "x.mp4"], ["decks"]]
)
def test_without_models_the_line_says_so(
    arbitro: Arbitro, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("ARBITRO_MODELS", str(tmp_path / "nowhere"))
    assert "no models" in arbitro(*command).complaint


def test_one_card_was_counted_as_1_carte_of_an_english_or_unknown_deck(
    arbitro: Arbitro, reads: list[PictureReading], photos: list[Path]
) -> None:
    reads += [reading(card("7d")), reading()]
    said = arbitro("count", *photos, "--lang", "it").out
    assert "one.png: carte: 1 (italiane)" in said and "two.png: carte: 0\n" in said
    assert "carte diverse lette: 1" in said
