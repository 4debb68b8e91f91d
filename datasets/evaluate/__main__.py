"""Measure the models: `python -m datasets.evaluate` writes docs/accuracy.md, the manifest's figures and the log."""

from __future__ import annotations

import json
from pathlib import Path

import click
import cv2

from datasets.evaluate import history
from datasets.evaluate.report import document, figures
from datasets.evaluate.sets import (
    PHOTOGRAPHS,
    RENDERED,
    measure_photographs,
    measure_rendered,
    photographs_here,
)
from datasets.train.export import MODELS, note_in_manifest
from vision.models import MODEL_NAMES, ModelError, Models
from vision.reading import CardReader

PROJECT = Path(__file__).resolve().parents[2]


@click.command()
@click.option(
    "--models", type=click.Path(path_type=Path), default=MODELS, help="Folder of the models to measure."
)
@click.option("--pictures", type=int, default=300, show_default=True, help="Rendered pictures a set.")
@click.option("--only", multiple=True, help="Measure only these sets; then nothing is written but --json.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=PROJECT / "docs" / "accuracy.md", show_default=False
)
@click.option(
    "--notes",
    type=click.Path(path_type=Path),
    default=PROJECT / "docs" / "accuracy-notes.md",
    help="Text to append.",
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Also write all figures there.")
def main(
    models: Path, pictures: int, only: tuple[str, ...], out: Path, notes: Path, json_path: Path | None
) -> None:
    """Measure the models on rendered pictures and real photographs."""
    cv2.setNumThreads(2)
    try:
        reader = CardReader(Models(models))
        sets = {}
        for name, decks in RENDERED.items():
            if not only or name in only:
                each = max(1, pictures // len(decks))
                sets[name] = measure_rendered(reader, decks, each, lambda text: click.echo(text, err=True))
        if not photographs_here():
            click.echo("no real photographs here: that part is left out", err=True)
        else:
            chosen = [name for name in PHOTOGRAPHS if not only or name in only or "photographs" in only]
            if chosen:
                sets["photographs"] = {name: measure_photographs(reader, name) for name in chosen}
    except (ModelError, FileNotFoundError) as error:
        raise click.ClickException(str(error)) from error
    text = document(sets, notes.read_text(encoding="utf-8") if notes.exists() else "")
    if json_path is not None:
        json_path.write_text(json.dumps(figures(sets), indent=1))
    if only:
        click.echo(text)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    measured = figures(sets)
    for role in MODEL_NAMES:
        note_in_manifest(models, role, {"figures": measured})
    manifest = json.loads((models / "manifest.json").read_text(encoding="utf-8"))
    history.append(models / "history.jsonl", history.row_of(manifest, measured, pictures))
    click.echo(f"written: {out}")


if __name__ == "__main__":
    main()
