"""The films that the referee is measured on: a fixed mixture of games, disputes and cameras, made from fixed seeds.

Any number of films from the first on is a fair sample of all. Tables, hands and decks are those of the test split.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2

from datasets.slaps.hands import Persons
from datasets.slaps.write import prepare, write_film

FIRST_SEED = 70_000

#: What twenty films in a row show.
_KINDS = (("slapjack", "slap"), ("irish-snap", "slap"), ("slapjack", "false"), ("slapjack", "slap"),
          ("slapjack", "feint"), ("irish-snap", "slap"), ("spit", "landings"), ("slapjack", "slap"),
          ("slapjack", "late"), ("slapjack", "slap"), ("irish-snap", "slap"), ("spit", "grab"),
          ("slapjack", "false"), ("slapjack", "quiet"), ("irish-snap", "feint"), ("irish-snap", "slap"),
          ("slapjack", "slap"), ("spit", "landings"), ("irish-snap", "false"), ("slapjack", "slap"))

#: Frame rates of seven films in a row.
_RATES = (30, 30, 60, 25, 30, 30, 60)


@dataclass(frozen=True, slots=True)
class SuiteFilm:
    """One film of the suite."""

    name: str
    seed: int
    game: str
    kind: str
    fps: float


def suite_films(count: int, first: int = 0) -> list[SuiteFilm]:
    """Return the films of the suite with the numbers from `first` on."""
    return [SuiteFilm(f"{number:03d}", FIRST_SEED + number, *_KINDS[number % len(_KINDS)],
                      _RATES[number % len(_RATES)]) for number in range(first, first + count)]


def film_suite(folder: Path, films: list[SuiteFilm], size: tuple[int, int], *, workers: int = 1,
               split: str = "test", told: Callable[[str], None] = lambda text: None) -> None:
    """Write the films of a suite that are not there yet.

    Args:
        folder: where to write; what is complete there is kept.
        films: which films.
        size: width and height, px.
        workers: how many processes draw.
        split: whose tables, hands and decks.
        told: called with a line for each film that is done.
    """
    jobs = [(folder, film, size, split) for film in films if not (folder / f"{film.name}.json").is_file()]
    if workers == 1:
        for job in jobs:
            told(_make(job))
        return
    # OpenCV's own threads do not survive the fork: workers would wait for them for ever.
    cv2.setNumThreads(0)
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for line in pool.imap(_make, jobs):
            told(line)


def _make(job: tuple[Path, SuiteFilm, tuple[int, int], str]) -> str:
    folder, wanted, size, split = job
    began = time.monotonic()
    film = prepare(wanted.seed, size=size, fps=wanted.fps, split=split, game=wanted.game, kind=wanted.kind,
                   persons=Persons(split))
    path = write_film(film, folder, wanted.name)
    return f"{path} {wanted.game} {wanted.kind} {len(film.slots)} frames {time.monotonic() - began:.1f} s"
