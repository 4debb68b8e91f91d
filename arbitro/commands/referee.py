"""`arbitro referee VIDEO`: slap and landing order from a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbitro.cli import json_option, language_option, print_json, tell
from arbitro.errors import DONE, NO_ANSWER, UnusableInputError

if TYPE_CHECKING:
    from arbitro.referee import Outcome, Referee


@click.command()
@click.argument("video", type=click.Path(path_type=Path))
@click.option("--game", default="slapjack", show_default=True, help="slapjack, irish-snap or spit.")
@click.option(
    "--seats", default="bottom,right,top,left", show_default=True, metavar="SIDE,SIDE,...",
    help="In player order: sides of the picture, or angles in degrees counter-clockwise from its right.",
)  # fmt: skip
@click.option("--players", default=None, metavar="A,B,...", help="Names in seat order.")
@click.option(
    "--laid", type=click.IntRange(0, 52), default=None, metavar="N",
    help="Irish Snap: cards laid since the last restart when the film begins; the call follows from it.",
)  # fmt: skip
@click.option(
    "--record", "record_file", type=click.Path(path_type=Path), default=None, metavar="FILE",
    help="The hand record up to the film: counts and the call go on from it.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), default=None, metavar="FOLDER",
    help="Where the strips and the slow clips go; beside the film by default.",
)  # fmt: skip
@click.option("--no-pictures", is_flag=True, help="Write neither strips nor clips.")
@json_option
@language_option
@click.pass_obj
def referee(
    settings_file: Path | None,
    video: Path,
    game: str,
    seats: str,
    players: str | None,
    laid: int | None,
    record_file: Path | None,
    out: Path | None,
    no_pictures: bool,
    as_json: bool,
    language: str,
) -> int:
    """Settle who slapped first, or whose card landed first, from a recording of the table."""
    from arbitro.match import check_game
    from arbitro.referee import Referee
    from arbitro.settings import load_settings
    from arbitro.topcard import TopReader
    from vision.classifier import Classifier
    from vision.detector import Detector
    from vision.hands.seats import SeatsError, parse_seats
    from vision.models import Models

    settings = load_settings(settings_file)
    game = check_game(game)
    try:
        seated = parse_seats(seats)
    except SeatsError as error:
        raise UnusableInputError(str(error)) from None
    names = [] if players is None else [name.strip() for name in players.split(",")]
    if names and len(names) != len(seated.angles_deg):
        raise UnusableInputError(
            f"{len(names)} names and {len(seated.angles_deg)} seats: give each player a seat in --seats"
        )
    models = Models(threads=settings.computing.threads)
    reader = TopReader(Detector(models), Classifier(models))
    judge = Referee(
        game, seated, reader, laid=laid, before=_record(record_file),
        names=names,
    )  # fmt: skip
    outcome = judge.judge(video)
    if not no_pictures:
        _pictures(judge, outcome, video, out or video.parent)
    document = _document(judge, outcome, video)
    if as_json:
        print_json(document)
    else:
        from arbitro.report import referee_report

        click.echo(referee_report(document, judge.players, language), nl=False)
    decided = any(slap["verdict"] not in ("too-close", "unclear") for slap in document["slaps"])
    return DONE if decided or document.get("landings") else NO_ANSWER


def _record(path: Path | None) -> list[dict[str, Any]]:
    if path is None:
        return []
    from rules.record import parse_record

    try:
        return parse_record(path.read_bytes()).events
    except OSError as error:
        raise UnusableInputError(f"the record {path} cannot be read ({error.strerror}): check its name") from None


def _pictures(judge: Referee, outcome: Outcome, video: Path, folder: Path) -> None:
    from arbitro.strip import write_pictures

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, settled in enumerate(outcome.settled, 1):
            strip, clip = write_pictures(settled, video, folder, f"{video.stem}-slap{number}", judge.players)
            settled.document.update(strip=str(strip), clip=str(clip))
    except OSError as error:
        tell(f"the strip cannot be written to {folder} ({error.strerror}): name another folder with --out")


def _document(judge: Referee, outcome: Outcome, video: Path) -> dict[str, Any]:
    document: dict[str, Any] = {
        "file": str(video),
        "game": judge.game,
        "seats": [round(angle, 1) for angle in judge.seats.angles_deg],
        "frames": outcome.frames,
        "slaps": [settled.document for settled in sorted(outcome.settled, key=lambda one: one.document["t_ms"])],
    }
    if judge.game == "spit":
        document["landings"] = outcome.landings
    warnings = list(outcome.warnings)
    if not document["slaps"] and not document.get("landings") and not warnings:
        warnings.append("slap-none")
    document["warnings"] = warnings
    return document
