"""No test is skipped in both runs: the run on PostgreSQL has what the one on SQLite leaves out."""

import ast
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import selection
from tests.services.service import PROJECT

TESTS = Path(__file__).parent


def item(place: str, *fixtures: str, mark: object = None) -> Any:
    """A test as pytest describes it: the file, the fixtures, and whether it is marked with `django_db`."""
    return SimpleNamespace(nodeid=f"tests/{place}::test", fixturenames=fixtures, get_closest_marker=lambda _name: mark)


@pytest.mark.parametrize(
    ("test", "shows_a_database", "is_quick"),
    [
        (item("docs/test_docs.py"), False, True),
        (item("dimensions_site/repositories/test_permissions.py", "db"), True, True),
        (item("dimensions_site/repositories/test_permissions.py", mark="django_db"), True, True),
        (item("dimensions_site/rsql/test_operators.py", "sample_table"), True, True),
        (item("dimensions_site/tokens/test_consent_browser.py", "visit", "live_server", "db"), False, False),
        (item("bulkops/jobs/test_deletion_races.py", mark="django_db"), True, False),
        (item("live/test_races.py", "service"), True, False),
        (item("live/test_cors.py", "service"), False, False),
        (item("stories/test_access.py", "alice"), False, False),
    ],
)
def test_what_a_run_leaves_out(test, shows_a_database, is_quick):
    assert selection.shows_a_database(test) == shows_a_database
    assert selection.is_quick(test) == is_quick


def only_on_sqlite() -> Iterator[tuple[str, ast.FunctionDef]]:
    """The file and the definition of each test that may run on SQLite only: PostgreSQL has all others."""
    for file in sorted(TESTS.rglob("test_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.If) and "sqlite" in ast.unparse(node.test):
                for inner in (*node.body, *node.orelse):
                    if isinstance(inner, ast.FunctionDef) and inner.name.startswith("test_"):
                        yield file.relative_to(PROJECT).as_posix(), inner


def test_what_only_sqlite_has_is_left_out_of_no_run():
    """Such a test is recognized by its mark, or by that of its file."""
    found = list(only_on_sqlite())
    assert found
    for file, test in found:
        marks = [node for node in ast.parse((PROJECT / file).read_text()).body if isinstance(node, ast.Assign)]
        text = " ".join(map(ast.unparse, [*marks, *test.decorator_list, test.args]))
        assert "django_db" in text or "northwind" in text, test.name
        assert not file.startswith(selection.ANY_DATABASE)


@pytest.mark.parametrize("place", sorted({*selection.ANY_DATABASE, *selection.SERVICES, *selection.SLOW}))
def test_each_place_that_a_run_leaves_out_is_there(place):
    assert (PROJECT / place).exists()


def test_each_test_file_has_a_name_of_its_own():
    names = [file.name for file in TESTS.rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))
