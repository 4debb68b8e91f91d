"""When a hand first touched, to below a frame, from where it was in the frames before.

A slap is stopped by what it hits: until the contact the hand is on its way, at a speed that changes little in the
last frames, and from the contact on it lies still. So the time is where the way that the frames before show comes to
its end. How well that is known follows from how well places are measured, from how much the speed can change, and from
how long the shutter is open; it is given as half the width of the interval that holds 95 % of the probability.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

PLACE_PX = 0.45
"""Standard deviation of the place of a hand that rests, in pixels."""
BLUR_SHARE = 0.05
"""Further standard deviation of a moving hand's place, as a share of what it moves in a frame."""
UNLIKE_PX = 20.0
"""Standard deviation of the place of a hand that looks like nothing of its template; the less is alike, the more of it
(in squares) is added."""
GAIN_PER_MS = 1 / 400
"""How much faster a slapping hand usually becomes in a millisecond, as a share of its speed."""
CHANGE_PER_MS = 1 / 120
"""By how much that may be different (standard deviation): a hand comes down within a tenth of a second or so, and does
not double its speed in the last frames, nor lose it."""
PUSH_PX = 1.0
"""How far a resting hand is pushed by others that come down (standard deviation)."""
EXPOSURES = (0.1, 0.5, 0.95)
"""Exposure times that a camera may use, as shares of the time between two frames."""
LEAST_ERROR = 0.25
"""Error that every time has besides that of the fit, as a share of the time between two frames: hands bend and slow
down in ways that no fit of a few frames sees, and while the shutter is open they may be seen at rest already."""
ONCE_ERROR = 0.6
"""Error in addition, as a share of that time, where only one frame shows the hand on its way: those before it show it
somewhere from where it cannot have come, and how fast it was is not known. If they show it nearer, it may be that one
frame in which it was found in a wrong place, and the hand may have touched before."""
FITTED_SHARE = 0.6
"""What the fit holds possible is wider than what happens; and where two hands are compared their errors are added up,
though both are seldom off against one another."""
SPEED_RATIO = 2.0
"""By how much a hand's speed may change from frame to frame; more than that, and it was found in a wrong place."""
SLOW_PX = 12.0
"""Nearer than this to where it rests, speeds are too uncertain to tell."""
COVERED = 0.95
_GRID = 101
_INSIDE = 7


@dataclass(frozen=True)
class Touch:
    """Say when a hand touched.

    Attributes:
        t_ms: media time in ms.
        error_ms: how well that is known: of two hands, the true time between them differs from what is found by less
            than both errors together in at least 95 of 100 cases.
        speed_px_ms: speed just before, in pixels of the small picture a ms.
    """

    t_ms: float
    error_ms: float
    speed_px_ms: float


def fit_touch(
    times_ms: npt.NDArray[np.float64],
    places_px: npt.NDArray[np.float64],
    interval_ms: float,
    still_ms: float,
    supports: npt.NDArray[np.float64] | None = None,
) -> Touch:
    """Fit the time of contact.

    Args:
        times_ms: (n,) times of the frames, in order: the last moving ones and at least one that rests.
        places_px: (n, k) how far the hand was from where it rests, in pixels, in k independent ways.
        interval_ms: time between two frames.
        still_ms: time of the first frame in which it rests.
        supports: (n,) share of the hand's look that was found again in each frame; 1 if not given.

    Raises:
        ValueError: without a frame before the one in which it rests.
    """
    if not (times_ms < still_ms).any():
        raise ValueError("there is no frame before the one in which the hand rests")
    all_ms, far = times_ms, np.linalg.norm(places_px, axis=1)
    begin = _steady_from(times_ms, places_px, still_ms)
    unlike = np.zeros(len(times_ms)) if supports is None else 1 - supports
    times_ms, places_px, unlike = times_ms[begin:], places_px[begin:], unlike[begin:]
    before = times_ms < still_ms
    last_ms = float(times_ms[before][-1])
    # The shutter may have been open around the frames' times for as long as lies between them. Only what looks like a
    # small last move may be the push of another hand.
    pushed = float(np.linalg.norm(places_px[before][-1])) < 4 * PUSH_PX
    low, high = last_ms - (1.2 if pushed else 0.5) * interval_ms, still_ms + 0.5 * interval_ms
    grid = np.linspace(low, high, _GRID)
    steps = np.zeros(len(times_ms))
    steps[1:] = np.linalg.norm(np.diff(places_px, axis=0), axis=1)
    steps[0] = steps[1] if len(steps) > 1 else 0.0
    ahead = np.append(steps[1:], 0.0)
    sigma = PLACE_PX + BLUR_SHARE * np.maximum(steps, ahead) + UNLIKE_PX * unlike**2
    moving = np.flatnonzero(before)
    usual = max(float(np.median(steps[moving])), float(steps[moving[-1]]), 1.0) / interval_ms
    exposures = np.array(EXPOSURES) * interval_ms
    scores, speeds = _misfits(times_ms, places_px, sigma, grid, exposures, usual)
    likely = np.exp(-0.5 * (scores - scores.min()))
    share = likely.sum(axis=0)
    share /= share.sum()
    mean = float((grid * share).sum())
    order = np.argsort(np.abs(grid - mean))
    within = np.cumsum(share[order])
    half = float(np.abs(grid - mean)[order][np.searchsorted(within, COVERED).clip(0, _GRID - 1)])
    best = np.unravel_index(int(np.argmin(scores)), scores.shape)
    doubt_ms = 0.0
    if begin and len(moving) == 1:
        nearer = far[begin - 1] < far[begin]
        doubt_ms = mean - all_ms[max(0, begin - 2)] if nearer else ONCE_ERROR * interval_ms
    error = float(np.linalg.norm([FITTED_SHARE * half, LEAST_ERROR * interval_ms, doubt_ms]))
    return Touch(mean, error, float(speeds[best]))


def _steady_from(
    times_ms: npt.NDArray[np.float64], places_px: npt.NDArray[np.float64], still_ms: float
) -> int:
    """Return the number of the first frame from which a hand only comes nearer, at a speed that changes little.

    A hand that was farther away later, or leapt, was found in a wrong place: nothing from before that is believed.
    """
    far = np.linalg.norm(places_px, axis=1)
    first = int((times_ms < still_ms).sum()) - 1
    speed = None
    while first > 0:
        earlier = float((far[first - 1] - far[first]) / (times_ms[first] - times_ms[first - 1]))
        leapt = speed is not None and far[first - 1] > SLOW_PX and not 1 / SPEED_RATIO <= earlier / speed <= SPEED_RATIO
        if earlier <= 0 or leapt:
            break
        speed = earlier
        first -= 1
    return first


def _misfits(
    times_ms: npt.NDArray[np.float64],
    places_px: npt.NDArray[np.float64],
    sigma: npt.NDArray[np.float64],
    touches_ms: npt.NDArray[np.float64],
    exposures_ms: npt.NDArray[np.float64],
    usual: float,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return how badly the best even ways that end at some times fit, and their last speeds, (exposures, times).

    With s the time until the contact, the way left is v * (s - gain / 2 * s^2) + a / 2 * s^2 before the contact and
    nothing after it, each seen as the mean over the exposure. Where it ends may be a little beside the place at which
    the hand was later seen to rest: other hands push. `usual` is about the hand's speed.
    """
    opened = exposures_ms[:, None] * np.linspace(-0.5, 0.5, _INSIDE)
    # (exposures, touches, frames, moments of the exposure)
    seen = times_ms[None, :, None] + opened[:, None]
    left = np.maximum(touches_ms[:, None, None] - seen[:, None], 0.0)
    bend = 0.5 * (left**2).mean(axis=3)
    design = np.stack([left.mean(axis=3) - GAIN_PER_MS * bend, bend, np.ones_like(bend)], axis=3) / sigma[:, None]
    wanted = places_px / sigma[:, None]
    # Some slap with all their might and some reach out gently: as much as the hand's usual speed may be gained or lost.
    springs = np.array([1e-6, 1 / (CHANGE_PER_MS * usual) ** 2, 1 / PUSH_PX**2])
    across = np.swapaxes(design, 2, 3)
    found = np.linalg.solve(across @ design + np.diag(springs), across @ wanted)
    apart = wanted - design @ found
    misfits = (apart**2).sum(axis=(2, 3)) + (springs[:, None] * found**2).sum(axis=(2, 3))
    return misfits, np.linalg.norm(found[:, :, 0], axis=2)
