# Two commands are enough: `make run` and `make test`. Both install what they need first.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
export DJANGO_SETTINGS_MODULE = matrix.site.settings
export PIP_DISABLE_PIP_VERSION_CHECK = 1

# PYTHON names the interpreter; without it the first suitable one of these is taken.
PYTHON ?=
CANDIDATES := $(PYTHON) $(if $(PYTHON),,python3 python3.13 python3.12 python3.14 python3.11 python)

.PHONY: help install install-dev run stop test lint check fmt lock clean

help:  ## Lists the targets.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(STAMP)  ## Creates .venv with the locked packages that the site runs on.

install-dev: $(DEV_STAMP)  ## Adds the locked packages that tests and checks need.

run: $(STAMP)  ## Starts the database, loads the shipped knowledge, serves on 127.0.0.1:8000.
	@$(BIN)/python manage.py serve

stop:  ## Stops the embedded database.
	@test ! -x $(BIN)/python || $(BIN)/python manage.py database stop

test: $(DEV_STAMP)  ## Runs the whole test suite; PYTEST_ARGS adds options.
	@$(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

lint: $(DEV_STAMP)  ## Checks style and types; changes nothing.
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --no-cache --check .
	$(BIN)/mypy

check: lint  ## lint, and Django's own checks.
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python manage.py makemigrations --check --dry-run

fmt: $(DEV_STAMP)  ## Formats the code and sorts imports.
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

# uv resolves for all systems and Python versions at once; it lives in a folder of its own.
lock:  ## Pins the newest packages that pyproject.toml allows, with hashes.
	@set -e; python=$$($(find_python)); tools=$$(mktemp -d); trap 'rm -rf "$$tools"' EXIT; \
	"$$python" -m venv "$$tools"; "$$tools/bin/pip" install --quiet uv; \
	compile() { "$$tools/bin/uv" pip compile --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --quiet --upgrade --custom-compile-command 'make lock' "$$@"; }; \
	compile pyproject.toml --output-file requirements.lock; \
	compile pyproject.toml --group dev --constraint requirements.lock --output-file requirements-dev.lock
	@! grep -nE 'https?:|file:|--(extra-)?index|--find-links' requirements.lock requirements-dev.lock

clean:  ## Stops the embedded database and removes .venv, var/ and caches.
	@test ! -x $(BIN)/python || $(BIN)/python manage.py database stop --force || true
	rm -rf $(VENV) var .pytest_cache .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

define find_python
for name in $(CANDIDATES); do \
  if "$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
  then echo "$$name"; exit 0; fi; done; \
echo "Runproof needs Python 3.11 or newer with its venv module; tried: $(strip $(CANDIDATES))." >&2; \
echo "Install one (on Debian: apt-get install python3 python3-venv), or name it: make run PYTHON=/path/to/python3.12" >&2; \
exit 1
endef

$(BIN)/python:
	@python=$$($(find_python)) && echo "Creating $(VENV) with $$("$$python" --version) …" && \
	  "$$python" -m venv $(VENV)

# The stamp holds the lock's time: a later `make run` installs only if the lock is newer.
$(STAMP): requirements.lock | $(BIN)/python
	@echo "Installing the locked packages …"
	@$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: -r requirements.lock
	@touch $(STAMP)

$(DEV_STAMP): requirements-dev.lock | $(BIN)/python
	@echo "Installing the locked packages for tests and checks …"
	@$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: -r requirements-dev.lock
	@touch $(STAMP) $(DEV_STAMP)
