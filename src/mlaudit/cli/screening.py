"""Names that nothing has are refused before numpy and scikit-learn are imported: a typing error is told at once."""

import argparse
from collections.abc import Sequence

from mlaudit.errors import UnknownName
from mlaudit.plugins import check_name

_SINGLE = {"mechanism": "mechanisms", "trainer": "trainers", "procedure": "procedures", "interval": "intervals"}
_LISTS = {"attack": "attacks", "classifier": "classifiers", "only": "exhibits"}
_CHOICES = {"relation": ("replace-one", "add-remove"), "backend": ("loky", "dask", "ray")}
_FILES = (".csv", ".csv.gz", ".parquet")  # data that are no name


def refuse_unknown_names(given: argparse.Namespace) -> None:
    """Raise for a name that was typed and that nothing has, in the words that the command itself would use.

    Only what is certainly wrong is refused here. Everything else is checked by the command, which knows more.
    """
    for option, kind in _SINGLE.items():
        _check(kind, [getattr(given, option, None)])
    for option, kind in _LISTS.items():
        _check(kind, (getattr(given, option, None) or "").split(","))
    data = getattr(given, "data", None) or ""
    if data != "worst" and not data.endswith(_FILES):
        _check("datasets", [data])
    for option, known in _CHOICES.items():
        text = getattr(given, option, None)
        if text is not None and text not in known:
            raise UnknownName(option, text, known)


def _check(kind: str, typed: Sequence[str | None]) -> None:
    for text in typed:
        name = (text or "").strip()
        if name and (kind, name) != ("attacks", "auto"):
            check_name(kind, name)
