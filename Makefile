# `make demo` and `make test` do all set-up on a bare machine: Python 3.10 or later and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TEXT ?= examples/data/the_tide_clock.txt
READY := $(VENV)/.ready

.PHONY: demo test test-legacy check bench clean

demo: $(READY)  ## Split a long document through both frameworks (TEXT=path for your own)
	@$(BIN)/python examples/demo.py $(TEXT)

test: $(READY)  ## Run all tests
	$(BIN)/python -m pytest -q

test-legacy:  ## Run the tests of the retired Gemini package, which needs an environment of its own
	@test -x .venv-legacy/bin/python || $(PYTHON) -m venv .venv-legacy
	@.venv-legacy/bin/python -m pip install --quiet --disable-pip-version-check -e '.[gemini-legacy]' pytest pytest-asyncio
	.venv-legacy/bin/python -m pytest -q tests/models -k legacy

check: $(READY)  ## Lint, format and strict type checks
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)  ## Compare speed within one run (TEXT=path for your own)
	$(BIN)/python benchmarks/speed.py $(TEXT)
	$(BIN)/python benchmarks/import_time.py

clean:
	rm -rf $(VENV) .venv-legacy dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or later is needed; try: make PYTHON=python3.12")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) (once; a minute or two) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@
