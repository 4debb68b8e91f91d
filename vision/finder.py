"""Find the cards of a picture between their own corners: detector and corner finder together.

Of a card that lies half under others the detector's best box is often one that is off, and a good one has a low score.
So all its boxes are moved to corners first; then the corner finder, which knows how sure it is of them, says which to
keep.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.boxes import first_of_each, is_card, overlaps, without_doubles
from vision.corners import CornerFinder
from vision.detections import HAND, Detections
from vision.detector import Detector

WEAK_SCORE = 0.4
"""Share of the detector's own score down to which boxes are moved to corners."""
CLEAR_BELOW = 0.05
"""Expected error of corners, in shares of the card's sides, below which what lies between them can be read."""
SAME_BOX = 0.85
"""IoU from which two boxes would be moved to the same corners."""
SAME_CARD = 0.7
"""IoU from which two cards are one. Of a row of cards each of which shows a quarter, neighbours have 0.6."""
PART_OF = 0.95
"""Share of the smaller in the larger from which two cards are one."""
BESIDE = 0.7
"""Share of the smaller in the larger from which corners that are not clear are those of a card that is found."""


@dataclass(frozen=True, eq=False)
class Found:
    """Hold what was found in one picture.

    Attributes:
        detections: cards and hands, best score first; quads of cards are between their own corners.
        clear: (n,) bool, whether corners are found surely enough to read between them; False of hands.
    """

    detections: Detections
    clear: npt.NDArray[np.bool_]

    def cards(self) -> Found:
        """Return the cards without the hands."""
        return self._pick(is_card(self.detections.class_ids))

    def scoring(self, least: float) -> Found:
        """Return what scores so much; a weak box is a card only if a face can be read in it."""
        return self._pick(self.detections.scores >= least)

    def _pick(self, which: npt.NDArray[np.bool_]) -> Found:
        return Found(self.detections.pick(which), self.clear[which])


class CardFinder:
    """Find cards and hands.

    Args:
        detector: gives boxes.
        corners: moves them to the cards' corners.
    """

    def __init__(self, detector: Detector, corners: CornerFinder) -> None:
        self.detector, self.corners = detector, corners

    def find(self, image: npt.NDArray[np.uint8], *, photo: bool = False) -> Found:
        """Find what lies in a picture.

        Args:
            image: (height, width, 3) uint8, BGR.
            photo: take the time that one photo deserves, see `Detector.detect`.
        """
        boxes = self.detector.candidates(image, photo=photo, score=self.detector.score * WEAK_SCORE)
        hands = without_doubles(boxes.of(HAND))
        hands = hands.pick(hands.scores >= self.detector.score)
        cards = _without_repeats(boxes.pick(is_card(boxes.class_ids)))
        quads, errors = self.corners.locate(image, cards.quads)
        cards, clear = self._chosen(Detections(quads, cards.scores, cards.class_ids), errors)
        found = Detections.joined([cards, hands])
        order = np.argsort(-found.scores, kind="stable")
        return Found(found.pick(order), np.concatenate([clear, np.zeros(len(hands), bool)])[order])

    def _chosen(
        self, cards: Detections, errors: npt.NDArray[np.float32]
    ) -> tuple[Detections, npt.NDArray[np.bool_]]:
        """Keep one of the boxes of each card, with the best score that any of them has; tell which are clear."""
        if not len(cards):
            return cards, np.zeros(0, bool)
        clear = errors < CLEAR_BELOW
        iou, cover = overlaps(cards.quads)
        sureness = np.log(np.maximum(cards.scores, 1e-6)) - np.log(np.maximum(errors, 1e-6))
        scores, class_ids = cards.scores.copy(), cards.class_ids.copy()
        kept: list[int] = []
        for i in np.lexsort((-sureness, ~clear)).tolist():
            same = [k for k in kept if iou[i, k] >= SAME_CARD]
            for k in same:
                if scores[k] < cards.scores[i]:
                    scores[k], class_ids[k] = cards.scores[i], cards.class_ids[i]
            if same or (cover[i, kept] >= PART_OF).any():
                continue
            if clear[i] or (cards.scores[i] >= self.detector.score and not (cover[i, kept] >= BESIDE).any()):
                kept.append(i)
        return Detections(cards.quads[kept], scores[kept], class_ids[kept]), clear[kept]


def _without_repeats(cards: Detections) -> Detections:
    """Keep the best of boxes that are so alike that they would be moved to the same corners."""
    cards = cards.pick(np.argsort(-cards.scores, kind="stable"))
    if len(cards) < 2:
        return cards
    iou, _ = overlaps(cards.quads)
    return cards.pick(first_of_each(iou >= SAME_BOX))
