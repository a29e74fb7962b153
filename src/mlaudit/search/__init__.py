"""The search for the worst neighbour, and the worst dataset, of any learner."""
