"""Every leaf and every split of fitted decision trees, as numbers with names. No library is imported for it.

A tree is what scikit-learn calls one: arrays of nodes, named `children_left`, `feature`, `threshold` and `value`.
"""

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

import numpy as np

from mlaudit.types.arrays import AnyArray, FloatArray

_PARTS = ("children_left", "children_right", "feature", "threshold", "value", "n_node_samples")
_ROOM = 16_384  # numbers of all trees together: each one costs memory and time in every draw
_DEEPEST = 10  # of trees whose depth has no limit

# The same for scripts that stand alone: `model` is the fitted estimator, TARGET the changed row.
READ_TREES = f"""\
def read_trees(model):
    trees = [getattr(one, "tree_", None) for one in np.ravel(getattr(model, "estimators_", [model]))]
    if not all(trees):
        return {{}}
    target = globals().get("TARGET")
    width = int(np.prod(trees[0].value.shape[1:]))
    depth = getattr(model, "max_depth", None)
    most = max({_ROOM} // (len(trees) * (width + 3)), 1)
    room = min(2 ** (depth if isinstance(depth, int) else {_DEEPEST}), 2 ** (most.bit_length() - 1))

    def fold(values):
        return np.bincount(np.arange(len(values)) % room, weights=values, minlength=room)

    found = {{}}
    for at, tree in enumerate(trees):
        leaf, values = tree.children_left < 0, tree.value.reshape(len(tree.value), -1)
        name = f"trees[{{at}}]."
        if target is not None:
            row, node = np.asarray(target, dtype=np.float32), 0
            while not leaf[node]:
                below = row[tree.feature[node]] <= tree.threshold[node]
                node = (tree.children_left if below else tree.children_right)[node]
            found[name + "at_target"] = values[node]
        for column in range(width):
            found[f"{{name}}leaves.column[{{column}}]"] = fold(values[leaf, column])
        found[name + "leaves.rows"] = fold(tree.n_node_samples[leaf])
        found[name + "splits.feature"] = fold(tree.feature[~leaf])
        found[name + "splits.threshold"] = fold(tree.threshold[~leaf])
    return found
"""


def is_tree(value: object) -> bool:
    """Whether an object is a tree made of arrays of nodes.

    >>> is_tree([1.0])
    False
    """
    return not isinstance(value, type) and all(hasattr(value, name) for name in _PARTS)


def tree_arrays(tree: Any) -> dict[str, Any]:
    """The arrays of a tree, one entry for each node.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> fitted = DecisionTreeClassifier().fit([[0.0], [2.0]], [0, 1])
    >>> tree_arrays(fitted.tree_)["threshold"].tolist()
    [1.0, -2.0, -2.0]
    """
    return {name: np.asarray(getattr(tree, name)) for name in _PARTS}


def trees_of(model: Any) -> list[Any]:
    """The trees of a fitted tree, or of a fitted ensemble of trees; none if some member is no tree.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> len(trees_of(RandomForestClassifier(3).fit([[0.0], [2.0]], [0, 1]))), trees_of(len)
    (3, [])
    """
    members = getattr(model, "estimators_", [model])
    if not _is_list(members):
        return []
    found = [getattr(one, "tree_", None) for one in np.ravel(np.asarray(members, dtype=object))]
    return found if all(map(is_tree, found)) else []


def read_trees(model: Any, target: FloatArray | None) -> dict[str, FloatArray]:
    """The values of every leaf, how many rows it states, every split, and the leaf that x* falls into.

    Leaves and splits are in the order of the nodes. There is the same number of them in every training: a smaller
    tree is filled up with zeros. If there is no room for all leaves, leaf i is added to leaf i modulo the room.

    Args:
        model: A fitted tree, or a fitted ensemble of trees.
        target: x*, or None.

    Returns:
        Numbers by names, such as "trees[3].leaves.column[1]": of each leaf of tree 3, the value for class 1. Nothing
        if the model has no trees.

    Example:
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> fitted = DecisionTreeClassifier(max_depth=1).fit([[0.0], [2.0]], [0, 1])
        >>> {name: one.tolist() for name, one in read_trees(fitted, np.zeros(1)).items() if "column" not in name}
        ... # doctest: +NORMALIZE_WHITESPACE
        {'trees[0].at_target': [1.0, 0.0], 'trees[0].leaves.rows': [1.0, 1.0], 'trees[0].splits.feature': [0.0, 0.0],
        'trees[0].splits.threshold': [1.0, 0.0]}
    """
    trees = [tree_arrays(tree) for tree in trees_of(model)]
    room = _room_of(model, trees) if trees else 0
    found: dict[str, FloatArray] = {}
    for at, tree in enumerate(trees):
        found |= _read_tree(f"trees[{at}].", tree, target, room)
    return found


def _room_of(model: Any, trees: Sequence[dict[str, Any]]) -> int:
    """How many leaves of a tree are told apart; it depends on parameters only, not on the rows."""
    width = int(np.prod(trees[0]["value"].shape[1:]))
    depth = getattr(model, "max_depth", None)
    most = max(_ROOM // (len(trees) * (width + 3)), 1)
    return int(min(2 ** (depth if isinstance(depth, int) else _DEEPEST), 2 ** (most.bit_length() - 1)))


def _read_tree(
    name: str, tree: dict[str, Any], target: FloatArray | None, room: int
) -> Iterator[tuple[str, FloatArray]]:
    leaf, values = tree["children_left"] < 0, tree["value"].reshape(len(tree["value"]), -1)
    if target is not None:
        yield f"{name}at_target", np.asarray(values[find_leaf(tree, target)], dtype=float)
    for column in range(values.shape[1]):
        yield f"{name}leaves.column[{column}]", _fold(values[leaf, column], room)
    yield f"{name}leaves.rows", _fold(tree["n_node_samples"][leaf], room)
    yield f"{name}splits.feature", _fold(tree["feature"][~leaf], room)
    yield f"{name}splits.threshold", _fold(tree["threshold"][~leaf], room)


def find_leaf(tree: dict[str, Any], row: FloatArray) -> int:
    """The node that a row ends in.

    >>> two = {"children_left": np.array([1, -1, -1]), "children_right": np.array([2, -1, -1])}
    >>> find_leaf({**two, "feature": np.array([0, -2, -2]), "threshold": np.array([0.5, -2, -2])}, np.ones(1))
    2
    """
    node, row = 0, row.astype(np.float32)  # as scikit-learn compares
    while tree["children_left"][node] >= 0:
        below = row[tree["feature"][node]] <= tree["threshold"][node]
        node = int(tree["children_left" if below else "children_right"][node])
    return node


def _fold(values: AnyArray, room: int) -> FloatArray:
    return np.asarray(np.bincount(np.arange(len(values)) % room, weights=values, minlength=room), dtype=float)


def _is_list(value: object) -> TypeGuard[list[Any] | AnyArray]:
    return isinstance(value, list | np.ndarray)
