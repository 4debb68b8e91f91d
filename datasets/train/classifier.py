"""Train the classifier: a YOLO classification network on straightened crops, read either way up."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.dataset import FACES, NONE, STORED_CROP, STORED_MARGIN
from vision.crops import CROP_MARGIN, CROP_SIZE

ARCHITECTURE = "yolo26n-cls.yaml"


class Crops:
    """The stored crops of a data set, shard by shard, memory-mapped; new shards are found by `refresh`.

    Attributes:
        arrays: one array (n, h, w, 3) uint8 a shard.
        faces: class ids of all crops, in the shards' order.
    """

    def __init__(self, folders: list[Path], split: str) -> None:
        self.folders, self.split = folders, split
        self.arrays: list[NDArray[np.uint8]] = []
        self.faces: NDArray[np.int64] = np.empty(0, np.int64)
        self._known: set[Path] = set()
        self._starts: NDArray[np.int64] = np.zeros(1, np.int64)

    def refresh(self) -> int:
        """Take in shards that were completed since; returns the number of crops."""
        for folder in self.folders:
            for description in sorted((folder / "crops").glob(f"{self.split}-*.json")):
                if description in self._known:
                    continue
                self._known.add(description)
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
    corners = _STORED + np.float32(rng.normal(0, 0.012 + 0.01 * strength, (4, 2))) * extent
    centre = corners.mean(0)
    corners = (corners - centre) * np.float32(1 + rng.normal(0, 0.035, 2)) + centre
    corners += np.float32(rng.normal(0, 0.025, 2)) * extent
    turn = rng.normal(0, 0.035)
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
    ramp = np.arange(256, dtype=np.float32)
    channels = []
    gamma, contrast, lift = np.exp(rng.normal(0, 0.2)), np.exp(rng.normal(0, 0.15)), rng.normal(0, 10)
    for _ in range(3):
        gain = np.exp(rng.normal(0, 0.06))
        channels.append(np.clip(((255 * (ramp / 255) ** gamma * gain - 128) * contrast + 128 + lift), 0, 255))
    image = cv2.LUT(image, np.stack(channels, -1).astype(np.uint8)[None])
    if rng.random() < 0.15 * strength:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, 1.6))
    if rng.random() < 0.2:
        noise = rng.normal(0, rng.uniform(2, 14), image.shape)
        image = np.clip(image + noise, 0, 255).astype(np.uint8)
    return image


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
    import torch
    from ultralytics.nn.tasks import ClassificationModel

    model = ClassificationModel(ARCHITECTURE, nc=faces, verbose=False)
    if start is not None:
        if start.suffix == ".safetensors":
            from safetensors.torch import load_file

            state = load_file(start)
        else:
            state = torch.load(start, map_location="cpu", weights_only=True)
        own = model.state_dict()
        fitting = {k: v.to(own[k].dtype) for k, v in state.items() if k in own and own[k].shape == v.shape}
        model.load_state_dict(fitting, strict=False)
        print(f"start: {len(fitting)} of {len(own)} tensors taken over from {start.name}", flush=True)
    return model


def logits_and_features(model: Any, images: Any) -> tuple[Any, Any]:
    """Run the network up to its last layer: logits (N, faces) and features (N, D)."""
    values = images
    for layer in model.model[:-1]:
        values = layer(values)
    head = model.model[-1]
    features = head.pool(head.conv(values)).flatten(1)
    return head.linear(head.drop(features)), features


@dataclass(frozen=True)
class Budget:
    """How long to train: by the clock, so that a busy machine does not upset the learning rate's course."""

    minutes: float
    warm_up: float = 0.03

    def rate(self, elapsed_s: float) -> float:
        """Learning rate, as a share of the highest, after so much training time."""
        share = min(1.0, elapsed_s / (self.minutes * 60))
        if share < self.warm_up:
            return 0.05 + 0.95 * share / self.warm_up
        return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (share - self.warm_up) / (1 - self.warm_up)))


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
    after_checkpoint: Callable[[Path], None] | None = None,
) -> Path:
    """Train until the budget is used up; returns the checkpoint, which holds averaged weights under "ema".

    A run that was cut off goes on from its last checkpoint (one every two minutes). Shards that are completed
    while it runs are taken in.
    """
    import torch
    from torch.nn import functional

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if device == "cpu":
        torch.set_num_threads(threads)
    cv2.setNumThreads(1)
    out.mkdir(parents=True, exist_ok=True)
    checkpoint = out / "classifier.pt"
    crops = Crops(data, "train")
    if not crops.refresh():
        raise FileNotFoundError(f"no training crops in {data[0]}: make some with python -m datasets.render")
    model = build_model(start).to(device).train()
    decayed = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.03}, {"params": others, "weight_decay": 0.0}], lr=lr
    )
    ema = {k: v.detach().clone() for k, v in model.state_dict().items()}
    elapsed, step = 0.0, 0
    if checkpoint.exists():
        saved = torch.load(checkpoint, map_location=device, weights_only=True)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        ema, elapsed, step = saved["ema"], saved["elapsed_s"], saved["step"]
        print(f"going on at step {step}, {elapsed / 60:.1f} minutes in", flush=True)
    rng = np.random.default_rng([seed, step])
    mean_loss, right, seen = 0.0, 0.0, 0
    last_save = last_print = time.monotonic()
    order = rng.permutation(len(crops))
    position = 0
    while elapsed < budget.minutes * 60:
        began = time.monotonic()
        if position + batch > len(order):
            order, position = rng.permutation(crops.refresh()), 0
        chosen = order[position : position + batch]
        position += batch
        strength = min(1.0, 0.4 + elapsed / (budget.minutes * 60) * 1.5)
        images = np.stack([augment(rng, crops[int(i)], strength) for i in chosen])
        faces = torch.from_numpy(crops.faces[chosen]).to(device)
        tensor = torch.from_numpy(images).to(device).permute(0, 3, 1, 2).flip(1).float() / 255
        for group in optimizer.param_groups:
            group["lr"] = lr * budget.rate(elapsed)
        logits, _ = logits_and_features(model, tensor)
        loss = functional.cross_entropy(logits, faces, label_smoothing=0.05)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        step += 1
        keep = min(0.999, (1 + step) / (20 + step))
        with torch.no_grad():
            for key, value in model.state_dict().items():
                if value.dtype.is_floating_point:
                    ema[key].mul_(keep).add_(value, alpha=1 - keep)
                else:
                    ema[key].copy_(value)
        now = time.monotonic()
        elapsed += now - began
        mean_loss += loss.item()
        right += (logits.argmax(1) == faces).float().mean().item()
        seen += 1
        if now - last_print > 30:
            rate = seen * batch / (now - last_print)
            print(
                f"{elapsed / 60:6.1f} of {budget.minutes:.0f} min  step {step}  {step * batch / 1000:.1f}k crops of "
                f"{len(crops) / 1000:.1f}k  loss {mean_loss / seen:.3f}  right {right / seen:.3f}  {rate:.0f} crops/s",
                flush=True,
            )
            mean_loss, right, seen, last_print = 0.0, 0.0, 0, now
        if now - last_save > 120 or elapsed >= budget.minutes * 60:
            state = {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "ema": ema,
                "elapsed_s": elapsed,
                "step": step,
                "faces": list(FACES),
            }
            partial = checkpoint.with_suffix(".partial")
            torch.save(state, partial)
            partial.replace(checkpoint)
            last_save = now
            if after_checkpoint:
                after_checkpoint(checkpoint)
    return checkpoint


__all__ = ["NONE", "Budget", "Crops", "augment", "build_model", "logits_and_features", "plain", "train"]
