"""The hand of a capture game as a state machine: deal, play, end (Scopa, Scupuni and Slurp).

What the games share lives here: whose turn it is, where every card is, what is wrong with a position. What they do not
share is asked of the game (``CaptureRules``): what a card may take, when it may be laid, what a sweep is worth.

A card is where it was last seen. So an illegal play leaves the cards where they physically went, and a captured card
that appears again leaves the pile that it was counted in: every card is always in one place. ``None`` stands for a card
that lies somewhere and was not seen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Protocol

from rules.captures import Take
from rules.cards import FRENCH_40_DECK, ITALIAN_DECK, Card
from rules.record import Header
from rules.ruling import UNNUMBERED, Reason

Place = Card | None
"""A card that lies somewhere, or ``None`` for one that was not seen."""


# How many ways to fill in cards taken that were not seen are told at most.
_MOST_READINGS = 60

_CARD_TWICE = "README.md#card-seen-twice"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Hold one thing that an unclear play may have been.

    ``unseen`` gives what the cards not seen on the table are then: cards each of which alone, or sets which together,
    make the play legal or not as ``legal`` says; it is empty where the ruling does not hang on them.
    """

    card: Card
    takes: Take
    legal: bool
    unseen: tuple[Take, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayRuling:
    """Hold what the referee says of one play.

    ``ruling`` is ``legal``, ``illegal`` or ``unclear``; ``player`` who played, worked out where it was not seen;
    ``takes`` what left the table; ``sweep`` that the table was emptied for a point, by ``sweep_rule``; ``flags`` what
    is wrong with the position beyond the play itself.
    """

    ruling: str
    player: int
    card: Place
    takes: tuple[Place, ...]
    reasons: tuple[Reason, ...]
    rule: str
    legal_takes: tuple[Take, ...]
    may_lay: bool
    sweep: bool
    sweep_rule: str
    candidates: tuple[Candidate, ...] = ()
    flags: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Hand:
    """Hold the state of one hand.

    ``table`` is in the order in which the cards came to lie; ``piles`` and ``sweeps`` (the card that made each) are by
    side; ``hand_sizes`` by seat. ``played`` of ``to_play`` cards have been played and ``dealt`` of them dealt,
    ``each`` to a player at a time; ``stock`` is what is not yet dealt. ``capturer`` is the seat that captured last.
    ``phase`` is ``play`` or ``over``; ``turn`` is ``None`` when all cards have been played.
    """

    sides: tuple[tuple[int, ...], ...]
    dealer: int
    turn: int | None
    table: tuple[Place, ...]
    piles: tuple[tuple[Place, ...], ...]
    sweeps: tuple[tuple[Place, ...], ...]
    sweep_order: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    stock: int
    each: int
    dealt: int
    played: int
    to_play: int
    capturer: int | None
    phase: str
    misdealt: bool

    def side_of(self, seat: int) -> int:
        """Give the side to which a seat belongs."""
        return next(number for number, seats in enumerate(self.sides) if seat in seats)

    @property
    def known_table(self) -> tuple[Card, ...]:
        """Give the cards on the table that have been seen."""
        return tuple(card for card in self.table if card is not None)

    def whereabouts(self, card: Card) -> str | None:
        """Tell whether a card is on the ``table``, in a ``pile``, or has not been seen (``None``)."""
        if card in self.table:
            return "table"
        return "pile" if any(card in pile for pile in self.piles) else None

    def seen(self) -> set[Card]:
        """Give all cards that are on the table or in a pile."""
        return {card for cards in (self.table, *self.piles) for card in cards if card is not None}


@dataclass(frozen=True, slots=True)
class Position:
    """Hold what a game needs to know to rule on one play."""

    table: tuple[Card, ...]
    seat: int
    dealer: int
    first: bool
    last: bool


class CaptureRules(Protocol):
    """Say what one capture game has of its own."""

    page: str
    turn_rule: str
    deal_rule: str

    def opening(self, header: Header, laid: int) -> Opening:
        """Say how many cards lie on the table and are dealt at a time, given how many were laid."""

    def misdeal(self, header: Header, table: Sequence[Card]) -> list[Reason]:
        """Give all reasons why an opening table must be dealt again, none if it need not."""

    def captures(self, header: Header, card: Card, position: Position) -> list[Take]:
        """Give everything that a card may take."""

    def may_lay(self, header: Header, card: Card, position: Position, captures: Sequence[Take]) -> bool:
        """Tell whether a card may be laid."""

    def complaints(self, header: Header, card: Card, takes: Sequence[Card], position: Position,
                   captures: Sequence[Take]) -> list[Reason]:
        """Give all reasons why a card may not take these cards, or may not be laid when there are none."""

    def rule_of(self, header: Header, card: Card, takes: Sequence[Place], position: Position) -> str:
        """Give the rule under which a play is legal."""

    def is_sweep(self, header: Header, card: Place, table: Sequence[Place], position: Position) -> bool:
        """Tell whether a capture that has emptied this table scores."""

    def sweep_rule(self, header: Header, card: Place, table: Sequence[Place], position: Position) -> str:
        """Give the rule that says whether that capture scores."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Hold how a hand begins: cards laid on the table, and dealt to each player at a time."""

    table: int
    hand: int


@dataclass(frozen=True, slots=True)
class DealRuling:
    """Hold what the referee says of a deal: what is wrong with the opening table."""

    flags: tuple[Reason, ...] = field(default=())


def deck_of(cards: Sequence[Card]) -> tuple[Card, ...]:
    """Give the 40-card deck that these cards come from: the French one if most of them are French."""
    french = sum(card.is_french for card in cards)
    return FRENCH_40_DECK if french * 2 > len(cards) else ITALIAN_DECK


def deal(rules: CaptureRules, header: Header, dealer: int, laid: Sequence[Place],
         deck: Sequence[Card]) -> tuple[Hand, DealRuling]:
    """Begin a hand with these cards face up on the table, the given seat dealing."""
    opening = rules.opening(header, len(laid))
    flags: list[Reason] = []
    if len(laid) != opening.table:
        code = "short-deal" if len(laid) < opening.table else "long-deal"
        flags.append(Reason(code, rules.deal_rule, (("cards", len(laid)), ("expected", opening.table))))
    misdeal = rules.misdeal(header, [card for card in laid if card is not None])
    flags += misdeal
    flags += _foreign([card for card in laid if card is not None], deck)
    players = len(header.players)
    rest = len(deck) - len(laid)
    # A long deal leaves fewer cards to play; a short one leaves a card over in the stock that nobody can be dealt.
    to_play = max(0, min(len(deck) - opening.table, rest))
    first = _dealt(opening.hand, players, to_play, dealer)
    hand = Hand(
        sides=header.sides, dealer=dealer, turn=(dealer + 1) % players, table=tuple(laid),
        piles=((),) * len(header.sides), sweeps=((),) * len(header.sides), sweep_order=(),
        hand_sizes=first, stock=rest - sum(first), each=opening.hand, dealt=sum(first), played=0, to_play=to_play,
        capturer=None, phase="play", misdealt=bool(misdeal),
    )
    return hand, DealRuling(tuple(flags))


def play(rules: CaptureRules, header: Header, hand: Hand, player: int | None, card: Place,
         takes: Sequence[Place] | None, deck: Sequence[Card],
         elsewhere: Collection[Card] = ()) -> tuple[Hand, PlayRuling]:
    """Rule on one play and give the state after it, the cards being where they physically went.

    ``player`` is ``None`` when it was not seen who played (then it is whose turn it is), ``card`` when the card was not
    seen, ``takes`` when it was not seen what left the table. ``elsewhere`` are cards that are known to be played later
    in the hand: none of them is a card that lies unseen on the table.
    """
    seat = player if player is not None else _expected(hand)
    position = Position(table=tuple(lying for lying in hand.known_table if lying != card), seat=seat,
                        dealer=hand.dealer, first=hand.played == 0, last=hand.played >= hand.to_play - 1)
    reasons: list[Reason] = []
    flags: list[Reason] = []
    if hand.turn is not None and seat != hand.turn:
        reasons.append(Reason("out-of-turn", rules.turn_rule, (("player", seat), ("turn", hand.turn))))
    is_left_over = hand.played >= hand.to_play
    if is_left_over:
        flags.append(Reason("too-many-cards", rules.deal_rule,
                            (("cards", hand.played + 1), ("expected", hand.to_play))))
    elif hand.hand_sizes[seat] == 0:
        flags.append(Reason("no-cards-left", rules.deal_rule, (("player", seat),)))

    # Nothing is there to be played after the last card: what such a card may take is not worth looking for.
    captures = rules.captures(header, card, position) if card is not None and not is_left_over else []
    may_lay = rules.may_lay(header, card, position, captures) if card is not None else True
    unclear: list[Reason] = []
    candidates: tuple[Candidate, ...] = ()
    took: tuple[Place, ...]
    if takes is None:
        took, candidates = _unseen_takes(card, captures, may_lay)
        if card is not None and not is_left_over:
            candidates += _taken_unseen(rules, header, hand, card, (), None, position, deck, elsewhere)
        if len(candidates) != 1:
            unclear.append(Reason("takes-not-seen", "README.md#1"))
    else:
        took = tuple(takes)
    if card is None:
        unclear.insert(0, Reason("card-not-seen", "README.md#1"))
        candidates = _unseen_card(rules, header, hand, position, took, deck)
    else:
        again, complaints = _complaints(rules, header, hand, card, took, position, captures)
        flags += again
        reasons += again + complaints
        flags += _foreign([card, *(taken for taken in took if taken is not None)], deck)
        if None in took and not unclear:
            unclear.append(Reason("takes-not-seen", _rule_of_taking(took)))
            candidates = _taken_unseen(rules, header, hand, card, took, took, position, deck, elsewhere)
            candidates = _partly_seen(card, took, position, captures, candidates)
        elif not reasons and not unclear and not is_left_over and None in hand.table:
            unseen = _unseen_on_table(rules, header, hand, card, took, position, deck, elsewhere)
            if unseen and unseen[1]:
                unclear.append(Reason("table-card-not-seen", unseen[0][0].rule))
                candidates = unseen[1]
            elif unseen:
                reasons += unseen[0]

    after, emptied = _move(hand, seat, card, _likely(hand, took, candidates), len(deck))
    sweep = emptied and rules.is_sweep(header, card, hand.table, position)
    if sweep:
        side = hand.side_of(seat)
        after = replace(after, sweeps=_with(after.sweeps, side, (*after.sweeps[side], card)),
                        sweep_order=(*after.sweep_order, side))
    verdict = "unclear" if unclear else "illegal" if reasons else "legal"
    reasons = unclear + reasons
    rule = reasons[0].rule if reasons else rules.rule_of(header, card, took, position) if card else UNNUMBERED
    return after, PlayRuling(verdict, seat, card, took, tuple(reasons), rule, tuple(captures), may_lay, sweep,
                             rules.sweep_rule(header, card, hand.table, position), candidates, tuple(flags))


def end(rules: CaptureRules, hand: Hand) -> tuple[Hand, tuple[Reason, ...]]:
    """End a hand: what lies on the table goes to the side that captured last, or to nobody.

    README.md#5: this is never a sweep. The flags say what was left unplayed.
    """
    flags: list[Reason] = []
    if hand.played < hand.to_play:
        flags.append(Reason("cards-not-played", rules.deal_rule,
                            (("cards", hand.to_play - hand.played), ("expected", hand.to_play))))
    after = replace(hand, phase="over", turn=None)
    if hand.table and hand.capturer is not None:
        side = hand.side_of(hand.capturer)
        after = replace(after, table=(), piles=_with(hand.piles, side, hand.piles[side] + hand.table))
    elif hand.table:
        flags.append(Reason("nobody-captured", "README.md#5", (("cards", len(hand.table)),)))
    return after, tuple(flags)


def standard_complaints(card: Card, takes: Sequence[Card], position: Position, rules_of: dict[str, str],
                        precedence: bool = True, matches: bool | None = None) -> list[Reason]:
    """Give the reasons why a card may not take these cards by the common rules (README.md#1 to README.md#4).

    ``rules_of`` names the rule for ``not-a-sum``, ``single-card-precedence`` and ``more-than-one``; ``matches`` tells
    whether the cards fit the one played where that is not a matter of their sum; without ``precedence`` an equal card
    does not come first.
    """
    reasons: list[Reason] = []
    equal = [lying for lying in position.table if lying.value == card.value]
    equal_taken = [taken for taken in takes if taken.value == card.value]
    total = sum(taken.value for taken in takes)
    args = (("card", card), ("takes", tuple(takes)), ("sum", total), ("equal", tuple(equal)))
    only_equals = len(equal_taken) == len(takes)
    if matches is None:
        matches = total == card.value or (precedence and only_equals)
    if not matches:
        reasons.append(Reason("not-a-sum", rules_of["not-a-sum"], args))
    if precedence and len(takes) > 1 and equal and not only_equals:
        reasons.append(Reason("single-card-precedence", rules_of["single-card-precedence"], args))
    if precedence and len(equal_taken) > 1:
        reasons.append(Reason("more-than-one", rules_of["more-than-one"], args))
    return reasons


def _complaints(rules: CaptureRules, header: Header, hand: Hand, card: Card, took: Sequence[Place],
                position: Position, captures: Sequence[Take]) -> tuple[list[Reason], list[Reason]]:
    """Give the cards that were seen elsewhere before, and what is wrong with the capture itself."""
    again = []
    if hand.whereabouts(card):
        again.append(Reason("card-seen-twice", _CARD_TWICE, (("card", card), ("where", hand.whereabouts(card)))))
    missing = []
    unseen_lying = hand.table.count(None)
    for taken in took:
        if taken is None or taken in position.table:
            continue
        if hand.whereabouts(taken) == "pile":
            again.append(Reason("card-seen-twice", _rule_of_taking(took), (("card", taken), ("where", "pile"))))
        elif unseen_lying:
            # A card that nobody saw being laid is now seen as it is taken: that is the one.
            unseen_lying -= 1
        else:
            missing.append(Reason("not-on-table", _rule_of_taking(took), (("card", taken),)))
    if None in took:
        return again, missing
    known = [taken for taken in took if taken is not None]
    if known and set(position.table) >= set(known) and any(set(take) == set(known) for take in captures):
        return again, missing
    return again, missing + rules.complaints(header, card, known, position, captures)


def _rule_of_taking(took: Sequence[Place]) -> str:
    """Give the rule of what lies on the table and may be taken: of one card, or of a set."""
    return "README.md#2" if len(took) > 1 else "README.md#1"


def _partly_seen(card: Card, took: Sequence[Place], position: Position,
                 captures: Sequence[Take], further: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Give what can have been taken where not all of it was seen: what is legal, or, if nothing is, what lay there.

    ``further`` are legal readings with a card that was not seen on the table either.
    """
    legal = (*(Candidate(card, take, True) for take in captures if _fits(took, take)), *further)
    known = tuple(taken for taken in took if taken is not None)
    others = [lying for lying in position.table if lying not in known]
    missing = len(took) - len(known)
    if legal or comb(len(others), missing) > _MOST_READINGS:
        return legal
    return tuple(Candidate(card, (*known, *rest), False) for rest in combinations(others, missing))


def _unseen_on_table(rules: CaptureRules, header: Header, hand: Hand, card: Card, took: Sequence[Place],
                     position: Position, deck: Sequence[Card],
                     elsewhere: Collection[Card]) -> tuple[list[Reason], tuple[Candidate, ...]] | None:
    """Look whether a play that is legal on the table as seen is so whatever the cards not seen there are.

    Give the least that is wrong with it where it is illegal, and the candidates, legal first, or none if it is illegal
    with every card; ``None`` if it is legal with every card. What is illegal with some cards on the table is so with
    more: so one card not seen is tried at a time, and two together only where no single one changes the ruling of a
    card laid.
    """
    known = tuple(taken for taken in took if taken is not None)
    for together in (1, 2) if not known else (1,):
        least: list[Reason] = []
        legal: list[Take] = []
        illegal: list[Take] = []
        for sets, case in _cases(hand, card, took, position, deck, elsewhere, together):
            complaints = rules.complaints(header, card, known, case, rules.captures(header, card, case))
            (illegal if complaints else legal).extend(sets)
            if complaints and (not least or len(complaints) < len(least)):
                least = complaints
        if illegal and not legal:
            return least, ()
        if illegal:
            return least, (Candidate(card, known, True, tuple(legal)), Candidate(card, known, False, tuple(illegal)))
    return None


def _taken_unseen(rules: CaptureRules, header: Header, hand: Hand, card: Card, took: Sequence[Place],
                  fitting: Sequence[Place] | None, position: Position, deck: Sequence[Card],
                  elsewhere: Collection[Card]) -> tuple[Candidate, ...]:
    """Give the captures, those that fit what was seen of them, that take a card which lay there unseen."""
    found = []
    for sets, case in _cases(hand, card, took, position, deck, elsewhere, 1):
        example = sets[0][0]
        for take in rules.captures(header, card, case):
            if example in take:
                found += [Candidate(card, tuple(other if taken == example else taken for taken in take), True)
                          for (other,) in sets]
    fits = [candidate for candidate in found if fitting is None or _fits(fitting, candidate.takes)]
    return tuple(fits[:_MOST_READINGS])


def _cases(hand: Hand, card: Card, took: Sequence[Place], position: Position, deck: Sequence[Card],
           elsewhere: Collection[Card], together: int) -> Iterator[tuple[list[Take], Position]]:
    """Give the tables that there can be when ``together`` of the cards that lie there unseen are known.

    Only values count: each case comes with all the cards that make it, or, of several together, an example.
    """
    # A card that nobody saw being laid was seen as it was taken: it lay there too.
    revealed = tuple(taken for taken in took if taken is not None and taken not in position.table)
    if hand.table.count(None) - len(revealed) < together:
        return
    gone = {*hand.seen(), *took, *elsewhere, card}
    by_value: dict[int, list[Card]] = {}
    for other in deck:
        if other not in gone:
            by_value.setdefault(other.value, []).append(other)
    for values in combinations_with_replacement(by_value, together):
        if all(values.count(value) <= len(by_value[value]) for value in values):
            example = tuple(by_value[value][values[:place].count(value)] for place, value in enumerate(values))
            sets: list[Take] = [(other,) for other in by_value[values[0]]] if together == 1 else [example]
            yield sets, replace(position, table=(*position.table, *revealed, *example))


def _unseen_takes(card: Place, captures: Sequence[Take], may_lay: bool) -> tuple[Take, tuple[Candidate, ...]]:
    """Give the likeliest of what a card can have taken, and all of it, likeliest first."""
    if card is None:
        return (), ()
    candidates = [Candidate(card, take, True) for take in captures]
    if may_lay:
        candidates.append(Candidate(card, (), True))
    return candidates[0].takes, tuple(candidates)


def _unseen_card(rules: CaptureRules, header: Header, hand: Hand, position: Position, took: Sequence[Place],
                 deck: Sequence[Card]) -> tuple[Candidate, ...]:
    """Give the cards that a card not seen can have been, those that make the play legal first."""
    if hand.played >= hand.to_play:
        return ()
    seen = hand.seen() | {taken for taken in took if taken is not None}
    legal, illegal = [], []
    for card in deck:
        if card in seen:
            continue
        captures = rules.captures(header, card, position)
        fitting = [take for take in captures if _fits(took, take)]
        if took and fitting:
            legal.append(Candidate(card, fitting[0], True))
        elif not took and rules.may_lay(header, card, position, captures):
            legal.append(Candidate(card, (), True))
        else:
            illegal.append(Candidate(card, tuple(taken for taken in took if taken is not None), False))
    return tuple(legal + illegal)


def _likely(hand: Hand, took: tuple[Place, ...], candidates: Sequence[Candidate]) -> tuple[Place, ...]:
    """Give what left the table as far as it is known: cards taken unseen are those of the likeliest reading."""
    known = tuple(taken for taken in took if taken is not None)
    # Cards that nobody saw being laid: some of them are now seen as they are taken, the others can be those unseen.
    lying = hand.table.count(None) - sum(1 for taken in known if hand.whereabouts(taken) is None)
    if len(took) - len(known) <= lying:
        return took
    if candidates and candidates[0].legal and len(candidates[0].takes) == len(took):
        return (*known, *(taken for taken in candidates[0].takes if taken not in known))
    return (*known, *(None,) * max(0, lying))


def _fits(took: Sequence[Place], take: Take) -> bool:
    return len(took) == len(take) and all(taken is None or taken in take for taken in took)


def _move(hand: Hand, seat: int, card: Place, took: Sequence[Place], deck_size: int) -> tuple[Hand, bool]:
    """Move the cards of a play to where they went, and tell whether the table was emptied by a capture."""
    moving = {moved for moved in (card, *took) if moved is not None}
    piles = hand.piles
    if any(moved in pile for moved in moving for pile in piles):
        piles = tuple(tuple(lying for lying in pile if lying is None or lying not in moving) for pile in piles)
    table = tuple(lying for lying in hand.table if lying is None or lying not in moving)
    # Cards taken that nobody saw lying there were the ones not seen, as far as there are any.
    gone = sum(1 for taken in took if taken is None or hand.whereabouts(taken) is None)
    while gone and None in table:
        place = table.index(None)
        table = table[:place] + table[place + 1:]
        gone -= 1
    # What is still not explained was counted as taken unseen before, or left out when the table was dealt.
    for side, pile in enumerate(piles):
        while gone and None in pile:
            place = pile.index(None)
            pile = pile[:place] + pile[place + 1:]
            piles = _with(piles, side, pile)
            gone -= 1
    spare = min(gone, max(0, hand.stock - (hand.to_play - hand.dealt)))
    if card is None and len(table) + sum(map(len, piles)) + len(took) >= deck_size:
        # All cards are somewhere already: one that was not seen cannot be another one.
        arriving: tuple[Place, ...] = ()
    else:
        arriving = (card,)
    capturer = hand.capturer
    if took:
        side = hand.side_of(seat)
        piles = _with(piles, side, (*piles[side], *took, *arriving))
        capturer = seat
    else:
        table = (*table, *arriving)
    sizes = list(hand.hand_sizes)
    sizes[seat] = max(0, sizes[seat] - 1)
    played = hand.played + 1
    # The round is over when as many cards have been played as were dealt, whoever played them.
    dealt = 0
    if hand.dealt <= played < hand.to_play:
        sizes = list(_dealt(hand.each, len(sizes), hand.to_play - played, hand.dealer))
        dealt = sum(sizes)
    after = replace(hand, table=table, piles=piles, capturer=capturer, hand_sizes=tuple(sizes),
                    stock=hand.stock - dealt - spare, dealt=hand.dealt + dealt, played=played,
                    turn=_next_turn(seat, sizes) if played < hand.to_play else None)
    return after, bool(took) and bool(hand.table) and not table


def _dealt(each: int, players: int, left: int, dealer: int) -> tuple[int, ...]:
    """Give the hands that are dealt when ``left`` cards remain, one at a time from the dealer's right."""
    dealt = min(each * players, left)
    return tuple(dealt // players + ((seat - dealer - 1) % players < dealt % players) for seat in range(players))


def _next_turn(seat: int, sizes: Sequence[int]) -> int:
    """Give the next player at the right who still has a card."""
    players = len(sizes)
    following = [(seat + step) % players for step in range(1, players + 1)]
    return next((later for later in following if sizes[later]), following[0])


def _expected(hand: Hand) -> int:
    """Give the seat whose turn it is, or would be if there were cards left."""
    if hand.turn is not None:
        return hand.turn
    return (hand.dealer + 1 + hand.played) % len(hand.hand_sizes)


def _foreign(cards: Sequence[Card], deck: Sequence[Card]) -> list[Reason]:
    return [Reason("foreign-card", UNNUMBERED, (("card", card),)) for card in cards if card not in deck]


def _with(by_side: tuple[tuple[Place, ...], ...], side: int,
          cards: tuple[Place, ...]) -> tuple[tuple[Place, ...], ...]:
    return (*by_side[:side], cards, *by_side[side + 1:])
