"""Each test is in one ring, and what branches by database runs on both."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
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
    ("test", "rings", "depends_on_the_database"),
    [
        (item("docs/test_docs.py"), "quick rules", False),
        (item("dimensions_site/repositories/test_grants.py", "db"), "quick rules", False),
        (item("dimensions_site/rsql/test_operators.py", "sample_table"), "quick rules", True),
        (item("dimensions_site/rsql/test_parser.py"), "quick rules", False),
        (item("dimensions_site/tokens/test_consent_browser.py", "visit", "live_server", "db"), "services", False),
        (item("dimensions_site/administration/site/test_start_page.py", "db"), "rules", False),
        (item("bulkops/jobs/test_deletion_races.py", "transactional_db", mark="django_db"), "rules", True),
        (item("live/test_races.py", "service"), "services", True),
        (item("live/test_cors.py", "service"), "services", False),
        (item("live/test_requests.py", "service"), "rules", False),
    ],
)
def test_what_a_run_has(test, rings, depends_on_the_database):
    assert sorted(ring for ring, has in selection.RINGS.items() if has(test)) == rings.split()
    assert selection.depends_on_the_database(test) == depends_on_the_database


def test_a_file_with_tests_in_a_browser_is_recognized_by_its_imports():
    """The ring of services does not load other files, and the ring of rules leaves these tests out."""
    with_browser = re.compile(r"^def (test_\w+\([^)]*\bbrowser\b|\w+\([^)]*\bvisit\b)", re.MULTILINE)
    files = [file for file in TESTS.rglob("test_*.py") if with_browser.search(file.read_text(encoding="utf-8"))]
    assert files
    assert [file.name for file in files if not selection.has_browser(file)] == []


def test_what_branches_by_database_has_tests_on_both():
    """A module with a new branch needs an entry in BRANCHES."""
    places = ("account", "bulkops", "currency", "dimensions_site")
    files = [file for place in places for file in (PROJECT / place).rglob("*.py") if "migrations" not in file.parts]
    branch = re.compile(r"\.vendor\b|\bas_sqlite\b|\bimport sqlite3\b")
    found = {file.relative_to(PROJECT).as_posix() for file in files if branch.search(file.read_text(encoding="utf-8"))}
    assert found == selection.BRANCHES.keys()


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
        assert "django_db" in text or "northwind" in text or file.startswith(selection.SERVICES), test.name
        assert any(file.startswith(tests) for tests in selection.BRANCHES.values()), file


PLACES = {*selection.SAMPLES, *selection.SERVICES, *selection.SLOW, *chain(*selection.BRANCHES.values())}


@pytest.mark.parametrize("place", sorted(PLACES))
def test_each_place_in_the_selection_is_there(place):
    assert (PROJECT / place).exists()


def test_each_test_file_has_a_name_of_its_own():
    names = [file.name for file in TESTS.rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))
