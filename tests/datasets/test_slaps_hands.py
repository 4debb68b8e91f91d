"""Hands that slap: one piece from finger tips to sleeve, two to a person, and nobody in both splits."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.film.arm import Look, arm_of_hand, arm_shape, wrist_px
from datasets.render.assets import person_of, shared_folder, split_files
from datasets.slaps.hands import HandPicture, Persons

PX_PER_MM = 0.7

needs_photographs = pytest.mark.skipif(shared_folder() is None, reason="photographed hands are not here")


def alpha_at(hand: HandPicture, x_mm: float, y_mm: float) -> int:
    left, top = hand.corners_mm[0]
    return int(hand.picture[round((top - y_mm) * PX_PER_MM), round((x_mm - left) * PX_PER_MM), 3])


def check_hand(hand: HandPicture) -> None:
    """The palm is where it is said to be, the arm goes on from it without a gap, and nothing is before the tips."""
    assert alpha_at(hand, 0, 0) > 240
    for y in np.arange(0, hand.corners_mm[2, 1] + 5, -4.0):
        assert max(alpha_at(hand, x, float(y)) for x in range(-30, 31, 2)) > 200
    assert 60 < hand.reach_mm < 135
    assert -95 < hand.wrist_mm < -30
    rows = np.flatnonzero(hand.picture[..., 3].max(axis=1) > 127)
    assert hand.corners_mm[0, 1] - rows[0] / PX_PER_MM == pytest.approx(hand.reach_mm, abs=9)
    # All that is drawn lies within the shapes that are drawn.
    spots = np.argwhere(hand.picture[..., 3] > 0)[:, ::-1] / PX_PER_MM
    local = np.stack([hand.corners_mm[0, 0] + spots[:, 0], hand.corners_mm[0, 1] - spots[:, 1]], axis=1)
    inside = np.zeros(len(local), bool)
    for shape in hand.shapes_mm:
        low, high = shape.min(axis=0), shape.max(axis=0)
        inside |= ((local >= low) & (local <= high)).all(axis=1)
    assert inside.all()


def check_pair(pair: dict[str, HandPicture]) -> None:
    left, right = pair["left"], pair["right"]
    assert np.array_equal(left.picture, right.picture[:, ::-1])
    assert left.corners_mm[0, 0] == pytest.approx(-right.corners_mm[1, 0])
    check_hand(left)
    check_hand(right)


def test_drawn_people_have_two_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARBITRO_SHARED", "/nowhere")
    people = Persons("train").draw(np.random.default_rng(3), (0, 4), 420.0, PX_PER_MM)
    assert set(people) == {0, 4}
    for pair in people.values():
        check_pair(pair)


@needs_photographs
@pytest.mark.parametrize("split", ["train", "test"])
def test_photographed_people_have_two_hands(split: str) -> None:
    people = Persons(split).draw(np.random.default_rng(5), range(5), 420.0, PX_PER_MM)
    for pair in people.values():
        check_pair(pair)


@needs_photographs
def test_nobodys_hands_are_in_both_splits() -> None:
    shared = shared_folder()
    assert shared is not None
    hands = shared / "textures" / "hands"
    train, test = ({person_of(path) for path in split_files(hands, split, key=person_of)} for split in
                   ("train", "test"))
    assert train
    assert test
    assert not train & test


def test_a_sleeve_hides_the_arm_behind_the_cuff_and_not_the_hand() -> None:
    rows, columns = arm_shape(420.0, PX_PER_MM)
    hand = np.zeros((rows, columns, 4), np.uint8)
    x, y = (round(v) for v in wrist_px(1.0, PX_PER_MM))
    hand[30:y, x - 15: x + 15] = (10, 240, 10, 255)
    bare, dressed = (arm_of_hand(Look((90, 120, 180), sleeve, "plain", 165.0, 1.0, 4), hand, PX_PER_MM)
                     for sleeve in (None, (200, 40, 40)))
    palm, forearm = (y - 30, x), (y + 60, x)
    assert np.abs(bare[palm].astype(int) - (10, 240, 10, 255)).max() <= 12
    assert np.abs(dressed[palm].astype(int) - bare[palm]).max() <= 12
    assert bare[forearm][2] > bare[forearm][0]
    assert dressed[forearm][0] > dressed[forearm][2]
    assert bare[forearm][3] == dressed[forearm][3] == 255
