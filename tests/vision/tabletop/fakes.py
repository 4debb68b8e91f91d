"""A made-up table: cards and hands at given places, as a detector and a classifier would report them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vision.classifier import CLASSES, NONE, Readings
from vision.detections import BACK, FACE, HAND, Detections
from vision.tabletop import StableLook, TableChange, Tabletop

CARD = (60.0, 96.0)
SIZE = (720, 1280)


def quad(x: float, y: float, angle: float = 0.0, size: tuple[float, float] = CARD) -> np.ndarray:
    """Give the corners of a card (or a hand) around a point, turned by an angle in radians."""
    w, h = size[0] / 2, size[1] / 2
    corners = np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return (corners @ turn + (x, y)).astype(np.float32)


@dataclass
class Piece:
    """A card on the made-up table; the later pieces lie higher."""

    code: str
    x: float
    y: float
    angle: float = 0.0
    is_back: bool = False
    misread: dict[str, float] | None = None
    found_as_back: bool = False


@dataclass
class FakeTable:
    """Drive a tabletop with what a made-up table shows, ten looks a second."""

    tabletop: Tabletop
    step_ms: int = 100
    t_ms: int = 0
    pieces: dict[str, Piece] = field(default_factory=dict)
    hands: list[tuple[float, float]] = field(default_factory=list)
    missed: set[str] = field(default_factory=set)
    ghosts: list[tuple[float, float]] = field(default_factory=list)
    looks: list[StableLook] = field(default_factory=list)
    changes: list[TableChange] = field(default_factory=list)
    reads: int = 0
    shift: tuple[float, float] = (0.0, 0.0)
    tremble_px: float = 0.0
    _rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))

    def put(self, code: str, x: float, y: float, angle: float = 0.0, **more: object) -> Piece:
        """Lay a card; it lies on top of the others."""
        self.pieces.pop(code, None)
        piece = self.pieces[code] = Piece(code, x, y, angle, **more)  # type: ignore[arg-type]
        return piece

    def take(self, *codes: str) -> None:
        """Take cards away."""
        for code in codes:
            del self.pieces[code]

    def run(self, ms: int) -> list[StableLook]:
        """Let time pass; give the looks at rest that came of it."""
        found: list[StableLook] = []
        for _ in range(max(1, ms // self.step_ms)):
            self.t_ms += self.step_ms
            image = np.zeros((*SIZE, 3), np.uint8)
            self.changes += self.tabletop.update(image, self.t_ms, self._detections(), self._read)
            found += self.tabletop.take_looks()
        self.looks += found
        return found

    def carry(self, code: str, x: float, y: float, ms: int, *, covered: bool = True) -> None:
        """Move a card in a straight line, a hand over it."""
        piece = self.pieces[code]
        x0, y0 = piece.x, piece.y
        steps = max(1, ms // self.step_ms)
        for i in range(1, steps + 1):
            piece.x, piece.y = x0 + (x - x0) * i / steps, y0 + (y - y0) * i / steps
            self.hands = [(piece.x, piece.y + 60)] if covered else []
            self.run(self.step_ms)
        self.hands = []

    def _quad(self, piece: Piece) -> np.ndarray:
        tremble = self._rng.normal(0, self.tremble_px, (4, 2)) if self.tremble_px else 0.0
        return (quad(piece.x, piece.y, piece.angle) + np.array(self.shift) + tremble).astype(np.float32)

    def _is_covered(self, piece: Piece) -> bool:
        if any(abs(piece.x - x) < 40 and abs(piece.y - y) < 50 for x, y in self.hands):
            return True
        order = list(self.pieces.values())
        return any(
            np.hypot(piece.x - other.x, piece.y - other.y) < 18 for other in order[order.index(piece) + 1 :]
        )

    def _detections(self) -> Detections:
        quads, classes = [], []
        for piece in self.pieces.values():
            if piece.code not in self.missed and not self._is_covered(piece):
                quads.append(self._quad(piece))
                classes.append(BACK if piece.is_back or piece.found_as_back else FACE)
        for x, y in self.ghosts:
            quads.append(quad(x, y))
            classes.append(FACE)
        for x, y in self.hands:
            quads.append(quad(x, y, size=(90, 130)))
            classes.append(HAND)
        if not quads:
            return Detections.empty()
        return Detections(np.array(quads), np.full(len(quads), 0.9), np.array(classes))

    def _read(self, quads: np.ndarray) -> Readings:
        self.reads += len(quads)
        rows = np.stack([self._reading(q.mean(axis=0) - np.array(self.shift)) for q in quads])
        n = len(quads)
        return Readings(rows, np.zeros((n, 1), np.float32), np.zeros(n, bool), np.zeros(n, bool))

    def _reading(self, centre: np.ndarray) -> np.ndarray:
        probs = np.full(len(CLASSES), 1e-6)
        under = [p for p in self.pieces.values() if np.hypot(p.x - centre[0], p.y - centre[1]) < 20]
        if any(abs(centre[0] - x) < 40 and abs(centre[1] - y) < 50 for x, y in self.hands):
            under = []
        if not under or under[-1].is_back:
            probs[NONE] = 1.0
        else:
            for code, p in (under[-1].misread or {under[-1].code: 0.99}).items():
                probs[CLASSES.index(code)] = p
        return np.log(probs / probs.sum()).astype(np.float32)


def faces(look: StableLook) -> set[str]:
    """Give the best faces of a look."""
    return {max(card.probabilities, key=lambda code: card.probabilities[code]) for card in look.cards}


def passing(look: StableLook) -> set[str]:
    """Give the best faces of what was seen in passing."""
    return {max(card.probabilities, key=lambda code: card.probabilities[code]) for card in look.passed}
