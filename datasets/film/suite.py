"""Film hands and measure how they are read: `python -m datasets.film.suite --count 20 --style calm --out films`.

Every hand is filmed, watched by `arbitro watch` in its own process, and compared with the truth. Films and documents
that are already there are used again, so that a run that was cut off goes on where it was.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from datasets.film.__main__ import parse_size
from datasets.film.faces import FaceSource
from datasets.film.hands import random_hand
from datasets.film.script import STYLES
from datasets.film.write import FilmFiles, make_film
from datasets.score_film import RUN_SUFFIX, FilmScore, read_truth, report, score_film

#: One hand in this many has an illegal play planted.
ILLEGAL_EVERY = 10



@dataclass(frozen=True, slots=True)
class SuitePlan:
    """Which hands are filmed and how: `count` seeds from `first` on."""

    first: int
    count: int
    style: str
    size: tuple[int, int]
    fps: float
    deck: str


def film_hands(plan: SuitePlan, folder: Path, told: Callable[[str], None]) -> list[FilmFiles]:
    """Film the hands of a plan, each once; what lies in the folder already is kept."""
    codes = FaceSource(plan.deck).codes
    deck = Path(plan.deck).name
    films = []
    for seed in range(plan.first, plan.first + plan.count):
        name = f"scopa-{deck}-{plan.style}-{plan.size[0]}x{plan.size[1]}-{plan.fps:g}-{seed}"
        record = folder / f"{name}.jsonl"
        if not record.is_file():  # written last
            told(f"filming {name}")
            illegal = int(seed % ILLEGAL_EVERY == ILLEGAL_EVERY - 1)
            hand = random_hand(seed, codes=codes, dealer=seed % 2, illegal=illegal)
            make_film(hand, folder, name, seed=seed, style=plan.style, size=plan.size, fps=plan.fps, deck=plan.deck)
        films.append(FilmFiles(folder / f"{name}.mp4", record, None))
    return films


def watch_film(film: FilmFiles) -> dict[str, Any] | None:
    """Run `arbitro watch` on a film and return its document, or None when it gave none.

    The document is kept beside the film as NAME.run.json; when it is there it is not made again.
    """
    kept = film.film.with_suffix(RUN_SUFFIX)
    if not kept.is_file():
        match = read_truth(film.record)[0]
        command = [sys.executable, "-m", "arbitro", "watch", str(film.film), "--json", "--no-dashboard",
                   "--game", match["game"], "--players", ",".join(match["players"]), "--dealer", str(match["dealer"])]
        for key, value in match.get("options", {}).items():
            command += ["--option", f"{key}={json.dumps(value)}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            document = json.loads(done.stdout)
        except json.JSONDecodeError:
            print(done.stderr[-2000:], file=sys.stderr)
            return None
        kept.write_text(json.dumps(document), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


def measure(films: list[FilmFiles], told: Callable[[str], None]) -> FilmScore:
    """Watch films and add up how well they were read."""
    total = FilmScore()
    for film in films:
        told(f"watching {film.film.name}")
        document, truth = watch_film(film), read_truth(film.record)
        score = score_film(document or {}, truth, film.film.stem)
        score.failed = int(document is None)
        told(f"  plays {score.plays_right} of {score.plays}, points {'right' if score.points_right else 'wrong'}")
        total.add(score)
    return total


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the films.")
@click.option("--count", default=20, show_default=True, help="How many hands.")
@click.option("--first", default=1000, show_default=True, help="Seed of the first hand.")
@click.option("--style", type=click.Choice(sorted(STYLES)), default="calm", show_default=True)
@click.option("--size", default="1280x720", show_default=True)
@click.option("--fps", default=30.0, show_default=True)
@click.option("--deck", default="italian", show_default=True, help="italian, french, or a folder of card pictures.")
@click.option("--film-only", is_flag=True, help="Film the hands and do not watch them.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def main(out: Path, count: int, first: int, style: str, size: str, fps: float, deck: str, film_only: bool,
         as_json: bool) -> None:
    """Film hands of Scopa, watch them and compare what was read with the truth."""
    def told(text: str) -> None:
        click.echo(text, err=True)

    try:
        films = film_hands(SuitePlan(first, count, style, parse_size(size), fps, deck), out, told)
    except (ValueError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    if film_only:
        return
    score = measure(films, told)
    click.echo(json.dumps(score.as_json(), ensure_ascii=False, indent=1) if as_json else report(score))


if __name__ == "__main__":
    main()
