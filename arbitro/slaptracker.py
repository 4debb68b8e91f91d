"""Which tracker follows a match: the rules tracker, or none where hands and not plays are what is followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.record import CAPTURE_GAMES
from rules.tracker import TableLook, Tracker, TrackerWarning


class SilentTracker:
    """Write nothing: in games of slaps and races events come from the hands that are seen (`arbitro.slaproom`)."""

    @property
    def warnings(self) -> Sequence[TrackerWarning]:
        """Return no warnings."""
        return ()

    def look(self, look: TableLook) -> list[dict[str, Any]]:
        """Take in a look at the table."""
        return []

    def tick(self, t_ms: int) -> list[dict[str, Any]]:
        """Let time pass."""
        return []

    def finish(self, t_ms: int | None = None) -> list[dict[str, Any]]:
        """Take in that nothing more comes."""
        return []

    def command(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Take in what the people said."""
        return []


def tracker_for(match: Mapping[str, Any]) -> Tracker | SilentTracker:
    """Return what follows a match, given its first event."""
    return Tracker(match) if match.get("game") in CAPTURE_GAMES else SilentTracker()
