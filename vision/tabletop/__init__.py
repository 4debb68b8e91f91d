"""The tabletop: what lies on the table, remembered over the frames of a film."""

from vision.tabletop.settings import TabletopSettings
from vision.tabletop.tabletop import ReadQuads, Tabletop
from vision.tabletop.views import Reach, StableCard, StableLook, TableCard, TableChange

__all__ = [
    "Reach",
    "ReadQuads",
    "StableCard",
    "StableLook",
    "TableCard",
    "TableChange",
    "Tabletop",
    "TabletopSettings",
]
