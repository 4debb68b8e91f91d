"""Arbitro's own decks, drawn by code: forty Italian and fifty-two French faces, and backs.

The SVG files beside this module are what `python -m datasets.decks` writes; the WebP pictures beside them let
`load_face` work without an SVG rasteriser.
"""

from datasets.decks.pictures import DECKS, back_names, load_back, load_face, size_mm

__all__ = ["DECKS", "back_names", "load_back", "load_face", "size_mm"]
