"""What lies on the table, followed over the frames of a film.

Owns the memory: which card is where, what it is, what is only hidden and what has left. It knows no game: which plays
follow from it others find out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from vision.boxes import quad_areas
from vision.classifier import CLASSES, NONE, Readings
from vision.detections import BACK, FACE, HAND, Detections
from vision.tabletop.arms import ArmMemory
from vision.tabletop.assignment import assign
from vision.tabletop.completing import BoxCompleter
from vision.tabletop.evidence import FaceEvidence
from vision.tabletop.faces import DeckFaces
from vision.tabletop.geometry import Quad, covered_part, turned_by, without_twins
from vision.tabletop.motion import Motion
from vision.tabletop.settings import TabletopSettings
from vision.tabletop.telling import Teller
from vision.tabletop.track import CardTrack
from vision.tabletop.views import StableLook, State, TableCard, TableChange

ReadQuads = Callable[[npt.NDArray[np.float32]], Readings]
"""Reads the cards at some quads (n, 4, 2) of the picture at hand."""

_CANDIDATES = 5
_CANDIDATE_FROM = 0.01
_SAME_FACE = 0.5
# Two boxes that show the same face and cover each other by so much are of one card.
_SAME_PLACE = 0.4
# Half a card lies so much inside the whole one.
_PART_OF = 0.75
# Part of a card between another's own corners from which both are one card: of two cards that lie so, one has no box.
_SAME_CORNERS = 0.85
# Area between corners, against that of the other cards, below which they are those of a piece of a card.
_PIECE_AREA = 0.8
# How far apart, in card heights, the corners of two sights of the same box may be.
_SAME_BOX = 0.06
# A card that is new for so long may still turn out to be one that was moved.
_YOUNG_MS = 1500
# Cards whose long sides differ by more than this are not the same lying card.
_MOST_TURN = 0.6


class Tabletop:
    """Keep what lies on the table.

    Feed it every picture that the detector has looked at, in order of time. Changes come back at once; looks at rest
    are collected by `take_looks`.
    """

    def __init__(
        self,
        faces: Sequence[str] | None = None,
        *,
        first_track: int = 0,
        settings: TabletopSettings | None = None,
    ) -> None:
        """Begin with an empty table.

        Args:
            faces: The codes of the deck in play, or None if any of the 92 may lie there.
            first_track: Lowest number that a card may get.
            settings: Tuning values; the built-in ones by default.

        Raises:
            ValueError: If `faces` names a code that the classifier does not know.
        """
        self._settings = settings or TabletopSettings()
        self._faces = DeckFaces(faces)
        self._next_track = first_track
        self._tracks: list[CardTrack] = []
        self._motion = Motion(self._settings.patch_change)
        self._arms = ArmMemory()
        self._teller = Teller(self._faces, self._arms, self._settings)
        self._hands: list[Quad] = []
        self._completer = BoxCompleter()
        # Boxes of pieces of cards, and the cards.
        self._pieces: list[tuple[Quad, CardTrack]] = []
        self._learned: set[int] = set()
        self._left: list[CardTrack] = []
        # Where backs have lain stays a pile's place: a sweep's marker may hide all of a small pile.
        self._piles: dict[int, Quad] = {}
        self._t_ms = 0

    # -- what is seen ---------------------------------------------------------------------------------------------

    def update(
        self, image: npt.NDArray[np.uint8], t_ms: int, detections: Detections, read: ReadQuads
    ) -> list[TableChange]:
        """Take what was found in a picture.

        Args:
            image: (height, width, 3) uint8 BGR; only a small grey copy is used, to see where something moves.
            t_ms: Media time of the picture, not before the last one's.
            detections: Faces, backs and hands, in pixels of the picture.
            read: Reads the faces at given quads; called at most twice, only for cards that are new, moved, doubtful,
                found in part, or not found where they lay.

        Returns:
            What changed among the face-up cards of the playing area.
        """
        self._t_ms = t_ms
        self._motion.see(image)
        cards = without_twins(detections.pick((detections.class_ids == FACE) | (detections.class_ids == BACK)))
        self._hands = list(detections.of(HAND).quads)
        self._arms.see(self._hands, (image.shape[1], image.shape[0]), t_ms)
        cards = self._completer.complete(cards, self._known_places(), t_ms, read, self._places_before())
        self._match(self._without_pieces(cards))
        self._read_faces(read)
        self._join_doubles()
        self._zone()
        self._drop_unreal()
        return self._tell()

    def take_looks(self) -> list[StableLook]:
        """Return the looks at rest that are new since the last call."""
        return self._teller.take_looks()

    def close(self, t_ms: int) -> list[StableLook]:
        """Take the end of the film: return the looks that are still to be told."""
        self._t_ms = t_ms
        lying = self._on_table()
        if self._teller.is_news(lying, self._left):
            self._take_look(lying)
        return self.take_looks()

    def forget_faces(self) -> None:
        """Forget what was read of the cards that lie there, so that all are read again: they are of another deck."""
        for track in self._tracks:
            track.evidence = FaceEvidence(len(CLASSES), self._settings.evidence_cap)
            track.reads_since_moved = track.contradictions = 0

    @property
    def next_track(self) -> int:
        """A number above those of all cards so far."""
        return self._next_track

    @property
    def is_settled(self) -> bool:
        """Whether all that was seen has been told: a resting table need not be looked at again soon."""
        return (
            not self._completer.is_asking(self._t_ms)
            and not self._teller.is_news(self._on_table(), self._left)
            and not any(
                track.is_moving
                or (track.is_missing and track.hidden_since_ms is None)
                or (not track.is_missing and self._is_coming(track))
                for track in self._tracks
            )
        )

    def cards(self) -> list[TableCard]:
        """Return all cards for display, the older first."""
        up = [track for track in self._tracks if track.is_real and not track.is_back]
        joint = self._faces.joint([track.evidence for track in up])
        shown = []
        for track in self._tracks:
            if track in up:
                row = joint[up.index(track)]
                order = np.argsort(-row, kind="stable")[:_CANDIDATES]
                ranked = tuple((self._faces.codes[i], float(row[i])) for i in order if row[i] >= _CANDIDATE_FROM)
                best = ranked[0] if ranked else (None, 0.0)
                card = best[0] if best[1] >= _SAME_FACE else None
                shown.append(self._shown(track, card, best[1], ranked, "table"))
            elif track.is_back and track.hits >= self._settings.seen_before_real:
                shown.append(self._shown(track, None, track.score, (), "pile"))
        return shown

    def _shown(
        self,
        track: CardTrack,
        card: str | None,
        confidence: float,
        ranked: tuple[tuple[str, float], ...],
        zone: str,
    ) -> TableCard:
        state: State = "hidden" if track.is_missing else "moving" if track.is_moving else "lying"
        return TableCard(
            track.track,
            card,
            confidence,
            ranked,
            track.quad.copy(),
            state,
            "down" if track.is_back else "up",
            "pile" if track.zone_is_pile or zone == "pile" else "table",
        )

    # -- following places -----------------------------------------------------------------------------------------

    def _known_places(self) -> list[Quad]:
        """Return where known cards lie whole; learn their size, and forget tracks that followed half a card."""
        places = []
        for track in list(self._tracks):
            if track.is_moving or track.is_missing or not self._is_known(track):
                continue
            if self._completer.is_part(track.quad):
                if not self._teller.has_told(track):
                    self._tracks.remove(track)
                continue
            places.append(track.quad)
            if track.track not in self._learned and track.hits >= self._settings.seen_before_pile:
                self._learned.add(track.track)
                self._completer.learn(track.quad)
        return places

    def _places_before(self) -> list[Quad]:
        """Return where known cards lay that are not seen now, or seem to move."""
        return [
            track.rest_quad
            for track in self._tracks
            if track.rest_quad is not None
            and (track.is_moving or track.is_missing)
            and self._is_known(track)
        ]

    def _match(self, cards: Detections) -> None:
        """Pair detections with tracks; what fits no track is a new one."""
        tracks = self._tracks
        cost = np.full((len(tracks), len(cards)), np.inf)
        centres = cards.centres
        for row, track in enumerate(tracks):
            reach = self._reach(track)
            apart = np.linalg.norm(centres - track.expected_centre, axis=1) / track.height_px
            for column in np.flatnonzero(apart < reach).tolist():
                turn = turned_by(track.quad, cards.quads[column])
                if not track.is_moving and turn > _MOST_TURN:
                    continue
                other_side = (cards.class_ids[column] == BACK) != track.is_back
                # A candidate must not steal a sight from a card that is known for long.
                cost[row, column] = (
                    apart[column] + 0.3 * turn + 0.25 * other_side + (0.1 if track.hits < 3 else 0.0)
                )
        too_dear = self._settings.moving_reach + 1.0
        pairs = assign(cost, too_dear)
        for row, column in pairs:
            tracks[row].see(
                cards.quads[column], int(cards.class_ids[column]), float(cards.scores[column]), self._t_ms
            )
        matched_tracks = {row for row, _ in pairs}
        matched_cards = {column for _, column in pairs}
        self._unmatched = [track for row, track in enumerate(tracks) if row not in matched_tracks]
        for column in range(len(cards)):
            if column not in matched_cards:
                self._new(cards.quads[column], int(cards.class_ids[column]), float(cards.scores[column]))

    def _reach(self, track: CardTrack) -> float:
        """Return how far from where it was a card may be found, in card heights, without its face being asked."""
        if track.is_moving:
            return self._settings.moving_reach
        # What lies a little aside of a card that is known may be another card laid on it: `_relink` asks which.
        return self._settings.trembling_reach if self._is_known(track) else self._settings.still_reach

    def _is_known(self, track: CardTrack) -> bool:
        return (
            not track.is_back
            and track.is_real
            and float(np.exp(track.evidence.log_probs()[:NONE].max())) >= self._settings.known
        )

    def _new(self, quad: Quad, class_id: int, score: float) -> CardTrack:
        track = CardTrack(self._next_track, quad, class_id, score, self._t_ms, len(CLASSES), self._settings)
        self._next_track += 1
        self._tracks.append(track)
        return track

    # -- reading faces --------------------------------------------------------------------------------------------

    def _read_faces(self, read: ReadQuads) -> None:
        """Read what needs reading in one go, and find out what the tracks without a sight mean."""
        unmatched = self._unmatched
        places = [
            track for track in unmatched if not self._is_under_hand(track) and self._is_worth_finding(track)
        ]
        due = [track for track in self._tracks if track not in unmatched and self._is_due(track)]
        quads = [track.quad for track in due] + [_resting(track) for track in places]
        readings = read(np.stack(quads)) if quads else None
        found: set[int] = set()
        if readings is not None:
            log_probs = readings.log_probs.astype(np.float64)
            if readings.quads is not None:
                for place, track in enumerate(due):
                    track.corner_shift = readings.quads[place] - track.quad
            self._change_back(due, log_probs)
            for place, track in enumerate(due):
                if self._is_young(track) and self._relink(track, log_probs[place], unmatched, found):
                    continue
                if track.read(log_probs[place], self._weight(track)):
                    self._split(track, log_probs[place])
            for place, track in enumerate(places, start=len(due)):
                if track.track not in found and self._still_reads_as(track, log_probs[place]):
                    self._find_by_face(track, log_probs[place])
                    found.add(track.track)
        for track in unmatched:
            if track.track not in found and track in self._tracks and track.last_ms != self._t_ms:
                self._miss(track)

    def _is_due(self, track: CardTrack) -> bool:
        settings = self._settings
        if track.is_back and track.reads_since_moved >= settings.reads_when_new:
            # The detector may err: a face taken for a back is read again now and then.
            return (
                track.hits % settings.back_again == 0
                and float(np.exp(track.evidence.log_probs()[NONE])) < 0.5
            )
        if covered_part(track.quad, self._hands) > settings.clear_view:
            return False
        if track.reads_since_moved < settings.reads_when_new:
            return True
        sure = float(np.exp(track.evidence.log_probs().max())) >= settings.sure
        if track.contradictions:
            return True
        if sure and (not track.disturbed or track.is_moving):
            return False
        return track.reads_since_moved < settings.reads_when_doubtful or track.hits % 10 == 0

    def _is_worth_finding(self, track: CardTrack) -> bool:
        if track.is_back or track.evidence.reads == 0:
            return False
        if self._teller.has_told(track):
            # A card that is badly seen has no box in some pictures, and one of a part of it in others.
            return track.is_real and not (track.is_moving and track.rest_quad is None)
        if self._completer.is_part(_resting(track)):
            return False
        return not track.is_moving if track.is_real else self._is_young(track)

    def _still_reads_as(self, track: CardTrack, log_probs: npt.NDArray[np.float64]) -> bool:
        held = track.evidence.log_probs()
        face = int(held[:NONE].argmax())
        return face == int(held.argmax()) and float(np.exp(log_probs[face])) >= _SAME_FACE

    def _find_by_face(self, track: CardTrack, log_probs: npt.NDArray[np.float64]) -> None:
        """Take it that a card lies where its face is read, though no box was found there."""
        if track.is_real:
            track.find_at_rest(self._t_ms)
        else:
            track.see(track.quad, FACE, track.score, self._t_ms)
            track.read(log_probs, self._weight(track))

    def _weight(self, track: CardTrack) -> float:
        others = [other.quad for other in self._tracks if other is not track and not other.is_missing]
        hidden = covered_part(track.quad, [*self._hands, *others])
        weight = 1.0 - 0.7 * hidden
        return max(0.1, weight * (0.5 if track.is_moving else 1.0))

    def _is_young(self, track: CardTrack) -> bool:
        return not self._teller.has_told(track) and self._t_ms - track.first_ms <= _YOUNG_MS

    def _change_back(self, due: list[CardTrack], log_probs: npt.NDArray[np.float64]) -> None:
        """Let two cards that lie side by side and were taken for each other change numbers: a face exists once.

        Args:
            due: Tracks that were read in this picture; where two have changed places in the list they do so as well.
            log_probs: (n, classes) what was read at their places.
        """
        for place, track in enumerate(due):
            face = int(log_probs[place, :NONE].argmax())
            if float(np.exp(log_probs[place, face])) < self._settings.known or self._completer.is_part(track.quad):
                continue
            # What was read under this number before must not speak against it.
            if track.evidence.reads and int(track.evidence.log_probs()[:NONE].argmax()) != face:
                continue
            for old in self._tracks:
                if old.track >= track.track or old.is_missing or not self._is_known(old):
                    continue
                if int(old.evidence.log_probs()[:NONE].argmax()) != face:
                    continue
                if covered_part(track.quad, [old.quad]) >= _SAME_PLACE:
                    continue  # two boxes of one card
                if old not in due:
                    old.doubt()  # what lies in its place is read in the next picture
                    continue
                other = due.index(old)
                if float(np.exp(log_probs[other, face])) >= 1 - self._settings.another_card:
                    continue
                old.change_places(track)
                track.evidence = FaceEvidence(len(CLASSES), self._settings.evidence_cap)
                due[place], due[other] = old, track
                break

    def _relink(
        self,
        track: CardTrack,
        log_probs: npt.NDArray[np.float64],
        unmatched: list[CardTrack],
        found: set[int],
    ) -> bool:
        """Take a new sight for a card that is missing or has just left, if it shows the same face: it was moved."""
        known = self._settings.known
        face = int(log_probs[:NONE].argmax())
        # Half of a card may show what another card shows as a whole.
        if float(np.exp(log_probs[face])) < known or self._completer.is_part(track.quad):
            return False
        for old in (*unmatched, *self._left):
            if old is track or old.track in found or not self._is_known(old) or old.track > track.track:
                continue
            if int(old.evidence.log_probs()[:NONE].argmax()) != face:
                continue
            if old in self._left:
                self._left.remove(old)
                self._tracks.append(old)
            found.add(old.track)
            old.see(track.quad, FACE, track.score, self._t_ms)
            old.read(log_probs, self._weight(old))
            self._tracks.remove(track)
            return True
        return False

    def _join_doubles(self) -> None:
        """Find cards that are followed twice, in one place or hidden in one and seen in another: a face exists once."""
        self._join_parts()
        self._join_same_corners()
        seen: dict[int, CardTrack] = {}
        hidden: list[tuple[int, CardTrack]] = []
        for track in list(self._tracks):
            face = int(track.evidence.log_probs()[:NONE].argmax())
            if not self._is_known(track):
                first = seen.get(face)
                if first is not None and self._is_double(track, first):
                    self._tracks.remove(track)
            else:
                if track.is_missing:
                    hidden.append((face, track))
                elif covered_part(track.quad, [seen.setdefault(face, track).quad]) < _SAME_PLACE:
                    continue
                elif seen[face] is not track:  # the detector gave two boxes for one card
                    self._tracks.remove(track)
        for face, old in hidden:
            new = seen.get(face)
            if new is None:
                continue
            if self._teller.has_told(new) or new.track < old.track:
                self._tracks.remove(old)
                continue
            old.see(new.quad, FACE, new.score, self._t_ms)
            old.evidence.join(new.evidence)
            self._tracks.remove(new)

    def _join_same_corners(self) -> None:
        """Drop what is not a card of its own: boxes apart from each other whose corners turn out to be one card's."""
        placed = [
            (track, track.quad + track.corner_shift)
            for track in self._tracks
            if track.corner_shift is not None and not track.is_missing and not track.is_moving
        ]
        if len(placed) < 2:
            return
        areas = quad_areas(np.stack([corners for _, corners in placed]))
        small = areas < _PIECE_AREA * np.median(areas)
        # Pieces last, else the older first, and of two that came together the surer box.
        order = sorted(
            range(len(placed)),
            key=lambda i: (small[i], not placed[i][0].is_real, placed[i][0].first_ms, -placed[i][0].score),
        )
        kept: list[tuple[CardTrack, Quad]] = []
        for track, corners in (placed[i] for i in order):
            whole = next(
                (card for card, other in kept if covered_part(corners, [other]) >= _SAME_CORNERS), None
            )
            if whole is None:
                kept.append((track, corners))
            else:
                self._tracks.remove(track)
                self._pieces.append((track.quad.copy(), whole))

    def _without_pieces(self, cards: Detections) -> Detections:
        """Leave out boxes that turned out to be of a piece of a card, as long as that card lies there."""
        self._pieces = [
            (box, card)
            for box, card in self._pieces
            if card in self._tracks and not card.is_missing and not card.is_moving
        ]
        if not self._pieces or not len(cards):
            return cards
        boxes = np.stack([box for box, _ in self._pieces])
        apart = np.abs(cards.quads[:, None] - boxes[None]).mean(axis=(2, 3)).min(axis=1)
        return cards.pick(apart > _SAME_BOX * cards.sizes.max(axis=1))

    def _is_double(self, track: CardTrack, known: CardTrack) -> bool:
        """Tell whether a box that has just been found and likeliest shows the face of a known card is a part of it."""
        if track.is_real or track.is_back or track.evidence.reads == 0:
            return False
        return covered_part(track.quad, [known.quad]) >= _SAME_PLACE

    def _join_parts(self) -> None:
        """Let a card that was followed by half of it be the whole card that is seen there now."""
        for old in [
            track for track in self._tracks if track.is_missing and self._completer.is_part(track.quad)
        ]:
            for new in self._tracks:
                if new.is_missing or new.is_back or new.track < old.track:
                    continue
                if covered_part(old.quad, [new.quad]) >= _PART_OF:
                    old.see(new.quad, FACE, new.score, self._t_ms)
                    old.evidence = new.evidence
                    self._tracks.remove(new)
                    break

    def _split(self, track: CardTrack, log_probs: npt.NDArray[np.float64]) -> None:
        """Find that another card lies where this one was: the one known before is missing from now on."""
        other = self._new(track.quad, FACE, track.score)
        other.hits = self._settings.seen_before_real
        other.evidence.add(log_probs, 1.0)
        other.evidence.add(log_probs, 1.0)
        track.contradictions = 0
        self._miss(track)

    def _miss(self, track: CardTrack) -> None:
        if self._is_under_hand(track) or self._motion.is_at(track.quad) or self._is_under_cards(track):
            track.hide(self._t_ms)
        else:
            track.find_empty(self._t_ms)

    def _is_under_hand(self, track: CardTrack) -> bool:
        return covered_part(track.quad, self._hands) >= self._settings.hand_covers

    def _is_under_cards(self, track: CardTrack) -> bool:
        over = [
            other.quad
            for other in self._tracks
            if other is not track and not other.is_missing and other.track > track.track
        ]
        return covered_part(track.quad, over) >= self._settings.card_covers

    # -- what is real, and where it belongs -----------------------------------------------------------------------

    def _zone(self) -> None:
        """Find which face-up cards lie on a pile of backs, such as the marker of a sweep."""
        for track in self._tracks:
            if self._is_pile(track):
                self._piles[track.track] = track.quad.copy()
        backs = list(self._piles.values())
        markers = [track for track in self._tracks if track.zone_is_pile and not track.is_back]
        for track in self._tracks:
            # A pile does not grow under a card that lies there: what is taken for one is a box of that card.
            if track.is_back or track.is_missing or self._teller.lies_as_told(track):
                continue
            # A second marker may lie on the first one, and beside all of the pile that is seen.
            on = [*backs, *(marker.quad for marker in markers if marker is not track)]
            # What belongs to a pile is pushed aside a little when more cards come to it, and still belongs to it.
            least = 0.0 if track.zone_is_pile else self._settings.pile_covers
            track.zone_is_pile = covered_part(track.quad, on) > least

    def _is_pile(self, track: CardTrack) -> bool:
        settings = self._settings
        return (
            track.is_back
            and track.hits >= settings.seen_before_pile
            and track.still_for(self._t_ms) >= settings.pile_ms
            and (track.evidence.reads == 0 or float(np.exp(track.evidence.log_probs()[NONE])) >= 0.5)
        )

    def _drop_unreal(self) -> None:
        """Let cards go whose place was seen empty, and doubtful sights that were not confirmed."""
        kept = []
        for track in self._tracks:
            if not track.is_missing:
                kept.append(track)
            elif track.has_left(self._t_ms) or (not self._teller.has_told(track) and self._is_fleeting(track)):
                self._left.append(track)
            else:
                kept.append(track)
        self._tracks = kept

    def _is_fleeting(self, track: CardTrack) -> bool:
        """Tell whether a card that was never told may be let go although its place is not seen: it was in motion."""
        return track.is_moving and self._t_ms - track.last_ms >= 2 * self._settings.empty_ms

    # -- telling --------------------------------------------------------------------------------------------------

    def _on_table(self) -> list[CardTrack]:
        return [
            track
            for track in self._tracks
            if not track.is_back
            and not track.zone_is_pile
            and track.is_real
            and (self._teller.has_told(track) or not track.is_moving)
        ]

    def _tell(self) -> list[TableChange]:
        lying = self._on_table()
        is_covered = any(
            track.is_missing and track.hidden_since_ms is not None and self._is_under_hand(track)
            for track in lying
        )
        if not self._teller.is_due(
            lying, self._left, is_at_rest=self._is_at_rest(), is_covered=is_covered, t_ms=self._t_ms
        ):
            return []
        return self._take_look(lying)

    def _take_look(self, lying: list[CardTrack]) -> list[TableChange]:
        changes = self._teller.tell(lying, self._left, self._t_ms)
        self._left = []
        return changes

    def _is_at_rest(self) -> bool:
        for track in self._tracks:
            if track.is_back or track.zone_is_pile:
                continue
            if track.is_missing:
                # Its place is being looked at: whether it has left will be known in a moment.
                if track.empty_since_ms is not None and (self._teller.has_told(track) or track.is_real):
                    return False
            elif self._is_coming(track):
                return False
        return True

    def _is_coming(self, track: CardTrack) -> bool:
        """Tell whether a card is on its way, or has been seen but not often enough to count."""
        is_new = track.hits < self._settings.seen_before_real and track.evidence.reads > 0
        if not (track.is_moving or is_new):
            return False
        return float(np.exp(track.evidence.log_probs()[NONE])) < self._settings.not_a_card


def _resting(track: CardTrack) -> Quad:
    """Return where a card lies, or lay before it seemed to move."""
    return track.rest_quad if track.is_moving and track.rest_quad is not None else track.quad
