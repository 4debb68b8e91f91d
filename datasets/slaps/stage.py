"""Put a case on stage: every card and hand as a layer with its course, from bottom to top."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.decks import back_names
from datasets.film.faces import FaceSource
from datasets.film.layout import CARD_MM
from datasets.film.motion import Pose, Track, ease
from datasets.slaps.case import Case, Flip, HandCase, outward
from datasets.slaps.course import CardCourse, CarryCourse, Jolt, SlapCourse
from datasets.slaps.hands import HandPicture, Persons
from datasets.slaps.layers import CardLayer, HandLayer, Layer, card_shadow
from datasets.slaps.room import Room

#: How far apart the middles of two piles lie, mm.
PILES_APART_MM = 118.0

#: Thickness of a hand that lies on another, mm, and how near the middles of two hands come for that.
_HAND_THICK_MM, _OVER_MM = 18.0, 64.0

#: How far finger tips reach onto the pile at least, and how far aside of its middle at most if they do no more, mm.
_ONTO_MM, _ASIDE_MM = 10.0, 18.0

#: Share of its movement after which a card that is laid down meets the pile.
_THROWN = 0.75

#: So many cards of a pile are drawn and give way to a jolt; what lies deeper is out of sight.
_DRAWN, _LOOSE = 9, 5


@dataclass(frozen=True)
class Stage:
    """A case with everything that is seen.

    Attributes:
        case, room: what happens, and where.
        piles_mm: where the piles lie, x and y; heights_mm: how high they are at the end.
        cards: for each pile its drawn cards, undermost first.
        flips: the layers of the cards that are brought, in the order of the case.
        hands: the layers of the hands that come down, in the order of the case.
        layers: all layers from bottom to top.
    """

    case: Case
    room: Room
    piles_mm: tuple[tuple[float, float], ...]
    heights_mm: tuple[float, ...]
    cards: tuple[tuple[CardLayer, ...], ...]
    flips: tuple[CardLayer, ...]
    hands: tuple[HandLayer, ...]
    layers: tuple[Layer, ...]


def set_stage(case: Case, room: Room, persons: Persons, deck: str, seed: int) -> Stage:
    """Give everything in a case its place, its look and its motion.

    Args:
        case: what happens.
        room: where.
        persons: who may play.
        deck: an own deck or a folder of pictures.
        seed: the same seed gives the same stage.
    """
    return _Setter(case, room, persons, deck, seed).stage()


class _Setter:
    def __init__(self, case: Case, room: Room, persons: Persons, deck: str, seed: int) -> None:
        self.case, self.room = case, room
        self.rng = random.Random(f"stage {seed}")
        backs = back_names()
        self.faces = FaceSource(deck, backs[seed % len(backs)])
        self.shadow = card_shadow(self.faces.card_mm)
        self.piles_mm = _places(len(case.piles), self.rng)
        # Players are seen from the picture, so their directions on the table follow the camera's turn.
        self.outward = [self._on_table(angle) for angle in case.angles_deg]
        self.edges = [self._to_edge(*direction) for direction in self.outward]
        # Arms are drawn a little finer than they are seen, hands being nearer to the camera than the table.
        seen = sorted({flip.player for flip in case.flips} | {hand.player for hand in case.hands})
        self.people = persons.draw(np.random.default_rng([seed, 31]), seen, max(self.edges) + 330,
                                   min(max(1.12 * room.px_per_mm, 0.5), 2.2))
        self.card_layers: list[list[CardLayer]] = [[] for _ in case.piles]
        self.order: list[tuple[float, Layer]] = []

    def stage(self) -> Stage:
        for pile, codes in enumerate(self.case.piles):
            for index in range(max(0, len(codes) - _DRAWN), len(codes)):
                self._add_card(codes[index], pile, CardCourse(self._spot(pile, index)), -1000.0 + index)
        heights = [len(codes) for codes in self.case.piles]
        flips = []
        for number, flip in enumerate(sorted(self.case.flips, key=lambda flip: flip.lands_ms)):
            flips.append(self._bring(flip, heights[flip.pile], number))
            heights[flip.pile] += 1
        hands = [self._hand(hand, heights[hand.pile] * CARD_MM) for hand in self.case.hands]
        self._pile_up(hands)
        self._jolt(hands)
        layers = tuple(layer for _, layer in sorted(self.order, key=lambda pair: pair[0]))
        return Stage(self.case, self.room, self.piles_mm, tuple(count * CARD_MM for count in heights),
                     tuple(tuple(cards) for cards in self.card_layers), tuple(flips), tuple(hands), layers)

    def _on_table(self, angle_deg: float) -> tuple[float, float]:
        x, y = outward(angle_deg)
        middle = self.room.camera.project(np.zeros((1, 3)))[0]
        there = self.room.camera.on_table(np.array([middle + 60 * np.array([x, -y])]))[0]
        away = math.hypot(*there)
        return float(there[0]) / away, float(there[1]) / away

    def _to_edge(self, ux: float, uy: float) -> float:
        right, far, left, near = self.room.camera.beyond_mm(0.0)
        return min((right if ux > 0 else left) / max(abs(ux), 1e-6), (far if uy > 0 else near) / max(abs(uy), 1e-6))

    def _spot(self, pile: int, index: int) -> Pose:
        x, y = self.piles_mm[pile]
        sloppy = 2.2 if self.rng.random() < 0.8 else 7.0
        return Pose(x + self.rng.gauss(0, sloppy), y + self.rng.gauss(0, sloppy), CARD_MM * (index + 1),
                    self.rng.gauss(0, 0.1) + math.pi / 2 * (self.rng.random() < 0.06))

    def _add_card(self, code: str, pile: int, course: CardCourse, lies: float) -> CardLayer:
        layer = CardLayer(code, course, self.room, self.faces, self.shadow)
        self.card_layers[pile].append(layer)
        self.order.append((lies, layer))
        return layer

    # ------------------------------------------------------------------ flips

    def _bring(self, flip: Flip, index: int, number: int) -> CardLayer:
        """Let a hand bring a card, turn it over the pile and go away."""
        rest = self._spot(flip.pile, index)
        hand = self.people[flip.player]["right"]
        away, shoulder = self._entry(flip.player, "right")
        ux, uy = self.outward[flip.player]
        # The card is held by its near edge: fingers over it, palm behind it.
        hold = hand.reach_mm + self.rng.uniform(2, 16)
        lands, takes = flip.lands_ms, self.rng.uniform(330, 460)
        start = lands - takes - 90
        over = Pose(rest.x + ux * hold, rest.y + uy * hold, rest.z + 4)
        palm = Track()
        palm.put(start, Pose(*away, 80.0))
        palm.go(start, lands - 70, over.moved(z=rest.z + self.rng.uniform(30, 50)), lift_mm=15)
        palm.go(lands - 70, lands, over)
        lets_go = lands + self.rng.uniform(10, 60)
        palm.go(lets_go, lets_go + self.rng.uniform(300, 420), Pose(*away, 90.0), lift_mm=25)
        # In Spit cards come face up from the player's own piles; else they are turned as they come down.
        roll = 0.0 if self.case.game == "spit" else math.pi
        card = Track()
        card.put(start, Pose(away[0] - ux * hold, away[1] - uy * hold, 82.0, rest.angle, roll))
        card.go(start, lands - 130, rest.moved(z=rest.z + 46, roll=roll), lift_mm=15)
        self._throw_down(card, lands - 130, lands, rest)
        layer = self._add_card(flip.code, flip.pile, CardCourse(rest, card, lands), lands)
        self.order.append((lands + 0.01, HandLayer(flip.player, "right", hand, CarryCourse(palm), shoulder, self.room)))
        return layer

    @staticmethod
    def _throw_down(card: Track, start_ms: float, lands_ms: float, rest: Pose) -> None:
        """Let a card come down on its place while it is still quick: as if it went on below the table."""
        done = ease(_THROWN)
        held = card.end
        beyond = {name: getattr(held, name) + (getattr(rest, name) - getattr(held, name)) / done
                  for name in ("x", "y", "z", "angle", "roll")}
        card.go(start_ms, start_ms + (lands_ms - start_ms) / _THROWN, Pose(**beyond))

    def _entry(self, player: int, side: str) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return where a hand waits outside the picture, and the shoulder that its arm turns around."""
        ux, uy = self.outward[player]
        aside = 1.0 if side == "right" else -1.0
        rx, ry = -uy * aside, ux * aside
        edge = self.edges[player]
        wait, behind = edge + 190, edge + 480
        return (ux * wait + rx * 90, uy * wait + ry * 90), (ux * behind + rx * 165, uy * behind + ry * 165)

    # ------------------------------------------------------------------ slaps

    def _hand(self, case: HandCase, height_mm: float) -> HandLayer:
        rng = self.rng
        picture: HandPicture = self.people[case.player][case.side]
        away, shoulder = self._entry(case.player, case.side)
        ux, uy = self.outward[case.player]
        px, py = self.piles_mm[case.pile]
        # From where the arm comes, not straight from the player, since the shoulder is aside.
        sx, sy = shoulder[0] - px, shoulder[1] - py
        far = math.hypot(sx, sy)
        sx, sy = sx / far, sy / far
        depth, aside = case.depth_mm, case.aside_mm
        if depth < 0 and not case.feint:
            # Finger tips that stay on their own side of the pile still reach well onto it.
            wide, high = (side / 2 for side in self.faces.card_mm)
            depth = max(depth, _ONTO_MM - min(wide / max(abs(sx), 1e-6), high / max(abs(sy), 1e-6)))
            aside = min(max(aside, -_ASIDE_MM), _ASIDE_MM)
        back = picture.reach_mm - depth
        target = (px + sx * back - uy * aside, py + sy * back + ux * aside)
        height = height_mm + case.stops_mm
        slides = rng.random() < 0.35
        slide = (sx * rng.uniform(-2, 6), sy * rng.uniform(-2, 6)) if slides else (0.0, 0.0)
        if case.feint:
            drawn_back = rng.uniform(5, 22)
            slide = (sx * drawn_back, sy * drawn_back)
        course = SlapCourse(
            away, target, case.touches_ms, height, height + rng.uniform(70, 190), rng.uniform(260, 430),
            rng.uniform(70, 135) if not case.feint else rng.uniform(90, 170), rng.uniform(1.35, 2.0),
            rng.uniform(0.74, 0.96), case.parted_ms, rng.uniform(300, 440),
            slide, case.feint)
        layer = HandLayer(case.player, case.side, picture, course, shoulder, self.room)
        self.order.append((case.touches_ms + (1e6 if case.feint else 0), layer))
        return layer

    def _pile_up(self, hands: list[HandLayer]) -> None:
        """Raise hands that come down on others, which have touched before."""
        lying: list[tuple[HandLayer, SlapCourse]] = []
        for layer in hands:
            if isinstance(layer.course, SlapCourse) and not layer.course.feint:
                lying.append((layer, layer.course))
        lying.sort(key=lambda pair: pair[1].contact_ms)
        for number, (layer, course) in enumerate(lying):
            mine = _spine(layer, course)
            raised = 0.0
            for other, lower in lying[:number]:
                near = float(np.hypot(*(mine[:, None] - _spine(other, lower)[None]).T).min())
                if near < _OVER_MM:
                    # Fingers over fingers lie lower than a palm over a palm.
                    thick = _HAND_THICK_MM * (1.0 if near < _OVER_MM / 2 else 0.6)
                    raised = max(raised, lower.height_mm + thick - course.height_mm)
            course.height_mm += raised
            course.peak_mm += raised

    def _jolt(self, hands: list[HandLayer]) -> None:
        """Let every contact push the cards that lie there, and the hands that lie on them."""
        for layer, case in zip(hands, self.case.hands, strict=True):
            if case.feint:
                continue
            ux, uy = self.outward[case.player]
            push = self.rng.uniform(0.2, 1.6)
            for card in self.card_layers[case.pile][-_LOOSE:]:
                if card.course.lies_ms < case.touches_ms:
                    card.course.jolts.append(Jolt(case.touches_ms, -ux * push + self.rng.gauss(0, 0.35),
                                                  -uy * push + self.rng.gauss(0, 0.35)))
            for other, its in zip(hands, self.case.hands, strict=True):
                if other is not layer and its.pile == case.pile and not its.feint and (
                        its.touches_ms < case.touches_ms < its.parted_ms):
                    assert isinstance(other.course, SlapCourse)
                    other.course.jolts.append(Jolt(case.touches_ms, self.rng.gauss(0, 0.5), self.rng.gauss(0, 0.5)))


def _spine(layer: HandLayer, course: SlapCourse) -> NDArray[np.float64]:
    """Return points (n, 2) along the middle of a hand where it comes down, from wrist to fingers, mm."""
    along = np.linspace(layer.hand.wrist_mm, layer.hand.reach_mm - 20, 8)
    spots = np.stack([np.zeros_like(along), along], axis=1)
    return layer.place_mm(spots, Pose(*course.target))[:, :2]


def _places(piles: int, rng: random.Random) -> tuple[tuple[float, float], ...]:
    """Return where the piles lie: around the middle of the table."""
    x, y = rng.gauss(0, 12), rng.gauss(0, 10)
    if piles == 1:
        return ((x, y),)
    half = PILES_APART_MM / 2
    return tuple((x + half * (2 * i - 1), y) for i in range(piles))
