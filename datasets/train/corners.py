"""Train the corner finder: a small network that says where a card's four corners are, from a box that is off."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.evaluate.figures import overlap
from datasets.render.dataset import LEAST_VISIBLE_FACE, upright_box
from datasets.train.course import Budget, Course, set_up
from datasets.train.shards import Shards
from datasets.train.weights import take_over
from vision.boxes import is_card, overlaps
from vision.corners import CORNERS_MARGIN, CORNERS_SIZE, in_card_units
from vision.crops import straighten
from vision.detector import Detector

LIKE_THE_DETECTOR = 0.7
"""How many boxes begin as the rectangle around the card, as the detector's do; the others follow the card, as those do
that were moved to its corners once already."""
SLIGHTEST, WORST = 0.15, 3.0
"""Bounds of how far boxes are off; 1 is what the detector usually is off by."""
ASKEW_SHARE, ASKEW_DEG = 0.08, 45.0
"""How many boxes are turned by any angle up to that, as a detector's are on cards that it sees as nearly square."""
FARTHEST = 0.8
"""Offsets beyond that, in shares of the card's sides, are not asked for: nothing of the corner is near the crop."""
MOST_CARDS = 10
"""Cards that are taken from one picture at most in one batch."""
LEAST_SCALE = 0.004
"""Error, in shares of the card's sides, below which the network gains nothing by being surer."""
FOUND_SCORE = 0.1
"""Score of the detector's boxes that are learned from: those it is unsure of are the ones that are off."""
FOUND_IOU = 0.25
"""Overlap with a card from which a box is on it."""
GOOD_IOU = 0.85
GOOD_SHARE = 0.35
"""Of the detector's boxes that are good already, so many are learned from; of the others all."""
MADE_UP_SHARE = 0.6
"""So many cards are learned from with a made-up box, too."""
NO_BOXES = (np.zeros((0, 4, 2), np.float32), np.zeros(0, np.int64))


@dataclass(frozen=True)
class Scene:
    """A training picture: its file, its place on the canvas (left, top, width, height), and the true corners (n, 4, 2)
    of its cards, in pixels from there. Boxes (m, 4, 2) that a detector finds on them, and the card of each (m,)."""

    path: Path
    place: tuple[int, int, int, int]
    quads: NDArray[np.float32]
    boxes: NDArray[np.float32]
    owners: NDArray[np.int64]

    def picture(self) -> NDArray[np.uint8]:
        """Read the picture, (height, width, 3) BGR, without the canvas' margin: at run time it ends there, too.

        Raises:
            FileNotFoundError: if it cannot be read.
        """
        image = cv2.imread(str(self.path), cv2.IMREAD_COLOR)
        if image is None:
            raise FileNotFoundError(f"{self.path} cannot be read: make the data set anew")
        left, top, width, height = self.place
        return image[top : top + height, left : left + width]


class Scenes:
    """The pictures of data sets that show cards; new shards are found by `refresh`.

    Args:
        folders: data sets.
        split: which part of them.
        detector: whose boxes are learned from; None for made-up ones only.
        kept: folder in which its boxes are kept from one run to the next.
    """

    def __init__(
        self, folders: Iterable[Path], split: str, detector: Detector | None = None, kept: Path | None = None
    ) -> None:
        self.split, self.detector, self.kept = split, detector, kept
        self.scenes: list[Scene] = []
        self._shards = Shards(folders, "truth", f"{split}-*.jsonl")

    def refresh(self) -> int:
        """Take in shards that were completed since; returns the number of pictures."""
        for folder, truth in self._shards.new():
            scenes = []
            for line in truth.read_text().splitlines():
                row = json.loads(line)
                scale = row["canvas"]["scale"]
                left, top = (int(value) for value in row["canvas"]["offset"])
                width, height = (round(side * scale) for side in row["size"])
                quads = [c["quad"] for c in row["cards"] if c["visible"] >= LEAST_VISIBLE_FACE]
                if quads:
                    path = folder / "images" / self.split / f"{row['picture']:07d}.jpg"
                    place = (left, top, width, height)
                    scenes.append(Scene(path, place, np.array(quads, np.float32) * scale, *NO_BOXES))
            self.scenes += self._with_boxes(scenes, f"{self._shards.folders.index(folder)}-{truth.stem}")
        return len(self.scenes)

    def _with_boxes(self, scenes: list[Scene], name: str) -> list[Scene]:
        """Add the detector's boxes to the scenes of a shard."""
        if self.detector is None:
            return scenes
        kept = self.kept / f"boxes-{name}.npz" if self.kept else None
        if kept is not None and kept.exists():
            with np.load(kept) as saved:
                boxes, owners, ends = saved["boxes"], saved["owners"], saved["ends"]
        else:
            found = [boxes_found(self.detector, scene.picture(), scene.quads) for scene in scenes]
            boxes = np.concatenate([some for some, _ in found] or [NO_BOXES[0]])
            owners = np.concatenate([some for _, some in found] or [NO_BOXES[1]])
            ends = np.cumsum([len(some) for some, _ in found])
            if kept is not None:
                np.savez(kept, boxes=boxes, owners=owners, ends=ends)
        starts = [0, *ends[:-1].tolist()]
        return [
            replace(scene, boxes=boxes[start:end], owners=owners[start:end])
            for scene, start, end in zip(scenes, starts, ends.tolist(), strict=True)
        ]


def boxes_found(
    detector: Detector, image: NDArray[np.uint8], quads: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Find the boxes that a detector has for cards.

    Args:
        detector: the detector.
        image: (height, width, 3) uint8, BGR.
        quads: (n, 4, 2) true corners.

    Returns:
        (m, 4, 2) boxes and (m,) the card on which each lies most. Boxes on no card are left out.
    """
    found = detector.detect(image, score=FOUND_SCORE)
    found = found.pick(is_card(found.class_ids))
    if not len(found) or not len(quads):
        return NO_BOXES
    around = np.array([upright_box(quad) for quad in quads])
    iou = overlaps(np.concatenate([found.quads, around]))[0][: len(found), len(found) :]
    near = iou.max(axis=1) >= FOUND_IOU
    return found.quads[near], iou.argmax(axis=1)[near]


def box_as_found(rng: np.random.Generator, quad: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give a box (4, 2) on a card as a detector would that is off, or as it is after it was moved once."""
    if rng.random() < ASKEW_SHARE:
        box = _askew(rng, quad)
    else:
        box = upright_box(quad) if rng.random() < LIKE_THE_DETECTOR else quad.copy()
    return moved_by_chance(rng, box, float(np.exp(rng.uniform(np.log(SLIGHTEST), np.log(WORST)))))


def moved_by_chance(rng: np.random.Generator, box: NDArray[np.float32], off: float) -> NDArray[np.float32]:
    """Give a box (4, 2) that is shifted, turned and stretched at random; 1 is what a detector usually is off by."""
    centre = box.mean(axis=0)
    across, down = box[1] - box[0], box[3] - box[0]
    turn = rng.normal(0, 0.05 * off)
    cos, sin = np.cos(turn), np.sin(turn)
    moved: NDArray[np.floating] = (box - centre) @ np.array([[cos, sin], [-sin, cos]], np.float32)
    stretch = np.exp(rng.normal(0, 0.05 * off, 2))
    # Along the box's own axes: its sides are off by different shares.
    for axis, factor in zip((across, down), stretch, strict=True):
        unit = axis / max(float(np.linalg.norm(axis)), 1e-6)
        moved = moved + np.outer(moved @ unit, unit) * np.float32(factor - 1)
    shift = rng.normal(0, 0.035 * off, 2)
    moved = moved + centre + across * np.float32(shift[0]) + down * np.float32(shift[1])
    return np.asarray(np.roll(moved, int(rng.integers(2)) * 2, axis=0), np.float32)


def _askew(rng: np.random.Generator, quad: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give a rectangle about as large as the card, turned by a wrong angle and reaching as far as half of it does."""
    box = upright_box(quad)
    turn = np.radians(rng.uniform(-ASKEW_DEG, ASKEW_DEG))
    along, down = box[1] - box[0], box[3] - box[0]
    angle = float(np.arctan2(along[1], along[0])) + turn
    axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    centre = box.mean(axis=0)
    reach = np.abs((box - centre) @ axes.T).max(axis=0)
    sides = np.linalg.norm(along), np.linalg.norm(down)
    half = (reach + np.array(sides) / 2) / 2
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    return np.asarray(corners @ axes + centre, np.float32)


def offsets_to(box: NDArray[np.float32], quad: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give where the corners of a card lie against those of a box on it, (4, 2) in shares of the box's sides.

    Which of the card's corners belongs to the box's first is chosen so that they lie nearest: a box does not know which
    way up its card lies.
    """
    own = in_card_units(box, box)
    placed = in_card_units(box, quad)
    turned = [np.roll(placed, k, axis=0) for k in range(4)]
    return np.asarray(min(turned, key=lambda corners: float(np.abs(corners - own).sum())) - own, np.float32)


def examples(rng: np.random.Generator, scene: Scene) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Cut cards of a picture out as the corner finder sees them.

    Returns:
        Crops (n, height, width, 3) BGR and the offsets (n, 4, 2) of their corners.
    """
    image = scene.picture()
    pairs = [
        (moved_by_chance(rng, box, float(rng.uniform(0, 0.6))), scene.quads[owner])
        for box, owner in zip(scene.boxes, scene.owners, strict=True)
        if rng.random() < GOOD_SHARE or overlap(box, upright_box(scene.quads[owner])) < GOOD_IOU
    ]
    made_up = 1.0 if not len(scene.boxes) else MADE_UP_SHARE
    pairs += [(box_as_found(rng, quad), quad) for quad in scene.quads if rng.random() < made_up]
    pairs = [pairs[i] for i in rng.permutation(len(pairs))[:MOST_CARDS]]
    boxes = np.array([box for box, _ in pairs], np.float32).reshape(-1, 4, 2)
    offsets = np.array([offsets_to(box, quad) for box, quad in pairs], np.float32).reshape(-1, 4, 2)
    crops = straighten(image, boxes, CORNERS_SIZE, CORNERS_MARGIN)
    if rng.random() < 0.5:
        crops = np.ascontiguousarray(crops[:, :, ::-1])
        offsets = offsets[:, [1, 0, 3, 2]] * np.array([-1, 1], np.float32)
    if rng.random() < 0.6:
        ramp = np.arange(256, dtype=np.float32)[:, None] / 255
        curve = 255 * ramp ** np.exp(rng.normal(0, 0.2)) * np.exp(rng.normal(0, 0.12, 3)) + rng.normal(0, 8)
        crops = np.clip(curve, 0, 255).astype(np.uint8)[crops, np.arange(3)]
    kept = np.abs(offsets).max(axis=(1, 2), initial=0) < FARTHEST
    return crops[kept], offsets[kept]


def build_model(start: Path | None) -> Any:
    """Make the network: crops (n, 3, height, width) in 0..1 to (n, 12), eight offsets and four log-errors."""
    import torch
    from torch import nn

    def unit(inside: int, outside: int, stride: int) -> Any:
        return nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.SiLU()
        )

    class Block(nn.Module):  # type: ignore[misc]
        def __init__(self, channels: int) -> None:
            super().__init__()
            self.layers = nn.Sequential(unit(channels, channels, 1), unit(channels, channels, 1))

        def forward(self, values: Any) -> Any:
            return values + self.layers(values)

    height, width = CORNERS_SIZE[0] // 16, CORNERS_SIZE[1] // 16
    model = nn.Sequential(
        unit(3, 16, 2),
        unit(16, 32, 2),
        unit(32, 32, 1),
        unit(32, 64, 2),
        Block(64),
        Block(64),
        unit(64, 96, 2),
        Block(96),
        Block(96),
        nn.Conv2d(96, 48, 1),
        nn.SiLU(),
        nn.Flatten(),
        nn.Linear(48 * height * width, 192),
        nn.SiLU(),
        nn.Linear(192, 12),
    )
    with torch.no_grad():
        model[-1].weight.mul_(0.1)
        model[-1].bias.copy_(torch.tensor([0.0] * 8 + [-3.0] * 4))
    if start is not None:
        take_over(model, start)
    return model


def loss_of(told: Any, offsets: Any) -> tuple[Any, Any]:
    """Laplace loss of what the network tells (n, 12) against true offsets (n, 4, 2); also the mean error."""
    errors = (told[:, :8].view(-1, 4, 2) - offsets).abs().mean(dim=2)
    scale = told[:, 8:].clamp(-8, 2).exp() + LEAST_SCALE
    return (errors / scale + scale.log()).mean(), errors.mean()


def train(
    data: list[Path],
    out: Path,
    start: Path | None,
    budget: Budget,
    batch: int = 64,
    threads: int = 2,
    device: str | None = None,
    lr: float = 2e-3,
    seed: int = 1,
    detector: Detector | None = None,
) -> Path:
    """Train until the budget is used up; returns the checkpoint, which holds averaged weights under "ema".

    A run that was cut off goes on from its last checkpoint. Shards that are completed while it runs are taken in.

    Args:
        data: data sets made by `datasets.render`.
        out: folder of the run.
        start: weights to start from, or None for random ones.
        budget: how long to train.
        batch: crops a step.
        threads: CPU threads of torch.
        device: "cpu" or "cuda"; None for a GPU where there is one.
        lr: highest learning rate.
        seed: seed of order and boxes.
        detector: whose boxes are learned from, besides made-up ones.

    Raises:
        FileNotFoundError: if there are no pictures.
    """
    out.mkdir(parents=True, exist_ok=True)
    scenes = Scenes(data, "train", detector, out)
    if not scenes.refresh():
        raise FileNotFoundError(
            f"no training pictures in {data[0]}: make some with python -m datasets.render"
        )
    import torch

    device = set_up(out, threads, device)
    model = build_model(start).to(device).train()
    course = Course(model, budget, out / "corners.pt", lr, "crops", 0.01, device)
    rng = np.random.default_rng([seed, course.step])
    order, position = rng.permutation(len(scenes.scenes)), 0
    crops: list[NDArray[np.uint8]] = []
    offsets: list[NDArray[np.float32]] = []
    while not course.over:
        while sum(len(some) for some in crops) < batch:
            if position >= len(order):
                order, position = rng.permutation(scenes.refresh()), 0
            some_crops, some_offsets = examples(rng, scenes.scenes[int(order[position])])
            position += 1
            crops.append(some_crops)
            offsets.append(some_offsets)
        images, wanted = np.concatenate(crops), np.concatenate(offsets)
        crops, offsets = [images[batch:]], [wanted[batch:]]
        tensor = torch.from_numpy(images[:batch]).to(device).permute(0, 3, 1, 2).flip(1).float() / 255
        loss, error = loss_of(model(tensor), torch.from_numpy(wanted[:batch]).to(device))
        course.take(loss, batch, {"loss": loss.item(), "off": error.item()})
    return course.checkpoint
