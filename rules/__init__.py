"""Rules of the games: cards, captures, one module a game, the hand record.

Owns what may be played and what becomes of it. Knows no points (see ``scorer``), no pictures and no clock; it does
no input or output and needs nothing beyond the standard library.
"""
