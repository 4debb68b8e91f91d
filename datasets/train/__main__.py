"""Train, export and calibrate: `python -m datasets.train detector|corners|classifier|export|calibrate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from datasets.render.assets import shared_folder
from datasets.train.course import Budget
from datasets.train.export import MODELS


def _start(named: Path | None, kept: str, everyday: str | None) -> Path | None:
    """Weights to start from: those named, else our own kept ones, else everyday-photograph ones, else none."""
    if named is not None:
        return named
    shared = shared_folder()
    for candidate in (MODELS / kept, shared / "weights" / everyday if shared and everyday else None):
        if candidate is not None and candidate.exists():
            return candidate
    return None


PATH = click.Path(path_type=Path)
Command = Callable[..., None]


def _course(out: str, minutes: float, batch: int, lr: float) -> Callable[[Command], Command]:
    """Add the options that all trainings share, with one training's defaults."""
    options = (
        click.option("--data", type=PATH, multiple=True, required=True, help="Data set; may be given several times."),
        click.option("--out", type=PATH, default=Path("runs") / out, show_default=True),
        click.option("--start", type=PATH, help="Weights to start from."),
        click.option("--minutes", type=float, default=minutes, show_default=True),
        click.option("--batch", type=int, default=batch, show_default=True),
        click.option("--threads", type=int, default=2, show_default=True),
        click.option("--lr", type=float, default=lr, show_default=True),
        click.option("--device", help="cpu or cuda. Default: a GPU where there is one."),
    )

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@click.group()
def main() -> None:
    """Train the detector, the corner finder and the classifier, and export them to models/."""


@main.command()
@_course("detector", minutes=120, batch=16, lr=1e-3)
@click.option("--px", type=int, default=320, show_default=True, help="Side of the network's input.")
def detector(data: tuple[Path, ...], start: Path | None, minutes: float, **course: Any) -> None:
    """Train the detector; called again with the same --out, it goes on where it was."""
    from datasets.train import detector as training

    weights = _start(start, "detector.safetensors", "yolo26n_coco.pt")
    try:
        done = training.train(list(data), start=weights, budget=Budget(minutes), **course)
    except FileNotFoundError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"detector: {done}")


@main.command()
@_course("corners", minutes=60, batch=64, lr=2e-3)
@click.option("--models", type=PATH, default=MODELS, help="Folder of the detector whose boxes are learned from.")
def corners(data: tuple[Path, ...], start: Path | None, minutes: float, models: Path, **course: Any) -> None:
    """Train the corner finder; called again with the same --out, it goes on where it was."""
    from datasets.train import corners as training
    from vision.detector import Detector
    from vision.models import ModelError, Models

    weights = _start(start, "corners.safetensors", None)
    try:
        found_by = Detector(Models(models, threads=course["threads"]))
        done = training.train(list(data), start=weights, budget=Budget(minutes), detector=found_by, **course)
    except (FileNotFoundError, ModelError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"corners: {done}")


@main.command()
@_course("classifier", minutes=120, batch=64, lr=1.5e-3)
def classifier(data: tuple[Path, ...], start: Path | None, minutes: float, **course: Any) -> None:
    """Train the classifier; called again with the same --out, it goes on where it was."""
    from datasets.train import classifier as training

    weights = _start(start, "classifier.safetensors", "yolo26n-cls_imagenet_state_dict.pt")
    try:
        done = training.train(list(data), start=weights, budget=Budget(minutes), **course)
    except FileNotFoundError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"classifier: {done}")


@main.command()
@click.option("--detector", "detector_checkpoint", type=PATH, help="Detector checkpoint (.pt).")
@click.option("--corners", "corners_checkpoint", type=PATH, help="Corner finder's checkpoint (.pt).")
@click.option("--classifier", "classifier_checkpoint", type=PATH, help="Classifier checkpoint (.pt).")
@click.option("--models", type=PATH, default=MODELS, help="Folder to export to.")
@click.option("--px", type=int, default=416, show_default=True, help="Side at which the detector will run.")
@click.option("--training", default="", help="Data and seeds trained on, for the manifest.")
def export(
    detector_checkpoint: Path | None,
    corners_checkpoint: Path | None,
    classifier_checkpoint: Path | None,
    models: Path,
    px: int,
    training: str,
) -> None:
    """Export checkpoints to ONNX and safetensors, and note them in the manifest."""
    from datasets.train.export import export_classifier, export_corners, export_detector

    if detector_checkpoint is None and corners_checkpoint is None and classifier_checkpoint is None:
        raise click.UsageError("name a checkpoint: --detector, --corners or --classifier")
    if detector_checkpoint is not None:
        click.echo(export_detector(detector_checkpoint, models, px, training))
    if corners_checkpoint is not None:
        click.echo(export_corners(corners_checkpoint, models, training))
    if classifier_checkpoint is not None:
        click.echo(export_classifier(classifier_checkpoint, models, training))


@main.command()
@click.option("--models", type=PATH, default=MODELS, help="Folder of the models.")
@click.option("--pictures", type=int, default=300, show_default=True, help="Renderings to choose by.")
def calibrate(models: Path, pictures: int) -> None:
    """Choose the classifier's temperature and the detector's score, and note them in the manifest."""
    from datasets.train import calibration
    from vision.models import ModelError

    try:
        calibration.calibrate(models, pictures, click.echo)
    except (ModelError, FileNotFoundError) as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
