"""Film slaps: `python -m datasets.slaps --out FOLDER --count 12 --seed 1`, or `--suite FOLDER --count 400`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click
import cv2

from datasets.film.__main__ import parse_size
from datasets.slaps.case import GAMES, KINDS
from datasets.slaps.hands import Persons
from datasets.slaps.suite import film_suite, suite_films
from datasets.slaps.write import prepare, write_film


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write films into.")
@click.option("--suite", type=click.Path(path_type=Path, file_okay=False),
              help="Folder for the films that the referee is measured on; goes on where it was cut off.")
@click.option("--count", type=click.IntRange(1), default=1, show_default=True, help="How many films.")
@click.option("--seed", default=0, show_default=True,
              help="Seed of the first film, the next has the next seed; with --suite its number.")
@click.option("--fps", type=click.Choice(["25", "30", "60"]), default="30", show_default=True)
@click.option("--size", default="1280x720", show_default=True, help="Width x height in pixels, both even.")
@click.option("--game", type=click.Choice(GAMES), default=None, help="Any, if not given.")
@click.option("--kind", type=click.Choice(KINDS), default=None, help="What happens; anything, if not given.")
@click.option("--split", type=click.Choice(["train", "test"]), default=None,
              help="test: tables, hands and decks kept out of training; the suite's default, else train.")
@click.option("--outlines", is_flag=True, help="Also write the outlines of the hands in every frame.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes that draw the suite.")
def main(out: Path | None, suite: Path | None, count: int, seed: int, fps: str, size: str, game: str | None,
         kind: str | None, split: str | None, outlines: bool, workers: int) -> None:
    """Film hands slapping a pile of cards, with the exact truth beside each film."""
    cv2.setNumThreads(1)
    try:
        if (out is None) == (suite is None):
            raise ValueError("give one folder: --out for films of your choice, or --suite for the measured ones")
        if suite is not None:
            film_suite(suite, suite_films(count, seed), parse_size(size), workers=workers, split=split or "test",
                       told=lambda text: click.echo(text, err=True))
            return
        assert out is not None
        split = split or "train"
        persons = Persons(split)
        for number in range(seed, seed + count):
            began = time.monotonic()
            film = prepare(number, size=parse_size(size), fps=float(fps), split=split, game=game, kind=kind,
                           persons=persons)
            path = write_film(film, out, f"{number:03d}", with_outlines=outlines)
            case = film.stage.case
            click.echo(f"{path} {case.game} {case.kind} {len(case.hands)} hands {len(film.slots)} frames "
                       f"{time.monotonic() - began:.1f} s", err=True)
    except (ValueError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
