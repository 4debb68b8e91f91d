"""The tracker on made-up looks: each thing that happens at a card table, by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from rules.tracker import LookError, Reach, SeenCard, TableLook, Tracker, UnknownGameError
from tests.rules.tracker.simulated import fold, plays_of

MATCH = {
    "type": "match",
    "format": 1,
    "game": "scopa",
    "players": ["Anna", "Bruno"],
    "dealer": 0,
    "options": {},
}
OPENING = ("4d", "3c", "7b", "Rs")


class Scene:
    """Tell a tracker a story, look by look, two seconds apart."""

    def __init__(self, opening: tuple[str, ...] = OPENING, match: Mapping[str, Any] = MATCH) -> None:
        self.tracker = Tracker(match)
        self.events: list[dict[str, Any]] = []
        self.lying: dict[str, SeenCard] = {}
        self.t_ms = 0
        self.next_track = 1
        if opening:
            self.look(*(f"+{code}" for code in opening))

    def look(
        self,
        *changes: str,
        passed: tuple[str, ...] = (),
        side: float | None = None,
        **read: Mapping[str, float],
    ) -> list[dict[str, Any]]:
        """Change the table (`+7d` comes, `-7d` leaves, `=7d` keeps lying under another number) and look at it.

        `side` is the direction from which an arm was seen to do it all; `read` gives readings that are not plain: name
        of the card, then its probabilities.
        """
        self.t_ms += 2000
        gone = tuple(self._card(code, read.get("c" + code)) for code in passed)
        reached = [(card.track, moment) for card in gone for moment in ("laid", "taken")]
        for change in changes:
            sign, code = change[0], change[1:]
            if sign == "-":
                reached.append((self.lying.pop(code).track, "taken"))
            else:
                self.lying[code] = self._card(code, read.get("c" + code))
                reached.append((self.lying[code].track, "laid"))
        for name, probabilities in read.items():
            code = name[1:]
            if code in self.lying:
                self.lying[code] = SeenCard(self.lying[code].track, probabilities)
        arms = () if side is None else tuple(Reach(track, moment, side, 0.85) for track, moment in reached)
        new = self.tracker.look(TableLook(self.t_ms, tuple(self.lying.values()), gone, arms))
        self.events += new
        return new

    def wait(self, ms: int) -> list[dict[str, Any]]:
        """Let time pass."""
        self.t_ms += ms
        new = self.tracker.tick(self.t_ms)
        self.events += new
        return new

    def command(self, **event: Any) -> list[dict[str, Any]]:
        """Tell the tracker what the people say."""
        self.events.append(event)
        new = self.tracker.command(event)
        self.events += new
        return new

    def plays(self) -> list[tuple[int, str | None, list[str]]]:
        """Give the plays of the first hand as the record has them after all corrections."""
        return plays_of(fold(self.events)[0])

    def _card(self, code: str, probabilities: Mapping[str, float] | None) -> SeenCard:
        self.next_track += 1
        return SeenCard(self.next_track, {code: 0.995} if probabilities is None else probabilities)


def test_the_opening_table_may_come_card_by_card() -> None:
    scene = Scene(())
    assert scene.look("+4d", "+3c") == []
    assert scene.look("+7b") == []
    events = scene.look("+Rs")
    assert [event["type"] for event in events] == ["deal"]
    assert events[0]["table"] == ["4d", "3c", "7b", "Rs"]


def test_a_card_of_the_deal_that_is_straightened_is_one_card() -> None:
    scene = Scene(())
    scene.look("+4d", "+3c", "+7b")
    scene.look("-3c")
    assert scene.look("+3c") == []
    events = scene.look("+Rs")
    assert sorted(events[0]["table"]) == sorted(OPENING)


def test_a_card_that_takes_nothing_is_told_at_once() -> None:
    scene = Scene()
    events = scene.look("+1d")
    assert [(e["type"], e["player"], e["card"], e["takes"]) for e in events] == [("play", 1, "1d", [])]
    assert events[0]["confidence"] > 0.95 and events[0]["t_ms"] == scene.t_ms


def test_a_card_laid_beside_what_it_takes_is_one_play() -> None:
    scene = Scene()
    assert scene.look("+7s") == []
    scene.look("-7s", "-7b")
    assert scene.plays() == [(1, "7s", ["7b"])]
    assert [event["type"] for event in scene.events] == ["deal", "play"]


def test_cards_that_leave_one_after_the_other_are_one_capture() -> None:
    scene = Scene(("4d", "3c", "Rb", "Rs"))
    scene.look("+7s")
    scene.look("-4d")
    scene.look("-3c", "-7s")
    assert scene.plays() == [(1, "7s", ["3c", "4d"])]


def test_a_card_that_had_to_take_is_ruled_when_it_stays() -> None:
    scene = Scene()
    assert scene.look("+7s") == []
    assert scene.wait(1000) == []
    assert [(e["card"], e["takes"]) for e in scene.wait(2000)] == [("7s", [])]


def test_a_late_capture_corrects_what_was_told() -> None:
    scene = Scene()
    scene.look("+7s")
    scene.wait(3000)
    events = scene.look("-7s", "-7b")
    assert [event["type"] for event in events] == ["correct"]
    assert scene.plays() == [(1, "7s", ["7b"])]


def test_the_next_players_card_settles_a_lay_that_broke_the_rules() -> None:
    scene = Scene()
    scene.look("+7s")
    scene.look("+1d")
    assert scene.plays() == [(1, "7s", []), (0, "1d", [])]


def test_a_card_seen_in_passing_takes() -> None:
    scene = Scene()
    scene.look("-7b", passed=("7s",))
    assert scene.plays() == [(1, "7s", ["7b"])]


def test_a_capture_by_a_card_nobody_saw_has_candidates() -> None:
    scene = Scene()
    events = scene.look("-7b")
    assert [(e["type"], e["card"], e["takes"]) for e in events] == [("play", None, ["7b"])]
    assert {candidate["card"] for candidate in events[0]["candidates"]} >= {"7d", "7c", "7s"}


def test_a_card_nobody_saw_is_found_out_when_the_others_have_been_seen() -> None:
    scene = Scene(("4d", "2c", "7b", "Rs"))
    scene.look("-7b")
    scene.look("+7d")
    scene.look("-7d", passed=("7c",))
    assert scene.plays() == [(1, "7s", ["7b"]), (0, "7d", []), (1, "7c", ["7d"])]


def test_a_sweep_and_the_card_laid_after_it() -> None:
    scene = Scene(("4d", "3c", "1b", "2b"))
    scene.look("-4d", "-3c", "-1b", "-2b", passed=("Rs",))
    scene.look("+5d")
    assert scene.plays() == [(1, "Rs", ["1b", "2b", "3c", "4d"]), (0, "5d", [])]


def test_the_marker_of_a_sweep_is_no_play() -> None:
    scene = Scene(("4d", "3c", "1b", "2b"))
    scene.look("-4d", "-3c", "-1b", "-2b", "+Rs")
    scene.look("+5d")
    scene.look("+6c")
    assert scene.plays() == [(1, "Rs", ["1b", "2b", "3c", "4d"]), (0, "5d", []), (1, "6c", [])]


def test_a_marker_that_shows_after_the_sweep_names_the_card_that_swept() -> None:
    scene = Scene(("4d", "3c", "1b", "2b"))
    scene.look("-4d", "-3c", "-1b", "-2b")
    scene.look("+Rs")
    scene.look("+5d")
    assert scene.plays() == [(1, "Rs", ["1b", "2b", "3c", "4d"]), (0, "5d", [])]


def test_two_plays_between_two_looks() -> None:
    scene = Scene()
    scene.look("+1d", "+6c")
    assert scene.plays() == [(1, "1d", []), (0, "6c", [])]
    scene.look("-7b", "+2s", passed=("7s",))
    assert scene.plays()[2:] == [(1, "7s", ["7b"]), (0, "2s", [])]


def test_a_card_laid_and_captured_before_the_table_came_to_rest() -> None:
    scene = Scene()
    scene.look("-Rs", passed=("1d", "Rb"))
    assert (scene.plays()[-1][1], scene.plays()[-1][2]) == ("Rb", ["Rs"])


def test_a_card_taken_back_and_another_laid_is_one_play() -> None:
    scene = Scene()
    scene.look("+1d")
    scene.look("-1d")
    scene.look("+5c")
    scene.look("+6s")
    scene.look("+1d")
    scene.look("-6s", passed=("6d",))
    assert scene.plays() == [(1, "5c", []), (0, "6s", []), (1, "1d", []), (0, "6d", ["6s"])]


def test_an_illegal_capture_is_not_forced_to_be_legal() -> None:
    scene = Scene()
    scene.look("+5s")
    scene.look("-5s", "-7b")
    assert scene.plays() == [(1, "5s", ["7b"])]


def test_a_set_taken_where_an_equal_card_lay_is_told_as_it_was() -> None:
    scene = Scene()
    scene.look("+7s")
    scene.look("-7s", "-4d", "-3c")
    assert scene.plays() == [(1, "7s", ["3c", "4d"])]


def test_a_misread_card_is_read_anew_by_what_it_takes() -> None:
    scene = Scene()
    scene.look("+7s", c7s={"6s": 0.7, "7s": 0.25})
    scene.look("-7s", "-7b")
    assert scene.plays() == [(1, "7s", ["7b"])]


def test_a_misread_table_card_is_read_anew_when_it_is_taken() -> None:
    scene = Scene()
    scene.look("+6s", c6s={"5s": 0.9, "6s": 0.09})
    scene.look("-6s", passed=("6d",))
    assert scene.plays() == [(1, "6s", []), (0, "6d", ["6s"])]
    assert "correct" in [event["type"] for event in scene.events]


def test_a_face_seen_again_corrects_the_card_that_was_misread() -> None:
    scene = Scene()
    scene.look("+6s", c6s={"5s": 0.9, "6s": 0.09})
    scene.look("+5s")
    assert scene.plays() == [(1, "6s", []), (0, "5s", [])]


def test_better_evidence_corrects_a_card() -> None:
    scene = Scene()
    scene.look("+1d", c1d={"1c": 0.6, "1d": 0.35})
    assert scene.plays() == [(1, "1c", [])]
    scene.look(c1d={"1d": 0.99})
    assert scene.plays() == [(1, "1d", [])]


def test_a_captured_card_that_seems_to_come_again_is_another() -> None:
    scene = Scene()
    scene.look("+7s")
    scene.look("-7s", "-7b")
    scene.look("+Fd", cFd={"7b": 0.9, "Fd": 0.08})
    assert scene.plays()[-1] == (0, "Fd", [])


def test_a_misread_card_does_not_block_the_hand() -> None:
    scene = Scene()
    scene.look("+1d", c1d={"Fc": 0.999})
    scene.look("+6c")
    scene.look("-4d", "-1d", passed=("5s",))
    scene.look("+2s")
    assert len(scene.plays()) == 4
    assert scene.plays()[-1] == (0, "2s", [])


def test_a_card_under_another_number_is_the_same_card() -> None:
    scene = Scene()
    scene.look("=7b")
    scene.look("+1d")
    assert scene.plays() == [(1, "1d", [])]


def test_a_card_renumbered_while_another_pair_leaves_stays_on_the_table() -> None:
    scene = Scene()
    scene.look("+1d")
    scene.look("+6c")
    scene.look("+7s")
    scene.look("-7s", "-7b", "=1d")
    assert scene.plays() == [(1, "1d", []), (0, "6c", []), (1, "7s", ["7b"])]


def test_a_ghost_is_no_play() -> None:
    scene = Scene()
    scene.look("+6c", c6c={"4d": 0.6})
    scene.look("-6c")
    scene.look("+1d")
    scene.look("+2s")
    assert scene.plays()[-2:] == [(1, "1d", []), (0, "2s", [])]


def test_what_nothing_explains_is_told_and_the_game_goes_on() -> None:
    scene = Scene()
    for code in ("1d", "2d"):
        scene.look(f"+{code}")
    scene.look("-4d", "-3c", "-7b", "-Rs", "-1d", "-2d", "+5s", "+Fb", "+Cc", "+6b")
    assert "lost-thread" in [warning.code for warning in scene.tracker.warnings]
    before = len(scene.plays())
    scene.look("+1c")
    assert len(scene.plays()) == before + 1
    assert scene.plays()[-1][1] == "1c"


def test_a_box_of_nothing_that_goes_again_is_no_lost_thread() -> None:
    scene = Scene()
    scene.look("+1d")
    scene.look("+6c", c6c={"4d": 0.9, "6c": 0.05})  # part of the four that lies there
    scene.look("-6c")
    scene.look("+2s")
    assert [warning.code for warning in scene.tracker.warnings] == []


def test_time_never_runs_backwards() -> None:
    scene = Scene()
    with pytest.raises(LookError, match="1000 ms after"):
        scene.tracker.tick(1000)
    with pytest.raises(LookError):
        scene.tracker.look(TableLook(0, ()))


@pytest.mark.parametrize(
    "match", [{"game": "poker", "players": ["A", "B"]}, {"game": "scopa", "players": ["A"]}]
)
def test_a_game_that_is_not_followed(match: dict[str, Any]) -> None:
    with pytest.raises(UnknownGameError):
        Tracker(match)


def test_looks_are_checked() -> None:
    with pytest.raises(LookError, match="twice"):
        TableLook(0, (SeenCard(1, {}), SeenCard(1, {})))
    with pytest.raises(LookError, match="probability"):
        SeenCard(1, {"7d": 1.5})
    with pytest.raises(LookError, match="sum"):
        SeenCard(1, {"7d": 0.8, "7c": 0.8})


def test_a_french_deck_is_known_by_its_cards() -> None:
    scene = Scene(("4D", "3H", "7C", "KS"))
    scene.look("+7S")
    scene.look("-7S", "-7C")
    assert scene.plays() == [(1, "7S", ["7C"])]


# -- what the people say ----------------------------------------------------------------------------------------------


def line_of(scene: Scene, number: int) -> int:
    """Give the line of a play in the record."""
    return [line for line, event in enumerate(scene.events, 2) if event["type"] == "play"][number]


def test_the_people_name_a_card_that_was_not_seen() -> None:
    scene = Scene()
    scene.look("-7b")
    scene.command(type="correct", event=line_of(scene, 0), card="7c")
    scene.look("+7s")
    assert scene.plays()[0] == (1, "7c", ["7b"])


def test_the_people_correct_a_card_and_later_plays_follow() -> None:
    scene = Scene()
    scene.look("+1d", c1d={"2d": 0.98, "1d": 0.001})
    scene.command(type="correct", event=line_of(scene, 0), card="1d")
    scene.look("-1d", "-4d", passed=("5s",))
    assert scene.plays() == [(1, "1d", []), (0, "5s", ["1d", "4d"])]


def test_the_people_correct_what_was_taken() -> None:
    scene = Scene()
    scene.look("-7b", "-3c", passed=("7s",))
    scene.command(type="correct", event=line_of(scene, 0), takes=["7b"])
    scene.look("+3c")
    scene.look("+1d")
    assert scene.plays() == [(1, "7s", ["7b"]), (0, "1d", [])]


def test_a_play_taken_back_frees_its_cards() -> None:
    scene = Scene()
    scene.look("+5s")
    scene.look("-5s", "-7b")
    scene.command(type="undo", event=line_of(scene, 0))
    hand = [e for e in fold(scene.events)[0] if e["type"] == "play"]
    assert hand == []
    scene.look("+7b")
    scene.look("+6d")
    assert scene.plays() == [(1, "6d", [])]


def test_a_correction_of_the_deal() -> None:
    scene = Scene(())
    scene.look("+4d", "+3c", "+7b", "+Rs", c3c={"3b": 0.9, "3c": 0.05})
    scene.command(type="correct", event=2, table=["4d", "3c", "7b", "Rs"])
    scene.look("+3b")
    scene.wait(3000)
    assert scene.plays() == [(1, "3b", [])]


def test_what_the_people_said_is_not_said_again() -> None:
    scene = Scene()
    scene.look("+1d", c1d={"2d": 0.98, "1d": 0.001})
    line = line_of(scene, 0)
    follow = scene.command(type="correct", event=line, card="1d", takes=[])
    assert [event for event in follow if event.get("event") == line] == []
    later = scene.look("+6c")
    assert [event["type"] for event in later] == ["play"]
    assert scene.plays() == [(1, "1d", []), (0, "6c", [])]


def test_a_card_followed_under_two_numbers_is_one_card() -> None:
    scene = Scene()
    scene.look("+1d")
    sevens = {"7b": 0.999}
    lying = dict(scene.lying)
    again = SeenCard(900, sevens)
    laid = SeenCard(901, {"2s": 0.999})
    arm = (Reach(900, "laid", 95.0, 0.8),)
    scene.events += scene.tracker.look(TableLook(20_000, (*lying.values(), again), (), arm))
    del lying["7b"]
    scene.events += scene.tracker.look(TableLook(21_000, (*lying.values(), again, laid)))
    scene.events += scene.tracker.look(TableLook(23_000, (*lying.values(), laid), (SeenCard(902, {"7s": 0.999}),)))
    assert scene.plays() == [(1, "1d", []), (0, "2s", []), (1, "7s", ["7b"])]


def test_a_card_that_is_lost_to_sight_may_still_be_taken() -> None:
    scene = Scene(("Cc", "Fs", "3s", "1b"))
    scene.look("+2d")
    scene.look("+Cd")
    scene.look("-Cc", "-Cd", "-Fs")  # the jack is there all the same
    scene.look("+1d")
    scene.look("-1b", "-1d")
    scene.look("+Fd")
    scene.look("-Fd")
    assert scene.plays()[1:] == [(0, "Cd", ["Cc"]), (1, "1d", ["1b"]), (0, "Fd", ["Fs"])]


def test_a_card_taken_that_is_seen_to_be_gone_only_after_the_next_play_makes_no_play_illegal() -> None:
    scene = Scene(("4b", "6d", "2s", "Cc"))
    scene.look("+Rd")
    scene.look("-Rd", "-4b")  # the six is under the hand and is taken as well
    scene.look("+6s")
    scene.look("-6d")
    scene.look("+1b")
    assert scene.plays() == [(1, "Rd", ["4b", "6d"]), (0, "6s", []), (1, "1b", [])]


def test_a_capture_that_would_be_legal_with_more_is_not_told_to_be_illegal_at_once() -> None:
    scene = Scene(("4b", "6d", "2s", "Cc"))
    scene.look("+Rd")
    events = scene.look("-Rd", "-4b")
    assert [event for event in events if event["type"] == "play"] == []
    scene.look("-6d")
    assert [event["type"] for event in scene.events] == ["deal", "play"]
    assert scene.plays() == [(1, "Rd", ["4b", "6d"])]
