"""How fast each stage of the program is on this machine.

Owns what the stages are measured on: the demo's film, and a drawn table at 1080p with twelve cards of the project's own
deck. `arbitro bench` shows it.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from arbitro.eyes import CardEyes, faces_of
from arbitro.memory import Memory
from arbitro.preview import jpeg_of
from arbitro.schedule import Schedule
from arbitro.settings import Settings
from datasets.decks import load_face
from datasets.film import demo_film_path
from rules import capture_game
from rules.captures import sets_with_sum
from rules.cards import ITALIAN_CODES, ITALIAN_DECK, Card
from rules.games import scopa
from rules.record import parse_record, read_header
from scorer import score_record
from vision.camera import Camera, Frame
from vision.crops import straighten
from vision.models import Models
from vision.reading import CardReader

FULL_HD = (1920, 1080)
PHOTO_PX = (4000, 3000)
CARDS = ITALIAN_CODES[::3][:12]
"""Faces that lie on the drawn table."""
MOST_RUNS = 50
_CARD_PX = 230
_CLOTH_BGR = (70, 95, 60)
_SEED = 12
_MOST_SETTLING_LOOKS = 30
"""Looks after which it is no longer waited for that the eyes have read everything that lies still."""

Stage = tuple[str, str, Callable[[], object]]
"""What is measured, what one run of it is of, and the run."""


def measure_stages(threads: int, seconds: float, progress: Callable[[str], None]) -> list[dict[str, Any]]:
    """Measure each stage for about so many seconds.

    Args:
        threads: how many threads a model computes with.
        seconds: time given to each stage.
        progress: is told what comes next.

    Returns:
        For each stage "stage", "per" (what one run is of), "median_ms", "runs".

    Raises:
        ModelError: if a model is missing or unfit.
    """
    measured = []
    for name, unit, run in [*_seeing(threads), *_ruling()]:
        progress(f"measuring: {name}")
        measured.append({"stage": name, "per": unit, **_timed(run, seconds)})
    return measured


def drawn_table() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Draw twelve cards of the Italian deck on a cloth, each turned a little.

    Returns:
        The picture (1080, 1920, 3) uint8 BGR, and the cards' corners (12, 4, 2) float32 in pixels, in the order of
        `CARDS` and that of `Detections`.
    """
    rng = np.random.default_rng(_SEED)
    width, height = FULL_HD
    picture = np.full((height, width, 3), _CLOTH_BGR, np.float32)
    picture += cv2.resize(rng.normal(0, 10, (270, 480)).astype(np.float32), FULL_HD)[..., None]
    quads = []
    for number, code in enumerate(CARDS):
        face = load_face("italian", code, _CARD_PX)
        centre = (250.0 + 470 * (number % 4), 210.0 + 330 * (number // 4))
        box = cv2.boxPoints((centre, (face.shape[1], face.shape[0]), float(rng.uniform(-25, 25))))
        corners = np.roll(box, -1, axis=0).astype(np.float32)  # begins at the top left, clockwise
        source = np.array(
            [[0, 0], [face.shape[1], 0], [face.shape[1], face.shape[0]], [0, face.shape[0]]], np.float32
        )
        laid = cv2.warpPerspective(
            face.astype(np.float32), cv2.getPerspectiveTransform(source, corners), FULL_HD
        )
        alpha = laid[..., 3:] / 255
        picture = picture * (1 - alpha) + laid[..., :3] * alpha
        quads.append(corners)
    picture += rng.normal(0, 3, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8), np.array(quads, np.float32)


def _seeing(threads: int) -> list[Stage]:
    film = demo_film_path()
    with Camera.open(film) as camera:
        frames = [frame for frame, _ in zip(camera, range(240), strict=False)]
    photo = np.asarray(cv2.resize(frames[-1].image, PHOTO_PX, interpolation=cv2.INTER_CUBIC), np.uint8)
    table, quads = drawn_table()
    reader = CardReader(Models(threads=threads))
    detector, classifier = reader.detector, reader.classifier
    crops = straighten(table, quads, classifier.size)
    both_ways = np.concatenate([crops, crops[:, ::-1, ::-1]])
    schedule = Schedule(30, 500, Settings().watching.motion)
    eyes = CardEyes(reader.finder, classifier, faces_of("scopa"), Memory(family="italian"))
    times_ms = itertools.count(0, 100)
    decoding = Camera.open(film)

    def decode() -> None:
        nonlocal decoding
        if decoding.read() is None:
            decoding.close()
            decoding = Camera.open(film)

    def look_again() -> None:
        t_ms = next(times_ms)
        eyes.look(Frame(table, float(t_ms), t_ms))

    for _ in range(_MOST_SETTLING_LOOKS):
        look_again()
        if not eyes.is_restless:
            break

    moments_ms = itertools.count(0, 40)
    return [
        ("decoding the demo film", "frame", decode),
        ("looking for motion, 1080p", "frame", lambda: schedule.is_due(table, next(moments_ms))),
        ("detector, 1080p", "frame", lambda: detector.detect(table)),
        ("cutting out a card", "card", lambda: straighten(table, quads[:1], classifier.size)),
        ("classifier's network, one card", "card", lambda: classifier.run(both_ways[[0, 12]])),
        ("classifier's network, 12 cards", "12 cards", lambda: classifier.run(both_ways)),
        ("corners of 12 cards", "12 cards", lambda: classifier.corners.locate(table, quads)),
        ("reading one card", "card", lambda: classifier.read(table, quads[:1])),
        ("reading 12 cards", "12 cards", lambda: classifier.read(table, quads)),
        ("12 new cards, 1080p", "frame", lambda: reader.look(table)),
        ("a look with nothing new, 1080p", "look", look_again),
        ("reading a 12-megapixel photo", "photo", lambda: reader.read_picture(photo)),
        ("picture for the dashboard", "picture", lambda: jpeg_of(table, 1280, 80)),
    ]


def _ruling() -> list[Stage]:
    record = parse_record(demo_film_path().with_suffix(".jsonl").read_bytes()).events
    header = read_header(record[0])
    table = [Card.parse(code) for code in ("4d", "3c", "1b", "2s")]
    hand, _ = capture_game.deal(scopa.RULES, header, 0, table, ITALIAN_DECK)
    seven = Card.parse("7s")
    # At scopa di quindici a three looks for sets of 12: on four aces, four twos and four threes there are 426.
    low = [card for card in ITALIAN_DECK if card.value <= 3]
    return [
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
    while len(times_ms) < MOST_RUNS and (time.perf_counter() < until or not times_ms):
        begun = time.perf_counter()
        run()
        times_ms.append((time.perf_counter() - begun) * 1000)
    return {"median_ms": round(statistics.median(times_ms), 3), "runs": len(times_ms)}
