"""Scans: search everything that a fitted object holds for values that reveal a row."""
