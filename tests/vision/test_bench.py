from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.vision.builders import tiny_models
from vision.bench import FRAME_HW, bench, made_up_table, peak_memory_mb, timed
from vision.models import Models


def test_every_stage_is_timed(tmp_path: Path) -> None:
    figures = bench(Models(tiny_models(tmp_path / "models"), threads=1), rounds=1)
    stages = {stage["stage"]: stage for stage in figures["stages"]}
    assert set(stages) == {
        "detector-1080p", "classifier-1", "classifier-2", "classifier-10", "photo-decode-12mp",
        "photo-detector-12mp", "photo-classifier-40", "photo-whole-40",
    }  # fmt: skip
    assert all(0 < stage["median_ms"] <= stage["worst_ms"] for stage in stages.values())
    assert figures["threads"] == 1
    assert figures["detector_input"] == [320, 320]
    json.dumps(figures, allow_nan=False)


def test_the_first_run_is_not_timed() -> None:
    runs: list[int] = []
    result = timed("x", lambda: runs.append(1), 4)
    assert (len(runs), result.rounds) == (5, 4)
    with pytest.raises(ValueError, match="at least one"):
        timed("x", lambda: None, 0)


def test_the_made_up_table_has_its_cards_in_the_picture() -> None:
    image, lying = made_up_table(FRAME_HW, 10)
    assert image.shape == (*FRAME_HW, 3)
    for x, y in lying.centres.round().astype(int):
        assert image[y, x].min() > 200
    assert made_up_table(FRAME_HW, 10)[0].tobytes() == image.tobytes(), "the same table each time"


def test_memory_is_told_in_megabytes() -> None:
    memory = peak_memory_mb()
    assert memory is None or 10 < memory < 100_000
