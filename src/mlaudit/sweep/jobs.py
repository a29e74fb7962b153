"""From sweep files to jobs: every cell of every grid, checked and built before anything runs."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass
from typing import Any

from mlaudit.auditing.options import default_of, options_of, read_options
from mlaudit.auditing.spell import identify
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.naming.plugins import load_shipped, names
from mlaudit.sweep.config import Sweep
from mlaudit.sweep.context import code_version, user_version
from mlaudit.sweep.grid import LABEL, SEED, list_settings
from mlaudit.sweep.kinds._kind import Kind, Measurement


@dataclass(frozen=True)
class Job:
    """One cell of a sweep.

    Args:
        study: The sweep that it belongs to.
        kind: What is measured.
        position: Where it stands in its study.
        settings: What the sweep file says of it, as plain data.
        key: A hash of everything that its row depends on.
        measurement: What is to be done.
    """

    study: str
    kind: str
    position: int
    settings: Mapping[str, Any]
    key: str
    measurement: Measurement

    @property
    def name(self) -> str:
        """The settings in short."""
        return name_settings(self.settings)


def name_settings(settings: Mapping[str, Any]) -> str:
    """Settings in short.

    >>> name_settings({"mechanism": "laplace", "epsilon": 1})
    'mechanism laplace, epsilon 1'
    """
    return ", ".join(f"{name} {value}" for name, value in settings.items())


def read_jobs(sweeps: Sequence[Sweep]) -> list[Job]:
    """A job for every cell of the sweeps.

    Args:
        sweeps: Sweep files, read.

    Returns:
        The jobs, in the order of the files.

    Raises:
        InvalidInput: If any cell has settings that cannot be used; the sentence names the cell.
    """
    _refuse_equal_names(sweeps)
    code, specs = code_version(), {name: load_shipped("kinds", name).spec for name in names("kinds")}
    known = {name: settings_of(spec) for name, spec in specs.items()}
    jobs = []
    for sweep in sweeps:
        kinds: dict[str, Kind] = {name: load_shipped("kinds", name)() for name in specs}
        for position, (kind, settings) in enumerate(list_settings(sweep, known)):
            try:
                spec = read_spec(kind, specs[kind], settings)
                measurement = kinds[kind].prepare(spec)
            except AuditError as error:
                raise InvalidInput(f"{sweep.study.name}, cell {name_settings(settings)}: {error}") from error
            key = identify(kind, spec, code, user_version(settings))
            jobs.append(Job(sweep.study.name, kind, position, settings, key, measurement))
    return jobs


def settings_of(spec: type) -> frozenset[str]:
    """The settings that a cell may have: the options of its spec and a label; the sweep itself has the seed.

    >>> from mlaudit.sweep.kinds.coverage import CoverageSpec
    >>> sorted(settings_of(CoverageSpec) - {"alpha", "n", "p0", "p1"})
    ['interval', 'label', 'repetitions', 'tail']
    """
    return frozenset({one.name for one, _ in options_of(spec)} - {SEED} | {LABEL})


def read_spec(kind: str, spec: type, settings: Mapping[str, Any]) -> Any:
    """The spec of a cell; settings that are not given have their defaults."""
    for one, _ in options_of(spec):
        if default_of(one) is MISSING and one.name not in settings:
            raise InvalidInput(
                f"a cell of kind {kind} must have a setting {one.name!r}, got none; add it to [grid] or [common]"
            )
    return read_options(spec, settings)


def _refuse_equal_names(sweeps: Sequence[Sweep]) -> None:
    given = [sweep.study.name for sweep in sweeps]
    twice = sorted({name for name in given if given.count(name) > 1})
    if twice:
        raise InvalidInput(f"sweep files must have different names, got {twice[0]!r} twice; rename one")
