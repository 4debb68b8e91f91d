"""Where players sit, learned from arms, and the plays that were missed."""

from __future__ import annotations

import random

import pytest

from rules.tracker import LookError, Reach, SeenCard, TableLook, Tracker
from rules.tracker.reading import Play
from rules.tracker.seating import Seating
from tests.rules.tracker.simulated import Noise, fold, follow, play_hand, plays_of
from tests.rules.tracker.test_simulated_hands import match
from tests.rules.tracker.test_tracker import Scene

NEAR, FAR = 272.0, 95.0


def seating_of(directions: list[float], seats: int = 2) -> tuple[Seating, list[Play]]:
    """Give a seating that has seen plays laid from some directions, one a play."""
    seating = Seating(seats, dealer=0)
    plays = [Play(track, (), 1000 * track) for track in range(len(directions))]
    reached = [Reach(track, "laid", direction, 0.9) for track, direction in enumerate(directions)]
    seating.see(reached, {(track, "laid"): track for track in range(len(directions))})
    return seating, plays


@pytest.mark.parametrize(
    "sides", [(NEAR, FAR), (NEAR, 5.0), (355.0, 70.0), (268.0, 30.0, 150.0), (270.0, 0.0, 90.0, 180.0)]
)
def test_the_sides_are_found(sides: tuple[float, ...]) -> None:
    chance = random.Random(1)
    seating, _ = seating_of([sides[i % len(sides)] + chance.gauss(0, 6) for i in range(24)], len(sides))
    assert sorted(round(side / 360 * 36) % 36 for side in seating.sides) == pytest.approx(
        sorted(round(side / 360 * 36) % 36 for side in sides), abs=1
    )


def test_a_play_missed_is_seen_by_who_plays_next() -> None:
    seating, plays = seating_of([NEAR, FAR, NEAR, FAR, NEAR, NEAR])
    assert seating.missed((), plays[:4], 4, ()) == 0
    assert seating.missed((), plays[:5], 5, ()) == 1
    unseen = [*plays[:5], Play(-6, (), 0), plays[5]]
    assert seating.weigh((), unseen) > seating.weigh((), plays) + 2


def test_one_of_four_players_missed_twice() -> None:
    sides = [270.0, 0.0, 90.0, 180.0]
    seating, plays = seating_of([*sides, *sides, sides[2]], 4)
    assert seating.missed((), plays[:8], 8, ()) == 2


def test_nothing_seen_of_arms_says_nothing() -> None:
    seating = Seating(2, 0)
    assert seating.weigh((), [Play(1, (), 0)]) == 0.0
    assert seating.missed((), [], 1, ()) == 0


def test_the_seats_are_remembered_in_the_next_hand() -> None:
    seating, plays = seating_of([NEAR, FAR] * 6)
    seating.begin_hand(1, (), plays)
    # Seat 1 sits at the near side; the dealer is now seat 1, so seat 0 plays first, from the far side.
    seating.see(
        [Reach(50, "laid", FAR, 0.9), Reach(51, "laid", NEAR, 0.9)], {(50, "laid"): 50, (51, "laid"): 51}
    )
    assert seating.missed((), [], 50, ()) == 0
    assert seating.missed((), [], 51, ()) == 1


@pytest.mark.parametrize(
    ("moment", "side_deg", "weight"), [("moved", 0, 1), ("laid", float("nan"), 1), ("laid", 0, 2)]
)
def test_reaches_are_checked(moment: str, side_deg: float, weight: float) -> None:
    with pytest.raises(LookError):
        Reach(1, moment, side_deg, weight)  # type: ignore[arg-type]


# -- the tracker ------------------------------------------------------------------------------------------------------


def played(scene: Scene, side: float, *changes: str, passed: tuple[str, ...] = (), **read: dict[str, float]) -> None:
    """Let somebody change the table from a side."""
    scene.look(*changes, passed=passed, side=side, **read)


def scene_of_four() -> Scene:
    """Give a hand in which both players have laid two cards: seat 1 at the near side, seat 0 at the far one."""
    scene = Scene(("Rs", "Rb", "Cc", "Fd"))
    for side, code in ((NEAR, "7b"), (FAR, "6c"), (NEAR, "5s"), (FAR, "4d")):
        played(scene, side, f"+{code}")
    return scene


def test_a_play_that_nobody_saw_does_not_shift_the_turns() -> None:
    scene = scene_of_four()
    played(scene, FAR, "+2s")  # the near player's card was never seen
    played(scene, NEAR, "+1c")
    played(scene, FAR, "-6c", passed=("6d",))
    assert scene.plays()[4:] == [(1, None, []), (0, "2s", []), (1, "1c", []), (0, "6d", ["6c"])]


def test_one_wrong_arm_shifts_nothing() -> None:
    scene = scene_of_four()
    played(scene, FAR, "+2s")  # the far player's arm was there too, but the near player laid the card
    played(scene, FAR, "+1c")
    played(scene, NEAR, "-6c", passed=("6d",))
    assert scene.plays()[4:] == [(1, "2s", []), (0, "1c", []), (1, "6d", ["6c"])]


def test_a_card_seen_late_is_the_one_that_was_missed() -> None:
    scene = scene_of_four()
    played(scene, FAR, "+2s")
    scene.look("+3c")  # lay under a sleeve until now
    played(scene, NEAR, "+1c")
    played(scene, FAR, "-6c", passed=("6d",))
    assert scene.plays()[4:] == [(1, "3c", []), (0, "2s", []), (1, "1c", []), (0, "6d", ["6c"])]


def test_of_two_cards_seen_in_one_look_the_one_seen_first_was_laid_and_the_other_took_it() -> None:
    scene = scene_of_four()
    played(scene, FAR, "+2s")  # the near player's three lay unread under a hand
    played(scene, NEAR, "+3d", "+3s", c3d={"5b": 0.26, "Rd": 0.16, "7s": 0.1, "3d": 0.05})
    played(scene, NEAR, "-3d", "-3s")
    assert scene.plays()[4:] == [(1, "3d", []), (0, "2s", []), (1, "3s", ["3d"])]


def test_a_card_seen_late_beside_the_next_one_was_laid_before_those_seen_in_time() -> None:
    scene = scene_of_four()
    played(scene, FAR, "+2s")  # the near player's three lies there and is not found yet
    scene.t_ms += 1000
    late, laid = SeenCard(700, {"3c": 0.99}), SeenCard(701, {"1c": 0.99})
    arms = (Reach(700, "laid", NEAR, 0.16), Reach(701, "laid", NEAR, 0.44))
    scene.lying |= {"3c": late, "1c": laid}
    scene.events += scene.tracker.look(TableLook(scene.t_ms, tuple(scene.lying.values()), (), arms))
    assert scene.plays()[4:] == [(1, "3c", []), (0, "2s", []), (1, "1c", [])]


def test_a_card_laid_and_lost_to_sight_at_once_is_taken_all_the_same() -> None:
    scene = scene_of_four()
    played(scene, NEAR, "+1b")
    scene.t_ms += 1000
    laid = SeenCard(700, {"2s": 0.7, "3c": 0.05})
    arms = (Reach(700, "laid", FAR, 0.9), Reach(700, "taken", FAR, 0.9))
    scene.events += scene.tracker.look(TableLook(scene.t_ms, tuple(scene.lying.values()), (laid,), arms))
    played(scene, NEAR, "-Cc", passed=("Cs",))
    played(scene, FAR, "+3d")
    played(scene, FAR, "-3d", "-1b")
    played(scene, NEAR, "+1c")
    assert scene.plays()[4:] == [
        (1, "1b", []),
        (0, "2s", []),
        (1, "Cs", ["Cc"]),
        (0, "3d", ["1b", "2s"]),
        (1, "1c", []),
    ]


def test_an_illegal_capture_is_not_explained_away_by_a_play_that_nobody_saw() -> None:
    scene = scene_of_four()
    played(scene, NEAR, "+1b")
    played(scene, FAR, "-Cc", passed=("Cs",))
    played(scene, NEAR, "+2s")
    played(scene, NEAR, "-2s", "-1b")  # a three of the near player's would take both
    played(scene, FAR, "+1d")
    played(scene, NEAR, "-7b", passed=("7c",))
    played(scene, FAR, "-5s", passed=("5d",))
    assert scene.plays()[6:8] == [(1, "2s", ["1b"]), (0, "1d", [])]


@pytest.mark.parametrize("seed", [3, 4])
def test_hands_with_cards_never_seen_keep_their_turns(seed: int) -> None:
    hand, _ = play_hand(seed, Noise(unseen_lay=0.05, arms=0.8, wrong_arms=0.05))
    (seen,) = fold(follow(hand.looks, Tracker(match())))
    read = {(player, card) for player, card, _ in plays_of(seen) if card is not None}
    true = {(player, card) for player, card, _ in hand.plays}
    assert len(read & true) >= 31
    assert len(read - true) <= 2
