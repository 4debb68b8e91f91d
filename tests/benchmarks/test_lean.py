from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import lean
from benchmarks.lean import inputs_of, last_block, write_quantised
from datasets.render.scene import LabelledCard, Rendering
from tests.vision.builders import CARD_BGR, painted_table, quad, tiny_models
from vision.classifier import CLASSES, Classifier
from vision.detector import Detector
from vision.models import Models


@pytest.fixture
def models(tmp_path: Path) -> Models:
    return Models(tiny_models(tmp_path / "models", np.array([[160, 90, 50, 80, 0.9, 0, 0]])), threads=1)


def test_a_whole_folder_is_written_that_reads_as_before(models: Models, tmp_path: Path) -> None:
    corners = [quad(60, 60), quad(160, 60)]
    codes = ["7d", "AH"]
    image = painted_table((240, 120), [(c, CARD_BGR[code]) for c, code in zip(corners, codes, strict=True)])
    cards = [LabelledCard(code, "painted", c, 1.0) for c, code in zip(corners, codes, strict=True)]
    shown = Rendering(image, cards, [], 0.0)
    inputs = inputs_of(models, [shown])
    assert [crops.shape for crops in inputs["classifier"]] == [(4, 3, 128, 80)]
    out = tmp_path / "lean"
    write_quantised(models, out, inputs)
    lean_models = Models(out, threads=1)
    entry = lean_models.verify("classifier")
    assert entry.details["quantised"] == "8 bit, static"
    assert entry.sha256 != models.entry("classifier").sha256
    assert entry.details["figures"] == {}
    read = Classifier(lean_models).read(image, np.array(corners), corners=False)
    assert [CLASSES[best] for best in read.log_probs.argmax(axis=1)] == codes
    assert len(Detector(lean_models).detect(image)) == len(Detector(models).detect(image)) == 1


def test_what_is_said_of_a_model_beside_them_is_kept(models: Models, tmp_path: Path) -> None:
    manifest = json.loads((models.folder / "manifest.json").read_text())
    manifest["models"]["third"] = manifest["models"]["detector"]
    (models.folder / "manifest.json").write_text(json.dumps(manifest))
    write_quantised(Models(models.folder), tmp_path / "lean", {})
    assert Models(tmp_path / "lean").verify("third").sha256 == models.entry("detector").sha256


@pytest.mark.parametrize(
    ("nodes", "last"),
    [
        (["/model.0/conv/Conv", "/model.9/Concat", "/model.10/Mul", "Softmax"], ["/model.10/Mul"]),
        (["Conv", "MatMul"], []),
    ],
)
def test_the_head_is_the_last_numbered_block(nodes: list[str], last: list[str]) -> None:
    assert last_block(nodes) == last


def test_the_full_models_are_not_overwritten(models: Models) -> None:
    before = (models.folder / "classifier.onnx").read_bytes()
    told = CliRunner().invoke(lean.main, ["--models", str(models.folder), "--out", str(models.folder)])
    assert told.exit_code == 2
    assert "name another folder" in told.output
    assert (models.folder / "classifier.onnx").read_bytes() == before
