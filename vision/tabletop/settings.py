"""The tabletop's tuning values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TabletopSettings:
    """Hold the tuning values. Lengths are in card heights, so that they hold for any camera.

    Args:
        trembling_reach: How far from its place a lying card that is known may be found and surely be it.
        still_reach: The same for a lying card that is not known: there is no face to ask for.
        moving_reach: The same for a card that was moving, between two looks.
        still_step: A card that moved less between two looks lies still.
        seen_before_real: Looks that must show a new card before it counts.
        still_ms: How long a card must lie still before it counts as lying.
        rest_ms: How long nothing may change before the table is at rest.
        empty_looks: Looks that must show a card's place empty before it has left.
        empty_ms: How long its place must have been empty, besides.
        wait_for_hand_ms: How long cards that left wait for a hand that still covers others.
        hand_covers: Part of a card that a hand must cover to hide it.
        card_covers: Part of a card that other cards must cover to hide it.
        pile_covers: Part of a face-up card that must lie on a pile of backs for it to belong to the pile.
        pile_ms: How long backs must lie still before their place is a pile's.
        seen_before_pile: Looks that must show them.
        clear_view: Part of a card that may be covered for it to be read.
        evidence_cap: Readings that a card's evidence counts for at most: frames of a still card are nearly the same.
        sure: Probability from which a card need not be read again while it lies still.
        reads_when_new: Times a new or moved card is read at least.
        reads_when_doubtful: Times a doubtful card is read before it is read seldom.
        back_again: Looks after which a back that might be a face is read again.
        not_a_card: Probability of "none" from which a face is a ghost.
        known: Probability from which a card is known by its face.
        another_card: Probability from which one clear reading of another face shows that it is another card.
        another_when_settled: The same for a card whose face has been sure for long.
        face_up: Probability of a face from which a card found as a back lies face up after all.
        passed_reads: Readings that a card seen in passing needs to be told.
        reread: Change of a probability that is worth another look at rest.
        moved: Distance from its place at the last look from which a card is said to have moved.
        patch_change: Mean change in grey levels at a place from which something moves there.
    """

    trembling_reach: float = 0.12
    still_reach: float = 0.35
    moving_reach: float = 1.4
    still_step: float = 0.04
    seen_before_real: int = 3
    still_ms: int = 90
    rest_ms: int = 90
    empty_looks: int = 3
    empty_ms: int = 250
    wait_for_hand_ms: int = 5000
    hand_covers: float = 0.12
    card_covers: float = 0.55
    pile_covers: float = 0.25
    pile_ms: int = 400
    seen_before_pile: int = 5
    clear_view: float = 0.35
    evidence_cap: float = 2.0
    sure: float = 0.99
    reads_when_new: int = 3
    reads_when_doubtful: int = 15
    back_again: int = 5
    not_a_card: float = 0.8
    known: float = 0.7
    another_card: float = 0.9
    another_when_settled: float = 0.6
    face_up: float = 0.95
    passed_reads: int = 2
    reread: float = 0.1
    moved: float = 0.15
    patch_change: float = 10.0
