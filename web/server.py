"""Serve the dashboard with waitress, with enough threads for its live updates."""

from __future__ import annotations

import socket
import threading
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.server import create_server

from web.streams import StateFeed

# Threads beside those that live updates may hold: pictures, commands, pages.
SPARE_THREADS = 4
_LOOP_S = 1.0


class Server:
    """A dashboard that listens on an address. `run` answers until `close` is called, from whatever thread."""

    def __init__(self, app: Flask, host: str, port: int) -> None:
        self._feed: StateFeed = app.extensions["state_feed"]
        # Bound here and not by waitress, which leaves the socket open when the address is taken.
        listening = socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        )
        self.host = host
        self.port = int(listening.getsockname()[1])
        self._map: dict[int, Any] = {}
        self._server = create_server(
            app,
            map=self._map,
            sockets=[listening],
            threads=self._feed.max_streams + SPARE_THREADS,
            ident="arbitro",
            # Lets a stream see that its page has been closed, so that its thread is free again at once.
            channel_request_lookahead=1,
        )
        self._stopping = threading.Event()
        self._running = threading.Lock()

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    def run(self) -> None:
        """Answer requests until closed; when it returns, all connections are closed and the address is free."""
        with self._running:
            try:
                # Waitress' own loop goes on for as long as any browser keeps its connection; this one ends when told.
                while not self._stopping.is_set():
                    wasyncore.loop(timeout=_LOOP_S, map=self._map, use_poll=True, count=1)
            finally:
                self._stopping.set()
                self._feed.close()
                self._server.task_dispatcher.shutdown()
                wasyncore.close_all(self._map)

    def close(self) -> None:
        """End the live updates and stop listening; does not wait for `run` to return."""
        self._feed.close()
        if not self._stopping.is_set():
            self._stopping.set()
            if self._running.locked():
                self._server.pull_trigger()
            else:
                self._server.task_dispatcher.shutdown()
                wasyncore.close_all(self._map)


def serve(app: Flask, host: str = "127.0.0.1", port: int = 0) -> Server:
    """Bind the dashboard to an address (port 0: any free one) and return its server, which `run` sets to work.

    Raises:
        OSError: the address is taken or not this machine's.
    """
    return Server(app, host, port)
