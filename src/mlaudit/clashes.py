"""Installed versions that cannot work together, although pip installs them side by side without a word."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from mlaudit.errors import ClashingVersions

_TOO_NEW = (1, 8)  # the first scikit-learn that diffprivlib 0.6 breaks on


def refuse_clashing_versions() -> None:
    """Raise if diffprivlib lies beside a scikit-learn that it cannot work with.

    Raises:
        ClashingVersions: The sentence names both versions and the remedy.
    """
    sentence = _clash()
    if sentence is not None:
        raise ClashingVersions(*sentence)


@cache  # asked at every training, and what is installed does not change under a running process
def _clash() -> tuple[str, str, str, str] | None:
    try:
        diffprivlib, sklearn = version("diffprivlib"), version("scikit-learn")
    except PackageNotFoundError:
        return None
    if tuple(int(part) for part in sklearn.split(".")[:2]) < _TOO_NEW:
        return None
    return f"diffprivlib {diffprivlib}", "scikit-learn below 1.8", sklearn, "diffprivlib"
