"""`arbitro demo`: the recorded hand that comes with the program."""

from __future__ import annotations

from pathlib import Path

import click

from arbitro.cli import json_option, language_option, print_json, tell
from arbitro.errors import DONE, UnusableInputError


@click.command()
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--port", type=click.IntRange(1, 65535), default=None, help="Port of the dashboard.")
@click.option(
    "--speed", type=click.FloatRange(0.1, 20), default=1.0, show_default=True, help="How much faster than life.",
)  # fmt: skip
@click.option(
    "--no-dashboard",
    is_flag=True,
    help="Only read the film, as fast as this machine can, and print the points.",
)
@json_option
@language_option
@click.pass_obj
def demo(
    settings_file: Path | None,
    no_browser: bool,
    port: int | None,
    speed: float,
    no_dashboard: bool,
    as_json: bool,
    language: str,
) -> int:
    """Play the built-in recorded hand through the whole pipeline, dashboard included, until Ctrl-C."""
    import json
    import tempfile

    from arbitro.decksight import DeckChoice
    from arbitro.eyes import eyes_maker
    from arbitro.match import Match
    from arbitro.settings import load_settings
    from arbitro.watching import Dashboard, Watch, run_watch
    from datasets.film import demo_film_path, demo_record_path
    from scorer.report import render

    settings = load_settings(settings_file)
    try:
        film = demo_film_path()
        first = json.loads(demo_record_path().read_text(encoding="utf-8").splitlines()[0])
    except FileNotFoundError as error:
        raise UnusableInputError(str(error)) from None
    # Only who plays what is taken from the record beside the film; every card is read from the pictures.
    match = Match(first["game"], tuple(first["players"]), first["dealer"], first["options"])
    served = None
    if not no_dashboard:
        served = Dashboard.wanted(settings, port, language, opens_browser=not no_browser, stays=not as_json)
    choice = DeckChoice()
    with tempfile.TemporaryDirectory(prefix="arbitro-demo-") as folder:
        outcome = run_watch(
            Watch(
                str(film),
                match,
                "auto",
                Path(folder) / "demo.sqlite",
                speed=None if served is None else speed,
                keeps_journal=False,
            ),
            settings,
            eyes_maker(match, "auto", settings, choice),
            tell,
            served,
            language,
            choice,
        )
    if as_json:
        print_json(outcome.document)
    else:
        click.echo(render(outcome.document, language), nl=False)
    return DONE
