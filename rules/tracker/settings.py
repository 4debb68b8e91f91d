"""The tracker's tuning values: how likely the things that happen at a card table are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrackerSettings:
    """Hold the tuning values. Probabilities are of one play or one look; `log_*` are natural logarithms.

    Args:
        misread: A reading is wrong however sure it looks.
        log_illegal_lay: A card is laid that had to take.
        illegal_capture: A capture breaks the rules.
        illegal_spread: For each card on the table there are more wrong captures to choose from: each is so much rarer.
        unseen_prior: The card that captures is never seen, before anything is known of the players' habit.
        habit_weight: How many captures that prior is worth.
        log_extra_play: More than one play between two looks, for each further one.
        log_take_back: A card laid is taken back.
        log_ghost: A new card is none of the game's.
        log_ghost_laid: The same, besides, though an arm was seen to lay it.
        log_double: A card that lies there is followed under two numbers for a while.
        log_double_left: The first of the two numbers is given up before the second.
        log_marker: The card that swept the table is seen again, as the marker of the sweep.
        log_lost: A table card is not seen although it lies there.
        log_laid_lost: A card is laid and lost to sight at once.
        log_still_lost: At each change: it is still not seen.
        log_lost_taken: A card is taken that lay there unseen.
        log_found: A card lost turns up again under another number.
        log_renumbered: A card leaves and comes at once under another number.
        log_passed_over: A card was seen in passing and means nothing.
        log_passed_again: The same, where its face is that of a card that lies there or has just been taken.
        log_out_of_order: Cards were played in another order than they were first seen in.
        log_waiting: At each change: a capturing card stays lying beside the table's cards.
        log_early_end: The next hand is dealt although plays are missing; and `log_missing_play` for each of them.
        log_missing_play: One play was missed altogether, as the hand's end shows.
        log_missed: One play was missed altogether, as the arm of the next one shows.
        log_seen_late: What is won back of that where its card is seen lying there after all: it was only seen late.
        arms: How much of the log-probability of the arms seen counts: what makes one sight err often makes the next.
        most_missing: Plays that may be missed before a hand counts as thrown together, which only a whole new opening
            table shows; twice as many are counted at most.
        log_late_capture: For each second, beyond `late_capture_ms`, that a card lay before it took.
        late_capture_ms: How long a card usually lies before what it takes is gathered.
        branch: A second face is followed up if it is at least this likely, compared with the best.
        width: How many readings are kept.
        alike: How many of those may differ only in what is long past.
        depth: Readings that are less likely than the best by this logarithm are given up.
        win_back: What an explanation may gain by showing that an earlier play did not break the rules.
        hold_illegal_ms: How long a play that breaks the rules is held back if more may still be taken with it.
        unsure: A capturing card that is less likely than this is reported as not seen.
        lost_thread: A look whose best explanation is less likely than this logarithm is reported as not understood.
        end_wait_ms: How long the table must stay empty after the last play before the hand is closed.
    """

    misread: float = 0.002
    log_illegal_lay: float = -5.0
    illegal_capture: float = 0.02
    illegal_spread: float = 0.6
    unseen_prior: float = 0.12
    habit_weight: float = 3.0
    log_extra_play: float = -1.0
    log_take_back: float = -4.0
    log_ghost: float = -7.0
    log_ghost_laid: float = -2.0
    log_double: float = -5.0
    log_double_left: float = -0.7
    log_marker: float = -0.5
    log_lost: float = -5.0
    log_laid_lost: float = -3.5
    log_still_lost: float = -0.25
    log_lost_taken: float = -0.5
    log_found: float = -0.7
    log_renumbered: float = -3.5
    log_passed_over: float = -2.0
    log_passed_again: float = -0.5
    log_out_of_order: float = -2.5
    log_waiting: float = -1.5
    log_early_end: float = -5.0
    log_missing_play: float = -1.0
    log_missed: float = -4.0
    log_seen_late: float = 2.0
    arms: float = 0.8
    most_missing: int = 4
    log_late_capture: float = -0.15
    late_capture_ms: int = 5000
    branch: float = 1e-3
    width: int = 14
    alike: int = 4
    depth: float = 9.0
    win_back: float = 6.0
    hold_illegal_ms: int = 2500
    unsure: float = 0.6
    lost_thread: float = -11.0
    end_wait_ms: int = 2500
