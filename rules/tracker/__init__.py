"""The rules tracker: from looks at the table to the hand record, by weighing several readings of the play."""

from rules.tracker.look import LookError, Reach, SeenCard, TableLook
from rules.tracker.settings import TrackerSettings
from rules.tracker.table_game import UnknownGameError
from rules.tracker.tracker import Tracker, TrackerWarning

__all__ = [
    "LookError",
    "Reach",
    "SeenCard",
    "TableLook",
    "Tracker",
    "TrackerSettings",
    "TrackerWarning",
    "UnknownGameError",
]
