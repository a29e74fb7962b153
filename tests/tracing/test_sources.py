"""Sources of noise that users add, budgets, copies of arrays, OpenDP and jax."""

import secrets
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, EntryPoints
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from mlaudit import Claim, Dataset, Pair, Relation
from mlaudit.errors import InvalidInput
from mlaudit.naming import plugins
from mlaudit.tracing.marking import noisy
from mlaudit.tracing.recorder import Patch, Recorder
from mlaudit.tracing.result import TraceResult
from mlaudit.tracing.run import trace
from mlaudit.tracing.tape import Declared, NoiseEvent

PAIR = Pair(Dataset([0.0, 0.0]), Dataset([0.0, 1.0]))
CLAIM = Claim(1.0)


def follow(learner: Callable[[Any, Generator], Any], claim: Claim = CLAIM, pair: Pair = PAIR) -> TraceResult:
    return trace(learner, pair=pair, claim=claim, rounds=2, prove=False)


@noisy("laplace", value="value", scale=lambda epsilon, **rest: 1 / epsilon, epsilon="epsilon", sensitivity=1.0)
def add_noise(value: float, epsilon: float) -> float:
    """Noise that a trace could not follow by itself."""
    return value + (secrets.randbelow(1000) - 500) / epsilon


@noisy("normal", scale="scale")
def draw_noise(scale: float) -> float:
    """Noise around 0."""
    return scale * (secrets.randbelow(1000) - 500)


@noisy("declared", value="value", epsilon=0.25, sensitivity=1.0)
def release_by_another_law(value: float) -> float:
    return value + secrets.randbelow(9)


def test_a_marked_function_is_followed_with_what_it_declares() -> None:
    found = follow(lambda data, rng: add_noise(data.X.sum(), 0.5))
    assert (found.transcript, found.budget, found.limit) == (0.5, 0.5, 0.5)
    assert (found.calls[0].name, found.calls[0].sensitivity) == ("add_noise", 1.0)


@pytest.mark.slow
def test_a_marked_function_that_draws_noise_is_followed_through_sums() -> None:
    found = follow(lambda data, rng: 3.0 * data.X.sum() + draw_noise(2.0), Claim(9.0, 1e-3))
    assert found.calls[0].moved == 3.0
    assert found.calls[0].scale == 2.0


@pytest.mark.slow
def test_a_law_that_is_only_declared_costs_its_epsilon_for_each_sensitivity() -> None:
    assert follow(lambda data, rng: release_by_another_law(3.0 * data.X.sum())).transcript == 0.75


def test_a_marked_function_runs_as_usual_without_a_trace() -> None:
    assert type(add_noise(1.0, epsilon=0.5)) is float


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"law": "cauchy", "scale": 1.0}, "no law is called 'cauchy'"),
        ({"law": "laplace"}, "needs scale"),
        ({"law": "declared"}, "needs epsilon"),
        ({"law": "laplace", "scale": "b"}, "must have a parameter 'b'"),
    ],
)
def test_a_wrong_mark_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        noisy(**settings)(lambda value: value)


class Library:
    """A user's library, which knows nothing of mlaudit."""

    def hide(self, value: float) -> float:
        return value + secrets.randbelow(9)


class Source:
    """What the library's entry point names."""

    @staticmethod
    def patches(recorder: Recorder) -> Iterator[Patch]:
        from mlaudit.tracing.laws import Law

        own = Library.hide

        def hide(self: Library, value: float) -> Any:
            tape, answer = recorder.active, own(self, value)
            if tape is None:
                return answer
            law, ids = Law("laplace", np.asarray(4.0)), tape.new_ids(())
            stated = Declared("hide", 0.25, 0.0, 1.0)
            event = NoiseEvent(law, np.asarray(value), answer, ids, pure=False, site=tape.locate(), declared=stated)
            return tape.record(event)

        yield Library, "hide", hide


def use_entry_point(monkeypatch: pytest.MonkeyPatch, target: Any) -> None:
    entry = SimpleNamespace(name="mine", load=lambda: target)
    monkeypatch.setattr(plugins, "_entry_points", lambda kind: [entry] if kind == "sources" else EntryPoints())
    plugins.load_installed.cache_clear()


@pytest.fixture(autouse=True)
def forget_entry_points() -> Iterator[None]:
    yield
    plugins.load_installed.cache_clear()


def test_an_entry_point_adds_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Library.hide
    use_entry_point(monkeypatch, Source)
    found = follow(lambda data, rng: Library().hide(data.X.sum()))
    assert (found.transcript, found.budget) == (0.25, 0.25)
    assert Library.hide is own


def test_an_entry_point_without_patches_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    use_entry_point(monkeypatch, Library)
    with pytest.raises(InvalidInput, match=r"'mine' must have a function patches\(recorder\)"):
        follow(lambda data, rng: 0.0)


def test_entry_points_are_looked_up_in_the_group_of_sources() -> None:
    assert EntryPoint("mine", "my_library.tracing", "mlaudit.sources").group == "mlaudit.sources"
    assert plugins.load_installed("sources") == {}


COPIES: dict[str, Callable[[Any, Generator], Any]] = {
    "asarray": lambda data, rng: data.X.sum() + np.asarray(rng.laplace(0, 2, 1)),
    "array": lambda data, rng: data.X.sum() + np.array(rng.laplace(0, 2, 1), dtype=float),
    "contiguous": lambda data, rng: data.X.sum() + np.ascontiguousarray(rng.laplace(0, 2, 1)),
    "a list of draws": lambda data, rng: data.X[:, 0] + np.array([rng.laplace(0, 2), rng.laplace(0, 2)]),
    "transposed": lambda data, rng: data.X.T + rng.laplace(0, 2, (2, 1)).T,
    "secrets": lambda data, rng: (
        data.X.sum() + 2 * (secrets.SystemRandom().expovariate(1.0) - secrets.SystemRandom().expovariate(1.0))
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COPIES)
def test_copies_keep_their_noise(name: str) -> None:
    assert follow(COPIES[name]).limit == pytest.approx(0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "reveal",
    [
        lambda noise: np.asarray(noise),  # noqa: PLW0108 - the function itself would not be the followed one
        lambda noise: np.array([noise, 1.0]),
        lambda noise: noise.view(np.ndarray),
        lambda noise: noise.take([0]),
        lambda noise: noise + 0.0,
    ],
)
def test_no_limit_is_stated_if_the_noise_itself_is_released(reveal: Callable[[Any], Any]) -> None:
    def careless(data: Any, rng: Generator) -> list[Any]:
        noise = rng.laplace(0.0, 2.0, 1)
        return [(data.X.sum() + noise).tolist(), np.ravel(reveal(noise)).tolist()]

    assert follow(careless).limit is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "rare"),
    [
        ("coin", lambda rng: rng.random() < 1e-9),
        ("normal", lambda rng: rng.normal() > 9),
        ("bounded", lambda rng: abs(rng.laplace()) > 30),
        ("geometric", lambda rng: rng.geometric(0.5) > 60),
    ],
)
def test_no_limit_is_stated_if_a_draw_may_decide_which_code_runs(
    kind: str, rare: Callable[[Generator], bool]
) -> None:
    def rarely_exact(data: Any, rng: Generator) -> float:
        noisy = data.X.sum() + rng.laplace(0.0, 2.0)
        return float(data.X.sum() if rare(rng) else noisy)

    found = follow(rarely_exact)
    assert (found.faults, found.limit) == ((), None)
    assert f"{kind} noise of test_sources.py" in found.notes[0]
    assert "may decide which code runs" in found.notes[0]


@pytest.mark.slow
def test_calls_on_other_rows_spend_nothing_on_this_pair() -> None:
    def parallel(data: Any, rng: Generator) -> list[float]:
        return [add_noise(value, 1.0) for value in data.X[:, 0]]

    assert follow(parallel).budget == 1.0  # two calls declare ε = 1 each; the changed row is in one of them


@pytest.mark.slow
@pytest.mark.extra("opendp")
def test_opendp_is_followed_by_its_own_privacy_map() -> None:
    dp: Any = pytest.importorskip("opendp.prelude", reason="the extra `opendp` is not installed")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False)), dp.symmetric_distance()
    laplace = space >> dp.t.then_sum() >> dp.m.then_laplace(scale=2.0)
    gauss = space >> dp.t.then_sum() >> dp.m.then_gaussian(scale=2.0)
    pair = Pair(Dataset([0.0, 0.5]), Dataset([0.0, 0.5, 1.0]))
    claim = Claim(1.0, relation=Relation.ADD_REMOVE)
    with_delta = Claim(1.0, 1e-3, Relation.ADD_REMOVE)

    def column(data: Any) -> list[float]:
        return [float(value) for value in data.X[:, 0]]

    once = follow(lambda data, rng: laplace(column(data)), claim, pair)
    assert once.limit == pytest.approx(0.5)
    assert once.budget == pytest.approx(0.5)
    often = follow(lambda data, rng: [laplace(column(data)) for _ in range(3)], claim, pair)
    assert [fault.kind for fault in often.faults] == ["loss"]
    assert often.faults[0].site.file == __file__
    bypass = follow(lambda data, rng: laplace(column(data)) / len(data), claim, pair)
    assert [fault.kind for fault in bypass.faults] == ["bypass"]
    concentrated = follow(lambda data, rng: gauss(column(data)), with_delta, pair)
    assert concentrated.transcript == pytest.approx(1.546, abs=1e-3)  # ρ = 1/8

    def ask(data: Any, rng: Generator) -> list[Any]:
        context = dp.Context.compositor(
            data=column(data),
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=1.0),
            split_evenly_over=2,
            domain=dp.vector_domain(dp.atom_domain(T=float, nan=False)),
        )
        return [
            context.query().clamp((0.0, 1.0)).sum().laplace().release(),
            context.query().count().laplace().release(),
        ]

    assert follow(ask, claim, pair).limit == pytest.approx(1.0)


@pytest.mark.slow
def test_jax_is_followed_also_inside_jit() -> None:
    jax: Any = pytest.importorskip("jax", reason="jax is not installed")
    random, jnp = jax.random, jax.numpy

    @jax.jit  # type: ignore[untyped-decorator]
    def compiled(values: Any, key: Any) -> Any:
        return values.sum() + 2.0 * random.laplace(key)

    def key(rng: Generator) -> Any:
        return random.key(int(rng.integers(2**31)))

    compiled(jnp.ones(2), random.key(0))
    for learner in (
        lambda data, rng: float(compiled(jnp.asarray(data.X), key(rng))),
        lambda data, rng: np.asarray(data.X[:, 0] + random.laplace(key(rng), (2,)) / 0.5),
        lambda data, rng: np.asarray(jnp.asarray(data.X[:, 0]) - 2.0 * random.laplace(key(rng), (2,))),
    ):
        assert follow(learner).limit == pytest.approx(0.5)
    same = follow(lambda data, rng: float(jnp.asarray(data.X).sum() + 2.0 * random.laplace(random.key(0))))
    assert same.limit == pytest.approx(0.5)  # two rounds: one on each side


@pytest.mark.parametrize(
    "answer",
    [lambda coin: np.where(coin, 1.0, -1.0), lambda coin: 2.0 * coin - 1.0, lambda coin: 1.0 - 2.0 * ~coin],
    ids=["where", "arithmetic", "the other way round"],
)
def test_arithmetic_with_a_coin_has_the_limit_of_a_choice(answer: Callable[[Any], Any]) -> None:
    def randomise(data: Any, rng: Generator) -> float:
        return float(answer(rng.random() < 0.5 + 0.1 * (data.X.sum() - 2)))

    assert follow(randomise).limit == pytest.approx(np.log(0.4 / 0.3))
