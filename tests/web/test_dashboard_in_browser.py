"""The dashboard in headless Chromium: what people see and tap."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.web.conftest import Serving
from tests.web.dashboard_page import DashboardPage
from tests.web.fake_table import FakeTable, lying, play, playing_state, wait_until
from tests.web.hands import ScriptedTable
from web.streams import StateFeed

pytestmark = pytest.mark.browser

Serve = Callable[..., Serving]


def test_a_hand_is_followed_live(serve: Serve, page: DashboardPage, hands: ScriptedTable) -> None:
    hands.step()
    page.open(serve(hands).url)
    assert page.sentence == "No card has been played yet."
    assert len(page.table_cards) == 4
    loaded = page.script("return performance.timeOrigin")
    for count in (1, 2, 3):
        hands.step()
        page.wait_for(lambda count=count: len(page.plays) == count)
    newest = hands.score("en")["plays"][-1]
    assert page.plays[0].startswith("00:13, Bruno ")
    assert page.verdict.endswith("Legal")
    assert len(page.table_cards) == len(hands.score()["state"]["table"])
    assert page.side(1)["captured"] == str(len(hands.score()["state"]["captured"][1]))
    assert newest["event"] == int(page.find("#play-list li").get_attribute("data-key"))
    # All of it came through the stream: the page was loaded once, and asked for no state.
    assert page.script("return performance.timeOrigin") == loaded
    asked = page.script("return performance.getEntriesByType('resource').map(e => new URL(e.name).pathname)")
    assert "/api/state" not in asked


def test_the_points_stand_at_the_end_with_reasons_and_cards(
    serve: Serve, page: DashboardPage, hands: ScriptedTable
) -> None:
    hands.step(10)
    page.open(serve(hands).url)
    assert page.text("#points") == ""
    hands.play_out()
    page.wait_for(lambda: page.text("#points"))
    hand = hands.score("en")["hands"][0]
    assert page.totals() == [str(side["total"]) for side in hand["sides"]]
    shown = page.points()
    for number, side in enumerate(hand["sides"]):
        for point in side["points"]:
            assert shown[point["name"]][number] == f"{point['points']} {point['why']}"
        for point in side["lost"]:
            assert shown[point["name"]][number] == f"– {point['why']}"
    settebello = [name for name in page.names('[data-point="settebello"] .card') if name]
    assert settebello == ["7 of denari"]
    assert page.side(0)["total"] == str(hand["sides"][0]["total"])


def test_correcting_a_play_recomputes_everything(
    serve: Serve, page: DashboardPage, hands: ScriptedTable
) -> None:
    hands.play_out()
    page.open(serve(hands).url)
    before = hands.score("en")
    wrong = next(play for play in reversed(before["plays"]) if play["takes"] and play["legal_takes"])
    page.edit(wrong["event"])
    page.choose_takes(wrong["takes"][0])
    page.save()
    page.wait_for(lambda: not page.editor_is_open)
    page.wait_for(lambda: "corrected" in page.text(f'#play-list [data-key="{wrong["event"]}"]').lower())
    after = hands.score("en")
    corrected = next(play for play in after["plays"] if play["event"] == wrong["event"])
    assert corrected["takes"] == wrong["takes"][1:]
    assert corrected["ruling"] == "illegal"
    assert after["hands"][0]["sides"] != before["hands"][0]["sides"]
    assert page.totals() == [str(side["total"]) for side in after["hands"][0]["sides"]]
    assert "Against the rules" in page.text(f'#play-list [data-key="{wrong["event"]}"]')
    # … and taking the correction back brings everything to where it was.
    assert "counted again" in page.text("#toast")
    page.tap("#toast button")
    page.wait_for(lambda: "corrected" not in page.text(f'#play-list [data-key="{wrong["event"]}"]').lower())
    assert page.totals() == [str(side["total"]) for side in before["hands"][0]["sides"]]


def test_the_card_of_a_past_play_is_corrected_among_all_cards(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    page.open(serve(table).url)
    page.edit(4)
    page.choose_card("6s")
    page.save()
    page.wait_for(lambda: table.commands)
    assert table.commands == [{"type": "correct", "event": 4, "card": "6s"}]


def test_player_and_takes_are_corrected(serve: Serve, page: DashboardPage, table: FakeTable) -> None:
    page.open(serve(table).url)
    page.edit(4)
    page.tap('#editor-players label:has(input[value="1"])')
    page.choose_takes("Rb")
    page.save()
    page.wait_for(lambda: table.commands)
    assert table.commands == [{"type": "correct", "event": 4, "player": 1, "takes": ["Rb"]}]


def test_saving_without_a_change_says_that_it_was_read_rightly(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    page.open(serve(table).url)
    page.edit(5)
    page.save()
    page.wait_for(lambda: table.commands)
    assert table.commands == [{"type": "correct", "event": 5, "card": "5s"}]


def test_a_refused_correction_says_why_and_loses_nothing(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    table.refusal = ("command-refused", {"why": "the 6 of spade lies on the table"})
    page.expect_complaints(r"/api/command.*409")
    page.open(serve(table).url)
    page.edit(4)
    page.choose_card("6s")
    page.save()
    page.wait_for(lambda: "the 6 of spade lies on the table" in page.text("#editor-failure"))
    assert page.editor_is_open
    page.save()
    page.wait_for(lambda: not page.editor_is_open)
    assert [command["card"] for command in table.commands] == ["6s"]


def test_the_editor_keeps_its_choices_while_the_game_goes_on(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    page.open(serve(table).url)
    page.edit(4)
    page.choose_card("6s")
    state = table.state("en")
    state["score"]["plays"].append(play(6, 0, "2c"))
    table.change(state)
    page.wait_for(lambda: len(page.plays) == 4)
    assert page.editor_is_open
    page.save()
    page.wait_for(lambda: table.commands)
    assert table.commands[0]["card"] == "6s"


def test_the_editor_works_with_the_keyboard_alone(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    page.open(serve(table).url)
    page.script("document.querySelector('#play-list [data-key=\"4\"] button').focus()")
    page.press(Keys.ENTER)
    page.wait_for(lambda: page.editor_is_open)
    assert page.script("return document.activeElement.name") == "player"
    page.press(Keys.ARROW_RIGHT)
    page.press(Keys.ENTER)
    page.wait_for(lambda: table.commands)
    assert table.commands == [{"type": "correct", "event": 4, "player": 1}]
    page.wait_for(lambda: not page.editor_is_open)
    # The focus is where it was, so that the next play is one key away.
    assert page.script("return document.activeElement.closest('li')?.dataset.key") == "4"
    page.press(Keys.ENTER)
    page.wait_for(lambda: page.editor_is_open)
    page.press_escape()
    page.wait_for(lambda: not page.editor_is_open)


def illegal_state() -> dict[str, Any]:
    state = playing_state()
    state["score"]["plays"].append(
        play(
            6,
            0,
            "7s",
            ["4d", "3c"],
            ruling="illegal",
            reasons=["single-card-precedence"],
            why=["an equal card lay there (7 of bastoni) and must be taken alone"],
            legal_takes=[["7b"]],
        )
    )
    return state


@pytest.mark.parametrize("decision", ["stand", "undo"])
def test_an_illegal_play_is_decided_with_one_tap(
    serve: Serve, page: DashboardPage, table: FakeTable, decision: str
) -> None:
    page.open(serve(table).url)
    table.change(illegal_state())
    page.wait_for(lambda: page.verdict == "Against the rules")
    assert page.sentence == "Anna plays 7 of spade and takes 4 of denari and 3 of coppe."
    assert page.reasons == ["An equal card lay there (7 of bastoni) and must be taken alone"]
    page.tap(f"#ruling-actions .{decision}")
    page.wait_for(lambda: table.commands)
    assert table.commands == [{"type": decision, "event": 6}]


def test_a_play_taken_back_is_no_longer_the_last(
    serve: Serve, page: DashboardPage, hands: ScriptedTable
) -> None:
    hands.step(3)
    page.open(serve(hands).url)
    last = hands.score("en")["plays"][-1]["event"]
    page.edit(last)
    page.tap("#editor-undo")
    page.wait_for(lambda: "taken back" in page.text(f'#play-list [data-key="{last}"]'))
    assert page.sentence.startswith("Bruno ")
    assert hands.score("en")["plays"][-1]["undone"]


def test_a_question_is_answered_with_one_tap(serve: Serve, page: DashboardPage, hands: ScriptedTable) -> None:
    hands.step()
    first = hands.script[1]
    free = next(card for card in ("2d", "3d", "4d") if card not in (first["card"], *hands.script[0]["table"]))
    candidates = [
        {"card": first["card"], "takes": first["takes"], "probability": 0.55},
        {"card": free, "takes": [], "probability": 0.4},
    ]
    hands.step(1, confidence=0.55, candidates=candidates)
    page.open(serve(hands).url)
    assert "What did Bruno play?" in page.text("#questions")
    assert len(page.find_all("#questions .answer")) == 2
    page.tap("#questions .answer:nth-child(2)")
    page.wait_for(lambda: page.text("#questions") == "")
    answered = hands.score("en")["plays"][0]
    assert (answered["card"], answered["takes"]) == (free, [])
    assert "corrected" in page.text("#play-list li")


def test_an_answer_that_is_not_offered_opens_the_editor(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    state = playing_state()
    state["questions"] = [
        {
            "event": 5,
            "text": "What did Bruno play?",
            "candidates": [{"card": "5s", "takes": ["5d"], "probability": 0.7}],
        }
    ]
    table.change(state)
    page.open(serve(table).url)
    page.tap("#questions .other")
    page.wait_for(lambda: page.editor_is_open)
    assert page.find("#editor-candidates input:checked").get_attribute("value") == "5s"


def test_the_language_is_switched_and_kept(serve: Serve, page: DashboardPage, hands: ScriptedTable) -> None:
    hands.play_out()
    url = serve(hands).url
    page.open(url)
    assert page.text("#points-heading").lower() == "points"
    page.tap('.languages a[lang="it"]')
    page.wait_for(lambda: page.text("#points-heading").lower() == "punti" and page.revision)
    page.open(url)
    assert page.script("return document.documentElement.lang") == "it"
    italian = hands.score("it")
    for number, side in enumerate(italian["hands"][0]["sides"]):
        for point in side["points"]:
            assert page.points()[point["name"]][number] == f"{point['points']} {point['why']}"
    assert "gioca" in page.sentence or "posa" in page.sentence


@pytest.mark.parametrize(("width", "language"), [(360, "en"), (320, "it")])
def test_nothing_overflows_on_a_phone(
    serve: Serve, page: DashboardPage, hands: ScriptedTable, table: FakeTable, width: int, language: str
) -> None:
    hands.step(14, takes=["7d", "1c", "Rb"], card=None, confidence=0.4)
    long_names = illegal_state()
    long_names["session"]["players"] = ["Massimiliano-Ferdinando", "Bartholomew Featherstonehaugh"]
    long_names["warnings"] = [{"code": "too-dark", "text": "The picture is very dark."}]
    table.change(long_names)
    for shown in (hands, table):
        page.open(f"{serve(shown).url}?lang={language}", width=width, height=740, phone=True)
        assert not page.overflows_sideways()
        page.edit(int(page.find("#play-list [data-key]:has(button)").get_attribute("data-key")))
        page.unfold("#editor-all-cards")
        assert not page.overflows_sideways()
        body = page.script(
            "const b = document.querySelector('.editor-body'); return b.scrollWidth - b.clientWidth"
        )
        assert body <= 0
        page.press_escape()
    hands.play_out()
    page.open(f"{serve(hands).url}?lang={language}", width=width, height=740, phone=True)
    assert not page.overflows_sideways()


def test_what_is_tapped_is_large_enough_for_a_finger(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    table.change(illegal_state())
    page.open(serve(table).url, width=360, height=740, phone=True)
    page.edit(4)
    page.unfold("#editor-all-cards")
    page.press_escape()
    small = page.script(
        """return [...document.querySelectorAll('button, .languages a, #editor-deck .choice')]
             .map(e => [e.className || e.id || e.innerText, e.getBoundingClientRect()])
             .filter(([, box]) => box.width && (box.width < 34 || box.height < 32)).map(([name]) => name)"""
    )
    assert small == []


def test_the_page_reconnects_after_the_server_was_restarted(
    serve: Serve, page: DashboardPage, hands: ScriptedTable
) -> None:
    page.expect_complaints(
        "ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET"
    )
    hands.step(2)
    serving = serve(hands)
    page.open(serving.url)
    serving.stop()
    page.wait_for(lambda: page.connection == "lost")
    assert "lost" in page.text("#connection")
    hands.step()
    serve(hands, port=serving.port)
    page.wait_for(lambda: page.connection == "live")
    assert page.text("#connection") == ""
    page.wait_for(lambda: len(page.plays) == 2)
    # It lives on the stream again, not on asking.
    hands.step()
    page.wait_for(lambda: len(page.plays) == 3)


def test_a_page_without_a_place_for_live_updates_asks_instead(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    page.expect_complaints(r"/api/events.*503")
    serving = serve(table, max_streams=1)
    feed: StateFeed = serving.app.extensions["state_feed"]
    give_back = feed.take_place()
    page.open(serving.url)
    table.change(illegal_state())
    page.wait_for(lambda: page.verdict == "Against the rules")
    assert page.connection == "live"
    give_back()


def test_a_hidden_page_gives_its_place_back(serve: Serve, page: DashboardPage, table: FakeTable) -> None:
    serving = serve(table)
    feed: StateFeed = serving.app.extensions["state_feed"]
    page.open(serving.url)
    assert feed.open_streams == 1
    page.script(
        """Object.defineProperty(document, 'hidden', {value: true, configurable: true});
           document.dispatchEvent(new Event('visibilitychange'))"""
    )
    wait_until(lambda: feed.open_streams == 0)
    table.change(illegal_state())
    page.script("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for(lambda: page.verdict == "Against the rules")


def test_picture_and_outlines_belong_together(serve: Serve, page: DashboardPage, table: FakeTable) -> None:
    table.show_picture(0)
    page.open(serve(table).url)
    page.wait_for(lambda: page.picture_index == 0)
    assert page.outline_tracks == [1, 2, 3, 4]
    state = table.state("en")
    state["table"] = [lying(9, "1d", 400, 200)]
    table.change(state)
    table.show_picture(31)
    page.wait_for(lambda: page.picture_index == 31)
    page.wait_for(lambda: page.outline_tracks == [9])
    # The outlines lie in the picture's own pixels.
    box = page.script("return document.getElementById('overlay').getAttribute('viewBox')")
    assert box == "0 0 640 360"
    assert page.script("return document.querySelector('.outline').getAttribute('points')").startswith(
        "400.0,200.0"
    )


def test_outlines_show_confidence_and_hidden_cards(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    table.show_picture(1)
    page.open(serve(table).url)
    page.wait_for(lambda: page.outline_tracks)
    classes = page.outlines("getAttribute('class')")
    assert classes == [
        "outline high lying",
        "outline middle lying",
        "outline high hidden",
        "outline low lying",
    ]
    assert page.outlines("hasAttribute('stroke-dasharray')") == [False, False, True, False]
    assert page.outlines("querySelector('title').textContent") == [
        "4 of denari, 98 % sure",
        "3 of coppe, 72 % sure",
        "re of bastoni, 98 % sure, hidden",
        "not read",
    ]


def test_cards_without_drawings_are_labels(
    serve: Serve, page: DashboardPage, table: FakeTable, tmp_path: Path
) -> None:
    page.open(serve(table, decks_folder=tmp_path).url)
    assert page.script("return document.querySelectorAll('.card img').length") == 0
    assert page.texts("#table-cards .card-label b") == ["4", "3", "R", "?"]
    assert page.table_cards[0] == "4 of denari"


def test_captured_piles_are_outlined_but_lie_not_among_the_cards_on_the_table(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    state = playing_state()
    state["table"].append(lying(5, None, 500, 20, face="down", zone="pile"))
    table.change(state)
    table.show_picture(1)
    page.open(serve(table).url)
    page.wait_for(lambda: page.outline_tracks == [1, 2, 3, 4, 5])
    assert len(page.table_cards) == 4


def test_warnings_and_a_lost_camera_are_said(serve: Serve, page: DashboardPage, table: FakeTable) -> None:
    page.open(serve(table).url)
    assert page.text("#warnings") == ""
    state = playing_state()
    state["session"].update(status="no-camera", error="the cable is out")
    state["warnings"] = [{"code": "camera-lost", "text": "The camera gives no picture: check its plug."}]
    state["score"]["flags"] = [
        {"event": 2, "reason": "short-deal", "text": "3 cards lie on the opening table"}
    ]
    table.change(state)
    page.wait_for(lambda: page.text("#warnings"))
    assert page.texts("#warnings li") == [
        "The camera gives no picture: check its plug.",
        "3 cards lie on the opening table",
    ]
    assert "No picture from the camera" in page.text("#session")
    assert "the cable is out" in page.text("#picture-note")


def test_the_last_ruling_is_told_to_screen_readers(
    serve: Serve, page: DashboardPage, table: FakeTable
) -> None:
    page.open(serve(table).url)
    live = page.find("#ruling-sentence").find_element("xpath", "./ancestor::*[@aria-live]")
    assert live.get_attribute("aria-live") == "polite"
    assert live.get_attribute("aria-atomic") == "true"
    # Nothing is told again while nothing changes.
    page.script(
        """window.told = 0;
           const watched = {subtree: true, childList: true, characterData: true};
           new MutationObserver(list => window.told += list.length)
             .observe(document.querySelector('[aria-live][aria-atomic]'), watched)"""
    )
    table.change(playing_state())
    page.wait_for(lambda: page.revision == 2)
    assert page.script("return window.told") == 0
    table.change(illegal_state())
    page.wait_for(lambda: page.script("return window.told") > 0)


def test_a_player_gives_up(serve: Serve, page: DashboardPage, hands: ScriptedTable) -> None:
    hands.step(4)
    page.open(serve(hands).url)
    page.unfold(".more details")
    page.find('#forfeit [name="player"]').send_keys("Bruno")
    page.find('#forfeit [name="reason"]').send_keys("has to leave")
    page.tap("#forfeit button")
    page.wait_for(lambda: "Anna wins the match!" in page.text("#match"))
    assert json.loads(hands.record().splitlines()[-1]) == {
        "type": "forfeit",
        "player": 1,
        "reason": "has to leave",
    }


def test_four_players_in_pairs(serve: Serve, page: DashboardPage, table: FakeTable) -> None:
    state = playing_state()
    state["session"]["players"] = ["Anna", "Bruno", "Carla", "Dino"]
    state["score"]["state"].update(sides=[[0, 2], [1, 3]], turn=2, hand_sizes=[2, 2, 3, 2])
    table.change(state)
    page.open(serve(table).url)
    assert [name.split("\n")[0] for name in page.texts("#sides h3")] == ["Anna & Carla", "Bruno & Dino"]
    assert page.text("#turn-now") == "Carla to play"
    assert "Carla: to play" in page.text("#sides .turn")


@pytest.mark.parametrize(
    ("deck", "line"), [("auto", "Scopa · Si gioca"), ("italian", "Scopa · carte italiane · Si gioca")]
)
def test_the_deck_stood_as_auto_or_in_english_over_the_italian_table(
    serve: Serve, page: DashboardPage, table: FakeTable, deck: str, line: str
) -> None:
    state = table.state("it")
    state["session"]["deck"] = deck
    table.change(state)
    page.open(serve(table).url + "?lang=it")
    page.wait_for(lambda: page.text("#session") == line)
