"""The documents of `arbitro count` and `arbitro referee` as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arbitro.wording import say
from scorer.phrases import WORDS


def pile_report(document: Mapping[str, Any], language: str) -> str:
    """Return the document of `arbitro count` as text."""
    lines: list[str] = []
    for image in document["images"]:
        read = [card["card"] for card in image["cards"] if card["card"] is not None]
        words = {"file": image["file"], "count": len(image["cards"]), "deck": _deck(image["deck"], language)}
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


def _deck(deck: str | None, language: str) -> str:
    """Return what is said of the deck behind the number of cards: nothing, if nothing is known of it."""
    if not deck:
        return ""
    return say(f"report-deck-{deck}", language=language) if deck in ("italian", "french") else f" ({deck})"


def referee_report(document: Mapping[str, Any], players: Sequence[str], language: str) -> str:
    """Return the document of `arbitro referee` as text, ending with a line break."""
    from arbitro.strip import verdict_line

    lines: list[str] = []
    for slap in document["slaps"]:
        words = {
            "time": f"{slap['t_ms'] / 1000:.2f}",
            "verdict": verdict_line(slap, players, language),
            "why": _why(slap["why"], language, players),
        }
        lines.append(say("slap-line", words, language))
        for touch in slap["order"]:
            upper = ", ".join(players[seat] for seat in touch["under"])
            words = {
                "player": players[touch["player"]],
                "time": f"{touch['contact_ms']:.0f}",
                "error": f"{touch['error_ms']:.0f}",
                "under": say("slap-under", {"players": upper}, language) if upper else "",
            }
            lines.append("  " + say("slap-hand", words, language))
        if slap["strip"]:
            lines.append(f"  {slap['strip']}")
            lines.append(f"  {slap['clip']}")
    for landing in document.get("landings", ()):
        ruling = landing["ruling"]
        words = {
            "time": f"{landing['t_ms']:.0f}",
            "player": players[landing["player"]],
            "card": landing["card"] or "?",
            "ruling": WORDS["unclear-play" if ruling == "unclear" else ruling][language],
        }
        lines.append(say("slap-landing", words, language))
    lines += [say(code, language=language) for code in document["warnings"]]
    return "".join(f"{line}\n" for line in lines)


OPEN_BY_REFEREE = (
    "slap-unknown-hand", "slap-unseen-hand", "slap-hover", "slap-unwatched", "slap-between-piles",
)  # fmt: skip
"""Reasons for which the referee leaves a dispute open before the rules are asked."""


def _why(code: str, language: str, players: Sequence[str]) -> str:
    from scorer.wording import say as say_reason

    if code in OPEN_BY_REFEREE:
        return say(code, language=language)
    return say_reason(code, (), language, players) if code else "?"
