"""Installed versions that cannot work together, although pip installs them side by side without a word."""

from functools import cache

from mlaudit.errors import ClashingVersions

_TOO_NEW = {"scikit-learn": (1, 8), "scipy": (1, 18)}  # the first that diffprivlib 0.6 breaks on


def refuse_clashing_versions() -> None:
    """Raise if diffprivlib lies beside a scikit-learn or a scipy that it cannot work with.

    Raises:
        ClashingVersions: The sentence names both versions and the remedy.
    """
    sentence = _clash()
    if sentence is not None:
        raise ClashingVersions(*sentence)


@cache  # asked at every training, and what is installed does not change under a running process
def _clash() -> tuple[str, str, str, str] | None:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow, and `--help` needs it not

    try:
        diffprivlib = version("diffprivlib")
    except PackageNotFoundError:
        return None
    for package, first in _TOO_NEW.items():
        got = version(package)
        if tuple(int(part) for part in got.split(".")[:2]) >= first:
            return f"diffprivlib {diffprivlib}", f"{package} below {first[0]}.{first[1]}", got, "diffprivlib"
    return None
