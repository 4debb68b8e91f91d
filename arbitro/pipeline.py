"""From the camera to the journal: takes frames, has them looked at, and hands on what was seen.

Owns the loop, its pace and its troubles (a camera that is unplugged, a machine that is too slow). What is seen in a
frame is `arbitro.eyes`' business, what follows from it the live table's.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from arbitro.preview import jpeg_of
from arbitro.schedule import Schedule
from arbitro.settings import Settings
from arbitro.table import LiveTable
from rules.tracker import TableLook
from vision.camera import Camera, CameraError, Frame, SourceLost

# What lies on the table is journalled for the dashboard at most this often; outlines that move are worth no more rows.
_SHOW_EVERY_MS = 200
# An outline that moved by less than this is the same one, in pixels of the camera's picture.
_STEADY_PX = 4
# Progress goes to the journal so often, so that a watch that was killed on a quiet table need not look at it again.
_PROGRESS_EVERY_MS = 5000
# The tracker holds some plays back for a few seconds after a look, to see what comes of them: it is told the time so
# often, for so long.
_TICK_MS = 1000
_TICKS_FOR_MS = 8000
# Looks a second below which quick plays are missed; seen over so many looks.
_TOO_FEW_LOOKS_PER_S = 4.0
_PACE_LOOKS = 20
# A live source that goes on in an old journal starts this long after its end.
_RESUME_GAP_MS = 1000


@dataclass(frozen=True)
class Sight:
    """What was seen in one frame.

    Attributes:
        cards: what lies there, for display: dicts with track, card, confidence, candidates, quad, state, face.
        looks: looks at the table at rest that are new with this frame, for the tracker.
        warnings: by code, the arguments of what is wrong with the picture, or None for what is in order.
        deck: kind of deck, once it is known.
    """

    cards: list[dict[str, Any]]
    looks: tuple[TableLook, ...] = ()
    warnings: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    deck: str | None = None


class Eyes(Protocol):
    """What looks at frames."""

    @property
    def is_restless(self) -> bool:
        """Whether something is still to be found out, though nothing moves."""
        ...

    def look(self, frame: Frame) -> Sight:
        """Look at a frame; frames come in the order of their times."""
        ...

    def close_look(self, t_ms: int) -> tuple[TableLook, ...]:
        """Return what is still to be said when no more frames come."""
        ...


class Pipeline:
    """Take frames from a camera until it ends or `stop` is called.

    Args:
        live: where everything that is seen goes; its session has begun.
        camera: an open source.
        eyes: what looks at the frames.
        new_eyes: makes others, when people have set up another game.
        settings: how often to look and how large pictures are shown.
        speed: how much faster than life a film plays; None plays it as fast as it can be looked at. A machine that is
            too slow for that plays it slower, and misses nothing.
    """

    def __init__(
        self,
        live: LiveTable,
        camera: Camera,
        eyes: Eyes,
        settings: Settings,
        *,
        speed: float | None = None,
        new_eyes: Callable[[], Eyes] | None = None,
    ) -> None:
        self._live = live
        self._camera = camera
        self._eyes = eyes
        self._settings = settings
        self._new_eyes = new_eyes
        self._game = live.game
        self._speed = speed
        self._due_s: float | None = None
        self._paced_ms = 0
        watching = settings.watching
        self._schedule = Schedule(watching.looks_per_s, watching.idle_ms, watching.motion)
        self._stopping = threading.Event()
        self._frames = 0
        self._begun_s = 0.0
        self._look_times_s: deque[float] = deque(maxlen=_PACE_LOOKS)
        self._shown: list[dict[str, Any]] | None = None
        self._shown_ms = 0
        self._progress_ms = 0
        self._deck: str | None = None
        self._lost = False
        self._size = (0, 0)
        self._ticks_until_ms = 0
        self._tick_ms = 0

    def stop(self) -> None:
        """End `run` after the frame that it is looking at; may be called from any thread or signal handler."""
        self._stopping.set()

    def run(self, resume_after_ms: int | None = None, *, is_film: bool) -> None:
        """Watch until the end. `resume_after_ms` is the media time that an earlier run in this journal came to.

        A film (`is_film`, folders of pictures included) is taken up there; a live source goes on counting from there.

        Raises `vision.camera.CameraError` if the source fails for good; the journal says so then.
        """
        offset_ms = 0
        if resume_after_ms is not None:
            self._progress_ms = self._shown_ms = resume_after_ms
            if not is_film:
                offset_ms = resume_after_ms + _RESUME_GAP_MS
        self._begun_s = time.monotonic()
        self._live.note_status(source="open", error=None)
        t_ms = offset_ms
        try:
            while not self._stopping.is_set():
                try:
                    frame = self._camera.read()
                except SourceLost as lost:
                    self._lose(str(lost))
                    continue
                if frame is None:
                    break
                self._found_again()
                t_ms = round(frame.t_ms) + offset_ms
                if resume_after_ms is None or t_ms > resume_after_ms:
                    self._keep_pace(t_ms)
                    self._take(Frame(frame.image, float(t_ms), frame.index))
        except CameraError as error:
            self._live.note_status(source="lost", error=str(error), performance=self.performance())
            raise
        if self._stopping.is_set():
            self._live.note_status(source="stopped", t_ms=t_ms, performance=self.performance())
            return
        for look in self._eyes.close_look(t_ms):
            self._live.observe(look, self._row(look.t_ms, self._frames, self._size, self._shown or []))
        self._live.finish(t_ms, self.performance())

    def _keep_pace(self, t_ms: int) -> None:
        """Wait until a film's frame is due; from a frame that comes late the next ones are counted anew."""
        if self._speed is None:
            return
        now_s = time.monotonic()
        if self._due_s is not None:
            self._due_s += (t_ms - self._paced_ms) / 1000 / self._speed
            self._stopping.wait(max(0.0, self._due_s - now_s))
        self._due_s = max(now_s, self._due_s or now_s)
        self._paced_ms = t_ms

    def _lose(self, why: str) -> None:
        if not self._lost:
            self._lost = True
            self._live.warn("camera-lost", True)
            self._live.note_status(source="lost", error=why)

    def _found_again(self) -> None:
        if self._lost:
            self._lost = False
            self._live.warn("camera-lost", False)
            self._live.note_status(source="open", error=None)

    def _take(self, frame: Frame) -> None:
        self._frames += 1
        t_ms, image = int(frame.t_ms), frame.image
        self._size = (image.shape[1], image.shape[0])
        shown = self._settings.dashboard
        self._live.show_picture(
            frame.index,
            t_ms,
            self._size,
            lambda: jpeg_of(image, shown.picture_width, shown.jpeg_quality),
            image,
        )
        if self._new_eyes is not None and self._live.game != self._game:
            self._game, self._eyes, self._deck = self._live.game, self._new_eyes(), None
        if not self._schedule.is_due(image, t_ms, is_restless=self._eyes.is_restless):
            self._let_time_pass(t_ms)
            return
        sight = self._eyes.look(frame)
        self._look_times_s.append(time.monotonic())
        self._live.show_performance(self.performance())
        for code, args in sight.warnings.items():
            self._live.warn(code, args is not None, **(args or {}))
        if sight.deck is not None and sight.deck != self._deck:
            self._deck = sight.deck
            self._live.note_deck(sight.deck)
        if self._camera.live:
            self._watch_pace()
        row = self._row(t_ms, frame.index, self._size, sight.cards)
        for look in sight.looks:
            self._live.observe(look, row)
        is_news = t_ms - self._shown_ms >= _SHOW_EVERY_MS and not _alike(sight.cards, self._shown)
        if sight.looks:
            self._tick_ms, self._ticks_until_ms = t_ms, t_ms + _TICKS_FOR_MS
        elif is_news:
            self._live.show_table(row)
        if sight.looks or is_news:
            self._shown, self._shown_ms, self._progress_ms = sight.cards, t_ms, t_ms
        self._let_time_pass(t_ms)

    @staticmethod
    def _row(t_ms: int, index: int, size: tuple[int, int], cards: list[dict[str, Any]]) -> dict[str, Any]:
        return {"t_ms": t_ms, "index": index, "width": size[0], "height": size[1], "cards": cards}

    def _let_time_pass(self, t_ms: int) -> None:
        """Tell the tracker that time goes on after a look, and the journal how far the source has been watched."""
        if self._tick_ms + _TICK_MS <= t_ms <= self._ticks_until_ms:
            self._tick_ms = self._progress_ms = t_ms
            self._live.tick(t_ms)
        elif t_ms - self._progress_ms >= _PROGRESS_EVERY_MS:
            self._progress_ms = t_ms
            self._live.note_status(t_ms=t_ms, performance=self.performance())

    def _watch_pace(self) -> None:
        if len(self._look_times_s) < _PACE_LOOKS or self._camera.dropped_frames == 0:
            return
        took_s = self._look_times_s[-1] - self._look_times_s[0]
        looks_per_s = (len(self._look_times_s) - 1) / max(took_s, 1e-6)
        # A resting table is looked at seldom on purpose: only what is slower than that is slow.
        if took_s > 0 and looks_per_s < min(_TOO_FEW_LOOKS_PER_S, 900 / self._settings.watching.idle_ms):
            self._live.warn("falling-behind", True, fps=round(looks_per_s))
        elif looks_per_s > _TOO_FEW_LOOKS_PER_S:
            self._live.warn("falling-behind", False)

    def performance(self) -> dict[str, Any]:
        """Return frames taken, frames a second since the start, and frames that were never taken."""
        took_s = max(time.monotonic() - self._begun_s, 1e-6)
        return {
            "frames": self._frames,
            "fps": round(self._frames / took_s, 1),
            "dropped_frames": self._camera.dropped_frames,
        }


def _alike(cards: list[dict[str, Any]], before: list[dict[str, Any]] | None) -> bool:
    """Tell whether two tables look the same to a person: the same cards in the same states, hardly moved."""
    if before is None or len(cards) != len(before):
        return False
    for new, old in zip(cards, before, strict=True):
        if any(new[key] != old[key] for key in ("track", "card", "state", "face")):
            return False
        moved_px = max(
            abs(a - b)
            for p, q in zip(new["quad"], old["quad"], strict=True)
            for a, b in zip(p, q, strict=True)
        )
        if moved_px > _STEADY_PX:
            return False
    return True
