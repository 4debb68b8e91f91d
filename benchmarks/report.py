"""Write docs/benchmarks.md from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill

from benchmarks.measure import Count
from datasets.evaluate.report import percent

NOT_MEASURED = "not measured"


def times(theirs: float | None, ours: float | None) -> str:
    """Say how many times as much theirs is as ours; a dash where one of them has nothing to count."""
    if theirs is None or ours is None:
        return "-"
    if ours == 0:
        return "both none" if theirs == 0 else "ours are none"
    ratio = theirs / ours
    return f"{ratio:.0f} x" if ratio >= 10 else f"{ratio:.1f} x"


def comparison(names: Sequence[str], counts: Sequence[Count]) -> list[str]:
    """Rows of a table that holds ways, ours first, against ours."""
    lines = [
        "| way | found and read right | of what is read, right | pictures with every card right | ms a picture "
        "| time, against ours | cards missed, against ours | wrong readings, against ours |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    ours = counts[0]
    for name, count in zip(names, counts, strict=True):
        took = NOT_MEASURED if count.mean_ms is None else f"{count.mean_ms:.0f}"
        slower = NOT_MEASURED if count.mean_ms is None else times(count.mean_ms, ours.mean_ms)
        if count.pictures:
            shares = [
                percent(None if count.missed is None else 1 - count.missed),
                percent(None if count.wrong is None else 1 - count.wrong),
                percent(count.pictures_right / count.pictures),
            ]
            errors = [times(count.missed, ours.missed), times(count.wrong, ours.wrong)]
        else:
            shares, errors = [NOT_MEASURED] * 3, [NOT_MEASURED] * 2
        against = ["1"] * 3 if count is ours else [slower, *errors]
        lines.append(f"| {' | '.join([name, *shares, took, *against])} |")
    return lines


def by_set(names: Sequence[str], sets: Mapping[str, Sequence[Count]]) -> list[str]:
    """Rows of a table with what each way found and read right in each set."""
    lines = [f"| set | pictures | cards | {' | '.join(names)} |", "| --- " * (3 + len(names)) + "|"]
    for name, counts in sets.items():
        shares = [
            percent(None if count.missed is None else 1 - count.missed) if count.pictures else NOT_MEASURED
            for count in counts
        ]
        lines.append(f"| {name} | {counts[0].pictures} | {counts[0].cards} | {' | '.join(shares)} |")
    return lines


def document(
    names: Sequence[str],
    groups: Mapping[str, tuple[Sequence[Count], Mapping[str, Sequence[Count]]]],
    stages: Sequence[Mapping[str, object]],
    threads: int,
    notes: str,
) -> str:
    """Write the page.

    Args:
        names: of the ways, ours first.
        groups: for each group of pictures the counts of all, and those of each set in it.
        stages: what `arbitro bench` measured.
        threads: how many threads everything computed with.
        notes: text that follows.
    """
    intro = (
        "Made by `python -m benchmarks.usual_ways`. All ways are given the same pictures in one run, in turn, with "
        f"{_threads(threads)}; speeds are to be taken as ratios. A card that shows a quarter or more is to be read; "
        "cards are counted as sets, so boxes need not fit. Ours is not told which deck it is. The matching ways get "
        "scans of the deck in the picture: of renderings the very scans that were rendered from, of photographs those "
        "of the printing that comes nearest. Boxes of *boxes + ORB* are those of our detector. A one-stage network "
        "has to be trained as long as ours to be compared; the command takes one as `--one-stage WEIGHTS`, and "
        "times one of that size untrained where ultralytics is installed."
    )
    parts = ["# Arbitro and the usual ways", "", fill(intro, 110), ""]
    for group, (counts, sets) in groups.items():
        parts += [
            f"## {group[0].upper()}{group[1:]}",
            "",
            *comparison(names, counts),
            "",
            *by_set(names, sets),
            "",
        ]
    parts += ["## Our own stages", "", f"`arbitro bench`, {_threads(threads)}, in the same run.", ""]
    parts += ["| stage | median ms | per |", "| --- | --- | --- |"]
    parts += [f"| {stage['stage']} | {stage['median_ms']} | {stage['per']} |" for stage in stages]
    return "\n".join(parts) + ("\n\n" + notes.strip() if notes.strip() else "") + "\n"


def _threads(count: int) -> str:
    return "one thread" if count == 1 else f"{count} threads"
