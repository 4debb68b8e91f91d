from __future__ import annotations

import numpy as np
import pytest

from rules.cards import FRENCH_CODES, ITALIAN_CODES
from tests.vision.builders import CARD_BGR, painted_table, quad, tiny_models
from vision.classifier import BATCH, CLASSES, FRENCH, ITALIAN, NONE, Classifier, aspects, log_softmax
from vision.models import Models


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Classifier:
    return Classifier(Models(tiny_models(tmp_path_factory.mktemp("models"))))


def test_classes_are_the_faces_in_the_order_of_the_model() -> None:
    assert len(CLASSES) == 93 == len(set(CLASSES))
    assert CLASSES[ITALIAN] == ITALIAN_CODES
    assert CLASSES[FRENCH] == FRENCH_CODES
    assert CLASSES[NONE] == "none"


def test_each_card_is_read_at_its_place_however_it_lies(classifier: Classifier) -> None:
    names = list(CARD_BGR) * 9
    quads = [quad(60 + 70 * (i % 9), 80 + 110 * (i // 9), degrees=37 * i) for i in range(len(names))]
    image = painted_table((700, 400), [(q, CARD_BGR[name]) for q, name in zip(quads, names, strict=True)])
    assert len(names) > BATCH, "more than one batch"
    readings = classifier.read(image, np.array(quads))
    assert [CLASSES[i] for i in readings.log_probs.argmax(axis=1)] == names
    np.testing.assert_allclose(np.exp(readings.log_probs).sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(readings.features, axis=1), 1, rtol=1e-5)
    assert not readings.turned.any()


def test_nothing_to_read_gives_no_readings(classifier: Classifier) -> None:
    readings = classifier.read(np.zeros((20, 20, 3), np.uint8), np.zeros((0, 4, 2)))
    assert len(readings) == 0
    assert readings.log_probs.shape == (0, len(CLASSES))


def test_colours_go_in_as_red_green_blue(classifier: Classifier) -> None:
    crops = np.zeros((1, 128, 80, 3), np.uint8)
    crops[..., 2] = 255  # red, in BGR
    _, features = classifier.run(crops)
    np.testing.assert_allclose(features, [[1, 0, 0]], atol=1e-6)


def run_by_upper_half(crops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Stand in for a model that knows up from down: reads 7d well upright and badly upside down."""
    upper = crops[:, :40].mean(axis=(1, 2, 3)) > crops[:, -40:].mean(axis=(1, 2, 3))
    logits = np.zeros((len(crops), len(CLASSES)), np.float32)
    logits[:, CLASSES.index("7d")] = np.where(upper, 12, 6)
    return logits, np.ones((len(crops), 4), np.float32)


@pytest.mark.parametrize("degrees", [0, 180])
def test_cards_are_read_both_ways_up(
    classifier: Classifier, monkeypatch: pytest.MonkeyPatch, degrees: float
) -> None:
    monkeypatch.setattr(classifier, "run", run_by_upper_half)
    image = np.zeros((200, 200, 3), np.uint8)
    image[50:100, 60:140] = 255
    readings = classifier.read(image, quad(100, 100, 60, 100, degrees)[None])
    assert readings.upside_down.tolist() == [degrees == 180]
    both = (log_softmax(np.eye(93)[3] * 12) + log_softmax(np.eye(93)[3] * 6)) / 2
    assert readings.log_probs.max() == pytest.approx(log_softmax(both).max(), abs=1e-4)


def test_a_card_that_looks_square_is_read_lying_as_well(
    classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 45 degrees a French card looks square, and its quad may start at a long side."""

    def run(crops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        across = np.abs(np.diff(crops.astype(float).mean(axis=(2, 3)), axis=1)).max(axis=1) > 50
        logits = np.zeros((len(crops), len(CLASSES)), np.float32)
        logits[:, CLASSES.index("AH")] = np.where(across, 9, 1)
        return logits, np.ones((len(crops), 4), np.float32)

    monkeypatch.setattr(classifier, "run", run)
    image = np.zeros((300, 300, 3), np.uint8)
    image[:150] = 255  # a line across: upright for this model
    square, lying, tall = quad(150, 150, 78, 80), quad(150, 150, 78, 80, 90), quad(150, 150, 50, 80, 90)
    readings = classifier.read(image, np.array([square, lying, tall]), corners=False)
    assert readings.turned.tolist() == [False, True, False]
    assert readings.quads is not None
    np.testing.assert_array_equal(readings.quads, [square, np.roll(lying, 1, axis=0), tall])
    assert readings.log_probs[0].max() == pytest.approx(readings.log_probs[1].max(), abs=1e-4)
    assert readings.log_probs[2].max() < readings.log_probs[0].max() - 1


def test_temperature_softens_what_is_read(classifier: Classifier, monkeypatch: pytest.MonkeyPatch) -> None:
    image = painted_table((100, 100), [(quad(50, 50), CARD_BGR["7d"])])
    sharp = classifier.read(image, quad(50, 50)[None]).log_probs.max()
    monkeypatch.setattr(classifier, "temperature", 5.0)
    assert classifier.read(image, quad(50, 50)[None]).log_probs.max() < sharp


def test_aspects_do_not_depend_on_the_turn() -> None:
    quads = np.array([quad(0, 0, 50, 80, turn) for turn in (0, 50, 90)] + [quad(0, 0, 80, 50)])
    np.testing.assert_allclose(aspects(quads), 1.6, rtol=1e-5)
    assert aspects(np.zeros((0, 4, 2))).shape == (0,)


def test_a_card_is_read_between_its_corners(classifier: Classifier, monkeypatch: pytest.MonkeyPatch) -> None:
    """The detector's box may be off; the card's own corners put it right."""
    box, corners = quad(150, 100), quad(50, 100)
    monkeypatch.setattr(classifier.corners, "fit", lambda image, quads: corners[None])
    image = painted_table((200, 200), [(box, CARD_BGR["7d"]), (corners, CARD_BGR["AH"])])
    readings, as_boxed = classifier.read(image, box[None]), classifier.read(image, box[None], corners=False)
    assert CLASSES[readings.log_probs[0].argmax()] == "AH"
    assert CLASSES[as_boxed.log_probs[0].argmax()] == "7d"
    assert readings.quads is not None and as_boxed.quads is not None
    np.testing.assert_array_equal(readings.quads[0], corners)
    np.testing.assert_array_equal(as_boxed.quads[0], box)


def test_readings_that_say_nothing_are_known_as_such(classifier: Classifier) -> None:
    image = painted_table((200, 200), [(quad(50, 100), CARD_BGR["7d"])])
    read = classifier.read(image, np.array([quad(50, 100), quad(150, 100)]), corners=False)
    doubted = read.doubting(np.array([False, True]))
    assert doubted.says_nothing.tolist() == [False, True] and not read.says_nothing.any()
    np.testing.assert_allclose(np.exp(doubted.log_probs).sum(axis=1), 1, rtol=1e-5)
