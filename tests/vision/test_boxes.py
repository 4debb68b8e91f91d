from __future__ import annotations

import numpy as np
import pytest

from tests.vision.builders import detections, quad
from vision.boxes import merged_looks, overlaps, portrait_quads, quad_areas, share_inside, without_doubles
from vision.detections import BACK, FACE, HAND

DEGREES = [-170, -90, -89, -45, 0, 1, 44, 45, 46, 89, 90, 135, 180, 400]


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize(("width", "height"), [(50, 80), (80, 50)])
def test_quads_are_portrait_and_clockwise_whatever_the_angle(
    width: float, height: float, degrees: float
) -> None:
    (corners,) = portrait_quads(np.array([[200, 100, width, height, np.radians(degrees)]]))
    first = np.linalg.norm(corners[1] - corners[0])
    second = np.linalg.norm(corners[2] - corners[1])
    assert (first, second) == pytest.approx((50, 80), abs=1e-3)
    x, y = corners[:, 0], corners[:, 1]
    assert (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() > 0, "clockwise as seen, since y points down"
    assert corners[:2, 1].mean() <= corners[2:, 1].mean() + 1e-3, "the first edge is the upper one"
    assert corners.mean(axis=0) == pytest.approx((200, 100), abs=1e-3)
    # The same rectangle: each corner is one of those that the definition of width, height and angle gives.
    turn = np.radians(degrees)
    along, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    expected = [
        (200, 100) + sx * along * width / 2 + sy * down * height / 2 for sx in (-1, 1) for sy in (-1, 1)
    ]
    for corner in corners:
        assert min(np.linalg.norm(corner - other) for other in expected) < 1e-3


@pytest.mark.parametrize(
    ("other", "iou"),
    [
        (quad(100, 100), 1.0),
        (quad(125, 100), 1 / 3),
        (quad(100, 120), 0.75 / 1.25),
        (quad(150, 100), 0.0),
        (quad(1000, 100), 0.0),
        (quad(100, 100, 25, 80), 0.5),
        (quad(100, 100, 50, 80, 90), 2500 / (8000 - 2500)),
        (quad(100, 100, 50, 80, 180), 1.0),
    ],
)
def test_overlap_of_two_cards(other: np.ndarray, iou: float) -> None:
    first = quad(100, 100)
    both, cover = overlaps(np.array([first, other]))
    assert both[0, 1] == both[1, 0] == pytest.approx(iou, abs=1e-3)
    assert both[0, 0] == cover[1, 1] == pytest.approx(1)
    shared = iou * (4000 + quad_areas(other[None])[0]) / (1 + iou)
    assert cover[0, 1] == pytest.approx(shared / min(4000, quad_areas(other[None])[0]), abs=1e-3)


def test_overlap_far_from_the_origin_is_as_exact() -> None:
    far = np.array([quad(9000.25, 7000.5, degrees=31), quad(9010.25, 7003.5, degrees=31)])
    near = far - np.float32((9000, 7000))
    np.testing.assert_allclose(overlaps(far)[0], overlaps(near)[0], atol=2e-3)


@pytest.mark.parametrize(
    ("second", "class_ids", "kept"),
    [
        (quad(100, 100), [FACE, FACE], 1),  # the same box twice
        (quad(102, 103), [FACE, FACE], 1),  # nearly the same
        (quad(100, 100), [FACE, BACK], 1),  # face and back of one card
        (quad(100, 100), [FACE, HAND], 2),  # a hand over a card
        (quad(100, 100), [HAND, HAND], 1),
        (quad(100, 124), [FACE, FACE], 2),  # a card 70 % under another one
        (quad(115, 100), [FACE, FACE], 2),  # the same, sideways
        (quad(100, 100, degrees=40), [FACE, FACE], 2),  # turned on top of each other
        (quad(100, 90, 40, 50), [FACE, FACE], 1),  # a box of a part of the card
        (quad(300, 100), [FACE, FACE], 2),
    ],
)
def test_doubles_go_and_cards_that_lie_over_each_other_stay(
    second: np.ndarray, class_ids: list[int], kept: int
) -> None:
    found = detections([second, quad(100, 100)], [0.6, 0.9], class_ids[::-1])
    left = without_doubles(found)
    assert len(left) == kept
    assert left.scores[0] == pytest.approx(0.9), "the better one is kept and comes first"


def test_a_row_of_overlapping_cards_is_not_eaten_up() -> None:
    fan = detections(
        [quad(100 + 16 * i, 100, degrees=3 * i) for i in range(10)], [0.9 - 0.01 * i for i in range(10)]
    )
    assert len(without_doubles(fan)) == 10


@pytest.mark.parametrize(
    ("corners", "share"),
    [
        (quad(100, 100), 1),
        (quad(0, 100), 0.5),
        (quad(0, 0), 0.25),
        (quad(-200, 50), 0),
        (quad(195, 100), 0.6),
    ],
)
def test_share_inside_the_picture(corners: np.ndarray, share: float) -> None:
    assert share_inside(corners[None], (200, 200))[0] == pytest.approx(share, abs=1e-3)
    assert share_inside(np.zeros((0, 4, 2)), (200, 200)).shape == (0,)


def test_two_looks_at_the_same_cards_are_joined() -> None:
    coarse = detections([quad(100, 100, 60, 70), quad(300, 100)], [0.9, 0.5])
    fine = detections(
        [quad(104, 103, degrees=8), quad(302, 101), quad(325, 101), quad(500, 100)], [0.88, 0.8, 0.7, 0.6]
    )
    found = merged_looks([coarse, fine])
    assert found.centres.round().tolist() == [[104, 103], [302, 101], [325, 101], [500, 100]]
    assert len(merged_looks([])) == 0
    assert len(merged_looks([coarse, coarse])) == 2


def test_a_hand_of_one_look_does_not_take_the_card_of_another_away() -> None:
    found = merged_looks(
        [detections([quad(100, 100)], [0.9], [HAND]), detections([quad(100, 100)], [0.8], [FACE])]
    )
    assert sorted(found.class_ids) == [FACE, HAND]
