# make run starts the whole service, make test runs the tests. Both need only Python 3.11 or newer
# and make. PYTHON=python3.12 selects another interpreter.

# python3, unless it was built without optimization and the system has another: without, Python takes a quarter longer.
OPTIMIZED := 'import ensurepip, sys, sysconfig; sys.exit(sys.version_info < (3, 11) or sys.base_prefix != "/usr" \
	and "--enable-optimizations" not in sysconfig.get_config_var("CONFIG_ARGS"))'
PYTHON ?= $(shell for each in python3 /usr/bin/python3; do \
	$$each -c $(OPTIMIZED) 2>/dev/null && echo $$each && exit; done; echo python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# uv is faster. It asks the index that pip asks; where it cannot install, pip does.
INDEX = $(shell $(PIP) config list | sed -n "s/.*\.index-url='\(.*\)'$$/\1/p" | tail -1)
UV = $(BIN)/uv pip install --python $(BIN)/python --system-certs $(if $(INDEX),--default-index '$(INDEX)')
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header \
	--no-emit-index-url --no-emit-find-links --python-version 3.11
RUN_ARGS ?=
BENCH_ARGS ?=
# The earlier version that `make bench` compares with: `release` (the last one) or any git revision.
# It exits 1 if this version is slower.
BESIDE ?=
# The pages of `make screenshots` (names, * as wildcard); DOCS=1 also writes those of the README.
PAGES ?=
DOCS ?=
# The seed that an earlier `make fuzz` printed, to repeat it; TEST selects one test.
SEED ?=
TEST ?=
# The order of `make test`; empty: long modules first.
ORDER ?=
# One in SHARE tests of each module, in TURN 0, 1, … others; empty: all.
SHARE ?=
TURN ?= 0
# TIMES=1 ends the tests with a table of the processor's seconds by folder, module and fixture.
TIMES ?=
PYTEST_ARGS ?= -n logical --dist loadscope --no-loadscope-reorder
# Duration of the trading races in `make races`; `make fuzz` uses 60.
SECONDS ?= 20

# The part that `make mutants` tests, the number of mutants, and the minimum score in percent.
APP ?= wallets
SAMPLE ?= 100
THRESHOLD ?= 0
MUTANTS_ARGS ?=

.PHONY: install tools run test test-slow clients requests accessibility races cluster-test upgrade-test image fuzz mutants check audit api-changes bench results screenshots decisions tour lock dump
.DEFAULT_GOAL := run

install: $(VENV)/.installed

tools: $(VENV)/.tools

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "'$(PYTHON)' is not Python 3.11 or newer; choose one with: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "'$(PYTHON) -m venv' failed; on Debian install python3-venv." >&2; exit 1; }

$(VENV)/.installed: requirements.lock config/installer.lock | $(BIN)/python
	@echo "Installing the service's packages"
	@{ $(PIP) install --require-hashes -r config/installer.lock && $(UV) --require-hashes -r requirements.lock; } \
		|| $(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.tools: tests/requirements.lock $(VENV)/.installed
	@echo "Installing the packages of tests and checks"
	@$(UV) --require-hashes -r tests/requirements.lock || $(PIP) install --require-hashes -r tests/requirements.lock
	@touch $@

run: install
	@exec $(BIN)/python manage.py up $(RUN_ARGS)

TEST_VARIABLES = $(if $(ORDER),TEST_ORDER='$(ORDER)') $(if $(SHARE),TEST_SHARE='$(SHARE)' TEST_TURN='$(TURN)') $(if $(TIMES),TEST_TIMES=1)

# ORDER=7 shuffles modules and the tests of each, the same way in every run with 7: no test may depend on others.
test: tools
	@$(TEST_VARIABLES) $(BIN)/python -m pytest -m 'not slow' $(PYTEST_ARGS)

# What kills, restores, upgrades or restarts whole programs, walks long ways in the browser, or repeats at
# length what `make test` does once.
test-slow: tools
	@$(TEST_VARIABLES) $(BIN)/python -m pytest -m slow $(PYTEST_ARGS)

# Generate clients from /v1/schema and lint it; needs Node.js.
clients: tools
	@REQUIRE_NODE=1 $(BIN)/python -m pytest tests/clients

# Check every page of the back office with axe, light on a desktop and dark on a phone; `make test-slow` does one in ten.
accessibility: tools
	@REQUIRE_BROWSER=1 EVERY_PAGE=1 $(BIN)/python -m pytest tests/browser/test_every_page.py

# Send every request derived from the schema; `make test` sends all valid and a quarter of the invalid ones.
requests: tools
	@EVERY_REQUEST=1 $(BIN)/python -m pytest tests/contract/test_schemathesis.py \
		tests/contract/test_own_wording.py

# Run the races at full length, 2,000 hostile webhooks, and kills between every two steps of a deposit;
# `make test` runs fewer and shorter ones. EVENTS and SEED are of the race between the feed and its writers.
races: EVENTS = 100000
races: tools
	@RACE_TRADING_SECONDS=$(SECONDS) RACE_DECISIONS=200 RACE_KEYS=200 RACE_ORACLE_EXAMPLES=40 \
		RACE_WEBHOOKS=2000 RACE_KILL_STRIDE=1 RACE_FEED_EVENTS=$(EVENTS) RACE_FEED_SECONDS=5 \
		$(if $(SEED),RACE_FEED_SEED=$(SEED)) \
		$(BIN)/python -m pytest --log-cli-level=INFO tests/races tests/orders/book/test_matching_oracle.py \
		tests/wallets/deposits/test_hostile_webhooks.py tests/faults/test_deposit_kills.py

# Start the reference cluster of docs/cluster and carry out FAULTS under load; LOGS keeps the logs. Needs root and
# Debian's packages, which it names. DOCS=1 writes docs/cluster/results.md.
cluster-test: FAULTS = all
cluster-test: tools
	@$(BIN)/python -m tests.cluster --faults '$(FAULTS)' $(if $(LOGS),--logs '$(LOGS)') \
		$(if $(DOCS),--docs)

# Upgrade an installation under load, from BASE (default: the last release) to this one, with the
# commands of docs/operations/upgrade.md. SECONDS of load pass before and after. FAULT plants one of no_drain, long_lock
# and required_column: the run then passes only if it reports failed requests. Needs root and Debian's packages.
upgrade-test: BASE =
upgrade-test: FAULT =
upgrade-test: SECONDS = 3
upgrade-test: tools
	@$(BIN)/python -m tests.rolling_upgrade --base '$(BASE)' --seconds $(SECONDS) \
		$(if $(FAULT),--fault '$(FAULT)')

# Build the image by the Dockerfile with Debian's buildah, on a base made by mmdebstrap, with its bill of materials, into
# build/image; then run it without rights on the machine's PostgreSQL, broker and Redis. Needs root.
image: tools
	@$(BIN)/python -m tests.image

# Run every property test with new examples for SECONDS (60). SEED=… repeats a run, TEST=… selects a test.
fuzz: SECONDS = 60
fuzz: tools
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) \
		$(if $(TEST),--test '$(TEST)')

# Insert faults into APP (exchange, wallets, orders, credit or sql) and list those that no test detects.
# SAMPLE=0 takes all; the sample follows from SEED, by default the hash of the commit.
mutants: tools
	@$(BIN)/python -m tests.mutants --app $(APP) --sample $(SAMPLE) --threshold $(THRESHOLD) \
		$(if $(SEED),--seed '$(SEED)') $(MUTANTS_ARGS)

# Placeholder values: the check reads the settings and connects to nothing.
check: export SECRET_KEY = k3-W9fQ_only_for_the_check_zT7uXbV4mN1pL6sD0hJ5gRyCeAaBq
check: export FIELD_ENCRYPTION_KEYS = dGVzdHMgb25seTogdGhpcnR5LXR3byBieXRlcyBvZiA=
check: tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy config exchange wallets credit orders tests manage.py
	$(BIN)/lint-imports --no-logo
	DATA_DIR=build/check SECRET_KEY= FIELD_ENCRYPTION_KEYS= \
		$(BIN)/python manage.py makemigrations --check --dry-run
	DJANGO_SETTINGS_MODULE=config.settings.production ALLOWED_HOSTS=exchange.example \
		DATABASE_URL=postgresql://exchange_app@127.0.0.1/exchange \
		CELERY_BROKER_URL=amqp://127.0.0.1// CACHE_URL=redis://127.0.0.1/0 \
		FLUTTERWAVE_SECRET_KEY=only-for-the-check FLUTTERWAVE_WEBHOOK_HASH=only-for-the-check \
		TRUSTED_PROXIES=1 SECURE_PROXY_HEADER=HTTP_X_FORWARDED_PROTO \
		$(BIN)/python manage.py check --deploy --fail-level WARNING

# Known vulnerabilities of the locked packages; exits 1 with findings, 3 when it could not ask.
# FILES names a folder or zip file of OSV records, for machines without the internet.
audit: tools
	@$(BIN)/python -m tests.advisories $(if $(FILES),--files '$(FILES)')

# Print every change of the OpenAPI document since the last release. Exits 1 when one breaks its clients.
api-changes: tools
	@$(BIN)/python -m pytest -qq -s -p no:cacheprovider tests/upgrade/test_openapi_changes.py -k no_change_breaks

# Write the start of the upgrade test, a dump with rows in every table, and the OpenAPI document: once per release.
# DATABASE_URL names a PostgreSQL 15 whose user may create databases.
dump: tools
	@$(BIN)/python -m pytest tests/upgrade/make_release.py

bench: tools
	@$(BIN)/python -m tests.benchmarks $(if $(BESIDE),--beside '$(BESIDE)') $(BENCH_ARGS)

# Write docs/benchmark-results.md from the last `make bench`.
results: tools
	@$(BIN)/python -m tests.benchmarks.results_page

# Take every main page in light and dark, desktop and phone; exits 1 on a fault.
screenshots: tools
	@$(BIN)/python -m tests.screenshots $(if $(DOCS),--docs) $(foreach page,$(PAGES),'$(page)')

# Decide ten records of each kind by keys in a browser; prints actions, keys and seconds.
decisions: tools
	@$(BIN)/python -m pytest --log-cli-level=INFO tests/browser/test_decision_times.py

tour: install
	@$(BIN)/python manage.py tour

lock: tools
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) --group installer -o config/installer.lock
	$(LOCK) --group test -c requirements.lock -o tests/requirements.lock
