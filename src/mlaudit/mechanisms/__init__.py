"""Learners and mechanisms that can be audited by name, one file each."""
