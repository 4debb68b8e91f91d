"""Random hands to film: shuffled, dealt and played as people would, as events of the hand record."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rules import capture_game
from rules.capture_game import CaptureRules, Hand, Position
from rules.cards import ITALIAN_CODES, Card, parse_cards
from rules.games import scopa, scupuni, slurp
from rules.record import CAPTURE_GAMES, Header, read_header

Event = dict[str, Any]
Takes = tuple[str, ...]

#: Names given to the seats of a film without a record.
SEAT_NAMES = ("Anna", "Bruno", "Carla", "Dario")

#: How a player takes: the card is shown beside what it takes and all is picked up together; it is put on what it takes
#: and swept away at once; it stays in the hand that picks the others up, and never lies on the table.
HABITS = ("shown", "on", "held")

#: How often a player keeps to the habit that is his.
_KEEPS_HABIT = 0.7

#: Players of a game where nobody says how many.
USUAL_PLAYERS = {"scopa": 2, "scupuni": 4, "slurp": 2}

_RULES: dict[str, CaptureRules] = {"scopa": scopa.RULES, "scupuni": scupuni.RULES, "slurp": slurp.RULES}

#: Codes that every player wants, by reason: the coins suit and the sevens.
_COINS = {"d", "D"}


@dataclass(frozen=True, slots=True)
class HandPlan:
    """One hand as it is to be filmed.

    Attributes:
        events: the hand record from `match` to `end`. A play that takes may say how in `taking`, one of `HABITS`
            (`shown` if it does not), and in `marked` whether it is marked as a sweep (if it does not: when it empties
            the table).
        rounds: for each round of dealing, the codes that each seat gets.
        planted: 1-based numbers of the events that were made illegal on purpose.
    """

    events: list[Event]
    rounds: list[list[list[str]]]
    planted: tuple[int, ...] = ()


def random_hand(
    seed: int,
    *,
    game: str = "scopa",
    options: Mapping[str, object] | None = None,
    players: int | None = None,
    codes: Sequence[str] = ITALIAN_CODES,
    dealer: int = 0,
    illegal: int = 0,
    names: Sequence[str] = SEAT_NAMES,
    mixed_habits: bool = False,
) -> HandPlan:
    """Deal and play one hand by the rules of its game.

    Args:
        seed: the same seed gives the same hand.
        game: a capture game.
        options: of the game; four at Scopa play in pairs if nothing else is said.
        players: how many; 2 at Scopa and Slurp and 4 at Scupuni if not given.
        codes: the forty cards, Italian or French.
        dealer: seat of the dealer; the next seat plays first.
        illegal: how many plays to make illegal on purpose (fewer if there is no occasion).
        names: names of the seats.
        mixed_habits: whether players take in all the ways of `HABITS`, each mostly in one; else all are `shown`.

    Raises:
        ValueError: for a game, options, or a number of players or cards that cannot be.
    """
    if game not in CAPTURE_GAMES:
        raise ValueError(f"no capture game {game!r}; there are {', '.join(CAPTURE_GAMES)}")
    if len(set(codes)) != 40:
        raise ValueError(f"{game} needs 40 different cards, not {len(set(codes))}")
    if game == "slurp" and not all(card.is_french for card in parse_cards(codes)):
        raise ValueError("slurp is played with French cards")
    players = players or USUAL_PLAYERS[game]
    if players > len(names):
        raise ValueError(f"a hand of {game} is not for {players} players")
    chosen = dict(options or {})
    if game == "scopa" and players == 4:
        chosen = {"team": True, **chosen}
    match = {"type": "match", "format": 1, "game": game, "players": list(names[:players]), "dealer": dealer,
             "options": chosen}
    header = read_header(match)
    return _Player(seed, match, header, illegal, mixed_habits).play(codes)


class _Player:
    """Plays all seats of one hand."""

    def __init__(self, seed: int, match: Event, header: Header, illegal: int, mixed_habits: bool) -> None:
        self.rng = random.Random(f"hand {seed}")
        self.match, self.header, self.illegal = match, header, illegal
        self.rules = _RULES[header.game]
        # Habits have a source of their own, so that the same cards are played whatever they are.
        self.habits = _Habits(random.Random(f"habits {seed}"), len(header.players)) if mixed_habits else None

    def play(self, codes: Sequence[str]) -> HandPlan:
        """Shuffle, deal and play."""
        players, dealer = len(self.header.players), self.header.dealer
        opening = self.rules.opening(self.header, 0)
        stock = self._shuffled(codes, opening.table)
        laid, stock = stock[:opening.table], stock[opening.table:]
        deck = parse_cards(codes)
        hand, _ = capture_game.deal(self.rules, self.header, dealer, parse_cards(laid), deck)
        events: list[Event] = [self.match, {"type": "deal", "table": list(laid)}]
        plays = len(stock)
        due = set(self.rng.sample(range(2, plays - 2), min(self.illegal, plays - 4)))
        rounds: list[list[list[str]]] = []
        planted: list[int] = []
        order = [(dealer + 1 + i) % players for i in range(players)]
        while stock:
            hands: list[list[str]] = [[] for _ in range(players)]
            for seat in order:
                hands[seat], stock = stock[:opening.hand], stock[opening.hand:]
            rounds.append([list(cards) for cards in hands])
            for _ in range(opening.hand):
                for seat in order:
                    overdue = any(d <= hand.played for d in due)
                    wrong = self._illegal_play(seat, hands[seat], hand) if overdue else None
                    if wrong is not None:
                        due.discard(min(due))
                        planted.append(len(events) + 1)
                    card, takes = wrong or self._choose_play(seat, hands[seat], hand)
                    hands[seat].remove(card)
                    emptied = bool(takes) and len(takes) == len(hand.table)
                    hand, ruling = capture_game.play(self.rules, self.header, hand, seat, Card.parse(card),
                                                     parse_cards(takes), deck)
                    event: Event = {"type": "play", "player": seat, "card": card, "takes": list(takes)}
                    if takes and self.habits is not None:
                        event["taking"] = self.habits.draw(seat)
                    if emptied and not ruling.sweep:
                        event["marked"] = False
                    events.append(event)
        events.append({"type": "end"})
        return HandPlan(events, rounds, tuple(planted))

    def _shuffled(self, codes: Sequence[str], laid: int) -> list[str]:
        """Shuffle until the opening table is one that the game lets stand."""
        while True:
            stock = list(codes)
            self.rng.shuffle(stock)
            if not self.rules.misdeal(self.header, parse_cards(stock[:laid])):
                return stock

    def _position(self, seat: int, hand: Hand) -> Position:
        return Position(hand.known_table, seat, hand.dealer, hand.played == 0, hand.played >= hand.to_play - 1)

    def _choose_play(self, seat: int, held: Sequence[str], hand: Hand) -> tuple[str, Takes]:
        """Choose a legal play as a fair player would: mostly what takes most, sometimes not."""
        position = self._position(seat, hand)
        plays: list[tuple[float, str, Takes]] = []
        for code in held:
            card = Card.parse(code)
            captures = self.rules.captures(self.header, card, position)
            ways = [tuple(taken.code for taken in capture) for capture in captures]
            if self.rules.may_lay(self.header, card, position, captures):
                ways.append(())
            for takes in ways:
                gain = sum(map(_worth, takes)) + _worth(code) if takes else -0.5 * _worth(code)
                gain += 6 * (bool(takes) and len(takes) == len(hand.table)) + self.rng.gauss(0, 2.0)
                plays.append((gain, code, takes))
        _, chosen, takes = max(plays)
        return chosen, takes

    def _illegal_play(self, seat: int, held: Sequence[str], hand: Hand) -> tuple[str, Takes] | None:
        """Find a play that the rules forbid but that a person could make by mistake, or None."""
        position = self._position(seat, hand)
        table = [lying.code for lying in position.table]
        wrong: list[tuple[str, Takes]] = []
        for code in held:
            card = Card.parse(code)
            captures = self.rules.captures(self.header, card, position)
            mistakes: list[Takes] = [()] if captures else []  # laid although it can take
            equal = [lying.code for lying in position.table if lying.value == card.value]
            if len(equal) > 1:
                mistakes.append((equal[0], equal[1]))
            fits = 15 - card.value if self.header.options.get("scopa_di_quindici") else card.value
            for size in (1, 2, 3):
                for taken in combinations(table, size):
                    off = abs(sum(Card.parse(one).value for one in taken) - fits)
                    # A sum that the rules do not allow here, or, where the card takes nothing, one miscounted by one.
                    if off == 0 or (off == 1 and not captures):
                        mistakes.append(taken)
            wrong += [(code, takes) for takes in mistakes if self.rules.complaints(
                self.header, card, parse_cards(takes), position, captures)]
        return self.rng.choice(wrong) if wrong else None


class _Habits:
    """The ways in which the players of a hand take."""

    def __init__(self, rng: random.Random, players: int) -> None:
        self.rng = rng
        # Each begins with another, so that a hand shows all.
        first = rng.randrange(len(HABITS))
        self.own = [HABITS[(first + seat) % len(HABITS)] for seat in range(players)]

    def draw(self, seat: int) -> str:
        """Draw the way of one capture."""
        return self.own[seat] if self.rng.random() < _KEEPS_HABIT else self.rng.choice(HABITS)


def _worth(code: str) -> float:
    card = Card.parse(code)
    return 1 + 1.5 * (code[-1] in _COINS) + (card.value == 7) + 3 * (card.value == 7 and code[-1] in _COINS)


def plan_of_record(events: Sequence[Event]) -> HandPlan:
    """Turn a given hand record (one hand, every card seen) into a plan that can be filmed.

    Raises:
        ValueError: when the record holds what cannot be filmed; the message says which event and why.
    """
    if not events or events[0].get("type") != "match":
        raise ValueError("the record must begin with a match event")
    match = events[0]
    if match.get("game") not in CAPTURE_GAMES:
        raise ValueError(f"a film shows a hand of {', '.join(CAPTURE_GAMES)}, not of {match.get('game')!r}")
    players = len(match["players"])
    if not 2 <= players <= 4:
        raise ValueError(f"a film shows 2 to 4 players, not {players}")
    dealer = int(match.get("dealer", 0))
    on_table: list[str] = []
    seen: set[str] = set()
    hand: list[Event] = []
    plays = 0
    for number, event in enumerate(events[1:], 2):
        kind = event.get("type")
        if kind == "deal":
            if hand:
                raise ValueError(f"event {number}: one film shows one hand; give a record of one hand only")
            on_table = list(event["table"])
            seen.update(on_table)
            hand.append({"type": "deal", "table": list(on_table)})
        elif kind == "play":
            card, takes = event.get("card"), list(event.get("takes") or [])
            if card is None or card in seen:
                raise ValueError(f"event {number}: the card played must be known and new, not {card!r}")
            if not set(takes) <= set(on_table):
                raise ValueError(f"event {number}: takes cards that do not lie on the table")
            seat = event.get("player")
            seat = (dealer + 1 + plays) % players if seat is None else int(seat)
            seen.add(card)
            on_table = [code for code in on_table if code not in takes] if takes else [*on_table, card]
            play: Event = {"type": "play", "player": seat, "card": card, "takes": takes}
            if takes and event.get("taking") is not None:
                if event["taking"] not in HABITS:
                    raise ValueError(f"event {number}: taking is one of {', '.join(HABITS)}, not {event['taking']!r}")
                play["taking"] = event["taking"]
            if takes and event.get("marked") is not None:
                play["marked"] = event["marked"]
            hand.append(play)
            plays += 1
        elif kind == "end":
            hand.append({"type": "end"})
            break
        else:
            raise ValueError(f"event {number}: a film cannot show an event of type {kind!r}")
    if not hand or hand[0]["type"] != "deal":
        raise ValueError("the record holds no deal")
    per_seat: list[list[str]] = [[] for _ in range(players)]
    for event in hand:
        if event["type"] == "play":
            per_seat[event["player"]].append(event["card"])
    header = read_header(match)
    size = _RULES[header.game].opening(header, len(hand[0]["table"])).hand
    if plays <= size * players:
        size = max((len(c) for c in per_seat), default=0)
    count = max((-(-len(cards) // size) for cards in per_seat), default=0) if size else 0
    rounds = [[cards[i * size:(i + 1) * size] for cards in per_seat] for i in range(count)]
    first = {key: value for key, value in match.items() if key != "film"}  # of the film that the record is of
    return HandPlan([{**first, "players": list(match["players"]), "dealer": dealer}, *hand], rounds)
