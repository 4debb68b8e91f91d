from __future__ import annotations

import numpy as np
import pytest

from tests.vision.builders import detections, quad
from vision.detections import BACK, FACE, HAND, Detections, DetectionsError


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"quads": np.zeros((2, 4))}, "shape"),
        ({"quads": np.full((1, 4, 2), np.nan)}, "finite"),
        ({"scores": [0.5, 0.5]}, "as many"),
        ({"scores": [1.01]}, "between 0 and 1"),
        ({"scores": [float("nan")]}, "between 0 and 1"),
        ({"class_ids": [3]}, "class ids"),
        ({"class_ids": [0.0]}, "whole numbers"),
    ],
)
def test_impossible_values_are_refused(change: dict, message: str) -> None:
    good = {"quads": np.zeros((1, 4, 2)), "scores": [0.5], "class_ids": [0]}
    Detections(**good)
    with pytest.raises(DetectionsError, match=message):
        Detections(**{**good, **change})


def test_arrays_belong_to_the_detections_and_cannot_be_changed() -> None:
    quads = np.zeros((1, 4, 2), np.float32)
    found = Detections(quads, np.array([0.5]), np.array([FACE]))
    quads[:] = 7
    assert found.quads.max() == 0
    with pytest.raises(ValueError, match="read-only"):
        found.quads[0, 0, 0] = 1


def test_picking_keeps_rows_together() -> None:
    found = detections([quad(10, 10), quad(20, 20), quad(30, 30)], [0.3, 0.2, 0.1], [FACE, HAND, BACK])
    assert len(found) == 3
    assert found.of(HAND).centres.tolist() == [[20, 20]]
    assert len(found.of(HAND).of(FACE)) == 0
    assert found.pick([2, 0]).scores.tolist() == pytest.approx([0.1, 0.3])
    assert len(found.pick([])) == len(Detections.empty()) == len(Detections.joined([])) == 0
    assert Detections.joined([found.of(BACK), found.of(FACE)]).class_ids.tolist() == [BACK, FACE]


def test_sizes_are_width_and_height_of_the_card_however_it_lies() -> None:
    found = detections([quad(100, 100, 50, 80, turn) for turn in (0, 33, 90, 250)])
    np.testing.assert_allclose(found.sizes, [[50, 80]] * 4, rtol=1e-5)
