# Every target does its own set-up: it needs Python 3.11, and nothing else. It takes a later one, which nobody has tested.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PORT ?= 8000
VENV := .venv
PYTHON_OF_VENV := $(VENV)/bin/python
BASE := $(VENV)/.installed-base
TEST := $(VENV)/.installed-test
SUITE := $(PYTHON_OF_VENV) -m scripts.with_services -- $(PYTHON_OF_VENV) -m scripts.suite
LOCK_VENV := .local/lock-venv
COMPILE := $(LOCK_VENV)/bin/uv pip compile --quiet --no-config --universal \
	--python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock"

.PHONY: help run localnet test test-all test-added flakes installed agents sdk-checks sdks sdks-bars sdks-medusa fast check image bench chaos cluster soak operators-day restore-drill schema structure released failures reach retention states networks messages lock format clean

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(BASE) ## Serve everything on http://localhost:8000 (PORT=9000 for another port).
	@exec $(PYTHON_OF_VENV) manage.py up --port $(PORT)

localnet: $(BASE) ## The same in live mode, over nodes and providers of its own, with play money (PORT=9000).
	@exec $(PYTHON_OF_VENV) -m localnet --port $(PORT)

test: installed ## Install what is missing, then show every rule once (PART=rules for a part of it).
	@exec $(SUITE) test $(PART)

# What the proofs of the SDKs need is 1.3 GB: not where only other parts are asked for.
WITHOUT_SDKS := checks rules database live crash properties journeys image upgrade mutations
SDK_CHECKS = $(if $(filter-out $(WITHOUT_SDKS),$(or $(PART),sdks)),sdk-checks)

test-all: installed agents $(SDK_CHECKS) ## Show every rule at every place: longer properties, more nodes, crashes, browsers (PART=live).
	@exec $(SUITE) all $(PART)

flakes: installed ## Run test's tests 20 times in random order on a busy machine: nothing may differ (RUNS=3).
	@exec $(SUITE) flakes $(RUNS)

test-added: installed agents $(SDK_CHECKS) ## What test-all has beyond test.
	@exec $(SUITE) added $(PART)

installed: # Debian's packages beside Python's, which wait for other machines.
	@scripts/install-packages.sh postgresql redis chromium node npm & packages=$$!; \
		$(MAKE) --no-print-directory $(TEST) && wait $$packages
	@scripts/install-node-packages.sh

agents: installed
	@scripts/install-packages.sh prometheus pgbackrest nginx haproxy systemd faketime
	@scripts/install-agent-clients.sh

sdk-checks: installed # What the proofs of sdks/ compare with and build on.
	@scripts/install-sdk-checks.sh

fast: $(TEST) ## Lint, hold the import contracts and run the quick tests on SQLite (under 15 seconds).
	@exec $(PYTHON_OF_VENV) -m scripts.suite fast

check: $(TEST) ## Format, lint, types, import contracts, migrations, description.
	@exec $(PYTHON_OF_VENV) -m scripts.suite check

image: $(BASE) ## Build the container image where no registry of images is reached (as root; REQUIREMENTS=kms or traces).
	@exec scripts/build-image.sh $(REQUIREMENTS)

bench: $(BASE) ## Measure speed against the goals of docs/performance.md (QUICK=1: two minutes; SCALE=1: five million rows; LIVE=1: on a chain).
	@scripts/install-packages.sh postgresql redis $(if $(LIVE)$(SCALE),,wrk)
	@exec $(PYTHON_OF_VENV) -m scripts.with_services --durable -- \
		$(PYTHON_OF_VENV) -m scripts.bench $(if $(QUICK),--quick) $(if $(SCALE),--scale) $(if $(ROWS),--rows $(ROWS)) \
		$(if $(LIVE),--only live) $(if $(ONLY),--only $(ONLY))

chaos: $(TEST) ## Break every operation at every point, with 1, 2 and 4 workers (CELLS=60 for a choice).
	@scripts/install-packages.sh postgresql redis
	@exec $(PYTHON_OF_VENV) -m scripts.with_services -- \
		$(PYTHON_OF_VENV) -m tests.crash.matrix --real-cells 48 $(if $(CELLS),--cells $(CELLS) --naive-cells 12)

cluster: $(BASE) ## Run the production form on several machines of the loopback, lose each part of it (WRITES=10000 RATE=6).
	@scripts/install-packages.sh postgresql redis cluster node npm
	@exec $(PYTHON_OF_VENV) -m scripts.cluster $(if $(WRITES),--writes $(WRITES)) $(if $(RATE),--rate $(RATE)) \
		$(if $(ONLY),--only $(ONLY))

restore-drill: installed ## Back up, pay, lose the database, restore it to before: nothing is paid or told twice (a few minutes).
	@scripts/install-packages.sh pgbackrest
	@exec $(PYTHON_OF_VENV) -m scripts.with_services -- \
		$(PYTHON_OF_VENV) -m pytest -q -n 0 -p no:randomly tests/journeys/test_restore_drill.py

soak: $(BASE) ## Hours by the test clock, then minutes of real load: nothing may grow that is not kept (HOURS=6 MINUTES=30 RATE=3).
	@scripts/install-packages.sh postgresql redis node npm
	@env CLUSTER_PORTS=27000 $(PYTHON_OF_VENV) -m scripts.with_services --durable -- \
		$(PYTHON_OF_VENV) -m scripts.soak $(if $(HOURS),--hours $(HOURS)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(RATE),--rate $(RATE))

operators-day: $(BASE) ## The production form with a real Prometheus, broken in each way of docs/operators-day.md (ONLY="A E2" HOLD=180).
	@scripts/install-packages.sh postgresql redis haproxy prometheus
	@env CLUSTER_PORTS=29000 $(PYTHON_OF_VENV) -m scripts.day $(if $(ONLY),--only $(ONLY)) $(if $(HOLD),--hold $(HOLD))

schema: $(TEST) ## Write docs/openapi.yaml from the code.
	@DJANGO_SETTINGS_MODULE=config.settings_test $(PYTHON_OF_VENV) manage.py spectacular \
		--validate --fail-on-warn --file docs/openapi.yaml

structure: $(TEST) ## Write config/structure.sql, the tables of a first start, from the migrations.
	@env -u DATABASE_URL -u REDIS_URL -u LOCAL_DIR DJANGO_SETTINGS_MODULE=config.settings_test \
		$(PYTHON_OF_VENV) manage.py write_structure

released: $(TEST) ## Write config/last_release.txt and last_openapi.yaml: what a next release is held to (VERSION=0.2.0).
	@$(PYTHON_OF_VENV) -m scripts.released $(VERSION)

failures: $(TEST) ## Write docs/guides/failures.md from the words that payers and merchants read.
	@DJANGO_SETTINGS_MODULE=config.settings_test $(PYTHON_OF_VENV) manage.py write_failures

states: $(TEST) ## Write docs/states.md from the tables that decide statuses.
	@DJANGO_SETTINGS_MODULE=config.settings_test $(PYTHON_OF_VENV) manage.py write_states

networks: $(TEST) ## Write what pages tell wallets of chains, from chains/networks.
	@DJANGO_SETTINGS_MODULE=config.settings_test $(PYTHON_OF_VENV) manage.py write_networks

sdks: $(TEST) ## Write the generated part of sdks from docs/openapi.yaml.
	@DJANGO_SETTINGS_MODULE=config.settings_test $(PYTHON_OF_VENV) -m sdks.generator

sdks-bars: sdk-checks ## Measure what the SDKs promise, and write it into docs/sdks.md.
	@$(PYTHON_OF_VENV) -m scripts.bars --write

sdks-medusa: $(TEST) ## Sell tea in a whole Medusa by sdks/medusa, and plant faults into it (installs 680 MB; ten minutes).
	@scripts/install-packages.sh postgresql redis node npm
	@scripts/install-medusa.sh
	@exec $(PYTHON_OF_VENV) -m scripts.with_services -- \
		$(PYTHON_OF_VENV) -m pytest -q -n 0 tests/sdks/medusa/check_provider.py tests/sdks/medusa/check_shop.py

reach: $(TEST) ## Write docs/reach.md from the table of roles, scopes and modes.
	@DJANGO_SETTINGS_MODULE=config.settings_test $(PYTHON_OF_VENV) manage.py write_reach

retention: $(TEST) ## Write what is kept how long into docs/operators.md, from config/retention.py.
	@DJANGO_SETTINGS_MODULE=config.settings_test $(PYTHON_OF_VENV) manage.py write_retention

messages: $(TEST) ## Collect the payer's sentences, update and compile the catalogues of checkout/locale.
	@$(PYTHON_OF_VENV) -m scripts.messages

format: $(TEST) ## Format the code and repair what ruff can repair.
	@$(PYTHON_OF_VENV) -m ruff check --fix --quiet . || true
	@$(PYTHON_OF_VENV) -m ruff format .

lock: $(LOCK_VENV)/bin/uv ## Compile requirements/*.txt with hashes from pyproject.toml (UPGRADE=1 for newer).
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --output-file requirements/base.txt pyproject.toml
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --extra test --constraint requirements/base.txt \
		--output-file requirements/test.txt pyproject.toml
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --extra kms --constraint requirements/test.txt \
		--output-file requirements/kms.txt pyproject.toml
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --extra traces --constraint requirements/test.txt \
		--output-file requirements/traces.txt pyproject.toml
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --output-file requirements/agents.txt requirements/agents.in
	@$(COMPILE) $(if $(UPGRADE),--upgrade) --output-file requirements/sdks.txt requirements/sdks.in

clean: ## Remove the virtual environment, caches and local data.
	rm -rf $(VENV) .local .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BASE): requirements/base.txt
	@scripts/install-dependencies.sh base
	@touch $@

$(TEST): requirements/test.txt
	@scripts/install-dependencies.sh test
	@touch $(BASE) $@

$(LOCK_VENV)/bin/uv: $(BASE)
	@$(PYTHON_OF_VENV) -m venv $(LOCK_VENV)
	@$(LOCK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check uv
