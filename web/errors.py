"""Answer every error in the form that was asked for: JSON under /api, a small page elsewhere."""

from __future__ import annotations

import logging

from flask import Flask, Response, jsonify, make_response, render_template, request
from flask_babel import gettext
from werkzeug.exceptions import HTTPException

from web.languages import requested_language

log = logging.getLogger(__name__)


def error_response(status: int, message: str) -> Response:
    """Make an error answer; `message` is shown to people as it stands."""
    if request.path.startswith("/api/"):
        response = jsonify(error=message)
    else:
        response = make_response(
            render_template("error.html", message=message, language=requested_language())
        )
    response.status_code = status
    response.headers["Cache-Control"] = "no-store"
    return response


def message_of(error: HTTPException) -> str:
    """Return the text that a view gave to `abort`, else a text of our own for the common ones."""
    if error.description and error.description != type(error).description:
        return str(error.description)
    known: dict[int, str] = {
        404: gettext("There is nothing here."),
        405: gettext("This address does not take this kind of request."),
        413: gettext("This is too long."),
    }
    return str(known.get(error.code or 500, gettext("The dashboard could not answer.")))


def init_app(app: Flask) -> None:
    """Bind the handlers to the application."""

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response:
        return error_response(error.code or 500, message_of(error))

    @app.errorhandler(Exception)
    def failed(error: Exception) -> Response:
        log.error("%s %s failed", request.method, request.path, exc_info=error)
        return error_response(500, gettext("The dashboard could not answer."))
