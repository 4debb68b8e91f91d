"""Documents of the program as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arbitro.wording import say
from scorer.phrases import WORDS
from scorer.wording import card_name, cards_named, player_name

Document = Mapping[str, Any]


def score_report(document: Document, language: str, *, explain: bool = False) -> str:
    """Return rulings, points and match of a document of `arbitro score` as text, play by play if `explain`."""
    lines = [f"{document['game']} · {', '.join(document['players'])}"]
    if explain:
        lines += _told_plays(document, language)
    if "hands" in document:
        lines += _illegal_plays(document, language) if not explain else []
        for number, hand in enumerate(document["hands"], 1):
            lines += ["", *_hand(number, hand, document, language)]
        lines += ["", _match(document, language)]
    else:
        lines += _slaps_and_counts(document, language)
    flags = [f"  {flag['event']:>3}. {flag['text']}" for flag in document.get("flags", ())]
    if flags:
        lines += ["", say("report-flags", language=language), *flags]
    return "\n".join(lines)


def told_play(play: Mapping[str, Any], players: Sequence[str], language: str) -> str:
    """Return one play of a capture game as a sentence."""
    takes = play["takes"]
    code = "report-takes" if takes else "report-lays"
    words = {
        "player": player_name(play["player"], players, language),
        "card": card_name(play["card"], language),
        "takes": cards_named(takes, language),
    }
    text = say(code, words, language)
    if play.get("undone"):
        return f"{text} {say('report-undone', language=language)}"
    if play["sweep"]:
        text += " " + say("report-sweep", language=language)
    if play["ruling"] != "legal":
        text += f" {say('report-' + play['ruling'], language=language)}: {'; '.join(play['why'])}."
    if play.get("stands"):
        text += " " + say("report-stands", language=language)
    return text


def _told_plays(document: Document, language: str) -> list[str]:
    lines: list[str] = []
    hand = None
    for play in document.get("plays", ()):
        if play.get("hand") != hand:
            hand = play.get("hand")
            lines += ["", say("report-hand", {"number": (hand or 0) + 1}, language)]
        lines.append(f"  {play['event']:>3}. {told_play(play, document['players'], language)}")
    return lines


def _illegal_plays(document: Document, language: str) -> list[str]:
    told = [
        f"  {play['event']:>3}. {told_play(play, document['players'], language)}"
        for play in document.get("plays", ())
        if play["ruling"] != "legal"
    ]
    return ["", say("report-rulings", language=language), *told] if told else []


def _side_name(seats: Sequence[int], players: Sequence[str], language: str) -> str:
    return " + ".join(player_name(seat, players, language) for seat in seats)


def _hand(number: int, hand: Document, document: Document, language: str) -> list[str]:
    sides = hand["sides"]
    names = [_side_name(side["players"], document["players"], language) for side in sides]
    width = max(8, *(len(name) for name in names)) + 2
    title = say(
        "report-hand" if hand.get("finished", True) else "report-hand-so-far", {"number": number}, language
    )
    lines = [title, " " * 18 + "".join(name.rjust(width) for name in names)]
    for name in _point_names(sides):
        gained = [next((point for point in side["points"] if point["name"] == name), None) for side in sides]
        why = next((point["why"] for point in gained if point), "")
        if not why:
            why = next((p["why"] for side in sides for p in side.get("lost", ()) if p["name"] == name), "")
        numbers = "".join(str(point["points"] if point else "-").rjust(width) for point in gained)
        lines.append(f"  {point_name(name, language):<16}{numbers}   {why}".rstrip())
    totals = "".join(str(side["total"]).rjust(width) for side in sides)
    lines.append(f"  {say('report-total', language=language):<16}{totals}")
    for name, side in zip(names, sides, strict=True):
        words = {"side": name, "count": len(side["captured"]) + side.get("captured_unseen", 0)}
        lines.append(f"  {say('report-took', words, language)}: {' '.join(side['captured'])}".rstrip())
    return lines


def point_name(name: str, language: str) -> str:
    """Return the name of a point as people say it."""
    words = WORDS.get(f"name-{name}")
    return name if words is None else words[language]


def _point_names(sides: Sequence[Document]) -> list[str]:
    names: dict[str, None] = {}
    # Points that nobody got stand among the lost ones of every side, in the order in which points are called.
    for side in sides:
        names.update(dict.fromkeys(point["name"] for point in side.get("lost", ())))
    for side in sides:
        names.update(dict.fromkeys(point["name"] for point in side["points"]))
    order = ("carte", "denari", "settebello", "primiera", "scope")
    return sorted(names, key=lambda name: order.index(name) if name in order else len(order))


def _match(document: Document, language: str) -> str:
    match, players = document["match"], document["players"]
    sides = match.get("sides") or [[seat] for seat in range(len(players))]
    names = [_side_name(seats, players, language) for seats in sides]
    score = ", ".join(f"{name} {total}" for name, total in zip(names, match["totals"], strict=True))
    text = say("report-match", {"score": score, "target": match["target"]}, language)
    if match.get("winner") is not None:
        text += " " + say("report-winner", {"side": names[match["winner"]]}, language)
    return text


def _slaps_and_counts(document: Document, language: str) -> list[str]:
    players = document["players"]
    lines = [""]
    for slap in document.get("slaps", ()):
        name = player_name(slap["player"], players, language)
        lines.append(f"  {slap['event']:>3}. {name}: {slap['verdict']} ({slap['why']})")
    for landing in document.get("landings", ()):
        name = player_name(landing["player"], players, language)
        reasons = "; ".join(landing["reasons"])
        lines.append(
            f"  {landing['event']:>3}. {name}: {landing['card']} {landing['ruling']} {reasons}".rstrip()
        )
    for grab in document.get("grabs", ()):
        name = player_name(grab["player"], players, language)
        lines.append(f"  {grab['event']:>3}. {name}: {grab['verdict']}")
    for name, value in document.get("counts", {}).items():
        lines.append(f"  {name}: {value}")
    return lines


def pile_report(document: Document, language: str) -> str:
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
            lines.append(f"  {point_name(point['name'], language):<14}{point['points']:>3}   {point['why']}")
        lines.append(f"  {say('report-total', language=language):<14}{counted['total']:>3}")
        if not counted["certain"]:
            lines.append("  " + say("report-uncertain", {"count": counted["unread"]}, language))
    return "\n".join(lines)
