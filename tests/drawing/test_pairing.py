from dataclasses import dataclass

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

from mlaudit import Claim, Dataset, Pair, audit
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.pairing import learn_shift
from mlaudit.drawing.pilots import Pilots
from mlaudit.drawing.progress import SILENT
from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.types.arrays import FloatArray

PAIR = Pair(Dataset([1.0]), Dataset([0.0]))


@dataclass(frozen=True)
class Shifted:
    """Laplace noise on three numbers; its seeds are used as `seeds` says."""

    seeds: str = "common"

    @property
    def claim(self) -> Claim:
        return Claim(1.0)

    def domain(self, data: Dataset) -> None:
        pass

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        value = float(data.X[0, 0])
        if self.seeds == "by data":
            seed = SeedSequence((seed.generate_state(1)[0], int(value)))
        rng = default_rng(seed)
        noise = rng.laplace(size=3)
        slack = 0.2 * default_rng(int(1e6 * abs(noise[0])) + int(value)).normal() if self.seeds == "loose" else 0.0
        return np.asarray(noise + np.array([value + slack, 0.0, 2 * value]))

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        return model


def pilots() -> Pilots:
    return Pilots(3, DrawingLoop(LokyEngine(), MemoryStore(), SILENT))


def test_four_pairs_show_an_added_shift_exactly() -> None:
    drawn = pilots()
    found = learn_shift(drawn, Shifted(), PAIR, 50)
    assert found is not None
    np.testing.assert_allclose(found.shift, [1.0, 0.0, 2.0], atol=1e-9)
    assert not found.spread.any()
    assert drawn.spent == 8


def test_more_pairs_are_drawn_where_differences_vary() -> None:
    drawn = pilots()
    found = learn_shift(drawn, Shifted("loose"), PAIR, 50)
    assert found is not None
    assert (found.pairs, drawn.spent) == (50, 100)
    assert found.spread[0] > 0 == found.spread[2]
    # Fails for a correct program with probability < 1e-9: the median of 50 has a deviation of .05.
    assert found.shift[0] == pytest.approx(1.0, abs=0.4)


def test_seeds_that_share_no_noise_show_no_shift() -> None:
    # Fails for a correct program with probability < 1e-6: differences would have to vary less than the noise itself.
    assert learn_shift(pilots(), Shifted("by data"), PAIR, 100) is None


def test_no_counted_training_has_the_seed_of_a_pair() -> None:
    drawn = pilots()
    pairs = drawn.streams(Shifted(), PAIR)
    counted = Sampler(Shifted(), PAIR, 3, drawn.loop, 100).streams
    seeds = {tuple(stream.seed_of(i).generate_state(4)) for stream in counted for i in range(60)}
    paired = {tuple(stream.seed_of(i).generate_state(4)) for stream in pairs for i in range(60)}
    assert len(seeds) == 120
    assert len(paired) == 60  # common to both sides
    assert not seeds & paired


@pytest.mark.slow
def test_pairs_are_paid_for_out_of_the_budget() -> None:
    result = audit(Shifted(), pair=PAIR, trainings=1000, repeat=False)
    counts = result.finding.evidence
    assert "shift from common seeds" in str(result)
    assert getattr(counts, "counted", 0) <= 0.95 * (1000 - 8)
