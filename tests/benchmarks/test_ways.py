from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from arbitro.stages import CARDS, drawn_table
from benchmarks import usual_ways
from benchmarks.pictures import Picture
from benchmarks.ways import (
    BoxesAndOrb,
    Ours,
    WholePictureSift,
    best_of_each_place,
    clear_matches,
    fitted,
    is_card_like,
)
from datasets.decks import load_face
from tests.vision.builders import detections, tiny_models
from vision.detections import Detections
from vision.models import Models
from vision.reading import CardReader

PICTURES = [0, 3, 6, 9]
"""Which of the cards on the drawn table are pictures: ORB takes pips of one suit for each other."""


class KnownBoxes:
    """Stand in for a detector: finds what lies on the drawn table."""

    def __init__(self, quads: np.ndarray) -> None:
        self._quads = quads

    def detect(self, image: np.ndarray, *, photo: bool = False) -> Detections:
        return detections(list(self._quads))


@pytest.fixture(scope="module")
def table() -> tuple[Picture, np.ndarray]:
    image, quads = drawn_table()
    return Picture(image, CARDS, frozenset(), True, False), quads


@pytest.fixture(scope="module")
def scans() -> dict[str, np.ndarray]:
    """Faces on white paper, as scanners give them."""
    faces = {}
    for code in [*CARDS[:8], CARDS[9], "2d", "Rb"]:
        face = load_face("italian", code, 400)
        paper = np.full((*face.shape[:2], 3), 255, np.uint8)
        faces[code] = np.where(face[..., 3:] > 127, face[..., :3], paper)
    return faces


def test_orb_reads_what_is_in_the_boxes(
    table: tuple[Picture, np.ndarray], scans: dict[str, np.ndarray]
) -> None:
    picture, quads = table
    way = BoxesAndOrb(KnownBoxes(quads[PICTURES]))
    way.learn(scans)
    assert list(way.read(picture)) == [CARDS[i] for i in PICTURES]


def test_sift_finds_cards_in_the_whole_picture(
    table: tuple[Picture, np.ndarray], scans: dict[str, np.ndarray]
) -> None:
    way = WholePictureSift()
    way.learn(scans)
    read = way.read(table[0])
    assert set(read) <= set(CARDS)
    assert len(read) >= 3, "pictures are found; pips that look alike are not"


@pytest.mark.parametrize("make", [lambda: BoxesAndOrb(KnownBoxes(np.zeros((0, 4, 2)))), WholePictureSift])
def test_an_empty_picture_holds_no_cards(make, scans: dict[str, np.ndarray]) -> None:
    way = make()
    way.learn(scans)
    blank = Picture(np.full((120, 160, 3), 90, np.uint8), (), frozenset(), True, False)
    assert list(way.read(blank)) == []


@pytest.mark.parametrize("is_photo", [False, True])
def test_ours_reads_frames_and_photographs(tmp_path: Path, is_photo: bool) -> None:
    way = Ours(CardReader(Models(tiny_models(tmp_path / "models"), threads=1)))
    way.learn({})
    assert list(way.read(Picture(np.zeros((90, 160, 3), np.uint8), (), frozenset(), True, is_photo))) == []


class Match:
    def __init__(self, query: int, train: int, distance: float) -> None:
        self.queryIdx, self.trainIdx, self.distance = query, train, distance


def test_only_clear_matches_count() -> None:
    candidates = [
        [Match(0, 5, 10), Match(0, 6, 20)],
        [Match(1, 5, 19), Match(1, 6, 20)],
        [Match(2, 7, 1)],
        [],
    ]
    assert clear_matches(candidates).tolist() == [[0, 5]]
    assert clear_matches([]).shape == (0, 2)


def test_a_homography_needs_four_points() -> None:
    points = np.array([[0, 0], [9, 0], [9, 9], [0, 9], [4, 3]], np.float32)
    fit = fitted(points, points * 2)
    assert fit is not None
    assert fit[1] == 5
    assert fitted(points[:3], points[:3]) is None


@pytest.mark.parametrize(
    ("corners", "fits"),
    [
        ([[0, 0], [60, 0], [60, 100], [0, 100]], True),
        ([[60, 0], [0, 0], [0, 100], [60, 100]], False),  # mirrored
        ([[0, 0], [60, 100], [60, 0], [0, 100]], False),  # crossed
        ([[0, 0], [10, 0], [10, 100], [0, 100]], False),  # too long
        ([[0, 0], [6, 0], [6, 10], [0, 10]], False),  # too small
    ],
)
def test_what_can_be_a_card(corners: list[list[int]], fits: bool) -> None:
    assert is_card_like(np.array(corners, np.float32)) == fits


def test_of_several_scans_in_one_place_the_surest_counts() -> None:
    card = np.array([[0, 0], [60, 0], [60, 100], [0, 100]], np.float32)
    seen = [(12, "Rb", card), (40, "Rd", card + 4), (11, "3c", card + 200)]
    assert best_of_each_place(seen) == ["Rd", "3c"]


def test_without_the_art_of_real_decks_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARBITRO_SHARED", str(tmp_path / "nowhere"))
    told = CliRunner().invoke(
        usual_ways.main,
        ["--models", str(tiny_models(tmp_path / "models")), "--out", str(tmp_path / "page.md")],
    )
    assert told.exit_code == 1
    assert "art of real decks is not here" in told.output
    assert not (tmp_path / "page.md").exists()


@pytest.mark.skipif(importlib.util.find_spec("ultralytics") is not None, reason="ultralytics is here")
def test_a_one_stage_network_without_ultralytics_says_what_to_install(tmp_path: Path) -> None:
    told = CliRunner().invoke(
        usual_ways.main,
        [
            "--models",
            str(tiny_models(tmp_path / "models")),
            "--one-stage",
            "one.pt",
            "--out",
            str(tmp_path / "page.md"),
        ],
    )
    assert told.exit_code == 1
    assert "install the extra `train`" in told.output
