from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from vision.classifier import CLASSES, Classifier, Readings
from vision.detections import BACK, FACE, Detections
from vision.mirror import CARDS, looks_mirrored, mirrored_quads

WIDTH, HEIGHT = 900, 200


class ReadsRamps:
    """Reads a card that grows brighter to the right surely; one that grows darker less surely."""

    size = (64, 40)

    def __init__(self, loss: float = 0.4) -> None:
        self.loss = loss
        self.reads = 0

    def read_straightened(self, pictures: np.ndarray) -> Readings:
        self.reads += len(pictures)
        rising = np.array([picture[:, -8].mean() > picture[:, 7].mean() for picture in pictures], bool)
        log_probs = np.full((len(pictures), len(CLASSES)), -9.0, np.float32)
        log_probs[:, 3] = np.where(rising, -0.05, -0.05 - self.loss)
        flags = np.zeros(len(pictures), bool)
        return Readings(log_probs, np.ones((len(pictures), 2), np.float32), flags, flags)


def table(count: int, rising: bool = True) -> tuple[np.ndarray, Detections, Readings]:
    """Return a picture of a row of cards, each of which grows brighter to the right, or all of which do not."""
    image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    ramp = np.linspace(40, 220, 50).astype(np.uint8)
    quads = []
    for i in range(count):
        left = 20 + 80 * i
        image[50:130, left : left + 50] = (ramp if rising else ramp[::-1])[None, :, None]
        quads.append([[left, 50], [left + 50, 50], [left + 50, 130], [left, 130]])
    found = Detections(
        np.array(quads, np.float32).reshape(-1, 4, 2), np.linspace(0.9, 0.5, count), np.full(count, FACE)
    )
    flags = np.zeros(count, bool)
    return image, found, Readings(np.zeros((count, 93), np.float32), np.ones((count, 2), np.float32), flags, flags)


def said(count: int, rising: bool, reader: ReadsRamps | None = None) -> bool:
    image, found, readings = table(count, rising)
    return looks_mirrored(image, found, readings, cast(Classifier, reader or ReadsRamps()))


def test_cards_that_read_better_in_the_mirror_are_mirrored() -> None:
    assert said(6, rising=False)
    assert not said(6, rising=True)


def test_cards_that_read_alike_both_ways_say_nothing() -> None:
    assert not said(8, rising=False, reader=ReadsRamps(loss=0.02))


def test_one_card_does_not_decide_for_all() -> None:
    image, found, readings = table(6)
    image[50:130, 20:70] = image[50:130, 20:70][:, ::-1]
    assert not looks_mirrored(image, found, readings, cast(Classifier, ReadsRamps(loss=20.0)))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_few_cards_are_too_few_to_tell(count: int) -> None:
    reader = ReadsRamps()
    assert not said(count, rising=False, reader=reader)
    assert reader.reads == 0


def test_no_more_cards_are_read_than_it_takes() -> None:
    reader = ReadsRamps()
    said(11, rising=True, reader=reader)
    assert reader.reads == 2 * CARDS


def test_backs_say_nothing() -> None:
    image, found, readings = table(6, rising=False)
    backs = Detections(found.quads, found.scores, np.full(6, BACK))
    assert not looks_mirrored(image, backs, readings, cast(Classifier, ReadsRamps()))


def test_a_mirrored_quad_keeps_its_order_and_comes_back() -> None:
    quad = np.array([[[10, 20], [60, 25], [58, 105], [8, 100]]], np.float32)
    there = mirrored_quads(quad, 200)
    assert there[0].tolist() == [[140, 25], [190, 20], [192, 100], [142, 105]]
    first, second = there[0][1] - there[0][0], there[0][3] - there[0][0]
    assert first[0] * second[1] - first[1] * second[0] > 0, "corners go clockwise"
    assert np.array_equal(mirrored_quads(there, 200), quad)
