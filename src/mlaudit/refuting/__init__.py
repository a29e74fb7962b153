"""Does a learner keep its claim, on any data? Every detector under one α: `run.py` holds the order."""
