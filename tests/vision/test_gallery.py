from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from rules.cards import ITALIAN_CODES
from vision.classifier import CLASSES, Readings
from vision.gallery import (
    LARGEST_FILE_BYTES,
    MOST_PICTURES,
    PICTURE_SIZE,
    Gallery,
    GalleryError,
    checked_name,
    read_gallery,
)

MODEL = "a" * 64


def pictures(count: int, seed: int = 0) -> np.ndarray:
    """Smooth pictures: JPEG keeps them nearly as they are."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 256, (count, 6, 4, 3), dtype=np.uint8)
    return np.stack([cv2.resize(one, PICTURE_SIZE[::-1], interpolation=cv2.INTER_CUBIC) for one in small])


def gallery(*codes: str, each: int = 2, name: str = "Nonna") -> Gallery:
    return Gallery(name, "italian", {code: pictures(each, i) for i, code in enumerate(codes)}, "Bresciane")


class LooksAtMeans:
    """A classifier whose features are the mean colours of a picture."""

    def __init__(self, model_id: str = MODEL) -> None:
        self.model_id = model_id
        self.looked_at = 0

    def read_straightened(self, some: np.ndarray) -> Readings:
        self.looked_at += len(some)
        means = some.reshape(len(some), -1, 3).mean(axis=1).astype(np.float32) + 1
        features = means / np.linalg.norm(means, axis=1, keepdims=True)
        count = len(some)
        return Readings(
            np.full((count, len(CLASSES)), -np.log(len(CLASSES)), np.float32),
            features,
            np.zeros(count, bool),
            np.zeros(count, bool),
        )


def test_a_deck_survives_its_file() -> None:
    made = gallery("7d", "1s", "Rb").with_features(LooksAtMeans())
    again = read_gallery(made.to_bytes(), "nonna.deck")
    assert (again.name, again.kind, again.note, again.model) == ("Nonna", "italian", "Bresciane", MODEL)
    assert again.codes == ("7d", "1s", "Rb")
    for code in made.codes:
        assert np.abs(again.pictures[code].astype(int) - made.pictures[code]).mean() < 4
        assert np.allclose(again.features[code], made.features[code], atol=1e-3)
    assert again.thumbnail("7d").shape == (*PICTURE_SIZE, 3)
    assert made.to_bytes() == made.to_bytes(), "the same deck gives the same file"


def test_features_are_computed_once_for_each_model() -> None:
    classifier = LooksAtMeans()
    known = gallery("7d", "1s").with_features(classifier)
    assert known.with_features(classifier) is known
    assert classifier.looked_at == 16
    newer = LooksAtMeans("b" * 64)
    assert known.with_features(newer).model == newer.model_id
    assert newer.looked_at == 16


def test_more_pictures_of_a_face_push_the_oldest_out() -> None:
    before = gallery("7d", each=MOST_PICTURES)
    added = pictures(1, seed=9)
    after = before.extended({"7d": added, "2d": added})
    assert after.codes == ("2d", "7d") or after.codes == ("7d", "2d")
    assert len(after.pictures["7d"]) == MOST_PICTURES
    assert np.array_equal(after.pictures["7d"][-1], added[0])
    assert after.missing(ITALIAN_CODES[:3]) == ["1d", "3d"]
    assert not after.features, "features of pictures that have gone must not be kept"


@pytest.mark.parametrize("name", ["Nonna", "Dal Negro 2019", "È bella", "a" * 40, "Modiano & figli"])
def test_names_that_can_be(name: str) -> None:
    assert checked_name(f"  {name} ") == name


@pytest.mark.parametrize(
    "name", ["", "  ", "a" * 41, "auto", "Italian", "../x", "a/b", "a\\b", ".hidden", "x.", "con", "a\x00b", "a:b"]
)
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(GalleryError, match=r"choose another|begin with"):
        checked_name(name)


def rewritten(data: bytes, change: Callable[[dict[str, bytes]], None], compression: int = zipfile.ZIP_STORED) -> bytes:
    """Return a deck's file with its entries changed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return stream.getvalue()


def described(**changes: object) -> Callable[[dict[str, bytes]], None]:
    def change(entries: dict[str, bytes]) -> None:
        document = json.loads(entries["deck.json"])
        document.update(changes)
        entries["deck.json"] = json.dumps(document).encode()

    return change


def put(name: str, content: bytes) -> Callable[[dict[str, bytes]], None]:
    return lambda entries: entries.update({name: content})


def jpeg(height: int, width: int) -> bytes:
    return cv2.imencode(".jpg", np.zeros((height, width, 3), np.uint8))[1].tobytes()


HOSTILE = {
    "no card": described(cards={}),
    "a code that no deck has": described(cards={"8d": 1}),
    "a path for a code": described(cards={"../../etc": 1}),
    "too many pictures": described(cards={"7d": 99}),
    "a count that is no number": described(cards={"7d": True}),
    "cards that are a list": described(cards=["7d"]),
    "both families": described(cards={"7d": 2, "KS": 1}),
    "another kind": described(kind="tarot"),
    "french with italian cards": described(kind="french"),
    "another format": described(format=2),
    "a name that is a path": described(name="../../home"),
    "a name that is a number": described(name=7),
    "a picture less than listed": lambda entries: entries.pop("faces/7d-1.jpg"),
    "a picture more than listed": put("faces/7d-2.jpg", jpeg(*PICTURE_SIZE)),
    "a path out of the archive": put("../../evil.jpg", b""),
    "a program": put("faces/run.py", b"print()"),
    "no description": lambda entries: entries.pop("deck.json"),
    "a description that is no JSON": put("deck.json", b"\xff\xfe"),
    "a description nested without end": put("deck.json", b"[" * 100_000),
    "a list for a description": put("deck.json", b"[]"),
    "a picture of another size": put("faces/7d-0.jpg", jpeg(20, 10)),
    "an enormous picture": put("faces/7d-0.jpg", b"\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff" + b"\0" * 40),
    "a picture that is none": put("faces/7d-0.jpg", b"GIF89a"),
    "a picture cut off": lambda entries: entries.update({"faces/7d-0.jpg": entries["faces/7d-0.jpg"][:-60]}),
    "features of another length": put("features.f16", b"\0" * 6),
    "features that are no numbers": lambda entries: entries.update(
        {"features.f16": b"\xff\x7f" * (len(entries["features.f16"]) // 2)}
    ),
    "features of no length": described(features={"model": MODEL, "length": 0}),
    "features of no model": described(features={"model": "x", "length": 3}),
    "features that are a list": described(features=[1]),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_with_something_else_is_refused_in_one_line(what: str) -> None:
    data = gallery("7d", "1s").with_features(LooksAtMeans()).to_bytes()
    with pytest.raises(GalleryError) as refused:
        read_gallery(rewritten(data, HOSTILE[what]), "foreign.deck")
    line = str(refused.value)
    assert "\n" not in line and len(line) < 300
    assert line.isprintable()


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"hello", bytes(1000)])
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    with pytest.raises(GalleryError, match=r"foreign\.deck"):
        read_gallery(data, "foreign.deck")


def test_an_archive_that_unpacks_to_much_is_not_unpacked() -> None:
    data = gallery("7d").to_bytes()
    bomb = rewritten(data, put("deck.json", b" " * 50_000_000), zipfile.ZIP_DEFLATED)
    assert len(bomb) < 100_000
    with pytest.raises(GalleryError, match="larger than it may be"):
        read_gallery(bomb, "bomb.deck")


def test_an_archive_that_lies_about_its_size_is_refused() -> None:
    data = gallery("7d").to_bytes()
    bomb = bytearray(rewritten(data, put("faces/7d-0.jpg", b" " * 5_000_000), zipfile.ZIP_DEFLATED))
    # The size stands in the local header and in the directory: both say 100 bytes now.
    wanted = (5_000_000).to_bytes(4, "little")
    at = bomb.find(wanted)
    while at >= 0:
        bomb[at : at + 4] = (100).to_bytes(4, "little")
        at = bomb.find(wanted)
    with pytest.raises(GalleryError):
        read_gallery(bytes(bomb), "bomb.deck")


def test_too_many_files_are_refused() -> None:
    def crowd(entries: dict[str, bytes]) -> None:
        entries.update({f"faces/x{i}.jpg": b"" for i in range(2000)})

    with pytest.raises(GalleryError, match="more than a deck"):
        read_gallery(rewritten(gallery("7d").to_bytes(), crowd), "crowd.deck")


def test_a_file_twice_in_the_archive_is_refused() -> None:
    stream = io.BytesIO(gallery("7d").to_bytes())
    with pytest.warns(UserWarning), zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("deck.json", "{}")
    with pytest.raises(GalleryError, match="twice"):
        read_gallery(stream.getvalue(), "twice.deck")


def test_too_large_a_file_is_not_looked_into() -> None:
    with pytest.raises(GalleryError, match="too large"):
        read_gallery(bytes(LARGEST_FILE_BYTES + 1), "large.deck")


def test_a_note_with_control_characters_is_cleaned() -> None:
    data = replace(gallery("7d"), note="a\x1b[31mb\n" + "c" * 500).to_bytes()
    assert read_gallery(data, "x").note.isprintable()
    assert len(read_gallery(data, "x").note) <= 200
