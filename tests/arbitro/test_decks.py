"""Enrolled decks: where they are kept, the commands about them, and what the dashboard does with them."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
import pytest

from arbitro.deckroom import DeckRoom, DeckRoomError
from arbitro.decksight import DeckChoice, EnrolledDecks
from arbitro.deckstore import DeckStore, read_deck_file
from rules.cards import ITALIAN_CODES
from tests.arbitro.conftest import Ran
from tests.vision.test_enrolment import Reader, read_as, sure
from tests.vision.test_gallery import LooksAtMeans, gallery
from vision.classifier import Classifier
from vision.gallery import GalleryError
from vision.reading import CardReader

Arbitro = Callable[..., Ran]


@pytest.fixture
def store(tmp_path: Path) -> DeckStore:
    return DeckStore(tmp_path / "home" / "decks")


# The store


def test_a_deck_is_kept_found_whatever_the_capitals_and_removed(store: DeckStore) -> None:
    assert store.names() == [] and list(store) == []
    store.save(gallery("7d", name="Nonna"))
    assert store.names() == ["Nonna"]
    assert "NONNA" in store and "Nonno" not in store
    assert store.load("nonna").codes == ("7d",)
    store.remove("nonna")
    assert store.names() == []


def test_a_deck_is_replaced_only_on_purpose(store: DeckStore) -> None:
    store.save(gallery("7d"))
    with pytest.raises(GalleryError, match="already"):
        store.save(gallery("1d", name="NONNA"))
    store.save(gallery("1d", name="NONNA"), overwrite=True)
    assert store.names() == ["Nonna"]
    assert store.load("Nonna").codes == ("1d",)


def test_a_deck_that_is_not_there_is_a_line_with_the_nearest(store: DeckStore) -> None:
    with pytest.raises(GalleryError, match="none is enrolled"):
        store.load("Nonna")
    store.save(gallery("7d"))
    with pytest.raises(GalleryError, match="did you mean Nonna"):
        store.load("Nona")
    with pytest.raises(GalleryError, match="there are Nonna"):
        store.remove("Briscola")


def test_what_the_classifier_makes_of_a_deck_is_kept(store: DeckStore) -> None:
    store.save(gallery("7d", "1s"))
    classifier = LooksAtMeans()
    store.load("Nonna", cast(Classifier, classifier))
    looked_at = classifier.looked_at
    assert looked_at > 0
    again = store.load("Nonna", cast(Classifier, classifier))
    assert classifier.looked_at == looked_at and again.model == classifier.model_id


def test_a_damaged_file_among_the_decks_hides_no_other(store: DeckStore) -> None:
    store.save(gallery("7d"))
    (store.folder / "broken.deck").write_bytes(b"PK")
    (store.folder / "notes.txt").write_text("x")
    assert [deck.name for deck in store] == ["Nonna"]
    assert store.names() == ["broken", "Nonna"]


def test_features_of_a_foreign_file_are_not_believed(store: DeckStore, tmp_path: Path) -> None:
    foreign = gallery("7d").with_features(cast(Classifier, LooksAtMeans()))
    taken = store.take_in(foreign.to_bytes(), "foreign.deck", name="Zio")
    assert taken.name == "Zio" and not store.load("Zio").features


def test_a_deck_whose_file_changed_is_made_ready_anew(store: DeckStore) -> None:
    decks = EnrolledDecks(store, cast(Classifier, _WithDetails()))
    store.save(gallery("7d", "1s"))
    first = decks.get("Nonna")
    assert decks.get("Nonna") is first
    store.save(gallery("2d", "1s"), overwrite=True)
    os.utime(store.folder / "Nonna.deck", ns=(1, 1))
    assert decks.get("Nonna").gallery.codes == ("2d", "1s")
    assert decks.of(["french"]) == []
    assert [deck.name for deck in decks.of(["italian"])] == ["Nonna"]


class _WithDetails(LooksAtMeans):
    details: dict[str, Any] = {}


# The commands


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    made = Reader()
    monkeypatch.setattr("vision.reading.CardReader", lambda models: made)
    monkeypatch.setattr("vision.models.Models", lambda threads=2: None)
    return made


@pytest.fixture
def photos(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("one.png", "two.png")]
    for path in paths:
        cv2.imwrite(str(path), np.zeros((600, 1000, 3), np.uint8))
    return paths


def test_a_deck_is_enrolled_shared_and_forgotten(
    arbitro: Arbitro, reader: Reader, photos: list[Path], store: DeckStore, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    reader.photos = [[sure(*ITALIAN_CODES[:10])], [sure("1s", "Rb")]]
    ran = arbitro("enroll", "Nonna", *photos, "--note", "Bresciane", "--json")
    assert ran.status == 0, ran.err
    document = ran.document
    assert (document["name"], document["kind"], document["kept"]) == ("Nonna", "italian", True)
    assert len(document["cards"]) == 12 and len(document["missing"]) == 28 and document["doubtful"] == 0
    first = document["images"][0]["cards"][0]
    assert (first["number"], first["card"], first["state"]) == (1, "1d", "sure")
    assert first["quad"] == [[30, 30], [80, 30], [80, 110], [30, 110]]
    assert store.load("Nonna").note == "Bresciane"

    file = tmp_path / "nonna.deck"
    assert arbitro("decks", "export", "Nonna", file).status == 0
    assert "already" in arbitro("decks", "import", file).complaint
    imported = arbitro("decks", "import", file, "--name", "Zia", "--json")
    assert imported.document["name"] == "Zia" and imported.document["cards"] == 12
    assert arbitro("decks", "remove", "Nonna").status == 0
    assert store.names() == ["Zia"]


def test_doubtful_cards_are_listed_and_answered(
    arbitro: Arbitro, reader: Reader, photos: list[Path], store: DeckStore, tmp_path: Path
) -> None:
    shown = [[*sure("1d"), read_as("6c", _6c=0.5, _6d=0.4), read_as("7s", _7s=0.4, _6s=0.4)]]
    reader.photos = [shown]
    ran = arbitro("enroll", "Nonna", photos[0], "--json")
    assert ran.status == 1
    assert ran.document["kept"] is False and ran.document["doubtful"] == 2
    assert ran.document["images"][0]["cards"][1]["candidates"][0][0] == "6c"
    assert store.names() == []

    reader.photos = [shown]
    told = arbitro("enroll", "Nonna", photos[0])
    assert told.status == 1 and "--card 1#2=CODE" in told.out

    answers = tmp_path / "answers.txt"
    answers.write_text("# what Nonna says\none#3 = 7s\n\n", encoding="utf-8")
    reader.photos = [shown]
    ran = arbitro("enroll", "Nonna", photos[0], "--card", "one.png#2=6c", "--answers", answers, "--json")
    assert ran.status == 0
    assert [card["state"] for card in ran.document["images"][0]["cards"]] == ["sure", "said", "said"]
    assert store.load("Nonna").codes == ("1d", "6c", "7s")


class Terminal(io.StringIO):
    """Somebody at a keyboard."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_doubtful_cards_are_asked_about(
    arbitro: Arbitro, reader: Reader, photos: list[Path], store: DeckStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubts = [read_as("6c", _6c=0.5, _6d=0.4), read_as("7s", _7s=0.4, _6s=0.35), read_as("Rb", _Rb=0.3, _Cb=0.3)]
    reader.photos = [[[*sure("1d"), *doubts]]]
    # The likeliest is asked first: yes; a code that is none is asked about again; no card; the last one later.
    monkeypatch.setattr("sys.stdin", Terminal("\n8x\n-\n?\n"))
    ran = arbitro("enroll", "Nonna", photos[0], "--note", "x")
    assert ran.status == 1, "one is still doubtful"
    assert "card 2 (row 1, place 2): 6c" in ran.err
    assert "“8x” is no card of this deck" in ran.err
    assert "--card 1#4=CODE" in ran.out and "--card 1#2=CODE" not in ran.out
    reader.photos = [[[*sure("1d"), *doubts]]]
    monkeypatch.setattr("sys.stdin", Terminal("6c\n-\nRb\n"))
    assert arbitro("enroll", "Nonna", photos[0]).status == 0
    assert store.load("Nonna").codes == ("1d", "6c", "Rb")


def test_what_is_sure_can_be_kept_and_the_rest_added_later(
    arbitro: Arbitro, reader: Reader, photos: list[Path], store: DeckStore
) -> None:
    reader.photos = [[[*sure("1d", "2d"), read_as("6c", _6c=0.5, _6d=0.4)]]]
    assert arbitro("enroll", "Nonna", photos[0], "--partial").status == 0
    assert store.load("Nonna").codes == ("1d", "2d")
    assert "already" in arbitro("enroll", "Nonna", photos[0]).complaint
    reader.photos = [[sure("6c")]]
    assert arbitro("enroll", "Nonna", photos[1], "--add").status == 0
    assert store.load("Nonna").codes == ("1d", "2d", "6c")
    reader.photos = [[sure("7c")]]
    assert arbitro("enroll", "Nonna", photos[1], "--replace").status == 0
    assert store.load("Nonna").codes == ("7c",)


def test_other_pictures_are_enrolled_by_their_order(
    arbitro: Arbitro, reader: Reader, photos: list[Path], store: DeckStore
) -> None:
    reader.photos = [[[read_as(code, none=0.9) for code in ITALIAN_CODES[:10]]]]
    ran = arbitro("enroll", "Giraffes", photos[0], "--kind", "other", "--order", "d", "--json")
    assert ran.status == 0
    assert store.load("Giraffes").kind == "other"
    assert store.load("Giraffes").codes == ITALIAN_CODES[:10]


def test_photos_are_written_with_numbers(
    arbitro: Arbitro, reader: Reader, photos: list[Path], tmp_path: Path
) -> None:
    reader.photos = [[sure("1d", "2d")]]
    assert arbitro("enroll", "Nonna", photos[0], "--numbered", tmp_path / "seen").status == 0
    (written,) = (tmp_path / "seen").iterdir()
    assert cv2.imread(str(written)).shape == (600, 1000, 3)


def test_no_card_at_all_is_status_1(arbitro: Arbitro, reader: Reader, photos: list[Path]) -> None:
    reader.photos = [[[]]]
    ran = arbitro("enroll", "Nonna", photos[0])
    assert ran.status == 1 and "No card was found" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["../x"], "begin with"),
        (["auto"], "another"),
        (["Nonna", "--card", "one.png=7d"], "is no answer"),
        (["Nonna", "--card", "nowhere.png#1=7d"], "no photo is called"),
        (["Nonna", "--card", "1#9=7d"], "no card 9"),
        (["Nonna", "--card", "1#1=KS"], "no card of this deck"),
        (["Nonna", "--order", "xyz"], "neither"),
        (["Nonna", "--answers", "nowhere.txt"], "cannot be read"),
        (["Nonna", "--add", "--replace"], "exclude"),
        (["Nonna", "--add"], "no deck"),
    ],
)
def test_what_cannot_be_enrolled_is_one_line(
    arbitro: Arbitro, reader: Reader, photos: list[Path], arguments: list[str], words: str
) -> None:
    reader.photos = [[sure("1d", "2d")]]
    ran = arbitro("enroll", *arguments[:1], photos[0], *arguments[1:])
    line = ran.err.splitlines()[-1]
    assert ran.status == 2 and words in line and line.startswith("arbitro: ")
    assert "Traceback" not in ran.err


def test_hostile_files_are_one_line(arbitro: Arbitro, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.deck"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("deck.json", " " * 30_000_000)
    assert "larger than it may be" in arbitro("decks", "import", bomb).complaint
    with zipfile.ZipFile(bomb, "w") as archive:
        archive.writestr("../../evil", "x")
    assert "belongs to no deck" in arbitro("decks", "import", bomb).complaint
    assert "cannot be read" in arbitro("decks", "import", tmp_path / "nowhere.deck").complaint
    assert "cannot be read" in arbitro("decks", "import", tmp_path).complaint
    assert "no deck" in arbitro("decks", "export", "Nonna", tmp_path / "x.deck").complaint
    assert "no deck" in arbitro("decks", "remove", "Nonna").complaint


def test_the_list_names_kinds_and_enrolled_decks(arbitro: Arbitro, store: DeckStore) -> None:
    store.save(gallery("7d", "1s"))
    ran = arbitro("decks", "--json")
    assert [known["name"] for known in ran.document["decks"]] == ["italian", "french"]
    (enrolled,) = ran.document["enrolled"]
    assert (enrolled["name"], enrolled["cards"], enrolled["note"]) == ("Nonna", 2, "Bresciane")
    assert len(enrolled["missing"]) == 38
    for language, word in (("en", "still missing"), ("it", "mancano ancora")):
        assert word in arbitro("decks", "--lang", language).out


def test_a_deck_that_is_not_enrolled_is_one_line_in_count_and_watch(
    arbitro: Arbitro, reader: Reader, photos: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no deck" in arbitro("count", photos[0], "--deck", "Nonna").complaint


# The dashboard's room


class Camera:
    """Gives the picture that the next look at the table sees."""

    def __init__(self) -> None:
        self.picture: np.ndarray | None = np.zeros((600, 1000, 3), np.uint8)

    def __call__(self) -> np.ndarray | None:
        return self.picture


@pytest.fixture
def camera() -> Camera:
    return Camera()


@pytest.fixture
def room(store: DeckStore, camera: Camera) -> tuple[DeckRoom, Reader, DeckChoice]:
    reader, choice = Reader(), DeckChoice()
    return DeckRoom(store, choice, camera, lambda: cast(CardReader, reader)), reader, choice


def test_a_deck_is_learnt_on_the_dashboard(
    room: tuple[DeckRoom, Reader, DeckChoice], store: DeckStore
) -> None:
    decks, reader, choice = room
    decks.begin("auto")
    reader.photos = [[[*sure("1d"), read_as("6c", _6c=0.5, _6d=0.4)]]]
    assert decks.take() == 2
    state = decks.state()["enrolment"]
    assert state["doubtful"] == 1 and len(state["missing"]) == 39
    assert json.dumps(state)
    assert decks.photo(0) is not None and decks.found_card(0, 2) is not None
    assert decks.photo(1) is None and decks.found_card(0, 3) is None
    decks.answer(0, 2, "6c")
    assert decks.state()["enrolment"]["doubtful"] == 0
    assert decks.save("Nonna") == "Nonna"
    assert decks.state()["enrolment"] is None
    assert store.load("Nonna").model, "its features are ready before play begins"
    decks.choose("Nonna")
    assert choice.wanted == "Nonna"
    assert decks.thumbnail("Nonna", "1d") is not None and decks.thumbnail("Nonna", "2d") is None
    assert decks.take_in(decks.export("Nonna"), overwrite=True) == "Nonna"
    decks.remove("Nonna")
    assert choice.wanted == "auto", "a deck that is gone is not looked for"


def test_what_cannot_be_on_the_dashboard_says_why_in_both_languages(
    room: tuple[DeckRoom, Reader, DeckChoice], camera: Camera
) -> None:
    decks, reader, _ = room

    def refused(code: str, action: Callable[..., Any], *arguments: Any) -> None:
        with pytest.raises(DeckRoomError) as error:
            action(*arguments)
        assert error.value.code == code
        assert error.value.text("en") != error.value.text("it")

    refused("deck-not-begun", decks.take)
    refused("deck-not-begun", decks.save, "Nonna")
    refused("deck-unknown-name", decks.choose, "Nonna")
    refused("deck-unknown-name", decks.remove, "Nonna")
    refused("deck-unknown-name", decks.export, "Nonna")
    refused("deck-refused", decks.begin, "tarot")
    refused("deck-refused", decks.begin, "italian", "xyz")
    refused("deck-refused", decks.take_in, b"PK")
    decks.begin("italian")
    refused("deck-refused", decks.save, "Nonna")
    refused("deck-refused", decks.add_photo, b"GIF89a")
    reader.photos = [[[]]]
    refused("nothing-found", decks.take)
    camera.picture = None
    refused("deck-no-picture", decks.take)
    reader.photos = [[sure("7d")]]
    camera.picture = np.zeros((600, 1000, 3), np.uint8)
    assert decks.take() == 1
    photo = max(one["photo"] for one in decks.state()["enrolment"]["photos"])
    refused("deck-refused", decks.answer, photo, 9, "7d")
    refused("deck-refused", decks.answer, photo, 1, "KS")
    decks.save("Nonna")
    decks.begin("italian")
    reader.photos = [[sure("7d")]]
    decks.take()
    refused("deck-name-taken", decks.save, "nonna")


def test_photos_are_added_to_a_deck_on_the_dashboard(
    room: tuple[DeckRoom, Reader, DeckChoice], store: DeckStore
) -> None:
    decks, reader, _ = room
    store.save(gallery("7d", "1s"))
    decks.begin("italian", "", "Nonna")
    reader.photos = [[sure("2d")], [sure("3d")]]
    decks.take()
    decks.take()
    decks.forget_photo(1)
    decks.save("Nonna")
    assert store.load("Nonna").codes == ("2d", "7d", "1s")


def test_a_deck_file_that_cannot_be_read_is_a_line(tmp_path: Path) -> None:
    with pytest.raises(GalleryError, match="cannot be read"):
        read_deck_file(tmp_path / "nowhere.deck")


def test_a_deck_that_is_not_known_was_refused_without_saying_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(GalleryError, match="arbitro enroll, or leave --deck out"):
        DeckStore(tmp_path).load("nonna")
