"""Which language a request is answered in: `?lang=`, else the visitor's earlier choice, else the program's setting."""

from __future__ import annotations

from flask import Flask, current_app, has_request_context, request
from flask_babel import Babel

LANGUAGES: dict[str, str] = {"en": "English", "it": "Italiano"}
COOKIE = "arbitro_language"
COOKIE_MAX_AGE_S = 365 * 24 * 3600


def requested_language() -> str:
    """Return the language code for the request at hand; an unknown `?lang=` or cookie is passed over."""
    default: str = current_app.config["LANGUAGE"]
    if not has_request_context():
        return default
    for choice in (request.args.get("lang"), request.cookies.get(COOKIE)):
        if choice in LANGUAGES:
            return choice
    return default


def init_app(app: Flask) -> None:
    """Bind Flask-Babel to the application."""
    Babel(
        app,
        default_locale="en",
        default_translation_directories="translations",
        locale_selector=requested_language,
    )
