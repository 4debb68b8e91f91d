"""What pictures are composed from: deck faces, backs, table surfaces, clutter and hands.

The project's own decks and procedural surfaces are always there. The shared folder (`ARBITRO_SHARED`, or `shared`
beside the project) adds faces of real decks, photographed tables, clutter and hands; nothing of it is shipped.
"""

from __future__ import annotations

import json
import os
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.render.reprints import reprint
from datasets.render.surfaces import KINDS, surface
from rules.cards import FRENCH_CODES, ITALIAN_CODES

HELD_OUT_DECKS = (
    "napoletane_modiano_numerone",
    "bresciane_zzandro_ccbysa",
    "siciliane_dalnegro_profumato4",
    "fr_aguilar_lgpl3",
    "fr_jumbo_saulspatz_pd",
)
"""Printings that are never trained on, so that figures on them speak of decks never seen."""

REPRINTED = 0.5
"""How many of the real decks that are trained on are shown as another maker might print them."""
FACE_HEIGHT_PX = 400
SURFACE_PX = 640

Image = NDArray[np.uint8]


@dataclass
class Deck:
    """Faces of one printing: `faces[code]` is BGR, at most `FACE_HEIGHT_PX` high; `halves` at half that size."""

    name: str
    faces: dict[str, Image]
    halves: dict[str, Image] = field(init=False)

    def __post_init__(self) -> None:
        """Make the halves: drawing most cards from them saves shrinking a large picture each time."""
        self.halves = {
            code: cv2.resize(face, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            for code, face in self.faces.items()
        }

    def art(self, code: str, height_px: float) -> Image:
        """The picture to draw a face from that is seen about `height_px` high."""
        half = self.halves[code]
        return half if height_px * 1.3 <= half.shape[0] else self.faces[code]


@dataclass
class Assets:
    """Everything a scene is drawn from, for one split (`train` or `test`)."""

    decks: list[Deck]
    surfaces: list[Image]
    hands: list[Image]
    clutter: list[Image]
    backs: list[Image]


def shared_folder() -> Path | None:
    """Find the shared folder with art and textures, or None."""
    named = os.environ.get("ARBITRO_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[3] / "shared"
    return folder if (folder / "art" / "catalogue.json").is_file() else None


def load_assets(split: str, seed: int = 0, decks: str = "all", procedural: int = 120) -> Assets:
    """Load what pictures of a split are drawn from.

    Args:
        split: `train`, or `test` for tables and hands that are kept out of training.
        seed: seed of the procedural surfaces and deck styles.
        decks: `all` (train: all but the held-out printings, and own decks with random styles), `held-out`,
            `own`, `seen` (real printings of training only), or the name of one folder of art.
        procedural: number of procedural surfaces.

    Raises:
        FileNotFoundError: if printings are asked for and the shared folder is not there.
    """
    if split not in ("train", "test"):
        raise ValueError(f"no split {split!r}; there are train and test")
    rng = np.random.default_rng([seed, split == "test"])
    shared = shared_folder()
    chosen: list[Deck] = []
    if decks != "own":
        if shared is None and decks != "all":
            raise FileNotFoundError(
                "art of real decks is not here: set ARBITRO_SHARED to the folder that holds it"
            )
        if shared is not None:
            chosen += _art_decks(shared / "art", decks)
            if split == "train":
                chosen = [_maybe_reprinted(rng, deck) for deck in chosen]
    if decks in ("all", "own"):
        own = own_decks(styles=0 if decks == "own" else 10, seed=seed)
        # The two standard decks are what the demo and people's printed sheets show: three times as often as others.
        chosen += own if decks == "own" else own + own[:2] * 2
    surfaces = [surface(rng, str(rng.choice(KINDS)), (SURFACE_PX, SURFACE_PX)) for _ in range(procedural)]
    hands: list[Image] = []
    clutter: list[Image] = []
    if shared is not None:
        for path in split_files(shared / "textures" / "tables", split, key=lambda p: p.name):
            image = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if image is not None:
                surfaces.append(_fit(image, SURFACE_PX))
        for path in split_files(shared / "textures" / "clutter", split, key=lambda p: p.name):
            image = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if image is not None:
                clutter.append(_fit(image, SURFACE_PX))
        for path in split_files(shared / "textures" / "hands", split, key=person_of):
            image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
            if image is not None and image.ndim == 3 and image.shape[2] == 4:
                hands.append(_fit(image, 420))
    if not hands:
        hands = [drawn_hand(rng) for _ in range(24)]
    return Assets(chosen, surfaces, hands, clutter or surfaces, make_backs(rng, 160))


def load_deck(name: str) -> Deck:
    """Load the faces of one printing, by its folder of art.

    Raises:
        FileNotFoundError: if the shared folder or that printing is not there.
    """
    shared = shared_folder()
    if shared is None:
        raise FileNotFoundError(
            "art of real decks is not here: set ARBITRO_SHARED to the folder that holds it"
        )
    return _art_decks(shared / "art", name)[0]


def person_of(path: Path) -> str:
    """Tell whose hand a picture shows: the person's id in its name, else the name itself."""
    parts = [
        part for part in path.stem.split("_") if len(part) == 8 and part[0] == "s" and part[1:].isdigit()
    ]
    return parts[0] if parts else path.stem


def split_files(folder: Path, split: str, key: Callable[[Path], str]) -> list[Path]:
    """List the pictures in a folder that belong to a split: a third of the keys, by their checksum, is `test`."""
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg", ".png", ".webp"))
    return [p for p in files if (zlib.crc32(key(p).encode()) % 3 == 0) == (split == "test")]


def _fit(image: Image, longest_px: int) -> Image:
    scale = longest_px / max(image.shape[:2])
    if scale >= 1:
        return image
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def _art_decks(folder: Path, which: str) -> list[Deck]:
    loaded = []
    for entry in json.loads((folder / "catalogue.json").read_text()):
        name = entry["deck"]
        held_out = name in HELD_OUT_DECKS
        wanted = {"all": not held_out, "seen": not held_out, "held-out": held_out}.get(which, name == which)
        if not wanted:
            continue
        faces = {}
        for path in sorted((folder / name).glob("*.jpg")):
            if path.stem not in ITALIAN_CODES and path.stem not in FRENCH_CODES:
                continue
            image = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if image is not None:
                faces[path.stem] = _to_height(image)
        loaded.append(Deck(name, faces))
    if not loaded:
        raise FileNotFoundError(f"no deck {which!r} among the art in {folder}")
    return loaded


def _to_height(image: Image) -> Image:
    height, width = image.shape[:2]
    if height <= FACE_HEIGHT_PX:
        return image
    size = (round(width * FACE_HEIGHT_PX / height), FACE_HEIGHT_PX)
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)


def _maybe_reprinted(rng: np.random.Generator, deck: Deck) -> Deck:
    if rng.random() >= REPRINTED:
        return deck
    return Deck(f"{deck.name}, reprinted", reprint(rng, deck.faces))


def own_decks(styles: int, seed: int = 0) -> list[Deck]:
    """The project's own Italian and French deck, and `styles` variations of each in random styles."""
    from datasets.decks import load_face

    decks = [
        Deck("arbitro_italian", {c: _opaque(load_face("italian", c, FACE_HEIGHT_PX)) for c in ITALIAN_CODES}),
        Deck("arbitro_french", {c: _opaque(load_face("french", c, FACE_HEIGHT_PX)) for c in FRENCH_CODES}),
    ]
    if styles:
        from datasets.decks import french, italian
        from datasets.decks.raster import face_image

        for i in range(styles):
            drawn = random.Random(seed * 1000 + i)
            style_it, style_fr = italian.ItalianStyle.random(drawn), french.FrenchStyle.random(drawn)
            decks.append(
                Deck(
                    f"arbitro_italian_{i}",
                    {
                        c: _opaque(face_image(italian.face_svg(c, style_it), FACE_HEIGHT_PX))
                        for c in ITALIAN_CODES
                    },
                )
            )
            decks.append(
                Deck(
                    f"arbitro_french_{i}",
                    {
                        c: _opaque(face_image(french.face_svg(c, style_fr), FACE_HEIGHT_PX))
                        for c in FRENCH_CODES
                    },
                )
            )
    return decks


def _opaque(bgra: Image) -> Image:
    alpha = bgra[..., 3:].astype(np.float32) / 255
    return (bgra[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)


def make_backs(rng: np.random.Generator, count: int) -> list[Image]:
    """Card backs of many kinds: lattices, checks, dots, prints, plain; with and without border and emblem."""
    backs = []
    for _ in range(count):
        height, width = 300, int(rng.uniform(150, 215))
        pattern = rng.integers(0, 6)
        inks = [rng.integers(0, 256, 3).astype(np.float32) for _ in range(2)]
        inks[0] = inks[0] * rng.uniform(0.2, 0.8)
        if rng.random() < 0.6:
            inks[1] = np.array([240, 240, 240], np.float32)
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        period = rng.uniform(5, 30)
        if pattern == 0:
            mask = ((x + y) % period < period * 0.3) | ((x - y) % period < period * 0.3)
        elif pattern == 1:
            mask = (x % period < period * 0.35) | (y % period < period * 0.35)
        elif pattern == 2:
            mask = ((x % period) - period / 2) ** 2 + ((y % period) - period / 2) ** 2 < (period * 0.33) ** 2
        elif pattern == 3:
            mask = (np.sin(x / period * 2) * np.sin(y / period * 2)) > rng.uniform(-0.3, 0.3)
        elif pattern == 4:
            mask = np.zeros((height, width), bool)
        else:
            centre = np.hypot(x - width / 2, (y - height / 2) * 0.6)
            mask = np.sin(centre / period * 4) + np.sin(np.arctan2(y - height / 2, x - width / 2) * 12) > 0
        image = np.where(mask[..., None], inks[1], inks[0])
        if pattern == 4 and rng.random() < 0.6:
            image = surface(rng, "printed", (height, width)).astype(np.float32)
        image = np.ascontiguousarray(np.clip(image, 0, 255).astype(np.uint8))
        if rng.random() < 0.5:
            axes = (int(width * rng.uniform(0.1, 0.35)), int(height * rng.uniform(0.06, 0.3)))
            colour = tuple(int(v) for v in inks[int(rng.integers(0, 2))])
            cv2.ellipse(image, (width // 2, height // 2), axes, 0, 0, 360, colour, -1, cv2.LINE_AA)
            cv2.ellipse(image, (width // 2, height // 2), axes, 0, 0, 360, (230, 230, 230), 2, cv2.LINE_AA)
        if rng.random() < 0.65:
            edge = int(rng.integers(3, 18))
            border = np.full_like(image, 245 if rng.random() < 0.8 else int(rng.integers(0, 256)))
            border[edge:-edge, edge:-edge] = image[edge:-edge, edge:-edge]
            image = border
        backs.append(image)
    return backs


def drawn_hand(rng: np.random.Generator) -> Image:
    """Draw a plain hand with alpha, wrist at the top: the stand-in where no photographed hands are at hand."""
    height, width = 420, 300
    alpha = np.zeros((height, width), np.uint8)
    cv2.ellipse(alpha, (150, 170), (80, 95), 0, 0, 360, 255, -1, cv2.LINE_AA)
    cv2.rectangle(alpha, (95, 0), (205, 150), 255, -1)
    closed = rng.random() < 0.4
    for i, (x, length) in enumerate(((88, 120), (130, 150), (172, 145), (210, 110))):
        reach = length * (rng.uniform(0.3, 0.5) if closed else rng.uniform(0.85, 1.1))
        tip = (int(x + rng.uniform(-25, 25) + (i - 1.5) * 8), int(225 + reach))
        cv2.line(alpha, (x, 210), tip, 255, int(rng.uniform(30, 40)), cv2.LINE_AA)
    cv2.line(alpha, (80, 140), (int(rng.uniform(10, 50)), int(rng.uniform(200, 260))), 255, 40, cv2.LINE_AA)
    tone = np.array([[[rng.uniform(60, 190)]]], np.float32) * np.array([0.72, 0.85, 1.08], np.float32)
    distance = cv2.distanceTransform(alpha, cv2.DIST_L2, 3)
    shade = 0.72 + 0.28 * np.clip(distance / 28, 0, 1)
    image = np.clip(tone * shade[..., None] + rng.normal(0, 4, (height, width, 1)), 0, 255).astype(np.uint8)
    return np.dstack([image, alpha])
