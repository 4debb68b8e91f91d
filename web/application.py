"""The application factory of the dashboard."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from flask import Flask

from web import api, decks, enrolment, errors, guard, languages, match, pages, slaps, streams
from web.seam import DeckRoom, LiveTable
from web.slaps import SlapRoom

# The decks are drawn by the room `datasets` and lie there as plain files.
DECKS_FOLDER = Path(__file__).resolve().parent.parent / "datasets" / "decks"
DEFAULT_MAX_STREAMS = 6


def create_app(
    live_table: LiveTable,
    language: str = "en",
    *,
    allowed_hosts: Collection[str] = (),
    max_streams: int = DEFAULT_MAX_STREAMS,
    decks_folder: Path = DECKS_FOLDER,
    deck_room: DeckRoom | None = None,
    slap_room: SlapRoom | None = None,
) -> Flask:
    """Make the dashboard of a live table.

    Args:
        live_table: what is shown and commanded (`arbitro.table.LiveTable`).
        language: "en" or "it", for visitors who have not chosen.
        allowed_hosts: names, besides localhost and plain IP addresses, under which the dashboard may be opened.
        max_streams: how many pages may get live updates at once; each holds a thread of the server, so the server
            needs more threads than this (`web.serve` sees to it). Further pages ask every second instead.
        decks_folder: where the SVG cards lie, as `italian/7d.svg` and `french/10D.svg`.
        deck_room: the decks that are known and can be learnt (`arbitro.deckroom.DeckRoom`); None serves no page for
            them.
        slap_room: the slaps of the session (`arbitro.slaproom.SlapRoom`); None serves no page for them.

    Raises:
        ValueError: `language` is not one of the dashboard's, or `max_streams` is below 1.
    """
    if language not in languages.LANGUAGES:
        raise ValueError(f"no language {language!r}: choose one of {', '.join(languages.LANGUAGES)}")
    app = Flask(__name__.partition(".")[0], static_folder="static", template_folder="templates")
    app.config.update(
        LANGUAGE=language,
        ALLOWED_HOSTS=frozenset(allowed_hosts),
        DECKS_FOLDER=decks_folder,
        # The page's own scripts and styles change with the program: asked for anew, answered "not modified".
        SEND_FILE_MAX_AGE_DEFAULT=0,
    )
    languages.init_app(app)
    streams.init_app(app, live_table, max_streams)
    guard.init_app(app, enrolment.UPLOADS)
    app.extensions[enrolment.EXTENSION] = deck_room
    app.jinja_env.globals["has_decks"] = deck_room is not None
    app.extensions[slaps.EXTENSION] = slap_room
    app.jinja_env.globals["has_slaps"] = slap_room is not None
    errors.init_app(app)
    for room in (pages, match, enrolment, slaps, api, decks):
        app.register_blueprint(room.blueprint)
    return app
