"""How draws become a bound, one file each."""
