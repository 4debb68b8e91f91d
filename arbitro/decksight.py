"""Which deck lies on the table: found by vote over the first cards, kept for the session, changed by people.

Owns the choice of a deck and reading with it, and what is said when the cards are of no deck that is known, of two
decks at once, or seen in a mirror. Finding cards and following them is not its business.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from arbitro.deckstore import DeckStore
from arbitro.memory import Family
from vision.classifier import FRENCH, ITALIAN, NONE, Classifier, Readings
from vision.detections import FACE, Detections
from vision.gallery import GalleryError
from vision.likeness import KnownDeck, Pooling, choose_deck, is_unknown
from vision.mirror import FEWEST_CARDS, looks_mirrored, mirrored_quads
from vision.reading import OTHER_KIND_FROM, which_deck

AUTO = "auto"
KINDS: tuple[Family, ...] = ("italian", "french")
# Readings of cards, and the share of one kind of deck among them, from which the deck counts as known. Four cards of an
# opening table seen twice are enough; a single misread card is not.
_VOTES = 8
_VOTES_FOR_ONE = 0.95
# Readings after which it is said that the deck is not known; a deal seen in motion reads badly for a while.
_VOTES_FOR_UNKNOWN = 40
# Readings over which an enrolled deck may still be known again after play has begun.
_VOTES_FOR_ENROLLED = 60
# Readings of cards that do not belong to the deck, among the last ones, from which it is said.
_STRANGERS = 3
_LAST_READINGS = 40
# Looks with enough cards that are held into the mirror, and how many of them must say that the picture is mirrored.
_MIRROR_LOOKS = 3
_MIRRORED_LOOKS = 2


class DeckChoice:
    """Hold what people want: "auto", a kind of deck, or the name of an enrolled one. Any thread may change it."""

    def __init__(self, wanted: str = AUTO) -> None:
        self._lock = threading.Lock()
        self._wanted = wanted
        self._version = 0

    @property
    def wanted(self) -> str:
        """What people want now."""
        with self._lock:
            return self._wanted

    @property
    def version(self) -> int:
        """How often they have changed it."""
        with self._lock:
            return self._version

    def choose(self, wanted: str) -> None:
        """Want another deck from now on."""
        with self._lock:
            self._wanted = wanted
            self._version += 1


class EnrolledDecks:
    """Give enrolled decks ready for reading; each is made ready once, and again when its file has changed.

    Args:
        store: where they are kept.
        classifier: what they are read with.
    """

    def __init__(self, store: DeckStore, classifier: Classifier) -> None:
        self._store = store
        self._classifier = classifier
        self._ready: dict[tuple[str, int], KnownDeck] = {}
        self._lock = threading.Lock()

    def get(self, name: str) -> KnownDeck:
        """Return a deck.

        Raises:
            GalleryError: if there is none of that name.
        """
        with self._lock:
            version = self._store.version(name)
            if (name, version) not in self._ready:
                deck = KnownDeck(self._store.load(name, self._classifier), self._classifier)
                # Features that were computed just now are in the file: it has changed by that.
                version = self._store.version(name)
                self._ready[name, version] = deck
            return self._ready[name, version]

    def of(self, families: Iterable[Family]) -> list[KnownDeck]:
        """Return all decks with the cards of some kinds; damaged ones are passed over."""
        decks = []
        for name in self._store.names():
            try:
                deck = self.get(name)
            except GalleryError:
                continue
            if deck.family in families:
                decks.append(deck)
        return decks


class DeckSight:
    """Find out which deck lies on the table, and read its cards.

    Args:
        classifier: reads faces.
        families: kinds of deck that the game is played with.
        choice: what people want.
        decks: enrolled decks; None knows none.
        family: kind of deck that is known from before.
    """

    def __init__(
        self,
        classifier: Classifier,
        families: Iterable[Family],
        choice: DeckChoice | None = None,
        decks: EnrolledDecks | None = None,
        family: Family | None = None,
    ) -> None:
        self._classifier = classifier
        self._families = tuple(families)
        self._choice = choice or DeckChoice()
        self._decks = decks
        self._version = self._choice.version
        self._known: KnownDeck | None = None
        self._votes: list[Readings] = []
        self._votes_seen = 0
        self._pooling = Pooling.of(classifier.details)
        self._strangers: deque[bool] = deque(maxlen=_LAST_READINGS)
        self._warnings: dict[str, Mapping[str, Any] | None] = {}
        self._mirror_looks: list[bool] = []
        self.mirrored = False
        self.family: Family | None = family if family in self._families else None
        if len(self._families) == 1:
            (self.family,) = self._families
        self._candidates = [] if decks is None else decks.of(self._families)
        self._take(self._choice.wanted)

    @property
    def name(self) -> str | None:
        """The enrolled deck's name, else the kind of deck; None while it is not known."""
        return self._known.name if self._known is not None else self.family

    def take_choice(self) -> bool:
        """Follow what people want, if they have changed it; tells whether what was read must be read again."""
        if self._choice.version == self._version:
            return False
        self._version = self._choice.version
        self._known = None
        self._votes.clear()
        self._votes_seen = 0
        self._strangers.clear()
        self._candidates = [] if self._decks is None else self._decks.of(self._families)
        for code in ("unknown-deck", "two-kinds"):
            self._warnings[code] = None
        self._take(self._choice.wanted)
        return True

    def _take(self, wanted: str) -> None:
        if wanted == AUTO:
            return
        if wanted in KINDS:
            if wanted in self._families:
                self.family = wanted
            self._candidates = []
            return
        try:
            deck = None if self._decks is None else self._decks.get(wanted)
        except GalleryError:
            return  # removed meanwhile: as if nobody had asked
        if deck is not None and deck.family in self._families:
            self._known, self.family, self._candidates = deck, deck.family, []

    def turned_back(self, image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Return a picture as it would be without a mirror."""
        return np.ascontiguousarray(image[:, ::-1]) if self.mirrored else image

    def as_shown(self, quads: npt.NDArray[np.float32], width: int) -> npt.NDArray[np.float32]:
        """Return quads (n, 4, 2) of a picture that was turned back as they lie in the picture that came."""
        return mirrored_quads(quads, width) if self.mirrored else quads

    def find_out(self, image: npt.NDArray[np.uint8], found: Detections) -> bool:
        """Look at the faces of a picture, and tell whether the deck is known now.

        Args:
            image: (height, width, 3) uint8, BGR, turned back if it was mirrored.
            found: what lies in it.
        """
        faces = found.of(FACE)
        if self.family is not None or not len(faces):
            return self.family is not None
        readings = self._classifier.read(image, faces.quads)
        self._vote(readings)
        votes = _joined(self._votes)
        if len(votes) < _VOTES:
            return False
        self._know_again(votes)
        if self.family is not None:
            return True
        family, share = which_deck(votes.log_probs)
        # Votes that do not agree are old ones mixed with new ones: only the newest are kept.
        while len(self._votes) > 1 and sum(len(vote) for vote in self._votes[1:]) >= _VOTES:
            del self._votes[0]
        unknown = is_unknown(votes.log_probs, self._pooling.unknown)
        if unknown and self._votes_seen >= _VOTES_FOR_UNKNOWN:
            self._warnings["unknown-deck"] = {}
        if unknown or family is None or share < _VOTES_FOR_ONE or family not in self._families:
            return False
        self.family = family
        return True

    def look_into_mirror(self, image: npt.NDArray[np.uint8], found: Detections) -> bool:
        """Find out in the first looks with enough cards whether the camera mirrors; tells whether that is news.

        Args:
            image: (height, width, 3) uint8, BGR, as it came.
            found: what lies in it.
        """
        faces = found.of(FACE)
        if len(self._mirror_looks) >= _MIRROR_LOOKS or len(faces) < FEWEST_CARDS:
            return False
        readings = self._classifier.read(image, faces.quads)
        self._mirror_looks.append(looks_mirrored(image, faces, readings, self._classifier, self._known))
        if sum(self._mirror_looks) < _MIRRORED_LOOKS:
            return False
        self.mirrored = True
        self._mirror_looks = [False] * _MIRROR_LOOKS
        self._votes.clear()
        self._warnings["mirrored"] = {}
        return True

    def read(self, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.float32]) -> Readings:
        """Read cards as those of the deck."""
        readings = self._classifier.read(image, quads)
        self._look_for_strangers(readings)
        if self._known is None and self._candidates and self._votes_seen < _VOTES_FOR_ENROLLED:
            self._vote(readings)
            self._know_again(_joined(self._votes))
        return readings if self._known is None else self._known.read(readings)

    def take_warnings(self) -> dict[str, Mapping[str, Any] | None]:
        """Return what has become known since the last call: by code, arguments, or None for what holds no longer."""
        warnings, self._warnings = self._warnings, {}
        return warnings

    def _vote(self, readings: Readings) -> None:
        self._votes.append(readings)
        self._votes_seen += len(readings)

    def _know_again(self, votes: Readings) -> None:
        deck = choose_deck(votes, self._candidates)
        if deck is not None and self.family in (None, deck.family):
            self._known, self.family = deck, deck.family
            self._warnings["unknown-deck"] = None

    def _look_for_strangers(self, readings: Readings) -> None:
        """Notice cards of the other kind: an Italian and a French card cannot be of one deck."""
        if self.family is None or (self._known is not None and self._known.gallery.kind == "other"):
            return
        other = FRENCH if self.family == "italian" else ITALIAN
        best = np.exp(readings.log_probs[:, other].max(axis=1, initial=-np.inf))
        self._strangers.extend((best >= OTHER_KIND_FROM).tolist())
        held = sum(self._strangers) >= _STRANGERS
        if held or (len(self._strangers) == _LAST_READINGS and not any(self._strangers)):
            self._warnings["two-kinds"] = {} if held else None



def _joined(parts: list[Readings]) -> Readings:
    """Return readings one after the other, without their pictures: a deck is known again by its features."""
    if not parts:
        return Readings(
            np.zeros((0, NONE + 1), np.float32), np.zeros((0, 1), np.float32), np.zeros(0, bool), np.zeros(0, bool)
        )
    return Readings(
        np.concatenate([part.log_probs for part in parts]),
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.upside_down for part in parts]),
        np.concatenate([part.turned for part in parts]),
    )
