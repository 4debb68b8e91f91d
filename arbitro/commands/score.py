"""`arbitro score RECORD`: rules and points only."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

import click

from arbitro.cli import json_option, language_option, print_json
from arbitro.errors import DONE, UnusableInputError

# Ten times what the most lines that a record may have come to; without a bound a stream without end would fill memory.
MAX_RECORD_BYTES = 100_000_000


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
    if record == "-" and sys.stdin is None:
        raise UnusableInputError("standard input is closed: name a hand record, or pipe one in")
    try:
        if record == "-":
            return _read_all(sys.stdin.buffer)
        with Path(record).open("rb") as file:
            return _read_all(file)
    except FileNotFoundError:
        raise UnusableInputError(
            f"there is no file {record}: name a hand record, or - for standard input"
        ) from None
    except IsADirectoryError:
        raise UnusableInputError(f"{record} is a folder: name a hand record in it") from None
    except OSError as error:
        raise UnusableInputError(f"{record} cannot be read ({error.strerror}): check the file") from None


def _read_all(file: BinaryIO) -> bytes:
    data = file.read(MAX_RECORD_BYTES + 1)
    if len(data) > MAX_RECORD_BYTES:
        raise UnusableInputError(f"this is longer than {MAX_RECORD_BYTES // 1_000_000} MB: no hand record is")
    return data
