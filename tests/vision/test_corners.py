"""Corners of cards: how what the model tells is put to use, and how well the shipped model tells it."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.builders import manifest_entry, painted_table, quad, tiny_corner_finder, tiny_models
from vision.boxes import overlaps
from vision.corners import CORNERS_SIZE, PASSES, SETTLED, CornerFinder, in_card_units
from vision.models import ModelError, Models

ROOT = Path(__file__).resolve().parents[2]
IMAGE = painted_table((300, 300), [])


def finder_that_tells(folder: Path, offsets: np.ndarray) -> CornerFinder:
    tiny_models(folder)
    tiny_corner_finder(folder / "corners.onnx", offsets)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["models"]["corners"] = manifest_entry(folder / "corners.onnx", ["card"], CORNERS_SIZE)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return CornerFinder(Models(folder))


def test_the_frame_of_a_box_begins_at_its_first_corner() -> None:
    box = quad(100, 80, 40, 60, 30)
    np.testing.assert_allclose(in_card_units(box, box), [[0, 0], [1, 0], [1, 1], [0, 1]], atol=1e-5)
    beside = box[0] + (box[1] - box[0]) * 1.5
    np.testing.assert_allclose(in_card_units(box, beside[None]), [[1.5, 0]], atol=1e-5)


def test_corners_move_by_shares_of_the_boxs_sides_once_a_pass(tmp_path: Path) -> None:
    to_the_right = np.tile([0.1, 0.0], (4, 1))
    finder = finder_that_tells(tmp_path, to_the_right)
    box = quad(150, 150, 50, 80, 90)  # its first side runs down the picture
    fitted = finder.fit(IMAGE, box[None])
    np.testing.assert_allclose(fitted[0], box + np.array([0, 0.1 * 50 * PASSES]), atol=1e-3)


def test_corners_that_were_found_are_not_looked_for_again(tmp_path: Path) -> None:
    finder = finder_that_tells(tmp_path, np.tile([SETTLED / 2, SETTLED / 2], (4, 1)))
    box = quad(150, 150, 50, 80, 90)
    fitted = finder.fit(IMAGE, box[None])
    np.testing.assert_allclose(fitted[0], box + SETTLED / 2 * np.array([-80, 50]), atol=1e-3)


@pytest.mark.parametrize(
    "offsets",
    [
        np.array([[0.4, 0.4], [-0.4, 0.4], [-0.4, -0.4], [0.4, -0.4]]),
        np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]),
        np.array([[1.5, 0.0], [-1.5, 0.0], [0.0, 0.0], [0.0, 0.0]]),
        np.full((4, 2), np.nan),
    ],
    ids=["far too small", "far too large", "crossed", "no numbers"],
)
def test_corners_that_cannot_be_a_cards_leave_the_box_as_it_came(tmp_path: Path, offsets: np.ndarray) -> None:
    box = quad(150, 150)
    fitted = finder_that_tells(tmp_path, offsets).fit(IMAGE, box[None])
    np.testing.assert_array_equal(fitted[0], box)


def test_no_boxes_give_no_corners(tmp_path: Path) -> None:
    fitted = finder_that_tells(tmp_path, np.zeros((4, 2))).fit(IMAGE, np.zeros((0, 4, 2)))
    assert fitted.shape == (0, 4, 2)


def test_corners_of_a_mirrored_picture_are_found_as_well(tmp_path: Path) -> None:
    """They come as a view of an array in another order, which stopped the reading of mirrored photos."""
    quads = np.array([quad(150, 150), quad(60, 90)], np.float32)
    finder = finder_that_tells(tmp_path, np.zeros((4, 2)))
    for turned in (quads[:, ::-1], np.asfortranarray(quads), quads.transpose(1, 0, 2).copy().transpose(1, 0, 2)):
        np.testing.assert_allclose(finder.fit(IMAGE, turned), turned, atol=1e-3)


def test_a_model_that_tells_something_else_is_refused(tmp_path: Path) -> None:
    tiny_models(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["models"]["corners"] = manifest["models"]["classifier"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match="does not find corners"):
        CornerFinder(Models(tmp_path))


def table_with(cards: list[np.ndarray], size: tuple[int, int] = (640, 480), paper: int = 225) -> np.ndarray:
    """A wooden table with printed cards on it, later ones on top, a little noisy and out of focus."""
    rng = np.random.default_rng(3)
    image = np.zeros((size[1], size[0], 3), np.float32)
    image[:] = (50, 85, 125)
    image += cv2.resize(rng.normal(0, 12, (size[1] // 4, 20)).astype(np.float32), size)[..., None]
    for corners in cards:
        face = np.full((320, 200, 3), paper, np.uint8)
        cv2.rectangle(face, (14, 14), (185, 305), (60, 60, 60), 2)
        for x, y in ((60, 80), (140, 80), (60, 240), (140, 240), (100, 160)):
            cv2.circle(face, (x, y), 22, (40, 40, 190), -1, cv2.LINE_AA)
        warp = cv2.getPerspectiveTransform(np.float32([[0, 0], [200, 0], [200, 320], [0, 320]]), corners)
        mask = cv2.warpPerspective(np.full((320, 200), 1, np.float32), warp, size)[..., None]
        image = image * (1 - mask) + cv2.warpPerspective(face, warp, size).astype(np.float32) * mask
    image = cv2.GaussianBlur(image, (0, 0), 0.8) + rng.normal(0, 4, image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def iou(first: np.ndarray, second: np.ndarray) -> float:
    return float(overlaps(np.array([first, second]))[0][0, 1])


@pytest.fixture(scope="module")
def shipped() -> CornerFinder:
    return CornerFinder(Models(ROOT / "models"))


@pytest.mark.parametrize("height", [60, 110, 260])
@pytest.mark.parametrize(
    ("dx", "dy", "size", "turn"), [(3, -2, 1.0, 5), (-4, 3, 1.06, -9), (2, 2, 0.95, 12), (0, 0, 1, 9)]
)
def test_a_box_that_is_a_little_off_moves_to_the_card(
    shipped: CornerFinder, height: float, dx: float, dy: float, size: float, turn: float
) -> None:
    unit = height / 110
    card = quad(320, 240, height / 1.6, height, 33)
    box = quad(320 + dx * unit, 240 + dy * unit, height / 1.6 * size, height * size, 33 + turn)
    fitted = shipped.fit(table_with([card]), box[None])
    assert iou(fitted[0], card) > max(0.9, iou(box, card))
    assert np.linalg.norm(fitted[0] - card, axis=1).max() < 0.08 * height, "corners stay in their order"


def test_a_card_seen_at_a_slant_is_no_rectangle(shipped: CornerFinder) -> None:
    card = np.array([[283, 180], [357, 190], [380, 300], [276, 290]], np.float32)
    (cx, cy), (w, h), degrees = cv2.minAreaRect(card)
    box = quad(cx, cy, min(w, h), max(w, h), degrees if w < h else degrees + 90)
    start = min((np.roll(box, k, axis=0) for k in range(4)), key=lambda q: float(np.abs(q - card).sum()))
    fitted = shipped.fit(table_with([card]), start[None])
    assert iou(fitted[0], card) > 0.93 > iou(start, card)


def test_the_edge_of_a_neighbour_is_not_taken(shipped: CornerFinder) -> None:
    cards = [quad(320, 240, 70, 112), quad(320 + 78, 240, 70, 112), quad(320, 240 + 122, 70, 112)]
    fitted = shipped.fit(table_with(cards), quad(322, 243, 70, 112, 3)[None])
    assert iou(fitted[0], cards[0]) > 0.9


def test_a_card_that_is_partly_covered_keeps_its_hidden_corners(shipped: CornerFinder) -> None:
    under, over = quad(320, 240, 100, 160), quad(385, 300, 100, 160, 70)
    fitted = shipped.fit(table_with([under, over]), quad(323, 238, 100, 160, 4)[None])
    assert iou(fitted[0], under) > 0.85


def test_a_card_cut_by_the_border_keeps_what_lies_outside(shipped: CornerFinder) -> None:
    card = quad(20, 240, 100, 160, 10)
    fitted = shipped.fit(table_with([card]), quad(22, 238, 100, 160, 14)[None])
    assert fitted[0][:, 0].min() < -10
    assert iou(fitted[0], card) > 0.8


@pytest.mark.parametrize(
    "box", [quad(-500, -500), quad(320, 240, 1, 2), quad(320, 240, 3000, 4800), quad(0, 0, 5, 8)]
)
def test_boxes_of_any_size_and_place_are_looked_at_without_fail(
    shipped: CornerFinder, box: np.ndarray
) -> None:
    fitted = shipped.fit(table_with([]), box[None])
    assert np.isfinite(fitted).all()
