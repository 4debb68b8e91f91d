"""Film hands and measure how they are read: `python -m datasets.film.suite --style calm --decks held-out --out films`.

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

from datasets.film.__main__ import habits_of, parse_options, parse_seats, parse_size, usual_deck
from datasets.film.faces import FaceSource
from datasets.film.hands import USUAL_PLAYERS, random_hand
from datasets.film.script import STYLES
from datasets.film.setting import STAGES
from datasets.film.write import FilmFiles, make_film
from datasets.render.assets import shared_folder
from datasets.score_film import RUN_SUFFIX, FilmScore, read_truth, report, score_film
from rules.record import CAPTURE_GAMES

#: One hand in this many has an illegal play planted.
ILLEGAL_EVERY = 10

_NEAPOLITAN, _SICILIAN = "napoletane_modiano_numerone", "siciliane_dalnegro_profumato4"
_BRESCIAN, _FRENCH = "bresciane_zzandro_ccbysa", "fr_aguilar_lgpl3"

#: The printings kept out of training that each game is filmed with: those that it is played with.
HELD_OUT = {"scopa": (_NEAPOLITAN, _SICILIAN, _BRESCIAN, _FRENCH), "scupuni": (_SICILIAN,), "slurp": (_FRENCH,)}


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """Which hands are filmed and how: `count` seeds from `first` on.

    Attributes:
        decks: the hands take turns with them; each an own deck or a folder of pictures.
        stage: of `datasets.film.setting.STAGES`; habits: `shown` or `mixed`.
        game, options, players: what is played; sides: where they sit.
    """

    first: int
    count: int
    style: str
    size: tuple[int, int]
    fps: float
    decks: tuple[str, ...]
    stage: str = "own"
    habits: str = "shown"
    game: str = "scopa"
    options: tuple[tuple[str, str], ...] = ()
    players: int | None = None
    sides: tuple[str, ...] = ()

    def deck(self, seed: int) -> str:
        """Return the deck of a hand; each tenth hand, which has the illegal play, comes with another one in turn."""
        return self.decks[(seed + seed // ILLEGAL_EVERY) % len(self.decks)]

    def name(self, seed: int) -> str:
        """Return the name of a hand's files: all that tells it from other films."""
        how = [self.game, Path(self.deck(seed)).name, self.style, f"{self.size[0]}x{self.size[1]}", f"{self.fps:g}"]
        how += [f"{name}={value}" for name, value in self.options] + list(self.sides)
        how += [f"{self.players}p"] if self.players is not None else []
        how += [self.stage] if self.stage != "own" else []
        how += [self.habits] if self.habits != "shown" else []
        return "-".join([*how, str(seed)])


def held_out_decks(game: str) -> tuple[str, ...]:
    """Return the folders of the printings kept out of training that a game is filmed with.

    Raises:
        FileNotFoundError: where the shared folder with the art of real decks is not.
    """
    shared = shared_folder()
    if shared is None:
        raise FileNotFoundError("art of real decks is not here: set ARBITRO_SHARED to the folder that holds it")
    return tuple(str(shared / "art" / name) for name in HELD_OUT[game])


def film_hands(plan: SuitePlan, folder: Path, told: Callable[[str], None]) -> list[FilmFiles]:
    """Film the hands of a plan, each once; what lies in the folder already is kept."""
    films = []
    for seed in range(plan.first, plan.first + plan.count):
        name, deck = plan.name(seed), plan.deck(seed)
        record = folder / f"{name}.jsonl"
        if not record.is_file():  # written last
            told(f"filming {name}")
            illegal = int(seed % ILLEGAL_EVERY == ILLEGAL_EVERY - 1)
            hand = random_hand(seed, game=plan.game, options=dict(plan.options), players=plan.players,
                               codes=FaceSource(deck).codes, dealer=seed % (plan.players or USUAL_PLAYERS[plan.game]),
                               illegal=illegal, mixed_habits=plan.habits == "mixed")
            make_film(hand, folder, name, seed=seed, style=plan.style, size=plan.size, fps=plan.fps, deck=deck,
                      stage=plan.stage, sides=plan.sides)
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
            command += ["--option", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
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
@click.option("--game", type=click.Choice(CAPTURE_GAMES), default="scopa", show_default=True)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game; repeatable.")
@click.option("--players", type=click.IntRange(2, 4), default=None, help="How many, if not as many as usual.")
@click.option("--seats", default=None, help="Where they sit, as for `python -m datasets.film`.")
@click.option("--style", type=click.Choice(sorted(STYLES)), default="calm", show_default=True)
@click.option("--size", default="1280x720", show_default=True)
@click.option("--fps", default=30.0, show_default=True)
@click.option("--deck", default=None, help="italian, french, or a folder of card pictures.")
@click.option("--decks", type=click.Choice(["own", "held-out"]), default="own", show_default=True,
              help="held-out: in turn the printings kept out of training, on tables and by hands kept out of it.")
@click.option("--stage", type=click.Choice(STAGES), default=None, help="Tables and hands; as --decks if not given.")
@click.option("--habits", type=click.Choice(["shown", "mixed"]), default=None,
              help="How players take, as for `python -m datasets.film`.")
@click.option("--film-only", is_flag=True, help="Film the hands and do not watch them.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def main(out: Path, count: int, first: int, game: str, options: tuple[str, ...], players: int | None,
         seats: str | None, style: str, size: str, fps: float, deck: str | None, decks: str, stage: str | None,
         habits: str | None, film_only: bool, as_json: bool) -> None:
    """Film hands, watch them and compare what was read with the truth."""
    def told(text: str) -> None:
        click.echo(text, err=True)

    stage = stage or decks
    try:
        chosen = (deck,) if deck else held_out_decks(game) if decks == "held-out" else (usual_deck(game),)
        habits = habits_of(habits, style, stage, game)
        plan = SuitePlan(first, count, style, parse_size(size), fps, chosen, stage, habits, game,
                         tuple(parse_options(options).items()), players, parse_seats(seats))
        films = film_hands(plan, out, told)
    except (ValueError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    if film_only:
        return
    score = measure(films, told)
    click.echo(json.dumps(score.as_json(), ensure_ascii=False, indent=1) if as_json else report(score))


if __name__ == "__main__":
    main()
