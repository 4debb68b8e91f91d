# Everything is installed into the project's own .venv (and .venv-train for what trains); nothing outside it is touched.
PYTHON ?= python3
VENV := .venv
TRAIN_VENV := .venv-train
BIN := $(VENV)/bin
TRAIN_BIN := $(TRAIN_VENV)/bin
PIP := -m pip --disable-pip-version-check install --quiet
PICTURES ?= 20000
TRAINED_ON = $(PICTURES) pictures of datasets.render, seed 1

.PHONY: help demo test test-train check format models accuracy enrolment benchmarks wheel clean

help:
	@echo "make demo        play the recorded hand, with the dashboard"
	@echo "make test        all tests that need no torch"
	@echo "make test-train  the tests of what trains (installs torch into $(TRAIN_VENV))"
	@echo "make check       ruff and mypy"
	@echo "make format      ruff, putting the imports in order and the lines in form"
	@echo "make models      train the models and export them to models/"
	@echo "make accuracy    measure the models and write docs/accuracy.md"
	@echo "make benchmarks  compare with the usual ways and write docs/benchmarks.md"
	@echo "make wheel       an installable file in dist/"
	@echo "make clean       take the environments and everything built away"

demo: $(VENV)/.program
	$(BIN)/arbitro demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest

test-train: $(TRAIN_VENV)/.train
	$(TRAIN_BIN)/python -m pytest tests/train

check: $(VENV)/.dev
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy

format: $(VENV)/.dev
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

# The corner finder learns from the boxes of the new detector. About six hours on two cores, much less on a GPU; stopped and called again, it goes on where it was.
models: runs/set/.rendered
	$(TRAIN_BIN)/python -m datasets.train detector --data runs/set --out runs/detector
	$(TRAIN_BIN)/python -m datasets.train export --detector runs/detector/detector.pt --training "$(TRAINED_ON)"
	$(TRAIN_BIN)/python -m datasets.train corners --data runs/set --out runs/corners
	$(TRAIN_BIN)/python -m datasets.train classifier --data runs/set --out runs/classifier
	$(TRAIN_BIN)/python -m datasets.train export --corners runs/corners/corners.pt \
		--classifier runs/classifier/classifier.pt --training "$(TRAINED_ON)"
	$(TRAIN_BIN)/python -m datasets.train calibrate

runs/set/.rendered: | $(TRAIN_VENV)/.train
	$(TRAIN_BIN)/python -m datasets.render --out runs/set --count $(PICTURES)
	@touch $@

accuracy: $(VENV)/.dev
	$(BIN)/python -m datasets.evaluate

# Chooses how likeness to an enrolled deck is weighed for the models as they are, and measures enrolment.
enrolment: $(VENV)/.dev
	$(BIN)/python -m datasets.evaluate.enrolment --fit

# With ultralytics, so that a one-stage network is timed as well.
benchmarks: $(TRAIN_VENV)/.train
	$(TRAIN_BIN)/python -m benchmarks.usual_ways

wheel: $(VENV)/.dev
	$(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) $(TRAIN_VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Arbitro needs Python 3.11 or newer, this is %d.%d; try: make PYTHON=python3.11 ..." % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.program: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python $(PIP) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python $(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/.program

$(TRAIN_VENV)/.train: pyproject.toml
	$(PYTHON) -m venv $(TRAIN_VENV)
	$(TRAIN_BIN)/python $(PIP) --editable ".[train,dev]"
	@touch $@
