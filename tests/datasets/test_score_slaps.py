"""Judging the referee: every kind of mistake is counted, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from datasets.score_slaps import CLASSES, SlapScore, films_in, gap_class, main, report, score_film


def hand(player: int, contact: float | None, **more: Any) -> dict[str, Any]:
    return {"player": player, "hand": "right", "contact_ms": contact, "parted_ms": 2000.0,
            "counts": contact is not None, **more}


def truth(hands: list[dict[str, Any]], verdict: str, *, kind: str = "slap", gap_frames: float | None = 3.0,
          overlap: bool = False, game: str = "slapjack") -> dict[str, Any]:
    slap = {"t_ms": min(h["contact_ms"] or h.get("stops_ms", 0) for h in hands), "hands": hands, "kind": kind,
            "verdict": verdict, "top_card": "JS"}
    if gap_frames is not None:
        slap.update(gap_frames=gap_frames, deciding_overlap=overlap)
    return {"game": game, "slaps": [slap], "plays": [], "frames": []}


def said(verdict: str, *touches: tuple[int, float, float], t_ms: float = 1000.0) -> dict[str, Any]:
    return {"slaps": [{"t_ms": t_ms, "verdict": verdict, "top_card": "JS", "order": [
        {"player": player, "contact_ms": contact, "error_ms": error} for player, contact, error in touches]}]}


TWO = [hand(0, 1000.0), hand(1, 1100.0)]


def test_a_right_verdict_is_right() -> None:
    score = score_film(truth(TWO, "player 0"), said("player 0", (0, 1003.0, 5), (1, 1098.0, 5)))
    assert (score.wrong, score.missed, score.extra, score.mistakes) == (0, 0, 0, [])
    assert score.decided[CLASSES[0]] == [1, 1]
    assert (score.errors, score.errors_hold, score.owners, score.owners_right) == (1, 1, 2, 2)


def test_of_two_hands_of_one_player_the_first_is_compared() -> None:
    """A player whose second hand was timed rightly as well was said to be off by the time between his hands."""
    score = score_film(truth(TWO, "player 0"), said("player 0", (0, 1003.0, 5), (1, 1098.0, 5), (0, 1250.0, 5)))
    assert (score.errors, score.errors_hold) == (1, 1)


def test_a_wrong_verdict_is_counted() -> None:
    score = score_film(truth(TWO, "player 0"), said("player 1", (1, 990.0, 2), (0, 1003.0, 2)))
    assert score.wrong == 1
    assert score.errors_hold == 0


@pytest.mark.parametrize("verdict", ["too-close", "unclear"])
def test_no_verdict_is_not_wrong_but_not_decided(verdict: str) -> None:
    score = score_film(truth(TWO, "player 0"), said(verdict, (0, 1003.0, 60), (1, 1098.0, 60)))
    assert (score.wrong, score.decided[CLASSES[0]]) == (0, [1, 0])


def test_a_slap_that_was_not_seen_is_missed() -> None:
    for document in (None, {"slaps": []}, said("player 0", (0, 5000.0, 5), t_ms=5000.0)):
        score = score_film(truth(TWO, "player 0"), document)
        assert (score.missed, score.decided[CLASSES[0]]) == (1, [1, 0])
    assert score.extra == 1


def test_a_dispute_of_which_only_the_last_hand_was_seen_is_that_dispute() -> None:
    shown = truth([hand(0, 1000.0), hand(1, 1900.0)], "player 1", game="irish-snap")
    score = score_film(shown, said("unclear", (1, 1905.0, 9), t_ms=1905.0))
    assert (score.missed, score.extra, score.owners_right) == (0, 0, 1)


@pytest.mark.parametrize(("gap", "overlap", "name"), [(2.0, False, 0), (1.5, True, 1), (0.4, True, 2),
                                                      (0.4, False, 3), (None, False, 4)])
def test_classes_of_the_gap(gap: float | None, overlap: bool, name: int) -> None:
    assert gap_class(truth(TWO, "player 0", gap_frames=gap, overlap=overlap)["slaps"][0]) == CLASSES[name]


@pytest.mark.parametrize("verdict", ["false", "false by player 0"])
def test_false_slaps_are_recognised(verdict: str) -> None:
    shown = truth([hand(0, 1000.0)], "false", kind="false", gap_frames=None)
    score = score_film(shown, said(verdict, (0, 1001.0, 4)))
    assert (score.false_slaps, score.false_recognised, score.wrong) == (1, 1, 0)
    score = score_film(shown, said("player 0", (0, 1001.0, 4)))
    assert (score.false_recognised, score.wrong) == (0, 1)


def test_feints_that_are_called_slaps_are_counted() -> None:
    shown = truth([hand(0, None, stops_ms=1000.0)], "none", kind="feint", gap_frames=None)
    assert score_film(shown, {"slaps": []}).as_json()["feints_called_share"] == 0
    assert score_film(shown, said("player 0", (0, 1001.0, 4))).feints_called == 1
    assert score_film(shown, said("player 0", (0, 1001.0, 4))).disputes == 0
    mixed = truth([*TWO, hand(2, None, stops_ms=990.0)], "player 0")
    score = score_film(mixed, said("player 0", (0, 1000.0, 9), (1, 1100.0, 9), (2, 990.0, 9)))
    assert (score.feints, score.feints_called, score.wrong) == (1, 1, 0)


def landings(*rulings: tuple[str, float, str]) -> list[dict[str, Any]]:
    return [{"card": card, "player": i % 2, "pile": 0, "on": "8H", "t_ms": t, "error_ms": 10.0, "ruling": ruling}
            for i, (card, t, ruling) in enumerate(rulings)]


def test_landings_their_order_and_their_rulings_are_compared() -> None:
    shown = {"game": "spit", "slaps": [], "frames": [],
             "plays": landings(("9C", 1000.0, "legal"), ("7D", 1100.0, "illegal"))}
    right = score_film(shown, {"landings": landings(("9C", 1004.0, "legal"), ("7D", 1097.0, "illegal"))})
    assert (right.landings_right, right.misfits_flagged, right.orders, right.orders_wrong) == (2, 1, 1, 0)
    wrong = score_film(shown, {"landings": landings(("9C", 1104.0, "illegal"), ("7D", 1000.0, "legal"))})
    assert (wrong.landings_right, wrong.orders_wrong, wrong.misfits_flagged) == (0, 1, 0)
    close = score_film(shown, {"landings": landings(("9C", 1050.0, "too-close"), ("7D", 1052.0, "too-close"))})
    assert (close.orders_wrong, close.orders_open) == (0, 1)
    assert not close.mistakes


def test_scores_add_up_and_are_told() -> None:
    total = SlapScore()
    total.add(score_film(truth(TWO, "player 0"), said("player 0", (0, 1003.0, 5), (1, 1098.0, 5)), "a"))
    total.add(score_film(truth(TWO, "player 0"), said("player 1", (0, 1003.0, 5), (1, 1098.0, 5)), "b"))
    assert (total.films, total.wrong, total.decided[CLASSES[0]]) == (2, 1, [2, 2])
    assert "wrong verdicts 1" in report(total)
    assert "b: player 1 instead of player 0" in report(total)
    json.dumps(total.as_json())


def test_a_folder_without_films_is_refused_with_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no films"):
        films_in(tmp_path)
    done = CliRunner().invoke(main, [str(tmp_path)])
    assert done.exit_code == 2
    assert done.output.startswith("error: no films")


def test_documents_that_are_there_are_used_again(tmp_path: Path) -> None:
    shown = {**truth(TWO, "player 0"), "seats": []}
    (tmp_path / "001.mp4").write_bytes(b"")
    (tmp_path / "001.json").write_text(json.dumps(shown))
    (tmp_path / "001.run.json").write_text(json.dumps(said("player 0", (0, 1003.0, 5), (1, 1098.0, 5))))
    done = CliRunner().invoke(main, [str(tmp_path), "--json"])
    assert done.exit_code == 0, done.output
    assert '"wrong": 0' in done.output
