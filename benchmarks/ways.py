"""Ways to read the cards of a picture: ours, and those that people usually take.

Each is given what it needs beforehand, outside the time that is measured: the matching ways get scans of the very deck
that lies there, which at a table nobody has; ours and the one-stage network are not told which deck it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.pictures import Picture
from datasets.evaluate.figures import overlap
from rules.cards import FRENCH_CODES, ITALIAN_CODES
from vision.crops import straighten
from vision.detections import FACE
from vision.detector import Detector
from vision.reading import CardReader, read_together

CROP_PX = (320, 208)
"""Height and width of a card that is cut out to be matched by ORB."""
ORB_FEATURES = 500
SIFT_FEATURES_SCAN = 400
SIFT_FEATURES_PICTURE = 6000
CLEARER_THAN = 0.75
"""Share of the second best distance below which the best match counts (Lowe's ratio test)."""
ORB_INLIERS = 10
SIFT_INLIERS = 10
"""Matches that must fit one homography for a card to count as read; chosen on printings that training has seen."""
REPROJECTION_PX = 4.0
ONE_PLACE = 0.5
"""Overlap from which two scans are seen in one place."""
CARD_ASPECTS = (1.1, 2.8)
LEAST_AREA_PX = 400.0
ONE_STAGE_PX = 640
ONE_STAGE_SCORE = 0.25


class Way(Protocol):
    """A way to read cards."""

    @property
    def name(self) -> str:
        """What the way is called in the tables."""
        ...

    @property
    def reads(self) -> bool:
        """Whether what it says of cards means anything: an untrained network is only good for timing."""
        ...

    def learn(self, scans: Mapping[str, NDArray[np.uint8]]) -> None:
        """Get to know the deck in the pictures to come: faces by code, BGR."""
        ...

    def read(self, picture: Picture) -> Sequence[str]:
        """Return the codes of the cards that are read; only the image is looked at, and whether it is a photograph."""
        ...


class Ours:
    """Detector, classifier and what the cards say together, as the program runs them."""

    reads = True

    def __init__(self, reader: CardReader, name: str = "Arbitro") -> None:
        self.name = name
        self._reader = reader

    def learn(self, scans: Mapping[str, NDArray[np.uint8]]) -> None:
        """Take no notice: any deck is read without scans of it."""

    def read(self, picture: Picture) -> Sequence[str]:
        """Read a photograph as `arbitro count` does, a live frame with one look."""
        image = picture.image
        if picture.is_photo:
            return self._reader.read_picture(image).codes
        cards, readings = self._reader.look(image)
        size = (image.shape[0], image.shape[1])
        return read_together(cards, readings, size, strong=self._reader.detector.score).codes


class BoxesAndOrb:
    """A one-class oriented detector, and ORB features of what is in each box against those of the scans."""

    name = "boxes + ORB"
    reads = True

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._orb = cv2.ORB.create(nfeatures=ORB_FEATURES, edgeThreshold=12)
        self._matcher = cv2.BFMatcher(cv2.NORM_HAMMING)
        self._known: dict[str, tuple[NDArray[np.float32], NDArray[np.uint8]]] = {}

    def learn(self, scans: Mapping[str, NDArray[np.uint8]]) -> None:
        """Take features of the scans at the size of the crops."""
        self._known = {}
        for code, scan in scans.items():
            points, descriptors = self._features(
                cv2.resize(scan, CROP_PX[::-1], interpolation=cv2.INTER_AREA)
            )
            if descriptors is not None:
                self._known[code] = points, descriptors

    def read(self, picture: Picture) -> Sequence[str]:
        """Match what is in the detector's boxes of faces."""
        found = self._detector.detect(picture.image, photo=picture.is_photo).of(FACE)
        codes = []
        for crop in straighten(picture.image, found.quads, CROP_PX):
            code = self._face(crop)
            if code is not None:
                codes.append(code)
        return codes

    def _features(self, image: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.uint8] | None]:
        points, descriptors = self._orb.detectAndCompute(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), None)
        return np.array([point.pt for point in points], np.float32).reshape(-1, 2), descriptors

    def _face(self, crop: NDArray[np.uint8]) -> str | None:
        points, descriptors = self._features(crop)
        if descriptors is None or len(descriptors) < ORB_INLIERS:
            return None
        best, most = None, ORB_INLIERS - 1
        for code, (scan_points, scan_descriptors) in self._known.items():
            pairs = clear_matches(self._matcher.knnMatch(descriptors, scan_descriptors, k=2))
            if len(pairs) <= most:
                continue
            fit = fitted(scan_points[pairs[:, 1]], points[pairs[:, 0]])
            if fit is not None and fit[1] > most:
                best, most = code, fit[1]
        return best


class WholePictureSift:
    """SIFT features of every scan against those of the whole picture; a homography says where a card lies."""

    name = "SIFT + homography"
    reads = True

    def __init__(self) -> None:
        self._of_scan = cv2.SIFT.create(nfeatures=SIFT_FEATURES_SCAN)
        self._of_picture = cv2.SIFT.create(nfeatures=SIFT_FEATURES_PICTURE)
        self._known: dict[str, tuple[NDArray[np.float32], NDArray[np.float32], tuple[int, int]]] = {}

    def learn(self, scans: Mapping[str, NDArray[np.uint8]]) -> None:
        """Take features of the scans."""
        self._known = {}
        for code, scan in scans.items():
            points, descriptors = self._of_scan.detectAndCompute(cv2.cvtColor(scan, cv2.COLOR_BGR2GRAY), None)
            if descriptors is not None and len(descriptors) >= 2:
                at = np.array([point.pt for point in points], np.float32)
                self._known[code] = at, descriptors, (scan.shape[0], scan.shape[1])

    def read(self, picture: Picture) -> Sequence[str]:
        """Look for each scan in the picture."""
        grey = cv2.cvtColor(picture.image, cv2.COLOR_BGR2GRAY)
        points, descriptors = self._of_picture.detectAndCompute(grey, None)
        if descriptors is None or len(descriptors) < SIFT_INLIERS:
            return []
        at = np.array([point.pt for point in points], np.float32)
        # The picture's features are put into search trees once: matching one by one is several times slower.
        matcher = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 4}, {"checks": 48})
        matcher.add([descriptors])
        matcher.train()
        seen: list[tuple[int, str, NDArray[np.float32]]] = []
        for code, (scan_points, scan_descriptors, (height, width)) in self._known.items():
            pairs = clear_matches(matcher.knnMatch(scan_descriptors, k=2))
            fit = fitted(scan_points[pairs[:, 0]], at[pairs[:, 1]])
            if fit is None or fit[1] < SIFT_INLIERS:
                continue
            corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float32)
            quad = cv2.perspectiveTransform(corners, fit[0])[0]
            if is_card_like(quad):
                seen.append((fit[1], code, quad))
        return best_of_each_place(seen)


def best_of_each_place(seen: Sequence[tuple[int, str, NDArray[np.float32]]]) -> list[str]:
    """Return the codes of scans that were seen, of several in one place the one with most inliers.

    Args:
        seen: inliers, code, and corners (4, 2) of each.
    """
    kept: list[tuple[str, NDArray[np.float32]]] = []
    for _, code, quad in sorted(seen, key=lambda one: -one[0]):
        if all(overlap(quad, other) < ONE_PLACE for _, other in kept):
            kept.append((code, quad))
    return [code for code, _ in kept]


class OneStage:
    """One network of 92 classes that finds and reads in one go, run by ultralytics.

    Args:
        weights: a trained network whose class names are card codes; or the name of an architecture, which is timed
            untrained.
        threads: how many threads it computes with.

    Raises:
        ValueError: if trained weights name a class that is no card, or the file cannot be used.
    """

    def __init__(self, weights: str, threads: int) -> None:
        from ultralytics import YOLO

        self.reads = not weights.endswith(".yaml")
        # ultralytics would look for a missing file on the network.
        if self.reads and not Path(weights).is_file():
            raise ValueError(f"there is no file {weights}: name the weights of a trained network")
        self._threads = threads
        self.name = f"one stage ({Path(weights).stem}, 92 classes)"
        codes = (*ITALIAN_CODES, *FRENCH_CODES)
        try:
            if self.reads:
                self._network: Any = YOLO(weights)
            else:
                self._network = YOLO(weights)
                self._network.model = _with_classes(weights, codes)
        except Exception as error:  # ultralytics raises many unrelated types for a file it cannot use
            raise ValueError(f"{weights} is not a network that ultralytics can load ({error})") from None
        self._names: Mapping[int, str] = dict(self._network.names)
        strangers = sorted(set(self._names.values()) - set(codes))
        if self.reads and strangers:
            raise ValueError(f"{weights} has classes that are no cards: {', '.join(strangers[:5])}")

    def learn(self, scans: Mapping[str, NDArray[np.uint8]]) -> None:
        """Take no notice: what it knows it knows from its training."""

    def read(self, picture: Picture) -> Sequence[str]:
        """Run the network on the picture."""
        import torch

        result = self._network.predict(
            picture.image, imgsz=ONE_STAGE_PX, conf=ONE_STAGE_SCORE, device="cpu", verbose=False
        )[0]
        # With its first picture ultralytics takes all cores but one, whatever was said before.
        torch.set_num_threads(self._threads)
        boxes = result.obb if result.obb is not None else result.boxes
        return [self._names[int(number)] for number in boxes.cls]


def _with_classes(architecture: str, codes: Sequence[str]) -> Any:
    from ultralytics.nn.tasks import OBBModel

    network = OBBModel(architecture, nc=len(codes), verbose=False)
    network.names = dict(enumerate(codes))
    return network.eval()


def clear_matches(candidates: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    """Return (n, 2) indices, of the query and of its match, of those matches that are clearly the best."""
    pairs = [
        (two[0].queryIdx, two[0].trainIdx)
        for two in candidates
        if len(two) == 2 and two[0].distance < CLEARER_THAN * two[1].distance
    ]
    return np.array(pairs, np.int64).reshape(-1, 2)


def fitted(scan: NDArray[np.float32], picture: NDArray[np.float32]) -> tuple[NDArray[np.float64], int] | None:
    """Fit a homography from points (n, 2) of a scan to points of a picture; return it and how many points follow it."""
    if len(scan) < 4:
        return None
    homography, inliers = cv2.findHomography(scan, picture, cv2.RANSAC, REPROJECTION_PX)
    return None if homography is None else (homography, int(inliers.sum()))


def is_card_like(quad: NDArray[np.floating]) -> bool:
    """Tell whether corners (4, 2) can be those of a card: convex, not mirrored, large enough and not too long."""
    sides = np.roll(quad, -1, axis=0) - quad
    following = np.roll(sides, -1, axis=0)
    if not (sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0] > 0).all():
        return False
    lengths = np.linalg.norm(sides, axis=1)
    across, down = lengths[0] + lengths[2], lengths[1] + lengths[3]
    aspect = max(across, down) / max(min(across, down), 1e-9)
    return (
        CARD_ASPECTS[0] <= aspect <= CARD_ASPECTS[1]
        and abs(cv2.contourArea(np.float32(quad))) >= LEAST_AREA_PX
    )
