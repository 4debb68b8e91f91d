"""Boxes of half a card, made whole by what can be read around them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.tabletop.fakes import CARD, quad
from vision.classifier import CLASSES, NONE, Readings
from vision.detections import BACK, FACE, Detections
from vision.tabletop.completing import BoxCompleter

WIDTH, HEIGHT = CARD


class Reader:
    """Read a face only where a whole card lies, and count how often it is asked."""

    def __init__(self, x: float, y: float) -> None:
        self.place = np.array([x, y])
        self.calls = 0

    def __call__(self, quads: np.ndarray) -> Readings:
        self.calls += 1
        probs = np.full((len(quads), len(CLASSES)), 1e-4)
        for row, q in zip(probs, quads, strict=True):
            sides = np.linalg.norm(q[1] - q[0]), np.linalg.norm(q[2] - q[1])
            fits = np.hypot(*(q.mean(axis=0) - self.place)) < 4 and sides == pytest.approx(CARD, rel=0.1)
            row[CLASSES.index("7b") if fits else NONE] = 1.0
        n = len(quads)
        log_probs = np.log(probs / probs.sum(axis=1, keepdims=True)).astype(np.float32)
        return Readings(log_probs, np.zeros((n, 1), np.float32), np.zeros(n, bool), np.zeros(n, bool))


def found(*boxes: tuple[np.ndarray, int]) -> Detections:
    """Give detections."""
    return Detections(
        np.array([q for q, _ in boxes]), np.full(len(boxes), 0.4), np.array([c for _, c in boxes])
    )


@pytest.fixture
def completer() -> BoxCompleter:
    """Give one that knows how large cards are."""
    made = BoxCompleter()
    made.learn(quad(200, 300))
    made.learn(quad(500, 300, 0.3))
    return made


def test_whole_boxes_stay_as_they_are(completer: BoxCompleter) -> None:
    cards = found((quad(200, 300), FACE), (quad(400, 100, 1.0), BACK))
    assert completer.complete(cards, [], 0, Reader(0, 0)) is cards


def test_nothing_is_done_before_a_card_is_known() -> None:
    cards = found((quad(200, 300, size=(60, 40)), FACE))
    assert BoxCompleter().complete(cards, [], 0, Reader(0, 0)) is cards


@pytest.mark.parametrize("class_id", [FACE, BACK])
@pytest.mark.parametrize(("dy", "height"), [(24.0, 48.0), (-20.0, 56.0), (15.0, 66.0)])
def test_half_a_card_is_completed_where_its_face_can_be_read(
    completer: BoxCompleter, dy: float, height: float, class_id: int
) -> None:
    reader = Reader(350, 200)
    half = quad(350, 200 + dy, size=(WIDTH, height))
    whole = completer.complete(found((half, class_id)), [], 0, reader)
    assert whole.class_ids.tolist() == [FACE]
    assert whole.centres[0] == pytest.approx([350, 200], abs=4)
    again = completer.complete(found((half, class_id)), [], 100, reader)
    assert len(again) == 1 and reader.calls == 1


def test_two_halves_are_one_card(completer: BoxCompleter) -> None:
    halves = [(quad(350, 200 + dy, size=(WIDTH, 50)), FACE) for dy in (-23, 23)]
    assert len(completer.complete(found(*halves), [], 0, Reader(350, 200))) == 1


def test_part_of_a_known_card_is_a_sight_of_it(completer: BoxCompleter) -> None:
    known = quad(200, 300)
    part = quad(200, 320, size=(WIDTH, 50))
    cards = completer.complete(found((part, FACE)), [known], 0, Reader(0, 0))
    assert cards.quads[0] == pytest.approx(known)
    both = completer.complete(found((known, FACE), (part, FACE)), [known], 0, Reader(0, 0))
    assert len(both) == 1


def test_a_part_of_nothing_is_left_out(completer: BoxCompleter) -> None:
    reader = Reader(0, 0)
    part = found((quad(350, 200, size=(40, 40)), FACE))
    for t_ms in range(0, 1000, 100):
        assert len(completer.complete(part, [], t_ms, reader)) == 0
    assert reader.calls == 4
    assert not completer.is_asking(900)


class Doubtful:
    """Read all places as one face, never surely, and count how often it is asked."""

    def __init__(self, *probabilities: float) -> None:
        self.probabilities = list(probabilities)

    def __call__(self, quads: np.ndarray) -> Readings:
        sure = self.probabilities.pop(0)
        probs = np.full((len(quads), len(CLASSES)), (1 - sure) / len(CLASSES))
        probs[:, CLASSES.index("7b")] = sure
        n = len(quads)
        return Readings(np.log(probs).astype(np.float32), np.zeros((n, 1), np.float32), *(np.zeros(n, bool),) * 2)


def test_a_card_that_a_hand_still_covered_in_the_first_look_is_found_in_the_next(completer: BoxCompleter) -> None:
    part = found((quad(350, 172, size=(WIDTH, 40)), FACE))
    read = Doubtful(0.2, 0.9)
    assert len(completer.complete(part, [], 0, read)) == 0
    assert completer.is_asking(0)
    assert len(completer.complete(part, [], 100, read)) == 1
    assert not completer.is_asking(100)
    assert len(completer.complete(part, [], 200, read)) == 1


def test_a_face_that_two_looks_find_likely_is_believed(completer: BoxCompleter) -> None:
    part = found((quad(350, 172, size=(WIDTH, 40)), FACE))
    read = Doubtful(0.62, 0.62)
    assert len(completer.complete(part, [], 0, read)) == 0
    assert len(completer.complete(part, [], 100, read)) == 1


@pytest.mark.parametrize("gap", [-8.0, 4.0])
def test_what_sticks_out_of_a_pile_is_no_card_of_the_table(completer: BoxCompleter, gap: float) -> None:
    pile = quad(370, 220)
    part = quad(370 - WIDTH / 2 - gap - 22, 220, size=(44, 62))
    for t_ms in range(0, 600, 100):
        made = completer.complete(found((part, FACE), (pile, BACK)), [], t_ms, Doubtful(0.8))
        assert made.class_ids.tolist() == [BACK]


def test_the_second_card_of_a_box_of_two_is_asked_for_again(completer: BoxCompleter) -> None:
    known = quad(200, 300)
    both = found((quad(200, 315, size=(WIDTH, HEIGHT + 30)), FACE))
    read = Doubtful(0.1, 0.9)
    assert len(completer.complete(both, [known], 0, read)) == 1
    assert len(completer.complete(both, [known], 100, read)) == 2


@pytest.mark.parametrize(("dx", "dy"), [(0.0, 40.0), (0.0, -26.0), (28.0, 0.0)])
@pytest.mark.parametrize("is_known", [True, False])
def test_a_box_of_two_cards_half_over_each_other_is_divided(
    completer: BoxCompleter, dx: float, dy: float, is_known: bool
) -> None:
    known = quad(200, 300)
    both = quad(200 + dx / 2, 300 + dy / 2, size=(WIDTH + abs(dx), HEIGHT + abs(dy)))
    readers = Reader(200 + dx, 300 + dy), Reader(200, 300)

    def read(quads: np.ndarray) -> Readings:
        log_probs = np.maximum(*(reader(quads).log_probs for reader in readers))
        return Readings(log_probs, np.zeros((len(quads), 1), np.float32), *(np.zeros(len(quads), bool),) * 2)

    for t_ms in (0, 100):
        cards = completer.complete(found((both, FACE)), [known] if is_known else [], t_ms, read)
        centres = sorted(cards.centres.tolist())
        assert np.array(centres) == pytest.approx(np.array(sorted([[200, 300], [200 + dx, 300 + dy]])), abs=4)
    assert readers[0].calls == 1


def test_a_large_box_in_which_nothing_can_be_read_stays(completer: BoxCompleter) -> None:
    large = quad(350, 200, size=(WIDTH, HEIGHT * 1.3))
    assert completer.complete(found((large, FACE)), [], 0, Reader(0, 0)).quads[0] == pytest.approx(large)


def test_a_card_nearer_to_the_camera_is_not_two(completer: BoxCompleter) -> None:
    reader = Reader(350, 200)
    near = quad(350, 200, size=(WIDTH * 1.09, HEIGHT * 1.09))
    assert completer.complete(found((near, FACE)), [], 0, reader).quads[0] == pytest.approx(near)
    assert reader.calls == 0


def test_a_second_box_on_a_part_of_a_card_is_no_card_under_it(completer: BoxCompleter) -> None:
    """The upper half of the 4 of denari, boxed once more, was made whole and read as the 3, lying across."""
    whole, piece = quad(350, 200), quad(350, 182, size=(WIDTH, 60))
    cards = Detections(np.array([whole, piece]), np.array([0.6, 0.3]), np.array([FACE, FACE]))
    reader = Reader(350, 200)
    assert completer.complete(cards, [], 0, reader).quads == pytest.approx(whole[None])
    assert reader.calls == 0


def test_a_loose_box_of_one_card_is_not_divided(completer: BoxCompleter) -> None:
    """Both ends of a box that is a fifth too long read as the card in it, whose corners are the same ones."""
    card = quad(350, 200)

    def read(quads: np.ndarray) -> Readings:
        log_probs = np.full((len(quads), len(CLASSES)), np.log(1e-4), np.float32)
        log_probs[:, CLASSES.index("7c")] = np.log(0.99)
        flags = np.zeros(len(quads), bool)
        return Readings(
            log_probs, np.zeros((len(quads), 1), np.float32), flags, flags, np.tile(card, (len(quads), 1, 1))
        )

    loose = quad(350, 200, size=(WIDTH, HEIGHT * 1.2))
    assert len(completer.complete(found((loose, FACE)), [], 0, read)) == 1
