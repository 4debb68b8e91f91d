"""What models are run with is chosen so that it fits what they got right."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.train.calibration import Boxes, best_score, best_temperature, both_ways


def test_the_score_parts_right_boxes_from_wrong_ones() -> None:
    rng = np.random.default_rng(1)
    right = rng.uniform(0.4, 1.0, 300)
    wrong = rng.uniform(0.0, 0.38, 500)
    boxes = Boxes(np.concatenate([right, wrong]), np.arange(800) < 300, 300)
    score, f1 = best_score(boxes)
    assert 0.36 <= score <= 0.42
    assert f1 == pytest.approx(1.0, abs=0.01)


def test_missed_cards_do_not_raise_the_score() -> None:
    """Cards that no box found count against every score alike."""
    scores, right = np.array([0.9, 0.5, 0.3, 0.3]), np.array([True, True, False, False])
    assert best_score(Boxes(scores, right, 2))[0] == best_score(Boxes(scores, right, 40))[0]


@pytest.mark.parametrize("overconfidence", [0.7, 1.0, 2.0])
def test_the_temperature_undoes_overconfidence(overconfidence: float) -> None:
    """Faces are drawn from the honest probabilities; logits that are too large by a factor ask for that factor."""
    rng = np.random.default_rng(3)
    honest = rng.normal(0, 2, (4000, 12))
    likely = np.exp(both_ways(honest, honest, 1.0))
    faces = np.array([rng.choice(12, p=row / row.sum()) for row in likely])
    temperature, _ = best_temperature(honest * overconfidence, honest * overconfidence, faces)
    assert temperature == pytest.approx(overconfidence, rel=0.12)
