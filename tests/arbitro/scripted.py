"""A watch without models: pictures in a folder, and eyes that see a hand of Scopa whatever the pictures show.

Run as a program it watches like `arbitro watch` would: python -m tests.arbitro.scripted FOLDER JOURNAL SECONDS_A_LOOK.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from arbitro.match import Match
from arbitro.pipeline import Sight
from arbitro.settings import Settings
from arbitro.watching import Outcome, Watch, run_watch
from rules.tracker import TableLook
from tests.arbitro.hands import ANNA_AND_BRUNO, looks_of_a_hand
from vision.camera import FOLDER_INTERVAL_MS, Frame

SCOPA = Match("scopa", ANNA_AND_BRUNO)
LOOKS = looks_of_a_hand(seed=3, plays=5)
PICTURES = int(LOOKS[-1].t_ms // FOLDER_INTERVAL_MS) + 3


def draw_pictures(folder: Path) -> Path:
    """Write pictures that differ from one another, one for each second of the hand."""
    folder.mkdir()
    for number in range(PICTURES):
        image = np.full((48, 64, 3), 40 + 160 * (number % 2), np.uint8)
        cv2.imwrite(str(folder / f"{number}.png"), image)
    return folder


class HandSeer:
    """See the looks of the hand when their time has come; take some time over each frame."""

    is_restless = True

    def __init__(self, looks: Sequence[TableLook] = LOOKS, seconds_a_look: float = 0.0) -> None:
        self._looks = list(looks)
        self._seconds = seconds_a_look
        self.frames = 0

    def look(self, frame: Frame) -> Sight:
        """See what is due."""
        self.frames += 1
        time.sleep(self._seconds)
        since_ms = frame.t_ms - FOLDER_INTERVAL_MS
        return Sight(
            [], tuple(look for look in self._looks if since_ms < look.t_ms <= frame.t_ms), deck="italian"
        )

    def close_look(self, t_ms: int) -> tuple[TableLook, ...]:
        """See nothing more."""
        return ()


def watch_pictures(folder: Path, journal: Path, seer: HandSeer) -> tuple[Outcome, list[str]]:
    """Watch the pictures without a dashboard; returns the outcome and what was told."""
    told: list[str] = []
    watch = Watch(str(folder), SCOPA, "auto", journal)
    return run_watch(watch, Settings(), lambda memory: seer, told.append), told


if __name__ == "__main__":
    outcome, told = watch_pictures(Path(sys.argv[1]), Path(sys.argv[2]), HandSeer(LOOKS, float(sys.argv[3])))
    print("\n".join(told))
    sys.exit(0 if outcome.stopped else 3)
