"""Train the detector: YOLO with oriented boxes, from everyday-photograph weights to cards, backs and hands.

The network and its loss are ultralytics' own; the loop is ours, because boxes of whole cards reach beyond the picture,
pictures come in while it trains, and the learning rate follows the clock.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.dataset import CANVAS_PX, CLASSES, LEAST_VISIBLE_BOX, upright_box
from datasets.train.course import Budget, Course, set_up
from datasets.train.shards import Shards
from datasets.train.weights import take_over

ARCHITECTURE = "yolo26n-obb.yaml"
SCALES = ((0.8, 0.3), (1.0, 0.45), (1.2, 0.25))
"""Sides of the network's input, as shares of the wanted one, and how often: it runs at others than it is trained at."""
LOSS_STAGES = 40
"""In how many steps the loss moves its weight from many boxes a card to one."""
EASY_PICTURES = 0.5
"""In the run's first part only this share of every shard is seen, its easier pictures (difficulty rises in a shard)."""
EASY_UNTIL = 0.12
FROZEN_UNTIL = 0.06
"""Share of the run in which the backbone keeps its everyday-photograph weights."""
KNOWING_CARDS_FROM = 0.5
"""Weights that already know cards are trained on from this share of the stages above: all pictures, all layers."""
BACKBONE_LAYERS = 10


@dataclass(frozen=True)
class Picture:
    """A training picture: its file, classes (n,), corners (n, 4, 2) in pixels of the canvas, place in its shard."""

    path: Path
    classes: NDArray[np.int64]
    quads: NDArray[np.float32]
    hardness: float


class Pictures:
    """The pictures of data sets, with the exact boxes of the truth files; new shards are found by `refresh`."""

    def __init__(self, folders: Iterable[Path], split: str) -> None:
        self.split = split
        self.pictures: list[Picture] = []
        self._shards = Shards(folders, "truth", f"{split}-*.jsonl")

    def refresh(self) -> int:
        """Take in shards that were completed since; returns the number of pictures."""
        for folder, truth in self._shards.new():
            rows = [json.loads(line) for line in truth.read_text().splitlines()]
            for position, row in enumerate(rows):
                path = folder / "images" / self.split / f"{row['picture']:07d}.jpg"
                self.pictures.append(_picture(path, row, position / len(rows)))
        return len(self.pictures)

    def chosen(self, easy: bool) -> NDArray[np.int64]:
        """Indices of the pictures of a stage."""
        limit = EASY_PICTURES if easy else 1.0
        return np.array([i for i, p in enumerate(self.pictures) if p.hardness < limit], np.int64)


def _picture(path: Path, row: dict[str, Any], hardness: float) -> Picture:
    scale, offset = row["canvas"]["scale"], np.array(row["canvas"]["offset"], np.float32)
    classes, quads = [], []
    for card in row["cards"]:
        if card["visible"] >= LEAST_VISIBLE_BOX:
            classes.append(0 if card["card"] else 1)
            quads.append(upright_box(np.array(card["quad"])) * scale + offset)
    for outline in row["hands"]:
        classes.append(2)
        quads.append(upright_box(np.array(outline)) * scale + offset)
    return Picture(path, np.array(classes, np.int64), np.array(quads, np.float32).reshape(-1, 4, 2), hardness)


def load(
    rng: np.random.Generator, picture: Picture, px: int
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Read a picture at `px`, turned and mirrored and recoloured at random.

    Returns:
        Picture (px, px, 3) BGR and its quads (n, 4, 2) as shares of its side.
    """
    small = px * 2 <= CANVAS_PX
    image = cv2.imread(str(picture.path), cv2.IMREAD_REDUCED_COLOR_2 if small else cv2.IMREAD_COLOR)
    if image is None:
        raise FileNotFoundError(f"{picture.path} cannot be read: make the data set anew")
    if image.shape[0] != px:
        image = cv2.resize(image, (px, px), interpolation=cv2.INTER_AREA)
    quads = picture.quads / np.float32(CANVAS_PX)
    turns, mirrored = int(rng.integers(4)), rng.random() < 0.5
    for _ in range(turns):
        image = cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE)
        quads = np.stack([1 - quads[..., 1], quads[..., 0]], axis=-1)
    if mirrored:
        image = cv2.flip(image, 1)
        quads = np.stack([1 - quads[..., 0], quads[..., 1]], axis=-1)
    if rng.random() < 0.6:
        gain, lift = np.exp(rng.normal(0, 0.2, 3)), rng.normal(0, 10)
        ramp = np.arange(256, dtype=np.float32)[:, None] * gain + lift
        image = cv2.LUT(image, np.clip(ramp, 0, 255).astype(np.uint8)[None])
    return image, quads


def build_model(start: Path | None) -> tuple[Any, bool]:
    """Make the network, taking over every fitting tensor of the starting weights (.pt or .safetensors).

    Returns:
        The network, and whether it already knows cards.
    """
    os.environ.setdefault("YOLO_OFFLINE", "true")
    os.environ.setdefault("YOLO_AUTOINSTALL", "false")
    from ultralytics.cfg import get_cfg
    from ultralytics.nn.tasks import OBBModel

    model = OBBModel(ARCHITECTURE, nc=len(CLASSES), verbose=False)
    knows_cards = start is not None and take_over(model, start)
    model.args = get_cfg()
    model.names = dict(enumerate(CLASSES))
    return model, knows_cards


def train(
    data: list[Path],
    out: Path,
    start: Path | None,
    budget: Budget,
    px: int = 320,
    batch: int = 16,
    threads: int = 2,
    device: str | None = None,
    lr: float = 1e-3,
    seed: int = 1,
) -> Path:
    """Train until the budget is used up; returns the checkpoint, which holds averaged weights under "ema".

    A run that was cut off goes on from its last checkpoint. Shards that are completed while it runs are taken in.

    Args:
        data: data sets made by `datasets.render`.
        out: folder of the run.
        start: weights to start from, or None for random ones.
        budget: how long to train.
        px: middle side of the square network input, a multiple of 32; batches vary around it.
        batch: pictures a step.
        threads: CPU threads of torch.
        device: "cpu" or "cuda"; None for a GPU where there is one.
        lr: highest learning rate.
        seed: seed of order and augmentation.

    Raises:
        FileNotFoundError: if there are no pictures.
    """
    pictures = Pictures(data, "train")
    if not pictures.refresh():
        raise FileNotFoundError(
            f"no training pictures in {data[0]}: make some with python -m datasets.render"
        )

    device = set_up(out, threads, device)
    model, knows_cards = build_model(start)
    model = model.to(device).train()
    first_share = KNOWING_CARDS_FROM if knows_cards else 0.0
    # Grown epoch by epoch as ultralytics does, only that an epoch is a share of the time.
    model.args.epochs = LOSS_STAGES
    model.criterion = model.init_criterion()
    course = Course(model, budget, out / "detector.pt", lr, "pictures", 0.001, device)
    rng = np.random.default_rng([seed, course.step])
    order, position = np.empty(0, np.int64), 0
    while not course.over:
        share = first_share + (1 - first_share) * budget.share(course.elapsed_s)
        if position + batch > len(order):
            pictures.refresh()
            order, position = rng.permutation(pictures.chosen(share < EASY_UNTIL)), 0
        while model.criterion.updates < share * LOSS_STAGES:
            model.criterion.update()
        for name, parameter in model.model.named_parameters():
            parameter.requires_grad_(share >= FROZEN_UNTIL or int(name.split(".")[0]) >= BACKBONE_LAYERS)
        chosen = [pictures.pictures[int(i)] for i in order[position : position + batch]]
        position += batch
        side = _side(rng, px)
        loss, parts = model.loss(_batch(rng, chosen, side, device))
        figures = {name: float(value) for name, value in zip(("box", "class"), parts.values(), strict=False)}
        course.take(loss.sum(), len(chosen), figures)
    return course.checkpoint


def _side(rng: np.random.Generator, px: int) -> int:
    """A side for one batch: near the wanted one, a multiple of 32 and at most the pictures' own."""
    factors, shares = zip(*SCALES, strict=True)
    return min(CANVAS_PX, round(px * float(rng.choice(factors, p=shares)) / 32) * 32)


def _batch(rng: np.random.Generator, chosen: list[Picture], px: int, device: str) -> dict[str, Any]:
    import torch
    from ultralytics.utils.ops import xyxyxyxy2xywhr

    images, classes, boxes, owners = [], [], [], []
    for i, picture in enumerate(chosen):
        image, quads = load(rng, picture, px)
        images.append(image)
        if len(quads):
            # Rectangles are measured in pixels: in shares of 1 the fit loses precision.
            found = xyxyxyxy2xywhr((quads * px).reshape(-1, 8).astype(np.float32))
            found = np.asarray(found, np.float32).reshape(-1, 5)
            found[:, :4] /= px
            boxes.append(found)
            classes.append(picture.classes)
            owners.append(np.full(len(quads), i))
    tensor = torch.from_numpy(np.stack(images)).to(device).permute(0, 3, 1, 2).flip(1).float() / 255
    return {
        "img": tensor,
        "cls": torch.from_numpy(np.concatenate(classes or [np.empty(0, np.int64)]))
        .float()
        .view(-1, 1)
        .to(device),
        "bboxes": torch.from_numpy(np.concatenate(boxes or [np.empty((0, 5), np.float32)]))
        .float()
        .to(device),
        "batch_idx": torch.from_numpy(np.concatenate(owners or [np.empty(0)])).float().to(device),
    }
