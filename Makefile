# The commands of the project. `make demo` and `make test` set everything up by themselves, each alone.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tez
LOCK := requirements.lock
CORES := $(shell nproc 2>/dev/null || echo 2)
LLAMA := $(shell sed -n 's/^\(llama-cpp-python==[^ ]*\).*/\1/p' $(LOCK))
# A wheel of llama-cpp-python is built from source once for each locked version and each Python.
TAG := $(shell $(PYTHON) -c 'import sys, platform; print(f"{sys.implementation.cache_tag}-{platform.machine()}")' 2>/dev/null)
WHEELS := $(CACHE)/wheels/$(LLAMA)-$(TAG)
READY := $(VENV)/.ready

.PHONY: setup demo test check lint types layers tests soak docs lock wheel clean

setup: $(READY)

$(READY): $(LOCK) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Tez needs Python 3.11 or newer; $(PYTHON) is older. Run: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || { echo "Python lacks venv: install it (Debian: apt install python3-venv)"; exit 1; }
	@command -v c++ >/dev/null || { echo "A C++ compiler is missing: install one (Debian: apt install g++)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@ls $(WHEELS)/llama_cpp_python-*.whl >/dev/null 2>&1 || { \
		echo "Building $(LLAMA) from source, once; this takes some minutes."; \
		CMAKE_BUILD_PARALLEL_LEVEL=$(CORES) $(BIN)/python -m pip wheel -q --no-deps --wheel-dir $(WHEELS).new $(LLAMA) && \
		rm -rf $(WHEELS) && mv $(WHEELS).new $(WHEELS); }
	$(BIN)/python -m pip install -q --find-links $(WHEELS) -r $(LOCK)
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .
	@touch $@

# A real question over a real table, answered by the default model on this machine.
demo: $(READY)
	$(BIN)/tez ask domains/bank_loans/loans.csv "Viloyatlar bo'yicha qoldiq yig'indisi"

test: $(READY)
	$(MAKE) check

check: lint types layers tests

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

layers: $(READY)
	$(BIN)/lint-imports

# TEZ_TESTS=complete turns a skipped test into a failed one.
tests: $(READY)
	HYPOTHESIS_PROFILE=check TEZ_TESTS=complete $(BIN)/python -m pytest

# The long runs: many more random examples and requests; hours on two cores.
soak: $(READY)
	HYPOTHESIS_PROFILE=soak TEZ_TESTS=complete $(BIN)/python -m pytest -m ""

# Writes the generated pages.
docs: $(READY)
	$(BIN)/python docs/pages.py

wheel: $(READY)
	$(BIN)/python -m build --no-isolation --wheel

# Writes the locked versions anew from pyproject.toml.
lock: $(READY)
	$(BIN)/pip-compile -q --upgrade --strip-extras --extra model --extra mcp --extra server --extra dev --no-emit-index-url \
		--no-emit-trusted-host --no-emit-find-links --no-emit-options -o $(LOCK) pyproject.toml

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
