"""Quantise the models to 8 bit and hold them against the full ones: `python -m benchmarks.lean --out FOLDER`.

The folder that is written is a whole folder of models: the program runs with it when `ARBITRO_MODELS` names it. Where
the processor multiplies bytes as fast as it could (VNNI and the like) that is worth a try; docs/benchmarks.md says
what it is worth without.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Count, compare
from benchmarks.pictures import rendered
from benchmarks.report import comparison
from benchmarks.ways import Ours
from datasets.render.assets import HELD_OUT_DECKS, load_assets, shared_folder
from datasets.render.dataset import LEAST_VISIBLE_FACE, upright_box
from datasets.render.scene import Rendering, render
from datasets.train.export import note_in_manifest, sha256
from vision.crops import straighten
from vision.detector import Detector
from vision.letterbox import Letterbox
from vision.models import ModelError, Models, default_folder
from vision.reading import CardReader

SEED = 83
PATH = click.Path(path_type=Path)
Inputs = Sequence[NDArray[np.float32]]


def calibration_pictures(count: int) -> Iterator[Rendering]:
    """Render pictures of printings that training has seen; of the project's own decks where no others are here."""
    assets = load_assets("train", SEED, decks="own" if shared_folder() is None else "seen", procedural=20)
    for index in range(count):
        yield render(np.random.default_rng([SEED, index]), assets, index / max(1, count - 1))


def inputs_of(models: Models, pictures: Sequence[Rendering]) -> dict[str, list[NDArray[np.float32]]]:
    """Return what detector and classifier get to see of pictures: by model, its inputs one by one."""
    detector = Detector(models)
    classifier = models.entry("classifier")
    canvases, crops = [], []
    for picture in pictures:
        picture_hw = (picture.image.shape[0], picture.image.shape[1])
        box = Letterbox.fit(picture_hw, detector.input_hw(picture_hw), detector.margin)
        canvases.append(cv2.dnn.blobFromImage(box.apply(picture.image), 1 / 255, swapRB=True))
        faces = [c.quad_px for c in picture.cards if c.code and c.visible >= LEAST_VISIBLE_FACE]
        if faces:
            quads = np.array([upright_box(face) for face in faces])
            upright = straighten(picture.image, quads, classifier.input_hw)
            both = np.concatenate([upright, upright[:, ::-1, ::-1]])[..., ::-1].transpose(0, 3, 1, 2)
            crops.append(np.ascontiguousarray(both, np.float32) / np.float32(255))
    return {"detector": canvases, "classifier": crops}


def quantise(source: Path, target: Path, inputs: Inputs, *, leave_head: bool) -> None:
    """Write an 8 bit version of an ONNX network.

    Args:
        source: the network, with one input.
        target: where the other is written.
        inputs: what it gets to see, to learn the ranges of its values from.
        leave_head: keep the last block as it is. A detector's puts scores and pixels into one tensor, whose common
            scale would turn all scores to nothing.
    """
    import onnx
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    name = onnx.load(source).graph.input[0].name

    class Shown(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self._left = iter(inputs)

        def get_next(self) -> dict[str, Any] | None:
            one = next(self._left, None)
            return None if one is None else {name: one}

    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        nodes = [node.name for node in onnx.load(prepared).graph.node]
        # Without instructions made for it, sums of full 8 bit products overflow: weights get 7.
        quantize_static(
            str(prepared),
            str(target),
            Shown(),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            nodes_to_exclude=last_block(nodes) if leave_head else [],
        )


def last_block(nodes: Sequence[str]) -> list[str]:
    """Return the names of those nodes that belong to the last numbered block of a network ("/model.23/...")."""
    numbers = {node: int(found[1]) for node in nodes if (found := re.match(r"/model\.(\d+)/", node))}
    return [node for node, number in numbers.items() if number == max(numbers.values())]


def write_quantised(models: Models, out: Path, inputs: dict[str, list[NDArray[np.float32]]]) -> None:
    """Write a folder of models in which detector and classifier compute in 8 bit.

    Args:
        models: the full ones.
        out: the folder; what it holds of these names is overwritten.
        inputs: as `inputs_of` returns them.

    Raises:
        ModelError: if a model is missing.
    """
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(models.folder / "manifest.json", out / "manifest.json")
    for role in models.entries:
        entry = models.verify(role)
        if role in inputs:
            quantise(entry.path, out / entry.path.name, inputs[role], leave_head=role == "detector")
            digest = sha256(out / entry.path.name)
            # What was measured with the full networks is not said of these.
            note_in_manifest(out, role, {"sha256": digest, "quantised": "8 bit, static", "figures": {}})
        else:
            shutil.copyfile(entry.path, out / entry.path.name)


@click.command()
@click.option("--models", type=PATH, help="Folder of the full models; the program's own if not given.")
@click.option("--out", type=PATH, required=True, help="Folder for the quantised ones.")
@click.option(
    "--calibration", type=click.IntRange(1), default=24, show_default=True, help="Renderings to learn from."
)
@click.option(
    "--pictures", type=click.IntRange(1), default=20, show_default=True, help="Renderings a printing."
)
@click.option("--threads", type=click.IntRange(1), default=2, show_default=True)
def main(models: Path | None, out: Path, calibration: int, pictures: int, threads: int) -> None:
    """Quantise detector and classifier, and read printings never seen with both."""
    cv2.setNumThreads(threads)
    try:
        full = Models(models, threads=threads)
        if out.resolve() == (models or default_folder()).resolve():
            raise click.UsageError("--out names the full models themselves; name another folder")
        write_quantised(full, out, inputs_of(full, list(calibration_pictures(calibration))))
        ways = [Ours(CardReader(full), "full"), Ours(CardReader(Models(out, threads=threads)), "8 bit")]
        counts = [Count(), Count()]
        for deck in HELD_OUT_DECKS:
            read = compare(ways, *rendered(deck, pictures), lambda text: click.echo(text, err=True))
            for total, count in zip(counts, read, strict=True):
                total.take_in(count)
    except (ModelError, FileNotFoundError) as error:
        raise click.ClickException(str(error)) from error
    click.echo("\n".join(comparison([way.name for way in ways], counts)))


if __name__ == "__main__":
    main()
