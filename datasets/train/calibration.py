"""Choose from renderings what trained models are run with: the temperature and the least score.

Printings are those trained on as other makers might print them, tables and hands are new: figures on printings never
seen stay untouched by the choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.evaluate.figures import COUNTED_FROM, IGNORED_FROM, matched
from datasets.render.assets import Deck, load_assets
from datasets.render.dataset import FACES, NONE, upright_box
from datasets.render.reprints import reprint
from datasets.render.scene import Rendering, render
from datasets.train.export import note_in_manifest
from vision.classifier import Classifier, log_softmax
from vision.crops import straighten
from vision.detections import FACE, Detections
from vision.detector import Detector
from vision.finder import CardFinder
from vision.models import Models

SEED = 79
LOWEST_SCORE = 0.08
SCORES = np.round(np.arange(0.1, 0.61, 0.02), 2)
TEMPERATURES = np.round(np.exp(np.linspace(np.log(0.5), np.log(3.0), 46)), 3)


@dataclass
class Boxes:
    """Boxes of faces and what was to be found: scores (n,), which of them are right, and how many cards there were."""

    scores: NDArray[np.float64]
    right: NDArray[np.bool_]
    demanded: int


def best_score(boxes: Boxes) -> tuple[float, float]:
    """Return the score from which boxes should count so that F1 is highest, and that F1."""
    ratings = []
    for score in SCORES:
        kept = boxes.scores >= score
        hits = int((boxes.right & kept).sum())
        ratings.append(2 * hits / max(1, int(kept.sum()) + boxes.demanded))
    best = int(np.argmax(ratings))
    return float(SCORES[best]), float(ratings[best])


def both_ways(
    upright: NDArray[np.floating], turned: NDArray[np.floating], temperature: float
) -> NDArray[np.float64]:
    """Log-probabilities (n, faces) of crops read either way up, joined as `vision.classifier` does."""
    return np.asarray(
        log_softmax((log_softmax(upright / temperature) + log_softmax(turned / temperature)) / 2), np.float64
    )


def best_temperature(
    upright: NDArray[np.floating], turned: NDArray[np.floating], faces: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the temperature with which the true faces (n,) are likeliest, and their mean -log p then."""
    rows = np.arange(len(faces))
    losses = [float(-both_ways(upright, turned, t)[rows, faces].mean()) for t in TEMPERATURES]
    best = int(np.argmin(losses))
    return float(TEMPERATURES[best]), losses[best]


def calibrate(models: Path, pictures: int, progress: Callable[[str], None]) -> dict[str, Any]:
    """Choose temperature and score, and note both in the manifest.

    Args:
        models: folder with detector, classifier and manifest.
        pictures: how many renderings to look at.
        progress: is told what was found.

    Returns:
        "temperature" and "score".

    Raises:
        ModelError: if a model is missing.
        FileNotFoundError: if there is no art to render from.
    """
    loaded = Models(models)
    detector, classifier = Detector(loaded, score=LOWEST_SCORE), Classifier(loaded)
    finder = CardFinder(Detector(loaded), classifier.corners)
    classifier.temperature = 1.0
    assets = load_assets("test", SEED, decks="seen", procedural=60)
    # As another maker might print them: on the very printings that it has seen the classifier is surer than it may be.
    rng = np.random.default_rng(SEED)
    assets.decks[:] = [Deck(deck.name, reprint(rng, deck.faces)) for deck in assets.decks]
    scores: list[NDArray[np.float32]] = []
    right: list[NDArray[np.bool_]] = []
    demanded = 0
    logits: list[NDArray[np.float32]] = []
    faces: list[int] = []
    for index in range(pictures):
        rendering = render(
            np.random.default_rng([SEED, index]), assets, 0.2 + 0.8 * index / max(1, pictures - 1)
        )
        found = detector.detect(rendering.image)
        boxes, hits, wanted = _judged(rendering, found.of(FACE))
        scores.append(boxes.scores)
        right.append(hits)
        demanded += wanted
        placed = finder.find(rendering.image).cards()
        cards = placed.detections.pick(placed.clear)
        if len(cards):
            crops = straighten(rendering.image, cards.quads, classifier.size)
            logits.append(
                classifier.run(np.concatenate([crops, crops[:, ::-1, ::-1]]))[0].reshape(2, len(cards), -1)
            )
            faces += _true_faces(rendering, cards.quads, cards.scores)
    score, f1 = best_score(Boxes(np.concatenate(scores).astype(np.float64), np.concatenate(right), demanded))
    upright, turned = np.concatenate(logits, axis=1)
    temperature, loss = best_temperature(upright, turned, np.array(faces, np.int64))
    progress(f"score {score} (F1 {f1:.3f}), temperature {temperature} (-log p {loss:.3f})")
    note_in_manifest(models, "detector", {"score": score})
    note_in_manifest(models, "classifier", {"temperature": temperature})
    return {"score": score, "temperature": temperature}


def _judged(rendering: Rendering, found: Detections) -> tuple[Detections, NDArray[np.bool_], int]:
    """Boxes of faces less those on cards that hardly show, which of them are right, and how many were demanded."""
    cards = [c for c in rendering.cards if c.code is not None and c.visible >= IGNORED_FROM]
    pairs = matched([upright_box(c.quad_px) for c in cards], found.quads, found.scores, 0.5)
    hardly = {i for i, j in pairs.items() if cards[j].visible < COUNTED_FROM}
    kept = [i for i in range(len(found)) if i not in hardly]
    return (
        found.pick(kept),
        np.array([i in pairs for i in kept], bool),
        sum(c.visible >= COUNTED_FROM for c in cards),
    )


def _true_faces(rendering: Rendering, quads: NDArray[np.floating], scores: NDArray[np.floating]) -> list[int]:
    """Class ids of what lies at quads: a face, or "none" for backs and for places without a card."""
    cards = [c for c in rendering.cards if c.visible >= IGNORED_FROM]
    pairs = matched([upright_box(c.quad_px) for c in cards], quads, scores, 0.4)
    codes = [cards[pairs[i]].code if i in pairs else None for i in range(len(quads))]
    return [NONE if code is None else FACES.index(code) for code in codes]
