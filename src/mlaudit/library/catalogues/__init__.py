"""The catalogues of libraries: one file each, with a function of the file's name that yields the items."""
