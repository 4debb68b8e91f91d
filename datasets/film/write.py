"""Write a film to disk: an H.264 file, the hand record beside it and, if wanted, where every card is in every frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from datasets.decks import back_names
from datasets.film.direct import write_script
from datasets.film.faces import FaceSource
from datasets.film.hands import HandPlan
from datasets.film.render import FilmRenderer
from datasets.film.script import Script, Style
from datasets.film.setting import Setting
from rules.record import read_header, write_record


@dataclass(frozen=True, slots=True)
class FilmFiles:
    """The files of one film: `truth` is None unless it was asked for."""

    film: Path
    record: Path
    truth: Path | None


def encode(path: Path, frames: Iterable[NDArray[np.uint8]], fps: float, *, crf: int = 23,
           preset: str = "veryfast", numbers: Sequence[int] | None = None) -> int:
    """Encode BGR frames as H.264 and return how many there were.

    Args:
        path: the file to write; its ending names the container (.mp4, .mkv).
        frames: (h, w, 3) uint8 pictures of one size, both sides even.
        fps: frames a second.
        crf: x264's constant quality, 0 lossless .. 51 worst.
        preset: x264's preset, from `ultrafast` to `veryslow`.
        numbers: the number of each frame, where some are lost: it is shown when that many frames should have been.

    Raises:
        ValueError: when there is no frame, or frames differ in size.
    """
    count = 0
    size: tuple[int, int] | None = None
    with av.open(str(path), "w") as container:
        stream = None
        for frame in frames:
            if stream is None:
                size = frame.shape[1], frame.shape[0]
                stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1001))
                stream.width, stream.height = size
                stream.pix_fmt = "yuv420p"
                stream.options = {"crf": str(crf), "preset": preset}
            if (frame.shape[1], frame.shape[0]) != size:
                raise ValueError(f"frame {count} has another size than the first")
            picture = av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="bgr24")
            if numbers is not None:
                picture.pts, picture.time_base = numbers[count], 1 / stream.codec_context.framerate
            for packet in stream.encode(picture):
                container.mux(packet)
            count += 1
        if stream is not None:
            for packet in stream.encode(None):
                container.mux(packet)
    if not count:
        path.unlink(missing_ok=True)
        raise ValueError("a film needs at least one frame")
    return count


def make_film(
    plan: HandPlan,
    folder: Path,
    name: str,
    *,
    seed: int = 0,
    style: Style | str = "calm",
    size: tuple[int, int] = (1280, 720),
    fps: float = 30.0,
    deck: str | Path = "italian",
    table: str | None = None,
    tilt_degrees: float | None = None,
    stage: str = "own",
    sides: tuple[str, ...] = (),
    crf: int = 23,
    preset: str = "veryfast",
    with_truth: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> FilmFiles:
    """Film a hand and write film, record and (if asked) the truth of every frame.

    Args:
        plan: the hand.
        folder: where to write; made if it is missing.
        name: of the files, without ending.
        seed: of the script and the setting.
        style: pace of play.
        size: width and height, px, both even.
        fps: frames a second.
        deck: an own deck or a folder of pictures.
        table: kind of table, or None for any.
        tilt_degrees: lean of the camera, or None for any.
        stage: what tables and hands are taken from, of `datasets.film.setting.STAGES`.
        sides: where the players sit, of `datasets.film.layout.SIDES`; the usual ones if empty.
        crf: quality of the encoding; preset: its effort.
        with_truth: also write NAME.truth.json.
        progress: called with the number of frames done and of all frames.

    Raises:
        ValueError: for what cannot be filmed; the message says what and why.
    """
    faces, script, setting = prepare(plan, seed=seed, style=style, size=size, deck=deck, table=table,
                                     tilt_degrees=tilt_degrees, stage=stage, sides=sides)
    return write_film(FilmRenderer(script, setting, faces, fps), folder, name, crf=crf, preset=preset,
                      with_truth=with_truth, progress=progress)


def write_film(
    renderer: FilmRenderer,
    folder: Path,
    name: str,
    *,
    crf: int = 23,
    preset: str = "veryfast",
    with_truth: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> FilmFiles:
    """Write a film, its record and, if asked, its truth; `make_film` explains the arguments. The record comes last."""
    folder.mkdir(parents=True, exist_ok=True)
    film, record = folder / f"{name}.mp4", folder / f"{name}.jsonl"

    numbers = renderer.given()

    def reported() -> Iterable[NDArray[np.uint8]]:
        for index in numbers:
            if progress is not None:
                progress(index, renderer.frame_count)
            yield renderer.frame(index)

    # A film without a loss is written as ever, so that the same seed gives the same file.
    encode(film, reported(), renderer.fps, crf=crf, preset=preset,
           numbers=numbers if len(numbers) < renderer.frame_count else None)
    truth = None
    if with_truth:
        truth = folder / f"{name}.truth.json"
        truth.write_text(json.dumps(film_truth(renderer), separators=(",", ":")), encoding="utf-8")
    record.write_text(write_record(renderer.script.events), encoding="utf-8")
    return FilmFiles(film, record, truth)


def prepare(
    plan: HandPlan,
    *,
    seed: int,
    style: Style | str,
    size: tuple[int, int],
    deck: str | Path,
    table: str | None = None,
    tilt_degrees: float | None = None,
    stage: str = "own",
    sides: tuple[str, ...] = (),
) -> tuple[FaceSource, Script, Setting]:
    """Choose deck, room and motions of a film; `make_film` explains the arguments."""
    backs = back_names()
    faces = FaceSource(deck, backs[seed % len(backs)])
    header = read_header(plan.events[0])
    players = len(header.players)
    setting = Setting.random(seed, size, faces.card_mm, players=players, table=table, tilt_degrees=tilt_degrees,
                             stage=stage, sides=sides, pairs=len(header.sides) < players)
    return faces, write_script(plan, setting.layout, style, seed), setting


def film_truth(renderer: FilmRenderer) -> dict[str, Any]:
    """Return the truth of every frame: `{"fps", "size", "happenings", "frames": [{"t_ms", "cards": [...]}]}`.

    `CardTruth` and `datasets.film.script.Happening` explain the entries. Frames that the camera loses are not there.
    """
    return {
        "fps": renderer.fps,
        "size": list(renderer.size),
        "happenings": [happening.as_json() for happening in renderer.script.happenings],
        "frames": [
            {"t_ms": round(renderer.time_ms(index), 2), "cards": [card.as_json() for card in renderer.truth(index)]}
            for index in renderer.given()
        ],
    }
