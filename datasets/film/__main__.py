"""Film a hand of cards: `python -m datasets.film --seed 7 --style calm --size 1280x720 --out films`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from datasets.film.faces import FaceSource
from datasets.film.hands import HandPlan, plan_of_record, random_hand
from datasets.film.script import STYLES
from datasets.film.write import make_film
from datasets.render.surfaces import KINDS
from rules.record import RecordError, parse_record


def parse_size(text: str) -> tuple[int, int]:
    """Read a size such as `1280x720`.

    Raises:
        ValueError: for anything else.
    """
    match = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text.strip().lower())
    if match is None:
        raise ValueError(f"a size is written like 1280x720, not {text!r}")
    return int(match[1]), int(match[2])


@click.command()
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same film.")
@click.option("--style", type=click.Choice(sorted(STYLES)), default="calm", show_default=True, help="Pace of play.")
@click.option("--size", default="1280x720", show_default=True, help="Width x height in pixels, both even.")
@click.option("--fps", default=30.0, show_default=True, help="Frames a second, 10 to 60.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write into.")
@click.option("--name", default=None, help="Name of the files; GAME-STYLE-SEED if not given.")
@click.option("--deck", default="italian", show_default=True, help="italian, french, or a folder of card pictures.")
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Film this hand record.")
@click.option("--game", type=click.Choice(["scopa"]), default="scopa", show_default=True)
@click.option("--players", type=click.Choice(["2", "4"]), default="2", show_default=True, help="4 play in pairs.")
@click.option("--dealer", default=0, show_default=True, help="Seat of the dealer.")
@click.option("--illegal", default=0, show_default=True, help="How many illegal plays to plant.")
@click.option("--table", type=click.Choice(KINDS), default=None, help="Kind of table.")
@click.option("--tilt", type=click.FloatRange(0, 45), default=None, help="Lean of the camera in degrees.")
@click.option("--crf", type=click.IntRange(0, 51), default=23, show_default=True, help="Quality of the H.264 file.")
@click.option("--preset", default="veryfast", show_default=True, help="x264's preset.")
@click.option("--truth", is_flag=True, help="Also write where every card is in every frame.")
def main(seed: int, style: str, size: str, fps: float, out: Path, name: str | None, deck: str, record: Path | None,
         game: str, players: str, dealer: int, illegal: int, table: str | None, tilt: float | None, crf: int,
         preset: str, truth: bool) -> None:
    """Film a whole hand of cards as a camera above the table sees it, with its true record beside it."""
    try:
        plan = (_read_plan(record) if record is not None else
                random_hand(seed, players=int(players), codes=FaceSource(deck).codes, dealer=dealer, illegal=illegal))
        files = make_film(plan, out, name or f"{game}-{style}-{seed}", seed=seed, style=style, size=parse_size(size),
                          fps=fps, deck=deck, table=table, tilt_degrees=tilt, crf=crf, preset=preset, with_truth=truth,
                          progress=_show_progress)
    except (ValueError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    click.echo(files.film)


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
