"""Scripts of filmed hands: cards and hands move as real ones can."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from datasets.film.direct import write_script
from datasets.film.hands import random_hand
from datasets.film.layout import Layout, clip_polygon, polygon_area
from datasets.film.motion import Pose, Track, ease
from datasets.film.script import PLACES, STYLES, Script

FILMS = st.tuples(st.integers(0, 10_000), st.sampled_from(sorted(STYLES)), st.sampled_from([2, 4]))


def script_of(film: tuple[int, str, int]) -> Script:
    seed, style, players = film
    return write_script(random_hand(seed, players=players, dealer=seed % players), Layout(players), style, seed)


@given(FILMS)
@settings(max_examples=6, deadline=None)
def test_the_places_of_the_cards_follow_the_record(film: tuple[int, str, int]) -> None:
    script = script_of(film)
    table: set[str] = set()
    won: set[str] = set()
    for event in script.events[1:]:
        t_ms = event["t_ms"] + 1
        if event["type"] == "deal":
            table = set(event["table"])
        elif event["type"] == "play":
            assert set(script.codes_at("table", t_ms)) == table | {event["card"]}
            assert set(script.codes_at("pile", t_ms)) == won
            table = table - set(event["takes"]) if event["takes"] else table | {event["card"]}
            won |= {event["card"], *event["takes"]} if event["takes"] else set()
            t_ms = event["settled_ms"] + 1
        else:
            won |= table
            table = set()
        assert set(script.codes_at("table", t_ms)) == table
        assert set(script.codes_at("pile", t_ms)) == won
    end_ms = script.duration_ms
    assert sum(len(script.codes_at(place, end_ms)) for place in PLACES) == 40
    assert not script.codes_at("deck", end_ms) and not script.codes_at("held", end_ms)


@given(FILMS)
@example((1, "brisk", 4))
@settings(max_examples=4, deadline=None)
def test_cards_move_only_under_a_hand_and_never_jump(film: tuple[int, str, int]) -> None:
    script = script_of(film)
    for card in script.cards.values():
        track = card.track
        for start, end in pairwise(track.times_ms):
            times = [start + (end - start) * share / 6 for share in range(7)] if end > start else []
            for t, after in pairwise(times):
                if not track.moving(t) or "held" in (card.place_at(t), card.place_at(after)):
                    continue
                a, b = track.at(t), track.at(after)
                # A quick arm across a table for four brings a card to 6.2 m/s; a jump would be far beyond.
                assert math.dist((a.x, a.y, a.z), (b.x, b.y, b.z)) < 8.0 * (after - t), f"{card.code} at {t}"
                assert card.place_at(t) == "carried", f"{card.code} at {t}"
                tips = [arm.at(t) for arm in script.arms.values()]
                assert min(math.dist((a.x, a.y), (tip.x, tip.y)) for tip in tips) < 130, f"{card.code} at {t}"


@given(FILMS)
@settings(max_examples=4, deadline=None)
def test_a_card_jumps_only_while_nobody_sees_it(film: tuple[int, str, int]) -> None:
    script = script_of(film)
    for card in script.cards.values():
        for i, (a, b) in enumerate(pairwise(card.track.poses)):
            start, end = card.track.times_ms[i: i + 2]
            if a != b and end == start:
                assert card.place_at(start - 1) == "held", f"{card.code} at {start}"


@given(FILMS)
@settings(max_examples=4, deadline=None)
def test_events_follow_one_another_and_cards_lie_still_when_they_say(film: tuple[int, str, int]) -> None:
    script = script_of(film)
    times = [event["t_ms"] for event in script.events[1:]]
    assert times == sorted(times)
    for event in script.events:
        if event["type"] == "play":
            track = script.cards[event["card"]].track
            assert not track.moving(event["t_ms"] + 1)
            assert track.moving(event["t_ms"] - 30)
            assert track.at(event["t_ms"] + 1).roll == 0
            assert event["settled_ms"] >= event["t_ms"]
    assert script.duration_ms > times[-1] + 2500


@given(FILMS)
@settings(max_examples=4, deadline=None)
def test_a_sweep_is_marked_by_its_card_face_up_and_crosswise(film: tuple[int, str, int]) -> None:
    script = script_of(film)
    table: set[str] = set()
    for event in script.events[1:]:
        if event["type"] == "deal":
            table = set(event["table"])
        elif event["type"] == "play" and event["takes"]:
            swept = set(event["takes"]) == table
            table -= set(event["takes"])
            pose = script.cards[event["card"]].track.end
            others = script.cards[event["takes"][0]].track.end
            assert (pose.roll == 0) == swept
            assert others.roll == pytest.approx(math.pi)
            if swept:
                assert abs(math.sin(pose.angle - others.angle)) > 0.8
        elif event["type"] == "play":
            table.add(event["card"])


@pytest.mark.parametrize(("style", "least_s", "most_s"), [
    ("brisk", 1.0, 2.1), ("lively", 1.4, 2.7), ("calm", 2.4, 4.6),
])
def test_styles_keep_their_pace(style: str, least_s: float, most_s: float) -> None:
    script = script_of((4, style, 2))
    plays = [event["t_ms"] for event in script.events if event["type"] == "play"]
    assert least_s < (plays[-1] - plays[0]) / 35 / 1000 < most_s


def test_the_same_seed_gives_the_same_script() -> None:
    assert script_of((3, "calm", 2)).events == script_of((3, "calm", 2)).events


def test_cards_laid_on_the_table_mostly_do_not_overlap() -> None:
    layout = Layout(2)
    rng = random.Random(1)
    covered = []
    for _ in range(8):
        lying: list[Pose] = []
        for _ in range(7):
            lying.append(layout.find_room(rng, lying))
        covered += [layout.overlap(a, b) for i, a in enumerate(lying) for b in lying[:i]]
    assert sum(share > 0.02 for share in covered) / len(covered) < 0.05


def test_an_unknown_style_and_a_wrong_layout_are_refused() -> None:
    with pytest.raises(ValueError, match="no style 'wild'"):
        write_script(random_hand(1), Layout(2), "wild")
    with pytest.raises(ValueError, match="another number of players"):
        write_script(random_hand(1), Layout(4), "calm")


@pytest.mark.parametrize(("seat", "pile_side"), [(0, (1, -1)), (1, (1, 1)), (2, (-1, 1)), (3, (-1, -1))])
def test_piles_lie_at_each_players_right(seat: int, pile_side: tuple[int, int]) -> None:
    pile = Layout(4).pile(seat)
    assert (math.copysign(1, pile.x), math.copysign(1, pile.y)) == pile_side


def test_a_track_rests_and_moves_smoothly() -> None:
    track = Track()
    track.put(0, Pose(0, 0))
    track.go(100, 200, Pose(100, 0, angle=math.pi * 1.9), lift_mm=20)
    assert track.at(50) == Pose(0, 0)
    assert track.at(150).x == pytest.approx(50)
    assert track.at(150).z == pytest.approx(20)
    assert track.at(200).angle == pytest.approx(-0.1 * math.pi)  # the short way round
    assert track.moving(150) and not track.moving(99) and not track.moving(200)
    with pytest.raises(ValueError, match="follow one another"):
        track.put(150, Pose(0, 0))
    with pytest.raises(ValueError, match="take time"):
        track.go(300, 300, Pose(0, 0))
    with pytest.raises(ValueError, match="no place yet"):
        Track().go(0, 1, Pose(0, 0))


def test_a_movement_starts_and_ends_slowly() -> None:
    assert (ease(0), ease(0.5), ease(1)) == (0, 0.5, 1)
    assert ease(0.05) < 0.01


@pytest.mark.parametrize(("shift", "area"), [(0.0, 1.0), (0.5, 0.5), (1.5, 0.0)])
def test_polygons_are_clipped_by_one_another(shift: float, area: float) -> None:
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    window = [(x + shift, y) for x, y in square]
    assert polygon_area(clip_polygon(square, window)) == pytest.approx(area)
