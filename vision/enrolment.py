"""Learn a deck from photos of its cards: find them, propose what each is, and make a gallery of them.

Owns the proposals: what the classifier reads, which cards of several photos are the same card, what the order in
which they lie says, what is left when the others are given out, and what people say, which settles it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rules.cards import FRENCH_40_CODES, FRENCH_CODES, ITALIAN_CODES
from vision.association import joint_probabilities
from vision.boxes import overlaps
from vision.classifier import NONE, Readings, small_pictures
from vision.crops import straighten
from vision.detections import FACE
from vision.gallery import (
    MOST_PICTURES,
    PICTURE_SIZE,
    Gallery,
    GalleryError,
    Kind,
    checked_name,
    deck_codes,
)
from vision.likeness import KnownDeck, centred, middle_of
from vision.mirror import mirrored_quads
from vision.reading import CardReader, which_deck
from vision.rows import columns_of, order_of, spread_of, suit_columns, with_order, with_runs

SURE_FROM = 0.9
"""Probability from which a card is not asked about."""
FACE_FROM = 0.5
"""Probability of a face from which a box found as a back is taken for a face."""
OVERLAP = 0.3
"""Share of the smaller box from which two boxes cannot both be cards that lie apart."""
NO_CARD_FROM = 0.9
"""Probability of "none" from which what was found is left out without asking, if little speaks for a card."""
SAME_CARD = 0.86
"""Likeness from which two finds in different photos are the same card."""
LEAST_UNREAD = 0.004
"""Probability that a find is none of the deck's cards whatever its reading says."""
CANDIDATES = 5
CANDIDATE_FROM = 0.01
NOTHING = ""
"""The answer that a find is no card of the deck, or is to be left out."""


@dataclass(frozen=True, eq=False)
class Find:
    """Hold one card that was found in one photo.

    Attributes:
        photo: number of the photo, from 0.
        number: number of the card in its photo in reading order, from 1.
        quad: (4, 2) float32 corners in pixels, in the order of `Detections`.
        picture: (192, 120, 3) uint8 BGR, straightened, upright as far as that is known.
        probs: (93,) float64 what the classifier reads.
        features: (d,) float32 of length 1.
        row: row of the photo that it lies in, from 0.
        place: place in that row.
        score: the detector's score.
    """

    photo: int
    number: int
    quad: npt.NDArray[np.float32]
    picture: npt.NDArray[np.uint8]
    probs: npt.NDArray[np.float64]
    features: npt.NDArray[np.float32]
    row: int
    place: int
    score: float


@dataclass(frozen=True)
class Photo:
    """Describe one photo.

    Attributes:
        name: what people call it.
        size: width and height in pixels.
        turned_deg: how far it must be turned clockwise for the cards to stand upright.
        mirrored: whether it was mirrored, as selfie cameras do.
    """

    name: str
    size: tuple[int, int]
    turned_deg: int
    mirrored: bool = False


@dataclass(frozen=True)
class Proposal:
    """Say what a find is thought to be.

    Attributes:
        photo: number of the photo, from 0.
        number: number of the card in its photo, from 1.
        card: the code; None if it is no card of the deck, or nothing speaks for any.
        confidence: probability that this is right, 1 if people said so.
        candidates: codes with their probabilities, best first.
        state: "said" by people, "sure", "doubtful" (to be asked about), or "left-out".
    """

    photo: int
    number: int
    card: str | None
    confidence: float
    candidates: tuple[tuple[str, float], ...]
    state: str


@dataclass
class Enrolment:
    """Gather photos of one deck and answers about them.

    Attributes:
        reader: finds and reads cards.
        kind: what deck it is; None leaves Italian or French to the first cards.
        family: whose codes a deck of other images gets.
        order: codes in the order in which they were laid, over all photos, if the person says so.
        faces: the codes that the deck has; all of its family by default.
        known: a gallery that is being added to.
        decks: enrolled decks that this one may be like, another printing of the same pattern: they help to propose.
    """

    reader: CardReader
    kind: Kind | None = None
    family: str = "italian"
    order: Sequence[str] = ()
    faces: Sequence[str] = ()
    known: Gallery | None = None
    decks: Sequence[KnownDeck] = ()
    photos: list[Photo] = field(default_factory=list)
    finds: list[Find] = field(default_factory=list)
    answers: dict[tuple[int, int], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the deck that is being added to ready for reading."""
        self._known_deck = None if self.known is None else KnownDeck(self.known, self.reader.classifier)

    def add_photo(self, image: npt.NDArray[np.uint8], name: str) -> list[Find]:
        """Find the cards of a photo, and return them in reading order.

        Args:
            image: (height, width, 3) uint8, BGR.
            name: what people call the photo.
        """
        # Which way round an image is that the classifier never saw, it cannot know: its opinion would turn some
        # pictures of the deck round, and leave others.
        sight = self.reader.find_cards(
            image,
            known=self._known_deck,
            decks=self.decks,
            may_be_mirrored=self._known_deck is not None or not self._has_other_images,
        )
        cards, readings = sight.cards, sight.readings
        read = readings.log_probs[:, :NONE].max(axis=1, initial=-np.inf) >= np.log(FACE_FROM)
        # Other images are often taken for backs; of cards that are laid out to be learnt each shows its face.
        face = (cards.class_ids == FACE) | read | self._has_other_images
        keep = np.flatnonzero(face & (cards.scores >= self.reader.detector.score))
        sureness = cards.scores
        if not self._has_other_images:
            # Of other images the classifier's opinion does not tell which box fits a card better.
            sureness = sureness * np.exp(readings.log_probs[:, :NONE].max(axis=1, initial=-np.inf))
        keep = keep[_apart(cards.quads[keep], sureness[keep])]
        cards, readings = cards.pick(keep), readings.pick(keep)
        quads = cards.quads if readings.quads is None else readings.quads
        spread = spread_of(quads, readings.upside_down)
        upright = np.where(readings.upside_down[:, None, None], np.roll(quads, 2, axis=1), quads)
        pictures = straighten(sight.image, upright, PICTURE_SIZE)
        shown = mirrored_quads(quads, image.shape[1]) if sight.mirrored else quads
        alike = sight.known if sight.known in self.decks else None
        read_with = readings if alike is None else alike.read(readings)
        probs = np.exp(read_with.log_probs.astype(np.float64))
        photo = len(self.photos)
        finds = [
            Find(
                photo,
                number,
                shown[k],
                pictures[k],
                probs[k],
                readings.features[k],
                spread.rows[k],
                spread.places[k],
                float(cards.scores[k]),
            )
            for number, k in enumerate(spread.order, start=1)
        ]
        size = (image.shape[1], image.shape[0])
        self.photos.append(Photo(name, size, spread.turned_deg, sight.mirrored))
        self.finds += finds
        return finds

    def forget_photo(self, photo: int) -> None:
        """Leave out all cards of a photo, and what was said of them; the other photos keep their numbers."""
        self.finds = [find for find in self.finds if find.photo != photo]
        self.answers = {key: code for key, code in self.answers.items() if key[0] != photo}

    def answer(self, photo: int, number: int, code: str) -> None:
        """Take what a person says of a card: its code, or `NOTHING`.

        Raises:
            GalleryError: if there is no such card, or the deck has no such code.
        """
        if not any((find.photo, find.number) == (photo, number) for find in self.finds):
            raise GalleryError(f"there is no card {number} in {self._name_of(photo)}")
        if code != NOTHING and code not in self.codes:
            like = f"{self.codes[0]} and {self.codes[-1]}"
            raise GalleryError(f"“{code}” is no card of this deck: its codes are like {like}")
        self.answers[photo, number] = code

    def retract(self, photo: int, number: int) -> None:
        """Take an answer back."""
        self.answers.pop((photo, number), None)

    def _name_of(self, photo: int) -> str:
        return self.photos[photo].name if 0 <= photo < len(self.photos) else f"photo {photo + 1}"

    # -- what deck it is ------------------------------------------------------------------------------------------

    @property
    def _has_other_images(self) -> bool:
        return "other" in (self.kind, None if self.known is None else self.known.kind)

    @property
    def deck_kind(self) -> Kind:
        """What deck it is, as the person said or as most cards read."""
        if self.kind is not None:
            return self.kind
        if self.known is not None:
            return self.known.kind
        said = [code for code in self.answers.values() if code]
        if said:
            return "french" if said[0] in FRENCH_CODES else "italian"
        if not self.finds:
            return "italian"
        family, _ = which_deck(_logs(np.stack([find.probs for find in self.finds])))
        return family or "italian"

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes that the deck has."""
        if self.faces:
            return tuple(self.faces)
        if self.kind is None and self.known is None and not self.finds:
            return (*ITALIAN_CODES, *FRENCH_CODES)
        kind = self.deck_kind
        if kind != "other":
            return deck_codes(kind)
        return deck_codes(self.known.family if self.known is not None else self.family)

    def set_order(self, text: str) -> None:
        """Take the order in which the cards were laid, as `vision.rows.order_of` reads it.

        Raises:
            GalleryError: if it is not understood.
        """
        try:
            self.order = order_of(text, self.codes)
        except ValueError as error:
            raise GalleryError(str(error)) from None

    # -- proposals ------------------------------------------------------------------------------------------------

    def proposals(self) -> list[Proposal]:
        """Return what each find is thought to be, photo by photo in reading order."""
        if not self.finds:
            return []
        codes = self.codes
        own, unread = self._by_themselves(codes)
        groups = self._groups()
        joint = self._together(own, unread, groups, codes)
        return [self._proposal(find, joint[i], codes) for i, find in enumerate(self.finds)]

    def _by_themselves(
        self, codes: Sequence[str]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return (n, codes) probabilities of each find by its reading and its place, and (n,) that it is none."""
        columns = columns_of(codes)
        read = np.stack([find.probs for find in self.finds])
        if self._known_deck is not None:
            features = np.stack([find.features for find in self.finds])
            even = np.zeros(len(read), bool)
            pictures = small_pictures(np.stack([find.picture for find in self.finds]))
            logs = _logs(read).astype(np.float32)
            known = self._known_deck.read(Readings(logs, features, even, even, None, pictures))
            read = np.exp(known.log_probs.astype(np.float64))
        none = read[:, NONE]
        if self.deck_kind == "other" and self._known_deck is None:
            # The classifier does not know such images: it says nothing about which is which.
            probs = np.full((len(read), len(codes)), 1 / len(codes))
            none = np.zeros(len(read))
        else:
            possible = read[:, columns]
            elsewhere = np.clip(1 - possible.sum(axis=1) - none, 0, 1)
            # What it reads as another deck's face is still a face of this one: evenly any.
            probs = possible + (elsewhere / len(codes))[:, None]
            probs = probs / np.maximum(probs.sum(axis=1, keepdims=True), 1e-12)
        if self.order:
            if len(self.order) == len(self.finds) or self.deck_kind != "other":
                at = {code: column for column, code in enumerate(codes)}
                probs = with_order(probs, [at[code] for code in self.order])
        else:
            suits = suit_columns(codes)
            for members in self._rows():
                places = [self.finds[i].place for i in members]
                probs[members] = with_runs(probs[members], places, suits)
        return probs, np.clip(none, LEAST_UNREAD, 1 - 1e-6)

    def _rows(self) -> Iterable[list[int]]:
        rows: dict[tuple[int, int], list[int]] = {}
        for i, find in enumerate(self.finds):
            rows.setdefault((find.photo, find.row), []).append(i)
        return rows.values()

    def _groups(self) -> list[list[int]]:
        """Group finds of different photos that are the same card: the likest first, never two of one photo."""
        features = np.stack([find.features for find in self.finds])
        like = centred(features, middle_of(features, len(features)))
        likeness = like @ like.T
        photo = np.array([find.photo for find in self.finds])
        group = list(range(len(self.finds)))
        members = {i: [i] for i in group}
        first, second = np.nonzero(np.triu(likeness >= SAME_CARD, 1))
        for k in np.argsort(-likeness[first, second], kind="stable"):
            a, b = group[first[k]], group[second[k]]
            if a == b or {int(photo[i]) for i in members[a]} & {int(photo[i]) for i in members[b]}:
                continue
            if min(likeness[i, j] for i in members[a] for j in members[b]) < SAME_CARD:
                continue
            members[a] += members.pop(b)
            for i in members[a]:
                group[i] = a
        return list(members.values())

    def _together(
        self,
        own: npt.NDArray[np.float64],
        unread: npt.NDArray[np.float64],
        groups: list[list[int]],
        codes: Sequence[str],
    ) -> npt.NDArray[np.float64]:
        """Return (n, codes + 1) probabilities when each face is one card; the last column is "none of them"."""
        at = {code: column for column, code in enumerate(codes)}
        taken = {at[code] for code in self.answers.values() if code in at}
        joint = np.zeros((len(self.finds), len(codes) + 1))
        open_groups, rows, rest = [], [], []
        for members in groups:
            said = [self.answers.get((self.finds[i].photo, self.finds[i].number)) for i in members]
            known = [code for code in said if code is not None]
            if known:
                column = at.get(known[-1], len(codes))
                joint[members, column] = 1.0
                continue
            logs = np.log(np.maximum(own[members], 1e-6)).mean(axis=0) * min(len(members), 2)
            if len(taken) < len(codes):
                logs[list(taken)] = -np.inf
            logs = logs - np.logaddexp.reduce(logs)
            none = float(np.clip(unread[members].mean(), LEAST_UNREAD, 1 - 1e-6))
            open_groups.append(members)
            rows.append(logs + np.log1p(-none))
            rest.append(none)
        if open_groups:
            shared = joint_probabilities(np.stack(rows), np.array(rest))
            for members, probabilities in zip(open_groups, shared, strict=True):
                joint[members] = probabilities
        return joint

    def _proposal(
        self, find: Find, probabilities: npt.NDArray[np.float64], codes: Sequence[str]
    ) -> Proposal:
        order = np.argsort(-probabilities[:-1], kind="stable")[:CANDIDATES]
        candidates = tuple(
            (codes[k], float(probabilities[k])) for k in order if probabilities[k] >= CANDIDATE_FROM
        )
        answer = self.answers.get((find.photo, find.number))
        if answer is not None:
            return Proposal(
                find.photo,
                find.number,
                answer or None,
                1.0,
                ((answer, 1.0),) if answer else (),
                "said" if answer else "left-out",
            )
        best, confidence = candidates[0] if candidates else (None, 0.0)
        if probabilities[-1] >= NO_CARD_FROM:
            return Proposal(find.photo, find.number, None, float(probabilities[-1]), candidates, "left-out")
        state = "sure" if confidence >= SURE_FROM else "doubtful"
        return Proposal(find.photo, find.number, best, confidence, candidates, state)

    # -- the gallery ----------------------------------------------------------------------------------------------

    def settled(self, proposals: Sequence[Proposal] | None = None) -> set[str]:
        """Return the codes that some card is known to be."""
        known = self.proposals() if proposals is None else proposals
        settled = {proposal.card for proposal in known if proposal.card and proposal.state in ("said", "sure")}
        return settled | (set() if self.known is None else set(self.known.codes))

    def wanted(self, settled: set[str]) -> list[str]:
        """Return the codes that the deck should come to have.

        The eights, nines and tens of a French deck are in no capture game: they are wanted only where one was shown.
        """
        spared = set(FRENCH_CODES) - set(FRENCH_40_CODES)
        return [code for code in self.codes if settled & spared or code not in spared]

    def missing(self, proposals: Sequence[Proposal] | None = None) -> list[str]:
        """Return the wanted codes that no card is known to be yet."""
        settled = self.settled(proposals)
        return [code for code in self.wanted(settled) if code not in settled]

    def gallery(self, name: str, note: str = "") -> Gallery:
        """Return the gallery of all cards that are said or sure; the doubtful ones are left out.

        Raises:
            GalleryError: if there is none, or the name cannot be.
        """
        name = checked_name(name)
        pictures: dict[str, list[npt.NDArray[np.uint8]]] = {}
        by_key = {(find.photo, find.number): find for find in self.finds}
        # What people said comes first: it must not be crowded out.
        for wanted in ("said", "sure"):
            for proposal in self.proposals():
                if proposal.state == wanted and proposal.card is not None:
                    pictures.setdefault(proposal.card, []).append(by_key[proposal.photo, proposal.number].picture)
        if not pictures:
            raise GalleryError("no card is known yet: take photos of the deck, or say what its cards are")
        stacked = {code: np.stack(some[:MOST_PICTURES]) for code, some in pictures.items()}
        if self.known is not None:
            return self.known.extended(stacked)
        return Gallery(name, self.deck_kind, stacked, note)


def _apart(
    quads: npt.NDArray[np.floating], sureness: npt.NDArray[np.floating]
) -> npt.NDArray[np.int64]:
    """Return which boxes to keep, in order: cards that are shown lie apart, so of two that overlap the surer one."""
    _, cover = overlaps(quads)
    kept: list[int] = []
    for i in np.argsort(-sureness, kind="stable").tolist():
        if not (cover[i, kept] >= OVERLAP).any():
            kept.append(i)
    return np.array(sorted(kept), np.int64)


def _logs(probs: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    return np.asarray(np.log(np.maximum(np.asarray(probs, np.float64), 1e-12)))
