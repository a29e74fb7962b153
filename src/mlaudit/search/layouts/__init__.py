"""Crafted datasets, one file each: a function of a shape that returns the rows and the index of each row's label."""
