"""Compare what was read from films with what they show.

`python -m datasets.score_film RUN.json TRUTH.jsonl` takes one film, with `--suite DIR` instead all films of a
folder that `datasets.film.suite` has watched.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from rules.record import RecordError, parse_record
from scorer import score_record

Play = Mapping[str, Any]

#: What follows the film's name in the name of a run's document beside it.
RUN_SUFFIX = ".run.json"

#: Cost of pairing two plays that differ in card, in player, in what is taken; and of leaving a play without a pair.
_OTHER_CARD, _OTHER_PLAYER, _OTHER_TAKES, _UNPAIRED = 1.1, 0.4, 0.5, 1.0


@dataclass(slots=True)
class FilmScore:
    """How well one film, or several together, were read.

    Attributes:
        films: how many films; failed: how many gave no document.
        plays: plays shown; plays_right: read with player, card and takes right; cards_right: with the card right.
        plays_missed: shown and not read; plays_added: read and not shown.
        illegal: illegal plays shown; illegal_flagged: of those, ruled illegal.
        legal: legal plays shown and read; false_flags: of those, ruled illegal.
        points_right: films whose points are all right; winners_right: whose leader (or tie) is right.
        questions: plays that the people were asked about.
        delays_ms: for each right play, how long after the card lay still it was seen, in media time.
        confidences: confidence of every paired play and whether it was right.
        mistakes: texts that say what was read wrong.
    """

    films: int = 0
    failed: int = 0
    plays: int = 0
    plays_right: int = 0
    cards_right: int = 0
    plays_missed: int = 0
    plays_added: int = 0
    illegal: int = 0
    illegal_flagged: int = 0
    legal: int = 0
    false_flags: int = 0
    points_right: int = 0
    winners_right: int = 0
    questions: int = 0
    delays_ms: list[float] = field(default_factory=list)
    confidences: list[tuple[float, bool]] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)

    def add(self, other: FilmScore) -> None:
        """Add another film's score to this one, in place."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_json(self) -> dict[str, Any]:
        """Return counts, shares, delays and the reliability of the confidences as plain values."""
        delays = sorted(self.delays_ms)
        return {
            "films": self.films, "failed": self.failed,
            "plays": self.plays, "plays_right": self.plays_right,
            "plays_right_share": _share(self.plays_right, self.plays),
            "cards_right": self.cards_right, "plays_missed": self.plays_missed, "plays_added": self.plays_added,
            "points_right": self.points_right, "points_right_share": _share(self.points_right, self.films),
            "winners_right": self.winners_right,
            "illegal": self.illegal, "illegal_flagged": self.illegal_flagged,
            "legal": self.legal, "false_flags": self.false_flags,
            "questions": self.questions,
            "delay_ms": None if not delays else {
                "median": round(statistics.median(delays)),
                "95%": round(delays[min(len(delays) - 1, int(0.95 * len(delays)))]),
            },
            "reliability": self.reliability(),
            "mistakes": self.mistakes,
        }

    def reliability(self) -> list[dict[str, Any]]:
        """Return, for bands of confidence, how many plays fell into it and the share of them that was right."""
        table = []
        for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 0.99), (0.99, 1.01)):
            band = [right for confidence, right in self.confidences if low <= confidence < high]
            if band:
                right = _share(sum(band), len(band))
                table.append({"from": low, "to": min(high, 1.0), "plays": len(band), "right": right})
        return table


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def score_film(run: Mapping[str, Any], truth: Sequence[Mapping[str, Any]], name: str = "film") -> FilmScore:
    """Compare a run's document with the true hand record.

    Args:
        run: the document of `arbitro watch --json`.
        truth: the events of the film's hand record.
        name: of the film, for the mistakes' texts.
    """
    true_document = score_record(truth)
    times = {number: event.get("t_ms") for number, event in enumerate(truth, 1)}
    # A play that the tracker took back again is no play; it stays in the record all the same.
    shown, read = true_document["plays"], [play for play in run.get("plays", []) if not play.get("undone")]
    score = FilmScore(films=1, plays=len(shown), questions=len(run.get("questions", [])))
    for true, seen in pair_plays(shown, read):
        if true is None:
            assert seen is not None
            score.plays_added += 1
            score.mistakes.append(f"{name}: read but not shown: {_told(seen)}")
            continue
        told = _told(true) + _circumstances(truth[true["event"] - 1], truth[0])
        illegal = true["ruling"] == "illegal"
        score.illegal += illegal
        if seen is None:
            score.plays_missed += 1
            score.mistakes.append(f"{name}: not read: {told}")
            continue
        right = _same(true, seen)
        score.plays_right += right
        score.cards_right += true["card"] == seen.get("card")
        flagged = seen.get("ruling") == "illegal"
        score.illegal_flagged += illegal and flagged
        score.legal += not illegal
        score.false_flags += flagged and not illegal
        if not right:
            score.mistakes.append(f"{name}: {told} was read as {_told(seen)}")
        shown_ms, seen_ms = times.get(true["event"]), seen.get("t_ms")
        if right and shown_ms is not None and seen_ms is not None:
            score.delays_ms.append(float(seen_ms) - float(shown_ms))
        if seen.get("confidence") is not None:
            score.confidences.append((float(seen["confidence"]), right))
    true_points, points = _points(true_document), _points(run)
    score.points_right = int(true_points == points)
    score.winners_right = int(_leaders(true_document) == _leaders(run))
    if true_points != points:
        score.mistakes.append(f"{name}: points {_points_told(points)} instead of {_points_told(true_points)}")
    return score


def pair_plays(shown: Sequence[Play], read: Sequence[Play]) -> list[tuple[Play | None, Play | None]]:
    """Pair the plays shown with those read, in order, so that one play missed or added does not shift the others.

    The pairing of least total cost, as for an edit distance; an unpaired play stands beside None.
    """
    rows, columns = len(shown), len(read)
    cost = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows + 1):
        for j in range(columns + 1):
            if i or j:
                cost[i][j] = min(
                    cost[i - 1][j] + _UNPAIRED if i else float("inf"),
                    cost[i][j - 1] + _UNPAIRED if j else float("inf"),
                    cost[i - 1][j - 1] + _difference(shown[i - 1], read[j - 1]) if i and j else float("inf"),
                )
    pairs: list[tuple[Play | None, Play | None]] = []
    i, j = rows, columns
    while i or j:
        if i and j and cost[i][j] == cost[i - 1][j - 1] + _difference(shown[i - 1], read[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((shown[i], read[j]))
        elif i and cost[i][j] == cost[i - 1][j] + _UNPAIRED:
            i -= 1
            pairs.append((shown[i], None))
        else:
            j -= 1
            pairs.append((None, read[j]))
    return pairs[::-1]


def _difference(true: Play, seen: Play) -> float:
    return (_OTHER_CARD * (true["card"] != seen.get("card")) + _OTHER_PLAYER * (true["player"] != seen.get("player"))
            + _OTHER_TAKES * (set(true["takes"]) != set(seen.get("takes") or [])))


def _same(true: Play, seen: Play) -> bool:
    return _difference(true, seen) == 0


def _points(document: Mapping[str, Any]) -> list[list[dict[str, int]]]:
    return [[{point["name"]: point["points"] for point in side["points"] if point["points"]} for side in hand["sides"]]
            for hand in document.get("hands", [])]


def _leaders(document: Mapping[str, Any]) -> set[int] | None:
    totals = (document.get("match") or {}).get("totals")
    return None if not totals else {side for side, total in enumerate(totals) if total == max(totals)}


def _points_told(hands: list[list[dict[str, int]]]) -> str:
    return "; ".join(" : ".join(", ".join(f"{k} {v}" for k, v in side.items()) or "none" for side in hand)
                     for hand in hands) or "none"


def _told(play: Play) -> str:
    takes = ", ".join(sorted(play.get("takes") or [])) or "nothing"
    return f"player {play.get('player')} plays {play.get('card')} taking {takes} (event {play.get('event')})"


def _circumstances(event: Mapping[str, Any], match: Mapping[str, Any]) -> str:
    """Tell how a play's cards were taken, and what else happened on the table or to the camera about then."""
    start, end = event.get("t_ms"), event.get("settled_ms", event.get("t_ms"))
    told = [f"card {event['taking']}"] if event.get("taking") else []
    if start is not None and end is not None:
        # A card is on its way to the table for about as long before it lies still.
        around = [one["kind"] for one in (match.get("film") or {}).get("happenings", [])
                  if one["kind"] != "deal" and one["from_ms"] < end + 500 and one["to_ms"] > start - 1000]
        told += dict.fromkeys(around)
    return f" [{', '.join(told)}]" if told else ""


def report(score: FilmScore) -> str:
    """Write a score as lines for people."""
    shown = score.as_json()
    delay = shown["delay_ms"] or {"median": "-", "95%": "-"}
    lines = [
        f"films                {score.films} ({score.failed} gave nothing)",
        f"plays fully right    {score.plays_right} of {score.plays}; missed {score.plays_missed},"
        f" added {score.plays_added}",
        f"cards read right     {score.cards_right} of {score.plays}",
        f"hands, points right  {score.points_right} of {score.films}; leader right {score.winners_right}",
        f"illegal plays        {score.illegal_flagged} of {score.illegal} flagged; {score.false_flags} false flags"
        f" in {score.legal} legal plays",
        f"questions            {score.questions} ({score.questions / max(1, score.films):.2f} a hand)",
        f"delay                median {delay['median']} ms, 95% {delay['95%']} ms",
    ]
    lines += [f"confidence {band['from']:.2f}-{band['to']:.2f}  {band['plays']} plays, right {band['right']:.3f}"
              for band in shown["reliability"]]
    return "\n".join([*lines, *score.mistakes])


def read_truth(path: Path) -> list[dict[str, Any]]:
    """Read a film's hand record.

    Raises:
        ValueError: when it cannot be read; the message says why.
    """
    try:
        return list(parse_record(path.read_text(encoding="utf-8")).events)
    except (OSError, RecordError) as error:
        raise ValueError(f"{path}: {error}") from error


def score_files(run: Path, truth: Path) -> FilmScore:
    """Compare a run's document on disk with the film's hand record.

    Raises:
        ValueError: when one of them cannot be read; the message says which and why.
    """
    try:
        document = json.loads(run.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{run}: {error}") from error
    if not isinstance(document, dict):
        raise ValueError(f"{run}: not a document of `arbitro watch --json`")
    return score_film(document, read_truth(truth), truth.stem)


def score_suite(folder: Path) -> FilmScore:
    """Add up all films of a folder: each NAME.run.json beside its NAME.jsonl.

    Raises:
        ValueError: when there is none, or one cannot be read; the message says what to do.
    """
    total = FilmScore()
    for run in sorted(folder.glob(f"*{RUN_SUFFIX}")):
        total.add(score_files(run, run.with_name(run.name.removesuffix(RUN_SUFFIX) + ".jsonl")))
    if not total.films:
        raise ValueError(f"{folder} holds no *{RUN_SUFFIX}: watch its films first (python -m datasets.film.suite)")
    return total


@click.command()
@click.argument("run", type=click.Path(path_type=Path, exists=True, dir_okay=False), required=False)
@click.argument("truth", type=click.Path(path_type=Path, exists=True, dir_okay=False), required=False)
@click.option("--suite", type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="A folder of films that have been watched, instead of RUN and TRUTH.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def main(run: Path | None, truth: Path | None, suite: Path | None, as_json: bool) -> None:
    """Compare RUN, a document of `arbitro watch --json`, with TRUTH, the film's hand record."""
    try:
        if suite is not None and run is None:
            score = score_suite(suite)
        elif suite is None and run is not None and truth is not None:
            score = score_files(run, truth)
        else:
            raise ValueError("give RUN and TRUTH, or --suite DIR")
    except ValueError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    click.echo(json.dumps(score.as_json(), ensure_ascii=False) if as_json else report(score))
    sys.exit(0 if score.points_right == score.films else 1)


if __name__ == "__main__":
    main()
