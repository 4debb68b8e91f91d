"""Pictures and films with ground truth, training and evaluation."""
