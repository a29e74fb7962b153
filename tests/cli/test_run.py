"""`mlaudit run` and `mlaudit list`: what they print, keep, resume and end with."""

import fcntl
import json
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mlaudit.cli import main
from mlaudit.cli.listing import LISTED
from mlaudit.naming.plugins import shipped

EXAMPLES = Path(__file__).parents[2] / "examples"
LAPLACE = "run laplace --rows 1 --trainings 400"
WITHIN = "run laplace --rows 1 --trainings 2000 --epsilon 1 --param epsilon=0.6"  # of the claimed 1
VIOLATION = (
    f"run {EXAMPLES / 'my_mechanism.py'}:noisy_count --epsilon 1 "
    f"--pair {EXAMPLES / 'my_mechanism.py'}:one_more_smoker --trainings 2000"
)
TRAINED = "run mine.py:counted --epsilon 1 --pair mine.py:pair --trainings 200"

MINE = """
import time
from functools import partial
from pathlib import Path

from mlaudit import Claim, Dataset, FunctionMechanism, Pair

pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


def noisy(data, rng, scale=1.0):
    return data.X.sum(axis=0) + rng.laplace(scale=scale, size=data.X.shape[1])


def counted(data, rng):
    with Path(__file__).with_name("calls").open("a") as file:
        file.write("x")
    return noisy(data, rng)


def slow(data, rng):
    time.sleep(0.005)
    return noisy(data, rng)


def make(epsilon, factor=1.0):
    return FunctionMechanism(partial(noisy, scale=factor / epsilon), Claim(epsilon))
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def result_of(call: str, capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[str, Any]:
    """The one object that --json prints."""
    capsys.readouterr()
    assert main([*shlex.split(call), "--json"]) == code
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.count("\n") == 1
    whole: dict[str, Any] = json.loads(printed.out)
    return whole


def text_of(call: str, capsys: pytest.CaptureFixture[str], code: int = 0) -> list[str]:
    capsys.readouterr()
    assert main(shlex.split(call)) == code
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out.splitlines()


def start(call: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, buffered as it is for users."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"} | {"OMP_NUM_THREADS": "1"}
    environment |= options.pop("env", {})
    command = [sys.executable, "-m", "mlaudit", *shlex.split(call)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run(command, text=True, encoding="utf-8", env=environment, timeout=600, check=False, **options)


@pytest.mark.slow
def test_json_says_everything(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = result_of(f"{LAPLACE} --epsilon 2 --alpha 1e-6 --seed 3", capsys)
    expected = {
        "schema_version": 2,
        "mechanism": "laplace",
        "dataset": "its tight pair",
        "attack": "tight",
        "procedure": "progressive",
        "alpha": 1e-6,
        "rows": 1,
        "steps": 1,
        "trainings": 400,
        "verdict": "not_refuted",
        "sampler": "batched",
        "seed": 3,
    }
    # Fails for a correct program with probability < 1e-6: α.
    assert {name: found[name] for name in expected} == expected
    claim = {name: found["claim"][name] for name in ("epsilon", "delta", "relation")}
    assert claim == {"epsilon": 2.0, "delta": 0.0, "relation": "replace-one"}
    assert 0 <= found["epsilon_lower"] <= 2
    assert found["ceiling"] > 2.5
    assert found["cpu_seconds"] > 0
    assert {"mlaudit", "python", "numpy", "scipy", "scikit-learn"} <= set(found["versions"])
    assert all(Path(file).is_file() for file in found["files"])


@pytest.mark.slow
def test_the_text_can_be_quoted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = text_of(WITHIN, capsys)
    assert lines[0] == "NOT REFUTED   laplace, claim ε = 1 (replace-one)"
    # Fails for a correct program with probability < 1e-9: bounds of 0.45 ± 0.05.
    bound = re.fullmatch(
        r"Lower bound: ε ≥ ([\d.]+) with 95 % confidence\. A lower bound cannot prove the claim\.", lines[1]
    )
    assert bound
    seen = re.fullmatch(
        r"A true ε of ([\d.]+) or more, if this pair shows it, would have been detected with probability 90 %\.",
        lines[2],
    )
    assert seen
    counts = r"Evidence: the distinguisher's [\d\s]+ most confident guesses were [\d.]+ % correct; "
    assert re.fullmatch(counts + r"the claim allows 73\.1 %\.", lines[3])
    assert lines[4] == ""
    labels = [line.split()[0] for line in lines[5:]]
    assert labels == ["attack", "procedure", "guessed", "ceiling", "audited", "versions", "files"]
    found = result_of(WITHIN, capsys)
    assert 0 <= found["epsilon_lower"] - float(bound[1]) < 0.01, "a bound is rounded down"
    assert 0 <= float(seen[1]) - found["detectable"] < 0.01, "rounded up"


@pytest.mark.slow
def test_two_phase_says_how_often_the_output_fell_into_s(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = text_of(f"{LAPLACE} --procedure two_phase", capsys)
    pattern = r"Evidence: the output fell into S in \d+ of 100 fresh trainings on D′? and in \d+ of 100 on D′?\."
    assert re.fullmatch(pattern, lines[3])


@pytest.mark.slow
def test_a_violation_is_told_and_fails_only_where_asked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = text_of(VIOLATION, capsys)
    assert lines[0] == "VIOLATED      noisy_count, claim ε = 1 (replace-one)"
    found = re.fullmatch(
        r"Lower bound: ε ≥ ([\d.]+) with 95 % confidence\. Repeated on [\d\s]+ fresh trainings: ε ≥ [\d.]+\.",
        lines[1],
    )
    # Fails for a correct program with probability < 1e-6: bounds of 1.77 ± 0.05 (16 seeds).
    assert found
    assert 1.0 < float(found[1]) < 3.0
    assert text_of(f"{VIOLATION} --fail-on-violation", capsys, code=3) == lines
    assert result_of(f"{VIOLATION} --fail-on-violation", capsys, code=3)["verdict"] == "violated"


def test_no_violation_ends_with_0(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Fails for a correct program with probability < 1e-6: α.
    assert result_of(f"{LAPLACE} --alpha 1e-6 --fail-on-violation", capsys)["verdict"] == "not_refuted"


def test_the_folder_holds_draws_and_result(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = result_of(f"{LAPLACE} --out runs/first", capsys)
    folder = here / "runs" / "first"
    kept = {path.name for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm"))}
    assert kept == {"audit.json", "draws.sqlite", "result.json"}
    saved = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    assert {k: v for k, v in printed.items() if k in saved} == {k: v for k, v in saved.items() if k in printed}
    assert printed["files"] == ["runs/first/result.json"]


@pytest.mark.slow
def test_the_same_command_draws_nothing_again(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = result_of(f"{TRAINED} --out run", capsys)
    saved, calls = (here / "run" / "result.json").read_bytes(), here / "calls"
    assert len(calls.read_text()) == 200 + 12  # a few are repeated: does the learner keep state?
    calls.unlink()
    second = result_of(f"{TRAINED} --out run", capsys)
    assert not calls.exists()
    assert (here / "run" / "result.json").read_bytes() == saved
    timing = ("cpu_seconds",)
    assert {k: v for k, v in first.items() if k not in timing} == {k: v for k, v in second.items() if k not in timing}


@pytest.mark.slow
def test_a_lost_result_is_made_from_the_draws(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result_of(f"{TRAINED} --out run", capsys)
    result, calls = here / "run" / "result.json", here / "calls"
    saved = result.read_bytes()
    result.unlink()
    calls.unlink()
    result_of(f"{TRAINED} --out run", capsys)
    assert not calls.exists()
    assert result.read_bytes() == saved


@pytest.mark.slow
def test_the_default_folder_is_named_after_the_settings(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs, call = here / "mlaudit-runs", f"{LAPLACE} --classifier logistic"
    for same in ("", " --jobs 2", " --quiet"):
        result_of(call + same, capsys)
        (only,) = runs.iterdir()
        assert re.fullmatch(r"laplace-tight-eps1-[0-9a-f]{8}", only.name)
    others = ("--seed 1", "--alpha 0.1", "--trainings 500", "--epsilon 1.5", "--procedure two_phase", "--rows 2")
    for count, other in enumerate(others, start=2):
        result_of(f"{call} {other}", capsys)
        assert len(list(runs.iterdir())) == count, other


@pytest.mark.slow
def test_param_reaches_the_mechanism_and_not_the_claim(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = result_of("run laplace --rows 1 --trainings 1500 --epsilon 1 --param epsilon=4", capsys)
    assert found["claim"]["epsilon"] == 1.0
    # Fails for a correct program with probability < 1e-9: bounds of 3.5 ± 0.2.
    assert found["verdict"] == "violated"
    assert found["epsilon_lower"] > 2.0


@pytest.mark.slow
def test_a_factory_gets_epsilon_and_params(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = "run mine.py:make --epsilon 2 --pair mine.py:pair --trainings 1500 --alpha 1e-6"
    honest = result_of(call, capsys)
    assert honest["claim"]["epsilon"] == 2.0
    # Fails for a correct program with probability < 2e-6: α; bounds of 1.4 ± 0.1, and of 4.3 ± 0.2 with less noise.
    assert honest["verdict"] == "not_refuted"
    assert honest["epsilon_lower"] > 0.5, "--epsilon must have reached the training"
    assert honest["sampler"] == "function"
    assert result_of(f"{call} --param factor=0.25", capsys)["verdict"] == "violated"


@pytest.mark.slow
def test_csv_data(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "".join(f"{i % 2},{i / 10},{(i * 7) % 10}\n" for i in range(10))
    (here / "flowers.csv").write_text("kind,a,b\n" + lines, encoding="utf-8")
    call = "run mine.py:make --epsilon 1 --data flowers.csv --target kind --classifier logistic --trainings 200"
    found = result_of(f"{call} --rows 2", capsys)
    assert found["dataset"] == "flowers"
    assert found["attack"].startswith("search: ")  # the learner brings no attack of its own
    assert (found["rows"], found["steps"]) == (2, 2)
    halved = result_of(f"{call} --attack far_corner --rows 1 --relation add-remove", capsys)
    assert (halved["rows"], halved["steps"]) == (1, 2), "a replaced row is two steps under add-remove"


def test_the_paper_as_one_word(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = result_of("run laplace --epsilon 2 --rows 1 --trainings 2000 --paper", capsys)
    assert (found["procedure"], found["method"]) == ("two_phase", "katz_log at α/2")
    # Fails for a correct program with probability < 1e-9: bounds of 1.6 ± 0.17.
    assert 0.2 < found["epsilon_lower"] < 3


@pytest.mark.slow
@pytest.mark.parametrize("interval", sorted(shipped("intervals")))
def test_two_phase_with_every_interval(interval: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = f"run laplace --epsilon 2 --rows 1 --trainings 2000 --procedure two_phase --interval {interval}"
    found = result_of(call, capsys)
    assert found["method"] == interval
    # Fails for a correct program with probability < 1e-9: bounds of 1.5 to 1.7 ± 0.15.
    assert 0.2 < found["epsilon_lower"] < 3


@pytest.mark.slow
def test_gdp_accuracy_says_what_it_assumes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = "run gaussian --epsilon 2 --delta 1e-5 --rows 1 --trainings 2000 --procedure gdp_accuracy"
    found = result_of(call, capsys)
    assert found["assuming"] == "Gaussian DP"
    # Fails for a correct program with probability < 1e-7: bounds of 1.5 ± 0.26.
    assert 0 < found["epsilon_lower"] < 4
    assert ", implied under Gaussian DP. " in text_of(call, capsys)[1]


@pytest.mark.slow
def test_numbers_do_not_depend_on_jobs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for jobs in (1, 2):
        result_of(f"{TRAINED} --jobs {jobs} --out jobs{jobs}", capsys)
    assert (here / "jobs1" / "result.json").read_bytes() == (here / "jobs2" / "result.json").read_bytes()


def on_a_terminal(call: str) -> tuple[str, str]:
    """stdout, and what a terminal of 100 columns gets from stderr."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    # Read all the while: a terminal that nobody reads is full after a few thousand characters.
    with ThreadPoolExecutor(1) as reader:
        shown = reader.submit(read_to_the_end, master)
        try:
            done = start(call, stderr=slave)
        finally:
            os.close(slave)
    os.close(master)
    assert done.returncode == 0
    return done.stdout, shown.result().decode("utf-8")


def read_to_the_end(terminal: int) -> bytes:
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says "end of terminal" so
            return shown
        if not piece:
            return shown
        shown += piece


@pytest.mark.slow
def test_progress_is_for_terminals(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = "run mine.py:slow --epsilon 1 --pair mine.py:pair --classifier logistic --trainings 100"
    printed, bar = on_a_terminal(f"{call} --out first")
    assert re.search(r"\d+%.*\d+/100 \[\d\d:\d\d<.*\d trainings/s\]", bar)
    assert re.search(r"\r +\r$", bar), "the bar is cleared at the end"
    assert "trainings/s" not in printed
    assert on_a_terminal(f"{call} --out second --quiet")[1] == ""
    assert main(shlex.split(f"{call} --out third")) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out == printed.replace("first:", "third:")


@pytest.mark.slow
def test_list_shows_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    lines = text_of("list", capsys)
    assert [line for line in lines if not line.startswith("  ")] == list(LISTED)
    for kind in LISTED:
        alone = text_of(f"list {kind}", capsys)
        assert [line.split()[0] for line in alone] == sorted(shipped(kind))
        assert set(alone) <= set(lines)
        assert all(re.fullmatch(r"  \S+ +\S.*", line) for line in alone), "every name needs a description"


def test_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert {kind: sorted(found) for kind, found in result_of("list", capsys).items()} == {
        kind: sorted(shipped(kind)) for kind in LISTED
    }
    assert list(result_of("list attacks", capsys)) == ["attacks"]


@pytest.mark.parametrize("command", ["", "run", "replay", "list", "check"])
def test_help_tells_the_exit_codes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([*command.split(), "--help"])
    assert left.value.code == 0
    assert "exit codes: 0 " in " ".join(capsys.readouterr().out.split())


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    from mlaudit import __version__

    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"mlaudit {__version__}\n"


@pytest.mark.slow
def test_a_reader_that_leaves_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        done = start("list", stdout=nobody)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("head") is None, reason="needs head")
def test_list_into_head() -> None:
    shell = f"set -o pipefail; {shlex.quote(sys.executable)} -m mlaudit list | head -1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "mechanisms\n", "")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        done = start("list", stdout=full)
    assert done.returncode == 4
    assert done.stderr.startswith("mlaudit: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_terminal_without_greek_gets_its_result(here: Path) -> None:
    done = start(f"{LAPLACE} --out run", env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("NOT REFUTED   laplace, claim \\u03b5 = 1 (replace-one)\n")
