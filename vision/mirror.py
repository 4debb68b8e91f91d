"""Notice that a picture is mirrored, as selfie cameras mirror it: its cards read better in a mirror.

One card says little, since many faces look much the same both ways; several together tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from vision.classifier import NONE, Classifier, Readings
from vision.crops import straighten
from vision.detections import FACE, Detections

if TYPE_CHECKING:
    from vision.likeness import KnownDeck

CARDS = 8
"""Cards that are read in the mirror, the surest boxes first."""
FEWEST_CARDS = 4
"""Cards below which nothing is said."""
MIRRORED_FROM = 0.7
"""How much likelier all of them together must be in the mirror, as a natural logarithm."""
_LEAST_LOG_PROB = -4.0
"""One card speaks at most so strongly: it may be covered, or no card."""


def looks_mirrored(
    image: npt.NDArray[np.uint8],
    cards: Detections,
    readings: Readings,
    classifier: Classifier,
    known: KnownDeck | None = None,
) -> bool:
    """Tell whether a picture is mirrored.

    Args:
        image: (height, width, 3) uint8, BGR.
        cards: boxes of cards in it.
        readings: readings of them in the picture as it is.
        classifier: reads them in the mirror.
        known: the deck, if it is known which.
    """
    quads = cards.quads if readings.quads is None else readings.quads
    faces = np.flatnonzero(cards.class_ids == FACE)
    faces = faces[np.argsort(-cards.scores[faces], kind="stable")][:CARDS]
    if len(faces) < FEWEST_CARDS:
        return False
    pictures = straighten(image, quads[faces], classifier.size)
    # Both readings are of the same crops, so that nothing but the mirror makes the difference.
    plain = classifier.read_straightened(pictures)
    mirrored = classifier.read_straightened(pictures[:, :, ::-1])
    if known is not None:
        plain, mirrored = known.read(plain), known.read(mirrored)
    return float((_sureness(mirrored) - _sureness(plain)).sum()) >= MIRRORED_FROM


def _sureness(readings: Readings) -> npt.NDArray[np.float64]:
    best = readings.log_probs[:, :NONE].max(axis=1)
    return np.clip(np.asarray(best, np.float64), _LEAST_LOG_PROB, 0)


def mirrored_quads(quads: npt.NDArray[np.floating], width: int) -> npt.NDArray[np.float32]:
    """Return quads (n, 4, 2) as they lie in the mirrored picture, in the order of `Detections`.

    Args:
        quads: corners in pixels.
        width: the picture's width in pixels.
    """
    flipped = np.asarray(quads, np.float32).copy()
    flipped[..., 0] = width - flipped[..., 0]
    return flipped[:, [1, 0, 3, 2]]
