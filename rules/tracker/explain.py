"""Search for what may have happened between two looks. Owns no weights beyond the cost of each happening."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rules.tracker.evidence import EvidenceBook
from rules.tracker.reading import Play, Reading
from rules.tracker.seating import Seating
from rules.tracker.settings import TrackerSettings
from rules.tracker.table_game import TableGame

_MOST_ENDINGS = 240
_MOST_FACES = 4
_PLAUSIBLE_FACE = 0.02
# A card that is seen late belongs to one of the last so many plays that were missed.
_MOST_LATE = 2
# How well the readings of two sights must agree for them to be one card.
_SAME_CARD = 0.2


@dataclass(frozen=True, slots=True)
class _Draft:
    """Hold a reading on its way to explain a look."""

    reading: Reading
    new: tuple[int, ...]
    gone: frozenset[int]
    passed: tuple[int, ...]
    plays: int = 0
    newest: int = -1


class Explainer:
    """Find the readings that lead from one reading to what lies on the table now."""

    def __init__(
        self, game: TableGame, evidence: EvidenceBook, seating: Seating, settings: TrackerSettings
    ) -> None:
        """Join what is needed to search."""
        self._game = game
        self._evidence = evidence
        self._seating = seating
        self._settings = settings

    def explain(
        self, reading: Reading, present: frozenset[int], passed: tuple[int, ...], t_ms: int
    ) -> list[Reading]:
        """Find readings of what happened since the last look.

        Args:
            reading: A reading of everything before.
            present: Tracks lying on the table now.
            passed: Tracks seen since and gone again.
            t_ms: Media time of this look.

        Returns:
            Readings whose table is what lies there, each once; never empty. If nothing changed, the reading itself.
        """
        canonical = reading.canonical()
        seen = frozenset(canonical.get(track, track) for track in present)
        still_lost = reading.lost - seen
        reading = replace(
            reading,
            lost=still_lost,
            waiting=reading.waiting & seen,
            ghosts=reading.ghosts & seen,
        )
        table = frozenset(reading.table)
        known = table | reading.ghosts | reading.waiting | frozenset(reading.next_deal)
        new = tuple(sorted(seen - known))
        gone = table - seen - reading.lost
        # Cards of the next hand's opening table may be laid and straightened before all four lie there.
        if any(track not in seen for track in reading.next_deal):
            reading = replace(reading, next_deal=tuple(t for t in reading.next_deal if t in seen))
        if not new and not gone and not passed:
            return [reading]
        odd = self._settings.log_waiting * len(reading.waiting) + self._settings.log_still_lost * len(still_lost)
        if odd:
            reading = replace(reading, cost=reading.cost + odd)
        found: dict[tuple[object, ...], Reading] = {}
        for start in self._starts(reading, seen, new, gone, passed, t_ms):
            self._walk(start, t_ms, found)
        return list(found.values())

    # -- what may change in the last plays ------------------------------------------------------------------------

    def _starts(
        self,
        reading: Reading,
        seen: frozenset[int],
        new: tuple[int, ...],
        gone: frozenset[int],
        passed: tuple[int, ...],
        t_ms: int,
    ) -> Iterator[_Draft]:
        yield _Draft(reading, new, gone, passed)
        if not self._is_dealt(reading):
            return
        single, seen_twice = self._without_doubles(reading, gone)
        if seen_twice:
            yield _Draft(single, new, gone - seen_twice, passed)
        if self._may_end_early(reading, new, gone):
            left = self._game.plays - len(reading.plays)
            is_void = not reading.plays and self._game.is_void(self._codes(reading))
            missed = min(left, 2 * self._settings.most_missing)
            cost = 0.0 if is_void else self._settings.log_early_end + self._settings.log_missing_play * missed
            ended = replace(
                reading,
                table=(),
                lost=frozenset(),
                missing_plays=left,
                cost=reading.cost + cost,
            )
            yield _Draft(ended, new, frozenset(), passed)
        if not gone or not reading.plays or reading.missing_plays is not None:
            return
        last = reading.plays[-1]
        if not last.takes and last.card in gone:
            back = replace(
                reading.with_face(last.card, None),
                plays=reading.plays[:-1],
                table=tuple(track for track in reading.table if track != last.card),
                cost=reading.cost + self._settings.log_take_back,
            )
            yield _Draft(back, new, gone - {last.card}, passed)
        yield from self._grown(reading, len(reading.plays) - 1, seen, new, gone, passed, t_ms, 0.0)
        if len(reading.plays) >= 2 and not last.takes:
            # Somebody laid a card in haste before the player before had gathered what his card takes, or before all of
            # it was seen to be gone.
            late = self._settings.log_out_of_order
            yield from self._grown(reading, len(reading.plays) - 2, seen, new, gone, passed, t_ms, late)

    def _without_doubles(self, reading: Reading, gone: frozenset[int]) -> tuple[Reading, frozenset[int]]:
        """Let cards that are gone lie there under the numbers of what was held to be nothing but shows their faces."""
        seen_twice: set[int] = set()
        for track in sorted(gone):
            face = reading.face_of(track)
            for ghost in sorted(reading.ghosts):
                if face is not None and _peak(self._evidence.of(ghost)) == face:
                    reading = reading.under(track, ghost, self._settings.log_double_left)
                    seen_twice.add(track)
                    break
        return reading, frozenset(seen_twice)

    def _grown(
        self,
        reading: Reading,
        number: int,
        seen: frozenset[int],
        new: tuple[int, ...],
        gone: frozenset[int],
        passed: tuple[int, ...],
        t_ms: int,
        cost: float,
    ) -> Iterator[_Draft]:
        """Turn a card laid into one that takes, or let a capture take more."""
        play = reading.plays[number]
        is_laid = not play.takes
        pool = gone - {play.card}
        later = frozenset(other.card for other in reading.plays[number + 1 :])
        may_be_lost = bool(reading.lost - later) and play.card in gone
        if not (pool or may_be_lost) or (is_laid and play.card not in gone and play.card not in seen):
            return
        pool -= later
        table = {track: code for track, code in self._lying(reading).items() if track not in later}
        table.pop(play.card, None)
        for track in play.takes:
            table[track] = self._game.deck[reading.face_of(track) or 0]
        taken_before = frozenset(play.takes)
        likely = self._evidence.together(reading.members(play.card))
        late_ms = t_ms - play.t_ms - self._settings.late_capture_ms
        cost += self._settings.log_late_capture * max(0.0, min(late_ms, 20_000) / 1000)
        # Its own face is no longer one that others hold.
        open_faced = reading.with_face(play.card, None)
        for takes in self._take_options(table, likely, pool | taken_before, open_faced, may_be_lost=may_be_lost):
            if not takes > taken_before:
                continue
            grown = Play(play.card, tuple(sorted(takes)), play.t_ms)
            left = takes | {play.card}
            rest = tuple(track for track in reading.table if track not in left)
            staying = {play.card} & seen
            changed = replace(
                open_faced,
                plays=(*reading.plays[:number], grown, *reading.plays[number + 1 :]),
                table=rest,
                lost=reading.lost - left,
                # A card that has swept the table may stay in sight as the marker of it.
                waiting=reading.waiting | staying if rest else reading.waiting,
                ghosts=reading.ghosts if rest else reading.ghosts | staying,
                cost=reading.cost + cost + self._lost_cost(reading, takes),
            )
            yield _Draft(changed, new, gone - left, passed)

    def _may_end_early(self, reading: Reading, new: tuple[int, ...], gone: frozenset[int]) -> bool:
        if self._is_over(reading) or not new:
            return False
        left = self._game.plays - len(reading.plays)
        if left > self._settings.most_missing and len(new) < self._game.opening:
            return False
        return not frozenset(reading.table) - gone - reading.lost

    # -- what may have happened, happening by happening ----------------------------------------------------------

    def _walk(self, draft: _Draft, t_ms: int, found: dict[tuple[object, ...], Reading]) -> None:
        pending = [draft]
        while pending:
            if len(found) >= _MOST_ENDINGS:
                return
            draft = pending.pop(0)
            if not draft.new:
                ending = self._finish(draft)
                found.setdefault(ending.key(), ending)
            else:
                pending.extend(self._place_new(draft, t_ms))
            reading = draft.reading
            if not self._is_dealt(reading) or self._is_over(reading) or not self._may_play_on(draft):
                continue
            if draft.gone or (draft.passed and reading.lost):
                pending.extend(self._captures(draft, t_ms))
            if draft.passed and (draft.gone or len(draft.passed) >= 2):
                pending.extend(self._passing_lays(draft, t_ms))
            if draft.passed:
                pending.extend(self._lost_lays(draft, t_ms))

    def _place_new(self, draft: _Draft, t_ms: int) -> Iterator[_Draft]:
        reading, track = draft.reading, draft.new[0]
        rest = draft.new[1:]
        settings = self._settings
        if not self._is_dealt(reading):
            for dealt in self._with_card(reading, track):
                yield replace(draft, reading=replace(dealt, deal=(*dealt.deal, track)), new=rest)
        elif self._is_over(reading):
            if len(reading.next_deal) < max(1, self._game.opening):
                on = replace(reading, next_deal=(*reading.next_deal, track))
                yield replace(draft, reading=on, new=rest)
        elif self._may_play_on(draft):
            cost = self._play_cost(draft, track)
            for turn in self._turns(reading, track, (), t_ms):
                for laid in self._with_card(turn, track):
                    played = replace(laid, plays=(*laid.plays, Play(track, (), t_ms)), cost=laid.cost + cost)
                    yield replace(
                        draft, reading=played, new=rest, plays=draft.plays + 1, newest=max(draft.newest, track)
                    )
            for late in self._seen_late(reading, track):
                # Cards are placed in the order in which they were seen: one placed before it was played after it.
                odd = settings.log_out_of_order if draft.newest >= 0 else 0.0
                late = replace(late, cost=late.cost + odd)
                yield replace(draft, reading=late, new=rest, newest=max(draft.newest, track))
            if draft.gone:
                yield from self._waiting_captures(draft, t_ms)
        likely = self._evidence.of(track)
        for other in sorted(draft.gone | reading.lost):
            face = reading.face_of(other)
            if face is not None and likely[face] >= _PLAUSIBLE_FACE:
                cost = settings.log_found if other in reading.lost else settings.log_renumbered
                same = reading.under(other, track, cost)
                yield replace(draft, reading=same, new=rest, gone=draft.gone - {other})
        marker = self._as_marker(reading, track)
        if marker is not None:
            yield replace(draft, reading=marker, new=rest)
        if _peak(likely) in {face for other, face in reading.faces if other in reading.table}:
            odd = settings.log_double
        else:
            # Somebody was seen to lay it: then it is hardly nothing.
            is_laid = self._seating.was_reached(track, "laid")
            odd = settings.log_ghost + (settings.log_ghost_laid if is_laid else 0.0)
        ghost = replace(reading, ghosts=reading.ghosts | {track}, cost=reading.cost + odd)
        yield replace(draft, reading=ghost, new=rest)

    def _as_marker(self, reading: Reading, track: int) -> Reading | None:
        """Take a new card for the one that has just swept the table, put face up on a pile to mark the sweep."""
        if reading.table or not reading.plays or not reading.plays[-1].takes:
            return None
        if reading.next_deal or reading.missing_plays is not None:  # what comes now belongs to the next hand
            return None
        last = reading.plays[-1]
        cost = reading.cost + self._settings.log_marker
        if last.card < 0:
            return replace(
                reading,
                plays=(*reading.plays[:-1], last._replace(card=track)),
                ghosts=reading.ghosts | {track},
                cost=cost,
            )
        held = self._evidence.together(reading.members(last.card))
        if sum(p * q for p, q in zip(held, self._evidence.of(track), strict=True)) < _SAME_CARD:
            return None
        shown = reading.under(last.card, track, self._settings.log_marker)
        return replace(shown, ghosts=shown.ghosts | {last.card})

    def _captures(self, draft: _Draft, t_ms: int) -> Iterator[_Draft]:
        reading = draft.reading
        lying = self._lying(reading)
        for card in (*draft.passed, self._never_seen(reading)):
            likely = self._evidence.of(card)
            cost = self._play_cost(draft, card)
            for takes in self._take_options(lying, likely, draft.gone, reading, may_be_lost=card >= 0):
                taken = tuple(sorted(takes))
                for turn in self._turns(reading, card, taken, t_ms):
                    captor = card if card >= 0 else self._never_seen(turn)
                    played = replace(
                        turn,
                        plays=(*turn.plays, Play(captor, taken, t_ms)),
                        table=tuple(track for track in turn.table if track not in takes),
                        lost=turn.lost - takes,
                        cost=turn.cost + cost + self._lost_cost(turn, takes),
                    )
                    yield replace(
                        draft,
                        reading=played,
                        gone=draft.gone - takes,
                        passed=tuple(other for other in draft.passed if other != card),
                        plays=draft.plays + 1,
                        newest=max(draft.newest, card),
                    )

    def _waiting_captures(self, draft: _Draft, t_ms: int) -> Iterator[_Draft]:
        """Take with a card that still lies there while what it takes has left."""
        reading, card = draft.reading, draft.new[0]
        lying = self._lying(reading)
        cost = self._play_cost(draft, card) + self._settings.log_waiting
        for takes in self._take_options(lying, self._evidence.of(card), draft.gone, reading):
            left = tuple(track for track in reading.table if track not in takes)
            taken = tuple(sorted(takes))
            for turn in self._turns(reading, card, taken, t_ms):
                played = replace(
                    turn,
                    plays=(*turn.plays, Play(card, taken, t_ms)),
                    table=left,
                    lost=turn.lost - takes,
                    waiting=turn.waiting | {card} if left else turn.waiting,
                    ghosts=turn.ghosts if left else turn.ghosts | {card},
                    cost=turn.cost + cost + self._lost_cost(turn, takes),
                )
                yield replace(
                    draft,
                    reading=played,
                    new=draft.new[1:],
                    gone=draft.gone - takes,
                    plays=draft.plays + 1,
                    newest=max(draft.newest, card),
                )

    def _passing_lays(self, draft: _Draft, t_ms: int) -> Iterator[_Draft]:
        """Lay a card that was captured again before the table came to rest."""
        if len(draft.reading.plays) + 2 > self._game.plays:
            return
        for card in draft.passed:
            cost = self._play_cost(draft, card)
            for turn in self._turns(draft.reading, card, (), t_ms):
                for laid in self._with_card(turn, card):
                    played = replace(laid, plays=(*laid.plays, Play(card, (), t_ms)), cost=laid.cost + cost)
                    yield replace(
                        draft,
                        reading=played,
                        gone=draft.gone | {card},
                        passed=tuple(other for other in draft.passed if other != card),
                        plays=draft.plays + 1,
                        newest=max(draft.newest, card),
                    )

    def _lost_lays(self, draft: _Draft, t_ms: int) -> Iterator[_Draft]:
        """Lay a card that was seen for a moment and lies there since without being seen."""
        for card in draft.passed:
            cost = self._play_cost(draft, card) + self._settings.log_laid_lost
            for turn in self._turns(draft.reading, card, (), t_ms):
                for laid in self._with_card(turn, card):
                    played = replace(
                        laid,
                        plays=(*laid.plays, Play(card, (), t_ms)),
                        lost=laid.lost | {card},
                        cost=laid.cost + cost,
                    )
                    yield replace(
                        draft,
                        reading=played,
                        passed=tuple(other for other in draft.passed if other != card),
                        plays=draft.plays + 1,
                        newest=max(draft.newest, card),
                    )

    def _finish(self, draft: _Draft) -> Reading:
        reading = draft.reading
        settings = self._settings
        cost = 0.0
        if draft.gone:
            if not self._is_dealt(reading):
                # A card of the deal that was taken up again is no part of the opening table.
                cost += settings.log_take_back * len(draft.gone)
                for track in draft.gone:
                    reading = reading.with_face(track, None)
                reading = replace(
                    reading,
                    deal=tuple(track for track in reading.deal if track not in draft.gone),
                    table=tuple(track for track in reading.table if track not in draft.gone),
                )
            elif self._is_over(reading):
                # What is left at the end goes to whoever captured last.
                reading = replace(reading, table=tuple(t for t in reading.table if t not in draft.gone))
            else:
                cost += settings.log_lost * len(draft.gone)
                reading = replace(reading, lost=reading.lost | draft.gone)
        if draft.passed:
            near = {face for _, face in reading.faces}
            for play in reading.plays[-2:]:
                if play.takes:
                    near.add(_peak(self._evidence.together(reading.members(play.card))))
            for track in draft.passed:
                again = _peak(self._evidence.of(track)) in near
                cost += settings.log_passed_again if again else settings.log_passed_over
        return replace(reading, cost=reading.cost + cost)

    # -- plays that nobody saw ------------------------------------------------------------------------------------

    def _turns(self, reading: Reading, card: int, takes: tuple[int, ...], t_ms: int) -> Iterator[Reading]:
        """Let a play follow: as it comes, and after plays that were missed if another one's arm was seen to play."""
        yield reading
        missed = self._seating.missed(reading.deal, reading.plays, card, takes)
        if not missed or len(reading.plays) + missed >= self._game.plays:
            return
        for _ in range(missed):
            unseen = Play(self._never_seen(reading), (), t_ms)
            cost = reading.cost + self._settings.log_missed
            reading = replace(reading, plays=(*reading.plays, unseen), cost=cost)
        yield reading

    def _seen_late(self, reading: Reading, track: int) -> Iterator[Reading]:
        """Take a card that is seen for the first time for that of a play that was missed."""
        numbers = [number for number, play in enumerate(reading.plays) if play.is_missed]
        for number in numbers[-_MOST_LATE:]:
            play = reading.plays[number]._replace(card=track)
            shown = replace(
                reading,
                plays=(*reading.plays[:number], play, *reading.plays[number + 1 :]),
                cost=reading.cost + self._settings.log_seen_late,
            )
            yield from self._with_card(shown, track)

    # -- pieces ---------------------------------------------------------------------------------------------------

    def faces(self, reading: Reading, track: int) -> list[int]:
        """List the faces worth following for a card, the likeliest first, without those held by other cards."""
        held = {face for other, face in reading.faces if other != track}
        likely = self._evidence.together(reading.members(track))
        free = sorted((i for i in range(len(likely)) if i not in held), key=lambda i: (-likely[i], i))
        if not free:
            return []
        least = likely[free[0]] * self._settings.branch
        return [i for i in free[:_MOST_FACES] if likely[i] >= least]

    def _with_card(self, reading: Reading, track: int) -> Iterator[Reading]:
        """Put a new card on the table, once for each face that it may have."""
        on = replace(reading, table=(*reading.table, track))
        for face in self.faces(reading, track):
            yield on.with_face(track, face)
        # A face that an earlier card is held to have: perhaps the earlier one was misread.
        best = _peak(self._evidence.of(track))
        for other, face in reading.faces:
            if face == best and other != track:
                for second in self.faces(reading, other):
                    if second != best:
                        yield on.with_face(other, second).with_face(track, best)
                        break

    def _take_options(
        self,
        lying: dict[int, str],
        likely: tuple[float, ...],
        gone: frozenset[int],
        reading: Reading,
        *,
        may_be_lost: bool = False,
    ) -> list[frozenset[int]]:
        """List sets of tracks that a card may have taken: what is legal for it, and everything that is gone.

        What is legal may include cards that lay there unseen if `may_be_lost`.
        """
        pool = frozenset(track for track in gone if track in lying)
        unseen = frozenset(track for track in reading.lost if track in lying) if may_be_lost else frozenset()
        if not pool and not unseen:
            return []
        tracks = {code: track for track, code in lying.items()}
        codes = frozenset(tracks)
        held = {face for _, face in reading.faces}
        options = {pool} if pool else set()
        tried: set[int] = set()
        for index, code in enumerate(self._game.deck):
            value = self._game.value[code]
            if likely[index] < _PLAUSIBLE_FACE or index in held or value in tried or code in codes:
                continue
            tried.add(value)
            for legal in self._game.captures(code, codes):
                takes = frozenset(tracks[other] for other in legal)
                if takes <= pool | unseen:
                    options.add(takes)
        return sorted(options, key=lambda takes: (-len(takes), sorted(takes)))

    def _lost_cost(self, reading: Reading, takes: frozenset[int]) -> float:
        return self._settings.log_lost_taken * len(takes & reading.lost)

    def _lying(self, reading: Reading) -> dict[int, str]:
        held = dict(reading.faces)
        return {track: self._game.deck[held[track]] for track in reading.table}

    def _codes(self, reading: Reading) -> frozenset[str]:
        return frozenset(self._lying(reading).values())

    def _play_cost(self, draft: _Draft, card: int) -> float:
        cost = self._settings.log_extra_play if draft.plays else 0.0
        if 0 <= card < draft.newest:
            cost += self._settings.log_out_of_order
        return cost

    def _may_play_on(self, draft: _Draft) -> bool:
        most = len(draft.new) + min(len(draft.passed), 2) + 2
        return draft.plays < most and len(draft.reading.plays) < self._game.plays

    def _is_dealt(self, reading: Reading) -> bool:
        return bool(reading.plays) or len(reading.deal) >= self._game.opening

    def _is_over(self, reading: Reading) -> bool:
        return reading.missing_plays is not None or len(reading.plays) >= self._game.plays

    @staticmethod
    def _never_seen(reading: Reading) -> int:
        """Give the number that stands for the card of the reading's next play, which nobody saw."""
        used = {play.card for play in reading.plays}
        number = -1 - len(reading.plays)
        while number in used:
            number -= 1
        return number


def _peak(likely: tuple[float, ...]) -> int:
    return max(range(len(likely)), key=likely.__getitem__)
