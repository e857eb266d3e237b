# Everything runs in an environment of its own, .venv, made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test test-slow lint format fuzz cross-check mutants clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /	/' | expand -t 12

demo: $(VENV)/installed ## install, score a small pair and print the result
	$(BIN)/corefscore lea testdata/demo/key.conll testdata/demo/response.conll

test: $(VENV)/installed-dev ## run the tests
	$(BIN)/pytest -n auto -m "not slow"

test-slow: $(VENV)/installed-dev ## run the tests that take more than a few seconds
	$(BIN)/pytest -m slow

lint: $(VENV)/installed-dev ## lint, check the format, check the types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/installed-dev ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

fuzz: $(VENV)/installed-dev ## ten minutes of coverage-guided fuzzing
	$(BIN)/pip install --quiet --editable '.[fuzz]'
	$(BIN)/python scripts/fuzz.py

SCORER ?= scorer.pl
PAIRS ?= testdata/recorded
cross-check: $(VENV)/installed-dev ## compare with the official scorer: SCORER=path/to/scorer.pl, PAIRS=folder
	$(BIN)/python scripts/cross_check.py $(SCORER) $(PAIRS)

mutants: $(VENV)/installed-dev ## mutation testing of what counts: which changes of the code no test notices
	$(BIN)/python scripts/mutants.py

clean: ## remove what the targets made
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable .
	touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $(VENV)/installed $@
