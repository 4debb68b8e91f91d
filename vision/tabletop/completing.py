"""Boxes of part of a card made whole, boxes of two cards divided. Owns what a card's size tells of a box.

All cards of a deck are alike, so once some are known a box of half a card stands out by its area: the area, unlike the
sides, does not depend on how a card lies to the camera. Where the rest of the card is, the faces tell: of all places
that the whole card can have around its part, the one in which a face can be read best is taken. In the same way a box
that is too large for one card is taken apart: where a card was put half over another, the two often have one box.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from vision.boxes import quad_areas
from vision.classifier import NONE, Readings
from vision.detections import BACK, FACE, Detections
from vision.tabletop.geometry import Quad, card_height, covered_part

# Part of a whole card's area from which a box counts as whole: cards differ by their distance from the camera.
_WHOLE_FROM = 0.85
# And from which it is a box of two cards.
_TWO_FROM = 1.15
# A box longer than a card by so much, of the card's side, has room for one at either end.
_ROOM = 0.12
# Part of a card that may lie on another one of the same box for both to be there.
_APART = 0.9
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
# Part of a small box that must lie on a whole one of a surer score, in the same picture, for it to be a piece of that.
_PIECE_OF = 0.7
# Probability of a face from which a completed box is believed, and from which it is if two looks say the same.
_READABLE = 0.7
_LIKELY = 0.5
# A part that lies on a pile, or would if it were so much larger, is of what sticks out of the pile: a sweep's marker.
_BESIDE = 1.3
# A box of which too little could be read is asked about in so many looks: a hand may still be over it in the first.
_MOST_LOOKS = 4
# The same part of a box, in card heights, and for how long what was found for it holds.
_SAME_PLACE = 0.06
_HOLDS_MS = 3000


@dataclass(slots=True)
class _Found:
    """Hold which whole cards were found for a box, and in how many looks they were looked for.

    `likely` are the faces that a look has read there, likelier right than wrong but not sure enough.
    """

    box: Quad
    wholes: list[Quad]
    seen_ms: int
    found_ms: int
    looks: int = 1
    is_answered: bool = False
    likely: frozenset[int] = frozenset()

    @property
    def is_open(self) -> bool:
        """Whether another look may still find what the ones before did not."""
        return not self.is_answered and self.looks < _MOST_LOOKS


@dataclass(frozen=True, slots=True)
class _Question:
    """Hold where the cards of a box may lie, and how many there may be."""

    box: int
    places: list[Quad]
    most: int
    before: _Found | None


class BoxCompleter:
    """Make boxes of parts of cards whole, and divide boxes of two cards."""

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
        unseen: Sequence[Quad] = (),
    ) -> Detections:
        """Replace boxes of parts by boxes of whole cards, or leave them out; replace boxes of two cards by two.

        Args:
            cards: Boxes of faces and backs, in pixels.
            known: Quads (4, 2) of cards that lie on the table now and whose faces are known.
            t_ms: Media time.
            read: Reads faces; called at most once, only for boxes that are new.
            unseen: Quads where known cards lay before something came over them; half of a box of two may be one.

        Returns:
            The whole boxes, then those made of others; nothing changes until a card's size has been learned.
        """
        self._memory = [found for found in self._memory if t_ms - found.seen_ms <= _HOLDS_MS]
        if len(self._wholes) < _LEAST_LEARNED or len(cards) == 0:
            return cards
        sizes = quad_areas(cards.quads) / self._expected_areas(cards.centres)
        is_large = (sizes >= _TWO_FROM) & (cards.class_ids == FACE)
        is_whole = (sizes >= _WHOLE_FROM) & ~is_large
        if is_whole.all():
            return cards
        whole: dict[int, Quad] = {i: cards.quads[i] for i in np.flatnonzero(is_whole).tolist()}
        made: dict[int, list[Quad]] = {}
        backs = [cards.quads[i] for i in whole if cards.class_ids[i] == BACK]
        asked: list[_Question] = []
        for i in np.flatnonzero(~is_whole).tolist():
            box = cards.quads[i]
            found = self._remembered(box, t_ms)
            like = min(self._wholes, key=lambda quad: _apart(quad, box))
            if is_large[i]:
                hosts, places = _known_in(_within(box, like), [*known, *unseen])
            else:
                hosts = [quad for quad in known if covered_part(box, [quad]) >= _ON_CARD][:1]
                places = [] if hosts else _wholes(box, like)
            made[i] = hosts
            if found is not None:
                found.seen_ms = t_ms
                made[i] = _joined(hosts, found.wholes, 2 if is_large[i] else 1)
            if found is not None and not found.is_open:
                continue
            if not is_large[i] and (_is_piece(cards, i, whole) or (not hosts and _sticks_out(box, backs))):
                continue
            if places:
                asked.append(_Question(i, places, 2 if is_large[i] else 1, found))
            elif found is None and not hosts:
                self._memory.append(_Found(box.copy(), [], t_ms, t_ms, is_answered=True))
        self._ask(cards, asked, made, t_ms, read)
        for i in np.flatnonzero(~is_whole).tolist():
            # Part of a pile says enough; and a large box in which nothing can be read may be one card all the same.
            if not made[i] and (is_large[i] or cards.class_ids[i] != FACE):
                whole[i] = cards.quads[i]
        return _without_doubles(cards, whole, made)

    def is_asking(self, t_ms: int) -> bool:
        """Tell whether a box of the picture of this time is still to be looked at again."""
        return any(found.is_open and found.seen_ms == t_ms for found in self._memory)

    def is_part(self, quad: Quad) -> bool:
        """Tell whether a box is too small for a whole card; False until sizes have been learned."""
        if len(self._wholes) < _LEAST_LEARNED:
            return False
        expected = self._expected_areas(quad.mean(axis=0)[None])[0]
        return bool(quad_areas(quad[None])[0] < _WHOLE_FROM * expected)

    def _ask(
        self,
        cards: Detections,
        asked: Sequence[_Question],
        made: dict[int, list[Quad]],
        t_ms: int,
        read: Callable[[npt.NDArray[np.float32]], Readings],
    ) -> None:
        """Add to what is made of the boxes the places at which a face can be read."""
        if not asked:
            return
        readings = read(np.stack([quad for question in asked for quad in question.places]))
        tops = readings.log_probs[:, :NONE].argmax(axis=1)
        faces = np.exp(readings.log_probs[np.arange(len(tops)), tops].astype(np.float64))
        start = 0
        for question in asked:
            here = slice(start, start + len(question.places))
            chances, top = faces[here], tops[here].tolist()
            start += len(question.places)
            box, found = cards.quads[question.box], question.before
            if found is None:
                found = _Found(box.copy(), [], t_ms, t_ms, looks=0)
                self._memory.append(found)
            order = [
                k
                for k in np.argsort(-chances, kind="stable").tolist()
                if chances[k] >= (_LIKELY if top[k] in found.likely else _READABLE)
            ]
            found.likely |= {top[k] for k in np.flatnonzero(chances >= _LIKELY).tolist()}
            if question.most > 1 and readings.quads is not None:
                # Places whose corners were found to be the same ones are the same card.
                corners = readings.quads[here]
                order = [
                    k for n, k in enumerate(order)
                    if not any(covered_part(corners[k], [corners[j]]) >= _SAME_CARD for j in order[:n])
                ]
            wholes = _joined([], [question.places[k] for k in order], question.most)
            made[question.box] = _joined(made[question.box], wholes, question.most)
            found.looks += 1
            found.wholes = wholes or found.wholes
            found.is_answered = len(made[question.box]) == question.most

    def _expected_areas(self, places: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Return the area that a whole card has at each place (n, 2), (n,) in square pixels."""
        apart = np.linalg.norm(self._centres[None] - np.asarray(places, np.float32)[:, None], axis=2)
        nearest = np.argsort(apart, axis=1, kind="stable")[:, :_NEAREST]
        return np.asarray(np.median(self._areas[nearest], axis=1))

    def _remembered(self, box: Quad, t_ms: int) -> _Found | None:
        reach = _SAME_PLACE * card_height(box)
        for found in self._memory:
            if t_ms - found.found_ms <= _HOLDS_MS and float(np.abs(found.box - box).mean()) <= reach:
                return found
        return None


def _is_piece(cards: Detections, part: int, whole: dict[int, Quad]) -> bool:
    """Tell whether a small box is a second sight of a card that has a whole and surer box in the same picture."""
    return any(
        cards.scores[i] > cards.scores[part] and covered_part(cards.quads[part], [quad]) >= _PIECE_OF
        for i, quad in whole.items()
    )


def _sticks_out(part: Quad, backs: Sequence[Quad]) -> bool:
    """Tell whether a part is of a card that lies under a pile: it is none of the table's."""
    middle = part.mean(axis=0)
    return covered_part(np.asarray(middle + _BESIDE * (part - middle), np.float32), backs) > 0.0


def _without_doubles(cards: Detections, whole: dict[int, Quad], made: dict[int, list[Quad]]) -> Detections:
    """Join whole boxes and those made of others, leaving out the latter where a card has a box already."""
    boxes = list(whole.items())
    made_from = len(boxes)
    for i in sorted(made, key=lambda i: -float(cards.scores[i])):
        others = [quad for _, quad in boxes]
        boxes += [
            (i, quad) for quad in made[i] if not any(covered_part(quad, [other]) >= _SAME_CARD for other in others)
        ]
    if not boxes:
        return Detections.empty()
    numbers = [i for i, _ in boxes]
    class_ids = [FACE if k >= made_from else int(cards.class_ids[i]) for k, i in enumerate(numbers)]
    return Detections(np.stack([quad for _, quad in boxes]), cards.scores[numbers], np.array(class_ids))


def _joined(first: Sequence[Quad], more: Sequence[Quad], most: int) -> list[Quad]:
    """Join places of cards, leaving out what nearly covers one before, up to a number."""
    joined = list(first)
    for quad in more:
        if len(joined) < most and not any(covered_part(quad, [other]) >= _APART for other in joined):
            joined.append(quad)
    return joined


def _known_in(places: Sequence[Quad], known: Sequence[Quad]) -> tuple[list[Quad], list[Quad]]:
    """Return the known cards that lie at one of the places, and the places that are left."""
    hosts: list[Quad] = []
    left = list(places)
    for quad in known:
        covered = [covered_part(place, [quad]) for place in left]
        if len(hosts) < 2 and covered and max(covered) >= _SAME_CARD:
            hosts.append(quad)
            del left[int(np.argmax(covered))]
    return hosts, left if len(hosts) < 2 else []


def _apart(first: Quad, second: Quad) -> float:
    return float(np.linalg.norm(first.mean(axis=0) - second.mean(axis=0)))


def _within(box: Quad, like: Quad) -> list[Quad]:
    """Return the places that whole cards can have at the ends of a box of two.

    Args:
        box: (4, 2) box that is larger than a card.
        like: (4, 2) quad of a whole card nearby.
    """
    middle = box.mean(axis=0)
    sides = [(box[1] - box[0] + box[2] - box[3]) / 2, (box[2] - box[1] + box[3] - box[0]) / 2]
    lengths = [float(np.hypot(*side)) for side in sides]
    edges = np.linalg.norm(np.roll(like, -1, axis=0) - like, axis=1)
    short, long = sorted(((edges[0] + edges[2]) / 2, (edges[1] + edges[3]) / 2))
    places = []
    for across, along in ((0, 1), (1, 0)):
        if min(lengths[across] / short, lengths[along] / long) < _WHOLE_FROM:
            continue
        u, v = sides[across] / lengths[across], sides[along] / lengths[along]
        for aside, ahead in product(_ends(lengths[across], short), _ends(lengths[along], long)):
            if not aside and not ahead:
                continue  # one card, nearer to the camera than the others
            centre = middle + u * aside + v * ahead
            right, down = u * short / 2, v * long / 2
            corners = [centre - right - down, centre + right - down, centre + right + down, centre - right + down]
            places.append(np.array(corners, np.float32))
    return [place if _clockwise(place) else place[[1, 0, 3, 2]] for place in places]


def _ends(length: float, side: float) -> tuple[float, ...]:
    """Return by how much a card must be shifted to lie at either end of a box; 0 where it just fills it."""
    spare = (length - side) / 2
    return (-spare, spare) if 2 * spare > _ROOM * side else (0.0,)


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
