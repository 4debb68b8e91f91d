"""Training, resuming and exporting both networks on a handful of pictures, as the commands do."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("ultralytics", reason="needs the extra `train`")

from datasets.render import dataset  # noqa: E402
from datasets.render.assets import load_assets  # noqa: E402
from datasets.train import classifier, corners, detector  # noqa: E402
from datasets.train.course import Budget  # noqa: E402
from datasets.train.export import export_classifier, export_corners, export_detector  # noqa: E402
from tests.vision.builders import tiny_models  # noqa: E402
from vision.classifier import Classifier  # noqa: E402
from vision.corners import CORNERS_SIZE, CornerFinder  # noqa: E402
from vision.crops import CROP_SIZE  # noqa: E402
from vision.detections import Detections  # noqa: E402
from vision.detector import Detector  # noqa: E402
from vision.models import Models  # noqa: E402

# torch and ultralytics warn of their own old parts while training and exporting.
pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    assets = load_assets("train", seed=1, decks="own", procedural=4)
    for shard in range(2):
        dataset.write_shard(folder, "train", shard, range(shard * 8, shard * 8 + 8), 1, assets, 0.1, 0.6)
    dataset.write_description(folder)
    return folder


@pytest.fixture(scope="module")
def trained_classifier(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("classifier")
    return classifier.train([data], out, None, Budget(0.05), batch=8, threads=2, device="cpu")


def test_the_learning_rate_rises_and_falls_with_the_time_used() -> None:
    budget = Budget(minutes=10)
    rates = [budget.rate(s) for s in (0, 18, 120, 300, 600, 900)]
    assert rates[0] < rates[1]
    assert rates[1] == pytest.approx(1)
    assert rates[1] > rates[2] > rates[3] > rates[4] == rates[5] > 0


def test_augmented_crops_are_cards_of_the_right_size_and_differ() -> None:
    rng = np.random.default_rng(1)
    stored = np.random.default_rng(2).integers(0, 255, (*dataset.STORED_CROP, 3), dtype=np.uint8)
    crops = [classifier.augment(rng, stored, 1.0) for _ in range(4)]
    assert all(crop.shape == (*CROP_SIZE, 3) and crop.dtype == np.uint8 for crop in crops)
    assert (crops[0] != crops[1]).any()


def test_new_shards_are_taken_in(data: Path) -> None:
    crops = classifier.Crops([data], "train")
    assert len(crops) == 0
    count = crops.refresh()
    assert count == len(crops) == sum(len(array) for array in crops.arrays)
    assert crops.refresh() == count
    assert (crops[count - 1] == crops.arrays[-1][-1]).all()


def test_a_run_that_was_cut_off_goes_on(data: Path, trained_classifier: Path, capsys) -> None:
    before = torch.load(trained_classifier, weights_only=True)
    assert before["step"] > 0 and before["elapsed_s"] >= 3
    # Some seconds more than the first run really took: a step on a busy machine may take longer than its budget.
    more = Budget(before["elapsed_s"] / 60 + 0.05)
    classifier.train([data], trained_classifier.parent, None, more, batch=8, threads=2, device="cpu")
    assert f"going on at step {before['step']}" in capsys.readouterr().out
    assert torch.load(trained_classifier, weights_only=True)["step"] > before["step"]


def test_the_exported_classifier_gives_what_the_network_gives(
    trained_classifier: Path, tmp_path: Path
) -> None:
    tiny_models(tmp_path)
    export_classifier(trained_classifier, tmp_path, "a test")
    entry = json.loads((tmp_path / "manifest.json").read_text())["models"]["classifier"]
    assert entry["classes"] == list(dataset.FACES)
    crops = np.random.default_rng(4).integers(0, 255, (5, *CROP_SIZE, 3), dtype=np.uint8)
    logits, features = Classifier(Models(tmp_path)).run(crops)
    network = classifier.build_model(None)
    network.load_state_dict(torch.load(trained_classifier, weights_only=True)["ema"])
    network.eval()
    with torch.no_grad():
        tensor = torch.from_numpy(np.ascontiguousarray(crops[..., ::-1])).permute(0, 3, 1, 2).float() / 255
        wanted_logits, wanted_features = classifier.logits_and_features(network, tensor)
        # ultralytics' own forward gives the softmax of the same logits.
        probabilities = network(tensor)[0]
    assert np.allclose(logits, wanted_logits.numpy(), atol=2e-3)
    assert np.allclose(features, wanted_features.numpy(), atol=2e-3)
    assert np.allclose(torch.softmax(torch.from_numpy(logits), 1), probabilities.numpy(), atol=1e-3)
    # The kept half-precision weights start a new training.
    again = classifier.build_model(tmp_path / "classifier.safetensors").state_dict()
    assert all(
        torch.allclose(again[k].float(), v.float(), atol=2e-2) for k, v in network.state_dict().items()
    )


def test_the_detector_trains_goes_on_exports_and_starts_again(data: Path, tmp_path: Path, capsys) -> None:
    run = tmp_path / "run"
    last = detector.train([data], run, None, Budget(0.05), 128, 4, 2, "cpu")
    first = torch.load(last, weights_only=True)
    assert first["step"] > 0
    detector.train([data], run, None, Budget(first["elapsed_s"] / 60 + 0.05), 128, 4, 2, "cpu")
    assert f"going on at step {first['step']}" in capsys.readouterr().out
    models = tmp_path / "models"
    export_detector(last, models, 128, "a test")
    found = Detector(Models(models), score=0.0).detect(np.zeros((160, 160, 3), np.uint8))
    assert np.isfinite(found.quads).all()
    kept = detector.build_model(models / "detector.safetensors")[0].state_dict()
    trained = torch.load(last, weights_only=True)["ema"]
    assert all(torch.allclose(kept[k].float(), v.float(), atol=2e-2, rtol=1e-2) for k, v in trained.items())


def test_easy_pictures_come_first(data: Path) -> None:
    pictures = detector.Pictures([data], "train")
    assert pictures.refresh() == 16
    assert pictures.refresh() == 16
    assert list(pictures.chosen(easy=True)) == [0, 1, 2, 3, 8, 9, 10, 11]
    assert len(pictures.chosen(easy=False)) == 16


def test_boxes_turn_and_flip_with_their_picture(tmp_path: Path) -> None:
    """A bright rectangle stays inside its box, however the picture is turned, mirrored and scaled."""
    canvas = np.zeros((dataset.CANVAS_PX, dataset.CANVAS_PX, 3), np.uint8)
    corners = np.array([[100, 60], [180, 90], [130, 230], [50, 200]], np.float32)
    cv2.fillConvexPoly(canvas, corners.astype(np.int32), (255, 255, 255))
    cv2.imwrite(str(tmp_path / "a.png"), canvas)
    picture = detector.Picture(tmp_path / "a.png", np.array([0]), corners[None], 0.0)
    rng = np.random.default_rng(2)
    for px in (320, 416, 640):
        for _ in range(8):
            image, quads = detector.load(rng, picture, px)
            mask = np.zeros(image.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, np.round(quads[0] * px).astype(np.int32), 255)
            bright = image[..., 0] > image[..., 0].mean() + 40
            assert image.shape == (px, px, 3)
            assert (bright & (mask > 0)).sum() > 0.95 * bright.sum()
            assert bright.sum() > 0.9 * (mask > 0).sum()


def test_training_without_data_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"datasets\.render"):
        detector.train([tmp_path], tmp_path / "out", None, Budget(0.01))
    with pytest.raises(FileNotFoundError, match=r"datasets\.render"):
        classifier.train([tmp_path], tmp_path / "out", None, Budget(0.01))


def test_the_corner_finder_trains_goes_on_exports_and_starts_again(
    data: Path, tmp_path: Path, capsys
) -> None:
    run = tmp_path / "run"
    last = corners.train([data], run, None, Budget(0.05), 8, 2, "cpu")
    first = torch.load(last, weights_only=True)
    assert first["step"] > 0
    corners.train([data], run, None, Budget(first["elapsed_s"] / 60 + 0.05), 8, 2, "cpu")
    assert f"going on at step {first['step']}" in capsys.readouterr().out
    models = tmp_path / "models"
    export_corners(last, models, "a test")
    crops = np.random.default_rng(4).integers(0, 255, (5, *CORNERS_SIZE, 3), dtype=np.uint8)
    network = corners.build_model(None)
    network.load_state_dict(torch.load(last, weights_only=True)["ema"])
    with torch.no_grad():
        tensor = torch.from_numpy(np.ascontiguousarray(crops[..., ::-1])).permute(0, 3, 1, 2).float() / 255
        wanted = network.eval()(tensor).numpy()
    assert np.allclose(CornerFinder(Models(models)).run(crops), wanted, atol=2e-3)
    again = corners.build_model(models / "corners.safetensors").state_dict()
    assert all(
        torch.allclose(again[k].float(), v.float(), atol=2e-2) for k, v in network.state_dict().items()
    )


def test_corners_are_where_the_card_is_in_the_crop(data: Path) -> None:
    """Whichever way the box is off: the corners that training asks for lead back to the true card."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        card = detector.upright_box(
            rng.uniform(0, 300, 2) + rng.normal(0, 1, (4, 2)) * 4 + [[0, 0], [60, 5], [55, 95], [-5, 90]]
        )
        box = corners.box_as_found(rng, card.astype(np.float32))
        offsets = corners.offsets_to(box, card)
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        back = cv2.perspectiveTransform((unit + offsets)[None], cv2.getPerspectiveTransform(unit, box))[0]
        assert min(np.abs(np.roll(back, k, axis=0) - card).max() for k in range(4)) < 0.05
        assert np.abs(offsets).max() < 0.6


def test_scenes_end_where_their_picture_does(data: Path) -> None:
    """The canvas' grey margin is not shown to the corner finder: at run time there is none."""
    scenes = corners.Scenes([data], "train")
    assert scenes.refresh() == scenes.refresh() > 0
    rng = np.random.default_rng(1)
    for scene in scenes.scenes:
        image = cv2.imread(str(scene.path))
        left, top, width, height = scene.place
        assert left + width <= image.shape[1] and top + height <= image.shape[0]
        assert np.abs(image[top + height // 2, :left].astype(int) - 114).mean() < 12
        crops, offsets = corners.examples(rng, scene)
        assert len(crops) == len(offsets) <= len(scene.quads)
        assert crops.shape[1:] == (*CORNERS_SIZE, 3)


class ShiftingDetector:
    """Finds every card that is there, a tenth of a card too far right, and something in the corner of the picture."""

    def __init__(self, quads: dict[tuple[int, int, int], np.ndarray]) -> None:
        self.quads = quads
        self.asked = 0

    def detect(self, image: np.ndarray, *, score: float) -> Detections:
        self.asked += 1
        cards = [detector.upright_box(quad) for quad in self.quads[key_of(image)]]
        boxes = [box + 0.1 * (box[1] - box[0]) for box in cards] + [np.float32([[0, 0], [2, 0], [2, 3], [0, 3]])]
        return Detections(np.array(boxes), np.full(len(boxes), score), np.zeros(len(boxes), np.int64))


def key_of(image: np.ndarray) -> tuple[int, int, int]:
    return (*image.shape[:2], int(image.sum()))


def test_the_corner_finder_learns_from_the_boxes_that_the_detector_gives(data: Path, tmp_path: Path) -> None:
    plain = corners.Scenes([data], "train")
    plain.refresh()
    finds = ShiftingDetector({key_of(scene.picture()): scene.quads for scene in plain.scenes})
    scenes = corners.Scenes([data], "train", finds, tmp_path)
    assert scenes.refresh() == len(plain.scenes) == finds.asked
    for scene in scenes.scenes:
        assert len(scene.boxes) == len(scene.owners) == len(scene.quads), "what lies on no card is left out"
        assert (scene.owners == np.arange(len(scene.quads))).all()
    # Kept beside the run: a run that goes on does not ask the detector again.
    again = corners.Scenes([data], "train", ShiftingDetector({}), tmp_path)
    again.refresh()
    for scene, same in zip(scenes.scenes, again.scenes, strict=True):
        np.testing.assert_array_equal(scene.boxes, same.boxes)
        np.testing.assert_array_equal(scene.owners, same.owners)
