"""A deck room whose photos hold cards without any model: to see what the page shows and sends."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from rules.cards import ITALIAN_CODES


class RefusedForTest(Exception):
    """An error as the real deck room raises it."""

    code = "deck-refused"

    def text(self, language: str) -> str:
        return "Non è possibile" if language == "it" else "That cannot be"


def jpeg(width: int = 60, height: int = 96) -> bytes:
    return cv2.imencode(".jpg", np.full((height, width, 3), 180, np.uint8))[1].tobytes()


class FakeDecks:
    """Finds two cards on every photo: one is sure, one doubtful."""

    def __init__(self) -> None:
        self.wanted = "auto"
        self.decks: dict[str, dict[str, Any]] = {}
        self.enrolment: dict[str, Any] | None = None
        self.imported: list[bytes] = []
        self.done: list[tuple[Any, ...]] = []

    def add_deck(self, name: str, kind: str = "italian", codes: tuple[str, ...] = ITALIAN_CODES) -> None:
        missing = [code for code in ITALIAN_CODES if code not in codes]
        self.decks[name] = {
            "name": name, "kind": kind, "family": "italian", "codes": list(codes), "missing": missing, "note": "",
        }  # fmt: skip

    def state(self) -> dict[str, Any]:
        return {
            "wanted": self.wanted,
            "choices": ["auto", "italian", "french"],
            "decks": list(self.decks.values()),
            "enrolment": self.enrolment,
        }

    def choose(self, name: str) -> None:
        self.wanted = name

    def remove(self, name: str) -> None:
        if name not in self.decks:
            raise RefusedForTest
        del self.decks[name]

    def export(self, name: str) -> bytes:
        if name not in self.decks:
            raise RefusedForTest
        return b"the file of " + name.encode()

    def take_in(self, data: bytes, *, overwrite: bool = False) -> str:
        if data == b"rubbish":
            raise RefusedForTest
        self.imported.append(data)
        self.add_deck("Imported")
        return "Imported"

    def thumbnail(self, name: str, code: str) -> bytes | None:
        return jpeg() if name in self.decks else None

    def begin(self, kind: str, order: str = "", add_to: str = "") -> None:
        if order == "xyz":
            raise RefusedForTest
        self.done.append(("begin", kind, order, add_to))
        self.enrolment = {
            "name": add_to, "kind": "italian", "codes": list(ITALIAN_CODES), "missing": list(ITALIAN_CODES),
            "wanted": 40, "doubtful": 0, "photos": [],
        }  # fmt: skip

    def take(self) -> int:
        return self._add()

    def add_photo(self, data: bytes) -> int:
        self.done.append(("photo", len(data)))
        return self._add()

    def _add(self) -> int:
        assert self.enrolment is not None
        number = len(self.enrolment["photos"])
        sure, perhaps = ITALIAN_CODES[2 * number : 2 * number + 2]
        self.enrolment["photos"].append(
            {
                "photo": number,
                "size": [640, 480],
                "turned": 0,
                "mirrored": False,
                "cards": [
                    {
                        "number": 1, "card": sure, "state": "sure", "confidence": 0.98,
                        "candidates": [[sure, 0.98]], "quad": [[50, 50], [150, 50], [150, 250], [50, 250]],
                    },
                    {
                        "number": 2, "card": perhaps, "state": "doubtful", "confidence": 0.5,
                        "candidates": [[perhaps, 0.5], ["7d", 0.3]],
                        "quad": [[250, 50], [350, 50], [350, 250], [250, 250]],
                    },
                ],
            }
        )  # fmt: skip
        self._count()
        return 2

    def _count(self) -> None:
        assert self.enrolment is not None
        found = [found for photo in self.enrolment["photos"] for found in photo["cards"]]
        known = {one["card"] for one in found if one["state"] in ("sure", "said")}
        self.enrolment["missing"] = [code for code in ITALIAN_CODES if code not in known]
        self.enrolment["doubtful"] = sum(one["state"] == "doubtful" for one in found)

    def answer(self, photo: int, number: int, code: str | None) -> None:
        assert self.enrolment is not None
        if photo >= len(self.enrolment["photos"]):
            raise RefusedForTest
        found = self.enrolment["photos"][photo]["cards"][number - 1]
        found["card"] = code or None
        found["state"] = "doubtful" if code is None else "said" if code else "left-out"
        self._count()

    def forget_photo(self, photo: int) -> None:
        assert self.enrolment is not None
        self.enrolment["photos"] = [one for one in self.enrolment["photos"] if one["photo"] != photo]
        self._count()

    def save(self, name: str, note: str = "", *, overwrite: bool = False) -> str:
        if not name:
            raise RefusedForTest
        self.done.append(("save", name, note, overwrite))
        assert self.enrolment is not None
        self.add_deck(name, codes=tuple(c for c in ITALIAN_CODES if c not in self.enrolment["missing"]))
        self.enrolment = None
        return name

    def cancel(self) -> None:
        self.enrolment = None

    def photo(self, number: int) -> bytes | None:
        return jpeg(640, 480) if self.enrolment and number < len(self.enrolment["photos"]) else None

    def found_card(self, photo: int, number: int) -> bytes | None:
        return jpeg() if self.enrolment else None
