"""A pinhole camera above the table: millimetres on and over the table to pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.film.motion import Pose


@dataclass(frozen=True)
class TableCamera:
    """A camera that looks down on the table.

    Attributes:
        size: width and height of the picture, px.
        matrix: (3, 4) projection of homogeneous (x, y, z, 1) in mm to homogeneous pixels.
        position: where the camera is, mm.
    """

    size: tuple[int, int]
    matrix: NDArray[np.float64]
    position: NDArray[np.float64]

    @classmethod
    def over(
        cls,
        size: tuple[int, int],
        half_mm: tuple[float, float],
        *,
        tilt: float = 0.0,
        azimuth: float = 0.0,
        roll: float = 0.0,
        field_of_view: float = math.radians(50),
        fill: float = 0.97,
        aim_mm: tuple[float, float] = (0.0, 0.0),
    ) -> TableCamera:
        """Place a camera so that a rectangle around the middle of the table just fits into its picture.

        Args:
            size: width and height of the picture, px.
            half_mm: half the width and half the height of the rectangle, mm.
            tilt: how far the camera leans from straight above, radians.
            azimuth: the side from which it looks, 0 is the near side (seat 0), counter-clockwise, radians.
            roll: turn of the picture, radians.
            field_of_view: of the picture's longer side, radians.
            fill: share of the picture that the rectangle may take.
            aim_mm: the point of the table in the middle of the picture, before the fit shifts it.
        """
        width, height = size
        focal = max(size) / 2 / math.tan(field_of_view / 2)
        corners = np.array([(x, y, 0.0) for x in (-half_mm[0], half_mm[0]) for y in (-half_mm[1], half_mm[1])])
        aim = np.array([*aim_mm, 0.0])
        camera = cls._looking_at(size, focal, aim, 1000.0, tilt, azimuth, roll)
        for _ in range(12):
            low, high = 100.0, 20000.0
            for _ in range(40):
                distance = (low + high) / 2
                camera = cls._looking_at(size, focal, aim, distance, tilt, azimuth, roll)
                spread = np.ptp(camera.project(corners), axis=0)
                if spread[0] <= fill * width and spread[1] <= fill * height:
                    high = distance
                else:
                    low = distance
            seen = camera.project(corners)
            off = (seen.min(axis=0) + seen.max(axis=0)) / 2 - np.array([width / 2, height / 2])
            if np.abs(off).max() < 0.5:
                break
            here = camera.on_table(np.array([[width / 2, height / 2]]) + off)[0]
            there = camera.on_table(np.array([[width / 2, height / 2]]))[0]
            aim = aim + np.array([*(here - there), 0.0])
        return camera

    @classmethod
    def _looking_at(cls, size: tuple[int, int], focal: float, aim: NDArray[np.float64], distance: float,
                    tilt: float, azimuth: float, roll: float) -> TableCamera:
        # Straight above, picture right is +x and picture down is -y; the camera then leans back towards `azimuth`.
        back = np.array([math.sin(azimuth) * math.sin(tilt), -math.cos(azimuth) * math.sin(tilt), math.cos(tilt)])
        position = aim + back * distance
        forward = -back
        up_hint = np.array([0.0, 1.0, 0.0]) if tilt < 1e-9 else np.array([0.0, 1.0, 0.0]) - forward * forward[1]
        up = up_hint / np.linalg.norm(up_hint)
        right = np.cross(forward, up)
        c, s = math.cos(roll), math.sin(roll)
        right, up = c * right + s * up, -s * right + c * up
        rotation = np.stack([right, -up, forward])
        intrinsic = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1.0]])
        return cls(size, intrinsic @ np.hstack([rotation, (-rotation @ position)[:, None]]), position)

    def moved(self, shift_mm: tuple[float, float], turn: float) -> TableCamera:
        """Return the camera moved over the table, x and y in mm, and turned about the upright, radians."""
        c, s = math.cos(turn), math.sin(turn)
        turned = self.matrix[:, :3] @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        position = self.position + np.array([*shift_mm, 0.0])
        return TableCamera(self.size, np.hstack([turned, -(turned @ position)[:, None]]), position)

    def project(self, points_mm: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the pixels (n, 2) of points (n, 3) in mm."""
        homogeneous = np.asarray(points_mm, float) @ self.matrix[:, :3].T + self.matrix[:, 3]
        return homogeneous[:, :2] / homogeneous[:, 2:]

    def table_homography(self) -> NDArray[np.float64]:
        """Return the (3, 3) homography from the table plane (x, y in mm) to pixels."""
        return self.matrix[:, [0, 1, 3]]

    def on_table(self, pixels: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the points (n, 2) of the table, mm, that are seen at pixels (n, 2)."""
        points = np.asarray(pixels, float).reshape(-1, 1, 2)
        return cv2.perspectiveTransform(points, np.linalg.inv(self.table_homography())).reshape(-1, 2)

    def beyond_mm(self, margin_mm: float = 25.0) -> tuple[float, float, float, float]:
        """Return how far from the middle the picture reaches: right, far, left, near, mm."""
        w, h = self.size
        # A hand hovers above the table, so it leaves the picture a little earlier than the table does.
        seen = self.on_table(np.array([[0, 0], [w, 0], [w, h], [0, h]]))
        return (float(seen[:, 0].max()) + margin_mm, float(seen[:, 1].max()) + margin_mm,
                float(-seen[:, 0].min()) + margin_mm, float(-seen[:, 1].min()) + margin_mm)


def card_corners_mm(pose: Pose, card_mm: tuple[float, float]) -> NDArray[np.float64]:
    """Return the corners (4, 3) of a card in mm: top left, top right, bottom right, bottom left of its picture.

    A card that lies face down shows its back; its corners are those of the back's picture, also clockwise as seen.
    """
    w, h = card_mm[0] / 2, card_mm[1] / 2
    local = np.array([(-w, h), (w, h), (w, -h), (-w, -h)])
    lean = math.cos(pose.roll)
    across = local[:, 0] * lean
    height = pose.z + local[:, 0] * math.sin(pose.roll)
    c, s = math.cos(pose.angle), math.sin(pose.angle)
    corners = np.stack([pose.x + c * across - s * local[:, 1], pose.y + s * across + c * local[:, 1], height], axis=1)
    return corners if lean >= 0 else corners[[1, 0, 3, 2]]
