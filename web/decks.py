"""The project's own cards as SVG files, for drawing what lies on the table."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response, abort, current_app, send_from_directory

from rules.cards import FRENCH_CODES, ITALIAN_CODES

blueprint = Blueprint("decks", __name__)

# Folder of drawings -> the names in it; a card face down is drawn with the back that goes with the deck.
DRAWINGS: dict[str, frozenset[str]] = {
    "italian": frozenset(ITALIAN_CODES),
    "french": frozenset(FRENCH_CODES),
    "backs": frozenset(("italian-red-rosettes", "french-blue-lattice")),
}
MAX_AGE_S = 3600


def complete_drawings(folder: Path) -> list[str]:
    """Return the kinds of drawings that `folder` holds completely; others are shown as plain labels."""
    return [
        kind
        for kind, names in DRAWINGS.items()
        if all((folder / kind / f"{name}.svg").is_file() for name in names)
    ]


@blueprint.get("/decks/<kind>/<name>.svg")
def drawing(kind: str, name: str) -> Response:
    """Serve one card, by deck and card code, or one back."""
    if name not in DRAWINGS.get(kind, ()):
        abort(404)
    response = send_from_directory(
        current_app.config["DECKS_FOLDER"] / kind, f"{name}.svg", mimetype="image/svg+xml", max_age=MAX_AGE_S
    )
    # A drawing may carry its own style, but nothing that runs or fetches.
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response
