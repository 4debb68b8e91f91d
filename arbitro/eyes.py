"""What looks at frames: detector, classifier and tabletop together.

Owns which deck is looked for and how often the picture itself is judged. What follows from what is seen is the live
table's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arbitro.errors import UnusableInputError
from arbitro.match import Match
from arbitro.memory import Family, Memory, known_again
from arbitro.pipeline import Eyes, Sight
from arbitro.settings import Settings
from rules.cards import FRENCH_40_CODES, FRENCH_CODES, ITALIAN_CODES
from rules.record import CAPTURE_GAMES
from rules.tracker import Reach, SeenCard, TableLook
from vision.boxes import is_card
from vision.camera import Frame
from vision.checks import Checker
from vision.classifier import Classifier, Readings
from vision.detections import FACE, Detections
from vision.detector import Detector
from vision.models import Models
from vision.reading import which_deck
from vision.tabletop import StableCard, StableLook, TableCard, Tabletop

# Readings of cards, and the share of one kind of deck among them, from which the deck counts as known. Four cards of an
# opening table seen twice are enough; a single misread card is not.
_VOTES = 8
_VOTES_FOR_ONE = 0.95
# The picture is judged this often in media time: light changes slowly.
_CHECK_EVERY_MS = 10_000
# What of the checks is worth a warning during play, and under which code.
_WARNED_OF = {
    "light": "too-dark",
    "overexposed": "too-bright",
    "focus": "out-of-focus",
    "card-size": "cards-too-small",
    "glare": "glare",
}


class CardEyes:
    """Find cards in frames and follow them.

    Args:
        detector: finds cards and hands.
        classifier: reads faces.
        faces: by kind of deck, the codes that the game is played with.
        memory: what is known from before; a kind of deck that is not known is found out from the first cards.
    """

    def __init__(
        self,
        detector: Detector,
        classifier: Classifier,
        faces: dict[Family, tuple[str, ...]],
        memory: Memory,
    ) -> None:
        self._detector = detector
        self._classifier = classifier
        self._faces = faces
        self._family = memory.family if memory.family in faces else None
        if len(faces) == 1:
            (self._family,) = faces
        self._first_track = memory.first_track
        self._before = memory.look
        self._numbers: dict[int, int] = {}
        self._tabletop: Tabletop | None = None
        self._votes: list[npt.NDArray[np.float32]] = []
        self._checked_ms = -_CHECK_EVERY_MS

    @property
    def is_restless(self) -> bool:
        """Whether something is still to be found out: the next frame should be looked at soon."""
        return self._tabletop is None or not self._tabletop.is_settled

    def look(self, frame: Frame) -> Sight:
        """Look at a frame; frames come in the order of their times."""
        found = self._detector.detect(frame.image)
        t_ms = int(frame.t_ms)
        tabletop = self._tabletop or self._begun(frame, found)
        if tabletop is None:
            return Sight([], warnings=self._judged(frame, found))

        def read(quads: npt.NDArray[np.float32]) -> Readings:
            return self._classifier.read(frame.image, quads)

        tabletop.update(frame.image, t_ms, found, read)
        looks = self._known(tabletop.take_looks())
        return Sight(
            cards=[_shown(card, self._numbers.get(card.track, card.track)) for card in tabletop.cards()],
            looks=looks,
            warnings=self._judged(frame, found),
            deck=self._family,
        )

    def close_look(self, t_ms: int) -> tuple[TableLook, ...]:
        """Return what is still to be said when no more frames come."""
        return () if self._tabletop is None else self._known(self._tabletop.close(t_ms))

    def _known(self, stable: Sequence[StableLook]) -> tuple[TableLook, ...]:
        """Return looks in which cards that lay there before this watch began have the numbers that they had then."""
        looks = []
        for look in stable:
            if self._before is not None:
                self._numbers = known_again(self._before, _table_look(look, {}))
                self._before = None
            looks.append(_table_look(look, self._numbers))
        return tuple(looks)

    def _begun(self, frame: Frame, found: Detections) -> Tabletop | None:
        """Begin with an empty table as soon as the deck is known, so that no other deck's faces get in the way."""
        if self._family is None:
            faces = found.of(FACE)
            if len(faces):
                self._votes.extend(self._classifier.read(frame.image, faces.quads).log_probs)
            if len(self._votes) < _VOTES:
                return None
            family, share = which_deck(np.stack(self._votes))
            # Votes that do not agree are old ones mixed with new ones: only the newest are kept.
            del self._votes[:-_VOTES]
            if family is None or share < _VOTES_FOR_ONE or family not in self._faces:
                return None
            self._family = family
        self._tabletop = Tabletop(self._faces[self._family], first_track=self._first_track)
        return self._tabletop

    def _judged(self, frame: Frame, found: Detections) -> dict[str, dict[str, Any] | None]:
        """Return warnings of the picture by code, None for what is in order; empty while it is not judged again."""
        if frame.t_ms - self._checked_ms < _CHECK_EVERY_MS or not np.any(is_card(found.class_ids)):
            return {}
        self._checked_ms = int(frame.t_ms)
        checker = Checker(live=False)
        checker.look(frame)
        checker.take(frame.image, found)
        warnings: dict[str, dict[str, Any] | None] = {}
        for check in checker.checks():
            if check.code in _WARNED_OF:
                args = (
                    {"pixels": round(check.value)}
                    if check.code == "card-size" and check.value is not None
                    else {}
                )
                warnings[_WARNED_OF[check.code]] = args if check.verdict == "bad" else None
        return warnings


def eyes_maker(match: Match, deck: str, settings: Settings) -> Callable[[Memory], Eyes]:
    """Return what makes the eyes for a match, given what is known from before; `deck` is "auto" or a kind of deck.

    Raises `vision.models.ModelError` at once if a model is missing or unfit, `UnusableInputError` if the game is not
    played with that kind of deck.
    """
    faces = faces_of(match.game)
    if deck != "auto":
        if deck not in faces:
            raise UnusableInputError(f"{match.game} is not played with {deck} cards: leave --deck away")
        faces = {kind: codes for kind, codes in faces.items() if kind == deck}
    models = Models(threads=settings.computing.threads)
    detector, classifier = Detector(models), Classifier(models)
    return lambda memory: CardEyes(detector, classifier, faces, memory)


def faces_of(game: str) -> dict[Family, tuple[str, ...]]:
    """Return the codes that a game is played with, by kind of deck."""
    if game == "slurp":
        return {"french": FRENCH_40_CODES}
    if game == "scupuni":
        return {"italian": ITALIAN_CODES}
    if game in CAPTURE_GAMES:
        return {"italian": ITALIAN_CODES, "french": FRENCH_40_CODES}
    return {"french": FRENCH_CODES}


def _shown(card: TableCard, track: int) -> dict[str, Any]:
    return {
        "track": track,
        "card": card.card,
        "confidence": round(card.confidence, 3),
        "candidates": [[code, round(probability, 3)] for code, probability in card.candidates],
        "quad": [[round(float(x)), round(float(y))] for x, y in card.quad],
        "state": card.state,
        "face": card.face,
        "zone": card.zone,
    }


def _table_look(look: StableLook, numbers: Mapping[int, int]) -> TableLook:
    def cards(stable: tuple[StableCard, ...]) -> tuple[SeenCard, ...]:
        return tuple(SeenCard(numbers.get(card.track, card.track), card.probabilities) for card in stable)

    reached = tuple(
        Reach(numbers.get(reach.track, reach.track), reach.moment, reach.side_deg, reach.weight)
        for reach in look.reached
    )
    return TableLook(look.t_ms, cards(look.cards), cards(look.passed), reached)
