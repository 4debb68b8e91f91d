"""`arbitro decks`: what can be read, decks to share, and a deck to print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbitro.cli import json_option, language_option, print_json
from arbitro.errors import DONE, UnusableInputError

if TYPE_CHECKING:
    from vision.gallery import Gallery


@click.group(invoke_without_command=True)
@click.option(
    "--print",
    "sheet",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE.pdf",
    help="Write Arbitro's own deck as sheets to print and cut.",
)
@click.option(
    "--deck",
    type=click.Choice(["italian", "french"]),
    default="italian",
    show_default=True,
    help="Deck to print.",
)
@click.option("--paper", default="A4", show_default=True, help="Paper to print on: A4, A3 or Letter.")
@json_option
@language_option
@click.pass_context
def decks(
    ctx: click.Context, sheet: Path | None, deck: str, paper: str, as_json: bool, language: str
) -> int:
    """Show the decks that can be read; with --print, write Arbitro's own deck as a PDF."""
    from arbitro.wording import say

    if ctx.invoked_subcommand is not None:
        return DONE
    if sheet is not None:
        printed = _printed(deck, sheet, paper)
        if as_json:
            print_json(printed)
        else:
            click.echo(say("decks-printed", printed, language))
        return DONE
    document = _known_decks()
    if as_json:
        print_json(document)
        return DONE
    for known in document["decks"]:
        click.echo(say("decks-line", known, language))
    for enrolled in document["enrolled"]:
        missing = {"missing": " ".join(enrolled["missing"])}
        told = say("decks-enrolled", enrolled, language)
        if enrolled["note"]:
            told += f" ({enrolled['note']})"
        if enrolled["missing"]:
            told += "; " + say("decks-missing", missing, language)
        click.echo(told)
    if document["printings"]:
        click.echo(say("decks-printings", {"printings": ", ".join(document["printings"])}, language))
    return DONE


@decks.command("export")
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@language_option
def export_deck(name: str, file: Path, as_json: bool, language: str) -> int:
    """Write an enrolled deck to a file for others."""
    from arbitro.deckstore import DeckStore

    DeckStore().export(name, file)
    return _told("decks-exported", {"name": name, "file": str(file)}, as_json, language)


@decks.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", default=None, help="Call the deck so, instead of as its file says.")
@click.option("--replace", is_flag=True, help="Replace a deck of that name.")
@json_option
@language_option
def import_deck(file: Path, name: str | None, replace: bool, as_json: bool, language: str) -> int:
    """Take in a deck's file that others have exported; it is checked first."""
    from arbitro.deckstore import DeckStore, read_deck_file

    gallery = DeckStore().take_in(read_deck_file(file), str(file), name=name, overwrite=replace)
    return _told("decks-imported", _listed(gallery), as_json, language)


@decks.command("remove")
@click.argument("name")
@json_option
@language_option
def remove_deck(name: str, as_json: bool, language: str) -> int:
    """Forget an enrolled deck."""
    from arbitro.deckstore import DeckStore

    DeckStore().remove(name)
    return _told("decks-removed", {"name": name}, as_json, language)


def _listed(gallery: Gallery) -> dict[str, Any]:
    from arbitro.deckstore import described

    return {**described(gallery), "cards": len(gallery.codes)}


def _told(code: str, document: dict[str, Any], as_json: bool, language: str) -> int:
    from arbitro.wording import say

    if as_json:
        print_json(document)
    else:
        click.echo(say(code, document, language))
    return DONE


def _printed(deck: str, sheet: Path, paper: str) -> dict[str, Any]:
    from datasets.decks.sheet import write_pdf

    try:
        pages = write_pdf(deck, sheet, paper)
    except ValueError as error:
        raise UnusableInputError(str(error)) from None
    except OSError as error:
        raise UnusableInputError(f"{sheet} cannot be written ({error.strerror}): name another file") from None
    return {"deck": deck, "file": str(sheet), "pages": pages}


def _known_decks() -> dict[str, Any]:
    """Return the kinds of deck that the classifier reads, the enrolled decks, and the printings it has learnt."""
    from arbitro.deckstore import DeckStore
    from rules.cards import FRENCH_CODES, ITALIAN_CODES
    from vision.models import Models

    entry = Models().entry("classifier")
    kinds = (("italian", ITALIAN_CODES), ("french", FRENCH_CODES))
    return {
        "decks": [
            {"name": name, "cards": len(codes)} for name, codes in kinds if set(codes) <= set(entry.classes)
        ],
        "enrolled": [_listed(gallery) for gallery in DeckStore()],
        "printings": [str(name) for name in entry.details.get("printings", ())],
    }
