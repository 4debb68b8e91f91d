"""Compare with the usual ways: `python -m benchmarks.usual_ways` writes docs/benchmarks.md."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click
import cv2

from arbitro.stages import measure_stages
from benchmarks.measure import Count, compare
from benchmarks.pictures import sets
from benchmarks.report import document
from benchmarks.ways import BoxesAndOrb, OneStage, Ours, Way, WholePictureSift
from datasets.evaluate.sets import photographs_here
from vision.models import ModelError, Models
from vision.reading import CardReader

DOCS = Path(__file__).resolve().parents[1] / "docs"
UNTRAINED = "yolo26n-obb.yaml"
PATH = click.Path(path_type=Path)


@click.command()
@click.option("--models", type=PATH, help="Folder of the models; the program's own if not given.")
@click.option(
    "--pictures", type=click.IntRange(1), default=12, show_default=True, help="Renderings a printing."
)
@click.option(
    "--photographs", type=click.IntRange(0), default=6, show_default=True, help="Photographs a set, at most."
)
@click.option("--one-stage", metavar="WEIGHTS", help="A trained network of 92 classes for ultralytics.")
@click.option("--threads", type=click.IntRange(1), default=2, show_default=True)
@click.option(
    "--seconds", type=float, default=1.0, show_default=True, help="Time given to each of our stages."
)
@click.option("--notes", type=PATH, default=DOCS / "benchmarks-notes.md", help="Text to append.")
@click.option("--out", type=PATH, default=DOCS / "benchmarks.md")
def main(
    models: Path | None,
    pictures: int,
    photographs: int,
    one_stage: str | None,
    threads: int,
    seconds: float,
    notes: Path,
    out: Path,
) -> None:
    """Measure Arbitro and the usual ways on the same pictures."""
    cv2.setNumThreads(threads)
    try:
        reader = CardReader(Models(models, threads=threads))
        ways: list[Way] = [Ours(reader), BoxesAndOrb(reader.detector), WholePictureSift()]
        names = [way.name for way in ways]
        if one_stage is not None or importlib.util.find_spec("ultralytics"):
            ways.append(_one_stage(one_stage or UNTRAINED, threads))
            names.append(ways[-1].name)
        else:
            names.append("one stage (92 classes)")
        if not photographs_here():
            click.echo("no real photographs here: that part is left out", err=True)
            photographs = 0
        groups = {}
        for group, parts in sets(pictures, photographs).items():
            whole, single = [Count() for _ in names], {}
            for name, deck, shown in parts:
                counts = compare(ways, deck, shown, lambda text: click.echo(text, err=True))
                counts += [Count() for _ in names[len(counts) :]]
                for total, count in zip(whole, counts, strict=True):
                    total.take_in(count)
                single[name] = counts
            groups[group] = (whole, single)
    except (ModelError, FileNotFoundError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    stages = measure_stages(threads, seconds, lambda text: click.echo(text, err=True))
    text = document(
        names, groups, stages, threads, notes.read_text(encoding="utf-8") if notes.exists() else ""
    )
    out.write_text(text, encoding="utf-8")
    click.echo(f"written: {out}")


def _one_stage(weights: str, threads: int) -> OneStage:
    try:
        return OneStage(weights, threads)
    except ModuleNotFoundError:
        raise click.ClickException(
            "a one-stage network needs ultralytics: install the extra `train`"
        ) from None


if __name__ == "__main__":
    main()
