"""Disputes on the disk, beside the clips and strips of them: what the page of slaps shows after a restart.

Each dispute is a file NAME.json that says all, and NAME.zip with its frames. What is not whole is passed over: a
program that is killed while it writes one loses that one only.
"""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FORMAT = 1
_NAME = re.compile(r"slap-(\d+)-.*")


@dataclass(frozen=True, eq=False)
class KeptSlap:
    """Hold one dispute as it is shown.

    Attributes:
        number: counts from 1.
        name: of its files, without their endings.
        about: verdict, order, times, top card, as `arbitro referee` says them, and `event` to decide on.
        frames: JPEG pictures around the contacts, with their times in ms.
        files: paths of strip, slow clip and clip.
    """

    number: int
    name: str
    about: dict[str, Any]
    frames: list[tuple[float, bytes]]
    files: dict[str, Path] = field(default_factory=dict)


def slap_name(number: int, t_ms: float) -> str:
    """Return the name of a dispute's files."""
    return f"slap-{number:03d}-{round(t_ms)}"


def last_number(folder: Path) -> int:
    """Return the greatest number of which a folder has files; 0 without any."""
    if not folder.is_dir():
        return 0
    matches = (_NAME.fullmatch(path.name) for path in folder.iterdir())
    return max((int(match[1]) for match in matches if match), default=0)


def store(folder: Path, slap: KeptSlap, *, with_frames: bool = True) -> None:
    """Write a dispute into a folder, in place of what was there of it.

    Raises:
        OSError: if it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if with_frames:
        with zipfile.ZipFile(folder / f"{slap.name}.zip", "w", zipfile.ZIP_STORED) as archive:
            for place, (_, data) in enumerate(slap.frames):
                archive.writestr(f"{place:04d}.jpg", data)
    told = {
        "format": FORMAT,
        "number": slap.number,
        "about": slap.about,
        "frames": [t_ms for t_ms, _ in slap.frames],
        "files": {name: path.name for name, path in slap.files.items()},
    }
    part = folder / f"{slap.name}.json.part"
    part.write_text(json.dumps(told), encoding="utf-8")
    part.replace(folder / f"{slap.name}.json")


def stored(folder: Path, most: int) -> list[KeptSlap]:
    """Return the last disputes of a folder, at most so many, in the order of their numbers."""
    found = []
    for path in folder.glob("slap-*.json") if folder.is_dir() else ():
        slap = _read(path)
        if slap is not None:
            found.append(slap)
    return sorted(found, key=lambda slap: slap.number)[-most:]


def _read(path: Path) -> KeptSlap | None:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["format"] != FORMAT:
            return None
        with zipfile.ZipFile(path.with_suffix(".zip")) as archive:
            pictures = [archive.read(name) for name in sorted(archive.namelist())]
        frames = [(float(t_ms), data) for t_ms, data in zip(told["frames"], pictures, strict=True)]
        files = {str(name): path.with_name(Path(file).name) for name, file in told["files"].items()}
        return KeptSlap(int(told["number"]), path.stem, dict(told["about"]), frames, files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile):
        return None
