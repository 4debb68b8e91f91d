"""The document of a record of Scopa, Scupuni or Slurp: rulings, hands with their points, the match, and flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rules.capture_game import (
    Candidate,
    CaptureRules,
    Hand,
    Place,
    PlayRuling,
    deal,
    deck_of,
    end,
    play,
)
from rules.cards import FRENCH_CODES, ITALIAN_CODES, Card
from rules.games import scopa, scupuni, slurp
from rules.record import Header, Settled
from rules.ruling import Reason
from scorer.match import add_hand, before_hand, first_home, forfeit, new_match
from scorer.notes import Notes, marks, plain_args
from scorer.points import Pile, Point, points_of, primiera_of
from scorer.unseen import Bounds, bounds, resolve

_RULES: dict[str, CaptureRules] = {"scopa": scopa.RULES, "scupuni": scupuni.RULES, "slurp": slurp.RULES}
_CODES = (None, *ITALIAN_CODES, *FRENCH_CODES)
_KEPT = ("t_ms", "confidence")


def capture_document(header: Header, settled: Sequence[Settled], language: str) -> dict[str, Any]:
    """Give the document of a record of a capture game, its texts in ``en`` or ``it``."""
    fold = _Fold(header, settled, language)
    for here in settled[1:]:
        fold.take(here)
    return fold.document()


class _Fold:
    """Go through the events of a record, one after the other, keeping the newest state and what is to be told."""

    def __init__(self, header: Header, settled: Sequence[Settled], language: str) -> None:
        self.header = header
        self.settled = settled
        self.rules = _RULES[header.game]
        self.notes = Notes(header, language)
        named = _named_cards(settled)
        self.deck = deck_of(named)
        # By number of the hand, the cards that were laid or played in it for all to see.
        self.seen: dict[int, set[str]] = {}
        self.guessed: list[dict[str, Any]] = []
        self.dealer = header.dealer
        self.hand: Hand | None = None
        self.match = new_match(header)
        self.plays: list[dict[str, Any]] = []
        self.hands: list[dict[str, Any]] = []
        self.forfeit: dict[str, Any] | None = None
        self.deals = 0
        self.deal_event: int | None = None
        self.opening: list[str | None] = []

    def take(self, here: Settled) -> None:
        """Take one event in."""
        kind = here.event["type"]
        if kind == "play":
            self._play(here)
        elif here.undone:
            return
        elif kind == "deal":
            self._deal(here)
        elif kind == "end":
            self._end(here)
        elif kind == "forfeit":
            self._forfeit(here)

    def document(self) -> dict[str, Any]:
        """Give the document as it stands."""
        for entry in self.guessed:
            # A card that was seen elsewhere in the hand, before or after, cannot be the one that was not seen.
            seen = self.seen.get(entry["hand"], set())
            entry["candidates"] = [candidate for candidate in entry["candidates"] if candidate["card"] not in seen]
        hands = list(self.hands)
        if self.hand is not None and self.hand.phase == "play":
            hands.append({**self._count(self.hand, finished=False)[0], "end_event": None})
        match: dict[str, Any] = {
            "totals": list(self.match.totals), "target": self.match.target, "winner": self.match.winner,
            "partite": list(self.match.partite), "sides": [list(seats) for seats in self.header.sides],
        }
        if self.header.game == "slurp":
            match["partita_winner"] = self.match.partita_winner
            match["partite_target"] = self.header.options["partite"]
        if self.forfeit:
            match["forfeit"] = self.forfeit
        return {
            "game": self.header.game, "players": list(self.header.players), "options": dict(self.header.options),
            "plays": self.plays, "hands": hands, "match": match, "flags": self.notes.flags, "state": self._state(),
        }

    # Events ---------------------------------------------------------------------------------------------------------

    def _deal(self, here: Settled) -> None:
        laid = [_card(code) for code in here.event.get("table", [])]
        hand = self.hand
        if hand is not None and hand.phase == "play" and hand.played:
            if not laid and self.rules.opening(self.header, 0).table:
                # Three more cards each (scopa.md#5, slurp.md#8): the state has dealt them already, when they were due.
                each = hand.each * len(self.header.players)
                if hand.dealt - hand.played < min(each, hand.to_play - hand.played):
                    self.notes.flag(here.number, Reason("deal-between", self.rules.deal_rule))
                return
            self.notes.flag(here.number, Reason("hand-not-ended", self.rules.deal_rule))
            self._finish(here)
        # A deal after which nothing was played was void, for a misdeal or because it was dealt again: same dealer.
        if self.match.is_over:
            self.notes.flag(here.number, Reason("match-over", self.rules.page))
        self.match = before_hand(self.match)
        self.deals += 1
        self.deal_event = here.number
        self.opening = [_code(card) for card in laid]
        self.seen[self.deals - 1] = {card.code for card in laid if card is not None}
        self.hand, ruling = deal(self.rules, self.header, self.dealer, laid, self.deck)
        self.notes.flag(here.number, *ruling.flags)

    def _play(self, here: Settled) -> None:
        event = here.event
        hand = self.hand
        if hand is None or hand.phase == "over":
            hand, _ = deal(self.rules, self.header, self.dealer, [], self.deck)
            if not here.undone:
                self.deals += 1
                self.deal_event = None
                self.opening = []
                self.notes.flag(here.number, Reason("no-deal", self.rules.deal_rule))
        takes = event.get("takes", [])
        lying = hand.table
        after, ruling = play(
            self.rules, self.header, hand, event.get("player"), _card(event["card"]),
            None if takes is None else [_card(code) for code in takes], self.deck,
            self._played_later(here) if None in lying else ())
        self.plays.append(self._play_entry(here, ruling, lying))
        if here.undone:
            return
        self.hand = after
        if self.match.forfeited is not None:
            self.notes.flag(here.number, Reason("match-over", self.rules.page))
        if ruling.card is not None:
            self.seen.setdefault(self.deals - 1, set()).add(ruling.card.code)
        self.notes.flag(here.number, *ruling.flags)
        marked = event.get("marked")
        if marked is not None and marked != ruling.sweep:
            code = "scopa-not-allowed" if marked else "scopa-not-marked"
            self.notes.flag(here.number, Reason(code, ruling.sweep_rule))
        if ruling.sweep and self.header.options.get("first_past_the_post") and not self.match.is_over:
            self.match = replace(self.match, winner=first_home(self.header, self.match, after.sweep_order, []))

    def _end(self, here: Settled) -> None:
        hand = self.hand
        if hand is None or hand.phase == "over":
            self.notes.flag(here.number, Reason("no-deal", self.rules.deal_rule))
        elif hand.misdealt and not hand.played:
            # Void: nothing is counted, and the same dealer deals again.
            self.hand = None
        else:
            self._finish(here)

    def _finish(self, here: Settled) -> None:
        assert self.hand is not None
        left = {"player": self.hand.capturer, "cards": [_code(card) for card in self.hand.table]}
        after, flags = end(self.rules, self.hand)
        self.notes.flag(here.number, *flags)
        self.hand = after
        document, called, points = self._count(after, finished=True)
        home = None
        if self.header.options.get("first_past_the_post"):
            home = first_home(self.header, self.match, after.sweep_order, called)
        self.match = add_hand(self.header, self.match, points, home)
        self.hands.append({**document, "left": left, "end_event": here.number,
                           "match_totals": list(self.match.totals)})
        self.dealer = (self.dealer + 1) % len(self.header.players)
        if self.header.game == "slurp":
            # Each deck point is always awarded, unless nobody has captured the cards for it.
            lost = [{point["name"] for point in side["lost"]} - {"slurps"} for side in document["sides"]]
            for point in document["sides"][0]["lost"]:
                if all(point["name"] in names for names in lost):
                    self.notes.flag(here.number, Reason("point-not-awarded", "slurp.md#10", (("name", point["name"]),)))

    def _played_later(self, here: Settled) -> set[Card]:
        """Give the cards that are played after an event in the same hand."""
        cards = set()
        for later in self.settled:
            if later.number <= here.number or later.undone:
                continue
            event = later.event
            if event["type"] == "end" or (
                    event["type"] == "deal" and (event.get("table") or not self.rules.opening(self.header, 0).table)):
                break
            if event["type"] == "play" and event["card"]:
                cards.add(Card.parse(event["card"]))
        return cards

    def _forfeit(self, here: Settled) -> None:
        if self.match.is_over:
            self.notes.flag(here.number, Reason("match-over", self.rules.page))
            return
        self.match = forfeit(self.header, self.match, here.event["player"])
        self.forfeit = self.notes.forfeit(here, "scupuni.md#11")

    # What is told ---------------------------------------------------------------------------------------------------

    def _play_entry(self, here: Settled, ruling: PlayRuling, lying: Sequence[Place]) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "event": here.number, "player": ruling.player, "card": _code(ruling.card),
            "takes": [_code(card) for card in ruling.takes], "ruling": ruling.ruling,
            "rule": ruling.rule, "sweep": ruling.sweep,
            "legal_takes": [[card.code for card in take] for take in ruling.legal_takes], "may_lay": ruling.may_lay,
            "hand": max(self.deals - 1, 0), "table_before": [_code(card) for card in lying],
            **self.notes.reasons(ruling.reasons), "rules": [reason.rule for reason in ruling.reasons],
        }
        if _are_candidates(here.event.get("candidates")):
            entry["candidates"] = here.event["candidates"]
        elif ruling.candidates:
            entry["candidates"] = [
                {"card": candidate.card.code, "takes": [card.code for card in candidate.takes],
                 "legal": candidate.legal, **_unseen_of(candidate)}
                for candidate in ruling.candidates]
            if ruling.card is None:
                self.guessed.append(entry)
        if ruling.sweep:
            entry["sweep_rule"] = ruling.sweep_rule
        if here.event.get("marked") is not None:
            entry["marked"] = here.event["marked"]
        entry.update({name: here.event[name] for name in _KEPT if name in here.event})
        entry.update(marks(here))
        return entry

    def _count(self, hand: Hand, finished: bool) -> tuple[dict[str, Any], list[list[int]], list[int]]:
        """Give a hand as it is told, the points of each count by side as called, and the points of each side."""
        seen = hand.seen() if finished else {card for pile in hand.piles for card in pile if card is not None}
        piles = [Pile(tuple(card for card in pile if card is not None), pile.count(None), sweeps)
                 for pile, sweeps in zip(hand.piles, hand.sweeps, strict=True)]
        unseen: tuple[Card, ...] = tuple(card for card in self.deck if card not in seen)
        if finished:
            piles, unseen = resolve(piles, unseen)
        limits = bounds(self.header, piles, unseen) if unseen else None
        awards = points_of(self.header, piles)
        if not finished and limits:
            awards = [[_as_far_as_sure(point, limits, side) for side, point in enumerate(award)] for award in awards]
        totals = [sum(award[side].points for award in awards) for side in range(len(piles))]
        sides = [self._side(hand, side, piles[side], [award[side] for award in awards], limits, finished)
                 for side in range(len(piles))]
        document: dict[str, Any] = {"sides": sides, "dealer": hand.dealer, "finished": finished,
                                    "number": self.deals - 1, "deal_event": self.deal_event, "opening": self.opening}
        if limits and finished:
            document["unseen"] = [card.code for card in unseen]
        called = [[point.points for point in award] for award in awards if award[0].name != "scope"]
        return document, called, totals

    def _side(self, hand: Hand, side: int, pile: Pile, points: Sequence[Point], limits: Bounds | None,
              finished: bool) -> dict[str, Any]:
        told: dict[str, Any] = {
            "players": list(hand.sides[side]), "captured": [card.code for card in pile.cards],
            "sweeps": len(pile.sweeps),
            "points": [self._point(point, limits, side) for point in points if point.points],
            "total": sum(point.points for point in points),
            "lost": [self._point(point, None, side) for point in points if not point.points] if finished else [],
        }
        if pile.unseen:
            told["captured_unseen"] = pile.unseen
        if self.header.game != "slurp":
            best = primiera_of(pile)
            told["primiera"] = {"cards": [card.code for card in best.cards], "sum": best.sum, "suits": best.suits}
        if limits:
            told["possible"] = [{"name": span.name, "sure": span.sure, "possible": span.possible}
                                for span in limits.ranges[side]]
            told["cards"] = [limits.fewest_cards[side], limits.most_cards[side]]
        return told

    def _point(self, point: Point, limits: Bounds | None, side: int) -> dict[str, Any]:
        told: dict[str, Any] = {
            "name": point.name, "points": point.points, "cards": [_code(card) for card in point.cards],
            "why": self.notes.say(point.why, point.args), "why_code": point.why, "why_args": plain_args(point.args),
        }
        if limits:
            span = next((span for span in limits.ranges[side] if span.name == point.name), None)
            told["sure"] = span is None or span.sure >= point.points
        return told

    def _state(self) -> dict[str, Any]:
        sides = [list(seats) for seats in self.header.sides]
        hand = self.hand
        over = self.match.is_over
        if hand is None or hand.phase == "over":
            players = len(self.header.players)
            return {
                "table": [_code(card) for card in hand.table] if hand else [], "turn": None,
                "hand_sizes": [0] * players, "stock": len(self.deck) if hand is None else 0,
                "captured": [[_code(card) for card in pile] for pile in hand.piles] if hand else [[] for _ in sides],
                "sweeps": [len(made) for made in hand.sweeps] if hand else [0] * len(sides),
                "phase": "over" if over else "deal", "sides": sides, "dealer": self.dealer, "hand": self.deals,
            }
        return {
            "table": [_code(card) for card in hand.table], "turn": None if over else hand.turn,
            "hand_sizes": list(hand.hand_sizes), "stock": hand.stock,
            "captured": [[_code(card) for card in pile] for pile in hand.piles],
            "sweeps": [len(made) for made in hand.sweeps], "phase": "over" if over else "play", "sides": sides,
            "dealer": hand.dealer, "hand": self.deals - 1,
        }


def _as_far_as_sure(point: Point, limits: Bounds, side: int) -> Point:
    """Give a point of a hand that is still being played as far as it can no longer be lost."""
    span = next((span for span in limits.ranges[side] if span.name == point.name), None)
    if span is None or span.sure == point.points:
        return point
    return Point(point.name, span.sure, point.cards, point.why, point.args)


def _named_cards(settled: Sequence[Settled]) -> list[Card]:
    cards: list[Card] = []
    for here in settled:
        event = here.event
        if event["type"] == "deal":
            cards += [Card.parse(code) for code in event.get("table", []) if code]
        elif event["type"] == "play" and event["card"]:
            cards.append(Card.parse(event["card"]))
    return cards


def _unseen_of(candidate: Candidate) -> dict[str, Any]:
    """Give what the cards not seen on the table are in a reading of a play that hangs on them."""
    return {"unseen": [[card.code for card in cards] for cards in candidate.unseen]} if candidate.unseen else {}


def _are_candidates(given: object) -> bool:
    """Tell whether a record brings the camera's own readings of a play, each with its card and what it took."""
    return isinstance(given, (list, tuple)) and bool(given) and all(
        isinstance(reading, Mapping) and reading.get("card", "") in _CODES and "unseen" not in reading
        and _are_codes(reading.get("takes")) for reading in given)


def _are_codes(given: object) -> bool:
    return given is None or (isinstance(given, (list, tuple)) and all(code in _CODES for code in given))


def _card(code: str | None) -> Place:
    return None if code is None else Card.parse(code)


def _code(card: Place) -> str | None:
    return None if card is None else card.code

