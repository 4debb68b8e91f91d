"""The assignment problem: pair rows with columns at the least cost. Owns the mathematics only."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def assign(cost: npt.NDArray[np.floating], too_dear: float) -> list[tuple[int, int]]:
    """Pair rows and columns so that the sum is least, leaving unpaired what would cost too much.

    Shortest augmenting paths (Kuhn 1955; Jonker and Volgenant 1987), O(n^3).

    Args:
        cost: (rows, columns), infinite where a pair is impossible.
        too_dear: Cost from which two are rather left unpaired.

    Returns:
        Pairs (row, column), by row.
    """
    rows, columns = cost.shape
    if rows == 0 or columns == 0:
        return []
    # Every row gets a column of its own for staying alone, which makes the problem always solvable.
    alone = np.where(np.eye(rows, dtype=bool), too_dear, too_dear * 2 + 1)
    finite = np.where(np.isfinite(cost), np.minimum(cost, too_dear * 2), too_dear * 2)
    padded = np.concatenate([finite, alone], axis=1)
    chosen = _least_cost(padded)
    return [(r, int(c)) for r, c in enumerate(chosen) if c < columns and cost[r, c] < too_dear]


def _least_cost(cost: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the column of each row of a cost matrix with at least as many columns as rows."""
    rows, columns = cost.shape
    row_price = np.zeros(rows + 1)
    column_price = np.zeros(columns + 1)
    row_of = np.full(columns + 1, rows)  # which row holds a column; the last column is where a path begins
    for row in range(rows):
        row_of[columns] = row
        column = columns
        least = np.full(columns, np.inf)
        came_from = np.full(columns, columns)
        visited = np.zeros(columns + 1, bool)
        while row_of[column] != rows:
            visited[column] = True
            holder = row_of[column]
            reduced = cost[holder] - row_price[holder] - column_price[:columns]
            better = ~visited[:columns] & (reduced < least)
            least[better] = reduced[better]
            came_from[better] = column
            step = np.where(visited[:columns], np.inf, least)
            following = int(step.argmin())
            delta = step[following]
            for held in np.flatnonzero(visited):
                row_price[row_of[held]] += delta
                column_price[held] -= delta
            least[~visited[:columns]] -= delta
            column = following
        while column != columns:
            earlier = int(came_from[column])
            row_of[column] = row_of[earlier]
            column = earlier
    result = np.full(rows, -1)
    for column in range(columns):
        if row_of[column] != rows:
            result[row_of[column]] = column
    return result
