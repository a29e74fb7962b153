"""Shrinking a violation to few rows and columns, explaining it, and writing the script that shows it."""
