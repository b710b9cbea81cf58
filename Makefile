PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test quick lint bench experiments robustness docs warm wheel clean

# The whole job on a made-up hospital table; says where the report is. The table is assessed too, so that the kernels of
# that step are compiled as well: whoever goes on with the tutorial does not wait for them.
demo: $(STAMP)
	$(BIN)/sudare demo --out demo-release --overwrite
	@echo "Assessing the table as it was (the first time, kernels are compiled) ..."
	@$(BIN)/sudare assess demo-release/recipe.yaml > demo-release/assess.txt
	@echo "Assessment: demo-release/assess.txt"

# Everything that must be true: lint, types, layers, tests, doctests, documented commands.
test: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

# For daily work, in under a minute on two cores once mypy has its cache and the kernels are compiled: lint, types,
# layers, doctests and the tests without the marker `slow`. Left out are the folders that are slow by nature:
# properties, statistics and system. The slowest tests are shown: one that takes over half a second gets the marker.
quick: lint
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not slow" --durations=5 --durations-min=0.5 \
		tests/unit tests/contract tests/regressions src

lint: $(STAMP)
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# Speed and quality beside the rivals; they have their own environment so that
# their pins never choose our versions.
bench: .venv-bench/.installed
	.venv-bench/bin/python benchmarks/all.py $(if $(FRESH),--fresh)

# The papers' tables and figures beside ours, into docs/evidence. Both go on where they stopped; FRESH=1 begins anew.
experiments: $(STAMP)
	$(BIN)/python benchmarks/experiments.py $(if $(FRESH),--fresh)

# Spoiled files, hostile tables, kill -9, several runs at once, full disks, ten million rows; four hours, and goes on where it stopped.
robustness: $(STAMP)
	$(BIN)/python benchmarks/robustness/all.py $(if $(FRESH),--fresh)

docs: $(STAMP)
	$(BIN)/python -m pip install -q -e ".[docs]"
	$(BIN)/mkdocs build --strict

# Compile all kernels now that commands would compile when they need them; two processes, some minutes.
warm: $(STAMP)
	$(BIN)/python -m sudare.cli.warm

# A wheel with its compiled kernels, for this version of Python and of numba, into dist.
wheel: $(STAMP)
	$(BIN)/python benchmarks/wheel.py

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -e ".[dev]"
	touch $(STAMP)

.venv-bench/.installed: pyproject.toml
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install -q --disable-pip-version-check -e ".[bench]"
	touch .venv-bench/.installed

clean:
	rm -rf .venv .venv-bench demo-release site build dist .mypy_cache .ruff_cache .hypothesis
