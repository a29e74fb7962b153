"""Sources of noise that a trace can follow, one file each."""
