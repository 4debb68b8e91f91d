"""Slaps while the game is on: keeps the last half minute, settles disputes as they happen, and keeps what decided them.

Every frame of the camera goes into the replay, whatever the rest of the program looks at. When hands have come down and
lie still, or somebody asks, the moment is looked at in a thread of its own; what follows goes on the record, and the
strip, the slow clip and the clip itself are kept beside the journal.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from arbitro.referee import Referee, Settled
from arbitro.slapstore import KeptSlap, last_number, slap_name, store, stored
from arbitro.strip import clip_span_ms, crop, verdict_line, write_from
from arbitro.table import LiveTable
from arbitro.topcard import find_tops, readings_wanted
from vision.camera import Frame
from vision.hands.sequence import sequence_of
from vision.replay import ReplayBuffer, ReplayError

BEFORE_MS, AFTER_MS = 1700.0, 800.0
"""What is looked at before and after the moment in which hands came to lie still."""
STILL_MS = 170.0
"""Nothing must move for so long until hands count as lying still."""
MOVING_SHARE = 0.012
"""Share of the picture that changes when a hand moves."""
SAME_MS = 400.0
"""Contacts nearer than this are those that were seen before."""
ASKED_BEFORE_MS = 4000.0
"""How far back a moment is looked at when somebody asks."""
KEPT = 12
OPEN_VERDICTS = ("too-close", "unclear")
"""Verdicts that leave a dispute to the people."""
_SMALL = (96, 54)
_PATIENCE_S = 4.0


class SlapRoom:
    """Watch for slaps beside a running session.

    Args:
        live: where the record is.
        make_referee: makes the referee, given the record so far.
        folder: where clips and strips go.
        tell: gets lines for people.
        patient: whether frames wait for the replay (films) or are left out when it is behind (cameras).
        goes_on: whether the session was begun before: then its disputes are taken from the folder.
    """

    def __init__(
        self,
        live: LiveTable,
        make_referee: Callable[[list[dict[str, Any]]], Referee],
        folder: Path,
        tell: Callable[[str], None],
        *,
        patient: bool = False,
        goes_on: bool = False,
    ) -> None:
        self._live, self._make, self._folder, self._tell = live, make_referee, folder, tell
        self.buffer = ReplayBuffer(patient=patient)
        self._wake = threading.Condition()
        self._due: list[tuple[float, float]] = []
        self._busy = False
        self._closing = False
        self._before: npt.NDArray[np.uint8] | None = None
        self._moved_ms: float | None = None
        self._now_ms = 0.0
        self._kept: list[KeptSlap] = stored(folder, KEPT) if goes_on else []
        self._last_number = last_number(folder)
        self._last_slap_ms = self._last_flip_ms = -1e9
        if goes_on:
            self._take_up()
        self._thread = threading.Thread(target=self._work, name="slaps", daemon=True)
        self._thread.start()

    def _take_up(self) -> None:
        """Find out which slaps and flips of before are on the record, so that none comes there twice."""
        touches = [touch["contact_ms"] for slap in self._kept for touch in slap.about.get("order", ())]
        self._last_slap_ms = max([self._last_slap_ms, *map(float, touches)])
        for event in self._live.events():
            if event["type"] == "flip":
                self._last_flip_ms = max(self._last_flip_ms, float(event.get("t_ms") or -1e9))

    # What the camera's thread calls

    def hear(self, frame: Frame) -> None:
        """Take a frame."""
        self.buffer.add(frame)
        self._now_ms = frame.t_ms
        grey = cv2.cvtColor(cv2.resize(frame.image, _SMALL, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        before, self._before = self._before, np.asarray(grey, np.uint8)
        if before is None:
            return
        if float((cv2.absdiff(grey, before) > 12).mean()) > MOVING_SHARE:
            self._moved_ms = frame.t_ms
        elif self._moved_ms is not None and frame.t_ms - self._moved_ms > STILL_MS:
            moment, self._moved_ms = self._moved_ms, None
            self._look_later(moment - BEFORE_MS, moment + AFTER_MS)

    # What the dashboard calls

    def ask(self) -> None:
        """Look at the last seconds because somebody disputes what happened."""
        self._look_later(self._now_ms - ASKED_BEFORE_MS, self._now_ms)

    def state(self, language: str = "en") -> dict[str, Any]:
        """Return the disputes, the newest first, and whether one is being looked at."""
        players = self._players()
        with self._wake:
            kept, busy = list(self._kept), self._busy or bool(self._due)
        return {
            "busy": busy,
            "players": players,
            "slaps": [
                {
                    **slap.about,
                    "number": slap.number,
                    "text": verdict_line(slap.about, players, language),
                    "frames": [round(t_ms, 1) for t_ms, _ in slap.frames],
                    "files": sorted(slap.files),
                    "open": slap.about["verdict"] in OPEN_VERDICTS,
                }
                for slap in reversed(kept)
            ],
        }

    def picture(self, number: int, frame: int) -> bytes | None:
        """Return a frame of a dispute as JPEG; None if there is no such."""
        slap = self._slap(number)
        return slap.frames[frame][1] if slap is not None and 0 <= frame < len(slap.frames) else None

    def file(self, number: int, name: str) -> Path | None:
        """Return the path of a dispute's file ("strip", "slow" or "clip"); None if there is no such."""
        slap = self._slap(number)
        return None if slap is None else slap.files.get(name)

    def decide(self, number: int, player: int) -> dict[str, Any]:
        """Put the people's decision of a dispute on the record.

        Raises `arbitro.table.CommandError` if it does not fit the record, `KeyError` if there is no such dispute.
        """
        slap = self._slap(number)
        if slap is None or slap.about.get("event") is None:
            raise KeyError(number)
        done = self._live.command({"type": "decide", "event": slap.about["event"], "player": player})
        slap.about["decided"] = player
        try:
            store(self._folder, slap, with_frames=False)
        except OSError as error:
            self._tell(f"that a slap was decided could not be kept beside it, only on the record: {error}")
        return done

    def close(self, timeout_s: float = 30.0) -> None:
        """Settle what is due and stop."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
        self._thread.join(timeout_s)
        self.buffer.close()

    def _slap(self, number: int) -> KeptSlap | None:
        with self._wake:
            return next((slap for slap in self._kept if slap.number == number), None)

    def _players(self) -> list[str]:
        return list(self._live.state()["session"]["players"])

    # The thread that looks

    def _look_later(self, from_ms: float, to_ms: float) -> None:
        with self._wake:
            if self._due and from_ms <= self._due[-1][1] and to_ms - self._due[-1][0] < 5000:
                # Moments that overlap are looked at together.
                self._due[-1] = (self._due[-1][0], to_ms)
            else:
                self._due.append((from_ms, to_ms))
            self._wake.notify_all()

    def _work(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._due or self._closing)
                if not self._due:
                    return
                self._busy = True
            due = self._next_due()
            try:
                self._look(*due)
            except ReplayError as error:
                self._tell(str(error))
            except Exception as error:  # one moment that cannot be looked at must not end the watching of the others
                self._tell(f"a slap could not be looked at ({error!r})")
            finally:
                with self._wake:
                    self._busy = False

    def _next_due(self) -> tuple[float, float]:
        """Wait until what is due has been filmed to its end; more that comes in the meantime is taken with it."""
        began = time.monotonic()
        while True:
            with self._wake:
                _, to_ms = self._due[0]
                over = self._closing or time.monotonic() - began > _PATIENCE_S
            if over or self.buffer.wait_until(to_ms, 0.1):
                with self._wake:
                    return self._due.pop(0)

    def _look(self, from_ms: float, to_ms: float) -> None:
        film = sequence_of(self.buffer.frames(from_ms, to_ms))
        if film is None:
            return
        record = [dict(event) for event in self._live.events()]
        referee = self._make(record)
        look = referee.look_at(film)
        tops = find_tops(look)
        wanted = readings_wanted(tops)
        images = {}
        times = {float(film.t_ms[frame]): frame for frame in wanted}
        for frame in self.buffer.frames(from_ms, to_ms):
            if frame.t_ms in times:
                images[times[frame.t_ms]] = frame.image
        tops = referee.tops_from(look, tops, images)
        flips = referee.new_flips(tops, since_ms=self._last_flip_ms + SAME_MS, begun=len(record) > 1)
        disputes = [dispute for dispute in look.disputes if dispute.t_ms > self._last_slap_ms + SAME_MS]
        if not disputes:
            self._write(flips)
            return
        for dispute in disputes:
            lying = [flip for flip in flips if (flip.get("t_ms") or 0.0) <= dispute.t_ms + 250]
            flips = [flip for flip in flips if flip not in lying]
            self._write(lying)
            before = [dict(event) for event in self._live.events()]
            settled = referee.settle(look, dispute, tops, before=before)
            self._last_slap_ms = max(hand.t_ms for hand in dispute.hands)
            self._keep(settled, self._write(for_record(settled, len(before))))
        self._write(flips)

    def _write(self, events: list[dict[str, Any]]) -> int | None:
        """Put events on the record; returns the number of the first."""
        if not events:
            return None
        for event in events:
            if event["type"] == "flip":
                self._last_flip_ms = max(self._last_flip_ms, float(event.get("t_ms") or 0.0))
        return self._live.add_events(events)

    def _keep(self, settled: Settled, event: int | None) -> None:
        first, last = clip_span_ms(settled)
        times = {float(t_ms): number for number, t_ms in enumerate(settled.look.sequence.t_ms)}
        crops = {
            times[frame.t_ms]: crop(settled, frame.image)
            for frame in self.buffer.frames(first, last)
            if frame.t_ms in times
        }
        number = self._last_number = self._last_number + 1
        name = slap_name(number, settled.document["t_ms"])
        files: dict[str, Path] = {}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            files["strip"], files["slow"] = write_from(settled, crops, self._folder, name, self._players())
            about = {"verdict": settled.document["verdict"]}
            clip = self.buffer.save(self._folder / f"{name}-clip.mp4", first - 1000, last, about)
            files["clip"] = clip.path
        except (OSError, ReplayError) as error:
            self._tell(f"the pictures of a slap could not be kept: {error}")
        about = {**settled.document, "event": event, "decided": None}
        about.update({name: str(path) for name, path in files.items() if name in ("strip", "clip")})
        frames = [(float(settled.look.sequence.t_ms[frame]), _jpeg(crops[frame])) for frame in sorted(crops)]
        slap = KeptSlap(number, name, about, frames, files)
        try:
            store(self._folder, slap)
        except OSError as error:
            self._tell(f"a slap could not be kept for after a restart: {error}")
        with self._wake:
            self._kept.append(slap)
            del self._kept[:-KEPT]
        self._tell(verdict_line(about, self._players()))


def for_record(settled: Settled, begun: int) -> list[dict[str, Any]]:
    """Return the events of a dispute that go on the record, of which the first `begun` events are there already.

    The rules must not decide on the record what the referee leaves open: where a hand may have touched, it is put there
    too, and all without times; where a hand is nobody's, nothing is.
    """
    fresh = [dict(event) for event in settled.events[begun:]]
    why = settled.document["why"]
    if why in ("slap-unknown-hand", "slap-unseen-hand", "slap-unwatched", "slap-between-piles"):
        return []
    if why == "slap-hover":
        slapped = {event["player"] for event in fresh}
        hovers = {hand.player for hand in settled.dispute.hovers if hand.player is not None}
        kind = fresh[0]["type"]
        fresh = [{**event, "t_ms": None, "under": []} for event in fresh]
        more = {"pile": 0} if kind == "grab" else {}
        fresh += [{"type": kind, "player": player, "t_ms": None, **more} for player in sorted(hovers - slapped)]
    return fresh


def _jpeg(image: npt.NDArray[np.uint8]) -> bytes:
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])
    return data.tobytes()


def needs_slap_room(about: Mapping[str, Any]) -> bool:
    """Tell whether slaps are to be watched for in a session, given its first event."""
    from arbitro.referee import GAMES

    return about.get("game") in GAMES
