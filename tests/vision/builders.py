"""Makers of what the tests of vision look at: tiny models, painted tables, fake detections, films."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np

from vision.classifier import CLASSES
from vision.corners import CORNERS_SIZE
from vision.detections import CLASS_NAMES, FACE, Detections

CARD_BGR = {"7d": (0, 0, 255), "AH": (0, 255, 0), "none": (255, 0, 0)}
"""Colours that the tiny classifier reads."""
TABLE_BGR = (90, 90, 90)


def quad(x: float, y: float, width: float = 50, height: float = 80, degrees: float = 0) -> np.ndarray:
    """Corners of a card around a centre, in the order of `Detections`."""
    turn = np.radians(degrees)
    along = np.array([np.cos(turn), np.sin(turn)]) * width / 2
    down = np.array([-np.sin(turn), np.cos(turn)]) * height / 2
    centre = np.array([x, y])
    return np.array(
        [centre - along - down, centre + along - down, centre + along + down, centre - along + down],
        np.float32,
    )


def detections(
    quads: Sequence[np.ndarray], scores: Sequence[float] | None = None, class_ids: Sequence[int] | None = None
) -> Detections:
    """Detections of these quads, faces with score 0.9 unless told otherwise."""
    count = len(quads)
    return Detections(
        np.array(quads, np.float32).reshape(-1, 4, 2),
        np.array([0.9] * count if scores is None else scores, np.float32),
        np.array([FACE] * count if class_ids is None else class_ids, np.int64),
    )


def painted_table(
    size: tuple[int, int], cards: Sequence[tuple[np.ndarray, tuple[int, int, int]]]
) -> np.ndarray:
    """A grey picture of (width, height) with cards painted in their colours, later ones on top."""
    image = np.full((size[1], size[0], 3), TABLE_BGR, np.uint8)
    for corners, colour in cards:
        cv2.fillConvexPoly(image, np.round(corners * 16).astype(np.int32), colour, cv2.LINE_AA, 4)
    return image


def find_colours(canvas: np.ndarray) -> np.ndarray:
    """Stand in for a detector model: rows of a box for every red, green or blue patch of an input picture."""
    rows = []
    for channel in range(3):
        others = np.delete(canvas, channel, axis=2).max(axis=2)
        patch = ((canvas[..., channel] > 180) & (others < 100)).astype(np.uint8)
        for contour in cv2.findContours(patch, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
            if cv2.contourArea(contour) < 40:
                continue
            (cx, cy), (width, height), degrees = cv2.minAreaRect(contour)
            # A contour runs through the middles of the outermost pixels.
            rows.append([cx + 0.5, cy + 0.5, width + 1, height + 1, 0.9, FACE, np.radians(degrees)])
    return np.array(rows, np.float32).reshape(-1, 7)


def _write_onnx(path: Path, nodes: list, inputs: list, outputs: list, constants: list) -> None:
    import onnx

    graph = onnx.helper.make_graph(nodes, "tiny", inputs, outputs, constants)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def tiny_detector(path: Path, rows: np.ndarray, sides: tuple[int | str, int | str] = ("h", "w")) -> None:
    """Write a detector model that answers every picture with the same rows (n, 7)."""
    from onnx import TensorProto, helper, numpy_helper

    _write_onnx(
        path,
        [
            helper.make_node("ReduceMean", ["images"], ["mean"], axes=[1, 2, 3], keepdims=1),
            helper.make_node("Squeeze", ["mean", "axis"], ["flat"]),
            helper.make_node("Mul", ["flat", "nil"], ["zero"]),
            helper.make_node("Add", ["zero", "rows"], ["output0"]),
        ],
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, *sides])],
        [helper.make_tensor_value_info("output0", TensorProto.FLOAT, [1, "n", 7])],
        [
            numpy_helper.from_array(np.array([3], np.int64), "axis"),
            numpy_helper.from_array(np.array(0, np.float32), "nil"),
            numpy_helper.from_array(np.asarray(rows, np.float32).reshape(1, -1, 7), "rows"),
        ],
    )


def tiny_classifier(path: Path) -> None:
    """Write a classifier model that reads `CARD_BGR` from the mean colour, surely."""
    from onnx import TensorProto, helper, numpy_helper

    weights = np.zeros((3, len(CLASSES)), np.float32)
    for name, bgr in CARD_BGR.items():
        weights[:, CLASSES.index(name)] = np.array(bgr[::-1], np.float32) / 255 * 20
    _write_onnx(
        path,
        [
            helper.make_node("GlobalAveragePool", ["crops"], ["pooled"]),
            helper.make_node("Flatten", ["pooled"], ["features"]),
            helper.make_node("MatMul", ["features", "weights"], ["logits"]),
        ],
        [helper.make_tensor_value_info("crops", TensorProto.FLOAT, ["n", 3, 128, 80])],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", len(CLASSES)]),
            helper.make_tensor_value_info("features", TensorProto.FLOAT, ["n", 3]),
        ],
        [numpy_helper.from_array(weights, "weights")],
    )


def tiny_corner_finder(path: Path, offsets: np.ndarray | None = None) -> None:
    """Write a corner model that tells the same offsets (4, 2) of every card, none if not told, and is sure of them."""
    from onnx import TensorProto, helper, numpy_helper

    told = np.zeros((4, 2)) if offsets is None else np.asarray(offsets)
    row = np.concatenate([told.ravel(), np.full(4, -5.0)]).astype(np.float32)
    _write_onnx(
        path,
        [
            helper.make_node("ReduceMean", ["crops"], ["mean"], axes=[1, 2, 3], keepdims=1),
            helper.make_node("Squeeze", ["mean", "axes"], ["flat"]),
            helper.make_node("Mul", ["flat", "nil"], ["zero"]),
            helper.make_node("Add", ["zero", "row"], ["corners"]),
        ],
        [helper.make_tensor_value_info("crops", TensorProto.FLOAT, ["n", 3, *CORNERS_SIZE])],
        [helper.make_tensor_value_info("corners", TensorProto.FLOAT, ["n", 12])],
        [
            numpy_helper.from_array(np.array([2, 3], np.int64), "axes"),
            numpy_helper.from_array(np.array(0, np.float32), "nil"),
            numpy_helper.from_array(row, "row"),
        ],
    )


def manifest_entry(path: Path, classes: Sequence[str], input_hw: Sequence[int], **more: object) -> dict:
    """The manifest's words on a model file."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"file": path.name, "sha256": digest, "classes": list(classes), "input": list(input_hw), **more}


def tiny_models(folder: Path, rows: np.ndarray | None = None, **detector: object) -> Path:
    """Write a whole models folder with tiny models and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    tiny_detector(folder / "detector.onnx", np.zeros((1, 7)) if rows is None else rows)
    tiny_corner_finder(folder / "corners.onnx")
    tiny_classifier(folder / "classifier.onnx")
    models = {
        "detector": manifest_entry(folder / "detector.onnx", CLASS_NAMES, (320, 320), **detector),
        "corners": manifest_entry(folder / "corners.onnx", ["card"], CORNERS_SIZE),
        "classifier": manifest_entry(folder / "classifier.onnx", CLASSES, (128, 80)),
    }
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "models": models}))
    return folder


def log_probs_of(*readings: dict[str, float]) -> np.ndarray:
    """Rows of log-probabilities; what the given codes leave over is spread over all other classes."""
    rows = []
    for reading in readings:
        rest = (1 - sum(reading.values())) / (len(CLASSES) - len(reading))
        row = np.full(len(CLASSES), max(rest, 1e-9))
        for name, probability in reading.items():
            row[CLASSES.index(name)] = max(probability, 1e-9)
        rows.append(np.log(row / row.sum()))
    return np.array(rows, np.float32).reshape(-1, len(CLASSES))


def write_film(
    path: Path, frames: int = 12, *, size: tuple[int, int] = (64, 48), times_ms: Sequence[int] = ()
) -> None:
    """Write a film whose n-th picture is as bright as 20 n, at the given media times or 25 a second."""
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        for number in range(frames):
            image = np.full((size[1], size[0], 3), min(250, 20 * number), np.uint8)
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts = times_ms[number] if times_ms else 40 * number
            frame.time_base = stream.codec_context.time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
