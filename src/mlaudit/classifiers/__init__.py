"""How outputs are learned, one file each."""
