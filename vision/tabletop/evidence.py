"""What has been read of one card over many frames. Owns how frames add up."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# A single reading speaks at most so strongly against a face: it may be sure and wrong (glare, a finger).
_LEAST_LOG_PROB = -9.0


class FaceEvidence:
    """Add up readings of one card as log-probabilities.

    Frames of a card that lies still are nearly the same picture, so their number proves little: the mean over all
    readings counts for as many readings as there were, but for `cap` at most.
    """

    __slots__ = ("_cap", "_known", "_sum", "_weight", "reads")

    def __init__(self, classes: int, cap: float) -> None:
        """Begin with no reading of `classes` classes."""
        self._sum = np.zeros(classes)
        self._weight = 0.0
        self._cap = cap
        self._known: npt.NDArray[np.float64] | None = None
        self.reads = 0

    def add(self, log_probs: npt.NDArray[np.floating], weight: float = 1.0) -> None:
        """Take a reading.

        Args:
            log_probs: (classes,) natural logarithms.
            weight: How much of a full reading it is worth, above 0 to 1 (a covered card is worth less).
        """
        self._sum += weight * np.maximum(np.asarray(log_probs, np.float64), _LEAST_LOG_PROB)
        self._weight += weight
        self._known = None
        self.reads += 1

    def join(self, other: FaceEvidence) -> None:
        """Take over what was read of the same card elsewhere."""
        self._sum += other._sum
        self._weight += other._weight
        self._known = None
        self.reads += other.reads

    def log_probs(self) -> npt.NDArray[np.float64]:
        """Return (classes,) natural logarithms of the probabilities; even ones if nothing was read."""
        if self._known is None:
            if self._weight <= 0:
                self._known = np.full(len(self._sum), -np.log(len(self._sum)))
            else:
                total = self._sum / self._weight * min(self._weight, self._cap)
                peak = total.max()
                self._known = np.asarray(total - peak - np.log(np.exp(total - peak).sum()))
            self._known.setflags(write=False)
        return self._known
