"""Running the command line in this process, its output and exit status kept apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arbitro.__main__ import main


@dataclass(frozen=True)
class Ran:
    """What a command left: exit status, standard output and standard error."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document that was printed; fails if there is anything else."""
        return json.loads(self.out)

    @property
    def complaint(self) -> str:
        """The one line that a refused command prints; fails if there is more or less."""
        assert self.status == 2, self
        assert self.out == ""
        (line,) = self.err.splitlines()
        assert line.startswith("arbitro: ")
        assert "Traceback" not in line
        return line


@pytest.fixture
def arbitro(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Ran]:
    """Run `arbitro` with some arguments, its own files in a folder of the test's."""
    monkeypatch.setenv("ARBITRO_HOME", str(tmp_path / "home"))

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return run
