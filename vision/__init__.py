"""Pixels to observations: camera, detector, classifier, and what lies where on the table. Knows no game."""
