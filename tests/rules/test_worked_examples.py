"""The worked examples of the pages, read from the pages themselves and played."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rules.cards import Card, CardCodeError, parse_cards
from scorer import score_record
from scorer.points import Pile, napola, primiera
from tests.scorer.hands import dealt, first_play, header, match

pytestmark = pytest.mark.shared

PLAY = re.compile(r"^(?:Table `(?P<table>[^`]+)`, play|`(?P<bare>[^`]+)`,|(?P<empty>Empty table), play) `(?P<card>\w+)`"
                  r"(?: ->|:) (?P<said>.+)$")
# How many examples of a page are a table and a card; the others are counts, which are tested where points are.
PLAYS = {"scopa": 5, "scupuni": 3, "slurp": 7}


def examples(shared: Path, game: str) -> list[str]:
    """Give the worked examples of a page, each on one line."""
    text = (shared / "games" / f"{game}.md").read_text(encoding="utf-8").split("## Worked examples")[1]
    return [" ".join(item.split()) for item in re.findall(r"^- (.+?)(?=^- |\Z)", text, re.MULTILINE | re.DOTALL)]


def codes_in(text: str) -> list[list[str]]:
    """Give the groups of card codes between backticks; rule names and reasons are none."""
    groups = []
    for quoted in re.findall(r"`([^`]+)`", text):
        try:
            groups.append([card.code for card in parse_cards(quoted.split())])
        except CardCodeError:
            continue
    return groups


def ruled(game: str, found: re.Match[str], takes: list[str]) -> dict[str, Any]:
    table = found["table"] or found["bare"] or ""
    return first_play(game, table, f"{found['card']}: {' '.join(takes)}")


@pytest.mark.parametrize("game", PLAYS)
def test_what_a_card_may_take_and_what_is_said_of_other_takes(shared: Path, game: str) -> None:
    plays = [found for found in map(PLAY.match, examples(shared, game)) if found]
    assert len(plays) == PLAYS[game]
    for found in plays:
        said = found["said"]
        table = (found["table"] or found["bare"] or "").split()
        legal = codes_in(re.split(r"[.;]", said)[0])
        if "takes all" in said:
            legal = [table]
        told = ruled(game, found, legal[0] if legal else [])
        assert told["ruling"] == "legal", said
        assert sorted(told["legal_takes"]) == sorted(legal), said
        # A scopa or a Slurp point is said where there is one; what else the page says is that there is none.
        assert told["sweep"] == bool(re.search(r"scopa|a Slurp point", said)), said
        assert told["may_lay"] == bool(not legal or "may be laid" in said), said
        for taken, reason in re.findall(r"[Tt]aking `([^`]+)` is `([a-z-]+)`", said):
            assert ruled(game, found, taken.split())["reasons"] == [reason], said
        for reason in re.findall(r"laying (?:`\w+` down|it) is `([a-z-]+)`", said):
            assert ruled(game, found, [])["reasons"] == [reason], said
        for reason in re.findall(r"not both \(`([a-z-]+)`\)", said):
            assert ruled(game, found, [code for take in legal for code in take])["reasons"] == [reason], said


def test_the_opening_table_that_is_no_table(shared: Path) -> None:
    """slurp.md#1."""
    (said,) = [said for said in examples(shared, "slurp") if said.startswith("Opening table")]
    (table,) = codes_in(said)
    reason = said.rpartition(": ")[2].rstrip(".")
    assert [flag["reason"] for flag in score_record([match("slurp"), dealt(" ".join(table))])["flags"]] == [reason]


def test_the_counts_that_name_their_cards(shared: Path) -> None:
    """scopa.md#13 and the variant napola."""
    said = examples(shared, "scopa")
    (sums,) = [line for line in said if line.startswith("Primiera, side A")]
    a, b = codes_in(sums)
    award = primiera(header(), [Pile(parse_cards(a)), Pile(parse_cards(b))])
    assert [point.points for point in award] == [0, 0] and "no point" in sums
    assert [dict(point.args)["sums"] for point in award] == [
        tuple(int(total) for total in re.findall(r"= (\d+)(?:;|:)", sums))] * 2
    (lacking,) = [line for line in said if "lacks bastoni" in line]
    (twos,) = codes_in(lacking)
    award = primiera(header(), [Pile(parse_cards(["7d", "7c", "7s"])), Pile(parse_cards(twos))])
    assert [point.points for point in award] == [0, 1] and lacking.endswith("B's point.")
    assert dict(award[1].args)["sums"] == tuple(int(n) for n in re.findall(r"\b(48|63)\b", lacking))[::-1]
    (run,) = [line for line in said if line.startswith("napola")]
    held = [Card.parse(code) for code in re.findall(r"\b\dd\b", run.split(", not")[0])]
    assert napola(header(napola=True), [Pile(tuple(held)), Pile(())])[0].points == int(run.split()[-2])
