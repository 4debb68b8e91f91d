"""Webcams, by number."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import CameraError, FrameSource

WANTED_SIZE = (1920, 1080)
"""Width and height asked of a webcam when nobody says otherwise."""
FAILURES_UNTIL_LOST = 5
"""Reads that must fail one after the other before the webcam counts as unplugged."""


class WebcamSource(FrameSource):
    """Give the frames of a webcam.

    Args:
        index: number of the camera, from 0.
        size: width and height in pixels that it must give; whatever it gives if None.
        fps: frames per second to ask for.

    Raises:
        CameraError: if there is no such camera, it is in use, or it refuses the size.
    """

    def __init__(self, index: int, *, size: tuple[int, int] | None = None, fps: float | None = None) -> None:
        self._index = index
        backend = cv2.CAP_V4L2 if sys.platform.startswith("linux") else cv2.CAP_ANY
        if sys.platform.startswith("linux") and not Path(f"/dev/video{index}").exists():
            raise CameraError(f"there is no camera {index}; plug it in, or try another number")
        self._capture = cv2.VideoCapture(index, backend)
        try:
            if not self._capture.isOpened():
                raise CameraError(
                    f"camera {index} cannot be opened; plug it in, close other programs that use it, "
                    "or try another number"
                )
            # Uncompressed pictures of this size do not fit through USB 2 at a useful rate.
            self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            width, height = size or WANTED_SIZE
            self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, width)
            self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
            if fps is not None:
                self._capture.set(cv2.CAP_PROP_FPS, fps)
            self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
            if size is not None:
                given = (
                    round(self._capture.get(cv2.CAP_PROP_FRAME_WIDTH)),
                    round(self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT)),
                )
                if given != size:
                    raise CameraError(
                        f"camera {index} does not give {size[0]} x {size[1]} pixels "
                        f"but {given[0]} x {given[1]}; ask for that size or leave it out"
                    )
        except CameraError:
            self._capture.release()
            raise
        claimed = self._capture.get(cv2.CAP_PROP_FPS)
        self.claimed_fps = claimed if claimed > 0 else None
        self._begun: float | None = None

    def next(self) -> tuple[npt.NDArray[np.uint8], float] | None:
        for _ in range(FAILURES_UNTIL_LOST):
            grabbed = self._capture.grab()
            now = time.monotonic()  # taken at the grab: decoding comes after
            if not grabbed:
                time.sleep(0.05)
                continue
            good, image = self._capture.retrieve()
            if not good or image is None:
                self.damaged_frames += 1
                continue
            self._begun = now if self._begun is None else self._begun
            return np.asarray(image, np.uint8), (now - self._begun) * 1000
        raise CameraError(f"camera {self._index} was unplugged or stopped")

    def close(self) -> None:
        self._capture.release()
