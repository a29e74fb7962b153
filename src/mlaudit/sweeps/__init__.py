"""Many audits from one file: a grid of settings, its cells, and what is measured in each."""
