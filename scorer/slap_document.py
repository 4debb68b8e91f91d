"""The document of a record of Slapjack or Irish Snap: flips, slaps with their verdicts, counts, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rules.games import irish_snap, slapjack
from rules.record import Header, Settled
from rules.ruling import Reason
from rules.slap_game import DECK_SIZE, FlipRuling, SlapRuling, add_slap, deal_out, flip, in_order
from scorer.notes import Notes, marks, plain_args

_MS_PER_MINUTE = 60_000
_FLAGGED = ("card-seen-twice", "no-cards-left", "game-over")
# The verdicts on somebody for whom a dispute can be decided without going against what the recording carries.
_OPEN_TO = {"slapjack": ("wins", "too-close", "unclear"), "irish-snap": ("takes", "too-close", "unclear")}
_KEPT = ("t_ms", "error_ms", "confidence", "candidates")


def slap_document(header: Header, settled: Sequence[Settled], language: str) -> dict[str, Any]:
    """Give the document of a record of a slap game, its texts in ``en`` or ``it``."""
    fold = _Fold(header, settled, language)
    fold.check_stocks()
    fold.check_decisions()
    for here in in_order(settled[1:]):
        fold.take(here)
    fold.close(final=True)
    return fold.document()


class _Fold:
    """Go through the events of a record, one after the other, keeping the newest state and what is to be told."""

    def __init__(self, header: Header, settled: Sequence[Settled], language: str) -> None:
        self.header = header
        self.notes = Notes(header, language)
        self.by_number = {here.number: here for here in settled}
        self.table = deal_out(header)
        self.game = irish_snap if header.game == "irish-snap" else slapjack
        self.page = self.game.PAGE
        self.flips: list[dict[str, Any]] = []
        self.slaps: list[dict[str, Any]] = []
        self.forfeit: dict[str, Any] | None = None
        self.ended = False

    def check_stocks(self) -> None:
        """Flag stocks that are not the whole deck: all of it is dealt (slapjack.md#1, irish-snap.md#1)."""
        cards = sum(self.table.stocks)
        if cards != DECK_SIZE:
            self.notes.flag(1, Reason("stocks-not-deck", f"{self.page}#1", (("count", cards), ("expected", DECK_SIZE))))

    def check_decisions(self) -> None:
        """Flag what the people decided of something that no dispute can be about."""
        for here in self.by_number.values():
            if here.event["type"] != "decide" or here.undone:
                continue
            of = self.by_number[here.event["event"]]
            if of.undone or of.event["type"] not in ("flip", "slap"):
                self.notes.flag(here.number, self._nothing_to_decide(here.event["player"]))

    def take(self, here: Settled) -> None:
        """Take one event in."""
        kind = here.event["type"]
        if kind == "flip":
            self._flip(here)
        elif here.undone:
            return
        elif kind == "slap":
            self._watch_the_time(here)
            self.table = add_slap(self.table, here)
        elif kind == "time" and self.header.game == "irish-snap":
            self.notes.flag(here.number, Reason("no-time-limit", f"{self.page}#5"))
        elif kind == "time":
            self._time_called(here)
        elif kind == "end":
            self.close(final=False)
            self.ended = True
        elif kind == "forfeit":
            self._forfeit(here)

    def close(self, final: bool) -> None:
        """Settle what is still in dispute; ``final`` when the record ends in the middle of the game."""
        if self.table.over:
            self._slaps_after_the_end()
            return
        decided, decided_at = self._decision()
        if self.header.game == "irish-snap":
            missing_are_told = not final or bool(self.table.dispute) or decided is not None
            self.table, rulings = irish_snap.close(self.header, self.table, final)
            if missing_are_told:
                self._flag_missing(rulings)
        else:
            self.table, rulings = slapjack.close(self.header, self.table)
        self._flag_decision(decided, decided_at, rulings)
        self.slaps += [self._slap_entry(ruling, decided) for ruling in rulings]

    def document(self) -> dict[str, Any]:
        """Give the document as it stands."""
        table = self.table
        over = table.over or self.ended
        # A disputed slap is told in the order of the record, whatever was settled first.
        slaps = sorted(self.slaps, key=lambda told: (told["event"], told["player"]))
        flags = sorted(self.notes.flags, key=lambda told: told["event"])
        match: dict[str, Any] = {"winner": table.winner, "loser": table.loser, "over": over,
                                 "draw": table.over and table.winner is None and table.loser is None}
        if self.forfeit:
            match["forfeit"] = self.forfeit
        stocks = list(table.stocks)
        top = table.top
        return {
            "game": self.header.game, "players": list(self.header.players), "options": dict(self.header.options),
            "flips": self.flips, "slaps": slaps, "counts": {"stocks": stocks, "pile": table.pile_size},
            "match": match, "flags": flags,
            "state": {
                "table": [top.card.code if top and top.card else None] if top else [],
                "turn": None if over else table.turn, "hand_sizes": stocks, "stock": 0,
                "captured": [[] for _ in stocks], "sweeps": [0] * len(stocks), "phase": "over" if over else "play",
                "sides": [[seat] for seat in range(len(stocks))], "dealer": self.header.dealer,
                "pile": table.pile_size, "call": table.call, "next_call": self._next_call(),
                "out": sorted(table.out),
            },
        }

    # Events ---------------------------------------------------------------------------------------------------------

    def _flip(self, here: Settled) -> None:
        if here.undone:
            _, ruling = flip(replace(self.table, dispute=()), here, self.page)
            self.flips.append(self._flip_entry(here, ruling))
            return
        self._watch_the_time(here)
        self.close(final=False)
        self.table, ruling = flip(self.table, here, self.page)
        if self.header.game == "irish-snap":
            self.table = irish_snap.with_call(self.table, here.event.get("call"))
            ruling = replace(ruling, call=self.table.call, is_match=irish_snap.is_match(self.table))
        self.flips.append(self._flip_entry(here, ruling))
        self.notes.flag(here.number, *(reason for reason in ruling.reasons if reason.code in _FLAGGED))

    def _watch_the_time(self, here: Settled) -> None:
        """End the game before an event that comes after the time limit (slapjack.md#7)."""
        limit = int(self.header.options.get("time_limit", 0)) * _MS_PER_MINUTE
        t_ms = here.event.get("t_ms")
        if limit and t_ms is not None and t_ms > limit and not self.table.over:
            self._time(here.number)

    def _time(self, number: int) -> None:
        self.close(final=False)
        if not self.table.over:
            self.table = slapjack.time_over(self.table)
            self.notes.flag(number, Reason("time-over", "slapjack.md#7"))

    def _time_called(self, here: Settled) -> None:
        """Take in that time is said to be up, if there is a limit and it has been reached (slapjack.md#7)."""
        limit, t_ms = int(self.header.options["time_limit"]), here.event.get("t_ms")
        if not limit:
            self.notes.flag(here.number, Reason("no-time-limit", f"{self.page}#7"))
        elif t_ms is not None and t_ms + (here.event.get("error_ms") or 0) < limit * _MS_PER_MINUTE:
            args = (("seconds", f"{t_ms / 1000:g}"), ("minutes", limit))
            self.notes.flag(here.number, Reason("time-too-early", f"{self.page}#7", args))
        else:
            self._time(here.number)

    def _forfeit(self, here: Settled) -> None:
        self.close(final=False)
        seat = here.event["player"]
        self.forfeit = self.notes.forfeit(here, self.page)
        if self.table.over:
            return
        out = self.table.out | {seat}
        left = [other for other in range(len(self.table.stocks)) if other not in out]
        self.table = replace(self.table, out=out)
        if len(left) == 1:
            self.table = replace(self.table, over=True, winner=left[0], turn=None)
        elif self.table.turn == seat:
            following = [(seat + step) % len(self.table.stocks) for step in range(1, len(self.table.stocks))]
            self.table = replace(self.table, turn=next(
                (other for other in following if self.table.stocks[other] and other not in out), None))

    def _slaps_after_the_end(self) -> None:
        if self.table.decided is not None:
            self.notes.flag(self.table.decided_at, self._nothing_to_decide(self.table.decided))
        rule = f"{self.page}#{7 if self.header.game == 'slapjack' else 6 if self.header.options['winner'] else 5}"
        for touch in self.table.dispute:
            self.slaps.append(self._slap_entry(SlapRuling(touch.event, touch.player, "late", rule, "game-over")))
        self.table = replace(self.table, dispute=(), decided=None)

    def _decision(self) -> tuple[int | None, int]:
        """Give for whom the people decided, and in which line; one that cannot hold is flagged and forgotten."""
        if self.table.decided is not None:
            reason = self.game.undecidable(self.table)
            if reason is not None:
                self.notes.flag(self.table.decided_at, reason)
                self.table = replace(self.table, decided=None)
        return self.table.decided, self.table.decided_at

    def _flag_decision(self, decided: int | None, number: int, rulings: Sequence[SlapRuling]) -> None:
        """Tell where the people decided against the verdict, or for somebody whose hand is not on the record."""
        if decided is None:
            return
        # Further slaps of one player at one card decide nothing.
        own = [ruling for ruling in rulings if ruling.player == decided and ruling.why != "slapped-before"]
        if any(ruling.verdict in _OPEN_TO[self.header.game] for ruling in own):
            return
        code = "decided-against" if own else "decided-did-not-slap"
        rule = own[0].rule if own else f"{self.page}#3"
        self.notes.flag(number, Reason(code, rule, (("player", decided),)))

    def _nothing_to_decide(self, player: int) -> Reason:
        return Reason("decided-nothing", f"{self.page}#{4 if self.header.game == 'slapjack' else 2}",
                      (("player", player),))

    def _flag_missing(self, rulings: Sequence[SlapRuling]) -> None:
        missing = [ruling for ruling in rulings if ruling.why == "several-did-not-slap"]
        if missing:
            names = tuple(ruling.player for ruling in missing)
            self.notes.flag(missing[0].event, Reason("several-did-not-slap", missing[0].rule, (("players", names),)))

    # What is told ---------------------------------------------------------------------------------------------------

    def _flip_entry(self, here: Settled, ruling: FlipRuling) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "event": ruling.event, "player": ruling.player, "card": ruling.card.code if ruling.card else None,
            "ruling": ruling.ruling, "rule": ruling.rule, **self.notes.reasons(ruling.reasons),
        }
        if ruling.call is not None:
            entry["call"] = ruling.call
            entry["match"] = ruling.is_match
        entry.update({name: here.event[name] for name in _KEPT if name in here.event})
        entry.update(marks(here))
        return entry

    def _slap_entry(self, ruling: SlapRuling, decided: int | None = None) -> dict[str, Any]:
        here = self.by_number[ruling.event]
        entry: dict[str, Any] = {
            "event": ruling.event, "player": ruling.player, "verdict": ruling.verdict, "by_ms": ruling.by_ms,
            "why": self.notes.say(ruling.why, (*ruling.args, ("by", _ms(ruling.by_ms)))), "why_code": ruling.why,
            "why_args": plain_args(ruling.args), "rule": ruling.rule,
            "decided": ruling.decided, "decided_for": decided if ruling.decided else None,
        }
        if here.event["type"] == "slap":
            entry.update({name: here.event[name] for name in _KEPT if name in here.event})
        return entry

    def _next_call(self) -> str | None:
        if self.header.game != "irish-snap":
            return None
        return irish_snap.with_call(self.table, None).call


def _ms(by_ms: float | None) -> str:
    return "?" if by_ms is None else f"{by_ms:g}"
