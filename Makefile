# Everything runs in an environment of its own, .venv, made on first use.
# Compiled modules are kept, whatever the caller says: compiling them is much of a short run.
unexport PYTHONDONTWRITEBYTECODE
# A shell without PATH finds programs, make does not.
export PATH := $(or $(PATH),/usr/local/bin:/usr/bin:/bin)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is measured is installed as users install it: an editable package starts more slowly.
BENCH := build/bench/venv
BENCH_OPTIONS = $(if $(ONLY),--only $(ONLY)) $(if $(PEER),--peer '$(PEER)') $(if $(PATIENT),--patient $(PATIENT))

.PHONY: help demo test test-outside test-versions test-slow bench bench-page bench-inner coverage papers docs lint format figures fuzz mutants cross-check dist clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /	/' | expand -t 12

demo: $(VENV)/installed ## install, score a small pair and print a table
	$(BIN)/corefscore every testdata/demo/key.conll testdata/demo/response.conll --format table
	@echo "The command is $(BIN)/corefscore; to call it as corefscore: . $(BIN)/activate"

test: $(VENV)/installed-dev ## run the tests
	$(BIN)/pytest -n auto --dist worksteal -m "not slow and not outside"

test-outside: $(VENV)/installed-dev ## run the tests that start browsers, workers or pip, measure time, or are further rows of long tests
	$(BIN)/pytest -n auto --dist loadfile -m "outside and not slow"

test-versions: $(VENV)/installed-dev ## test the main calls with the oldest and the newest dependencies (NEWEST=1: with these alone)
	$(BIN)/python scripts/dist.py --main-calls $(if $(NEWEST),--newest)

test-slow: $(VENV)/installed-dev ## run the tests that take more than a few seconds, and look for counterexamples for longer
	HYPOTHESIS_PROFILE=long $(BIN)/pytest -n auto -m "slow or hypothesis"

bench: $(BENCH)/installed ## measure whole runs, a table and a plot, and training loops (ONLY=tiny,corpus PEER='NAME=COMMAND' PEERS='FOLDER ...' PATIENT=seconds)
	$(BENCH)/bin/python scripts/bench.py $(BENCH_OPTIONS) --plot build/bench/performance.svg
	$(BENCH)/bin/python scripts/bench_loops.py $(PEERS)

bench-page: $(BENCH)/installed ## the same, put into docs/performance.md
	$(BENCH)/bin/python scripts/bench.py $(BENCH_OPTIONS) --page

bench-inner: $(VENV)/installed-dev ## measure parts of a run within one process
	$(BIN)/pytest benchmarks -o addopts= --benchmark-columns=min,median,rounds --benchmark-sort=name

coverage: $(VENV)/installed-dev ## how often intervals hold the truth: the tables in docs/background/statistics.md (CORPORA=folder)
	$(BIN)/python scripts/coverage.py $(CORPORA) --page

papers: $(VENV)/installed-dev ## repeat the papers' experiments: docs/papers.md and its figures
	$(BIN)/python scripts/update_papers.py

docs: $(VENV)/installed-docs ## build the site in build/site; a broken link is an error
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env -b html docs build/site
	@echo "The site is build/site/index.html"

lint: $(VENV)/installed-dev ## lint, check the format, check the types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/installed-dev ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

figures: $(VENV)/installed-dev ## how large and how entangled the package is
	$(BIN)/python scripts/figures.py

fuzz: $(VENV)/installed-dev ## ten minutes of coverage-guided fuzzing
	$(BIN)/pip install --quiet --editable '.[fuzz]'
	$(BIN)/python scripts/fuzz.py

mutants: $(VENV)/installed-dev ## change the code a little and see whether a test notices (COUNT=50 samples each group)
	$(BIN)/pip install --quiet --editable '.[mutants]'
	$(BIN)/python scripts/mutants.py $(COUNT)

cross-check: $(VENV)/installed ## run the official scorer beside ours: SCORER=path/to/scorer.pl, PAIRS=a folder of pairs
	$(BIN)/python scripts/cross_check.py "$(SCORER)" "$(or $(PAIRS),testdata/recorded)"

dist: $(VENV)/bin/python ## build wheel and source archive, check them, and test the wheel outside the checkout
	$(BIN)/pip install --quiet --editable '.[dist]'
	$(BIN)/python scripts/dist.py

clean: ## remove what the targets made
	rm -rf $(VENV) build dist scorer/*.egg-info .mypy_cache .pytest_cache .ruff_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $(VENV)/installed $@

$(VENV)/installed-docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable '.[docs]'
	touch $(VENV)/installed $@

$(BENCH)/installed: pyproject.toml $(wildcard $(addsuffix /*.py,scorer/corefscore scorer/corefscore/* scorer/corefscore/*/*))
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/pip install --quiet '.[plots]'
	touch $@
