"""The program's own way around the detector gives what ultralytics gives, at every input size."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("ultralytics", reason="needs the extra `train`")
pytest.importorskip("onnx", reason="needs the extra `train`")

from vision.boxes import portrait_quads
from vision.detections import CLASS_NAMES
from vision.detector import Detector, decode
from vision.models import Models

# torch and ultralytics warn of their own old parts while exporting.
pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]

ROOT = Path(__file__).resolve().parent.parent.parent
INPUTS = [(320, 320), (416, 416), (512, 512), (640, 640), (256, 416), (416, 256), (384, 640), (96, 320)]
SCORE = 0.02
# ONNX Runtime adds in another order than torch.
TOLERANCE_PX = 0.5
TOLERANCE_SCORE = 2e-3


def picture(height: int, width: int, seed: int = 3) -> np.ndarray:
    """A picture with edges of all sizes, so that an untrained network answers at every place."""
    import cv2

    rng = np.random.default_rng(seed)
    image = rng.integers(0, 255, (height // 8, width // 8, 3), dtype=np.uint8)
    image = cv2.resize(image, (width, height), interpolation=cv2.INTER_CUBIC)
    for _ in range(12):
        centre = (float(rng.uniform(0, width)), float(rng.uniform(0, height)))
        box = cv2.boxPoints((centre, (40, 64), float(rng.uniform(0, 180)))).astype(np.int32)
        cv2.fillPoly(image, [box], tuple(int(v) for v in rng.integers(120, 255, 3)))
    return image


def make_outspoken(network: object) -> None:
    """Let an untrained network answer each place differently, in score, size and angle, and few above SCORE."""
    import cv2
    import torch

    head = network.model[-1]
    wanted = (  # last layers of each branch, what they give, mean and spread to give instead
        (head.one2one_cv2, "boxes", 3.0, 0.6),
        (head.one2one_cv3, "scores", -8.0, 1.2),
        (head.one2one_cv4, "angle", 0.0, 0.6),
    )
    pictures = [picture(320, 320, seed) for seed in range(8)]
    blob = torch.from_numpy(cv2.dnn.blobFromImages(pictures, 1 / 255, swapRB=True))
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = 1.0
    with torch.no_grad():
        network.train()(blob)  # gives the normalisation its statistics; without them signals fade to nothing
        given = network.eval()(blob)[1]["one2one"]
        ends = [0, 1600, 2000, 2100]  # places of the three levels at 320 x 320
        for branch, key, mean, spread in wanted:
            for level, part in enumerate(branch):
                values = given[key][:, :, ends[level] : ends[level + 1]].transpose(0, 1).flatten(1)
                factor = spread / values.std(dim=1).clamp(min=1e-6)
                last = part[-1]
                last.bias.copy_((last.bias - values.mean(dim=1)) * factor + mean)
                last.weight.mul_(factor[:, None, None, None])


@pytest.fixture(scope="module", params=["untrained", "shipped"])
def exported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Models, Path, list]:
    """The models folder, the ONNX file that ultralytics shall run, and the input sizes to compare."""
    os.environ.setdefault("YOLO_OFFLINE", "true")
    os.environ.setdefault("YOLO_AUTOINSTALL", "false")
    if request.param == "shipped":
        if not (ROOT / "models" / "manifest.json").is_file():
            pytest.skip("the models are not trained yet")
        models = Models(ROOT / "models")
        return models, models.entry("detector").path, INPUTS
    import torch
    from ultralytics import YOLO
    from ultralytics.nn.tasks import OBBModel

    folder = tmp_path_factory.mktemp("models")
    torch.manual_seed(0)
    network = OBBModel("yolo26n-obb.yaml", nc=len(CLASS_NAMES), verbose=False)
    network.names = dict(enumerate(CLASS_NAMES))
    make_outspoken(network)
    # Not `save`: it stores half precision, which the weights do not fit.
    torch.save({"model": network}, folder / "untrained.pt")
    file = Path(
        YOLO(folder / "untrained.pt").export(format="onnx", imgsz=320, nms=False, dynamic=True, verbose=False)
    )
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    entry = {"file": file.name, "sha256": digest, "classes": list(CLASS_NAMES), "input": [320, 320]}
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "models": {"detector": entry}}))
    return Models(folder), file, INPUTS


def assert_same_boxes(
    ours: tuple[np.ndarray, np.ndarray], theirs: tuple[np.ndarray, np.ndarray], where: str
) -> int:
    """Check that each clear box of one side is a box of the other; return how many were compared.

    Both sides are quads (n, 4, 2) and scores (n,). Boxes that score about SCORE may be on one side alone.
    """
    for one, other in ((ours, theirs), (theirs, ours)):
        for corners, score in zip(*one, strict=True):
            if score < 2 * SCORE:
                continue
            # Any corner with any corner: where a quad begins is a matter of taste.
            distance = (
                np.abs(other[0][:, None, :] - corners[None, :, None]).max(axis=3).min(axis=2).max(axis=1)
            )
            fits = (distance < TOLERANCE_PX) & (np.abs(other[1] - score) < TOLERANCE_SCORE)
            assert fits.any(), f"{where}: no box for {corners.tolist()} of score {score}"
    return int((ours[1] >= 2 * SCORE).sum())


def test_boxes_equal_those_of_ultralytics(exported: tuple[Models, Path, list]) -> None:
    from ultralytics import YOLO

    models, file, inputs = exported
    detector = Detector(models, score=SCORE)
    reference = YOLO(file, task="obb")
    compared = 0
    for height, width in inputs:
        image = picture(height, width)
        boxes, scores, class_ids = decode(detector.run(image), SCORE)
        result = reference.predict(
            image, imgsz=(height, width), conf=SCORE, nms=False, max_det=300, rect=False, verbose=False
        )[0].obb
        for class_id in range(len(CLASS_NAMES)):
            mine = class_ids == class_id
            # An untrained network gives boxes of negative extent, too; the program drops them.
            other = (result.cls.numpy() == class_id) & (result.xywhr[:, 2:4].numpy() > 1).all(axis=1)
            compared += assert_same_boxes(
                (portrait_quads(boxes[mine]), scores[mine]),
                (result.xyxyxyxy.numpy()[other], result.conf.numpy()[other]),
                f"{CLASS_NAMES[class_id]} at {height} x {width}",
            )
    assert compared > 0, "no box was compared"


def test_every_input_size_equals_the_network_itself(exported: tuple[Models, Path, list]) -> None:
    """The exported file has room for all sizes: its boxes are those of the network in torch at that size."""
    import cv2
    import torch
    from ultralytics import YOLO

    models, file, inputs = exported
    weights = file.with_suffix(".pt")
    if not weights.is_file():
        pytest.skip("only the ONNX file is shipped")
    network = YOLO(weights).model.eval()
    network.end2end = True  # as it was exported
    detector = Detector(models, score=SCORE)
    compared = 0
    for height, width in inputs:
        image = picture(height, width)
        blob = cv2.dnn.blobFromImage(image, 1 / 255, swapRB=True)
        with torch.no_grad():
            expected = network(torch.from_numpy(blob))[0][0].numpy()
        given = detector.run(image)
        assert given.shape == expected.shape
        ours, theirs = decode(given, SCORE), decode(expected, SCORE)
        compared += assert_same_boxes(
            (portrait_quads(ours[0]), ours[1]), (portrait_quads(theirs[0]), theirs[1]), f"{height} x {width}"
        )
    assert compared > 0, "no box was compared"
