"""A deck's gallery: a few straightened pictures of each of its faces, and what the classifier makes of them.

Owns the gallery's file, its check, and reading cards by likeness to it. How a gallery comes about is
`vision.enrolment`'s business, where it is kept the program's.

The file is a ZIP archive of ``deck.json`` and one JPEG a picture, so that it can be handed to others and be looked
at; what the classifier makes of the pictures is stored with them for the one model that it was computed with, and
computed again for any other.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import cv2
import numpy as np
import numpy.typing as npt

from rules.cards import FRENCH_CODES, ITALIAN_CODES
from vision.classifier import CLASSES, NONE, Classifier
from vision.photo import PhotoError, claimed_size, decode_photo

FORMAT = 1
PICTURE_SIZE = (192, 120)
"""Height and width of a stored picture in pixels: half as much again as the classifier takes in."""
MOST_PICTURES = 8
"""Pictures of one face that are kept at most; more add nothing but time."""
LARGEST_FILE_BYTES = 24_000_000
LARGEST_PICTURE_BYTES = 120_000
LARGEST_TEXT_BYTES = 200_000
LONGEST_NAME = 40
LONGEST_NOTE = 200
JPEG_QUALITY = 93
VARIED_TO = 8
"""Pictures of a face, with variants of them, that features are computed of."""

Kind = Literal["italian", "french", "other"]
KINDS: tuple[Kind, ...] = ("italian", "french", "other")
RESERVED_NAMES = frozenset(("auto", "all", "none", *KINDS, "con", "prn", "aux", "nul"))
"""Names that mean something else where a deck is named, or cannot be files on Windows."""

_NAME = re.compile(r"[^\W_][\w .,'’&+-]*")
_PICTURE = re.compile(r"faces/([0-9A-Za-z]{2,3})-([0-9])\.jpg")


class GalleryError(Exception):
    """Raised when a deck cannot be used; the message is one line for people."""


def checked_name(name: str) -> str:
    """Return a deck's name without blanks around it.

    Raises:
        GalleryError: if it is empty, too long, means something else, or could not be a file's name everywhere.
    """
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise GalleryError(f"a deck's name has 1 to {LONGEST_NAME} characters, not {len(name)}: choose another")
    if name.casefold() in RESERVED_NAMES:
        raise GalleryError(f"“{name}” cannot be a deck's name, it stands for something else: choose another")
    if not _NAME.fullmatch(name) or name[-1] in ". ":
        raise GalleryError(f"“{name}” cannot be a deck's name: begin with a letter or digit, and use those mainly")
    return name


@dataclass(frozen=True, eq=False)
class Gallery:
    """Hold a deck's pictures.

    Attributes:
        name: what people call it.
        kind: "italian" or "french" for decks of those suits, which the classifier can help to read; "other" for
            pictures of their own, which are known by their likeness alone.
        pictures: by card code, (k, 192, 120, 3) uint8 BGR straightened faces, upright as far as that is known, as
            `vision.crops.straighten` cuts them.
        note: what else is known of it (pattern, maker), free text.
        features: by card code, (m, d) float32 of length 1, what the classifier `model` makes of the pictures and of
            variants of them, the same number for every face of as many pictures; empty if not computed yet.
        model: sha256 of that classifier's file, "" without features.
    """

    name: str
    kind: Kind
    pictures: Mapping[str, npt.NDArray[np.uint8]]
    note: str = ""
    features: Mapping[str, npt.NDArray[np.float32]] = field(default_factory=dict)
    model: str = ""

    @property
    def family(self) -> Literal["italian", "french"]:
        """Whose codes its cards have."""
        return "french" if any(code in FRENCH_CODES for code in self.pictures) else "italian"

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes that it has pictures of, in the deck's order."""
        return tuple(code for code in CLASSES[:NONE] if code in self.pictures)

    def missing(self, faces: Sequence[str]) -> list[str]:
        """Return those of some codes that it has no picture of."""
        return [code for code in faces if code not in self.pictures]

    def thumbnail(self, code: str) -> npt.NDArray[np.uint8]:
        """Return the first picture of a face, (192, 120, 3) uint8 BGR; raises KeyError if there is none."""
        return self.pictures[code][0]

    def with_features(self, classifier: Classifier) -> Gallery:
        """Return the gallery with what this classifier makes of its pictures; computed only if not known."""
        if self.model == classifier.model_id and self.features:
            return self
        varied = {code: _varied(self.pictures[code], number) for number, code in enumerate(self.codes)}
        features = classifier.read_straightened(np.concatenate(list(varied.values()))).features
        parts = np.split(features, np.cumsum([len(some) for some in varied.values()])[:-1])
        return replace(self, features=dict(zip(varied, parts, strict=True)), model=classifier.model_id)

    def extended(self, more: Mapping[str, npt.NDArray[np.uint8]]) -> Gallery:
        """Return the gallery with more pictures; of more than `MOST_PICTURES` of a face the newest are kept."""
        pictures = dict(self.pictures)
        for code, added in more.items():
            both = [pictures[code], added] if code in pictures else [added]
            pictures[code] = np.concatenate(both)[-MOST_PICTURES:]
        return Gallery(self.name, self.kind, pictures, self.note)

    def to_bytes(self) -> bytes:
        """Return the deck's file."""
        codes = self.codes
        described: dict[str, Any] = {
            "format": FORMAT,
            "name": self.name,
            "kind": self.kind,
            "note": self.note,
            "cards": {code: len(self.pictures[code]) for code in codes},
        }
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            if self.features:
                features = np.concatenate([self.features[code] for code in codes])
                described["features"] = {"model": self.model, "length": int(features.shape[1])}
                archive.writestr(_entry("features.f16"), features.astype("<f2").tobytes())
            archive.writestr(_entry("deck.json"), json.dumps(described, ensure_ascii=False, indent=1))
            for code in codes:
                for number, picture in enumerate(self.pictures[code]):
                    _, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
                    archive.writestr(_entry(f"faces/{code}-{number}.jpg"), jpeg.tobytes())
        return stream.getvalue()


def read_gallery(data: bytes, source: str) -> Gallery:
    """Read a deck's file, trusting nothing in it.

    Args:
        data: the file.
        source: what errors call it.

    Raises:
        GalleryError: if it is no such file, is damaged, or holds more or other than a deck does.
    """
    if len(data) > LARGEST_FILE_BYTES:
        raise GalleryError(f"{source} is too large for a deck (over {LARGEST_FILE_BYTES // 1_000_000} MB)")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _gallery(archive, source)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        # RuntimeError: encrypted; NotImplementedError: a compression that Python does not have.
        raise GalleryError(f"{source} is not a deck's file, or damaged ({error}); export the deck again") from None


def _with_variants(count: int) -> int:
    """Return how many pictures `_varied` makes of so many."""
    return max(count, VARIED_TO // count * count)


def _varied(pictures: npt.NDArray[np.uint8], seed: int) -> npt.NDArray[np.uint8]:
    """Return pictures with variants of them up to about `VARIED_TO`: as a camera sees the card on another day.

    A card is met partly covered, from farther away, in other light, and cut out a little beside its edges; one
    picture of it does not say what that makes of its features.
    """
    rng = np.random.default_rng(seed)
    made = list(pictures)
    for number in range(len(pictures), _with_variants(len(pictures))):
        made.append(_variant(rng, pictures[number % len(pictures)], number))
    return np.stack(made)


def _variant(rng: np.random.Generator, picture: npt.NDArray[np.uint8], number: int) -> npt.NDArray[np.uint8]:
    height, width = picture.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    beside = corners + rng.normal(0, 0.016 * height, (4, 2)).astype(np.float32)
    shift = cv2.getPerspectiveTransform(beside, corners)
    image = cv2.warpPerspective(picture, shift, (width, height), borderMode=cv2.BORDER_REPLICATE)
    if number % 3 == 1:
        angle = rng.uniform(0, 2 * np.pi)
        away = np.array([np.cos(angle), np.sin(angle)])
        edge = np.array([width, height]) * (0.5 + away * rng.uniform(0.05, 0.35))
        beyond, along = away * height * 2, np.array([-away[1], away[0]]) * height * 2
        cover = np.array([edge - along, edge + along, edge + along + beyond, edge - along + beyond])
        grey = int(rng.integers(40, 250))
        cv2.fillConvexPoly(image, cover.astype(np.int32), (grey, grey, grey), cv2.LINE_AA)
    elif number % 3 == 2:
        small = rng.uniform(0.2, 0.5)
        image = cv2.resize(image, None, fx=small, fy=small, interpolation=cv2.INTER_AREA)
        image = cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR)
    light = np.exp(rng.normal(0, 0.15)) * np.exp(rng.normal(0, 0.05, 3))
    return np.clip(image * light + rng.normal(0, 8), 0, 255).astype(np.uint8)


def _entry(name: str) -> zipfile.ZipInfo:
    """Describe an archive's entry with a fixed time, so that the same deck gives the same bytes."""
    return zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0))


def _gallery(archive: zipfile.ZipFile, source: str) -> Gallery:
    entries = archive.infolist()
    if len(entries) > 2 + MOST_PICTURES * NONE:
        raise GalleryError(f"{source} holds {len(entries)} files, more than a deck has cards")
    names = {entry.filename: entry for entry in entries}
    if len(names) != len(entries):
        raise GalleryError(f"{source} holds a file twice; export the deck again")
    for name in names:
        if name not in ("deck.json", "features.f16") and not _PICTURE.fullmatch(name):
            raise GalleryError(f"{source} holds “{_printable(name)}”, which belongs to no deck")
    if "deck.json" not in names:
        raise GalleryError(f"{source} is an archive, but no deck (it holds no deck.json)")
    described = _described(_bytes_of(archive, names["deck.json"], LARGEST_TEXT_BYTES, source), source)
    cards: dict[str, int] = described["cards"]
    wanted = {f"faces/{code}-{number}.jpg" for code, count in cards.items() for number in range(count)}
    if wanted != set(names) - {"deck.json", "features.f16"}:
        raise GalleryError(f"{source} does not hold the pictures that it lists; export the deck again")
    pictures = {}
    for code in [code for code in CLASSES[:NONE] if code in cards]:
        of_face = [names[f"faces/{code}-{number}.jpg"] for number in range(cards[code])]
        pictures[code] = np.stack([_picture(archive, entry, source) for entry in of_face])
    gallery = Gallery(described["name"], described["kind"], pictures, described["note"])
    if "features.f16" not in names or described["features"] is None:
        return gallery
    model, length = described["features"]
    counts = [_with_variants(cards[code]) for code in gallery.codes]
    count = sum(counts)
    raw = _bytes_of(archive, names["features.f16"], count * length * 2, source)
    if len(raw) != count * length * 2:
        raise GalleryError(f"{source} holds features of another size than it says; export the deck again")
    features = np.frombuffer(raw, "<f2").reshape(count, length).astype(np.float32)
    if not np.isfinite(features).all() or (np.abs(np.linalg.norm(features, axis=1) - 1) > 0.05).any():
        raise GalleryError(f"{source} holds features that no classifier gives; export the deck again")
    parts = np.split(features, np.cumsum(counts)[:-1])
    return replace(gallery, features=dict(zip(gallery.codes, parts, strict=True)), model=model)


def _described(raw: bytes, source: str) -> dict[str, Any]:
    try:
        document = json.loads(raw.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise GalleryError(f"{source}: deck.json is not JSON; export the deck again") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise GalleryError(f"{source} is a deck of another format than {FORMAT}; use a newer Arbitro to read it")
    name, kind, note, cards = (document.get(key) for key in ("name", "kind", "note", "cards"))
    if not isinstance(name, str) or kind not in KINDS or not isinstance(note, str) or not isinstance(cards, dict):
        raise GalleryError(f"{source}: deck.json lacks name, kind, note or cards; export the deck again")
    if not cards:
        raise GalleryError(f"{source} is a deck without cards")
    for code, count in cards.items():
        if code not in CLASSES[:NONE]:
            raise GalleryError(f"{source} holds a card “{_printable(code)}”, which no deck has")
        if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST_PICTURES:
            raise GalleryError(f"{source} must hold 1 to {MOST_PICTURES} pictures of {code}")
    families = {code in FRENCH_CODES for code in cards}
    if len(families) > 1 or (kind != "other" and families != {kind == "french"}):
        raise GalleryError(f"{source} mixes Italian and French cards; export the deck again")
    features = document.get("features")
    known = None
    if features is not None:
        model = features.get("model") if isinstance(features, dict) else None
        length = features.get("length") if isinstance(features, dict) else None
        if not isinstance(model, str) or not re.fullmatch(r"[0-9a-f]{64}", model):
            raise GalleryError(f"{source} does not say what its features were made with; export the deck again")
        if not isinstance(length, int) or isinstance(length, bool) or not 1 <= length <= 4096:
            raise GalleryError(f"{source} says a length of its features that cannot be; export the deck again")
        known = (model, length)
    return {
        "name": checked_name(name),
        "kind": kind,
        "note": _printable(note)[:LONGEST_NOTE],
        "cards": cards,
        "features": known,
    }


def _bytes_of(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int, source: str) -> bytes:
    """Return what an entry unpacks to, without unpacking more than `most` bytes."""
    if entry.file_size > most:
        raise GalleryError(f"{source}: {_printable(entry.filename)} is larger than it may be")
    with archive.open(entry) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise GalleryError(f"{source}: {_printable(entry.filename)} is larger than it may be")
    return data


def _picture(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, source: str) -> npt.NDArray[np.uint8]:
    data = _bytes_of(archive, entry, LARGEST_PICTURE_BYTES, source)
    # The size is looked up before anything is unpacked: a small file may claim to be an enormous picture.
    if data[:2] != b"\xff\xd8" or claimed_size(data) != PICTURE_SIZE:
        raise GalleryError(
            f"{source}: {entry.filename} is not a JPEG of {PICTURE_SIZE[1]} x {PICTURE_SIZE[0]} pixels; "
            "export the deck again"
        )
    try:
        image = decode_photo(data, entry.filename)
    except PhotoError as error:
        raise GalleryError(f"{source}: {error}") from None
    if image.shape != (*PICTURE_SIZE, 3):
        raise GalleryError(f"{source}: {entry.filename} is turned by its own note; export the deck again")
    return image


def _printable(text: str) -> str:
    """Return a text from a file as it may stand in a line for people."""
    return "".join(c if c.isprintable() else "?" for c in text[:LONGEST_NOTE])


def deck_codes(family: str) -> tuple[str, ...]:
    """Return all codes of a family, "italian" or "french"."""
    return FRENCH_CODES if family == "french" else ITALIAN_CODES
