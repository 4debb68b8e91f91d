"""Write a deck as a PDF to print, cut out and play with.

Faces stand at true size in rows with cut marks around; a page of backs follows each page of faces, mirrored from left
to right, for printers that turn the paper over its long side.
"""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from datasets.decks import backs, french, italian
from datasets.decks.pictures import DECKS, size_mm
from datasets.decks.raster import face_image

PAPERS_MM: dict[str, tuple[float, float]] = {
    "A4": (210.0, 297.0),
    "Letter": (215.9, 279.4),
    "A3": (297.0, 420.0),
}
DPI = 300
_MARGIN_MM = 8.0
_GAP_MM = 2.0
_MARK_MM = 4.0


def grid(deck: str, paper: str = "A4") -> tuple[int, int]:
    """Give how many cards stand beside and above one another on a page: columns, rows.

    Raises:
        ValueError: no such deck or paper.
    """
    if paper not in PAPERS_MM:
        raise ValueError(f"there is no paper {paper!r}; there are {', '.join(PAPERS_MM)}")
    width, height = size_mm(deck)
    room = [side - 2 * _MARGIN_MM + _GAP_MM for side in PAPERS_MM[paper]]
    return int(room[0] // (width + _GAP_MM)), int(room[1] // (height + _GAP_MM))


def write_pdf(deck: str, path: str | Path, paper: str = "A4", back: str = "blue-lattice") -> int:
    """Write the sheets of a deck ("italian" or "french") to `path`; give the number of pages.

    `paper` is a key of PAPERS_MM, `back` a key of backs.STANDARD_BACKS. Pages of faces and of backs alternate. Needs
    the packages reportlab and resvg-py.

    Raises:
        ValueError: no such deck, paper or back.
        OSError: the file cannot be written.
    """
    from reportlab.lib.units import mm
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    columns, rows = grid(deck, paper)
    if back not in backs.STANDARD_BACKS:
        raise ValueError(f"there is no back {back!r}; there are {', '.join(backs.STANDARD_BACKS)}")
    card_w, card_h = size_mm(deck)
    paper_w, paper_h = PAPERS_MM[paper]
    left = (paper_w - columns * card_w - (columns - 1) * _GAP_MM) / 2
    top = (paper_h - rows * card_h - (rows - 1) * _GAP_MM) / 2
    draw = italian.face_svg if deck == "italian" else french.face_svg
    back_picture = _reader(
        ImageReader, backs.back_svg(replace(backs.STANDARD_BACKS[back], size_mm=(card_w, card_h))), card_h
    )
    faces = DECKS[deck]
    # Invariant: the same deck gives the same file, byte for byte.
    canvas = Canvas(str(path), pagesize=(paper_w * mm, paper_h * mm), invariant=1, pageCompression=1)
    canvas.setTitle(f"Arbitro, {deck} deck")
    pages = 0
    for first in range(0, len(faces), columns * rows):
        cards = faces[first : first + columns * rows]
        for side in ("faces", "backs"):
            for place, code in enumerate(cards):
                column, row = place % columns, place // columns
                if side == "backs":
                    column = columns - 1 - column
                x, y = left + column * (card_w + _GAP_MM), paper_h - top - card_h - row * (card_h + _GAP_MM)
                picture = back_picture if side == "backs" else _reader(ImageReader, draw(code), card_h)
                canvas.drawImage(picture, x * mm, y * mm, card_w * mm, card_h * mm, mask="auto")
            _cut_marks(canvas, mm, columns, rows, (left, top), (card_w, card_h), (paper_w, paper_h))
            canvas.showPage()
            pages += 1
    canvas.save()
    return pages


def _reader(reader: type, svg: str, height_mm: float) -> object:
    """Rasterise a card for print."""
    import cv2

    ok, data = cv2.imencode(".png", face_image(svg, round(height_mm / 25.4 * DPI)))
    if not ok:
        raise OSError("OpenCV could not write a card's picture")
    return reader(io.BytesIO(data.tobytes()))


def _cut_marks(
    canvas: object,
    mm: float,
    columns: int,
    rows: int,
    corner: tuple[float, float],
    card: tuple[float, float],
    paper: tuple[float, float],
) -> None:
    """Draw short lines in the margins where the knife goes."""
    (left, top), (card_w, card_h), (paper_w, paper_h) = corner, card, paper
    canvas.setLineWidth(0.2 * mm)  # type: ignore[attr-defined]
    line = canvas.line  # type: ignore[attr-defined]
    for k in range(columns):
        for x in (left + k * (card_w + _GAP_MM), left + k * (card_w + _GAP_MM) + card_w):
            line(x * mm, (paper_h - top + 1) * mm, x * mm, (paper_h - top + 1 + _MARK_MM) * mm)
            line(x * mm, (top - 1) * mm, x * mm, (top - 1 - _MARK_MM) * mm)
    for k in range(rows):
        for y in (top + k * (card_h + _GAP_MM), top + k * (card_h + _GAP_MM) + card_h):
            line((left - 1) * mm, (paper_h - y) * mm, (left - 1 - _MARK_MM) * mm, (paper_h - y) * mm)
            line(
                (paper_w - left + 1) * mm,
                (paper_h - y) * mm,
                (paper_w - left + 1 + _MARK_MM) * mm,
                (paper_h - y) * mm,
            )
