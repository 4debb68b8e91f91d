"""The words that the page's script puts on screen, in the language of the request.

Rulings, reasons and points are not here: the live table's state brings them as text.
"""

from __future__ import annotations

from flask_babel import gettext as _

ITALIAN_RANKS = "1234567FCR"
FRENCH_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


def card_texts() -> dict[str, str]:
    """Return each card code's name for people, as in {"7d": "7 of coins"}, and `back` for a card face down."""
    italian_suits = {"d": _("coins"), "c": _("cups"), "s": _("swords"), "b": _("batons")}
    french_suits = {"H": _("hearts"), "D": _("diamonds"), "C": _("clubs"), "S": _("spades")}
    italian_ranks = {"1": _("Ace"), "F": _("Jack"), "C": _("Knight"), "R": _("King")}
    french_ranks = {"A": _("Ace"), "J": _("Jack"), "Q": _("Queen"), "K": _("King")}
    names = {"back": _("a card face down")}
    for ranks, rank_names, suits in (
        (ITALIAN_RANKS, italian_ranks, italian_suits),
        (FRENCH_RANKS, french_ranks, french_suits),
    ):
        for suit, suit_name in suits.items():
            for rank in ranks:
                names[rank + suit] = _("{rank} of {suit}").format(rank=rank_names.get(rank, rank), suit=suit_name)
    return names


def page_texts() -> dict[str, str]:
    """Return the texts of the page's script by key; `{name}` stands for what the script fills in."""
    return {
        # the game and its progress
        "status.waiting": _("Waiting for the deal"),
        "status.playing": _("Playing"),
        "status.hand-over": _("Hand over"),
        "status.ended": _("Ended"),
        "status.no-camera": _("No picture from the camera"),
        "game.scopa": _("Scopa"),
        "deck.unknown": _("deck not known"),
        "match.target": _("to {target}"),
        "match.winner": _("{side} win the match!"),
        "match.winner-one": _("{side} wins the match!"),
        "side.join": _(" & "),
        "side.to-play": _("to play"),
        "side.dealer": _("dealer"),
        "side.in-hand": _("{count} in hand"),
        "side.captured": _("Captured"),
        "side.sweeps": _("Sweeps"),
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
        "play.corrected": _("corrected"),
        "play.stood": _("let stand"),
        "ruling.legal": _("Legal"),
        "ruling.illegal": _("Against the rules"),
        "ruling.unclear": _("Unclear"),
        "ruling.stand": _("Let it stand"),
        "ruling.undo": _("Take it back"),
        "ruling.correct": _("Correct"),
        # questions
        "question.answer": _("{card}, {percent} %"),
        "question.takes": _("takes {taken}"),
        "question.lays": _("takes nothing"),
        "question.other": _("Something else …"),
        # points
        "points.hand": _("Hand {number}"),
        "points.total": _("Total"),
        "points.cards": _("{count} cards"),
        "points.none": _("no point"),
        "points.carte": _("Cards"),
        "points.denari": _("Coins"),
        "points.settebello": _("Settebello"),
        "points.primiera": _("Primiera"),
        "points.scope": _("Sweeps"),
        "points.napola": _("Napola"),
        "points.re_bello": _("King of coins"),
        # the editor
        "editor.title": _("Play at {time}"),
        "editor.failed": _("It could not be saved: {message}"),
        "editor.nothing": _("takes nothing"),
        "editor.saved": _("Saved; everything has been counted again."),
        "editor.choose-card": _("Choose the card that was played."),
        # the connection
        "connection.lost": _("The connection to Arbitro is lost. Trying again …"),
        "connection.back": _("Connected again."),
        "performance": _("{fps} pictures a second, {dropped} left out"),
        "picture.still": _("The picture stands still: {message}"),
    }
