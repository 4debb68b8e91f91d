"""Boxes that show only part of a card, made whole. Owns what a card's size in the picture tells of a box.

All cards of a deck are alike, so once some are known a box of half a card stands out by its area: the area, unlike the
sides, does not depend on how a card lies to the camera. Where the rest of the card is, the faces tell: of all places
that the whole card can have around its part, the one in which a face can be read best is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.boxes import quad_areas
from vision.classifier import NONE, Readings
from vision.detections import FACE, Detections
from vision.tabletop.geometry import Quad, card_height, covered_part

# Part of a whole card's area from which a box counts as whole: cards differ by their distance from the camera.
_WHOLE_FROM = 0.85
# Cards that must have been learned, how many are remembered, and how many of the nearest say how large one is.
_LEAST_LEARNED = 1
_MOST_LEARNED = 24
_NEAREST = 3
# A part may stick out of the whole card by so much, of its side.
_SLACK = 1.15
# Part of a box that must lie on a known card for it to be a sight of that card.
_ON_CARD = 0.8
# Part of a whole card under another one from which two boxes are the same card.
_SAME_CARD = 0.7
# Probability of a face from which a completed box is believed.
_READABLE = 0.7
# The same part of a box, in card heights, and for how long what was found for it holds.
_SAME_PLACE = 0.06
_HOLDS_MS = 3000


@dataclass(slots=True)
class _Found:
    """Hold what was found for a part of a card."""

    part: Quad
    whole: Quad | None
    seen_ms: int
    found_ms: int


class BoxCompleter:
    """Make boxes of parts of cards whole."""

    def __init__(self) -> None:
        """Begin without memory."""
        self._memory: list[_Found] = []
        self._wholes: list[Quad] = []
        # Of the wholes; asked of every box in every picture.
        self._areas = np.zeros(0)
        self._centres = np.zeros((0, 2), np.float32)

    def learn(self, quad: Quad) -> None:
        """Take the quad of a card that surely lies there whole, to know how large cards are at that place."""
        self._wholes.append(quad.copy())
        del self._wholes[:-_MOST_LEARNED]
        self._areas = quad_areas(np.stack(self._wholes))
        self._centres = np.stack([whole.mean(axis=0) for whole in self._wholes])

    def complete(
        self,
        cards: Detections,
        known: Sequence[Quad],
        t_ms: int,
        read: Callable[[npt.NDArray[np.float32]], Readings],
    ) -> Detections:
        """Replace boxes of parts by boxes of whole cards, or leave them out.

        Args:
            cards: Boxes of faces and backs, in pixels.
            known: Quads (4, 2) of cards that lie on the table now and whose faces are known.
            t_ms: Media time.
            read: Reads faces; called at most once, only for parts that are new.

        Returns:
            The whole boxes, then the completed ones; nothing changes until a card's size has been learned.
        """
        self._memory = [found for found in self._memory if t_ms - found.seen_ms <= _HOLDS_MS]
        if len(self._wholes) < _LEAST_LEARNED or len(cards) == 0:
            return cards
        areas = quad_areas(cards.quads)
        is_whole = areas >= _WHOLE_FROM * self._expected_areas(cards.centres)
        if is_whole.all():
            return cards
        whole: dict[int, Quad] = {i: cards.quads[i] for i in np.flatnonzero(is_whole).tolist()}
        made: dict[int, Quad] = {}
        asked: list[tuple[int, list[Quad]]] = []
        for i in np.flatnonzero(~is_whole).tolist():
            part = cards.quads[i]
            host = next((quad for quad in known if covered_part(part, [quad]) >= _ON_CARD), None)
            found = self._remembered(part, t_ms)
            if host is not None:
                made[i] = host
            elif found is None:
                asked.append((i, _wholes(part, min(self._wholes, key=lambda quad: _apart(quad, part)))))
            else:
                found.seen_ms = t_ms
                if found.whole is not None:
                    made[i] = found.whole
        made.update(self._ask(cards, asked, t_ms, read))
        for i in np.flatnonzero(~is_whole & (cards.class_ids != FACE)).tolist():
            if i not in made:
                whole[i] = cards.quads[i]  # part of a pile says enough
        return _without_doubles(cards, whole, made)

    def is_part(self, quad: Quad) -> bool:
        """Tell whether a box is too small for a whole card; False until sizes have been learned."""
        if len(self._wholes) < _LEAST_LEARNED:
            return False
        expected = self._expected_areas(quad.mean(axis=0)[None])[0]
        return bool(quad_areas(quad[None])[0] < _WHOLE_FROM * expected)

    def _ask(
        self,
        cards: Detections,
        asked: Sequence[tuple[int, list[Quad]]],
        t_ms: int,
        read: Callable[[npt.NDArray[np.float32]], Readings],
    ) -> dict[int, Quad]:
        """Return the quads of the parts around which a face can be read, by number of the box."""
        made: dict[int, Quad] = {}
        if not any(places for _, places in asked):
            return made
        log_probs = read(np.stack([quad for _, places in asked for quad in places])).log_probs
        faces = np.exp(log_probs[:, :NONE].max(axis=1).astype(np.float64))
        start = 0
        for i, places in asked:
            chances = faces[start : start + len(places)]
            start += len(places)
            best = int(chances.argmax()) if places else -1
            if places and chances[best] >= _READABLE:
                made[i] = places[best]
            self._memory.append(_Found(cards.quads[i].copy(), made.get(i), t_ms, t_ms))
        return made

    def _expected_areas(self, places: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Return the area that a whole card has at each place (n, 2), (n,) in square pixels."""
        apart = np.linalg.norm(self._centres[None] - np.asarray(places, np.float32)[:, None], axis=2)
        nearest = np.argsort(apart, axis=1, kind="stable")[:, :_NEAREST]
        return np.asarray(np.median(self._areas[nearest], axis=1))

    def _remembered(self, part: Quad, t_ms: int) -> _Found | None:
        reach = _SAME_PLACE * card_height(part)
        for found in self._memory:
            if t_ms - found.found_ms <= _HOLDS_MS and float(np.abs(found.part - part).mean()) <= reach:
                return found
        return None


def _without_doubles(cards: Detections, whole: dict[int, Quad], made: dict[int, Quad]) -> Detections:
    """Join whole and completed boxes, leaving out completed ones of cards that have a box already."""
    quads = dict(whole)
    for i in sorted(made, key=lambda i: -float(cards.scores[i])):
        if not any(covered_part(made[i], [quad]) >= _SAME_CARD for quad in quads.values()):
            quads[i] = made[i]
    if not quads:
        return Detections.empty()
    chosen = list(quads)
    class_ids = [FACE if i in made else int(cards.class_ids[i]) for i in chosen]
    return Detections(np.stack([quads[i] for i in chosen]), cards.scores[chosen], np.array(class_ids))


def _apart(first: Quad, second: Quad) -> float:
    return float(np.linalg.norm(first.mean(axis=0) - second.mean(axis=0)))


def _wholes(part: Quad, like: Quad) -> list[Quad]:
    """Return the places that a whole card can have around its part.

    Args:
        part: (4, 2) box of a part.
        like: (4, 2) quad of a whole card nearby.
    """
    middle = part.mean(axis=0)
    sides = [(part[1] - part[0] + part[2] - part[3]) / 2, (part[2] - part[1] + part[3] - part[0]) / 2]
    lengths = [float(np.hypot(*side)) for side in sides]
    if min(lengths) < 1.0:
        return []
    edges = np.linalg.norm(np.roll(like, -1, axis=0) - like, axis=1)
    short, long = sorted(((edges[0] + edges[2]) / 2, (edges[1] + edges[3]) / 2))
    places = []
    for across, along in ((0, 1), (1, 0)):
        if lengths[across] > _SLACK * short or lengths[along] > _SLACK * long:
            continue
        u = sides[across] / lengths[across] * short / 2
        down = sides[along] / lengths[along]
        spare = max(0.0, long - lengths[along]) / 2
        v = down * long / 2
        for shift in (-spare, 0.0, spare) if spare > 0.05 * long else (0.0,):
            centre = middle + down * shift
            places.append(
                np.array([centre - u - v, centre + u - v, centre + u + v, centre - u + v], np.float32)
            )
    return [place if _clockwise(place) else place[[1, 0, 3, 2]] for place in places]


def _clockwise(quad: Quad) -> bool:
    """Tell whether corners go clockwise as seen (y points down)."""
    x, y = quad[:, 0], quad[:, 1]
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) > 0
