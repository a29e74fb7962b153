"""Ways to make the neighbour D′, one file each."""
