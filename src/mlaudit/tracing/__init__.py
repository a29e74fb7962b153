"""Traces: follow every noise call of a training, and compare two trainings that got the same noisy answers."""
