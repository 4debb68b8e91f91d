"""What detector and classifier would say of a film, taken from its script: no picture is drawn and no model needed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from datasets.film.hands import random_hand
from datasets.film.render import CardTruth, FilmRenderer
from datasets.film.write import prepare
from rules.tracker import SeenCard, TableLook, Tracker
from vision.classifier import CLASSES, NONE, Readings
from vision.detections import BACK, FACE, HAND, Detections
from vision.tabletop import StableLook, Tabletop

SIZE = (640, 360)


@dataclass(frozen=True)
class Sight:
    """Hold how well the made-up eyes see."""

    missed: float = 0.03
    missed_moving: float = 0.3
    misread: float = 0.02
    misread_covered: float = 0.25
    tremble: float = 0.01


class FilmedHand:
    """A hand of Scopa as the script of a film shows it."""

    def __init__(self, seed: int, style: str, sight: Sight | None = None, illegal: int = 0) -> None:
        self.plan = random_hand(seed, dealer=seed % 2, illegal=illegal)
        faces, script, setting = prepare(self.plan, seed=seed, style=style, size=SIZE, deck="italian")
        self.renderer = FilmRenderer(script, setting, faces, fps=10)
        self.events = script.events
        self.sight = sight or Sight()
        self._rng = np.random.default_rng(seed)
        self._truth: list[CardTruth] = []

    def follow(self, tabletop: Tabletop, tracker: Tracker) -> tuple[list[dict], list[StableLook]]:
        """Run tabletop and tracker over the whole film; give the record events and the looks."""
        events: list[dict] = []
        looks: list[StableLook] = []
        image = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
        t_ms = 0
        for index in range(self.renderer.frame_count):
            t_ms = round(self.renderer.time_ms(index))
            self._truth = [card for card in self.renderer.truth(index) if self._in_picture(card)]
            tabletop.update(image, t_ms, self._detections(t_ms), self._read)
            new = tabletop.take_looks()
            for look in new:
                events += tracker.look(_look(look))
            if not new and t_ms % 1000 == 0:
                events += tracker.tick(t_ms)
            looks += new
        for look in tabletop.close(t_ms):
            looks.append(look)
            events += tracker.look(_look(look))
        return events + tracker.finish(t_ms), looks

    def _in_picture(self, card: CardTruth) -> bool:
        centre = card.quad.mean(axis=0)
        return bool((centre > 0).all() and centre[0] < SIZE[0] and centre[1] < SIZE[1])

    def _detections(self, t_ms: float) -> Detections:
        quads, classes = [], []
        for card in self._truth:
            edges = np.linalg.norm(np.roll(card.quad, -1, axis=0) - card.quad, axis=1)
            height = float(edges.max())
            if card.visible < 0.3 or edges.min() < 0.3 * height:
                continue
            missed = self.sight.missed_moving if card.moving else self.sight.missed
            if self._rng.random() < missed:
                continue
            quads.append(card.quad + self._rng.normal(0, self.sight.tremble * height, (4, 2)))
            classes.append(FACE if card.face_up else BACK)
        for seat, track in self.renderer.script.arms.items():
            pose = track.at(t_ms)
            bx, by = self.renderer.setting.layout.base(seat)
            away = math.hypot(pose.x - bx, pose.y - by)
            fx, fy = (pose.x - bx) / away, (pose.y - by) / away
            corners = [(-45, 15), (45, 15), (45, -160), (-45, -160)]
            points = np.array(
                [(pose.x + fy * x + fx * y, pose.y - fx * x + fy * y, 10.0) for x, y in corners]
            )
            quad = self.renderer.camera.project(points)
            inside = (quad > 0).all(axis=1) & (quad[:, 0] < SIZE[0]) & (quad[:, 1] < SIZE[1])
            if inside.any():
                quads.append(quad)
                classes.append(HAND)
        if not quads:
            return Detections.empty()
        return Detections(np.array(quads), np.full(len(quads), 0.9), np.array(classes))

    def _read(self, quads: np.ndarray) -> Readings:
        rows = np.stack([self._reading(quad) for quad in quads])
        n = len(quads)
        return Readings(rows, np.zeros((n, 1), np.float32), np.zeros(n, bool), np.zeros(n, bool))

    def _reading(self, quad: np.ndarray) -> np.ndarray:
        probs = np.full(len(CLASSES), 1e-5)
        centre = quad.mean(axis=0)
        height = float(np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1).max())
        near = [
            card
            for card in self._truth
            if np.hypot(*(card.quad.mean(axis=0) - centre)) < 0.2 * height and card.visible > 0.25
        ]
        if not near or not near[-1].face_up:
            probs[NONE] = 1.0
        else:
            card = near[-1]
            wrong = self.sight.misread if card.visible > 0.7 else self.sight.misread_covered
            code = card.code
            sure = self._rng.uniform(0.9, 0.999)
            if self._rng.random() < wrong:
                code = CLASSES[int(self._rng.integers(40))]
                sure = self._rng.uniform(0.4, 0.95)
                probs[CLASSES.index(card.code)] += (1 - sure) * 0.7
            probs[CLASSES.index(code)] += sure
        return np.log(probs / probs.sum()).astype(np.float32)


def _look(look: StableLook) -> TableLook:
    def cards(stable):  # type: ignore[no-untyped-def]
        return tuple(SeenCard(card.track, card.probabilities) for card in stable)

    return TableLook(look.t_ms, cards(look.cards), cards(look.passed))
