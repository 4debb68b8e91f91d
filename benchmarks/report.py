"""Write docs/benchmarks.md from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill

from benchmarks.measure import Count
from datasets.evaluate.report import percent

NOT_MEASURED = "not measured"


def times(theirs: float | None, ours: float | None) -> str:
    """Say how many times as much theirs is as ours."""
    if theirs is None or ours is None:
        return NOT_MEASURED
    if ours == 0:
        return "as few" if theirs == 0 else "ours are none"
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
        if count.pictures:
            figures = [
                percent(None if count.missed is None else 1 - count.missed),
                percent(None if count.wrong is None else 1 - count.wrong),
                percent(count.pictures_right / count.pictures),
            ]
        else:
            figures = [NOT_MEASURED] * 3
        took = count.mean_ms
        against = [
            times(took, ours.mean_ms), times(count.missed, ours.missed), times(count.wrong, ours.wrong)
        ]  # fmt: skip
        figures += [
            NOT_MEASURED if took is None else f"{took:.0f}",
            *(against if count is not ours else ["1"] * 3),
        ]
        lines.append(f"| {name} | {' | '.join(figures)} |")
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
        f"{threads} threads; speeds are to be taken as ratios. A card that shows a quarter or more is to be read; "
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
    parts += ["## Our own stages", "", f"`arbitro bench`, {threads} threads, in the same run.", ""]
    parts += ["| stage | median ms | per |", "| --- | --- | --- |"]
    parts += [f"| {stage['stage']} | {stage['median_ms']} | {stage['per']} |" for stage in stages]
    return "\n".join(parts) + ("\n\n" + notes.strip() if notes.strip() else "") + "\n"
