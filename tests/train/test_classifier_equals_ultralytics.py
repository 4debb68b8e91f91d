"""The program's own way around the classifier gives what the ultralytics network gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("ultralytics", reason="needs the extra `train`")
pytest.importorskip("safetensors", reason="needs the extra `train`")

from datasets.train.classifier import build_model
from datasets.train.export import export_classifier
from tests.vision.builders import tiny_models
from vision.classifier import CLASSES, Classifier, log_softmax
from vision.models import Models

# torch warns of its own old parts while exporting.
pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]


def test_logits_equal_those_of_the_network(tmp_path: Path) -> None:
    import torch

    torch.manual_seed(0)
    network = build_model(None)
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = 1.0
    with torch.no_grad():
        network.train()(torch.rand(16, 3, 128, 80))  # gives the normalisation its statistics
    network.eval()
    checkpoint = tmp_path / "untrained.pt"
    torch.save({"ema": network.state_dict()}, checkpoint)
    tiny_models(tmp_path / "models")
    export_classifier(checkpoint, tmp_path / "models", "untrained")
    classifier = Classifier(Models(tmp_path / "models"))
    rng = np.random.default_rng(0)
    for count in (1, 3, 21):
        crops = rng.integers(0, 255, (count, 128, 80, 3), dtype=np.uint8)
        # As ultralytics makes its input of pictures: RGB, 0 to 1, channels first.
        pictures = (
            torch.from_numpy(np.ascontiguousarray(crops[..., ::-1].transpose(0, 3, 1, 2))).float() / 255
        )
        with torch.no_grad():
            probabilities, logits = network(pictures)
        given, features = classifier.run(crops)
        assert given.shape == (count, len(CLASSES))
        assert features.shape[0] == count
        np.testing.assert_allclose(given, logits.numpy(), rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(np.exp(log_softmax(given)), probabilities.numpy(), rtol=1e-3, atol=1e-6)
