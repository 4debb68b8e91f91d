"""Write a film of slaps: H.264 with the real time of every frame, and what it shows beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from datasets.render.assets import HELD_OUT_DECKS, shared_folder
from datasets.slaps.case import Case
from datasets.slaps.draw import draw_case
from datasets.slaps.exposure import Exposures
from datasets.slaps.hands import Persons
from datasets.slaps.room import Picture, Room
from datasets.slaps.stage import Stage, set_stage
from datasets.slaps.timeline import Slot, frame_slots
from datasets.slaps.truth import film_truth, hand_overlaps, outlines, record_text

#: Times in the file are counted in these parts of a second.
_TICKS = 90000


@dataclass(frozen=True, slots=True)
class SlapFilm:
    """A film that is ready to be drawn: what it shows, where, in which frames."""

    stage: Stage
    slots: tuple[Slot, ...]
    fps: float

    def pictures(self) -> Iterator[tuple[float, Picture]]:
        """Yield time (ms) and picture of every frame that reached the film."""
        exposures = Exposures(self.stage.room, self.stage.layers)
        taken = None
        for index, slot in enumerate(self.slots):
            if slot.dropped:
                continue
            if taken is None or not slot.duplicate:
                taken = exposures.develop(exposures.take(slot.t_ms), slot.t_ms, index)
            yield slot.t_ms, taken


def prepare(seed: int, *, size: tuple[int, int] = (1280, 720), fps: float = 30.0, split: str = "train",
            game: str | None = None, kind: str | None = None, case: Case | None = None,
            persons: Persons | None = None) -> SlapFilm:
    """Make everything of a film but its pictures.

    Args:
        seed: the same seed gives the same film.
        size: width and height, px, both even.
        fps: frames a second that the camera is set to: 25, 30 or 60.
        split: `train`, or `test` for tables, hands and decks that are kept out of training.
        game: slapjack, irish-snap or spit, or None for any; kind: what happens, or None for any.
        case: show exactly this instead.
        persons: the people of the split, if they are loaded already.

    Raises:
        ValueError: for what cannot be filmed; the message says what and why.
    """
    if fps not in (25, 30, 60):
        raise ValueError(f"a film of slaps has 25, 30 or 60 frames a second, not {fps:g}")
    case = case or draw_case(seed, fps, game=game, kind=kind)
    people = persons or Persons(split)
    room = Room.random(seed, size, fps, split=split, dim=case.dim)
    stage = set_stage(case, room, people, _deck(seed, split), seed)
    slots = frame_slots(seed, room.shutter, case.duration_ms, case.missing, case.repeated)
    return SlapFilm(stage, tuple(slots), fps)


def write_film(film: SlapFilm, folder: Path, name: str, *, crf: int = 20, with_outlines: bool = False) -> Path:
    """Write NAME.mp4, NAME.jsonl (the record), NAME.json (the truth, last) and, if asked, NAME.outlines.jsonl.

    Returns:
        The path of the film.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.mp4"
    encode_timed(path, film.pictures(), film.stage.room.camera.size, film.fps, crf)
    (folder / f"{name}.jsonl").write_text(record_text(film.stage.case, hand_overlaps(film.stage)), encoding="utf-8")
    if with_outlines:
        with (folder / f"{name}.outlines.jsonl").open("w", encoding="utf-8") as lines:
            for slot in film.slots:
                if not slot.dropped:
                    line = {"t_ms": round(slot.t_ms, 3), "hands": outlines(film.stage, slot.t_ms)}
                    lines.write(json.dumps(line, separators=(",", ":")) + "\n")
    truth = film_truth(film.stage, film.slots, film.fps)
    (folder / f"{name}.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return path


def encode_timed(path: Path, pictures: Iterable[tuple[float, Picture]], size: tuple[int, int], fps: float,
                 crf: int = 20) -> int:
    """Encode pictures as H.264, each at its own time, and return how many there were.

    Args:
        path: the file to write.
        pictures: time in ms and (h, w, 3) uint8 BGR, in order of time.
        size: width and height of the pictures.
        fps: the rate that the file names.
        crf: x264's constant quality.
    """
    count = 0
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1001))
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": str(crf), "preset": "veryfast", "bf": "0"}
        stream.codec_context.thread_count = 1
        stream.codec_context.time_base = Fraction(1, _TICKS)
        for t_ms, picture in pictures:
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="bgr24")
            frame.pts, frame.time_base = round(t_ms * _TICKS / 1000), Fraction(1, _TICKS)
            for packet in stream.encode(frame):
                container.mux(packet)
            count += 1
        for packet in stream.encode(None):
            container.mux(packet)
    return count


def _deck(seed: int, split: str) -> str:
    """Choose a deck: the project's own, or a printing of the split where the art is there."""
    rng = np.random.default_rng([seed, 41])
    shared = shared_folder()
    decks = []
    if shared is not None:
        decks = [folder for folder in sorted((shared / "art").glob("fr_*"))
                 if (folder.name in HELD_OUT_DECKS) == (split == "test") and (folder / "8C.jpg").is_file()]
    if not decks or rng.random() < 0.25:
        return "french"
    return str(decks[int(rng.integers(len(decks)))])
