"""Turn tallies into docs/accuracy.md and the figures of the manifest."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from typing import Any

from datasets.evaluate.figures import Tally
from vision.reading import READ_FROM

Sets = Mapping[str, Mapping[str, Tally]]
"""Tallies by kind of set (rendered, never seen, ...), then by the set's or deck's name."""


def merged(tallies: Mapping[str, Tally]) -> Tally:
    """One tally of several sets together."""
    whole = Tally()
    for tally in tallies.values():
        whole.counts.update(tally.counts)
        whole.confusions.update(tally.confusions)
        whole.confidences += tally.confidences
        whole.faults += tally.faults
    return whole


def percent(value: float | None) -> str:
    """A share as people read it."""
    return "-" if value is None else f"{100 * value:.1f} %"


def reading_table(groups: Mapping[str, Tally], wide: bool) -> list[str]:
    """Markdown table of what was read, a row a group."""
    columns = ["found and read right", "of what is read, right", "pictures with every card right"]
    if wide:
        columns[1:1] = ["mostly visible: found and read right"]
        columns.append("false cards per card")
    lines = ["| set | pictures | cards | " + " | ".join(columns) + " |", "| --- " * (3 + len(columns)) + "|"]
    for name, tally in groups.items():
        rates = tally.rates()
        values = " | ".join(percent(rates.get(column)) for column in columns)
        lines.append(f"| {name} | {rates['pictures']} | {rates['cards']} | {values} |")
    return lines


def detector_table(groups: Mapping[str, Tally]) -> list[str]:
    """Markdown table of the detector's boxes, a row a group and class."""
    lines = [
        "| set | class | recall, IoU 0.5 | precision, IoU 0.5 | recall, IoU 0.75 | precision, IoU 0.75 |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, tally in groups.items():
        rates = tally.rates()
        for kind in ("face", "back", "hand"):
            keys = [f"{kind}@{least} {what}" for least in (0.5, 0.75) for what in ("recall", "precision")]
            if any(key in rates for key in keys):
                lines.append(
                    f"| {name} | {kind} | " + " | ".join(percent(rates.get(key)) for key in keys) + " |"
                )
    return lines


def calibration_table(tally: Tally) -> list[str]:
    """Markdown table: of the cards read with a confidence in a range, how many are right."""
    lines = ["| confidence | cards | right |", "| --- | --- | --- |"]
    edges = (READ_FROM, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0001)
    for low, high in itertools.pairwise(edges):
        inside = [right for confidence, right in tally.confidences if low <= confidence < high]
        if inside:
            lines.append(
                f"| {low:.2f} to {min(high, 1):.2f} | {len(inside)} | {percent(sum(inside) / len(inside))} |"
            )
    return lines


def confusion_list(confusions: Counter[tuple[str, str]], most: int = 15) -> str:
    """The commonest confusions, as `true→read (times)`."""
    return (
        ", ".join(f"{true}→{read} ({times})" for (true, read), times in confusions.most_common(most))
        or "none"
    )


def document(sets: Sets, notes: str) -> str:
    """The whole of docs/accuracy.md."""
    rendered = {name: merged(tallies) for name, tallies in sets.items() if name != "photographs"}
    lines = [
        "# Accuracy",
        "",
        "Made by `python -m datasets.evaluate`; nothing here was trained on. Rendered pictures use tables and hands",
        "kept out of training and run from easy to as bad as real tables get; each is looked at once, as a live frame",
        "is. A card counts when a quarter of it is seen; *mostly visible* means 60 %. A *false card* is a reading",
        "where no face lies. Photographs are read as `arbitro count` reads them.",
        "",
        "## Rendered pictures",
        "",
        *reading_table(rendered, wide=True),
        "",
    ]
    unseen = sets.get("printings never seen")
    if unseen:
        lines += ["By printing never seen:", "", *reading_table(unseen, wide=True), ""]
    lines += ["## Detector", "", *detector_table(rendered), ""]
    photographs = sets.get("photographs")
    if photographs:
        french = {n: t for n, t in photographs.items() if n not in ("trentine-table", "triestine-closeup")}
        table = {**photographs, "French sets together": merged(french)}
        lines += ["## Real photographs", "", *reading_table(table, wide=False), ""]
        lines += ["Read wrongly or not at all, by photograph:", ""]
        for name, tally in photographs.items():
            lines += [f"- {name} {fault}" for fault in tally.faults]
        lines.append("")
    if "printings never seen" in rendered:
        lines += [
            "## Confidence",
            "",
            "On printings never seen:",
            "",
            *calibration_table(rendered["printings never seen"]),
            "",
        ]
        lines += [
            "Commonest confusions there: "
            + confusion_list(rendered["printings never seen"].confusions)
            + ".",
            "",
        ]
    return "\n".join(lines) + (f"\n{notes.strip()}\n" if notes.strip() else "")


def figures(sets: Sets) -> dict[str, Any]:
    """The same as data, for the manifest."""
    return {name: merged(tallies).rates() for name, tallies in sets.items()}
