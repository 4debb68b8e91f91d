"""Slaps beside a running session: what goes on the record, and what is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arbitro.journal import Journal
from arbitro.match import Match
from arbitro.referee import Referee
from arbitro.slaproom import SlapRoom, for_record
from arbitro.table import CommandError, LiveTable
from arbitro.topcard import TopReader
from tests.arbitro.test_referee import NO_LOOK, SEATS, dispute, hand, tops
from tests.arbitro.test_topcard import chances
from tests.vision.hands.painted import PILE, PaintedArm, frames
from vision.hands.seats import Seats

PLAYERS = ("Anna", "Bruno", "Carla")


class JackReader(TopReader):
    """Sees the pile where it was painted, with a jack on it."""

    def __init__(self) -> None:
        super().__init__(None, None)

    def piles(self, images: Any, count: int = 1) -> list[tuple[float, float]]:
        return [PILE]

    def read(self, images: Any, near: Any, within_px: float, changed: Any) -> Any:
        return chances({"JS": 0.97})


@pytest.fixture
def live(tmp_path: Path) -> Any:
    with Journal(tmp_path / "j.sqlite") as journal:
        table = LiveTable(journal)
        table.begin(Match("slapjack", PLAYERS), source="test", live=True)
        yield table


def test_a_slap_on_camera_becomes_events_a_strip_and_a_clip(live: LiveTable, tmp_path: Path) -> None:
    def make(record: list[dict[str, Any]]) -> Referee:
        return Referee("slapjack", Seats((270.0, 0.0, 180.0)), JackReader(), before=record)

    told: list[str] = []
    room = SlapRoom(live, make, tmp_path / "slaps", told.append, patient=True)
    for frame in frames([PaintedArm(0, 700, 1150, beyond_px=-12), PaintedArm(180, 800, 1200, beyond_px=-12)]):
        room.hear(frame)
    room.close(timeout_s=120)
    assert [event["type"] for event in live.events()] == ["match", "flip", "slap", "slap"]
    assert [slap["verdict"] for slap in live.score()["slaps"]] == ["wins", "late"]
    (slap,) = room.state()["slaps"]
    assert (slap["verdict"], slap["top_card"], slap["event"]) == ("player 1", "JS", 3)
    assert slap["files"] == ["clip", "slow", "strip"]
    assert all((path := room.file(1, name)) is not None and path.stat().st_size > 500 for name in slap["files"])
    assert len(slap["frames"]) > 8 and room.picture(1, 0) and room.picture(1, 999) is None
    assert not slap["open"]
    room.decide(1, 2)
    assert [told["decided"] for told in live.score()["slaps"]] == [True, True]
    with pytest.raises(KeyError):
        room.decide(2, 0)
    with pytest.raises(CommandError):
        room.decide(1, 7)
    again = SlapRoom(live, make, tmp_path / "slaps", told.append, goes_on=True)
    again.close()
    shown = room.state()
    assert again.state() == shown and shown["slaps"][0]["decided"] == 2
    assert again.picture(1, 0) == room.picture(1, 0) and again.file(1, "strip") == room.file(1, "strip")
    new = SlapRoom(live, make, tmp_path / "slaps", told.append)
    new.close()
    assert new.state()["slaps"] == []


def settled(*arguments: Any, **more: Any) -> Any:
    referee = Referee("slapjack", SEATS, None)
    return referee.settle(NO_LOOK, dispute(*arguments, **more), tops("JH")), len(referee.before) + 1


def test_what_the_referee_decides_goes_on_the_record_as_it_is() -> None:
    case, begun = settled(hand(2, 1000), hand(0, 1060))
    assert for_record(case, begun) == [
        {"type": "slap", "player": 2, "t_ms": 1000, "error_ms": 10.0, "under": []},
        {"type": "slap", "player": 0, "t_ms": 1060, "error_ms": 10.0, "under": []},
    ]


def test_a_hand_that_may_have_touched_keeps_the_record_open() -> None:
    case, begun = settled(hand(2, 1000), hand(0, 1060), hovers=(hand(1, 990),))
    events = for_record(case, begun)
    assert [(event["player"], event["t_ms"]) for event in events] == [(2, None), (0, None), (1, None)]


def test_a_hand_that_is_nobodys_keeps_the_dispute_off_the_record() -> None:
    case, begun = settled(hand(None, 1000), hand(0, 1060))
    assert for_record(case, begun) == []


def test_games_without_slaps_need_no_room(tmp_path: Path) -> None:
    from arbitro.slaproom import needs_slap_room

    needs: Callable[[dict[str, Any]], bool] = needs_slap_room
    assert needs({"game": "spit"}) and not needs({"game": "scopa"})
