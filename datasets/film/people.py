"""Arms of photographed people, in place of drawn ones; persons are split into those of training and those of tests."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.arm import ArmSprite
from datasets.slaps.hands import HandPicture, Persons

#: How much narrower the finger tips of a pinching hand are than those of one lying flat, and how much shorter.
_PINCHED, _BENT = 0.5, 0.86


class PhotographedArm:
    """An arm with the photograph of an open hand; it pinches by drawing its fingers together.

    Args:
        hand: the picture; one from `Persons.draw`.
    """

    _STEPS = 3

    def __init__(self, hand: HandPicture) -> None:
        self.hand = hand
        self._sprites: dict[int, ArmSprite] = {}

    def sprite(self, grip: float) -> ArmSprite:
        """Return the sprite nearest to a grip (0 pinch .. 1 flat)."""
        step = round(min(max(grip, 0.0), 1.0) * self._STEPS)
        if step not in self._sprites:
            self._sprites[step] = self._drawn(step / self._STEPS)
        return self._sprites[step]

    def _drawn(self, grip: float) -> ArmSprite:
        picture, corners = self.hand.picture, self.hand.corners_mm
        left, top = float(corners[0, 0]), float(corners[0, 1])
        per_mm = picture.shape[0] / (top - float(corners[2, 1]))
        row = picture[round((top - self.hand.reach_mm + 6) * per_mm), :, 3]
        longest = np.flatnonzero(row > 127)
        tip = left + float(longest.mean()) / per_mm if longest.size else 0.0
        narrow, bend = 1 - (1 - _PINCHED) * (1 - grip), 1 - (1 - _BENT) * (1 - grip)
        bent = picture if grip == 1 else _pinched(picture, per_mm, (left, top), self.hand.reach_mm, narrow, bend)
        return ArmSprite(bent, per_mm, corners - np.array([tip * narrow, self.hand.reach_mm * bend]))


def _pinched(picture: NDArray[np.uint8], per_mm: float, upper_left: tuple[float, float], reach: float, narrow: float,
             bend: float) -> NDArray[np.uint8]:
    """Draw the fingers together towards the line through the palm, and bend them so that they are seen shorter.

    `upper_left` is that of the picture, mm around the palm's middle; `reach` is how far the tips are from there.
    """
    rows, columns = picture.shape[:2]
    left, top = upper_left
    x = left + (np.arange(columns, dtype=np.float32)[None] + 0.5) / per_mm
    y = top - (np.arange(rows, dtype=np.float32)[:, None] + 0.5) / per_mm
    # The knuckles, a third of the way up to the tips, stay where they are.
    knuckles = 0.3 * reach
    up = (y - knuckles) / (bend * reach - knuckles)
    from_y = np.where(up > 0, knuckles + up * (reach - knuckles), y)
    from_x = x / (1 - (1 - narrow) * np.clip(up, 0, 1.15))
    return np.asarray(cv2.remap(picture, ((from_x - left) * per_mm - 0.5).astype(np.float32),
                                np.broadcast_to((top - from_y) * per_mm - 0.5, from_x.shape).astype(np.float32),
                                cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), np.uint8)


def photographed_arms(seed: int, split: str, players: list[int], length_mm: float, px_per_mm: float
                      ) -> dict[int, PhotographedArm]:
    """Draw a person for each player from a split; where no photographs are at hand, hands are drawn.

    Args:
        seed: the same seed gives the same persons.
        split: `train` or `test`.
        players: seats; length_mm: how far arms reach back; px_per_mm: scale of the pictures.
    """
    rng = np.random.default_rng([seed, 31])
    pairs = Persons(split).draw(rng, players, length_mm, px_per_mm)
    return {player: PhotographedArm(pair["right"]) for player, pair in pairs.items()}
