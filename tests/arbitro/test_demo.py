"""The demo, from the film's pixels to the points."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from datasets.film import demo_record_path
from datasets.score_film import read_truth, score_film

ROOT = Path(__file__).resolve().parents[2]


def test_the_demo_ends_with_the_right_points_and_no_false_flag() -> None:
    """The film is read with the shipped models; a single card read wrongly would change piles and points."""
    ran = subprocess.run(
        [sys.executable, "-m", "arbitro", "demo", "--no-dashboard", "--json"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    score = score_film(json.loads(ran.stdout), read_truth(demo_record_path()))
    assert score.points_right == 1, score.mistakes
    assert score.plays_right >= 34, score.mistakes
    assert score.false_flags == 0
