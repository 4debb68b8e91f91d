"""Arbitro against the usual ways of reading cards, on the same pictures in the same run."""
