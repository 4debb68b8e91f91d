"""Read cards by their likeness to a deck's gallery, together with what the classifier says by itself.

Owns how the two are weighed against each other, and how like a deck some cards are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import cv2
import numpy as np
import numpy.typing as npt

from vision.classifier import CLASSES, NONE, SMALL_SIZE, Classifier, Readings, log_softmax, small_pictures
from vision.gallery import Gallery, deck_codes

_FEW_FACES = 4.0
_IMPOSSIBLE = -16.0
"""Logarithm of the probability of a face that the deck does not have."""


@dataclass(frozen=True)
class Pooling:
    """Say how likeness and the classifier's own reading are weighed; `datasets.evaluate.enrolment` finds the values.

    The probability of a face is proportional to exp(weight x its logarithm by the classifier + likeness /
    temperature), that of "none of them" likewise with `none` for its likeness.

    Attributes:
        weight: how much the classifier counts, 0 to 1.
        temperature: likeness that makes a face e times as probable.
        none: likeness as great as this speaks for no face of the deck.
        known: likeness of the likest half of the cards from which they are of an enrolled deck.
        unknown: confidence of the surest half of the cards below which their deck is not known.
        alone_temperature: `temperature` for a deck of other images, of which the classifier can say nothing.
        alone_none: `none` for such a deck.
        alone_picture: how much of the likeness to a face of such a deck is that of the picture itself, 0 to 1; the
            rest is that of the features.
    """

    weight: float = 0.5
    temperature: float = 0.1
    none: float = 0.7
    known: float = 0.88
    unknown: float = 0.33
    alone_temperature: float = 0.04
    alone_none: float = 0.75
    alone_picture: float = 0.4

    @classmethod
    def of(cls, details: Mapping[str, Any]) -> Pooling:
        """Return what a model's manifest says under "likeness", the built-in values where it says nothing."""
        said = details.get("likeness", {})
        return cls(**{one.name: float(said[one.name]) for one in fields(cls) if one.name in said})


def centred(
    features: npt.NDArray[np.floating], middle: npt.NDArray[np.floating]
) -> npt.NDArray[np.float32]:
    """Return features (n, d) as directions from a middle (d,), of length 1.

    What all faces of a deck share (paper, light) lies in the middle; without it, likeness tells faces apart.
    """
    apart = np.asarray(features, np.float32) - np.asarray(middle, np.float32)
    return apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), np.float32(1e-9))


def middle_of(features: npt.NDArray[np.floating], faces: int) -> npt.NDArray[np.float32]:
    """Return what features (n, d) of so many different faces share, (d,).

    The mean of a few faces is mostly what those faces are: the fewer there are, the nearer it is kept to nothing.
    """
    share = faces / (faces + _FEW_FACES)
    return np.asarray(features.mean(axis=0) * np.float32(share), np.float32)


_MIDDLE = (54, 32)
"""Height and width of the middle of a card's small picture that is looked for in another card's: the rest is how far
the corners of the two may lie beside each other."""
_SOFT_PX = 0.8
"""Blur of small pictures before they are compared: what is finer is noise, or the place of a line by half a pixel."""


def _looks(pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Return small pictures (n, 64, 40, 3) as they are compared, softened, float32."""
    soft = [cv2.GaussianBlur(picture, (0, 0), _SOFT_PX) for picture in pictures]
    return np.array(soft, np.float32).reshape(-1, *SMALL_SIZE, 3)


def _contrasts(parts: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return parts of pictures (n, 54, 32, 3) as vectors of length 1 (n, 5184) without the mean of each colour.

    So light that is stronger or of another colour makes no difference.
    """
    apart = (parts - parts.mean(axis=(1, 2), keepdims=True)).reshape(len(parts), -1)
    return np.asarray(apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), np.float32(1e-6)))


def _middles(pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Return the middles of small pictures (n, 64, 40, 3) both ways up, as `_contrasts`, (2 x n, 5184)."""
    top, left = (SMALL_SIZE[0] - _MIDDLE[0]) // 2, (SMALL_SIZE[1] - _MIDDLE[1]) // 2
    middles = _looks(pictures)[:, top : top + _MIDDLE[0], left : left + _MIDDLE[1]]
    return _contrasts(np.concatenate([middles, middles[:, ::-1, ::-1]]))


class KnownDeck:
    """Read cards as those of one deck.

    Args:
        gallery: the deck.
        classifier: computes what the gallery lacks, and says how it is weighed.
    """

    def __init__(self, gallery: Gallery, classifier: Classifier) -> None:
        self.gallery = gallery.with_features(classifier)
        self.pooling = Pooling.of(classifier.details)
        self.codes = deck_codes(gallery.family)
        at = {code: column for column, code in enumerate(self.codes)}
        features = np.concatenate([self.gallery.features[code] for code in self.gallery.codes])
        faces = [at[code] for code in self.gallery.codes for _ in self.gallery.features[code]]
        self._middle = middle_of(features, len(self.gallery.codes))
        self._features = centred(features, self._middle)
        order = np.argsort(faces, kind="stable")
        self._features, ordered = self._features[order], np.array(faces)[order]
        self._present, self._starts = np.unique(ordered, return_index=True)
        # Only a deck of other images needs them: of suits, features tell faces apart better than pictures do.
        shown = self.gallery.codes if self.gallery.kind == "other" else ()
        middles = [_middles(small_pictures(self.gallery.pictures[code])) for code in shown]
        self._pictured = [at[code] for code in shown]
        self._middles = np.concatenate(middles) if middles else np.zeros((0, 0), np.float32)
        self._middle_starts = np.cumsum([0, *(len(some) for some in middles[:-1])])

    @property
    def name(self) -> str:
        """The deck's name."""
        return self.gallery.name

    @property
    def family(self) -> Literal["italian", "french"]:
        """Whose codes its cards have."""
        return self.gallery.family

    def likeness(self, features: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """Return how like each face of the deck some cards are.

        Args:
            features: (n, d) as `Readings.features`.

        Returns:
            (n, codes) cosines, -1 to 1; NaN for faces that the gallery lacks.
        """
        known = np.full((len(features), len(self.codes)), np.nan, np.float32)
        if len(features):
            each = centred(features, self._middle) @ self._features.T
            known[:, self._present] = np.maximum.reduceat(each, self._starts, axis=1)
        return known

    def familiarity(self, features: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """Return how like the likest face of the deck each card is, (n,) cosines."""
        return self.likeness(features)[:, self._present].max(axis=1, initial=-1.0)

    def picture_likeness(self, readings: Readings) -> npt.NDArray[np.float32]:
        """Return how like the pictures of each face some cards look, of a deck of other images.

        It is the greatest correlation of a face's middle with the card, wherever it lies in it and whichever way up.

        Args:
            readings: n cards, with their pictures.

        Returns:
            (n, codes) correlations, -1 to 1; NaN for faces that the gallery lacks, and of all faces where no picture
            was kept.
        """
        alike = np.full((len(readings), len(self.codes)), np.nan, np.float32)
        if readings.pictures is None or not self._pictured:
            return alike
        for row, look in enumerate(_looks(readings.pictures)):
            places = np.lib.stride_tricks.sliding_window_view(look, (*_MIDDLE, 3)).reshape(-1, *_MIDDLE, 3)
            best = (_contrasts(places) @ self._middles.T).max(axis=0)
            alike[row, self._pictured] = np.maximum.reduceat(best, self._middle_starts)
        return alike

    def read(self, readings: Readings) -> Readings:
        """Return readings in which the classifier's opinion and the likeness to this deck are joined."""
        if self.gallery.kind == "other":
            return self.alone(
                readings, self.pooling.alone_temperature, self.pooling.alone_none, self.pooling.alone_picture
            )
        return self.joined(readings, self.pooling.weight, self.pooling.temperature, self.pooling.none)

    def joined(self, readings: Readings, weight: float, temperature: float, none_like: float) -> Readings:
        """Return readings joined as `Pooling` says, with these values for its `weight`, `temperature` and `none`."""
        return self._joined(readings, self.likeness(readings.features), weight, temperature, none_like)

    def alone(
        self,
        readings: Readings,
        temperature: float,
        none_like: float,
        picture: float,
        alike: npt.NDArray[np.floating] | None = None,
    ) -> Readings:
        """Return readings by likeness alone, with these values for the `alone_` ones of `Pooling`.

        Args:
            readings: n cards.
            temperature: for `Pooling.alone_temperature`.
            none_like: for `Pooling.alone_none`.
            picture: for `Pooling.alone_picture`.
            alike: what `picture_likeness` says of them, if it has been asked already.
        """
        likeness = self.likeness(readings.features)
        alike = self.picture_likeness(readings) if alike is None else alike
        likeness = np.where(np.isnan(alike), likeness, (1 - picture) * likeness + picture * alike)
        # Of a face that the gallery lacks nothing is known here: it must not be as likely as "none" is.
        likeness = np.nan_to_num(likeness, nan=-1.0)
        return self._joined(readings, likeness, 0.0, temperature, none_like)

    def _joined(
        self,
        readings: Readings,
        likeness: npt.NDArray[np.floating],
        weight: float,
        temperature: float,
        none_like: float,
    ) -> Readings:
        if not len(readings):
            return readings
        first = CLASSES.index(self.codes[0])
        columns = slice(first, first + len(self.codes))
        own = readings.log_probs.astype(np.float64)
        # Of a face that the gallery lacks, only the classifier can tell: there it counts in full.
        weights = np.where(np.isin(np.arange(len(self.codes)), self._present), weight, float(weight > 0))
        likeness = np.nan_to_num(likeness, nan=none_like)
        faces = weights * own[:, columns] + likeness / temperature
        none = weight * own[:, NONE] + none_like / temperature
        joined = log_softmax(np.concatenate([faces, none[:, None]], axis=1))
        log_probs = np.full_like(readings.log_probs, _IMPOSSIBLE)
        log_probs[:, columns] = joined[:, :-1]
        log_probs[:, NONE] = joined[:, -1]
        return replace(readings, log_probs=np.maximum(log_probs, _IMPOSSIBLE))


FEWEST_TO_CHOOSE = 4
"""Cards that it takes to know a deck again, or to say that it is not known."""
CLEAR_BY = 0.02
"""How much liker than any other enrolled deck it must be."""
OTHER_IMAGES = 0.12
"""How much less likeness is asked of a deck of other images: no deck of suits is nearly so like it."""


def surest_half(values: npt.NDArray[np.floating]) -> float:
    """Return the mean of the greater half of some values: cards that are half covered do not speak."""
    ordered = np.sort(np.asarray(values, np.float64))[::-1]
    return float(ordered[: -(-len(ordered) // 2)].mean()) if len(ordered) else 0.0


def choose_deck(readings: Readings, decks: Sequence[KnownDeck]) -> KnownDeck | None:
    """Return the enrolled deck that some cards are of, by vote; None if it is none of them, or not sure.

    Args:
        readings: of cards that lie on one table.
        decks: what may lie there.
    """
    if len(readings) < FEWEST_TO_CHOOSE:
        return None
    ranked = sorted(
        ((surest_half(deck.familiarity(readings.features)), place) for place, deck in enumerate(decks)),
        reverse=True,
    )
    if not ranked or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < CLEAR_BY):
        return None
    likeness, place = ranked[0]
    asked = decks[place].pooling.known - (OTHER_IMAGES if decks[place].gallery.kind == "other" else 0)
    return decks[place] if likeness >= asked else None


def is_unknown(log_probs: npt.NDArray[np.floating], below: float = Pooling.unknown) -> bool:
    """Tell whether cards are of a deck that nothing can be read of for sure.

    Args:
        log_probs: (n, 93) as `Readings.log_probs`, of faces that lie on one table.
        below: as `Pooling.unknown`.
    """
    if len(log_probs) < FEWEST_TO_CHOOSE:
        return False
    return surest_half(np.exp(np.asarray(log_probs, np.float64)[:, :NONE].max(axis=1))) < below
