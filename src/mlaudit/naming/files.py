"""Which names of data are files."""

TABLES = (".csv", ".csv.gz", ".parquet")


def is_file(name: str) -> bool:
    """Whether a name of data is that of a file.

    >>> is_file("people.csv"), is_file("iris")
    (True, False)
    """
    return name.endswith(TABLES)
