"""Contract checks for mechanisms, attacks and intervals written elsewhere."""
