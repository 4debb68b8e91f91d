"""Find cards and hands in a picture with the detector model.

Owns the way from pixels to `Detections`: the model's input, its output rows, thresholds, and looking at a
large picture in several scales. It reads no faces.

The model is an oriented YOLO26 exported end to end: input ``images`` float32 (1, 3, height, width), RGB in
0..1; output float32 (1, n, 7), rows of centre x, centre y, width, height in pixels of the input, score, class
and the angle in radians of the width's direction, clockwise as seen.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.boxes import is_card, merged_looks, portrait_quads, without_doubles
from vision.detections import CLASS_NAMES, Detections
from vision.letterbox import DEFAULT_MARGIN, STRIDE, Letterbox, rectangular_input, tiles_of
from vision.models import ModelError, Models

DEFAULT_SCORE = 0.25
"""Score from which a box counts, when the manifest names none."""
PHOTO_LONG_SIDES = (0.5, 1.0, 2.0)
"""Scales of the looks at a whole photo, in multiples of the model's own input."""
TILED_FROM_PX = 1400
"""Longer side of a picture from which tiles can show more than the whole picture does."""
SMALL_CARD_PX = 56
"""Height of a card in the finest look at a whole photo below which the photo is looked at in tiles too."""
TILES_ACROSS = 2
CUT_FREE = 0.005
"""Distance from the cut of a tile, as a share of its width, that a box needs to be taken from that tile."""
BLURRED_BELOW_PX = 20
"""Height in the input below which a box is too coarse to be kept where a finer look exists."""


class Detector:
    """Find cards and hands.

    Args:
        models: where the model comes from.
        long_side: longer side of the input in pixels, a multiple of 32; the manifest's if not given.
        score: boxes below it are dropped; the manifest's if not given.
        rectangular: give wide pictures a wide input (saves the time of the empty part), if the model allows
            it.

    Raises:
        ModelError: if the model is missing or is not such a detector.
    """

    def __init__(
        self,
        models: Models,
        *,
        long_side: int | None = None,
        score: float | None = None,
        rectangular: bool = True,
    ) -> None:
        entry = models.entry("detector")
        if entry.classes != CLASS_NAMES:
            raise ModelError(
                f"the detector model finds {', '.join(entry.classes)}, not {', '.join(CLASS_NAMES)}; "
                "restore the models folder"
            )
        self._session = models.session("detector")
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if len(inputs) != 1 or len(inputs[0].shape) != 4:
            raise ModelError(f"{entry.path} is not a detector: it does not take one picture")
        self._input_name, self._output_name = inputs[0].name, outputs[0].name
        fixed = [side if isinstance(side, int) else None for side in inputs[0].shape[2:]]
        self._fixed_hw = (fixed[0], fixed[1]) if fixed[0] is not None and fixed[1] is not None else None
        self.margin = float(entry.details.get("margin", DEFAULT_MARGIN))
        self.score = float(entry.details.get("score", DEFAULT_SCORE)) if score is None else score
        self.long_side = max(entry.input_hw) if long_side is None else long_side
        if self.long_side < STRIDE or self.long_side % STRIDE:
            raise ModelError(
                f"the detector's input must be a multiple of {STRIDE} pixels, not {self.long_side}"
            )
        self.rectangular = rectangular

    def input_hw(self, picture_hw: tuple[int, int], long_side: int | None = None) -> tuple[int, int]:
        """Return height and width of the input that a picture of this size gets."""
        if self._fixed_hw is not None:
            return self._fixed_hw
        side = long_side or self.long_side
        return rectangular_input(picture_hw, side, self.margin) if self.rectangular else (side, side)

    def detect(
        self, image: npt.NDArray[np.uint8], *, photo: bool = False, score: float | None = None
    ) -> Detections:
        """Find what lies in a picture.

        Args:
            image: (height, width, 3) uint8, BGR.
            photo: take the time that one photo deserves: several scales, and tiles where cards are small.
            score: boxes below it are dropped, instead of the detector's own.

        Returns:
            Detections in pixels of the picture, best first, without doubles. Nothing is clipped.
        """
        least = self.score if score is None else score
        if not photo:
            return without_doubles(self._look(image, self.long_side, least))
        return merged_looks([without_doubles(look) for look in self._photo_looks(image, least)])

    def candidates(
        self, image: npt.NDArray[np.uint8], *, photo: bool = False, score: float | None = None
    ) -> Detections:
        """Find all that may lie in a picture: like `detect`, but with all boxes that one thing was given."""
        least = self.score if score is None else score
        if not photo:
            return self._look(image, self.long_side, least)
        return Detections.joined(self._photo_looks(image, least))

    def _photo_looks(self, image: npt.NDArray[np.uint8], least: float) -> list[Detections]:
        """Look at a photo in several scales, and in tiles where cards are small; coarse looks come first."""
        picture_hw = (image.shape[0], image.shape[1])
        looks: list[Detections] = []
        finest = 0
        for times in PHOTO_LONG_SIDES if self._fixed_hw is None else (1.0,):
            side = round(self.long_side * times / STRIDE) * STRIDE
            # A picture is not looked at larger than it is, unless even the first look is.
            if looks and side * (1 - 2 * self.margin) > 1.5 * max(picture_hw):
                break
            if looks:
                looks[-1] = self._fine_enough(looks[-1], finest, max(picture_hw))
            looks.append(self._look(image, side, least))
            finest = side
        card_px = self._card_height(merged_looks([without_doubles(look) for look in looks]))
        scale = finest * (1 - 2 * self.margin) / max(picture_hw)
        if max(picture_hw) >= TILED_FROM_PX and (card_px is None or card_px * scale < SMALL_CARD_PX):
            looks = [self._fine_enough(look, finest, max(picture_hw)) for look in looks]
            looks.append(self._tiled(image, finest, card_px, least))
        return looks

    def _tiled(
        self, image: npt.NDArray[np.uint8], side: int, card_px: float | None, least: float
    ) -> Detections:
        picture_hw = (image.shape[0], image.shape[1])
        longest = max(picture_hw)
        # Neighbours overlap by a whole card, so that each card lies whole in one of them at least.
        overlap = min(longest * 0.3, max(longest * 0.1, 1.3 * (card_px or longest * 0.15)))
        parts: list[Detections] = []
        for tile in tiles_of(picture_hw, TILES_ACROSS, round(overlap)):
            seen = self._look(tile.cut(image), side, least)
            if not len(seen):
                continue
            moved = Detections(
                seen.quads + np.array([tile.left, tile.top], np.float32), seen.scores, seen.class_ids
            )
            # What touches a cut is a part of a card that lies whole in the neighbour.
            parts.append(moved.pick(tile.holds(moved.quads, picture_hw, CUT_FREE * (tile.right - tile.left))))
        return Detections.joined(parts)

    def _fine_enough(self, found: Detections, side: int, longest: int) -> Detections:
        scale = side * (1 - 2 * self.margin) / longest
        return found.pick(found.sizes.max(axis=1) * scale >= BLURRED_BELOW_PX) if len(found) else found

    @staticmethod
    def _card_height(found: Detections) -> float | None:
        cards = found.pick(is_card(found.class_ids))
        return float(np.median(cards.sizes.max(axis=1))) if len(cards) else None

    def _look(self, image: npt.NDArray[np.uint8], long_side: int, least: float) -> Detections:
        picture_hw = (image.shape[0], image.shape[1])
        box = Letterbox.fit(picture_hw, self.input_hw(picture_hw, long_side), self.margin)
        rows = self.run(box.apply(image))
        boxes, scores, class_ids = decode(rows, least)
        return Detections(box.to_picture(portrait_quads(boxes)), scores, class_ids)

    def run(self, canvas: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Run the model on an input picture as it is.

        Args:
            canvas: (height, width, 3) uint8, BGR, both sides multiples of 32.

        Returns:
            (n, 7) float32 rows as in the module's description.
        """
        blob = cv2.dnn.blobFromImage(canvas, 1 / 255, swapRB=True)
        output = self._session.run([self._output_name], {self._input_name: blob})[0]
        if output.ndim != 3 or output.shape[0] != 1 or output.shape[2] != 7:
            raise ModelError(
                f"the detector model gives {output.shape}, not (1, n, 7); restore the models folder"
            )
        return np.asarray(output[0], np.float32)


def decode(
    rows: npt.NDArray[np.float32], score: float
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Pick the rows of the model's output that count.

    Args:
        rows: (n, 7) rows of centre x, centre y, width, height, score, class, angle.
        score: rows at or below it are dropped, and so are boxes without extent.

    Returns:
        (m, 5) centre x, centre y, width, height, angle; (m,) scores; (m,) class ids.
    """
    good = (rows[:, 4] > score) & (rows[:, 2] > 1) & (rows[:, 3] > 1) & np.isfinite(rows).all(axis=1)
    picked = rows[good]
    return picked[:, [0, 1, 2, 3, 6]], np.clip(picked[:, 4], 0, 1), picked[:, 5].round().astype(np.int64)
