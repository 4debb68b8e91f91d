"""What films are made with: cards of real printings at their size, photographed tables and hands of the right split."""

from __future__ import annotations

import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.film import setting
from datasets.film.arm import Arm
from datasets.film.faces import BACK, PAD_PX, FaceSource
from datasets.film.hands import random_hand
from datasets.film.people import PhotographedArm, photographed_arms
from datasets.film.render import FilmRenderer
from datasets.film.setting import Setting
from datasets.film.write import prepare
from datasets.render.assets import HELD_OUT_DECKS, shared_folder
from datasets.slaps import hands as slap_hands
from rules.cards import FRENCH_40_CODES, ITALIAN_CODES

SIZE = (320, 180)
SHARED = shared_folder()
needs_shared = pytest.mark.skipif(SHARED is None, reason="the shared folder is not here")


def deck_folder(folder: Path, codes: tuple[str, ...], size: tuple[int, int]) -> Path:
    folder.mkdir()
    for code in codes:
        cv2.imwrite(str(folder / f"{code}.jpg"), np.full((size[1], size[0], 3), 200, np.uint8))
    return folder


@pytest.mark.parametrize(("name", "codes", "size", "card_mm"), [
    ("bresciane_x", ITALIAN_CODES, (100, 205), (43.9, 90.0)),
    ("napoletane_x", ITALIAN_CODES, (100, 166), (50.0, 83.0)),
    ("fr_x", FRENCH_40_CODES, (100, 140), (62.9, 88.0)),
    ("mine", ITALIAN_CODES, (100, 180), (50.0, 90.0)),
])
def test_cards_of_a_folder_have_their_patterns_height_and_their_pictures_shape(
        tmp_path: Path, name: str, codes: tuple[str, ...], size: tuple[int, int], card_mm: tuple[float, float]) -> None:
    faces = FaceSource(deck_folder(tmp_path / name, codes, size))
    assert faces.card_mm == pytest.approx(card_mm, abs=0.2)
    for what in (codes[0], BACK):
        sprite = faces.sprite(what, 120)
        height, width = (side - 2 * PAD_PX for side in sprite.shape[:2])
        assert width / height == pytest.approx(size[0] / size[1], abs=0.02)


@needs_shared
@pytest.mark.parametrize("name", [name for name in HELD_OUT_DECKS if name != "fr_jumbo_saulspatz_pd"])
def test_a_printing_kept_out_of_training_can_be_filmed(name: str) -> None:
    assert SHARED is not None
    deck = SHARED / "art" / name
    codes = FaceSource(deck).codes
    faces, script, room = prepare(random_hand(1, codes=codes), seed=1, style="brisk", size=SIZE, deck=deck)
    film = FilmRenderer(script, room, faces, 10)
    index = round((script.events[2]["t_ms"] + 100) / 100)
    assert {card.code for card in film.truth(index)} <= set(codes)
    assert film.frame(index).shape == (180, 320, 3)


@needs_shared
def test_tables_and_people_of_a_stage_are_of_its_split(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    real = cv2.imread

    def noted(path: str, *flags: int) -> np.ndarray | None:
        read.append(Path(path))
        return real(path, *flags)

    monkeypatch.setattr(cv2, "imread", noted)
    for stage in ("held-out", "seen"):
        read.clear()
        for seed in range(8):
            room = Setting.random(seed, SIZE, (50, 80), stage=stage)
            assert room.split == ("test" if stage == "held-out" else "train")
        tables = [path for path in read if "tables" in path.parts]
        assert len(tables) == 8 and len(set(tables)) > 4
        assert {zlib.crc32(path.name.encode()) % 3 == 0 for path in tables} == {stage == "held-out"}


@needs_shared
def test_a_photographed_hand_pinches_narrower_than_it_lies_and_its_tips_are_at_the_origin() -> None:
    arms = photographed_arms(3, "test", [0, 1], 300.0, 0.8)
    assert set(arms) == {0, 1}
    for arm in arms.values():
        width = {}
        for grip in (0.0, 1.0):
            sprite = arm.sprite(grip)
            solid = sprite.picture[..., 3] > 127
            top = int(np.flatnonzero(solid.any(axis=1))[0])
            assert (sprite.corners_mm[0, 1] - top / 0.8) == pytest.approx(0, abs=4)
            columns = np.flatnonzero(solid[top + round(5 * 0.8)])
            assert sprite.corners_mm[0, 0] + columns.mean() / 0.8 == pytest.approx(0, abs=14)
            width[grip] = np.ptp(np.flatnonzero(solid[top: top + round(20 * 0.8)].any(axis=0)))
        assert width[0.0] < 0.85 * width[1.0]


def test_where_no_photographs_are_hands_and_tables_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setting, "shared_folder", lambda: None)
    monkeypatch.setattr(slap_hands, "shared_folder", lambda: None)
    room = Setting.random(5, SIZE, (50, 80), stage="held-out")
    assert np.array_equal(room.table, Setting.random(5, SIZE, (50, 80)).table)
    (arm,) = photographed_arms(1, "test", [0], 300.0, 0.8).values()
    assert isinstance(arm, PhotographedArm) and arm.sprite(1.0).picture.any()


def test_a_stage_of_its_own_draws_everything() -> None:
    faces, script, room = prepare(random_hand(1), seed=1, style="brisk", size=SIZE, deck="italian")
    assert room.split is None
    assert all(isinstance(arm, Arm) for arm in FilmRenderer(script, room, faces, 10)._arms.values())


def test_a_table_that_was_asked_for_is_kept_on_any_stage() -> None:
    rooms = [Setting.random(5, SIZE, (50, 80), stage=stage, table="felt") for stage in ("own", "held-out")]
    assert np.array_equal(rooms[0].table, rooms[1].table)


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(ValueError, match="no stage 'opera'"):
        Setting.random(1, SIZE, (50, 80), stage="opera")
