"""The decks that people have enrolled: files in the program's own folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from arbitro.errors import nearest
from arbitro.places import home
from rules.cards import FRENCH_40_CODES, ITALIAN_CODES
from vision.classifier import Classifier
from vision.gallery import LARGEST_FILE_BYTES, Gallery, GalleryError, checked_name, read_gallery

SUFFIX = ".deck"
"""Ending of a deck's file."""


class DeckStore:
    """Keep decks by name; names that differ in capitals only are the same.

    Args:
        folder: where the files lie; ``decks`` in the program's own folder if not given. It need not exist yet.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = home() / "decks" if folder is None else folder
        self._known: dict[Path, tuple[int, Gallery]] = {}

    def __iter__(self) -> Iterator[Gallery]:
        """Go through all decks by name; files that are no decks, or damaged, are passed over."""
        for path in self._files():
            try:
                yield self._read(path)
            except GalleryError:
                continue

    def names(self) -> list[str]:
        """Return the names of all decks."""
        return [path.stem for path in self._files()]

    def __contains__(self, name: str) -> bool:
        return self._path_of(name) is not None

    def load(self, name: str, classifier: Classifier | None = None) -> Gallery:
        """Return a deck; with a classifier, what that makes of its pictures is computed if need be, and kept.

        Raises:
            GalleryError: if there is no such deck, or its file is damaged.
        """
        path = self._path_of(name)
        if path is None:
            raise GalleryError(self._unknown(name))
        gallery = self._read(path)
        if classifier is None:
            return gallery
        known = gallery.with_features(classifier)
        if known is not gallery:
            with contextlib.suppress(OSError):  # if it cannot be kept, it is computed again the next time
                _write(path, known.to_bytes())
        return known

    def version(self, name: str) -> int:
        """Return a number that changes when a deck's file does.

        Raises:
            GalleryError: if there is no such deck.
        """
        path = self._path_of(name)
        if path is None:
            raise GalleryError(self._unknown(name))
        return path.stat().st_mtime_ns

    def save(self, gallery: Gallery, *, overwrite: bool = False) -> Path:
        """Keep a deck and return its file.

        Raises:
            GalleryError: if there is one of that name and it is not to be replaced, or it cannot be written.
        """
        name = checked_name(gallery.name)
        known = self._path_of(name)
        if known is not None and not overwrite:
            raise GalleryError(f"there is a deck “{known.stem}” already: choose another name, or replace it")
        path = known or self.folder / f"{name}{SUFFIX}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(path, gallery.to_bytes())
        except OSError as error:
            raise GalleryError(f"the deck cannot be kept in {self.folder} ({error.strerror})") from None
        return path

    def remove(self, name: str) -> None:
        """Forget a deck.

        Raises:
            GalleryError: if there is no such deck, or its file cannot be removed.
        """
        path = self._path_of(name)
        if path is None:
            raise GalleryError(self._unknown(name))
        try:
            path.unlink()
        except OSError as error:
            raise GalleryError(f"the deck {path} cannot be removed ({error.strerror})") from None

    def export(self, name: str, path: Path) -> None:
        """Write a deck to a file for others.

        Raises:
            GalleryError: if there is no such deck, or the file cannot be written.
        """
        data = self.load(name).to_bytes()
        try:
            _write(path, data)
        except OSError as error:
            raise GalleryError(f"{path} cannot be written ({error.strerror}): name another file") from None

    def take_in(
        self, data: bytes, source: str, *, name: str | None = None, overwrite: bool = False
    ) -> Gallery:
        """Keep a deck that comes from others, under its own name or another; returns it.

        Features that it brings are not believed: they are computed here when the deck is used.

        Raises:
            GalleryError: if it is no deck, or there is one of that name and it is not to be replaced.
        """
        foreign = read_gallery(data, source)
        gallery = Gallery(
            foreign.name if name is None else checked_name(name), foreign.kind, foreign.pictures, foreign.note
        )
        self.save(gallery, overwrite=overwrite)
        return gallery

    def _read(self, path: Path) -> Gallery:
        """Read a deck's file, unless it is the same as the last time."""
        try:
            version = path.stat().st_mtime_ns
        except OSError:
            version = -1
        known = self._known.get(path)
        if known is None or known[0] != version:
            # The file's name counts: it is what people see, and what they may have changed.
            gallery = replace(read_gallery(read_deck_file(path), str(path)), name=path.stem)
            known = self._known[path] = (version, gallery)
        return known[1]

    def _files(self) -> list[Path]:
        try:
            found = [path for path in self.folder.iterdir() if path.suffix == SUFFIX and path.is_file()]
        except OSError:
            return []
        return sorted(found, key=lambda path: path.stem.casefold())

    def _path_of(self, name: str) -> Path | None:
        wanted = " ".join(name.split()).casefold()
        return next((path for path in self._files() if path.stem.casefold() == wanted), None)

    def _unknown(self, name: str) -> str:
        names = self.names()
        none = ": none is enrolled yet; show it once with arbitro enroll, or leave --deck out"
        hint = nearest(name, names) or (f"; there are {', '.join(names)}" if names else none)
        return f"there is no deck “{name}”{hint}"


def read_deck_file(path: Path) -> bytes:
    """Return the content of a deck's file that a person named.

    Raises:
        GalleryError: if it cannot be read or is too large for a deck.
    """
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise GalleryError(f"{path} is too large for a deck (over {LARGEST_FILE_BYTES // 1_000_000} MB)")
        return path.read_bytes()
    except OSError as error:
        raise GalleryError(f"the deck {path} cannot be read ({error.strerror}); check the name") from None


def _write(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def described(gallery: Gallery) -> dict[str, Any]:
    """Return what lists and reports say of an enrolled deck."""
    wanted = FRENCH_40_CODES if gallery.family == "french" else ITALIAN_CODES
    return {
        "name": gallery.name,
        "kind": gallery.kind,
        "family": gallery.family,
        "missing": gallery.missing(wanted),
        "note": gallery.note,
    }
