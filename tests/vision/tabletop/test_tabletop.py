"""The tabletop, fed with made-up detections."""

from __future__ import annotations

import numpy as np
import pytest

from rules.cards import ITALIAN_CODES
from tests.vision.tabletop.fakes import CARD, FakeTable, Piece, faces, passing, quad
from vision.classifier import CLASSES, Readings
from vision.detections import FACE, Detections
from vision.tabletop import Tabletop


@pytest.fixture
def table() -> FakeTable:
    """Give a table with four cards that have come to rest."""
    fake = FakeTable(Tabletop(ITALIAN_CODES, first_track=10), tremble_px=0.5)
    for i, code in enumerate(("7d", "3c", "Rs", "1b")):
        fake.put(code, 300 + 120 * i, 300, 0.1 * i)
    fake.run(1000)
    return fake


def test_a_table_at_rest_is_told_once(table: FakeTable) -> None:
    assert [faces(look) for look in table.looks] == [{"7d", "3c", "Rs", "1b"}]
    assert min(card.track for card in table.looks[0].cards) == 10
    assert table.run(2000) == []
    assert table.tabletop.is_settled
    assert {change.kind for change in table.changes} == {"appeared"}


def test_a_still_table_is_hardly_read(table: FakeTable) -> None:
    before = table.reads
    table.run(3000)
    assert table.reads == before


def test_a_card_that_comes_and_one_that_leaves(table: FakeTable) -> None:
    table.put("5s", 500, 500)
    assert [faces(look) for look in table.run(1000)] == [{"7d", "3c", "Rs", "1b", "5s"}]
    table.take("Rs")
    assert [faces(look) for look in table.run(1500)] == [{"7d", "3c", "1b", "5s"}]
    assert [change.card for change in table.changes if change.kind == "left"] == ["Rs"]


def test_hidden_by_a_hand_is_not_gone(table: FakeTable) -> None:
    table.hands = [(420, 300)]
    assert table.run(4000) == []
    hidden = [card for card in table.tabletop.cards() if card.state == "hidden"]
    assert [card.card for card in hidden] == ["3c"]
    table.hands = []
    assert table.run(1000) == []


def test_missed_by_the_detector_is_not_gone(table: FakeTable) -> None:
    table.missed = {"7d"}
    assert table.run(3000) == []
    assert all(card.state == "lying" for card in table.tabletop.cards())


def test_a_pushed_card_keeps_its_number(table: FakeTable) -> None:
    track = {max(c.probabilities, key=lambda k: c.probabilities[k]): c.track for c in table.looks[-1].cards}[
        "1b"
    ]
    table.carry("1b", 700, 480, 800)
    table.run(1200)
    shown = {card.card: card for card in table.tabletop.cards()}
    assert shown["1b"].track == track
    assert len(shown) == 4
    assert all(faces(look) == {"7d", "3c", "Rs", "1b"} for look in table.looks)


def test_a_card_drawn_away_under_a_hand_keeps_its_number(table: FakeTable) -> None:
    tracks = {card.card: card.track for card in table.tabletop.cards()}
    table.hands = [(420, 300)]
    table.run(500)
    table.pieces["3c"].x, table.pieces["3c"].y = 700, 550
    assert table.run(1500) == []
    table.hands = []
    table.run(1000)
    assert {card.card: card.track for card in table.tabletop.cards()} == tracks


def test_a_card_turned_where_it_lies_keeps_its_number(table: FakeTable) -> None:
    tracks = {card.card: card.track for card in table.tabletop.cards()}
    table.hands = [(300, 300)]
    table.run(500)
    table.pieces["7d"].angle = 1.4
    table.hands = []
    table.run(1500)
    assert {card.card: card.track for card in table.tabletop.cards()} == tracks


def test_a_camera_nudged_by_a_centimetre_changes_nothing(table: FakeTable) -> None:
    tracks = {card.card: card.track for card in table.tabletop.cards()}
    table.shift = (11.0, -7.0)
    assert table.run(1500) == []
    assert {card.card: card.track for card in table.tabletop.cards()} == tracks


def test_a_capture_leaves_in_one_look(table: FakeTable) -> None:
    table.put("7s", 320, 340)
    assert [faces(look) for look in table.run(900)] == [{"7d", "3c", "Rs", "1b", "7s"}]
    table.hands = [(310, 320)]
    table.run(400)
    table.take("7s")
    table.run(300)
    table.take("7d")
    table.hands = []
    looks = table.run(1200)
    assert [faces(look) for look in looks] == [{"3c", "Rs", "1b"}]


def test_a_card_laid_on_one_that_is_not_seen_for_a_moment_does_not_take_its_number(table: FakeTable) -> None:
    tracks = {card.card: card.track for card in table.tabletop.cards()}
    table.missed = {"3c"}
    table.put("7b", 560, 450)
    table.carry("7b", 445, 310, 400)
    table.run(300)
    table.missed = set()
    table.run(1200)
    assert faces(table.looks[-1]) == {"7d", "3c", "Rs", "1b", "7b"}
    now = {card.card: card.track for card in table.tabletop.cards()}
    assert {code: now[code] for code in tracks} == tracks


def test_departures_wait_for_a_hand_that_covers_others(table: FakeTable) -> None:
    table.take("7d")
    table.hands = [(420, 300)]
    assert table.run(1500) == []
    table.take("3c")
    table.hands = []
    assert [faces(look) for look in table.run(1200)] == [{"Rs", "1b"}]


def test_a_card_seen_in_passing(table: FakeTable) -> None:
    table.put("3s", 560, 450)
    table.carry("3s", 440, 330, 500, covered=False)
    table.hands = [(430, 315)]
    table.run(200)
    table.take("3s", "3c")
    table.run(200)
    table.hands = []
    looks = table.run(1200)
    assert [faces(look) for look in looks] == [{"7d", "Rs", "1b"}]
    assert passing(looks[0]) == {"3s"}


def test_a_flicker_is_no_card(table: FakeTable) -> None:
    table.ghosts = [(900, 600)]
    table.run(200)
    table.ghosts = []
    assert table.run(1500) == []


def test_a_box_without_a_face_is_no_card(table: FakeTable) -> None:
    table.ghosts = [(900, 600)]
    assert table.run(3000) == []


def test_backs_are_piles_and_a_marker_on_one_is_not_on_the_table(table: FakeTable) -> None:
    table.put("pile", 1000, 600, is_back=True)
    assert table.run(1000) == []
    assert [card.zone for card in table.tabletop.cards() if card.face == "down"] == ["pile"]
    table.put("7d", 1025, 600, 1.57)
    looks = table.run(2000)
    assert faces(looks[-1]) == {"3c", "Rs", "1b"}


def test_a_second_marker_beside_the_first_is_not_on_the_table(table: FakeTable) -> None:
    table.put("pile", 1000, 600, is_back=True)
    table.run(1000)
    table.put("7d", 1000, 600, 1.57)
    table.run(1500)
    table.put("3c", 1058, 604, 1.57)
    looks = table.run(2000)
    assert faces(looks[-1]) == {"Rs", "1b"}


def test_a_card_that_lies_there_is_no_part_of_a_pile_that_seems_to_lie_on_it(table: FakeTable) -> None:
    table.pieces = {"pile": Piece("pile", 318, 322, is_back=True), **table.pieces}
    table.run(2000)
    del table.pieces["pile"]
    table.run(1000)
    assert {card.card: card.zone for card in table.tabletop.cards()}["7d"] == "table"
    assert table.run(1000) == []


def test_a_card_that_has_a_box_in_one_picture_only_is_found_by_its_face(table: FakeTable) -> None:
    table.put("5s", 500, 500)
    table.run(100)
    table.missed = {"5s"}
    assert not table.tabletop.is_settled
    assert faces(table.run(1000)[-1]) == {"7d", "3c", "Rs", "1b", "5s"}
    table.take("5s")
    assert faces(table.run(1000)[-1]) == {"7d", "3c", "Rs", "1b"}


def test_a_card_seen_too_seldom_to_count_is_looked_for_soon(table: FakeTable) -> None:
    table.put("5s", 500, 500)
    table.run(200)
    assert not table.tabletop.is_settled


def test_a_face_that_the_detector_takes_for_a_back_is_on_the_table(table: FakeTable) -> None:
    table.put("5s", 500, 500, found_as_back=True)
    assert faces(table.run(1500)[-1]) == {"7d", "3c", "Rs", "1b", "5s"}
    assert {card.card: card.face for card in table.tabletop.cards()}["5s"] == "up"


def test_evidence_adds_up_and_a_wrong_first_reading_is_corrected(table: FakeTable) -> None:
    piece = table.put("5s", 500, 500, misread={"6s": 0.6, "5s": 0.35})
    looks = table.run(900)
    told = {max(c.probabilities, key=lambda k: c.probabilities[k]): c for c in looks[-1].cards}
    assert "6s" in told
    piece.misread = None
    again = table.run(4000)
    assert "5s" in faces(again[-1])
    assert told["6s"].track in {card.track for card in again[-1].cards}
    assert "read-anew" in {change.kind for change in table.changes}


def test_many_frames_of_one_doubtful_reading_do_not_make_it_sure(table: FakeTable) -> None:
    table.put("5s", 500, 500, misread={"6s": 0.5, "5s": 0.45})
    looks = table.run(6000)
    probabilities = next(c.probabilities for c in looks[-1].cards if "6s" in c.probabilities)
    assert probabilities["5s"] > 0.3


def test_two_cards_never_show_the_same_face(table: FakeTable) -> None:
    table.put("6d", 500, 500, misread={"7d": 0.6, "6d": 0.38})
    table.run(2000)
    shown = sorted(str(card.card) for card in table.tabletop.cards())
    assert shown == ["1b", "3c", "6d", "7d", "Rs"]


def test_two_boxes_of_one_card_are_one_card(table: FakeTable) -> None:
    table.put("5s", 500, 500)
    table.ghosts = [(512, 500)]  # a second box, whose centre is hardly beside the first one's
    (look,) = table.run(2000)
    assert faces(look) == {"7d", "3c", "Rs", "1b", "5s"} and len(look.cards) == 5


def test_two_boxes_that_read_alike_and_cover_each_other_are_one_card(table: FakeTable) -> None:
    table.put("5s", 500, 500)
    table.ghosts = [(519, 500)]
    (look,) = table.run(2000)
    assert len(look.cards) == 5


def test_a_card_laid_on_one_known_for_long_without_a_hand_is_another_card(table: FakeTable) -> None:
    before = {card.track for card in table.looks[-1].cards}
    table.run(2000)
    old = table.pieces["3c"]
    for _ in range(2):  # a nudge has the card read again
        old.x += 8
        table.run(100)
    table.put("Fb", old.x, old.y, old.angle)
    looks = table.run(2500)
    assert "Fb" in faces(looks[-1])
    (new,) = [card for card in looks[-1].cards if card.probabilities.get("Fb", 0) > 0.5]
    assert new.track not in before


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(ValueError, match="8z"):
        Tabletop(["7d", "8z"])


def test_cards_side_by_side_that_were_taken_for_each_other_change_back(table: FakeTable) -> None:
    tracks = {card.card: card.track for card in table.tabletop.cards()}
    table.pieces["7d"].x += 12  # pushed by the hand that lays a card beside it, which hides it for a moment
    table.run(100)
    table.missed = {"7d"}
    table.put("5s", 230, 330)
    table.run(100)
    table.missed = set()
    table.run(1500)
    shown = {card.card: card.track for card in table.tabletop.cards()}
    assert {code: shown.get(code) for code in tracks} == tracks
    assert [faces(look) for look in table.looks[1:]] == [{"7d", "3c", "Rs", "1b", "5s"}]


def test_a_card_whose_box_shrank_under_a_hand_before_it_was_missed_still_lies_there(table: FakeTable) -> None:
    table.pieces["3c"].y += 10  # the hand beside it leaves only part of it to be seen
    table.run(100)
    table.pieces["3c"].y -= 10
    table.missed = {"3c"}
    assert table.run(3000) == []
    assert {card.card for card in table.tabletop.cards()} == {"7d", "3c", "Rs", "1b"}


def test_a_card_laid_half_on_one_that_is_sure_does_not_change_its_face(table: FakeTable) -> None:
    tracks = {card.card: card.track for card in table.tabletop.cards()}
    table.run(1500)
    table.pieces["3c"].misread = {"3s": 0.77, "3c": 0.02}  # what lies on it is read in its place
    table.hands = [(420, 300)]
    table.run(200)
    table.hands = []
    table.run(500)
    assert {card.card: card.track for card in table.tabletop.cards()}["3c"] == tracks["3c"]
    assert "3s" in {card.card for card in table.tabletop.cards()}


def test_half_hidden_a_sure_card_stays_sure(table: FakeTable) -> None:
    tracks = {card.card: card.track for card in table.tabletop.cards()}
    table.pieces["3c"].misread = {"7c": 0.28, "6c": 0.24, "Fc": 0.2, "Rc": 0.2}  # a card lies half over it
    for _ in range(3):
        table.hands = [(420, 300)]
        table.run(200)
        table.hands = []
        table.run(600)
    table.pieces["3c"].misread = {"6s": 0.95}  # and then over all of it
    table.run(600)
    shown = {card.card: card.track for card in table.tabletop.cards()}
    assert shown.get("3c") == tracks["3c"]
    assert shown.get("6s") not in tracks.values()


def test_two_boxes_between_the_same_corners_are_one_card() -> None:
    """A box on the upper part of the 4 of denari read as the 2, and lay there as a card of its own."""
    whole, piece = quad(400, 300), quad(400, 282, size=(CARD[0], CARD[1] * 0.88))
    found = Detections(np.array([whole, piece]), np.array([0.6, 0.4]), np.array([FACE, FACE]))

    def read(quads: np.ndarray) -> Readings:
        log_probs = np.full((len(quads), len(CLASSES)), np.log(1e-4), np.float32)
        for row, box in zip(log_probs, quads, strict=True):
            row[CLASSES.index("4d" if box.mean(axis=0)[1] > 295 else "2d")] = np.log(0.95)
        flags = np.zeros(len(quads), bool)
        corners = np.tile(whole, (len(quads), 1, 1))
        return Readings(log_probs, np.zeros((len(quads), 1), np.float32), flags, flags, corners)

    tabletop = Tabletop(ITALIAN_CODES)
    for t_ms in range(0, 2000, 100):
        tabletop.update(np.zeros((720, 1280, 3), np.uint8), t_ms, found, read)
    looks = tabletop.take_looks()
    assert [faces(look) for look in looks] == [{"4d"}]
