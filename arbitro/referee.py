"""Settle who slapped first from a film: hands are seen, the top card is read, and the rules decide.

Vision reports contacts with their errors, who lies under whom and what lay on top; those become record events, and the
scorer's word on them is the verdict. What the film does not carry is never decided: a hand that is nobody's, or a card
that is not read, leaves the dispute open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arbitro.errors import UnusableInputError
from arbitro.match import Match
from rules.cards import FRENCH_CODES, FRENCH_RANKS
from rules.record import RACE_GAMES, SLAP_GAMES, Event, check_events
from scorer import score_record
from vision.camera import Camera, Frame
from vision.hands.seats import Seats, SeatsError, parse_seats
from vision.hands.sequence import Sequence as Film
from vision.hands.sequence import sequence_of
from vision.hands.slaps import Dispute, SlapLook, card_changes, find_slaps, quiet_frames

GAMES = ("slapjack", "irish-snap", "spit")
"""Games in which there are slaps to settle."""
WINDOW_MS = 5000.0
"""Longer films are looked at in parts of this length."""
OVERLAP_MS = 2000.0
"""By how much the parts overlap, so that each slap lies whole in one of them."""
SURE_FROM = 0.8
"""Probability from which a top card counts as read: a jack that is none costs somebody a pile."""
LIKELY_FROM = 0.5
"""Probability that the card read must then have itself, suit included."""
READINGS = 3
_SAME_MS = 500.0
_LEAST_FRAMES = 4

CardReading = tuple[str | None, float]


class TopReader:
    """Read the card on top of a pile.

    Args:
        detector, classifier: as `vision.detector.Detector` and `vision.classifier.Classifier`.
    """

    def __init__(self, detector: Any, classifier: Any) -> None:
        self._detector, self._classifier = detector, classifier

    def pile(self, images: Sequence[npt.NDArray[np.uint8]]) -> tuple[float, float] | None:
        """Return where cards lie in some pictures of one table, x and y in their pixels; None if none are found."""
        from vision.boxes import is_card

        centres: list[npt.NDArray[np.float32]] = []
        scores: list[float] = []
        for image in images:
            found = self._detector.detect(image)
            found = found.pick(is_card(found.class_ids))
            centres += list(found.centres)
            scores += [float(score) for score in found.scores]
        if not centres:
            return None
        near = 0.08 * max(images[0].shape[:2])
        places = np.array(centres)
        apart = np.linalg.norm(places[:, None] - places[None, :], axis=2)
        middle = places[int(np.argmax((apart < near) @ np.array(scores)))]
        close = np.hypot(*(places - middle).T) < near
        x, y = np.average(places[close], axis=0, weights=np.array(scores)[close])
        return float(x), float(y)

    def read(self, images: Sequence[npt.NDArray[np.uint8]], near: tuple[float, float], within_px: float) -> CardReading:
        """Read the card nearest to a point in some pictures of the same pile; (None, p) if it is not sure."""
        from vision.classifier import FRENCH
        from vision.detections import FACE

        votes = []
        for image in images:
            found = self._detector.detect(image).of(FACE)
            if not len(found):
                continue
            away = np.linalg.norm(found.centres - np.array(near, np.float32), axis=1)
            close = found.pick(away < within_px)
            if not len(close):
                continue
            # The card on top is the whole one: what lies below is partly hidden and scores less.
            read = self._classifier.read(image, close.quads[:1])
            votes.append(np.exp(read.log_probs[0].astype(np.float64)))
        if not votes:
            return None, 0.0
        mean = np.mean(votes, axis=0)[FRENCH]
        best = int(np.argmax(mean))
        # Suits make no difference to a slap: the rank must be sure, and the suit the likeliest by far.
        rank = FRENCH_CODES[best][:-1]
        sure = float(sum(mean[i] for i, code in enumerate(FRENCH_CODES) if code[:-1] == rank))
        return (FRENCH_CODES[best] if sure >= SURE_FROM and mean[best] >= LIKELY_FROM else None), sure


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
    """Hold what a film came to: disputes, landings (Spit), and codes of what should be known."""

    settled: list[Settled] = field(default_factory=list)
    landings: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    frames: int = 0


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
        tops = self._tops(look, path)
        for dispute in fresh:
            outcome.settled.append(self.settle(look, dispute, tops))
        if self.game in RACE_GAMES:
            outcome.landings += self._landings(look, tops, outcome.landings)

    def look_at(self, film: Film) -> SlapLook:
        """Find the hands in a part of a film; cards are looked for where none was seen to be laid."""
        count = len(film)
        some = [film.images[frame] for frame in sorted({0, count // 3, 2 * count // 3, count - 1})]
        reader = self.reader
        return find_slaps(film, self.seats, elsewhere=None if reader is None else lambda: reader.pile(some))

    # What lay on top ------------------------------------------------------------------------------------------------

    def _tops(self, look: SlapLook, path: Path) -> list[dict[str, Any]]:
        times = {float(look.sequence.t_ms[frame]): frame for frame in self.frames_wanted(look)}
        images: dict[int, npt.NDArray[np.uint8]] = {}
        if self.reader is not None and times:
            with Camera.open(path) as camera:
                for frame in camera:
                    if frame.t_ms in times:
                        images[times[frame.t_ms]] = frame.image
                    if frame.t_ms >= max(times):
                        break
        return self.tops_from(look, images)

    @staticmethod
    def frames_wanted(look: SlapLook) -> set[int]:
        """Return the numbers of the frames in which top cards can be read."""
        return {frame for top in _top_intervals(look) for frame in top["frames"]}

    def tops_from(self, look: SlapLook, images: Mapping[int, npt.NDArray[np.uint8]]) -> list[dict[str, Any]]:
        """Return the cards that came to lie on top, given full pictures by the numbers of their frames.

        Each is a dict of t_ms (None for what lay there from the start), error_ms, player, card and confidence.
        """
        tops = _top_intervals(look)
        scale = look.sequence.scale
        near = (look.pile[0] / scale, look.pile[1] / scale)
        within = 0.10 * max(look.sequence.size)
        for top in tops:
            pictures = [images[frame] for frame in top["frames"] if frame in images]
            card, sure = (None, 0.0) if self.reader is None else self.reader.read(pictures, near, within)
            top.update(card=card, confidence=round(sure, 3))
        return tops

    # What the rules say ---------------------------------------------------------------------------------------------

    def settle(
        self,
        look: SlapLook,
        dispute: Dispute,
        tops: list[dict[str, Any]],
        before: Sequence[Event] | None = None,
    ) -> Settled:
        """Have the rules decide a dispute.

        `before` is the record up to it, its flips included; without it the flips are those that the film shows.
        """
        events = [*(self.before if before is None else before)]
        begun = len(events)
        first_ms = dispute.t_ms
        lying = [top for top in tops if top["t_ms"] is None or top["t_ms"] <= first_ms]
        later = [top for top in tops if top not in lying and top["t_ms"] <= first_ms + 250]
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
                event["pile"] = 0
            events.append(event)
            order.append(
                {"player": hand.player, "contact_ms": event["t_ms"], "error_ms": event["error_ms"], "under": under}
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
            if self.game == "irish-snap" and self.laid is not None and not number:
                begun = self.laid - 1 if top["t_ms"] is None else self.laid
                flip["call"] = FRENCH_RANKS[begun % len(FRENCH_RANKS)]
            flips.append(flip)
        return flips

    def _landings(
        self, look: SlapLook, tops: Sequence[Mapping[str, Any]], known: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """Return the cards that landed on a pile, with the rules' word on each."""
        landed = [top for top in tops if top["t_ms"] is not None and top["player"] is not None]
        landed = [top for top in landed if all(abs(top["t_ms"] - told["t_ms"]) > _SAME_MS / 5 for told in known)]
        if not landed:
            return []
        begun = next((top for top in tops if top["t_ms"] is None), None)
        events = [*self.before]
        if len(events) == 1:
            events.append({"type": "spit", "cards": [begun["card"] if begun else None, None]})
        first = len(events) + 1
        events += [
            {"type": "land", "player": top["player"], "card": top["card"], "pile": 0, "t_ms": round(top["t_ms"], 1),
             "error_ms": round(top["error_ms"], 1)}
            for top in landed
        ]  # fmt: skip
        told = score_record(events)["landings"]
        names = ("player", "card", "pile", "on", "ruling", "reasons", "t_ms", "error_ms")
        return [
            {name: entry.get(name) for name in names}
            for entry in told
            if entry["event"] >= first
        ]


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


def _top_intervals(look: SlapLook) -> list[dict[str, Any]]:
    """Return when which card came on top, and the frames in which it can be read: dicts t_ms, error_ms, player, frames.

    The first is what lay there when the film began; its time is None.
    """
    plays = [hand for hand in look.hands if hand.kind == "play"]
    tops: list[dict[str, Any]] = [{"t_ms": None, "error_ms": None, "player": None, "from": 0}]
    taken: set[int] = set()
    for frame in card_changes(look):
        t_ms = float(look.sequence.t_ms[frame])
        free = [hand for hand in plays if id(hand) not in taken]
        near = [hand for hand in free if hand.first_still - 3 <= frame <= hand.last_still + 14]
        if near:
            hand = min(near, key=lambda hand: abs(hand.last_still - frame))
            taken.add(id(hand))
            tops.append({"t_ms": hand.t_ms, "error_ms": hand.error_ms, "player": hand.player, "from": frame})
        else:
            tops.append({"t_ms": t_ms - 150, "error_ms": 150.0, "player": None, "from": frame})
    tops.sort(key=lambda top: -1.0 if top["t_ms"] is None else top["t_ms"])
    for number, top in enumerate(tops):
        ends = [frame for frame in (later["from"] for later in tops[number + 1 :]) if frame > top["from"]]
        came = [hand.first_still for hand in plays if top["from"] < hand.first_still]
        end = min([*ends, *came, len(look.sequence)])
        slaps = [hand.first_still for hand in look.hands if hand.kind != "play" and hand.first_still >= top["from"]]
        end = min([end, *slaps]) if slaps else end
        top["frames"] = quiet_frames(look, top["from"], end)[-READINGS:]
    return tops


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

