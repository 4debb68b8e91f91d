"""One physical card over time: where it was seen, what was read of it, how sure it is that it lies there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vision.detections import BACK
from vision.tabletop.evidence import FaceEvidence
from vision.tabletop.geometry import Quad, aligned, card_height
from vision.tabletop.settings import TabletopSettings

# How fast a still card's outline follows the detector's, which trembles.
_SMOOTHING = 0.3
# Another face read in the place of a card that has been sure for so long is another card's.
_SETTLED_MS = 1500
# What belongs to the place where a card is seen and not to the card.
_OF_PLACE = (
    "quad", "rest_quad", "step", "score", "is_moving", "last_ms", "zone_is_pile", "_still_since_ms", "_back_votes",
)  # fmt: skip
# A card that was face up and is seen face down this often has been turned over.
_MOST_VOTES = 6


class CardTrack:
    """Follow one card. Its times are media times in milliseconds, its lengths card heights."""

    __slots__ = (
        "_back_votes",
        "_settings",
        "_still_since_ms",
        "contradictions",
        "corner_shift",
        "disturbed",
        "empty_looks",
        "empty_since_ms",
        "evidence",
        "first_ms",
        "hidden_since_ms",
        "hits",
        "is_missing",
        "is_moving",
        "last_ms",
        "quad",
        "reads_since_moved",
        "rest_quad",
        "score",
        "step",
        "track",
        "zone_is_pile",
    )

    def __init__(
        self,
        track: int,
        quad: Quad,
        class_id: int,
        score: float,
        t_ms: int,
        classes: int,
        settings: TabletopSettings,
    ) -> None:
        """Begin with a first sight of a card."""
        self._settings = settings
        self.track = track
        self.quad = np.array(quad, np.float32)
        self.rest_quad: Quad | None = None
        # How far the card's own corners lie from its box's, as far as they were looked for.
        self.corner_shift: Quad | None = None
        self.score = score
        self.evidence = FaceEvidence(classes, settings.evidence_cap)
        self.first_ms = self.last_ms = t_ms
        self.hits = 1
        self.step = np.zeros(2)
        self.is_moving = True
        self.is_missing = False
        self.empty_looks = 0
        self.empty_since_ms: int | None = None
        self.hidden_since_ms: int | None = None
        self.reads_since_moved = 0
        self.contradictions = 0
        self.disturbed = False
        self.zone_is_pile = False
        self._still_since_ms = t_ms
        self._back_votes = 1.0 if class_id == BACK else -1.0

    @property
    def is_back(self) -> bool:
        """Whether it lies face down, by vote of the detector; a face that can be read overrules it."""
        return self._back_votes > 0 and not self.shows_face

    @property
    def shows_face(self) -> bool:
        """Whether a face was read so surely that it cannot be a back."""
        if self.evidence.reads < 2 or self.zone_is_pile:
            return False
        held = self.evidence.log_probs()
        return int(held.argmax()) != len(held) - 1 and float(np.exp(held.max())) >= self._settings.face_up

    @property
    def is_real(self) -> bool:
        """Whether it has been seen often enough to count, and is a card for all that was read of it."""
        if self.hits < self._settings.seen_before_real or self.evidence.reads == 0:
            return False
        return float(np.exp(self.evidence.log_probs()[-1])) < self._settings.not_a_card

    @property
    def height_px(self) -> float:
        """The card's height in pixels of the picture."""
        return max(card_height(self.quad), 1.0)

    @property
    def centre(self) -> npt.NDArray[np.float32]:
        """The centre of its quad, (2,) in pixels."""
        return np.asarray(self.quad.mean(axis=0), np.float32)

    @property
    def expected_centre(self) -> npt.NDArray[np.floating]:
        """Where its centre should be seen next, (2,) in pixels."""
        return self.centre + self.step if self.is_moving and not self.is_missing else self.centre

    def still_for(self, t_ms: int) -> int:
        """Return for how many milliseconds it has been lying still."""
        return 0 if self.is_moving else t_ms - self._still_since_ms

    def see(self, quad: Quad, class_id: int, score: float, t_ms: int) -> None:
        """Take a sight of the card in a new picture."""
        quad = aligned(np.asarray(quad, np.float32), self.quad)
        step = quad.mean(axis=0) - self.quad.mean(axis=0)
        bend = float(np.abs(quad - self.quad - step).mean())
        moved = (float(np.hypot(*step)) + bend) / self.height_px
        if moved > self._settings.still_step * (1.0 if self.is_moving else 2.0):
            if not self.is_moving:
                self.reads_since_moved = 0
                self.disturbed = True
            self.is_moving = True
            self._still_since_ms = t_ms
            self.quad = quad
            self.step = np.asarray(step, np.float64)
        else:
            self.is_moving = t_ms - self._still_since_ms < self._settings.still_ms and self.is_moving
            self.quad = np.asarray(self.quad + _SMOOTHING * (quad - self.quad), np.float32)
            self.step = np.zeros(2)
            if not self.is_moving:
                self.rest_quad = self.quad
        vote = score if class_id == BACK else -score
        self._back_votes = float(np.clip(self._back_votes + vote, -_MOST_VOTES, _MOST_VOTES))
        self.score = score
        self.hits += 1
        self.found_again(t_ms)

    def doubt(self) -> None:
        """Take it that another card may lie where this one was: it is due to be read again."""
        self.reads_since_moved = 0
        self.disturbed = True

    def change_places(self, other: CardTrack) -> None:
        """Take the other's place in the picture, and give it this one's; what each is stays with it."""
        for name in _OF_PLACE:
            mine, its = getattr(self, name), getattr(other, name)
            setattr(self, name, its)
            setattr(other, name, mine)
        for track in (self, other):
            track.contradictions = 0
            track.doubt()

    def found_again(self, t_ms: int) -> None:
        """Take it that the card is where it was."""
        if self.is_missing:
            self.disturbed = True
        self.is_missing = False
        self.last_ms = t_ms
        self.empty_looks = 0
        self.empty_since_ms = None
        self.hidden_since_ms = None

    def find_at_rest(self, t_ms: int) -> None:
        """Take it that the card lies where it lay still last: what seemed to move it was a box of part of it."""
        if self.is_moving and self.rest_quad is not None:
            self.quad = self.rest_quad
            self.is_moving = False
            self._still_since_ms = t_ms
        self.step = np.zeros(2)
        self.found_again(t_ms)

    def hide(self, t_ms: int) -> None:
        """Take it that something lies over the card, or moves there."""
        self.is_missing = True
        self.disturbed = True
        self.empty_looks = 0
        self.empty_since_ms = None
        if self.hidden_since_ms is None:
            self.hidden_since_ms = t_ms
        self.step = np.zeros(2)

    def find_empty(self, t_ms: int) -> None:
        """Take it that the card's place was seen without the card."""
        self.is_missing = True
        self.empty_looks += 1
        self.hidden_since_ms = None
        if self.empty_since_ms is None:
            self.empty_since_ms = t_ms
        self.step = np.zeros(2)

    def has_left(self, t_ms: int) -> bool:
        """Tell whether its place has been seen empty for long enough."""
        return (
            self.empty_since_ms is not None
            and self.empty_looks >= self._settings.empty_looks
            and t_ms - self.empty_since_ms >= self._settings.empty_ms
        )

    def read(self, log_probs: npt.NDArray[np.floating], weight: float) -> bool:
        """Take a reading of its face.

        Returns:
            Whether readings show that another card lies where this one was.
        """
        self.reads_since_moved += 1
        held = self.evidence.log_probs()
        top = int(log_probs.argmax())
        was_sure = self.evidence.reads >= 3 and float(np.exp(held.max())) >= 0.95
        # A face that held so long was not wrong from the beginning, even if no hand was seen to lay a card on it.
        is_settled = was_sure and (self.disturbed or self.last_ms - self.first_ms >= _SETTLED_MS)
        least = self._settings.another_when_settled if is_settled else self._settings.another_card
        is_other = (
            self.evidence.reads >= 2
            and top != int(held.argmax())
            and float(np.exp(log_probs[top])) >= least
            and float(np.exp(log_probs[int(held.argmax())])) < 1 - self._settings.another_card
        )
        if is_settled and not is_other and top != int(held.argmax()):
            return False  # a view of part of it, with something over it, says nothing of a face that is sure
        if not is_other:
            self.contradictions = 0
            self.disturbed = False
            self.evidence.add(log_probs, weight)
            return False
        self.contradictions += 1
        if self.contradictions < 2:
            return False
        if is_settled:
            return True
        # Nothing happened to the card: its first readings were wrong, and weigh no more than one from now on.
        fresh = FaceEvidence(len(held), self._settings.evidence_cap)
        fresh.add(held, 0.5)
        fresh.add(log_probs, weight)
        fresh.add(log_probs, weight)
        self.evidence = fresh
        self.contradictions = 0
        return False
