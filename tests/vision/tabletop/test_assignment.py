"""The assignment problem, against all ways to solve it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.tabletop.assignment import assign


def cheapest(cost: np.ndarray, too_dear: float) -> float:
    """Give the least sum by trying everything."""
    rows, columns = cost.shape
    best = rows * too_dear
    slots = [*range(columns), *([-1] * rows)]
    for chosen in set(permutations(slots, rows)):
        best = min(best, sum(too_dear if c < 0 else float(cost[r, c]) for r, c in enumerate(chosen)))
    return best


@given(st.integers(1, 3), st.integers(1, 4), st.integers(0, 2**32 - 1), st.sampled_from([0.3, 0.8, 5.0]))
def test_no_cheaper_pairing_exists(rows: int, columns: int, seed: int, too_dear: float) -> None:
    cost = np.random.default_rng(seed).random((rows, columns))
    pairs = assign(cost, too_dear)
    assert len({r for r, _ in pairs}) == len(pairs) == len({c for _, c in pairs})
    total = sum(float(cost[r, c]) for r, c in pairs) + too_dear * (rows - len(pairs))
    assert total == pytest.approx(cheapest(cost, too_dear))


def test_impossible_pairs_stay_unpaired() -> None:
    assert assign(np.array([[np.inf, 0.2], [np.inf, 0.1]]), 1.0) == [(1, 1)]
    assert assign(np.zeros((0, 3)), 1.0) == []
