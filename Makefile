# Two commands do everything on a fresh machine: `make audit` and `make test`. While you work: `make quick`.
PYTHON ?= $(shell sh tools/find_python.sh)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
EXTRAS := diffprivlib,fast,dpsgd,report,parquet,dask,ray,opendp,google,multildp,test,docs

# One thread each: more are slower on a busy machine.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests start hundreds of processes: each would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: audit quick test compiled test-kernels quick-kernel test-matrix lint types docs pytest bench bench-all release-check clean

# The environment is made anew when what it is made of has changed, and reused otherwise.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[$(EXTRAS)]'
	touch $@

audit: $(READY)
	$(BIN)/mlaudit run examples/diffprivlib_naive_bayes.py:naive_bayes --epsilon 1 --data iris \
		--attack examples/my_attack.py:FlipLabels --rows 1,2,4 --trainings 6000 --jobs 2 --out runs/first-audit

# The inner loop: no simulations and no test of more than about a quarter of a CPU second.
quick: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m 'not slow and not statistical' tests tools

# Types, manual and kernels take one core each; the tests take both.
test: lint
	$(MAKE) --jobs 2 types docs compiled
	$(MAKE) pytest

# Compile the kernels once: on a new machine each worker of pytest would spend more than a minute on the same.
compiled: $(READY)
	$(BIN)/python -m pytest -q -p no:cacheprovider -m 'not slow and not statistical' tests/samplers tests/dp_sgd

# The numeric tests without simulations under the numeric code of other processors; ONLY=Haswell takes one of them.
test-kernels: $(READY)
	$(BIN)/python tools/kernels.py --only '$(ONLY)'

# A quick numeric part of them under one kernel that is not this machine's own.
quick-kernel: $(READY)
	$(BIN)/python tools/kernels.py --quick

# Wheel and sdist in fresh environments; ONLY=3.12-core runs the cells whose names begin so.
# TESTS='tests/types tests/cli' takes the quick tests of these only.
ONLY ?=
TESTS ?= tests
test-matrix: $(READY)
	$(BIN)/python tools/matrix.py --only '$(ONLY)' --tests '$(TESTS)'

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# The manual, built offline: a warning is an error, and so is a link that leads nowhere.
docs: $(READY)
	rm -rf docs/_build/html
	$(BIN)/python -m sphinx --fail-on-warning --nitpicky --quiet docs docs/_build/html
	$(BIN)/python tools/check_site.py docs/_build/html

pytest: $(READY)
	$(BIN)/python -m pytest -q -n 3 --dist worksteal --durations=25

bench: $(READY)
	$(BIN)/python benchmarks/overheads.py

# Every benchmark, and docs/results/benchmarks.md; goes on where it was interrupted. ARGS=--quick takes small sizes.
# PEERS is the Python of an environment that has the other tools; benchmarks/peers.py says how to make it.
PEERS ?= $(BIN)/python
ARGS ?=
bench-all: $(READY)
	$(BIN)/python benchmarks/all.py --peers '$(PEERS)' $(ARGS)

# Wheel and sdist, checked and tried in a fresh environment; nothing is uploaded.
release-check:
	$(PYTHON) tools/release_check.py

clean:
	rm -rf $(VENV) runs mlaudit-runs docs/_build docs/api docs/gallery docs/commands.md
