"""When the table is at rest, and what is told of it then. Owns what was told last.

Everything that follows the table from picture to picture is the tabletop's; here it is decided which of it is news.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.tabletop.arms import ArmMemory, Side
from vision.tabletop.faces import DeckFaces, best_of, differs
from vision.tabletop.geometry import Quad
from vision.tabletop.settings import TabletopSettings
from vision.tabletop.track import CardTrack
from vision.tabletop.views import ChangeKind, Reach, StableCard, StableLook, TableChange

# Looks blocked for so long by something that never comes to rest are taken all the same.
_MOST_UNREST_MS = 3000
# A card is laid within this time from its first sight.
_LAID_WITHIN_MS = 500
# A card that left was last seen so long before the hand came over it, at most.
_TAKEN_FROM_MS = 100


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """Hold a card as it was told last: its probabilities, where it lay, and its height in pixels."""

    probabilities: dict[str, float]
    quad: Quad
    height_px: float


class Teller:
    """Give looks at rest."""

    def __init__(self, faces: DeckFaces, arms: ArmMemory, settings: TabletopSettings) -> None:
        """Begin with an empty table."""
        self._faces = faces
        self._arms = arms
        self._settings = settings
        self._told: dict[int, _Told] = {}
        self._told_ms = 0
        self._looks: list[StableLook] = []
        self._waiting_since_ms: int | None = None
        self._quiet_since_ms: int | None = None
        self._unrest_since_ms: int | None = None

    def has_told(self, track: CardTrack) -> bool:
        """Tell whether a card was part of the last look."""
        return track.track in self._told

    def lies_as_told(self, track: CardTrack) -> bool:
        """Tell whether a card was part of the last look and still lies where it lay then."""
        told = self._told.get(track.track)
        if told is None or track.is_moving:
            return False
        apart = float(np.linalg.norm(track.centre - told.quad.mean(axis=0)))
        return apart <= self._settings.moved * track.height_px

    def take_looks(self) -> list[StableLook]:
        """Return the looks that are new since the last call."""
        looks, self._looks = self._looks, []
        return looks

    def is_news(self, lying: Sequence[CardTrack], left: Sequence[CardTrack]) -> bool:
        """Tell whether the table differs from what was told last.

        Args:
            lying: The face-up cards of the playing area.
            left: Cards gone since the last look.
        """
        now = {track.track: track for track in lying}
        if now.keys() != self._told.keys() or any(self._is_passed(track, lying) for track in left):
            return True
        return any(
            differs(
                self._faces.probabilities(track.evidence),
                self._told[number].probabilities,
                self._settings.reread,
            )
            for number, track in now.items()
        )

    def is_due(
        self, lying: Sequence[CardTrack], left: Sequence[CardTrack], *, is_at_rest: bool, is_covered: bool, t_ms: int
    ) -> bool:
        """Tell whether a look should be told now.

        Args:
            lying: The face-up cards of the playing area.
            left: Cards gone since the last look.
            is_at_rest: Whether nothing is on its way.
            is_covered: Whether a hand covers cards that lie there.
            t_ms: Media time.
        """
        if not is_at_rest:
            if self._unrest_since_ms is None:
                self._unrest_since_ms = t_ms
            if t_ms - self._unrest_since_ms < _MOST_UNREST_MS:
                self._quiet_since_ms = None
                return False
        else:
            self._unrest_since_ms = None
        if self._quiet_since_ms is None:
            self._quiet_since_ms = t_ms
        if t_ms - self._quiet_since_ms < self._settings.rest_ms or not self.is_news(lying, left):
            return False
        if self._must_wait_for_hand(lying, is_covered, t_ms):
            return False
        self._unrest_since_ms = None
        return True

    def _must_wait_for_hand(self, lying: Sequence[CardTrack], is_covered: bool, t_ms: int) -> bool:
        """Tell whether cards left while a hand still covers others: they may all be leaving together."""
        now = {track.track for track in lying}
        if not (is_covered and any(number not in now for number in self._told)):
            self._waiting_since_ms = None
            return False
        if self._waiting_since_ms is None:
            self._waiting_since_ms = t_ms
        return t_ms - self._waiting_since_ms < self._settings.wait_for_hand_ms

    def tell(self, lying: Sequence[CardTrack], left: Sequence[CardTrack], t_ms: int) -> list[TableChange]:
        """Take a look at rest; return what changed since the last one."""
        seen = {track.track: self._faces.probabilities(track.evidence) for track in lying}
        passed = sorted(
            (track for track in left if self._is_passed(track, lying)), key=lambda track: track.track
        )
        changes: list[TableChange] = []

        def changed(kind: ChangeKind, number: int, probabilities: dict[str, float]) -> None:
            changes.append(TableChange(kind, number, t_ms, best_of(probabilities)))

        for number, before in self._told.items():
            if number not in seen:
                changed("left", number, before.probabilities)
        for track in lying:
            told = self._told.get(track.track)
            if told is None:
                changed("appeared", track.track, seen[track.track])
                continue
            if best_of(told.probabilities) != best_of(seen[track.track]):
                changed("read-anew", track.track, seen[track.track])
            apart = float(np.linalg.norm(track.centre - told.quad.mean(axis=0))) / track.height_px
            if apart > self._settings.moved:
                changed("moved", track.track, seen[track.track])
        self._looks.append(
            StableLook(
                t_ms,
                tuple(StableCard(number, seen[number]) for number in sorted(seen)),
                tuple(StableCard(track.track, self._faces.probabilities(track.evidence)) for track in passed),
                self._reached(lying, passed, left, t_ms),
            )
        )
        self._told = {
            track.track: _Told(seen[track.track], track.quad.copy(), track.height_px) for track in lying
        }
        self._told_ms = t_ms
        return changes

    def _reached(
        self, lying: Sequence[CardTrack], passed: Sequence[CardTrack], left: Sequence[CardTrack], t_ms: int
    ) -> tuple[Reach, ...]:
        """Say from which sides the cards that are new were laid, and those that are gone were taken."""
        reached: list[Reach] = []
        for track in (*lying, *passed):
            if not self.has_told(track):
                laid_ms = min(track.first_ms + _LAID_WITHIN_MS, t_ms)
                side = self._arms.who_was_at(track.quad, track.height_px, track.first_ms, laid_ms)
                reached.extend(_reaches(track.track, "laid", side))
        now = {track.track for track in lying}
        gone = {track.track: track for track in left}
        for number in sorted({*(self._told.keys() - now), *(track.track for track in passed)}):
            track_gone, told = gone.get(number), self._told.get(number)
            if track_gone is not None:
                until_ms = t_ms if track_gone.empty_since_ms is None else track_gone.empty_since_ms
                from_ms = max(track_gone.last_ms - _TAKEN_FROM_MS, self._told_ms if told is not None else 0)
                place, height_px = track_gone.quad, track_gone.height_px
            elif told is not None:
                from_ms, until_ms, place, height_px = self._told_ms, t_ms, told.quad, told.height_px
            else:
                continue
            reached.extend(_reaches(number, "taken", self._arms.who_was_at(place, height_px, from_ms, until_ms)))
        return tuple(reached)

    def _is_passed(self, track: CardTrack, lying: Sequence[CardTrack]) -> bool:
        """Tell whether a card that left was seen well and is none of those that were told."""
        if track.track in self._told or track.is_back or track.zone_is_pile:
            return False
        if not track.is_real or track.evidence.reads < self._settings.passed_reads:
            return False
        mine = best_of(self._faces.probabilities(track.evidence))
        if mine is None:
            return False
        told = (each.probabilities for each in self._told.values())
        on_table = (self._faces.probabilities(other.evidence) for other in lying)
        return mine not in {best_of(probabilities) for probabilities in (*told, *on_table)}


def _reaches(track: int, moment: str, side: Side | None) -> list[Reach]:
    if side is None:
        return []
    return [Reach(track, "laid" if moment == "laid" else "taken", side.side_deg, side.weight)]
