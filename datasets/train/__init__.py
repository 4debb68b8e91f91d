"""Training of the two networks: the detector (oriented boxes) and the classifier (faces)."""
