"""A plausible result store with every kind of row: for tests, for measurements, and to look at."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mlaudit.sweep.store import SqliteResults
from mlaudit.types.row import Row, Study

DATA = ("adult", "credit", "iris", "breast_cancer", "banknote", "thoracic")
LEARNERS = {
    "logistic_objective": "influence",
    "logistic_output": "influence",
    "naive_bayes": "prior_flip",
    "random_forest": "lone_flip",
}
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 50.0)
SIGNS = "_$100_data & co.csv"
SCRIPT = "<script>document.title='pwned'</script>"
FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.75, 1.0)
VERSIONS = {"diffprivlib": "0.6.6", "mlaudit": "0.1.0", "numpy": "2.4.6", "python": "3.11.2", "scikit-learn": "1.7.2"}
STUDIES = (
    Study("specified", "Specified and detected ε", "Our attack against ClipBKD and Swap-X.", "specified_detected"),
    Study("rows", "Detected ε by the number of changed rows", "The same attack with k rows changed.", "by_rows"),
    Study(
        "naive-bayes",
        "Naive Bayes: what to attack",
        "Attacking π against μ, and the exposed class counts.",
        "ablation",
    ),
    Study("logistic", "Logistic regression: from ClipBKD to ours", "One part added after the other.", "ablation"),
    Study("sphericity", "Non-sphericity and influence", "Singular values of the data.", "sphericity"),
    Study("influence", "Influence and detected ε", "At a claimed ε of 1.", "relative_influence"),
    Study("coverage", "Coverage of the intervals", "Simulated pairs of binomials.", "coverage"),
    Study("violations", "Violations", "Where a claim does not hold.", "violations"),
    Study("delta", "Detected ε against δ", "The same trainings, another δ.", "delta"),
    Study("images", "DP-SGD on images", "Pixels in other ranges.", "pixels"),
    Study("plain", "Other audits", "Cells without a figure.", ""),
)


def audit_row(study: str, epsilon: float, found: float, dice: np.random.Generator, **settings: Any) -> Row:
    """An audit whose counts go with what it found."""
    rows = settings.get("rows", 8 if epsilon <= 2 else 2 if epsilon <= 8 else 1)
    delta, n = settings.get("delta", 0.0), 36_000
    q = 1 / (1 + np.exp(-rows * max(found, 0.0)))
    guesses = [round(f * n) for f in FRACTIONS]
    share = [0.5 + (q - 0.5) * (1.0 if f <= 0.1 else 0.6) for f in FRACTIONS]
    correct = [min(g, int(g * s)) for g, s in zip(guesses, share, strict=True)]
    attack = settings.get("attack", "auto")
    used = LEARNERS.get(settings.get("mechanism", ""), "tight") if attack == "auto" else attack
    verdict = "violated" if found > epsilon else "not_refuted"
    seed = settings.get("replicate", 0)
    words = ["mlaudit", "run", settings.get("mechanism", ""), "--data", settings.get("data", "")]
    values = {
        "schema_version": 1, "mechanism": settings.get("mechanism"), "dataset": settings.get("data"), "attack": used,
        "procedure": "progressive",
        "claim": {"epsilon": epsilon, "delta": delta, "relation": "replace-one", "gaussian": False},
        "epsilon_lower": found, "ceiling": 8.1 / rows, "alpha": 0.05, "rows": rows, "steps": rows,
        "trainings": 40_000, "verdict": verdict, "sampler": "batched", "stands_for": "diffprivlib 0.6.6",
        "repeated": True if verdict == "violated" else None,
        "repeated_epsilon_lower": 0.97 * found if verdict == "violated" else None,
        "method": "nested scan", "assuming": "", "seed": seed, "notes": [], "versions": VERSIONS,
        "evidence": {"correct": correct, "guesses": guesses},
        "command": shlex.join([*words, "--epsilon", f"{epsilon:g}", "--seed", str(seed)]),
    }  # fmt: skip
    asked = {
        "attack": attack,
        "epsilon": epsilon,
        "delta": delta,
        "relation": "replace-one",
        "seed": seed,
        **settings,
    }
    return Row(study, "audit", asked, values, float(dice.random()))


def rows(replicates: int = 3, seed: int = 0, data: int = len(DATA)) -> Iterator[Row]:
    """Rows for every figure, the first one for so many datasets, and a few cells that went wrong."""
    dice = np.random.default_rng(seed)
    reach = {learner: dict(zip(DATA, dice.uniform(0.3, 0.95, len(DATA)), strict=True)) for learner in LEARNERS}
    yield from _specified(dice, reach, replicates, DATA[:data])
    yield from _by_rows(dice, replicates)
    variants = (("prior", 0.9), ("mean", 0.35), ("counts exposed", 99.0))
    yield from _ablation("naive-bayes", "naive_bayes", "adult", variants, dice, replicates)
    steps = (("ClipBKD", 0.05), ("+ learned S on all coefficients", 0.3), ("+ influence attack", 0.8))
    yield from _ablation("logistic", "logistic_output", "credit", steps, dice, replicates)
    yield from _influences(dice, reach)
    yield from _coverages(dice)
    yield from _violations(dice, replicates)
    yield from _deltas(dice, replicates)
    yield from _images(dice, replicates)
    failed = {"error": "the learner never produced an output: LinAlgError <b>singular</b>"}
    asked = {"mechanism": "dp_sgd", "data": "iris", "attack": "auto", "epsilon": 1.0, "seed": 0}
    yield Row("plain", "audit", asked, failed, 0)
    yield audit_row("plain", 1.0, 0.4, dice, mechanism="laplace", data="tight")


def _shown(epsilon: float, strength: float, dice: np.random.Generator, ceiling: float = 8.1) -> float:
    k = 8 if epsilon <= 2 else 2 if epsilon <= 8 else 1
    found = min(strength * epsilon, 0.97 * ceiling / k) * (1 + 0.05 * dice.normal()) - 0.02
    return max(0.0, float(found))


def _specified(
    dice: np.random.Generator, reach: dict[str, dict[str, float]], replicates: int, names: Sequence[str]
) -> Iterator[Row]:
    for learner, data in product(LEARNERS, names):
        attacks = {"auto": 1.0, "clip_bkd": 0.3, "swap_x": 0.15}
        attacks |= {"coefficient": 0.55} if learner.startswith("logistic") else {}
        for attack, epsilon, replicate in product(attacks, EPSILONS, range(replicates)):
            found = _shown(epsilon, reach[learner][data] * attacks[attack], dice)
            said = {"mechanism": learner, "data": data, "attack": attack, "replicate": replicate}
            yield audit_row("specified", epsilon, found, dice, **said)


def _by_rows(dice: np.random.Generator, replicates: int) -> Iterator[Row]:
    learners = ("logistic_objective", "naive_bayes")
    for learner, k, epsilon, replicate in product(learners, (1, 2, 4, 8), EPSILONS, range(replicates)):
        found = max(0.0, min(0.8 * epsilon, 8.0 / k) - 0.35 / k * (1 + 0.2 * dice.normal()))
        said = {"mechanism": learner, "data": "adult", "rows": k, "replicate": replicate}
        yield audit_row("rows", epsilon, found, dice, **said)


def _ablation(
    study: str,
    learner: str,
    data: str,
    variants: tuple[tuple[str, float], ...],
    dice: np.random.Generator,
    replicates: int,
) -> Iterator[Row]:
    for (label, share), epsilon, replicate in product(variants, EPSILONS, range(replicates)):
        said = {"mechanism": learner, "data": data, "label": label, "replicate": replicate}
        yield audit_row(study, epsilon, _shown(epsilon, share, dice), dice, **said)


def _coverages(dice: np.random.Generator) -> Iterator[Row]:
    lifts = {"katz_log": 0.0, "clopper_pearson": 0.035, "exact": 0.006}
    for interval, n, p1 in product(lifts, (1000, 10_000, 50_000), (0.01, 0.02, 0.03, 0.04, 0.05)):
        covered = min(1.0, 0.95 + lifts[interval] + 0.004 * float(dice.normal()))
        said = {"coverage": covered, "nominal": 0.95, "repetitions": 10_000}
        yield Row("coverage", "coverage", {"interval": interval, "p1": p1, "n": n}, said, 0.5)


def _violations(dice: np.random.Generator, replicates: int) -> Iterator[Row]:
    found: tuple[tuple[str, str, str, float, float], ...] = (
        ("naive_bayes", "iris", "class counts exposed, one row added", 1.0, 5.6),
        ("naive_bayes", "adult", "class counts exposed, one row added", 0.1, 5.7),
        ("random_forest", "iris", "ε per replaced row", 1.0, 1.83),
        ("random_forest", "iris", "ε per added row", 1.0, 0.91),
        ("naive_bayes", SCRIPT, "a name that is a script", 1.0, 1.3),
        ("naive_bayes", SIGNS, "a name of signs", 2.0, 1.3),
    )
    for (learner, data, label, epsilon, shown), replicate in product(found, range(replicates)):
        said = {"mechanism": learner, "data": data, "label": label, "replicate": replicate, "rows": 1}
        yield audit_row("violations", epsilon, shown * (1 + 0.01 * float(dice.normal())), dice, **said)


def _deltas(dice: np.random.Generator, replicates: int) -> Iterator[Row]:
    noise, deltas = {"gaussian, claimed": 0.5, "gaussian, half the noise": 1.2}, (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
    for label, delta, replicate in product(noise, deltas, range(replicates)):
        reached = noise[label] - 0.06 * float(np.log10(max(delta, 1e-7) / 1e-7)) + 0.02 * float(dice.normal())
        said = {"mechanism": "gaussian", "data": "tight", "label": label, "delta": delta, "replicate": replicate}
        yield audit_row("delta", 1.0, max(0.0, reached), dice, rows=1, **said)


def _images(dice: np.random.Generator, replicates: int) -> Iterator[Row]:
    ranges, attacks = ([0, 255], [0, 1]), {"clip_bkd": 0.01, "shadow": 0.02}
    for shown, k, attack, epsilon, replicate in product(ranges, (1, 8), attacks, EPSILONS, range(replicates)):
        said = {"mechanism": "dp_sgd", "data": "cifar10", "attack": attack, "rows": k, "replicate": replicate}
        found = _shown(epsilon, attacks[attack], dice)
        yield audit_row("images", epsilon, found, dice, param={"epochs": 15, "pixels": shown}, **said)


def _influences(dice: np.random.Generator, reach: dict[str, dict[str, float]]) -> Iterator[Row]:
    for place, data in enumerate(DATA):
        roundness = float(np.exp(1.0 + 1.1 * place + (0.05 if data == "banknote" else 0)))
        for attack, base in (("clip_bkd", 0.02 * roundness**0.7), ("auto", 0.6 + 0.4 * roundness**0.5)):
            mean = 0.05 * roundness**0.2
            said = {
                "non_sphericity": roundness, "influence": base, "mean_influence": mean, "relative": base / mean,
            }  # fmt: skip
            asked = {"mechanism": "logistic_output", "data": data, "attack": attack}
            yield Row("sphericity", "influence", asked, said, 0.1)
            if attack == "auto":
                yield Row("influence", "influence", asked, said, 0.1)
        found = reach["logistic_output"][data]
        yield audit_row("influence", 1.0, found, dice, mechanism="logistic_output", data=data)


def store(path: Path, replicates: int = 3, seed: int = 0, clock: float = 1.0, data: int = len(DATA)) -> Path:
    """Write the rows into a folder's store, in one transaction: a sweep commits each, a test has no time."""
    path.mkdir(parents=True, exist_ok=True)
    results = SqliteResults(path / "results.sqlite")
    for study in STUDIES:
        results.describe(study)
    results._db.execute("BEGIN")
    for place, row in enumerate(rows(replicates, seed, data)):
        results.put(f"{place:08d}", place, replace(row, cpu_seconds=clock * row.cpu_seconds))
    results._db.execute("COMMIT")
    results.close()
    return path


if __name__ == "__main__":
    store(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3)
