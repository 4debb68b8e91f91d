"""Make the film that comes with the project: `python -m datasets.film.demo_film`.

A hand of Scopa for two with sweeps on both sides, sums of two and of three cards and a close end, on a wooden table.
Made once and committed; this module says how.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from datasets.film import DEMO_FOLDER, DEMO_NAME
from datasets.film.arm import Look
from datasets.film.direct import write_script
from datasets.film.faces import FaceSource
from datasets.film.hands import random_hand
from datasets.film.render import FilmRenderer
from datasets.film.setting import Setting
from datasets.film.write import write_film

_HAND_SEED, _ROOM_SEED = 12, 1
_LOOKS = (
    Look(skin=(138, 168, 222), sleeve=(112, 84, 38), pattern="knit", cuff_mm=214.0, scale=0.95, texture_seed=5),
    Look(skin=(74, 104, 160), sleeve=(206, 214, 222), pattern="stripes", cuff_mm=205.0, scale=1.03, texture_seed=11),
)


def demo_renderer(size: tuple[int, int] = (960, 540), fps: float = 20.0) -> FilmRenderer:
    """Return the renderer of the demo film."""
    faces = FaceSource("italian", "red-rosettes")
    setting = Setting.random(_ROOM_SEED, size, faces.card_mm, table="wood", tilt_degrees=14.0)
    setting = replace(setting, looks=_LOOKS, noise=1.0, drift=0.02, shutter=0.35, focus_px=0.4)
    script = write_script(random_hand(_HAND_SEED), setting.layout, "lively", _HAND_SEED)
    return FilmRenderer(script, setting, faces, fps)


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=DEMO_FOLDER, help="Where to write.")
def main(out: Path) -> None:
    """Make the demo film and its record anew."""
    def told(done: int, count: int) -> None:
        if done % 100 == 0:
            click.echo(f"frame {done} of {count}", err=True)

    files = write_film(demo_renderer(), out, DEMO_NAME, crf=25, preset="veryfast", progress=told)
    click.echo(files.film)


if __name__ == "__main__":
    main()
