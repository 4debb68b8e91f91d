"""The document of `arbitro count` as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arbitro.wording import say
from scorer.phrases import WORDS


def pile_report(document: Mapping[str, Any], language: str) -> str:
    """Return the document of `arbitro count` as text."""
    lines: list[str] = []
    for image in document["images"]:
        read = [card["card"] for card in image["cards"] if card["card"] is not None]
        words = {"file": image["file"], "count": len(image["cards"]), "deck": image["deck"] or "?"}
        lines.append(say("report-photo", words, language))
        if read:
            lines.append("  " + " ".join(read))
        for card in image["cards"]:
            if card["card"] is None:
                shown = ", ".join(f"{code} {100 * p:.0f}%" for code, p in card["candidates"]) or "?"
                x, y = (sum(corner[axis] for corner in card["quad"]) / 4 for axis in (0, 1))
                words = {"x": round(x), "y": round(y), "candidates": shown}
                lines.append("  " + say("report-unread", words, language))
        if image["face_down"]:
            lines.append("  " + say("report-face-down", {"count": image["face_down"]}, language))
        lines += [f"  {warning['text']}" for warning in image["warnings"]]
    lines.append(say("report-pile", {"count": len(document["cards"])}, language))
    if "points" in document:
        counted = document["points"]
        for point in counted["points"]:
            lines.append(
                f"  {WORDS['name-' + point['name']][language]:<14}{point['points']:>3}   {point['why']}"
            )
        lines.append(f"  {say('report-total', language=language):<14}{counted['total']:>3}")
        if not counted["certain"]:
            lines.append("  " + say("report-uncertain", {"count": counted["unread"]}, language))
    return "\n".join(lines)
