"""Measuring the models on data that they were not trained on; writes docs/accuracy.md."""
