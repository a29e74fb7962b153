"""Data to audit on, one file per source."""
