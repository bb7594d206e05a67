# `make demo` and `make test` do all set-up on a bare machine: Python 3.10 or later and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TEXT ?= examples/data/the_tide_clock.txt
SHOWN := $(VENV)/.demo-ready
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo compare test load test-legacy check bench results clean

demo: $(SHOWN)  ## Split a long document through both frameworks (TEXT=path for your own)
	@$(BIN)/python examples/demo.py $(TEXT)

compare: $(SHOWN)  ## Compare two splitters on the bundled story; look at report/report.html
	@$(PIP) -e '.[evaluation]'
	@$(BIN)/python examples/compare_splitters.py

test: $(READY)  ## Run all tests
	$(BIN)/python -m pytest -q

load: $(READY)  ## Ask a server on this machine 10,000 times, and lose nothing
	$(BIN)/python -m pytest -q -m load --durations=1

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

results: $(READY)  ## Measure splitters on published corpora (DATA=folder; an hour or more)
	@test -d "$(DATA)" || { echo "say where the corpora are: make results DATA=path"; exit 1; }
	@$(PIP) langchain-experimental
	$(BIN)/python benchmarks/boundaries.py $(DATA)
	$(BIN)/python examples/wiki50_greedy_error.py $(DATA)/wiki50
	$(BIN)/python examples/emma_retrieval.py $(DATA)/gutenqa_emma
	$(BIN)/python examples/chroma_retrieval.py $(DATA)/chroma_eval

clean:
	rm -rf $(VENV) .venv-legacy report sweep dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The demo needs the two frameworks; tests need all extras, torch among them.
$(SHOWN): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing into $(VENV) (once; a minute or so) ..."
	@$(PIP) -e '.[langchain,llama-index]'
	@touch $@

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing into $(VENV) (once; a few minutes) ..."
	@$(PIP) -e '.[dev]'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or later is needed; try: make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV)
