"""Attacks: each makes the neighbour D′ of a dataset D. One file each; files that begin with `_` are helpers."""
