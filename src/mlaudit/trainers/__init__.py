"""Trainers of the one-run and the white-box audit: learners whose trainings take canaries. One file each."""
