"""Live updates: the state as server-sent events, for a limited number of listeners at once.

Every open stream holds one of the server's threads, so there are never more than `max_streams`; a page that finds no
place asks for the state from time to time instead. Throttling happens here too: however often the table changes, one
stream sends at most `MAX_RATE_HZ` states a second, always the newest.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator

from flask import Flask, current_app

from web.seam import LiveTable

MAX_RATE_HZ = 8.0
HEARTBEAT_S = 5.0
# How long one wait lasts at most; this bounds how late a closed page or a stopping server is noticed.
PATIENCE_S = 1.0


class NoPlaceError(Exception):
    """Say that all streams are taken."""


class StateFeed:
    """Share the newest state among all listeners and hand out the places for streams.

    The state is asked of the live table at most `MAX_RATE_HZ` times a second for each language, however many listen.
    """

    def __init__(self, live_table: LiveTable, max_streams: int) -> None:
        if max_streams < 1:
            raise ValueError(f"max_streams must be at least 1, not {max_streams}")
        self.max_streams = max_streams
        self.live_table = live_table
        self._lock = threading.Lock()
        self._cache: dict[str, tuple[float, int, str]] = {}
        self._open = 0
        self._closed = threading.Event()

    def newest(self, language: str, *, max_age_s: float = 0.0) -> tuple[int, str]:
        """Return (revision, state as JSON text), at most `max_age_s` seconds old."""
        with self._lock:
            cached = self._cache.get(language)
        now_s = time.monotonic()
        if cached is not None and now_s - cached[0] < max_age_s:
            return cached[1], cached[2]
        state = self.live_table.state(language)
        entry = (now_s, int(state["revision"]), json.dumps(state, ensure_ascii=False, separators=(",", ":")))
        with self._lock:
            self._cache[language] = entry
        return entry[1], entry[2]

    def forget(self) -> None:
        """Drop the cached states, so that what a command changed is seen by the next listener."""
        with self._lock:
            self._cache.clear()

    @property
    def open_streams(self) -> int:
        """The number of places taken."""
        with self._lock:
            return self._open

    def take_place(self) -> Callable[[], None]:
        """Take a place for a stream; returns the function that gives it back (once). Raises `NoPlaceError`."""
        with self._lock:
            if self._closed.is_set() or self._open >= self.max_streams:
                raise NoPlaceError
            self._open += 1
        given_back = threading.Event()

        def give_back() -> None:
            with self._lock:
                if not given_back.is_set():
                    given_back.set()
                    self._open -= 1

        return give_back

    def close(self) -> None:
        """End all streams within `PATIENCE_S` seconds and open no more."""
        self._closed.set()

    def messages(self, language: str, is_gone: Callable[[], bool] = lambda: False) -> Iterator[str]:
        """Yield server-sent events until `close` is called or `is_gone` says that the listener left.

        `state` events carry the state, `beat` events keep the connection known to be alive.
        """
        yield "retry: 1000\n\n"
        period_s = 1.0 / MAX_RATE_HZ
        sent_revision: int | None = None
        sent_s = 0.0
        while not self._closed.is_set() and not is_gone():
            revision, text = self.newest(language, max_age_s=period_s)
            now_s = time.monotonic()
            if revision != sent_revision:
                yield f"id: {revision}\nevent: state\ndata: {text}\n\n"
                sent_revision, sent_s = revision, now_s
                self._closed.wait(period_s)
            elif now_s - sent_s >= HEARTBEAT_S:
                yield "event: beat\ndata:\n\n"
                sent_s = now_s
            else:
                self.live_table.journal.wait(after=revision, timeout_s=PATIENCE_S)
                # The event may be younger than the cached state, and a closed journal waits for nothing: one period
                # later the newest state is surely asked for, and never more often than that.
                self._closed.wait(period_s)


def init_app(app: Flask, live_table: LiveTable, max_streams: int) -> None:
    """Bind a feed of the live table to the application."""
    app.extensions["state_feed"] = StateFeed(live_table, max_streams)


def state_feed() -> StateFeed:
    """Return the running application's feed."""
    feed: StateFeed = current_app.extensions["state_feed"]
    return feed


def live_table() -> LiveTable:
    """Return the running application's live table."""
    return state_feed().live_table
