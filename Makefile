# `make run` is all a learner needs; `make help` lists the rest.

PORT ?= 8501

VENV := .venv
BIN := $(VENV)/bin
# A person watches the progress bars; a CI log does not need them.
PIP_INSTALL := $(BIN)/python -m pip install $(if $(CI),--quiet) --constraint constraints.txt
# Each stamp is newer than the files it was installed from, or its rule runs again.
RUN_STAMP := $(VENV)/.installed-run
TEST_STAMP := $(VENV)/.installed-test
CHECKED := .

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test soak recording lint format chromium clean

help: ## list these targets
	@echo "Lockstep: data-parallel training, seen from the inside."
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(RUN_STAMP) ## install what is missing, then serve the lesson (PORT=8501)
	$(BIN)/streamlit run app.py --server.port $(PORT)

# Files go to workers whole: many of their tests share one server, browser or trained run. They
# go in the order of their names: most dear ones come early, and what is quick fills the end.
test: $(TEST_STAMP) chromium lint ## install the test tools, then lint and run every test
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

soak: $(TEST_STAMP) ## the long rounds: killed processes, mutated banks (an hour and more)
	$(BIN)/python -m pytest -m soak

recording: $(RUN_STAMP) ## make the recorded runs that ship anew, on this machine
	$(BIN)/python -m pipeline record

lint: $(TEST_STAMP) ## check style (ruff) and types (mypy)
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy

format: $(TEST_STAMP) ## let ruff rewrite what it can
	$(BIN)/ruff check --fix $(CHECKED)
	$(BIN)/ruff format $(CHECKED)

clean: ## remove the environment and every cache
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Python 3.11 is what the lesson is tested with; TensorFlow 2.21 stops at 3.13. A command
# is asked for its version rather than believed, because a pyenv shim may exist and fail.
$(BIN)/python:
	@for python in python3.11 python3 python3.12 python3.13; do \
		if $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then \
			echo "Making $(VENV) with $$($$python --version)"; \
			$$python -m venv $(VENV) && exit 0; \
			rm -rf $(VENV); \
			echo "$$python cannot make a virtual environment (the lines above say why). On Debian and Ubuntu, install python3-venv, then run make again." >&2; \
			exit 1; \
		fi; \
	done; \
	echo "Lockstep needs Python 3.11, 3.12 or 3.13 as python3.11 or python3, and found: $$(python3 --version 2>/dev/null || echo no python3). Install Python 3.11, then run make again." >&2; \
	exit 1

$(RUN_STAMP): requirements.txt requirements-lesson.txt constraints.txt | $(BIN)/python
	@echo "Installing what the lesson needs into $(VENV) (about 450 MB to download the first time)"
	$(PIP_INSTALL) --requirement requirements.txt
	@touch $@

$(TEST_STAMP): requirements-test.txt $(RUN_STAMP)
	@echo "Installing the test tools into $(VENV)"
	$(PIP_INSTALL) --requirement requirements-test.txt
	@touch $@

# The browser tests drive the distribution's own Chromium. apt-get is used only where it
# works without asking: as root, or with a sudo that wants no password.
chromium:
	@found() { command -v chromium || command -v google-chrome; } >/dev/null 2>&1; \
	if found; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then as_root=; else as_root="sudo -n"; fi; \
	if command -v apt-get >/dev/null 2>&1 && $$as_root true 2>/dev/null; then \
		echo "Installing Chromium for the browser tests"; \
		$$as_root apt-get update -qq && \
		$$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null || \
		echo "Chromium could not be installed (the lines above say why)." >&2; \
	fi; \
	found || \
	echo "No chromium and no google-chrome was found, so the browser tests cannot run. Install one of them with your system's packages, then run make test again." >&2
