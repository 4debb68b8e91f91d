"""What the dashboard needs of a live table, as types; `arbitro.table.LiveTable` is the real one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Journal(Protocol):
    """The part of the journal that live updates wait on."""

    @property
    def last_id(self) -> int:
        """The number of the newest event, which is also the newest state's revision."""
        ...

    def wait(self, after: int, timeout_s: float) -> bool:
        """Wait until an event with an id above `after` exists; False when `timeout_s` passed without one."""
        ...


class LiveTable(Protocol):
    """A table being watched: its state, its newest picture, and its ear for commands."""

    @property
    def journal(self) -> Journal:
        """The journal that every state is a fold over."""
        ...

    def state(self, language: str) -> dict[str, Any]:
        """Return the whole state for display, its texts in `language` ("en" or "it")."""
        ...

    def latest_picture(self) -> tuple[int, bytes] | None:
        """Return the newest picture as (frame index, JPEG), or None before the first one."""
        ...

    def record(self) -> str:
        """Return the hand record so far as JSON Lines."""
        ...

    def command(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a person's command and recompute everything; raises `arbitro.table.CommandError`."""
        ...
