"""What has been seen of each track, as smoothed probabilities over the deck. Owns no reading of the play."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rules.tracker.look import SeenCard


class EvidenceBook:
    """Keep, for each track, how likely each card of the deck is.

    Evidence of a track is replaced by the newest, not multiplied: a look already carries all that was seen of a card.
    What people say of a card outweighs what was seen.
    """

    def __init__(self, deck: Sequence[str], misread: float) -> None:
        """Make an empty book.

        Args:
            deck: The card codes; the order fixes the indices used elsewhere.
            misread: Probability that a reading is wrong however sure it looks; spread over the whole deck.
        """
        self.deck = tuple(deck)
        self.index = {code: i for i, code in enumerate(self.deck)}
        self._misread = misread
        self._even = tuple([1.0 / len(self.deck)] * len(self.deck))
        self._seen: dict[int, tuple[float, ...]] = {}
        self._told: dict[int, tuple[float, ...]] = {}
        self._even_logs = tuple(math.log(p) for p in self._even)
        self._logs: dict[int, tuple[float, ...]] = {}
        self._versions: dict[int, int] = {}
        # Changes whenever what was said of some card is no longer so; not when a new card is seen.
        self.version_of_all = 0

    def see(self, card: SeenCard) -> bool:
        """Take the newest evidence of a card.

        Returns:
            Whether it says something noticeably different from before.
        """
        smoothed = self._smooth(card.probabilities)
        before = self._seen.get(card.track)
        if before is not None and max(abs(a - b) for a, b in zip(smoothed, before, strict=True)) < 0.004:
            return False
        self._seen[card.track] = smoothed
        if card.track in self._told:
            return False
        self._renew(card.track, is_new=before is None)
        return True

    def tell(self, track: int, code: str) -> None:
        """Fix a card's face by word of the people."""
        sure = [1e-9] * len(self.deck)
        sure[self.index[code]] = 1.0
        self._told[track] = tuple(sure)
        self._renew(track)

    def told(self, track: int) -> int | None:
        """Give the index of the face that the people named for a track, or None."""
        told = self._told.get(track)
        return None if told is None else max(range(len(told)), key=told.__getitem__)

    def of(self, track: int) -> tuple[float, ...]:
        """Give the probabilities of a track over the deck; even ones for a card that was never seen."""
        told = self._told.get(track)
        if told is not None:
            return told
        return self._seen.get(track, self._even)

    def log_of(self, track: int) -> tuple[float, ...]:
        """Give the logarithms of the probabilities of a track."""
        return self._logs.get(track, self._even_logs)

    def version(self, tracks: Sequence[int]) -> int:
        """Give a number that changes whenever the evidence of one of these tracks does."""
        return sum(self._versions.get(track, 0) for track in tracks)

    def unseen_key(self, track: int) -> tuple[int, ...]:
        """Give what stands for a card that was never seen: all those of which nothing was told are alike."""
        return (track,) if track in self._told else (-1,)

    def rivals(self, track: int, least: float) -> list[int]:
        """List the faces that are at least so likely, compared with the likeliest, in deck order."""
        likely = self.of(track)
        floor = least * max(likely)
        return [face for face, probability in enumerate(likely) if probability >= floor]

    def together(self, tracks: Sequence[int]) -> tuple[float, ...]:
        """Give the probabilities of one card that was followed under several tracks."""
        if len(tracks) == 1:
            return self.of(tracks[0])
        product = [math.prod(values) for values in zip(*(self.of(track) for track in tracks), strict=True)]
        total = sum(product)
        return tuple(value / total for value in product)

    def _renew(self, track: int, *, is_new: bool = False) -> None:
        self._logs[track] = tuple(math.log(max(p, 1e-12)) for p in self.of(track))
        self._versions[track] = self._versions.get(track, 0) + 1
        if not is_new:
            self.version_of_all += 1

    def _smooth(self, probabilities: Mapping[str, float]) -> tuple[float, ...]:
        known = [0.0] * len(self.deck)
        for code, probability in probabilities.items():
            place = self.index.get(code)
            if place is not None:
                known[place] += probability
        total = sum(known)
        if total < 1e-6:
            return self._even
        # What the deck's cards did not get (another deck's face, "no card", small values cut off) is doubt.
        doubt = max(0.0, 1.0 - total)
        share = (self._misread + doubt) / (1.0 + self._misread)
        keep = (1.0 - share) / total
        return tuple(keep * value + share / len(self.deck) for value in known)
