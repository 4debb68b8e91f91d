"""Give each face to one card: what n readings say together when every face exists once.

Owns the joint probabilities. It knows neither pictures nor games; rows and columns are only numbered.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

ROUNDS = 200
SETTLED = 1e-6
_SMALLEST = 1e-12


def joint_probabilities(
    log_probs: npt.NDArray[np.floating], unread: npt.NDArray[np.floating]
) -> npt.NDArray[np.float64]:
    """Return the probability of each face for each card, when no face can be on two cards.

    Cards whose readings disagree keep their own; two cards that read alike share the face by how sure each
    reading is, and what one loses goes to its next face or to "unread". Summed over all ways to give the
    faces out, by belief propagation (Williams and Lau, "Approximate evaluation of marginal association
    probabilities with belief propagation", IEEE Transactions on Aerospace and Electronic Systems 50, 2014).

    Args:
        log_probs: (n, faces) logarithms of each card's own probabilities of the faces.
        unread: (n,) each card's own probability, greater than 0, that it shows none of the faces or is no
            card.

    Returns:
        (n, faces + 1) float64, rows sum to 1; the last column is "unread".

    Raises:
        ValueError: if shapes do not fit or a probability of "unread" is not greater than 0.
    """
    log_probs = np.asarray(log_probs, np.float64)
    unread = np.asarray(unread, np.float64)
    if log_probs.ndim != 2 or unread.shape != (len(log_probs),):
        raise ValueError(
            f"log_probs must be (n, faces) and unread (n,), not {log_probs.shape} and {unread.shape}"
        )
    if not (unread > 0).all():
        raise ValueError("every card needs some probability of being unread")
    odds = np.exp(log_probs) / unread[:, None]  # of a face against "unread"
    to_card = np.ones_like(odds)  # how free a face is for a card, as the face sees it
    for _ in range(ROUNDS):
        weighed = odds * to_card
        to_face = odds / np.maximum(1 + weighed.sum(axis=1, keepdims=True) - weighed, _SMALLEST)
        fresh = 1 / np.maximum(1 + to_face.sum(axis=0, keepdims=True) - to_face, _SMALLEST)
        moved = float(np.abs(fresh - to_card).max(initial=0.0))
        to_card = fresh
        if moved < SETTLED:
            break
    weighed = odds * to_card
    total = 1 + weighed.sum(axis=1, keepdims=True)
    return np.concatenate([weighed / total, 1 / total], axis=1)
