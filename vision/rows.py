"""Cards laid out in rows: which way up the photo is, where each card lies in its row, whether suits lie in order.

Owns the geometry of a spread and the evidence that lies in its order. It looks at no pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from vision.classifier import CLASSES

SAME_ROW = 0.45
"""Distance across a row, in card heights, up to which two cards lie in one row."""
CLEARLY_TURNED = 0.7
"""Share of cards that must stand on their heads for the photo to do so."""
FEWEST_TO_TURN = 4
"""Cards that it takes to tell that."""
SHORTEST_RUN = 4
"""Cards in a row that it takes to see an order in it."""
RUN_PRIOR = 0.3
"""Probability that people lay a row in order, before anything is seen."""
ORDER_SURE = 0.97
"""Probability that a card is what an order that the person has named says."""
_LEAST = 1e-3
"""Probability that a reading leaves to any face: it may be sure and wrong."""
_SKIP_FOUND = -2.5
_SKIP_LISTED = -1.0


@dataclass(frozen=True)
class Spread:
    """Say how the cards of one photo lie.

    Attributes:
        turned_deg: how far the picture must be turned clockwise for the cards to stand upright: 0, 90, 180 or 270.
        order: indices of the cards in reading order.
        rows: by card, the row that it lies in, from above.
        places: by card, its place in the row, from the left; a gap as wide as a card leaves a number out.
    """

    turned_deg: int
    order: tuple[int, ...]
    rows: tuple[int, ...]
    places: tuple[int, ...]


def spread_of(quads: npt.NDArray[np.floating], upside_down: npt.NDArray[np.bool_]) -> Spread:
    """Find the rows that cards lie in.

    Args:
        quads: (n, 4, 2) corners in pixels, in the order of `Detections`.
        upside_down: (n,) whether the face seems to stand the other way up than its quad says.
    """
    quads = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    if not len(quads):
        return Spread(0, (), (), ())
    up = quads[:, :2].mean(axis=1) - quads[:, 2:].mean(axis=1)
    height = float(np.median(np.linalg.norm(up, axis=1)))
    angle = np.arctan2(-up[:, 1], up[:, 0])
    # Directions that differ by half a turn are one axis: angles are doubled before they are averaged.
    axis = float(np.angle(np.exp(2j * angle).mean())) / 2
    heading = axis if np.sin(axis) > -1e-6 else axis + np.pi
    if abs(np.sin(heading)) < np.sin(np.pi / 4):  # the cards lie crosswise: as `Detections` has it, up is left
        heading = axis if np.cos(axis) < 0 else axis + np.pi
    against = np.cos(angle - heading) < 0
    on_its_head = np.asarray(upside_down, bool) != against
    if len(quads) >= FEWEST_TO_TURN and on_its_head.mean() >= CLEARLY_TURNED:
        heading += np.pi
    turned = round(np.degrees(heading - np.pi / 2) / 90) * 90 % 360
    upward = np.array([np.cos(heading), -np.sin(heading)])
    rightward = np.array([-upward[1], upward[0]])
    centres = quads.mean(axis=1)
    across, along = centres @ -upward, centres @ rightward
    rows = _rows(across, along, SAME_ROW * height)
    row_of, place_of = np.zeros(len(quads), int), np.zeros(len(quads), int)
    order: list[int] = []
    pitch = _pitch(rows, along)
    for number, row in enumerate(rows):
        place = 0
        for k, card in enumerate(row):
            if k:
                place += max(1, round((along[card] - along[row[k - 1]]) / pitch))
            row_of[card], place_of[card] = number, place
        order += row
    return Spread(int(turned), tuple(order), tuple(row_of.tolist()), tuple(place_of.tolist()))


def _rows(
    across: npt.NDArray[np.float64], along: npt.NDArray[np.float64], apart: float
) -> list[list[int]]:
    """Group cards to rows from above: a card belongs to the row whose nearest card, looking along it, is level."""
    rows: list[list[int]] = []
    for card in np.argsort(across, kind="stable").tolist():
        level = [
            abs(across[card] - across[min(row, key=lambda other: abs(along[other] - along[card]))])
            for row in rows
        ]
        if level and min(level) <= apart:
            rows[int(np.argmin(level))].append(card)
        else:
            rows.append([card])
    rows = [sorted(row, key=lambda card: along[card]) for row in rows]
    return sorted(rows, key=lambda row: float(np.mean(across[row])))


def _pitch(rows: Sequence[Sequence[int]], along: npt.NDArray[np.float64]) -> float:
    steps = [float(along[b] - along[a]) for row in rows for a, b in pairwise(row)]
    return max(float(np.median(steps)), 1e-6) if steps else 1.0


def with_runs(
    probs: npt.NDArray[np.float64], places: Sequence[int], suits: Sequence[Sequence[int]]
) -> npt.NDArray[np.float64]:
    """Take into account that a row may be a suit in order.

    Every suit, beginning anywhere, upwards or downwards, is weighed against cards that lie in no order; what each card
    is follows from all of these together.

    Args:
        probs: (n, faces) what each card of the row is by itself; rows sum to at most 1.
        places: (n,) ascending places in the row.
        suits: for each suit the columns of its faces from the ace upwards.

    Returns:
        (n, faces) probabilities with that evidence.
    """
    count, faces = probs.shape
    if count < SHORTEST_RUN:
        return probs
    seen = np.maximum(probs, _LEAST) * faces  # against cards that could be anything
    span = places[-1] - places[0]
    offsets = np.array([place - places[0] for place in places])
    runs: list[npt.NDArray[np.int64]] = []
    for suit in suits:
        columns = np.asarray(suit, np.int64)
        for start in range(len(columns) - span):
            runs.append(columns[start + offsets])
            runs.append(columns[start + span - offsets])
    if not runs:
        return probs
    rows = np.arange(count)
    logs = np.array([np.log(seen[rows, run]).sum() for run in runs])
    logs += np.log(RUN_PRIOR / len(runs))
    free = np.log(1 - RUN_PRIOR)
    peak = max(float(logs.max()), free)
    weights = np.exp(logs - peak)
    unordered = np.exp(free - peak)
    total = weights.sum() + unordered
    mixed = probs * (unordered / total)
    for weight, run in zip(weights / total, runs, strict=True):
        # Somebody may have put one card in the wrong place: the run does not silence the card's own face.
        mixed += weight * (1 - ORDER_SURE) * probs
        mixed[rows, run] += weight * ORDER_SURE
    return mixed


def with_order(probs: npt.NDArray[np.float64], listed: Sequence[int]) -> npt.NDArray[np.float64]:
    """Take into account that cards, in reading order, are those of a list, some of either left out.

    The alignment that fits the readings best is found (Needleman and Wunsch 1970).

    Args:
        probs: (n, faces) what each card is by itself.
        listed: columns in the order in which they were laid.

    Returns:
        (n, faces) probabilities with that evidence.
    """
    count, faces = probs.shape
    gain = np.log(np.maximum(probs[:, list(listed)], _LEAST) * faces)
    best = np.zeros((count + 1, len(listed) + 1))
    best[:, 0] = _SKIP_FOUND * np.arange(count + 1)
    best[0] = _SKIP_LISTED * np.arange(len(listed) + 1)
    for i in range(1, count + 1):
        for j in range(1, len(listed) + 1):
            best[i, j] = max(
                best[i - 1, j - 1] + gain[i - 1, j - 1],
                best[i - 1, j] + _SKIP_FOUND,
                best[i, j - 1] + _SKIP_LISTED,
            )
    mixed = probs.copy()
    i, j = count, len(listed)
    while i and j:
        if best[i, j] == best[i - 1, j - 1] + gain[i - 1, j - 1]:
            i, j = i - 1, j - 1
            mixed[i] *= 1 - ORDER_SURE
            mixed[i, listed[j]] += ORDER_SURE
        elif best[i, j] == best[i - 1, j] + _SKIP_FOUND:
            i -= 1
        else:
            j -= 1
    return mixed


def suit_columns(codes: Sequence[str]) -> list[list[int]]:
    """Return, suit by suit, the columns of a deck's faces from the ace upwards.

    Args:
        codes: the codes that the columns stand for; those of one suit in ascending order.
    """
    suits: dict[str, list[int]] = {}
    for column, code in enumerate(codes):
        suits.setdefault(code[-1], []).append(column)
    return list(suits.values())


def order_of(text: str, codes: Sequence[str]) -> list[str]:
    """Return the codes that an order in words names: suits (``dcsb``), codes, or both, with commas or blanks between.

    Args:
        text: such as ``dcsb`` (four suits, each from the ace upwards) or ``1d,2d,Rb``.
        codes: all codes of the deck.

    Raises:
        ValueError: with a line for people, if something in it is no suit and no card of the deck, or comes twice.
    """
    suits = {code[-1]: [c for c in codes if c[-1] == code[-1]] for code in codes}
    listed: list[str] = []
    for word in text.replace(",", " ").split():
        if word in codes:
            listed.append(word)
        elif all(letter in suits for letter in word):
            listed += [code for letter in word for code in suits[letter]]
        else:
            raise ValueError(f"“{word}” is neither a card of this deck nor suits out of {''.join(suits)}")
    if len(set(listed)) != len(listed):
        twice = next(code for code in listed if listed.count(code) > 1)
        raise ValueError(f"the order names {twice} twice: each card of a deck exists once")
    return listed


def columns_of(codes: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the classifier's columns of some codes."""
    known = {code: column for column, code in enumerate(CLASSES)}
    return np.array([known[code] for code in codes], np.int64)
