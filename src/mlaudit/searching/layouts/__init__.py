"""Crafted datasets, one file each: a function of a frame that says where rows lie and which labels they have."""
