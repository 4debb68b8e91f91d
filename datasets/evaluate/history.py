"""The log of every set of models that was measured, so that a worse one is never shipped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vision.models import MODEL_NAMES

TERMS = 3
"""Number of the way of measuring; figures are compared only with those taken in the same way. Raise it whenever the
renderer, the photographs or what counts as right changes."""
HEADLINE = (
    ("printings never seen", "mostly visible: found and read right"),
    ("the project's own decks", "mostly visible: found and read right"),
    ("photographs", "found and read right"),
    ("photographs", "of what is read, right"),
)
"""What a set of models is judged by: their mean. Seen printings are left out: learning by heart is no merit."""
TIE = 0.01
"""Means that differ by less are ties: the sets are not larger."""


class HistoryError(ValueError):
    """Raised when the manifest or the log lacks what a shipped model must have; one line for people."""


def headline(figures: Mapping[str, Mapping[str, Any]]) -> float | None:
    """The mean that a set of models is judged by, or None if a part of it was not measured."""
    values = [figures.get(name, {}).get(figure) for name, figure in HEADLINE]
    if any(value is None for value in values):
        return None
    return float(sum(float(value) for value in values if value is not None) / len(values))


def row_of(manifest: Mapping[str, Any], figures: Mapping[str, Any], pictures: int) -> dict[str, Any]:
    """A line of the log: which files were measured, how, and what came out."""
    models = manifest["models"]
    return {
        "terms": TERMS,
        "pictures": pictures,
        **{role: models[role]["sha256"] for role in MODEL_NAMES},
        "score": models["detector"].get("score"),
        "temperature": models["classifier"].get("temperature"),
        "training": {role: models[role].get("training", "") for role in MODEL_NAMES},
        "headline": headline(figures),
        "figures": figures,
    }


def append(path: Path, row: Mapping[str, Any]) -> None:
    """Add a line to the log; the same models measured again in the same way replace their line."""
    same = ("terms", "pictures", *MODEL_NAMES, "score", "temperature")
    kept = [old for old in read(path) if any(old.get(key) != row[key] for key in same)]
    lines = [json.dumps(line, ensure_ascii=False) for line in (*kept, row)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path: Path) -> list[dict[str, Any]]:
    """All lines of the log, the oldest first; none if there is no log."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def check_shipped(manifest: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> None:
    """Make sure that the manifest's models were measured, and that none measured in the same way was better.

    Raises:
        HistoryError: they were not, or one was.
    """
    for role in MODEL_NAMES:
        if not manifest["models"][role].get("figures"):
            raise HistoryError(f"the model '{role}' has no figures: run python -m datasets.evaluate")
    shipped = {role: manifest["models"][role]["sha256"] for role in MODEL_NAMES}
    rows = [row for row in history if all(row.get(role) == digest for role, digest in shipped.items())]
    if not rows:
        raise HistoryError("the models of the manifest are not in the log: run python -m datasets.evaluate")
    row = rows[-1]
    for older in history:
        comparable = older["terms"] == row["terms"] and older["pictures"] == row["pictures"]
        if not comparable or older["headline"] is None or row["headline"] is None:
            continue
        if older["headline"] > row["headline"] + TIE:
            raise HistoryError(
                f"better models were measured before: {older['headline']:.3f} with detector "
                f"{older['detector'][:12]}, against {row['headline']:.3f} now"
            )
