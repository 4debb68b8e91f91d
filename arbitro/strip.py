"""The pictures that show how a dispute was decided: a strip of the deciding frames, and a slow-motion clip."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import numpy.typing as npt

from arbitro.referee import Settled, deciding_frames
from arbitro.wording import say
from vision.camera import Camera
from vision.hands.slaps import outline_of

COLOURS = ((66, 133, 244), (52, 168, 83), (251, 140, 0), (171, 71, 188), (0, 172, 193), (233, 30, 99), (124, 179, 66),
           (255, 202, 40), (121, 85, 72), (96, 125, 139))  # fmt: skip
"""Colour of each player, RGB."""
SLOWER = 8
"""How much slower than life the clip plays."""
BEFORE_MS, AFTER_MS = 250.0, 350.0
"""What the clip shows before the first and after the last contact."""
TILE_PX = 320
MOST_TILES = 12

Picture = npt.NDArray[np.uint8]


def write_pictures(
    settled: Settled, film: Path, folder: Path, name: str, players: Sequence[str]
) -> tuple[Path, Path]:
    """Write the strip (PNG) and the slow clip (MP4) of a dispute; returns their paths.

    Raises `OSError` if they cannot be written, `vision.camera.CameraError` if the film cannot be read any more.
    """
    first, last = clip_span_ms(settled)
    images: dict[int, Picture] = {}
    times = {float(t_ms): number for number, t_ms in enumerate(settled.look.sequence.t_ms)}
    with Camera.open(film) as camera:
        for frame in camera:
            if frame.t_ms > last:
                break
            if frame.t_ms >= first and frame.t_ms in times:
                images[times[frame.t_ms]] = crop(settled, frame.image)
    return write_from(settled, images, folder, name, players)


def write_from(
    settled: Settled, crops: Mapping[int, Picture], folder: Path, name: str, players: Sequence[str]
) -> tuple[Path, Path]:
    """Write strip and clip from cropped frames, by their numbers in the dispute's look."""
    strip, clip = folder / f"{name}.png", folder / f"{name}.mp4"
    ok, data = cv2.imencode(".png", strip_of(settled, crops, players))
    if not ok:
        raise OSError(0, "the strip cannot be made a PNG")
    strip.write_bytes(data.tobytes())
    _write_slow(clip, _slow_frames(settled, crops, players))
    return strip, clip


def clip_span_ms(settled: Settled) -> tuple[float, float]:
    """Return from when to when the clip of a dispute shows the table, in ms of the film."""
    hands = settled.dispute.hands
    return hands[0].t_ms - BEFORE_MS, hands[-1].t_ms + AFTER_MS


def crop(settled: Settled, image: Picture) -> Picture:
    """Return the part of a frame around the pile in which hands decide."""
    left, top, right, bottom = _box(settled)
    return np.ascontiguousarray(image[top:bottom, left:right])


def strip_of(settled: Settled, crops: Mapping[int, Picture], players: Sequence[str]) -> Picture:
    """Return the strip: the deciding frames side by side, outlines in the players' colours, times, and the verdict."""
    frames = [frame for frame in deciding_frames(settled) if frame in crops][:MOST_TILES]
    tiles = [_marked(settled, frame, crops[frame], players) for frame in frames]
    if not tiles:
        tiles = [np.zeros((TILE_PX * 3 // 4, TILE_PX, 3), np.uint8)]
    height = max(tile.shape[0] for tile in tiles)
    columns = min(4, len(tiles))
    blank = np.zeros((height, tiles[0].shape[1], 3), np.uint8)
    tiles += [blank] * (-len(tiles) % columns)
    rows = [np.hstack(tiles[start : start + columns]) for start in range(0, len(tiles), columns)]
    body = np.vstack(rows)
    head = np.full((44, body.shape[1], 3), 24, np.uint8)
    _write(head, verdict_line(settled.document, players), (10, 29), 0.62, (255, 255, 255))
    return np.vstack([head, body])


def verdict_line(document: Mapping[str, Any], players: Sequence[str], language: str = "en") -> str:
    """Return the verdict of a dispute in a few words."""
    word = str(document["verdict"])
    card = document.get("top_card") or "?"
    if word.startswith("player "):
        who = players[int(word.removeprefix("player "))]
        return say("slap-verdict-player", {"player": who, "card": card}, language)
    return say(f"slap-verdict-{word}", {"card": card}, language)


def _box(settled: Settled) -> tuple[int, int, int, int]:
    look = settled.look
    scale, (width, height) = look.sequence.scale, look.sequence.size
    half_w = min(width, round(0.44 * width)) // 2
    half_h = min(height, round(0.52 * height)) // 2
    x = min(max(round(look.pile[0] / scale), half_w), width - half_w)
    y = min(max(round(look.pile[1] / scale), half_h), height - half_h)
    return x - half_w, y - half_h, x + half_w, y + half_h


def _marked(settled: Settled, frame: int, image: Picture, players: Sequence[str]) -> Picture:
    """Return a cropped frame as a tile with outlines and its time."""
    look = settled.look
    left, top, right, _ = _box(settled)
    scale = look.sequence.scale
    tile = cv2.resize(image, (TILE_PX, round(TILE_PX * image.shape[0] / image.shape[1])), interpolation=cv2.INTER_AREA)
    zoom = TILE_PX / (right - left)
    place = np.array([[zoom / scale, 0, -left * zoom], [0, zoom / scale, -top * zoom]], np.float32)
    for hand in settled.dispute.hands:
        own = outline_of(look, hand, frame)
        mask = cv2.warpAffine(own.astype(np.uint8) * 255, place, (tile.shape[1], tile.shape[0]))
        shapes, _ = cv2.findContours((mask > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        touching = frame >= hand.first_still
        cv2.drawContours(tile, shapes, -1, colour_of(hand.player), 3 if touching else 1, cv2.LINE_AA)
    t_ms = float(look.sequence.t_ms[frame])
    _write(tile, f"{t_ms:.0f} ms", (8, 20), 0.5, (255, 255, 255))
    row = tile.shape[0] - 8
    for hand in reversed(settled.dispute.hands):
        if frame >= hand.first_still:
            name = players[hand.player] if hand.player is not None else "?"
            _write(tile, f"{name} {hand.t_ms:.0f} +-{hand.error_ms:.0f}", (8, row), 0.42, colour_of(hand.player))
            row -= 16
    cv2.rectangle(tile, (0, 0), (tile.shape[1] - 1, tile.shape[0] - 1), (24, 24, 24), 2)
    return np.asarray(tile, np.uint8)


def colour_of(player: int | None) -> tuple[int, int, int]:
    """Return a player's colour, BGR; grey for a hand that is nobody's."""
    if player is None:
        return 160, 160, 160
    red, green, blue = COLOURS[player % len(COLOURS)]
    return blue, green, red


def _write(image: Picture, text: str, place: tuple[int, int], size: float, colour: tuple[int, int, int]) -> None:
    # OpenCV's letters have no accents: what is shown in pictures is plain.
    plain = text.encode("ascii", "replace").decode("ascii")
    cv2.putText(image, plain, place, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(image, plain, place, cv2.FONT_HERSHEY_SIMPLEX, size, colour, 1, cv2.LINE_AA)


def _slow_frames(
    settled: Settled, crops: Mapping[int, Picture], players: Sequence[str]
) -> Iterable[tuple[Picture, float]]:
    for frame in sorted(crops):
        yield _marked(settled, frame, crops[frame], players), float(settled.look.sequence.t_ms[frame])


def _write_slow(path: Path, frames: Iterable[tuple[Picture, float]]) -> None:
    """Write frames with their times, `SLOWER` times slower, as MP4."""
    container: Any = None
    stream: Any = None
    begun_ms = 0.0
    try:
        for image, t_ms in frames:
            height, width = (side - side % 2 for side in image.shape[:2])
            if container is None:
                container = av.open(str(path), mode="w")
                stream = container.add_stream("libx264", rate=30)
                stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
                stream.codec_context.time_base = Fraction(1, 1000)
                stream.codec_context.thread_count = 1
                stream.options = {"preset": "veryfast", "crf": "23"}
                begun_ms = t_ms
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image[:height, :width]), format="bgr24")
            frame.pts, frame.time_base = round((t_ms - begun_ms) * SLOWER), Fraction(1, 1000)
            container.mux(stream.encode(frame))
        if container is not None:
            container.mux(stream.encode(None))
    finally:
        if container is not None:
            container.close()
