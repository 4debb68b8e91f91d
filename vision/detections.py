"""What the detector sees in one picture: oriented boxes of cards and hands, as checked arrays.

Owns the one currency in which boxes travel between the rooms. It knows neither the model that found them nor
the faces that the cards show.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FACE = 0
"""Class id of a card that shows its face."""
BACK = 1
"""Class id of a card that lies face down."""
HAND = 2
"""Class id of a hand."""
CLASS_NAMES: tuple[str, ...] = ("face", "back", "hand")
"""Names of the classes, by class id."""


class DetectionsError(ValueError):
    """Raised when arrays that should be detections have the wrong shape or hold impossible values."""


@dataclass(frozen=True, eq=False)
class Detections:
    """Hold the oriented boxes found in one picture.

    Attributes:
        quads: (n, 4, 2) float32, corners in pixels of the picture: top-left, top-right, bottom-right and
            bottom-left of the card standing upright in portrait, so clockwise in the picture, the first edge
            a short side. Which of the two short sides is the true top is not known here. A quad covers the
            whole card, with what another card covers and what lies outside the picture.
        scores: (n,) float32 in 0..1.
        class_ids: (n,) int64, ``FACE``, ``BACK`` or ``HAND``.

    Raises:
        DetectionsError: if shapes do not fit together, a number is not finite, or a score or class is out of
        range.
    """

    quads: npt.NDArray[np.float32]
    scores: npt.NDArray[np.float32]
    class_ids: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        quads = np.array(self.quads, dtype=np.float32)
        scores = np.array(self.scores, dtype=np.float32)
        class_ids = np.array(self.class_ids)
        if quads.ndim != 3 or quads.shape[1:] != (4, 2):
            raise DetectionsError(f"quads must have shape (n, 4, 2), not {quads.shape}")
        if scores.shape != (len(quads),) or class_ids.shape != (len(quads),):
            raise DetectionsError(
                f"{len(quads)} quads need as many scores and class ids, "
                f"not {scores.shape} and {class_ids.shape}"
            )
        if len(quads) == 0:
            class_ids = class_ids.astype(np.int64)
        if not np.issubdtype(class_ids.dtype, np.integer):
            raise DetectionsError(f"class ids must be whole numbers, not {class_ids.dtype}")
        if not np.isfinite(quads).all():
            raise DetectionsError("quads hold a number that is not finite")
        if not ((scores >= 0) & (scores <= 1)).all():
            raise DetectionsError("scores must lie between 0 and 1")
        if not ((class_ids >= 0) & (class_ids < len(CLASS_NAMES))).all():
            raise DetectionsError(f"class ids must lie between 0 and {len(CLASS_NAMES) - 1}")
        class_ids = class_ids.astype(np.int64)
        for name, value in (("quads", quads), ("scores", scores), ("class_ids", class_ids)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @classmethod
    def empty(cls) -> Detections:
        """Return detections of nothing."""
        return cls(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32), np.zeros(0, np.int64))

    @classmethod
    def joined(cls, parts: Iterable[Detections]) -> Detections:
        """Return the detections of all parts one after the other."""
        listed = list(parts)
        if not listed:
            return cls.empty()
        return cls(
            np.concatenate([part.quads for part in listed]),
            np.concatenate([part.scores for part in listed]),
            np.concatenate([part.class_ids for part in listed]),
        )

    def __len__(self) -> int:
        return len(self.scores)

    def pick(self, which: npt.ArrayLike) -> Detections:
        """Return the detections chosen by a boolean mask or by indices, in that order."""
        index = np.asarray(which)
        if index.size == 0:
            return Detections.empty()
        return Detections(self.quads[index], self.scores[index], self.class_ids[index])

    def of(self, class_id: int) -> Detections:
        """Return the detections of one class."""
        return self.pick(self.class_ids == class_id)

    @property
    def centres(self) -> npt.NDArray[np.float32]:
        """Centres of the boxes, (n, 2) float32 in pixels."""
        return np.asarray(self.quads.mean(axis=1), dtype=np.float32)

    @property
    def sizes(self) -> npt.NDArray[np.float32]:
        """Mean width (along the first edge) and height of each box, (n, 2) float32 in pixels."""
        edges = np.linalg.norm(np.roll(self.quads, -1, axis=1) - self.quads, axis=2)
        both = np.stack([edges[:, 0] + edges[:, 2], edges[:, 1] + edges[:, 3]], axis=1) / 2
        return np.asarray(both, np.float32)
