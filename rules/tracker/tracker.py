"""The rules tracker: looks at the table in, record events out. Pure: the same input always gives the same events."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.cards import FRENCH_40_CODES, ITALIAN_CODES
from rules.tracker.chances import chances_of
from rules.tracker.evidence import EvidenceBook
from rules.tracker.explain import Explainer
from rules.tracker.look import LookError, Moment, SeenCard, TableLook
from rules.tracker.reading import Play, Reading
from rules.tracker.scale import IMPOSSIBLE, Scale, Weighed
from rules.tracker.seating import Seating
from rules.tracker.settings import TrackerSettings
from rules.tracker.table_game import TableGame
from rules.tracker.writer import Core, Event, RecordWriter, WantedPlay

_MOST_CANDIDATES = 5
_CANDIDATE_FLOOR = 0.02
_GUESS_FLOOR = 0.15
_FIRST_RENUMBERED = 1_000_000
# A look so many times as odd as one that may be explained by the next one is not understood.
_LOST_AT_ONCE = 1.4
# A reading that only grows gains no more than what the players' habits and seats may explain better afterwards.
_GROWN_GAIN = 1.0
# What is so much as likely as the best is kept where it is in the record already.
_NEARLY_EQUAL = 0.7


@dataclass(frozen=True, slots=True)
class TrackerWarning:
    """Hold something that people should know and that is no event of the record.

    Args:
        code: `lost-thread` (a look was not understood), `missing-plays` (the hand ended before its time).
        args: Values for the text.
        t_ms: Media time.
    """

    code: str
    args: Mapping[str, Any]
    t_ms: int


class Tracker:
    """Follow one match: weigh what the table showed, keep several readings, write the likeliest into the record.

    Every list of events that a method returns must be appended to the record in order, and every command that goes into
    the record must be told by `command` at the moment it is appended: events are named by their line.
    """

    def __init__(self, match: Mapping[str, Any], settings: TrackerSettings | None = None) -> None:
        """Begin a match.

        Args:
            match: The match event, line 1 of the record: `game`, `players`, `dealer`, `options`.
            settings: Tuning values; the built-in ones by default.

        Raises:
            UnknownGameError: The game is not one that is followed.
        """
        self._match = dict(match)
        self._settings = settings or TrackerSettings()
        self._dealer = int(match.get("dealer") or 0)
        self._writer = RecordWriter()
        self._warnings: list[TrackerWarning] = []
        self._t_ms = -1
        self._seating = Seating(len(match.get("players") or ()), self._dealer)
        self._use_deck(None)

    @property
    def warnings(self) -> tuple[TrackerWarning, ...]:
        """Give all warnings so far, the oldest first."""
        return tuple(self._warnings)

    # -- what comes in --------------------------------------------------------------------------------------------

    def look(self, look: TableLook) -> list[Event]:
        """Take a look at the table.

        Args:
            look: The table at rest; looks come in order of time.

        Returns:
            Record events in the contract's format, with `t_ms`, `confidence` and `candidates`.

        Raises:
            LookError: The look is older than the one before.
        """
        if look.t_ms < self._t_ms:
            raise LookError(f"a look at {look.t_ms} ms after one at {self._t_ms} ms")
        self._t_ms = look.t_ms
        if not self._knows_deck and look.cards:
            self._use_deck(look.cards)
        present, passed = self._number(look)
        return self._advance(present, passed)

    def tick(self, t_ms: int) -> list[Event]:
        """Let time pass while nothing changes on the table; gives what was held back until now."""
        if t_ms < self._t_ms:
            raise LookError(f"the time {t_ms} ms after {self._t_ms} ms")
        self._t_ms = t_ms
        return self._write() if self._is_waiting else []

    def finish(self, t_ms: int | None = None) -> list[Event]:
        """Take the end of the film: nothing is held back any longer, and a hand that was played out is closed."""
        if t_ms is not None:
            self._t_ms = max(self._t_ms, t_ms)
        return self._write(is_final=True)

    def command(self, event: Mapping[str, Any]) -> list[Event]:
        """Take what the people say: `correct` and `undo` of an event of this hand change the readings.

        Args:
            event: The command as it was appended to the record: `correct`, `undo`, `stand`, `forfeit`, `decide`.

        Returns:
            Events that follow from it, such as corrections of other plays.
        """
        self._writer.count_command()
        kind = event.get("type")
        line = int(event.get("event") or 0)
        if kind == "undo":
            number = self._writer.play_at(line)
            if number is not None:
                self._take_back(number)
        elif kind == "correct":
            number = self._writer.play_at(line)
            if number is not None:
                self._writer.take_over(number, event)
                self._correct_play(number, event)
            elif self._writer.is_deal(line) and event.get("table") is not None:
                self._tell_faces(self._best().reading.deal, event["table"])
                self._weigh_told()
        return self._write()

    # -- following ------------------------------------------------------------------------------------------------

    def _use_deck(self, cards: Iterable[SeenCard] | None) -> None:
        """Begin with the deck that the first cards are from; without cards with the game's own."""
        deck: tuple[str, ...] | None = None
        if cards is not None:
            mass = [
                sum(card.probabilities.get(code, 0.0) for card in cards for code in codes)
                for codes in (ITALIAN_CODES, FRENCH_40_CODES)
            ]
            if max(mass) > 0.5:
                deck = ITALIAN_CODES if mass[0] >= mass[1] else FRENCH_40_CODES
        self._knows_deck = deck is not None
        self._game = TableGame(self._match, deck)
        self._evidence = EvidenceBook(self._game.deck, self._settings.misread)
        self._scale = Scale(self._game, self._evidence, self._seating, self._settings)
        self._explainer = Explainer(self._game, self._evidence, self._seating, self._settings)
        self._names: dict[int, int] = {}
        self._gone_names: set[int] = set()
        self._next_name = _FIRST_RENUMBERED
        self._present: frozenset[int] = frozenset()
        self._begin_hand(Reading())

    def _begin_hand(self, reading: Reading) -> None:
        self._beam = [self._scale.weigh(reading)]
        self._confirmed = 0
        self._empty_since: int | None = None
        self._has_ended = False
        self._was_odd = False
        self._is_waiting = False

    def _number(self, look: TableLook) -> tuple[frozenset[int], tuple[int, ...]]:
        """Give a card that left and came again another number, so that a number stands for one stay on the table."""
        present: set[int] = set()
        passed: list[int] = []
        self._changed: set[int] = set()
        before = dict(self._names)
        for seen, is_passed in [(c, False) for c in look.cards] + [(c, True) for c in look.passed]:
            name = self._names.get(seen.track, seen.track)
            if name in self._gone_names:
                name = self._next_name
                self._next_name += 1
            self._names[seen.track] = name
            if self._evidence.see(SeenCard(name, seen.probabilities)):
                self._changed.add(name)
            if is_passed:
                passed.append(name)
                self._gone_names.add(name)
            else:
                present.add(name)
        self._gone_names |= self._present - present
        # A card that is gone was taken under the number that it had; one that was only seen in passing has one number.
        passing = {card.track for card in look.passed}
        names: dict[tuple[int, Moment], int] = {}
        for reach in look.reached:
            is_before = reach.moment == "taken" and reach.track not in passing
            known = before if is_before else self._names
            names[reach.track, reach.moment] = known.get(reach.track, reach.track)
        self._seating.see(look.reached, names)
        return frozenset(present), tuple(sorted(passed))

    def _advance(self, present: frozenset[int], passed: tuple[int, ...]) -> list[Event]:
        is_new = present != self._present or bool(passed)
        self._present = present
        if is_new:
            if any(each.fold is None or each.fold.version != self._evidence.version_of_all for each in self._beam):
                self._weigh_again()
            before = self._best()
            self._explain(present, passed)
            self._doubt_faces(set(present) | set(passed))
            if self._is_lost(before):
                self._warnings.append(TrackerWarning("lost-thread", {}, self._t_ms))
        elif self._changed:
            self._weigh_again()
        if self._changed:
            self._doubt_faces(self._changed)
        return self._next_hand() or self._write()

    def _is_lost(self, before: Weighed) -> bool:
        """Tell whether the newest look was not understood.

        What is only somewhat odd, such as a box of nothing, is mostly explained by the next look: it counts if that one
        is odd as well, or leaves cards missing.
        """
        limit = self._settings.lost_thread
        odds = self._best().score - before.score
        was_odd, self._was_odd = self._was_odd, odds < limit
        return odds < _LOST_AT_ONCE * limit or (was_odd and (odds < limit or bool(self._best().reading.lost)))

    def _explain(self, present: frozenset[int], passed: tuple[int, ...]) -> None:
        """Replace the readings by those that explain the newest look too."""
        found: dict[tuple[object, ...], Weighed] = {}
        best = IMPOSSIBLE
        for weighed in self._beam:
            before = weighed.reading
            for reading in self._explainer.explain(before, present, passed, self._t_ms):
                # What happened costs at least this; only a change of what was before can win some of it back.
                at_most = weighed.score + reading.cost - before.cost
                at_most += _GROWN_GAIN if reading.grows_from(before) else self._settings.win_back
                if at_most < best - self._settings.depth:
                    continue
                key = reading.key()
                if key in found:
                    continue
                found[key] = self._scale.weigh(reading, weighed)
                best = max(best, found[key].score)
        self._choose(list(found.values()))

    def _weigh_again(self) -> None:
        self._keep([weighed.reading for weighed in self._beam])

    def _keep(self, readings: Iterable[Reading]) -> None:
        self._choose([self._scale.weigh(reading) for reading in readings])

    def _choose(self, weighed: list[Weighed]) -> None:
        weighed = [
            each for each in weighed if each.score > IMPOSSIBLE and len(each.reading.plays) >= self._confirmed
        ]
        # Stable, so equal ones stay in the order in which they were found.
        weighed.sort(key=lambda each: -each.score)
        if not weighed:
            return
        least = weighed[0].score - self._settings.depth
        kept: list[Weighed] = []
        alike: dict[tuple[object, ...], int] = {}
        for each in weighed:
            if each.score < least or len(kept) == self._settings.width:
                break
            situation = each.reading.situation()
            alike[situation] = alike.get(situation, 0) + 1
            if alike[situation] <= self._settings.alike:
                kept.append(each)
        self._beam = kept

    def _doubt_faces(self, tracks: set[int]) -> None:
        """Try other faces for cards whose evidence changed, and for those by which the newest plays break the rules."""
        settings = self._settings
        known = {each.reading.key() for each in self._beam}
        found: dict[tuple[object, ...], Reading] = {}
        for weighed in self._beam[:8]:
            reading = weighed.reading
            doubted = set(tracks)
            for number in range(max(0, len(reading.plays) - 2), len(reading.plays)):
                if weighed.illegal[number]:
                    play = reading.plays[number]
                    doubted |= {play.card, *play.takes, *reading.table}
            holders = {held: other for other, held in reading.faces}
            for track, face in reading.faces:
                if doubted.isdisjoint(reading.members(track)):
                    continue
                for other_face in self._evidence.rivals(track, settings.branch):
                    if other_face == face:
                        continue
                    changed = reading.with_face(track, other_face)
                    holder = holders.get(other_face)
                    if holder is not None:
                        for second in (face, *self._explainer.faces(changed, holder)[:1]):
                            swapped = changed.with_face(holder, second)
                            found.setdefault(swapped.key(), swapped)
                    else:
                        found.setdefault(changed.key(), changed)
        more = [self._scale.weigh(reading) for key, reading in found.items() if key not in known]
        if more:
            self._choose([*self._beam, *more])

    def _next_hand(self) -> list[Event]:
        """Close the hand when the next one's opening table lies there, and begin that one."""
        reading = self._best().reading
        dealt = reading.next_deal
        if not dealt or len(dealt) < max(1, self._game.opening):
            return []
        is_void = not reading.plays and self._game.opening > 0
        events = self._write(is_final=True)
        if not is_void and not self._has_ended:
            events += self._close(reading)
        self._writer.start_hand()
        if not is_void:
            self._dealer = (self._dealer + 1) % self._game.seats
        self._seating.begin_hand(self._dealer, reading.deal, reading.plays)
        self._begin_hand(Reading())
        self._present = frozenset()
        opening = frozenset(dealt)
        return events + self._advance(opening, ())

    def _close(self, reading: Reading) -> list[Event]:
        missing = self._game.plays - len(reading.plays)
        if missing > 0:
            self._warnings.append(TrackerWarning("missing-plays", {"plays": missing}, self._t_ms))
        self._has_ended = True
        return self._writer.write_end(self._t_ms)

    # -- writing --------------------------------------------------------------------------------------------------

    def _best(self) -> Weighed:
        return self._beam[0]

    def _write(self, is_final: bool = False) -> list[Event]:
        if self._has_ended:
            return []
        best = self._shown()
        reading = best.reading
        deck = self._game.deck
        events: list[Event] = []
        if self._game.opening == 0:
            if reading.plays:
                events += self._writer.write_deal((), self._t_ms, 1.0)
        elif len(reading.deal) < self._game.opening and not reading.plays:
            return []
        else:
            held = dict(reading.faces)
            table = [deck[held[track]] for track in reading.deal]
            events += self._writer.write_deal(table, self._t_ms, self._agreement(reading))
        wanted = self._wanted(best, is_final)
        events += self._writer.write_plays(wanted)
        self._is_waiting = self._writer.plays < len(wanted) or len(reading.plays) >= self._game.plays
        is_over = len(reading.plays) >= self._game.plays and self._writer.plays >= len(wanted)
        if is_over:
            if self._present - reading.ghosts - frozenset(reading.next_deal):
                self._empty_since = None
            elif self._empty_since is None:
                self._empty_since = self._t_ms
            waited = (
                self._empty_since is not None and self._t_ms - self._empty_since >= self._settings.end_wait_ms
            )
            if is_final or waited:
                events += self._close(reading)
        return events

    def _shown(self) -> Weighed:
        """Give the likeliest reading of the likeliest course of play; of nearly equal ones that which changes least.

        A card that takes is weighed over all faces that it may have, one that lies there is given one: only over all
        its faces together is a course compared fairly with another.
        """
        top = self._best().score
        courses: dict[tuple[tuple[int, tuple[int, ...]], ...], float] = {}
        likeliest: dict[tuple[tuple[int, tuple[int, ...]], ...], Weighed] = {}
        for weighed in self._beam:
            course = tuple([(play.card, play.takes) for play in weighed.reading.plays])
            courses[course] = courses.get(course, 0.0) + math.exp(weighed.score - top)
            likeliest.setdefault(course, weighed)
        best = max(courses, key=courses.__getitem__)
        written = self._writer.cores()
        for course, weighed in likeliest.items():
            if courses[course] < _NEARLY_EQUAL * courses[best]:
                continue
            plays = self._plain(weighed)
            if len(plays) >= len(written) and [core for core, _ in plays[: len(written)]] == written:
                return weighed
        return likeliest[best]

    def _plain(self, weighed: Weighed) -> list[tuple[Core, float]]:
        """Give player, card and takes of each play, and the card's share within the reading."""
        reading = weighed.reading
        deck = self._game.deck
        held = dict(reading.faces)
        plays: list[tuple[Core, float]] = []
        for number, play in enumerate(reading.plays):
            takes = tuple(sorted(deck[held[track]] for track in play.takes))
            shares = weighed.captors[number]
            if shares is None:
                card: str | None = deck[held[play.card]]
                share = 1.0
            else:
                face, share = shares[0]
                card = deck[face] if share >= self._settings.unsure else None
            plays.append(((self._seating.seat(number), card, takes), share))
        return plays

    def _wanted(self, best: Weighed, is_final: bool) -> list[WantedPlay]:
        chances = chances_of(best, self._beam, self._game.deck, self._seating.seat)
        wanted = []
        for number, (core, _) in enumerate(self._plain(best)):
            play = best.reading.plays[number]
            player, card, takes = core
            # Of a card that can be any of many there is nothing to choose from.
            least = _CANDIDATE_FLOOR if card is not None else _GUESS_FLOOR
            ranked = [
                (outcome, p) for outcome, p in chances[number].ranked()[:_MOST_CANDIDATES] if p >= least
            ]
            # Where only who played is in doubt there is nothing to choose.
            is_choice = [outcome for outcome, _ in ranked] != [(card, takes)]
            candidates = tuple(
                {"card": code, "takes": list(taken), "probability": round(p, 4)}
                for (code, taken), p in (ranked if is_choice else ())
            )
            is_newest = number == len(best.reading.plays) - 1
            is_fresh = self._t_ms - play.t_ms < self._settings.hold_illegal_ms
            is_held = (
                is_newest
                and not is_final
                and is_fresh
                and best.illegal[number]
                and self._may_still_take(best.reading, card, takes)
            )
            confidence = chances[number].of(card, takes)
            wanted.append(WantedPlay(player, card, takes, play.t_ms, confidence, candidates, is_held))
        return wanted

    def _may_still_take(self, reading: Reading, card: str | None, takes: tuple[str, ...]) -> bool:
        """Tell whether the newest play would be legal if more of what lies there turned out to be taken."""
        if card is None:
            return True
        held = dict(reading.faces)
        lying = {self._game.deck[held[track]] for track in reading.table if track != reading.plays[-1].card}
        taken = frozenset(takes)
        return any(taken < legal for legal in self._game.captures(card, taken | lying))

    def _agreement(self, reading: Reading) -> float:
        """Give the share of the readings that agree with this one's opening table."""
        weights = [math.exp(each.score - self._best().score) for each in self._beam]
        held = dict(reading.faces)
        opening = {held[track] for track in reading.deal}
        agree = 0.0
        for weighed, weight in zip(self._beam, weights, strict=True):
            faces = dict(weighed.reading.faces)
            if {faces[track] for track in weighed.reading.deal} == opening:
                agree += weight
        return agree / sum(weights)

    # -- what the people say --------------------------------------------------------------------------------------

    def _take_back(self, number: int) -> None:
        """Remove a play: what it took lies on the table again, and the card goes back to the hand."""
        changed = []
        for weighed in self._beam:
            reading = weighed.reading
            if number >= len(reading.plays):
                changed.append(reading)
                continue
            play = reading.plays[number]
            plays = reading.plays[:number] + reading.plays[number + 1 :]
            reading = replace(reading.with_face(play.card, None), plays=plays)
            changed.append(self._relaid(reading))
        self._writer.drop(number)
        self._confirmed = min(self._confirmed, number)
        self._keep(changed)

    def _correct_play(self, number: int, event: Mapping[str, Any]) -> None:
        if event.get("player") is not None:
            self._seating.tell_player(number, int(event["player"]))
        reading = self._best().reading
        if number >= len(reading.plays):
            return
        play = reading.plays[number]
        code = event.get("card")
        if code is not None and code in self._evidence.index:
            self._evidence.tell(play.card, code)
        if event.get("takes") is not None:
            self._correct_takes(number, [str(taken) for taken in event["takes"]])
        self._weigh_told()
        self._confirm(number)

    def _confirm(self, number: int) -> None:
        """Give up the readings in which a play that the people spoke of did not happen so."""
        self._confirmed = max(self._confirmed, number + 1)
        shape = [(play.card, play.takes) for play in self._best().reading.plays[: number + 1]]
        self._beam = [
            each
            for each in self._beam
            if [(play.card, play.takes) for play in each.reading.plays[: number + 1]] == shape
        ]

    def _correct_takes(self, number: int, codes: list[str]) -> None:
        reading = self._best().reading
        play = reading.plays[number]
        if play.takes and len(play.takes) == len(codes):
            self._tell_faces(play.takes, codes)
            return
        held = dict(reading.faces)
        deck = self._game.deck
        lying = list(reading.deal)
        for earlier in reading.plays[:number]:
            lying = [track for track in lying if track not in earlier.takes]
            if not earlier.takes and not earlier.is_missed:
                lying.append(earlier.card)
        by_code = {deck[held[track]]: track for track in lying if track in held}
        takes = tuple(sorted(by_code[code] for code in codes if code in by_code))
        card = play.card
        changed = replace(
            reading.with_face(card, None if takes else self._face_told(card)),
            plays=(*reading.plays[:number], Play(card, takes, play.t_ms), *reading.plays[number + 1 :]),
        )
        self._beam = [self._scale.weigh(self._relaid(changed))]

    def _face_told(self, track: int) -> int:
        likely = self._evidence.of(track)
        return max(range(len(likely)), key=likely.__getitem__)

    def _tell_faces(self, tracks: Iterable[int], codes: Iterable[str]) -> None:
        """Give cards the faces that the people named, keeping those that were right."""
        held = dict(self._best().reading.faces)
        named = [code for code in codes if code in self._evidence.index]
        open_tracks = []
        for track in tracks:
            code = self._game.deck[held[track]]
            if code in named:
                named.remove(code)
                self._evidence.tell(track, code)
            else:
                open_tracks.append(track)
        while open_tracks and named:
            track, code = max(
                ((t, c) for t in open_tracks for c in named),
                key=lambda pair: self._evidence.of(pair[0])[self._evidence.index[pair[1]]],
            )
            self._evidence.tell(track, code)
            open_tracks.remove(track)
            named.remove(code)

    def _weigh_told(self) -> None:
        """Let every reading have the faces that the people named."""
        readings = []
        for weighed in self._beam:
            reading = weighed.reading
            for track, face in reading.faces:
                told = self._evidence.told(track)
                if told is not None and told != face:
                    reading = self._with_told(reading, track, told)
            readings.append(reading)
        self._keep(readings)

    def _with_told(self, reading: Reading, track: int, face: int) -> Reading:
        for other, held in reading.faces:
            if held == face and other != track:
                reading = reading.with_face(other, None).with_face(track, face)
                faces = self._explainer.faces(reading, other)
                return reading.with_face(other, faces[0]) if faces else reading
        return reading.with_face(track, face)

    def _relaid(self, reading: Reading) -> Reading:
        """Fold the plays anew and square the table with what lies there."""
        canonical = reading.canonical()
        seen = frozenset(canonical.get(track, track) for track in self._present)
        lying = list(reading.deal)
        captors: set[int] = set()
        plays = []
        for play in reading.plays:
            takes = tuple(track for track in play.takes if track in lying)
            lying = [track for track in lying if track not in takes]
            if takes:
                captors.add(play.card)
            elif not play.is_missed:
                lying.append(play.card)
            plays.append(Play(play.card, takes, play.t_ms))
        table = frozenset(lying)
        for track in lying:
            if reading.face_of(track) is None:
                faces = self._explainer.faces(reading, track)
                reading = reading.with_face(track, faces[0] if faces else None)
        return replace(
            reading,
            plays=tuple(plays),
            table=tuple(lying),
            lost=table - seen,
            waiting=frozenset(captors) & seen,
            ghosts=seen - table - captors,
        )
