"""A match that people set up while the table is being watched: one event of the journal, which a kill does not undo."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arbitro.eyes import faces_of
from arbitro.fold import fold
from arbitro.journal import Journal
from arbitro.match import Match, MatchError, match_of_form
from arbitro.memory import remembered
from arbitro.pipeline import Pipeline, Sight
from arbitro.settings import Settings
from arbitro.table import CommandError, LiveTable
from rules.options import OptionError
from rules.record import parse_record
from tests.arbitro.hands import ANNA_AND_BRUNO, looks_of_a_hand
from tests.arbitro.test_pipeline import ScriptedCamera
from tests.arbitro.test_table import SHOWN, lines, watched
from vision.camera import Frame

FOUR = ["Anna", "Bruno", "Carla", "Dario"]
FORM: dict[str, Any] = {"type": "match", "game": "scopa", "players": ["Carla", "Dario"], "dealer": 1,
                        "options": {"target": "16", "napola": "yes"}}  # fmt: skip
SET_UP = {"type": "match", "format": 1, "game": "scopa", "players": ["Carla", "Dario"], "dealer": 1,
          "options": {"target": 16, "napola": True}}  # fmt: skip


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveTable]:
    """A table that is watched and at which nothing has been seen yet."""
    table = watched(tmp_path / "j.sqlite")
    yield table
    table.journal.close()


def test_a_match_set_up_before_the_first_card_is_one_event_and_begins_the_record(live: LiveTable) -> None:
    before = live.journal.last_id
    assert live.may_set_up()
    assert live.command(FORM) == {"event": 1, "revision": before + 1}
    assert lines(live) == [SET_UP]
    state = live.state("en")
    assert (state["session"]["players"], state["session"]["dealer"]) == (["Carla", "Dario"], 1)
    assert state["score"]["match"]["target"] == 16 and state["score"]["options"]["napola"] is True
    assert parse_record(live.record()).header.players == ("Carla", "Dario")


def test_the_hand_is_followed_as_the_new_match_and_goes_on_after_a_kill(tmp_path: Path) -> None:
    live = watched(tmp_path / "j.sqlite")
    looks = looks_of_a_hand(seed=3, plays=8)
    live.command(FORM)
    for look in looks[:6]:
        live.observe(look, SHOWN)
    shown = live.state("en")
    live.journal.close()
    # The command line names the match that was begun with.
    again = watched(tmp_path / "j.sqlite")
    assert {**again.state("en"), "revision": 0} == {**shown, "revision": 0}
    for look in looks[6:]:
        again.observe(look, SHOWN)
    record = lines(again)
    assert record[0] == SET_UP and record[1]["type"] == "deal"
    # Dario deals, so Carla on seat 0 begins.
    assert [event["player"] for event in record if event["type"] == "play"][:2] == [0, 1]
    again.journal.close()


def test_cards_that_lie_there_already_are_seen_again_in_the_new_match(tmp_path: Path) -> None:
    deal = looks_of_a_hand(seed=3, plays=1)[:1]
    live = watched(tmp_path / "j.sqlite", deal)
    assert [event["type"] for event in lines(live)] == ["match", "deal"]
    live.command({**FORM, "players": FOUR, "dealer": 3, "options": {"team": True}})
    record = lines(live)
    assert [event["type"] for event in record] == ["match", "deal"] and record[0]["players"] == FOUR
    for look in looks_of_a_hand(seed=3, plays=3)[1:]:
        live.observe(look, SHOWN)
    told = live.record()
    live.journal.close()
    again = watched(tmp_path / "j.sqlite")
    assert again.record() == told
    again.command({"type": "correct", "event": 3, "player": 2})
    assert again.state("en")["score"]["plays"][0]["player"] == 2
    again.journal.close()


def test_a_match_in_which_cards_were_played_is_not_changed(tmp_path: Path) -> None:
    live = watched(tmp_path / "j.sqlite", looks_of_a_hand(seed=3, plays=4))
    revision = live.journal.last_id
    assert not live.may_set_up()
    with pytest.raises(CommandError, match="Cards of this match have been played"):
        live.command(FORM)
    assert live.journal.last_id == revision
    # When it is over, the next one may begin.
    live.command({"type": "forfeit", "player": 0, "reason": "late"})
    assert live.may_set_up()
    live.command(FORM)
    assert lines(live)[0] == SET_UP and live.state("en")["score"]["plays"] == []
    live.journal.close()


@pytest.mark.parametrize(
    ("changes", "english", "italian"),
    [
        ({"game": "scoppa"}, "did you mean scopa?", "forse scopa?"),
        ({"game": None}, "None is not a game", "non è un gioco"),
        ({"options": {"targt": 1}}, "did you mean target?", "forse target?"),
        ({"options": {"target": "0"}}, "not a whole number from 1 to 1000: did you mean 1?", "da 1 a 1000): forse 1?"),
        ({"options": {"napola": "maybe"}}, "is not yes or no", "sì o no"),
        ({"options": {"scopone": "9-4"}}, "did you mean 9+4?", "forse 9+4?"),
        ({"options": {"preset": "scopa-bg"}}, "did you mean scopa-bga?", "forse scopa-bga?"),
        ({"options": {"scopone": "9+4"}}, "pairs need 4 players, not 2", "in 4, non in 2"),
        ({"options": [1]}, "options are names and values", "nomi e valori"),
        ({"players": ["Anna"]}, "scopa is for 2 to 4 players, not 1", "da 2 a 4, non in 1"),
        ({"game": "slurp", "players": FOUR, "options": {}}, "slurp is for 2 players, not 4", "in 2, non in 4"),
        ({"players": ["Anna", "Anna "]}, "two players are called Anna", "si chiamano Anna"),
        ({"players": ["Anna", " "]}, "the name on seat 2", "il nome al posto 2"),
        ({"players": ["Anna", "x" * 41]}, "1 to 40 letters", "da 1 a 40 lettere"),
        ({"players": ["Anna", "B\x1b"]}, "the name on seat 2", "il nome al posto 2"),
        ({"players": "Anna,Bruno"}, "give the players' names", "dare i nomi"),
        ({"dealer": 2}, "the dealer must be one of the players", "deve essere uno dei giocatori"),
        ({"dealer": True}, "the dealer must be one of the players", "deve essere uno dei giocatori"),
        ({"game": "speed", "options": {}}, "begin one with arbitro watch --game speed", "Non si può passare a speed"),
    ],
)  # fmt: skip
def test_a_match_that_cannot_be_is_refused_in_both_languages(
    live: LiveTable, changes: dict[str, Any], english: str, italian: str
) -> None:
    revision = live.journal.last_id
    with pytest.raises(CommandError) as refused:
        live.command({**FORM, **changes})
    assert english in refused.value.text("en") and italian in refused.value.text("it")
    assert "\n" not in refused.value.text("it")
    assert live.journal.last_id == revision and lines(live)[0]["players"] == list(ANNA_AND_BRUNO)


def test_only_what_was_chosen_is_kept_of_the_options() -> None:
    assert match_of_form({**FORM, "options": {"preset": "scopa-bga", "target": 21}}) == Match(
        "scopa", ("Carla", "Dario"), 1, {"preset": "scopa-bga", "target": 21})  # fmt: skip
    assert match_of_form({"game": " Slurp ", "players": ["A", "B"]}).options == {}
    assert issubclass(MatchError, ValueError) and issubclass(OptionError, ValueError)


def test_before_anything_is_watched_nothing_can_be_set_up(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        table = LiveTable(journal)
        assert not table.may_set_up()
        with pytest.raises(CommandError, match="Nothing is being watched"):
            table.command(FORM)


def test_the_watch_looks_for_the_cards_of_the_new_game(live: LiveTable) -> None:
    asked: list[str | None] = []

    class Blind:
        is_restless = True

        def __init__(self, sets_up: bool = False) -> None:
            self.sets_up = sets_up

        def look(self, frame: Frame) -> Sight:
            if self.sets_up:
                live.command({"type": "match", "game": "slurp", "players": ["Anna", "Bruno"]})
            return Sight([])

        def close_look(self, t_ms: int) -> tuple[()]:
            return ()

    def new_eyes() -> Blind:
        asked.append(remembered(live.journal, fold(live.journal.events())).game)
        return Blind()

    Pipeline(live, ScriptedCamera(range(6)), Blind(sets_up=True), Settings(), new_eyes=new_eyes).run(is_film=True)
    assert asked == ["slurp"] and set(faces_of("slurp")) == {"french"}
    assert json.loads(live.record().splitlines()[0])["game"] == "slurp"


def test_a_watch_of_slaps_is_not_set_up_anew(tmp_path: Path) -> None:
    live = watched(tmp_path / "j.sqlite", match=Match("slapjack", ANNA_AND_BRUNO))
    assert not live.may_set_up() and live.state("en")["session"]["may_set_up"] is False
    with pytest.raises(CommandError, match="cannot go over to scopa"):
        live.command(FORM)
    live.journal.close()
