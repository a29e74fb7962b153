"""Frozen values that pass from the dataset to the report. They validate themselves and do no work."""
