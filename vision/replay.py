"""Keep the last half minute of a camera, and make a clip file of any moment in it.

Frames are compressed as they come (H.264 in short groups, each of which can be read by itself) and keep the times at
which they were taken. A clip is written from the compressed groups as they are, so that making one costs nothing worth
naming, and says in its metadata when each of its frames was taken. What the frames show is nobody's business here.
"""

from __future__ import annotations

import json
import os
import queue
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import av
import av.error
import numpy as np
import numpy.typing as npt
from av.video.frame import PictureType

from vision.camera import Camera, Frame

SECONDS = 30.0
"""How much is kept."""
MAX_BYTES = 32_000_000
"""Memory that compressed frames may take; with the frames that wait for compression this stays below 60 MB at 1080p."""
GROUP_MS = 500.0
"""Length of a group of frames: a clip begins at most so much earlier than asked."""
CLIP_FORMAT = 1

_WAITING = 4
_TIME_BASE = Fraction(1, 1_000_000)
# Quality that leaves the outlines of hands as they are; the rate is bounded so that all seconds fit into the memory.
_CRF = 20
_RATE_SHARE = 0.9


class ReplayError(Exception):
    """Raised when a moment cannot be made into a clip; the message is one line for people."""


@dataclass(frozen=True)
class Clip:
    """Describe a clip that was written.

    Attributes:
        path: the file, MP4.
        times_ms: when each of its frames was taken, in ms of the source's media time; the file's own times count from
            the first of them.
    """

    path: Path
    times_ms: tuple[float, ...]


@dataclass
class _Group:
    """Hold consecutive frames of which the first stands by itself."""

    size: tuple[int, int]
    packets: list[bytes] = field(default_factory=list)
    times_ms: list[float] = field(default_factory=list)

    @property
    def weight(self) -> int:
        return sum(map(len, self.packets))


class ReplayBuffer:
    """Keep the newest frames of a source, compressed. `add` and `save` may be called from different threads.

    Args:
        seconds: how much to keep.
        max_bytes: memory for compressed frames; when they need more, less time is kept.
        patient: whether `add` waits when compression is behind (films) or leaves the frame out (cameras).
    """

    def __init__(
        self, *, seconds: float = SECONDS, max_bytes: int = MAX_BYTES, patient: bool = False
    ) -> None:
        self._keep_ms = seconds * 1000
        self._max_bytes = max_bytes
        self._patient = patient
        self._rate = int(_RATE_SHARE * max_bytes * 8 / seconds)
        self._groups: deque[_Group] = deque()
        self._bytes = 0
        self._lock = threading.Condition()
        self._encoder: Any = None
        self._last_ms = -1.0
        self._failed: str | None = None
        self.left_out = 0
        """Frames that came faster than they could be compressed."""
        self._queue: queue.Queue[Frame | None] = queue.Queue(_WAITING)
        self._waiting = 0
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="replay", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(self, frame: Frame) -> None:
        """Take a frame; frames come in the order of their times. The picture must not be changed afterwards."""
        with self._lock:
            if self._closed:
                return
            self._waiting += 1
        try:
            self._queue.put(frame, block=self._patient)
        except queue.Full:
            with self._lock:
                self._waiting -= 1
                self.left_out += 1

    def close(self) -> None:
        """Stop compressing; what was kept can still be made into clips. Closing twice does no harm."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._queue.put(None)
        self._thread.join(timeout=5)

    @property
    def span_ms(self) -> tuple[float, float] | None:
        """Times of the oldest and the newest frame that is kept; None before the first one."""
        with self._lock:
            if not self._groups:
                return None
            return self._groups[0].times_ms[0], self._groups[-1].times_ms[-1]

    @property
    def memory_bytes(self) -> int:
        """Memory that the compressed frames take."""
        with self._lock:
            return self._bytes

    def wait_until(self, t_ms: float, timeout_s: float) -> bool:
        """Wait until a frame of `t_ms` or later is kept; False if none came in time."""
        with self._lock:
            return self._lock.wait_for(
                lambda: bool(self._groups) and self._groups[-1].times_ms[-1] >= t_ms, timeout_s
            )

    def save(self, path: Path, from_ms: float, to_ms: float, about: dict[str, Any] | None = None) -> Clip:
        """Write the frames from `from_ms` to `to_ms` as a clip.

        Args:
            path: the file to write, MP4; it must not exist, so that no clip is ever taken for another one.
            from_ms: media time that the clip holds at the latest from its first frame on.
            to_ms: media time of its last frame at the most.
            about: what else to note in its metadata.

        Raises:
            ReplayError: if nothing of that time is kept, or the file exists or cannot be written.
        """
        groups = self._of(from_ms, to_ms)
        # A camera may change its size; a clip has one: that of the moment's last frame.
        groups = [group for group in groups if group.size == groups[-1].size]
        packets, times = [], []
        for group in groups:
            for packet, t_ms in zip(group.packets, group.times_ms, strict=True):
                if t_ms <= to_ms:
                    packets.append((packet, t_ms, packet is group.packets[0]))
                    times.append(t_ms)
        note = {
            "format": CLIP_FORMAT,
            **(about or {}),
            "times_ms": [round(t_ms, 3) for t_ms in times],
        }
        _write(path, groups[-1].size, packets, note)
        return Clip(path, tuple(times))

    def frames(self, from_ms: float, to_ms: float) -> Iterator[Frame]:
        """Give the frames from `from_ms` to `to_ms`, decompressed, with their media times; `index` counts from 0.

        Raises:
            ReplayError: if nothing of that time is kept.
        """
        index = 0
        for group in self._of(from_ms, to_ms):
            for image, t_ms in _decoded(group):
                if from_ms <= t_ms <= to_ms:
                    yield Frame(image, t_ms, index)
                    index += 1

    def _of(self, from_ms: float, to_ms: float) -> list[_Group]:
        """Return copies of the groups that hold a time; frames that wait for compression are waited for."""
        with self._lock:
            self._lock.wait_for(lambda: self._waiting == 0 or self._failed is not None, timeout=5)
            if self._failed is not None:
                raise ReplayError(self._failed)
            found = [
                _Group(group.size, list(group.packets), list(group.times_ms))
                for group in self._groups
                if group.times_ms[-1] >= from_ms and group.times_ms[0] <= to_ms
            ]
        if not found:
            span = self.span_ms
            kept = "nothing yet" if span is None else f"{span[0] / 1000:.1f} s to {span[1] / 1000:.1f} s"
            raise ReplayError(
                f"nothing of {from_ms / 1000:.1f} s to {to_ms / 1000:.1f} s is kept ({kept} is): "
                "save a moment within half a minute"
            )
        return found

    def _work(self) -> None:
        while (frame := self._queue.get()) is not None:
            try:
                self._take(frame)
            except (av.error.FFmpegError, OSError, ValueError) as error:
                self._failed = f"the replay stopped ({error}): start watching again"
            with self._lock:
                self._waiting -= 1
                self._lock.notify_all()

    def _take(self, frame: Frame) -> None:
        if self._failed is not None or frame.t_ms <= self._last_ms:
            return
        height, width = (side - side % 2 for side in frame.image.shape[:2])
        begins = (
            not self._groups
            or self._groups[-1].size != (width, height)
            or frame.t_ms - self._groups[-1].times_ms[0] >= GROUP_MS
        )
        if self._encoder is None or (self._encoder.width, self._encoder.height) != (width, height):
            self._encoder = _encoder((width, height), self._rate)
            begins = True
        picture = av.VideoFrame.from_ndarray(
            np.ascontiguousarray(frame.image[:height, :width]), format="bgr24"
        ).reformat(format="yuv420p")
        picture.pts, picture.time_base = round(frame.t_ms * 1000), _TIME_BASE
        picture.pict_type = PictureType.I if begins else PictureType.NONE
        data = b"".join(bytes(packet) for packet in self._encoder.encode(picture))
        if not data:
            raise ValueError("the encoder holds frames back")
        self._last_ms = frame.t_ms
        with self._lock:
            if begins:
                self._groups.append(_Group((width, height)))
            self._groups[-1].packets.append(data)
            self._groups[-1].times_ms.append(frame.t_ms)
            self._bytes += len(data)
            while len(self._groups) > 1 and (
                self._bytes > self._max_bytes or self._groups[1].times_ms[0] <= frame.t_ms - self._keep_ms
            ):
                self._bytes -= self._groups.popleft().weight


def clip_of_film(film: Path, path: Path, from_ms: float, to_ms: float) -> Clip:
    """Write a part of a film as a clip with the film's own frame times.

    Args:
        film: the film.
        path: the file to write, MP4; it must not exist.
        from_ms: media time of the clip's first frame at the latest.
        to_ms: media time of its last frame at the most.

    Raises:
        vision.camera.CameraError: if the film cannot be read.
        ReplayError: if it holds nothing of that time, or the file exists or cannot be written.
    """
    seconds = max(1.0, (to_ms - from_ms) / 1000 + 2)
    with (
        Camera.open(film) as camera,
        ReplayBuffer(seconds=seconds, max_bytes=int(2_000_000 * seconds), patient=True) as buffer,
    ):
        for frame in camera:
            if frame.t_ms > to_ms:
                break
            if frame.t_ms >= from_ms:
                buffer.add(frame)
        return buffer.save(path, from_ms, to_ms, {"source": film.name})


def clip_times(path: Path) -> tuple[float, ...] | None:
    """Return when each frame of a clip was taken, in ms of its source's media time; None if it is no such clip."""
    try:
        with av.open(str(path)) as container:
            note = json.loads(container.metadata.get("comment", ""))
    except (av.error.FFmpegError, OSError, ValueError):
        return None
    times = note.get("times_ms") if isinstance(note, dict) else None
    return tuple(map(float, times)) if isinstance(times, list) else None


def _encoder(size: tuple[int, int], rate: int) -> Any:
    encoder: Any = av.CodecContext.create("libx264", "w")
    _set_up(encoder, size, rate)
    encoder.open()
    return encoder


def _set_up(encoder: Any, size: tuple[int, int], rate: int) -> None:
    encoder.width, encoder.height = size
    encoder.pix_fmt = "yuv420p"
    encoder.time_base = _TIME_BASE
    encoder.framerate = Fraction(30)
    encoder.gop_size = 600
    encoder.max_b_frames = 0
    encoder.thread_count = 1
    encoder.options = {
        "preset": "ultrafast",
        "tune": "zerolatency",
        "crf": str(_CRF),
        "maxrate": str(rate),
        "bufsize": str(rate // 2),
        "forced-idr": "1",
    }


def _write(
    path: Path, size: tuple[int, int], packets: Sequence[tuple[bytes, float, bool]], note: dict[str, Any]
) -> None:
    """Write packets as an MP4 that appears under its name only when it is whole, and replaces nothing."""
    part = None
    try:
        handle, name = tempfile.mkstemp(suffix=".part", prefix=f".{path.stem}-", dir=path.parent)
        os.close(handle)
        part = Path(name)
        first_us = round(packets[0][1] * 1000)
        with av.open(name, mode="w", format="mp4") as container:
            container.metadata["comment"] = json.dumps(note, separators=(",", ":"))
            stream: Any = container.add_stream("libx264")
            _set_up(stream.codec_context, size, rate=8_000_000)
            for data, t_ms, is_key in packets:
                packet = av.Packet(data)
                packet.stream = stream
                packet.pts = packet.dts = round(t_ms * 1000) - first_us
                packet.time_base = _TIME_BASE
                packet.is_keyframe = is_key
                container.mux(packet)
        # A link, unlike a renaming, does not replace what is there.
        os.link(part, path)
    except FileExistsError:
        raise ReplayError(f"there is a clip {path} already: it is not replaced") from None
    except (av.error.FFmpegError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ReplayError(f"the clip {path} cannot be written ({reason}): check the folder") from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def _decoded(group: _Group) -> Iterator[tuple[npt.NDArray[np.uint8], float]]:
    decoder: Any = av.CodecContext.create("h264", "r")
    decoder.thread_count = 1
    times = iter(group.times_ms)
    for data in (*group.packets, None):
        for picture in decoder.decode(None if data is None else av.Packet(data)):
            yield picture.to_ndarray(format="bgr24"), next(times)
