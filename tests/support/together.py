"""One program in several fresh interpreters that begin at the same moment."""

import subprocess
import sys
from pathlib import Path


def run_together(program: str, folder: Path, processes: int = 6) -> list[str]:
    """What each of them printed; the program waits for a line on its standard input before it begins.

    Not forks: a fork of a test process that has threads may wait for a lock for ever.
    """
    pipe, command = subprocess.PIPE, [sys.executable, "-c", program]
    running = [
        subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
        for _ in range(processes)
    ]
    try:
        for process in running:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        ended = [process.communicate(timeout=1200) for process in running]
        assert [(process.returncode, said) for process, (_, said) in zip(running, ended, strict=True)] == (
            [(0, "")] * processes
        )
        return [printed for printed, _ in ended]
    finally:
        for process in running:
            process.kill()
            process.wait()
