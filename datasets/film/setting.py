"""The room that a film is shot in: table, light, camera and the people's arms, all from one seed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.arm import Look
from datasets.film.camera import TableCamera
from datasets.film.layout import Layout
from datasets.render.assets import shared_folder, split_files
from datasets.render.surfaces import smooth_noise, surface

#: Kinds of table that a film draws from, with their weights.
_TABLES = {"cloth": 2.0, "checked": 2.0, "striped": 0.6, "wood": 2.5, "planks": 1.0, "felt": 2.0, "plain": 0.7}

#: What is filmed with: `own` is drawn by code throughout; the others have photographed tables and hands where the
#: shared textures are there, those of training or those kept out of it.
STAGES = ("own", "seen", "held-out")
_STAGE_SPLITS: dict[str, str | None] = {"own": None, "seen": "train", "held-out": "test"}


@dataclass(frozen=True)
class Setting:
    """What stays the same through a film.

    Attributes:
        camera: where the camera is.
        layout: places on the table, made for what the camera sees.
        table: (h, w, 3) uint8 BGR texture of the table; texture_mm: x, y of its lower left and upper right corner, mm.
        light: (h, w, 3) float32 factors over the picture: gradient, vignetting, colour of the light.
        shadow_mm: how far a thing throws its shadow for each mm that it is high, x and y on the table.
        shadow_strength: 0 no shadow .. 1 black.
        looks: the arms, by seat.
        noise: standard deviation of the sensor's noise, grey levels of 255.
        shutter: share of a frame's time that the shutter is open.
        focus_px: standard deviation of the blur of the whole picture, px.
        drift: swing of the exposure, as a factor around 1.
        seed: of the noise.
        split: of the photographed people whose arms are seen, `train` or `test`; None for arms drawn by code.
    """

    camera: TableCamera
    layout: Layout
    table: NDArray[np.uint8]
    texture_mm: tuple[float, float, float, float]
    light: NDArray[np.float32]
    shadow_mm: tuple[float, float]
    shadow_strength: float
    looks: tuple[Look, ...]
    noise: float
    shutter: float
    focus_px: float
    drift: float
    seed: int
    split: str | None = None

    @classmethod
    def random(
        cls,
        seed: int,
        size: tuple[int, int],
        card_mm: tuple[float, float],
        *,
        players: int = 2,
        table: str | None = None,
        tilt_degrees: float | None = None,
        stage: str = "own",
        sides: tuple[str, ...] = (),
        pairs: bool = True,
    ) -> Setting:
        """Draw a setting.

        Args:
            seed: the same seed gives the same setting.
            size: width and height of the picture, px; both even and at least 160 by 120.
            card_mm: width and height of a card, mm.
            players: number of seats.
            table: a kind of `datasets.render.surfaces`, or None for any.
            tilt_degrees: how far the camera leans from straight above, or None for 0 to 38.
            stage: one of `STAGES`.
            sides: where the players sit; pairs: whether four share two piles; `Layout` explains both.

        Raises:
            ValueError: for a size that cannot be filmed, or an unknown stage.
        """
        if stage not in STAGES:
            raise ValueError(f"no stage {stage!r}; there are {', '.join(STAGES)}")
        width, height = size
        if width % 2 or height % 2 or width < 160 or height < 120:
            raise ValueError(f"a film's size must be even and at least 160x120, not {width}x{height}")
        rng = np.random.default_rng([seed, 7])
        grow = rng.uniform(1.0, 1.22)
        half_mm = (425.0 * grow, 239.0 * grow)
        tilt = math.radians(rng.choice([rng.uniform(0, 12), rng.uniform(10, 38)])
                            if tilt_degrees is None else tilt_degrees)
        camera = TableCamera.over(size, half_mm, tilt=tilt, azimuth=rng.normal(0, 0.25), roll=rng.normal(0, 0.02),
                                  field_of_view=math.radians(rng.uniform(42, 62)))
        beyond = camera.beyond_mm()
        layout = Layout(players, half_mm, card_mm, beyond, sides, pairs)
        given = table is not None
        if table is None:
            table = str(rng.choice(list(_TABLES), p=np.array(list(_TABLES.values())) / sum(_TABLES.values())))
        right, far, left, near = beyond
        texture_mm = (-left - 40, -near - 40, right + 40, far + 40)
        scale = min(2.2, 1.15 * width / (2 * half_mm[0]))
        texture_size = (round((texture_mm[3] - texture_mm[1]) * scale), round((texture_mm[2] - texture_mm[0]) * scale))
        direction = rng.uniform(0, 2 * math.pi)
        reach = rng.uniform(0.1, 0.55)
        texture = surface(rng, table, texture_size)
        split = _STAGE_SPLITS[stage]
        if split is not None and not given:
            texture, texture_mm = _photographed(seed, split, scale, texture, texture_mm)
        return cls(
            camera, layout, bright_enough(texture), texture_mm, light_over(rng, size),
            (reach * math.cos(direction), reach * math.sin(direction)), float(rng.uniform(0.25, 0.6)),
            tuple(Look.random(rng) for _ in range(players)), float(rng.uniform(0.8, 3.0)),
            float(rng.uniform(0.25, 0.6)), float(rng.uniform(0.3, 0.75)), float(rng.uniform(0.01, 0.05)), seed, split,
        )


def _photographed(seed: int, split: str, px_per_mm: float, texture: NDArray[np.uint8],
                  texture_mm: tuple[float, float, float, float]
                  ) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]]:
    """Choose a photographed table of a split and the place of its picture; where none is at hand, keep that given."""
    shared = shared_folder()
    files = [] if shared is None else split_files(shared / "textures" / "tables", split, key=lambda path: path.name)
    rng = np.random.default_rng([seed, 17])
    picture = cv2.imread(str(files[int(rng.integers(len(files)))]), cv2.IMREAD_COLOR) if files else None
    if picture is None:
        return texture, texture_mm
    # Many are pictures of a whole cloth with a rim around it that is none of the table's.
    rim = round(0.05 * min(picture.shape[:2]))
    picture = picture[rim:-rim, rim:-rim]
    wide_mm = float(rng.uniform(450, 1100))
    high_mm = wide_mm * picture.shape[0] / picture.shape[1]
    shrink = px_per_mm * wide_mm / picture.shape[1]
    if shrink < 1:  # fine threads would flicker
        picture = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    left, _, _, far = texture_mm
    # The picture goes on mirrored around its edges.
    return np.asarray(picture, np.uint8), (left, far - high_mm, left + wide_mm, far)


def bright_enough(table: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Lift a nearly black table: a camera's exposure control would."""
    mean = float(table.mean())
    return table if mean >= 60 else cv2.convertScaleAbs(table, alpha=min(60 / max(mean, 1.0), 2.5))


def light_over(rng: np.random.Generator, size: tuple[int, int]) -> NDArray[np.float32]:
    """Return factors over the picture, (h, w, 3): one side brighter, corners darker, a tint."""
    width, height = size
    x = np.linspace(-1, 1, width, dtype=np.float32)[None]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    angle, strength = rng.uniform(0, 2 * math.pi), rng.uniform(0.02, 0.2)
    ramp = 1 + strength * (math.cos(angle) * x + math.sin(angle) * y)
    vignette = 1 - rng.uniform(0.02, 0.16) * (x * x + y * y)
    patches = 1 + rng.uniform(0, 0.05) * smooth_noise(rng, (height, width), max(width, height) / 3)
    warmth = rng.normal(0, 0.05)
    tint = np.array([1 - warmth, 1 + rng.normal(0, 0.012), 1 + warmth], np.float32)
    return (ramp * vignette * patches * rng.uniform(0.82, 1.05))[..., None].astype(np.float32) * tint
