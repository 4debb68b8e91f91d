"""Compare the referee's verdicts with what films of slaps show: `python -m datasets.score_slaps FOLDER`.

Every film of `datasets.slaps` in the folder is given to `arbitro referee`; the document is kept beside it as
NNN.run.json and used again, so that a run that was cut off goes on where it was.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

Document = Mapping[str, Any]

#: How far a reported dispute may lie before the first or behind the last contact of the true one that it means, ms.
_NEAR_MS = 400.0

#: Classes of the gap between the two hands that decide, in frames of the camera.
CLASSES = ("2 frames or more", "1 to 2 frames", "below 1 frame, overlapping", "below 1 frame, apart", "one hand")


@dataclass(slots=True)
class SlapScore:
    """How well the disputes of one film, or of several together, were settled.

    Attributes:
        films: films seen; failed: of those, gave no document.
        disputes: disputes with at least one contact; missed: of those, not reported.
        decided: by class of the gap, how many disputes there were and how many were given a verdict.
        wrong: verdicts that are not those of the rules on what was shown.
        errors: pairs of hands with both contacts reported; errors_hold: of those, the true difference lies within the
            stated errors.
        false_slaps: slaps that the rules call false; false_recognised: of those, called so (in Irish Snap: the pile
            given to whom they cost it).
        feints: hands that only feinted; feints_called: of those, reported to have touched.
        extra: disputes reported in films without any contact, or far from the true one.
        owners: contacts that count; owners_right: of those, reported of the right player.
        landings: cards that landed, and those read; landings_right: ruled as the rules do; misfits: landings that do
            not fit; misfits_flagged: of those, called so.
        orders: pairs of cards that landed on one pile shortly one after the other; orders_wrong: of those, told the
            wrong way round; orders_open: left open.
        mistakes: texts that say what went wrong.
    """

    films: int = 0
    failed: int = 0
    disputes: int = 0
    missed: int = 0
    decided: dict[str, list[int]] = field(default_factory=lambda: {name: [0, 0] for name in CLASSES})
    wrong: int = 0
    errors: int = 0
    errors_hold: int = 0
    false_slaps: int = 0
    false_recognised: int = 0
    feints: int = 0
    feints_called: int = 0
    extra: int = 0
    owners: int = 0
    owners_right: int = 0
    landings: int = 0
    landings_right: int = 0
    misfits: int = 0
    misfits_flagged: int = 0
    orders: int = 0
    orders_wrong: int = 0
    orders_open: int = 0
    mistakes: list[str] = field(default_factory=list)

    def add(self, other: SlapScore) -> None:
        """Add another score to this one, in place."""
        for name in self.__slots__:
            if name == "decided":
                for gap, (count, settled) in other.decided.items():
                    self.decided[gap][0] += count
                    self.decided[gap][1] += settled
            else:
                setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_json(self) -> dict[str, Any]:
        """Return counts and shares as plain values."""
        counts = {name: getattr(self, name) for name in self.__slots__ if name not in ("decided", "mistakes")}
        return {**counts,
                "decided": {gap: {"disputes": count, "decided": settled, "share": _share(settled, count)}
                            for gap, (count, settled) in self.decided.items()},
                "errors_hold_share": _share(self.errors_hold, self.errors),
                "false_recognised_share": _share(self.false_recognised, self.false_slaps),
                "feints_called_share": _share(self.feints_called, self.feints),
                "misfits_flagged_share": _share(self.misfits_flagged, self.misfits),
                "mistakes": self.mistakes}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def score_film(truth: Document, document: Document | None, name: str = "") -> SlapScore:
    """Compare what the referee says of one film with its truth.

    Args:
        truth: as `datasets.slaps` writes it.
        document: that of `arbitro referee --json`, or None where there was none.
        name: of the film, for the texts.
    """
    score = SlapScore(films=1, failed=int(document is None))
    reported = list((document or {}).get("slaps", ()))
    for dispute in truth["slaps"]:
        found = _nearest(dispute, reported)
        if found is not None:
            reported.remove(found)
        _score_dispute(score, truth, dispute, found, name)
    score.extra += sum(1 for slap in reported if slap.get("order"))
    if reported and any(slap.get("order") for slap in reported):
        score.mistakes.append(f"{name}: a slap at {reported[0].get('t_ms')} ms that there was not")
    if truth["game"] == "spit":
        _score_landings(score, truth, list((document or {}).get("landings", ())), name)
    return score


def _nearest(dispute: Document, reported: Sequence[Document]) -> Document | None:
    """Return the reported dispute that means a true one: its first seen hand may be any that touched."""
    contacts = [hand["contact_ms"] for hand in dispute["hands"] if hand["contact_ms"] is not None]
    times = contacts or [dispute["t_ms"]]
    near = [slap for slap in reported if min(times) - _NEAR_MS <= slap["t_ms"] <= max(times) + _NEAR_MS]
    return min(near, key=lambda slap: min(abs(slap["t_ms"] - t) for t in times), default=None)


def _score_dispute(score: SlapScore, truth: Document, dispute: Document, found: Document | None, name: str) -> None:
    touched: dict[int, Document] = {}
    for touch in (found or {}).get("order", ()):
        # Of a player's two hands the first one counts.
        known = touched.get(touch["player"])
        if touch.get("contact_ms") is not None and (known is None or touch["contact_ms"] < known["contact_ms"]):
            touched[touch["player"]] = touch
    hands = dispute["hands"]
    slappers = {hand["player"] for hand in hands if hand["contact_ms"] is not None}
    for hand in hands:
        if hand["contact_ms"] is None and hand["player"] not in slappers:
            score.feints += 1
            if hand["player"] in touched:
                score.feints_called += 1
                score.mistakes.append(f"{name}: the feint of player {hand['player']} was called a slap")
    if not slappers:
        return
    score.disputes += 1
    score.owners += len(slappers)
    score.owners_right += len(slappers & set(touched))
    said, expected = (found or {}).get("verdict"), dispute["verdict"]
    word = "" if said is None else str(said).split(" by ")[0]
    settled = word.startswith("player ") or word in ("false", "both")
    gap = gap_class(dispute)
    score.decided[gap][0] += 1
    score.decided[gap][1] += settled
    if found is None:
        score.missed += 1
        score.mistakes.append(f"{name}: the slap at {dispute['t_ms']:.0f} ms was not seen")
    if settled and word != expected:
        score.wrong += 1
        score.mistakes.append(f"{name}: {said} instead of {expected} ({dispute['kind']}, {gap})")
    if dispute["kind"] in ("false", "late"):
        score.false_slaps += 1
        score.false_recognised += word == expected
    _score_errors(score, dispute, touched, name)


def gap_class(dispute: Document) -> str:
    """Return which of `CLASSES` a true dispute belongs to."""
    gap = dispute.get("gap_frames")
    if gap is None:
        return CLASSES[4]
    if gap >= 2:
        return CLASSES[0]
    return CLASSES[1] if gap >= 1 else CLASSES[2] if dispute["deciding_overlap"] else CLASSES[3]


def _score_errors(score: SlapScore, dispute: Document, touched: Mapping[int, Document], name: str) -> None:
    """Compare the differences between contacts with the true ones, for every pair of hands that count."""
    hands = [hand for hand in dispute["hands"] if hand["counts"] and hand["player"] in touched]
    for i, a in enumerate(hands):
        for b in hands[i + 1:]:
            first, second = touched[a["player"]], touched[b["player"]]
            off = (second["contact_ms"] - first["contact_ms"]) - (b["contact_ms"] - a["contact_ms"])
            stated = first.get("error_ms", 0) + second.get("error_ms", 0)
            score.errors += 1
            if abs(off) <= stated + 1e-6:
                score.errors_hold += 1
            else:
                score.mistakes.append(f"{name}: players {a['player']} and {b['player']}: the gap is off by "
                                      f"{off:.1f} ms, stated were {stated:.1f}")


def _score_landings(score: SlapScore, truth: Document, reported: list[Document], name: str) -> None:
    found: list[Document | None] = []
    for play in truth["plays"]:
        near = [landing for landing in reported if landing.get("card") == play["card"]]
        landing = min(near, key=lambda told: abs(told["t_ms"] - play["t_ms"]), default=None)
        found.append(landing)
        ruling = (landing or {}).get("ruling")
        score.landings += 1
        score.landings_right += ruling == play["ruling"]
        if play["ruling"] == "illegal":
            score.misfits += 1
            score.misfits_flagged += ruling == "illegal"
        if ruling in ("legal", "illegal") and ruling != play["ruling"]:
            score.mistakes.append(f"{name}: {play['card']} on {play['on']} was called {ruling}")
    for i, (a, b) in enumerate(zip(truth["plays"], truth["plays"][1:], strict=False)):
        if a["pile"] != b["pile"] or b["t_ms"] - a["t_ms"] > 400:
            continue
        first, second = found[i], found[i + 1]
        score.orders += 1
        if first is None or second is None:
            score.orders_open += 1
            continue
        later = second["t_ms"] - first["t_ms"]
        stated = first.get("error_ms", 0) + second.get("error_ms", 0)
        score.orders_open += abs(later) <= stated
        if later < -stated:
            score.orders_wrong += 1
            score.mistakes.append(f"{name}: {b['card']} was said to land before {a['card']}")


def referee_film(film: Path, truth: Document) -> Document | None:
    """Run `arbitro referee` on a film and return its document, or None when it gave none.

    The document is kept beside the film as NAME.run.json; when it is there it is not made again.
    """
    kept = film.with_suffix(".run.json")
    if not kept.is_file():
        seats = ",".join(f"{seat['angle_deg']:.0f}" for seat in sorted(truth["seats"], key=lambda s: s["player"]))
        command = [sys.executable, "-m", "arbitro", "referee", str(film), "--game", truth["game"], "--seats", seats,
                   "--no-pictures", "--json"]
        if truth["game"] == "irish-snap":
            command += ["--laid", str(truth.get("laid_before", len(truth["pile"]["cards"])))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            document = json.loads(done.stdout)
        except json.JSONDecodeError:
            print(f"{film.name}: {done.stderr.strip()[-300:]}", file=sys.stderr)
            return None
        kept.write_text(json.dumps(document), encoding="utf-8")
    return dict(json.loads(kept.read_text(encoding="utf-8")))


def films_in(folder: Path) -> list[tuple[Path, Document]]:
    """Return the films of a folder with their truths, in order of their names.

    Raises:
        ValueError: when there are none, or a truth is not readable.
    """
    films: list[tuple[Path, Document]] = []
    for path in sorted(folder.glob("*.json")):
        film = path.with_suffix(".mp4")
        if path.name.endswith(".run.json") or not film.is_file():
            continue
        try:
            truth = json.loads(path.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise ValueError(f"{path} is not JSON: {error}") from error
        if isinstance(truth, dict) and "slaps" in truth and "frames" in truth:
            films.append((film, truth))
    if not films:
        raise ValueError(f"no films of slaps in {folder}; python -m datasets.slaps --out {folder} makes some")
    return films


def report(score: SlapScore) -> str:
    """Return a score as a table for people."""
    def of(part: int, whole: int) -> str:
        return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")

    lines = [f"films {score.films}, without a document {score.failed}",
             f"disputes {score.disputes}, not seen {score.missed}, reported without being there {score.extra}",
             f"wrong verdicts {score.wrong}"]
    lines += [f"decided, {gap}: {of(settled, count)}" for gap, (count, settled) in score.decided.items() if count]
    lines += [f"contacts of the right player {of(score.owners_right, score.owners)}",
              f"true difference within the stated error {of(score.errors_hold, score.errors)}",
              f"false slaps recognised {of(score.false_recognised, score.false_slaps)}",
              f"feints called slaps {of(score.feints_called, score.feints)}"]
    if score.landings:
        lines += [f"landings ruled right {of(score.landings_right, score.landings)}",
                  f"landings that do not fit, flagged {of(score.misfits_flagged, score.misfits)}",
                  f"close landings {score.orders}: wrong order {score.orders_wrong}, left open {score.orders_open}"]
    return "\n".join([*lines, *score.mistakes[:40]])


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--limit", type=click.IntRange(1), default=None, help="Only so many films.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def main(folder: Path, limit: int | None, as_json: bool) -> None:
    """Have the referee judge films of slaps, and compare his verdicts with what they show."""
    try:
        films = films_in(folder)[:limit]
    except (ValueError, OSError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    total = SlapScore()
    for film, truth in films:
        score = score_film(truth, referee_film(film, truth), film.stem)
        total.add(score)
        click.echo(f"{film.name}: {'; '.join(score.mistakes) or 'right or left open'}", err=True)
    click.echo(json.dumps(total.as_json(), indent=1) if as_json else report(total))


if __name__ == "__main__":
    main()
