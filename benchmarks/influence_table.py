"""The table of docs/results/influence.md: how far a point can move logistic regression, by dataset.

python benchmarks/influence_table.py
"""

import numpy as np
from numpy.random import default_rng

from mlaudit.attacks.clip_bkd import ClipBkd
from mlaudit.attacks.influence import Influence
from mlaudit.changes import changed_rows
from mlaudit.datasets._load import load_data
from mlaudit.mechanisms.logistic_output import LogisticOutput
from mlaudit.surrogates import LogisticSurrogate, influence
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

DATASETS = (
    "iris", "banknote", "breast_cancer", "thoracic", "credit_approval", "credit", "credit_default", "adult",
)  # fmt: skip


def non_sphericity(X: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float:
    values = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return float(values[0] / values[values > 1e-9 * values[0]][-1])


def poisoned_influence(surrogate: LogisticSurrogate, pair: Pair) -> float:
    row = changed_rows(pair)[0]
    assert pair.neighbour.y is not None
    return float(np.linalg.norm(influence(surrogate, pair.neighbour.X[row], int(pair.neighbour.y[row]))))


def mean_influence(surrogate: LogisticSurrogate, data: Dataset) -> float:
    assert data.y is not None
    return float(
        np.mean([np.linalg.norm(influence(surrogate, x, int(y))) for x, y in zip(data.X, data.y, strict=True)])
    )


def main() -> None:
    print("| dataset | rows × columns | non-sphericity | mean ‖I‖ | ClipBKD's ‖I(x*)‖ | ours | ours / ClipBKD's |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    learner = LogisticOutput(1.0)
    for name in DATASETS:
        data = load_data(name)
        data = data.within(learner.domain(data))
        surrogate = learner.surrogate(data)
        clip, ours = (
            poisoned_influence(surrogate, a(learner, data, 1, default_rng(0))) for a in (ClipBkd(), Influence())
        )
        size = f"{len(data)} × {data.X.shape[1]}"
        shape = f"{non_sphericity(data.X):.3g}"
        moves = f"{mean_influence(surrogate, data):.3g} | {clip:.3g} | {ours:.3g} | {ours / clip:.2f}"
        print(f"| {name} | {size} | {shape} | {moves} |")


if __name__ == "__main__":
    main()
