"""The one-stage network of the comparison, run by ultralytics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("ultralytics", reason="needs the extra `train`")

from benchmarks.pictures import Picture
from benchmarks.usual_ways import UNTRAINED
from benchmarks.ways import OneStage
from rules.cards import FRENCH_CODES, ITALIAN_CODES

# torch and ultralytics warn of their own old parts.
pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]

GREY = Picture(np.full((120, 160, 3), 90, np.uint8), (), frozenset(), True, False)


def saved(folder: Path, names: list[str]) -> Path:
    """An untrained network with these classes, as ultralytics saves trained ones."""
    from ultralytics import YOLO
    from ultralytics.nn.tasks import OBBModel

    model = YOLO(UNTRAINED)
    model.model = OBBModel(UNTRAINED, nc=len(names), verbose=False)
    model.model.names = dict(enumerate(names))
    model.save(folder / "one.pt")
    return folder / "one.pt"


def test_an_untrained_network_can_be_timed_but_says_nothing() -> None:
    way = OneStage(UNTRAINED, 1)
    assert not way.reads
    way.learn({})
    way.read(GREY)


def test_a_trained_network_is_taken_by_its_class_names(tmp_path: Path) -> None:
    way = OneStage(str(saved(tmp_path, [*ITALIAN_CODES, *FRENCH_CODES])), 1)
    assert way.reads
    assert set(way.read(GREY)) <= {*ITALIAN_CODES, *FRENCH_CODES}


def test_classes_that_are_no_cards_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no cards: joker"):
        OneStage(str(saved(tmp_path, ["7d", "joker"])), 1)


def test_a_file_that_is_no_network_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.pt").write_bytes(b"no network at all")
    with pytest.raises(ValueError, match="not a network that ultralytics can load"):
        OneStage(str(tmp_path / "one.pt"), 1)


def test_a_missing_file_is_refused_and_not_looked_for_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no file"):
        OneStage(str(tmp_path / "yolo26n.pt"), 1)
