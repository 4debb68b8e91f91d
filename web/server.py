"""Serve the dashboard with waitress, with enough threads for its live updates."""

from __future__ import annotations

from flask import Flask
from waitress.server import create_server

from web.streams import StateFeed

# Threads beside those that live updates may hold: pictures, commands, pages.
SPARE_THREADS = 4


class Server:
    """A listening dashboard. `run` blocks until `close` is called from another thread."""

    def __init__(self, app: Flask, host: str, port: int) -> None:
        self._feed: StateFeed = app.extensions["state_feed"]
        self._server = create_server(
            app,
            host=host,
            port=port,
            threads=self._feed.max_streams + SPARE_THREADS,
            ident="arbitro",
            # Lets a stream see that its page has been closed, so that its thread is free again at once.
            channel_request_lookahead=1,
        )
        self.host = host
        self.port = int(self._server.effective_port)

    @property
    def url(self) -> str:
        """The address to open in a browser on this machine."""
        host = "127.0.0.1" if self.host in ("", "0.0.0.0") else self.host
        return f"http://{host}:{self.port}/"

    def run(self) -> None:
        """Answer requests until closed."""
        self._server.run()

    def close(self) -> None:
        """End the live updates and stop listening."""
        self._feed.close()
        self._server.close()


def serve(app: Flask, host: str = "127.0.0.1", port: int = 0) -> Server:
    """Bind the dashboard to an address and return its server, listening but not yet answering.

    Raises:
        OSError: the address is taken or not this machine's.
    """
    return Server(app, host, port)
