"""What the page asks of the program: state, live updates, pictures, the record, and people's commands."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, Response, abort, request
from flask_babel import gettext

from arbitro.table import CommandError
from web.errors import error_response
from web.languages import requested_language
from web.streams import NoPlaceError, live_table, state_feed

blueprint = Blueprint("api", __name__, url_prefix="/api")

STREAM_RETRY_S = 20


@blueprint.after_request
def never_cache(response: Response) -> Response:
    """Mark answers as momentary."""
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def number_argument(name: str) -> int | None:
    """Return the query's whole number `name`, None where it is missing; aborts with 400 where it is not one."""
    text = request.args.get(name)
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        abort(400, gettext("“%(name)s” must be a whole number.", name=name))


def json_answer(text: str, status: int = 200) -> Response:
    """Wrap text that is JSON already."""
    return Response(text, status=status, mimetype="application/json")


@blueprint.get("/state")
def state() -> Response:
    """Answer the whole state; 204 when its revision is still that of `?after=`."""
    after = number_argument("after")
    revision, text = state_feed().newest(requested_language())
    return Response(status=204) if revision == after else json_answer(text)


@blueprint.get("/events")
def events() -> Response:
    """Stream the state as it changes; 503 when all places are taken."""
    feed = state_feed()
    try:
        give_back = feed.take_place()
    except NoPlaceError:
        response = error_response(
            503, gettext("All places for live updates are taken; this page asks every second.")
        )
        response.headers["Retry-After"] = str(STREAM_RETRY_S)
        return response
    is_gone = request.environ.get("waitress.client_disconnected", lambda: False)
    response = Response(feed.messages(requested_language(), is_gone), mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"
    response.call_on_close(give_back)
    return response


@blueprint.get("/frame.jpg")
def frame() -> Response:
    """Answer the newest picture at once; 204 when it is still frame `?after=` (a film begun anew counts from 0 again).

    X-Frame-Index tells which frame it is, and X-Revision the revision of the state at that moment: the page shows the
    picture together with the outlines of that state.
    """
    after = number_argument("after")
    picture = live_table().latest_picture()
    revision = live_table().journal.last_id
    if picture is None or picture[0] == after:
        return Response(status=204)
    response = Response(picture[1], mimetype="image/jpeg")
    response.headers["X-Frame-Index"] = str(picture[0])
    response.headers["X-Revision"] = str(revision)
    return response


@blueprint.get("/record")
def record() -> Response:
    """Download the hand record so far, one event a line."""
    response = Response(live_table().record(), mimetype="application/jsonl")
    response.headers["Content-Disposition"] = 'attachment; filename="hand.jsonl"'
    return response


@blueprint.post("/command")
def command() -> Response:
    """Carry out a person's command; 409 with the reason when the table refuses it."""
    body: Any = request.get_json(silent=True)
    if not isinstance(body, dict):
        abort(400, gettext("A command is a JSON object with a “type”."))
    try:
        result = live_table().command(body)
    except CommandError as error:
        return error_response(409, error.text(requested_language()))
    finally:
        state_feed().forget()
    return json_answer(json.dumps(result, ensure_ascii=False))
