"""OpenDP: measurements of its constructors and of its context, with the claims that their maps state."""

from collections.abc import Callable, Iterator
from typing import Any

from numpy.random import Generator

from mlaudit.adapters.opendp import MeasurementMechanism
from mlaudit.errors import MissingExtra
from mlaudit.library.catalogues._rows import ADDED, BITS, VALUES
from mlaudit.library.item import Item
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset

try:
    import opendp.prelude as dp
except ImportError:
    raise MissingExtra("opendp", "opendp") from None

_FEATURES = ("contrib", "honest-but-curious")
_ONE_BIT = Dataset([0.0], domain=BITS.domain, name="one bit")


def opendp() -> Iterator[Item]:
    """Constructors of OpenDP, and its context.

    >>> len(list(opendp()))
    23
    """
    for name, make in _MEASUREMENTS.items():
        yield Item(name, MeasurementMechanism(make, delta=1e-3), None, VALUES)
    for name, make in _OF_WHOLE_NUMBERS.items():
        yield Item(name, MeasurementMechanism(make, delta=1e-3), None, BITS)
    answer = MeasurementMechanism(lambda: _start().m.make_randomized_response_bool(prob=0.73))
    yield Item("make_randomized_response_bool", answer, None, _ONE_BIT)
    yield Item("make_randomized_response", _answer_of_three, ADDED, _ONE_BIT)
    yield Item("count_by_categories >> then_laplace", _count_names, ADDED, VALUES)
    for name, release in (("make_noisy_max", _most_frequent), ("make_noisy_top_k", _two_most_frequent)):
        yield Item(name, release, ADDED, VALUES)
    yield Item("make_laplace on a number", _noisy_number, ADDED, VALUES)
    yield Item("make_canonical_noise", _canonical_number, Claim(1.0, 1e-3, Relation.ADD_REMOVE), VALUES)
    yield Item("make_adaptive_composition", ask_twice, ADDED, VALUES)
    yield Item("Context.compositor", ask_context, ADDED, VALUES, trainings=200)  # it builds a context every time


def _start() -> Any:
    """OpenDP's constructors, with the features that they need; workers import this module, too."""
    dp.enable_features(*_FEATURES)
    return dp


def _numbers() -> Any:
    _start()
    return dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False)), dp.symmetric_distance()


def _whole_numbers() -> Any:
    _start()
    return dp.vector_domain(dp.atom_domain(bounds=(0, 1))), dp.symmetric_distance()


def _noisy_sum(scale: float = 1.0) -> Any:
    return _numbers() >> dp.t.then_sum() >> dp.m.then_laplace(scale=scale)


def _gaussian_sum() -> Any:
    return _numbers() >> dp.t.then_sum() >> dp.m.then_gaussian(scale=4.0)


def _sized_mean() -> Any:
    _start()
    sized = dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False), size=30), dp.symmetric_distance()
    return sized >> dp.t.then_mean() >> dp.m.then_laplace(scale=1 / 30)


_MEASUREMENTS: dict[str, Callable[[], Any]] = {
    "sum >> then_laplace": _noisy_sum,
    "sum >> then_gaussian (zCDP)": _gaussian_sum,
    "make_zCDP_to_approxDP": lambda: dp.c.make_zCDP_to_approxDP(_gaussian_sum()),
    "make_fix_delta": lambda: dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(_gaussian_sum()), 1e-3),
    "make_pureDP_to_zCDP": lambda: dp.c.make_pureDP_to_zCDP(_noisy_sum()),
    "count >> then_geometric": lambda: _numbers() >> dp.t.then_count() >> dp.m.then_geometric(scale=1.0),
    "count >> then_laplace": lambda: _numbers() >> dp.t.then_count() >> dp.m.then_laplace(scale=1.0),
    "count_distinct >> then_laplace": lambda: (
        _whole_numbers() >> dp.t.then_count_distinct() >> dp.m.then_laplace(scale=1.0)
    ),
    "make_private_quantile": lambda: dp.m.make_private_quantile(
        *_numbers(), dp.max_divergence(), candidates=[0.0, 0.5, 1.0], alpha=0.5, scale=1.0
    ),
    "make_composition of two": lambda: dp.c.make_composition([_noisy_sum(2.0)] * 2),
    "mean of a known number of rows >> then_laplace": _sized_mean,
}
_OF_WHOLE_NUMBERS: dict[str, Callable[[], Any]] = {
    "sum of whole numbers >> then_laplace": lambda: (
        _whole_numbers() >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.0)
    ),
    "sum of whole numbers >> then_gaussian": lambda: (
        _whole_numbers() >> dp.t.then_sum() >> dp.m.then_gaussian(scale=2.0)
    ),
    "count_by_categories >> then_geometric": lambda: (
        _whole_numbers()
        >> dp.t.then_count_by_categories(categories=[0, 1], MO=dp.L1Distance[int])
        >> dp.m.then_geometric(scale=1.0)
    ),
}


def _column(data: Dataset) -> list[float]:
    return [float(value) for value in data.X[:, 0]]


def _answer_of_three(data: Dataset, _rng: Generator) -> Any:
    """One of three answers about the number of rows."""
    asked = _start().m.make_randomized_response(categories=["none", "one", "more"], prob=0.576)
    return asked("none" if not len(data) else "one" if len(data) == 1 else "more")


def _count_names(data: Dataset, _rng: Generator) -> Any:
    """A histogram of texts."""
    _start()
    names = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counts = names >> dp.t.then_count_by_categories(categories=["high", "low"], MO=dp.L1Distance[int])
    return (counts >> dp.m.then_laplace(scale=1.0))(["high" if value > 0.5 else "low" for value in _column(data)])


def _counts(data: Dataset) -> list[int]:
    """Rows in each third of [0, 1]."""
    thirds = [min(int(3 * value), 2) for value in _column(data)]
    return [thirds.count(third) for third in range(3)]


def _most_frequent(data: Dataset, _rng: Generator) -> Any:
    counts = _start().vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    return dp.m.make_noisy_max(*counts, dp.max_divergence(), scale=2.0)(_counts(data))


def _two_most_frequent(data: Dataset, _rng: Generator) -> Any:
    counts = _start().vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    return dp.m.make_noisy_top_k(*counts, dp.max_divergence(), k=2, scale=4.0)(_counts(data))


def _noisy_number(data: Dataset, _rng: Generator) -> Any:
    number = _start().atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return dp.m.make_laplace(*number, scale=1.0)(float(data.X.sum()))


def _canonical_number(data: Dataset, _rng: Generator) -> Any:
    number = _start().atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return dp.m.make_canonical_noise(*number, d_in=1.0, d_out=(1.0, 1e-3))(float(data.X.sum()))


def ask_twice(data: Dataset, _rng: Generator) -> Any:
    """Two sums from one budget."""
    values = _numbers()
    asked = dp.c.make_adaptive_composition(
        input_domain=values[0],
        input_metric=values[1],
        output_measure=dp.max_divergence(),
        d_in=1,
        d_mids=[0.5, 0.5],
    )(_column(data))
    total = _noisy_sum(2.01)
    return [asked(total), asked(total)]


def ask_context(data: Dataset, _rng: Generator) -> Any:
    """A sum and a count from one budget."""
    context = _start().Context.compositor(
        data=_column(data),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=2,
        domain=dp.vector_domain(dp.atom_domain(T=float, nan=False)),
    )
    total = context.query().clamp((0.0, 1.0)).sum().laplace().release()
    return [total, context.query().count().laplace().release()]
