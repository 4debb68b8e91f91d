"""Films of slaps: what is drawn is what the truth says, and the same seed gives the same film."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from datasets.slaps import exposure, layers
from datasets.slaps.__main__ import main
from datasets.slaps.case import KINDS, Case, Flip, HandCase
from datasets.slaps.course import Jolt, SlapCourse
from datasets.slaps.exposure import Exposures
from datasets.slaps.hands import Persons
from datasets.slaps.layers import HandLayer
from datasets.slaps.room import Room, Shutter
from datasets.slaps.suite import film_suite, suite_films
from datasets.slaps.truth import film_truth, hand_overlaps, outlines
from datasets.slaps.write import SlapFilm, prepare, write_film
from rules.record import parse_record
from scorer import score_record

SIZE = (320, 180)


@pytest.fixture(scope="module", autouse=True)
def drawn_hands_only() -> object:
    """Films of these tests need nothing but the project's own files."""
    patch = pytest.MonkeyPatch()
    patch.setenv("ARBITRO_SHARED", "/nowhere")
    yield
    patch.undo()


def case_of(hands: tuple[HandCase, ...], *, players: int = 2, game: str = "slapjack") -> Case:
    """Two players (or more) around a pile, a jack on top from 400 ms on."""
    angles = tuple(270.0 - 360 / players * seat for seat in range(players))
    return Case(game, "slap", "wide", angles, (("9C", "4D", "KH"),), 0, (Flip(1, "JS", 400.0),), hands, False, 0.0, 0.0,
                1700.0)


STACKED = case_of((HandCase(0, "right", 800.0, 45.0, 0.0, 1300.0), HandCase(1, "left", 871.0, 45.0, 0.0, 1250.0)))
APART = case_of((HandCase(0, "right", 800.0, -30.0, 0.0, 1300.0), HandCase(1, "left", 871.0, -30.0, 0.0, 1250.0)))
FEINT = case_of((HandCase(0, "right", 800.0, 20.0, 0.0, 950.0, feint=True, stops_mm=50.0),))


@pytest.fixture(scope="module")
def stacked() -> SlapFilm:
    return prepare(5, size=SIZE, case=STACKED)


def course_of(film: SlapFilm, index: int) -> SlapCourse:
    course = film.stage.hands[index].course
    assert isinstance(course, SlapCourse)
    return course


# ---------------------------------------------------------------- motion


def test_a_hand_stops_at_its_contact_and_not_before(stacked: SlapFilm) -> None:
    for index in (0, 1):
        course = course_of(stacked, index)
        t = course.contact_ms
        falling = [course.at(t - before).z for before in (40, 20, 10, 5, 1)]
        assert all(higher > lower for higher, lower in pairwise(falling))
        assert falling[-1] > course.height_mm
        # It comes down at some metres a second and is still at once.
        assert (course.at(t - 2).z - course.height_mm) / 2 > 0.7
        assert course.at(t).z == pytest.approx(course.height_mm)
        assert course.at(t + 30).z == pytest.approx(course.height_mm)
        assert course.at(course.parted_ms + 60).z > course.height_mm + 1


def test_the_hand_that_touches_later_lies_higher_and_is_drawn_over_the_other(stacked: SlapFilm) -> None:
    lower, upper = stacked.stage.hands
    assert course_of(stacked, 1).height_mm > course_of(stacked, 0).height_mm + 5
    assert stacked.stage.layers.index(lower) < stacked.stage.layers.index(upper)


def test_a_feint_stops_above_the_pile() -> None:
    film = prepare(5, size=SIZE, case=FEINT)
    course = course_of(film, 0)
    lowest = min(course.at(t).z for t in np.linspace(0, 1700, 800))
    assert lowest == pytest.approx(film.stage.heights_mm[0] + 50.0, abs=0.5)
    # Nobody holds his hand still in the air.
    held = [course.at(t) for t in np.linspace(course.contact_ms, course.parted_ms, 7)]
    assert all(a != b for a, b in pairwise(held))
    truth = film_truth(film.stage, film.slots, film.fps)
    assert truth["slaps"][0]["hands"][0]["contact_ms"] is None
    assert truth["slaps"][0]["verdict"] == "none"


def test_a_jolt_moves_the_pile_by_a_millimetre_and_settles() -> None:
    jolt = Jolt(100.0, 1.0, -0.5)
    assert jolt.at(99.9) == (0.0, 0.0)
    assert jolt.at(300.0) == (1.0, -0.5)
    ways = [math.hypot(*jolt.at(t)) for t in np.linspace(100, 200, 400)]
    assert max(abs(b - a) for a, b in pairwise(ways)) < 0.05
    assert max(ways) < 1.5


def test_a_card_comes_down_quickly_and_lies_where_the_truth_says(stacked: SlapFilm) -> None:
    course, lands = stacked.stage.flips[0].course, STACKED.flips[0].lands_ms
    assert course.lies_ms == lands
    before, at_once = course.at(lands - 0.01), course.at(lands)
    assert (before.x, before.y, before.z) == pytest.approx((at_once.x, at_once.y, at_once.z), abs=0.05)
    assert (course.at(lands - 10).z - at_once.z) / 10 > 0.15
    assert course.at(lands + 100) == at_once
    truth = film_truth(stacked.stage, stacked.slots, stacked.fps)
    assert truth["plays"][0]["quad"] == pytest.approx(stacked.stage.flips[0].quad(lands + 50) + 0.5, abs=0.06)


def test_contacts_jolt_the_cards_that_lie_there(stacked: SlapFilm) -> None:
    card = stacked.stage.flips[0]
    before, after = card.quad(795.0), card.quad(860.0)
    assert 0 < float(np.abs(after - before).max()) < 4 * stacked.stage.room.px_per_mm
    assert np.array_equal(card.quad(500.0), before)


# ---------------------------------------------------------------- pictures


def without_noise(film: SlapFilm, t_ms: float, shutter: Shutter | None = None) -> np.ndarray:
    room = film.stage.room if shutter is None else replace(film.stage.room, shutter=shutter)
    return Exposures(room, film.stage.layers).take(t_ms)


def test_the_picture_shows_the_upper_hand_where_hands_overlap(stacked: SlapFilm) -> None:
    t_ms = 1000.0
    lower, upper = stacked.stage.hands
    both = lower.mask(t_ms, SIZE) & upper.mask(t_ms, SIZE)
    inner = cv2.erode(both.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    assert inner.sum() > 20
    picture = without_noise(stacked, t_ms).astype(int)
    alone = Exposures(stacked.stage.room, [*(layer for layer in stacked.stage.layers
                                             if layer is not lower)]).take(t_ms).astype(int)
    assert np.abs(picture - alone)[inner].mean() < 1.5
    assert np.abs(picture - alone)[lower.mask(t_ms, SIZE) & ~upper.mask(t_ms, SIZE)].mean() > 15


def test_what_does_not_move_is_the_same_whatever_the_shutter() -> None:
    stacked = prepare(5, size=SIZE, case=STACKED)
    for index in (0, 1):
        course_of(stacked, index).slide = (0.0, 0.0)
    slow, fast = Shutter(1000 / 30, 33.0, 25.0), Shutter(1000 / 30, 4.0, 0.0)
    assert np.array_equal(without_noise(stacked, 1100.0, slow), without_noise(stacked, 1100.0, fast))


def test_a_long_exposure_is_the_mean_of_short_ones(stacked: SlapFilm) -> None:
    t_ms, exposure = 760.0, 24.0
    slow = without_noise(stacked, t_ms, Shutter(1000 / 30, exposure, 0.0)).astype(float)
    moments = t_ms + (np.arange(48) + 0.5) / 48 * exposure - exposure / 2
    mean = np.mean([without_noise(stacked, t, Shutter(1000 / 30, 0.1, 0.0)) for t in moments], axis=0)
    assert np.abs(slow - mean).mean() < 0.3
    assert np.abs(slow - without_noise(stacked, t_ms, Shutter(1000 / 30, 0.1, 0.0))).mean() > 0.6


def test_a_rolling_shutter_sees_lower_rows_later(stacked: SlapFilm) -> None:
    t_ms, readout = 770.0, 24.0
    rolling = without_noise(stacked, t_ms, Shutter(1000 / 30, 1.0, readout)).astype(int)
    early = without_noise(stacked, t_ms - readout / 2, Shutter(1000 / 30, 1.0, 0.0)).astype(int)
    late = without_noise(stacked, t_ms + readout / 2, Shutter(1000 / 30, 1.0, 0.0)).astype(int)
    top, bottom = slice(0, 8), slice(-8, None)
    for rows, right, wrong in ((top, early, late), (bottom, late, early)):
        assert np.abs(rolling[rows] - right[rows]).mean() <= np.abs(rolling[rows] - wrong[rows]).mean()
    assert np.abs(rolling - early).mean() > 0.2


def test_the_drawn_hand_reaches_the_pile_at_its_contact(stacked: SlapFilm) -> None:
    """A hand shrinks in the picture until it touches, and then no longer."""
    hand = stacked.stage.hands[0]

    def length(t_ms: float) -> float:
        tip, _, wrist = hand.fingers_px(t_ms)
        return float(np.hypot(*(tip - wrist)))

    t = STACKED.hands[0].touches_ms
    assert length(t - 30) > length(t - 10) > length(t - 1) > length(t) - 1e-6
    assert length(t + 5) == pytest.approx(length(t), rel=0.01)


@pytest.mark.parametrize("t_ms", [720.0, 780.0, 1000.0])
def test_strips_of_a_slanting_arm_leave_nothing_out(t_ms: float, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = (HandCase(0, "right", 800.0, 45.0, 0.0, 1300.0), HandCase(2, "left", 871.0, 45.0, 0.0, 1250.0))
    film = prepare(6, size=SIZE, case=case_of(hands, players=3))
    in_strips = Exposures(film.stage.room, film.stage.layers).take(t_ms).astype(int)
    monkeypatch.setattr(layers, "_parts", lambda canvas, shapes: [(0, 0, *canvas.pixels.shape[1::-1])])
    whole = Exposures(film.stage.room, film.stage.layers).take(t_ms).astype(int)
    # A shadow's last faint edge may be cut.
    assert np.abs(in_strips - whole).max() <= 4


def test_hands_that_move_apart_are_drawn_as_if_together(stacked: SlapFilm, monkeypatch: pytest.MonkeyPatch) -> None:
    apart = without_noise(stacked, 760.0).astype(int)
    monkeypatch.setattr(exposure, "_meet", lambda a, b: True)
    assert np.abs(apart - without_noise(stacked, 760.0)).mean() < 0.3


def test_outlines_are_where_the_picture_shows_hands(stacked: SlapFilm) -> None:
    t_ms = 1000.0
    found = outlines(stacked.stage, t_ms)
    assert [(hand["player"], hand["hand"]) for hand in found] == [(0, "right"), (1, "left")]
    assert found[1]["seen"] == 1.0
    assert found[0]["seen"] < 1.0
    covered = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    for hand in found:
        cv2.fillPoly(covered, [np.array(hand["outline"], np.int32)], 1)
    table = Exposures(stacked.stage.room, [layer for layer in stacked.stage.layers
                                           if not isinstance(layer, HandLayer)]).take(t_ms).astype(int)
    changed = np.abs(without_noise(stacked, t_ms).astype(int) - table).max(axis=2) > 60
    assert (changed & (cv2.dilate(covered, np.ones((5, 5), np.uint8)) == 0)).sum() < 0.02 * changed.sum()


# ---------------------------------------------------------------- truth


def test_the_truth_tells_order_overlap_and_verdict(stacked: SlapFilm) -> None:
    truth = film_truth(stacked.stage, stacked.slots, stacked.fps)
    slap = truth["slaps"][0]
    assert slap["t_ms"] == 800.0
    assert slap["top_card"] == "JS"
    assert slap["overlaps"] == [[0, 1]]
    assert slap["order_bottom_up"] == [0, 1]
    assert slap["verdict"] == "player 0"
    assert slap["gap_ms"] == 71.0
    assert [hand["contact_ms"] for hand in slap["hands"]] == [800.0, 871.0]
    assert [seat["side"] for seat in truth["seats"]] == ["bottom", "top"]
    assert truth["plays"][0]["card"] == "JS"
    assert truth["plays"][0]["t_ms"] == 400.0


def test_hands_that_lie_apart_do_not_overlap() -> None:
    film = prepare(5, size=SIZE, case=APART)
    assert hand_overlaps(film.stage) == []
    assert film_truth(film.stage, film.slots, film.fps)["slaps"][0]["order_bottom_up"] == []


def test_a_players_second_hand_does_not_count() -> None:
    hands = (*STACKED.hands, HandCase(0, "left", 930.0, 45.0, 10.0, 1240.0))
    film = prepare(5, size=SIZE, case=case_of(hands))
    slap = film_truth(film.stage, film.slots, film.fps)["slaps"][0]
    assert [hand["counts"] for hand in slap["hands"]] == [True, True, False]
    assert [1, 2] in slap["hand_overlaps"]
    assert slap["overlaps"] == [[0, 1]]
    assert slap["verdict"] == "player 0"


@pytest.mark.parametrize(("game", "kind"), [("slapjack", "slap"), ("slapjack", "false"), ("irish-snap", "slap"),
                                            ("spit", "grab"), ("spit", "landings")])
def test_the_verdict_is_that_of_the_rules_on_the_record(game: str, kind: str, tmp_path: Path) -> None:
    film = prepare(11, size=(160, 120), game=game, kind=kind)
    film = replace(film, slots=film.slots[:3])
    write_film(film, tmp_path, "f")
    truth = json.loads((tmp_path / "f.json").read_text())
    document = score_record(parse_record((tmp_path / "f.jsonl").read_text()).events)
    if kind == "landings":
        assert truth["slaps"] == []
        assert [play["ruling"] for play in truth["plays"]] == [told["ruling"] for told in document["landings"]]
        return
    told = document["grabs" if game == "spit" else "slaps"]
    found = {f"player {entry['player']}" for entry in told
             if entry["verdict"] in {"slapjack": ("wins",), "irish-snap": ("takes",), "spit": ("gets",)}[game]}
    verdict = truth["slaps"][0]["verdict"]
    assert {verdict} == found if len(found) == 1 else verdict == ("both" if found else "false")


# ---------------------------------------------------------------- files


def test_frames_have_their_real_times_and_lost_ones_are_missing(tmp_path: Path) -> None:
    film = prepare(5, size=(160, 120), case=replace(STACKED, missing=0.2, repeated=0.2))
    write_film(film, tmp_path, "f")
    truth = json.loads((tmp_path / "f.json").read_text())
    with av.open(str(tmp_path / "f.mp4")) as container:
        shown = [(float(frame.pts * frame.time_base) * 1000, frame.to_ndarray(format="gray"))
                 for frame in container.decode(video=0)]
    wanted = [frame for frame in truth["frames"] if not frame["dropped"]]
    assert len(wanted) < len(truth["frames"])
    assert [t for t, _ in shown] == pytest.approx([frame["t_ms"] for frame in wanted], abs=0.05)
    again = [i for i, frame in enumerate(wanted) if frame["duplicate"]]
    assert again
    for i in again:
        assert np.abs(shown[i][1].astype(int) - shown[i - 1][1].astype(int)).mean() < 2


def test_the_same_seed_gives_the_same_film(tmp_path: Path) -> None:
    for name in ("a", "b"):
        film = prepare(4, size=(160, 120), game="slapjack", kind="slap")
        write_film(replace(film, slots=film.slots[30:36]), tmp_path, name, with_outlines=True)
    for ending in ("mp4", "json", "jsonl", "outlines.jsonl"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_the_command_writes_films_named_by_their_seeds(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["--out", str(tmp_path), "--seed", "8", "--size", "160x120", "--game", "spit",
                                     "--kind", "grab", "--outlines"])
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["008.json", "008.jsonl", "008.mp4",
                                                                "008.outlines.jsonl"]
    truth = json.loads((tmp_path / "008.json").read_text())
    lines = (tmp_path / "008.outlines.jsonl").read_text().splitlines()
    assert len(lines) == sum(not frame["dropped"] for frame in truth["frames"])
    assert any(hand["slaps"] for line in lines for hand in json.loads(line)["hands"])


@pytest.mark.parametrize("options", [["--fps", "24"], ["--size", "321x180"], ["--size", "big"], ["--game", "scopa"],
                                     ["--game", "spit", "--kind", "late"], ["--split", "all"], ["--count", "0"],
                                     ["--suite", "x"]])
def test_options_that_cannot_be_filmed_are_refused_with_one_line(options: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["--out", str(tmp_path), *options])
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    assert done.output.strip()


def test_the_suite_goes_on_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "000.json").write_text("{}")
    lines: list[str] = []
    film_suite(tmp_path, suite_films(1), (160, 120), told=lines.append)
    assert lines == []


def test_the_suite_shows_every_kind_at_every_rate() -> None:
    films = suite_films(300)
    assert len({film.seed for film in films}) == len({film.name for film in films}) == 300
    assert {film.kind for film in films} == set(KINDS)
    assert {film.fps for film in films} == {25, 30, 60}
    assert suite_films(5, 20) == films[20:25]


@pytest.mark.parametrize("dim", [False, True])
@pytest.mark.parametrize("fps", [25, 30, 60])
def test_shutters_keep_within_the_frame(fps: int, dim: bool) -> None:
    for seed in range(60):
        shutter = Shutter.random(np.random.default_rng(seed), fps, dim)
        assert 1000 / 250 - 1e-9 <= shutter.exposure_ms <= min(1000 / 30, shutter.interval_ms) + 0.2
        assert 0 <= shutter.readout_ms <= shutter.interval_ms
        assert (shutter.interval_ms > 1000 / fps * 1.4) == dim


def test_a_room_that_cannot_be_filmed_is_refused() -> None:
    with pytest.raises(ValueError, match="even"):
        Room.random(1, (161, 120), 30)
    with pytest.raises(ValueError, match="25, 30 or 60"):
        prepare(1, fps=24)
    with pytest.raises(ValueError, match="split"):
        Persons("all")
