"""Fixtures of the dashboard's tests: a client without a browser, and headless Chromium with an eye on its console."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import web
from arbitro.journal import Journal
from tests.web.dashboard_page import DashboardPage
from tests.web.fake_table import FakeTable
from tests.web.hands import ScriptedTable
from web.seam import LiveTable

CHROMIUM_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


@pytest.fixture
def app(table: FakeTable) -> Flask:
    app = web.create_app(table)
    app.config["TESTING"] = True
    return app


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def journals() -> Iterator[list[Journal]]:
    """Journals to be closed once nothing serves them any more."""
    journals: list[Journal] = []
    yield journals
    for journal in journals:
        journal.close()


@pytest.fixture
def hands(tmp_path: Path, journals: list[Journal]) -> ScriptedTable:
    """A real live table over a real journal, its script one hand of Scopa."""
    table = ScriptedTable(tmp_path / "journal.sqlite")
    journals.append(table.journal)
    return table


class Serving:
    """A dashboard that is being served, for as long as the test wants it."""

    def __init__(self, app: Flask, port: int = 0) -> None:
        self.app = app
        self.server = web.serve(app, port=port)
        self.url = self.server.url
        self.port = self.server.port
        self._thread = threading.Thread(target=self.server.run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop answering; the port is free again when this returns."""
        self.server.close()
        self._thread.join(timeout=10)
        assert not self._thread.is_alive(), "the server did not stop"


@pytest.fixture
def serve(journals: list[Journal]) -> Iterator[Callable[..., Serving]]:
    """Serve live tables on free ports; what still runs at the end of the test is stopped."""
    running: list[Serving] = []

    def start(live_table: LiveTable, *, port: int = 0, **settings: object) -> Serving:
        serving = Serving(web.create_app(live_table, **settings), port)  # type: ignore[arg-type]
        running.append(serving)
        return serving

    yield start
    for serving in running:
        if serving._thread.is_alive():
            serving.stop()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip(
            "Chromium or its driver is not installed (Debian: apt-get install chromium chromium-driver)"
        )
    options = Options()
    options.binary_location = browser
    for flag in (*CHROMIUM_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    yield chrome
    chrome.quit()


@pytest.fixture
def page(chromium: webdriver.Chrome) -> Iterator[DashboardPage]:
    """The dashboard in a browser; the test fails when the browser complained of anything it did not announce."""
    chromium.get("about:blank")
    chromium.execute_cdp_cmd("Network.clearBrowserCookies", {})
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.get_log("browser")
    page = DashboardPage(chromium)
    yield page
    complaints = page.complaints()
    chromium.get("about:blank")
    assert not complaints, "the browser complained:\n" + "\n".join(complaints)
