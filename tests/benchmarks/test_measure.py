from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.measure import Count, compare
from benchmarks.pictures import Picture
from datasets.render.assets import Deck


def picture(cards: str, hardly_seen: str = "", *, complete: bool = True) -> Picture:
    return Picture(
        np.zeros((4, 4, 3), np.uint8), tuple(cards.split()), frozenset(hardly_seen.split()), complete, False
    )


@pytest.mark.parametrize(
    ("shown", "codes", "right", "read", "read_right", "pictures_right"),
    [
        (picture("7d 2s"), "2s 7d", 2, 2, 2, 1),
        (picture("7d 2s"), "7d", 1, 1, 1, 0),
        (picture("7d 2s"), "7d 2s 3c", 2, 3, 2, 0),
        (picture("7d"), "7d 7d", 1, 2, 1, 0),
        (picture("2S 2S"), "2S 2S", 2, 2, 2, 1),
        (picture("7d", "3c"), "7d 3c", 1, 1, 1, 1),
        (picture("2S", "2S"), "2S", 1, 1, 1, 1),
        (picture("7d", complete=False), "7d 3c", 1, 0, 0, 1),
        (picture(""), "", 0, 0, 0, 1),
    ],
)
def test_cards_are_counted_as_sets(
    shown: Picture, codes: str, right: int, read: int, read_right: int, pictures_right: int
) -> None:
    count = Count()
    count.add(shown, codes.split(), 5.0)
    assert (count.cards, count.right) == (len(shown.cards), right)
    assert (count.read, count.read_right, count.pictures_right) == (read, read_right, pictures_right)
    assert count.mean_ms == 5.0


def test_counts_add_up_to_shares() -> None:
    whole, more = Count(), Count()
    whole.add(picture("7d 2s"), ["7d"], 10.0)
    more.add(picture("7d 2s"), ["7d", "3c"], 20.0)
    whole.take_in(more)
    assert whole.missed == pytest.approx(0.5)
    assert whole.wrong == pytest.approx(1 / 3)
    assert whole.mean_ms == pytest.approx(15.0)
    assert Count().missed is Count().wrong is Count().mean_ms is None


class Sayer:
    """A way that says the same of every picture, and remembers what it was told."""

    def __init__(self, name: str, says: str, reads: bool = True) -> None:
        self.name, self.reads = name, reads
        self._says = says.split()
        self.learnt: list[str] = []
        self.seen = 0

    def learn(self, scans: dict[str, np.ndarray]) -> None:
        self.learnt = sorted(scans)

    def read(self, picture: Picture) -> Sequence[str]:
        self.seen += 1
        return self._says


def test_all_ways_see_the_same_pictures_and_the_untrained_one_is_only_timed() -> None:
    ways = [Sayer("right", "7d"), Sayer("wrong", "2s"), Sayer("untrained", "7d", reads=False)]
    deck = Deck("a deck", {"7d": np.zeros((8, 6, 3), np.uint8)})
    told: list[str] = []
    counts = compare(ways, deck, [picture("7d")] * 3, told.append)
    assert [way.learnt for way in ways] == [["7d"]] * 3
    assert [way.seen for way in ways] == [4] * 3, "the first picture is shown once more, untimed"
    assert [(count.cards, count.right, len(count.times_ms)) for count in counts] == [
        (3, 3, 3),
        (3, 0, 3),
        (0, 0, 3),
    ]
    assert told == ["a deck: right 3/3, wrong 0/3"]
