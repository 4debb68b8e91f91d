from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.builders import detections, quad
from vision.camera import Frame
from vision.checks import ADVICE_CODES, Check, Checker, say, shift_share, tilt_degrees

SIZE = (1280, 720)


def card_face(seed: int = 0) -> np.ndarray:
    """A card with fine drawing, 200 x 320 pixels: white paper, a frame, pips and thin lines."""
    rng = np.random.default_rng(seed)
    face = np.full((320, 200, 3), 215, np.uint8)
    cv2.rectangle(face, (8, 8), (191, 311), (60, 60, 60), 1)
    for _ in range(9):
        centre = (int(rng.integers(30, 170)), int(rng.integers(30, 290)))
        cv2.circle(face, centre, 16, tuple(int(v) for v in rng.integers(0, 160, 3)), -1, cv2.LINE_AA)
        cv2.circle(face, centre, 12, (200, 200, 200), 1, cv2.LINE_AA)
        cv2.putText(face, "7", (centre[0] - 6, centre[1] + 6), 0, 0.5, (20, 20, 20), 1, cv2.LINE_AA)
    return face


def table(
    *,
    height: float = 160,
    blur: float = 0,
    light: float = 1,
    shift: tuple[float, float] = (0, 0),
    glare: bool = False,
) -> tuple[np.ndarray, list[np.ndarray]]:
    """A table with four cards of that height, out of focus, lit and moved as told."""
    rng = np.random.default_rng(1)
    image = cv2.resize(rng.integers(70, 130, (72, 128, 3), dtype=np.uint8), SIZE)
    quads = []
    for i in range(4):
        corners = quad(200 + 290 * i, 360, height * 0.625, height, 12 * i - 20)
        quads.append(corners)
        face = card_face(i)
        if glare:
            cv2.circle(face, (100, 120), 60, (255, 255, 255), -1)
        warp = cv2.getPerspectiveTransform(np.float32([[0, 0], [200, 0], [200, 320], [0, 320]]), corners)
        mask = cv2.warpPerspective(np.full((320, 200), 255, np.uint8), warp, SIZE, flags=cv2.INTER_AREA)
        drawn = cv2.warpPerspective(cv2.GaussianBlur(face, (0, 0), 0.8), warp, SIZE, flags=cv2.INTER_LINEAR)
        image[mask > 127] = drawn[mask > 127]
    if shift != (0, 0):
        image = cv2.warpAffine(image, np.float32([[1, 0, shift[0]], [0, 1, shift[1]]]), SIZE, borderMode=1)
    if blur:
        image = cv2.GaussianBlur(image, (0, 0), blur)
    noise = rng.normal(0, 3, image.shape)
    return np.clip(image * light + noise, 0, 255).astype(np.uint8), quads


def checked(
    frames: list[np.ndarray], quads: list[np.ndarray], *, every_ms: float = 33, **options: object
) -> dict[str, Check]:
    checker = Checker(**options)
    for index, image in enumerate(frames):
        checker.look(Frame(image, index * every_ms, index))
    checker.take(frames[-1], detections(quads))
    return {check.code: check for check in checker.checks()}


def test_a_good_table_is_good() -> None:
    image, quads = table()
    checks = checked([image] * 4, quads, claimed_fps=30)
    assert {check.verdict for check in checks.values()} == {"good"}, checks
    assert set(checks) == {
        "light", "overexposed", "frame-rate", "steadiness", "cards", "card-size", "focus", "glare", "angle",
    }  # fmt: skip
    assert checks["card-size"].value == pytest.approx(160, abs=1)
    assert checks["frame-rate"].value == pytest.approx(30, rel=0.02)
    assert all(check.advice is None for check in checks.values())


@pytest.mark.parametrize(
    ("what", "code", "verdict", "advice"),
    [
        ({"light": 0.5}, "light", "warn", "more-light"),
        ({"light": 0.2}, "light", "bad", "more-light"),
        ({"light": 3.0}, "overexposed", "bad", "less-light"),
        ({"blur": 3.0}, "focus", "warn", "focus"),
        ({"blur": 5.0}, "focus", "bad", "focus"),
        ({"height": 70}, "card-size", "warn", "closer"),
        ({"height": 40}, "card-size", "bad", "closer"),
        ({"glare": True}, "glare", "bad", "glare"),
    ],
)
def test_what_is_wrong_is_found_and_nothing_else_is_blamed_for_focus(
    what: dict, code: str, verdict: str, advice: str
) -> None:
    image, quads = table(**what)
    checks = checked([image] * 2, quads)
    assert (checks[code].verdict, checks[code].advice) == (verdict, advice), checks[code]
    if code == "light":
        assert checks["focus"].verdict == "good", "a dim picture is not out of focus"
    if code == "card-size":
        assert "focus" not in checks, "cards so small cannot be judged"


def test_sharpness_falls_as_the_focus_goes() -> None:
    values = [
        checked([image], quads)["focus"].value for image, quads in (table(blur=b) for b in (0, 1, 2, 3, 5))
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] > 2 * values[-1]


@pytest.mark.parametrize(
    ("every_ms", "claimed", "verdict", "advice"),
    [(33, 30, "good", None), (80, None, "warn", "slow-camera"), (200, 30, "bad", "slow-camera"),
     (40, 60, "warn", "slower-than-claimed")],
)  # fmt: skip
def test_the_real_frame_rate_is_measured(
    every_ms: float, claimed: float | None, verdict: str, advice: str | None
) -> None:
    image, quads = table()
    checks = checked([image] * 5, quads, every_ms=every_ms, claimed_fps=claimed)
    assert (checks["frame-rate"].verdict, checks["frame-rate"].advice) == (verdict, advice)
    assert "frame-rate" not in checked([image] * 5, quads, live=False), "a film tells nothing of a camera"


def test_dropped_frames_were_given_by_the_camera_all_the_same() -> None:
    image, _ = table()
    checker = Checker()
    for index in (0, 3, 6, 9):
        checker.look(Frame(image, index * 40, index))
    rate = next(check for check in checker.checks() if check.code == "frame-rate")
    assert rate.value == pytest.approx(25)


@pytest.mark.parametrize(("pixels", "verdict"), [(0, "good"), (6, "warn"), (30, "bad")])
def test_a_shaking_camera_is_told(pixels: float, verdict: str) -> None:
    frames = [table(shift=((-1) ** i * pixels / 2, 0))[0] for i in range(4)]
    assert checked(frames, table()[1])["steadiness"].verdict == verdict


def test_a_shift_is_measured_as_a_share_of_the_width() -> None:
    before, after = (
        cv2.cvtColor(cv2.resize(table(shift=(s, 0))[0], (320, 180), interpolation=cv2.INTER_AREA), 6).astype(
            np.float32
        )
        for s in (0, 16)
    )
    assert shift_share(before, after) == pytest.approx(16 / 1280, rel=0.15)
    assert shift_share(np.zeros((90, 160), np.float32), np.zeros((90, 160), np.float32)) == 0


def seen_from(degrees: float, turns: list[float], aspect: float) -> np.ndarray:
    """Cards on a table as a far camera sees it that is tilted by so many degrees."""
    quads = np.array([quad(0, 0, 100, 100 * aspect, turn) for turn in turns])
    quads[..., 1] *= np.cos(np.radians(degrees))
    return quads


@pytest.mark.parametrize("degrees", [0, 20, 40, 55, 65])
def test_the_camera_s_tilt_is_estimated(degrees: float) -> None:
    both = seen_from(degrees, [0, 3, 90, 87], 1.75)
    assert tilt_degrees(both) == pytest.approx(degrees, abs=6)
    assert tilt_degrees(seen_from(degrees, [0, -4], 1.5)) == pytest.approx(degrees, abs=8)
    assert tilt_degrees(seen_from(degrees, [90], 1.5)) == pytest.approx(degrees, abs=8)


def test_tilt_needs_a_card_that_stands_or_lies() -> None:
    assert tilt_degrees(np.zeros((0, 4, 2))) is None
    assert tilt_degrees(seen_from(0, [45, 135], 1.5)) is None


def test_no_card_in_sight_asks_for_one() -> None:
    image, _ = table()
    checks = checked([image], [])
    assert (checks["cards"].verdict, checks["cards"].advice) == ("warn", "show-a-card")
    assert "card-size" not in checks
    assert Checker().checks() == ()


@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("advice", ADVICE_CODES)
def test_every_advice_has_words(advice: str, language: str) -> None:
    words = say(advice, (7, 9), language)
    assert words.endswith(".")
    assert "{" not in words
    assert say(advice, (7, 9), "de") == say(advice, (7, 9), "en") != say(advice, (7, 9), "it")
