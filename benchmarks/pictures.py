"""The pictures that every way is given: renderings of printings never trained on, and real photographs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.evaluate.figures import COUNTED_FROM, IGNORED_FROM
from datasets.evaluate.sets import PHOTOGRAPHS, renderings
from datasets.render.assets import HELD_OUT_DECKS, Deck, load_deck, shared_folder

NEAREST_SCANS = {
    "trentine-table": "trentine_pac_lowres",
    "triestine-closeup": "triestine_modiano_ivan17039",
}
"""Scans of the deck in a set of photographs, or of another printing of its pattern."""
NEAREST_FRENCH_SCANS = "fr_knoll_pd"
"""Of the French printings there are scans of, the one that the photographed decks look most like."""


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture with its truth.

    Attributes:
        image: (height, width, 3) uint8, BGR.
        cards: codes that are to be read.
        hardly_seen: codes of cards that show so little that reading them is neither asked for nor a fault.
        complete: whether every card that shows its face is listed: then what else is read is wrong.
        is_photo: whether it is one photograph, which a way may take more time for than for a live frame.
    """

    image: NDArray[np.uint8]
    cards: tuple[str, ...]
    hardly_seen: frozenset[str]
    complete: bool
    is_photo: bool


def rendered(deck: str, count: int) -> tuple[Deck, Iterator[Picture]]:
    """Return the scans that pictures of a printing were rendered from, and such pictures, as evaluation has them.

    Raises:
        FileNotFoundError: if the art of real decks is not here.
    """
    scans = load_deck(deck)

    def pictures() -> Iterator[Picture]:
        for rendering in renderings(deck, count):
            faces = [(card.code, card.visible) for card in rendering.cards if card.code is not None]
            yield Picture(
                rendering.image,
                tuple(code for code, visible in faces if visible >= COUNTED_FROM),
                frozenset(code for code, visible in faces if IGNORED_FROM <= visible < COUNTED_FROM),
                complete=True,
                is_photo=False,
            )

    return scans, pictures()


def photographed(name: str, most: int) -> tuple[Deck, Iterator[Picture]]:
    """Return scans that come nearest to the deck in a set of photographs, and at most so many of them.

    Those taken are spread evenly over the set.

    Raises:
        FileNotFoundError: if the photographs are not here.
    """
    shared = shared_folder()
    if shared is None:
        raise FileNotFoundError(
            "real photographs are not here: set ARBITRO_SHARED to the folder that holds them"
        )
    folder = shared / "real" / name
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    chosen = np.unique(np.linspace(0, len(rows) - 1, min(most, len(rows))).round().astype(int))
    scans = load_deck(NEAREST_SCANS.get(name, NEAREST_FRENCH_SCANS))

    def pictures() -> Iterator[Picture]:
        for row in (rows[i] for i in chosen):
            image = cv2.imread(str(folder / row["file"]), cv2.IMREAD_COLOR)
            if image is None:
                raise FileNotFoundError(f"{name}/{row['file']} cannot be read")
            yield Picture(
                np.asarray(image, np.uint8), tuple(row["cards"]), frozenset(), row["complete"], is_photo=True
            )

    return scans, pictures()


def sets(each: int, photographs: int) -> dict[str, Iterator[tuple[str, Deck, Iterator[Picture]]]]:
    """Return the two groups that are reported, each as its printings or sets: name, scans, and pictures.

    Args:
        each: renderings of each printing.
        photographs: photographs of each set, at most; none leaves that group out.
    """
    groups: dict[str, Iterator[tuple[str, Deck, Iterator[Picture]]]] = {}
    groups["rendered, printings never seen"] = ((deck, *rendered(deck, each)) for deck in HELD_OUT_DECKS)
    if photographs:
        groups["photographs"] = ((name, *photographed(name, photographs)) for name in PHOTOGRAPHS)
    return groups
