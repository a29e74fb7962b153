"""How long the report of a result store takes, and how much memory: python benchmarks/report_size.py [rows]."""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "report"))

from generated import rows, store


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    once, twice = (sum(1 for _ in rows(replicates)) for replicates in (1, 2))
    replicates = -(-(wanted - (2 * once - twice)) // (twice - once))
    with tempfile.TemporaryDirectory() as place:
        folder = store(Path(place) / "sweep", replicates)
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "mlaudit", "report", str(folder)], check=True, stdout=subprocess.DEVNULL
        )
        wall = time.perf_counter() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        page = (folder / "report.html").stat().st_size / 2**20
    made = (2 * once - twice) + replicates * (twice - once)
    print(
        f"{made} rows: {wall:.1f} s ({used.ru_utime + used.ru_stime:.1f} s of CPU), "
        f"{used.ru_maxrss / 1024:.0f} MiB; the page has {page:.1f} MiB"
    )


if __name__ == "__main__":
    main()
