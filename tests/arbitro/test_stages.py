from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from arbitro.__main__ import main
from arbitro.stages import CARDS, drawn_table
from tests.vision.builders import tiny_models
from vision.models import FOLDER_VARIABLE


def test_the_drawn_table_shows_twelve_cards_where_it_says() -> None:
    picture, quads = drawn_table()
    assert picture.shape == (1080, 1920, 3)
    assert quads.shape == (len(CARDS), 4, 2) == (12, 4, 2)
    assert len(set(CARDS)) == 12
    across = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    down = np.linalg.norm(quads[:, 2] - quads[:, 1], axis=1)
    assert (across < down).all(), "the first edge is the short one at the top"
    assert (quads[:, :2, 1].mean(axis=1) < quads[:, 2:, 1].mean(axis=1)).all(), "and it lies above the other"
    for quad in quads:
        # Just inside the corners there is paper, just outside cloth.
        centre = quad.mean(axis=0)
        inside = picture[tuple((centre + (quad - centre) * 0.9).round().astype(int).T[::-1])]
        outside = picture[tuple((centre + (quad - centre) * 1.1).round().astype(int).T[::-1])]
        assert inside.mean() > outside.mean() + 60


def test_every_stage_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tiny_models(tmp_path / "models")))
    monkeypatch.setattr("sys.argv", ["arbitro", "bench", "--seconds", "0.1", "--json"])
    assert main() == 0
    document = json.loads(capsys.readouterr().out)
    stages = {stage["stage"]: stage for stage in document["stages"]}
    assert {"detector, 1080p", "12 new cards, 1080p", "a look with nothing new, 1080p"} <= set(stages)
    assert all(stage["median_ms"] > 0 and stage["runs"] > 0 and stage["per"] for stage in stages.values())
