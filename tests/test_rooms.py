"""Which room may import which, read from the sources.

The flow goes one way: vision sees, rules rule, scorer counts, the program joins them, the dashboard shows.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("arbitro", "benchmarks", "datasets", "rules", "scorer", "vision", "web")

# Room -> what of our own it may import; a dotted name allows that module alone.
ALLOWED = {
    "rules": {"rules"},
    "scorer": {"scorer", "rules"},
    "vision": {"vision", "rules.cards"},
    "datasets": {"datasets", "vision", "rules", "scorer"},
    "web": {"web", "arbitro.table", "arbitro.journal", "rules", "scorer"},
    "arbitro": set(ROOMS) - {"benchmarks"},
    "benchmarks": {"benchmarks", "arbitro.stages", "datasets", "vision", "rules.cards"},
}

# What would bring I/O or a clock into the pure rooms, though it is in the standard library.
IMPURE = {
    "asyncio", "datetime", "glob", "http", "io", "logging", "multiprocessing", "os", "pathlib", "pickle", "random",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib",
}  # fmt: skip

TRAINING_ONLY = {"torch", "torchvision", "ultralytics", "onnxslim", "safetensors"}


def sources(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) of everything that a file imports, wherever in it the import stands."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [base])])
            # `from rules import cards` imports rules.cards; `from rules.cards import Card` imports rules.cards.Card:
            # the longest name is yielded, and its beginnings are allowed or refused with it.
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def is_allowed(name: str, allowed: set[str]) -> bool:
    return any(name == entry or name.startswith(entry + ".") for entry in allowed)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_the_rooms_it_may(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in sources(room)
        for line, name in imported_modules(path)
        if name.split(".")[0] in ROOMS and not is_allowed(name, ALLOWED[room])
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", ["rules", "scorer"])
def test_the_pure_rooms_use_the_standard_library_without_io_or_clock(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in sources(room)
        for line, name in imported_modules(path)
        if name.split(".")[0] not in ROOMS
        and (name.split(".")[0] not in sys.stdlib_module_names or name.split(".")[0] in IMPURE)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", [room for room in ROOMS if room not in ("datasets", "benchmarks")])
def test_nothing_that_runs_needs_what_trains(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in sources(room)
        for line, name in imported_modules(path)
        if name.split(".")[0] in TRAINING_ONLY
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_sources_to_check(room: str) -> None:
    assert sources(room), f"{room}/ holds no Python file: this test would pass by looking at nothing"


def test_relative_imports_are_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    source = tmp_path / "vision" / "deep" / "camera.py"
    source.parent.mkdir(parents=True)
    source.write_text("from ..detector import Detector\nfrom . import lens\nimport web.pages as pages\n")
    assert [name for _, name in imported_modules(source)] == [
        "vision.detector.Detector",
        "vision.deep.lens",
        "web.pages",
    ]
