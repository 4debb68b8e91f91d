"""When frames are taken, and which of them get lost or show an older picture."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from datasets.slaps.room import Shutter


@dataclass(frozen=True, slots=True)
class Slot:
    """A frame that the camera owes.

    Attributes:
        t_ms: its time: when the middle row of its picture is half exposed, or would be.
        dropped: whether it got lost and is not in the film.
        duplicate: whether it shows the picture of the frame before it once more.
    """

    t_ms: float
    dropped: bool = False
    duplicate: bool = False

    def as_json(self, exposure_ms: float) -> dict[str, Any]:
        """Return the slot as plain values."""
        return {"t_ms": round(self.t_ms, 3), "exposure_ms": round(exposure_ms, 3), "dropped": self.dropped,
                "duplicate": self.duplicate}


def frame_slots(seed: int, shutter: Shutter, duration_ms: float, missing: float = 0.0, repeated: float = 0.0
                ) -> list[Slot]:
    """Return the frames of a film, the first at 0 ms.

    Args:
        seed: the same seed gives the same frames.
        shutter: how often the camera takes a picture.
        duration_ms: length of the film.
        missing: share of frames that get lost; repeated: share that shows the picture before it.
    """
    rng = random.Random(f"slots {seed}")
    slots: list[Slot] = []
    while (t_ms := len(slots) * shutter.interval_ms) <= duration_ms or len(slots) < 3:
        chance = rng.random()
        first = not slots
        slots.append(Slot(t_ms, chance < missing and not first, missing <= chance < missing + repeated and not first))
    return slots
