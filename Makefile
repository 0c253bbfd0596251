# make setup | demo | test | check | lint | docs | notebook | picture | bench | lock | clean
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.tealeaves-setup
DEMO_OUT ?= demo-out
PYTEST_ARGS ?=

.PHONY: setup demo test check lint docs notebook picture bench lock clean

setup: $(STAMP)

# Runs again only when the lock or pyproject.toml is newer than the last complete setup.
$(STAMP): requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "tealeaves needs Python 3.11 or newer; name one: make setup PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "no virtual environment could be made; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup
	$(BIN)/tealeaves demo --out $(DEMO_OUT)

test: setup
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# The everyday suite: lint, types and the quick tests, in a few minutes.
check: lint
	$(BIN)/python -m pytest -q -n auto -m "not slow and not browser" $(PYTEST_ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The tutorial as a notebook that has been run; again whenever docs/tutorial.md changes.
notebook: setup
	$(BIN)/python docs/_notebook.py

# The picture in the README; BROWSER=/usr/bin/chromium takes that browser instead of playwright's own.
picture: demo
	$(BIN)/python docs/_picture.py $(DEMO_OUT)/report.html $(BROWSER)

bench: setup
	$(BIN)/python -m bench

# Look up the newest versions again; --universal makes one lock for every system and Python that is supported.
lock:
	$(BIN)/uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links --all-extras pyproject.toml -o requirements-dev.lock

clean:
	rm -rf $(VENV) $(DEMO_OUT) site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -prune -exec rm -rf {} +
