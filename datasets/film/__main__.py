"""Film a hand of cards: `python -m datasets.film --seed 7 --style calm --size 1280x720 --out films`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from datasets.film.faces import FaceSource
from datasets.film.hands import HandPlan, plan_of_record, random_hand
from datasets.film.layout import SIDES
from datasets.film.script import STYLES
from datasets.film.setting import STAGES
from datasets.film.write import make_film
from datasets.render.surfaces import KINDS
from rules.cards import FRENCH_40_CODES
from rules.record import CAPTURE_GAMES, RecordError, parse_record


def parse_size(text: str) -> tuple[int, int]:
    """Read a size such as `1280x720`.

    Raises:
        ValueError: for anything else.
    """
    match = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text.strip().lower())
    if match is None:
        raise ValueError(f"a size is written like 1280x720, not {text!r}")
    return int(match[1]), int(match[2])


def parse_options(given: Sequence[str]) -> dict[str, str]:
    """Read options of a game, each `name=value`.

    Raises:
        ValueError: for a text that is not of that form.
    """
    for text in given:
        if "=" not in text:
            raise ValueError(f"an option is written like napola=yes, not {text!r}")
    return dict(text.split("=", 1) for text in given)


def parse_seats(text: str | None) -> tuple[str, ...]:
    """Read where players sit: sides of the table with commas between them, or nothing for the usual ones."""
    return tuple(side.strip() for side in text.split(",")) if text else ()


def habits_of(habits: str | None, style: str, stage: str, game: str) -> str:
    """Return the players' habits if none are asked for: `shown` where films were made before there were others."""
    return habits or ("shown" if stage == "own" and game == "scopa" and not STYLES[style].mess else "mixed")


@click.command()
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same film.")
@click.option("--style", type=click.Choice(sorted(STYLES)), default="calm", show_default=True, help="Pace of play.")
@click.option("--size", default="1280x720", show_default=True, help="Width x height in pixels, both even.")
@click.option("--fps", default=30.0, show_default=True, help="Frames a second, 10 to 60.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write into.")
@click.option("--name", default=None, help="Name of the files; GAME-STYLE-SEED if not given.")
@click.option("--deck", default=None, help="italian, french, or a folder of card pictures; if not given as the game.")
@click.option("--stage", type=click.Choice(STAGES), default="own", show_default=True,
              help="Tables and hands: drawn by code, or photographed ones, of training or kept out of it.")
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Film this hand record.")
@click.option("--game", type=click.Choice(CAPTURE_GAMES), default="scopa", show_default=True)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game; repeatable.")
@click.option("--players", type=click.IntRange(2, 4), default=None, help="How many; 4 at Scopa play in pairs.")
@click.option("--seats", default=None, help=f"Where they sit, counter-clockwise, of {', '.join(SIDES)}: near,right.")
@click.option("--habits", type=click.Choice(["shown", "mixed"]), default=None,
              help="How players take: all show the card first, or each in a way of his own.")
@click.option("--dealer", default=0, show_default=True, help="Seat of the dealer.")
@click.option("--illegal", default=0, show_default=True, help="How many illegal plays to plant.")
@click.option("--table", type=click.Choice(KINDS), default=None, help="Kind of table.")
@click.option("--tilt", type=click.FloatRange(0, 45), default=None, help="Lean of the camera in degrees.")
@click.option("--crf", type=click.IntRange(0, 51), default=23, show_default=True, help="Quality of the H.264 file.")
@click.option("--preset", default="veryfast", show_default=True, help="x264's preset.")
@click.option("--truth", is_flag=True, help="Also write where every card is in every frame.")
def main(seed: int, style: str, size: str, fps: float, out: Path, name: str | None, deck: str | None, stage: str,
         record: Path | None, game: str, options: tuple[str, ...], players: int | None, seats: str | None,
         habits: str | None, dealer: int, illegal: int, table: str | None, tilt: float | None, crf: int, preset: str,
         truth: bool) -> None:
    """Film a whole hand of cards as a camera above the table sees it, with its true record beside it."""
    try:
        if record is not None:
            plan = _read_plan(record)
            deck = deck or ("french" if _is_french(plan) else "italian")
        else:
            deck = deck or usual_deck(game)
            plan = random_hand(seed, game=game, options=parse_options(options), players=players,
                               codes=FaceSource(deck).codes, dealer=dealer, illegal=illegal,
                               mixed_habits=habits_of(habits, style, stage, game) == "mixed")
        files = make_film(plan, out, name or f"{plan.events[0]['game']}-{style}-{seed}", seed=seed, style=style,
                          size=parse_size(size), fps=fps, deck=deck, table=table, tilt_degrees=tilt, stage=stage,
                          sides=parse_seats(seats), crf=crf, preset=preset, with_truth=truth, progress=_show_progress)
    except (ValueError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    click.echo(files.film)


def usual_deck(game: str) -> str:
    """Return which of the project's own decks a game is played with."""
    return "french" if game == "slurp" else "italian"


def _is_french(plan: HandPlan) -> bool:
    cards = [event["card"] for event in plan.events if event["type"] == "play"]
    return bool(cards) and cards[0] in FRENCH_40_CODES


def _read_plan(path: Path) -> HandPlan:
    try:
        return plan_of_record(parse_record(path.read_text(encoding="utf-8")).events)
    except RecordError as error:
        raise ValueError(f"{path}: {error}") from error


def _show_progress(done: int, count: int) -> None:
    if done % 100 == 0:
        click.echo(f"frame {done} of {count}", err=True)


if __name__ == "__main__":
    main()
