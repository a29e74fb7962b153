"""Run the tests under the numeric kernels of other processors: `make test-kernels`.

OpenBLAS and numpy choose their code by the processor. Another code adds in another order, and the last digits of a
sum differ. `OPENBLAS_CORETYPE` chooses the code of every OpenBLAS in the process (numpy and scipy bring one each);
`NPY_DISABLE_CPU_FEATURES` switches off numpy's own.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module

import numpy as np
import scipy.linalg
from threadpoolctl import threadpool_info

CORES = ("Prescott", "Haswell", "Zen", "SkylakeX")
NO_SIMD = "numpy without SIMD"
# What is killed, refused, printed or drawn in a browser computes nothing that the other tests do not.
NOT_NUMERIC = (
    "tests/cli",
    "tests/drawing/engines",
    "tests/report",
    "tests/drawing/stores",
    "tests/sweep",
    "tests/library",
    "tests/adapters/test_programs.py",
    "tests/adapters/test_other_languages.py",
    "tests/test_bad_python_inputs.py",
    "tests/drawing/test_misbehaving_learners.py",
    "tests/docs",
    "tests/test_strangers_files.py",
    "tests/test_action.py",
    "tests/test_release.py",
    "tests/test_find_python.py",
    "tests/test_benchmarks_page.py",
    "tests/test_processors.py",  # starts kernels of its own
)
QUICK = (
    "tests/intervals",
    "tests/samplers",
    "tests/types",
    "tests/attacks",
    "tests/drawing/test_determinism.py",
    "tests/distinguish/test_distinguisher.py",
    "tests/statistics",
)


@dataclass(frozen=True)
class Kernel:
    """A choice of code, and the variables that make it."""

    name: str
    variables: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What became of the tests under one kernel."""

    kernel: str
    result: str
    seconds: float = 0.0
    failed: bool = False


def own_code() -> str:
    """The code that each OpenBLAS of this process has chosen; "" if there is none."""
    use_every_product()
    pools = sorted((pool for pool in threadpool_info() if pool.get("internal_api") == "openblas"), key=_file)
    return " ".join(str(pool["architecture"]) for pool in pools)


def use_every_product() -> None:
    """Run the code in both precisions: a core that the processor lacks instructions for ends the process here."""
    for kind in (np.float32, np.float64):
        square = np.eye(96, dtype=kind) + np.linspace(0, 1, 96, dtype=kind)
        for linalg in (np.linalg, scipy.linalg):
            linalg.inv(square @ square.T + np.eye(96, dtype=kind))
            linalg.svd(square)
            linalg.eigh(square + square.T)
        square @ square[0] @ square[1]


def _file(pool: dict[str, str]) -> str:
    return pool["filepath"]


def switchable() -> list[str]:
    """The processor features that this numpy can use here, and can do without."""
    built = import_module("numpy._core._multiarray_umath")  # private: there is no public list
    return [name for name in built.__cpu_dispatch__ if built.__cpu_features__.get(name)]


def every_kernel() -> list[Kernel]:
    """The cores of OpenBLAS, and numpy without the code that it chooses by processor."""
    cores = [Kernel(core, {"OPENBLAS_CORETYPE": core}) for core in CORES]
    return [*cores, Kernel(NO_SIMD, {"NPY_DISABLE_CPU_FEATURES": " ".join(switchable())})]


def another_kernel() -> list[Kernel]:
    """One kernel that is not the machine's own: the oldest, whose sums differ the most. None without OpenBLAS."""
    own = own_code()
    return [
        kernel for kernel in every_kernel() if own and kernel.name != NO_SIMD and code_of(kernel) not in ("", own)
    ][:1]


def code_of(kernel: Kernel) -> str:
    """The code that a process runs under this kernel; "" if it cannot run.

    A child says it: OpenBLAS has one code for several cores (which depends on how it was built), takes another core
    for one that the processor cannot run, and has names of its own ("Katmai" stands for Prescott).
    """
    if kernel.name == NO_SIMD:
        return f"without {kernel.variables['NPY_DISABLE_CPU_FEATURES']}" if switchable() else ""
    child = [sys.executable, __file__, "--own"]
    done = subprocess.run(child, env={**os.environ, **kernel.variables}, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def run_all(kernels: Sequence[Kernel], arguments: Sequence[str]) -> Iterator[Outcome]:
    """Each code once, whatever it is called; this machine's own is what every other run of the tests takes."""
    ran = {own_code(): "make test"}
    for kernel in kernels:
        code = code_of(kernel)
        if not code:
            yield Outcome(kernel.name, "skipped: it does not run here")
        elif code in ran:
            yield Outcome(kernel.name, f"the same code as {ran[code]} here ({code})")
        else:
            ran[code] = kernel.name
            print(f"== {kernel.name} ({code})", flush=True)
            yield run_tests(kernel, arguments)


def run_tests(kernel: Kernel, arguments: Sequence[str]) -> Outcome:
    """Pytest in a child with the kernel's variables."""
    start = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", *arguments]
    with subprocess.Popen(
        command, env={**os.environ, **kernel.variables}, stdout=subprocess.PIPE, text=True
    ) as child:
        last = "no output"
        for line in child.stdout or ():
            print(line, end="", flush=True)
            last = line
    counted = re.sub(r" in [\d.]+s.*", "", last).strip("= \n")
    return Outcome(kernel.name, counted, time.monotonic() - start, failed=child.returncode != 0)


def table(outcomes: Sequence[Outcome]) -> str:
    """A line for each kernel.

    >>> print(table([Outcome("Zen", "2 passed", 3.2)]))
    kernel              seconds  result
    Zen                       3  2 passed
    """
    rows = [f"{o.kernel:<18}  {o.seconds:>7.0f}  {o.result}{' – FAILED' * o.failed}" for o in outcomes]
    return "\n".join([f"{'kernel':<18}  {'seconds':>7}  result", *rows])


def main() -> int:
    """Run what was asked for; 1 if a test failed under any kernel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--own", action="store_true", help="print the code that OpenBLAS takes here, and end")
    parser.add_argument(
        "--quick", action="store_true", help="numeric tests, under one kernel other than the machine's"
    )
    parser.add_argument("--only", default="", help="the kernels whose names begin so")
    given, more = parser.parse_known_args()
    if given.own:
        print(own_code())
        return 0
    if given.quick:
        kernels, arguments = another_kernel(), ["-m", "not slow and not statistical", *QUICK]
    else:
        kernels = [kernel for kernel in every_kernel() if kernel.name.startswith(given.only)]
        arguments = ["-m", "not statistical", *(f"--ignore={path}" for path in NOT_NUMERIC)]
    print(f"this machine's own code: {own_code() or 'none, there is no OpenBLAS'}")
    outcomes = list(run_all(kernels, [*arguments, *more]))
    print(table(outcomes))
    return int(any(outcome.failed for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
