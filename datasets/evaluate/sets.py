"""The sets that are measured: rendered pictures of several kinds of decks, and real photographs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

from datasets.evaluate.figures import Tally
from datasets.render.assets import HELD_OUT_DECKS, load_assets, shared_folder
from datasets.render.scene import Rendering, render
from vision.reading import CardReader, read_together

RENDERED: dict[str, tuple[str, ...]] = {
    "printings seen in training": ("seen",),
    "printings never seen": HELD_OUT_DECKS,
    "the project's own decks": ("own",),
}
PHOTOGRAPHS = {
    "trentine-table": "italian",
    "triestine-closeup": "italian",
    "poker-table-wood": "french",
    "poker-felt": "french",
    "webcam-single": "french",
    "full-deck-brown-table": "french",
    "desk-cardboard": "french",
}
SEED = 77


def measure_rendered(
    reader: CardReader, decks: tuple[str, ...], pictures: int, progress: Callable[[str], None]
) -> dict[str, Tally]:
    """Measure on rendered pictures with tables and hands that training never sees; one tally a deck.

    Every picture is looked at once, as a live frame is; difficulty runs from easy to everything.
    """
    tallies = {}
    for deck in decks:
        tally = Tally()
        for rendering in renderings(deck, pictures):
            cards, readings = reader.look(rendering.image)
            height, width = rendering.image.shape[:2]
            tally.add_boxes(rendering, reader.detector.detect(rendering.image))
            tally.add_reading(
                rendering, read_together(cards, readings, (height, width), strong=reader.detector.score)
            )
        tallies[deck] = tally
        progress(f"{deck}: {tally.rates()['found and read right']}")
    return tallies


def renderings(deck: str, count: int) -> Iterator[Rendering]:
    """Render pictures of a deck, as `load_assets` names it, with tables and hands that training never sees.

    Difficulty rises from easy to everything that real tables do.
    """
    assets = load_assets("test", SEED, decks=deck, procedural=60)
    for index in range(count):
        rng = np.random.default_rng([SEED, index])
        yield render(rng, assets, 0.2 + 0.8 * index / max(1, count - 1))


def measure_photographs(reader: CardReader, name: str) -> Tally:
    """Measure on a set of real photographs, each read as `arbitro count` reads it."""
    shared = shared_folder()
    if shared is None:
        raise FileNotFoundError(
            "real photographs are not here: set ARBITRO_SHARED to the folder that holds them"
        )
    tally = Tally()
    for line in (shared / "real" / name / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        image = cv2.imread(str(shared / "real" / name / row["file"]), cv2.IMREAD_COLOR)
        if image is None:
            raise FileNotFoundError(f"{name}/{row['file']} cannot be read")
        tally.add_photograph(row["file"], row["cards"], reader.read_picture(image), row["complete"])
    return tally


def photographs_here() -> bool:
    """Whether the real photographs are at hand."""
    shared = shared_folder()
    return shared is not None and (Path(shared) / "real").is_dir()
