"""Which of a detector's boxes become cards, once they are moved to corners."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.builders import quad
from vision.corners import CornerFinder
from vision.detections import BACK, FACE, HAND, Detections
from vision.detector import Detector
from vision.finder import CLEAR_BELOW, CardFinder

IMAGE = np.zeros((480, 640, 3), np.uint8)
SURE, UNSURE = CLEAR_BELOW / 3, CLEAR_BELOW * 3


class Boxes(Detector):
    """Has these boxes for every picture, those from the asked score on."""

    def __init__(self, *boxes: tuple[np.ndarray, float, int]) -> None:
        self.score = 0.25
        self.boxes = boxes

    def candidates(self, image: np.ndarray, *, photo: bool = False, score: float | None = None) -> Detections:
        kept = [box for box in self.boxes if box[1] >= (score or 0)]
        quads, scores, class_ids = zip(*kept, strict=True) if kept else ((), (), ())
        return Detections(
            np.array(quads, np.float32).reshape(-1, 4, 2), np.array(scores, np.float32), np.array(class_ids, np.int64)
        )


class Corners(CornerFinder):
    """Moves each box to the card nearest to it, within reach, and is as sure of it as it is told."""

    def __init__(self, cards: list[np.ndarray], error: float = SURE, reach_px: float = 12) -> None:
        self.cards, self.error, self.reach_px = cards, error, reach_px

    def locate(self, image: np.ndarray, quads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        moved, errors = np.array(quads), np.full(len(quads), UNSURE, np.float32)
        for i, box in enumerate(quads):
            off = [float(np.abs(card - box).max()) for card in self.cards]
            if off and min(off) < self.reach_px:
                moved[i], errors[i] = self.cards[int(np.argmin(off))], self.error
        return moved, errors


def found(detector: Boxes, corners: Corners) -> list[tuple[np.ndarray, float, int, bool]]:
    result = CardFinder(detector, corners).find(IMAGE)
    boxes = result.detections
    return list(zip(boxes.quads, boxes.scores.tolist(), boxes.class_ids.tolist(), result.clear.tolist(), strict=True))


UPPER, LOWER = quad(200, 200, 60, 100), quad(200, 250, 60, 100)
ACROSS = quad(200, 222, 60, 145)
"""A box of two cards, one half over the other."""


def test_the_good_box_of_a_low_score_is_kept_and_the_box_across_two_cards_is_not() -> None:
    detector = Boxes((ACROSS, 0.7, FACE), (UPPER + 3, 0.12, FACE), (LOWER - 2, 0.15, FACE))
    cards = found(detector, Corners([UPPER, LOWER]))
    assert [card[2:] for card in cards] == [(FACE, True), (FACE, True)]
    np.testing.assert_array_equal(cards[0][0], LOWER)
    np.testing.assert_array_equal(cards[1][0], UPPER)


def test_boxes_moved_to_the_same_corners_are_one_card_with_the_surest_ones_score_and_side() -> None:
    detector = Boxes((UPPER + 6, 0.8, BACK), (UPPER - 6, 0.3, FACE), (UPPER + np.float32([9, -9]), 0.2, FACE))
    ((place, score, side, clear),) = found(detector, Corners([UPPER]))
    np.testing.assert_array_equal(place, UPPER)
    assert (round(score, 3), side, clear) == (0.8, BACK, True)


@pytest.mark.parametrize(("score", "cards"), [(0.3, [False]), (0.2, [])])
def test_a_strong_box_without_clear_corners_is_a_card_that_cannot_be_read(score: float, cards: list[bool]) -> None:
    assert [card[3] for card in found(Boxes((UPPER, score, FACE)), Corners([]))] == cards


def test_neighbours_in_a_row_of_cards_that_show_a_quarter_each_stay_cards() -> None:
    row = [quad(100 + 15 * i, 200, 60, 100) for i in range(5)]
    assert len(found(Boxes(*((card, 0.5, FACE) for card in row)), Corners(row, reach_px=5))) == 5


def test_hands_need_the_detectors_own_score_and_hide_no_card() -> None:
    hand = quad(200, 210, 80, 160)
    seen = found(Boxes((hand, 0.9, HAND), (quad(400, 200), 0.2, HAND), (UPPER, 0.5, FACE)), Corners([UPPER]))
    assert [(side, clear) for _, _, side, clear in seen] == [(HAND, False), (FACE, True)]
    result = CardFinder(Boxes((hand, 0.9, HAND), (UPPER, 0.5, FACE)), Corners([UPPER])).find(IMAGE).cards()
    assert result.detections.class_ids.tolist() == [FACE] and result.clear.tolist() == [True]


def test_an_empty_table_has_no_cards() -> None:
    assert found(Boxes(), Corners([])) == []
