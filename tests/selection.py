"""Which tests a run leaves out: `--database-only` and `--quick`.

A whole run is two: all tests on PostgreSQL, and with `--database-only` on SQLite those that show something of a
database. `--quick` is for daily work.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as search

# A test with one of these fixtures has a database.
_DATABASE = {"db", "transactional_db", "live_server", "django_db_setup", "sample_table"}
_BROWSER = {"browser", "visit"}

# These start the service or its worker, each with a database; no fixture says so.
SERVICES = (
    "tests/live/",
    "tests/load/",
    "tests/stories/",
    "tests/upgrade/",
    "tests/dimensions_site/server/",
)
# These use a database and show nothing of it: what the web server, a proxy, Redis, a generated client, a page, a token,
# a header or a log does, and how input is refused, whichever database is behind it.
ANY_DATABASE = (
    "tests/account/test_enum_values.py",
    "tests/bulkops/admin/test_import_wizard.py",
    "tests/bulkops/admin/test_import_wizard_access.py",
    "tests/bulkops/admin/test_import_wizard_files.py",
    "tests/bulkops/files/imports/test_import_hopeless.py",
    "tests/bulkops/rest/test_bulk_access.py",
    "tests/dimensions_site/api/access/",
    "tests/dimensions_site/api/middleware/",
    "tests/dimensions_site/api/test_methods.py",
    "tests/dimensions_site/elements/admin/test_element_form.py",
    "tests/dimensions_site/elements/admin/test_element_form_conflicts.py",
    "tests/dimensions_site/elements/admin/test_element_form_unchanged.py",
    "tests/dimensions_site/elements/declaration/test_spellings.py",
    "tests/dimensions_site/elements/rest/test_addresses.py",
    "tests/dimensions_site/observability/",
    "tests/dimensions_site/repositories/test_kept_forms.py",
    "tests/dimensions_site/repositories/test_narrow_keys.py",
    "tests/dimensions_site/server/",
    "tests/dimensions_site/site_admin/",
    "tests/dimensions_site/test_headers.py",
    "tests/dimensions_site/text/",
    "tests/dimensions_site/tokens/test_application_pages.py",
    "tests/dimensions_site/tokens/test_authorization_code.py",
    "tests/dimensions_site/tokens/test_client_credentials.py",
    "tests/dimensions_site/tokens/test_forged_tokens.py",
    "tests/dimensions_site/tokens/test_identity_provider.py",
    "tests/dimensions_site/tokens/test_provider_keys.py",
    "tests/docs/test_docs_calls.py",
    "tests/live/clients/",
    "tests/live/test_attacks.py",
    "tests/live/test_bulk_limits.py",
    "tests/live/test_cache.py",
    "tests/live/test_compressed_answers.py",
    "tests/live/test_cors.py",
    "tests/live/test_exposure.py",
    "tests/live/test_front.py",
    "tests/live/test_fuzz.py",
    "tests/live/test_large_bodies.py",
    "tests/live/test_log_secrets.py",
    "tests/live/test_login_attempts.py",
    "tests/live/test_metrics_endpoint.py",
    "tests/live/test_oauth_clients.py",
    "tests/live/test_provider_process.py",
    "tests/live/test_rotated_keys.py",
    "tests/live/test_run_demo.py",
    "tests/live/test_slow_attacks.py",
    "tests/live/test_start.py",
    "tests/live/test_units.py",
    "tests/live/test_unreachable_databases.py",
    "tests/live/test_unreadable_requests.py",
    "tests/load/bench/test_bench_load.py",
    "tests/load/bench/test_bench_report.py",
    "tests/load/growth/test_growth_report.py",
    "tests/openapi/test_schemathesis.py",
    "tests/security/test_access_matrix.py",
    "tests/security/test_attacks_bombs.py",
    "tests/security/test_attacks_header_injection.py",
    "tests/security/test_attacks_hopeless_bodies.py",
    "tests/security/test_attacks_mass_assignment.py",
    "tests/security/test_attacks_path_traversal.py",
    "tests/stories/",
)
# What daily work leaves out: processes, pages of the administration, files, commands, tokens, logs, and slow files.
SLOW = (
    *SERVICES,
    "tests/bulkops/admin/",
    "tests/bulkops/command_line/",
    "tests/bulkops/files/",
    "tests/bulkops/jobs/test_deletion_races.py",
    "tests/bulkops/jobs/test_deletion_references.py",
    "tests/bulkops/jobs/test_file_import_work.py",
    "tests/bulkops/plans/test_nights.py",
    "tests/bulkops/plans/test_random_plans.py",
    "tests/bulkops/rest/test_bulk_access.py",
    "tests/bulkops/save/test_bulk_errors.py",
    "tests/bulkops/save/test_bulk_history.py",
    "tests/bulkops/save/test_bulk_strict.py",
    "tests/bulkops/save/test_bulk_turns.py",
    "tests/bulkops/save/test_bulk_waiting.py",
    "tests/bulkops/writers/test_unknown_statistics.py",
    "tests/containers/",
    "tests/dimensions_site/api/access/test_challenges.py",
    "tests/dimensions_site/api/access/test_one_credential.py",
    "tests/dimensions_site/api/test_hostile_requests.py",
    "tests/dimensions_site/changes/test_change_sets_of_every_write.py",
    "tests/dimensions_site/db/test_read_limits.py",
    "tests/dimensions_site/elements/admin/",
    "tests/dimensions_site/elements/declaration/test_wire_properties.py",
    "tests/dimensions_site/elements/history/test_as_of.py",
    "tests/dimensions_site/elements/history/test_compare.py",
    "tests/dimensions_site/elements/history/test_interleavings.py",
    "tests/dimensions_site/elements/reading/test_query_plans.py",
    "tests/dimensions_site/elements/reading/test_uses_plans.py",
    "tests/dimensions_site/elements/writing/test_single_turns.py",
    "tests/dimensions_site/observability/",
    "tests/dimensions_site/repositories/test_account_lockout.py",
    "tests/dimensions_site/repositories/test_kept_forms.py",
    "tests/dimensions_site/repositories/test_narrow_keys.py",
    "tests/dimensions_site/repositories/test_wrong_passwords.py",
    "tests/dimensions_site/site_admin/",
    "tests/dimensions_site/text/test_suggestions.py",
    "tests/dimensions_site/tokens/",
    "tests/docs/test_contract_table.py",
    "tests/docs/test_docs_calls.py",
    "tests/openapi/test_schemathesis.py",
    "tests/security/",
    "tests/test_third_dimension.py",
)

SLOW_FILES = tuple(f"{name.rstrip('/')}/" for name in SLOW)

search.register_profile(
    "quick", max_examples=3, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("selection")
    group.addoption("--database-only", action="store_true", help="leave out what shows nothing of a database")
    group.addoption("--quick", action="store_true", help="leave out processes, browsers and what takes seconds")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick"):
        search.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave slow files unread in a quick run."""
    slow = f"{collection_path.relative_to(config.rootpath).as_posix()}/".startswith(SLOW_FILES)
    return True if slow and config.getoption("--quick") else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    rules: dict[str, Callable[[pytest.Item], bool]] = {"--database-only": shows_a_database, "--quick": is_quick}
    for option, wanted in rules.items():
        if config.getoption(option):
            left = [item for item in items if not wanted(item)]
            config.hook.pytest_deselected(items=left)
            items[:] = [item for item in items if wanted(item)]


def shows_a_database(item: pytest.Item) -> bool:
    """Whether the test shows something that might differ from one database to the other."""
    if item.nodeid.startswith(ANY_DATABASE) or _BROWSER.intersection(_fixtures(item)):
        return False
    return item.nodeid.startswith(SERVICES) or _has_database(item)


def is_quick(item: pytest.Item) -> bool:
    """Whether the test is for daily work: it starts no process and no browser, and takes no seconds."""
    fixtures = _fixtures(item)
    return not item.nodeid.startswith(SLOW) and not fixtures & {*_BROWSER, "live_server", "transactional_db"}


def _has_database(item: pytest.Item) -> bool:
    return bool(_DATABASE & _fixtures(item)) or item.get_closest_marker("django_db") is not None


def _fixtures(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", ()))
