"""Learners in programs of their own: their numbers and claims, and programs that misbehave."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.random import SeedSequence
from processes import descendants, table

from mlaudit import Box, Claim, Dataset, LokyEngine, Pair, SqliteStore, Worst, audit, confirm
from mlaudit.adapters.helpers import find_helper
from mlaudit.adapters.program import Program
from mlaudit.adapters.programs.protocol import write_data
from mlaudit.datasets import Boolean, Category, Integer, Number, Text, from_table
from mlaudit.drawing.stream import TrainingStream
from mlaudit.errors import Incomplete, InvalidInput, ProgramFailed
from mlaudit.results.audit_result import AuditResult
from mlaudit.types.block import Block
from mlaudit.types.clipping import ClippingBox

SUPPORT = Path(__file__).parents[1] / "support"
ODD = SUPPORT / "odd_program.py"
PAIR = Pair(Dataset([[0.0], [1.0], [0.0]]), Dataset([[1.0], [1.0], [0.0]]))
TEN_MINUTES = 600
CLAIM = Claim(1.0)


# How long a silence is: a busy machine may take longer to start a program, so that the next one is tried.
SILENCES = (1.0, 10.0, 100.0, TEN_MINUTES)


def odd(
    mode: str, claim: Claim | None = CLAIM, patience: float = TEN_MINUTES, stated: float = TEN_MINUTES
) -> Program:
    return Program(f"{sys.executable} -S {ODD} '{mode}' {stated}", claim, patience=patience)


def serve(name: str, **params: object) -> Program:
    return Program(f"{sys.executable} {find_helper('python')} {SUPPORT / 'served.py'}:{name}", Claim(1.0), params)


def draw(program: Program, n: int = 20, data: Dataset = PAIR.base) -> Block:
    return TrainingStream(program, data, None, seed=1).draw(0, n)


def measure(program: Program, **more: object) -> AuditResult:
    return audit(program, pair=PAIR, trainings=400, **more)  # type: ignore[arg-type]


def test_numbers_do_not_depend_on_how_trainings_are_cut_into_requests() -> None:
    stream = TrainingStream(odd("good"), PAIR.base, None, seed=1)
    whole = stream.draw(0, 12).z
    parts = np.concatenate([stream.draw(0, 5).z, stream.draw(5, 7).z])
    alone = np.array([stream.train(index).vector for index in range(12)])
    assert np.array_equal(whole, parts)
    assert np.array_equal(whole, alone)
    assert len(np.unique(whole)) == 12


@pytest.mark.slow
def test_numbers_do_not_depend_on_jobs_or_isolation() -> None:
    one, two = (measure(odd("good"), engine=LokyEngine(jobs)) for jobs in (1, 2))
    alone = audit(odd("good"), pair=PAIR, trainings=100, isolate=True)
    together = audit(odd("good"), pair=PAIR, trainings=100)
    assert one.epsilon_lower == two.epsilon_lower
    assert alone.epsilon_lower == together.epsilon_lower
    assert one.provenance.sampler == "program"
    assert one.provenance.repeatable


def test_all_slots_are_used_and_overwritten() -> None:
    program = odd("good")
    many = [Dataset([[float(n)]], domain=Box(0, 20)) for n in range(20)]
    first = [draw(program, 2, data).z[:, 0] for data in many]
    again = [draw(program, 2, data).z[:, 0] for data in many]
    assert np.array_equal(first, again)


def test_the_owners_of_rows_are_sent_if_there_are_any() -> None:
    plain, owned = Dataset([0.0, 1.0, 2.0]), Dataset([0.0, 1.0, 2.0], units=["a", "b", "a"], unit="user")
    assert write_data(0, owned).endswith(b',"units":["a","b","a"],"unit":"user"}\n')
    assert b"unit" not in write_data(0, plain)
    assert draw(serve("count_units"), 1, owned).z.tolist() == [[2.0, 2.0]]
    assert draw(serve("count_units"), 1, plain).z.tolist() == [[-1.0, -1.0]]


def test_values_that_json_has_no_numbers_for_reach_the_program_and_come_back() -> None:
    data = Dataset([[np.nan, np.inf], [-np.inf, 0.5]], domain=ClippingBox([0, 0], [1, 1], finite=False))
    z = draw(serve("echo"), 1, data).z[0]
    assert np.array_equal(z, [np.nan, np.inf, -np.inf, 0.5], equal_nan=True)


@pytest.mark.slow
def test_a_death_is_an_output_and_which_trainings_die_does_not_depend_on_requests() -> None:
    """A quarter of the seeds ends the program on D, and none on D′."""
    program = odd("crashes on D")
    stream = TrainingStream(program, PAIR.base, None, seed=1)
    whole = stream.draw(0, 24)
    parts = [*stream.draw(0, 7).kinds, *stream.draw(7, 17).kinds]
    dead = whole.kinds == "killed its process (SIGSEGV)"
    assert list(whole.kinds) == parts
    assert 0 < dead.sum() < 24
    assert "about to crash" in whole.error
    assert not (draw(program, 24, PAIR.neighbour).kinds != "").any()
    assert set(draw(odd("leaves on D")).kinds) == {"", "left its process (exit code 7)"}


@pytest.mark.slow
def test_deaths_on_one_side_are_told_and_refute_the_claim() -> None:
    """The probability of a death is 1/4 on D and 0 on D′. It fails if fewer than 8 of 100 die: below 1e-5."""
    result = audit(odd("crashes on D", Claim(0.05)), pair=PAIR, trainings=200, repeat=False)
    assert result.violated
    assert any("killed their process (SIGSEGV)" in note for note in result.provenance.notes)


@pytest.mark.slow
def test_the_last_lines_of_a_program_that_always_dies_are_kept() -> None:
    block = draw(odd("always dies"), 3)
    assert list(block.kinds) == ["left its process (exit code 9)"] * 3
    assert "no such file: weights.bin" in block.error


@pytest.mark.slow
def test_kills_from_outside_are_no_outputs() -> None:
    with pytest.raises(Incomplete, match="ended 3 times in a row"):
        draw(odd("killed from outside"))


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("rubbish", "must print one JSON object in each line of standard output, got 'epoch 1: loss 0.3'"),
        ("floods", "no more than one line for each seed, of at most 64 MB"),
        ("talks too much", r"must print one line for each seed and \{\"type\":\"done\"\} after the last, got "),
        ("closes", "must keep its standard output open"),
        ("no output", r"must answer each seed with \{\"output\": …\}"),
    ],
)
@pytest.mark.slow
def test_a_program_that_does_not_keep_to_the_protocol_is_an_error(mode: str, said: str) -> None:
    program = odd(mode)
    with pytest.raises(ProgramFailed, match=said):
        draw(program)


def fails_saying(said: str, run: Callable[[float], object]) -> bool:
    """Whether the program fails so, with one of the silences."""
    for silence in SILENCES:
        with pytest.raises(ProgramFailed) as caught:
            run(silence)
        if re.search(said, str(caught.value), re.DOTALL):
            return True
    return False


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("hangs", r"must print a line at least every \S+ seconds, got none.*deadlock"),
        ("not done", r"must print \{\"type\":\"done\"\} after the last answer, got nothing for \S+ seconds"),
    ],
)
@pytest.mark.slow
def test_a_program_that_is_silent_is_an_error(mode: str, said: str) -> None:
    assert fails_saying(said, lambda silence: draw(odd(mode, stated=silence)))


def test_a_program_that_ends_after_its_answer_has_answered() -> None:
    assert draw(odd("leaves afterwards"), 3).z.shape == (3, 1)


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("hello protocol", r"must answer the hello with the protocol that it speaks"),
        ("hello misspelt", "no part of a hello is called 'vesrion'; did you mean 'version'"),
        ("hello bounds", "bounds must be a least and a greatest value"),
    ],
)
def test_a_hello_is_read_strictly(mode: str, said: str) -> None:
    with pytest.raises(ProgramFailed, match=said):
        odd(mode)


def test_a_program_that_does_not_answer_the_hello_is_an_error_with_its_last_lines() -> None:
    said = r"at least every \S+ seconds.*waiting for a licence"
    assert fails_saying(said, lambda silence: odd("hello hangs", patience=silence))


def test_a_program_that_says_that_it_works_has_time_and_one_that_floods_standard_error_is_not_stopped() -> None:
    for silence in SILENCES:
        with suppress(ProgramFailed):
            assert len(draw(odd("works long", stated=silence), 1)) == 1
            break
    else:
        pytest.fail("it works, and says so")
    assert len(draw(odd("floods errors"), 5)) == 5


@pytest.mark.slow
def test_exceptions_and_special_numbers_are_kinds() -> None:
    raised = draw(odd("raises"))
    assert set(raised.kinds) == {"", "raised ValueError"}
    assert "empty bin" in raised.error
    assert set(draw(odd("not finite")).kinds) == {"", "NaN at 1"}


def test_the_program_is_told_the_claim_or_states_its_own() -> None:
    assert odd("hello claims", None).claim.relation.value == "add-remove"
    with pytest.raises(InvalidInput, match="must come with a claim, got none"):
        odd("good", None)
    with pytest.raises(InvalidInput, match="claims ε = 1 by itself, got a claim of 2"):
        odd("hello claims", Claim(2.0))


@pytest.mark.slow
def test_state_is_refused_and_a_missing_seed_is_told() -> None:
    with pytest.raises(InvalidInput, match="must give the same output for the same data and seed"):
        measure(odd("counts"))
    result = measure(odd("unseedable"))
    assert not result.provenance.repeatable


@pytest.mark.slow
def test_a_result_is_confirmed_by_the_same_program_and_rebuilt_from_no_file() -> None:
    result = measure(odd("good"))
    again = confirm(AuditResult.from_json(result.to_json()), odd("good"))
    assert again.provenance.seed == 1
    assert again.provenance.versions["odd"] == "3"
    with pytest.raises(InvalidInput, match="rebuilds only what mlaudit ships, got the mechanism 'Program'"):
        confirm(AuditResult.from_json(result.to_json()))


def test_stored_draws_are_used_again_until_command_version_or_file_change(tmp_path: Path) -> None:
    script = tmp_path / "learner.py"
    shutil.copy(ODD, script)

    def key(*arguments: str) -> str:
        program = Program(" ".join([sys.executable, "-S", str(script), *arguments]), Claim(1.0))
        return TrainingStream(program, PAIR.base, None, seed=1).key

    first = key("good")
    assert key("good") == first
    assert key("other") != first
    script.write_text(
        script.read_text(encoding="utf-8").replace('"version": "3"', '"version": "4"'), encoding="utf-8"
    )
    assert key("good") != first


@pytest.mark.slow
def test_a_resumed_audit_asks_the_program_for_nothing(tmp_path: Path) -> None:
    log = tmp_path / "asked"
    script = tmp_path / "learner.py"
    counted = f"    sys.stdin = (open({str(log)!r}, 'a').write(line[:15]) and line for line in sys.stdin)\n    main()"
    script.write_text(ODD.read_text(encoding="utf-8").replace("\n    main()", f"\n{counted}"), encoding="utf-8")
    store = SqliteStore(tmp_path / "draws.sqlite")
    first = measure(Program(f"{sys.executable} -S {script}", Claim(1.0)), store=store)
    draws = log.read_text(encoding="utf-8").count('{"type":"draw"')
    second = measure(Program(f"{sys.executable} -S {script}", Claim(1.0)), store=store)
    store.close()
    assert first.epsilon_lower == second.epsilon_lower
    assert log.read_text(encoding="utf-8").count('{"type":"draw"') == draws > 0


@pytest.mark.slow
def test_cpu_seconds_of_the_program_are_counted() -> None:
    seconds: list[float] = []
    audit(serve("busy"), pair=PAIR, trainings=100, progress=lambda _, cpu: seconds.append(cpu))
    assert sum(seconds) > 0.25  # 100 trainings of 5 ms or more each, counted in steps of 10 ms by the system


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_programs_end_with_the_process_that_started_them_also_in_the_middle_of_a_training(tmp_path: Path) -> None:
    code = (
        "import sys, time\n"
        f"sys.path[:0] = {[str(Path(__file__).parent)]!r}\n"
        "from test_programs import draw, odd\n"
        "print('ready', flush=True)\n"
        "draw(odd('works long', stated=20), 10_000)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=_with_support()) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        programs: set[int] = set()
        until = time.monotonic() + TEN_MINUTES
        while not programs and time.monotonic() < until:
            programs = {pid for pid in descendants(parent.pid) - {parent.pid} if _runs_odd(pid)}
            time.sleep(0.05)
        assert programs
        parent.kill()
    while programs & _alive() and time.monotonic() < until:
        time.sleep(0.05)
    assert not programs & _alive()


def _with_support() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ODD.parent), *sys.path])}


def _runs_odd(pid: int) -> bool:
    try:
        return ODD.name.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[2]
    except (OSError, IndexError):
        return False


def _alive() -> set[int]:
    return {pid for pid, words in table().items() if words[0] != "Z"}


@pytest.mark.slow
def test_the_helper_gives_arguments_by_their_names() -> None:
    z = draw(serve("named", bins=3), 10, Dataset([[0.0], [1.0]], y=[0, 1])).z
    assert np.array_equal(z[:, [0, 1, 3, 4]], np.tile([2.0, 2.0, 1.0, 1.0], (10, 1)))
    assert set(z[:, 2]) <= {0.0, 1.0, 2.0}
    assert draw(serve("by_place"), 2).z.shape == (2, 1)
    assert set(draw(serve("careless"), 3).kinds) == {"raised ValueError"}, "rows cannot be written to"
    with pytest.raises(ProgramFailed, match="the learner has no parameter size"):
        serve("noisy_sum", size=3)


@pytest.mark.slow
def test_the_helper_serves_classes_with_what_they_declare() -> None:
    program = serve("NoisyMeans", columns=2)
    data = Dataset([[0.0, 1.0], [1.0, 1.0]], y=[0, 1])
    assert draw(program, 4, data).z.shape == (4, 2)
    assert program.facts.domain() is not None
    assert program.traits.labels == (0, 1)
    assert program.traits.version == "2.1"
    assert program.traits.name == "NoisyMeans"


def test_the_helper_needs_no_numpy(tmp_path: Path) -> None:
    """Without site-packages there is none; the learner gets tuples and a random.Random."""
    (tmp_path / "plain.py").write_text("def f(X, rng):\n    return sum(x for x, in X) + rng.gauss(0, 1)\n")
    served = f"{sys.executable} -S -I {find_helper('python')} {tmp_path / 'plain.py'}:f"
    z = draw(Program(served, Claim(1.0)), 4).z
    assert len(np.unique(z)) == 4


TYPED = from_table(
    {"age": [31, 47], "city": ["Rome", None], "plan": ["pro", 7], "smokes": [True, False], "income": [None, 2.5]},
    [
        Integer("age", 0, 120),
        Text("city", missing=True),
        Category("plan", ("basic", "pro", 7)),
        Boolean("smokes"),
        Number("income", 0, 9, missing=True),
    ],
)
LOOK = """
def look(data, rng):
    values = {name: list(column) for name, column in data.columns.items()}
    gap = values.pop("income")[0]
    return [repr(values), gap != gap, [str(getattr(column, "dtype", "")) for column in data.columns.values()]]
"""


def test_a_typed_table_is_sent_as_values_and_a_plain_one_as_before() -> None:
    sent = json.loads(write_data(0, TYPED))
    assert sent["X"] == [[31, "Rome", "pro", True, None], [47, None, 7, False, 2.5]]
    assert sent["bounds"] is None
    assert sent["types"] == [
        {"name": "age", "type": "integer", "missing": False, "low": 0, "high": 120},
        {"name": "city", "type": "text", "missing": True},
        {"name": "plan", "type": "category", "missing": False, "values": ["basic", "pro", 7]},
        {"name": "smokes", "type": "boolean", "missing": False},
        {"name": "income", "type": "number", "missing": True, "low": 0.0, "high": 9.0},
    ]
    assert "types" not in json.loads(write_data(0, PAIR.base))


@pytest.mark.parametrize("flags", ["", "-S -I"])
def test_the_helper_passes_the_values_of_a_typed_table(flags: str, tmp_path: Path) -> None:
    """With numpy the types are those that a learner gets in mlaudit; without it there are tuples."""
    (tmp_path / "look.py").write_text(LOOK, encoding="utf-8")
    served = f"{sys.executable} {flags} {find_helper('python')} {tmp_path / 'look.py'}:look"
    program = Program(served, Claim(1.0))
    values, gap, kinds = program.fit(TYPED, SeedSequence(0))
    assert "'Rome', None" in values
    assert "'pro', 7" in values
    assert gap is True
    assert kinds == ([""] * 5 if flags else [str(column.dtype) for column in TYPED.columns.values()])


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_helper_of_javascript_passes_them_as_well(tmp_path: Path) -> None:
    (tmp_path / "look.js").write_text(
        f"const {{ serve }} = require({str(find_helper('javascript'))!r});\n"
        "serve((data) => [data.table.city, data.X[0], data.types.length]);\n",
        encoding="utf-8",
    )
    found = Program(f"node {tmp_path / 'look.js'}", Claim(1.0)).fit(TYPED, SeedSequence(0))
    assert found == [["Rome", None], [31, "Rome", "pro", True, None], 5]


@pytest.mark.slow
def test_a_program_that_publishes_the_texts_that_occur_is_found_out(tmp_path: Path) -> None:
    """The keys of its output tell D from D′ in every training."""
    (tmp_path / "keys.py").write_text(
        "def keys(data, rng):\n"
        "    return {str(city): rng.random() for city in sorted(set(data.columns['city']), key=str)}\n",
        encoding="utf-8",
    )
    program = Program(f"{sys.executable} {find_helper('python')} {tmp_path / 'keys.py'}:keys", Claim(1.0))
    assert audit(program, TYPED, rows=1, trainings=200).violated


def declare(tmp_path: Path, types: str) -> Program:
    """Publishes the cities that occur; declares its columns."""
    (tmp_path / "declared.py").write_text(
        f"class Cities:\n    types = {types}\n    def fit(self, data, rng):\n"
        "        return {str(city): rng.random() for city in sorted(set(data.columns['city']), key=str)}\n",
        encoding="utf-8",
    )
    return Program(f"{sys.executable} {find_helper('python')} {tmp_path / 'declared.py'}:Cities", Claim(1.0))


@pytest.mark.slow
def test_a_program_that_declares_its_columns_is_audited_on_crafted_tables(tmp_path: Path) -> None:
    """The keys of its output tell D from D′ in every training."""
    program = declare(tmp_path, "[{'name': 'city', 'type': 'category', 'values': ['Oslo', 'Rome'], 'missing': True}]")
    result = audit(program, Worst(), rows=1, trainings=200)
    assert result.violated
    assert set(result.pair.neighbour.columns["city"].tolist()) <= {"Oslo", "Rome", None}


@pytest.mark.parametrize(
    ("types", "said"),
    [
        ("[{'name': 'n', 'type': 'whole'}]", "no type of a column is called 'whole'"),
        ("[{'name': 'n', 'type': 'integer', 'low': 0}]", "the type of column 'n' must have high, got none"),
        ("[{'name': 'n', 'type': 'text', 'size': 3}]", "no part of the type text is called 'size'"),
        ("['n']", "a type must be an object with name and type"),
        ("[]", "columns with different names, got none"),
    ],
)
def test_declared_columns_are_read_strictly(types: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ProgramFailed, match=said):
        declare(tmp_path, types)
