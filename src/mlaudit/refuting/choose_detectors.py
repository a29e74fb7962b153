"""Which detectors run, in which order, and with which share of α."""

from collections.abc import Mapping, Sequence

from mlaudit.naming.plugins import load_shipped, names
from mlaudit.protocols import Attack
from mlaudit.refuting.detector import Detector
from mlaudit.refuting.detectors.measure_leakage import MeasureLeakage
from mlaudit.refuting.given import NAME, Given
from mlaudit.types.pair import Pair

DETECTORS, MEASURING = "refuting.detectors", "measure_leakage"


def list_detectors() -> dict[str, Detector]:
    """Every detector that ships or is registered by an installed package, in the order in which they run."""
    found = {name: load_shipped(DETECTORS, name)() for name in names(DETECTORS)}
    return dict(sorted(found.items(), key=lambda entry: (entry[1].rank, entry[0])))


def choose_detectors(
    pair: Pair | None, attacks: tuple[Attack, ...] | None, *, measure: bool
) -> Mapping[str, Detector]:
    """All detectors; with a pair or attacks of the user's, these alone, and their measurement if it is asked for."""
    if pair is None and attacks is None:
        return list_detectors()
    return {NAME: Given(pair, attacks), **({MEASURING: MeasureLeakage(searches=False)} if measure else {})}


def share_alpha(applicable: Sequence[str], alpha: float) -> dict[str, float]:
    """Equal shares, fixed before any training is counted (Bonferroni).

    >>> share_alpha(["worst_data", "scan_object"], 0.05)
    {'worst_data': 0.025, 'scan_object': 0.025}
    """
    return {name: alpha / len(applicable) for name in applicable}
