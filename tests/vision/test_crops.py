"""Straightened cards: what of the picture lies where in a crop, and painting over what others cover."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.builders import painted_table, quad
from vision.crops import CROP_MARGIN, CROP_SIZE, GREY, in_crop, painted_over, straighten


@pytest.mark.parametrize("degrees", [0, 33, 190])
def test_points_of_the_picture_lie_in_the_crop_where_straighten_puts_them(degrees: float) -> None:
    card = quad(150, 150, 80, 128, degrees)
    spot = card.mean(axis=0) + (card[0] - card.mean(axis=0)) * 0.5
    image = painted_table((300, 300), [(quad(*spot, 8, 8), (0, 0, 255))])
    (crop,) = straighten(image, card[None])
    rows, columns = np.nonzero(crop[..., 2].astype(int) - crop[..., 1] > 60)
    (x, y) = in_crop(card, spot[None])[0]
    assert (columns.mean() + 0.5, rows.mean() + 0.5) == pytest.approx((x, y), abs=1.0)


def test_a_cards_own_corners_lie_within_the_margin() -> None:
    card = quad(150, 150, 80, 128, 20)
    height, width = CROP_SIZE
    corners = in_crop(card, card)
    np.testing.assert_allclose(corners[2] - corners[0], np.array([width, height]) / (1 + 2 * CROP_MARGIN), atol=1e-3)
    np.testing.assert_allclose(corners.mean(axis=0), [width / 2, height / 2], atol=1e-3)


def test_what_another_card_covers_is_grey_and_the_rest_as_it_was() -> None:
    crop = np.random.default_rng(1).integers(0, 256, (*CROP_SIZE, 3), dtype=np.uint8)
    before = crop.copy()
    painted = painted_over(crop, [np.array([[-20, 64], [100, 64], [100, 200], [-20, 200]], np.float32)])
    assert (painted[64:] == GREY).all() and (painted[:64] == before[:64]).all()
    np.testing.assert_array_equal(crop, before)
