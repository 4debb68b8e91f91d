"""The room that slaps are filmed in: table, light, camera and how the camera takes pictures, all from one seed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.camera import TableCamera
from datasets.film.setting import bright_enough, light_over
from datasets.render.assets import shared_folder, split_files
from datasets.render.surfaces import surface

Picture = NDArray[np.uint8]

#: The light map in eight bits: this value is a factor of one.
LIGHT_ONE = 128.0

#: Kinds of drawn table, with their weights, and the share of tables that are photographed where photographs are there.
_TABLES = {"cloth": 2.0, "checked": 1.5, "striped": 0.5, "wood": 2.5, "planks": 1.0, "felt": 2.0, "plain": 0.7,
           "printed": 0.6, "stone": 0.6}
_PHOTOGRAPHED = 0.6

#: Shutter speeds that films are taken with, s.
EXPOSURES_S = (1 / 30, 1 / 40, 1 / 50, 1 / 60, 1 / 80, 1 / 100, 1 / 125, 1 / 160, 1 / 200, 1 / 250)


@dataclass(frozen=True, slots=True)
class Shutter:
    """How the camera takes a picture.

    Attributes:
        interval_ms: from one frame to the next.
        exposure_ms: how long a row gathers light.
        readout_ms: how much later the last row is exposed than the first; 0 for a global shutter.
    """

    interval_ms: float
    exposure_ms: float
    readout_ms: float

    @classmethod
    def random(cls, rng: np.random.Generator, fps: float, dim: bool) -> Shutter:
        """Draw a shutter; in dim light exposures are long, and the camera takes fewer frames to have the time."""
        interval = 1000 / fps
        if dim:
            interval *= float(rng.choice([1.5, 2.0])) if fps < 50 else float(rng.choice([2.0, 2.5, 4.0]))
            exposure = min(1000 / 30, 0.95 * interval)
        else:
            exposure = 1000 * float(rng.choice([e for e in EXPOSURES_S if 1000 * e <= interval + 0.1]))
        readout = 0.0 if rng.random() < 0.25 else float(rng.uniform(5, min(26, 0.9 * interval)))
        return cls(interval, exposure, readout)


@dataclass(frozen=True)
class Room:
    """What stays the same through a film.

    Attributes:
        camera: where the camera is; its origin is the middle of the table, where the pile lies.
        table: (h, w, 3) uint8, the empty table as the camera sees it, in even light.
        light: (h, w, 3) uint8 factors over the picture, `LIGHT_ONE` is one.
        px_per_mm: scale in the middle of the picture.
        shadow_mm: how far a thing throws its shadow for each mm that it is high, x and y.
        shadow_strength: 0 no shadow .. 1 black.
        shutter: how pictures are taken.
        noise: standard deviation of the sensor's noise, grey levels.
        focus_px: standard deviation of the blur of the whole picture.
        drift: swing of the exposure, as a factor around 1.
        seed: of noise and drift.
    """

    camera: TableCamera
    table: Picture
    light: Picture
    px_per_mm: float
    shadow_mm: tuple[float, float]
    shadow_strength: float
    shutter: Shutter
    noise: float
    focus_px: float
    drift: float
    seed: int

    @classmethod
    def random(cls, seed: int, size: tuple[int, int], fps: float, *, split: str = "train", dim: bool = False) -> Room:
        """Draw a room.

        Args:
            seed: the same seed gives the same room.
            size: width and height of the picture, px; both even and at least 160 by 120.
            fps: frames a second that the camera is set to.
            split: `train`, or `test` for photographed tables that are kept out of training.
            dim: whether light is short, so that the camera exposes long and takes fewer frames.

        Raises:
            ValueError: for a size that cannot be filmed.
        """
        width, height = size
        if width % 2 or height % 2 or width < 160 or height < 120:
            raise ValueError(f"a film's size must be even and at least 160x120, not {width}x{height}")
        rng = np.random.default_rng([seed, 21])
        half = rng.uniform(270, 430)
        tilt = math.radians(rng.choice([rng.uniform(0, 12), rng.uniform(10, 38)]))
        camera = TableCamera.over(size, (half, half * height / width), tilt=tilt, azimuth=rng.normal(0, 0.25),
                                  roll=rng.normal(0, 0.03), field_of_view=math.radians(rng.uniform(42, 66)), fill=1.0)
        light = light_over(rng, size)
        if dim:
            light *= np.float32(rng.uniform(0.5, 0.75))
        ends = camera.project(np.array([(-50.0, 0, 0), (50.0, 0, 0)]))
        direction, reach = rng.uniform(0, 2 * math.pi), rng.uniform(0.15, 0.7)
        return cls(
            camera, _table(rng, camera, split), np.clip(light * LIGHT_ONE, 0, 255).astype(np.uint8),
            float(np.hypot(*(ends[1] - ends[0]))) / 100,
            (reach * math.cos(direction), reach * math.sin(direction)), float(rng.uniform(0.3, 0.65)),
            Shutter.random(rng, fps, dim), float(rng.uniform(4, 8) if dim else rng.uniform(0.8, 4.0)),
            float(rng.uniform(0.3, 0.9)), float(rng.uniform(0.005, 0.04)), seed,
        )

    def pixels(self, points_mm: NDArray[np.floating]) -> NDArray[np.float32]:
        """Project points (n, 3) in mm to pixel-centre coordinates (n, 2), as warps need them."""
        return (self.camera.project(points_mm) - 0.5).astype(np.float32)


@lru_cache(maxsize=4)
def _photographs(split: str) -> tuple[Path, ...]:
    shared = shared_folder()
    return () if shared is None else tuple(split_files(shared / "textures" / "tables", split, key=lambda p: p.name))


def _table(rng: np.random.Generator, camera: TableCamera, split: str) -> Picture:
    """Draw the empty table as the camera sees it."""
    right, far, left, near = camera.beyond_mm(60.0)
    texture: Picture | None = None
    photographs = _photographs(split)
    if photographs and rng.random() < _PHOTOGRAPHED:
        texture = cv2.imread(str(photographs[int(rng.integers(len(photographs)))]), cv2.IMREAD_COLOR)
    if texture is not None:
        wide_mm = float(rng.uniform(450, 1100))
    else:
        kind = str(rng.choice(list(_TABLES), p=np.array(list(_TABLES.values())) / sum(_TABLES.values())))
        wide_mm = right + left
        scale = min(2.2, camera.size[0] / wide_mm)
        texture = surface(rng, kind, (round((far + near) * scale), round(wide_mm * scale)))
    texture = bright_enough(texture)
    h, w = texture.shape[:2]
    high_mm = wide_mm * h / w
    corners = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32) - np.float32(0.5)
    places = np.array([(-left, far, 0), (wide_mm - left, far, 0), (wide_mm - left, far - high_mm, 0),
                       (-left, far - high_mm, 0)], float)
    pixels = (camera.project(places) - 0.5).astype(np.float32)
    seen = cv2.warpPerspective(texture, cv2.getPerspectiveTransform(corners, pixels), camera.size,
                               flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
    return np.asarray(seen, np.uint8)
