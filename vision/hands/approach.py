"""How a hand came to where it rests, frame by frame, and when it touched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.hands.contact import Touch, fit_touch
from vision.hands.foreground import Mask
from vision.hands.register import Pose, Template, layered
from vision.hands.resting import HAND_SHARE, LEAST_HAND_PX, ArmMasks, Rest, distance_from

FRAMES_BEFORE = 6
"""Frames before the contact in which a hand is looked for."""
STILL_PX = 1.3
"""A hand that moves less than this from frame to frame, in pixels, rests or is pushed by another one."""
PUSHED_PX = 4.0
"""How far from where it is seen to rest it may then be at the most."""
TREMBLE_PX = 1.8
"""How far from where it rests a hand seems to be that lies there, by noise alone."""
SEARCH_PX = 75.0
"""How far a hand may move in a frame, in pixels."""
LAIN_FRAMES = 16
"""Frames after a rest in which it is looked for whether the hand only seemed to move because others did."""
LEAVING_FRAMES = 8
"""Frames in which a hand that leaves is followed."""
FOUND_SUPPORT = 0.2
"""Share of a hand's look that must be found again for it to be there."""
_BACKGROUND_PX = 4
_READOUT_MS = 13.0


@dataclass(frozen=True, eq=False)
class Approach:
    """Describe how a hand came to rest.

    Attributes:
        rest: where and when it lay.
        template_frame: number of the frame from which its look was taken.
        region: (h, w) bool, its pixels in that frame as far as they are surely its own.
        poses: by the number of the frame, how it lay compared with the template.
        touch: when it touched; None if its coming was not seen.
        first_still, last_still: numbers of the first and the last frame in which it lay where it rests.
        template: its look in that frame.
    """

    rest: Rest
    template_frame: int
    region: Mask
    poses: dict[int, Pose]
    touch: Touch | None
    first_still: int
    last_still: int
    template: Template

    @property
    def radius_px(self) -> float:
        """Distance of the hand's pixels from their middle, in the mean of squares."""
        return self.template.radius_px

    @property
    def middle(self) -> tuple[float, float]:
        """Where the middle of its pixels lies, x and y."""
        return self.template.middle


class Registrar:
    """Register hands in the frames of a film.

    Args:
        masks: the arms and what belongs to them.
    """

    def __init__(self, masks: ArmMasks) -> None:
        self.masks = masks
        self._layers: dict[int, npt.NDArray[np.float32]] = {}
        self._leaving: dict[Approach, dict[int, tuple[int, Pose]]] = {}

    def layers(self, frame: int) -> npt.NDArray[np.float32]:
        """Return a frame's layers, made once."""
        if frame not in self._layers:
            foreground = self.masks.foreground
            self._layers[frame] = layered(self.masks.sequence.images[frame], foreground.masks[frame])
        return self._layers[frame]

    def free(self, number: int, frame: int) -> Mask:
        """Return where an arm could be seen in a frame: everywhere but where others are, or may be."""
        own = self.masks.own(number, frame)
        covered = self.masks.foreground.masks[frame]
        if len(self.masks.present(frame)) < 2:
            return np.ones_like(covered)
        others = (covered & ~own).view(np.uint8)
        return cv2.dilate(others, np.ones((5, 5), np.uint8)) == 0

    def region(self, number: int, frame: int) -> Mask:
        """Return the pixels of the hand, without the arm behind it, that are surely an arm's own in a frame."""
        own = self.masks.own(number, frame)
        if not own.any():
            return own
        x, y = self.masks.arms[number].entry(frame)
        from_entry = distance_from((x, y), own.shape)
        tip = float(np.percentile(from_entry[own], 99.5))
        return own & (from_entry > tip - HAND_SHARE * max(own.shape))

    def leaving(self, hand: Approach) -> dict[int, tuple[int, Pose]]:
        """Return for the frames in which a hand leaves, its arm's number and its pose."""
        if hand not in self._leaving:
            frames = range(hand.last_still, min(hand.last_still + LEAVING_FRAMES, len(self.masks.sequence)))
            steps = follow(self, hand.template, hand.region, frames)
            self._leaving[hand] = {frame: (number, pose) for frame, number, pose in steps}
        return self._leaving[hand]

    def template(self, number: int, frame: int) -> tuple[Template, Mask] | None:
        """Return how an arm's hand looks in a frame, and its pixels; None if too little of it is surely its own."""
        region = self.region(number, frame)
        if region.sum() < LEAST_HAND_PX:
            return None
        around = cv2.dilate(region.view(np.uint8), np.ones((2 * _BACKGROUND_PX + 1,) * 2, np.uint8)).view(bool)
        covered = self.masks.foreground.masks[frame]
        try:
            return Template(self.layers(frame), around & (region | ~covered)), region
        except ValueError:
            return None


def follow(
    registrar: Registrar, template: Template, region: Mask, frames: Iterable[int]
) -> Iterator[tuple[int, int, Pose]]:
    """Follow a hand from frame to frame, forwards or backwards, as long as it is found.

    Args:
        registrar: finds it.
        template: its look at rest.
        region: (h, w) bool, its pixels at rest.
        frames: numbers of the frames, the first one next to one in which it rests.

    Yields:
        The number of each frame, that of the arm which the hand then belongs to, and its pose.
    """
    pose, step = Pose(), np.zeros(2)
    for frame in frames:
        guess = Pose(pose.x + step[0], pose.y + step[1], pose.growth, pose.turn)
        # Arms are numbered by where they enter, which may be mistaken from frame to frame: the hand itself tells.
        there = registrar.masks.nearest(shifted(region, guess), frame)
        if there is None:
            return
        found = template.find(registrar.layers(frame), registrar.free(there, frame), guess, SEARCH_PX)
        if found is None or found.support < FOUND_SUPPORT:
            return
        step = np.array([found.x - pose.x, found.y - pose.y])
        pose = found
        yield frame, there, pose


def follow_approach(registrar: Registrar, rest: Rest) -> Approach | None:
    """Follow a hand back from where it rests, and fit when it touched; None if it cannot be told from the others."""
    masks = registrar.masks
    number = masks.arms.index(rest.arm)
    frame = _clearest(registrar, number, rest)
    made = registrar.template(number, frame)
    if made is None:
        return None
    template, region = made
    poses: dict[int, Pose] = {frame: Pose()}
    moving = 0
    for earlier, _, pose in follow(registrar, template, region, range(frame - 1, -1, -1)):
        if masks.sequence.repeated[earlier + 1] and earlier + 1 <= rest.first:
            # The frame after this one shows nothing but this one.
            poses.pop(earlier + 1, None)
        poses[earlier] = pose
        if displacement(pose, template.radius_px) > PUSHED_PX:
            moving += 1
        if moving >= FRAMES_BEFORE or (moving == 0 and earlier < rest.first - 3):
            break
    first_still = _first_still(poses, frame, template.radius_px)
    touch = _fitted(masks, poses, first_still, template)
    last_still = _last_still(registrar, template, region, rest)
    return Approach(rest, frame, region, poses, touch, first_still, last_still, template)


def shifted(region: Mask, pose: Pose) -> Mask:
    """Return a region (h, w) moved as a pose says, without its turn and growth."""
    matrix = np.array([[1, 0, pose.x], [0, 1, pose.y]], np.float32)
    size = (region.shape[1], region.shape[0])
    return cv2.warpAffine(region.view(np.uint8), matrix, size, flags=cv2.INTER_NEAREST).view(bool)


def displacement(pose: Pose, radius_px: float) -> float:
    """Return how far a hand's points are from where they rest, in pixels, in the mean of squares."""
    return float(np.linalg.norm(pose.vector(radius_px)))


def _first_still(poses: dict[int, Pose], frame: int, radius_px: float) -> int:
    """Return the first frame of those before a frame, without a gap, between which a hand hardly moved."""
    first, place = frame, poses[frame].vector(radius_px)
    for earlier in sorted((number for number in poses if number < frame), reverse=True):
        there = poses[earlier].vector(radius_px)
        far = float(np.linalg.norm(there))
        # In noise the place of a hand that lies there trembles by more than a hand that comes slowly moves.
        if far > PUSHED_PX or (far > TREMBLE_PX and np.linalg.norm(there - place) > STILL_PX):
            break
        first, place = earlier, there
    return first


def _last_still(registrar: Registrar, template: Template, region: Mask, rest: Rest) -> int:
    """Return the last frame in which a hand still lies where it rests, whatever others do around it."""
    masks = registrar.masks
    last, missed = rest.last, 0
    for later in range(rest.last + 1, min(rest.last + LAIN_FRAMES, len(masks.sequence))):
        number = masks.nearest(region, later)
        if number is None:
            break
        found = template.find(registrar.layers(later), registrar.free(number, later), Pose(), PUSHED_PX)
        if found is not None and found.support > 0.5 and displacement(found, template.radius_px) < PUSHED_PX:
            last, missed = later, 0
        else:
            missed += 1
            if missed > 2:
                break
    return last


def _clearest(registrar: Registrar, number: int, rest: Rest) -> int:
    """Return the frame early in a rest in which most of the hand is surely its own."""
    candidates = range(rest.first, min(rest.last, rest.first + 3) + 1)
    return max(candidates, key=lambda frame: (int(registrar.region(number, frame).sum()) // 50, -frame))


def _fitted(masks: ArmMasks, poses: dict[int, Pose], first_still: int, template: Template) -> Touch | None:
    numbers = [number for number in sorted(poses) if first_still - 3 <= number <= first_still + 1]
    if not numbers or numbers[0] >= first_still:
        return None
    sequence = masks.sequence
    times = sequence.t_ms[numbers]
    places = np.stack([poses[number].vector(template.radius_px) for number in numbers])
    supports = np.array([poses[number].support for number in numbers])
    fitted = fit_touch(times, places, sequence.interval_ms, float(sequence.t_ms[first_still]), supports)
    # Rows are taken one after the other: what lies lower in the picture is seen a little later.
    height = sequence.images.shape[1]
    rows = abs(template.middle[1] - masks.pile[1]) / height * _READOUT_MS
    return Touch(fitted.t_ms, float(np.hypot(fitted.error_ms, rows)), fitted.speed_px_ms)
