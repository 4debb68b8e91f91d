from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from arbitro.decksight import DeckChoice
from arbitro.errors import UnusableInputError
from arbitro.eyes import CardEyes, eyes_maker, faces_of
from arbitro.match import Match
from arbitro.memory import Family, Memory
from arbitro.settings import Settings
from rules.tracker import SeenCard, TableLook
from vision.camera import Frame
from vision.classifier import CLASSES, NONE, Classifier, Readings
from vision.detections import BACK, FACE, Detections
from vision.finder import CardFinder, Found

FACES = faces_of("scopa")


def quad(x: float, y: float) -> np.ndarray:
    return np.array([[x, y], [x + 50, y], [x + 50, y + 80], [x, y + 80]], np.float32)


class Table:
    """Cards lying on a table, as detector and classifier in one: which ones is set from outside."""

    size = (64, 40)
    details: dict[str, Any] = {}
    model_id = "a" * 64

    def __init__(self) -> None:
        self.cards: dict[str, tuple[float, float]] = {}
        self.backs: list[tuple[float, float]] = []
        self.reads = 0

    def detect(self, image: np.ndarray) -> Detections:
        places = [*self.cards.values(), *self.backs]
        if not places:
            return Detections.empty()
        classes = [FACE] * len(self.cards) + [BACK] * len(self.backs)
        return Detections(
            np.stack([quad(*place) for place in places]), np.full(len(places), 0.9), np.array(classes)
        )

    def find(self, image: np.ndarray) -> Found:
        found = self.detect(image)
        return Found(found, np.ones(len(found), bool))

    def read(self, image: np.ndarray, quads: np.ndarray) -> Readings:
        self.reads += len(quads)
        log_probs = np.full((len(quads), len(CLASSES)), np.log(1e-4), np.float32)
        for row, corners in enumerate(quads):
            nearest = [code for code, place in self.cards.items() if np.allclose(corners[0], place, atol=2)]
            log_probs[row, CLASSES.index(nearest[0]) if nearest else NONE] = np.log(0.99)
        flags = np.zeros(len(quads), bool)
        return Readings(log_probs, np.ones((len(quads), 4), np.float32), flags, flags)

    def read_straightened(self, pictures: np.ndarray) -> Readings:
        """Read a picture that grows brighter to the right surely, and less surely in the mirror."""
        rising = np.array([picture[:, -1].mean() > picture[:, 0].mean() for picture in pictures], bool)
        log_probs = np.full((len(pictures), len(CLASSES)), -6.0, np.float32)
        log_probs[:, 0] = np.where(rising, -0.05, -0.6)
        flags = np.zeros(len(pictures), bool)
        return Readings(log_probs, np.ones((len(pictures), 4), np.float32), flags, flags)


class Watched:
    """Eyes on a table, and the frames that they are shown."""

    def __init__(self, family: Family | None = None, before: TableLook | None = None) -> None:
        self.table = Table()
        self.choice = DeckChoice()
        self.eyes = CardEyes(
            cast(CardFinder, SimpleNamespace(find=self.table.find, detector=SimpleNamespace(score=0.25))),
            cast(Classifier, self.table),
            FACES, Memory(100, family, before), self.choice,
        )  # fmt: skip
        self._number = 0
        self._image = np.random.default_rng(1).integers(60, 120, (360, 640, 3)).astype(np.uint8)

    def look(self, count: int = 1) -> list[Any]:
        sights = []
        for _ in range(count):
            sights.append(self.eyes.look(Frame(self._image, self._number * 100.0, self._number)))
            self._number += 1
        return sights


def lay(table: Table, *codes: str) -> None:
    for number, code in enumerate(codes, len(table.cards)):
        table.cards[code] = (40.0 + 80 * number, 60.0)


def looks_in(sights: list[Any]) -> list[Any]:
    return [look for sight in sights for look in sight.looks]


def test_nothing_is_seen_on_an_empty_table() -> None:
    watched = Watched()
    sights = watched.look(20)
    assert looks_in(sights) == []
    assert all(sight.cards == [] and sight.deck is None for sight in sights)


@pytest.mark.parametrize(
    ("codes", "family"), [(("7d", "2c", "Rs", "1b"), "italian"), (("7D", "2H", "KS", "AC"), "french")]
)
def test_the_deck_is_found_out_and_the_table_at_rest_is_a_look(codes: tuple[str, ...], family: str) -> None:
    watched = Watched()
    lay(watched.table, *codes)
    sights = watched.look(20)
    assert sights[-1].deck == family
    (look,) = looks_in(sights)
    assert {max(card.probabilities, key=card.probabilities.__getitem__) for card in look.cards} == set(codes)
    assert all(card.track >= 100 for card in look.cards)
    shown = {card["card"]: card for card in sights[-1].cards}
    assert set(shown) == set(codes)
    assert shown[codes[0]]["quad"] == [[40, 60], [90, 60], [90, 140], [40, 140]]
    assert shown[codes[0]]["state"] == "lying"
    assert shown[codes[0]]["face"] == "up"
    assert shown[codes[0]]["candidates"][0][0] == codes[0]


def test_one_card_of_another_deck_does_not_decide_the_deck() -> None:
    watched = Watched()
    lay(watched.table, "7D")
    watched.look(3)
    watched.table.cards.clear()
    lay(watched.table, "7d", "2c", "Rs", "1b")
    assert watched.look(10)[-1].deck == "italian"


def test_a_known_deck_needs_no_votes() -> None:
    watched = Watched(family="italian")
    lay(watched.table, "7d")
    sights = watched.look(15)
    assert sights[0].deck == "italian"
    assert len(looks_in(sights)) == 1


def test_a_settled_table_is_not_restless_and_not_read_again() -> None:
    watched = Watched()
    lay(watched.table, "7d", "2c", "Rs", "1b")
    assert watched.eyes.is_restless
    watched.look(20)
    assert not watched.eyes.is_restless
    reads = watched.table.reads
    watched.look(5)
    assert watched.table.reads == reads


def test_backs_are_shown_face_down_and_are_no_part_of_the_look() -> None:
    watched = Watched(family="italian")
    lay(watched.table, "7d")
    watched.table.backs.append((500.0, 200.0))
    sights = watched.look(20)
    assert all(len(look.cards) == 1 for look in looks_in(sights))
    (down,) = [card for card in sights[-1].cards if card["face"] == "down"]
    assert down["card"] is None


def test_small_cards_are_warned_of_once_in_a_while_and_not_at_every_look() -> None:
    watched = Watched(family="italian")
    lay(watched.table, "7d")
    small = quad(0, 0) * 0.4
    watched.table.detect = lambda image: Detections(  # type: ignore[method-assign]
        small[None] + np.float32(100), np.full(1, 0.9), np.array([FACE])
    )
    sights = watched.look(250)
    warned = [sight.warnings for sight in sights if sight.warnings]
    assert [warnings["cards-too-small"] for warnings in warned] == [{"pixels": 32}] * 3


def test_a_game_of_one_kind_of_deck_needs_no_votes() -> None:
    assert list(faces_of("slurp")) == ["french"]
    assert list(faces_of("scupuni")) == ["italian"]
    assert len(faces_of("slapjack")["french"]) == 52
    assert len(faces_of("scopa")["french"]) == 40


def test_a_deck_that_the_game_is_not_played_with_is_refused() -> None:
    with pytest.raises(UnusableInputError, match="not played with french cards"):
        eyes_maker(Match("scupuni", ("A", "B", "C", "D")), "french", Settings())


def test_cards_that_lay_there_before_the_watch_went_on_keep_their_numbers() -> None:
    before = TableLook(
        5000, (SeenCard(3, {"7d": 0.9}), SeenCard(8, {"2c": 0.6, "2b": 0.3}), SeenCard(9, {"Rs": 0.9}))
    )
    watched = Watched(family="italian", before=before)
    lay(watched.table, "2c", "Fb", "7d")
    sights = watched.look(20)
    (look,) = looks_in(sights)
    numbers = {max(card.probabilities, key=card.probabilities.__getitem__): card.track for card in look.cards}
    assert numbers["7d"] == 3
    assert numbers["2c"] == 8
    assert numbers["Fb"] >= 100
    assert {card["card"]: card["track"] for card in sights[-1].cards} == numbers


def test_a_mirroring_camera_is_noticed_and_its_picture_turned_back() -> None:
    watched = Watched()
    ramp = np.linspace(200, 50, 640, dtype=np.uint8)
    watched._image = np.repeat(np.repeat(ramp[None, :, None], 360, axis=0), 3, axis=2)
    lay(watched.table, "7d", "2c", "Rs", "1b")
    sights = watched.look(20)
    assert [sight.warnings["mirrored"] for sight in sights if "mirrored" in sight.warnings] == [{}]
    shown = {card["card"]: card["quad"] for card in sights[-1].cards}
    # The first card lies at x 40 to 90 in the picture that was turned back: at 550 to 600 in the one that is shown.
    assert shown["7d"] == [[550, 60], [600, 60], [600, 140], [550, 140]]


def test_a_camera_that_does_not_mirror_is_left_alone() -> None:
    watched = Watched()
    watched._image = np.ascontiguousarray(
        np.repeat(np.repeat(np.linspace(50, 200, 640, dtype=np.uint8)[None, :, None], 360, axis=0), 3, axis=2)
    )
    lay(watched.table, "7d", "2c", "Rs", "1b")
    sights = watched.look(20)
    assert not any("mirrored" in sight.warnings for sight in sights)
    assert {card["card"]: card["quad"][0] for card in sights[-1].cards}["7d"] == [40, 60]


def test_people_change_the_deck_while_it_is_watched() -> None:
    watched = Watched()
    lay(watched.table, "7d", "2c", "Rs", "1b")
    assert watched.look(20)[-1].deck == "italian"
    watched.table.cards.clear()
    lay(watched.table, "7D", "2H", "KS", "AC")
    watched.choice.choose("french")
    last = watched.look(20)[-1]
    assert last.deck == "french"
    assert {card["card"] for card in last.cards} == {"7D", "2H", "KS", "AC"}
    assert all(card["track"] >= 104 for card in last.cards), "cards that lay there before must not share numbers"


def test_a_french_card_among_italian_ones_is_said() -> None:
    watched = Watched("italian")
    lay(watched.table, "7d", "2c", "Rs", "KS")
    sights = watched.look(20)
    assert {} in [sight.warnings.get("two-kinds") for sight in sights]
    assert not any(card["card"] == "KS" for card in sights[-1].cards)


def test_cards_that_nothing_can_be_read_of_are_of_an_unknown_deck() -> None:
    watched = Watched()

    def read(image: np.ndarray, quads: np.ndarray) -> Readings:
        log_probs = np.full((len(quads), len(CLASSES)), np.log(0.8 / 92), np.float32)
        log_probs[:, 3] = np.log(0.2)
        flags = np.zeros(len(quads), bool)
        return Readings(log_probs, np.ones((len(quads), 4), np.float32), flags, flags)

    watched.table.read = read  # type: ignore[method-assign]
    lay(watched.table, "7d", "2c", "Rs", "1b")
    sights = watched.look(20)
    assert {} in [sight.warnings.get("unknown-deck") for sight in sights]
    assert sights[-1].deck is None and sights[-1].cards == []
    watched.choice.choose("italian")
    after = watched.look(3)
    assert after[-1].deck == "italian", "people may say what it is"
    assert None in [sight.warnings.get("unknown-deck", {}) for sight in after]
