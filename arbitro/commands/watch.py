"""`arbitro watch SOURCE`: follow a game live or on film."""

from __future__ import annotations

from pathlib import Path

import click

from arbitro.cli import json_option, language_option, print_json, tell
from arbitro.errors import DONE, NO_ANSWER, UnusableInputError


@click.command()
@click.argument("source")
@click.option("--game", default="scopa", show_default=True, help="What is played.")
@click.option(
    "--deck", default="auto", show_default=True, metavar="auto|italian|french|NAME",
    help="Kind of deck, or the name of an enrolled one, if it is known.",
)  # fmt: skip
@click.option(
    "--players", default=None, metavar="A,B[,C,D]", help="Names in seat order; two unnamed ones by default."
)
@click.option(
    "--seats", default=None, metavar="SIDE,SIDE,...",
    help="Games of slaps: where each player sits, as sides of the picture or angles in degrees.",
)  # fmt: skip
@click.option(
    "--dealer", type=int, default=0, show_default=True, metavar="SEAT", help="Seat of the first dealer."
)
@click.option(
    "--option", "options", multiple=True, metavar="KEY=VALUE", help="Option of the game (repeatable)."
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="Write the hand record too.",
)
@click.option(
    "--journal", type=click.Path(path_type=Path), default=None, metavar="FILE",
    help="Keep the journal here; one that holds this session goes on.",
)  # fmt: skip
@click.option(
    "--no-dashboard", is_flag=True, help="Watch without a dashboard, films as fast as this machine can."
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--port", type=click.IntRange(1, 65535), default=None, help="Port of the dashboard.")
@json_option
@language_option
@click.pass_obj
def watch(
    settings_file: Path | None,
    source: str,
    game: str,
    deck: str,
    players: str | None,
    seats: str | None,
    dealer: int,
    options: tuple[str, ...],
    record: Path | None,
    journal: Path | None,
    no_dashboard: bool,
    no_browser: bool,
    port: int | None,
    as_json: bool,
    language: str,
) -> int:
    """Follow a game on a camera (by its number), a film, a stream, or a folder of pictures.

    A finite source is watched to its end. With a dashboard it plays at its own speed, and the dashboard stays open
    until Ctrl-C unless --json asks for the result.
    """
    from arbitro.decksight import DeckChoice
    from arbitro.eyes import eyes_maker
    from arbitro.match import read_match
    from arbitro.places import new_journal
    from arbitro.referee import read_seats
    from arbitro.settings import load_settings
    from arbitro.watching import Dashboard, Watch, run_watch

    settings = load_settings(settings_file)
    match = read_match(game, players, dealer, options)
    if record is not None:
        _check_writable(record)
    served = None
    if not no_dashboard:
        served = Dashboard.wanted(settings, port, language, opens_browser=not no_browser, stays=not as_json)
    choice = DeckChoice()
    outcome = run_watch(
        Watch(
            source,
            match,
            deck,
            journal or new_journal(),
            read_seats(seats, match),
            speed=None if served is None else 1.0,
        ),
        settings,
        eyes_maker(match, deck, settings, choice),
        tell,
        served,
        language,
        choice,
    )
    if record is not None:
        record.write_text(outcome.record, encoding="utf-8")
    if as_json:
        print_json(outcome.document)
    else:
        from scorer.report import render

        click.echo(render(outcome.document, language), nl=False)
    return DONE if outcome.plays else NO_ANSWER


def _check_writable(record: Path) -> None:
    """Say at once, and not after an hour of play, that the record cannot be written."""
    try:
        with record.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise UnusableInputError(
            f"the record {record} cannot be written ({error.strerror}): name another file"
        ) from None
