"""The words that the page's script puts on screen, in the language of the request.

Rulings, reasons and points are not here: the live table's state brings them as text.
"""

from __future__ import annotations

from flask_babel import gettext as _

from rules.cards import FRENCH_CODES, ITALIAN_CODES
from scorer.explain import GAME_NAMES
from scorer.phrases import WORDS
from scorer.wording import card_name


def card_texts(language: str) -> dict[str, str]:
    """Return each card code's name for people, as in {"7d": "7 of denari"}, and `back` for a card face down."""
    return {
        **{code: card_name(code, language) for code in (*ITALIAN_CODES, *FRENCH_CODES)},
        "back": _("a card face down"),
    }


def page_texts(language: str) -> dict[str, str]:
    """Return the texts of the page's script by key; `{name}` stands for what the script fills in."""
    points = {word.removeprefix("name-"): by_language[language] for word, by_language in WORDS.items()
              if word.startswith("name-")}  # fmt: skip
    return {
        **{f"game.{game}": name for game, name in GAME_NAMES.items()},
        **{f"points.{name}": f"{words[0].upper()}{words[1:]}" for name, words in points.items()},
        # the game and its progress
        "status.waiting": _("Waiting for the deal"),
        "status.playing": _("Playing"),
        "status.hand-over": _("Hand over"),
        "status.ended": _("Ended"),
        "status.no-camera": _("No picture from the camera"),
        "deck.unknown": _("deck not known"),
        "deck.italian": _("Italian cards"),
        "deck.french": _("French cards"),
        "match.target": _("Match to {target}"),
        "match.winner": _("{side} win the match!"),
        "match.winner-one": _("{side} wins the match!"),
        "turn.next": _("{player} to play"),
        "side.join": _(" & "),
        "side.to-play": _("to play"),
        "side.dealer": _("dealer"),
        "side.in-hand": _("{count} in hand"),
        "side.captured": _("Captured"),
        "side.sweeps": _("Scope"),
        "side.slurps": _("Slurps"),
        "side.match": _("Match"),
        "table.stock": _("{count} still in the deck"),
        "table.empty": _("Nothing lies on the table."),
        "table.not-read": _("not read"),
        "table.confidence": _("{percent} % sure"),
        "table.hidden": _("hidden"),
        # plays
        "player.unknown": _("Somebody"),
        "card.unknown": _("a card that was not read"),
        "play.takes": _("{player} plays {card} and takes {taken}."),
        "play.lays": _("{player} lays {card}."),
        "play.list": _("{first} and {last}"),
        "play.label": _("{time}, {sentence} {ruling}. Tap to correct."),
        "play.none": _("No card has been played yet."),
        "play.sweep": _("Scopa!"),
        "play.slurp": _("Slurp!"),
        "play.corrected": _("corrected"),
        "play.undone": _("taken back"),
        "play.stood": _("let stand"),
        "ruling.legal": _("Legal"),
        "ruling.illegal": _("Against the rules"),
        "ruling.unclear": _("Unclear"),
        "ruling.stand": _("Let it stand"),
        "ruling.undo": _("Take it back"),
        "ruling.correct": _("Correct"),
        # questions
        "question.takes": _("takes {taken}"),
        "question.lays": _("takes nothing"),
        "question.other": _("Something else …"),
        # points
        "points.hand": _("Hand {number}"),
        "points.total": _("Total"),
        "points.unseen": _("Never seen: {cards}. What they would change stays open."),
        "points.possible": _("{sure} sure, up to {possible} possible"),
        # commands
        "command.saved": _("Saved; everything has been counted again."),
        "command.undo": _("Undo"),
        "command.undone": _("Undone; everything has been counted again."),
        "command.failed": _("It could not be saved: {message}"),
        # the editor
        "editor.title": _("Play at {time}"),
        "editor.nothing": _("takes nothing"),
        "editor.choose-card": _("Choose the card that was played."),
        # the connection
        "connection.lost": _("The connection to Arbitro is lost. Trying again …"),
        "connection.back": _("Connected again."),
        "performance": _("{fps} pictures a second, {dropped} left out"),
        "picture.still": _("The picture stands still: {message}"),
    }
