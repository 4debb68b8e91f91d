"""What looks at frames: detector, classifier and tabletop together.

Owns which deck is looked for and how often the picture itself is judged. What follows from what is seen is the live
table's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from arbitro.decksight import AUTO, KINDS, DeckChoice, DeckSight, EnrolledDecks
from arbitro.deckstore import DeckStore
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
from vision.detections import Detections
from vision.detector import Detector
from vision.finder import CardFinder
from vision.models import Models
from vision.tabletop import StableCard, StableLook, TableCard, Tabletop

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
        finder: finds cards and hands.
        classifier: reads faces.
        faces: by kind of deck, the codes that the game is played with.
        memory: what is known from before; a deck that is not known is found out from the first cards.
        choice: which deck people want, and may come to want while the table is watched.
        decks: enrolled decks.
    """

    def __init__(
        self,
        finder: CardFinder,
        classifier: Classifier,
        faces: dict[Family, tuple[str, ...]],
        memory: Memory,
        choice: DeckChoice | None = None,
        decks: EnrolledDecks | None = None,
    ) -> None:
        self._finder = finder
        self._faces = faces
        self._deck = DeckSight(classifier, faces, choice, decks, memory.family)
        self._first_track = memory.first_track
        self._before = memory.look
        self._numbers: dict[int, int] = {}
        self._tabletop: Tabletop | None = None
        self._laid: Family | None = None
        self._checked_ms = -_CHECK_EVERY_MS

    @property
    def is_restless(self) -> bool:
        """Whether something is still to be found out: the next frame should be looked at soon."""
        return self._tabletop is None or not self._tabletop.is_settled

    def look(self, frame: Frame) -> Sight:
        """Look at a frame; frames come in the order of their times."""
        image = self._deck.turned_back(frame.image)
        frame = Frame(image, frame.t_ms, frame.index)
        found = self._finder.find(image).scoring(self._finder.detector.score).detections
        t_ms = int(frame.t_ms)
        if self._deck.look_into_mirror(image, found):
            # What was followed so far lay in the mirror: it begins anew with the next frame.
            self._leave_tabletop()
            return Sight([], warnings=self._warnings(frame, found))
        if self._deck.take_choice() and self._tabletop is not None:
            if self._deck.family == self._laid:
                self._tabletop.forget_faces()
            else:
                self._leave_tabletop()
        tabletop = self._tabletop or self._begun(image, found)
        if tabletop is None:
            return Sight([], warnings=self._warnings(frame, found))

        def read(quads: npt.NDArray[np.float32]) -> Readings:
            return self._deck.read(image, quads)

        tabletop.update(image, t_ms, found, read)
        looks = self._known(tabletop.take_looks())
        cards = tabletop.cards()
        quads = self._deck.as_shown(
            np.array([card.quad for card in cards], np.float32).reshape(-1, 4, 2), image.shape[1]
        )
        return Sight(
            cards=[
                _shown(card, quad, self._numbers.get(card.track, card.track))
                for card, quad in zip(cards, quads, strict=True)
            ],
            looks=looks,
            warnings=self._warnings(frame, found),
            deck=self._deck.name,
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

    def _begun(self, image: npt.NDArray[np.uint8], found: Detections) -> Tabletop | None:
        """Begin with an empty table as soon as the deck is known, so that no other deck's faces get in the way."""
        if not self._deck.find_out(image, found) or self._deck.family is None:
            return None
        self._laid = self._deck.family
        self._tabletop = Tabletop(self._faces[self._laid], first_track=self._first_track)
        return self._tabletop

    def _leave_tabletop(self) -> None:
        """Forget what lies on the table; cards that are found again get numbers of their own."""
        if self._tabletop is not None:
            self._first_track = max(self._first_track, self._tabletop.next_track)
        self._tabletop = None

    def _warnings(self, frame: Frame, found: Detections) -> dict[str, Mapping[str, Any] | None]:
        return {**self._judged(frame, found), **self._deck.take_warnings()}

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


def eyes_maker(
    match: Match,
    deck: str,
    settings: Settings,
    choice: DeckChoice | None = None,
    store: DeckStore | None = None,
) -> Callable[[Memory], Eyes]:
    """Return what makes the eyes for a match, given what is known from before.

    Args:
        match: what is played.
        deck: "auto", a kind of deck, or the name of an enrolled deck.
        settings: tuning.
        choice: where people may want another deck later; it begins with `deck`.
        store: where enrolled decks are kept; the program's own place by default.

    Raises:
        ModelError: at once, if a model is missing or unfit.
        UnusableInputError: if the game is not played with that kind of deck.
        GalleryError: if there is no enrolled deck of that name.
    """
    models = Models(threads=settings.computing.threads)
    classifier = Classifier(models)
    finder = CardFinder(Detector(models), classifier.corners)
    decks = EnrolledDecks(store or DeckStore(), classifier)
    if deck != AUTO:
        kind = deck if deck in KINDS else decks.get(deck).family
        if kind not in faces_of(match.game):
            raise UnusableInputError(f"{match.game} is not played with {kind} cards: leave --deck away")
    choice = choice or DeckChoice()
    choice.choose(deck)
    return lambda memory: CardEyes(
        finder, classifier, faces_of(memory.game or match.game), memory, choice, decks
    )


def faces_of(game: str) -> dict[Family, tuple[str, ...]]:
    """Return the codes that a game is played with, by kind of deck."""
    if game == "slurp":
        return {"french": FRENCH_40_CODES}
    if game == "scupuni":
        return {"italian": ITALIAN_CODES}
    if game in CAPTURE_GAMES:
        return {"italian": ITALIAN_CODES, "french": FRENCH_40_CODES}
    return {"french": FRENCH_CODES}


def _shown(card: TableCard, quad: npt.NDArray[np.float32], track: int) -> dict[str, Any]:
    return {
        "track": track,
        "card": card.card,
        "confidence": round(card.confidence, 3),
        "candidates": [[code, round(probability, 3)] for code, probability in card.candidates],
        "quad": [[round(float(x)), round(float(y))] for x, y in quad],
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
