"""What the rows of a study are drawn as: one file each, by the name that a study gives as its figure."""
