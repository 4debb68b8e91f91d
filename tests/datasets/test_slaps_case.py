"""What happens in films of slaps: cases follow their seed, and the rules agree with what they are called."""

from __future__ import annotations

from itertools import pairwise

import pytest

from datasets.slaps.case import GAMES, KINDS, side_of
from datasets.slaps.draw import draw_case
from datasets.slaps.room import Shutter
from datasets.slaps.timeline import frame_slots
from datasets.slaps.truth import counting_hands, deciding_hands, record_of
from rules.cards import Card
from rules.record import check_events
from scorer import score_record

SEEDS = range(40)


def rulings_of(seed: int, game: str, kind: str | None = None) -> tuple:
    case = draw_case(seed, 30, game=game, kind=kind)
    document = score_record(record_of(case, []))
    return case, document


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_gives_the_same_case(game: str) -> None:
    assert draw_case(7, 30, game=game) == draw_case(7, 30, game=game)
    assert draw_case(7, 30, game=game) != draw_case(8, 30, game=game)


@pytest.mark.parametrize("game", GAMES)
def test_records_of_cases_are_records(game: str) -> None:
    for seed in SEEDS:
        check_events(record_of(draw_case(seed, 30, game=game), []))


def test_slaps_at_a_jack_are_won_by_the_first_hand() -> None:
    for seed in SEEDS:
        case, document = rulings_of(seed, "slapjack", "slap")
        first = min((hand for hand in case.hands if not hand.feint), key=lambda hand: hand.touches_ms)
        assert [told["player"] for told in document["slaps"] if told["verdict"] == "wins"] == [first.player]


@pytest.mark.parametrize("kind", ["false", "late"])
def test_slaps_at_another_card_are_false(kind: str) -> None:
    for seed in SEEDS:
        case, document = rulings_of(seed, "slapjack", kind)
        assert {told["verdict"] for told in document["slaps"]} == {"false"}
        if kind == "late":
            # The jack they went for lies under the newest card.
            assert Card.parse(sorted(case.flips, key=lambda flip: flip.lands_ms)[-2].code).rank == "J"


def test_feints_touch_nothing() -> None:
    for game in ("slapjack", "irish-snap"):
        for seed in SEEDS:
            case, document = rulings_of(seed, game, "feint")
            assert all(hand.feint for hand in case.hands)
            assert not any("t_ms" in told for told in document["slaps"])


@pytest.mark.parametrize("game", ["slapjack", "irish-snap"])
def test_nobody_slaps_in_a_quiet_film_and_nobody_need(game: str) -> None:
    for seed in SEEDS:
        case, document = rulings_of(seed, game, "quiet")
        assert not case.hands
        assert len(case.flips) == 2
        assert document["slaps"] == []


def test_in_irish_snap_the_last_hand_takes_the_pile_or_the_one_that_is_missing() -> None:
    for seed in SEEDS:
        case, document = rulings_of(seed, "irish-snap", "slap")
        hands = sorted((case.hands[index] for index in counting_hands(case)), key=lambda hand: hand.touches_ms)
        takes = [told["player"] for told in document["slaps"] if told["verdict"] == "takes"]
        missing = set(range(case.players)) - {hand.player for hand in hands}
        assert takes == ([hands[-1].player] if not missing else sorted(missing))


def test_gaps_are_of_their_class() -> None:
    bounds = {"wide": (2, 5), "near": (1, 2), "below": (0, 1)}
    for seed in range(120):
        case, document = rulings_of(seed, "slapjack", "slap")
        deciding = deciding_hands(case, document["slaps"])
        if deciding is None:
            continue
        a, b = (case.hands[index].touches_ms for index in deciding)
        low, high = bounds[case.gap_class]
        frame_ms = 1000 / 30 * (1.6 if case.dim else 1)
        assert low * frame_ms <= b - a <= high * frame_ms


def test_a_hand_that_has_just_brought_a_card_does_not_slap_at_once() -> None:
    for game in ("slapjack", "irish-snap"):
        for seed in range(150):
            case = draw_case(seed, 30, game=game)
            for flip in case.flips:
                for hand in case.hands:
                    if (hand.player, hand.side) == (flip.player, "right"):
                        assert hand.touches_ms - flip.lands_ms > 600


def test_cards_of_one_player_do_not_come_at_once() -> None:
    for seed in SEEDS:
        case, _ = rulings_of(seed, "spit", "landings")
        for player in (0, 1):
            times = sorted(flip.lands_ms for flip in case.flips if flip.player == player)
            assert all(later - sooner > 850 for sooner, later in pairwise(times))


@pytest.mark.parametrize(("game", "kind", "word"), [("scopa", None, "scopa"), ("slapjack", "grab", "grab"),
                                                    ("spit", "late", "late")])
def test_a_game_without_such_slaps_is_refused(game: str, kind: str | None, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        draw_case(1, 30, game=game, kind=kind)


@pytest.mark.parametrize(("angle", "side"), [(0, "right"), (44, "right"), (46, "top"), (180, "left"), (270, "bottom"),
                                             (359, "right"), (-90, "bottom")])
def test_sides_of_the_picture(angle: float, side: str) -> None:
    assert side_of(angle) == side


def test_every_kind_occurs() -> None:
    assert {draw_case(seed, 30).kind for seed in range(200)} == set(KINDS)


def test_frames_get_lost_and_come_twice_as_often_as_asked() -> None:
    slots = frame_slots(3, Shutter(1000 / 30, 8.0, 10.0), 60_000, missing=0.1, repeated=0.05)
    assert slots[0].t_ms == 0
    assert not slots[0].dropped
    assert all(later.t_ms - sooner.t_ms == pytest.approx(1000 / 30) for sooner, later in pairwise(slots))
    assert 0.07 < sum(slot.dropped for slot in slots) / len(slots) < 0.13
    assert 0.03 < sum(slot.duplicate for slot in slots) / len(slots) < 0.07
    assert not any(slot.dropped and slot.duplicate for slot in slots)
