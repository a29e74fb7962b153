"""Bounds of other tools on given draws; this file needs numpy and whichever of those tools are installed.

python benchmarks/peer_bounds.py DRAWS.npz BOUNDS.json

`peers.py` makes the draws and starts this file, perhaps with another Python: the tools' requirements and ours may
clash. Every tool gets the outputs as scores: the likelihood ratio grows with them, so no other score is better.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np

ALPHA = 0.05
Scores = Any  # an array; the types of mlaudit are not at hand here
Method = Callable[[Scores, Scores, float], float]  # of the scores under D′ and under D, and of δ
_CANDIDATES = np.arange(0.05, 1.0, 0.05)  # quantiles, of which the first half of the draws chooses a threshold


def jax_privacy() -> dict[str, tuple[str, Method]]:
    """CanaryScoreAuditor of jax_privacy, by all strategies that choose a threshold."""
    auditing = import_module("jax_privacy.auditing")

    def clopper_pearson(strategy: Any) -> Method:
        return lambda ones, zeros, delta: auditing.CanaryScoreAuditor(ones, zeros).epsilon_clopper_pearson(
            ALPHA, delta, one_sided=False, threshold_strategy=strategy
        )

    def gdp(ones: Scores, zeros: Scores, delta: float) -> float:
        return float(auditing.CanaryScoreAuditor(ones, zeros).epsilon_from_gdp(ALPHA, delta))

    def raw_counts(ones: Scores, zeros: Scores, delta: float) -> float:
        return float(auditing.CanaryScoreAuditor(ones, zeros).epsilon_raw_counts(delta=delta, one_sided=False))

    call = "epsilon_clopper_pearson(0.05, δ, one_sided=False, threshold_strategy={})"
    return {
        "Clopper-Pearson, Bonferroni (default)": (
            call.format("Bonferroni()"),
            clopper_pearson(auditing.Bonferroni()),
        ),
        "Clopper-Pearson, Split": (call.format("Split(seed=0)"), clopper_pearson(auditing.Split(seed=0))),
        "Clopper-Pearson, MultiSplit": (
            call.format("MultiSplit(20, seed=0)"),
            clopper_pearson(auditing.MultiSplit(20, seed=0)),
        ),
        "Gaussian DP": ("epsilon_from_gdp(0.05, δ)", gdp),
        "raw counts (an estimate, no bound)": ("epsilon_raw_counts(delta=δ, one_sided=False)", raw_counts),
    }


def privacy_estimates() -> dict[str, tuple[str, Method]]:
    """compute_eps_lo of privacy-estimates, which takes counts: half of the draws chooses a threshold, half counts."""
    package, utils = import_module("privacy_estimates"), import_module("privacy_estimates.utils")

    def bound(ones: Scores, zeros: Scores, threshold: float, delta: float, method: str) -> float:
        hits, alarms = int((ones > threshold).sum()), int((zeros > threshold).sum())
        counts = utils.AttackResults(FN=len(ones) - hits, FP=alarms, TN=len(zeros) - alarms, TP=hits)
        return float(package.compute_eps_lo(count=counts, delta=delta, alpha=ALPHA, method=method))

    def halves(method: str) -> Method:
        def split(ones: Scores, zeros: Scores, delta: float) -> float:
            first, second = (ones[::2], zeros[::2]), (ones[1::2], zeros[1::2])
            thresholds = np.quantile(np.concatenate(first), _CANDIDATES)
            best = max(thresholds, key=lambda threshold: bound(*first, threshold, delta, "beta"))
            return bound(*second, best, delta, method)

        return split

    call = 'compute_eps_lo(counts, δ, 0.05, "{}"), threshold chosen on one half, counted on the other'
    # Its method "joint-beta" integrates for about 3 CPU seconds a bound: too long for hundreds of bounds.
    names = {"beta": "Clopper-Pearson", "jeffreys": "Jeffreys"}
    return {name: (call.format(method), halves(method)) for method, name in names.items()}


def tensorflow_privacy() -> dict[str, tuple[str, Method]]:
    """EpsilonLowerBound of TensorFlow Privacy; its file is loaded by itself, so that TensorFlow is not needed."""
    files = distribution("tensorflow-privacy").files or []
    path = next(file.locate() for file in files if file.name == "epsilon_lower_bound.py")
    spec = spec_from_file_location("epsilon_lower_bound", str(path))
    if spec is None or spec.loader is None:
        raise ImportError(str(path))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)

    def best(method: str) -> Method:
        def largest(ones: Scores, zeros: Scores, _: float) -> float:
            with np.errstate(all="ignore"):
                bounds = module.EpsilonLowerBound(ones, zeros, ALPHA)
                return float(max(bounds.compute_epsilon_lower_bound(module.BoundMethod[method], k=1)[0], 0.0))

        return largest

    call = "EpsilonLowerBound(D′, D, 0.05).compute_epsilon_lower_bound({}, k=1)"
    names = {"KATZ_LOG": "Katz log", "BAILEY": "Bailey", "CLOPPER_PEARSON": "Clopper-Pearson"}
    return {name: (call.format(method), best(method)) for method, name in names.items()}


TOOLS: dict[str, tuple[str, Callable[[], dict[str, tuple[str, Method]]]]] = {
    "jax_privacy": ("jax-privacy", jax_privacy),
    "privacy-estimates": ("privacy-estimates", privacy_estimates),
    "TensorFlow Privacy": ("tensorflow-privacy", tensorflow_privacy),
}
NEEDS_DELTA = {"Gaussian DP"}
PURE_ONLY = {"TensorFlow Privacy"}  # its bound has no δ, and no pure ε holds for Gaussian noise


def bounds(draws: Any) -> Iterator[dict[str, Any]]:
    """One entry for each tool, method and case: the bound of every repetition."""
    for tool, (package, load) in TOOLS.items():
        try:
            methods = load()
            at = version(package)
        except (ImportError, PackageNotFoundError, StopIteration) as error:
            yield {"tool": tool, "missing": f"{package} is not installed here ({error})"}
            continue
        for name, (call, method) in methods.items():
            for case in draws["cases"].tolist():
                delta = float(draws[f"{case}/delta"])
                if (delta and tool in PURE_ONLY) or (not delta and name in NEEDS_DELTA):
                    continue
                began = time.process_time()
                pairs = zip(draws[f"{case}/labels"], draws[f"{case}/z"], strict=True)
                found = [float(method(z[labels == 1], z[labels == 0], delta)) for labels, z in pairs]
                spent = time.process_time() - began
                yield {
                    "tool": f"{tool} {at}",
                    "method": name,
                    "call": call,
                    "case": case,
                    "bounds": found,
                    "cpu_seconds": spent,
                }


def main() -> None:
    """Write the bounds of every tool that is installed."""
    with np.load(sys.argv[1]) as draws:
        found = []
        for entry in bounds(draws):
            found.append(entry)
            told = entry.get(
                "missing", f"{entry.get('method')}, {entry.get('case')}: {entry.get('cpu_seconds', 0):.1f} s"
            )
            print(f"{entry['tool']}: {told}", file=sys.stderr, flush=True)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
