"""Write the decks' SVG files and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2

from datasets.decks.backs import STANDARD_BACKS, back_svg
from datasets.decks.french import face_svg as french_face
from datasets.decks.italian import face_svg as italian_face
from datasets.decks.pictures import DECKS, FOLDER, RASTER_HEIGHT_PX, size_mm
from datasets.decks.raster import face_image


def drawings() -> Iterator[tuple[str, str]]:
    """Give each committed drawing: its path without suffix below the package's folder, and its SVG text."""
    faces: dict[str, Callable[[str], str]] = {"italian": italian_face, "french": french_face}
    for deck, codes in DECKS.items():
        for code in codes:
            yield f"{deck}/{code}", faces[deck](code)
    for deck in DECKS:
        for name, style in STANDARD_BACKS.items():
            yield f"backs/{deck}-{name}", back_svg(replace(style, size_mm=size_mm(deck)))


def write_all(folder: Path = FOLDER) -> int:
    """Write every SVG file and its WebP picture under `folder`; give the number of drawings."""
    count = 0
    for name, svg in drawings():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.with_suffix(".svg").write_text(svg, encoding="utf-8", newline="\n")
        picture = face_image(svg, RASTER_HEIGHT_PX)
        # Above 100 OpenCV writes WebP without loss.
        ok, data = cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, 101])
        if not ok:
            raise OSError(f"OpenCV could not write {name}.webp")
        target.with_suffix(".webp").write_bytes(data.tobytes())
        count += 1
    return count
