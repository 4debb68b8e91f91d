"""Count what was found and read against the truth: tallies that add up over pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.dataset import upright_box
from datasets.render.scene import Rendering
from vision.detections import BACK, FACE, HAND, Detections
from vision.reading import PictureReading

COUNTED_FROM = 0.25
"""Share of a card that must be seen for it to be demanded."""
MOSTLY_FROM = 0.6
IGNORED_FROM = 0.02
"""Cards seen less than `COUNTED_FROM` are not demanded, and finding them is no fault."""


def overlap(a: NDArray[np.floating], b: NDArray[np.floating]) -> float:
    """Intersection over union of two convex quads (4, 2)."""
    shared, _ = cv2.intersectConvexConvex(np.asarray(a, np.float32), np.asarray(b, np.float32))
    union = abs(cv2.contourArea(np.float32(a))) + abs(cv2.contourArea(np.float32(b))) - shared
    return float(shared / union) if union > 0 else 0.0


def matched(
    truth: Sequence[NDArray[np.floating]],
    found: NDArray[np.floating],
    scores: NDArray[np.floating],
    least: float,
) -> dict[int, int]:
    """Pair found quads, best score first, each with the truth it overlaps most (at least `least`).

    Returns:
        Index of the truth by index of the found quad.
    """
    pairs: dict[int, int] = {}
    free = set(range(len(truth)))
    for i in np.argsort(-np.asarray(scores), kind="stable"):
        best = max(free, key=lambda j: overlap(found[i], truth[j]), default=None)
        if best is not None and overlap(found[i], truth[best]) >= least:
            pairs[int(i)] = best
            free.discard(best)
    return pairs


@dataclass
class Tally:
    """Counts over pictures of one set; `rates` turns them into figures."""

    counts: Counter[str] = field(default_factory=Counter)
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)
    confidences: list[tuple[float, bool]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def add_boxes(self, rendering: Rendering, found: Detections) -> None:
        """Count the detector's boxes of one rendered picture."""
        for class_id, name in ((FACE, "face"), (BACK, "back"), (HAND, "hand")):
            if class_id == HAND:
                truth = [upright_box(hand.outline_px) for hand in rendering.hands]
                demanded = [True] * len(truth)
            else:
                cards = [c for c in rendering.cards if (c.code is not None) == (class_id == FACE)]
                cards = [c for c in cards if c.visible >= IGNORED_FROM]
                truth = [upright_box(c.quad_px) for c in cards]
                demanded = [c.visible >= COUNTED_FROM for c in cards]
            chosen = found.of(class_id)
            for least in (0.5, 0.75):
                pairs = matched(truth, chosen.quads, chosen.scores, least)
                hit = {j for j in pairs.values() if demanded[j]}
                ignored = sum(not demanded[j] for j in pairs.values())
                key = f"{name}@{least}"
                self.counts[f"{key} demanded"] += sum(demanded)
                self.counts[f"{key} hit"] += len(hit)
                self.counts[f"{key} given"] += len(chosen) - ignored

    def add_reading(self, rendering: Rendering, reading: PictureReading) -> None:
        """Count what was read in one rendered picture."""
        cards = [c for c in rendering.cards if c.visible >= IGNORED_FROM]
        truth = [upright_box(c.quad_px) for c in cards]
        given = reading.cards
        quads = np.array([c.quad for c in given], np.float32).reshape(-1, 4, 2)
        # The classifier's own orientation does not matter for where a card lies.
        pairs = matched(truth, quads, np.array([c.score for c in given]), 0.4)
        right_codes = set()
        for i, card in enumerate(given):
            true = cards[pairs[i]] if i in pairs else None
            if card.card is None:
                self.counts["unread"] += true is not None and true.code is not None
                continue
            self.counts["read"] += 1
            if true is None or true.code is None:
                self.counts["false"] += 1
                self.confusions[("nothing" if true is None else "back", card.card)] += 1
                self.confidences.append((card.confidence, False))
                continue
            good = card.card == true.code
            self.confidences.append((card.confidence, good))
            self.counts["read right"] += good
            if good:
                right_codes.add(true.code)
            else:
                self.confusions[(true.code, card.card)] += 1
        wanted = [c for c in cards if c.code is not None and c.visible >= COUNTED_FROM]
        mostly = [c for c in wanted if c.visible >= MOSTLY_FROM]
        self.counts["cards"] += len(wanted)
        self.counts["right"] += sum(c.code in right_codes for c in wanted)
        self.counts["mostly"] += len(mostly)
        self.counts["mostly right"] += sum(c.code in right_codes for c in mostly)
        self.counts["pictures"] += 1
        codes = Counter(reading.codes)
        allowed = {c.code for c in cards if c.code is not None and c.visible < COUNTED_FROM}
        for code in allowed:
            codes.pop(code, None)
        self.counts["pictures right"] += codes == Counter(c.code for c in wanted)

    def add_photograph(
        self, name: str, labelled: Sequence[str], reading: PictureReading, complete: bool
    ) -> None:
        """Count what was read in one photograph, whose cards are labelled without places."""
        truth, read = Counter(labelled), Counter(reading.codes)
        right = sum((truth & read).values())
        self.counts["cards"] += len(labelled)
        self.counts["right"] += right
        self.counts["pictures"] += 1
        self.counts["pictures right"] += truth == read if complete else not truth - read
        if complete:
            self.counts["read"] += len(reading.codes)
            self.counts["read right"] += right
            for card in reading.cards:
                if card.card is not None:
                    self.confidences.append((card.confidence, card.card in truth))
        if truth - read or (complete and read - truth):
            missing, extra = " ".join((truth - read).elements()), " ".join((read - truth).elements())
            self.faults.append(f"{name}: missing {missing or '-'}; extra {extra or '-'}")

    def rates(self) -> dict[str, Any]:
        """The figures of the set: shares from 0 to 1, or None where nothing was to be counted."""
        c = self.counts

        def share(part: str, whole: str) -> float | None:
            return round(c[part] / c[whole], 4) if c[whole] else None

        figures: dict[str, Any] = {
            "pictures": c["pictures"],
            "cards": c["cards"],
            "found and read right": share("right", "cards"),
            "of what is read, right": share("read right", "read"),
            "pictures with every card right": share("pictures right", "pictures"),
        }
        if c["mostly"]:
            figures["mostly visible: found and read right"] = share("mostly right", "mostly")
            figures["false cards per card"] = share("false", "cards")
        for name in ("face", "back", "hand"):
            for least in (0.5, 0.75):
                key = f"{name}@{least}"
                if c[f"{key} demanded"]:
                    figures[f"{key} recall"] = share(f"{key} hit", f"{key} demanded")
                    figures[f"{key} precision"] = share(f"{key} hit", f"{key} given")
        return figures
