"""`arbitro doctor [SOURCE]`: is everything there, and is the picture good enough?"""

from __future__ import annotations

import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from arbitro.cli import json_option, language_option, print_json
from arbitro.errors import DONE, NO_ANSWER

# A journal of an evening's play stays far below this.
_FREE_MB = 200
_FRAMES = 60


@dataclass(frozen=True)
class Finding:
    """One thing that was checked: verdict "good", "warn" or "bad", what was found, and what to do about it."""

    check: str
    verdict: str
    found: str
    advice: str = ""


@click.command()
@click.argument("source", required=False)
@json_option
@language_option
@click.pass_obj
def doctor(settings_file: Path | None, source: str | None, as_json: bool, language: str) -> int:
    """Check models, disk and settings; with a SOURCE also its frame rate, light, focus and the size of the cards."""
    from arbitro.settings import load_settings

    settings = load_settings(settings_file)
    findings = [_program(), _disk(language), *_models(settings.computing.threads, language)]
    models_are_good = all(finding.verdict == "good" for finding in findings if finding.check == "model")
    if source is not None:
        findings += _picture(source, models_are_good, settings.computing.threads, language)
    verdict = "bad" if any(finding.verdict == "bad" for finding in findings) else "good"
    if as_json:
        print_json({"verdict": verdict, "checks": [asdict(finding) for finding in findings]})
    else:
        from arbitro.wording import say

        marks = {"good": "ok  ", "warn": "?   ", "bad": "BAD "}
        for finding in findings:
            name = say(f"doctor-name-{finding.check}", language=language)
            click.echo(f"{marks[finding.verdict]}{name:<14}{finding.found}")
            if finding.advice:
                click.echo(f"    {'':<14}{finding.advice}")
    return DONE if verdict == "good" else NO_ANSWER


def _program() -> Finding:
    from arbitro import __version__

    return Finding("program", "good", f"Arbitro {__version__}, Python {sys.version.split()[0]}")


def _disk(language: str) -> Finding:
    from arbitro.places import home
    from arbitro.wording import say

    folder = home()
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free_mb = shutil.disk_usage(there).free // 1_000_000
    found = say("doctor-disk", {"free": free_mb, "folder": folder}, language)
    if free_mb < _FREE_MB:
        return Finding("disk", "bad", found, say("doctor-disk-full", language=language))
    return Finding("disk", "good", found)


def _models(threads: int, language: str) -> list[Finding]:
    from arbitro.wording import say
    from vision.models import MODEL_NAMES, ModelError, Models

    findings = []
    try:
        models = Models(threads=threads)
    except ModelError as error:
        return [Finding("model", "bad", str(error))]
    for name in MODEL_NAMES:
        try:
            entry = models.verify(name)
        except ModelError as error:
            findings.append(Finding("model", "bad", str(error)))
        else:
            words = {
                "name": name,
                "file": entry.path.name,
                "height": entry.input_hw[0],
                "width": entry.input_hw[1],
            }
            findings.append(Finding("model", "good", say("doctor-model", words, language)))
    return findings


def _picture(source: str, models_are_good: bool, threads: int, language: str) -> list[Finding]:
    from itertools import islice

    from arbitro.wording import say
    from vision.camera import Camera
    from vision.checks import Checker
    from vision.checks import say as advise
    from vision.detector import Detector
    from vision.models import Models

    with Camera.open(source) as camera:
        detector = Detector(Models(threads=threads)) if models_are_good else None
        checker = Checker(detector, claimed_fps=camera.claimed_fps, live=camera.live)
        size = (0, 0)
        for frame in islice(camera, _FRAMES):
            checker.look(frame)
            size = (frame.image.shape[1], frame.image.shape[0])
    findings = [
        Finding("camera", "good", say("doctor-camera", {"width": size[0], "height": size[1]}, language))
    ]
    # Pictures of a folder were not taken one after the other by a camera at rest.
    are_photos = Path(source).is_dir()
    for check in checker.checks():
        if are_photos and check.code == "steadiness":
            continue
        value = "?" if check.value is None else f"{check.value:.3g} {check.unit}"
        advice = "" if check.advice is None else advise(check.advice, check.args, language)
        findings.append(Finding(check.code, check.verdict, value, advice))
    return findings
