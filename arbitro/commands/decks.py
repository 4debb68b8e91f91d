"""`arbitro decks`: what can be read, and a deck to print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arbitro.cli import json_option, language_option, print_json
from arbitro.errors import DONE, UnusableInputError


@click.command()
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
def decks(sheet: Path | None, deck: str, paper: str, as_json: bool, language: str) -> int:
    """Show the decks that can be read; with --print, write Arbitro's own deck as a PDF."""
    from arbitro.wording import say

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
    if document["printings"]:
        click.echo(say("decks-printings", {"printings": ", ".join(document["printings"])}, language))
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
    """Return the kinds of deck that the classifier reads, and the printings it has learnt, as its manifest says."""
    from rules.cards import FRENCH_CODES, ITALIAN_CODES
    from vision.models import Models

    entry = Models().entry("classifier")
    kinds = (("italian", ITALIAN_CODES), ("french", FRENCH_CODES))
    return {
        "decks": [
            {"name": name, "cards": len(codes)} for name, codes in kinds if set(codes) <= set(entry.classes)
        ],
        "printings": [str(name) for name in entry.details.get("printings", ())],
    }
