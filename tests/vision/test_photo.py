from __future__ import annotations

import struct
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision import photo
from vision.photo import PhotoError, decode_photo, read_photo


def scene(height: int = 40, width: int = 60) -> np.ndarray:
    """A picture whose left upper quarter is red and right half is blue."""
    image = np.full((height, width, 3), 128, np.uint8)
    image[: height // 2, : width // 2] = (0, 0, 255)
    image[:, width // 2 :] = (255, 0, 0)
    return image


def encoded(image: np.ndarray, ending: str = ".png") -> bytes:
    good, data = cv2.imencode(ending, image)
    assert good
    return data.tobytes()


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    """Put an EXIF orientation into a JPEG."""
    tiff = (
        b"MM\x00\x2a\x00\x00\x00\x08\x00\x01"
        + struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)
        + b"\x00" * 4
    )
    segment = b"Exif\x00\x00" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + jpeg[2:]


@pytest.mark.parametrize("ending", [".png", ".jpg", ".webp", ".bmp", ".tiff"])
def test_pictures_of_all_kinds_are_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"foto è bella{ending}"
    path.write_bytes(encoded(scene(), ending))
    image = read_photo(path)
    assert (image.shape, image.dtype) == ((40, 60, 3), np.uint8)
    assert np.abs(image[5, 5].astype(int) - (0, 0, 255)).max() < 30


@pytest.mark.parametrize(
    ("orientation", "shape", "red_at"),
    [(1, (40, 60), (5, 5)), (3, (40, 60), (35, 55)), (6, (60, 40), (5, 35)), (8, (60, 40), (55, 5))],
)
def test_the_phone_s_orientation_is_applied(
    orientation: int, shape: tuple[int, int], red_at: tuple[int, int]
) -> None:
    image = decode_photo(with_orientation(encoded(scene(), ".jpg"), orientation), "x.jpg")
    assert image.shape[:2] == shape
    assert np.abs(image[red_at].astype(int) - (0, 0, 255)).max() < 40


def test_sixteen_bit_grey_and_transparent_pictures_become_colour() -> None:
    deep = decode_photo(encoded(scene().astype(np.uint16) * 257), "x.png")
    assert deep.dtype == np.uint8
    assert np.abs(deep.astype(int) - scene()).max() <= 1
    deep_grey = decode_photo(encoded(np.full((20, 30), 0x8000, np.uint16)), "x.png")
    assert deep_grey.shape == (20, 30, 3)
    assert deep_grey.max() == 128
    grey = decode_photo(encoded(np.full((20, 30), 77, np.uint8)), "x.png")
    assert grey.shape == (20, 30, 3)
    assert (grey == 77).all()
    clear = np.zeros((20, 30, 4), np.uint8)
    clear[:, :10] = (10, 20, 30, 255)
    image = decode_photo(encoded(clear), "x.png")
    assert image[0, 0].tolist() == [10, 20, 30]
    assert image[0, 20].tolist() == [255, 255, 255], "a cut-out picture lies on paper"
    half = decode_photo(encoded(np.full((5, 5, 4), 128, np.uint16) * 257), "x.png")
    assert abs(int(half[0, 0, 0]) - 191) <= 2


def test_pictures_with_fractions_are_stretched_to_colour(tmp_path: Path) -> None:
    good, data = cv2.imencode(".tiff", np.linspace(-1, 3, 300, dtype=np.float32).reshape(10, 30))
    assert good
    image = decode_photo(data.tobytes(), "x.tiff")
    assert (image.shape, image.min(), image.max()) == ((10, 30, 3), 0, 255)


def test_cmyk_photos_keep_their_colours() -> None:
    pillow = pytest.importorskip("PIL.Image", reason="needs Pillow to write a CMYK photo")
    import io

    stream = io.BytesIO()
    pillow.fromarray(scene()[..., ::-1].copy()).convert("CMYK").save(stream, "JPEG", quality=95)
    image = decode_photo(stream.getvalue(), "x.jpg")
    assert np.abs(image[5, 5].astype(int) - (0, 0, 255)).max() < 60


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"just some text, no picture", "not a picture that can be read"),
        (b"\x00\x00\x00\x18ftypheic" + b"\x00" * 40, "HEIC"),
        (encoded(scene(), ".jpg")[:-20], "is cut off"),
        (b"\xff\xd8" + b"\x00" * 30 + b"\xff\xd9", "damaged"),
        (encoded(scene())[:40], "not a picture that can be read"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(PhotoError, match=message) as error:
        decode_photo(data, "holiday.jpg")
    assert str(error.value).startswith("holiday.jpg ")
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PhotoError, match="there is no file"):
        read_photo(tmp_path / "none.jpg")
    with pytest.raises(PhotoError, match="is a folder"):
        read_photo(tmp_path)
    with pytest.raises(PhotoError, match="cannot be read"):
        read_photo("a\0b.jpg")


def test_a_huge_picture_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ending in (".png", ".jpg"):
        monkeypatch.setattr(photo, "LARGEST_PX", 1000)
        with pytest.raises(PhotoError, match=r"too large \(60 x 40 pixels\)"):
            decode_photo(encoded(scene(), ending), "x")
    bomb = bytearray(encoded(scene()))
    bomb[16:24] = struct.pack(">II", 100_000, 100_000)
    monkeypatch.setattr(photo, "LARGEST_PX", 250_000_000)
    with pytest.raises(PhotoError, match="too large"):
        decode_photo(bytes(bomb), "x")
    path = tmp_path / "x.png"
    path.write_bytes(encoded(scene()))
    monkeypatch.setattr(photo, "LARGEST_FILE_BYTES", 10)
    with pytest.raises(PhotoError, match="too large for a picture"):
        read_photo(path)


def test_a_very_large_photo_is_read_at_half_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo, "HALVED_FROM_PX", 2000)
    image = decode_photo(with_orientation(encoded(scene(), ".jpg"), 6), "x.jpg")
    assert image.shape == (30, 20, 3)
