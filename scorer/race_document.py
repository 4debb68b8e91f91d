"""The document of a record of Spit or Speed: cards landing, piles grabbed, counts, rounds and who has won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rules.contacts import contact
from rules.games import speed, spit
from rules.race_game import GrabRuling, LandRuling, RaceTable, groups, in_order, land
from rules.record import Header, Settled
from rules.ruling import Reason
from scorer.notes import Notes, marks

_SAID = ("correct", "stand", "undo", "decide")
_EMPTY = "empty"
_KEPT = ("t_ms", "error_ms", "confidence", "candidates")


def race_document(header: Header, settled: Sequence[Settled], language: str) -> dict[str, Any]:
    """Give the document of a record of a race game, its texts in ``en`` or ``it``."""
    fold = _Fold(header, settled, language)
    # What people said afterwards, and what never was, must not part two cards that landed one after the other.
    happened = [here for here in settled[1:] if here.event["type"] not in _SAID and (
        here.event["type"] == "land" or not here.undone)]
    for group in groups(in_order(happened)):
        fold.take(group)
    fold.close_grabs()
    return fold.document()


class _Fold:
    """Go through the events of a record, one after the other, keeping the newest state and what is to be told."""

    def __init__(self, header: Header, settled: Sequence[Settled], language: str) -> None:
        self.header = header
        self.notes = Notes(header, language)
        self.by_number = {here.number: here for here in settled}
        self.is_spit = header.game == "spit"
        self.page = spit.PAGE if self.is_spit else speed.PAGE
        self.table = self._start()
        self.landings: list[dict[str, Any]] = []
        self.grabs: list[dict[str, Any]] = []
        self.rounds: list[dict[str, Any]] = []
        self.turned: list[dict[str, Any]] = []
        self.layouts: list[int] = []
        self.totals = [0, 0]
        self.winner: int | None = None
        self.forfeit: dict[str, Any] | None = None
        self.ended = False

    def take(self, group: Sequence[Settled]) -> None:
        """Take in one event, or several cards that landed on one pile with their order open."""
        here = group[0]
        kind, event = here.event["type"], here.event
        if kind in ("spit", "grab", "layout", "deal"):
            self._flag_after_a_forfeit(here.number)
        if kind == "land":
            self._land(group)
        elif kind == "grab":
            self.table = replace(self.table, grabs=(*self.table.grabs, (contact(here.number, event), event["pile"])))
            self.table = spit.decided_grab(self.table, here)
            if not self.is_spit:
                self.notes.flag(here.number, Reason("no-grabs", f"{self.page}#4"))
        elif kind == "spit":
            self.close_grabs()
            self.turned.append({"event": here.number, "cards": list(event["cards"])})
            turn = spit.spit if self.is_spit else speed.spit
            self.table, flags = turn(self.header, self.table, event)
            self.notes.flag(here.number, *flags)
        elif kind == "layout":
            self.close_grabs()
            self.layouts.append(here.number)
            lay = spit.layout if self.is_spit else speed.layout
            self.table, flags = lay(self.header, self.table, event)
            self.notes.flag(here.number, *flags)
        elif kind == "deal":
            self.close_grabs()
            self.layouts.append(here.number)
            self.table = self._start()
        elif kind == "end":
            self.close_grabs()
            self.ended = True
        elif kind == "forfeit":
            self._forfeit(here)

    def close_grabs(self) -> None:
        """Settle the hands on the piles."""
        if not self.is_spit:
            self.table = replace(self.table, grabs=())
            return
        number = self.table.grabs[0][0].event if self.table.grabs else 0
        self.table, rulings, flags = spit.close_grabs(self.header, self.table)
        self.grabs += [self._grab_entry(ruling) for ruling in rulings]
        self.notes.flag(number, *flags)

    def document(self) -> dict[str, Any]:
        """Give the document as it stands."""
        table = self.table
        counts: dict[str, Any] = {"stocks": list(table.stocks), "spit": list(table.spit),
                                  "piles": [len(pile) for pile in table.piles], "played": list(table.played)}
        if not self.is_spit:
            counts["covered"] = list(table.covered)
            counts["hands"] = [speed.hand_and_stock(table, player)[0] for player in (0, 1)]
        else:
            counts["one_pile"] = table.single
        match: dict[str, Any] = {"winner": self.winner, "over": self.winner is not None or self.forfeit is not None}
        if not self.is_spit:
            match.update(totals=list(self.totals), rounds=self.rounds,
                         target=self.header.options["target"] if self.header.options["scoring"] else None)
        if self.forfeit:
            match["forfeit"] = self.forfeit
        tops = [pile[-1].code if pile and pile[-1] is not None else None for pile in table.piles]
        over = match["over"] or table.over or self.ended
        return {
            "game": self.header.game, "players": list(self.header.players), "options": dict(self.header.options),
            "landings": sorted(self.landings, key=lambda told: told["event"]), "grabs": self.grabs, "counts": counts,
            "turned": self.turned, "layouts": self.layouts,
            "match": match, "flags": sorted(self.notes.flags, key=lambda told: told["event"]),
            "state": {"table": tops, "turn": None, "hand_sizes": list(table.stocks), "stock": sum(table.spit),
                      "captured": [[], []], "sweeps": [0, 0], "phase": "over" if over else "play",
                      "sides": [[0], [1]], "dealer": self.header.dealer},
        }

    # Events ---------------------------------------------------------------------------------------------------------

    def _start(self) -> RaceTable:
        return spit.start(self.header) if self.is_spit else speed.start(self.header)

    def _land(self, group: Sequence[Settled]) -> None:
        if not group[0].undone:
            self.close_grabs()
        was_over = self.table.over
        self.table, rulings = land(self.header, self.table, group, self.page)
        for ruling in rulings:
            self.landings.append(self._land_entry(ruling))
            if not self.by_number[ruling.event].undone:
                self._flag_landing(ruling)
        if not was_over and len(group) > 1 and self._both_are_out():
            self.table = replace(self.table, over=True, winner=self._first_out(group, rulings))
            if self.table.winner is None:
                self.notes.flag(group[-1].number, Reason("finish-open", f"{self.page}#{8 if self.is_spit else 5}"))
        elif self.is_spit:
            self.table = spit.look_for_the_winner(self.header, self.table)
        else:
            self.table = speed.look_for_the_winner(self.table)
        if self.table.over and not was_over and self.table.winner is not None:
            self._won(self.table.winner, max(ruling.event for ruling in rulings))

    def _both_are_out(self) -> bool:
        """Tell whether both have got rid of their last card with cards whose order is open."""
        return not any(self.table.stocks) and not (self.is_spit and any(self.table.spit))

    @staticmethod
    def _first_out(group: Sequence[Settled], rulings: Sequence[LandRuling]) -> int | None:
        """Give who was out first: for whom the people decided, if the first card of these was his last."""
        first = rulings[0].decided_for
        return first if [here.event["player"] for here in group].count(first) == 1 else None

    def _flag_landing(self, ruling: LandRuling) -> None:
        for flag in ruling.flags:
            if flag.code == "round-over" and self.winner is not None:
                flag = replace(flag, code="game-over")
            if not (self.forfeit and flag.code in ("round-over", "game-over")):
                self.notes.flag(ruling.event, flag)
        self._flag_after_a_forfeit(ruling.event)

    def _flag_after_a_forfeit(self, number: int) -> None:
        if self.forfeit:
            self.notes.flag(number, Reason("match-over", self.page))

    def _won(self, player: int, number: int) -> None:
        if self.winner is not None or self.forfeit:
            return
        if self.is_spit:
            self.winner = player
            return
        left = self.table.stocks[1 - player]
        scoring = bool(self.header.options["scoring"])
        points = left if scoring else 1
        self.totals[player] += points
        self.rounds.append({"winner": player, "points": points, "cards_left": left, "event": number})
        over = self.totals[player] >= int(self.header.options["target"]) if scoring else True
        if over:
            self.winner = player

    def _forfeit(self, here: Settled) -> None:
        self.close_grabs()
        if self.winner is not None:
            self.notes.flag(here.number, Reason("match-over", self.page))
            return
        self.forfeit = self.notes.forfeit(here, self.page)
        self.winner = 1 - int(here.event["player"])

    # What is told ---------------------------------------------------------------------------------------------------

    def _land_entry(self, ruling: LandRuling) -> dict[str, Any]:
        here = self.by_number[ruling.event]
        beneath = [(top[0].code if top[0] else None) if top else _EMPTY for top in ruling.beneath]
        entry: dict[str, Any] = {
            "event": ruling.event, "player": ruling.player, "card": ruling.card.code if ruling.card else None,
            "pile": ruling.pile, "on": None if len(beneath) > 1 or beneath == [_EMPTY] else beneath[0],
            "ruling": ruling.ruling,
            "rule": ruling.reasons[0].rule if ruling.reasons else ruling.rule, **self.notes.reasons(ruling.reasons),
        }
        entry.update({name: here.event[name] for name in _KEPT if name in here.event})
        entry.update(marks(here))
        if len(beneath) > 1 or beneath == [None]:
            # Without it nothing lay there (``on`` is null), or the card that ``on`` names.
            entry["on_possible"] = beneath
        if ruling.decided_for is not None:
            entry.update(decided=True, decided_for=ruling.decided_for, decided_ruling=ruling.decided_ruling)
        return entry

    def _grab_entry(self, ruling: GrabRuling) -> dict[str, Any]:
        here = self.by_number[ruling.event]
        entry: dict[str, Any] = {
            "event": ruling.event, "player": ruling.player, "pile": ruling.pile, "verdict": ruling.verdict,
            "why": self.notes.say(ruling.why), "why_code": ruling.why,
            "rule": ruling.rule, "decided": ruling.decided,
        }
        entry.update({name: here.event[name] for name in _KEPT if name in here.event})
        return entry
