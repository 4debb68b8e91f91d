"""Films and network streams, decoded with PyAV.

Owns demuxing, media times, the rotation that phones note beside the pictures, and damaged frames.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import av.error
import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import CameraError, FrameSource

DECODER_THREADS = 2
STREAM_TIMEOUT_S = 5.0
NOT_FILMS = frozenset({"tty", "bin", "xbin", "adf", "idf"})
"""Formats in which FFmpeg draws the letters of any text file as pictures."""
_TURNS = {90: cv2.ROTATE_90_COUNTERCLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_CLOCKWISE}


class FilmSource(FrameSource):
    """Give every frame of a film file.

    Args:
        path: the film.
        paced: wait before each frame until its media time has come.

    Raises:
        CameraError: if the file is not a film, or holds no picture.
    """

    def __init__(self, path: Path, *, paced: bool = False) -> None:
        try:
            if path.stat().st_size == 0:
                raise CameraError(f"{path} is an empty file; record or copy the film again")
            container = av.open(str(path), mode="r")
            if container.format.name in NOT_FILMS:
                container.close()
                raise ValueError(container.format.name)
            self._reader = _Reader(container)
        except CameraError:
            raise
        except (av.error.FFmpegError, OSError, ValueError):
            raise CameraError(
                f"{path} is not a film or picture that can be read; use MP4, MKV, MOV, AVI or WebM"
            ) from None
        except IndexError:
            raise CameraError(f"{path} holds no moving pictures; choose a film with a video track") from None
        self.claimed_fps = self._reader.claimed_fps
        self._paced = paced
        self._begun: float | None = None
        self._pending = self._reader.next()
        if self._pending is None:
            self.close()
            raise CameraError(
                f"{path} is a film without a single frame that can be read; record or copy it again"
            )

    def next(self) -> tuple[npt.NDArray[np.uint8], float] | None:
        given = self._pending if self._pending is not None else self._reader.next()
        self._pending = None
        self.damaged_frames = self._reader.damaged_frames
        if given is not None and self._paced:
            now = time.monotonic()
            self._begun = now if self._begun is None else self._begun
            time.sleep(max(0.0, self._begun + given[1] / 1000 - now))
        return given

    def close(self) -> None:
        self._reader.close()


class StreamSource(FrameSource):
    """Give the frames of a network stream as they come.

    Raises:
        CameraError: if the stream cannot be opened.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        options = {"fflags": "nobuffer", "flags": "low_delay"}
        if url.lower().startswith("rtsp"):
            options["rtsp_transport"] = "tcp"
        try:
            container = av.open(url, mode="r", options=options, timeout=(STREAM_TIMEOUT_S, STREAM_TIMEOUT_S))
            self._reader = _Reader(container, low_delay=True)
        except IndexError:
            raise CameraError(f"the stream {url} carries no pictures; check its address") from None
        except (av.error.FFmpegError, OSError, ValueError) as error:
            raise CameraError(
                f"the stream {url} cannot be opened ({_reason(error)}); "
                "check its address and that the camera is on"
            ) from None
        self.claimed_fps = self._reader.claimed_fps

    def next(self) -> tuple[npt.NDArray[np.uint8], float] | None:
        try:
            given = self._reader.next()
        except (av.error.FFmpegError, OSError) as error:
            raise CameraError(f"the stream {self._url} broke off ({_reason(error)})") from None
        self.damaged_frames = self._reader.damaged_frames
        return given

    def close(self) -> None:
        self._reader.close()


class _Reader:
    """Decode the first video track of an open container.

    Raises:
        IndexError: if there is no video track.
    """

    def __init__(self, container: Any, *, low_delay: bool = False) -> None:
        self._container = container
        try:
            self._stream = container.streams.video[0]
        except IndexError:
            container.close()
            raise
        # Decoding several frames at once is faster but gives each of them on only some frames later.
        self._stream.thread_type = "SLICE" if low_delay else "AUTO"
        self._stream.codec_context.thread_count = DECODER_THREADS
        rate = self._stream.average_rate or self._stream.guessed_rate
        self.claimed_fps = float(rate) if rate else None
        self.damaged_frames = 0
        self._frames = self._decoded()
        self._first_s: float | None = None
        self._last_ms = 0.0
        self._given = 0

    def _decoded(self) -> Iterator[Any]:
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
            except (StopIteration, av.error.EOFError):
                return
            except av.error.InvalidDataError:
                self.damaged_frames += 1  # the film is broken from here on
                return
            try:
                frames = packet.decode()
            except av.error.EOFError:
                return
            except av.error.InvalidDataError:
                self.damaged_frames += 1
                continue
            yield from frames

    def next(self) -> tuple[npt.NDArray[np.uint8], float] | None:
        frame = next(self._frames, None)
        if frame is None:
            return None
        if frame.time is not None:
            self._first_s = frame.time if self._first_s is None else self._first_s
            t_ms = (frame.time - self._first_s) * 1000
        else:  # some old containers carry no times
            t_ms = self._last_ms + (1000 / self.claimed_fps if self.claimed_fps and self._given else 0)
        self._last_ms = max(self._last_ms, t_ms)
        self._given += 1
        image = frame.to_ndarray(format="bgr24")
        turn = _TURNS.get(round(getattr(frame, "rotation", 0) or 0) % 360)
        return (cv2.rotate(image, turn) if turn is not None else image), self._last_ms

    def close(self) -> None:
        self._container.close()


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__).lower()
