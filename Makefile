# Two commands do everything on a machine with Python 3.11+, pip, git and make:
#   make demo    see Sleuth find a bug
#   make test    install what the tests need and run every check
#   make slow    the tests that train for minutes or start whole servers and clusters; every attack
#   make fuzz    look for input that breaks a reader (MINUTES=1 each, TARGET=one of them)
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/pip --disable-pip-version-check -qq

.PHONY: demo test slow check bench fuzz docs clean
.DEFAULT_GOAL := help

help:
	@sed -n 's/^#   //p' Makefile

$(BIN)/python:
	@echo "Creating $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

# One stamp a kind of install: a second run finds it newer than the project file and starts at once.
$(VENV)/.core: $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing Sleuth ..."
	@$(PIP) install -c constraints.txt -e .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "Installing what the tests need (torch among them; a minute or two) ..."
	@$(PIP) install -c constraints.txt -e ".[dev]"
	@touch $@

$(VENV)/.torch: $(VENV)/.core
	@echo "Installing torch (CPU; a minute or two) ..."
	@$(PIP) install -c constraints.txt -e ".[torch]"
	@touch $@

demo: $(VENV)/.torch
	@scripts/demo

test: $(VENV)/.dev
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/check

slow: $(VENV)/.dev
	@$(BIN)/python -m pytest -n 2 -m slow

# atheris has wheels for some versions of Python only, so it is asked for here and not by the tests.
$(VENV)/.fuzz: $(VENV)/.dev
	@$(PIP) install -c constraints.txt -e ".[fuzz]"
	@touch $@

fuzz: $(VENV)/.fuzz
	@$(BIN)/python -m fuzz --minutes $(or $(MINUTES),1) $(TARGET)

$(VENV)/.bench: $(VENV)/.dev
	@echo "Installing the tools that Sleuth is measured beside ..."
	@$(PIP) install -c constraints.txt -e ".[bench]"
	@touch $@

bench: $(VENV)/.bench
	@$(BIN)/python -m bench

docs: $(VENV)/.core
	@$(BIN)/python scripts/docs.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .bench/zoo
