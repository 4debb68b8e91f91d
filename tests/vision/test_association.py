from __future__ import annotations

import itertools

import numpy as np
import pytest

from vision.association import joint_probabilities


def by_counting(probs: np.ndarray, unread: np.ndarray) -> np.ndarray:
    """The exact answer: every way to give the faces out, weighed."""
    count, faces = probs.shape
    total = np.zeros((count, faces + 1))
    for way in itertools.product(range(faces + 1), repeat=count):
        given = [face for face in way if face < faces]
        if len(set(given)) == len(given):
            weight = np.prod([probs[i, face] if face < faces else unread[i] for i, face in enumerate(way)])
            for i, face in enumerate(way):
                total[i, face] += weight
    return total / total.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(12))
def test_close_to_the_exact_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.full(6, 0.3), 4)
    faces, unread = probs[:, :5], np.maximum(probs[:, 5], 0.01)
    found = joint_probabilities(np.log(np.maximum(faces, 1e-30)), unread)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-9)
    assert (found[:, :5].sum(axis=0) < 1.01).all(), "a face is given out once"
    np.testing.assert_allclose(found, by_counting(faces, unread), atol=0.12)


def test_cards_that_agree_with_each_other_keep_their_own() -> None:
    probs = np.array([[0.9, 0.05, 0.04], [0.04, 0.9, 0.05], [0.05, 0.04, 0.9]])
    found = joint_probabilities(np.log(probs), np.full(3, 0.01))
    assert (found[:, :3].diagonal() > 0.9).all()


def test_the_surer_reading_gets_the_face_and_the_other_its_second_choice() -> None:
    found = joint_probabilities(np.log([[0.999, 0.0005], [0.9, 0.09]]), np.array([0.001, 0.01]))
    assert found[0, 0] > 0.9
    assert found[1, 1] > 0.8


def test_two_sure_readings_of_one_face_leave_both_in_doubt() -> None:
    found = joint_probabilities(np.log([[0.98, 1e-4], [0.98, 1e-4]]), np.array([0.01, 0.01]))
    assert found[:, 0].tolist() == pytest.approx([0.5, 0.5], abs=0.05)


def test_many_cards_settle() -> None:
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.full(93, 0.02), 60) + 1e-12
    found = joint_probabilities(np.log(probs), np.full(60, 0.01))
    assert np.isfinite(found).all()
    assert (found >= 0).all()


def test_impossible_input_is_refused() -> None:
    assert joint_probabilities(np.zeros((0, 5)), np.zeros(0)).shape == (0, 6)
    with pytest.raises(ValueError, match="unread"):
        joint_probabilities(np.zeros((1, 5)), np.zeros(1))
    with pytest.raises(ValueError, match="log_probs"):
        joint_probabilities(np.zeros((2, 5)), np.ones(1))
