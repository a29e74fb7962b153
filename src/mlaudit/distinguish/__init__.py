"""Distinguishers: rules, learned from outputs, that score how likely an output is to come from D rather than D′.

A distinguisher refuses to score draws it was learned from. Clues are the simplest rules, for one value each.
"""
