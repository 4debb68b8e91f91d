"""Measuring many films: what is there already is used again."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from datasets.film import suite
from datasets.film.hands import HandPlan, random_hand
from datasets.film.suite import (
    ILLEGAL_EVERY,
    SuitePlan,
    film_hands,
    held_out_decks,
    main,
    measure,
    watch_film,
)
from datasets.film.write import FilmFiles
from datasets.render.assets import HELD_OUT_DECKS
from rules.options import read_options
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


def test_held_out_printings_take_turns_and_all_of_them_get_illegal_plays(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "shared_folder", lambda: tmp_path)
    assert {Path(deck).name for game in ("scopa", "scupuni", "slurp") for deck in held_out_decks(game)} <= set(
        HELD_OUT_DECKS)
    plan = replace(PLAN, decks=held_out_decks("scopa"), stage="held-out", habits="mixed")
    for seeds in (range(1000, 1040), range(1009, 1049, ILLEGAL_EVERY)):
        decks = [Path(plan.deck(seed)).name for seed in seeds]
        assert {decks.count(name) for name in suite.HELD_OUT["scopa"]} == {len(seeds) // 4}
    assert plan.name(1000) == (
        f"scopa-{Path(plan.deck(1000)).name}-brisk-320x180-10-held-out-mixed-1000")


def test_films_that_differ_have_different_names() -> None:
    plans = [PLAN, replace(PLAN, game="slurp"), replace(PLAN, options=(("napola", "yes"),)), replace(PLAN, players=3),
             replace(PLAN, sides=("left", "right")), replace(PLAN, stage="seen"), replace(PLAN, habits="mixed"),
             replace(PLAN, style="messy"), replace(PLAN, decks=("french",)), replace(PLAN, fps=15.0)]
    assert len({plan.name(7) for plan in plans}) == len(plans)
    assert PLAN.name(7) == "scopa-italian-brisk-320x180-10-7"


def test_without_the_art_of_real_decks_held_out_is_one_line(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "shared_folder", lambda: None)
    result = CliRunner().invoke(main, ["--out", str(tmp_path), "--decks", "held-out"])
    assert result.exit_code == 2
    assert "ARBITRO_SHARED" in result.output and "Traceback" not in result.output


@pytest.mark.parametrize(("options", "made"), [
    ([], ("scopa", "italian", "own", False)),
    (["--style", "messy"], ("scopa", "italian", "own", True)),
    (["--habits", "mixed"], ("scopa", "italian", "own", True)),
    (["--game", "slurp"], ("slurp", "french", "own", True)),
    (["--game", "scupuni", "--stage", "held-out"], ("scupuni", "italian", "held-out", True)),
    (["--stage", "held-out", "--habits", "shown"], ("scopa", "italian", "held-out", False)),
])
def test_a_suite_films_what_was_asked_for(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], made: tuple[str, str, str, bool]) -> None:
    seen = []

    def make(hand: HandPlan, folder: Path, name: str, **how: object) -> None:
        seen.append((hand.events[0]["game"], how["deck"], how["stage"], any("taking" in e for e in hand.events)))

    monkeypatch.setattr(suite, "make_film", make)
    result = CliRunner().invoke(main, ["--out", str(tmp_path), "--count", "1", "--film-only", *options])
    assert result.exit_code == 0, result.output
    assert seen == [made]


def test_options_are_handed_on_as_they_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"asso_piglia_tutto": "no_scopa", "napola": True, "target": 16}
    record = tmp_path / "a.jsonl"
    record.write_text(write_record(random_hand(1, options=options).events), encoding="utf-8")
    asked = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: asked.append(command) or
                        subprocess.CompletedProcess(command, 2, "", ""))
    watch_film(FilmFiles(tmp_path / "a.mp4", record, None))
    given = [asked[0][i + 1] for i, word in enumerate(asked[0]) if word == "--option"]
    assert given == ["asso_piglia_tutto=no_scopa", "napola=true", "target=16"]
    assert read_options("scopa", dict(one.split("=") for one in given))["asso_piglia_tutto"] == "no_scopa"


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
