from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from arbitro.decksight import DeckChoice, DeckSight, EnrolledDecks
from rules.cards import FRENCH_CODES, ITALIAN_CODES
from tests.vision.test_likeness import deck, readings
from vision.classifier import Classifier, Readings
from vision.detections import FACE, Detections
from vision.gallery import GalleryError
from vision.likeness import KnownDeck

IMAGE = np.zeros((400, 900, 3), np.uint8)


class Enrolled:
    """Decks 0 (Italian) and 1 (French), as a store would give them."""

    def __init__(self) -> None:
        self.decks = {"deck 0": deck(number=0), "deck 1": deck(FRENCH_CODES, 1, "french")}

    def get(self, name: str) -> KnownDeck:
        if name not in self.decks:
            raise GalleryError(f"there is no deck {name}")
        return self.decks[name]

    def of(self, families: Any) -> list[KnownDeck]:
        return [known for known in self.decks.values() if known.family in families]


class Watching:
    """A table on which cards of a deck lie; the classifier reads them as `seen`."""

    def __init__(self, *codes: str, number: int = 0, seen: dict[str, float] | None = None) -> None:
        self.codes, self.number, self.seen = codes, number, seen

    @property
    def found(self) -> Detections:
        quads = [[[80 * i, 0], [80 * i + 50, 0], [80 * i + 50, 80], [80 * i, 80]] for i in range(len(self.codes))]
        return Detections(np.array(quads, np.float32), np.full(len(quads), 0.9), np.full(len(quads), FACE))

    def read(self, image: np.ndarray, quads: np.ndarray) -> Readings:
        return readings(*self.codes[: len(quads)], number=self.number, seen=self.seen)

    def sight(self, choice: DeckChoice | None = None, families: tuple[str, ...] = ("italian", "french")) -> DeckSight:
        classifier = SimpleNamespace(read=self.read, details={}, size=(64, 40))
        enrolled = cast(EnrolledDecks, Enrolled())
        return DeckSight(cast(Classifier, classifier), families, choice, enrolled)  # type: ignore[arg-type]

    def look(self, sight: DeckSight, times: int = 3) -> bool:
        return any(sight.find_out(IMAGE, self.found) for _ in range(times))


FOUR = ITALIAN_CODES[4:8]


def test_an_enrolled_deck_is_known_again_though_the_classifier_reads_nothing_in_it() -> None:
    table = Watching(*FOUR)
    sight = table.sight()
    assert table.look(sight)
    assert (sight.name, sight.family) == ("deck 0", "italian")
    read = sight.read(IMAGE, table.found.quads)
    assert [ITALIAN_CODES[i] for i in read.log_probs[:, :40].argmax(axis=1)] == list(FOUR)


def test_a_deck_that_is_not_enrolled_is_read_as_its_kind() -> None:
    table = Watching(*FOUR, number=9, seen={"7d": 0.98})
    sight = table.sight()
    assert table.look(sight)
    assert (sight.name, sight.family) == ("italian", "italian")


def test_an_enrolled_deck_is_known_again_even_after_play_has_begun() -> None:
    table = Watching(*FOUR, number=9, seen={"7d": 0.98})
    sight = table.sight()
    table.look(sight)
    table.number = 0
    for _ in range(5):
        sight.read(IMAGE, table.found.quads)
    assert sight.name == "deck 0"


def test_a_deck_is_named_changed_and_left_to_itself_again() -> None:
    choice = DeckChoice("deck 1")
    table = Watching(*FOUR, seen={"7d": 0.98})
    sight = table.sight(choice)
    assert (sight.name, sight.family) == ("deck 1", "french")
    assert not sight.take_choice()
    choice.choose("italian")
    assert sight.take_choice() and (sight.name, sight.family) == ("italian", "italian")
    for _ in range(10):
        sight.read(IMAGE, table.found.quads)
    assert sight.name == "italian", "who names a kind does not want an enrolled deck"
    choice.choose("auto")
    assert sight.take_choice()
    for _ in range(3):
        sight.read(IMAGE, table.found.quads)
    assert sight.name == "deck 0"


def test_a_deck_that_is_gone_or_that_the_game_does_not_have_changes_nothing() -> None:
    choice = DeckChoice()
    sight = Watching(*FOUR).sight(choice, families=("italian",))
    for wanted in ("nobody's", "deck 1", "french"):
        choice.choose(wanted)
        assert sight.take_choice()
        assert sight.family == "italian"


def test_a_game_of_one_kind_needs_no_vote() -> None:
    table = Watching(*FOUR)
    assert table.sight(families=("french",)).find_out(IMAGE, Detections.empty())
