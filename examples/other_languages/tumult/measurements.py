"""Measurements of Tumult Core as programs for mlaudit; each states the claim that its own `privacy_function` gives.

python measurements.py mlaudit_serve.py NAME, in an environment with tmlt.core; `mlaudit helper python` prints
mlaudit_serve.py. Rows are numbers from 0 to 1. The library draws from the processor's random numbers or from the
operating system, so nothing can be seeded.
"""

import math
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np

_DELTA = 1e-3
_VARIANCE = 17  # of Gaussian noise: ρ = 1/34, and ε = 0.931 at δ = 0.001


def serve_measurement(helper: str, name: str) -> None:
    """Serve the measurement of that name; one more row is one step."""
    import tmlt.core

    answer, epsilon, delta = MEASUREMENTS[name]()
    spec: Any = spec_from_file_location("mlaudit_serve", helper)
    served = module_from_spec(spec)
    spec.loader.exec_module(served)
    version = getattr(tmlt.core, "__version__", "")
    claim = {"epsilon": epsilon, "delta": delta, "relation": "add-remove"}
    served.serve(answer, name=name, version=version, claim=claim)


def laplace() -> Any:
    """A count with Laplace noise."""
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.measurements.noise_mechanisms import AddLaplaceNoise

    return _count(AddLaplaceNoise(NumpyFloatDomain(), 1), np.float64)


def geometric() -> Any:
    """A count with noise from a two-sided geometric distribution."""
    from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise

    return _count(AddGeometricNoise(1), np.int64)


def discrete_gaussian() -> Any:
    """A count with noise from a discrete Gaussian distribution."""
    from tmlt.core.measurements.noise_mechanisms import AddDiscreteGaussianNoise

    return _count(AddDiscreteGaussianNoise(_VARIANCE), np.int64)


def gaussian() -> Any:
    """A count with Gaussian noise."""
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.measurements.noise_mechanisms import AddGaussianNoise

    return _count(AddGaussianNoise(NumpyFloatDomain(), _VARIANCE), np.float64)


def composition() -> Any:
    """Two counts: the claim of the whole is what the library computes of the parts."""
    from tmlt.core.measurements.composition import Composition
    from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise

    return _count(Composition([AddGeometricNoise(2), AddGeometricNoise(2)]), np.int64)


def pure_to_concentrated() -> Any:
    """A count with Laplace noise, its claim converted to ρ and from there to ε and δ."""
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.measurements.converters import PureDPToRhoZCDP
    from tmlt.core.measurements.noise_mechanisms import AddLaplaceNoise

    return _count(PureDPToRhoZCDP(AddLaplaceNoise(NumpyFloatDomain(), 4)), np.float64)


def histogram() -> Any:
    """The numbers of rows below and from a half on, each with geometric noise."""
    import pandas as pd
    from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise
    from tmlt.core.measurements.pandas_measurements.series import AddNoiseToSeries

    measurement = AddNoiseToSeries(AddGeometricNoise(1))

    def answer(X: Any) -> Any:
        upper = int((np.asarray(X) >= 0.5).sum())
        return measurement(pd.Series([len(X) - upper, upper])).tolist()

    return answer, *_claim(measurement)


def median() -> Any:
    """The noisy median of the rows."""
    import pandas as pd
    from tmlt.core.domains.numpy_domains import NumpyFloatDomain
    from tmlt.core.domains.pandas_domains import PandasSeriesDomain
    from tmlt.core.measurements.pandas_measurements.series import NoisyQuantile
    from tmlt.core.measures import PureDP

    measurement = NoisyQuantile(PandasSeriesDomain(NumpyFloatDomain()), PureDP(), 0.5, 0, 1, 1)
    return (lambda X: measurement(pd.Series(np.ravel(X), dtype=float))), *_claim(measurement)


def _count(measurement: Any, kind: Callable[[int], Any]) -> Any:
    return partial(_measure_count, measurement, kind), *_claim(measurement)


def _measure_count(measurement: Any, kind: Callable[[int], Any], X: Any) -> Any:
    found = measurement(kind(len(X)))
    return [float(one) for one in found] if isinstance(found, list) else float(found)


def _claim(measurement: Any) -> tuple[float, float]:
    """ε and δ of one more row; of ρ by ε = ρ + 2 √(ρ ln(1/δ)), the library's own conversion."""
    from tmlt.core.measures import RhoZCDP

    spent = float(measurement.privacy_function(1).to_float(round_up=True))
    if not isinstance(measurement.output_measure, RhoZCDP):
        return spent, 0.0
    return spent + 2 * math.sqrt(spent * math.log(1 / _DELTA)), _DELTA


MEASUREMENTS: dict[str, Callable[[], Any]] = {
    made.__name__: made
    for made in (
        laplace,
        geometric,
        discrete_gaussian,
        gaussian,
        composition,
        pure_to_concentrated,
        histogram,
        median,
    )
}

if __name__ == "__main__":
    serve_measurement(*sys.argv[1:])
