"""Read the faces of cards with the classifier model.

Owns the way from quads in a picture to probabilities of faces. Which faces a game has, and that a face exists
once, others know.

The model: input ``crops`` float32 (n, 3, height, width), RGB in 0..1, straightened cards; outputs ``logits``
float32 (n, 93) and ``features`` float32 (n, d).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rules.cards import FRENCH_CODES, ITALIAN_CODES
from vision.crops import straighten
from vision.models import ModelError, Models

NONE_CLASS = "none"
"""Class of what is not the face of a card: a back, or no card at all."""
CLASSES: tuple[str, ...] = (*ITALIAN_CODES, *FRENCH_CODES, NONE_CLASS)
"""Classes of the classifier, by class id."""
ITALIAN = slice(0, len(ITALIAN_CODES))
FRENCH = slice(len(ITALIAN_CODES), len(ITALIAN_CODES) + len(FRENCH_CODES))
NONE = len(CLASSES) - 1

BATCH = 16
"""Crops per run: larger batches are no faster on a CPU and hold more memory."""
SQUARE_ASPECT = 1.25
"""Long side by short side below which it is not sure which one is the card's short side: a French card (88 x
63 mm) that is seen at 45 degrees looks square. Such a quad is read lying as well."""


@dataclass(frozen=True, eq=False)
class Readings:
    """Hold what the classifier says of n crops.

    Attributes:
        log_probs: (n, 93) float32, natural logarithms of the probabilities of ``CLASSES``; rows sum to 1 in
            exp.
        features: (n, d) float32 of length 1, the look of the face.
        upside_down: (n,) bool, whether the face stands the other way up than its quad says. For faces that
            look the same both ways it says nothing.
        turned: (n,) bool, whether the quad's first edge is a long side of the card after all; the quad of the
            card is then ``numpy.roll(quad, 1, axis=0)``.
    """

    log_probs: npt.NDArray[np.float32]
    features: npt.NDArray[np.float32]
    upside_down: npt.NDArray[np.bool_]
    turned: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.log_probs)


class Classifier:
    """Read faces.

    Args:
        models: where the model comes from.

    Raises:
        ModelError: if the model is missing or is not such a classifier.
    """

    def __init__(self, models: Models) -> None:
        entry = models.entry("classifier")
        if entry.classes != CLASSES:
            raise ModelError(
                "the classifier model reads other faces than the program knows; restore the models folder"
            )
        self._session = models.session("classifier")
        names = [output.name for output in self._session.get_outputs()]
        if "logits" not in names or "features" not in names:
            raise ModelError(
                f"{entry.path} is not a classifier: it gives {', '.join(names)}, not logits and features"
            )
        self._input_name = self._session.get_inputs()[0].name
        self.size = entry.input_hw
        self.temperature = float(entry.details.get("temperature", 1.0))
        if not self.temperature > 0:
            raise ModelError("the classifier's temperature must be greater than 0; restore the models folder")

    def run(self, crops: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Run the model on straightened cards as they are.

        Args:
            crops: (n, height, width, 3) uint8, BGR.

        Returns:
            (n, 93) logits and (n, d) features, float32.
        """
        logits: list[npt.NDArray[np.float32]] = []
        features: list[npt.NDArray[np.float32]] = []
        for start in range(0, len(crops), BATCH):
            rgb = crops[start : start + BATCH, :, :, ::-1].transpose(0, 3, 1, 2)
            batch = np.ascontiguousarray(rgb, np.float32) / np.float32(255)
            some_logits, some_features = self._session.run(["logits", "features"], {self._input_name: batch})
            logits.append(some_logits)
            features.append(some_features)
        if not logits:
            return np.zeros((0, len(CLASSES)), np.float32), np.zeros((0, 1), np.float32)
        return np.concatenate(logits), np.concatenate(features)

    def read(self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.floating]) -> Readings:
        """Read the cards at some places of a picture, both ways up.

        Args:
            image: (height, width, 3) uint8, BGR, in full resolution.
            quads: (n, 4, 2) corners in pixels, in the order of `Detections`.

        Returns:
            Readings of the n cards.
        """
        quads = np.asarray(quads, np.float32).reshape(-1, 4, 2)
        log_probs, features, flipped, best = self._both_ways(image, quads)
        turned = np.zeros(len(quads), bool)
        unsure = np.flatnonzero(aspects(quads) < SQUARE_ASPECT)
        if len(unsure):
            lying = self._both_ways(image, np.roll(quads[unsure], 1, axis=1))
            better = lying[3] > best[unsure]
            where = unsure[better]
            turned[where] = True
            log_probs[where], features[where], flipped[where] = (
                lying[0][better],
                lying[1][better],
                lying[2][better],
            )
        return Readings(log_probs, features, flipped, turned)

    def _both_ways(
        self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.float32]
    ) -> tuple[
        npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.float32]
    ]:
        """Return log-probabilities, features, which are upside down, and the best log-probability of a
        face."""
        count = len(quads)
        upright = straighten(image, quads, self.size)
        crops = np.concatenate([upright, upright[:, ::-1, ::-1]])
        logits, features = self.run(crops)
        single = log_softmax(logits / self.temperature)
        log_probs = log_softmax((single[:count] + single[count:]) / 2)
        face = log_probs[:, :NONE].argmax(axis=1)
        rows = np.arange(count)
        flipped = single[count + rows, face] > single[rows, face]
        mean = features[:count] + features[count:]
        length = np.linalg.norm(mean, axis=1, keepdims=True)
        return log_probs, mean / np.maximum(length, 1e-12), flipped, log_probs[rows, face]


def log_softmax(values: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    """Return the logarithm of the softmax along the last axis, float32."""
    exact = np.asarray(values, np.float64)
    exact = exact - exact.max(axis=-1, keepdims=True) if exact.size else exact
    return (exact - np.log(np.exp(exact).sum(axis=-1, keepdims=True))).astype(np.float32)


def aspects(quads: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Return the longer by the shorter mean side of quads (n, 4, 2), (n,) float64."""
    edges = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2)
    first, second = edges[:, 0] + edges[:, 2], edges[:, 1] + edges[:, 3]
    return np.asarray(np.maximum(first, second) / np.maximum(np.minimum(first, second), 1e-9), np.float64)
