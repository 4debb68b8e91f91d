"""Messy films: everything that disturbs is where and when the truth says, and the same seed gives the same."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import cv2
import numpy as np
import pytest

from datasets import decks
from datasets.film.camera import card_corners_mm
from datasets.film.camerawork import CameraWork, FocusHunt, LightChange, LostFrames, Nudge, moved_camera
from datasets.film.direct import write_script
from datasets.film.hands import plan_of_record, random_hand
from datasets.film.layout import Layout
from datasets.film.mess import KINDS, MessyDirector
from datasets.film.motion import Pose, Track
from datasets.film.render import FilmRenderer
from datasets.film.script import Happening, Script
from datasets.film.setting import Setting
from datasets.film.things import Glass, Person
from datasets.film.write import prepare
from rules.record import parse_record, write_record
from scorer import score_record

SEEDS = range(1, 9)


@cache
def messy(seed: int, players: int = 2) -> Script:
    hand = random_hand(seed, players=players, mixed_habits=True)
    return write_script(hand, Layout(players), "messy", seed)


@cache
def film(seed: int = 2) -> FilmRenderer:
    faces, script, setting = prepare(random_hand(seed), seed=seed, style="messy", size=(480, 270), deck="italian",
                                     table="felt", tilt_degrees=15)
    quiet = replace(setting, noise=0.0, focus_px=0.0, drift=0.0, light=np.ones_like(setting.light))
    return FilmRenderer(script, quiet, faces, 20)


def happenings(script: Script, kind: str) -> list[Happening]:
    return [one for one in script.happenings if one.kind == kind]


def each(kind: str, players: int = 2) -> list[tuple[Script, Happening]]:
    found = [(messy(seed, players), one) for seed in SEEDS for one in happenings(messy(seed, players), kind)]
    assert found
    return found


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("seed", SEEDS)
def test_everything_happens_in_every_messy_film(seed: int, players: int) -> None:
    script = messy(seed, players)
    assert {one.kind for one in script.happenings} == set(KINDS)
    assert {one.details["meanwhile"] for one in happenings(script, "rest")} == {True, False}
    for one in script.happenings:
        assert 0 < one.start_ms < one.end_ms < script.duration_ms
    starts = [one.start_ms for one in script.happenings]
    assert starts == sorted(starts)


def test_the_record_tells_the_happenings_and_is_read_and_scored_as_ever() -> None:
    script = messy(3)
    record = parse_record(write_record(script.events))
    assert record.events[0]["film"]["happenings"] == [one.as_json() for one in script.happenings]
    assert [play["ruling"] for play in score_record(record.events)["plays"]] == ["legal"] * 36


def test_a_record_filmed_again_does_not_keep_what_happened_in_the_film_before() -> None:
    assert "film" not in plan_of_record(messy(3).events).events[0]


def test_the_same_seed_gives_the_same_mess_and_another_seed_another() -> None:
    again = write_script(random_hand(1, mixed_habits=True), Layout(2), "messy", 1)
    assert again.happenings == messy(1).happenings and again.events == messy(1).events
    assert messy(1).happenings != messy(2).happenings


def test_what_is_played_is_that_of_the_other_styles() -> None:
    calm = write_script(random_hand(1, mixed_habits=True), Layout(2), "calm", 1)
    for one, other in zip(calm.events[1:], messy(1).events[1:], strict=True):
        assert {**one, "t_ms": 0, "settled_ms": 0} == {**other, "t_ms": 0, "settled_ms": 0}


def test_a_card_taken_back_lies_on_the_table_and_is_in_its_players_hand_before_and_after() -> None:
    for script, one in each("taken-back"):
        card = script.cards[one.details["card"]]
        places = [card.place_at(t) for t in (one.start_ms - 2000, one.start_ms + 1, one.end_ms - 1, one.end_ms + 1500)]
        assert places[1:3] == ["table", "table"]
        assert not card.track.moving((one.start_ms + one.end_ms) / 2)
        play = next(event for event in script.events if event.get("card") == card.code)
        assert play["player"] == one.details["player"]
        assert play["t_ms"] > one.end_ms
        assert card.place_at(one.end_ms + 1) == "carried"
        assert "held" in card.places[card.places.index("table") + 1:]


def test_a_hand_that_rests_lies_still_and_flat_over_its_card_for_seconds() -> None:
    for script, one in each("rest"):
        assert one.end_ms - one.start_ms > 1400
        arm, t_ms = script.arms[one.details["player"]], (one.start_ms + one.end_ms) / 2
        assert not arm.moving(one.start_ms + 1) and not arm.moving(t_ms) and not arm.moving(one.end_ms - 1)
        hand, card = arm.at(t_ms), script.cards[one.details["cards"][0]]
        assert hand.grip == 1
        pose = card.track.at(t_ms)
        assert card.place_at(t_ms) == "table" and math.dist((hand.x, hand.y), (pose.x, pose.y)) < 90
        assert card.place_at(one.end_ms - 1) == "table", "no card is taken from under a hand that rests"
        others = [e for e in script.events if e["type"] == "play" and one.start_ms < e["t_ms"] < one.end_ms]
        assert bool(others) == one.details["meanwhile"]
        assert all(event["player"] != one.details["player"] for event in others)


def test_a_hand_that_rests_hides_a_part_of_its_card() -> None:
    one = happenings(film().script, "rest")[0]
    index = round((one.start_ms + one.end_ms) / 2 * film().fps / 1000)
    card = next(card for card in film().truth(index) if card.code == one.details["cards"][0])
    assert card.visible < 0.85


def test_a_card_that_is_pushed_goes_and_turns_as_the_truth_says_and_others_stay() -> None:
    for script, one in each("push"):
        card = script.cards[one.details["card"]]
        before, after = card.track.at(one.start_ms), card.track.at(one.end_ms)
        assert math.dist((before.x, before.y), (after.x, after.y)) == pytest.approx(one.details["moved_mm"], abs=0.1)
        assert math.degrees(after.angle - before.angle) == pytest.approx(one.details["turned_degrees"], abs=0.1)
        assert before.roll == after.roll == 0
        assert card.place_at(one.start_ms - 1) == card.place_at(one.end_ms + 1) == "table"
        middle = (one.start_ms + one.end_ms) / 2
        assert [code for code, other in script.cards.items() if other.track.moving(middle)
                and other.place_at(middle) != "held"] == [card.code]
        hand, pose = script.arms[one.details["player"]].at(middle), card.track.at(middle)
        assert math.dist((hand.x, hand.y), (pose.x, pose.y)) < 30


def test_a_glass_stands_clear_of_every_card_and_goes_again() -> None:
    for seed in SEEDS:
        script = messy(seed)
        one, (glass,) = happenings(script, "glass")[0], script.glasses
        foot = glass.track.at(one.start_ms + 1)
        assert [round(foot.x), round(foot.y)] == one.details["at_mm"]
        t_ms = one.start_ms + 1
        while t_ms < one.end_ms:
            assert not glass.track.moving(t_ms) and glass.seen(t_ms)
            for card in script.cards.values():
                pose = card.track.at(t_ms)
                if card.place_at(t_ms) == "table":
                    assert math.dist((pose.x, pose.y), (foot.x, foot.y)) > 40, card.code
            t_ms += 400
        assert not glass.seen(glass.end_ms)
        away = glass.track.at(glass.end_ms)
        x, y = script.layout.outward(one.details["player"])
        assert away.x * x + away.y * y > script.layout.beyond(one.details["player"])


def test_no_card_is_laid_where_the_glass_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MessyDirector, "_room_for_glass", lambda *_: Pose(20.0, 10.0))  # where people like to lay
    laid = 0
    for seed in SEEDS:
        script = write_script(random_hand(seed), Layout(2), "messy", seed)
        one = happenings(script, "glass")[0]
        for event in script.events:
            if event["type"] == "play" and not event["takes"] and one.start_ms < event["t_ms"] < one.end_ms:
                pose = script.cards[event["card"]].track.at(event["t_ms"] + 1)
                assert math.dist((pose.x, pose.y), (20.0, 10.0)) > 45
                laid += 1
    assert laid > 10


def test_hands_come_in_from_their_players_side() -> None:
    for players in (2, 4):
        script = messy(2, players)
        for seat, arm in script.arms.items():
            x, y = script.layout.outward(seat)
            outside = [pose.x * x + pose.y * y for pose in arm.poses if pose.z >= 60 and pose.grip == 0]
            assert outside and max(outside) > script.layout.beyond(seat)
            for pose in arm.poses:
                inside = abs(pose.x) < script.layout.beyond_mm[0] and abs(pose.y) < script.layout.beyond_mm[1]
                assert inside or pose.x * x + pose.y * y > script.layout.beyond(seat), f"seat {seat} at {pose}"


def without(renderer: FilmRenderer, **gone: Any) -> FilmRenderer:
    return FilmRenderer(replace(renderer.script, **gone), renderer.setting, renderer.faces, renderer.fps)


def test_somebody_who_leans_in_hides_what_lies_below() -> None:
    one = happenings(film().script, "lean")[0]
    index = round((one.start_ms + one.end_ms) / 2 * film().fps / 1000)
    alone = without(film(), persons=[])
    changed = np.abs(film().frame(index).astype(int) - alone.frame(index)).max(axis=2) > 25
    assert changed.mean() > 0.04
    assert sum(card.visible for card in film().truth(index)) <= sum(card.visible for card in alone.truth(index))


@pytest.mark.parametrize("what", ["glass", "person"])
def test_a_card_below_a_glass_or_a_person_is_not_seen_in_the_truth(what: str) -> None:
    bare = without(film(), glasses=[], persons=[])
    index = next(i for i in range(bare.frame_count) if any(
        card.place == "table" and card.visible > 0.97 for card in bare.truth(i)))
    card = next(card for card in bare.truth(index) if card.place == "table" and card.visible > 0.97)
    t_ms, lies = bare.time_ms(index), bare.script.cards[card.code].track.at(bare.time_ms(index))
    track = Track([0.0, t_ms + 1000], [lies.moved(z=0.0 if what == "glass" else 5.0)] * 2, [0.0, 0.0])
    over = (without(film(), persons=[], glasses=[Glass("mug", 0.0, t_ms + 1000, track)]) if what == "glass" else
            without(film(), glasses=[], persons=[Person(0, (40, 50, 60), (90, 60, 40), 1, track)]))
    hidden = next(one for one in over.truth(index) if one.code == card.code)
    assert hidden.visible < 0.5


def test_a_glass_is_seen_where_it_stands() -> None:
    one = happenings(film().script, "glass")[0]
    index = round((one.start_ms + 400) * film().fps / 1000)
    bare = without(film(), glasses=[])
    changed = np.abs(film().frame(index).astype(int) - bare.frame(index)).max(axis=2) > 12
    foot = film().camera_at(film().time_ms(index)).project(np.array([[*one.details["at_mm"], 30.0]]))[0]
    ys, xs = np.nonzero(changed)
    assert 40 < changed.sum() < 0.1 * changed.size
    assert math.dist((xs.mean(), ys.mean()), foot) < 45


def with_work(work: CameraWork) -> FilmRenderer:
    return without(film(), work=work, glasses=[], persons=[])


def test_the_light_changes_by_the_factors_of_the_truth_and_settles() -> None:
    change = LightChange(1000, 100, (0.6, 0.7, 0.8), 400, (0.9, 0.95, 1.0))
    lit, dark = with_work(CameraWork()), with_work(CameraWork(lights=[change]))
    assert np.array_equal(lit.frame(19), dark.frame(19))
    index = math.ceil(1.1 * lit.fps)
    ratio = dark.frame(index).mean(axis=(0, 1)) / lit.frame(index).mean(axis=(0, 1))
    assert ratio == pytest.approx(change.factors, abs=0.03)
    assert change.gains(1e6) == pytest.approx(change.settled)


def test_autofocus_goes_out_of_focus_and_comes_back() -> None:
    hunt = FocusHunt(1000, 2000, 3.0, 2)
    sharp, hunting = with_work(CameraWork()), with_work(CameraWork(hunts=[hunt]))

    def detail(renderer: FilmRenderer, t_ms: float) -> float:
        picture = renderer.frame(round(t_ms * renderer.fps / 1000))
        return float(cv2.Laplacian(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.CV_32F).var())

    assert detail(hunting, 1250) < 0.5 * detail(sharp, 1250)
    assert detail(hunting, 1500) == pytest.approx(detail(sharp, 1500), rel=0.2)
    assert np.array_equal(hunting.frame(40), sharp.frame(40))
    assert hunt.at(1250) > hunt.at(1750) > 0 == hunt.at(1000) == hunt.at(2000)


def test_frames_are_lost_in_a_burst_and_no_others() -> None:
    renderer = with_work(CameraWork(losses=[LostFrames(1000, 1500), LostFrames(3000, 4000, 4)]))
    given = renderer.given()
    lost = set(range(renderer.frame_count)) - set(given)
    assert {index for index in lost if index < 40} == set(range(20, 30))
    assert {index for index in lost if index >= 40} == {index for index in range(60, 80) if index % 4}


def test_a_nudge_shifts_the_table_by_about_a_centimetre_and_the_truth_with_it() -> None:
    nudge = happenings(film().script, "nudge")[0]
    assert 7 <= math.hypot(*nudge.details["shift_mm"]) <= 13
    before, after = (film().camera_at(t) for t in (nudge.start_ms, nudge.end_ms))
    there = after.on_table(before.project(np.array([(0.0, 0.0, 0.0)])))[0]
    assert 4 < math.hypot(*there) < 22
    index = next(i for i in range(math.ceil(nudge.end_ms * film().fps / 1000), film().frame_count)
                 if sum(card.place == "table" and card.visible > 0.97 for card in film().truth(i)) >= 2
                 and not film().script.work.blur_mm(film().time_ms(i)))
    picture = film().frame(index)
    film().frame(math.floor(nudge.start_ms * film().fps / 1000) - 1)  # the truth must not hang on what was drawn last
    for card in film().truth(index):
        if card.place == "table" and card.visible > 0.97:
            lies = film().script.cards[card.code].track.at(film().time_ms(index))
            seen_from = card_corners_mm(lies, film().setting.layout.card_mm)
            assert card.quad == pytest.approx(after.project(seen_from))
            assert np.abs(card.quad - before.project(seen_from)).max() > 2
            corners = np.float32([(0, 0), (26, 0), (26, 44), (0, 44)]) - 0.5
            seen = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(np.float32(card.quad) - 0.5, corners),
                                       (26, 44))
            face = cv2.resize(decks.load_face("italian", card.code, 44)[..., :3], (26, 44))
            assert np.corrcoef(seen.astype(float).ravel(), face.astype(float).ravel())[0, 1] > 0.7


def test_a_nudged_camera_swings_and_stays_where_it_was_pushed() -> None:
    nudge = Nudge(1000, 1400, (9.0, -3.0), 0.01)
    work = CameraWork(nudges=[nudge])
    shares = [nudge.share(t) for t in range(1000, 1401, 10)]
    assert shares[0] == 0 and shares[-1] == 1 and max(shares) > 1.02
    assert work.standing(999) == (0, 0, 0) and work.standing(5000) == (9, -3, 0.01)
    camera = Setting.random(1, (480, 270), (50, 80)).camera
    assert moved_camera(camera, (0.0, 0.0, 0.0)) is camera
    moved = moved_camera(camera, (9.0, -3.0, 0.0))
    points = np.array([(0.0, 0.0, 0.0), (120.0, 50.0, 40.0)])
    assert moved.project(points + np.array([9.0, -3.0, 0.0])) == pytest.approx(camera.project(points))


def test_the_same_messy_frame_is_the_same_whatever_was_drawn_before() -> None:
    nudge = happenings(film().script, "nudge")[0]
    early, late = (round(t * film().fps / 1000) for t in (nudge.start_ms - 500, nudge.end_ms + 500))
    first = film().frame(early)
    film().frame(late)
    assert np.array_equal(film().frame(early), first)
