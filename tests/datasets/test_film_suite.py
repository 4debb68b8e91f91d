"""Measuring many films: what is there already is used again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from datasets.film import suite
from datasets.film.hands import random_hand
from datasets.film.suite import ILLEGAL_EVERY, SuitePlan, film_hands, main, measure, watch_film
from rules.record import write_record
from scorer import score_record

PLAN = SuitePlan(first=100, count=2, style="brisk", size=(320, 180), fps=10.0, decks=("italian",))


def filmed(folder: Path) -> list[str]:
    """Put records and faultless documents of the plan's hands into a folder, as if they had been filmed and watched."""
    names = []
    for seed in range(PLAN.first, PLAN.first + PLAN.count):
        name = f"scopa-italian-brisk-320x180-10-{seed}"
        events = random_hand(seed, dealer=seed % 2).events
        (folder / f"{name}.jsonl").write_text(write_record(events), encoding="utf-8")
        (folder / f"{name}.run.json").write_text(json.dumps(score_record(events)), encoding="utf-8")
        names.append(name)
    return names


def test_films_and_documents_that_are_there_are_used_again(tmp_path: Path) -> None:
    names = filmed(tmp_path)
    told: list[str] = []
    films = film_hands(PLAN, tmp_path, told.append)
    assert [film.film.stem for film in films] == names
    assert not told
    score = measure(films, told.append)
    assert (score.films, score.failed, score.plays_right, score.points_right) == (2, 0, 72, 2)
    assert sum("points right" in text for text in told) == 2


def test_a_film_is_made_when_its_record_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(suite, "make_film", lambda hand, folder, name, **how: made.append((name, hand.planted)))
    plan = SuitePlan(ILLEGAL_EVERY - 2, 2, "calm", (320, 180), 12.0, ("italian",))
    film_hands(plan, tmp_path, lambda text: None)
    assert [name for name, _ in made] == [f"scopa-italian-calm-320x180-12-{seed}" for seed in (8, 9)]
    assert [bool(planted) for _, planted in made] == [False, True]


def test_a_run_that_gives_no_document_counts_as_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filmed(tmp_path)
    films = film_hands(PLAN, tmp_path, lambda text: None)
    films[0].film.with_suffix(".run.json").unlink()
    asked = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 2, "", "no models")

    monkeypatch.setattr(subprocess, "run", run)
    score = measure(films, lambda text: None)
    assert (score.films, score.failed, score.plays_right) == (2, 1, 36)
    assert asked[0][1:5] == ["-m", "arbitro", "watch", str(films[0].film)]
    assert asked[0][asked[0].index("--players") + 1] == "Anna,Bruno"
    assert watch_film(films[0]) is None


def test_the_command_prints_the_sum_as_json(tmp_path: Path) -> None:
    filmed(tmp_path)
    result = CliRunner().invoke(main, ["--out", str(tmp_path), "--first", "100", "--count", "2", "--style", "brisk",
                                       "--size", "320x180", "--fps", "10", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["points_right"] == 2
    bad = CliRunner().invoke(main, ["--out", str(tmp_path), "--size", "big"])
    assert bad.exit_code == 2
