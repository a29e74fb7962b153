"""Classifiers that learn to distinguish outputs of trainings on D and on D′, one file each.

A classifier's `fit` returns a scorer: a frozen dataclass of numbers that gives the log-odds of D for each output.
"""
