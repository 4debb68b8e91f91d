"""`arbitro count IMAGE...`: the cards in photos of one pile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbitro.cli import json_option, language_option, print_json
from arbitro.errors import DONE, NO_ANSWER

if TYPE_CHECKING:
    from vision.reading import CardReader, PictureReading, ReadCard


@click.command()
@click.argument("images", metavar="IMAGE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--game", default=None, help="Count the cards as one side's pile of this game.")
@click.option(
    "--deck", default="auto", show_default=True, metavar="auto|italian|french|NAME",
    help="Kind of deck, or the name of an enrolled one, if it is known.",
)  # fmt: skip
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="Option of the game (repeatable)."
)
@json_option
@language_option
@click.pass_obj
def count(
    settings_file: Path | None,
    images: tuple[Path, ...],
    game: str | None,
    deck: str,
    options: tuple[str, ...],
    as_json: bool,
    language: str,
) -> int:
    """Read the cards in photos of one pile; a card on several photos counts once."""
    from arbitro.settings import load_settings
    from vision.models import Models
    from vision.photo import read_photo
    from vision.reading import CardReader

    settings = load_settings(settings_file)
    pile = None
    if game is not None:
        from arbitro.pile import PileCounter

        pile = PileCounter(game, options)
    reader = CardReader(Models(threads=settings.computing.threads))
    how = _deck_of(deck, reader)
    readings = []
    for path in images:
        reading = reader.read_picture(read_photo(path), faces=None if pile is None else pile.faces, **how)
        readings.append((path, reading))

    document = _document(readings, language)
    if pile is not None:
        unread = sum(card.card is None for _, reading in readings for card in reading.cards)
        document["points"] = pile.points(document["cards"], unread, language)
    if as_json:
        print_json(document)
    else:
        _print(document, language)
    return DONE if any(reading.cards or reading.backs for _, reading in readings) else NO_ANSWER


def _deck_of(deck: str, reader: CardReader) -> dict[str, Any]:
    """Return what the reader is told of the deck: its kind, which enrolled one it is, or which it may be."""
    from arbitro.decksight import AUTO, KINDS, EnrolledDecks
    from arbitro.deckstore import DeckStore

    if deck in KINDS:
        return {"deck": deck}
    store = DeckStore()
    if deck == AUTO and not store.names():
        return {}
    decks = EnrolledDecks(store, reader.classifier)
    return {"decks": decks.of(KINDS)} if deck == AUTO else {"known": decks.get(deck)}


def _document(readings: list[tuple[Path, PictureReading]], language: str) -> dict[str, Any]:
    from arbitro.wording import say

    images = []
    union: dict[str, None] = {}
    for path, reading in readings:
        union.update(dict.fromkeys(reading.codes))
        images.append(
            {
                "file": str(path),
                "size": list(reading.size),
                "deck": reading.known or reading.deck,
                "cards": [_card(card) for card in reading.cards],
                "face_down": len(reading.backs),
                "warnings": [
                    {"code": warning.code, "text": say(warning.code, warning.args, language)}
                    for warning in reading.warnings
                ],
            }
        )
    return {"images": images, "cards": _sorted(union)}


def _card(card: ReadCard) -> dict[str, Any]:
    described: dict[str, Any] = {
        "card": card.card,
        "confidence": round(card.confidence, 4),
        "quad": [[round(float(x), 1), round(float(y), 1)] for x, y in card.quad],
    }
    if card.card is None:
        described["candidates"] = [[code, round(probability, 4)] for code, probability in card.candidates]
    return described


def _sorted(codes: dict[str, None]) -> list[str]:
    from rules.cards import FRENCH_CODES, ITALIAN_CODES

    return [code for code in (*ITALIAN_CODES, *FRENCH_CODES) if code in codes]


def _print(document: dict[str, Any], language: str) -> None:
    from arbitro.report import pile_report

    click.echo(pile_report(document, language))
