"""Read a photograph from disk as an upright colour picture.

Owns what can be wrong with a picture file, and says it so that a person knows what to do.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
"""Endings of files that are read as pictures, in lower case."""
LARGEST_FILE_BYTES = 200_000_000
LARGEST_PX = 250_000_000
"""Pixels above which a picture is refused: it would not fit in memory beside everything else."""
HALVED_FROM_PX = 60_000_000
"""Pixels from which a JPEG is decoded at half its width and height: cards are large enough then."""

_HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")
_PAPER = 255  # what shows through a transparent picture


class PhotoError(Exception):
    """Raised when a file cannot be read as a picture; the message is one line for people."""


def read_photo(path: Path | str) -> npt.NDArray[np.uint8]:
    """Read a picture file.

    Orientation in the file's EXIF data is applied; 16-bit pictures become 8-bit, grey ones colour,
    transparent ones lie on white paper.

    Args:
        path: a JPEG, PNG, WebP, BMP or TIFF file.

    Returns:
        (height, width, 3) uint8, BGR.

    Raises:
        PhotoError: if there is no such file, or it is empty, cut off, too large, or not such a picture.
    """
    path = Path(path)
    return decode_photo(_read_bytes(path), str(path))


def decode_photo(data: bytes, name: str) -> npt.NDArray[np.uint8]:
    """Decode the bytes of a picture file, as `read_photo` does; `name` is what errors call it.

    Raises:
        PhotoError: as `read_photo`.
    """
    if not data:
        raise PhotoError(f"{name} is empty; copy the photo again")
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
        raise PhotoError(
            f"{name} is a HEIC photo, which cannot be read; save it as JPEG "
            "(iPhone: Settings > Camera > Formats > Most Compatible)"
        )
    is_jpeg = data[:2] == b"\xff\xd8"
    if is_jpeg and b"\xff\xd9" not in data[-65536:]:
        raise PhotoError(f"{name} is cut off: the end of the photo is missing; copy the photo again")
    size = claimed_size(data)
    if size is not None and size[0] * size[1] > LARGEST_PX:
        raise PhotoError(
            f"{name} is too large ({size[1]} x {size[0]} pixels); scale it to 50 megapixels or less"
        )
    if is_jpeg:
        halved = size is not None and size[0] * size[1] >= HALVED_FROM_PX
        image = _imdecode(data, cv2.IMREAD_REDUCED_COLOR_2 if halved else cv2.IMREAD_COLOR)
        if image is None:
            raise PhotoError(f"{name} is a damaged JPEG photo; copy the photo again")
        return image
    raw = _imdecode(data, cv2.IMREAD_UNCHANGED)
    if raw is None:
        raise PhotoError(f"{name} is not a picture that can be read; use a JPEG or PNG file")
    if raw.ndim == 3 and raw.shape[2] == 4:
        return _on_paper(_to_8_bit(raw))
    # Read again, because only this way of decoding applies the orientation.
    image = _imdecode(data, cv2.IMREAD_COLOR)
    if image is None or raw.dtype not in (np.uint8, np.uint16):
        image = cv2.cvtColor(_to_8_bit(raw), cv2.COLOR_GRAY2BGR) if raw.ndim == 2 else _to_8_bit(raw)
    return image


def _read_bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise PhotoError(f"{path} is a folder, not a picture; name the pictures in it")
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise PhotoError(
                f"{path} is too large for a picture (over {LARGEST_FILE_BYTES // 1_000_000} MB); "
                "use a smaller one"
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise PhotoError(f"there is no file {path}; check the name") from None
    except PermissionError:
        raise PhotoError(f"{path} may not be read; check its permissions") from None
    except (OSError, ValueError) as error:
        raise PhotoError(f"{path} cannot be read ({error}); check the disk and the name") from None


def _imdecode(data: bytes, flags: int) -> npt.NDArray[np.uint8] | None:
    try:
        decoded = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error:
        return None
    return None if decoded is None or decoded.size == 0 else decoded


def _to_8_bit(raw: npt.NDArray[np.generic]) -> npt.NDArray[np.uint8]:
    if raw.dtype == np.uint8:
        return np.asarray(raw, np.uint8)
    if raw.dtype == np.uint16:
        return (np.asarray(raw, np.uint16) >> 8).astype(np.uint8)
    values = np.nan_to_num(np.asarray(raw, np.float64))
    low, high = float(values.min()), float(values.max())
    return ((values - low) * (255 / max(high - low, 1e-12))).round().astype(np.uint8)


def _on_paper(bgra: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    alpha = bgra[:, :, 3:].astype(np.float32) / 255
    mixed = bgra[:, :, :3].astype(np.float32) * alpha + _PAPER * (1 - alpha)
    return mixed.round().astype(np.uint8)


def claimed_size(data: bytes) -> tuple[int, int] | None:
    """Return height and width that a PNG or JPEG header claims, without decoding it; None if unknown."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return int.from_bytes(data[20:24], "big"), int.from_bytes(data[16:20], "big")
    if data[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # a start of frame
            return int.from_bytes(data[at + 5 : at + 7], "big"), int.from_bytes(data[at + 7 : at + 9], "big")
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
