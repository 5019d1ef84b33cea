# make run: the whole service on this machine. make test: the whole suite. Nothing else is needed
# but Python 3.11 or newer and make. PYTHON=python3.12 chooses another interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header \
	--no-emit-index-url --no-emit-find-links --python-version 3.11
RUN_ARGS ?=
BENCH_ARGS ?=
# The earlier version that `make bench` measures beside this one: `release` (the last tag) or any
# git revision. It then ends with 1 where this one is slower.
BESIDE ?=
# Which pages `make screenshots` takes (names, * for anything); DOCS=1 for those of the README too.
PAGES ?=
DOCS ?=
# What `make fuzz` printed of an earlier run, to have the same again.
SEED ?=
TEST ?=
PYTEST_ARGS ?= -n logical --dist loadscope --no-loadscope-reorder
# How long connections trade against each other in `make races`; `make fuzz` takes 60.
SECONDS ?= 20

# Of which part `make mutants` takes how many faults, and the score that it must reach, in percent.
APP ?= wallets
SAMPLE ?= 100
THRESHOLD ?= 0
MUTANTS_ARGS ?=

.PHONY: install tools run test clients requests races fuzz mutants check house bench results screenshots tour lock dump
.DEFAULT_GOAL := run

install: $(VENV)/.installed

tools: $(VENV)/.tools

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Python 3.11 or newer is needed as '$(PYTHON)'; name one with: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Making $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "'$(PYTHON) -m venv' failed; on Debian install python3-venv." >&2; exit 1; }

$(VENV)/.installed: requirements.lock | $(BIN)/python
	@echo "Installing what the service needs"
	@$(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.tools: tests/requirements.lock $(VENV)/.installed
	@echo "Installing what tests and checks need"
	@$(PIP) install --require-hashes -r tests/requirements.lock
	@touch $@

run: install
	@exec $(BIN)/python manage.py up $(RUN_ARGS)

test: tools
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

# Clients generated from /v1/schema, and linters of it; needs Node.js. Ends with 1 when one fails.
clients: tools
	@REQUIRE_NODE=1 $(BIN)/python -m pytest tests/clients

# Every request that is made up from the schema; the suite sends the good ones and a part of the bad.
requests: tools
	@EVERY_REQUEST=1 $(BIN)/python -m pytest tests/contract/test_schemathesis.py \
		tests/contract/test_own_wording.py

# The races at their full length; the suite runs them shorter.
races: tools
	@RACE_TRADING_SECONDS=$(SECONDS) RACE_DECISIONS=200 RACE_KEYS=200 RACE_ORACLE_EXAMPLES=40 \
		$(BIN)/python -m pytest --log-cli-level=INFO tests/races tests/orders/book/test_matching_oracle.py

# Every property test in turn with new examples, for SECONDS (60). A run again: SEED=…; a test: TEST=…
fuzz: SECONDS = 60
fuzz: tools
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) \
		$(if $(TEST),--test '$(TEST)')

# Faults put into APP (exchange, wallets, orders, credit or sql), and which of them no test notices.
# SAMPLE=0 takes all; the sample follows from SEED, the hash of the commit by default.
mutants: tools
	@$(BIN)/python -m tests.mutants --app $(APP) --sample $(SAMPLE) --threshold $(THRESHOLD) \
		$(if $(SEED),--seed '$(SEED)') $(MUTANTS_ARGS)

# Throw-away values: the check looks at the settings, it connects to nothing.
check: export SECRET_KEY = k3-W9fQ_only_for_the_check_zT7uXbV4mN1pL6sD0hJ5gRyCeAaBq
check: export FIELD_ENCRYPTION_KEYS = dGVzdHMgb25seTogdGhpcnR5LXR3byBieXRlcyBvZiA=
check: tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy config exchange wallets credit orders tests manage.py
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tests.house --check
	DATA_DIR=build/check SECRET_KEY= FIELD_ENCRYPTION_KEYS= \
		$(BIN)/python manage.py makemigrations --check --dry-run
	DJANGO_SETTINGS_MODULE=config.settings.production ALLOWED_HOSTS=exchange.example \
		DATABASE_URL=postgresql://exchange_app@127.0.0.1/exchange \
		CELERY_BROKER_URL=amqp://127.0.0.1// CACHE_URL=redis://127.0.0.1/0 \
		FLUTTERWAVE_SECRET_KEY=only-for-the-check FLUTTERWAVE_WEBHOOK_HASH=only-for-the-check \
		$(BIN)/python manage.py check --deploy --fail-level WARNING

# The rooms of the product, drawn into docs/architecture.md from their imports; prints lines of each.
house: tools
	@$(BIN)/python -m tests.house

# The database of the version in pyproject.toml with rows in every table, which the upgrade test starts
# from: once for each release. DATABASE_URL names a PostgreSQL 15, whose user may create databases.
dump: tools
	@$(BIN)/python -m pytest tests/upgrade/make_release.py

bench: tools
	@$(BIN)/python -m tests.benchmarks $(if $(BESIDE),--beside '$(BESIDE)') $(BENCH_ARGS)

# docs/benchmark-results.md from the results of the last `make bench`.
results: tools
	@$(BIN)/python -m tests.benchmarks.results_page

# Every main page in light and dark, on a desktop and a phone; ends with 1 when one has a fault.
screenshots: tools
	@$(BIN)/python -m tests.screenshots $(if $(DOCS),--docs) $(foreach page,$(PAGES),'$(page)')

tour: install
	@$(BIN)/python manage.py tour

lock: tools
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) --group test -c requirements.lock -o tests/requirements.lock
