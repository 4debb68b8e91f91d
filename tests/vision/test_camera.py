from __future__ import annotations

import http.server
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.builders import write_film
from vision import camera
from vision.camera import Camera, CameraError, Frame, FrameSource, LiveCamera, SourceLost, natural_key


def brightness(frame: Frame) -> int:
    return round(float(frame.image.mean()) / 20)


# Films


@pytest.mark.parametrize("ending", ["mp4", "mkv", "avi", "mov"])
def test_a_film_gives_every_frame_in_order(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"hand.{ending}"
    write_film(path)
    with Camera.open(path) as film:
        assert not film.live
        frames = list(film)
        assert film.read() is None, "an end stays an end"
        assert film.dropped_frames == 0
    assert [brightness(frame) for frame in frames] == list(range(12))
    assert [frame.index for frame in frames] == list(range(12))
    assert [round(frame.t_ms) for frame in frames] == list(range(0, 480, 40))
    assert frames[0].image.shape == (48, 64, 3)


def test_a_listener_gets_every_frame_of_a_film(tmp_path: Path) -> None:
    write_film(tmp_path / "f.mp4")
    heard: list[Frame] = []
    with Camera.open(tmp_path / "f.mp4") as film:
        film.listen(heard.append)
        assert [frame.index for frame in film] == [frame.index for frame in heard] == list(range(12))


def test_a_listener_gets_the_frames_of_a_live_source_that_nobody_read(tmp_path: Path) -> None:
    write_film(tmp_path / "f.mp4")
    heard: list[Frame] = []
    with Camera.open(tmp_path / "f.mp4", as_live=True) as film:
        film.listen(heard.append)
        while film.read() is not None:
            time.sleep(0.15)
        assert film.dropped_frames > 0
    # Those that came before it began to listen are not given again.
    assert [frame.index for frame in heard] == list(range(heard[0].index, 12))


def test_media_times_of_a_film_with_an_uneven_rate(tmp_path: Path) -> None:
    times = [0, 40, 45, 200, 210, 900, 1700]
    write_film(tmp_path / "f.mkv", len(times), times_ms=times)
    with Camera.open(tmp_path / "f.mkv") as film:
        assert [round(frame.t_ms) for frame in film] == times


def test_times_begin_at_the_first_frame(tmp_path: Path) -> None:
    write_film(tmp_path / "f.mkv", 3, times_ms=[5000, 5040, 5080])
    with Camera.open(tmp_path / "f.mkv") as film:
        assert [round(frame.t_ms) for frame in film] == [0, 40, 80]


@pytest.mark.parametrize(("degrees", "corner"), [(90, (4, -4)), (180, (-4, -4)), (270, (-4, 4))])
def test_a_film_taken_with_the_phone_upright_is_turned(
    tmp_path: Path, degrees: int, corner: tuple[int, int]
) -> None:
    """The phone stores the picture as its sensor lies and writes beside it how to turn it, clockwise."""
    import av

    path = tmp_path / "phone.mp4"
    image = np.zeros((48, 64, 3), np.uint8)
    image[:24, :32] = 255  # the left upper corner of what the sensor saw
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for _ in range(3):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="bgr24")))
        container.mux(stream.encode())
    data = bytearray(path.read_bytes())
    turns = {90: (0, 1, -1, 0), 180: (-1, 0, 0, -1), 270: (0, -1, 1, 0)}[degrees]
    a, b, c, d = (value << 16 for value in turns)
    at = data.index(b"tkhd") + 4 + 40  # where a track header of version 0 holds its matrix
    assert data[at : at + 4] == struct.pack(">i", 1 << 16)
    data[at : at + 36] = struct.pack(">9i", a, b, 0, c, d, 0, 0, 0, 1 << 30)
    path.write_bytes(data)
    with Camera.open(path) as film:
        frame = film.read()
    assert frame is not None
    assert frame.image.shape == ((48, 64, 3) if degrees == 180 else (64, 48, 3))
    assert frame.image[corner].mean() > 200
    assert frame.image.mean() < 100


def test_a_damaged_film_gives_what_can_be_read(tmp_path: Path) -> None:
    write_film(tmp_path / "whole.avi", 60, size=(320, 240))
    data = (tmp_path / "whole.avi").read_bytes()
    (tmp_path / "cut.avi").write_bytes(data[: len(data) // 2])
    with Camera.open(tmp_path / "cut.avi") as film:
        frames = list(film)
    assert 5 < len(frames) < 60


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("empty.mp4", b"", "is an empty file"),
        ("text.mp4", b"this is no film\n" * 50, "not a film or picture"),
        ("notes.txt", b"some words\n" * 50, "not a film or picture"),
        ("bare.mp4", b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2", "not a film or picture"),
    ],
)
def test_what_is_no_film_is_said_in_one_line(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(CameraError, match=message) as error:
        Camera.open(tmp_path / name)
    assert "\n" not in str(error.value)


def test_a_sound_recording_is_no_film(tmp_path: Path) -> None:
    import wave

    with wave.open(str(tmp_path / "x.wav"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(b"\x00" * 8000)
    with pytest.raises(CameraError, match="no moving pictures"):
        Camera.open(tmp_path / "x.wav")


# Folders and pictures


def write_picture(path: Path, level: int) -> None:
    assert cv2.imwrite(str(path), np.full((20, 30, 3), level, np.uint8))


def test_a_folder_gives_its_pictures_in_natural_order(tmp_path: Path) -> None:
    for number in (10, 9, 1, 100):
        write_picture(tmp_path / f"IMG_{number}.png", number)
    (tmp_path / "notes.txt").write_text("not a picture")
    with Camera.open(str(tmp_path)) as folder:
        frames = list(folder)
    assert [int(frame.image[0, 0, 0]) for frame in frames] == [1, 9, 10, 100]
    assert [frame.t_ms for frame in frames] == [0, 1000, 2000, 3000]


def test_names_with_and_without_numbers_can_be_sorted() -> None:
    names = ["b.png", "10.png", "a2.png", "2.png", "a.png", "a10.png", "7up.png"]
    assert [path.name for path in sorted(map(Path, names), key=natural_key)] == [
        "2.png", "7up.png", "10.png", "a2.png", "a10.png", "a.png", "b.png",
    ]  # fmt: skip


def test_one_picture_is_a_source_of_one_frame(tmp_path: Path) -> None:
    write_picture(tmp_path / "x.png", 5)
    with Camera.open(tmp_path / "x.png") as picture:
        assert [frame.index for frame in picture] == [0]


def test_a_folder_without_pictures_and_a_broken_picture(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match="no pictures in"):
        Camera.open(tmp_path)
    (tmp_path / "x.png").write_bytes(b"no")
    with Camera.open(tmp_path) as folder, pytest.raises(CameraError, match="not a picture"):
        folder.read()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no/such/file.mp4", "there is no file, folder or camera"),
        ("ftp://somewhere/x.mp4", "cannot be read"),
        ("77", "camera 77"),
        (77, "camera 77"),
        ("rtsp://127.0.0.1:9/x", "cannot be opened"),
        ("a\0b", "there is no file"),
    ],
)
def test_sources_that_are_not_there(source: str | int, message: str) -> None:
    with pytest.raises(CameraError, match=message) as error:
        Camera.open(source)
    assert "\n" not in str(error.value)


# Live sources


class Scripted(FrameSource):
    """A source that gives what its script says: a level (a picture), an error, or None (the end)."""

    def __init__(self, script: list) -> None:
        self.script = script
        self.closed = False
        self.go = threading.Event()

    def next(self) -> tuple[np.ndarray, float] | None:
        step = self.script.pop(0) if self.script else None
        if step is None:
            return None
        if isinstance(step, threading.Event):
            assert step.wait(20)
            return self.next()
        if isinstance(step, Exception):
            raise step
        return np.full((4, 4, 3), step, np.uint8), float(step * 10)

    def close(self) -> None:
        self.closed = True


def test_a_live_source_gives_its_newest_frame_and_counts_the_others() -> None:
    end = threading.Event()
    source = Scripted([1, 2, 3, 4, 5, end])
    with LiveCamera("table", lambda: source, finite=True) as live:
        while source.script[:1] != [] and len(source.script) > 0:
            time.sleep(0.01)
        time.sleep(0.05)
        frame = live.read()
        assert frame is not None
        assert (frame.index, int(frame.image[0, 0, 0]), frame.t_ms) == (4, 5, 50.0)
        assert live.dropped_frames == 4
        end.set()
        assert live.read() is None
    assert source.closed


def test_each_frame_is_given_once() -> None:
    end = threading.Event()
    with LiveCamera("table", lambda: Scripted([1, end]), finite=True) as live:
        assert live.read() is not None
        with pytest.raises(SourceLost):
            live.read(timeout_s=0.05)
        end.set()
        assert live.read() is None


def test_an_unplugged_camera_is_reported_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camera, "REOPEN_EVERY_S", 0.02)
    end, back = threading.Event(), threading.Event()
    first, second = Scripted([1, CameraError("camera 0 was unplugged")]), Scripted([2, 3, end])
    opened = [first]

    def opener() -> FrameSource:
        if opened:
            return opened.pop()
        if not back.is_set():
            raise CameraError("camera 0 cannot be opened")
        return second

    with LiveCamera("0", opener) as live:
        frame = live.read()
        assert frame is not None
        with pytest.raises(SourceLost, match="camera 0 gives no pictures") as error:
            live.read(timeout_s=0.2)
        assert "cannot be opened" in str(error.value) or "unplugged" in str(error.value)
        assert first.closed
        back.set()
        later = live.read(timeout_s=20)
        assert later is not None
        assert later.t_ms > frame.t_ms
        assert later.index > frame.index
        end.set()


def test_closing_ends_a_reader_that_waits() -> None:
    end = threading.Event()
    live = LiveCamera("0", lambda: Scripted([end]))
    given: list[Frame | None] = []
    reader = threading.Thread(target=lambda: given.append(live.read(timeout_s=20)))
    reader.start()
    threading.Timer(0.05, end.set).start()
    live.close()
    reader.join(timeout=20)
    assert given == [None]
    live.close()


def test_a_source_that_cannot_be_opened_leaves_no_thread() -> None:
    def refused() -> FrameSource:
        raise CameraError("no")

    before = threading.active_count()
    with pytest.raises(CameraError, match="no"):
        LiveCamera("0", refused)
    assert threading.active_count() == before


def test_a_film_can_play_as_if_it_were_a_camera(tmp_path: Path) -> None:
    write_film(tmp_path / "f.mp4", 10)
    begun = time.monotonic()
    with Camera.open(tmp_path / "f.mp4", as_live=True) as film:
        assert film.live
        frames = list(film)
    assert time.monotonic() - begun >= 0.35, "it takes its time: ten frames at 25 a second"
    assert frames[-1].t_ms == pytest.approx(360)
    assert len(frames) + film.dropped_frames == 10


@pytest.fixture
def mjpeg_camera() -> Iterator[str]:
    """A network camera: serves pictures one after the other over HTTP; yields its address."""

    class Pictures(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            for number in range(1, 20):
                good, data = cv2.imencode(".jpg", np.full((48, 64, 3), 12 * number, np.uint8))
                assert good
                head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                try:
                    self.wfile.write(head.encode() + data.tobytes() + b"\r\n")
                except OSError:
                    return
                time.sleep(0.02)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pictures)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/video.mjpg"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_network_camera_is_read(mjpeg_camera: str) -> None:
    with Camera.open(mjpeg_camera) as live:
        frames = []
        while len(frames) < 3:
            frame = live.read(timeout_s=20)
            assert frame is not None
            frames.append(frame)
    assert frames[0].image.shape == (48, 64, 3)
    times = [frame.t_ms for frame in frames]
    assert times == sorted(times)
    levels = [brightness(frame) for frame in frames]
    assert levels == sorted(levels)
