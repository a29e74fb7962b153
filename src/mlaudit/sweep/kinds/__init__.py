"""What can be measured in a cell of a sweep, one file each; see `_kind.py`."""
