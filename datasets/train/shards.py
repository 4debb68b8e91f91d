"""The shards of data sets that a training takes in while they are still being made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path


class Shards:
    """The completed shards of one split, each given once.

    Args:
        folders: data sets made by `datasets.render`.
        part: folder of a data set whose files stand for its shards; a shard is complete when its file is there.
        pattern: names of those files.
    """

    def __init__(self, folders: Iterable[Path], part: str, pattern: str) -> None:
        self.folders, self.part, self.pattern = list(folders), part, pattern
        self._known: set[Path] = set()

    def new(self) -> Iterator[tuple[Path, Path]]:
        """Give the data set and the file of every shard that was completed since the last call."""
        for folder in self.folders:
            for file in sorted((folder / self.part).glob(self.pattern)):
                if file not in self._known:
                    self._known.add(file)
                    yield folder, file
