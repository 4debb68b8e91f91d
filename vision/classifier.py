"""Read the faces of cards with the classifier model.

Owns the way from quads in a picture to probabilities of faces. Which faces a game has, and that a face exists
once, others know.

The model: input ``crops`` float32 (n, 3, height, width), RGB in 0..1, straightened cards; outputs ``logits``
float32 (n, 93) and ``features`` float32 (n, d).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from rules.cards import FRENCH_CODES, ITALIAN_CODES
from vision.corners import CornerFinder
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
SMALL_SIZE = (64, 40)
"""Height and width of the small picture of a card that is kept with its reading, in pixels."""
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
        turned: (n,) bool, whether the first edge of the quad that was asked for is a long side of the card after
            all.
        quads: (n, 4, 2) float32, the corners at which each card was read best; None if they were not looked
            for. They follow the card's own corners and begin at its short side.
        pictures: (n, 64, 40, 3) uint8 BGR, each card small, the way up that its quad says, for comparing it with
            pictures of known cards; None if they were not kept.
    """

    log_probs: npt.NDArray[np.float32]
    features: npt.NDArray[np.float32]
    upside_down: npt.NDArray[np.bool_]
    turned: npt.NDArray[np.bool_]
    quads: npt.NDArray[np.float32] | None = None
    pictures: npt.NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        return len(self.log_probs)

    def pick(self, which: npt.ArrayLike) -> Readings:
        """Return the readings chosen by a boolean mask or by indices, in that order."""
        at = np.asarray(which)
        return Readings(
            self.log_probs[at],
            self.features[at],
            self.upside_down[at],
            self.turned[at],
            None if self.quads is None else self.quads[at],
            None if self.pictures is None else self.pictures[at],
        )

    @property
    def says_nothing(self) -> npt.NDArray[np.bool_]:
        """Tell which cards nothing is said of, (n,) bool; see `doubting`."""
        return np.asarray(np.ptp(self.log_probs, axis=1) == 0)

    def doubting(self, which: npt.NDArray[np.bool_]) -> Readings:
        """Return readings that say nothing of the chosen cards (n,): each of their faces is as likely as any other."""
        even = np.float32(-np.log(self.log_probs.shape[1]))
        return replace(self, log_probs=np.where(which[:, None], even, self.log_probs))


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
        self.corners = CornerFinder(models)
        self._session = models.session("classifier")
        names = [output.name for output in self._session.get_outputs()]
        if "logits" not in names or "features" not in names:
            raise ModelError(
                f"{entry.path} is not a classifier: it gives {', '.join(names)}, not logits and features"
            )
        self._input_name = self._session.get_inputs()[0].name
        self.model_id = entry.sha256
        self.details = entry.details
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

    def read(
        self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.floating], *, corners: bool = True
    ) -> Readings:
        """Read the cards at some places of a picture, both ways up.

        Args:
            image: (height, width, 3) uint8, BGR, in full resolution.
            quads: (n, 4, 2) corners in pixels, in the order of `Detections`.
            corners: look for the cards' own corners near the quads first, and read between them.

        Returns:
            Readings of the n cards.
        """
        quads = np.array(quads, np.float32).reshape(-1, 4, 2)
        if corners:
            quads = self.corners.fit(image, quads)
        read = self._both_ways(image, quads)
        square = np.flatnonzero(aspects(read.quads) < SQUARE_ASPECT)
        turned = np.zeros(len(quads), bool)
        if len(square):
            lying = self._both_ways(image, np.roll(read.quads[square], 1, axis=1))
            turned[square] = read.take(square, lying)
        return Readings(read.log_probs, read.features, read.upside_down, turned, read.quads, read.pictures)

    def read_straightened(self, pictures: npt.NDArray[np.uint8]) -> Readings:
        """Read cards that have been straightened already, both ways up.

        Args:
            pictures: (n, height, width, 3) uint8, BGR, cut as `straighten` cuts them, of any size.
        """
        sized = [cv2.resize(picture, self.size[::-1], interpolation=cv2.INTER_AREA) for picture in pictures]
        upright = np.stack(sized) if sized else np.zeros((0, *self.size, 3), np.uint8)
        read = self._read_crops(upright, np.zeros((len(upright), 4, 2), np.float32))
        flags = np.zeros(len(upright), bool)
        return Readings(read.log_probs, read.features, read.upside_down, flags, None, read.pictures)

    def _both_ways(self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.float32]) -> _Read:
        return self._read_crops(straighten(image, quads, self.size), quads.copy())

    def _read_crops(self, upright: npt.NDArray[np.uint8], quads: npt.NDArray[np.float32]) -> _Read:
        count = len(upright)
        logits, features = self.run(np.concatenate([upright, upright[:, ::-1, ::-1]]))
        single = log_softmax(logits / self.temperature)
        log_probs = log_softmax((single[:count] + single[count:]) / 2)
        face = log_probs[:, :NONE].argmax(axis=1)
        rows = np.arange(count)
        mean = features[:count] + features[count:]
        length = np.linalg.norm(mean, axis=1, keepdims=True)
        return _Read(
            log_probs,
            mean / np.maximum(length, 1e-12),
            single[count + rows, face] > single[rows, face],
            quads,
            small_pictures(upright),
        )


@dataclass(eq=False)
class _Read:
    """Readings in the making: arrays of n cards, and the quads that they were read at."""

    log_probs: npt.NDArray[np.float32]
    features: npt.NDArray[np.float32]
    upside_down: npt.NDArray[np.bool_]
    quads: npt.NDArray[np.float32]
    pictures: npt.NDArray[np.uint8]

    def take(self, where: npt.NDArray[np.int64], other: _Read) -> npt.NDArray[np.bool_]:
        """Take over those of the other readings of the cards `where` that see a face more surely; tell which."""
        own = self.log_probs[where, :NONE].max(axis=1)
        better = other.log_probs[:, :NONE].max(axis=1) > own
        at = where[better]
        self.log_probs[at] = other.log_probs[better]
        self.features[at] = other.features[better]
        self.upside_down[at] = other.upside_down[better]
        self.quads[at] = other.quads[better]
        self.pictures[at] = other.pictures[better]
        return better


def small_pictures(cards: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return straightened cards (n, height, width, 3) of any size as `Readings.pictures`, (n, 64, 40, 3)."""
    small = np.empty((len(cards), *SMALL_SIZE, 3), np.uint8)
    for picture, card in zip(small, cards, strict=True):
        picture[:] = cv2.resize(card, SMALL_SIZE[::-1], interpolation=cv2.INTER_AREA)
    return small


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
