from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arbitro.cli import COMMANDS
from arbitro.errors import is_about_input
from rules.tracker import UnknownGameError
from tests.arbitro.conftest import Ran

ROOT = Path(__file__).resolve().parents[2]
Arbitro = Callable[..., Ran]

HAND = [
    {"type": "match", "format": 1, "game": "scopa", "players": ["Anna", "Bruno"], "dealer": 0, "options": {}},
    {"type": "deal", "table": ["4d", "3c", "7b", "Rd"]},
    {"type": "play", "player": 1, "card": "7s", "takes": ["4d", "3c"]},
    {"type": "play", "player": 0, "card": "Rb", "takes": ["Rd"]},
    {"type": "play", "player": 1, "card": "7d", "takes": ["7b"]},
]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "hand.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in HAND), encoding="utf-8")
    return path


def test_help_names_every_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from arbitro.__main__ import main; status = main(['--help'])\n"
        "heavy = {'cv2', 'numpy', 'onnxruntime', 'flask', 'pydantic', 'av'} & set(sys.modules)\n"
        "sys.exit(status or bool(heavy))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    for command in COMMANDS:
        assert command in ran.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help(arbitro: Arbitro, command: str) -> None:
    ran = arbitro(command, "--help")
    assert ran.status == 0
    assert ran.out.startswith(f"Usage: arbitro {command}")


def test_without_a_command_help_is_shown(arbitro: Arbitro) -> None:
    ran = arbitro()
    assert ran.status == 0
    assert "Commands:" in ran.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["scor"], "no command “scor”: did you mean score?"),
        (["xyzzy"], "no command “xyzzy”"),
        (["--jsn"], "--jsn"),
        (["score", "--josn", "x"], "'--json'"),
        (["watch", "--payers", "A,B", "0"], "'--players'"),
        (["score"], "RECORD"),
        (["count"], "IMAGE"),
        (["score", "nowhere.jsonl"], "there is no file nowhere.jsonl"),
        (["score", "."], "is a folder"),
        (["--settings", "nowhere.toml", "doctor"], "nowhere.toml cannot be read"),
        (["watch", "nowhere.mp4", "--option", "tarjet=16"], "did you mean target?"),
        (["watch", "nowhere.mp4", "--game", "scoppa"], "did you mean scopa?"),
        (["watch", "nowhere.mp4", "--dealer", "5"], "the seats are 0 to 1"),
        (["count", "x.jpg", "--game", "slapjack"], "no pile to count"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arbitro: Arbitro, arguments: list[str], complaint: str) -> None:
    assert complaint in arbitro(*arguments).complaint


def test_a_game_whose_plays_are_not_followed_is_the_callers_to_change() -> None:
    assert is_about_input(UnknownGameError("the game 'speed' is not one whose plays are followed"))
    assert not is_about_input(ValueError("a bug"))


def test_an_unexpected_error_is_one_line_and_in_the_log(
    arbitro: Arbitro, record: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a\nbug")

    monkeypatch.setattr("scorer.score_record", broken)
    line = arbitro("score", record).complaint
    assert "should not have happened" in line
    log = tmp_path / "home" / "arbitro.log"
    assert str(log) in line
    assert "Traceback" in log.read_text(encoding="utf-8")


def test_ctrl_c_says_so_without_a_traceback(
    arbitro: Arbitro, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("scorer.score_record", interrupted)
    ran = arbitro("score", record)
    assert (ran.status, ran.out, ran.err.strip()) == (1, "", "arbitro: stopped")


# score


def test_score_as_json_is_the_document(arbitro: Arbitro, record: Path) -> None:
    ran = arbitro("score", record, "--json")
    assert ran.status == 0
    assert ran.err == ""
    document = ran.document
    assert [play["ruling"] for play in document["plays"]] == ["illegal", "legal", "legal"]
    assert document["plays"][0]["reasons"] == ["single-card-precedence"]
    assert document["plays"][2]["sweep"] is True


def test_score_for_people_is_a_table_with_every_ruling(arbitro: Arbitro, record: Path) -> None:
    ran = arbitro("score", record)
    assert ran.status == 0
    assert "illegal: an equal card lay there" in ran.out
    assert "(README.md#2)" in ran.out
    assert "settebello" in ran.out
    assert ran.out.endswith("\n")
    assert not ran.out.endswith("\n\n")


def test_score_explains_play_by_play_in_both_languages(arbitro: Arbitro, record: Path) -> None:
    english = arbitro("score", record, "--explain").out
    italian = arbitro("score", record, "--explain", "--lang", "it").out
    for told in (english, italian):
        assert [line.split()[0] for line in told.splitlines() if line.startswith("4.")] == ["4."]
    assert english != italian


def test_score_reads_standard_input(arbitro: Arbitro, record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(record.read_bytes())))
    assert arbitro("score", "-", "--json").document["players"] == ["Anna", "Bruno"]


def test_score_of_a_closed_standard_input_says_so(arbitro: Arbitro, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert "standard input is closed" in arbitro("score", "-").complaint


def test_score_does_not_read_without_end(arbitro: Arbitro, monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            return len(buffer)

    monkeypatch.setattr("arbitro.commands.score.MAX_RECORD_BYTES", 1_000_000)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(Endless())))
    assert "longer than 1 MB" in arbitro("score", "-").complaint


def test_score_of_a_record_that_breaks_off_is_the_state_so_far(arbitro: Arbitro, record: Path) -> None:
    record.write_text(record.read_text(encoding="utf-8") + '{"type": "pla', encoding="utf-8")
    ran = arbitro("score", record, "--json")
    assert ran.status == 0
    assert len(ran.document["plays"]) == 3
    assert "breaks off" in ran.err


def test_score_names_the_line_that_is_wrong(arbitro: Arbitro, record: Path) -> None:
    record.write_text(record.read_text(encoding="utf-8").replace('"7d"', '"8d"'), encoding="utf-8")
    assert "line 5" in arbitro("score", record).complaint


@pytest.mark.parametrize(
    "event",
    [
        {"type": "match", "game": "slapjack", "players": ["Anna", "Bruno"]},
        {"type": "match", "game": "irish-snap", "players": ["Anna", "Bruno"]},
    ],
)
def test_score_of_a_slap_game_can_be_printed(
    arbitro: Arbitro, tmp_path: Path, event: dict[str, object]
) -> None:
    path = tmp_path / "slaps.jsonl"
    events = [
        event,
        {"type": "flip", "player": 1, "card": "JS", "t_ms": 1200},
        {"type": "slap", "player": 0, "t_ms": 1500, "error_ms": 17},
        {"type": "slap", "player": 1, "t_ms": 1800, "error_ms": 17},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in events), encoding="utf-8")
    ran = arbitro("score", path)
    assert ran.status == 0, ran.err
    assert "Anna" in ran.out


def test_the_doctor_named_what_it_checked_in_english_to_italians(arbitro: Callable[..., Ran]) -> None:
    said = arbitro("doctor", "--lang", "it").out
    assert "programma" in said and "disco" in said and "modello" in said
    assert "program " not in said and "disk" not in said
    checks = {check["check"] for check in arbitro("doctor", "--lang", "it", "--json").document["checks"]}
    assert checks == {"program", "disk", "model"}
