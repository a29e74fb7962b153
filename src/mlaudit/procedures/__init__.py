"""Procedures: which labels to draw, and how the draws become a bound. One file each."""
