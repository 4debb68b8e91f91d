"""Render a data set: `python -m datasets.render --out FOLDER --count 20000`."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import click
import cv2

from datasets.render.assets import Assets, load_assets
from datasets.render.dataset import write_description, write_shard

SHARD = 250
_assets: Assets | None = None


def _work(job: tuple[Path, str, int, range, int, float, float]) -> int:
    folder, split, shard, indices, seed, easiest, hardest = job
    assert _assets is not None
    return write_shard(folder, split, shard, indices, seed, _assets, easiest, hardest)


@click.command()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of the data set.")
@click.option("--count", type=int, required=True, help="Number of pictures.")
@click.option("--first", type=int, default=0, help="Number of the first picture, to add to a data set.")
@click.option("--split", type=click.Choice(["train", "test"]), default="train")
@click.option("--decks", default="all", help="all, seen, held-out, own, or the name of one deck's art.")
@click.option("--seed", type=int, default=1)
@click.option("--easiest", type=float, default=0.5, help="Difficulty of a shard's first picture, 0 to 1.")
@click.option("--hardest", type=float, default=1.0, help="Difficulty of a shard's last picture, 0 to 1.")
@click.option("--workers", type=int, default=multiprocessing.cpu_count())
def main(
    out: Path,
    count: int,
    first: int,
    split: str,
    decks: str,
    seed: int,
    easiest: float,
    hardest: float,
    workers: int,
) -> None:
    """Render pictures of cards on tables, with labels, as a data set to train and to measure on."""
    global _assets
    if first % SHARD:
        raise click.BadParameter(f"must be a multiple of {SHARD}", param_hint="--first")
    # OpenCV's own threads do not survive the fork: workers would wait for them for ever.
    cv2.setNumThreads(0)
    try:
        _assets = load_assets(split, seed, decks)
    except FileNotFoundError as error:
        raise click.ClickException(str(error)) from error
    write_description(out)
    jobs = [
        (out, split, start // SHARD, range(start, min(start + SHARD, first + count)), seed, easiest, hardest)
        for start in range(first, first + count, SHARD)
    ]
    began, crops = time.monotonic(), 0
    # Workers are forked, so that they share the loaded art instead of loading it again.
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for i, made in enumerate(pool.imap(_work, jobs), 1):
            crops += made
            pictures = min(i * SHARD, count)
            rate = pictures / (time.monotonic() - began)
            click.echo(f"{pictures}/{count} pictures, {crops} crops, {rate:.1f} pictures/s", err=True)


if __name__ == "__main__":
    main()
