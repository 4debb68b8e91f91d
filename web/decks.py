"""The project's own cards as SVG files, for drawing what lies on the table."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response, abort, current_app, send_from_directory

from rules.cards import FRENCH_CODES, ITALIAN_CODES

blueprint = Blueprint("decks", __name__)

BACK = "back"
DECKS: dict[str, frozenset[str]] = {
    "italian": frozenset((*ITALIAN_CODES, BACK)),
    "french": frozenset((*FRENCH_CODES, BACK)),
}
MAX_AGE_S = 3600


def drawn_decks(folder: Path) -> list[str]:
    """Return the decks of which every card and the back lie in `folder`; others are shown as plain labels."""
    return [
        deck for deck, names in DECKS.items() if all((folder / deck / f"{name}.svg").is_file() for name in names)
    ]


@blueprint.get("/decks/<deck>/<name>.svg")
def card_picture(deck: str, name: str) -> Response:
    """Serve one card, by the exact name of a deck and a card code (or `back`)."""
    if name not in DECKS.get(deck, ()):
        abort(404)
    response = send_from_directory(
        current_app.config["DECKS_FOLDER"] / deck, f"{name}.svg", mimetype="image/svg+xml", max_age=MAX_AGE_S
    )
    # A drawing may carry its own style, but nothing that runs or fetches.
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response
