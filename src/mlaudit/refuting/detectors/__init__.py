"""Detectors: each file looks for one sort of evidence against a claim."""
