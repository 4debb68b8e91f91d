"""What the dashboard needs of a live table, as types; `arbitro.table.LiveTable` is the real one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable


class Journal(Protocol):
    """The part of the journal that live updates wait on."""

    @property
    def last_id(self) -> int:
        """The number of the newest event, which is also the newest state's revision."""
        ...

    def wait(self, after: int, timeout_s: float) -> bool:
        """Wait until an event with an id above `after` exists; False when `timeout_s` passed without one."""
        ...


class LiveTable(Protocol):
    """A table being watched: its state, its newest picture, and its ear for commands."""

    @property
    def journal(self) -> Journal:
        """The journal that every state is a fold over."""
        ...

    def state(self, language: str) -> dict[str, Any]:
        """Return the whole state for display, its texts in `language` ("en" or "it")."""
        ...

    def latest_picture(self) -> tuple[int, bytes] | None:
        """Return the newest picture as (frame index, JPEG), or None before the first one."""
        ...

    def record(self) -> str:
        """Return the hand record so far as JSON Lines."""
        ...

    def command(self, command: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a person's command and recompute everything; raises `arbitro.table.CommandError`."""
        ...


@runtime_checkable
class Refused(Protocol):
    """An error that tells people why what they want cannot be; `arbitro.deckroom.DeckRoomError` is the real one."""

    code: str

    def text(self, language: str) -> str:
        """Return the reason in a language ("en" or "it")."""
        ...


class DeckRoom(Protocol):
    """The decks that are known, and the one that is being learnt; `arbitro.deckroom.DeckRoom` is the real one.

    What cannot be raises an error that is `Refused`.
    """

    def state(self) -> dict[str, Any]:
        """Return the decks, which one is wanted, and the enrolment that is going on."""
        ...

    def choose(self, name: str) -> None:
        """Watch the table with another deck from now on."""
        ...

    def remove(self, name: str) -> None:
        """Forget a deck."""
        ...

    def export(self, name: str) -> bytes:
        """Return a deck's file."""
        ...

    def take_in(self, data: bytes, *, overwrite: bool = False) -> str:
        """Keep a deck's file that comes from others; returns the deck's name."""
        ...

    def thumbnail(self, name: str, code: str) -> bytes | None:
        """Return a picture of a deck's face as JPEG."""
        ...

    def begin(self, kind: str, order: str = "", add_to: str = "") -> None:
        """Begin to learn a deck."""
        ...

    def take(self) -> int:
        """Take the camera's newest picture as a photo of the deck; returns how many cards were found."""
        ...

    def add_photo(self, data: bytes) -> int:
        """Take a photo from a file; returns how many cards were found."""
        ...

    def answer(self, photo: int, number: int, code: str | None) -> None:
        """Take what a card is."""
        ...

    def forget_photo(self, photo: int) -> None:
        """Leave a photo out."""
        ...

    def save(self, name: str, note: str = "", *, overwrite: bool = False) -> str:
        """Keep the deck under a name, and return that."""
        ...

    def cancel(self) -> None:
        """Leave the enrolment."""
        ...

    def photo(self, number: int) -> bytes | None:
        """Return a photo of the enrolment as JPEG."""
        ...

    def found_card(self, photo: int, number: int) -> bytes | None:
        """Return one found card as JPEG."""
        ...
