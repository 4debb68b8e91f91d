"""Comparing what was read from a film with what it shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from datasets.film.hands import random_hand
from datasets.score_film import FilmScore, main, pair_plays, score_film
from rules.record import write_record
from scorer import score_record


def timed(events: list[dict]) -> list[dict]:
    return [{**event, "t_ms": 1000 * number} if number else event for number, event in enumerate(events)]


def run_of(events: list[dict], late_ms: int = 200) -> dict[str, Any]:
    """The document of a run that reads a record without fault."""
    document = score_record(events)
    for play in document["plays"]:
        play["t_ms"] = events[play["event"] - 1]["t_ms"] + late_ms
        play["confidence"] = 0.97
    return document


TRUTH = timed(random_hand(7, illegal=1).events)
ILLEGAL = next(play["event"] for play in score_record(TRUTH)["plays"] if play["ruling"] == "illegal")


def test_a_run_without_fault_scores_full() -> None:
    score = score_film(run_of(TRUTH), TRUTH)
    assert (score.plays, score.plays_right, score.cards_right) == (36, 36, 36)
    assert (score.points_right, score.winners_right) == (1, 1)
    assert (score.illegal, score.illegal_flagged, score.legal, score.false_flags) == (1, 1, 35, 0)
    assert score.as_json()["delay_ms"] == {"median": 200, "95%": 200}
    assert score.reliability() == [{"from": 0.95, "to": 0.99, "plays": 36, "right": 1.0}]
    assert not score.mistakes


def test_one_play_missed_does_not_shift_the_others() -> None:
    run = run_of(TRUTH)
    missed = run["plays"].pop(10)
    score = score_film(run, TRUTH)
    assert (score.plays_right, score.plays_missed, score.plays_added) == (35, 1, 0)
    assert missed["card"] in score.mistakes[0]


def test_a_mistake_tells_how_the_cards_were_taken_and_what_disturbed() -> None:
    at = next(i for i, event in enumerate(TRUTH) if event["type"] == "play" and event["takes"])
    t_ms = TRUTH[at]["t_ms"]
    happenings = [{"kind": "deal", "from_ms": 0, "to_ms": 10**6},
                  {"kind": "lean", "from_ms": t_ms - 900, "to_ms": t_ms},
                  {"kind": "rest", "from_ms": t_ms + 200, "to_ms": t_ms + 900},
                  {"kind": "focus", "from_ms": t_ms + 1800, "to_ms": t_ms + 1900}]
    truth = [dict(event) for event in TRUTH]
    truth[0]["film"] = {"happenings": happenings}
    truth[at] |= {"taking": "held", "settled_ms": t_ms + 300}
    run = run_of(TRUTH)
    del run["plays"][at - 2]
    assert score_film(run, truth, "a").mistakes[0].endswith("[card held, lean, rest]")
    assert not score_film(run, TRUTH, "a").mistakes[0].endswith("]")


def test_a_play_that_was_not_shown_counts_as_added() -> None:
    run = run_of(TRUTH)
    run["plays"].insert(5, {"event": 99, "player": 0, "card": "9X", "takes": [], "ruling": "illegal"})
    score = score_film(run, TRUTH)
    assert (score.plays_right, score.plays_added, score.false_flags) == (36, 1, 0)


@pytest.mark.parametrize(("change", "cards_right"), [
    ({"player": None}, 36), ({"takes": ["9X"]}, 36), ({"card": None}, 35), ({"card": "9X"}, 35),
])
def test_a_play_is_right_only_with_player_card_and_takes(change: dict, cards_right: int) -> None:
    run = run_of(TRUTH)
    run["plays"][4].update(change)
    score = score_film(run, TRUTH)
    assert (score.plays_right, score.cards_right, len(score.mistakes)) == (35, cards_right, 1)


def test_a_legal_play_ruled_illegal_is_a_false_flag_and_an_unflagged_illegal_one_is_missed() -> None:
    run = run_of(TRUTH)
    for play in run["plays"]:
        play["ruling"] = "legal" if play["event"] == ILLEGAL else "illegal"
    score = score_film(run, TRUTH)
    assert (score.illegal_flagged, score.false_flags) == (0, 35)


def test_points_are_compared_name_by_name_and_side_by_side() -> None:
    run = run_of(TRUTH)
    sides = run["hands"][0]["sides"]
    sides[0]["points"], sides[1]["points"] = sides[1]["points"], sides[0]["points"]
    score = score_film(run, TRUTH)
    assert score.points_right == 0
    assert "instead of" in score.mistakes[0]


def test_a_run_that_read_nothing_scores_nothing() -> None:
    score = score_film({}, TRUTH)
    assert (score.plays_right, score.plays_missed, score.points_right) == (0, 36, 0)


def test_pairs_keep_their_order() -> None:
    plays = [{"card": code, "player": 0, "takes": []} for code in ("1d", "2d", "3d")]
    pairs = pair_plays(plays, [plays[2], plays[0]])
    assert [a and a["card"] for a, _ in pairs if a] == ["1d", "2d", "3d"]
    assert [b and b["card"] for _, b in pairs if b] == ["3d", "1d"]


def test_scores_add_up() -> None:
    total = FilmScore()
    total.add(score_film(run_of(TRUTH, 100), TRUTH))
    total.add(score_film({}, TRUTH))
    assert (total.films, total.plays, total.plays_right, total.points_right) == (2, 72, 36, 1)
    assert total.as_json()["plays_right_share"] == 0.5
    assert len(total.delays_ms) == 36


def test_the_command_says_whether_the_points_are_right(tmp_path: Path) -> None:
    truth, right, wrong = tmp_path / "film.jsonl", tmp_path / "right.json", tmp_path / "wrong.json"
    truth.write_text(write_record(TRUTH), encoding="utf-8")
    right.write_text(json.dumps(run_of(TRUTH)), encoding="utf-8")
    wrong.write_text("{}", encoding="utf-8")
    good = CliRunner().invoke(main, [str(right), str(truth), "--json"])
    assert good.exit_code == 0 and json.loads(good.output)["plays_right"] == 36
    poor = CliRunner().invoke(main, [str(wrong), str(truth)])
    assert poor.exit_code == 1 and "0 of 36" in poor.output
    wrong.write_text("no", encoding="utf-8")
    bad = CliRunner().invoke(main, [str(wrong), str(truth)])
    assert bad.exit_code == 2 and "wrong.json" in bad.output


def test_a_suite_adds_up_the_films_of_a_folder(tmp_path: Path) -> None:
    for name, document in (("a", run_of(TRUTH)), ("b", {})):
        (tmp_path / f"{name}.jsonl").write_text(write_record(TRUTH), encoding="utf-8")
        (tmp_path / f"{name}.run.json").write_text(json.dumps(document), encoding="utf-8")
    done = CliRunner().invoke(main, ["--suite", str(tmp_path), "--json"])
    total = json.loads(done.output)
    assert (total["films"], total["plays_right"], total["points_right"], done.exit_code) == (2, 36, 1, 1)


def test_a_suite_without_films_and_a_run_without_truth_are_refused(tmp_path: Path) -> None:
    empty = CliRunner().invoke(main, ["--suite", str(tmp_path)])
    assert empty.exit_code == 2 and "watch its films first" in empty.output
    alone = CliRunner().invoke(main, [])
    assert alone.exit_code == 2 and "--suite" in alone.output
