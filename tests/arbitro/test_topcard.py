"""The card on top: what is sure of it, and which box is its."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from arbitro.topcard import TopReader, find_tops, named, readings_wanted
from rules.cards import FRENCH_CODES
from tests.vision.hands.painted import PILE, PaintedArm, frames
from vision.camera import Frame
from vision.classifier import CLASSES, FRENCH
from vision.detections import FACE, Detections
from vision.hands.approach import Approach
from vision.hands.pile import QuietRun
from vision.hands.seats import Seats
from vision.hands.sequence import sequence_of
from vision.hands.slaps import HandSeen, SlapLook, find_slaps

SEATS = Seats((270.0, 0.0, 90.0, 180.0))
NOWHERE = np.zeros((0, 2), np.float32)


def chances(known: dict[str, float]) -> np.ndarray:
    """Probabilities of the French cards, what is left spread evenly over the others."""
    left = (1 - sum(known.values())) / (len(FRENCH_CODES) - len(known))
    return np.array([known.get(code, left) for code in FRENCH_CODES])


@pytest.mark.parametrize(
    ("known", "matters", "card"),
    [
        ({"JS": 0.97}, "J", "JS"),
        ({"JS": 0.5, "JC": 0.4}, "J", "JS"),
        ({"JS": 0.7, "KS": 0.29}, "J", None),
        ({"KD": 0.85, "JD": 0.06}, "J", None),
        ({"10S": 0.9}, "J", "10S"),
        ({"4S": 0.6, "5S": 0.38}, "J", "4S"),
        ({"4S": 0.6, "5S": 0.38}, "5", None),
        ({"4S": 0.6, "5S": 0.38}, None, None),
        ({"4S": 0.9}, None, "4S"),
        ({"KD": 0.85, "JD": 0.06}, None, None),
        ({"4S": 0.3, "5S": 0.3, "6S": 0.3}, "J", None),
    ],
)
def test_a_card_is_named_if_what_matters_is_sure(
    known: dict[str, float], matters: str | None, card: str | None
) -> None:
    assert named(chances(known), matters)[0] == card


def test_a_card_that_was_not_found_is_not_named() -> None:
    assert named(None, "J") == (None, 0.0)


class Boxes:
    """A detector that finds the same boxes everywhere, given in pixels of the full picture."""

    long_side = 416

    def __init__(self, *boxes: tuple[float, float, float, float, float]) -> None:
        self.boxes = boxes

    def detect(self, image: np.ndarray) -> Detections:
        # The cut-out begins where the picture was painted black.
        left, top = (int(edge) for edge in image[0, 0, :2])
        quads = [[[x, y], [x + w, y], [x + w, y + h], [x, y + h]] for x, y, w, h, _ in self.boxes]
        moved = np.array(quads, np.float32).reshape(-1, 4, 2) - np.array([left, top], np.float32)
        return Detections(moved, np.array([box[4] for box in self.boxes], np.float32), np.full(len(quads), FACE))


class ByPlace:
    """A classifier that knows what lies where: a jack right of x = 100, a king left of it."""

    def read(self, image: np.ndarray, quads: np.ndarray) -> Any:
        rows = []
        for quad in quads:
            code = "JS" if quad[:, 0].mean() + int(image[0, 0, 0]) > 100 else "KS"
            probs = np.full(len(CLASSES), 1e-6)
            probs[FRENCH] = chances({code: 0.95})
            rows.append(np.log(probs / probs.sum()))
        return SimpleNamespace(log_probs=np.array(rows, np.float32))


def picture() -> np.ndarray:
    """A picture whose pixels say where they are."""
    ys, xs = np.mgrid[0:200, 0:250]
    return np.dstack([xs, ys, xs * 0]).astype(np.uint8)


def test_a_card_below_that_is_seen_better_is_not_the_one_on_top() -> None:
    """A card below was found more surely than the new one on it, and was read in its stead."""
    reader = TopReader(Boxes((60, 70, 50, 70, 0.9), (90, 75, 50, 70, 0.5)), ByPlace())
    changed = np.array([[x, y] for x in range(95, 136, 4) for y in range(80, 141, 4)], np.float32)
    new = reader.read([picture()], (110, 105), 60, changed)
    assert named(new, "J")[0] == "JS"


def test_two_boxes_about_as_good_must_agree() -> None:
    reader = TopReader(Boxes((60, 70, 50, 70, 0.9), (90, 75, 50, 70, 0.8)), ByPlace())
    nothing = np.zeros((0, 2), np.float32)
    assert named(reader.read([picture()], (110, 105), 60, nothing), "J")[0] is None
    reader = TopReader(Boxes((60, 70, 50, 70, 0.3), (90, 75, 50, 70, 0.8)), ByPlace())
    assert reader.read([picture()], (10, 10), 20, nothing) is None


def test_piles_are_told_apart() -> None:
    reader = TopReader(Boxes((40, 70, 50, 70, 0.9), (43, 72, 50, 70, 0.8), (150, 75, 50, 70, 0.7)), ByPlace())
    found = reader.piles([picture()], 2)
    assert [round(x / 10) for x, _ in found] == [7, 18]
    assert len(reader.piles([picture()], 1)) == 1


# Cards that come in a film


def with_card(film: list[Frame], since_ms: float, colour: tuple[int, int, int] = (20, 20, 200)) -> list[Frame]:
    """Paint another card on top, whose pips lie elsewhere, below the arms as far as these are not over it."""
    made = []
    ground = film[0].image
    for frame in film:
        image = frame.image.copy()
        if frame.t_ms >= since_ms:
            x, y = map(round, PILE)
            pips = np.zeros(image.shape[:2], np.uint8)
            for dx, dy in ((-14, -22), (14, -22), (-14, 22), (14, 22)):
                cv2.circle(pips, (x + dx, y + dy), 5, 1, -1)
            free = np.abs(image.astype(int) - ground).max(axis=2) < 25
            image[(pips > 0) & free] = colour
        made.append(Frame(image, frame.t_ms, frame.index))
    return made


def looked_at(film: list[Frame]) -> SlapLook:
    sequence = sequence_of(film)
    assert sequence is not None
    return find_slaps(sequence, SEATS, elsewhere=lambda: [PILE])


def test_a_card_whose_look_differs_only_in_its_pips_is_a_new_one() -> None:
    """A card laid flush on a pile changed so little that it was not noticed, and the one below was read."""
    play, slap = PaintedArm(0, 400, 480, beyond_px=40), PaintedArm(180, 1150, 1900)
    look = looked_at(with_card(frames([play, slap], length_ms=1700), 430))
    lying, came = find_tops(look)
    assert (lying["t_ms"], came["player"]) == (None, 1)
    assert abs(came["t_ms"] - 430) < 150
    assert all(430 < look.sequence.t_ms[frame] < 1150 for frame in came["frames"])
    assert readings_wanted([lying, came]) == {*lying["frames"], *came["frames"]}
    assert [hand.kind for hand in look.hands] == ["play", "slap"]
    (dispute,) = look.disputes
    assert dispute.watched


class Film:
    """The times of forty frames."""

    t_ms = np.arange(40) * 33.0

    def __len__(self) -> int:
        return len(self.t_ms)


def test_two_cards_laid_at_once_keep_their_order_open() -> None:
    """Hands that wait above a pile were timed when they came to wait, and a wrong order followed."""

    def play(player: int, t_ms: float) -> HandSeen:
        return HandSeen(player, 0.0, t_ms, 10.0, 15, 18, "play", cast(Approach, None), 0)

    runs = (QuietRun(0, 0, 10, 0.0, NOWHERE), QuietRun(0, 25, 30, 0.3, NOWHERE))
    look = SimpleNamespace(
        places=((320.0, 180.0),), quiet=runs, hands=(play(0, 496), play(1, 520), play(1, 612)),
        sequence=Film(), runs=lambda pile: list(runs), slapped=list,
    )  # fmt: skip
    _, *came = find_tops(cast(SlapLook, look))
    assert [(top["player"], top["t_ms"]) for top in came] == [(0, 496), (1, 612)]
    assert came[0]["error_ms"] + came[1]["error_ms"] > 116
    assert (came[0]["frames"], came[1]["frames"] != []) == ([], True)


@pytest.mark.parametrize(("arms", "player", "error_ms"), [((0,), 1, 99.0), ((0, 1), None, 247.5)])
def test_a_card_was_laid_by_the_only_hand_that_came_and_went(
    arms: tuple[int, ...], player: int | None, error_ms: float
) -> None:
    """A hand that laid a card so quickly that no frame showed it at rest had not laid it; but others may have."""
    visit = SimpleNamespace(arm=None, player=1, pile=0, came=12, nearest=15, left=18)
    runs = (QuietRun(0, 0, 10, 0.0, NOWHERE), QuietRun(0, 25, 30, 0.3, NOWHERE))
    masks = SimpleNamespace(
        arms=[SimpleNamespace(entry=lambda frame: (0.0, 180.0)), SimpleNamespace(entry=lambda frame: (639.0, 180.0))],
        present=lambda frame: arms, own=lambda number, frame: np.ones((360, 640), bool),
        part=lambda number, frame: np.ones((360, 640), bool),
    )  # fmt: skip
    visit.arm = masks.arms[0]
    film = Film()
    film.images = np.zeros((1, 360, 640, 3), np.uint8)  # type: ignore[attr-defined]
    look = SimpleNamespace(
        places=((320.0, 180.0),), pile=(320.0, 180.0), quiet=runs, hands=(), sequence=film, visits=(visit,),
        masks=masks, seats=Seats((0.0, 180.0)), runs=lambda pile: list(runs), slapped=list,
    )  # fmt: skip
    _, top = find_tops(cast(SlapLook, look))
    assert (top["player"], top["error_ms"]) == (player, error_ms)


def test_a_pile_seen_between_the_fingers_of_the_hand_that_lays_a_card_gets_one_card() -> None:
    """One card was counted twice, so that the call of Irish Snap was one too far and a right slap was called false."""
    hand = HandSeen(2, 0.0, 731.0, 12.0, 12, 20, "play", cast(Approach, None), 0)
    runs = (QuietRun(0, 0, 10, 0.0, NOWHERE), QuietRun(0, 15, 17, 0.3, NOWHERE), QuietRun(0, 19, 30, 0.2, NOWHERE))
    look = SimpleNamespace(
        places=((320.0, 180.0),), quiet=runs, hands=(hand,), sequence=Film(), runs=lambda pile: list(runs),
        slapped=list,
    )  # fmt: skip
    assert [(top["player"], top["t_ms"]) for top in find_tops(cast(SlapLook, look))] == [(None, None), (2, 731.0)]
