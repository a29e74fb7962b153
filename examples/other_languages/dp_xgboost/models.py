"""Boosted trees of dp-xgboost 0.2.10 as numbers: the split and the value of every node of every tree.

Served by `mlaudit_serve.py` (`mlaudit helper python`) in the environment of the library. The library seeds the
generator of a tree with `time(0)`, whole seconds, so models of one second have the same noise, whatever `seed` is.
`clock.c`, loaded by LD_PRELOAD, answers `time(0)` with the seed of the training. Without it, a training draws what
the clock of the computer gives.
"""

import ctypes
import json
from typing import Any

import numpy as np

_NONE = -2.0  # where a tree has no node
_COMMON = {
    "objective": "reg:squarederror",
    "tree_method": "approxDP",
    "learning_rate": 1.0,
    "base_score": 0.5,  # of labels 0 and 1: gradients beyond 1 are left out of the histograms
    "lambda": 0.1,
    "min_child_weight": 20,
    "nthread": 1,
    "verbosity": 0,
}


def one_tree(X: Any, y: Any, epsilon: float, random_state: int) -> Any:
    """One tree of depth 1."""
    return fit(X, y, epsilon, random_state, trees=1, depth=1)


def deep_tree(X: Any, y: Any, epsilon: float, random_state: int) -> Any:
    """One tree of depth 3."""
    return fit(X, y, epsilon, random_state, trees=1, depth=3)


def two_trees(X: Any, y: Any, epsilon: float, random_state: int) -> Any:
    """Two trees that are made within one second, each with half of ε: the ratio of their first leaves."""
    numbers = fit(X, y, epsilon / 2, random_state, trees=2, depth=1, base_score=0.0)
    first, second = numbers[2], numbers[len(numbers) // 2 + 2]
    return round(second / first, 5) if first else 0.0  # equal ratios as equal numbers: leaves are rounded to 32 bits


def sampled_rows(X: Any, y: Any, epsilon: float, random_state: int) -> Any:
    """One tree on two rows in a thousand: because rows are sampled, the tree may spend more than the claim."""
    return _fit_on_share(X, y, epsilon, random_state, seed=(random_state + 1) % 2**31)  # not the stream of the noise


def sampled_rows_without_seed(X: Any, y: Any, epsilon: float, random_state: int) -> Any:
    """The same, but the seed of the sample is left to the library."""
    return _fit_on_share(X, y, epsilon, random_state)


def _fit_on_share(X: Any, y: Any, epsilon: float, random_state: int, **more: Any) -> Any:
    share = 0.002
    spent = float(np.log1p(np.expm1(epsilon) / share))  # by the formula of the library's README
    return fit(X, y, spent, random_state, trees=1, depth=1, subsample=share, base_score=0.0, **more)


def fit(X: Any, y: Any, epsilon_per_tree: float, random_state: int, *, trees: int, depth: int, **more: Any) -> Any:
    """Train, and return feature, threshold and value of every place of a full tree; the bounds are 0 and 1."""
    import dp_xgboost as xgb  # noqa: PLC0415 - only the environment of the library has it

    set_clock = getattr(ctypes.CDLL(None), "set_clock", None)
    if set_clock is not None:
        set_clock(ctypes.c_long(random_state % 2**31))
    X = np.asarray(X, dtype=float)
    zeros, ones = [0.0] * X.shape[1], [1.0] * X.shape[1]
    table = xgb.DMatrix(X, label=np.asarray(y, dtype=float), feature_min=zeros, feature_max=ones)
    parameters = {**_COMMON, "dp_epsilon_per_tree": epsilon_per_tree, "max_depth": depth, **more}
    model = xgb.train(parameters, table, num_boost_round=trees)
    return [number for tree in model.get_dump(dump_format="json") for number in _numbers(json.loads(tree), depth)]


def _numbers(node: Any, depth: int) -> list[float]:
    """The node and all below it; a leaf above the deepest level is followed by empty places."""
    here = [_NONE, _NONE, node["leaf"]] if "leaf" in node else [_feature(node), node["split_condition"], _NONE]
    if not depth:
        return here
    children = node.get("children") or [{"leaf": _NONE}] * 2
    return here + [number for child in children for number in _numbers(child, depth - 1)]


def _feature(node: Any) -> float:
    return float(str(node["split"]).removeprefix("f"))
