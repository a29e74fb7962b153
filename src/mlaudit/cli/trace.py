"""mlaudit trace."""

import argparse
import json
import sys
from functools import partial

from mlaudit.auditing.inputs import build_data, build_pair
from mlaudit.auditing.learner import build_mechanism, claim_terms
from mlaudit.cli.engines import open_engine
from mlaudit.cli.exit_codes import exit_code
from mlaudit.cli.loading import show_loading
from mlaudit.cli.specs import TraceSpec
from mlaudit.cli.terminal import printable
from mlaudit.tracing.run import trace


def command(given: argparse.Namespace) -> int:
    """Trace and print the suspects with their lines."""
    spec: TraceSpec = given.spec
    mechanism, claim = build_mechanism(spec.mechanism, claim_terms(spec), spec.param)
    pair = build_pair(spec.pair)
    data = build_data(spec, mechanism, partial(show_loading, show=not given.quiet))
    with open_engine(given.engine, isolate=False) as engine:
        result = trace(
            mechanism,
            data,
            pair=pair,
            claim=claim,
            pairs=spec.pairs,
            rounds=spec.rounds,
            prove=not spec.no_test,
            trainings=spec.trainings,
            alpha=spec.alpha,
            seed=spec.seed,
            engine=engine,
        )
    if given.json:
        sys.stdout.write(json.dumps(result.summary(), ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(printable(f"{result}\n"))
    return exit_code([result.verdict], given)
