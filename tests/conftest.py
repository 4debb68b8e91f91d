"""What all tests share: where the pictures kept outside the repository lie, and the skips that tell why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared_root() -> Path | None:
    """Return the folder of shared data: ARBITRO_SHARED, else `shared` beside the repository, else None."""
    named = os.environ.get("ARBITRO_SHARED")
    folder = Path(named) if named else ROOT.parent / "shared"
    return folder if (folder / "art").is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data (art, textures, real photographs); the test is skipped where it is missing."""
    folder = shared_root()
    if folder is None:
        pytest.skip("the shared data is not here: set ARBITRO_SHARED to its folder, or put it at ../shared")
    return folder
