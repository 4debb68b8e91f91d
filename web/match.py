"""The page on which people set up the match: a form made from the options' own data."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, render_template
from flask_babel import gettext as _

from rules.options import OPTIONS, PRESETS, Option, Value
from rules.record import CAPTURE_GAMES, PLAYERS
from scorer.explain import GAME_NAMES
from web.languages import LANGUAGES, requested_language
from web.streams import live_table

blueprint = Blueprint("match", __name__)

MOST_PLAYERS = max(most for _fewest, most in PLAYERS.values())


@blueprint.get("/match")
def form() -> Response:
    """Show the form, filled in with the match as it is; what it sends goes to /api/command."""
    language = requested_language()
    session = live_table().state(language)["session"]
    games = [
        {
            "code": game,
            "name": GAME_NAMES[game],
            "fewest": PLAYERS[game][0],
            "most": PLAYERS[game][1],
            "begun_here": game in CAPTURE_GAMES,
            "presets": {
                name: {option: written(value) for option, value in options.items()}
                for name, (of_game, options) in PRESETS.items()
                if of_game == game
            },
            "options": [control(option, language) for option in OPTIONS[game]],
        }
        for game in OPTIONS
    ]
    settings = {
        "language": language,
        "texts": {"connection.lost": _("The connection to Arbitro is lost. Trying again …")},
        "session": {name: session[name] for name in ("game", "players", "dealer", "options")},
    }
    response = make_response(
        render_template(
            "match.html", language=language, languages=LANGUAGES, settings=settings, games=games,
            seats=MOST_PLAYERS, may_set_up=session.get("may_set_up", False),
            stays=session["game"] not in CAPTURE_GAMES,
        )
    )  # fmt: skip
    response.headers["Cache-Control"] = "no-store"
    return response


def control(option: Option, language: str) -> dict[str, object]:
    """Return what the form shows of an option: its control with the value it has by itself, and its one sentence."""
    values = ("yes", "no") if option.kind == "yes-no" else option.choices
    words = {"yes": _("yes"), "no": _("no")} if option.kind == "yes-no" else {}
    return {
        "name": option.name,
        "label": labels()[option.name],
        "sentence": option.sentence[language],
        "default": written(option.default),
        "default_words": words.get(written(option.default), written(option.default)),
        "allowed": option.allowed[language].replace(" | ", ", "),
        "values": [(value, words.get(value, value)) for value in values],
    }


def written(value: Value) -> str:
    """Return a value as the form's controls hold it."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def labels() -> dict[str, str]:
    """Return what each option is called on the form, by its name."""
    return {
        "target": _("Points to win"),
        "first_past_the_post": _("First to the target wins"),
        "team": _("In pairs"),
        "asso_piglia_tutto": _("Asso piglia tutto"),
        "napola": _("Napola"),
        "re_bello": _("Re bello"),
        "primiera": _("Primiera"),
        "settanta": _("Settanta"),
        "scopa_di_quindici": _("Scopa di quindici"),
        "scopone": _("Scopone"),
        "scopone_scientifico": _("Scopone scientifico"),
        "last_sweep": _("Scopa with the last card"),
        "fewest_cards": _("Fewest cards first"),
        "both_over": _("Both over the target"),
        "partite": _("Partite to win"),
        "time_limit": _("Time limit"),
        "winner": _("One winner"),
        "stock_piles": _("Stock piles"),
        "choose_pile": _("Choice of pile"),
        "alternate_colours": _("Alternate colours"),
        "side_piles": _("Side piles"),
        "scoring": _("Scoring"),
    }
