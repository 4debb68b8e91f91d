"""Find where a hand was in one frame from how it looks in another, to a fraction of a pixel.

A hand that slaps is a rigid thing: it moves over the picture, turns a little, and grows with its height above the
table. So its pose in another frame is a shift, a turn and a scale, found by matching its outline and its look, coarse
to fine.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.hands.foreground import Mask, Picture

LEVELS = (4, 2, 1)
"""By how much pictures are made smaller, coarse to fine."""
STEPS = 16
_NEUTRAL = 110.0
_OUTLINE = 150.0
_TOLERANCE = 18.0
_SEARCH_MARGIN = 6
_LEAST_PIXELS = 25
MOST_PIXELS = 3000

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Pose:
    """Say how a hand lies compared with its template.

    Attributes:
        x, y: shift of its middle in pixels.
        growth: natural logarithm of its scale.
        turn: radians, clockwise as seen.
        residual: mean difference to the template that is left, in grey levels.
        support: share of the template that was in the picture and alike.
    """

    x: float = 0.0
    y: float = 0.0
    growth: float = 0.0
    turn: float = 0.0
    residual: float = 0.0
    support: float = 1.0

    def vector(self, radius_px: float) -> npt.NDArray[np.float64]:
        """Return (4,) shift, growth and turn, all as pixels that a point so far from the middle moves."""
        return np.array([self.x, self.y, self.growth * radius_px, self.turn * radius_px])


def layered(image: Picture, mask: Mask) -> Floats:
    """Return (h, w, 4) float32: the look of what covers the background on neutral grey, and its outline."""
    soft = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), 0.8)[..., None]
    look = cv2.GaussianBlur(image, (0, 0), 0.7).astype(np.float32)
    return np.concatenate([look * soft + _NEUTRAL * (1 - soft), _OUTLINE * soft], axis=2)


class Template:
    """Hold how a hand looks at rest.

    Args:
        layers: a frame in which it rests, from `layered`.
        region: (h, w) bool, pixels that belong to it for sure, with some background around it.

    Raises:
        ValueError: if the region is too small to match.
    """

    def __init__(self, layers: Floats, region: Mask) -> None:
        if region.sum() < 16 * _LEAST_PIXELS:
            raise ValueError("the region is too small to be found again")
        ys, xs = np.nonzero(region)
        self.middle = (float(xs.mean()), float(ys.mean()))
        self.radius_px = float(np.sqrt(((xs - xs.mean()) ** 2 + (ys - ys.mean()) ** 2).mean()))
        self._levels = [_Level(layers, region, factor, self.middle) for factor in LEVELS]

    def find(self, layers: Floats, free: Mask, guess: Pose, reach_px: float) -> Pose | None:
        """Find the hand in a frame.

        Args:
            layers: the frame, from `layered`.
            free: (h, w) bool, where it can be seen: no other hand is there.
            guess: about where it is.
            reach_px: how far from there it may be.

        Returns:
            Its pose; None if it is not there.
        """
        pose: Pose | None = guess
        for level in self._levels:
            scaled, allowed = level.scaled(layers), level.scaled_mask(free)
            if level.factor == LEVELS[0]:
                pose = level.search(scaled, allowed, guess, reach_px)
            assert pose is not None
            pose = level.refine(scaled, allowed, pose)
            if pose is None:
                return None
        return pose


class _Level:
    """Match at one size of picture."""

    def __init__(self, layers: Floats, region: Mask, factor: int, middle: tuple[float, float]) -> None:
        self.factor = factor
        picture, mask = self.scaled(layers), self.scaled_mask(region)
        if not mask.any():
            mask[int(middle[1] / factor), int(middle[0] / factor)] = True
        self.picture, self.mask = picture, mask
        ys, xs = np.nonzero(mask)
        self._corner = (int(xs.min()), int(ys.min()))
        self._far = (int(xs.max()) + 1, int(ys.max()) + 1)
        # More pixels than this make no pose better, only slower.
        every = max(1, round(len(ys) / MOST_PIXELS))
        ys, xs = ys[every // 2 :: every], xs[every // 2 :: every]
        self.xs, self.ys = xs.astype(np.float32), ys.astype(np.float32)
        self.cx = (middle[0] + 0.5) / factor - 0.5
        self.cy = (middle[1] + 0.5) / factor - 0.5
        self.values = picture[ys, xs]
        across = cv2.Sobel(picture, cv2.CV_32F, 1, 0, scale=0.125)[ys, xs]
        down = cv2.Sobel(picture, cv2.CV_32F, 0, 1, scale=0.125)[ys, xs]
        dx, dy = (self.xs - self.cx)[:, None], (self.ys - self.cy)[:, None]
        # (pixels * layers, 4): how each value changes with shift, growth and turn.
        slopes = np.stack([across, down, across * dx + down * dy, down * dx - across * dy], axis=2)
        self.slopes = np.ascontiguousarray(slopes.reshape(-1, 4))

    def scaled(self, layers: Floats) -> Floats:
        if self.factor == 1:
            return layers
        height, width = layers.shape[:2]
        size = (max(1, width // self.factor), max(1, height // self.factor))
        cut = layers[: size[1] * self.factor, : size[0] * self.factor]
        return np.asarray(cv2.resize(cut, size, interpolation=cv2.INTER_AREA), np.float32)

    def scaled_mask(self, mask: Mask) -> Mask:
        if self.factor == 1:
            return mask
        return self.scaled(mask.astype(np.float32)) > 0.6

    def search(self, layers: Floats, free: Mask, guess: Pose, reach_px: float) -> Pose:
        """Return the best shift near a guess, by trying all."""
        reach = int(np.ceil(reach_px / self.factor)) + _SEARCH_MARGIN
        (x0, y0), (x1, y1) = self._corner, self._far
        gx, gy = round(guess.x / self.factor), round(guess.y / self.factor)
        top, left = y0 + gy - reach, x0 + gx - reach
        bottom, right = y1 + gy + reach, x1 + gx + reach
        height, width = layers.shape[:2]
        pads = (max(0, -top), max(0, bottom - height), max(0, -left), max(0, right - width))
        area = layers[max(0, top) : min(height, bottom), max(0, left) : min(width, right)]
        if area.shape[0] == 0 or area.shape[1] == 0:
            return guess
        # What lies beyond the border looks like anything: it takes the nearest pixel's look.
        area = cv2.copyMakeBorder(area, *pads, cv2.BORDER_REPLICATE)
        patch = self.picture[y0:y1, x0:x1]
        mask = np.repeat(self.mask[y0:y1, x0:x1, None].astype(np.float32), 4, axis=2)
        scores = cv2.matchTemplate(area, patch, cv2.TM_SQDIFF, mask=mask)
        far = np.hypot(*np.meshgrid(np.arange(scores.shape[1]) - reach, np.arange(scores.shape[0]) - reach))
        # Of two places about as good, the one nearer to the guess.
        scores = scores * (1 + 0.02 * far / max(reach, 1)) + 1e9 * (far > reach)
        _, _, (bx, by), _ = cv2.minMaxLoc(scores)
        return Pose((bx - reach + gx) * self.factor, (by - reach + gy) * self.factor, guess.growth, guess.turn)

    def refine(self, layers: Floats, free: Mask, start: Pose) -> Pose | None:
        """Move a pose to where the look fits best, by steepest descent with little weight on what does not fit."""
        x, y, growth, turn = start.x / self.factor, start.y / self.factor, start.growth, start.turn
        residual, support = 0.0, 0.0
        height, width = layers.shape[:2]
        seen = free.astype(np.float32)
        for _ in range(STEPS):
            scale, c, s = np.exp(growth), np.cos(turn), np.sin(turn)
            dx, dy = self.xs - self.cx, self.ys - self.cy
            map_x = (self.cx + x + scale * (c * dx - s * dy)).astype(np.float32)
            map_y = (self.cy + y + scale * (s * dx + c * dy)).astype(np.float32)
            inside = (map_x >= 0) & (map_x <= width - 1) & (map_y >= 0) & (map_y <= height - 1)
            inside &= _sampled(seen, map_x, map_y, cv2.INTER_NEAREST)[:, 0] > 0.5
            if inside.sum() < max(_LEAST_PIXELS, 0.25 * len(self.xs)):
                return None
            now = _sampled(layers, map_x, map_y)
            apart = now - self.values
            weight = 1 / (1 + (apart / _TOLERANCE) ** 2) * inside[:, None]
            weighted = self.slopes * weight.reshape(-1, 1)
            hessian = (weighted.T @ self.slopes).astype(np.float64)
            gradient = (weighted.T @ apart.reshape(-1)).astype(np.float64)
            # Very weak springs keep growth and turn where the look says nothing about them.
            spring = np.diag([0.0, 0.0, 0.001, 0.001]) * np.trace(hessian[2:, 2:]) / 2
            try:
                step = np.linalg.solve(hessian + spring + 1e-3 * np.eye(4), gradient)
            except np.linalg.LinAlgError:
                return None
            residual = float((np.abs(apart) * inside[:, None]).sum() / (inside.sum() * apart.shape[1]))
            support = float(weight.mean())
            # Inverse composition: the template's step is undone on the frame's side.
            x, y, growth, turn = _without(x, y, growth, turn, step)
            if not np.isfinite([x, y, growth, turn]).all() or abs(growth) > 0.5 or abs(turn) > 0.8:
                return None
            if np.abs(step[:2]).max() < 0.02 and np.abs(step[2:]).max() * 50 < 0.02:
                break
        return Pose(x * self.factor, y * self.factor, growth, turn, residual, support)


def _without(
    x: float, y: float, growth: float, turn: float, step: npt.NDArray[np.float64]
) -> tuple[float, float, float, float]:
    """Return the pose after which the inverse of a small step on the template has been put."""
    scale, c, s = np.exp(growth - step[2]), np.cos(turn - step[3]), np.sin(turn - step[3])
    return (
        float(x - scale * (c * step[0] - s * step[1])),
        float(y - scale * (s * step[0] + c * step[1])),
        float(growth - step[2]),
        float(turn - step[3]),
    )


def _sampled(layers: Floats, map_x: Floats, map_y: Floats, way: int = cv2.INTER_LINEAR) -> Floats:
    """Return the values of a picture (h, w[, k]) at n places, (n, k)."""
    found = cv2.remap(layers, map_x[:, None], map_y[:, None], way, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(found, np.float32).reshape(len(map_x), -1)
