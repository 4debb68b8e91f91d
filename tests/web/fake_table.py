"""A live table without camera, rules or points: its state is what a test says, its commands are written down."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np

from arbitro.table import CommandError

WIDTH, HEIGHT = 640, 360


def quad(x: float, y: float, width: float = 52, height: float = 88) -> list[list[float]]:
    """Return the corners of an upright card from its top-left corner, in pixels."""
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]]


def lying(
    track: int, card: str | None, x: float, y: float, confidence: float = 0.98, **more: Any
) -> dict[str, Any]:
    """Return one card of the state's table."""
    return {
        "track": track,
        "card": card,
        "confidence": confidence,
        "candidates": [[card or "7d", confidence]],
        "quad": quad(x, y),
        "state": "lying",
        "face": "up",
        "zone": "table",
        **more,
    }


def play(
    event: int, player: int | None, card: str | None, takes: list[str] | None = None, **more: Any
) -> dict[str, Any]:
    """Return one play of the score document."""
    return {
        "event": event,
        "player": player,
        "card": card,
        "takes": takes or [],
        "ruling": "legal",
        "reasons": [],
        "rule": "scopa.md#6",
        "sweep": False,
        "hand": 0,
        "legal_takes": [takes] if takes else [],
        "table_before": [*(takes or []), "Rb"],
        "why": [],
        "may_lay": not takes,
        "t_ms": event * 4000,
        "confidence": 0.99,
        "candidates": [{"card": card, "takes": takes or [], "probability": 0.99}],
        **more,
    }


def point(name: str, points: int, why: str, cards: list[str] | None = None) -> dict[str, Any]:
    """Return one point of a side."""
    return {
        "name": name,
        "points": points,
        "why": why,
        "why_code": "majority",
        "why_args": {},
        "cards": cards or [],
    }


def playing_state() -> dict[str, Any]:
    """Return a hand of Scopa between Anna and Bruno after three plays."""
    return {
        "revision": 1,
        "session": {
            "source": "film.mp4",
            "game": "scopa",
            "players": ["Anna", "Bruno"],
            "dealer": 0,
            "options": {},
            "deck": "napoletane",
            "status": "playing",
            "error": None,
            "live": False,
        },
        "picture": {"index": 0, "width": WIDTH, "height": HEIGHT, "t_ms": 0},
        "table": [
            lying(1, "4d", 60, 120),
            lying(2, "3c", 150, 120, 0.72),
            lying(3, "Rb", 240, 120, state="hidden"),
            lying(4, None, 330, 120, 0.4),
        ],
        "score": {
            "game": "scopa",
            "players": ["Anna", "Bruno"],
            "plays": [
                play(3, 1, "7d", ["7c"]),
                play(4, 0, "4d"),
                play(5, 1, "5s", ["5d"], confidence=0.71),
            ],
            "hands": [
                {
                    "finished": False,
                    "sides": [
                        {"players": [0], "captured": [], "sweeps": 0, "points": [], "lost": [], "total": 0},
                        {
                            "players": [1],
                            "captured": ["7d", "7c", "5s", "5d"],
                            "sweeps": 0,
                            "points": [point("settebello", 1, "7 of coins", ["7d"])],
                            "lost": [],
                            "total": 1,
                        },
                    ],
                }
            ],
            "match": {"totals": [2, 3], "target": 11, "winner": None, "partite": [0, 0]},
            "flags": [],
            "state": {
                "table": ["4d", "3c", "Rb"],
                "turn": 0,
                "hand_sizes": [2, 1],
                "stock": 30,
                "captured": [[], ["7d", "7c", "5s", "5d"]],
                "sweeps": [0, 0],
                "phase": "play",
                "sides": [[0], [1]],
            },
        },
        "questions": [],
        "warnings": [],
        "performance": {"fps": 24.0, "dropped_frames": 0},
    }


def picture_of(index: int, state: Mapping[str, Any]) -> bytes:
    """Draw a green table with light cards where the state says that they lie, as JPEG."""
    image = np.full((HEIGHT, WIDTH, 3), (52, 88, 30), np.uint8)
    for item in state["table"]:
        corners = np.array(item["quad"], np.int32)
        cv2.fillConvexPoly(image, corners, (222, 236, 242))
    cv2.putText(image, str(index), (12, HEIGHT - 14), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (255, 255, 255), 2)
    written, data = cv2.imencode(".jpg", image)
    assert written
    return bytes(data)


class FakeJournal:
    """The journal's clock alone: numbers that rise."""

    def __init__(self) -> None:
        self._grown = threading.Condition()
        self._last_id = 0

    @property
    def last_id(self) -> int:
        return self._last_id

    def rise(self) -> int:
        with self._grown:
            self._last_id += 1
            self._grown.notify_all()
            return self._last_id

    def wait(self, after: int, timeout_s: float) -> bool:
        with self._grown:
            return self._grown.wait_for(lambda: self._last_id > after, timeout_s)


class FakeTable:
    """Shows the state it was given; `change` gives the next one, `commands` are what the page has sent.

    `refusal` makes the next command fail with that code of `arbitro.wording`.
    """

    def __init__(self, state: Mapping[str, Any] | None = None) -> None:
        self.journal = FakeJournal()
        self.commands: list[dict[str, Any]] = []
        self.refusal: tuple[str, dict[str, Any]] | None = None
        self.languages: list[str] = []
        self._picture: tuple[int, bytes] | None = None
        self._state: dict[str, Any] = {}
        self._lock = threading.Lock()
        self.change(state or playing_state())

    def change(self, state: Mapping[str, Any]) -> int:
        """Show another state from now on and return its revision."""
        with self._lock:
            state = copy.deepcopy(dict(state))
            state["revision"] = self.journal.last_id + 1
            self._state = state
            return self.journal.rise()

    def show_picture(self, index: int) -> None:
        """Give a picture of the state's table."""
        with self._lock:
            self._state["picture"]["index"] = index
            self._picture = (index, picture_of(index, self._state))

    def state(self, language: str) -> dict[str, Any]:
        self.languages.append(language)
        with self._lock:
            return copy.deepcopy(self._state)

    def latest_picture(self) -> tuple[int, bytes] | None:
        return self._picture

    def record(self) -> str:
        return '{"type": "match", "format": 1, "game": "scopa", "players": ["Anna", "Bruno"], "dealer": 0}\n'

    def command(self, command: Mapping[str, Any]) -> dict[str, Any]:
        if self.refusal is not None:
            code, args = self.refusal
            self.refusal = None
            raise CommandError(code, **args)
        self.commands.append(dict(command))
        return {"event": 6, "revision": self.journal.last_id}


def wait_until(condition: Any, timeout_s: float = 60.0) -> None:
    """Wait for a condition; fail when it does not come true in time."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.02)
