"""From which side arms reach in, and where they have been."""

from __future__ import annotations

import numpy as np
import pytest

from rules.cards import ITALIAN_CODES
from tests.vision.tabletop.fakes import FakeTable, quad
from vision.tabletop import Tabletop
from vision.tabletop.arms import ArmMemory, arm_sight

SIZE = (1280, 720)


@pytest.mark.parametrize(
    ("x", "y", "box", "angle", "side_deg"),
    [
        (640, 620, (110, 260), 0.0, 270),  # from below, upright
        (640, 100, (110, 260), 0.0, 90),
        (1200, 360, (110, 260), np.pi / 2, 0),
        (60, 360, (110, 260), np.pi / 2, 180),
        (640, 690, (120, 60), 0.0, 270),  # finger tips only, wider than long
        (700, 560, (110, 420), 0.4, 258),  # aslant from below, a little from the left
    ],
)
def test_an_arm_comes_from_where_its_box_leaves_the_picture(
    x: float, y: float, box: tuple[float, float], angle: float, side_deg: float
) -> None:
    side = arm_sight(quad(x, y, angle, box), SIZE, 0).side_deg
    assert side is not None
    assert abs((side - side_deg + 180) % 360 - 180) < 8


def test_a_hand_in_the_middle_tells_no_side() -> None:
    assert arm_sight(quad(640, 360, size=(100, 200)), SIZE, 0).side_deg is None


def test_the_arm_that_was_at_a_place_is_found_by_time() -> None:
    memory, card = ArmMemory(), quad(640, 360)
    for t_ms in (1000, 1100, 1200):
        memory.see([quad(640, 560, size=(110, 330))], SIZE, t_ms)
    for t_ms in (4000, 4100, 4200):
        memory.see([quad(640, 160, size=(110, 330))], SIZE, t_ms)
    early = memory.who_was_at(card, 96, 1000, 1300)
    late = memory.who_was_at(card, 96, 3900, 4300)
    assert early is not None and late is not None
    assert early.side_deg == pytest.approx(270, abs=1) and early.weight > 0.8
    assert late.side_deg == pytest.approx(90, abs=1)
    assert memory.who_was_at(quad(200, 360), 96, 1000, 1300) is None
    assert memory.who_was_at(card, 96, 8000, 8100) is None


def test_arms_from_two_sides_at_once_say_nothing() -> None:
    memory = ArmMemory()
    memory.see([quad(640, 560, size=(110, 330)), quad(640, 160, size=(110, 330))], SIZE, 1000)
    assert memory.who_was_at(quad(640, 360), 96, 900, 1100) is None


def test_a_look_says_from_where_cards_were_laid_and_taken() -> None:
    table = FakeTable(Tabletop(ITALIAN_CODES), tremble_px=0.5)
    table.put("7d", 500, 130)
    table.put("3c", 700, 300)
    table.run(1000)
    table.put("5s", 600, 655)
    table.carry("5s", 600, 560, 600)  # from the near side
    (laid,) = table.run(1000)
    (reach,) = [reach for reach in laid.reached if reach.moment == "laid"]
    assert reach.side_deg == pytest.approx(270, abs=15)
    assert reach.track == max(card.track for card in laid.cards)
    table.hands = [(500, 100)]  # from the far side
    table.run(400)
    table.take("7d")
    table.run(200)
    table.hands = []
    taken = [reach for look in table.run(1500) for reach in look.reached if reach.moment == "taken"]
    assert [reach.track for reach in taken] == [min(card.track for card in laid.cards)]
    assert taken[0].side_deg == pytest.approx(90, abs=15)
