"""Programs that train in place of a mechanism: their processes, and the protocol that they speak."""
