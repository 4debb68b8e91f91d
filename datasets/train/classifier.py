"""Train the classifier: a YOLO classification network on straightened crops, read either way up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.dataset import FACES, STORED_CROP, STORED_MARGIN
from datasets.render.reprints import other_inks
from datasets.train.course import Budget, Course, set_up
from datasets.train.shards import Shards
from datasets.train.weights import take_over
from vision.crops import CROP_MARGIN, CROP_SIZE

ARCHITECTURE = "yolo26n-cls.yaml"
SPOILING = 0.35
"""How much crops are spoilt beyond what the renderer did to them. At 1.0 half of the effort went into crops that
nobody could read: training accuracy stayed ten points behind that on plain crops."""

OTHER_INKS_SHARE, OTHER_INKS = 0.35, 0.13
"""How many crops are shown as if another maker had printed them, and how far its inks are from the art's."""

HIDDEN_SHARE = 0.25
"""How many crops have what another card would cover painted grey."""
MOST_HIDDEN = 0.75
GREY = (128, 128, 128)

LOOSE_SHARE, LOOSE = 0.15, 2.0
"""How many crops are cut out as a detector that is much off would, and by how much more than the others."""


class Crops:
    """The stored crops of a data set, shard by shard, memory-mapped; new shards are found by `refresh`.

    Attributes:
        arrays: one array (n, h, w, 3) uint8 a shard.
        faces: class ids of all crops, in the shards' order.
    """

    def __init__(self, folders: list[Path], split: str) -> None:
        self.arrays: list[NDArray[np.uint8]] = []
        self.faces: NDArray[np.int64] = np.empty(0, np.int64)
        self._shards = Shards(folders, "crops", f"{split}-*.json")
        self._starts: NDArray[np.int64] = np.zeros(1, np.int64)

    def refresh(self) -> int:
        """Take in shards that were completed since; returns the number of crops."""
        for _, description in self._shards.new():
            faces = json.loads(description.read_text())["faces"]
            self.arrays.append(np.load(description.with_suffix(".npy"), mmap_mode="r"))
            self.faces = np.concatenate([self.faces, np.array(faces, np.int64)])
        self._starts = np.cumsum([0] + [len(a) for a in self.arrays])
        return len(self.faces)

    def __getitem__(self, index: int) -> NDArray[np.uint8]:
        shard = int(np.searchsorted(self._starts, index, side="right")) - 1
        return np.asarray(self.arrays[shard][index - self._starts[shard]])

    def __len__(self) -> int:
        return len(self.faces)


def _inner_corners(size: tuple[int, int], margin: float) -> NDArray[np.float32]:
    """Corners of the card itself within a crop of `size` that has `margin` around it."""
    height, width = size
    x, y = width * margin / (1 + 2 * margin), height * margin / (1 + 2 * margin)
    return np.array([[x, y], [width - x, y], [width - x, height - y], [x, height - y]], np.float32)


_STORED = _inner_corners(STORED_CROP, STORED_MARGIN)
_WANTED = _inner_corners(CROP_SIZE, CROP_MARGIN)


def plain(crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The crop as run time would cut it, (128, 80, 3), from a stored one."""
    return _warp(crop, _STORED)


def _warp(crop: NDArray[np.uint8], corners: NDArray[np.float32]) -> NDArray[np.uint8]:
    homography = cv2.getPerspectiveTransform(corners - 0.5, _WANTED - 0.5)
    return cv2.warpPerspective(
        crop,
        homography,
        (CROP_SIZE[1], CROP_SIZE[0]),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )


def augment(rng: np.random.Generator, crop: NDArray[np.uint8], strength: float) -> NDArray[np.uint8]:
    """Cut a stored crop as a detector that is a little off would, either way up, and spoil it some more."""
    height, width = STORED_CROP
    extent = np.array([width, height], np.float32) / (1 + 2 * STORED_MARGIN)
    # Boxes on cards that lie half under others are off by more than those on free ones.
    loose = LOOSE if rng.random() < LOOSE_SHARE else 1.0
    corners = _STORED + np.float32(rng.normal(0, 0.012 + 0.01 * strength, (4, 2))) * extent
    centre = corners.mean(0)
    corners = (corners - centre) * np.float32(1 + rng.normal(0, 0.035 * loose, 2)) + centre
    corners += np.float32(rng.normal(0, 0.025 * loose, 2)) * extent
    turn = rng.normal(0, 0.035 * loose)
    cos, sin = np.cos(turn), np.sin(turn)
    corners = ((corners - centre) @ np.array([[cos, sin], [-sin, cos]], np.float32) + centre).astype(
        np.float32
    )
    if rng.random() < 0.5:
        corners = np.roll(corners, 2, axis=0)
    image = _warp(crop, corners)
    if rng.random() < 0.25 * strength:
        shrink = rng.uniform(0.25, 0.8)
        small = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        image = cv2.resize(small, (CROP_SIZE[1], CROP_SIZE[0]), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.2 * strength:
        _cover(rng, image)
    hidden = other_card(rng) if rng.random() < HIDDEN_SHARE else None
    if rng.random() < OTHER_INKS_SHARE:
        image = other_inks(rng, image, OTHER_INKS)
    ramp = np.arange(256, dtype=np.float32)
    channels = []
    gamma, contrast, lift = np.exp(rng.normal(0, 0.12)), np.exp(rng.normal(0, 0.1)), rng.normal(0, 6)
    for _ in range(3):
        gain = np.exp(rng.normal(0, 0.06))
        channels.append(np.clip(((255 * (ramp / 255) ** gamma * gain - 128) * contrast + 128 + lift), 0, 255))
    image = cv2.LUT(image, np.stack(channels, -1).astype(np.uint8)[None])
    if rng.random() < 0.15 * strength:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.6))
    if rng.random() < 0.2 * strength:
        noise = rng.normal(0, rng.uniform(2, 14), image.shape)
        image = np.clip(image + noise, 0, 255).astype(np.uint8)
    if hidden is not None:
        cv2.fillConvexPoly(image, np.round(hidden).astype(np.int32), GREY)
    return image


def other_card(rng: np.random.Generator) -> NDArray[np.float32]:
    """Give the corners (4, 2), in pixels of a crop, of a card of the same size that covers part of it."""
    height, width = CROP_SIZE
    card = _WANTED - _WANTED.mean(axis=0)
    while True:
        # Cards lie alongside or across one another more often than at any angle.
        turn = rng.normal(0, 0.25) + np.pi / 2 * rng.integers(2) if rng.random() < 0.6 else rng.uniform(0, np.pi)
        # Turned in the card's own proportions: a crop stretches them to one size for all decks.
        cos, sin = np.cos(turn), np.sin(turn)
        turned = card @ np.array([[cos, sin], [-sin, cos]], np.float32)
        placed = np.asarray(turned + rng.uniform(0, 1, 2) * (width, height), np.float32)
        covered = cv2.intersectConvexConvex(placed, _WANTED)[0] / cv2.contourArea(_WANTED)
        if 0.1 < covered < MOST_HIDDEN:
            return placed


def _cover(rng: np.random.Generator, image: NDArray[np.uint8]) -> None:
    """Cover a part of the card, in place: a straight edge of another card or thing across it."""
    height, width = image.shape[:2]
    angle = rng.uniform(0, 2 * np.pi)
    normal = np.array([np.cos(angle), np.sin(angle)])
    edge = np.array([width, height]) / 2 + normal * np.array([width, height]) * rng.uniform(0.0, 0.35)
    along = np.array([-normal[1], normal[0]]) * 300
    polygon = np.array(
        [edge - along, edge + along, edge + along + normal * 300, edge - along + normal * 300], np.int32
    )
    colour = rng.integers(190, 255, 3) if rng.random() < 0.5 else rng.integers(0, 255, 3)
    cv2.fillConvexPoly(image, polygon, tuple(int(v) for v in colour), cv2.LINE_AA)


def build_model(start: Path | None, faces: int = len(FACES)) -> Any:
    """Make the network, taking over every fitting tensor of the starting weights (.pt or .safetensors)."""
    from ultralytics.nn.tasks import ClassificationModel

    model = ClassificationModel(ARCHITECTURE, nc=faces, verbose=False)
    if start is not None:
        take_over(model, start)
    return model


def logits_and_features(model: Any, images: Any) -> tuple[Any, Any]:
    """Run the network up to its last layer: logits (N, faces) and features (N, D)."""
    values = images
    for layer in model.model[:-1]:
        values = layer(values)
    head = model.model[-1]
    features = head.pool(head.conv(values)).flatten(1)
    return head.linear(head.drop(features)), features


def train(
    data: list[Path],
    out: Path,
    start: Path | None,
    budget: Budget,
    batch: int = 64,
    threads: int = 2,
    device: str | None = None,
    lr: float = 1.5e-3,
    seed: int = 1,
) -> Path:
    """Train until the budget is used up; returns the checkpoint, which holds averaged weights under "ema".

    A run that was cut off goes on from its last checkpoint (one every two minutes). Shards that are completed
    while it runs are taken in.
    """
    crops = Crops(data, "train")
    if not crops.refresh():
        raise FileNotFoundError(f"no training crops in {data[0]}: make some with python -m datasets.render")
    import torch
    from torch.nn import functional

    device = set_up(out, threads, device)
    model = build_model(start).to(device).train()
    course = Course(
        model, budget, out / "classifier.pt", lr, "crops", 0.03, device, fresh={"faces": list(FACES)}
    )
    rng = np.random.default_rng([seed, course.step])
    order, position = rng.permutation(len(crops)), 0
    while not course.over:
        if position + batch > len(order):
            order, position = rng.permutation(crops.refresh()), 0
        chosen = order[position : position + batch]
        position += batch
        images = np.stack([augment(rng, crops[int(i)], SPOILING) for i in chosen])
        faces = torch.from_numpy(crops.faces[chosen]).to(device)
        tensor = torch.from_numpy(images).to(device).permute(0, 3, 1, 2).flip(1).float() / 255
        logits, _ = logits_and_features(model, tensor)
        loss = functional.cross_entropy(logits, faces, label_smoothing=0.05)
        right = (logits.argmax(1) == faces).float().mean().item()
        course.take(loss, len(chosen), {"loss": loss.item(), "right": right})
    return course.checkpoint
