"""Settle who slapped first from a film: hands are seen, the top card is read, and the rules decide.

Vision reports contacts with their errors, who lies under whom and what lay on top; those become record events, and the
scorer's word on them is the verdict. What the film does not carry is never decided: a hand that is nobody's, or a card
that is not read, leaves the dispute open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arbitro.errors import UnusableInputError
from arbitro.match import Match
from arbitro.topcard import Top, TopReader, find_tops, named, readings_wanted
from rules.cards import FRENCH_RANKS
from rules.contacts import clearly_before
from rules.record import RACE_GAMES, SLAP_GAMES, Event, check_events
from scorer import score_record
from vision.camera import Camera, Frame
from vision.hands.seats import Seats, SeatsError, parse_seats
from vision.hands.sequence import Sequence as Film
from vision.hands.sequence import sequence_of
from vision.hands.slaps import Dispute, SlapLook, find_slaps, hidden_hands

GAMES = ("slapjack", "irish-snap", "spit")
"""Games in which there are slaps to settle."""
WINDOW_MS = 5000.0
"""Longer films are looked at in parts of this length."""
OVERLAP_MS = 2000.0
"""By how much the parts overlap, so that each slap lies whole in one of them."""
PILES = {"spit": 2}
"""How many piles lie there, in games with more than one."""
_SAME_MS = 500.0
_LEAST_FRAMES = 4

@dataclass(frozen=True, eq=False)
class Settled:
    """Hold one dispute with what was decided.

    Attributes:
        look: the part of the film that it was seen in.
        dispute: the hands.
        events: the record on which the scorer decided.
        document: what `arbitro referee --json` says of it.
    """

    look: SlapLook
    dispute: Dispute
    events: list[Event]
    document: dict[str, Any]


@dataclass
class Outcome:
    """Hold what a film came to: disputes, landings (Spit), and codes of what should be known.

    `came_ms` are the times at which cards came onto a pile.
    """

    settled: list[Settled] = field(default_factory=list)
    landings: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    frames: int = 0
    came_ms: list[float] = field(default_factory=list)


class Referee:
    """Settle disputes.

    Args:
        game: one of `GAMES`.
        seats: who sits where.
        reader: reads top cards; None leaves every card unread.
        laid: cards laid since the last restart before the film begins, for the call in Irish Snap; None if unknown.
        before: the hand record up to the film.

    Raises:
        UnusableInputError: if there are no slaps in the game, or the seats do not fit the record.
    """

    def __init__(
        self,
        game: str,
        seats: Seats,
        reader: TopReader | None,
        *,
        laid: int | None = None,
        before: Sequence[Mapping[str, Any]] = (),
        names: Sequence[str] = (),
    ) -> None:
        if game not in GAMES:
            raise UnusableInputError(f"there are no slaps in {game}: the referee settles {', '.join(GAMES)}")
        players = len(seats.angles_deg)
        if game in RACE_GAMES and players != 2:
            raise UnusableInputError(f"{game} is for two players, and there are {players} seats: name two seats")
        self.game, self.seats, self.reader, self.laid = game, seats, reader, laid
        names = list(names) or [f"Player {seat + 1}" for seat in range(players)]
        self.before: list[Event] = [dict(event) for event in before] or [
            {"type": "match", "format": 1, "game": game, "players": names, "dealer": 0, "options": {}}
        ]
        header = check_events(self.before)
        if header.game != game:
            raise UnusableInputError(f"the record is of {header.game}, not of {game}: give the record of this game")
        if len(header.players) != players:
            raise UnusableInputError(
                f"the record has {len(header.players)} players and there are {players} seats: give each a seat"
            )
        self.players = tuple(header.players)

    def judge(self, film: Path) -> Outcome:
        """Settle every dispute in a film.

        Raises:
            vision.camera.CameraError: if the film cannot be read.
        """
        outcome = Outcome()
        with Camera.open(film) as camera:
            for part in _parts(camera):
                outcome.frames += len(part)
                self._take(outcome, part, film)
        if outcome.frames < _LEAST_FRAMES:
            outcome.warnings.append("slap-few-frames")
        return outcome

    def _take(self, outcome: Outcome, film: Film, path: Path) -> None:
        if len(film) < _LEAST_FRAMES:
            return
        look = self.look_at(film)
        known = [settled.document["t_ms"] for settled in outcome.settled]
        fresh = [d for d in look.disputes if all(abs(d.t_ms - t_ms) > _SAME_MS for t_ms in known)]
        if not fresh and self.game not in RACE_GAMES:
            if not look.arms and "slap-no-hands" not in outcome.warnings:
                outcome.warnings.append("slap-no-hands")
            return
        tops = self._tops(look, path, outcome.came_ms)
        for dispute in fresh:
            outcome.settled.append(self.settle(look, dispute, tops))
        if self.game in RACE_GAMES:
            outcome.landings += self._landings(look, tops, outcome.landings)

    def look_at(self, film: Film) -> SlapLook:
        """Find the hands in a part of a film, and the piles that they are at."""
        count = len(film)
        some = [film.images[frame] for frame in sorted({0, count // 2, count - 1})]
        reader = self.reader
        if reader is None:
            return find_slaps(film, self.seats)
        piles = PILES.get(self.game, 1)
        look = find_slaps(film, self.seats, elsewhere=lambda: reader.piles(some, piles))
        return replace(look, disputes=tuple(self._with_hidden(look, dispute, reader) for dispute in look.disputes))

    def _with_hidden(self, look: SlapLook, dispute: Dispute, reader: TopReader) -> Dispute:
        """Count the hands at a dispute that the detector sees and nothing else does: those of the table's colour."""
        frame = dispute.lying_frame(len(look.sequence))
        hidden = hidden_hands(look, frame, reader.hands(look.sequence.images[frame]))
        return replace(dispute, unseen=max(dispute.unseen, hidden)) if hidden else dispute

    # What lay on top ------------------------------------------------------------------------------------------------

    def _tops(self, look: SlapLook, path: Path, came_ms: list[float]) -> list[Top]:
        """Return the cards on top in a part of a film; `came_ms` are the times of those that came so far, added to."""
        tops = find_tops(look)
        begun = float(look.sequence.t_ms[tops[0]["from"]]) if tops else 0.0
        self.with_calls(tops, None if self.laid is None else self.laid + sum(t_ms < begun for t_ms in came_ms))
        came_ms += [
            top["t_ms"]
            for top in tops
            if top["t_ms"] is not None and all(abs(top["t_ms"] - known) > _SAME_MS / 2 for known in came_ms)
        ]
        times = {float(look.sequence.t_ms[frame]): frame for frame in readings_wanted(tops)}
        images: dict[int, npt.NDArray[np.uint8]] = {}
        if self.reader is not None and times:
            with Camera.open(path) as camera:
                for frame in camera:
                    if frame.t_ms in times:
                        images[times[frame.t_ms]] = frame.image
                    if frame.t_ms >= max(times):
                        break
        return self.tops_from(look, tops, images)

    def tops_from(
        self, look: SlapLook, tops: list[Top], images: Mapping[int, npt.NDArray[np.uint8]]
    ) -> list[Top]:
        """Return the cards that came to lie on top, read in full pictures, given by the numbers of their frames."""
        scale = look.sequence.scale
        within = 0.10 * max(look.sequence.size)
        for top in tops:
            pictures = [images[frame] for frame in top["frames"] if frame in images]
            if self.reader is None or not pictures:
                continue
            x, y = look.places[top["pile"]]
            chances = self.reader.read(pictures, (x / scale, y / scale), within, top["changed"] / scale)
            top["card"], sure = named(chances, self._matters(top))
            top["confidence"] = round(sure, 3)
        return tops

    def _matters(self, top: Top) -> str | None:
        """Return the rank on which rulings at a card hang: the jack, or the one called; None where each may."""
        return "J" if self.game == "slapjack" else top["call"]

    def with_calls(self, tops: list[Top], laid: int | None) -> list[Top]:
        """Note what was called with each card, given how many lay there before the second one of them."""
        if self.game == "irish-snap" and laid is not None and all(top["counted"] for top in tops):
            for number, top in enumerate(tops):
                top["call"] = FRENCH_RANKS[(laid - 1 + number) % len(FRENCH_RANKS)]
        return tops

    # What the rules say ---------------------------------------------------------------------------------------------

    def settle(
        self,
        look: SlapLook,
        dispute: Dispute,
        tops: list[Top],
        before: Sequence[Event] | None = None,
    ) -> Settled:
        """Have the rules decide a dispute.

        `before` is the record up to it, its flips included; without it the flips are those that the film shows.
        """
        events = [*(self.before if before is None else before)]
        begun = len(events)
        first_ms = dispute.t_ms
        pile = dispute.hands[0].pile
        there = [top for top in tops if pile is None or top["pile"] == pile]
        lying = [top for top in there if top["t_ms"] is None or top["t_ms"] <= first_ms]
        later = [top for top in there if top not in lying and top["t_ms"] <= first_ms + 250]
        kind = "grab" if self.game in RACE_GAMES else "slap"
        if self.game in SLAP_GAMES and before is None:
            events += self._flips([*lying, *later])
        order, open_hand = [], False
        for place, hand in enumerate(dispute.hands):
            if hand.player is None:
                open_hand = True
                continue
            above = [dispute.hands[other].player for other in dispute.above(place)]
            under = sorted({player for player in above if player is not None and player != hand.player})
            event: Event = {
                "type": kind, "player": hand.player, "t_ms": round(hand.t_ms, 1),
                "error_ms": round(hand.error_ms, 1), "under": under,
            }  # fmt: skip
            if kind == "grab":
                event["pile"] = hand.pile if hand.pile is not None else 0
            events.append(event)
            order.append(
                {"player": hand.player, "contact_ms": event["t_ms"], "error_ms": event["error_ms"], "under": under}
                | ({"pile": hand.pile} if kind == "grab" else {})
            )
        document = score_record(events)
        told = document["slaps" if self.game in SLAP_GAMES else "grabs"]
        own = {
            number for number, event in enumerate(events, 1) if event["type"] == kind and number > begun
        }
        rulings = [entry for entry in told if entry["event"] in own or entry.get("why_code") == "did-not-slap"]
        verdict, evidence, why, rule = _verdict(self.game, rulings)
        if open_hand:
            verdict, evidence, why = "unclear", "", "slap-unknown-hand"
        elif dispute.unseen and verdict != "false":
            verdict, evidence, why = "unclear", "", "slap-unseen-hand"
        elif any(hand.pile is None for hand in dispute.hands):
            verdict, evidence, why = "unclear", "", "slap-between-piles"
        elif not dispute.watched and kind == "slap":
            verdict, evidence, why = "unclear", "", "slap-unwatched"
        elif self._may_have_touched(dispute, verdict):
            verdict, evidence, why = "unclear", "", "slap-hover"
        top = ([*lying, *later] or [{"card": None, "confidence": 0.0}])[-1]
        if lying and later:
            top = lying[-1]
        return Settled(look, dispute, events, {
            "t_ms": round(first_ms, 1), "top_card": top["card"], "top_confidence": top["confidence"],
            "order": order, "verdict": verdict, "evidence": evidence, "why": why, "rule": rule,
            "rulings": [{name: entry.get(name) for name in ("player", "verdict", "why_code")} for entry in rulings],
            "strip": None, "clip": None,
        })  # fmt: skip

    def _may_have_touched(self, dispute: Dispute, verdict: str) -> bool:
        """Tell whether a hand that came and went too quickly could make the verdict another one."""
        if verdict == "false":
            return False
        slapped = {hand.player for hand in dispute.hands}
        for hover in dispute.hovers:
            if self.game == "irish-snap" and hover.player not in slapped:
                return True
            first = dispute.hands[0]
            if hover.t_ms - hover.error_ms <= first.t_ms + first.error_ms and self.game != "irish-snap":
                return True
        return False

    def new_flips(self, tops: Sequence[Mapping[str, Any]], since_ms: float, begun: bool) -> list[Event]:
        """Return the flips that are not on the record yet: after a time, and what lay there if nothing is (`begun`)."""
        if self.game not in SLAP_GAMES:
            return []
        lying = [top for top in tops if top["t_ms"] is None and not begun and top["confidence"] > 0]
        return self._flips([*lying, *(top for top in tops if top["t_ms"] is not None and top["t_ms"] > since_ms)])

    def _flips(self, tops: Iterable[Mapping[str, Any]]) -> list[Event]:
        flips: list[Event] = []
        for number, top in enumerate(tops):
            flip: Event = {"type": "flip", "player": top["player"], "card": top["card"],
                           "confidence": top["confidence"]}  # fmt: skip
            if top["t_ms"] is not None:
                flip["t_ms"], flip["error_ms"] = round(top["t_ms"], 1), round(top["error_ms"], 1)
            if top["call"] is not None and not number:
                flip["call"] = top["call"]
            flips.append(flip)
        return flips

    def _landings(
        self, look: SlapLook, tops: Sequence[Mapping[str, Any]], known: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the cards that landed on a pile, with the rules' word on each."""
        landed = [
            top
            for top in tops
            if top["t_ms"] is not None
            and all(told["pile"] != top["pile"] or abs(top["t_ms"] - told["t_ms"]) > _SAME_MS / 5 for told in known)
        ]
        if not any(top["player"] is not None for top in landed):
            return []
        events = [*self.before]
        if len(events) == 1:
            begun = {top["pile"]: top["card"] for top in tops if top["t_ms"] is None}
            events.append({"type": "spit", "cards": [begun.get(pile) for pile in range(PILES[self.game])]})
        own = set()
        while landed:
            # Where several came before the pile was seen again, one of them lies on top.
            together = [top for top in landed if (top["pile"], top["from"]) == (landed[0]["pile"], landed[0]["from"])]
            landed = [top for top in landed if top not in together]
            sure = _last_for_sure(together)
            for top in together:
                if top["player"] is None:
                    continue
                events.append(
                    {"type": "land", "player": top["player"], "card": top["card"] if sure else None,
                     "pile": top["pile"], "t_ms": round(top["t_ms"], 1), "error_ms": round(top["error_ms"], 1)}
                )  # fmt: skip
                own.add(len(events))
            if not sure:
                # Whoever laid how many cards there: what is ruled on next lies on the one that was then seen.
                events += [
                    {"type": "land", "player": 0, "card": card, "pile": together[0]["pile"]}
                    for card in (None, max(top["card"] or "" for top in together) or None)
                ]
        told = score_record(events)["landings"]
        names = ("player", "card", "pile", "on", "ruling", "reasons", "t_ms", "error_ms")
        return [{name: entry.get(name) for name in names} for entry in told if entry["event"] in own]


def _last_for_sure(together: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether it is clear whose card lies on top of those that came before a pile was seen again."""
    if any(top["player"] is None for top in together):
        return False
    last = max(together, key=lambda top: top["t_ms"])
    return all(
        clearly_before(top["t_ms"], top["error_ms"], last["t_ms"], last["error_ms"])
        for top in together
        if top is not last
    )


def read_seats(text: str | None, match: Match) -> Seats | None:
    """Read where the players of a match sit; None if nobody says.

    Raises `UnusableInputError` if a seat cannot be, or there are not as many as players.
    """
    if text is None:
        return None
    try:
        seats = parse_seats(text)
    except SeatsError as error:
        raise UnusableInputError(str(error)) from None
    if len(seats.angles_deg) != len(match.players):
        raise UnusableInputError(
            f"{len(seats.angles_deg)} seats and {len(match.players)} players: give each player a seat"
        )
    return seats


def _parts(camera: Camera) -> Iterable[Film]:
    """Give a film in overlapping parts, each made small."""
    kept: list[Frame] = []
    fresh = 0
    for frame in camera:
        kept.append(frame)
        fresh += 1
        if frame.t_ms - kept[0].t_ms >= WINDOW_MS:
            made = sequence_of(kept)
            assert made is not None
            yield made
            kept = [old for old in kept if old.t_ms >= frame.t_ms - OVERLAP_MS]
            fresh = 0
    if fresh and (made := sequence_of(kept)) is not None:
        yield made


def _verdict(game: str, rulings: Sequence[Mapping[str, Any]]) -> tuple[str, str, str, str]:
    """Return the verdict, its evidence, the code of its reason and the rule, from the rulings on all slaps."""
    if not rulings:
        return "unclear", "", "card-not-seen", ""
    words = [ruling["verdict"] for ruling in rulings]
    if game == "spit" and words.count("gets") > 1:
        return "both", "time", str(rulings[0].get("why_code", "")), str(rulings[0].get("rule", ""))
    wanted = {"slapjack": "wins", "irish-snap": "takes", "spit": "gets"}[game]
    for ruling in rulings:
        if ruling["verdict"] == wanted:
            return (f"player {ruling['player']}", _evidence(str(ruling.get("why_code", ""))),
                    str(ruling.get("why_code", "")), str(ruling.get("rule", "")))  # fmt: skip
    for word in ("unclear", "too-close"):
        if word in words:
            ruling = rulings[words.index(word)]
            return word, "", str(ruling.get("why_code", "")), str(ruling.get("rule", ""))
    ruling = rulings[0]
    return words[0], "time", str(ruling.get("why_code", "")), str(ruling.get("rule", ""))


def _evidence(why_code: str) -> str:
    if why_code.endswith("-under"):
        return "occlusion"
    return "both" if why_code.endswith("-both") else "time"


def deciding_frames(settled: Settled, around: int = 1) -> list[int]:
    """Return the numbers, in its look, of the frames that show how each hand of a dispute touched."""
    count = len(settled.look.sequence)
    frames: set[int] = set()
    for hand in settled.dispute.hands:
        frames.update(range(hand.first_still - around - 1, hand.first_still + around))
    last = max(hand.first_still for hand in settled.dispute.hands)
    frames.add(last + 2)
    return [frame for frame in sorted(frames) if 0 <= frame < count]

