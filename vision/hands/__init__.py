"""Hands on a pile of cards: whose they are, when each touched, which lies underneath.

`sequence` holds a short film made small, `foreground` tells what has come into it, `arms` follows each arm from the
border at which it enters, `register` finds where a hand was in a frame from how it looks at rest, `contact` fits the
time of its touch, `stacking` finds which hand lies below which, `slaps` joins all this. Nothing here knows a game.
"""
