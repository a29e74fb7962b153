"""The audit, from a dataset to a result: `run.py` holds the order of its steps, `spec.py` its options."""
