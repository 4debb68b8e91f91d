"""The games: one module each, written from its page.

A capture game gives its first state, its legal plays and ``apply(state, event) -> (state, ruling)``; so do the slap
games and the race games, each in its own terms. States are values: taking an event back is keeping the state before it.
"""
