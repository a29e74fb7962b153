"""Where drawn trainings are kept."""
