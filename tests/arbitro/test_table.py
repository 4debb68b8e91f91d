from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbitro.fold import fold
from arbitro.journal import Journal
from arbitro.match import Match
from arbitro.table import CommandError, LiveTable, SessionMismatchError
from rules.record import parse_record
from rules.tracker import TableLook
from tests.arbitro.hands import ANNA_AND_BRUNO, looks_of_a_hand, seen

SCOPA = Match("scopa", ANNA_AND_BRUNO)
SHOWN: dict[str, Any] = {"index": 1, "width": 1280, "height": 720, "cards": []}


def watched(path: Path, looks: Sequence[TableLook] = (), match: Match = SCOPA) -> LiveTable:
    live = LiveTable(Journal(path))
    live.begin(match, source="film.mp4", deck="auto", live=False)
    for look in looks:
        live.observe(look, SHOWN)
    return live


def lines(live: LiveTable) -> list[dict[str, Any]]:
    return [json.loads(line) for line in live.record().splitlines()]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveTable]:
    """A table at which eight plays of a hand have been seen."""
    table = watched(tmp_path / "j.sqlite", looks_of_a_hand(seed=3, plays=8))
    yield table
    table.journal.close()


def plays_of(live: LiveTable) -> list[int]:
    return [number for number, event in enumerate(lines(live), 1) if event["type"] == "play"]


def test_an_empty_journal_shows_an_empty_table(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        state = LiveTable(journal).state("en")
    assert state["session"]["status"] == "waiting"
    assert state["score"] == {}
    assert state["table"] == state["questions"] == state["warnings"] == []
    assert state["revision"] == 0


def test_what_is_seen_becomes_a_record_that_can_be_read_back(live: LiveTable) -> None:
    record = parse_record(live.record())
    assert record.events[0]["game"] == "scopa"
    assert record.events[1]["type"] == "deal"
    assert len(record.events[1]["table"]) == 4
    assert sum(event["type"] == "play" for event in record.events) == 8


def test_the_state_has_the_score_with_how_each_play_was_read(live: LiveTable) -> None:
    state = live.state("en")
    assert state["session"] == {
        "source": "film.mp4",
        "game": "scopa",
        "players": ["Anna", "Bruno"],
        "dealer": 0,
        "options": {},
        "deck": "auto",
        "status": "playing",
        "error": None,
        "live": False,
        "may_set_up": False,
    }
    assert len(state["score"]["plays"]) == 8
    for play in state["score"]["plays"]:
        assert play["t_ms"] > 0
        assert 0 < play["confidence"] <= 1
    assert state["revision"] == live.journal.last_id
    json.dumps(state)


def test_texts_follow_the_language(live: LiveTable) -> None:
    live.warn("too-dark", True)
    english, italian = live.state("en"), live.state("it")
    assert english["warnings"][0]["text"].startswith("The picture is very dark")
    assert italian["warnings"][0]["text"].startswith("L'immagine è molto buia")


def test_a_warning_is_journalled_once_and_can_end(live: LiveTable) -> None:
    live.warn("cards-too-small", True, pixels=40)
    revision = live.journal.last_id
    live.warn("cards-too-small", True, pixels=40)
    assert live.journal.last_id == revision
    assert "40 pixels" in live.state("en")["warnings"][0]["text"]
    live.warn("cards-too-small", False)
    live.warn("cards-too-small", False)
    assert live.state("en")["warnings"] == []
    assert live.journal.last_id == revision + 1


def test_pictures_are_compressed_only_when_asked_for_and_once(live: LiveTable) -> None:
    asked: list[int] = []

    def encode() -> bytes:
        asked.append(1)
        return b"jpeg"

    assert live.latest_picture() is None
    live.show_picture(7, 233, (1280, 720), encode)
    assert asked == []
    assert live.latest_picture() == live.latest_picture() == (7, b"jpeg")
    assert asked == [1]
    assert live.state("en")["picture"] == {"index": 7, "width": 1280, "height": 720, "t_ms": 233}


# Corrections


def test_a_correction_recomputes_everything_after_it(live: LiveTable) -> None:
    before = live.state("en")
    play = before["score"]["plays"][-1]
    hidden = next(
        code
        for code in ("7d", "6c", "Rb", "1s", "5d", "Fc")
        if code not in live.record() and code != play["card"]
    )
    answer = live.command({"type": "correct", "event": play["event"], "card": hidden, "takes": []})
    after = live.state("en")
    corrected = after["score"]["plays"][-1]
    assert corrected["card"] == hidden
    assert corrected["takes"] == []
    assert corrected["confidence"] == 1.0
    assert after["revision"] == answer["revision"] > before["revision"]
    assert lines(live)[answer["event"] - 1] == {
        "type": "correct",
        "event": play["event"],
        "card": hidden,
        "takes": [],
    }


COMMANDS_ON_THE_LAST_PLAY: list[dict[str, Any]] = [
    {"type": "correct", "player": 0},
    {"type": "correct", "card": "7d", "takes": []},
    {"type": "undo"},
    {"type": "stand"},
]


@pytest.mark.parametrize(
    "command", COMMANDS_ON_THE_LAST_PLAY, ids=lambda command: "-".join(map(str, command))
)
def test_taking_a_command_back_is_as_if_it_had_not_been(tmp_path: Path, command: dict[str, Any]) -> None:
    looks = looks_of_a_hand(seed=3, plays=8)
    one = watched(tmp_path / "one.sqlite", looks[:7])
    two = watched(tmp_path / "two.sqlite", looks[:7])
    before = one.state("en")["score"]
    done = one.command({**command, "event": plays_of(one)[-1]})
    one.command({"type": "undo", "event": done["event"]})
    assert told(one.state("en")["score"]) == told(before)
    for table in (one, two):
        for look in looks[7:]:
            table.observe(look, SHOWN)
    assert told(one.state("en")["score"]) == told(two.state("en")["score"])
    # A process that reads the same journal anew comes to the same.
    one.journal.close()
    again = LiveTable(Journal(tmp_path / "one.sqlite"))
    again.begin(SCOPA)
    assert told(again.state("en")["score"]) == told(two.state("en")["score"])
    again.journal.close()
    two.journal.close()


def told(document: dict[str, Any]) -> dict[str, Any]:
    """What a score says of the hand, whatever lines of the record it came from."""
    plays = [
        {key: play[key] for key in ("player", "card", "takes", "ruling", "reasons", "confidence")}
        for play in document["plays"]
        if not play.get("undone")
    ]
    return {"plays": plays, "state": document["state"], "match": document["match"]}


def test_a_command_is_not_taken_back_twice_nor_after_the_play_went_on(tmp_path: Path) -> None:
    looks = looks_of_a_hand(seed=3, plays=8)
    live = watched(tmp_path / "j.sqlite", looks[:6])
    done = live.command({"type": "correct", "event": plays_of(live)[-1], "player": 0})
    back = live.command({"type": "undo", "event": done["event"]})
    for event in (done["event"], back["event"]):
        with pytest.raises(CommandError) as caught:
            live.command({"type": "undo", "event": event})
        assert caught.value.code == "command-taken-back"
    done = live.command({"type": "correct", "event": plays_of(live)[-1], "player": 0})
    for look in looks[6:]:
        live.observe(look, SHOWN)
    with pytest.raises(CommandError) as caught:
        live.command({"type": "undo", "event": done["event"]})
    assert caught.value.code == "command-too-late"
    live.journal.close()


def test_a_play_taken_back_is_gone_and_another_is_read_in_its_place(tmp_path: Path) -> None:
    looks = looks_of_a_hand(seed=3, plays=2)
    live = watched(tmp_path / "j.sqlite", looks)
    last = plays_of(live)[-1]
    live.command({"type": "undo", "event": last})
    assert [play["event"] for play in live.state("en")["score"]["plays"] if not play.get("undone")] == [
        last - 1
    ]
    live.journal.close()


def test_a_correction_of_the_deal_changes_the_opening_table(live: LiveTable) -> None:
    dealt = lines(live)[1]["table"]
    lying = live.state("en")["score"]["state"]["table"]
    wrong = next(code for code in dealt if code in lying)
    # Of the same rank, so that the plays that followed stay as plausible as they were.
    right = next(wrong[0] + suit for suit in "dcsb" if wrong[0] + suit not in live.record())
    table = [right if code == wrong else code for code in dealt]
    done = live.command({"type": "correct", "event": 2, "table": table})
    assert lines(live)[done["event"] - 1] == {"type": "correct", "event": 2, "table": table}
    after = live.state("en")["score"]["state"]["table"]
    assert right in after
    assert wrong not in after


def test_a_forfeit_goes_on_the_record(live: LiveTable) -> None:
    live.command({"type": "forfeit", "player": 1, "reason": "late for the train"})
    assert lines(live)[-1] == {"type": "forfeit", "player": 1, "reason": "late for the train"}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ({"type": "dance"}, "command-unknown"),
        ({"type": "correct"}, "command-no-event"),
        ({"type": "correct", "event": 0, "card": "7d"}, "command-no-event"),
        ({"type": "correct", "event": 999, "card": "7d"}, "command-no-event"),
        ({"type": "correct", "event": True, "card": "7d"}, "command-no-event"),
        ({"type": "correct", "event": 1, "card": "7d"}, "command-not-correctable"),
        ({"type": "correct", "event": 3}, "command-nothing"),
        ({"type": "correct", "event": 3, "card": "8d"}, "command-card"),
        ({"type": "correct", "event": 3, "card": 7}, "command-card"),
        ({"type": "correct", "event": 3, "takes": "7d"}, "command-takes"),
        ({"type": "correct", "event": 3, "takes": ["7d", "7d"]}, "command-takes"),
        ({"type": "correct", "event": 3, "card": "7d", "takes": ["7d"]}, "command-takes"),
        ({"type": "correct", "event": 3, "player": 2}, "command-player"),
        ({"type": "correct", "event": 2, "table": None}, "command-takes"),
        ({"type": "answer", "event": 3, "choice": 99}, "command-choice"),
        ({"type": "stand", "event": 2}, "command-not-a-play"),
        ({"type": "undo", "event": 1}, "command-not-a-play"),
        ({"type": "undo", "event": 2}, "command-not-a-play"),
        ({"type": "forfeit", "player": None}, "command-player"),
    ],
)
def test_a_command_that_does_not_fit_changes_nothing(
    live: LiveTable, command: dict[str, Any], code: str
) -> None:
    before = live.record(), live.journal.last_id
    with pytest.raises(CommandError) as caught:
        live.command(command)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)
    assert caught.value.text("it") != caught.value.text("en")
    assert (live.record(), live.journal.last_id) == before


def test_a_command_before_anything_is_watched_is_refused(tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "j.sqlite") as journal,
        pytest.raises(CommandError, match="Nothing is being watched"),
    ):
        LiveTable(journal).command({"type": "undo", "event": 2})


# Questions


def doubtful(path: Path) -> LiveTable:
    """A table at which the first card laid could be one of two."""
    opening = [seen(0, "2d"), seen(1, "Rs"), seen(2, "Fb"), seen(3, "Cc")]
    laid = seen(4, "1c", 0.55)
    laid = type(laid)(4, {"1c": 0.55, "1s": 0.44})
    return watched(path, [TableLook(1000, tuple(opening)), TableLook(5000, (*opening, laid))])


def test_a_doubtful_play_is_asked_about_until_it_is_answered(tmp_path: Path) -> None:
    live = doubtful(tmp_path / "j.sqlite")
    (question,) = live.state("en")["questions"]
    assert "Bruno" in question["text"]
    assert [candidate["card"] for candidate in question["candidates"]][:2] == ["1c", "1s"]
    live.command({"type": "answer", "event": question["event"], "choice": 1})
    state = live.state("en")
    assert state["questions"] == []
    assert state["score"]["plays"][0]["card"] == "1s"
    live.journal.close()


def test_an_answer_may_name_the_card_itself(tmp_path: Path) -> None:
    live = doubtful(tmp_path / "j.sqlite")
    (question,) = live.state("it")["questions"]
    assert "giocato" in question["text"]
    live.command({"type": "answer", "event": question["event"], "card": "1b", "takes": []})
    assert live.state("en")["score"]["plays"][0]["card"] == "1b"
    live.journal.close()


# Resuming


@settings(deadline=None, max_examples=5)
@given(seed=st.integers(0, 10_000), killed_after=st.integers(0, 12), plays=st.integers(1, 7))
def test_a_killed_watch_goes_on_as_if_nothing_had_happened(
    tmp_path_factory: pytest.TempPathFactory, seed: int, killed_after: int, plays: int
) -> None:
    folder = tmp_path_factory.mktemp("journals")
    looks = looks_of_a_hand(seed, plays)
    whole = watched(folder / "whole.sqlite", looks)
    first = watched(folder / "broken.sqlite", looks[:killed_after])
    shown = first.state("en")
    first.journal.close()

    again = LiveTable(Journal(folder / "broken.sqlite"))
    assert again.state("en") == shown
    assert fold(again.journal.events()).record == lines(again)
    again.begin(SCOPA, source="film.mp4", deck="auto", live=False)
    for look in looks[killed_after:]:
        again.observe(look, SHOWN)
    assert again.record() == whole.record()
    whole.journal.close()
    again.journal.close()


def test_corrections_survive_a_kill(tmp_path: Path) -> None:
    looks = looks_of_a_hand(seed=3, plays=8)
    one = watched(tmp_path / "one.sqlite", looks[:6])
    two = watched(tmp_path / "two.sqlite", looks[:6])
    number = plays_of(one)[-1]
    for table in (one, two):
        table.command({"type": "correct", "event": number, "player": 0})
    two.journal.close()
    two = LiveTable(Journal(tmp_path / "two.sqlite"))
    two.begin(SCOPA)
    for table in (one, two):
        for look in looks[6:]:
            table.observe(look, SHOWN)
    assert one.record() == two.record()
    one.journal.close()
    two.journal.close()


@pytest.mark.parametrize(
    "other",
    [
        Match("scopa", ("Anna", "Carla")),
        Match("scopa", ANNA_AND_BRUNO, dealer=1),
        Match("scopa", ANNA_AND_BRUNO, options={"target": 16}),
    ],
)
def test_another_session_does_not_go_on_in_the_same_journal(tmp_path: Path, other: Match) -> None:
    watched(tmp_path / "j.sqlite").journal.close()
    with Journal(tmp_path / "j.sqlite") as journal, pytest.raises(SessionMismatchError, match="--journal"):
        LiveTable(journal).begin(other)


def test_a_look_reported_late_does_not_run_time_back(live: LiveTable) -> None:
    t_ms = 100_000
    live.tick(t_ms)
    live.observe(TableLook(t_ms - 40, ()), SHOWN)
    live.tick(t_ms + 1000)


def test_the_end_of_the_film_is_a_status_and_may_close_the_hand(tmp_path: Path) -> None:
    looks = looks_of_a_hand(seed=5)
    live = watched(tmp_path / "j.sqlite", looks)
    live.finish(looks[-1].t_ms + 1000, {"frames": 10, "fps": 5.0, "dropped_frames": 0})
    state = live.state("en")
    assert state["session"]["status"] == "ended"
    assert state["performance"] == {"frames": 10, "fps": 5.0, "dropped_frames": 0}
    assert lines(live)[-1]["type"] == "end"
    assert len(plays_of(live)) == 36
    live.journal.close()
