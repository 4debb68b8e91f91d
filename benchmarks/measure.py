"""Give every way the same pictures, and count what it reads and how long it takes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.pictures import Picture
from benchmarks.ways import Way
from datasets.render.assets import Deck


@dataclass
class Count:
    """What one way read in some pictures, counted as sets of cards: where a card lies is not asked.

    Attributes:
        cards: cards that were to be read.
        right: of these, those that were.
        read: cards that were read in pictures of which every card is known.
        read_right: of these, those that lie there.
        pictures: how many pictures there were.
        pictures_right: in how many every card was read, and nothing else where every card is known.
        times_ms: time that each picture took.
    """

    cards: int = 0
    right: int = 0
    read: int = 0
    read_right: int = 0
    pictures: int = 0
    pictures_right: int = 0
    times_ms: list[float] = field(default_factory=list)

    def add(self, picture: Picture, codes: Sequence[str], took_ms: float) -> None:
        """Count one picture."""
        truth = Counter(picture.cards)
        read = Counter(code for code in codes if code not in picture.hardly_seen or code in truth)
        right = sum((truth & read).values())
        self.cards += sum(truth.values())
        self.right += right
        self.pictures += 1
        self.pictures_right += truth == read if picture.complete else not truth - read
        if picture.complete:
            self.read += sum(read.values())
            self.read_right += right
        self.times_ms.append(took_ms)

    def take_in(self, other: Count) -> None:
        """Add what was counted in other pictures."""
        for name in ("cards", "right", "read", "read_right", "pictures", "pictures_right"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.times_ms += other.times_ms

    @property
    def missed(self) -> float | None:
        """Share of the cards that were not found and read right."""
        return 1 - self.right / self.cards if self.cards else None

    @property
    def wrong(self) -> float | None:
        """Share of what was read that is not right."""
        return 1 - self.read_right / self.read if self.read else None

    @property
    def mean_ms(self) -> float | None:
        """Mean time of a picture."""
        return sum(self.times_ms) / len(self.times_ms) if self.times_ms else None


def compare(
    ways: Sequence[Way], deck: Deck, pictures: Iterable[Picture], progress: Callable[[str], None]
) -> list[Count]:
    """Have all ways read the same pictures of one deck, one after the other picture by picture.

    Whatever else runs on the machine thus slows all of them alike.

    Returns:
        A count for each way; of a way that does not read, only times.
    """
    counts = [Count() for _ in ways]
    for way in ways:
        way.learn(deck.faces)
    for number, picture in enumerate(pictures):
        if number == 0:  # the first picture of a size is slow for reasons that do not matter
            for way in ways:
                way.read(picture)
        for way, count in zip(ways, counts, strict=True):
            begun = time.perf_counter()
            codes = way.read(picture)
            took_ms = (time.perf_counter() - begun) * 1000
            if way.reads:
                count.add(picture, codes, took_ms)
            else:
                count.times_ms.append(took_ms)
    progress(
        f"{deck.name}: "
        + ", ".join(
            f"{way.name} {c.right}/{c.cards}" for way, c in zip(ways, counts, strict=True) if way.reads
        )
    )
    return counts
