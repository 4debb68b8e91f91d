"""The page itself, and the sign of life."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, make_response, render_template, request

from web.decks import complete_drawings
from web.languages import COOKIE, COOKIE_MAX_AGE_S, LANGUAGES, requested_language
from web.texts import card_texts, page_texts

blueprint = Blueprint("pages", __name__)


@blueprint.get("/")
def dashboard() -> Response:
    """Show the dashboard; `?lang=` chooses its language and is remembered."""
    language = requested_language()
    settings = {
        "language": language,
        "drawings": complete_drawings(current_app.config["DECKS_FOLDER"]),
        "texts": page_texts(language),
        "cards": card_texts(language),
    }
    response = make_response(
        render_template("dashboard.html", language=language, languages=LANGUAGES, settings=settings)
    )
    response.headers["Cache-Control"] = "no-store"
    if request.args.get("lang") == language:
        response.set_cookie(COOKIE, language, max_age=COOKIE_MAX_AGE_S, httponly=True, samesite="Lax")
    return response


@blueprint.get("/healthz")
def healthz() -> Response:
    """Answer that the server lives."""
    return Response("ok\n", mimetype="text/plain")
