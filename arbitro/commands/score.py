"""`arbitro score RECORD`: rules and points only."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from arbitro.cli import json_option, language_option, print_json
from arbitro.errors import DONE, UnusableInputError


@click.command()
@click.argument("record", metavar="RECORD|-")
@click.option("--explain", is_flag=True, help="Tell the hand play by play.")
@json_option
@language_option
def score(record: str, explain: bool, as_json: bool, language: str) -> int:
    """Rule and count a hand record (JSON Lines); "-" reads it from standard input."""
    from rules.record import parse_record
    from scorer import score_record
    from scorer.explain import tell
    from scorer.report import render

    parsed = parse_record(_read(record))
    document = score_record(parsed.events, language)
    if as_json:
        print_json(document)
    else:
        click.echo(tell(document, language) if explain else render(document, language), nl=False)
    if parsed.cut_off:
        print("arbitro: the record breaks off in its last line; this is the state so far", file=sys.stderr)
    return DONE


def _read(record: str) -> bytes:
    if record == "-":
        return sys.stdin.buffer.read()
    path = Path(record)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UnusableInputError(
            f"there is no file {record}: name a hand record, or - for standard input"
        ) from None
    except IsADirectoryError:
        raise UnusableInputError(f"{record} is a folder: name a hand record in it") from None
    except OSError as error:
        raise UnusableInputError(f"{record} cannot be read ({error.strerror}): check the file") from None
