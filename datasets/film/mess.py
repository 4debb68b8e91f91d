"""All that disturbs at a real table: the film's style `messy`.

Every kind of disturbance happens in every film, before plays that are drawn by chance; what finds no occasion there
(no card lies under a hand that would rest) waits for the next play.
"""

from __future__ import annotations

import math
import random

import numpy as np

from datasets.film.camerawork import CameraWork, FocusHunt, Gains, LightChange, LostFrames, Nudge
from datasets.film.director import Director
from datasets.film.hands import Event, HandPlan
from datasets.film.layout import Layout
from datasets.film.motion import Pose
from datasets.film.script import Happening, Script, Style
from datasets.film.things import HEAD_HEIGHT_MM, VESSELS, Glass, Person

#: What happens in a film, and how often at least and at most. `rest` is a hand that rests while its player thinks,
#: `rest-meanwhile` one that rests while another plays.
COUNTS = {"taken-back": (1, 2), "rest": (1, 2), "rest-meanwhile": (1, 2), "glass": (1, 1), "lean": (1, 2),
          "push": (2, 4), "light": (1, 2), "focus": (1, 2), "lost-frames": (1, 2), "nudge": (1, 1)}

#: Kinds of happenings as the truth names them. `deal` is a round that the dealer hands out, in every style.
KINDS = ("deal", "taken-back", "rest", "glass", "lean", "push", "light", "focus", "lost-frames", "nudge")


class MessyDirector(Director):
    """Directs a hand with all that disturbs; `Director` explains the arguments."""

    def __init__(self, plan: HandPlan, layout: Layout, style: Style, rng: random.Random, seed: int) -> None:
        super().__init__(plan, layout, style, rng)
        self.mess = random.Random(f"mess {seed}")
        self.untidiness = self.mess.uniform(1.0, 3.0)
        self.work = CameraWork()
        self.glasses: list[Glass] = []
        self.persons: list[Person] = []
        self.standing_glass: tuple[Glass, int, float] | None = None
        self.resting: tuple[int, float, list[str]] | None = None
        plays = sum(event["type"] == "play" for event in plan.events)
        self.due: list[tuple[int, str]] = sorted(
            (self.mess.randrange(max(plays - 1, 1)), kind)
            for kind, (least, most) in COUNTS.items() for _ in range(self.mess.randint(least, most)))
        self.number = self.glass_goes = 0

    def direct(self) -> Script:
        """Direct the hand."""
        script = super().direct()
        script.work, script.glasses, script.persons = self.work, self.glasses, self.persons
        script.happenings.sort(key=lambda happening: happening.start_ms)
        film = {"style": self.style.name, "happenings": [happening.as_json() for happening in script.happenings]}
        script.events[0] = {**script.events[0], "film": film}
        return script

    # ------------------------------------------------------------------ when

    def before_play(self, number: int, event: Event) -> None:
        """Let happen what is due."""
        self.number = number
        # Who has just taken cards up looks at them first, however hasty the others are.
        self.t = max(self.t, self.arm_free_ms.get(event["player"], 0.0) + 0.3 * self.style.reach)
        if self.standing_glass is not None and number >= self.glass_goes:
            self._take_glass()
        due, self.due = [kind for at, kind in self.due if at <= number], [one for one in self.due if one[0] > number]
        # While a hand rests, its owner does nothing else.
        for kind in sorted(due, key=lambda kind: kind == "rest-meanwhile"):
            if not self._happens(kind, event):
                self.due.append((number + 1, kind))

    def after_play(self, number: int, event: Event) -> None:
        """Take a hand away that has rested while another played."""
        if self.resting is None:
            return
        seat, began, cards = self.resting
        self.resting = None
        self.t = max(self.t, began + self.mess.uniform(1500, 2500))
        self._log("rest", began, player=seat, cards=cards, meanwhile=True)
        self._hand_out(seat)

    def before_end(self) -> None:
        """Take the glass away, as its owner does before the cards are counted."""
        if self.standing_glass is not None:
            self._take_glass()

    def _happens(self, kind: str, event: Event) -> bool:
        """Let one thing happen, unless there is no occasion; tell whether it did."""
        if kind in ("taken-back", "rest", "rest-meanwhile", "glass", "push"):
            self.t = max(self.t, max(self.arm_free_ms.values(), default=0.0))
        match kind:
            case "taken-back":
                return self._take_back(event)
            case "rest":
                return self._rest(event["player"], list(self.table))
            case "rest-meanwhile":
                others = [seat for seat in range(self.layout.players) if seat != event["player"]]
                cards = [code for code in self.table if code not in event["takes"]]
                return self.resting is None and self._rest(self.mess.choice(others), cards, meanwhile=True)
            case "glass":
                return self._put_glass()
            case "lean":
                self._lean()
            case "push":
                return self._push()
            case "light":
                self._change_light()
            case "focus":
                start = self.t + self.mess.uniform(0, 1500)
                hunt = FocusHunt(start, start + self.mess.uniform(700, 1900), self.mess.uniform(1.6, 4.0),
                                 self.mess.choice((1, 2, 2, 3)))
                self.work.hunts.append(hunt)
                self._log("focus", start, hunt.end_ms, blur_mm=round(hunt.blur_mm, 2), swings=hunt.swings)
            case "lost-frames":
                start = self.t + self.mess.uniform(0, 1800)
                kept = self.mess.choice((0, 0, 3, 5))
                end = start + (self.mess.uniform(600, 1400) if kept else self.mess.uniform(250, 900))
                self.work.losses.append(LostFrames(start, end, kept))
                self._log("lost-frames", start, end, kept_every=kept)
            case "nudge":
                start, way = self.t + self.mess.uniform(0, 1500), self.mess.uniform(0, 2 * math.pi)
                far = self.mess.uniform(7, 13)
                nudge = Nudge(start, start + self.mess.uniform(250, 600), (far * math.cos(way), far * math.sin(way)),
                              math.radians(self.mess.uniform(-0.7, 0.7)))
                self.work.nudges.append(nudge)
                self._log("nudge", start, nudge.end_ms, shift_mm=[round(v, 2) for v in nudge.shift_mm],
                          turn_degrees=round(math.degrees(nudge.turn), 3))
        return True

    def _log(self, kind: str, start_ms: float, end_ms: float | None = None, **details: object) -> None:
        self.happenings.append(Happening(kind, start_ms, self.t if end_ms is None else end_ms, details))

    # ------------------------------------------------------------------ hands and cards

    def _take_back(self, event: Event) -> bool:
        """A player lays a card, thinks better of it and takes it back."""
        seat = event["player"]
        others = [code for code in self.left[seat] if code != event["card"]]
        code = self.mess.choice(others) if others and self.mess.random() < 0.75 else event["card"]
        lying = [self.cards[c].track.end for c in self.table]
        spot = self.layout.find_room(self.mess, lying + self.obstacles, facing=self.facing_bias[seat])
        spot = spot.moved(z=self._height_under(spot, lying))
        began = self._lay(seat, code, spot)
        self.t += self._time("press")
        waits = self.mess.uniform(500, 2200)
        if self.mess.random() < 0.6:
            self._hand_to(seat, self._step_back(seat, spot), 0.6 * self._time("withdraw"), lift=12)
            self.t += waits
            self._hand_to(seat, self._grip_of(seat, spot), 0.6 * self._time("reach"), lift=12)
        else:
            self.t += waits
        card, start = self.cards[code], self.t
        card.enter(start, "carried")
        end = start + self._time("withdraw")
        card.track.go(start, end, self.layout.off_camera(seat), lift_mm=20)
        card.enter(end, "held")
        self._log("taken-back", began, start, player=seat, card=code)
        self._hand_to(seat, self._grip_of(seat, self.layout.off_camera(seat)), end - start, lift=20, out=True)
        self.arm_free_ms[seat] = self.t
        self.t += 0.5 * self._time("pause")
        return True

    def _rest(self, seat: int, cards: list[str], meanwhile: bool = False) -> bool:
        """A hand lies down on a card, and others are under it and its arm; for seconds, or while another plays."""
        if not cards:
            return False
        code = self.mess.choice(cards)
        spot = self._cover_of(seat, self.cards[code].track.end)
        spot = spot.moved(x=spot.x + self.mess.gauss(0, 12), y=spot.y + self.mess.gauss(0, 12))
        self._appear(seat)
        self._hand_to(seat, spot, 1.3 * self._time("reach"), lift=15)
        began = self.t
        if meanwhile:
            self.resting = seat, began, [code]
            return True
        self.t += self.mess.uniform(1500, 4500)
        self._log("rest", began, player=seat, cards=[code], meanwhile=False)
        self._hand_out(seat)
        self.t = self.arm_free_ms[seat]
        return True

    def _push(self) -> bool:
        """Fingers push a table card aside and turn it."""
        poses = {code: self.cards[code].track.end for code in self.table}
        free = [code for code, pose in poses.items() if not any(
            self.layout.overlap(pose, other) > 0 for name, other in poses.items() if name != code)]
        if not free:
            return False
        code, seat = self.mess.choice(free), self.mess.randrange(self.layout.players)
        others = [pose for name, pose in poses.items() if name != code] + self.obstacles
        here, (w, h) = poses[code], self.layout.central_half_mm()
        ways = []
        for _ in range(60):
            turn = self.mess.gauss(0, 0.45) + self.mess.choice((0, 0, 0, math.pi / 2, -math.pi / 2))
            far, way = self.mess.uniform(12, 80), self.mess.uniform(0, 2 * math.pi)
            goal = here.moved(x=here.x + far * math.cos(way), y=here.y + far * math.sin(way), angle=here.angle + turn)
            if abs(goal.x) < 1.1 * w and abs(goal.y) < 1.1 * h and not any(
                    self.layout.overlap(goal, other, grow_mm=6) > 0 for other in others):
                ways.append(goal)
        if not ways:
            return False
        goal = ways[0]
        self._appear(seat)
        self._hand_to(seat, self._fingers_on(seat, here), self._time("reach"), lift=15)
        self.t += 0.6 * self._time("press")
        card, start = self.cards[code], self.t
        card.enter(start, "carried")
        end = start + self.mess.uniform(350, 800)
        card.track.go(start, end, goal, lift_mm=0.4)
        card.enter(end, "table")
        self._hand_to(seat, self._fingers_on(seat, goal), end - start, lift=0.4)
        far = math.dist((here.x, here.y), (goal.x, goal.y))
        self._log("push", start, end, player=seat, card=code, moved_mm=round(far, 1),
                  turned_degrees=round(math.degrees(goal.angle - here.angle), 1))
        self.t += 0.6 * self._time("press")
        self._hand_out(seat)
        return True

    def _appear(self, seat: int) -> None:
        """Let a hand come from another place outside the picture than where it went out."""
        arm = self._arm(seat)
        arm.put(max(self.t, arm.times_ms[-1]), self.layout.off_camera(seat, self.mess.gauss(0, 40)))

    def _fingers_on(self, seat: int, pose: Pose) -> Pose:
        """Return where the finger tips press on a card: a little nearer to the player than its middle."""
        ux, uy = self._toward(seat, pose)
        return Pose(pose.x + ux * 8, pose.y + uy * 8, pose.z + 2.0, 0.0, 0.0, 0.35)

    # ------------------------------------------------------------------ things and people

    def _put_glass(self) -> bool:
        """A player puts a glass or a cup on the table, beside the cards; some plays later it goes again."""
        seat, kind = self.mess.randrange(self.layout.players), self.mess.choice(list(VESSELS))
        place = self._room_for_glass(seat, VESSELS[kind][1])
        if place is None:
            return False
        began = self.t
        glass = Glass(kind, began, math.inf)
        high = 0.55 * VESSELS[kind][2]
        glass.track.put(began, self.layout.off_camera(seat).moved(angle=0.0))
        arm = self._arm(seat)
        arm.put(max(began, arm.times_ms[-1]), self._around(seat, glass.track.end, high))
        duration = 1.8 * self._time("reach")
        glass.track.go(began, began + duration, place, lift_mm=20)
        self._hand_to(seat, self._around(seat, place, high), duration, lift=20)
        self.standing_glass = glass, seat, self.t
        self.obstacles.append(place)
        self.t += self._time("press")
        self._hand_out(seat)
        self.glass_goes = self.number + self.mess.randint(4, 12)
        self.glasses.append(glass)
        return True

    def _take_glass(self) -> None:
        """The glass is taken away by who put it there."""
        assert self.standing_glass is not None
        glass, seat, stood = self.standing_glass
        self.standing_glass = None
        self.t = max(self.t, max(self.arm_free_ms.values(), default=0.0))
        high, place = 0.55 * VESSELS[glass.kind][2], glass.track.end
        self._appear(seat)
        self._hand_to(seat, self._around(seat, place, high), 1.4 * self._time("reach"), lift=20)
        start, end = self.t, self.t + 1.8 * self._time("withdraw")
        away = self.layout.off_camera(seat).moved(angle=0.0)
        glass.track.go(start, end, away, lift_mm=20)
        self._log("glass", stood, start, player=seat, what=glass.kind, at_mm=[round(place.x), round(place.y)])
        self._hand_to(seat, self._around(seat, away, high), end - start, lift=20, out=True)
        self.arm_free_ms[seat] = self.t
        self.glasses[-1] = Glass(glass.kind, glass.start_ms, self.t, glass.track)
        self.obstacles.clear()

    def _around(self, seat: int, foot: Pose, high_mm: float) -> Pose:
        """Return where the finger tips are when a hand holds a glass."""
        ux, uy = self._toward(seat, foot)
        return Pose(foot.x - ux * 12, foot.y - uy * 12, foot.z + high_mm, 0.0, 0.0, 0.0)

    def _room_for_glass(self, seat: int, radius_mm: float) -> Pose | None:
        """Find a place for a glass, clear of cards, piles and the deck and on the player's side of the table."""
        w, h = self.layout.half_mm
        dx, dy = self.layout.outward(seat)
        kept = [self.cards[code].track.end for code in self.table]
        kept += [self.layout.pile(one) for one in range(self.layout.players)]
        kept += [self.layout.border(one) for one in range(self.layout.players)]
        kept.append(self.layout.deck(self.dealer))
        clear = radius_mm + 0.5 * math.hypot(*self.layout.card_mm) + 4
        best, best_cost = None, math.inf
        for _ in range(300):
            x, y = self.mess.uniform(-0.86 * w, 0.86 * w), self.mess.uniform(-0.8 * h, 0.8 * h)
            if any(math.dist((x, y), (pose.x, pose.y)) < clear for pose in kept):
                continue
            cost = self.mess.uniform(0, 0.7) - (x * dx / w + y * dy / h)
            if cost < best_cost:
                best, best_cost = Pose(x, y), cost
        return best

    def _lean(self) -> None:
        """Somebody leans in over the table and sits back again, while the others go on."""
        seat = self.mess.randrange(self.layout.players)
        (dx, dy), (rx, ry) = self.layout.outward(seat), self.layout.right_hand(seat)
        look = np.random.default_rng(self.mess.randrange(2**31))
        dark = float(look.uniform(0.08, 0.9))
        hair = (int(30 + 90 * dark * 0.5), int(34 + 100 * dark * 0.62), int(40 + 130 * dark * 0.8))
        cloth = (int(look.integers(20, 210)), int(look.integers(20, 210)), int(look.integers(20, 210)))
        person = Person(seat, hair, cloth, int(look.integers(2**31)))
        start = self.t + self.mess.uniform(0, 800)
        angle, aside = self.layout.facing(seat), self.mess.uniform(-110, 110)

        def at(far: float) -> Pose:
            return Pose(dx * far + rx * aside, dy * far + ry * aside, HEAD_HEIGHT_MM, angle)

        w, h = self.layout.half_mm
        half = w if dx else h
        person.track.put(start, at(self.layout.beyond(seat) + 260))
        arrives = start + self.mess.uniform(500, 1000)
        person.track.go(start, arrives, at(half * self.mess.uniform(0.55, 0.95)))
        leaves = arrives + self.mess.uniform(900, 2800)
        gone = leaves + self.mess.uniform(500, 1000)
        person.track.go(leaves, gone, at(self.layout.beyond(seat) + 260))
        self.persons.append(person)
        self._log("lean", start, gone, player=seat)

    def _change_light(self) -> None:
        """A lamp goes on or off, or a cloud comes; the camera makes up for most of it."""
        start = self.t + self.mess.uniform(0, 1500)
        bright = self.mess.choice((self.mess.uniform(0.5, 0.8), self.mess.uniform(1.2, 1.5)))
        warm = self.mess.gauss(0, 0.07)
        factors: Gains = bright * (1 - warm), bright, bright * (1 + warm)
        left = self.mess.uniform(0.15, 0.45)
        b, g, r = (factor ** left for factor in factors)
        ramp = self.mess.choice((60.0, 150.0, 900.0))
        change = LightChange(start, ramp, factors, self.mess.uniform(300, 900), (b, g, r))
        self.work.lights.append(change)
        self._log("light", start, start + change.ramp_ms, factors=[round(v, 3) for v in factors],
                  settled=[round(v, 3) for v in change.settled])
