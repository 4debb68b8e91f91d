"""Read the cards of one photo: detector, classifier, and what they say together.

Owns reading a still picture as a whole. Films, where evidence adds up over frames, are the tabletop's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from vision.association import joint_probabilities
from vision.boxes import overlaps, share_inside
from vision.classifier import CLASSES, FRENCH, ITALIAN, NONE, Classifier, Readings
from vision.detections import BACK, FACE, Detections
from vision.detector import Detector
from vision.finder import CardFinder
from vision.likeness import KnownDeck, Pooling, choose_deck, is_unknown
from vision.mirror import looks_mirrored, mirrored_quads
from vision.models import Models

READ_FROM = 0.6
"""Probability from which a card counts as read: below it hardly more than half are right on printings never seen."""
RIVAL = 0.75
"""Share of its probability from which the next likely face is a rival: such a card is in doubt, and not read."""
UNREAD_FLOOR = 0.01
"""Probability that even the surest reading is wrong: a box of nothing, a face of another deck."""
NOT_A_CARD_FROM = 0.8
"""Probability of "none" from which a box of a face is no face."""
SURE_BOX = 0.6
"""Score of a box from which it is listed although nothing can be read in it."""
FACE_DOWN_OVERRULED_FROM = 0.95
"""Probability of a face from which a box found as a back is taken for a face."""
DOUBLE_READING_COVER = 0.5
"""Share of the smaller box in the larger from which two boxes that read alike are one card."""
CUT_BELOW = 0.85
"""Share of a card inside the picture below which it counts as cut by the border."""
SMALL_BELOW_PX = 40.0
"""Height of a card in pixels below which it counts as too small to be read well."""
DECK_FROM = 0.9
"""Probability from which the kind of deck is said."""
OTHER_KIND_FROM = 0.9
"""Probability of a face of the other kind from which a card does not belong to the deck."""
CANDIDATES = 5
CANDIDATE_FROM = 0.01

Family = Literal["italian", "french"]
_SLICES: dict[Family, slice] = {"italian": ITALIAN, "french": FRENCH}


@dataclass(frozen=True, eq=False)
class ReadCard:
    """Describe one card of a photo.

    Attributes:
        card: code of the face, None if it is not read or lies face down.
        confidence: probability that what `card` says is right; of the best candidate if it is None.
        candidates: codes with their probabilities, best first.
        quad: (4, 2) float32 corners in pixels, in the order of `Detections`.
        face: whether it shows its face.
        score: the detector's score.
        cut: whether the picture's border cuts it.
        small: whether it is too small to be read well.
    """

    card: str | None
    confidence: float
    candidates: tuple[tuple[str, float], ...]
    quad: npt.NDArray[np.float32]
    face: Literal["up", "down"]
    score: float
    cut: bool = False
    small: bool = False


@dataclass(frozen=True)
class Remark:
    """A remark on a photo: code, and what it is said of.

    Codes: ``nothing-found``, ``unread`` (count), ``cut`` (count), ``small`` (count, height in pixels),
    ``mirrored``, ``unknown-deck``, ``two-kinds`` (count of the cards of the other kind).
    """

    code: str
    args: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class PictureReading:
    """Hold what was read in one photo.

    Attributes:
        size: width and height of the photo in pixels.
        deck: "italian" or "french", None if no card was read or the two are about as likely.
        cards: cards that show their face, top to bottom and left to right.
        backs: cards that lie face down.
        warnings: what a person should know.
        known: name of the enrolled deck that it was read as, None if it was read as a kind.
        mirrored: whether the picture was mirrored, and read after it was turned back; corners are those in the
            picture as it was given.
    """

    size: tuple[int, int]
    deck: Family | None
    cards: tuple[ReadCard, ...]
    backs: tuple[ReadCard, ...]
    warnings: tuple[Remark, ...]
    known: str | None = None
    mirrored: bool = False

    @property
    def codes(self) -> list[str]:
        """The codes that were read."""
        return [card.card for card in self.cards if card.card is not None]


class CardReader:
    """Read photos.

    Args:
        models: where detector and classifier come from.

    Raises:
        ModelError: if a model is missing or unfit.
    """

    def __init__(self, models: Models) -> None:
        self.detector = Detector(models)
        self.classifier = Classifier(models)
        self.finder = CardFinder(self.detector, self.classifier.corners)

    def look(
        self, image: npt.NDArray[np.uint8], *, photo: bool = False
    ) -> tuple[Detections, Readings]:
        """Find the cards of a picture and read each by itself.

        Args:
            image: (height, width, 3) uint8, BGR.
            photo: take the time that one photo deserves.

        Returns:
            Boxes of faces and backs, best first, and their readings; those of boxes whose corners are not clear say
            nothing.
        """
        found = self.finder.find(image, photo=photo).cards()
        readings = self.classifier.read(image, found.detections.quads, corners=False)
        return found.detections, readings.doubting(~found.clear)

    def read_picture(
        self,
        image: npt.NDArray[np.uint8],
        *,
        deck: Family | None = None,
        faces: Sequence[str] | None = None,
        known: KnownDeck | None = None,
        decks: Sequence[KnownDeck] = (),
    ) -> PictureReading:
        """Read the cards of a photo of one deck.

        Args:
            image: (height, width, 3) uint8, BGR, as large as it is.
            deck: the kind of deck, if it is known.
            faces: the only codes that can occur, if they are known (a game's deck).
            known: the enrolled deck, if it is known which.
            decks: enrolled decks that it may be, if it is not.
        """
        sight = self.find_cards(image, known=known, decks=decks if deck is None else ())
        known, readings = sight.known, sight.readings
        if known is not None:
            deck, readings = known.family, known.read(readings)
        reading = read_together(
            sight.cards,
            readings,
            (image.shape[0], image.shape[1]),
            deck=deck,
            faces=faces,
            strong=self.detector.score,
            unknown_below=Pooling.of(self.classifier.details).unknown,
            other_images=known is not None and known.gallery.kind == "other",
        )
        if not sight.mirrored:
            return replace(reading, known=known.name if known is not None else None)
        return replace(
            reading,
            known=known.name if known is not None else None,
            cards=tuple(_mirrored_back(card, image.shape[1]) for card in reading.cards),
            backs=tuple(_mirrored_back(card, image.shape[1]) for card in reading.backs),
            warnings=(Remark("mirrored"), *reading.warnings),
            mirrored=True,
        )

    def find_cards(
        self,
        image: npt.NDArray[np.uint8],
        *,
        known: KnownDeck | None = None,
        decks: Sequence[KnownDeck] = (),
        may_be_mirrored: bool = True,
    ) -> Sight:
        """Find the cards of a photo and read each by itself, in the mirrored picture if this one is mirrored.

        Args:
            image: (height, width, 3) uint8, BGR.
            known: the enrolled deck, if it is known which: it tells better what is mirrored.
            decks: enrolled decks that it may be, if it is not.
            may_be_mirrored: leave it open whether the picture is mirrored; of images that nobody knows yet, nothing
                can tell.
        """
        cards, readings = self.look(image, photo=True)
        if known is None:
            known = choose_deck(readings.pick(cards.class_ids == FACE), decks)
        mirrored = may_be_mirrored and looks_mirrored(image, cards, readings, self.classifier, known)
        if not mirrored:
            return Sight(image, cards, readings, False, known)
        image = np.ascontiguousarray(image[:, ::-1])
        cards = Detections(mirrored_quads(cards.quads, image.shape[1]), cards.scores, cards.class_ids)
        again = self.classifier.read(image, cards.quads, corners=False)
        # Of cards whose corners are not clear nothing is known in the mirror either.
        return Sight(image, cards, again.doubting(readings.says_nothing), True, known)


@dataclass(frozen=True, eq=False)
class Sight:
    """Hold what was found in one photo, before it is decided what the cards are together.

    Attributes:
        image: (height, width, 3) uint8 BGR, the picture that was read: mirrored back if it was mirrored.
        cards: boxes of faces and backs in it.
        readings: readings of the boxes, each by itself.
        mirrored: whether the photo was mirrored.
        known: the enrolled deck that the cards are of, None if it is none.
    """

    image: npt.NDArray[np.uint8]
    cards: Detections
    readings: Readings
    mirrored: bool
    known: KnownDeck | None = None


def _mirrored_back(card: ReadCard, width: int) -> ReadCard:
    return replace(card, quad=mirrored_quads(card.quad[None], width)[0])


def read_together(
    cards: Detections,
    readings: Readings,
    picture_hw: tuple[int, int],
    *,
    deck: Family | None = None,
    faces: Sequence[str] | None = None,
    strong: float = 0.0,
    unknown_below: float = Pooling.unknown,
    other_images: bool = False,
) -> PictureReading:
    """Decide what the cards of one picture are, from boxes and readings.

    Args:
        cards: n boxes of faces and backs.
        readings: readings of the n boxes.
        picture_hw: height and width of the picture in pixels.
        deck: the kind of deck, if it is known; else the cards vote.
        faces: the only codes that can occur, if they are known.
        strong: score below which a box only counts if a face can be read in it.
        unknown_below: confidence of the surest half of the cards below which the deck is not known.
        other_images: whether they were read as those of a deck of other images, whose faces often look like backs.

    Raises:
        ValueError: if boxes and readings are not as many, or `faces` holds no code of that deck.
    """
    if len(cards) != len(readings):
        raise ValueError(f"{len(cards)} boxes need as many readings, not {len(readings)}")
    size = (picture_hw[1], picture_hw[0])
    quads = cards.quads if readings.quads is None else readings.quads
    seen_as_face = cards.class_ids == FACE
    none = np.exp(readings.log_probs[:, NONE].astype(np.float64))
    best = np.exp(readings.log_probs[:, :NONE].max(axis=1, initial=-np.inf).astype(np.float64))
    face_from = READ_FROM if other_images else FACE_DOWN_OVERRULED_FROM
    down = (cards.class_ids == BACK) & (best < face_from)
    nothing = seen_as_face & (none >= NOT_A_CARD_FROM) & (cards.scores < SURE_BOX)
    # A box that scores so little is a card all the same if a face is read in it.
    weak = (cards.scores < strong) & (best < READ_FROM)
    up = np.flatnonzero(~down & ~nothing & ~weak)
    down &= cards.scores >= strong

    family, share = which_deck(readings.log_probs[up])
    if deck is not None:
        family = deck
    elif share < DECK_FROM:
        family = None
    columns = _columns(family, faces)
    inside = share_inside(quads, picture_hw)
    heights = cards.sizes.max(axis=1) if len(cards) else np.zeros(0)

    def described(
        i: int, face: Literal["up", "down"], probabilities: npt.NDArray[np.float64] | None
    ) -> ReadCard:
        ranked: tuple[tuple[str, float], ...] = ()
        if probabilities is not None:
            order = np.argsort(-probabilities, kind="stable")[:CANDIDATES]
            ranked = tuple(
                (CLASSES[columns[j]], float(probabilities[j]))
                for j in order
                if probabilities[j] >= CANDIDATE_FROM
            )
        confidence = ranked[0][1] if ranked else 0.0
        clear = confidence >= READ_FROM and (len(ranked) < 2 or ranked[1][1] < RIVAL * confidence)
        return ReadCard(
            card=ranked[0][0] if clear and not unknown else None,
            confidence=confidence if face == "up" else float(cards.scores[i]),
            candidates=ranked,
            quad=quads[i].astype(np.float32),
            face=face,
            score=float(cards.scores[i]),
            cut=bool(inside[i] < CUT_BELOW),
            small=bool(heights[i] < SMALL_BELOW_PX),
        )

    unknown = deck is None and is_unknown(
        readings.log_probs[seen_as_face & (cards.scores >= strong)], unknown_below
    )
    log_probs = _renormalised(readings.log_probs[up], columns)
    up = up[_without_double_readings(quads[up], log_probs, cards.scores[up])]
    log_probs = _renormalised(readings.log_probs[up], columns)
    unread = np.maximum(np.exp(log_probs[:, -1]), UNREAD_FLOOR)
    joint = joint_probabilities(log_probs[:, :-1], unread)
    read = [described(int(i), "up", joint[k, :-1]) for k, i in enumerate(up)]
    backs = [described(int(i), "down", None) for i in np.flatnonzero(down)]
    ordered = tuple(sorted(read, key=_reading_order))
    warnings = _warnings(ordered, backs)
    if unknown:
        warnings.insert(0, Remark("unknown-deck"))
    elif family is not None and (strangers := _of_other_kind(readings.log_probs[up], family)):
        warnings.append(Remark("two-kinds", (strangers,)))
    return PictureReading(
        size,
        family if ordered and not unknown else None,
        ordered,
        tuple(sorted(backs, key=_reading_order)),
        tuple(warnings),
    )


def which_deck(log_probs: npt.NDArray[np.floating]) -> tuple[Family | None, float]:
    """Tell by vote whether cards are Italian or French.

    Args:
        log_probs: (n, 93) as `Readings.log_probs`.

    Returns:
        The likelier kind and its probability; None and 0.5 without cards.
    """
    if not len(log_probs):
        return None, 0.5
    probs = np.exp(np.asarray(log_probs, np.float64))
    # A card that nothing can be read in votes for neither: both sides keep some probability of a misread, and the
    # mean, unlike the sum, does not favour the deck with more faces.
    italian = np.log(probs[:, ITALIAN].mean(axis=1) + UNREAD_FLOOR / 40).sum()
    french = np.log(probs[:, FRENCH].mean(axis=1) + UNREAD_FLOOR / 40).sum()
    share = 1 / (1 + np.exp(-np.clip(abs(italian - french), 0, 700)))
    return ("italian" if italian >= french else "french"), float(share)


def _of_other_kind(log_probs: npt.NDArray[np.floating], family: Family) -> int:
    """Return how many cards are surely of the other kind than the deck's."""
    other = _SLICES["french" if family == "italian" else "italian"]
    best = np.exp(np.asarray(log_probs[:, other], np.float64)).max(axis=1, initial=0.0)
    return int((best >= OTHER_KIND_FROM).sum())


def _columns(family: Family | None, faces: Sequence[str] | None) -> npt.NDArray[np.int64]:
    columns = np.arange(NONE)[_SLICES[family]] if family is not None else np.arange(NONE)
    if faces is not None:
        allowed = set(faces)
        columns = np.array([column for column in columns if CLASSES[column] in allowed], np.int64)
        if not len(columns):
            raise ValueError(f"none of the faces {', '.join(faces)} belongs to a deck of the kind {family}")
    return columns


def _renormalised(
    log_probs: npt.NDArray[np.floating], columns: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return (n, columns + 1) log-probabilities of the faces that can occur; the last column is "none of
    them".

    Half of what a reading gives to faces that cannot occur counts as "none of them": it speaks against the
    reading.
    """
    exact = np.asarray(log_probs, np.float64)
    probs = np.exp(exact)
    possible = probs[:, columns]
    elsewhere = np.clip(1 - possible.sum(axis=1) - probs[:, NONE], 0, 1)
    both = np.concatenate([possible, (probs[:, NONE] + elsewhere / 2)[:, None]], axis=1)
    return np.asarray(np.log(np.maximum(both, 1e-30) / np.maximum(both.sum(axis=1, keepdims=True), 1e-30)))


def _without_double_readings(
    quads: npt.NDArray[np.floating], log_probs: npt.NDArray[np.float64], scores: npt.NDArray[np.float32]
) -> npt.NDArray[np.int64]:
    """Return which boxes to keep, in order: of two that overlap much and read alike the better one."""
    if len(quads) < 2:
        return np.arange(len(quads))
    _, cover = overlaps(quads)
    face = log_probs[:, :-1].argmax(axis=1)
    order = np.argsort(-scores, kind="stable")
    kept: list[int] = []
    for i in order:
        if not any(cover[i, j] >= DOUBLE_READING_COVER and face[i] == face[j] for j in kept):
            kept.append(int(i))
    return np.array(sorted(kept), np.int64)


def _reading_order(card: ReadCard) -> tuple[float, float]:
    x, y = card.quad.mean(axis=0)
    return float(y), float(x)


def _warnings(cards: Sequence[ReadCard], backs: Sequence[ReadCard]) -> list[Remark]:
    if not cards and not backs:
        return [Remark("nothing-found")]
    remarks: list[Remark] = []
    unread = sum(card.card is None for card in cards)
    if unread:
        remarks.append(Remark("unread", (unread,)))
    cut = sum(card.cut for card in cards)
    if cut:
        remarks.append(Remark("cut", (cut,)))
    small = [float(card.quad[:, 1].max() - card.quad[:, 1].min()) for card in cards if card.small]
    if small:
        remarks.append(Remark("small", (len(small), round(min(small)))))
    return remarks
