from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.vision.builders import (
    find_colours,
    manifest_entry,
    painted_table,
    quad,
    tiny_detector,
    tiny_models,
)
from vision.boxes import overlaps
from vision.detections import BACK, CLASS_NAMES, FACE, HAND, Detections
from vision.detector import PHOTO_LONG_SIDES, Detector, decode
from vision.models import ModelError, Models

RED, GREEN, BLUE = (0, 0, 255), (0, 255, 0), (255, 0, 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models(tmp_path_factory.mktemp("models"))


@pytest.fixture
def finder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Detector:
    """A detector that finds painted cards in its input, so that all around the model is real."""
    detector = Detector(Models(folder))
    monkeypatch.setattr(detector, "run", find_colours)
    return detector


def assert_found(found: Detections, quads: list[np.ndarray], least_iou: float = 0.8) -> None:
    assert len(found) == len(quads)
    for expected in quads:
        iou = overlaps(np.concatenate([expected[None], found.quads]))[0][0, 1:]
        assert iou.max() >= least_iou


def test_rows_of_the_model_become_boxes_of_the_picture(tmp_path: Path) -> None:
    rows = np.array(
        [
            [160, 160, 30, 50, 0.9, FACE, 0.0],
            [100, 160, 50, 30, 0.8, BACK, 0.0],
            [220, 160, 40, 40, 0.7, HAND, 0.3],
            [160, 100, 30, 50, 0.01, FACE, 0.0],
            [160, 220, 30, 0, 0.9, FACE, 0.0],
        ]
    )
    detector = Detector(Models(tiny_models(tmp_path / "m", rows, margin=0.1)))
    found = detector.detect(np.zeros((512, 512, 3), np.uint8))
    # 512 pixels lie in the 256 that a margin of a tenth leaves of 320, so everything is doubled.
    assert found.class_ids.tolist() == [FACE, BACK, HAND]
    np.testing.assert_allclose(found.centres, [[256, 256], [136, 256], [376, 256]], atol=0.01)
    np.testing.assert_allclose(found.sizes[:2], [[60, 100], [60, 100]], rtol=1e-5)
    np.testing.assert_allclose(found.quads[0], quad(256, 256, 60, 100), atol=0.01)


@pytest.mark.parametrize("size", [(640, 480), (480, 640), (1920, 1080), (333, 1000)])
def test_cards_are_found_where_they_lie(finder: Detector, size: tuple[int, int]) -> None:
    width, height = size
    unit = max(size) / 640
    quads = [
        quad(width * 0.3, height * 0.3, 50 * unit, 80 * unit, 20),
        quad(width * 0.7, height * 0.6, 50 * unit, 80 * unit, -60),
    ]
    image = painted_table(size, list(zip(quads, (RED, GREEN), strict=True)))
    assert_found(finder.detect(image), quads)


def test_boxes_reach_out_of_the_picture(tmp_path: Path) -> None:
    rows = np.array([[20, 160, 30, 50, 0.9, FACE, 0.0]])
    detector = Detector(Models(tiny_models(tmp_path / "m", rows)))
    (corners,) = detector.detect(np.zeros((100, 100, 3), np.uint8)).quads
    assert corners[:, 0].min() < 0


def test_a_model_of_one_size_gets_that_size(tmp_path: Path, folder: Path) -> None:
    path = tiny_models(tmp_path / "m")
    tiny_detector(path / "detector.onnx", np.array([[50, 50, 30, 50, 0.9, FACE, 0.0]]), (96, 160))
    import json

    manifest = json.loads((path / "manifest.json").read_text())
    manifest["models"]["detector"] = manifest_entry(path / "detector.onnx", CLASS_NAMES, (96, 160))
    (path / "manifest.json").write_text(json.dumps(manifest))
    detector = Detector(Models(path))
    assert detector.input_hw((1080, 1920)) == (96, 160)
    assert len(detector.detect(np.zeros((1080, 1920, 3), np.uint8))) == 1
    assert len(detector.detect(np.zeros((1080, 1920, 3), np.uint8), photo=True)) >= 1
    assert Detector(Models(folder)).input_hw((1080, 1920)) == (192, 320)
    assert Detector(Models(folder), rectangular=False).input_hw((1080, 1920)) == (320, 320)


def test_a_photo_is_looked_at_in_tiles_where_cards_are_small(finder: Detector) -> None:
    size = (4000, 3000)
    rng = np.random.default_rng(5)
    quads = [
        quad(300 + 480 * column, 350 + 470 * row, 90, 144, float(rng.uniform(0, 180)))
        for row in range(6)
        for column in range(8)
    ]
    colours = [(RED, GREEN, BLUE)[i % 3] for i in range(len(quads))]
    image = painted_table(size, list(zip(quads, colours, strict=True)))
    inputs: list[tuple[int, ...]] = []
    run = finder.run

    def counted(canvas: np.ndarray) -> np.ndarray:
        inputs.append(canvas.shape)
        return run(canvas)

    finder.run = counted  # type: ignore[method-assign]
    found = finder.detect(image, photo=True)
    assert_found(found, quads, 0.75)
    assert len(inputs) > len(PHOTO_LONG_SIDES), "small cards need tiles"
    inputs.clear()
    large = [quad(1200, 1500, 700, 1120, 5), quad(2800, 1500, 700, 1120, 80)]
    assert_found(finder.detect(painted_table(size, [(corners, RED) for corners in large]), photo=True), large)
    assert len(inputs) == len(PHOTO_LONG_SIDES), "large cards need none"


def test_a_card_on_the_seam_of_tiles_is_one_card(finder: Detector) -> None:
    small = [quad(300 + 400 * i, 400, 80, 128, 0) for i in range(8)]
    seam = [quad(2000, 1500, 90, 144, 30), quad(2000, 900, 90, 144, 30), quad(300, 1500, 90, 144, 90)]
    image = painted_table((4000, 3000), [(corners, RED) for corners in [*small, *seam]])
    assert_found(finder.detect(image, photo=True), [*small, *seam], 0.7)


@pytest.mark.parametrize("hw", [(1, 1), (3, 2000), (2000, 3), (20, 20)])
def test_pictures_of_odd_sizes_are_looked_at_without_fail(finder: Detector, hw: tuple[int, int]) -> None:
    image = np.zeros((*hw, 3), np.uint8)
    assert len(finder.detect(image)) == len(finder.detect(image, photo=True)) == 0


def test_decode_drops_what_is_no_box() -> None:
    rows = np.array(
        [[1, 2, 30, 40, 0.5, 0, 0.1], [1, 2, 30, 40, 0.3, 0, 0.1], [np.nan, 2, 30, 40, 0.9, 0, 0],
         [1, 2, -30, 40, 0.9, 0, 0]], np.float32
    )  # fmt: skip
    boxes, scores, class_ids = decode(rows, 0.3)
    np.testing.assert_allclose(boxes, [[1, 2, 30, 40, 0.1]])
    assert (scores.tolist(), class_ids.tolist()) == ([0.5], [0])


def test_a_model_with_other_rows_is_refused(folder: Path) -> None:
    detector = Detector(Models(folder))
    detector._session = type("Session", (), {"run": lambda *_: [np.zeros((1, 300, 6))]})()
    with pytest.raises(ModelError, match="restore the models folder"):
        detector.detect(np.zeros((20, 20, 3), np.uint8))
