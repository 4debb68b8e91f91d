"""Frames of films: cards are where the truth says, and the same seed gives the same pixels."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from datasets import decks
from datasets.film.arm import Arm, Look
from datasets.film.camera import TableCamera, card_corners_mm
from datasets.film.faces import BACK, PAD_PX, FaceSource, sprite_corners
from datasets.film.hands import random_hand
from datasets.film.motion import Pose
from datasets.film.render import CardTruth, FilmRenderer
from datasets.film.setting import Setting
from datasets.film.write import prepare

SIZE = (480, 270)


@cache
def renderer(seed: int = 3, tilt: float = 25.0) -> FilmRenderer:
    faces, script, setting = prepare(random_hand(seed), seed=seed, style="calm", size=SIZE, deck="italian",
                                     table="felt", tilt_degrees=tilt)
    quiet = replace(setting, noise=1.0, focus_px=0.0, light=np.ones_like(setting.light))
    return FilmRenderer(script, quiet, faces, 10)


def index_after(film: FilmRenderer, t_ms: float) -> int:
    return math.ceil(t_ms * film.fps / 1000) + 1


def cut_out(picture: np.ndarray, quad: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    corners = np.float32([(0, 0), (size[0], 0), (size[0], size[1]), (0, size[1])]) - 0.5
    return cv2.warpPerspective(picture, cv2.getPerspectiveTransform(np.float32(quad) - 0.5, corners), size)


def likeness(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a.astype(float).ravel(), b.astype(float).ravel())[0, 1])


def seen_cards(film: FilmRenderer, index: int) -> list[CardTruth]:
    return [card for card in film.truth(index) if card.place == "table" and card.visible > 0.97]


@pytest.mark.parametrize("tilt", [0.0, 25.0])
def test_a_face_is_where_the_truth_says(tilt: float) -> None:
    film = renderer(3, tilt)
    index = index_after(film, film.script.events[1]["t_ms"] + 900)
    picture = film.frame(index)
    cards = seen_cards(film, index)
    assert len(cards) >= 3
    for card in cards:
        seen = cut_out(picture, card.quad, (26, 44))
        likes = {}
        for code in decks.DECKS["italian"]:
            face = decks.load_face("italian", code, 44)[..., :3]
            likes[code] = likeness(seen, cv2.resize(face, (26, 44)))
        assert max(likes, key=likes.__getitem__) == card.code
        assert likes[card.code] > 0.8


def test_a_quad_that_is_shifted_fits_worse() -> None:
    film = renderer()
    index = index_after(film, film.script.events[1]["t_ms"] + 900)
    picture = film.frame(index)
    for card in seen_cards(film, index):
        face = cv2.resize(decks.load_face("italian", card.code, 44)[..., :3], (26, 44))
        here = likeness(cut_out(picture, card.quad, (26, 44)), face)
        assert all(here > likeness(cut_out(picture, card.quad + shift, (26, 44)), face)
                   for shift in ((2, 0), (-2, 0), (0, 2), (0, -2)))


def test_the_same_frame_is_the_same_whatever_was_drawn_before() -> None:
    film = renderer()
    faces, script, setting = prepare(random_hand(3), seed=3, style="calm", size=SIZE, deck="italian", table="felt",
                                     tilt_degrees=25.0)
    quiet = replace(setting, noise=1.0, focus_px=0.0, light=np.ones_like(setting.light))
    again = FilmRenderer(script, quiet, faces, 10)
    index = index_after(film, film.script.events[4]["t_ms"])
    film.frame(20)
    assert np.array_equal(film.frame(index), again.frame(index))
    assert not np.array_equal(film.frame(index), film.frame(index + 1))


def test_a_hand_over_a_card_hides_a_part_of_it() -> None:
    film = renderer()
    play = next(event for event in film.script.events if event["type"] == "play" and not event["takes"])
    index = math.floor(play["t_ms"] * film.fps / 1000)
    laid = next(card for card in film.truth(index) if card.code == play["card"])
    assert 0.05 < laid.visible < 0.95
    later = next(card for card in film.truth(index_after(film, play["t_ms"] + 1500)) if card.code == play["card"])
    assert later.visible > laid.visible


def test_every_card_that_is_not_in_a_players_hand_is_in_the_truth() -> None:
    film = renderer()
    for index in range(0, film.frame_count, 97):
        t_ms = film.time_ms(index)
        truth = film.truth(index)
        held = film.script.codes_at("held", t_ms)
        assert len(truth) + len(held) == 40
        assert {card.code for card in truth} | set(held) == set(film.script.cards)
        for card in truth:
            assert card.quad.shape == (4, 2)
            if card.place in ("deck", "border"):
                assert not card.face_up
            if card.place == "table":
                assert card.face_up


def test_arms_come_in_only_while_they_work() -> None:
    film = renderer()
    still = film.frame(1)
    play = film.script.events[2]
    busy = film.frame(math.floor(play["t_ms"] * film.fps / 1000))
    assert np.abs(busy.astype(int) - still).max(axis=2).mean() > np.abs(film.frame(2).astype(int) - still).mean() + 1


@pytest.mark.parametrize("tilt", [0.0, 20.0, 38.0])
@pytest.mark.parametrize("size", [(160, 120), (640, 480), (1920, 1080), (360, 640)])
def test_the_camera_fits_the_table_into_its_picture(size: tuple[int, int], tilt: float) -> None:
    half = (430.0, 240.0)
    camera = TableCamera.over(size, half, tilt=math.radians(tilt), azimuth=0.2)
    seen = camera.project(np.array([(x, y, 0.0) for x in (-half[0], half[0]) for y in (-half[1], half[1])]))
    assert seen.min() > 0 and (seen < size).all()
    spread = np.ptp(seen, axis=0) / size
    assert spread.max() == pytest.approx(0.97, abs=0.02)
    assert camera.on_table(seen) == pytest.approx(
        np.array([(x, y) for x in (-half[0], half[0]) for y in (-half[1], half[1])]), abs=0.01)


def test_the_near_side_is_below_and_the_right_is_right() -> None:
    camera = TableCamera.over((640, 360), (430, 240), tilt=0.3)
    near, far, left, right = camera.project(np.array([(0, -100, 0), (0, 100, 0), (-100, 0, 0), (100, 0, 0.0)]))
    assert near[1] > far[1] and left[0] < right[0]
    assert np.hypot(*(near - camera.project(np.array([(0, -90, 0.0)]))[0])) > np.hypot(
        *(far - camera.project(np.array([(0, 90, 0.0)]))[0]))


def test_a_back_is_seen_from_its_own_upper_left() -> None:
    up = card_corners_mm(Pose(0, 0), (50, 80))
    down = card_corners_mm(Pose(0, 0, roll=math.pi), (50, 80))
    assert up == pytest.approx(down)
    half_way = card_corners_mm(Pose(0, 0, 30, roll=math.pi / 2), (50, 80))
    assert np.ptp(half_way[:, 0]) == pytest.approx(0, abs=1e-9)
    assert np.ptp(half_way[:, 2]) == pytest.approx(50)


def test_sprites_have_a_transparent_border_and_the_right_size() -> None:
    faces = FaceSource("italian")
    for code in ("7d", BACK):
        sprite = faces.sprite(code, 90)
        assert 75 < sprite.shape[0] - 2 * PAD_PX < 110
        assert not sprite[:PAD_PX].any() and not sprite[:, -PAD_PX:].any()
        assert (sprite[..., :3] <= sprite[..., 3:]).all()
        corners = sprite_corners(sprite)
        assert corners[2, 1] - corners[0, 1] == sprite.shape[0] - 2 * PAD_PX


@pytest.mark.parametrize(("deck", "said"), [("nowhere", "no deck 'nowhere'"), ("tests", "lacks pictures of")])
def test_a_deck_that_cannot_be_used_is_said(deck: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        FaceSource(deck)


@pytest.mark.parametrize("size", [(641, 360), (100, 80)])
def test_a_size_that_cannot_be_filmed_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="must be even"):
        Setting.random(1, size, (50, 80))


def test_a_frame_rate_out_of_range_is_refused() -> None:
    film = renderer()
    with pytest.raises(ValueError, match="10 to 60"):
        FilmRenderer(film.script, film.setting, film.faces, 5)


def test_arms_have_skin_before_the_cuff_and_cloth_behind_it() -> None:
    look = Look((140, 168, 222), (200, 60, 20), "plain", 200.0, 1.0, 1)
    sprite = Arm(look, 400, 0.8).sprite(0.0)
    middle = sprite.picture.shape[1] // 2
    rows = [round((45 + behind) * 0.8) for behind in (100, 300)]
    skin, cloth = (sprite.picture[row, middle] for row in rows)
    assert skin[2] > skin[0] and skin[3] == 255
    assert cloth[0] > cloth[2] and cloth[3] == 255
    assert not sprite.picture[0].any()


def test_a_flat_hand_is_wider_than_a_pinching_one() -> None:
    arm = Arm(Look((140, 168, 222), None, "plain", 200.0, 1.0, 1), 300, 0.8)
    rows = slice(0, round(90 * 0.8))  # the fingers
    pinching, flat = (np.ptp(np.flatnonzero((arm.sprite(grip).picture[rows, :, 3] > 128).any(axis=0)))
                      for grip in (0.0, 1.0))
    assert flat > 1.3 * pinching
