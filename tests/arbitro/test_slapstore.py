"""Disputes on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from arbitro.slapstore import KeptSlap, last_number, slap_name, store, stored


def slap(number: int, folder: Path) -> KeptSlap:
    name = slap_name(number, 1000.4 * number)
    strip = folder / f"{name}.png"
    return KeptSlap(number, name, {"verdict": "too-close", "event": None}, [(1.5, b"a"), (2.5, b"b")], {"strip": strip})


def test_the_list_of_slaps_is_there_after_a_restart(tmp_path: Path) -> None:
    """The page of slaps was empty when the program was started again."""
    assert (stored(tmp_path / "none", 5), last_number(tmp_path / "none")) == ([], 0)
    for number in (1, 2, 3):
        store(tmp_path, slap(number, tmp_path))
    kept = stored(tmp_path, 2)
    assert [one.number for one in kept] == [2, 3]
    assert (kept[0].name, kept[0].about, kept[0].frames) == (slap(2, tmp_path).name, slap(2, tmp_path).about,
                                                             [(1.5, b"a"), (2.5, b"b")])
    assert kept[0].files == slap(2, tmp_path).files
    assert last_number(tmp_path) == 3


@pytest.mark.parametrize("ending", ["json", "zip"])
@pytest.mark.parametrize("damage", [b"", b"{}", b"[1]"])
def test_what_is_broken_is_passed_over(tmp_path: Path, ending: str, damage: bytes) -> None:
    for number in (1, 2):
        store(tmp_path, slap(number, tmp_path))
    (tmp_path / f"{slap(1, tmp_path).name}.{ending}").write_bytes(damage)
    assert [one.number for one in stored(tmp_path, 5)] == [2]
