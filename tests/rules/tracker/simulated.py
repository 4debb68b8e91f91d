"""Random hands of Scopa as a camera would tell them: looks with noise, and what was really played."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.captures import legal_captures
from rules.cards import ITALIAN_CODES, Card
from rules.tracker import Reach, SeenCard, TableLook, Tracker
from rules.tracker.look import Moment

Event = dict[str, Any]


@dataclass(frozen=True)
class Noise:
    """Hold how often what goes wrong, as probabilities."""

    misread: float = 0.0
    sure_misread: float = 0.0
    never_shown: float = 0.0
    in_passing: float = 0.0
    merged_looks: float = 0.0
    take_back: float = 0.0
    ghost: float = 0.0
    renumbered: float = 0.0
    illegal: float = 0.0
    unseen_lay: float = 0.0
    arms: float = 0.0
    wrong_arms: float = 0.0
    reread: float = 0.5


@dataclass
class Hand:
    """Hold one hand: what was played and what was seen."""

    dealer: int
    seats: int
    deal: list[str] = field(default_factory=list)
    plays: list[tuple[int, str, list[str]]] = field(default_factory=list)
    looks: list[TableLook] = field(default_factory=list)


class Camera:
    """Make looks out of a table's changes."""

    def __init__(
        self, noise: Noise, chance: random.Random, hand: Hand, first_track: int = 0, t_ms: int = 0
    ) -> None:
        self.noise, self.chance, self.hand = noise, chance, hand
        self.lying: dict[str, int] = {}
        self.evidence: dict[int, dict[str, float]] = {}
        self.passed: list[SeenCard] = []
        self.reached: list[Reach] = []
        self.seat = 0
        self.track = first_track
        self.t_ms = t_ms

    def put(self, code: str) -> None:
        self.lying[code] = self._new(code)
        self._reach(self.lying[code], "laid")

    def take(self, codes: Iterable[str]) -> None:
        for code in codes:
            track = self.lying.pop(code, None)
            if track is not None:  # a card never seen leaves unseen
                self._reach(track, "taken")

    def _reach(self, track: int, moment: Moment) -> None:
        """Let an arm be seen, sometimes another one than that which did it."""
        if self.chance.random() < self.noise.arms:
            seat = self.seat + (self.chance.random() < self.noise.wrong_arms)
            side = 270.0 + 360.0 / self.hand.seats * (seat % self.hand.seats) + self.chance.gauss(0, 8)
            self.reached.append(Reach(track, moment, side % 360, self.chance.uniform(0.4, 0.95)))

    def passes(self, code: str) -> None:
        track = self._new(code)
        self._reach(track, "laid")
        self.passed.append(SeenCard(track, self.evidence[track]))

    def look(self, may_skip: bool = True) -> None:
        self.t_ms += 1500
        if may_skip and self.chance.random() < self.noise.merged_looks:
            return
        for code, track in list(self.lying.items()):
            if self.chance.random() < self.noise.renumbered / 10:
                self.lying[code] = self._new(code)
            elif self.chance.random() < self.noise.reread:
                self._read_again(code, track)
        cards = [SeenCard(track, self.evidence[track]) for track in self.lying.values()]
        if self.chance.random() < self.noise.ghost:
            cards.append(SeenCard(self._new(self.chance.choice(ITALIAN_CODES)), {}))
            cards[-1] = SeenCard(cards[-1].track, self.evidence[cards[-1].track])
        self.hand.looks.append(TableLook(self.t_ms, tuple(cards), tuple(self.passed), tuple(self.reached)))
        self.passed, self.reached = [], []

    def _new(self, code: str) -> int:
        self.track += 1
        self.evidence[self.track] = read(code, self.noise, self.chance)
        return self.track

    def _read_again(self, code: str, track: int) -> None:
        evidence = self.evidence[track]
        if max(evidence, key=lambda c: evidence[c]) != code and self.chance.random() < 0.5:
            self.evidence[track] = read(code, Noise(), self.chance)


def read(code: str, noise: Noise, chance: random.Random) -> dict[str, float]:
    """Give a reading of a card: nearly always the right one on top."""
    other = chance.choice([c for c in ITALIAN_CODES if c != code])
    if chance.random() < noise.sure_misread:
        return {other: 0.999, code: 0.0005}
    if chance.random() < noise.misread:
        wrong = chance.uniform(0.5, 0.97)
        return {other: wrong, code: (1 - wrong) * 0.8}
    return {code: chance.uniform(0.98, 0.9999)}


def play_hand(
    seed: int, noise: Noise, seats: int = 2, dealer: int = 0, first_track: int = 0, t_ms: int = 0
) -> tuple[Hand, Camera]:
    """Play a random hand with a random dealing, seen through noise."""
    chance = random.Random(seed)
    deck = list(ITALIAN_CODES)
    while True:
        chance.shuffle(deck)
        if sum(Card.parse(code).value == 10 for code in deck[:4]) < 3:
            break
    hand = Hand(dealer, seats)
    camera = Camera(noise, chance, hand, first_track, t_ms)
    hand.deal, stock = deck[:4], deck[4:]
    camera.seat = dealer
    for code in hand.deal:
        camera.put(code)
        if chance.random() < 0.3:
            camera.look()
    camera.look(may_skip=False)
    table = list(hand.deal)
    number = 0
    while stock:
        hands = [[stock.pop() for _ in range(3)] for _ in range(seats)]
        for _ in range(3):
            for _ in range(seats):
                seat = (dealer + 1 + number) % seats
                number += 1
                _play_card(hand, camera, chance, noise, seat, hands[seat], table)
                if noise.take_back and chance.random() < noise.ghost:
                    camera.look()
    camera.take(table)
    camera.look(may_skip=False)
    return hand, camera


def _play_card(
    hand: Hand,
    camera: Camera,
    chance: random.Random,
    noise: Noise,
    seat: int,
    held: list[str],
    table: list[str],
) -> None:
    camera.seat = seat
    card = held[chance.randrange(len(held))]
    if len(held) > 1 and chance.random() < noise.take_back:
        other = chance.choice([c for c in held if c != card])
        camera.put(other)
        camera.look()
        camera.take([other])
        if chance.random() < 0.5:
            camera.look()
    held.remove(card)
    legal = [
        [c.code for c in take] for take in legal_captures(Card.parse(card), [Card.parse(c) for c in table])
    ]
    takes = chance.choice(legal) if legal else []
    if table and chance.random() < noise.illegal:
        wrong = (
            chance.sample(table, chance.randint(1, min(3, len(table))))
            if chance.random() < 0.5 or not legal
            else []
        )
        takes = wrong
    hand.plays.append((seat, card, sorted(takes)))
    if not takes:
        if not noise.unseen_lay or chance.random() >= noise.unseen_lay:
            camera.put(card)
        table.append(card)
        camera.look()
        return
    habit = chance.random()
    if habit < noise.never_shown:
        pass
    elif habit < noise.never_shown + noise.in_passing:
        camera.passes(card)
    else:
        camera.put(card)
        camera.look()
        camera.take([card])
    camera.take(takes)
    for code in takes:
        table.remove(code)
    camera.look()


def follow(looks: Iterable[TableLook], tracker: Tracker) -> list[Event]:
    """Run looks through a tracker, letting time pass between them."""
    events: list[Event] = []
    last = 0
    for look in looks:
        for t_ms in range(last + 500, look.t_ms, 500):
            events += tracker.tick(t_ms)
        events += tracker.look(look)
        last = look.t_ms
    return events + tracker.finish(last + 5000)


def fold(events: Iterable[Mapping[str, Any]]) -> list[list[Event]]:
    """Give the hands of a record after all corrections: for each the deal, the plays, and perhaps the end."""
    lines: dict[int, Event] = {}
    for line, event in enumerate(events, start=2):
        if event["type"] == "correct":
            fields = {k: v for k, v in event.items() if k not in ("type", "event")}
            lines[event["event"]] = {**lines[event["event"]], **fields}
        elif event["type"] == "undo":
            del lines[event["event"]]
        else:
            lines[line] = dict(event)
    hands: list[list[Event]] = []
    for _, event in sorted(lines.items()):
        if event["type"] == "deal":
            hands.append([])
        hands[-1].append(event)
    return hands


def plays_of(hand: list[Event]) -> list[tuple[int, str | None, list[str]]]:
    """Give player, card and takes of the plays of a folded hand."""
    return [(e["player"], e["card"], sorted(e["takes"])) for e in hand if e["type"] == "play"]
