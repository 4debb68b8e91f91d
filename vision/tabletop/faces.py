"""What the evidence of cards means within one deck. Owns the deck's codes and their columns in the readings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vision.association import joint_probabilities
from vision.classifier import CLASSES, NONE
from vision.tabletop.evidence import FaceEvidence

_LEAST_PROBABILITY = 1e-4


class DeckFaces:
    """Turn evidence over all classes into probabilities of the faces of the deck in play."""

    def __init__(self, faces: Sequence[str] | None) -> None:
        """Take the codes of the deck, or None if any of the 92 may lie there.

        Raises:
            ValueError: If `faces` names a code that the classifier does not know.
        """
        known = {code: i for i, code in enumerate(CLASSES[:NONE])}
        if faces is not None and (unknown := [code for code in faces if code not in known]):
            raise ValueError(f"no card has the code {unknown[0]!r}")
        self.codes = tuple(faces) if faces is not None else CLASSES[:NONE]
        self._columns = np.array([known[code] for code in self.codes], np.int64)

    def shares(self, evidence: FaceEvidence) -> npt.NDArray[np.float64]:
        """Return (faces + 1,) probabilities of the deck's faces and, last, of none of them; they sum to 1."""
        probs = np.exp(evidence.log_probs())
        possible = probs[self._columns]
        # Half of what goes to faces that the deck does not have speaks against the reading.
        elsewhere = max(0.0, 1.0 - float(possible.sum()) - float(probs[NONE]))
        both = np.append(possible, probs[NONE] + elsewhere / 2)
        return np.asarray(both / max(float(both.sum()), 1e-12))

    def probabilities(self, evidence: FaceEvidence) -> dict[str, float]:
        """Return the probabilities by code, the smallest left out; they sum to at most 1."""
        shares = self.shares(evidence)[:-1]
        return {
            self.codes[i]: min(1.0, float(shares[i])) for i in np.flatnonzero(shares >= _LEAST_PROBABILITY)
        }

    def joint(self, evidence: Sequence[FaceEvidence]) -> npt.NDArray[np.float64]:
        """Return (n, faces) probabilities of n cards when every face exists once."""
        if not evidence:
            return np.zeros((0, len(self.codes)))
        shares = np.stack([self.shares(each) for each in evidence])
        unread = np.maximum(shares[:, -1], 0.002)
        return joint_probabilities(np.log(np.maximum(shares[:, :-1], 1e-12)), unread)[:, :-1]


def best_of(probabilities: dict[str, float]) -> str | None:
    """Return the likeliest code, None if there is none."""
    return max(probabilities, key=probabilities.__getitem__, default=None)


def differs(now: dict[str, float], before: dict[str, float], by: float) -> bool:
    """Tell whether the probability of some code changed by so much."""
    return any(abs(now.get(code, 0.0) - before.get(code, 0.0)) >= by for code in now.keys() | before.keys())
