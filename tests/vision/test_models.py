from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.vision.builders import tiny_models
from vision.classifier import Classifier
from vision.detector import Detector
from vision.models import FOLDER_VARIABLE, ModelError, Models, default_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_models(tmp_path / "models")


def rewrite(folder: Path, change: object) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_models_open_and_say_what_they_are(folder: Path) -> None:
    models = Models(folder, threads=1)
    assert models.entry("detector").classes == ("face", "back", "hand")
    assert models.entry("detector").input_hw == (320, 320)
    assert Detector(models).long_side == 320
    assert Classifier(models).size == (128, 80)


def test_the_environment_names_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    assert default_folder() == folder == Models().folder
    monkeypatch.delenv(FOLDER_VARIABLE)
    assert default_folder().name == "models"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(format=2), "format 1"),
        (lambda m: m.pop("models"), "lists no models"),
        (lambda m: m["models"].pop("detector"), "lists no model 'detector'"),
        (lambda m: m["models"]["detector"].pop("classes"), "lacks classes"),
        (lambda m: m["models"]["detector"].update(file="../x.onnx"), "not a plain file name"),
        (lambda m: m["models"]["detector"].update(input=[320]), r"not \[height, width\]"),
        (lambda m: m["models"]["detector"].update(classes=[]), "does not list its classes"),
        (lambda m: m["models"]["detector"].update(sha256="0" * 64), "not the file that the manifest lists"),
        (lambda m: m["models"]["detector"].update(file="gone.onnx"), "cannot be read"),
        (lambda m: m["models"]["detector"].update(classes=["card"]), "finds card, not face, back, hand"),
        (lambda m: m["models"].update(detector=m["models"]["classifier"]), "finds 1d"),
    ],
)
def test_a_wrong_manifest_is_refused_in_one_line(folder: Path, change: object, message: str) -> None:
    rewrite(folder, change)
    with pytest.raises(ModelError, match=message) as error:
        Detector(Models(folder))
    assert "\n" not in str(error.value)
    assert "restore the models folder" in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m["models"]["classifier"]["classes"].reverse(), "other faces"),
        (lambda m: m["models"]["classifier"].update(temperature=0), "temperature"),
    ],
)
def test_a_wrong_classifier_is_refused(folder: Path, change: object, message: str) -> None:
    rewrite(folder, change)
    with pytest.raises(ModelError, match=message):
        Classifier(Models(folder))


def test_missing_or_broken_files_are_refused(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ModelError, match=r"no manifest\.json"):
        Models(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="at least one thread"):
        Models(folder, threads=0)
    (folder / "manifest.json").write_text("{")
    with pytest.raises(ModelError, match="cannot be read"):
        Models(folder)


def test_a_file_that_is_no_model_is_refused(folder: Path) -> None:
    (folder / "detector.onnx").write_bytes(b"no model at all")
    import hashlib

    rewrite(
        folder,
        lambda m: m["models"]["detector"].update(sha256=hashlib.sha256(b"no model at all").hexdigest()),
    )
    with pytest.raises(ModelError, match="not a model that ONNX Runtime can load"):
        Detector(Models(folder))


def test_the_input_size_must_fit_the_model(folder: Path) -> None:
    with pytest.raises(ModelError, match="multiple of 32"):
        Detector(Models(folder), long_side=300)
    assert len(Detector(Models(folder), long_side=416).detect(np.zeros((90, 160, 3), np.uint8))) == 0
