"""`arbitro bench`: how fast each stage is on this machine."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from arbitro.cli import json_option, print_json, tell
from arbitro.errors import DONE

_PHOTO_SIZE = (4000, 3000)
_MOST_RUNS = 50


@click.command()
@click.option(
    "--seconds", type=click.FloatRange(0.1, 60), default=1.5, show_default=True, help="Time given to each stage.",
)  # fmt: skip
@json_option
@click.pass_obj
def bench(settings_file: Path | None, seconds: float, as_json: bool) -> int:
    """Measure the speed of each stage on frames of the demo film; times are medians in milliseconds."""
    from arbitro.settings import load_settings

    stages = _stages(load_settings(settings_file).computing.threads)
    measured: list[dict[str, Any]] = []
    for name, unit, run in stages:
        tell(f"measuring: {name}")
        measured.append({"stage": name, "per": unit, **_timed(run, seconds)})
    document = {"stages": measured, "memory_mb": _memory_mb()}
    if as_json:
        print_json(document)
    else:
        for stage in measured:
            click.echo(
                f"{stage['stage']:<28}{stage['median_ms']:>10.2f} ms per {stage['per']}  ({stage['runs']} runs)"
            )
        if document["memory_mb"] is not None:
            click.echo(f"{'memory, at most':<28}{document['memory_mb']:>10.0f} MB")
    return DONE


def _stages(threads: int) -> list[tuple[str, str, Callable[[], object]]]:
    import cv2
    import numpy as np

    from arbitro.preview import jpeg_of
    from arbitro.schedule import Schedule
    from datasets.film import demo_film_path
    from rules import capture_game
    from rules.captures import sets_with_sum
    from rules.cards import ITALIAN_DECK, Card
    from rules.games import scopa
    from rules.record import parse_record, read_header
    from scorer import score_record
    from vision.boxes import is_card
    from vision.camera import Camera
    from vision.models import Models
    from vision.reading import CardReader

    film = demo_film_path()
    with Camera.open(film) as camera:
        frames = [frame for frame, _ in zip(camera, range(240), strict=False)]
    image = frames[-1].image
    full_hd = np.asarray(cv2.resize(image, (1920, 1080)), np.uint8)
    photo = np.asarray(cv2.resize(image, _PHOTO_SIZE, interpolation=cv2.INTER_CUBIC), np.uint8)
    reader = CardReader(Models(threads=threads))
    detector, classifier = reader.detector, reader.classifier
    found = detector.detect(image)
    quads = found.pick(is_card(found.class_ids)).quads
    ten = np.concatenate([quads] * 10)[:10] if len(quads) else np.zeros((0, 4, 2), np.float32)
    record = parse_record(film.with_suffix(".jsonl").read_bytes()).events
    header = read_header(record[0])
    table = [Card.parse(code) for code in ("4d", "3c", "1b", "2s")]
    hand, _ = capture_game.deal(scopa.RULES, header, 0, table, ITALIAN_DECK)
    seven = Card.parse("7s")
    # At scopa di quindici a three looks for sets of 12: on four aces, four twos and four threes there are 426.
    low = [card for card in ITALIAN_DECK if card.value <= 3]
    schedule = Schedule(30, 500, 0.004)
    decoding = Camera.open(film)
    times_ms = iter(range(0, 10**9, 40))

    def decode() -> None:
        nonlocal decoding
        if decoding.read() is None:
            decoding.close()
            decoding = Camera.open(film)

    return [
        ("decoding the demo film", "frame", decode),
        ("looking for motion, 1080p", "frame", lambda: schedule.is_due(full_hd, next(times_ms))),
        ("detector, 1080p", "frame", lambda: detector.detect(full_hd)),
        ("classifier, one card", "card", lambda: classifier.read(image, ten[:1])),
        ("classifier, ten cards", "10 cards", lambda: classifier.read(image, ten)),
        ("reading a 12-megapixel photo", "photo", lambda: reader.read_picture(photo)),
        ("picture for the dashboard", "picture", lambda: jpeg_of(full_hd, 1280, 80)),
        (
            "ruling one play",
            "play",
            lambda: capture_game.play(scopa.RULES, header, hand, 1, seven, table[:2], ITALIAN_DECK),
        ),
        (f"captures, worst of {len(low)} cards", "table", lambda: sets_with_sum(low, 12)),
        ("ruling and counting a hand", "hand", lambda: score_record(record)),
    ]


def _timed(run: Callable[[], object], seconds: float) -> dict[str, Any]:
    """Run something for about so many seconds and return its median time, without the first run, which warms up."""
    run()
    times_ms: list[float] = []
    until = time.perf_counter() + seconds
    while len(times_ms) < _MOST_RUNS and (time.perf_counter() < until or not times_ms):
        begun = time.perf_counter()
        run()
        times_ms.append((time.perf_counter() - begun) * 1000)
    return {"median_ms": round(statistics.median(times_ms), 3), "runs": len(times_ms)}


def _memory_mb() -> float | None:
    """Return the most memory that this process has held, None where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1_000_000 if sys.platform == "darwin" else 1000), 1)
