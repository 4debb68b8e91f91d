from __future__ import annotations

import socket
import urllib.request
from collections.abc import Callable

import pytest

import web
from tests.web.conftest import Serving
from tests.web.fake_table import FakeTable


def test_a_free_port_is_found_and_told(serve: Callable[..., Serving], table: FakeTable) -> None:
    serving = serve(table)
    assert serving.url == f"http://127.0.0.1:{serving.port}/"
    with urllib.request.urlopen(f"{serving.url}healthz") as answer:
        assert answer.read() == b"ok\n"
        assert answer.headers["Server"] == "arbitro"


def test_a_taken_port_is_an_error(table: FakeTable) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError):
            web.serve(web.create_app(table), port=taken.getsockname()[1])


def test_only_this_machine_is_served_unless_told_otherwise(
    serve: Callable[..., Serving], table: FakeTable
) -> None:
    serving = serve(table)
    own_addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    outside = [address for address in own_addresses if not address.startswith("127.")]
    if not outside:
        pytest.skip("this machine has no other address than its own loop")
    with pytest.raises(OSError):
        socket.create_connection((outside[0], serving.port), timeout=2)
