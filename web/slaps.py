"""The page of slaps: what was decided, the strip, the frames one by one, and the people's decision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from flask import Blueprint, Response, abort, current_app, render_template, request, send_file
from flask_babel import gettext

from arbitro.table import CommandError
from web.errors import error_response
from web.languages import LANGUAGES, requested_language
from web.streams import state_feed

EXTENSION = "slap_room"

blueprint = Blueprint("slaps", __name__, url_prefix="/slaps")

_TYPES = {"strip": "image/png", "slow": "video/mp4", "clip": "video/mp4"}


class SlapRoom(Protocol):
    """The slaps of a running session; `arbitro.slaproom.SlapRoom` is the real one."""

    def state(self, language: str) -> dict[str, Any]:
        """Return the disputes, the newest first, and whether one is being looked at."""
        ...

    def picture(self, number: int, frame: int) -> bytes | None:
        """Return a frame of a dispute as JPEG."""
        ...

    def file(self, number: int, name: str) -> Path | None:
        """Return the path of a dispute's "strip", "slow" clip or "clip"."""
        ...

    def ask(self) -> None:
        """Look at the last seconds."""
        ...

    def decide(self, number: int, player: int) -> dict[str, Any]:
        """Put the people's decision on the record."""
        ...


def room() -> SlapRoom:
    """Return the running session's room for slaps; aborts with 404 in games without slaps."""
    found: SlapRoom | None = current_app.extensions.get(EXTENSION)
    if found is None:
        abort(404, gettext("There are no slaps in this game."))
    return found


def slap_texts() -> dict[str, str]:
    """Return the texts of the page's script by key; `{name}` stands for what the script fills in."""
    return {
        "none": gettext("No slap has been seen yet."),
        "busy": gettext("A moment is being looked at …"),
        "hand": gettext("{player}: {time} ms, within {error} ms"),
        "under": gettext("under {players}"),
        "frame": gettext("{time} ms"),
        "asked": gettext("The last seconds are being looked at."),
        "decide": gettext("Decide for {player}"),
        "otherwise": gettext("Decide otherwise"),
        "decided": gettext("Decided for {player}."),
        "failed": gettext("It could not be saved: {message}"),
        "strip": gettext("Strip"),
        "slow": gettext("Slow motion"),
        "clip": gettext("Clip"),
    }


@blueprint.get("/")
def page() -> Response:
    """Show the page of slaps."""
    room()
    language = requested_language()
    html = render_template(
        "slaps.html", language=language, languages=LANGUAGES, settings={"language": language, "texts": slap_texts()}
    )
    response = Response(html, mimetype="text/html")
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/state")
def state() -> Response:
    """Answer the disputes, the newest first."""
    return _json(room().state(requested_language()))


@blueprint.get("/<int:number>/frame/<int:frame>.jpg")
def frame(number: int, frame: int) -> Response:
    """Answer one frame of a dispute."""
    data = room().picture(number, frame)
    if data is None:
        abort(404)
    response = Response(data, mimetype="image/jpeg")
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response


@blueprint.get("/<int:number>/<name>")
def file(number: int, name: str) -> Response:
    """Answer the strip, the slow clip or the clip of a dispute."""
    path = room().file(number, name)
    if path is None or name not in _TYPES or not path.is_file():
        abort(404)
    return send_file(path, mimetype=_TYPES[name], as_attachment="download" in request.args, download_name=path.name)


@blueprint.post("/ask")
def ask() -> Response:
    """Have the last seconds looked at because somebody disputes what happened."""
    room().ask()
    return _json({"asked": True}, 202)


@blueprint.post("/decide")
def decide() -> Response:
    """Put the people's decision on the record; 409 with the reason when the record refuses it."""
    body: Any = request.get_json(silent=True)
    number, player = (body.get("number"), body.get("player")) if isinstance(body, dict) else (None, None)
    if not isinstance(number, int) or not isinstance(player, int):
        abort(400, gettext("A decision names the slap and the player."))
    try:
        done = room().decide(number, player)
    except CommandError as error:
        return error_response(409, error.text(requested_language()))
    except KeyError:
        abort(404)
    finally:
        state_feed().forget()
    return _json(done)


def _json(value: Any, status: int = 200) -> Response:
    response = Response(json.dumps(value, ensure_ascii=False), status=status, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response
