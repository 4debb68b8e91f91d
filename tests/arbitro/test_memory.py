from __future__ import annotations

from pathlib import Path

from arbitro.fold import fold
from arbitro.journal import Journal
from arbitro.looks import look_from, look_to_json
from arbitro.match import Match
from arbitro.memory import Memory, known_again, remembered
from arbitro.table import LiveTable
from rules.tracker import SeenCard, TableLook
from tests.arbitro.hands import ANNA_AND_BRUNO, looks_of_a_hand, seen

SCOPA = Match("scopa", ANNA_AND_BRUNO)


def test_of_an_empty_journal_nothing_is_remembered(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        assert remembered(journal, fold(journal.events())) == Memory(0, None, None)


def test_a_journal_remembers_the_deck_the_last_look_and_the_tracks(tmp_path: Path) -> None:
    looks = looks_of_a_hand(seed=3, plays=3)
    with Journal(tmp_path / "j.sqlite") as journal:
        live = LiveTable(journal)
        live.begin(SCOPA)
        for look in looks:
            live.observe(look, {"index": 0, "width": 1, "height": 1, "cards": []})
        memory = remembered(journal, fold(journal.events()))
    assert memory.family == "italian"
    assert memory.look == looks[-1]
    assert memory.first_track == max(card.track for look in looks for card in look.cards) + 1


def test_cards_are_known_again_by_their_faces_each_once() -> None:
    before = TableLook(0, (seen(1, "7d"), seen(2, "7c"), SeenCard(3, {"4s": 0.5, "4b": 0.4})))
    now = TableLook(
        9, (seen(11, "7c"), SeenCard(12, {"4s": 0.2, "4b": 0.7}), seen(13, "Rd"), SeenCard(14, {}))
    )
    assert known_again(before, now) == {11: 2, 12: 3}


def test_two_doubtful_cards_are_not_both_the_same_one() -> None:
    before = TableLook(0, (seen(1, "7d"),))
    now = TableLook(9, (SeenCard(11, {"7d": 0.6, "6d": 0.4}), SeenCard(12, {"7d": 0.9})))
    assert known_again(before, now) == {12: 1}


def test_a_noted_look_never_says_more_than_was_seen() -> None:
    thirds = {"7d": 0.33336, "7c": 0.33336, "7s": 0.33328, "7b": 0.0004}
    look = TableLook(5, (SeenCard(1, thirds),), (seen(2, "Rd"),))
    noted = look_from(5, look_to_json(look))
    (card,) = noted.cards
    assert card.probabilities == {"7d": 0.3333, "7c": 0.3333, "7s": 0.3332}
    assert noted.passed == look.passed
    assert look_to_json(noted) == look_to_json(look)
