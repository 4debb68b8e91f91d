"""Random hands to film: shuffled, dealt and played as people would, as events of the hand record."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from rules.captures import legal_captures
from rules.cards import ITALIAN_CODES, Card

Event = dict[str, Any]

#: Names given to the seats of a film without a record.
SEAT_NAMES = ("Anna", "Bruno", "Carla", "Dario")

#: Codes that every player wants, by reason: the coins suit and the sevens.
_COINS = {"d", "D"}


@dataclass(frozen=True, slots=True)
class HandPlan:
    """One hand as it is to be filmed.

    Attributes:
        events: the hand record from `match` to `end`.
        rounds: for each round of dealing, the codes that each seat gets.
        planted: 1-based numbers of the events that were made illegal on purpose.
    """

    events: list[Event]
    rounds: list[list[list[str]]]
    planted: tuple[int, ...] = ()


def random_hand(
    seed: int,
    *,
    players: int = 2,
    codes: Sequence[str] = ITALIAN_CODES,
    dealer: int = 0,
    illegal: int = 0,
    names: Sequence[str] = SEAT_NAMES,
) -> HandPlan:
    """Deal and play one hand of Scopa.

    Args:
        seed: the same seed gives the same hand.
        players: 2 or 4 (in pairs).
        codes: the forty cards, Italian or French.
        dealer: seat of the dealer; the next seat plays first.
        illegal: how many plays to make illegal on purpose (fewer if there is no occasion).
        names: names of the seats.

    Raises:
        ValueError: for another number of players or of cards.
    """
    if players not in (2, 4):
        raise ValueError(f"a random hand of Scopa is for 2 or 4 players, not {players}")
    if len(set(codes)) != 40:
        raise ValueError(f"Scopa needs 40 different cards, not {len(set(codes))}")
    rng = random.Random(f"hand {seed}")
    stock = _shuffled(rng, codes)
    table, stock = stock[:4], stock[4:]
    options: dict[str, Any] = {"team": True} if players == 4 else {}
    events: list[Event] = [
        {"type": "match", "format": 1, "game": "scopa", "players": list(names[:players]), "dealer": dealer,
         "options": options},
        {"type": "deal", "table": list(table)},
    ]
    plays = len(stock)
    due = set(rng.sample(range(2, plays - 2), min(illegal, plays - 4)))
    rounds: list[list[list[str]]] = []
    planted: list[int] = []
    order = [(dealer + 1 + i) % players for i in range(players)]
    done = 0
    while stock:
        hands: list[list[str]] = [[] for _ in range(players)]
        for seat in order:
            hands[seat], stock = stock[:3], stock[3:]
        rounds.append([list(hand) for hand in hands])
        for _ in range(3):
            for seat in order:
                wrong = _illegal_play(rng, hands[seat], table) if any(d <= done for d in due) else None
                if wrong is not None:
                    due.discard(min(due))
                    planted.append(len(events) + 1)
                card, takes = wrong or _choose_play(rng, hands[seat], table)
                hands[seat].remove(card)
                events.append({"type": "play", "player": seat, "card": card, "takes": list(takes)})
                table = [code for code in table if code not in takes] if takes else [*table, card]
                done += 1
    events.append({"type": "end"})
    return HandPlan(events, rounds, tuple(planted))


def _shuffled(rng: random.Random, codes: Sequence[str]) -> list[str]:
    """Shuffle until the opening table holds fewer than three kings, as the game demands."""
    while True:
        stock = list(codes)
        rng.shuffle(stock)
        if sum(Card.parse(code).value == 10 for code in stock[:4]) < 3:
            return stock


def _takes(card: str, table: Sequence[str]) -> list[tuple[str, ...]]:
    cards = [Card.parse(code) for code in table]
    return [tuple(taken.code for taken in capture) for capture in legal_captures(Card.parse(card), cards)]


def _worth(code: str) -> float:
    card = Card.parse(code)
    return 1 + 1.5 * (code[-1] in _COINS) + (card.value == 7) + 3 * (card.value == 7 and code[-1] in _COINS)


def _choose_play(rng: random.Random, hand: Sequence[str], table: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Choose a legal play as a fair player would: mostly what takes most, sometimes not."""
    plays: list[tuple[float, str, tuple[str, ...]]] = []
    for card in hand:
        for takes in _takes(card, table) or [()]:
            gain = sum(map(_worth, takes)) + _worth(card) if takes else -0.5 * _worth(card)
            gain += 6 * (bool(takes) and len(takes) == len(table)) + rng.gauss(0, 2.0)
            plays.append((gain, card, takes))
    _, card, takes = max(plays)
    return card, takes


def _illegal_play(rng: random.Random, hand: Sequence[str], table: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Find a play that the rules forbid but that a person could make by mistake, or None."""
    wrong: list[tuple[str, tuple[str, ...]]] = []
    for card in hand:
        legal = _takes(card, table)
        value = Card.parse(card).value
        if legal:
            wrong.append((card, ()))  # laid although it can take
        equal = [code for code in table if Card.parse(code).value == value]
        if len(equal) > 1:
            wrong.append((card, tuple(equal[:2])))
        for size in (1, 2, 3):
            for taken in combinations(table, size):
                total = sum(Card.parse(code).value for code in taken)
                precedence = total == value and size > 1 and bool(equal)
                miscounted = abs(total - value) == 1 and not legal
                if precedence or miscounted:
                    wrong.append((card, taken))
    return rng.choice(wrong) if wrong else None


def plan_of_record(events: Sequence[Event]) -> HandPlan:
    """Turn a given hand record (one hand, every card seen) into a plan that can be filmed.

    Raises:
        ValueError: when the record holds what cannot be filmed; the message says which event and why.
    """
    if not events or events[0].get("type") != "match":
        raise ValueError("the record must begin with a match event")
    match = events[0]
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
            hand.append({"type": "play", "player": seat, "card": card, "takes": takes})
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
    size = 3 if len(hand[0]["table"]) == 4 and plays > 3 * players else max((len(c) for c in per_seat), default=0)
    count = max((-(-len(cards) // size) for cards in per_seat), default=0) if size else 0
    rounds = [[cards[i * size:(i + 1) * size] for cards in per_seat] for i in range(count)]
    header = {**match, "players": list(match["players"]), "dealer": dealer}
    return HandPlan([header, *hand], rounds)
