"""Everything inside a fitted object is seen, once, whatever it is made of."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import RandomState, default_rng
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from mlaudit.scanning.answers import read_answers
from mlaudit.scanning.products import read_products
from mlaudit.scanning.walk import attribute_of, is_public, read_attributes


class Thing:
    """An object with whatever attributes it is given."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Slotted:
    __slots__ = ("rate",)

    def __init__(self, rate: float) -> None:
        self.rate = rate


NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
NESTED = st.recursive(
    NUMBERS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)


def numbers_in(value: Any) -> list[float]:
    if isinstance(value, float):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [number for item in items for number in numbers_in(item)]


def depth(value: Any) -> int:
    if isinstance(value, float):
        return 0
    items = value.values() if isinstance(value, dict) else value
    return 1 + max((depth(item) for item in items), default=0)


@pytest.mark.slow
@settings(deadline=None)
@given(NESTED.filter(lambda value: depth(value) < 7))
def test_every_number_is_found_where_it_is(value: Any) -> None:
    readings = read_attributes(Thing(kept_=value))
    found = [reading for path, reading in readings.items() if not path.endswith((".length", ".keys"))]
    assert found == numbers_in(value)


def test_arrays_tell_their_form_and_their_sum() -> None:
    readings = read_attributes(Thing(table_=np.array([[1, 2], [3, 4]], dtype=np.int32)))
    assert readings["table_.shape"] == "2 × 2"
    assert readings["table_.dtype"] == "int32"
    assert readings["table_.sum"] == 10
    assert readings["table_[1, 0]"] == 3


def test_long_arrays_are_told_by_what_is_derived() -> None:
    readings = read_attributes(Thing(long_=np.arange(5000.0)))
    assert set(readings) == {f"long_.{name}" for name in ("shape", "dtype", "sum", "least", "greatest")}


def test_what_is_no_number_is_a_text() -> None:
    readings = read_attributes(
        Thing(a=None, b="x", c=True, d=float("nan"), e={"k": 1}, f={2, 1}, g=np.array(["u", "v"]))
    )
    assert [readings[name] for name in "abcd"] == ["None", "x", "True", "nan"]
    assert readings["e.keys"] == "'k'"
    assert readings["f"] == "1, 2"
    assert readings["g[1]"] == "v"
    assert read_attributes(Thing(x_=np.array([np.inf, 1.0])))["x_[0]"] == "inf"


def test_cycles_and_depth_end() -> None:
    ring = Thing(value=1.0)
    ring.self = ring  # type: ignore[attr-defined]
    assert read_attributes(ring) == {"value": 1.0}
    deep: Any = 1.0
    for _ in range(50):
        deep = [deep]
    assert len(read_attributes(Thing(deep=deep))) < 20


def test_the_generator_of_the_noise_is_passed_over() -> None:
    assert read_attributes(Thing(random_state=RandomState(0), rng=default_rng(0), kept=1.0)) == {"kept": 1.0}


def test_slots_functions_and_types() -> None:
    readings = read_attributes(Thing(one=Slotted(2.0), kind=Slotted, function=len))
    assert readings == {"one": "Slotted", "one.rate": 2.0, "kind": "Slotted", "function": "len"}


def test_a_forest_is_walked_to_its_leaves_and_asked_tree_by_tree() -> None:
    X, y = np.arange(8.0)[:, None], np.arange(8) // 4
    forest = RandomForestClassifier(2, max_depth=1, random_state=0).fit(X, y)
    readings = read_attributes(forest)
    assert "estimators_[1].tree_.nodes.threshold[0]" in readings
    assert "estimators_[0].tree_.values[0, 0, 0]" in readings
    asked = read_answers(forest, X[:2])
    assert {"predict(row 1)", "predict_proba(row 0)[1]", "estimators_[1].predict(row 0)"} <= set(asked)


def test_every_leaf_and_split_of_a_deep_tree_is_read() -> None:
    X = np.random.default_rng(0).random((2000, 2))
    tree = DecisionTreeClassifier(random_state=0).fit(X, np.arange(2000) % 2)
    readings, nodes = read_attributes(tree), tree.tree_
    assert nodes.node_count > 1000
    for node in range(nodes.node_count):
        assert readings[f"tree_.values[{node}, 0, 1]"] == nodes.value[node, 0, 1]
        assert readings[f"tree_.nodes.n_node_samples[{node}]"] == nodes.n_node_samples[node]
        if nodes.children_left[node] >= 0:
            assert readings[f"tree_.nodes.threshold[{node}]"] == nodes.threshold[node]
    other = DecisionTreeClassifier(random_state=0).fit(X, np.arange(2000) % 3 % 2)
    assert readings["tree_.structure"] != read_attributes(other)["tree_.structure"]


def test_a_leaf_is_told_before_a_sum_of_leaves() -> None:
    tree = DecisionTreeClassifier(max_depth=1).fit([[0.0], [1.0]], [0, 1])
    paths = [path for path in read_attributes(tree) if path.startswith("tree_.values")]
    assert paths.index("tree_.values[2, 0, 1]") < paths.index("tree_.values.sum")


def test_an_answer_that_raises_is_an_answer() -> None:
    class Broken:
        def predict(self, X: Any) -> Any:
            raise ZeroDivisionError

    assert read_answers(Broken(), np.zeros((1, 1))) == {"predict raised": "ZeroDivisionError"}


def test_texts_are_answers_too() -> None:
    class Words:
        def predict(self, X: Any) -> Any:
            return np.array(["yes"] * len(X))

    assert read_answers(Words(), np.zeros((1, 1))) == {"predict(row 0)": "yes"}


def test_counts_times_means_are_the_sums() -> None:
    model = Thing(count_=np.array([2.0, 4.0]), mean_=np.array([[0.5], [0.25]]), classes_=np.array([0, 1]))
    assert read_products(model) == {"count_ × mean_[0, 0]": 1.0, "count_ × mean_[1, 0]": 1.0}


@pytest.mark.parametrize(
    ("path", "attribute", "public"),
    [
        ("coef_[0, 3]", "coef_", True),
        ("coef_.shape", "coef_", True),
        ("_obj_coefs[2][0, 0]", "_obj_coefs", False),
        ("estimators_[4].predict(row 12)", "estimators_[].predict", True),
        ("predict_proba(row 3)[1]", "predict_proba", True),
        ("tree_._cache['a'][0]", "tree_._cache['a']", False),
        ("raised.message", "raised", True),
    ],
)
def test_paths_belong_to_attributes(path: str, attribute: str, public: bool) -> None:
    assert attribute_of(path) == attribute
    assert is_public(path) is public
