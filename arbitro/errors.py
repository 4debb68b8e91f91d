"""Errors that end a command with one line for the person who called it."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rules import options

DONE = 0
NO_ANSWER = 1
UNUSABLE = 2

# Where the rooms define what goes wrong because of the input. A room that was not imported cannot have raised.
_INPUT_ERRORS = {
    "arbitro.journal": ("JournalError",),
    "arbitro.settings": ("SettingsError",),
    "arbitro.table": ("SessionMismatchError",),
    "rules.cards": ("CardCodeError",),
    "rules.record": ("RecordError",),
    "rules.options": ("OptionError",),
    "rules.tracker": ("UnknownGameError",),
    "vision.camera": ("CameraError",),
    "vision.gallery": ("GalleryError",),
    "vision.models": ("ModelError",),
    "vision.photo": ("PhotoError",),
}


class UnusableInputError(Exception):
    """What the person gave cannot be used; the message is one line: what is wrong and what to do."""


def is_about_input(error: BaseException) -> bool:
    """Tell whether an error's message is meant for the person who gave the input, rather than for a programmer."""
    if isinstance(error, UnusableInputError):
        return True
    for module, names in _INPUT_ERRORS.items():
        loaded = sys.modules.get(module)
        kinds = tuple(kind for name in names if isinstance(kind := getattr(loaded, name, None), type))
        if isinstance(error, kinds):
            return True
    return False


def nearest(wrong: str, known: Iterable[str]) -> str:
    """Return ": did you mean X?" for the known word that is nearest to a wrong one, or an empty text."""
    near = options.nearest(wrong, known)
    return f": did you mean {near}?" if near else ""
