"""The renderer: its pictures show what its labels say, and the same seed gives the same picture."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from datasets.render import dataset
from datasets.render.assets import (
    HELD_OUT_DECKS,
    Assets,
    _art_decks,
    load_assets,
    person_of,
    shared_folder,
    split_files,
)
from datasets.render.layout import place_cards
from datasets.render.lens import motion_kernel
from datasets.render.projection import Pose
from datasets.render.scene import render
from datasets.render.surfaces import KINDS, surface
from vision.crops import straighten


@pytest.fixture(scope="module")
def assets() -> Assets:
    return load_assets("test", seed=5, decks="own", procedural=6)


def clockwise(quad: np.ndarray) -> bool:
    """Whether corners go clockwise as seen (y points down)."""
    (ax, ay), (bx, by) = quad[1] - quad[0], quad[2] - quad[1]
    return bool(ax * by > ay * bx)


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    a, b = (cv2.GaussianBlur(x, (0, 0), 2).astype(np.float64).ravel() for x in (a, b))
    return float(np.corrcoef(a, b)[0, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_surface_fills_its_size_and_depends_on_the_seed_alone(kind: str) -> None:
    first, again = (surface(np.random.default_rng(3), kind, (90, 140)) for _ in range(2))
    other = surface(np.random.default_rng(4), kind, (90, 140))
    assert first.shape == (90, 140, 3) and first.dtype == np.uint8
    assert (first == again).all()
    assert (first != other).any()


def test_an_unknown_surface_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="velvet"):
        surface(np.random.default_rng(1), "velvet")


@pytest.mark.parametrize("tilt, azimuth, roll", [(0, 0, 0), (30, 75, 10), (55, 200, 300)])
def test_unprojecting_undoes_projecting(tilt: float, azimuth: float, roll: float) -> None:
    pose = Pose.looking((640, 480), 1.2, tilt, azimuth, roll, 60)
    points = np.array([[0, 0], [50, -30], [-80, 60]], np.float64)
    assert np.allclose(pose.unproject(pose.project(points)), points, atol=1e-2)
    assert np.allclose(pose.project(np.zeros((1, 2))), [[320, 240]], atol=1e-3)


def test_the_scale_at_the_middle_is_the_one_asked_for() -> None:
    pose = Pose.looking((640, 480), 1.5, 0, 30, 0, 60)
    a, b = pose.project(np.array([[0.0, 0.0], [10.0, 0.0]]))
    assert np.linalg.norm(a - b) == pytest.approx(15, abs=0.1)


@pytest.mark.parametrize("seed", range(6))
def test_placed_cards_are_as_many_as_asked_and_not_mirrored(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pose = Pose.looking((640, 480), 1.0, 20, 40, 70, 60)
    places = place_cards(rng, pose, 9, 55, 88)
    assert len(places) == 9
    for place in places:
        quad = pose.project(place.corners_mm(55, 88), place.z_mm)
        assert clockwise(quad)


def test_same_seed_same_picture(assets: Assets) -> None:
    first, again = (render(np.random.default_rng([7, 1]), assets) for _ in range(2))
    assert (first.image == again.image).all()
    assert [c.code for c in first.cards] == [c.code for c in again.cards]
    assert (render(np.random.default_rng([7, 2]), assets).image.shape != first.image.shape) or (
        render(np.random.default_rng([7, 2]), assets).image != first.image
    ).any()


def test_a_card_lies_where_its_label_says_the_right_way_round(assets: Assets) -> None:
    """Straightened by its label, an uncovered card looks like its face, and not like the mirrored face."""
    better, seen = 0, 0
    for index in range(45):
        rendering = render(np.random.default_rng([11, index]), assets, 0.1)
        for card in rendering.cards:
            height = np.linalg.norm(card.quad_px[0] - card.quad_px[3])
            if card.code is None or card.visible < 0.97 or height < 90:
                continue
            face = next(d for d in assets.decks if d.name == card.deck).faces[card.code]
            upright = cv2.resize(face, (80, 128), interpolation=cv2.INTER_AREA)
            crop = straighten(rendering.image, card.quad_px[None], margin=0.0)[0]
            seen += 1
            alike = correlation(crop, upright)
            better += alike > 0.6 and alike >= correlation(crop, upright[:, ::-1]) - 0.02
    assert seen >= 20
    assert better >= 0.9 * seen


def test_the_visible_share_falls_for_covered_cards_and_labels_keep_the_whole_card(assets: Assets) -> None:
    shares = []
    for index in range(30):
        for card in render(np.random.default_rng([13, index]), assets, 0.5).cards:
            assert 0 <= card.visible <= 1
            assert card.quad_px.shape == (4, 2)
            shares.append(card.visible)
    assert min(shares) < 0.3 and max(shares) > 0.97


def test_hands_have_outlines_within_the_picture(assets: Assets) -> None:
    hands = 0
    for index in range(30):
        rendering = render(np.random.default_rng([17, index]), assets, 1.0)
        height, width = rendering.image.shape[:2]
        for hand in rendering.hands:
            hands += 1
            assert len(hand.outline_px) >= 3
            assert (hand.outline_px >= 0).all() and (hand.outline_px <= [width, height]).all()
    assert hands > 5


def test_a_hand_that_hardly_reaches_into_the_picture(assets: Assets) -> None:
    """A hand of which no fourth pixel was inside once stopped a whole run."""
    for index in range(60):
        render(np.random.default_rng([1, index]), assets, 1.0)


def test_motion_smears_keep_the_light() -> None:
    for length, angle in ((1.5, 0.0), (7.3, 0.6), (12.0, 2.9)):
        kernel = motion_kernel(length, angle)
        assert kernel.sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("turn", [0, 30, 90, 200])
def test_upright_box_starts_with_a_short_side_and_goes_clockwise(turn: float) -> None:
    corners = cv2.boxPoints(((100, 80), (50, 90), turn))
    box = dataset.upright_box(corners)
    assert np.linalg.norm(box[1] - box[0]) == pytest.approx(50, abs=0.1)
    assert clockwise(box)


def test_a_written_data_set_is_what_ultralytics_and_the_classifier_read(tmp_path, assets: Assets) -> None:
    made = dataset.write_shard(tmp_path, "train", 0, range(6), 3, assets, 0.2, 1.0)
    dataset.write_description(tmp_path)
    pictures = sorted((tmp_path / "images/train").glob("*.jpg"))
    assert len(pictures) == 6
    boxes = 0
    for picture in pictures:
        assert cv2.imread(str(picture)).shape == (dataset.CANVAS_PX, dataset.CANVAS_PX, 3)
        for line in (tmp_path / "labels/train" / f"{picture.stem}.txt").read_text().splitlines():
            class_id, *points = line.split()
            assert int(class_id) in range(len(dataset.CLASSES))
            values = np.array(points, float)
            assert values.shape == (8,) and (values >= 0).all() and (values <= 1).all()
            boxes += 1
    assert boxes
    crops = np.load(tmp_path / "crops/train-0000.npy")
    faces = json.loads((tmp_path / "crops/train-0000.json").read_text())["faces"]
    assert len(crops) == len(faces) == made
    assert crops.shape[1:] == (*dataset.STORED_CROP, 3)
    assert all(0 <= face < len(dataset.FACES) for face in faces)
    truths = (tmp_path / "truth/train-0000.jsonl").read_text().splitlines()
    assert [json.loads(line)["picture"] for line in truths] == list(range(6))
    # A finished shard is kept, not made again.
    before = (tmp_path / "crops/train-0000.npy").stat().st_mtime_ns
    assert dataset.write_shard(tmp_path, "train", 0, range(6), 3, assets, 0.2, 1.0) == made
    assert (tmp_path / "crops/train-0000.npy").stat().st_mtime_ns == before


def test_the_margin_lets_boxes_reach_beyond_the_picture(assets: Assets) -> None:
    for index in range(40):
        made = dataset.sample(index, 9, assets, 0.6)
        scale, offset = made.truth["canvas"]["scale"], np.array(made.truth["canvas"]["offset"])
        width, height = made.truth["size"]
        assert offset.min() >= 0.05 * dataset.CANVAS_PX - 1
        for _, quad in made.boxes:
            inside = (quad - offset) / scale
            if (inside < -2).any() or (inside > np.array([width, height]) + 2).any():
                return
    pytest.fail("no box reaches beyond its picture")


@pytest.mark.shared
def test_held_out_printings_tables_and_hands_are_kept_out_of_training() -> None:
    shared = shared_folder()
    if shared is None:
        pytest.skip("the shared folder with real decks is not here")
    trained = {deck.name for deck in _art_decks(shared / "art", "seen")}
    assert not trained & set(HELD_OUT_DECKS)
    assert {deck.name for deck in _art_decks(shared / "art", "held-out")} == set(HELD_OUT_DECKS)
    hands = shared / "textures" / "hands"
    train = {person_of(p) for p in split_files(hands, "train", key=person_of)}
    test = {person_of(p) for p in split_files(hands, "test", key=person_of)}
    assert train and test and not train & test
