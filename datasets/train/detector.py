"""Train the detector: YOLO with oriented boxes, from everyday-photograph weights to cards, backs and hands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

ARCHITECTURE = "yolo26n-obb.yaml"
EASY_SHARE = 0.5
"""The first stage sees only this share of every shard: its easier pictures (difficulty rises within a shard)."""


def picture_list(data: Path, easy: bool, shard: int) -> Path:
    """Write the list of training pictures of a stage, as ultralytics reads it; returns its path."""
    pictures = sorted((data / "images" / "train").glob("*.jpg"))
    if not pictures:
        raise FileNotFoundError(f"no training pictures in {data}: make some with python -m datasets.render")
    if easy:
        pictures = [p for p in pictures if int(p.stem) % shard < shard * EASY_SHARE]
    listing = data / f"train-{'easy' if easy else 'all'}.txt"
    listing.write_text("\n".join(str(p.resolve()) for p in pictures))
    description = data / f"data-{'easy' if easy else 'all'}.yaml"
    held = "images/test" if (data / "images" / "test").is_dir() else listing.name
    description.write_text(
        f"path: {data.resolve()}\ntrain: {listing.name}\nval: {held}\nnames:\n  0: face\n  1: back\n  2: hand\n"
    )
    return description


def _take_over(model: Any, start: Path) -> None:
    """Put our own kept weights into a fresh network with our classes, so that a trainer starts from them."""
    from safetensors.torch import load_file
    from ultralytics.nn.tasks import OBBModel

    network = OBBModel(ARCHITECTURE, nc=3, verbose=False)
    state = {k: v.to(network.state_dict()[k].dtype) for k, v in load_file(start).items()}
    network.load_state_dict(state)
    model.model = network
    # A trainer takes over a model's weights only where it believes they came from a checkpoint.
    model.ckpt = {"model": network}


def train(
    data: Path,
    out: Path,
    start: Path | None,
    image_px: int,
    epochs: float,
    minutes: float | None,
    batch: int,
    threads: int,
    device: str | None,
    stage: str,
    lr: float,
    shard: int = 250,
) -> Path:
    """Train one stage; returns the checkpoint with the averaged weights.

    Args:
        data: data set made by `datasets.render`.
        out: folder of the run; a run that was cut off there goes on where it was.
        start: weights to start from (.pt), or None for random ones.
        image_px: side of the square network input.
        epochs: passes over the stage's pictures.
        minutes: time limit instead, if given; the learning rate falls over that time.
        batch: pictures a step.
        threads: CPU threads of torch.
        device: "cpu", "0" for the first GPU, or None for whatever is there.
        stage: "easy" trains the head on clear pictures with the backbone frozen; "all" trains everything on all.
        lr: highest learning rate.
    """
    os.environ.setdefault("YOLO_OFFLINE", "true")
    os.environ.setdefault("YOLO_AUTOINSTALL", "false")
    import torch
    from ultralytics import YOLO

    device = device or ("0" if torch.cuda.is_available() else "cpu")

    def use_threads(trainer: Any) -> None:
        # ultralytics leaves the CPU one thread short; on two cores that is half of it.
        if device == "cpu":
            torch.set_num_threads(threads)

    last = out / stage / "weights" / "last.pt"
    resumable = (
        last.exists()
        and "optimizer" in (checkpoint := torch.load(last, weights_only=False))
        and (checkpoint["optimizer"] is not None)
    )
    if resumable:
        model = YOLO(str(last))
    else:
        model = YOLO(ARCHITECTURE)
        if start is not None and start.suffix == ".safetensors":
            _take_over(model, start)
        elif start is not None:
            model.load(str(start))
    model.add_callback("on_train_start", use_threads)
    if resumable:
        model.train(resume=True)
    else:
        model.train(
            data=str(picture_list(data, stage == "easy", shard)),
            project=str(out.resolve()),
            name=stage,
            exist_ok=True,
            imgsz=image_px,
            epochs=max(1, round(epochs)),
            time=minutes / 60 if minutes else None,
            batch=batch,
            nbs=batch,
            device=device,
            workers=0 if device == "cpu" else 8,
            cache=False if device == "cpu" else "ram",
            amp=device != "cpu",
            freeze=10 if stage == "easy" else None,
            optimizer="AdamW",
            lr0=lr,
            lrf=0.02,
            cos_lr=True,
            warmup_epochs=0.3,
            weight_decay=0.001,
            # The renderer varies colour, scale and place; cutting pictures would break boxes of whole cards.
            mosaic=0.0,
            scale=0.0,
            translate=0.0,
            hsv_h=0.02,
            hsv_s=0.4,
            hsv_v=0.3,
            fliplr=0.5,
            flipud=0.5,
            val=False,
            plots=False,
            save_period=1,
            seed=1,
        )
    return last
