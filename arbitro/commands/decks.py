"""`arbitro decks`: what can be read, and a deck to print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arbitro.cli import json_option, language_option, print_json, tell
from arbitro.errors import DONE


@click.command()
@click.option(
    "--print", "sheet", type=click.Path(path_type=Path), default=None, metavar="FILE.pdf",
    help="Write a deck as sheets to print and cut.",
)  # fmt: skip
@click.option(
    "--deck", type=click.Choice(["italian", "french"]), default="italian", show_default=True, help="Deck to print.",
)  # fmt: skip
@json_option
@language_option
def decks(sheet: Path | None, deck: str, as_json: bool, language: str) -> int:
    """Show the decks that can be read; with --print, write Arbitro's own deck as a PDF."""
    from arbitro.wording import say

    document = _known_decks()
    if sheet is not None:
        document["printed"] = {"deck": deck, "file": str(sheet)}
        _print_sheet(deck, sheet)
        tell(say("decks-printed", {"deck": deck, "file": sheet}, language))
    if as_json:
        print_json(document)
    elif sheet is None:
        for known in document["decks"]:
            words = {**known, "own": say("decks-own", language=language) if known["own"] else ""}
            click.echo(say("decks-line", words, language).rstrip())
        if document["printings"]:
            click.echo(say("decks-printings", {"printings": ", ".join(document["printings"])}, language))
    return DONE


def _known_decks() -> dict[str, Any]:
    """Return the kinds of deck that the classifier reads, and the printings it has learnt, as its manifest says."""
    from rules.cards import FRENCH_CODES, ITALIAN_CODES
    from vision.models import Models

    entry = Models().entry("classifier")
    kinds = (("italian", ITALIAN_CODES), ("french", FRENCH_CODES))
    return {
        "decks": [
            {"name": name, "cards": len(codes), "own": True}
            for name, codes in kinds
            if set(codes) <= set(entry.classes)
        ],
        "printings": [str(name) for name in entry.details.get("printings", ())],
    }
