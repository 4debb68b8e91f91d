"""Write renderings as data sets: pictures for the detector (ultralytics layout) and crops for the classifier.

A data set is a folder:
    data.yaml, images/<split>/*.jpg, labels/<split>/*.txt    what ultralytics trains oriented boxes on
    truth/<split>.jsonl                                     every card and hand of every picture, exactly
    crops/<split>-<shard>.npy, .json                        straightened cards with their faces
Pictures stand on a grey square with a margin around them, so that the box of a card that the picture's border cuts
can reach beyond it; the detector sees the same margin when it runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.assets import Assets
from datasets.render.scene import LabelledCard, Rendering, render
from rules.cards import FRENCH_CODES, ITALIAN_CODES
from vision.crops import straighten

CLASSES = ("face", "back", "hand")
FACES = (*ITALIAN_CODES, *FRENCH_CODES, "none")
NONE = len(FACES) - 1
CANVAS_PX = 640
GREY = 114
LEAST_VISIBLE_BOX = 0.15
LEAST_VISIBLE_FACE = 0.25
STORED_CROP = (176, 112)
STORED_MARGIN = 0.2
FOUND_CORNERS = 0.7
"""How many crops are cut between the card's own corners, as most are at run time."""


@dataclass(frozen=True)
class Sample:
    """A picture on its grey square, its oriented boxes (class id, corners (4, 2) px), and its crops with faces."""

    canvas: NDArray[np.uint8]
    boxes: list[tuple[int, NDArray[np.float32]]]
    crops: NDArray[np.uint8]
    faces: list[int]
    truth: dict[str, object]


def upright_box(points: NDArray[np.floating]) -> NDArray[np.float32]:
    """Smallest rotated rectangle around points, as a quad (4, 2) whose first edge is a short side, clockwise."""
    corners = cv2.boxPoints(cv2.minAreaRect(np.asarray(points, np.float32)))
    along, down = corners[1] - corners[0], corners[2] - corners[1]
    if along[0] * down[1] < along[1] * down[0]:
        corners = corners[::-1]
    if np.linalg.norm(corners[1] - corners[0]) > np.linalg.norm(corners[2] - corners[1]):
        corners = np.roll(corners, 1, axis=0)
    return corners.astype(np.float32)


def sample(index: int, seed: int, assets: Assets, difficulty: float) -> Sample:
    """Render picture `index` of the data set with this seed."""
    rng = np.random.default_rng([seed, index])
    rendering = render(rng, assets, difficulty)
    canvas, scale, offset = _on_canvas(rng, rendering.image)
    boxes: list[tuple[int, NDArray[np.float32]]] = []
    for card in rendering.cards:
        if card.visible >= LEAST_VISIBLE_BOX:
            boxes.append((0 if card.code else 1, upright_box(card.quad_px) * scale + offset))
    for hand in rendering.hands:
        boxes.append((2, upright_box(hand.outline_px) * scale + offset))
    crops, faces = _crops(rng, rendering)
    truth = {
        "picture": index,
        "size": [rendering.image.shape[1], rendering.image.shape[0]],
        "tilt_deg": round(rendering.tilt_deg, 1),
        "cards": [
            {
                "card": card.code,
                "deck": card.deck,
                "quad": card.quad_px.round(1).tolist(),
                "visible": round(card.visible, 3),
            }
            for card in rendering.cards
        ],
        "hands": [hand.outline_px.round(1).tolist() for hand in rendering.hands],
        "canvas": {"scale": scale, "offset": offset.tolist()},
    }
    return Sample(canvas, boxes, crops, faces, truth)


def _on_canvas(
    rng: np.random.Generator, image: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], float, NDArray[np.float32]]:
    height, width = image.shape[:2]
    margin = rng.uniform(0.05, 0.1)
    scale = CANVAS_PX * (1 - 2 * margin) / max(height, width)
    # Shrinks by less than a fifth, which needs no averaging over areas.
    resized = cv2.resize(image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_LINEAR)
    top, left = (CANVAS_PX - resized.shape[0]) // 2, (CANVAS_PX - resized.shape[1]) // 2
    canvas = np.full((CANVAS_PX, CANVAS_PX, 3), GREY, np.uint8)
    canvas[top : top + resized.shape[0], left : left + resized.shape[1]] = resized
    return canvas, scale, np.array([left, top], np.float32)


def _crops(rng: np.random.Generator, rendering: Rendering) -> tuple[NDArray[np.uint8], list[int]]:
    quads: list[NDArray[np.float32]] = []
    faces: list[int] = []
    for card in rendering.cards:
        if card.code is None:
            # Backs teach "none", but there are far more of them than that needs.
            if card.visible > 0.3 and rng.random() < 0.15:
                quads.append(upright_box(card.quad_px))
                faces.append(NONE)
        elif card.visible >= LEAST_VISIBLE_FACE:
            quads.append(_as_detected(rng, card))
            faces.append(FACES.index(card.code))
    for quad in _negatives(rng, rendering):
        quads.append(quad)
        faces.append(NONE)
    crops = straighten(rendering.image, np.array(quads), STORED_CROP, STORED_MARGIN)
    return crops, faces


def _as_detected(rng: np.random.Generator, card: LabelledCard) -> NDArray[np.float32]:
    """The quad that a card is read at: its own corners where they are found, else the detector's rectangle."""
    if rng.random() < FOUND_CORNERS:
        return card.quad_px
    quad = upright_box(card.quad_px)
    # Keep the true top on top, so that which way up a card lies stays known; training turns crops itself.
    top = card.quad_px[:2].mean(0) - card.quad_px[2:].mean(0)
    return quad if float(top @ (quad[:2].mean(0) - quad[2:].mean(0))) >= 0 else np.roll(quad, 2, axis=0)


def _negatives(rng: np.random.Generator, rendering: Rendering) -> Iterator[NDArray[np.float32]]:
    """Boxes on no card, and boxes that sit wrongly across cards."""
    height, width = rendering.image.shape[:2]
    for _ in range(int(rng.random() < 0.35)):
        size = float(np.exp(rng.uniform(np.log(30), np.log(260))))
        centre = (float(rng.uniform(0, width)), float(rng.uniform(0, height)))
        if rng.random() < 0.3 and rendering.hands:
            outline = rendering.hands[0].outline_px
            centre = tuple(float(v) for v in outline[int(rng.integers(len(outline)))])  # type: ignore[assignment]
        box = upright_box(cv2.boxPoints((centre, (size / 1.6, size), float(rng.uniform(0, 180)))))
        if all(_overlap(box, card.quad_px) < 0.25 for card in rendering.cards):
            yield box


def _overlap(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    area, _ = cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))
    return float(area) / max(1.0, min(abs(cv2.contourArea(a)), abs(cv2.contourArea(b))))


def write_shard(
    folder: Path,
    split: str,
    shard: int,
    indices: range,
    seed: int,
    assets: Assets,
    easiest: float,
    hardest: float,
) -> int:
    """Render pictures `indices` into the data set; returns the number of crops.

    Difficulty rises over the shard's pictures from `easiest` to `hardest`. A shard that is complete is not made again.
    """
    done = folder / "crops" / f"{split}-{shard:04d}.json"
    if done.exists():
        return len(json.loads(done.read_text())["faces"])
    for name in (f"images/{split}", f"labels/{split}", "truth", "crops"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    crops: list[NDArray[np.uint8]] = []
    faces: list[int] = []
    truths: list[str] = []
    for position, index in enumerate(indices):
        difficulty = easiest + (hardest - easiest) * position / max(1, len(indices) - 1)
        made = sample(index, seed, assets, difficulty)
        name = f"{index:07d}"
        cv2.imwrite(str(folder / f"images/{split}/{name}.jpg"), made.canvas, [cv2.IMWRITE_JPEG_QUALITY, 92])
        lines = []
        for class_id, quad in made.boxes:
            points = np.clip(quad / CANVAS_PX, 0, 1).ravel()
            lines.append(f"{class_id} " + " ".join(f"{v:.5f}" for v in points))
        (folder / f"labels/{split}/{name}.txt").write_text("\n".join(lines))
        crops.append(made.crops)
        faces += made.faces
        truths.append(json.dumps(made.truth, separators=(",", ":")))
    np.save(folder / "crops" / f"{split}-{shard:04d}.npy", np.concatenate(crops))
    (folder / "truth" / f"{split}-{shard:04d}.jsonl").write_text("\n".join(truths) + "\n")
    done.write_text(json.dumps({"faces": faces, "seed": seed, "first": indices.start, "count": len(indices)}))
    return len(faces)


def write_description(folder: Path) -> None:
    """Write data.yaml as ultralytics wants it."""
    names = "\n".join(f"  {i}: {name}" for i, name in enumerate(CLASSES))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data.yaml").write_text(
        f"path: {folder.resolve()}\ntrain: images/train\nval: images/test\nnames:\n{names}\n"
    )
