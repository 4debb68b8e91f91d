"""Hands of Scopa as records, and a real live table that is fed them play by play, without camera or tracker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from arbitro.journal import Journal
from arbitro.table import LiveTable
from rules.captures import legal_captures
from rules.cards import ITALIAN_CODES, Card
from tests.web.fake_table import HEIGHT, WIDTH, lying, picture_of

MATCH = {
    "type": "match",
    "format": 1,
    "game": "scopa",
    "players": ["Anna", "Bruno"],
    "dealer": 0,
    "options": {},
}


def hand_of_scopa(seed: int) -> list[dict[str, Any]]:
    """Return deal, 36 legal plays and end of a hand for two, dealt at random; seat 1 begins."""
    deck = [*ITALIAN_CODES]
    Random(seed).shuffle(deck)
    table, events = deck[:4], [{"type": "deal", "table": deck[:4]}]
    for number, code in enumerate(deck[4:]):
        captures = legal_captures(Card.parse(code), [Card.parse(card) for card in table])
        takes = [card.code for card in captures[0]] if captures else []
        table = [card for card in table if card not in takes] + ([] if takes else [code])
        events.append(
            {
                "type": "play",
                "player": 1 - number % 2,
                "card": code,
                "takes": takes,
                "t_ms": 5000 + 4000 * number,
                "confidence": 0.98,
                "candidates": [{"card": code, "takes": takes, "probability": 0.98}],
            }
        )
    return [*events, {"type": "end"}]


class ScriptedTable(LiveTable):
    """A real live table over a real journal; `step` journals what a camera would have seen next."""

    def __init__(self, journal_path: Path, hands: int = 1, first_seed: int = 1) -> None:
        super().__init__(Journal(journal_path))
        self.script = [event for seed in range(hands) for event in hand_of_scopa(first_seed + seed)]
        self._next = 0
        if not self.journal.last_id:
            about = {**MATCH, "source": "film.mp4", "deck": "arbitro-italian", "live": False}
            self.journal.append_all([("session", about), ("record", MATCH), ("status", {"source": "open"})])

    def step(self, count: int = 1, **changes: Any) -> None:
        """Journal the next `count` events of the script, the last one with `changes`, and show a picture of it."""
        for left in range(count, 0, -1):
            event = dict(self.script[self._next])
            self._next += 1
            if left == 1:
                event.update(changes)
            self.journal.append("record", event)
        self.show()

    def play_out(self) -> None:
        """Journal the rest of the script."""
        self.step(len(self.script) - self._next)

    def show(self) -> None:
        """Journal what lies on the table by the record, and give a picture of it."""
        codes = self.score()["state"]["table"]
        cards = [lying(n, code, 30 + 62 * (n % 9), 40 + 110 * (n // 9)) for n, code in enumerate(codes)]
        index = self.journal.last_id
        row: Mapping[str, Any] = {
            "t_ms": 40 * index,
            "index": index,
            "width": WIDTH,
            "height": HEIGHT,
            "cards": cards,
        }
        self.journal.append("table", row)
        self.show_picture(index, 40 * index, (WIDTH, HEIGHT), lambda: picture_of(index, {"table": cards}))
