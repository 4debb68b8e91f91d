"""The command line: names, options and help. What a command does is imported when it runs, so that help is quick."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from arbitro import __version__
from arbitro.errors import nearest

COMMANDS = {
    "demo": "play the recorded hand through the whole pipeline, with the dashboard",
    "watch": "follow a game live, or on film",
    "count": "read the cards in photos, and count them as one side's pile",
    "score": "rule and count a hand record",
    "enroll": "learn a deck from photos of its cards",
    "referee": "settle who slapped first, from a recording",
    "decks": "show the decks that can be read, share them, and print one",
    "doctor": "check camera, light, focus, card size, models and disk",
    "bench": "measure the speed of each stage on this machine",
}


class Commands(click.Group):
    """Import a command's module when it is called, and suggest the nearest name for one that does not exist."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(f"arbitro.commands.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the command's name, in one line if there is none."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command “{args[0]}”{nearest(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="arbitro")
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    default=None,
    metavar="FILE",
    help="Settings in TOML, instead of the program's own settings.toml.",
)
@click.pass_context
def cli(ctx: click.Context, settings_file: Path | None) -> None:
    """A referee that watches a card table: it reads the cards, follows the plays, rules and counts."""
    ctx.obj = settings_file


json_option: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="Print exactly one JSON document."
)
language_option: Callable[[Any], Any] = click.option(
    "--lang",
    "language",
    type=click.Choice(["en", "it"]),
    default="en",
    show_default=True,
    help="Language of the texts.",
)


def print_json(document: Any) -> None:
    """Print a document on standard output, the only thing that is printed there."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    sys.stdout.flush()


def tell(line: str) -> None:
    """Print a line of progress on standard error."""
    print(line, file=sys.stderr, flush=True)
