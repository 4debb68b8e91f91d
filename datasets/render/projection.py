"""A pinhole camera over the table: from millimetres on the table to pixels of the picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Pose:
    """A camera that looks at the table's origin; the table is the plane z = 0, z points up.

    Attributes:
        matrix: projection from homogeneous table coordinates (mm) to homogeneous pixels, shape (3, 4).
        size_px: width and height of the picture.
        px_per_mm: scale at the origin, across the line of sight.
        tilt_deg: angle between the line of sight and the vertical.
    """

    matrix: NDArray[np.float64]
    size_px: tuple[int, int]
    px_per_mm: float
    tilt_deg: float

    @classmethod
    def looking(
        cls,
        size_px: tuple[int, int],
        px_per_mm: float,
        tilt_deg: float,
        azimuth_deg: float,
        roll_deg: float,
        fov_deg: float,
    ) -> Pose:
        """Place a camera so that the table's origin lies in the picture's centre at the given scale."""
        width, height = size_px
        focal = max(width, height) / 2 / np.tan(np.radians(fov_deg) / 2)
        distance = focal / px_per_mm
        tilt, azimuth, roll = np.radians([tilt_deg, azimuth_deg, roll_deg])
        forward = -np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)])
        right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        down = np.cross(forward, right)
        turned_right = np.cos(roll) * right + np.sin(roll) * down
        turned_down = -np.sin(roll) * right + np.cos(roll) * down
        rotation = np.stack([turned_right, turned_down, forward])
        extrinsic = np.hstack([rotation, (rotation @ (forward * distance))[:, None]])
        intrinsic = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1.0]])
        return cls(intrinsic @ extrinsic, size_px, px_per_mm, tilt_deg)

    def project(self, points_mm: NDArray[np.floating], z_mm: float = 0.0) -> NDArray[np.float32]:
        """Project table points, shape (n, 2), lying `z_mm` above the table, to pixels, shape (n, 2)."""
        points = np.asarray(points_mm, np.float64).reshape(-1, 2)
        homogeneous = (
            np.column_stack([points, np.full(len(points), z_mm), np.ones(len(points))]) @ self.matrix.T
        )
        return (homogeneous[:, :2] / homogeneous[:, 2:]).astype(np.float32)

    @property
    def table_homography(self) -> NDArray[np.float64]:
        """Homography from the table plane (mm) to pixels, shape (3, 3)."""
        return self.matrix[:, [0, 1, 3]]

    def unproject(self, points_px: NDArray[np.floating]) -> NDArray[np.float64]:
        """Find the table points, shape (n, 2) in mm, that are seen at pixels of shape (n, 2)."""
        points = np.asarray(points_px, np.float64).reshape(-1, 2)
        homogeneous = np.column_stack([points, np.ones(len(points))]) @ np.linalg.inv(self.table_homography).T
        return homogeneous[:, :2] / homogeneous[:, 2:]
