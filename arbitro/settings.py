"""Settings that a table may want to change, each with its bounds and the reason for its value.

They are read from a TOML file (`arbitro --settings FILE`, else `settings.toml` in the program's own folder). A key that
does not exist is refused, so that a misspelt setting is never silently without effect.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arbitro.errors import nearest
from arbitro.places import home


class SettingsError(Exception):
    """The settings file cannot be used; the message is one line for people."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Watching(_Section):
    """How often and how closely the table is looked at."""

    looks_per_s: float = Field(
        10.0,
        ge=2,
        le=30,
        title="Looks per second while something moves",
        description="A hand crosses the table in about half a second: with 10 looks a laid card is seen lying before "
        "the next hand comes; more looks cost time that slow machines do not have.",
    )
    idle_ms: int = Field(
        500,
        ge=100,
        le=5000,
        title="Time between looks while nothing moves, in ms",
        description="Evidence for badly seen cards still adds up, and a resting table costs little.",
    )
    motion: float = Field(
        0.004,
        gt=0,
        lt=0.5,
        title="Part of the picture that must change to count as motion",
        description="A card covers at least 0.4 % of a picture in which it can be read; noise changes less once small "
        "differences are ignored.",
    )
    ask_below: float = Field(
        0.9,
        gt=0,
        lt=1,
        title="Confidence below which a play is asked about",
        description="One wrong play in ten among those asked is worth a tap; below that people are asked for nothing.",
    )


class Dashboard(_Section):
    """Where the dashboard is served and how it looks."""

    host: str = Field(
        "127.0.0.1",
        title="Address that the dashboard listens on",
        description="This machine alone. 0.0.0.0 lets phones in the same network in: who reaches it can correct plays.",
    )
    port: int = Field(
        8321,
        ge=1,
        le=65535,
        title="Port of the dashboard",
        description="Seldom taken by other programs; the next free one is used if it is.",
    )
    language: Literal["en", "it"] = Field(
        "en",
        title="Language for visitors who have not chosen",
        description="Each visitor can change it on the page.",
    )
    picture_width: int = Field(
        1280,
        ge=320,
        le=3840,
        title="Width of the picture shown, in pixels",
        description="Enough to read the cards on a screen; the full picture would cost time to compress.",
    )
    jpeg_quality: int = Field(
        80,
        ge=30,
        le=95,
        title="JPEG quality of the picture shown",
        description="Below 70 the pips of small cards blur; above 90 the picture only grows.",
    )


class Computing(_Section):
    """How much of the machine is used."""

    threads: int = Field(
        2,
        ge=1,
        le=32,
        title="Threads that each model computes with",
        description="More than two gain little on models of this size and take cores from decoding.",
    )


class Settings(_Section):
    """All settings."""

    watching: Watching = Watching()
    dashboard: Dashboard = Dashboard()
    computing: Computing = Computing()


def load_settings(path: Path | None = None) -> Settings:
    """Read the settings from a file, or from `settings.toml` in the program's folder if there is one.

    Raises `SettingsError` if a named file is missing, is not TOML, or holds an unknown key or a value out of bounds.
    """
    if path is None:
        path = home() / "settings.toml"
        if not path.is_file():
            return Settings()
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise SettingsError(f"the settings {path} cannot be read ({reason}); check the file's name") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"the settings {path} are not TOML: {error}") from None
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError(f"the settings {path}: {_first_complaint(error)}") from None


def _first_complaint(error: ValidationError) -> str:
    complaint = error.errors()[0]
    where = [str(part) for part in complaint["loc"]]
    if complaint["type"] == "extra_forbidden":
        fields = Settings.model_fields
        if len(where) > 1:
            section = fields[where[0]].annotation
            assert isinstance(section, type) and issubclass(section, BaseModel)
            fields = section.model_fields
        return f"there is no setting {'.'.join(where)}{nearest(where[-1], fields)}"
    return f"{'.'.join(where)}: {complaint['msg'][0].lower()}{complaint['msg'][1:]}"
