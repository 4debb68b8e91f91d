from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from arbitro.settings import Settings, SettingsError, load_settings


def written(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARBITRO_HOME", str(tmp_path))
    assert load_settings() == Settings()


def test_the_programs_own_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARBITRO_HOME", str(tmp_path))
    written(tmp_path, "[watching]\nlooks_per_s = 12\n")
    assert load_settings().watching.looks_per_s == 12


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[watching]\nlook_per_s = 12\n", "no setting watching.look_per_s: did you mean looks_per_s?"),
        ("[watchin]\nlooks_per_s = 12\n", "no setting watchin: did you mean watching?"),
        ("[dashboard]\nport = 99999\n", "dashboard.port: input should be less than or equal to 65535"),
        ("[dashboard]\nlanguage = 'fr'\n", "dashboard.language: input should be 'en' or 'it'"),
        ("[computing]\nthreads = 'many'\n", "computing.threads: input should be a valid integer"),
        ("port 8000", "are not TOML"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(written(tmp_path, text))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path / "none.toml")


def test_every_setting_says_what_it_is_and_why() -> None:
    for section in Settings.model_fields.values():
        assert isinstance(section.annotation, type) and issubclass(section.annotation, BaseModel)
        for name, field in section.annotation.model_fields.items():
            assert field.title, name
            assert field.description and field.description.endswith("."), name
