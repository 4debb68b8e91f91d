from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from tests.web.conftest import Serving
from tests.web.fake_table import FakeTable, wait_until
from web import streams
from web.streams import MAX_RATE_HZ, NoPlaceError, StateFeed


def states(messages: Iterator[str]) -> Iterator[dict[str, Any]]:
    for message in messages:
        if "event: state" in message:
            yield json.loads(message.split("data: ", 1)[1])


def test_a_stream_begins_with_the_state_and_sends_every_change(table: FakeTable) -> None:
    feed = StateFeed(table, 1)
    stream = states(feed.messages("it"))
    assert next(stream) == table.state("it")
    state = table.state("it")
    state["session"]["status"] = "hand-over"
    revision = table.change(state)
    assert next(stream)["revision"] == revision
    assert set(table.languages) == {"it"}


def test_a_flood_of_changes_is_throttled_to_the_newest(table: FakeTable) -> None:
    feed = StateFeed(table, 1)
    stop = threading.Event()

    def flood() -> None:
        while not stop.is_set():
            table.change(table.state("en"))
            time.sleep(0.002)

    flooding = threading.Thread(target=flood)
    flooding.start()
    received: list[int] = []
    try:
        begun_s = time.monotonic()
        for state in states(feed.messages("en")):
            received.append(state["revision"])
            if len(received) == 6:
                break
        took_s = time.monotonic() - begun_s
    finally:
        stop.set()
        flooding.join()
    assert took_s >= 5 / MAX_RATE_HZ * 0.95
    assert received == sorted(set(received))
    # Many changes lie between two states sent: the ones between were passed over.
    assert received[-1] - received[0] > 10


def test_a_quiet_stream_beats(table: FakeTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_S", 0.05)
    monkeypatch.setattr(streams, "PATIENCE_S", 0.02)
    messages = StateFeed(table, 1).messages("en")
    kinds = [next(messages).split("\n")[0] for _ in range(2)]
    assert kinds == ["retry: 1000", "id: 1"]
    assert [next(messages) for _ in range(3)] == ["event: beat\ndata:\n\n"] * 3


def test_many_listeners_ask_the_table_no_oftener_than_one(table: FakeTable) -> None:
    feed = StateFeed(table, 8)
    for _ in range(8):
        next(states(feed.messages("en")))
    assert len(table.languages) == 1


def test_what_a_command_changed_is_seen_at_once(table: FakeTable) -> None:
    feed = StateFeed(table, 1)
    feed.newest("en")
    revision = table.change(table.state("en"))
    feed.forget()
    assert feed.newest("en", max_age_s=60)[0] == revision


def test_places_are_few_and_come_back_once(table: FakeTable) -> None:
    feed = StateFeed(table, 2)
    give_back = feed.take_place()
    feed.take_place()
    with pytest.raises(NoPlaceError):
        feed.take_place()
    give_back()
    give_back()
    assert feed.open_streams == 1
    feed.take_place()
    with pytest.raises(NoPlaceError):
        feed.take_place()


def test_closing_ends_streams_and_opens_none(table: FakeTable) -> None:
    feed = StateFeed(table, 2)
    messages = feed.messages("en")
    assert next(messages)
    feed.close()
    assert list(messages) == []
    with pytest.raises(NoPlaceError):
        feed.take_place()


def test_a_journal_that_waits_for_nothing_does_not_make_the_stream_spin(table: FakeTable) -> None:
    # A closed journal answers every wait at once.
    feed = StateFeed(table, 1)
    waits = 0

    def wait(after: int, timeout_s: float) -> bool:
        nonlocal waits
        waits += 1
        return False

    table.journal.wait = wait  # type: ignore[method-assign]
    stop = threading.Timer(0.6, feed.close)
    stop.start()
    list(feed.messages("en"))
    stop.join()
    assert 0 < waits <= 0.6 * MAX_RATE_HZ + 2


def test_at_least_one_place_is_needed(table: FakeTable) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        StateFeed(table, 0)


# Over a real socket


def open_stream(serving: Serving) -> tuple[HTTPConnection, HTTPResponse]:
    connection = HTTPConnection("127.0.0.1", serving.port, timeout=10)
    connection.request("GET", "/api/events")
    return connection, connection.getresponse()


def next_state(response: HTTPResponse) -> dict[str, Any]:
    while True:
        line = response.readline().decode()
        assert line, "the stream ended"
        if line.startswith("data: {"):
            state: dict[str, Any] = json.loads(line.removeprefix("data: "))
            return state


def test_streams_over_http_are_live_limited_and_given_back(
    serve: Callable[..., Serving], table: FakeTable
) -> None:
    serving = serve(table, max_streams=2)
    feed: StateFeed = serving.app.extensions["state_feed"]
    first, first_response = open_stream(serving)
    second, second_response = open_stream(serving)
    assert first_response.getheader("Content-Type", "").startswith("text/event-stream")
    assert next_state(first_response)["revision"] == next_state(second_response)["revision"] == 1
    revision = table.change(table.state("en"))
    assert next_state(first_response)["revision"] == revision

    third, refused = open_stream(serving)
    assert refused.status == 503
    assert int(refused.getheader("Retry-After", "0")) > 0
    assert "error" in json.loads(refused.read())
    # Pages and states are still answered while every place is taken.
    third.request("GET", "/api/state")
    assert json.loads(third.getresponse().read())["revision"] == revision

    # A page that is closed gives its place back though nothing happens on the table.
    first_response.close()
    first.close()
    wait_until(lambda: feed.open_streams == 1)
    fourth, accepted = open_stream(serving)
    assert accepted.status == 200
    for connection in (second, third, fourth):
        connection.close()


def test_a_stopping_server_ends_its_streams(serve: Callable[..., Serving], table: FakeTable) -> None:
    serving = serve(table)
    connection, response = open_stream(serving)
    next_state(response)
    serving.stop()
    assert response.read() is not None
    connection.close()
    again = serve(table, port=serving.port)
    assert again.url == serving.url
