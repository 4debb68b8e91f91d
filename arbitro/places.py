"""Where the program keeps what it writes by itself: journals, logs and decks, each system's own place for them."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path

HOME_VARIABLE = "ARBITRO_HOME"
"""Environment variable that names another folder for journals, logs and decks."""


def home() -> Path:
    """Return the folder for journals, logs and decks; it need not exist yet."""
    chosen = os.environ.get(HOME_VARIABLE)
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "Arbitro"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Arbitro"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "arbitro"


def new_journal() -> Path:
    """Return a path for the journal of a session that begins now."""
    return home() / "journals" / f"{datetime.now():%Y-%m-%d_%H-%M-%S}_{os.getpid()}.sqlite"


def log_file() -> Path:
    """Return the path of the log that unexpected errors are written to."""
    return home() / "arbitro.log"
