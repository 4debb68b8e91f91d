"""Draw what happens in a film of slaps from a seed."""

from __future__ import annotations

import random
from dataclasses import replace

from datasets.slaps.case import GAMES, Case, Flip, HandCase, lifted
from datasets.slaps.spit import spit_case
from rules.cards import FRENCH_CODES, FRENCH_RANKS, Card

#: Bounds of the gap between the two hands that decide, in frames, with the share of films of each class.
GAP_CLASSES = {"wide": (2.0, 5.0, 0.4), "near": (1.0, 2.0, 0.3), "below": (0.05, 1.0, 0.3)}


def draw_case(seed: int, fps: float, *, game: str | None = None, kind: str | None = None) -> Case:
    """Draw what happens in a film.

    Args:
        seed: the same seed gives the same case.
        fps: frames a second, which the gaps between hands are measured in.
        game: one of `GAMES`, or None for any.
        kind: one of `KINDS` that the game has, or None for any.

    Raises:
        ValueError: when there is no such game, or the game has no such kind.
    """
    rng = random.Random(f"slaps {seed}")
    game = game or rng.choices(GAMES, (0.55, 0.3, 0.15))[0]
    if game not in GAMES:
        raise ValueError(f"no slaps in {game!r}; there are {', '.join(GAMES)}")
    kinds = {"slapjack": {"slap": 0.56, "false": 0.16, "feint": 0.12, "late": 0.12, "quiet": 0.04},
             "irish-snap": {"slap": 0.66, "false": 0.18, "feint": 0.12, "quiet": 0.04},
             "spit": {"grab": 0.5, "landings": 0.5}}[game]
    kind = kind or rng.choices(list(kinds), list(kinds.values()))[0]
    if kind not in kinds:
        raise ValueError(f"{game} has no {kind!r}; it has {', '.join(kinds)}")
    dim = rng.random() < 0.15
    frame_ms = 1000 / fps * (1.6 if dim else 1.0)
    classes = list(GAP_CLASSES)
    gap_class = rng.choices(classes, [GAP_CLASSES[name][2] for name in classes])[0]
    low, high, _ = GAP_CLASSES[gap_class]
    gap_ms = rng.uniform(low, high) * frame_ms
    missing = rng.choice((0.02, 0.05, 0.1)) if rng.random() < 0.2 else 0.0
    repeated = rng.choice((0.03, 0.08)) if rng.random() < 0.15 else 0.0
    players = 2 if game == "spit" else rng.choice((2, 3, 3, 4, 4, 5, 6)) if kind != "feint" else rng.choice((2, 3, 4))
    case = Case(game, kind, gap_class, _angles(rng, players), (), 0, (), (), dim, missing, repeated, 0.0)
    if game == "spit":
        return spit_case(rng, case, gap_ms)
    return _slap_case(rng, case, gap_ms)


def _angles(rng: random.Random, players: int) -> tuple[float, ...]:
    """Seat players clockwise around the table, the first mostly at the near side."""
    begin = 270.0 if rng.random() < 0.7 else rng.choice((0.0, 90.0, 180.0))
    spread = 7.0 if players < 5 else 4.0
    return tuple((begin - 360 / players * seat + rng.gauss(0, spread)) % 360 for seat in range(players))


def _slap_case(rng: random.Random, case: Case, gap_ms: float) -> Case:
    """Draw a film of Slapjack or Irish Snap: a card or two are flipped, and hands come down on the last."""
    lying = rng.randint(1, 16)
    # A late slap is one that the next card was quicker than.
    flips = 2 if case.kind in ("late", "quiet") or rng.random() < 0.2 else 1
    decides = lying + (0 if case.kind == "late" else flips - 1)
    codes = draw_cards(rng, case, lying + flips, decides)
    first = rng.randrange(case.players)
    at = rng.uniform(520, 800)
    brought = []
    for index in range(flips):
        brought.append(Flip((first + lying + index) % case.players, codes[lying + index], at))
        at += rng.uniform(620, 900) if case.kind != "late" else rng.uniform(330, 480)
    shown = brought[-1].lands_ms
    case = replace(case, piles=(codes[:lying],), first_player=first, flips=tuple(brought))
    if case.kind == "quiet":
        return replace(case, gap_class="", duration_ms=shown + 620)
    if case.kind == "late":
        touched = shown + rng.uniform(40, 220)
    elif case.kind == "false" and rng.random() < 0.3:
        touched = shown + rng.uniform(120, 260)
    else:
        touched = shown + rng.uniform(250, 600)
    # Whose right hand has just brought a card has only the left one free.
    busy = {flip.player for flip in brought if shown - flip.lands_ms < 550}
    hands = _hands(rng, case, busy, touched, gap_ms)
    leaves = max(hand.parted_ms for hand in hands)
    return replace(case, hands=hands, duration_ms=max(leaves, shown) + 480)


def draw_cards(rng: random.Random, case: Case, count: int, decides: int) -> tuple[str, ...]:
    """Draw the cards of a pile, undermost first, so that only the one that decides may call for a slap."""
    deck = list(FRENCH_CODES)
    rng.shuffle(deck)
    wanted = case.kind not in ("false", "quiet") and not (case.kind == "feint" and rng.random() < 0.5)
    due = ["J" if case.game == "slapjack" else FRENCH_RANKS[index % len(FRENCH_RANKS)] for index in range(count)]
    # The card that decides is put aside first, so that it is still there.
    kept = next(code for code in deck if Card.parse(code).rank == due[decides]) if wanted else None
    codes = []
    for index in range(count):
        code = kept if kept is not None and index == decides else next(
            code for code in deck if code != kept and Card.parse(code).rank != due[index])
        deck.remove(code)
        codes.append(code)
    return tuple(codes)


def _hands(rng: random.Random, case: Case, busy: set[int], touched: float, gap_ms: float) -> tuple[HandCase, ...]:
    """Draw whose hands come down when and where; the gap is between the two that decide."""
    everybody = case.game == "irish-snap" and case.kind == "slap"
    slappers = list(range(case.players))
    rng.shuffle(slappers)
    if everybody:
        if case.players > 2 and rng.random() < 0.12:
            slappers.pop()
    elif case.kind == "false":
        slappers = slappers[:rng.choices((1, 2, 3), (0.6, 0.3, 0.1))[0]]
    elif case.kind in ("late", "feint"):
        slappers = slappers[:rng.choices((1, 2), (0.7, 0.3))[0]]
    else:
        slappers = slappers[:rng.choices((1, 2, 3, 4, 6), (0.08, 0.47, 0.25, 0.15, 0.05))[0]]
    times = [touched]
    gaps = [rng.uniform(15, 200) for _ in slappers[1:]]
    if gaps:
        gaps[-1 if everybody else 0] = gap_ms
    for gap in gaps:
        times.append(times[-1] + gap)
    # On a pile no larger than a card most hands that come at once lie on one another; the rest leave it open.
    overlap = rng.random() < (0.75 if case.gap_class == "below" else 0.6)
    hands = [_hand(rng, player, "left" if player in busy or rng.random() < 0.25 else "right", t, overlap)
             for player, t in zip(slappers, times, strict=True)]
    if len(hands) > 1 and rng.random() < 0.15:
        # Neighbours who each reach to the other's side cross their arms.
        aside = rng.uniform(25, 45) * rng.choice((-1, 1))
        hands[:2] = [replace(hands[0], aside_mm=aside), replace(hands[1], aside_mm=-aside)]
    if case.kind == "feint":
        hands = [replace(hand, feint=True, stops_mm=rng.uniform(32, 90)) for hand in hands]
    elif case.kind in ("slap", "false") and rng.random() < 0.12:
        hands = _with_feint(rng, case, hands, busy)
    if case.kind == "slap" and rng.random() < 0.12:
        first = rng.choice(hands)
        other = "left" if first.side == "right" else "right"
        if not (first.player in busy and other == "right") and not first.feint:
            hands.append(_hand(rng, first.player, other, max(times) + rng.uniform(5, 120), overlap))
    return lifted(rng, hands)


def _hand(rng: random.Random, player: int, side: str, touches_ms: float, overlap: bool) -> HandCase:
    depth = rng.uniform(25, 80) if overlap else rng.uniform(-32, -8)
    return HandCase(player, side, touches_ms, depth, rng.gauss(0, 14), 0.0)


def _with_feint(rng: random.Random, case: Case, hands: list[HandCase], busy: set[int]) -> list[HandCase]:
    """Let one more player feint while others slap; his hand stops short of the pile, so that it lies on nobody's."""
    idle = [player for player in range(case.players) if player not in {hand.player for hand in hands}
            and player not in busy]
    if not idle:
        return hands
    at = hands[0].touches_ms + rng.uniform(-80, 60)
    return [*hands, replace(_hand(rng, rng.choice(idle), "right", at, False), feint=True,
                            depth_mm=rng.uniform(-75, -45), stops_mm=rng.uniform(40, 90))]
