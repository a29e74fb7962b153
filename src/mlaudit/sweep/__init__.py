"""Many audits from one file: a grid of settings, its jobs, and what each kind of job measures."""
