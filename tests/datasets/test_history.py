"""The log of measured models: what it keeps, and what it refuses to ship."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from datasets.evaluate import history
from vision.models import MODEL_NAMES

ROOT = Path(__file__).resolve().parents[2]


def _manifest(name: str, figures: dict[str, Any] | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"sha256": name, "training": "some"}
    if figures is not None:
        entry["figures"] = figures
    return {"models": {role: dict(entry) for role in MODEL_NAMES}}


def _figures(share: float) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, figure in history.HEADLINE:
        figures.setdefault(name, {})[figure] = share
    return figures


def _row(name: str, share: float, pictures: int = 300) -> dict[str, Any]:
    return history.row_of(_manifest(name, None), _figures(share), pictures)


def test_the_shipped_models_were_measured_and_none_was_better() -> None:
    manifest = json.loads((ROOT / "models" / "manifest.json").read_text(encoding="utf-8"))
    history.check_shipped(manifest, history.read(ROOT / "models" / "history.jsonl"))


def test_a_model_without_figures_is_refused() -> None:
    with pytest.raises(history.HistoryError, match="no figures"):
        history.check_shipped(_manifest("new", None), [_row("new", 0.9)])


def test_a_model_that_is_not_in_the_log_is_refused() -> None:
    with pytest.raises(history.HistoryError, match="not in the log"):
        history.check_shipped(_manifest("new", _figures(0.9)), [_row("old", 0.5)])


@pytest.mark.parametrize(
    ("older", "pictures", "refused"),
    [(0.92, 300, True), (0.905, 300, False), (0.8, 300, False), (0.99, 60, False)],
    ids=["better", "tie", "worse", "measured otherwise"],
)
def test_a_worse_model_is_refused(older: float, pictures: int, refused: bool) -> None:
    rows = [_row("old", older, pictures), _row("new", 0.9)]
    manifest = _manifest("new", _figures(0.9))
    if refused:
        with pytest.raises(history.HistoryError, match="better models were measured before"):
            history.check_shipped(manifest, rows)
    else:
        history.check_shipped(manifest, rows)


def test_measuring_the_same_models_again_replaces_their_line(tmp_path: Path) -> None:
    log = tmp_path / "history.jsonl"
    for row in (_row("a", 0.5), _row("b", 0.6), _row("a", 0.7), _row("a", 0.1, pictures=60)):
        history.append(log, row)
    kept = [(row["detector"], row["headline"]) for row in history.read(log)]
    assert kept == [("b", pytest.approx(0.6)), ("a", pytest.approx(0.7)), ("a", pytest.approx(0.1))]


def test_figures_that_lack_a_part_have_no_headline() -> None:
    figures = _figures(0.5)
    del figures["photographs"]
    assert history.headline(figures) is None
