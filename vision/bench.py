"""How fast this machine sees: the time of each stage on a made-up table.

Owns the measuring of vision alone; the pictures carry no cards that could be read, since the models' time
does not depend on what they see.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.boxes import portrait_quads
from vision.classifier import Classifier
from vision.detections import FACE, Detections
from vision.detector import Detector
from vision.models import Models
from vision.photo import decode_photo
from vision.reading import CardReader, read_together

FRAME_HW = (1080, 1920)
PHOTO_HW = (3000, 4000)
CARDS = 10
CROP_COUNTS = (1, 2, 10)
PHOTO_CARDS = 40


@dataclass(frozen=True)
class StageTime:
    """Say how long one stage takes.

    Attributes:
        stage: name, such as ``detector-1080p``.
        median_ms: median of the rounds in milliseconds.
        worst_ms: longest round in milliseconds.
        rounds: how many rounds were timed, after one that was not.
    """

    stage: str
    median_ms: float
    worst_ms: float
    rounds: int


def made_up_table(hw: tuple[int, int], cards: int, seed: int = 7) -> tuple[npt.NDArray[np.uint8], Detections]:
    """Draw a picture of (height, width) with that many white cards; return it with where they lie."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(60, 120, (hw[0] // 20, hw[1] // 20, 3), dtype=np.uint8)
    image = cv2.resize(coarse, (hw[1], hw[0]), interpolation=cv2.INTER_LINEAR)
    columns = int(np.ceil(np.sqrt(cards * hw[1] / hw[0])))
    step = hw[1] / columns
    boxes = [
        [
            step * (i % columns + 0.5),
            step * (i // columns + 0.5),
            step * 0.4,
            step * 0.64,
            rng.uniform(-np.pi, np.pi),
        ]
        for i in range(cards)
    ]
    quads = portrait_quads(np.array(boxes))
    for corners in quads:
        cv2.fillConvexPoly(image, np.round(corners).astype(np.int32), (235, 240, 240), cv2.LINE_AA)
    return image, Detections(quads, np.full(cards, 0.9), np.full(cards, FACE))


def timed(stage: str, work: Callable[[], object], rounds: int) -> StageTime:
    """Run some work once untimed, then `rounds` times with the clock.

    Raises:
        ValueError: if there is no round to time.
    """
    if rounds < 1:
        raise ValueError("at least one round must be timed")
    work()
    taken: list[float] = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        taken.append((time.perf_counter() - begun) * 1000)
    return StageTime(stage, statistics.median(taken), max(taken), rounds)


def peak_memory_mb() -> float | None:
    """Return the most memory that this process has held so far, in MB; None where the system does not
    tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def stage_times(models: Models, *, rounds: int = 15) -> list[StageTime]:
    """Time every stage: detector, classifier by number of crops, one frame of a film, one whole photo.

    Args:
        models: the models to time.
        rounds: rounds for each quick stage; the whole photo gets a third of them.
    """
    reader = CardReader(models)
    detector, classifier = reader.detector, reader.classifier
    frame, lying = made_up_table(FRAME_HW, CARDS)
    times = [timed("detector-1080p", lambda: detector.detect(frame), rounds)]
    for count in CROP_COUNTS:
        quads = lying.quads[:count]
        times.append(timed(f"classifier-{count}", _reading(classifier, frame, quads), rounds))
    few = max(1, rounds // 3)
    good, jpeg = cv2.imencode(".jpg", made_up_table(PHOTO_HW, PHOTO_CARDS)[0])
    if not good:
        raise RuntimeError("OpenCV cannot write JPEG")
    photo, spread = made_up_table(PHOTO_HW, PHOTO_CARDS)
    data = jpeg.tobytes()
    times.append(timed("photo-decode-12mp", lambda: decode_photo(data, "photo"), few))
    times.append(timed("photo-detector-12mp", lambda: detector.detect(photo, photo=True), few))
    times.append(timed(f"photo-classifier-{PHOTO_CARDS}", _reading(classifier, photo, spread.quads), few))
    times.append(timed(f"photo-whole-{PHOTO_CARDS}", _whole_photo(reader, data, spread), few))
    return times


def _reading(
    classifier: Classifier, image: npt.NDArray[np.uint8], quads: npt.NDArray[np.float32]
) -> Callable[[], object]:
    return lambda: classifier.read(image, quads)


def _whole_photo(reader: CardReader, data: bytes, lying: Detections) -> Callable[[], object]:
    """Everything that `count` does with one photo, with as many cards to read as lie there."""

    def work() -> object:
        image = decode_photo(data, "photo")
        reader.detector.detect(image, photo=True)
        readings = reader.classifier.read(image, lying.quads)
        return read_together(lying, readings, (image.shape[0], image.shape[1]))

    return work


def bench(models: Models, *, rounds: int = 15) -> dict[str, Any]:
    """Return the figures of this machine as a JSON document.

    ``stages`` lists each stage with ``median_ms`` and ``worst_ms``; ``peak_memory_mb`` is the process's
    largest memory (None where unknown); ``threads`` and ``detector_input`` say with what it was measured.
    """
    begun = time.perf_counter()
    Detector(models)
    Classifier(models)
    loading_ms = (time.perf_counter() - begun) * 1000
    times = stage_times(models, rounds=rounds)
    detector = models.entry("detector")
    memory = peak_memory_mb()
    return {
        "threads": models.threads,
        "detector_input": list(detector.input_hw),
        "loading_ms": round(loading_ms, 1),
        "stages": [
            {
                "stage": stage.stage,
                "median_ms": round(stage.median_ms, 2),
                "worst_ms": round(stage.worst_ms, 2),
                "rounds": stage.rounds,
            }
            for stage in times
        ],
        "peak_memory_mb": None if memory is None else round(memory),
    }
