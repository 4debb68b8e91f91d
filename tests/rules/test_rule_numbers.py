"""Every numbered rule of every page is named by at least one test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# How many numbered rules each page has; README.md counts the rules of capturing.
PAGES = {"scopa.md": 15, "scupuni.md": 12, "slurp.md": 10, "slapjack.md": 8, "irish-snap.md": 6, "spit.md": 8,
         "speed.md": 5, "README.md": 5}
VARIANTS = {"asso_piglia_tutto", "scopa_di_quindici", "scopone", "team"}


def named() -> set[str]:
    text = "".join(path.read_text(encoding="utf-8") for room in ("rules", "scorer")
                   for path in sorted((ROOT / "tests" / room).rglob("test_*.py")))
    return set(re.findall(r"[a-zA-Z-]+\.md#\w+", text))


@pytest.mark.parametrize(("page", "number"), [(page, number) for page, rules in PAGES.items()
                                              for number in range(1, rules + 1)])
def test_a_test_names_the_rule(page: str, number: int) -> None:
    assert f"{page}#{number}" in named()


def test_no_test_names_a_rule_that_is_not_there() -> None:
    for rule in named():
        page, number = rule.split("#")
        assert page in PAGES
        if number.isdigit():
            assert 1 <= int(number) <= PAGES[page], rule
        elif page == "scopa.md":
            assert number in VARIANTS, rule


def test_rulings_name_rules_that_are_there() -> None:
    text = "".join(path.read_text(encoding="utf-8") for room in ("rules", "scorer")
                   for path in sorted((ROOT / room).rglob("*.py")))
    for page, number in re.findall(r"([a-zA-Z-]+\.md)#(\d+)", text):
        assert 1 <= int(number) <= PAGES[page], f"{page}#{number}"


@pytest.mark.shared
def test_rulings_name_variants_that_are_there(shared: Path) -> None:
    text = "".join(path.read_text(encoding="utf-8") for room in ("rules", "scorer")
                   for path in sorted((ROOT / room).rglob("*.py")))
    named_in_rulings = set(re.findall(r"(\w+\.md|\{\w+\})#([a-z_]+)\b", text))
    assert {name for _, name in named_in_rulings} >= {"asso_piglia_tutto", "alternate_colours"}
    for page, name in named_in_rulings:
        pages = ["spit.md"] if page.startswith("{") else [page]
        assert any(f"`{name}" in (shared / "games" / of).read_text(encoding="utf-8") for of in pages), name


@pytest.mark.shared
def test_the_pages_have_as_many_rules_as_counted(shared: Path) -> None:
    for page, rules in PAGES.items():
        text = (shared / "games" / page).read_text(encoding="utf-8").split("\n## Worked examples")[0]
        numbers = [int(number) for number in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]
        assert numbers == list(range(1, rules + 1)), page
