from __future__ import annotations

import numpy as np
import pytest

from vision.letterbox import PADDING_VALUE, Letterbox, rectangular_input, tiles_of

PICTURES = [(1080, 1920), (1920, 1080), (3000, 4000), (480, 640), (101, 977), (50, 60), (320, 320)]


@pytest.mark.parametrize("picture_hw", PICTURES)
@pytest.mark.parametrize("input_hw", [(320, 320), (256, 416), (640, 640)])
def test_every_side_keeps_its_margin_and_points_come_back(
    picture_hw: tuple[int, int], input_hw: tuple[int, int]
) -> None:
    box = Letterbox.fit(picture_hw, input_hw, 0.06)
    height, width = box.picture_hw
    assert box.left >= int(input_hw[1] * 0.06)
    assert box.top >= int(input_hw[0] * 0.06)
    assert box.left + width <= input_hw[1] * 0.94 + 1
    assert box.top + height <= input_hw[0] * 0.94 + 1
    points = np.array([[0, 0], [picture_hw[1], picture_hw[0]], [-30, 12.5]])
    np.testing.assert_allclose(box.to_picture(box.to_input(points)), points, atol=0.05)
    np.testing.assert_allclose(
        box.to_input(points[:2]), [[box.left, box.top], [box.left + width, box.top + height]]
    )
    assert box.scale_x == pytest.approx(box.scale_y, rel=0.06), "cards keep their form"


@pytest.mark.parametrize("picture_hw", PICTURES)
def test_the_picture_lies_where_its_points_are_said_to_be(picture_hw: tuple[int, int]) -> None:
    image = np.zeros((*picture_hw, 3), np.uint8)
    top, left = picture_hw[0] // 4, picture_hw[1] // 3
    image[top : top + picture_hw[0] // 2, left : left + picture_hw[1] // 2] = (10, 200, 250)
    box = Letterbox.fit(picture_hw, (320, 320))
    canvas = box.apply(image)
    assert canvas.shape == (320, 320, 3)
    assert (canvas[0, 0] == PADDING_VALUE).all()
    rows, columns = np.nonzero(canvas[..., 2] > 180)
    corners = np.array([[columns.min(), rows.min()], [columns.max() + 1, rows.max() + 1]])
    expected = box.to_input(
        np.array([[left, top], [left + picture_hw[1] // 2, top + picture_hw[0] // 2]], np.float64)
    )
    assert np.abs(corners - expected).max() <= 1.5


@pytest.mark.parametrize(
    ("picture_hw", "expected"),
    [((1080, 1920), (256, 416)), ((1920, 1080), (416, 256)), ((480, 640), (320, 416)), ((500, 500), (416, 416)),
     ((100, 4000), (96, 416)), ((1000, 1001), (416, 416))],
)  # fmt: skip
def test_wide_pictures_get_wide_inputs_at_the_scale_of_the_square(
    picture_hw: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert rectangular_input(picture_hw, 416) == expected
    wide = Letterbox.fit(picture_hw, expected)
    square = Letterbox.fit(picture_hw, (416, 416))
    assert wide.picture_hw == square.picture_hw


@pytest.mark.parametrize("picture_hw", [(3000, 4000), (4000, 3000), (1080, 1920), (1000, 1000), (600, 4000)])
def test_tiles_cover_the_picture_and_overlap(picture_hw: tuple[int, int]) -> None:
    tiles = tiles_of(picture_hw, 2, 300)
    covered = np.zeros(picture_hw, np.uint8)
    for tile in tiles:
        assert 0 <= tile.left < tile.right <= picture_hw[1]
        assert 0 <= tile.top < tile.bottom <= picture_hw[0]
        covered[tile.top : tile.bottom, tile.left : tile.right] += 1
    assert covered.min() == 1
    assert len(tiles) > 1
    # Whatever is no larger than the overlap lies whole in one of them.
    for x in range(0, picture_hw[1] - 290, 97):
        assert any(tile.left <= x and x + 290 <= tile.right for tile in tiles)
