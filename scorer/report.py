"""A document as a table that a person can read: who took what, each point with its cards, the totals, the match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.record import CAPTURE_GAMES, SLAP_GAMES
from scorer.explain import GAME_NAMES
from scorer.phrases import WORDS
from scorer.wording import check_language, joined, player_name


def render(document: Mapping[str, Any], language: str = "en") -> str:
    """Give the document of ``score_record`` as text, its labels in ``en`` or ``it``, ending with a line break."""
    check_language(language)
    page = _Page(document, language)
    if document["game"] in CAPTURE_GAMES:
        page.captures()
    elif document["game"] in SLAP_GAMES:
        page.slaps()
    else:
        page.races()
    page.notes()
    return "\n".join(line.rstrip() for line in page.lines) + "\n"


class _Page:
    """Lay a document out as lines of text."""

    def __init__(self, document: Mapping[str, Any], language: str) -> None:
        self.document = document
        self.language = language
        self.players: list[str] = document["players"]
        names = [self.name(seat) for seat in range(len(self.players))]
        self.lines = [f"{GAME_NAMES[document['game']]}: {', '.join(names)}"]

    def captures(self) -> None:
        """Lay out the hands and the match."""
        match = self.document["match"]
        for place, hand in enumerate(self.document["hands"], 1):
            so_far = "" if hand["finished"] else f", {self.word('so-far')}"
            self._title("hand", f" {place} ({self.word('deals')} {self.name(hand['dealer'])}{so_far})")
            plays = [play for play in self.document["plays"] if play["hand"] == hand["number"]]
            self.table([(str(play["event"]), self.name(play["player"]), play["card"] or "?",
                         " ".join(code or "?" for code in play["takes"]) or "-", self._ruling(play)) for play in plays],
                       ("line", "player", "plays", "takes", "ruling"))
            for side in hand["sides"]:
                self._side(side)
            if hand["finished"] and hand["left"]["cards"]:
                taker = hand["left"]["player"]
                to = f" -> {self.name(taker)}" if taker is not None else ""
                cards = " ".join(code or "?" for code in hand["left"]["cards"])
                self.lines.append(f"  {self.word('left-over')}: {cards}{to}")
            if "unseen" in hand:
                self.lines.append(f"  {self.word('never-seen')}: {' '.join(hand['unseen'])}")
        self._title("match", f" ({self.word('to')} {match['target']}): {self._by_side(match['totals'])}")
        if any(match["partite"]):
            self.lines.append(f"{self.word('partite')}: {self._by_side(match['partite'])}")
        if match["winner"] is not None:
            self.lines.append(f"{self.names(match['sides'][match['winner']])}: {self.word('wins')}")

    def slaps(self) -> None:
        """Lay out flips, slaps and counts."""
        calls = any("call" in flip for flip in self.document["flips"])
        self._title("flips")
        self.table([(str(flip["event"]), self.name(flip["player"]), flip["card"] or "?",
                     *([flip.get("call", "")] if calls else []), self._ruling(flip))
                    for flip in self.document["flips"]],
                   ("line", "player", "plays", *(["call"] if calls else []), "ruling"))
        self._title("slaps")
        self.table([(str(slap["event"]), self.name(slap["player"]), self.word(f"verdict-{slap['verdict']}"),
                     f"{slap['why']} ({slap['rule']}){self._decided(slap)}") for slap in self.document["slaps"]],
                   ("line", "player", "ruling", ""))
        counts, match = self.document["counts"], self.document["match"]
        self.lines.append("")
        self.table([(self.name(seat), str(stock)) for seat, stock in enumerate(counts["stocks"])]
                   + [(self.word("pile-count"), str(counts["pile"]))], ("player", "stock"))
        self._outcome(match)

    def races(self) -> None:
        """Lay out cards played, piles grabbed and counts."""
        self._title("landings")
        self.table([(str(land["event"]), self.name(land["player"]), land["card"] or "?", str(land["pile"] + 1),
                     self._beneath(land), self._ruling(land)) for land in self.document["landings"]],
                   ("line", "player", "plays", "pile-number", "pile-count", "ruling"))
        if self.document["grabs"]:
            self._title("grabs")
            self.table([(str(grab["event"]), self.name(grab["player"]), str(grab["pile"] + 1),
                         self.word(f"verdict-{grab['verdict']}"), grab["why"]) for grab in self.document["grabs"]],
                       ("line", "player", "pile-number", "ruling", ""))
        counts, match = self.document["counts"], self.document["match"]
        self.lines.append("")
        self.table([(self.name(seat), *(str(counts[name][seat]) for name in ("stocks", "spit", "piles")))
                    for seat in (0, 1)], ("player", "stock", "spit", "pile-count"))
        if match.get("totals"):
            totals = [f"{self.name(seat)} {total}" for seat, total in enumerate(match["totals"])]
            self.lines.append(f"{self.word('points')}: {', '.join(totals)}")
        self._outcome(match)

    @staticmethod
    def _beneath(land: Mapping[str, Any]) -> str:
        beneath = land.get("on_possible", [land["on"] or "empty"])
        return "/".join("-" if top == "empty" else top or "?" for top in beneath)

    def notes(self) -> None:
        """Lay out what is wrong with the record or a position."""
        if not self.document["flags"]:
            return
        self.lines += ["", f"{self.word('notes')}:"]
        self.lines += [f"  {self.word('line')} {flag['event']}: {flag['text']} ({flag['rule']})"
                       for flag in self.document["flags"]]

    def table(self, rows: Sequence[Sequence[str]], labels: Sequence[str]) -> None:
        """Lay out rows under labels, in columns that are as wide as they need to be; nothing without rows."""
        if not rows:
            return
        everything = [[self.word(label) if label else "" for label in labels], *rows]
        widths = [max(len(row[column]) for row in everything) for column in range(len(labels))]
        for row in everything:
            self.lines.append("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))

    def _side(self, side: Mapping[str, Any]) -> None:
        total = side["total"]
        unit = self.word("point" if total == 1 else "points")
        self.lines += ["", f"  {self.names(side['players'])}: {total} {unit}"]
        for point in side["points"]:
            cards = " ".join(code or "?" for code in point["cards"])
            sure = "" if point.get("sure", True) else f" [{self.word('not-sure')}]"
            shown = f" [{cards}]" if cards and len(point["cards"]) <= 12 else ""
            name = self.word("name-" + point["name"])
            self.lines.append(f"    {point['points']:>2}  {name}: {point['why']}{sure}{shown}")
        for point in side["lost"]:
            if point["name"] not in ("scope", "slurps", "napola"):
                self.lines.append(f"     -  {self.word('name-' + point['name'])}: {point['why']}")
        if "possible" in side:
            open_ones = [self.word("name-" + span["name"]) for span in side["possible"]
                         if span["possible"] > span["sure"]]
            cards = "name-cards" if self.document["game"] == "slurp" else "name-carte"
            if open_ones:
                self.lines.append(f"        {self.word('possible')}: {', '.join(open_ones)}; "
                                  f"{self.word('at-least')} {side['cards'][0]} {self.word(cards)}")
        count = len(side["captured"]) + side.get("captured_unseen", 0)
        self.lines.append(f"        {self.word('taken')} ({count}): {' '.join(side['captured'])}")

    def _ruling(self, told: Mapping[str, Any]) -> str:
        words = [self.word("unclear-play" if told["ruling"] == "unclear" else told["ruling"])]
        if told.get("sweep"):
            words.append(self.word("slurp" if self.document["game"] == "slurp" else "scopa"))
        words += [self.word(mark) for mark in ("undone", "stands") if told.get(mark)]
        text = ", ".join(words)
        if not told["why"]:
            return text
        rules = ", ".join(dict.fromkeys(told.get("rules", [told["rule"]])))
        if told.get("decided") and told["ruling"] == "too-close":
            # The first reason is why it was open, the others are those of what the people decided.
            after = told["decided_ruling"]
            decided = [self.word("unclear-play" if after == "unclear" else after), *told["why"][1:]]
            return (f"{text}: {told['why'][0]} ({rules}); {self.word('decided-for')} {self.name(told['decided_for'])}: "
                    f"{'; '.join(decided)}")
        return f"{text}: {'; '.join(told['why'])} ({rules})"

    def _decided(self, slap: Mapping[str, Any]) -> str:
        if not slap["decided"]:
            return ""
        return f"; {self.word('decided-for')} {self.name(slap['decided_for'])}"

    def _outcome(self, match: Mapping[str, Any]) -> None:
        if match["winner"] is not None:
            self.lines.append(f"{self.name(match['winner'])}: {self.word('wins')}")
        elif match.get("loser") is not None:
            self.lines.append(f"{self.name(match['loser'])}: {self.word('loses')}")
        elif match.get("draw"):
            self.lines.append(self.word("draw"))

    def _title(self, word: str, rest: str = "") -> None:
        self.lines += ["", self.word(word) + rest]

    def _by_side(self, counts: Sequence[int]) -> str:
        sides = self.document["match"]["sides"]
        return ", ".join(f"{self.names(seats)} {count}" for seats, count in zip(sides, counts, strict=True))

    def name(self, seat: int) -> str:
        """Give the name of a player."""
        return player_name(seat, self.players, self.language)

    def names(self, seats: Sequence[int]) -> str:
        """Give the names of several players."""
        return joined([self.name(seat) for seat in seats], self.language)

    def word(self, name: str) -> str:
        """Give a word."""
        return WORDS[name][self.language]
