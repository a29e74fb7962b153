"""Searching for the worst neighbour, and the worst dataset, of any learner; then making the witness small."""
