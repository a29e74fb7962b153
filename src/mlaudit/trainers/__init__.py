"""Learners whose trainings take canaries, one file each."""
