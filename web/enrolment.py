"""The page on which people show a new deck to the camera, and the decks that are known: shared, chosen, forgotten."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, Response, abort, current_app, make_response, render_template, request
from flask_babel import gettext as _

from rules.cards import FRENCH_CODES, ITALIAN_CODES
from web.api import json_answer
from web.decks import complete_drawings
from web.errors import error_response
from web.languages import LANGUAGES, requested_language
from web.seam import DeckRoom, Refused
from web.texts import card_texts

blueprint = Blueprint("enrolment", __name__)

EXTENSION = "deck_room"
UPLOADS = {"enrolment.import_deck": 24_000_000, "enrolment.add_photo": 20_000_000}
"""Largest body in bytes of what is sent here as a file."""


def deck_room() -> DeckRoom:
    """Return the running application's decks; aborts with 404 where none are served."""
    room: DeckRoom | None = current_app.extensions.get(EXTENSION)
    if room is None:
        abort(404)
    return room


def page_texts() -> dict[str, str]:
    """Return the texts of the page's script by key; `{name}` stands for what the script fills in."""
    return {
        "connection.lost": _("The connection to Arbitro is lost. Trying again …"),
        "card.unknown": _("a card that was not read"),
        "kind.auto": _("found out by itself"),
        "kind.italian": _("Italian"),
        "kind.french": _("French"),
        "kind.other": _("other pictures"),
        "deck.cards": _("{count} cards"),
        "deck.missing": _("still missing: {cards}"),
        "deck.missing-many": _("{count} still missing"),
        "deck.use": _("Play with it"),
        "deck.used": _("In use"),
        "deck.add": _("Add photos"),
        "deck.export": _("Save as a file"),
        "deck.remove": _("Forget"),
        "deck.remove-sure": _("Forget “{name}” for good?"),
        "deck.chosen": _("The table is read with this deck now."),
        "deck.imported": _("The deck “{name}” is known now."),
        "deck.none": _("No deck has been learnt yet."),
        "photo.title": _("Photo {number}"),
        "photo.forget": _("Leave this photo out"),
        "photo.mirrored": _("The picture was mirrored; it was turned back."),
        "photo.turned": _("The cards do not stand upright in this photo; that does not matter."),
        "photo.found": _("{count} cards found."),
        "photo.working": _("Looking for cards …"),
        "card.sure": _("{card}: sure"),
        "card.said": _("{card}: as you said"),
        "card.doubtful": _("{card}? Tap to say what it is."),
        "card.left-out": _("left out"),
        "card.title": _("Card {number} of photo {photo}"),
        "card.perhaps": _("{card}, {percent} %"),
        "progress.known": _("{known} of {all} cards"),
        "progress.doubtful": _("{count} to be answered"),
        "progress.complete": _("All cards are known: save the deck."),
        "saved": _("The deck “{name}” is known now, and the table is read with it."),
    }


@blueprint.get("/enrolment")
def page() -> Response:
    """Show the page."""
    deck_room()
    language = requested_language()
    settings = {
        "language": language,
        "drawings": complete_drawings(current_app.config["DECKS_FOLDER"]),
        "texts": page_texts(),
        "cards": card_texts(language),
    }
    response = make_response(
        render_template("enrolment.html", language=language, languages=LANGUAGES, settings=settings)
    )
    response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/api/decks")
def state() -> Response:
    """Answer the decks, which of them is wanted, and the enrolment that is going on."""
    return _state()


@blueprint.post("/api/decks")
def command() -> Response:
    """Carry out what people want; 409 with the reason when it cannot be. Answers the state, and what came of it.

    Commands: choose (deck), remove (deck), begin (kind, order, add_to), take, answer (photo, number, card), forget
    (photo), save (name, note, overwrite), cancel.
    """
    body: Any = request.get_json(silent=True)
    if not isinstance(body, dict) or not isinstance(body.get("do"), str):
        abort(400, _("A command is a JSON object with a “do”."))
    room = deck_room()
    told: dict[str, Any] = {}
    try:
        match body["do"]:
            case "choose":
                room.choose(_text(body, "deck"))
            case "remove":
                room.remove(_text(body, "deck"))
            case "begin":
                room.begin(_text(body, "kind"), _text(body, "order"), _text(body, "add_to"))
            case "take":
                told["found"] = room.take()
            case "answer":
                card = body.get("card")
                room.answer(
                    _number(body, "photo"), _number(body, "number"), card if card is None else _text(body, "card")
                )
            case "forget":
                room.forget_photo(_number(body, "photo"))
            case "save":
                overwrite = body.get("overwrite") is True
                told["name"] = room.save(_text(body, "name"), _text(body, "note"), overwrite=overwrite)
                room.choose(told["name"])
            case "cancel":
                room.cancel()
            case _:
                abort(400, _("A command is a JSON object with a “do”."))
    except Exception as error:
        return _refusal(error)
    return _state(**told)


@blueprint.post("/api/decks/file")
def import_deck() -> Response:
    """Take in a deck's file, the body of the request; `?overwrite=1` replaces a deck of that name."""
    try:
        name = deck_room().take_in(request.get_data(), overwrite=request.args.get("overwrite") == "1")
    except Exception as error:
        return _refusal(error)
    return _state(name=name)


@blueprint.get("/api/decks/file/<name>")
def export_deck(name: str) -> Response:
    """Download a deck's file."""
    try:
        data = deck_room().export(name)
    except Exception as error:
        return _refusal(error)
    response = Response(data, mimetype="application/octet-stream")
    response.headers.set("Content-Disposition", "attachment", filename=f"{name}.deck")
    return response


@blueprint.get("/api/decks/face/<name>/<code>.jpg")
def thumbnail(name: str, code: str) -> Response:
    """Answer the picture of one of a deck's faces."""
    if code not in ITALIAN_CODES and code not in FRENCH_CODES:
        abort(404)
    return _picture(deck_room().thumbnail(name, code))


@blueprint.post("/api/decks/photo")
def add_photo() -> Response:
    """Take a photo from a file, the body of the request."""
    try:
        found = deck_room().add_photo(request.get_data())
    except Exception as error:
        return _refusal(error)
    return _state(found=found)


@blueprint.get("/api/decks/photo/<int:photo>.jpg")
def photo(photo: int) -> Response:
    """Answer a photo of the enrolment."""
    return _picture(deck_room().photo(photo))


@blueprint.get("/api/decks/photo/<int:photo>/<int:number>.jpg")
def found_card(photo: int, number: int) -> Response:
    """Answer one found card."""
    return _picture(deck_room().found_card(photo, number))


def _state(**told: Any) -> Response:
    response = json_answer(json.dumps({**deck_room().state(), **told}, ensure_ascii=False))
    response.headers["Cache-Control"] = "no-store"
    return response


def _picture(jpeg: bytes | None) -> Response:
    if jpeg is None:
        abort(404)
    response = Response(jpeg, mimetype="image/jpeg")
    response.headers["Cache-Control"] = "no-store"
    return response


def _refusal(error: Exception) -> Response:
    """Answer a refusal that is meant for people; anything else goes on as it came."""
    if isinstance(error, Refused):
        return error_response(409, error.text(requested_language()))
    raise error


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > 400:
        abort(400, _("“%(name)s” must be a text.", name=name))
    return value


def _number(body: dict[str, Any], name: str) -> int:
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        abort(400, _("“%(name)s” must be a whole number.", name=name))
    return value
