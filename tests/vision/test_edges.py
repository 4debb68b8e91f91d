from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.builders import quad
from vision.boxes import overlaps
from vision.edges import fit_edges


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


@pytest.mark.parametrize("height", [60, 110, 260])
@pytest.mark.parametrize(
    ("dx", "dy", "size", "turn"), [(3, -2, 1.0, 5), (-4, 3, 1.06, -9), (2, 2, 0.95, 15), (0, 0, 1, 24)]
)
def test_a_box_that_is_a_little_off_moves_to_the_card(
    height: float, dx: float, dy: float, size: float, turn: float
) -> None:
    unit = height / 110
    card = quad(320, 240, height / 1.6, height, 33)
    box = quad(320 + dx * unit, 240 + dy * unit, height / 1.6 * size, height * size, 33 + turn)
    fitted, support = fit_edges(table_with([card]), box[None])
    assert iou(fitted[0], card) > 0.9
    assert iou(fitted[0], card) > iou(box, card)
    assert np.linalg.norm(fitted[0] - card, axis=1).max() < 0.1 * height, "corners stay in their order"
    assert support[0] > 0.65


def test_a_card_seen_at_a_slant_is_no_rectangle() -> None:
    card = np.array([[283, 180], [357, 190], [380, 300], [276, 290]], np.float32)
    (cx, cy), (w, h), degrees = cv2.minAreaRect(card)
    box = quad(cx, cy, min(w, h), max(w, h), degrees if w < h else degrees + 90)
    start = min((np.roll(box, k, axis=0) for k in range(4)), key=lambda q: float(np.abs(q - card).sum()))
    fitted, _ = fit_edges(table_with([card]), start[None])
    assert iou(fitted[0], card) > 0.93 > iou(start, card)


def test_the_edge_of_a_neighbour_is_not_taken() -> None:
    cards = [quad(320, 240, 70, 112), quad(320 + 78, 240, 70, 112), quad(320, 240 + 122, 70, 112)]
    fitted, _ = fit_edges(table_with(cards), quad(322, 243, 70, 112, 3)[None])
    assert iou(fitted[0], cards[0]) > 0.9


def test_a_card_that_is_partly_covered_keeps_its_hidden_corners() -> None:
    under, over = quad(320, 240, 100, 160), quad(385, 300, 100, 160, 70)
    fitted, _ = fit_edges(table_with([under, over]), quad(323, 238, 100, 160, 4)[None])
    assert iou(fitted[0], under) > 0.85


def test_without_edges_the_box_stays_and_says_so() -> None:
    rng = np.random.default_rng(0)
    plain = np.clip(rng.normal(128, 3, (300, 300, 3)), 0, 255).astype(np.uint8)
    box = quad(150, 150)
    fitted, support = fit_edges(plain, box[None])
    np.testing.assert_allclose(fitted[0], box, atol=1e-3)
    assert support[0] < 0.45


def test_a_card_cut_by_the_border_keeps_what_lies_outside() -> None:
    card = quad(20, 240, 100, 160, 10)
    fitted, _ = fit_edges(table_with([card]), quad(22, 238, 100, 160, 14)[None])
    assert fitted[0][:, 0].min() < -10
    assert iou(fitted[0], card) > 0.8


@pytest.mark.parametrize(
    "box", [quad(-500, -500), quad(320, 240, 1, 2), quad(320, 240, 3000, 4800), quad(0, 0, 5, 8)]
)
def test_boxes_of_any_size_and_place_are_looked_at_without_fail(box: np.ndarray) -> None:
    fitted, support = fit_edges(table_with([]), box[None])
    assert np.isfinite(fitted).all()
    assert 0 <= support[0] <= 1
    assert fit_edges(table_with([]), np.zeros((0, 4, 2)))[0].shape == (0, 4, 2)
