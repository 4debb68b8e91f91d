"""Get frames from a camera, a film, a folder of pictures or a stream.

Owns opening and closing the source, time stamps, and which frames are given on: a live source gives its
newest frame and counts those that nobody took; a file gives every frame. It knows nothing of what the
pictures show.
"""

from __future__ import annotations

import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from vision.photo import PICTURE_SUFFIXES, PhotoError, read_photo

STREAM_SCHEMES = ("rtsp", "rtsps", "http", "https", "udp", "tcp", "rtmp")
FOLDER_INTERVAL_MS = 1000.0
"""Time between two pictures of a folder."""
LOST_AFTER_S = 3.0
"""A live source that gives no frame for so long is lost."""
REOPEN_EVERY_S = 1.0
"""Pause between attempts to open a lost source again."""


class CameraError(Exception):
    """Raised when a source cannot be used; the message is one line for people."""


class SourceLost(CameraError):
    """Raised when a live source stopped giving frames. Reading again waits for it to come back."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of a source.

    Attributes:
        image: (height, width, 3) uint8, BGR, upright.
        t_ms: media time in milliseconds since the source's first frame; never smaller than the frame's
            before.
        index: number of the frame in the source, from 0. It jumps over frames that were dropped.
    """

    image: npt.NDArray[np.uint8]
    t_ms: float
    index: int


class Camera(ABC):
    """A source of frames, used as a context manager.

    Attributes:
        source: what was opened, as it was named.
        live: whether frames come by themselves, and the newest one counts.
        claimed_fps: frames per second that the source says it gives; None if it says nothing.
        dropped_frames: frames that came and were not given on, because a newer one was there or they were
            damaged.
    """

    source: str
    live: bool = False
    claimed_fps: float | None = None
    dropped_frames: int = 0
    _listeners: tuple[Callable[[Frame], None], ...] = ()

    @staticmethod
    def open(
        source: str | int | Path,
        *,
        size: tuple[int, int] | None = None,
        fps: float | None = None,
        as_live: bool = False,
    ) -> Camera:
        """Open a source.

        Args:
            source: index of a webcam ("0"), path of a film, a picture or a folder of pictures, or URL of a
                stream.
            size: width and height in pixels to ask of a webcam; an error if the webcam refuses. If not given,
                a webcam is asked for 1920 x 1080 and whatever it gives is taken.
            fps: frames per second to ask of a webcam.
            as_live: play a film at its own speed as if it were a camera: frames that nobody takes are
                dropped.

        Raises:
            CameraError: if the source cannot be opened.
        """
        from vision.films import FilmSource, StreamSource
        from vision.webcam import WebcamSource

        name = str(source)
        if isinstance(source, int) or re.fullmatch(r"\d{1,3}", name):
            index = int(name)
            return LiveCamera(name, lambda: WebcamSource(index, size=size, fps=fps))
        scheme = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]+)://", name)
        if scheme:
            if scheme[1].lower() not in STREAM_SCHEMES:
                raise CameraError(
                    f"{name}: streams of the kind {scheme[1]}:// cannot be read; use rtsp://, http:// or https://"
                )
            return LiveCamera(name, lambda: StreamSource(name))
        path = Path(source)
        try:
            is_folder, is_file = path.is_dir(), path.is_file()
        except (OSError, ValueError):
            is_folder = is_file = False
        if is_folder:
            return FolderCamera(path)
        if not is_file:
            raise CameraError(
                f"there is no file, folder or camera '{name}'; "
                "give a film, a folder of pictures, a stream URL or a camera's number"
            )
        if path.suffix.lower() in PICTURE_SUFFIXES:
            return FolderCamera(path)
        if as_live:
            return LiveCamera(name, lambda: FilmSource(path, paced=True), finite=True)
        return FilmCamera(path)

    @abstractmethod
    def read(self, timeout_s: float = LOST_AFTER_S) -> Frame | None:
        """Return the next frame, each frame once; None when a finite source has ended.

        Args:
            timeout_s: how long to wait for a frame of a live source.

        Raises:
            SourceLost: if a live source gave no frame in that time. It is opened again in the background, so
                reading again may succeed.
            CameraError: if the source cannot be read at all.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of the source. Closing twice does no harm."""

    def listen(self, listener: Callable[[Frame], None]) -> None:
        """Have every frame that comes given to a listener, those that `read` never returns included.

        It is called in the thread that takes the frames, so it must be quick, and must not change the picture.
        """
        self._listeners = (*self._listeners, listener)

    def _tell(self, frame: Frame) -> Frame:
        for listener in self._listeners:
            listener(frame)
        return frame

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Frame]:
        while (frame := self.read()) is not None:
            yield frame


class FrameSource(ABC):
    """Something that gives frames one after the other, without a thread of its own."""

    claimed_fps: float | None = None
    damaged_frames: int = 0

    @abstractmethod
    def next(self) -> tuple[npt.NDArray[np.uint8], float] | None:
        """Return the next picture with its media time in ms; None at the end.

        Raises:
            CameraError: if the source fails.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of the source."""


class FilmCamera(Camera):
    """Every frame of a film, as fast as they are asked for."""

    def __init__(self, path: Path) -> None:
        from vision.films import FilmSource

        self.source = str(path)
        self._film = FilmSource(path)
        self.claimed_fps = self._film.claimed_fps
        self._index = 0

    def read(self, timeout_s: float = LOST_AFTER_S) -> Frame | None:
        given = self._film.next()
        self.dropped_frames = self._film.damaged_frames
        if given is None:
            return None
        frame = Frame(given[0], given[1], self._index)
        self._index += 1
        return self._tell(frame)

    def close(self) -> None:
        self._film.close()


def natural_key(path: Path) -> tuple[tuple[int, int | str], ...]:
    """Return a sorting key that puts ``2.jpg`` before ``10.jpg``."""
    parts = re.split(r"(\d+)", path.name.lower())
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in parts if part)


class FolderCamera(Camera):
    """The pictures of a folder in natural order, or one picture."""

    def __init__(self, path: Path) -> None:
        self.source = str(path)
        self.claimed_fps = 1000 / FOLDER_INTERVAL_MS
        if path.is_dir():
            try:
                self._paths = sorted(
                    (file for file in path.iterdir() if file.suffix.lower() in PICTURE_SUFFIXES),
                    key=natural_key,
                )
            except OSError as error:
                raise CameraError(f"{path} cannot be read ({error.strerror}); check the folder") from None
            if not self._paths:
                raise CameraError(f"there are no pictures in {path}; put JPEG or PNG files there")
        else:
            self._paths = [path]
        self._next = 0

    def read(self, timeout_s: float = LOST_AFTER_S) -> Frame | None:
        if self._next >= len(self._paths):
            return None
        index = self._next
        self._next += 1
        try:
            image = read_photo(self._paths[index])
        except PhotoError as error:
            raise CameraError(str(error)) from None
        return self._tell(Frame(image, index * FOLDER_INTERVAL_MS, index))

    def close(self) -> None:
        self._next = len(self._paths)


class LiveCamera(Camera):
    """The newest frame of something that does not wait.

    A thread of its own takes every frame as it comes and keeps the newest one. When the source fails or is
    silent, it is opened again until it is back; media time goes on from where it was.

    Args:
        source: name for errors.
        opener: opens the source; called again after a loss.
        finite: whether the end of the source is an end (a film played as a camera) and not a loss.

    Raises:
        CameraError: if the source cannot be opened the first time.
    """

    live = True

    def __init__(self, source: str, opener: Callable[[], FrameSource], *, finite: bool = False) -> None:
        self.source = source
        self._opener = opener
        self._finite = finite
        self._changed = threading.Condition()
        self._newest: Frame | None = None
        self._ended = False
        self._closing = threading.Event()
        self._trouble: str | None = None
        self._unread = 0
        self._damaged_before = 0
        first = opener()
        self.claimed_fps = first.claimed_fps
        self._thread = threading.Thread(
            target=self._take, args=(first,), name=f"camera {source}", daemon=True
        )
        self._thread.start()

    def read(self, timeout_s: float = LOST_AFTER_S) -> Frame | None:
        with self._changed:
            self._changed.wait_for(lambda: self._newest is not None or self._ended, timeout_s)
            frame, self._newest = self._newest, None
            if frame is not None:
                return frame
            if self._ended:
                return None
            reason = self._trouble or f"no picture for {timeout_s:g} s"
            raise SourceLost(
                f"camera {self.source} gives no pictures ({reason}); "
                "check its cable and whether another program uses it"
            )

    def close(self) -> None:
        self._closing.set()
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _take(self, first: FrameSource) -> None:
        source: FrameSource | None = first
        index, base_ms, last_ms = 0, 0.0, 0.0
        lost_at = 0.0
        while not self._closing.is_set():
            if source is None:
                if self._closing.wait(REOPEN_EVERY_S):
                    break
                try:
                    source = self._opener()
                except CameraError as error:
                    self._trouble = str(error)
                    continue
                base_ms = last_ms + (time.monotonic() - lost_at) * 1000
            try:
                given = source.next()
                self._trouble = None if given is not None else "it ended"
            except CameraError as error:
                given = None
                self._trouble = str(error)
            self.dropped_frames = self._unread + self._damaged_before + source.damaged_frames
            if given is None:
                self._damaged_before += source.damaged_frames
                source.close()
                source = None
                if self._finite:
                    break
                lost_at = time.monotonic()
                continue
            last_ms = max(last_ms, base_ms + given[1])
            self._give(Frame(given[0], last_ms, index))
            index += 1
        if source is not None:
            source.close()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _give(self, frame: Frame) -> None:
        self._tell(frame)
        with self._changed:
            if self._newest is not None:
                self._unread += 1
                self.dropped_frames += 1
            self._newest = frame
            self._changed.notify_all()
