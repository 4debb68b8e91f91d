"""Piles to points, points to match, and every ruling of a record in one document; each with its reason and its cards.

Imports ``rules`` and the standard library only, and does no input or output.
"""

from scorer.score import score_record

__all__ = ["score_record"]
