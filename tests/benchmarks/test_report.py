from __future__ import annotations

import numpy as np
import pytest

from benchmarks.measure import Count
from benchmarks.pictures import Picture
from benchmarks.report import comparison, document, times


@pytest.mark.parametrize(
    ("theirs", "ours", "said"),
    [
        (0.3, 0.1, "3.0 x"),
        (2.0, 0.1, "20 x"),
        (0.1, 0.2, "0.5 x"),
        (0.1, 0.0, "ours are none"),
        (0.0, 0.0, "both none"),
        (None, 0.1, "-"),
        (0.1, None, "-"),
    ],
)
def test_ratios_are_said(theirs: float | None, ours: float | None, said: str) -> None:
    assert times(theirs, ours) == said


def counted(codes: str, took_ms: float) -> Count:
    count = Count()
    shown = Picture(np.zeros((4, 4, 3), np.uint8), ("7d", "2s"), frozenset(), True, False)
    count.add(shown, codes.split(), took_ms)
    return count


def test_ways_stand_against_ours() -> None:
    rows = comparison(["ours", "other", "absent"], [counted("7d 3c", 10), counted("3c", 45), Count()])
    assert rows[2:] == [
        "| ours | 50.0 % | 50.0 % | 0.0 % | 10 | 1 | 1 | 1 |",
        "| other | 0.0 % | 0.0 % | 0.0 % | 45 | 4.5 x | 2.0 x | 2.0 x |",
        "| absent |" + " not measured |" * 7,
    ]


def test_a_way_that_reads_nothing_has_no_wrong_readings_to_compare() -> None:
    row = comparison(["ours", "silent"], [counted("7d 3c", 10), counted("", 10)])[-1]
    assert row == "| silent | 0.0 % | - | 0.0 % | 10 | 1.0 x | 2.0 x | - |"


def test_an_untrained_network_is_only_timed() -> None:
    row = comparison(["ours", "untrained"], [counted("7d 2s", 10), Count(times_ms=[30.0])])[-1]
    assert row == (
        "| untrained | not measured | not measured | not measured | 30 | 3.0 x | not measured | not measured |"
    )


def test_the_page_holds_groups_stages_and_notes() -> None:
    ours, other = counted("7d 2s", 10), Count()
    page = document(
        ["ours", "absent"],
        {"photographs": ([ours, other], {"a set": [ours, other]})},
        [{"stage": "detector", "per": "frame", "median_ms": 30.1, "runs": 5}],
        2,
        "## Notes\n\nAs they are.\n",
    )
    assert "## Photographs\n" in page
    assert "| a set | 1 | 2 | 100.0 % | not measured |" in page
    assert "| detector | 30.1 | frame |" in page
    assert page.endswith("## Notes\n\nAs they are.\n")
    assert max(len(line) for line in page.splitlines() if not line.startswith("|")) <= 110
