"""How diffprivlib's learners are trained by hand, one file each, named after the mechanism."""
