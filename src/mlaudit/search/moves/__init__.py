"""Families of candidates for D′, one file each: a function of a setting that yields moves."""
