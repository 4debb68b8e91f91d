"""The dashboard as a person uses it in a browser: what can be read off it and what can be tapped."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

PATIENCE_S = 60.0


class DashboardPage:
    """One page in one browser window."""

    def __init__(self, browser: Chrome) -> None:
        self.browser = browser
        self._expected: list[re.Pattern[str]] = []

    # The window

    def open(self, url: str, *, width: int = 1280, height: int = 900, phone: bool = False) -> None:
        """Open the dashboard in a window of a size in CSS pixels and wait for its first state."""
        self.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone},
        )
        self.browser.get(url)
        self.wait_for(lambda: self.revision > 0)

    def expect_complaints(self, pattern: str) -> None:
        """Announce that the browser's console will show lines that match."""
        self._expected.append(re.compile(pattern))

    def complaints(self) -> list[str]:
        """Return what the console has shown since the last call, errors and failed requests, unless announced."""
        return [
            entry["message"]
            for entry in self.browser.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
            and not any(p.search(entry["message"]) for p in self._expected)
        ]

    def wait_for(self, condition: Callable[[], Any], timeout_s: float = PATIENCE_S) -> Any:
        """Wait until a condition holds and return its value."""
        deadline = time.monotonic() + timeout_s
        while True:
            value = condition()
            if value:
                return value
            assert time.monotonic() < deadline, (
                f"did not happen in {timeout_s} s; the page shows:\n{self.text('body')}"
            )
            time.sleep(0.05)

    def script(self, code: str, *arguments: Any) -> Any:
        return self.browser.execute_script(code, *arguments)

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """Return what is readable in an element, "" while it is not shown."""
        code = (
            "const e = document.querySelector(arguments[0]); return e?.checkVisibility() ? e.innerText : ''"
        )
        return str(self.script(code, selector)).strip()

    def texts(self, selector: str) -> list[str]:
        return [
            str(text).strip()
            for text in self.script(
                "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)", selector
            )
        ]

    def names(self, selector: str) -> list[str]:
        """Return the names that a screen reader says for elements."""
        return list(
            self.script(
                "return [...document.querySelectorAll(arguments[0])].map(e => e.getAttribute('aria-label'))",
                selector,
            )
        )

    def tap(self, selector: str) -> None:
        """Tap the middle of an element, which must be there, shown and not covered."""
        element = self.find(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    # What it shows

    @property
    def revision(self) -> int:
        return int(self.script("return Number(document.body?.dataset.revision ?? 0)"))

    @property
    def connection(self) -> str:
        return str(self.script("return document.body.dataset.connection"))

    @property
    def verdict(self) -> str:
        return self.text("#ruling-verdict")

    @property
    def sentence(self) -> str:
        return self.text("#ruling-sentence")

    @property
    def reasons(self) -> list[str]:
        return self.texts("#ruling-reasons li")

    @property
    def plays(self) -> list[str]:
        """The rows of the list of plays, as a screen reader says them, the newest first."""
        return self.names("#play-list button")

    @property
    def table_cards(self) -> list[str]:
        return self.names("#table-cards .card")

    @property
    def picture_index(self) -> int | None:
        index = self.script("return document.getElementById('picture').dataset.index")
        return None if index is None else int(index)

    @property
    def outline_tracks(self) -> list[int]:
        return [int(track) for track in self.outlines("dataset.track")]

    def outlines(self, expression: str) -> list[Any]:
        """Return an expression of each outline's element, as in `dataset.track`."""
        return list(
            self.script(f"return [...document.querySelectorAll('.outline')].map(e => e.{expression})")
        )

    def side(self, number: int) -> dict[str, str]:
        """Return a side's figures: captured, sweeps, total."""
        side = f"#sides .side:nth-child({number + 1})"
        return {name: self.text(f"{side} .{name} dd") for name in ("captured", "sweeps", "total")}

    def points(self, hand: int = 1) -> dict[str, list[str]]:
        """Return the points of a hand: each row's cells in the order of the sides, number and reason in one text."""
        rows = self.script(
            """return [...document.querySelectorAll(`.hand[data-key="${arguments[0]}"] tbody tr`)].map(row =>
                 [row.dataset.point, [...row.querySelectorAll('td')].map(cell => cell.innerText)])""",
            hand,
        )
        return {name: [" ".join(cell.split()) for cell in cells] for name, cells in rows}

    def totals(self, hand: int = 1) -> list[str]:
        return self.texts(f'.hand[data-key="{hand}"] tfoot .points-number')

    def overflows_sideways(self) -> bool:
        return bool(
            self.script("return document.documentElement.scrollWidth > document.documentElement.clientWidth")
        )

    # The editor

    def edit(self, event: int) -> None:
        """Tap a play in the list."""
        self.tap(f'#play-list [data-key="{event}"] button')
        self.wait_for(lambda: self.find("#editor").get_attribute("open") is not None)

    def choose_card(self, code: str) -> None:
        """Choose the card that was played from all cards."""
        self.unfold("#editor-all-cards")
        self.tap(f'#editor-deck label:has(input[value="{code}"])')

    def choose_takes(self, code: str) -> None:
        """Tap one of the cards that lay on the table, taking it or leaving it."""
        self.tap(f'#editor-takes label:has(input[value="{code}"])')

    def unfold(self, selector: str) -> None:
        if self.find(selector).get_attribute("open") is None:
            self.tap(f"{selector} summary")

    def save(self) -> None:
        self.tap("#editor-save")

    @property
    def editor_is_open(self) -> bool:
        return self.find("#editor").get_attribute("open") is not None

    def press(self, *keys: str) -> None:
        """Press keys on whatever has the focus."""
        self.browser.switch_to.active_element.send_keys(*keys)

    def press_escape(self) -> None:
        self.press(Keys.ESCAPE)
