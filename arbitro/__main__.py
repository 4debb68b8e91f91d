"""The entry point: runs a command and turns whatever goes wrong into one line and an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import datetime

import click

from arbitro.cli import cli
from arbitro.errors import DONE, NO_ANSWER, UNUSABLE, is_about_input
from arbitro.places import log_file


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status: 0 done, 1 the answer is "no", 2 the input cannot be used."""
    _speak_utf8()
    try:
        status = cli.main(
            args=None if arguments is None else list(arguments), prog_name="arbitro", standalone_mode=False
        )
        return status if isinstance(status, int) else DONE
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx is not None else cli.help)
        return DONE
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx is not None else "arbitro"
        return _refuse(f"{_one_line(error.format_message())} (help: {command} --help)")
    except click.ClickException as error:
        return _refuse(_one_line(error.format_message()))
    except (KeyboardInterrupt, click.Abort):
        print("arbitro: stopped", file=sys.stderr)
        return NO_ANSWER
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): what is left of it goes nowhere, without a complaint at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        if is_about_input(error):
            return _refuse(_one_line(str(error)))
        return _refuse(f"this should not have happened ({_one_line(repr(error))}); {_logged(error)}")


def _refuse(line: str) -> int:
    print(f"arbitro: {line}", file=sys.stderr)
    return UNUSABLE


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _logged(error: BaseException) -> str:
    """Write what happened to the log and say where it is."""
    import traceback

    path = log_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as log:
            log.write(f"{datetime.now():%Y-%m-%d %H:%M:%S} {' '.join(sys.argv)}\n")
            traceback.print_exception(error, file=log)
    except OSError:
        return f"the log {path} could not be written either"
    return f"what is known is in {path}"


def _speak_utf8() -> None:
    # A Windows console may still speak an old code page, in which "ò" cannot be printed.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    sys.exit(main())
