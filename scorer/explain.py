"""A record told play by play, in words, in English or Italian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.record import CAPTURE_GAMES, SLAP_GAMES
from scorer.phrases import WORDS
from scorer.score import score_record
from scorer.wording import joined, player_name, say, the_card, the_cards

GAME_NAMES = {"scopa": "Scopa", "scupuni": "Scupuni", "slurp": "Slurp", "slapjack": "Slapjack",
              "irish-snap": "Irish Snap", "spit": "Spit", "speed": "Speed"}


def explain(events: Sequence[Mapping[str, Any]], language: str = "en") -> str:
    """Tell a record play by play: what was played, the ruling with its rule, and at the end the points and why.

    Each line tells one event and ends with a line break. Raise ``rules.record.RecordError`` as ``score_record`` does.
    """
    return tell(score_record(events, language), language)


def tell(document: Mapping[str, Any], language: str = "en") -> str:
    """Tell a document of ``score_record``, made in the same language, as ``explain`` tells a record."""
    teller = _Teller(document, language)
    if document["game"] in CAPTURE_GAMES:
        teller.captures()
    elif document["game"] in SLAP_GAMES:
        teller.slaps()
    else:
        teller.races()
    return "".join(line + "\n" for line in teller.lines)


class _Teller:
    """Put a document into sentences, one line an event."""

    def __init__(self, document: Mapping[str, Any], language: str) -> None:
        self.document = document
        self.language = language
        self.players: list[str] = document["players"]
        self.lines = [self.say("told-match", game=GAME_NAMES[document["game"]],
                               names=self.names(range(len(self.players))))]
        self.flags: dict[int, list[str]] = {}
        for flag in document["flags"]:
            if flag["reason"] not in ("card-seen-twice",):
                self.flags.setdefault(flag["event"], []).append(self.say("told-note", text=flag["text"]))

    # Capture games --------------------------------------------------------------------------------------------------

    def captures(self) -> None:
        """Tell the hands one after the other."""
        hands = self.document["hands"]
        by_end = {hand["end_event"]: hand for hand in hands}
        by_deal = {hand["deal_event"]: (place, hand) for place, hand in enumerate(hands, 1)}
        plays = {play["event"]: play for play in self.document["plays"]}
        for number in sorted(number for number in {*by_end, *by_deal, *plays, *self.flags} if number is not None):
            if number in by_end and number in by_deal:
                # A deal that came before the hand was ended: it ends one hand and begins another.
                self._end(number, by_end[number])
            if number in by_deal:
                place, hand = by_deal[number]
                code = "told-deal" if hand["opening"] else "told-deal-bare"
                self.line(number, self.say(code, hand=place, player=hand["dealer"], cards=hand["opening"]))
            elif number in plays:
                self.line(number, self._play(plays[number]))
            elif number in by_end:
                self._end(number, by_end[number])
            else:
                self.line(number)
        if hands and not hands[-1]["finished"]:
            self.lines.append(self.say("told-so-far"))
            self._points(hands[-1])
        self._winner()

    def _play(self, play: Mapping[str, Any]) -> str:
        parts = [self.say("told-takes" if play["takes"] else "told-lays", player=play["player"], card=play["card"],
                          takes=play["takes"])]
        if play["sweep"]:
            parts.append(self.say("told-sweep-slurp" if self.document["game"] == "slurp" else "told-sweep-scopa"))
        why = joined(play["why"], self.language)
        if play["ruling"] == "illegal":
            parts.append(self.say("told-illegal", why=why, rule=", ".join(dict.fromkeys(play["rules"]))))
        elif play["ruling"] == "unclear":
            choices = list(dict.fromkeys(self._choices(play)))[:5]
            hangs = "table-card-not-seen" in play["reasons"]
            code = "told-unclear-alone" if not choices else "told-unclear-table" if hangs else "told-unclear"
            parts.append(self.say(code, why=why, choices=joined(choices, self.language, "or")))
        parts += [self.say(f"told-{mark}") for mark in ("corrected", "undone", "stands") if play.get(mark)]
        return " ".join(parts)

    def _choices(self, play: Mapping[str, Any]) -> list[str]:
        """Name what was not seen as it can have been: the card played, the cards taken, or those on the table."""
        readings = play.get("candidates", [])
        if "table-card-not-seen" in play["reasons"]:
            return [the_cards(cards, self.language) for reading in readings if not reading.get("legal", True)
                    for cards in reading.get("unseen", [])]
        if play["card"] is None:
            return [the_card(reading["card"], self.language) for reading in readings]
        seen = set(play["takes"]) if None in play["takes"] else set()
        missing = [[code for code in reading.get("takes") or [] if code not in seen]
                   for reading in readings if reading["card"] == play["card"]]
        return [the_cards(cards, self.language) if cards else self.word("no-card") for cards in missing]

    def _end(self, number: int, hand: Mapping[str, Any]) -> None:
        parts = [self.say("told-end")]
        left = hand["left"]
        if left["cards"]:
            code = "told-left" if left["player"] is not None else "told-left-to-nobody"
            parts.append(self.say(code, player=left["player"], cards=left["cards"]))
        self.line(number, " ".join(parts))
        self._points(hand)

    def _points(self, hand: Mapping[str, Any]) -> None:
        for side in hand["sides"]:
            points = [f"{self.word('name-' + point['name'])} {point['points']} ({point['why']})"
                      for point in side["points"]]
            code = "told-points" if points else "told-nothing"
            self.lines.append(self.say(code, names=self.names(side["players"]), points=", ".join(points)))
        nobodys = [point for point in hand["sides"][0]["lost"]
                   if all(not any(other["name"] == point["name"] for other in side["points"])
                          for side in hand["sides"]) and point["name"] not in ("scope", "slurps", "napola")]
        if nobodys:
            points = [f"{self.word('name-' + point['name'])} ({point['why']})" for point in nobodys]
            self.lines.append(self.say("told-nobody", points=", ".join(points)))
        if hand["finished"]:
            self.lines.append(self.say("told-totals", counts=hand["match_totals"]))

    def _winner(self) -> None:
        match = self.document["match"]
        if match["winner"] is not None:
            seats = match["sides"][match["winner"]]
            self.lines.append(self.say("told-win" if len(seats) > 1 else "told-wins", names=self.names(seats)))
        elif match.get("partita_winner") is not None:
            self.lines.append(self.say("told-partita", names=self.names(match["sides"][match["partita_winner"]])))

    # Slap games -----------------------------------------------------------------------------------------------------

    def slaps(self) -> None:
        """Tell flips and slaps in the order of the record."""
        told = [(flip["event"], 0, self._flip(flip)) for flip in self.document["flips"]]
        told += [(slap["event"], 1, self._slap(slap)) for slap in self.document["slaps"]]
        self._in_order(told)
        counts, match = self.document["counts"], self.document["match"]
        stocks = [f"{self.name(seat)} {stock}" for seat, stock in enumerate(counts["stocks"])]
        self.lines.append(self.say("told-stocks", stocks=", ".join(stocks), pile=counts["pile"]))
        if match["winner"] is not None:
            self.lines.append(self.say("told-wins", names=self.name(match["winner"])))
        elif match["loser"] is not None:
            self.lines.append(self.say("told-loses", player=match["loser"]))
        elif match["draw"]:
            self.lines.append(self.say("told-draw"))

    def _flip(self, flip: Mapping[str, Any]) -> str:
        parts = [self.say("told-flip-call" if "call" in flip else "told-flip", player=flip["player"],
                          card=flip["card"], call=flip.get("call"))]
        if flip.get("match"):
            parts.append(self.say("told-match-slap"))
        if flip["ruling"] == "illegal":
            parts.append(self.say("told-illegal", why=joined(flip["why"], self.language), rule=flip["rule"]))
        if flip.get("undone"):
            parts.append(self.say("told-undone"))
        return " ".join(parts)

    def _slap(self, slap: Mapping[str, Any]) -> str:
        did_not = slap["why_code"] in ("did-not-slap", "several-did-not-slap")
        text = self.say("told-no-slap" if did_not else "told-slap", player=slap["player"],
                        verdict=self.word(f"verdict-{slap['verdict']}"), why=slap["why"])
        return f"{text} {self.say('told-decided-for', player=slap['decided_for'])}" if slap["decided"] else text

    # Race games -----------------------------------------------------------------------------------------------------

    def races(self) -> None:
        """Tell cards, piles and layouts in the order of the record."""
        told = [(landing["event"], 0, self._landing(landing)) for landing in self.document["landings"]]
        told += [(grab["event"], 0, self._grab(grab)) for grab in self.document["grabs"]]
        told += [(turned["event"], 0, self.say("told-turned", cards=turned["cards"]))
                 for turned in self.document["turned"]]
        told += [(number, 0, self.say("told-layout")) for number in self.document["layouts"]]
        told += [(won["event"], 1, self._round(won)) for won in self.document["match"].get("rounds", [])]
        self._in_order(told)
        counts, match = self.document["counts"], self.document["match"]
        stocks = [f"{self.name(seat)} {stock}" for seat, stock in enumerate(counts["stocks"])]
        self.lines.append(self.say("told-stocks", stocks=", ".join(stocks),
                                   pile=" + ".join(str(pile) for pile in counts["piles"])))
        if match.get("target"):
            scores = [f"{self.name(seat)} {total}" for seat, total in enumerate(match["totals"])]
            self.lines.append(self.say("told-score", scores=", ".join(scores), target=match["target"]))
        if match["winner"] is not None:
            self.lines.append(self.say("told-wins", names=self.name(match["winner"])))

    def _landing(self, landing: Mapping[str, Any]) -> str:
        beneath = landing.get("on_possible", [landing["on"] or "empty"])
        parts = [self.say("told-land", player=landing["player"], card=landing["card"], onto=beneath)]
        ruling, decided = landing["ruling"], landing.get("decided_ruling")
        why = landing["why"]
        if ruling == "too-close" and decided:
            # The first reason is why it was open, the others are those of what the people decided.
            why, decided_why = why[:1], joined(why[1:], self.language)
        if ruling != "legal":
            code = "told-unclear-plain" if ruling == "unclear" else f"told-{ruling}"
            parts.append(self.say(code, why=joined(why, self.language), rule=landing["rule"]))
        parts += [self.say(f"told-{mark}") for mark in ("corrected", "undone", "stands") if landing.get(mark)]
        if landing.get("decided"):
            parts.append(self.say("told-decided-first", player=landing["decided_for"]))
            if ruling == "too-close":
                parts.append(self.say(f"told-decided-{decided}", why=decided_why))
        return " ".join(parts)

    def _round(self, won: Mapping[str, Any]) -> str:
        if not self.document["match"]["target"]:
            return self.say("told-round", player=won["winner"])
        unit = self.word("point" if won["points"] == 1 else "points")
        return self.say("told-round-points", player=won["winner"], points=f"{won['points']} {unit}")

    def _grab(self, grab: Mapping[str, Any]) -> str:
        text = self.say("told-grab", player=grab["player"], pile=grab["pile"] + 1,
                        verdict=self.word(f"verdict-{grab['verdict']}"), why=grab["why"])
        return f"{text} {self.say('told-decided')}" if grab["decided"] else text

    # Words ----------------------------------------------------------------------------------------------------------

    def _in_order(self, told: list[tuple[int, int, str]]) -> None:
        with_text = {number for number, _, _ in told}
        told += [(number, 2, "") for number in self.flags if number not in with_text]
        last = 0
        for number, _, text in sorted(told, key=lambda line: line[:2]):
            # Notes on an event are told once, with the first line of it.
            self.line(number, text, notes=number != last)
            last = number

    def line(self, number: int, text: str = "", notes: bool = True) -> None:
        """Add a line for an event, with the notes on it."""
        parts = [text] if text else []
        if notes:
            parts += self.flags.pop(number, [])
        self.lines.append(f"{number}. {' '.join(parts)}")

    def say(self, code: str, **args: object) -> str:
        """Give a sentence."""
        return say(code, args, self.language, self.players)

    def word(self, name: str) -> str:
        """Give a word."""
        return WORDS[name][self.language]

    def name(self, seat: int) -> str:
        """Give the name of a player."""
        return player_name(seat, self.players, self.language)

    def names(self, seats: Sequence[int] | range) -> str:
        """Give the names of several players."""
        return joined([self.name(seat) for seat in seats], self.language)
