"""Turn checkpoints into what is kept: one ONNX file to run and one fp16 state dict to train on, with a manifest."""

from __future__ import annotations

import datetime
import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from datasets.render.dataset import CLASSES, FACES
from vision.corners import CORNERS_MARGIN, CORNERS_SIZE
from vision.crops import CROP_MARGIN, CROP_SIZE

MODELS = Path(__file__).resolve().parents[2] / "models"
DETECTOR_MARGIN = 0.06


def sha256(path: Path) -> str:
    """Checksum of a file, as hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def note_in_manifest(models: Path, role: str, entry: dict[str, Any], *, anew: bool = False) -> None:
    """Put what is said of a model into models/manifest.json; `anew` forgets what was said of it before."""
    path = models / "manifest.json"
    manifest: dict[str, Any] = {"format": 1, "models": {}}
    if path.exists():
        manifest = json.loads(path.read_text())
    before = {} if anew else manifest["models"].get(role, {})
    manifest["models"][role] = {**before, **entry}
    path.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")


def _save_state(state: dict[str, Any], path: Path) -> None:
    from safetensors.torch import save_file

    half = {k: (v.half() if v.dtype.is_floating_point else v).contiguous().cpu() for k, v in state.items()}
    save_file(half, path)


def export_detector(checkpoint: Path, models: Path, image_px: int, training: str) -> Path:
    """Export the detector's averaged weights; returns the ONNX file."""
    import torch

    from datasets.train.detector import ARCHITECTURE, build_model

    network, _ = build_model(None)
    from ultralytics import YOLO

    state = torch.load(checkpoint, map_location="cpu", weights_only=True)["ema"]
    network.load_state_dict(state)
    models.mkdir(parents=True, exist_ok=True)
    model = YOLO(ARCHITECTURE)
    model.model = network
    with tempfile.TemporaryDirectory() as folder:
        # An export is written beside the checkpoint that the network believes it came from.
        network.pt_path = str(Path(folder) / "detector.pt")
        network.args = vars(network.args)
        network.task = model.task
        made = model.export(
            format="onnx", imgsz=image_px, nms=False, dynamic=True, simplify=True, device="cpu"
        )
        target = models / "detector.onnx"
        shutil.move(made, target)
    _save_state(state, models / "detector.safetensors")
    note_in_manifest(
        models,
        "detector",
        {
            "file": target.name,
            "sha256": sha256(target),
            "weights": "detector.safetensors",
            "weights_sha256": sha256(models / "detector.safetensors"),
            "architecture": "yolo26n-obb",
            "classes": list(CLASSES),
            "input": [image_px, image_px],
            "margin": DETECTOR_MARGIN,
            "training": training,
            "made": datetime.date.today().isoformat(),
            "licence": "AGPL-3.0-or-later",
        },
        anew=True,
    )
    return target


def export_classifier(checkpoint: Path, models: Path, training: str) -> Path:
    """Export the classifier's averaged weights (outputs: logits, features); returns the ONNX file."""
    import torch

    from datasets.train.classifier import build_model, logits_and_features

    models.mkdir(parents=True, exist_ok=True)
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)["ema"]
    model = build_model(None)
    model.load_state_dict(state)
    model.eval()

    class Reader(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = model

        def forward(self, crops: Any) -> Any:
            return logits_and_features(self.network, crops)

    target = models / "classifier.onnx"
    torch.onnx.export(
        Reader().eval(),
        (torch.zeros(2, 3, *CROP_SIZE),),
        str(target),
        input_names=["crops"],
        output_names=["logits", "features"],
        dynamic_axes={"crops": {0: "n"}, "logits": {0: "n"}, "features": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    _save_state(state, models / "classifier.safetensors")
    note_in_manifest(
        models,
        "classifier",
        {
            "file": target.name,
            "sha256": sha256(target),
            "weights": "classifier.safetensors",
            "weights_sha256": sha256(models / "classifier.safetensors"),
            "architecture": "yolo26n-cls",
            "classes": list(FACES),
            "input": list(CROP_SIZE),
            "crop_margin": CROP_MARGIN,
            "training": training,
            "made": datetime.date.today().isoformat(),
            "licence": "AGPL-3.0-or-later",
        },
        anew=True,
    )
    return target


def export_corners(checkpoint: Path, models: Path, training: str) -> Path:
    """Export the corner finder's averaged weights (output: corners); returns the ONNX file."""
    import torch

    from datasets.train.corners import build_model

    models.mkdir(parents=True, exist_ok=True)
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)["ema"]
    model = build_model(None)
    model.load_state_dict(state)
    target = models / "corners.onnx"
    torch.onnx.export(
        model.eval(),
        (torch.zeros(2, 3, *CORNERS_SIZE),),
        str(target),
        input_names=["crops"],
        output_names=["corners"],
        dynamic_axes={"crops": {0: "n"}, "corners": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    _save_state(state, models / "corners.safetensors")
    note_in_manifest(
        models,
        "corners",
        {
            "file": target.name,
            "sha256": sha256(target),
            "weights": "corners.safetensors",
            "weights_sha256": sha256(models / "corners.safetensors"),
            "architecture": "fourteen convolutions, 0.9 million weights (datasets.train.corners)",
            "classes": ["card"],
            "input": list(CORNERS_SIZE),
            "crop_margin": CORNERS_MARGIN,
            "training": training,
            "made": datetime.date.today().isoformat(),
            "licence": "AGPL-3.0-or-later",
        },
        anew=True,
    )
    return target
