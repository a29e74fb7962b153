"""What `mlaudit test` says of learners outside mlaudit: the models, tools and mechanisms of diffprivlib.

    python benchmarks/outside_learners.py smoke --out outside.jsonl     # the effort
    python benchmarks/outside_learners.py tally outside.jsonl           # a Markdown table

Each is written as a user would write it, with ε = 1 and, unless its name says otherwise, with bounds, norms and
classes passed wherever the library takes them. Each line of the file is written as soon as its test is done; the
same command goes on where it was stopped. The relation is the one that the library's noise is made for
(docs/findings.md).
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from diffprivlib import mechanisms, models, tools
from numpy.random import Generator, default_rng

from mlaudit import Box, Claim, Dataset, Relation, refute
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.errors import AuditError

UNIT = Box([0.0], [1.0])
BITS = Dataset([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], domain=UNIT, name="six bits")
VALUES = Dataset(default_rng(0).random(30), domain=UNIT, name="thirty values in [0, 1]")
TWO = Dataset(default_rng(1).random((30, 2)), domain=Box([0.0, 0.0], [1.0, 1.0]), name="thirty points")
LABELLED = Dataset(
    default_rng(2).random((40, 2)),
    np.arange(40) % 2,
    domain=Box([0.0, 0.0], [1.0, 1.0], labels=(0, 1)),
    name="forty labelled points",
)
BOUNDS = (np.zeros(2), np.ones(2))
ONE, WITH_DELTA, ADDED = Claim(1.0), Claim(1.0, 0.01), Claim(1.0, relation=Relation.ADD_REMOVE)


@dataclass(frozen=True)
class Case:
    """A learner as a user names it, the data, and the claim."""

    name: str
    learner: Any
    data: Dataset
    claim: Claim = ONE


def query(
    make: Callable[..., Any], read: Callable[[Dataset], Any], **settings: Any
) -> Callable[[Dataset, Generator], Any]:
    """A mechanism of the library around a number of the data."""

    def release(data: Dataset, rng: Generator) -> Any:
        return make(**settings, random_state=int(rng.integers(2**31))).randomise(read(data))

    return release


def tool(call: Callable[..., Any], read: Callable[[Dataset], Any], *more: Any, **settings: Any) -> Any:
    """A tool of the library on the data."""

    def release(data: Dataset, rng: Generator) -> Any:
        found = call(read(data), *more, epsilon=1.0, random_state=int(rng.integers(2**31)), **settings)
        return found[0] if isinstance(found, tuple) else found

    return release


def total(data: Dataset) -> float:
    """A sum of values in [0, 1]: sensitivity 1 if a row is replaced."""
    return float(data.X.sum())


def number(data: Dataset) -> int:
    """A count of values above one half."""
    return int((data.X > 0.5).sum())


def column(data: Dataset) -> Any:
    """The values."""
    return data.X[:, 0]


def choose(make: Callable[..., Any]) -> Callable[[Dataset, Generator], float]:
    """The more frequent of three thirds of [0, 1], by a mechanism that chooses."""

    def release(data: Dataset, rng: Generator) -> float:
        counts = np.bincount(np.minimum((3 * data.X[:, 0]).astype(int), 2), minlength=3).astype(float)
        picked = make(
            epsilon=1.0,
            sensitivity=1,
            utility=counts.tolist(),
            candidates=[0, 1, 2],
            random_state=int(rng.integers(2**31)),
        )
        return float(picked.randomise())

    return release


def flip(data: Dataset, rng: Generator) -> float:
    """The first bit by randomised response."""
    made = mechanisms.Binary(epsilon=1.0, value0="0", value1="1", random_state=int(rng.integers(2**31)))
    return float(made.randomise("1" if data.X[0, 0] > 0.5 else "0"))


def direction(data: Dataset, rng: Generator) -> Any:
    """The first eigenvector of the second moments of rows in the unit ball."""
    rows = data.X / np.sqrt(2)
    made = mechanisms.Bingham(epsilon=1.0, sensitivity=1.0, random_state=int(rng.integers(2**31)))
    found = np.asarray(made.randomise(rows.T @ rows))
    return found * np.sign(found[0] or 1.0)  # a direction has no sign


def planar_histogram(data: Dataset, rng: Generator) -> Any:
    """histogram2d with a range."""
    found = tools.histogram2d(
        data.X[:, 0], data.X[:, 1], epsilon=1.0, bins=2, range=[(0, 1), (0, 1)], random_state=int(rng.integers(2**31))
    )
    return found[0].ravel()


def list_mechanisms() -> Iterator[Case]:
    """Every mechanism of the library that releases something of a dataset."""
    inside = {"lower": 0.0, "upper": 6.0}
    plain = {"epsilon": 1.0, "sensitivity": 1.0}
    yield Case("mechanisms.Laplace", query(mechanisms.Laplace, total, **plain), BITS)
    yield Case(
        "mechanisms.Laplace (δ)", query(mechanisms.Laplace, total, **plain, delta=0.01), BITS, Claim(1.0, 0.01)
    )
    yield Case("mechanisms.LaplaceTruncated", query(mechanisms.LaplaceTruncated, total, **plain, **inside), BITS)
    yield Case("mechanisms.LaplaceFolded", query(mechanisms.LaplaceFolded, total, **plain, **inside), BITS)
    yield Case(
        "mechanisms.LaplaceBoundedDomain", query(mechanisms.LaplaceBoundedDomain, total, **plain, **inside), BITS
    )
    noise = query(mechanisms.LaplaceBoundedNoise, total, **plain, delta=0.01)
    yield Case("mechanisms.LaplaceBoundedNoise", noise, BITS, WITH_DELTA)
    for name in ("Gaussian", "GaussianAnalytic"):
        made = query(getattr(mechanisms, name), total, **plain, delta=0.01)
        yield Case(f"mechanisms.{name}", made, BITS, WITH_DELTA)
    whole = {"epsilon": 1.0, "sensitivity": 1}
    made = query(mechanisms.GaussianDiscrete, number, **whole, delta=0.01)
    yield Case("mechanisms.GaussianDiscrete", made, BITS, WITH_DELTA)
    yield Case("mechanisms.Geometric", query(mechanisms.Geometric, number, **whole), BITS)
    ends = {"lower": 0, "upper": 6}
    yield Case("mechanisms.GeometricTruncated", query(mechanisms.GeometricTruncated, number, **whole, **ends), BITS)
    yield Case("mechanisms.GeometricFolded", query(mechanisms.GeometricFolded, number, **whole, **ends), BITS)
    yield Case("mechanisms.Staircase", query(mechanisms.Staircase, total, **plain), BITS)
    yield Case(
        "mechanisms.Uniform", query(mechanisms.Uniform, total, delta=0.1, sensitivity=1.0), BITS, Claim(0.01, 0.1)
    )
    yield Case("mechanisms.Snapping", query(mechanisms.Snapping, total, **plain, **inside), BITS)
    yield Case("mechanisms.Exponential", choose(mechanisms.Exponential), BITS)
    yield Case("mechanisms.PermuteAndFlip", choose(mechanisms.PermuteAndFlip), BITS)
    yield Case("mechanisms.Binary", flip, BITS)
    yield Case("mechanisms.Bingham", direction, TWO)


def list_tools() -> Iterator[Case]:
    """Every tool of the library."""
    unit = {"bounds": (0.0, 1.0)}
    for name in ("mean", "var", "std", "sum", "nanmean", "nanvar", "nanstd", "nansum"):
        yield Case(f"tools.{name}", tool(getattr(tools, name), column, **unit), VALUES)
    for name in ("mean", "sum"):
        yield Case(f"tools.{name} without bounds", tool(getattr(tools, name), column), VALUES)
    yield Case("tools.count_nonzero", tool(tools.count_nonzero, lambda data: data.X[:, 0] > 0.5), BITS)
    yield Case("tools.quantile", tool(tools.quantile, column, 0.25, **unit), VALUES)
    yield Case("tools.percentile", tool(tools.percentile, column, 75, **unit), VALUES)
    yield Case("tools.median", tool(tools.median, column, **unit), VALUES)
    yield Case("tools.median without bounds", tool(tools.median, column), VALUES)
    yield Case("tools.histogram", tool(tools.histogram, column, bins=4, range=(0, 1)), VALUES, ADDED)
    yield Case("tools.histogram without range", tool(tools.histogram, column, bins=4), VALUES, ADDED)
    yield Case("tools.histogram2d", planar_histogram, TWO, ADDED)
    cube = tool(tools.histogramdd, lambda data: data.X, bins=2, range=[(0, 1), (0, 1)])
    yield Case("tools.histogramdd", lambda data, rng: cube(data, rng).ravel(), TWO, ADDED)


def list_models() -> Iterator[Case]:
    """Every model of the library, with and without bounds."""
    yield Case("GaussianNB", models.GaussianNB(bounds=BOUNDS), LABELLED)
    yield Case("GaussianNB without bounds", models.GaussianNB(), LABELLED)
    yield Case("LogisticRegression", models.LogisticRegression(data_norm=1.5), LABELLED)
    yield Case("LogisticRegression without norm", models.LogisticRegression(), LABELLED)
    yield Case("LinearRegression", models.LinearRegression(bounds_X=BOUNDS, bounds_y=(0, 1)), LABELLED)
    yield Case("LinearRegression without bounds", models.LinearRegression(), LABELLED)
    forest = models.RandomForestClassifier(n_estimators=3, max_depth=3, bounds=BOUNDS, classes=[0, 1])
    yield Case("RandomForestClassifier", forest, LABELLED, ADDED)
    careless = models.RandomForestClassifier(3, max_depth=3)
    yield Case("RandomForestClassifier without bounds", careless, LABELLED, ADDED)
    tree = models.DecisionTreeClassifier(max_depth=3, bounds=BOUNDS, classes=[0, 1])
    yield Case("DecisionTreeClassifier", tree, LABELLED, ADDED)
    yield Case("KMeans", models.KMeans(2, bounds=BOUNDS), TWO, ADDED)
    yield Case("PCA", models.PCA(1, bounds=BOUNDS, data_norm=1.5), TWO)
    yield Case("PCA without bounds", models.PCA(1), TWO)
    yield Case("StandardScaler", models.StandardScaler(bounds=BOUNDS), TWO)
    yield Case("StandardScaler without bounds", models.StandardScaler(), TWO)


def try_once(case: Case, effort: str) -> dict[str, Any]:
    """One test of one learner, as one line."""
    began = time.process_time()
    asked = {"name": case.name, "effort": effort, "claim": str(case.claim)}
    try:
        result = refute(case.learner, case.data, claim=case.claim, effort=effort, engine=InProcess(), seed=1_700_001)
    except AuditError as error:
        return {**asked, "error": str(error), "cpu": round(time.process_time() - began, 1)}
    return {
        **asked,
        "verdict": result.verdict,
        "epsilon_lower": result.epsilon_lower,
        "detectable": result.detectable,
        "trainings": result.trainings,
        "cpu": round(time.process_time() - began, 1),
        "findings": [
            {"place": one.place, "cause": one.cause, "change": one.change, "D": one.pair.base.name}
            for one in result.findings
        ],
        "by": [one.detector for one in result.findings],
    }


def tally(path: Path) -> None:
    """Print the lines as a table."""
    print("| learner | claim | effort | verdict | ε at least | CPU s | found by | cause |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for one in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        found = one.get("findings") or [{}]
        cells = [one["name"], one["claim"], one["effort"], one.get("verdict", one.get("error", "")).replace("_", " ")]
        cells += [f"{one.get('epsilon_lower', 0):.3g}", f"{one['cpu']:.1f}", ", ".join(one.get("by", []))]
        said = f"{found[0].get('place', '')}: {found[0]['cause']}" if found[0] else ""
        print("| " + " | ".join([*cells, said.replace("|", "\\|")]) + " |")


def main() -> None:
    """Test what is missing, or print the table."""
    if sys.argv[1] == "tally":
        tally(Path(sys.argv[2]))
        return
    effort, out = sys.argv[1], Path(sys.argv[sys.argv.index("--out") + 1])
    known = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    done = {(one["name"], one["effort"]) for one in map(json.loads, known)}
    with out.open("a", encoding="utf-8") as file:
        for case in (*list_mechanisms(), *list_tools(), *list_models()):
            if (case.name, effort) not in done:
                file.write(json.dumps(try_once(case, effort), ensure_ascii=False) + "\n")
                file.flush()


if __name__ == "__main__":
    main()
