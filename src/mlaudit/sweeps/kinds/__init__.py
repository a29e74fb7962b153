"""What can be measured in a cell, one file each: `KEYS`, `checked` and `jobs`; see `_kind.py`."""
