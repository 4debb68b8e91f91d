"""Direct a hand: give every card and every hand its motions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from datasets.film.hands import Event, HandPlan
from datasets.film.layout import CARD_MM, Layout
from datasets.film.motion import Pose, Track
from datasets.film.script import CardScript, Happening, Script, Style

#: The most cards that are dealt to a player in one packet.
_PACKET = 5

def _packets(hands: Sequence[Sequence[str]]) -> list[list[list[str]]]:
    """Return in what packets a round is dealt: for each time round the table, the cards of each seat."""
    most = max(map(len, hands), default=0)
    return [[list(hand[first: first + _PACKET]) for hand in hands] for first in range(0, most, _PACKET)]


class Director:
    """Moves the clock along the events of a hand and writes the motions down."""

    def __init__(self, plan: HandPlan, layout: Layout, style: Style, rng: random.Random) -> None:
        self.plan, self.layout, self.style, self.rng = plan, layout, style, rng
        self.match = plan.events[0]
        self.dealer = int(self.match["dealer"])
        self.t = 0.0
        self.cards: dict[str, CardScript] = {}
        self.arms: dict[int, Track] = {}
        self.arm_free_ms: dict[int, float] = {}
        self.table: list[str] = []
        self.piles: dict[int, list[str]] = {}
        self.last_captor: int | None = None
        self.left: list[list[str]] = []
        self.obstacles: list[Pose] = []
        self.untidiness = 1.0
        self.happenings: list[Happening] = []
        self.facing_bias = [layout.facing(seat) + rng.gauss(0, 0.05) for seat in range(layout.players)]

    # ------------------------------------------------------------------ the whole hand

    def direct(self) -> Script:
        events: list[Event] = [dict(self.match)]
        deal = self.plan.events[1]
        self._stack_deck(deal["table"])
        self.t = 700.0
        table_first = self.rng.random() < 0.5
        if not table_first and self.plan.rounds:
            self._deal_round(self.plan.rounds[0])
        still = self._deal_table(deal["table"])
        events.append({**deal, "t_ms": round(still)})
        if table_first and self.plan.rounds:
            self._deal_round(self.plan.rounds[0])
        self.t += self._time("pause")
        self.left = [list(hand) for hand in (self.plan.rounds[0] if self.plan.rounds else [])]
        rounds = list(self.plan.rounds[1:])
        plays = 0
        for event in self.plan.events[2:]:
            if event["type"] == "end":
                self.before_end()
                end_ms = self._sweep_up()
                events.append({"type": "end", "t_ms": round(end_ms)})
                continue
            if rounds and not any(self.left):
                self._deal_round(rounds[0])
                self.left = [list(hand) for hand in rounds.pop(0)]
                self.t += 0.5 * self._time("pause")
            self.before_play(plays, event)
            if event["card"] in self.left[event["player"]]:
                self.left[event["player"]].remove(event["card"])
            still, settled = self._play(event)
            events.append({**event, "t_ms": round(still), "settled_ms": round(settled)})
            self.after_play(plays, event)
            plays += 1
        return Script(self.layout, self.cards, self.arms, events, self.t + 3200, self.plan.planted, self.happenings)

    def before_play(self, number: int, event: Event) -> None:
        """Called before each play (counted from 0): what else happens then."""

    def after_play(self, number: int, event: Event) -> None:
        """Called after each play, its hand being on its way out."""

    def before_end(self) -> None:
        """Called after the last play, before what lies on the table is taken."""

    def _time(self, what: str) -> float:
        return getattr(self.style, what) * self.rng.lognormvariate(0, self.style.spread)

    # ------------------------------------------------------------------ dealing

    def _stack_deck(self, table: Sequence[str]) -> None:
        """Put all cards on the deck in the order in which they will be dealt from its top."""
        order = [(self.dealer + 1 + i) % self.layout.players for i in range(self.layout.players)]
        dealt = [code for hands in self.plan.rounds for packets in _packets(hands) for seat in order
                 for code in packets[seat]]
        place = self.layout.deck(self.dealer)
        for i, code in enumerate(reversed([*table, *dealt])):
            card = self.cards[code] = CardScript(code)
            card.track.put(0.0, self._jittered(place, 1.2, 0.015, z=i * CARD_MM, roll=math.pi))
            card.enter(0.0, "deck")

    def _deal_table(self, table: Sequence[str]) -> float:
        """Lay the opening cards face up, one by one; return when the last lies still."""
        still = self.t
        spots: list[Pose] = []
        for _ in table:
            spot = self.layout.find_room(self.rng, spots, facing=self.layout.facing(self.dealer))
            spots.append(spot.moved(z=self._height_under(spot, spots)))
        for i, (code, spot) in enumerate(zip(table, spots, strict=True)):
            card = self.cards[code]
            self._hand_to(self.dealer, self._grip_of(self.dealer, card.track.end), 0.75 * self._time("deal"), lift=25)
            start, end = self.t, self.t + self._time("deal")
            card.enter(start, "carried")
            card.track.go(start, end, spot, lift_mm=38)
            card.enter(end, "table")
            self._hand_to(self.dealer, self._grip_of(self.dealer, spot), end - start, lift=38)
            still = self.t
            self.table.append(code)
            if i + 1 < len(table):
                self.t += 0.3 * self._time("press")
        self._hand_out(self.dealer)
        return still

    def _deal_round(self, hands: Sequence[Sequence[str]]) -> None:
        """Hand every player packets of face-down cards; each takes them up out of the picture."""
        began = self.t
        for packets in _packets(hands):
            self._deal_packets(packets)
        self.happenings.append(Happening("deal", began, self.t, {
            "player": self.dealer, "cards": [list(hand) for hand in hands]}))

    def _deal_packets(self, packets: Sequence[Sequence[str]]) -> None:
        """Hand every player one packet."""
        players, own = self.layout.players, False
        for i in range(players):
            seat = (self.dealer + 1 + i) % players
            packet = list(packets[seat])
            if not packet:
                continue
            top = self.cards[packet[0]].track.end
            self._hand_to(self.dealer, self._grip_of(self.dealer, top), 0.9 * self._time("deal"), lift=25)
            start, end = self.t, self.t + 1.25 * self._time("deal")
            own = seat == self.dealer
            goal = self.layout.off_camera(seat) if own else self._jittered(self.layout.border(seat), 8, 0.1)
            for k, code in enumerate(reversed(packet)):
                card = self.cards[code]
                card.enter(start, "carried")
                at = self._jittered(goal, 3.5, 0.06, z=goal.z + k * CARD_MM, roll=math.pi)
                card.track.go(start, end, at, lift_mm=20)
                card.enter(end, "held" if own else "border")
            self._hand_to(self.dealer, self._grip_of(self.dealer, goal), end - start, lift=20, out=own)
            if own:
                self.arm_free_ms[self.dealer] = self.t
            else:
                self._take_up(seat, packet, self.t + 0.35 * self._time("withdraw"))
        if not own:
            self._hand_out(self.dealer)

    def _take_up(self, seat: int, packet: Sequence[str], start_ms: float) -> None:
        """A player takes the packet at the border into the hand, while the dealer goes on."""
        now, self.t = self.t, start_ms
        self._hand_to(seat, self._grip_of(seat, self.layout.border(seat)), 0.8 * self._time("reach"), lift=20)
        start, end = self.t, self.t + 0.8 * self._time("withdraw")
        goal = self.layout.off_camera(seat)
        for k, code in enumerate(packet):
            card = self.cards[code]
            card.enter(start, "carried")
            card.track.go(start, end, self._jittered(goal, 2, 0.05, z=60 - k * CARD_MM, roll=math.pi), lift_mm=10)
            card.enter(end, "held")
        self._hand_to(seat, self._grip_of(seat, goal), end - start, lift=10, out=True)
        self.arm_free_ms[seat] = self.t
        self.t = max(now, start_ms)

    # ------------------------------------------------------------------ playing

    def _play(self, event: Event) -> tuple[float, float]:
        """Film one play; return when its card lies still and when all of the play is done."""
        seat, code, takes = event["player"], event["card"], event["takes"]
        taking = event.get("taking", "shown")
        self.t = max(self.t, max(self.arm_free_ms.values(), default=0.0))
        lying = {c: self.cards[c].track.end for c in self.table}
        if takes and taking == "held":
            still, settled = self._take_from_hand(seat, code, event)
            self.t += self._time("pause")
            return still, settled
        if takes:
            first = self.rng.choice(list(takes))
            others = [p for c, p in lying.items() if c != first]
            spot = (self._on(lying[first]) if taking == "on" else
                    self.layout.beside(self.rng, lying[first], others + self.obstacles))
        else:
            spot = self.layout.find_room(self.rng, [*lying.values(), *self.obstacles], facing=self.facing_bias[seat])
        spot = spot.moved(z=self._height_under(spot, list(lying.values())))
        still = self._lay(seat, code, spot)
        if not takes:
            self.t += self._time("press")
            self.table.append(code)
            self._hand_out(seat)
            settled = still
        else:
            settled = self._capture(seat, code, event, at_once=taking == "on")
        self.t += self._time("pause")
        return still, settled

    def _on(self, target: Pose) -> Pose:
        """Return where a card lies that is put on one that it takes: mostly over it, some of it left to be seen."""
        w, h = self.layout.card_mm
        angle = target.angle + self.rng.gauss(0, 0.25)
        across, along = w * self.rng.uniform(-0.3, 0.3), h * self.rng.uniform(-0.35, 0.35)
        return Pose(target.x + math.cos(target.angle) * across - math.sin(target.angle) * along,
                    target.y + math.sin(target.angle) * across + math.cos(target.angle) * along, 0.0, angle)

    def _lay(self, seat: int, code: str, spot: Pose) -> float:
        self._bring(seat, code, spot)
        self.cards[code].enter(self.t, "table")
        return self.t

    def _bring(self, seat: int, code: str, spot: Pose) -> None:
        """Bring a card from a player's hand to a place; the clock is then at its arrival."""
        card = self.cards[code]
        duration = self._time("reach")
        start = self.t
        # The card comes in already face up: the player turned it while taking it out of the hand.
        entry = self.layout.off_camera(seat, self.rng.gauss(0, 40))
        entry = entry.moved(angle=spot.angle + self.rng.gauss(0, 0.25), roll=0.0)
        card.track.put(start, entry)
        card.enter(start, "carried")
        card.track.go(start, start + duration, spot, lift_mm=15)
        arm = self._arm(seat)
        arm.put(start, self._grip_of(seat, entry).moved(z=entry.z))
        self._hand_to(seat, self._grip_of(seat, spot), duration, lift=15)

    def _capture(self, seat: int, code: str, event: Event, at_once: bool) -> float:
        """Gather the card laid and those that it takes, and carry them to the player's pile; return when that is done.

        The hand first steps back, so that the card is shown, or goes on `at_once`.
        """
        takes = event["takes"]
        spot = self.cards[code].track.end
        self.t += self._time("press")
        if at_once:
            self.t += 0.3 * self._time("show")
        else:
            aside = self._step_back(seat, spot)
            self._hand_to(seat, aside, 0.5 * self._time("withdraw"), lift=12)
            self.t += self._time("show")
        gathered = self._gather(seat, [code, *self._shortest_route(spot, takes)])
        return self._carry_off(seat, code, event, gathered)

    def _take_from_hand(self, seat: int, code: str, event: Event) -> tuple[float, float]:
        """Pick cards up with the hand that holds the one played, which never lies on the table.

        Returns:
            When the last card is picked up, and when all are on the pile.
        """
        takes = event["takes"]
        route = self._shortest_route(self.layout.border(seat), takes)
        first = self.cards[route[0]].track.end
        ux, uy = self._toward(seat, first)
        # The card is held over the first one, nearer to the player, where it is seen for a moment.
        nearer = self.layout.card_mm[1] * self.rng.uniform(0.25, 0.5)
        hover = first.moved(x=first.x + ux * nearer, y=first.y + uy * nearer, z=first.z + self.rng.uniform(18, 40),
                            angle=self.facing_bias[seat] + self.rng.gauss(0, 0.2))
        self._bring(seat, code, hover)
        # A hand in the air is never quite still.
        sways = hover.moved(x=hover.x - ux * 12, y=hover.y - uy * 12, z=hover.z - 6,
                            angle=hover.angle + self.rng.gauss(0, 0.06))
        start, end = self.t, self.t + 0.5 * self._time("show")
        self.cards[code].track.go(start, end, sways)
        self._hand_to(seat, self._grip_of(seat, sways), end - start, lift=0)
        gathered = [code]
        for taken in route:
            self._draw_on_to(seat, gathered, taken, self._grip_of, above_mm=2.5, lift_mm=3)
        still = self.t
        self.t += 0.5 * self._time("press")
        return still, self._carry_off(seat, code, event, gathered)

    def _carry_off(self, seat: int, code: str, event: Event, gathered: Sequence[str]) -> float:
        takes = event["takes"]
        marked = event.get("marked", len(takes) == len(self.table))
        self.table = [c for c in self.table if c not in takes]
        self.last_captor = seat
        settled = self._carry_to_pile(seat, gathered, code if marked else None)
        self._hand_out(seat)
        return settled

    def _gather(self, seat: int, route: Sequence[str]) -> list[str]:
        """Draw the cards of the route together under the hand; return them in the order gathered."""
        target = self.cards[route[0]].track.end
        self._hand_to(seat, self._cover_of(seat, target), 0.8 * self._time("gather"), lift=15)
        gathered = [route[0]]
        self.cards[route[0]].enter(self.t, "carried")
        for code in route[1:]:
            self._draw_on_to(seat, gathered, code, self._cover_of, above_mm=1.5, lift_mm=2)
        self.t += 0.5 * self._time("press")
        return gathered

    def _draw_on_to(
        self, seat: int, gathered: list[str], code: str, hand_at: Callable[[int, Pose], Pose],
        *, above_mm: float, lift_mm: float,
    ) -> None:
        """Draw the cards under a hand on to the next one, which from then on is one of them.

        `hand_at` is how the hand holds what lies at a place; `above_mm` is how far above it the others come to lie.
        """
        goal = self.cards[code].track.end
        start, end = self.t, self.t + self._time("gather")
        for k, held in enumerate(gathered):
            above = self._jittered(goal, 5, 0.09, z=goal.z + above_mm + (len(gathered) - k) * CARD_MM)
            self.cards[held].track.go(start, end, above, lift_mm=lift_mm)
        self._hand_to(seat, hand_at(seat, goal), end - start, lift=lift_mm)
        self.cards[code].enter(self.t, "carried")
        gathered.append(code)

    def _carry_to_pile(self, seat: int, gathered: Sequence[str], marker: str | None) -> float:
        """Turn the cards over on the way to the pile; the marker of a sweep is laid face up and crosswise on top."""
        owner = self._pile_owner(seat)
        pile, place = self.piles.setdefault(owner, []), self.layout.pile(owner)
        start, end = self.t, self.t + self._time("carry")
        hidden = [code for code in gathered if code != marker]
        aside, turned = 3.5 * self.untidiness, 0.07 * self.untidiness
        for code in hidden:
            at = self._jittered(place, aside, turned, z=len(pile) * CARD_MM, roll=math.pi)
            self._to_pile(code, start, end, at, pile)
        if marker is not None:
            side = self.rng.choice((-1, 1))
            reach = 0.28 * self.layout.card_mm[1] * side
            across = place.moved(x=place.x + reach * math.cos(place.angle), y=place.y + reach * math.sin(place.angle),
                                 angle=place.angle + math.pi / 2)
            self._to_pile(marker, start, end, self._jittered(across, 3, 0.08, z=len(pile) * CARD_MM), pile)
        self._hand_to(seat, self._cover_of(seat, place.moved(z=len(pile) * CARD_MM)), end - start, lift=45)
        settled = self.t
        self.t += 0.6 * self._time("press")
        return settled

    def _to_pile(self, code: str, start: float, end: float, pose: Pose, pile: list[str]) -> None:
        card = self.cards[code]
        card.track.go(start, end, pose, lift_mm=45)
        card.enter(end, "pile")
        pile.append(code)

    def _sweep_up(self) -> float:
        """The last captor takes what lies on the table; return when all is done."""
        self.t = max(self.t, max(self.arm_free_ms.values(), default=0.0))
        if not self.table or self.last_captor is None:
            return self.t
        seat = self.last_captor
        route = self._shortest_route(self.layout.border(seat), self.table)
        entry = self.layout.off_camera(seat)
        self._arm(seat).put(self.t, entry)
        gathered = self._gather(seat, route)
        self.table = []
        settled = self._carry_to_pile(seat, gathered, None)
        self._hand_out(seat)
        return settled

    # ------------------------------------------------------------------ hands

    def _arm(self, seat: int) -> Track:
        if seat not in self.arms:
            self.arms[seat] = Track()
            self.arms[seat].put(0.0, self.layout.off_camera(seat))
        return self.arms[seat]

    def _hand_to(self, seat: int, pose: Pose, duration_ms: float, lift: float, out: bool = False) -> None:
        """Move a hand, and the clock with it."""
        arm = self._arm(seat)
        start = max(self.t, arm.times_ms[-1])
        self.t = start + duration_ms
        arm.go(start, self.t, pose.moved(z=60.0) if out else pose, lift_mm=lift)

    def _hand_out(self, seat: int) -> None:
        """Take a hand out of the picture; the clock stays when the hand is clear of the middle."""
        arm = self._arm(seat)
        start = max(self.t, arm.times_ms[-1])
        duration = self._time("withdraw")
        arm.go(start, start + duration, self.layout.off_camera(seat, self.rng.gauss(0, 30)), lift_mm=10)
        self.arm_free_ms[seat] = start + duration
        self.t = start + 0.7 * duration

    def _toward(self, seat: int, pose: Pose) -> tuple[float, float]:
        """Return the unit vector from a pose to a player's shoulder."""
        bx, by = self.layout.base(seat)
        length = math.hypot(bx - pose.x, by - pose.y)
        return (bx - pose.x) / length, (by - pose.y) / length

    def _grip_of(self, seat: int, pose: Pose) -> Pose:
        """Return where the finger tips hold a card that lies at `pose`: a little inside its edge."""
        ux, uy = self._toward(seat, pose)
        w, h = self.layout.card_mm
        along = abs(-ux * math.sin(pose.angle) + uy * math.cos(pose.angle))
        across = abs(ux * math.cos(pose.angle) + uy * math.sin(pose.angle))
        edge = min(w / 2 / across if across > 1e-6 else 1e9, h / 2 / along if along > 1e-6 else 1e9)
        reach = max(edge - 17.0, 0.0)
        return Pose(pose.x + ux * reach, pose.y + uy * reach, pose.z + 6.0, 0.0, 0.0, 0.0)

    def _cover_of(self, seat: int, pose: Pose) -> Pose:
        """Return where the finger tips are when the hand lies flat on a card."""
        ux, uy = self._toward(seat, pose)
        return Pose(pose.x - ux * 22, pose.y - uy * 22, pose.z + 5.0, 0.0, 0.0, 1.0)

    def _step_back(self, seat: int, pose: Pose) -> Pose:
        """Return where a hand waits so that the card laid can be seen."""
        ux, uy = self._toward(seat, pose)
        far = self.layout.card_mm[1] + self.rng.uniform(35, 80)
        return Pose(pose.x + ux * far, pose.y + uy * far, 32.0, 0.0, 0.0, 0.35)

    # ------------------------------------------------------------------ places

    def _jittered(self, pose: Pose, mm: float, turn: float, **changes: float) -> Pose:
        moved = replace(pose, x=pose.x + self.rng.gauss(0, mm), y=pose.y + self.rng.gauss(0, mm),
                        angle=pose.angle + self.rng.gauss(0, turn))
        return moved.moved(**changes) if changes else moved

    def _height_under(self, spot: Pose, lying: Sequence[Pose]) -> float:
        """Return the height of a card that lies on those under it."""
        under = [pose.z for pose in lying if self.layout.overlap(spot, pose) > 0]
        return max(under) + CARD_MM if under else 0.0

    def _pile_owner(self, seat: int) -> int:
        """Return the seat whose pile a player's captures go to: partners share one."""
        return seat % 2 if self.layout.players == 4 and self.layout.pairs else seat

    def _shortest_route(self, start: Pose, codes: Sequence[str]) -> list[str]:
        left, here, route = list(codes), start, []
        while left:
            nearest = min(left, key=lambda c: math.dist((here.x, here.y), (self.cards[c].track.end.x,
                                                                          self.cards[c].track.end.y)))
            route.append(nearest)
            here = self.cards[nearest].track.end
            left.remove(nearest)
        return route
