"""Turn a face drawn as SVG into pixels."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import resvg_py


def face_image(svg: str, height_px: int) -> npt.NDArray[np.uint8]:
    """Rasterise an SVG card to a picture `height_px` high: BGRA uint8 (height, width, 4), transparent outside the card.

    Colours are not premultiplied by alpha.

    Raises:
        ValueError: the SVG cannot be read or the height is not positive.
    """
    if height_px < 1:
        raise ValueError(f"a card of {height_px} px cannot be drawn; say a height of 1 px or more")
    png = resvg_py.svg_to_bytes(svg_string=svg, height=height_px, dpi=254.0, skip_system_fonts=True)
    image = cv2.imdecode(np.frombuffer(bytes(png), np.uint8), cv2.IMREAD_UNCHANGED)
    if image is None or image.ndim != 3:
        raise ValueError("the SVG gave no picture")
    if image.shape[2] == 3:
        image = cv2.cvtColor(image, cv2.COLOR_BGR2BGRA)
    return np.asarray(image, np.uint8)
