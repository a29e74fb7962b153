"""Frozen values passed along the line from dataset to report: validation, no work."""
