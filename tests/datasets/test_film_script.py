"""Scripts of filmed hands: cards and hands move as real ones can."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from datasets.film.direct import write_script
from datasets.film.hands import HandPlan, random_hand
from datasets.film.layout import SIDES, Layout, clip_polygon, polygon_area
from datasets.film.motion import Pose, Track, ease
from datasets.film.script import PLACES, STYLES, Script
from rules.cards import FRENCH_40_CODES, ITALIAN_CODES
from scorer import score_record

#: The first three cards played and the last of film 100, brisk, and when they lie still.
FIRST_FILM = [("2d", 5066), ("Cb", 7097), ("2c", 9135), ("1s", 61203)]

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
@example((14, "messy", 4))
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


def mixed(seed: int, game: str = "scopa", style: str = "brisk", players: int | None = None,
          sides: tuple[str, ...] = ()) -> Script:
    codes = FRENCH_40_CODES if game == "slurp" else ITALIAN_CODES
    plan = random_hand(seed, game=game, players=players, codes=codes, mixed_habits=True)
    count = len(plan.events[0]["players"])
    return write_script(plan, Layout(count, sides=sides), style, seed)


def captures(script: Script, taking: str) -> list[dict]:
    found = [event for event in script.events if event.get("taking") == taking]
    assert found
    return found


def test_a_card_put_on_what_it_takes_covers_most_of_it_and_the_hand_stays() -> None:
    for script in (mixed(1), mixed(2, "slurp"), mixed(3, style="calm")):
        for event in captures(script, "on"):
            card, t_ms = script.cards[event["card"]].track, event["t_ms"] + 1
            covered = {code: script.layout.overlap(card.at(t_ms), script.cards[code].track.at(t_ms))
                       for code in event["takes"]}
            under = max(covered, key=covered.__getitem__)
            assert covered[under] > 0.35
            assert card.at(t_ms).z > script.cards[under].track.at(t_ms).z
            hand = script.arms[event["player"]]
            until = next(t for t, place in zip(script.cards[event["card"]].place_times_ms,
                                               script.cards[event["card"]].places, strict=True)
                         if place == "carried" and t > t_ms)
            spot = card.at(t_ms)
            far = [math.dist((spot.x, spot.y), (hand.at(t).x, hand.at(t).y)) for t in (t_ms, (t_ms + until) / 2, until)]
            assert max(far) < 75


def test_a_card_shown_lies_alone_for_a_moment_and_the_hand_steps_back() -> None:
    script = mixed(1)
    for event in captures(script, "shown"):
        spot = script.cards[event["card"]].track.at(event["t_ms"] + 1)
        hand = script.arms[event["player"]]
        far = max(math.dist((spot.x, spot.y), (hand.at(t).x, hand.at(t).y))
                  for t in range(event["t_ms"], event["settled_ms"] - 300, 20))
        assert far > 100


def test_a_card_held_in_the_hand_never_lies_on_the_table() -> None:
    for script in (mixed(1), mixed(2, "slurp"), mixed(3, "scupuni", "messy")):
        for event in captures(script, "held"):
            card = script.cards[event["card"]]
            last_held = max(i for i, place in enumerate(card.places) if place == "held")
            assert card.places[last_held:] == ["held", "carried", "pile"]
            lying = set(script.codes_at("table", event["t_ms"] - 1))
            assert lying & set(event["takes"])
            assert not set(script.codes_at("table", event["t_ms"] + 1)) & set(event["takes"])
            assert set(script.codes_at("pile", event["settled_ms"] + 1)) >= {event["card"], *event["takes"]}
            arrives = next(t for t, place in zip(card.place_times_ms, card.places, strict=True) if place == "carried"
                           and t >= card.place_times_ms[last_held])
            # In the hand it is never still in the air, but while fingers close on another card.
            moves = [card.track.moving(t) for t in range(round(arrives) + 1, event["t_ms"], 5)]
            assert sum(moves) > 0.95 * len(moves)
            # It is seen face up in the hand while it picks the others up.
            assert card.track.at(event["t_ms"]).roll == 0


def test_a_sweep_that_does_not_count_is_not_marked() -> None:
    plan = random_hand(5)
    sweep = next(play for play in score_record(plan.events)["plays"] if play["sweep"])
    events = [{**event, "marked": False} if number == sweep["event"] else event
              for number, event in enumerate(plan.events, 1)]
    for chosen, roll in ((plan.events, 0), (events, math.pi)):
        script = write_script(HandPlan(chosen, plan.rounds), Layout(2), "brisk", 5)
        assert script.cards[sweep["card"]].track.end.roll == pytest.approx(roll)


@pytest.mark.parametrize(("game", "players", "sides"), [
    ("scopa", 2, ("left", "right")), ("scopa", 2, ("near", "right")), ("scopa", 3, ()),
    ("scopa", 3, ("right", "far", "left")), ("scupuni", 4, ("far", "left", "near", "right")),
    ("slurp", 2, ("far", "near")),
])
def test_hands_come_from_the_sides_that_were_given(game: str, players: int, sides: tuple[str, ...]) -> None:
    script = mixed(4, game, players=players, sides=sides)
    for event in script.events:
        if event["type"] != "play":
            continue
        x, y = SIDES[sides[event["player"]]] if sides else script.layout.outward(event["player"])
        card = script.cards[event["card"]]
        began = max(t for t, place in zip(card.place_times_ms, card.places, strict=True)
                    if place == "carried" and t < event["t_ms"] - (0 if event.get("taking") == "held" else 1))
        assert card.place_at(began - 1) == "held"
        pose = script.arms[event["player"]].at(began)
        assert pose.x * x + pose.y * y > script.layout.beyond(event["player"])


@pytest.mark.parametrize("layout", [
    Layout(2), Layout(3), Layout(4), Layout(4, pairs=False), Layout(2, sides=("left", "right")),
    Layout(2, sides=("near", "right")), Layout(3, sides=("right", "far", "left")),
])
def test_deck_piles_and_dealt_cards_lie_apart(layout: Layout) -> None:
    owners = (0, 1) if layout.players == 4 and layout.pairs else range(layout.players)
    for dealer in range(layout.players):
        poses = [layout.deck(dealer), *map(layout.pile, owners), *map(layout.border, range(layout.players))]
        assert all(layout.overlap(a, b) == 0 for i, a in enumerate(poses) for b in poses[:i])
        w, h = layout.half_mm
        # A packet of dealt cards may lie across the border of the rectangle, but not by a centimetre.
        assert all(abs(x) < w + 10 and abs(y) < h + 10 for pose in poses for x, y in layout.corners(pose))


@pytest.mark.parametrize(("sides", "said"), [
    (("near",), "2 players sit at as many different sides"), (("near", "near"), "different sides"),
    (("near", "top"), "different sides"),
])
def test_sides_that_two_cannot_sit_at_are_refused(sides: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Layout(2, sides=sides)


def test_players_who_would_sit_clockwise_are_refused() -> None:
    with pytest.raises(ValueError, match="counter-clockwise"):
        Layout(3, sides=("near", "left", "right"))


def test_ten_cards_each_are_dealt_in_packets_of_five() -> None:
    script = mixed(1, "scupuni")
    (deal,) = [one for one in script.happenings if one.kind == "deal"]
    assert [len(hand) for hand in deal.details["cards"]] == [10] * 4
    arrivals = sorted({card.place_times_ms[2] for card in script.cards.values()})
    assert len(arrivals) == 8


def test_tidy_films_are_what_they_were_before_there_were_habits_and_messy_ones() -> None:
    plays = [event for event in script_of((100, "brisk", 2)).events if event["type"] == "play"]
    assert [(event["card"], event["t_ms"]) for event in plays[:3] + plays[-1:]] == FIRST_FILM


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
