"""What the dashboard does with decks: list and share them, choose one for the table, and learn a new one.

Owns the enrolment that is going on, one at a time whoever taps, and the pictures of it. Pages and words are `web`'s.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from arbitro.decksight import AUTO, KINDS, DeckChoice, EnrolledDecks
from arbitro.deckstore import DeckStore, described
from arbitro.preview import jpeg_of
from arbitro.wording import WordedError
from vision.enrolment import NOTHING, Enrolment, Find
from vision.gallery import KINDS as GALLERY_KINDS
from vision.gallery import GalleryError
from vision.photo import PhotoError, decode_photo
from vision.reading import CardReader

MOST_PHOTOS = 40
LARGEST_PHOTO_BYTES = 20_000_000
_JPEG_QUALITY = 85
_SHOWN_WIDTH_PX = 1280

Image = npt.NDArray[np.uint8]


class DeckRoomError(WordedError):
    """What people want of the decks cannot be done; nothing was changed."""


class DeckRoom:
    """Keep the decks of one dashboard; people may call from different threads.

    Args:
        store: where enrolled decks are kept.
        choice: which deck the table is watched with.
        newest_picture: gives the camera's newest picture in full size, None before the first one.
        make_reader: makes what finds and reads cards, when it is first needed.
    """

    def __init__(
        self,
        store: DeckStore,
        choice: DeckChoice,
        newest_picture: Callable[[], Image | None],
        make_reader: Callable[[], CardReader],
    ) -> None:
        self._store = store
        self._choice = choice
        self._newest_picture = newest_picture
        self._make_reader = make_reader
        self._reader: CardReader | None = None
        self._enrolment: Enrolment | None = None
        self._photos: dict[int, Image] = {}
        self._name = ""
        self._lock = threading.RLock()

    # Decks

    def state(self) -> dict[str, Any]:
        """Return all that the page shows: the decks, which one is wanted, and the enrolment that is going on."""
        with self._lock:
            return {
                "wanted": self._choice.wanted,
                "choices": [AUTO, *KINDS],
                "decks": [{**described(gallery), "codes": list(gallery.codes)} for gallery in self._store],
                "enrolment": self._enrolment_state(),
            }

    def choose(self, name: str) -> None:
        """Watch the table with another deck from now on: "auto", a kind, or an enrolled deck."""
        if name not in (AUTO, *KINDS) and name not in self._store:
            raise DeckRoomError("deck-unknown-name", name=name)
        self._choice.choose(name)

    def remove(self, name: str) -> None:
        """Forget an enrolled deck."""
        if name not in self._store:
            raise DeckRoomError("deck-unknown-name", name=name)
        self._store.remove(name)
        if self._choice.wanted == name:
            self._choice.choose(AUTO)

    def export(self, name: str) -> bytes:
        """Return a deck's file."""
        if name not in self._store:
            raise DeckRoomError("deck-unknown-name", name=name)
        return self._store.load(name).to_bytes()

    def take_in(self, data: bytes, *, overwrite: bool = False) -> str:
        """Keep a deck's file that comes from others; returns the deck's name."""
        try:
            name = self._store.take_in(data, "this file", overwrite=overwrite).name
        except GalleryError as error:
            raise DeckRoomError("deck-refused", why=str(error)) from None
        return name

    def thumbnail(self, name: str, code: str) -> bytes | None:
        """Return a picture of a deck's face as JPEG, None if there is none."""
        try:
            return _jpeg(self._store.load(name).thumbnail(code))
        except (GalleryError, KeyError):
            return None

    # Learning a deck

    def begin(self, kind: str, order: str = "", add_to: str = "") -> None:
        """Begin to learn a deck; what was begun before is left.

        Args:
            kind: "auto", "italian", "french" or "other".
            order: in which the cards will be laid, as `vision.rows.order_of` reads it; empty if in none.
            add_to: an enrolled deck that photos are added to.
        """
        if kind != AUTO and kind not in GALLERY_KINDS:
            raise DeckRoomError("deck-refused", why=f"there is no kind “{kind}”")
        with self._lock:
            reader = self._ready_reader()
            try:
                known = self._store.load(add_to, reader.classifier) if add_to else None
                alike = [
                    deck
                    for deck in EnrolledDecks(self._store, reader.classifier).of(KINDS)
                    if kind in (AUTO, deck.gallery.kind) and deck.name.casefold() != add_to.casefold()
                ]
                wanted = None if kind == AUTO else kind
                enrolment = Enrolment(reader, wanted, known=known, decks=alike)  # type: ignore[arg-type]
                if order.strip():
                    enrolment.set_order(order)
            except GalleryError as error:
                raise DeckRoomError("deck-refused", why=str(error)) from None
            self._enrolment, self._photos, self._name = enrolment, {}, add_to

    def take(self) -> int:
        """Take the camera's newest picture as a photo of the deck; returns how many cards were found."""
        picture = self._newest_picture()
        if picture is None:
            raise DeckRoomError("deck-no-picture")
        return self._add(picture)

    def add_photo(self, data: bytes) -> int:
        """Take a photo from a file; returns how many cards were found."""
        try:
            return self._add(decode_photo(data, "this photo"))
        except PhotoError as error:
            raise DeckRoomError("deck-refused", why=str(error)) from None

    def _add(self, picture: Image) -> int:
        with self._lock:
            enrolment = self._going_on()
            if len(self._photos) >= MOST_PHOTOS:
                raise DeckRoomError("deck-too-many-photos", count=MOST_PHOTOS)
            number = len(enrolment.photos)
            found = enrolment.add_photo(picture, f"{number + 1}")
            if not found:
                raise DeckRoomError("nothing-found")
            self._photos[number] = picture
            return len(found)

    def answer(self, photo: int, number: int, code: str | None) -> None:
        """Take what a card is: its code, "" for no card of the deck, or None to take the answer back."""
        with self._lock:
            enrolment = self._going_on()
            try:
                if code is None:
                    enrolment.retract(photo, number)
                else:
                    enrolment.answer(photo, number, code or NOTHING)
            except GalleryError as error:
                raise DeckRoomError("deck-refused", why=str(error)) from None

    def forget_photo(self, photo: int) -> None:
        """Leave a photo out."""
        with self._lock:
            self._going_on().forget_photo(photo)
            self._photos.pop(photo, None)

    def save(self, name: str, note: str = "", *, overwrite: bool = False) -> str:
        """Keep the deck under a name, and end the enrolment; doubtful cards are left out. Returns the name."""
        with self._lock:
            enrolment = self._going_on()
            try:
                gallery = enrolment.gallery(name or self._name, note)
                replaces = overwrite or gallery.name.casefold() == self._name.casefold()
                if gallery.name in self._store and not replaces:
                    raise DeckRoomError("deck-name-taken", name=gallery.name)
                # What the classifier makes of it is computed now, not when play begins.
                self._store.save(gallery.with_features(self._ready_reader().classifier), overwrite=replaces)
            except GalleryError as error:
                raise DeckRoomError("deck-refused", why=str(error)) from None
            self._enrolment, self._photos, self._name = None, {}, ""
        return gallery.name

    def cancel(self) -> None:
        """Leave the enrolment."""
        with self._lock:
            self._enrolment, self._photos, self._name = None, {}, ""

    def photo(self, number: int) -> bytes | None:
        """Return a photo of the enrolment as JPEG, None if there is none of that number."""
        with self._lock:
            picture = self._photos.get(number)
        return None if picture is None else _jpeg(picture)

    def found_card(self, photo: int, number: int) -> bytes | None:
        """Return one found card, straightened, as JPEG; None if there is none."""
        with self._lock:
            find = self._find(photo, number)
        return None if find is None else _jpeg(find.picture)

    def _find(self, photo: int, number: int) -> Find | None:
        finds = [] if self._enrolment is None else self._enrolment.finds
        return next((find for find in finds if (find.photo, find.number) == (photo, number)), None)

    def _going_on(self) -> Enrolment:
        if self._enrolment is None:
            raise DeckRoomError("deck-not-begun")
        return self._enrolment

    def _ready_reader(self) -> CardReader:
        if self._reader is None:
            self._reader = self._make_reader()
        return self._reader

    def _enrolment_state(self) -> dict[str, Any] | None:
        enrolment = self._enrolment
        if enrolment is None:
            return None
        proposals = enrolment.proposals()
        settled = enrolment.settled(proposals)
        wanted = enrolment.wanted(settled)
        quads = {(find.photo, find.number): find.quad for find in enrolment.finds}
        return {
            "name": self._name,
            "kind": enrolment.deck_kind,
            "codes": list(enrolment.codes),
            "wanted": len(wanted),
            "missing": [code for code in wanted if code not in settled],
            "doubtful": sum(proposal.state == "doubtful" for proposal in proposals),
            "photos": [
                {
                    "photo": number,
                    "size": list(photo.size),
                    "turned": photo.turned_deg,
                    "mirrored": photo.mirrored,
                    "cards": [
                        {
                            "number": proposal.number,
                            "card": proposal.card,
                            "state": proposal.state,
                            "confidence": round(proposal.confidence, 3),
                            "candidates": [[code, round(p, 3)] for code, p in proposal.candidates],
                            "quad": np.round(quads[number, proposal.number]).astype(int).tolist(),
                        }
                        for proposal in proposals
                        if proposal.photo == number
                    ],
                }
                for number, photo in enumerate(enrolment.photos)
                if number in self._photos
            ],
        }


def _jpeg(image: Image) -> bytes:
    return jpeg_of(image, _SHOWN_WIDTH_PX, _JPEG_QUALITY)
