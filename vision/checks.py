"""Is the picture good enough? Light, focus, frame rate, size of cards, glare, angle and steadiness.

Owns what is measured on frames before people sit down to play, and the advice on each, in English and
Italian.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

from vision.boxes import is_card, share_inside
from vision.camera import Frame
from vision.crops import straighten
from vision.detections import FACE, Detections
from vision.detector import Detector

Verdict = Literal["good", "warn", "bad"]

LOOKED_AT = 8
"""Frames on which cards are looked for; the others only tell rate and steadiness."""
SMALL_WIDTH_PX = 320
FOCUS_HEIGHT_PX = 100
"""Height at which focus is judged: what is finer than this on a card, nobody needs to read it. Cards much
smaller than this cannot be judged, and are complained of as small."""
UPRIGHT_WITHIN_DEG = 25.0
"""A card counts as upright or crosswise in the picture if it is turned by no more than this."""
CARD_ASPECT = 1.5
"""Height by width of a card if nothing better is known: French cards have 1.4, Italian ones 1.6 to 1.9."""

# Bounds between good and warn, and between warn and bad.
DARK_LEVEL = (70.0, 40.0)
BRIGHT_SHARE = (0.05, 0.20)
# Cards of six decks, blurred by 1.5 and by 2.5 % of their height (standard deviation of the blur).
FOCUS = (0.045, 0.02)
RATE_FPS = (20.0, 10.0)
CARD_PX = (90.0, 50.0)
GLARE_SHARE = (0.04, 0.12)
TILT_DEG = (45.0, 60.0)
SHAKE_SHARE = (0.002, 0.01)
_CLIPPED = 248


@dataclass(frozen=True)
class Check:
    """Say how good one property of the picture is.

    Attributes:
        code: what was measured: ``light``, ``overexposed``, ``focus``, ``frame-rate``, ``card-size``,
            ``glare``, ``angle``, ``steadiness`` or ``cards``.
        value: what came out, in `unit`; None if it could not be measured.
        unit: "levels" (grey, 0 to 255), "share" (0 to 1), "sharpness", "fps", "px", "degrees" or "cards".
        verdict: "good", "warn" or "bad".
        advice: code of what to do, None if all is well. `say` puts it into words.
        args: numbers that the advice names.
    """

    code: str
    value: float | None
    unit: str
    verdict: Verdict
    advice: str | None = None
    args: tuple[float, ...] = ()


class Checker:
    """Gather measurements over some frames of a source, then judge.

    Args:
        detector: finds the cards; without one, size, glare and angle are not measured.
        claimed_fps: frames per second that the source claims.
        live: whether the frame rate is the camera's (of a film it says nothing about a camera).
    """

    def __init__(
        self, detector: Detector | None = None, *, claimed_fps: float | None = None, live: bool = True
    ) -> None:
        self._detector = detector
        self._claimed_fps = claimed_fps
        self._live = live
        self._times_ms: list[float] = []
        self._first_index: int | None = None
        self._last_index = 0
        self._levels: list[float] = []
        self._bright: list[float] = []
        self._shifts: list[float] = []
        self._before: npt.NDArray[np.float32] | None = None
        self._looked = 0
        self._counts: list[int] = []
        self._heights: list[float] = []
        self._focus: list[float] = []
        self._glare: list[float] = []
        self._quads: list[npt.NDArray[np.float32]] = []

    def look(self, frame: Frame) -> None:
        """Measure one frame."""
        self._times_ms.append(frame.t_ms)
        self._first_index = frame.index if self._first_index is None else self._first_index
        self._last_index = frame.index
        height, width = frame.image.shape[:2]
        small = cv2.resize(
            frame.image,
            (SMALL_WIDTH_PX, max(8, round(height * SMALL_WIDTH_PX / width))),
            interpolation=cv2.INTER_AREA,
        )
        grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
        self._levels.append(float(grey.mean()))
        self._bright.append(float((grey >= _CLIPPED).mean()))
        values = grey.astype(np.float32)
        if self._before is not None and self._before.shape == values.shape:
            self._shifts.append(shift_share(self._before, values))
        self._before = values
        if self._detector is not None and self._looked < LOOKED_AT:
            self._looked += 1
            self.take(frame.image, self._detector.detect(frame.image))

    def take(self, image: npt.NDArray[np.uint8], found: Detections) -> None:
        """Measure the cards that were found in a frame, (height, width, 3) uint8 BGR."""
        cards = found.pick(is_card(found.class_ids))
        whole = cards.pick(share_inside(cards.quads, (image.shape[0], image.shape[1])) > 0.95)
        self._counts.append(len(cards))
        self._heights.extend(whole.sizes.max(axis=1).tolist())
        self._quads.extend(whole.quads)
        faces = whole.of(FACE)
        if not len(faces):
            return
        size = (FOCUS_HEIGHT_PX, round(FOCUS_HEIGHT_PX * 0.62))
        for crop, height in zip(straighten(image, faces.quads, size), faces.sizes.max(axis=1), strict=True):
            grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)
            self._glare.append(glare_share(grey))
            if height >= 0.9 * FOCUS_HEIGHT_PX:
                self._focus.append(sharpness(grey))

    def checks(self) -> tuple[Check, ...]:
        """Return the verdicts on what was seen so far; empty if no frame was looked at."""
        if not self._times_ms:
            return ()
        level, bright = float(np.median(self._levels)), float(np.median(self._bright))
        checks = [
            Check("light", level, "levels", *_judged(level, DARK_LEVEL, "more-light", round(level))),
            Check(
                "overexposed",
                bright,
                "share",
                *_judged(bright, BRIGHT_SHARE, "less-light", round(bright * 100)),
            ),
        ]
        rate = self._rate_fps()
        if self._live and rate is not None:
            claimed = self._claimed_fps
            verdict, advice, args = _judged(rate, RATE_FPS, "slow-camera", round(rate))
            if verdict == "good" and claimed is not None and rate < 0.7 * claimed:
                verdict, advice, args = "warn", "slower-than-claimed", (round(rate), round(claimed))
            checks.append(Check("frame-rate", rate, "fps", verdict, advice, args))
        if self._shifts:
            shake = float(np.quantile(self._shifts, 0.9))
            checks.append(
                Check(
                    "steadiness",
                    shake,
                    "share",
                    *_judged(shake, SHAKE_SHARE, "fix-camera", round(shake * 100, 1)),
                )
            )
        if self._counts:
            checks.extend(self._of_cards())
        return tuple(checks)

    def _rate_fps(self) -> float | None:
        if len(self._times_ms) < 3 or self._first_index is None:
            return None
        span_ms = self._times_ms[-1] - self._times_ms[0]
        frames = self._last_index - self._first_index  # counts what was dropped, too: the camera did give it
        return frames * 1000 / span_ms if span_ms > 0 and frames > 0 else None

    def _of_cards(self) -> list[Check]:
        count = float(np.median(self._counts))
        if not self._heights:
            return [Check("cards", count, "cards", "warn", "show-a-card")]
        height = float(np.median(self._heights))
        checks = [
            Check("cards", count, "cards", "good"),
            Check("card-size", height, "px", *_judged(height, CARD_PX, "closer", round(height))),
        ]
        if self._focus:
            focus = float(np.median(self._focus))
            checks.append(Check("focus", focus, "sharpness", *_judged(focus, FOCUS, "focus")))
        if self._glare:
            glare = float(np.quantile(self._glare, 0.75))
            checks.append(
                Check("glare", glare, "share", *_judged(glare, GLARE_SHARE, "glare", round(glare * 100)))
            )
        tilt = tilt_degrees(np.array(self._quads, np.float32))
        if tilt is not None:
            checks.append(Check("angle", tilt, "degrees", *_judged(tilt, TILT_DEG, "steeper", round(tilt))))
        return checks


def sharpness(grey: npt.NDArray[np.uint8]) -> float:
    """Return how much of a picture's contrast is in its finest details: about 0 out of focus, 0.2 and more in
    focus.

    The mean square of the Laplacian by the mean square of the contrast, so that a dim picture does not count
    as blurred.

    Args:
        grey: (height, width) uint8.
    """
    values = grey.astype(np.float32)
    contrast = float(values.var())
    if contrast < 1:
        return 0.0
    noise_free = cv2.GaussianBlur(values, (0, 0), 0.7)
    return float(cv2.Laplacian(noise_free, cv2.CV_32F).var()) / contrast


def glare_share(grey: npt.NDArray[np.uint8]) -> float:
    """Return the share of a card's picture, (height, width) uint8, that is burnt out to white in one
    patch."""
    burnt = (grey >= _CLIPPED).astype(np.uint8)
    # Small white spots are paper between the pips; glare is a patch.
    side = max(3, grey.shape[1] // 12) | 1
    return float(cv2.morphologyEx(burnt, cv2.MORPH_OPEN, np.ones((side, side), np.uint8)).mean())


def shift_share(before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]) -> float:
    """Return by how much the whole picture moved between two frames, as a share of its width.

    Args:
        before: (height, width) float32 grey.
        after: the same of the later frame.
    """
    window = cv2.createHanningWindow((before.shape[1], before.shape[0]), cv2.CV_32F)
    (dx, dy), response = cv2.phaseCorrelate(before, after, window)
    if response < 0.05:  # nothing in common: a cut or a blank picture, not a shake
        return 0.0
    return float(np.hypot(dx, dy)) / before.shape[1]


def tilt_degrees(quads: npt.NDArray[np.floating], aspect: float = CARD_ASPECT) -> float | None:
    """Estimate how far the camera is from looking straight down, in degrees.

    A tilted camera shortens what points away from it: cards that stand upright in the picture look shorter
    and those that lie crosswise look longer. Both together need no knowledge of the deck; upright ones alone
    are held against `aspect`.

    Args:
        quads: (n, 4, 2) corners of whole cards, in the order of `Detections`.
        aspect: height by width of the real card.

    Returns:
        Degrees, 0 for straight down; None if no card stands upright or crosswise.
    """
    if not len(quads):
        return None
    across = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
    ratio = np.linalg.norm(down, axis=1) / np.maximum(np.linalg.norm(across, axis=1), 1e-6)
    turn = np.degrees(np.arctan2(np.abs(down[:, 0]), np.abs(down[:, 1])))
    upright, crosswise = ratio[turn <= UPRIGHT_WITHIN_DEG], ratio[turn >= 90 - UPRIGHT_WITHIN_DEG]
    if len(upright) and len(crosswise):
        cosine = float(np.sqrt(np.median(upright) / np.median(crosswise)))
    elif len(upright):
        cosine = float(np.median(upright)) / aspect
    elif len(crosswise):
        cosine = aspect / float(np.median(crosswise))
    else:
        return None
    return float(np.degrees(np.arccos(np.clip(cosine, 0, 1))))


def _judged(
    value: float, bounds: tuple[float, float], advice: str, *args: float
) -> tuple[Verdict, str | None, tuple[float, ...]]:
    """Judge a value by its two bounds; whether more or less is better shows in their order."""
    good, bad = bounds
    better = value >= good if good > bad else value <= good
    if better:
        return "good", None, ()
    still = value >= bad if good > bad else value <= bad
    return ("warn" if still else "bad"), advice, args


_WORDS: dict[str, dict[str, str]] = {
    "en": {
        "more-light": "The picture is dark (mean grey {0}): put a lamp over the table or open the curtains.",
        "less-light": "{0} % of the picture is burnt out: dim the light or lower the camera's exposure.",
        "slow-camera": "Only {0} pictures a second arrive: more light, a faster cable or a smaller picture helps.",
        "slower-than-claimed": "{0} pictures a second arrive of the {1} that the camera promises: "
        "more light usually helps.",
        "closer": "Cards are {0} pixels high: bring the camera closer or use a higher resolution.",
        "focus": "Cards are out of focus: clean the lens, focus on the table, and keep the focus fixed.",
        "glare": "{0} % of a card is glare: move the lamp or the camera so that it is not mirrored in the cards.",
        "steeper": "The camera looks at the table from the side ({0} degrees off): put it higher, looking down.",
        "fix-camera": "The picture shakes (by {0} % of its width): fix the camera to a stand.",
        "show-a-card": "No whole card is in sight: lay a few cards on the table, faces up, and check again.",
    },
    "it": {
        "more-light": "L'immagine è scura (grigio medio {0}): metti una lampada sul tavolo o apri le tende.",
        "less-light": "Il {0} % dell'immagine è bruciato: abbassa la luce o l'esposizione della telecamera.",
        "slow-camera": "Arrivano solo {0} immagini al secondo: aiuta più luce, un cavo più veloce "
        "o un'immagine più piccola.",
        "slower-than-claimed": "Arrivano {0} immagini al secondo delle {1} che la telecamera promette: "
        "di solito aiuta più luce.",
        "closer": "Le carte sono alte {0} pixel: avvicina la telecamera o usa una risoluzione più alta.",
        "focus": "Le carte sono sfocate: pulisci l'obiettivo, metti a fuoco il tavolo e blocca il fuoco.",
        "glare": "Il {0} % di una carta è un riflesso: sposta la lampada o la telecamera "
        "perché non si specchi nelle carte.",
        "steeper": "La telecamera guarda il tavolo di lato ({0} gradi): mettila più in alto, rivolta in giù.",
        "fix-camera": "L'immagine trema (del {0} % della larghezza): fissa la telecamera a un supporto.",
        "show-a-card": "Non si vede nessuna carta intera: metti alcune carte scoperte sul tavolo e riprova.",
    },
}
ADVICE_CODES: Sequence[str] = tuple(_WORDS["en"])
"""Every code that `Check.advice` can hold."""


def say(advice: str, args: Sequence[float] = (), language: str = "en") -> str:
    """Return an advice in words, in English ("en") or Italian ("it"); English for any other language."""
    return _WORDS.get(language, _WORDS["en"])[advice].format(*args)
