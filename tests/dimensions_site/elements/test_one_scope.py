"""No module selects elements past the repository, and none writes them past the modules responsible for that.

The source is read as a tree of syntax: a query is classified by its first name.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings

from dimensions_site.elements.models import Element, Version

ROOT = Path(settings.BASE_DIR)
PACKAGES = ("account", "bulkops", "currency", "dimensions_site")
MODELS = {model.__name__ for model in apps.get_models() if issubclass(model, Element | Version)}
OTHERS = {model.__name__ for model in apps.get_models()} - MODELS

# Where the scope itself is.
SCOPE = {"dimensions_site/elements/models.py", "dimensions_site/elements/reading/lookup.py"}
# Modules that use managers of other models, and of which: none is a model of elements.
OTHER_MANAGERS = {
    "bulkops/jobs/claims.py": "the jobs that workers claim",
    "bulkops/worker/tasks.py": "the jobs whose results are deleted after some days",
    "dimensions_site/api/access/basic.py": "Django's model of users",
    "dimensions_site/db/compiled.py": "the columns alone, of whatever model",
    "dimensions_site/monitoring.py": "the jobs that are counted",
    "dimensions_site/administration/people/people.py": "whatever is in one repository",
    "dimensions_site/repositories/audit.py": "the models of access",
}
# Functions that select versions by keys, which they take from versions of one repository.
BY_KEYS = {("dimensions_site/changes/versions.py", name) for name in ("_among",)}
# `objects` of the generated logic, and the member of that name of a JSON shape.
OTHER_OBJECTS = {("account/models.py", "cls"), ("dimensions_site/elements/declaration/structs.py", "self")}
# Where the model of versions is named: others select them by repository, or get a selection.
HISTORY = SCOPE | {
    "bulkops/worker/cluster.py",  # its table alone
    "dimensions_site/elements/history/comparing.py",  # the columns alone
    "dimensions_site/elements/history/feed.py",  # the columns alone
    "dimensions_site/elements/reading/statements.py",  # which columns there are
    "dimensions_site/elements/writing/saving.py",  # its table alone, to which it adds
}
# What composes SQL that names tables: single elements, many elements, and the history that both leave.
TABLES = {
    "account/models.py",  # the generated logic
    "bulkops/jobs/refusals.py",  # the ids of a deletion
    "bulkops/plans/planning.py",  # the table of changes of plans
    "bulkops/worker/cluster.py",  # the rights on the history
    "bulkops/session/databases.py",
    "bulkops/session/writer.py",
    "dimensions_site/db/distribution.py",  # whole tables
    "dimensions_site/elements/reading/lookup.py",
    "dimensions_site/elements/reading/uses.py",  # of one repository
    "dimensions_site/elements/writing/restoring.py",  # from the versions of one repository
    "dimensions_site/elements/writing/saving.py",
}
# Who may write the elements that a query selects: deletion, for one and for many.
WRITERS = {"dimensions_site/elements/writing/saving.py"}
SELECTING = {"of", "within", "versions_of", "versions_within", "with_ids", "with_keys", "with_primary_keys"}
WRITING = {"_raw_delete", "bulk_create", "bulk_update", "create", "delete", "get_or_create", "update"}


def bypasses(path: str, source: str) -> Iterator[str]:
    """Where the module at `path` reads or writes elements in a way that is not allowed there."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and (path, node.name) in BY_KEYS]
    by_keys = {node for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        place = f"{path}:{node.lineno} {ast.unparse(node)[:80]}"
        is_scoped = path in SCOPE | OTHER_MANAGERS.keys() or node in by_keys
        if node.attr in ("_base_manager", "_default_manager") and not is_scoped:
            yield f"{place}: elements are selected by Element.of"
        if node.attr == "objects" and not is_another(path, ast.unparse(node.value)):
            yield f"{place}: elements are selected by Element.of"
        if node.attr == "version_model" and path not in HISTORY:
            yield f"{place}: versions are selected by Element.versions_of"
        if node.attr == "db_table" and path not in TABLES and "Repository" not in ast.unparse(node.value):
            yield f"{place}: SQL on elements is composed elsewhere"
        if node.attr in WRITING and path not in WRITERS and SELECTING & set(names_called(node.value)):
            yield f"{place}: elements are written elsewhere"


def is_another(path: str, name: str) -> bool:
    """Whether the `objects` of `name` are certainly not elements: of another model, or of a JSON shape."""
    return name in OTHERS or name.endswith(".through") or (path, name) in OTHER_OBJECTS


def names_called(node: ast.expr) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            yield inner.func.attr if isinstance(inner.func, ast.Attribute) else ast.unparse(inner.func)


@pytest.mark.contract("A6")
def test_elements_are_selected_by_repository_and_written_in_two_modules():
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    modules = [path for path in paths if "migrations" not in path.parts]
    assert len(modules) > 100
    found = [hit for path in modules for hit in bypasses(str(path.relative_to(ROOT)), path.read_text())]
    assert found == []


def test_the_modules_that_are_named_are_there():
    assert [name for name in {*SCOPE, *OTHER_MANAGERS, *HISTORY, *TABLES} if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    "bypass",
    [
        "Account.objects.filter(element_id='1000')",
        "self.model.objects.count()",
        "type(element)._base_manager.get(pk=1)",
        "model._default_manager.all()",
        "AccountVersion.objects.filter(change='-')",
        "self.model.version_model(change='-')",
        "dimension.model.version_model._meta.db_table",
        "model.versions_of(repository).filter(change='-').delete()",
        "connection.ops.quote_name(model._meta.db_table)",
        "Account.of(repository).filter(element_id='1000').update(nature='ASSETS')",
        "with_ids(model, repository, ids).delete()",
    ],
)
def test_a_bypass_is_found(bypass):
    assert list(bypasses("bulkops/rest/views.py", bypass)) != []


def test_the_right_of_one_function_is_not_that_of_its_module():
    """Only there are versions selected by keys."""
    select = "return model._base_manager.filter(pk__in=keys)"
    found = [
        list(bypasses("dimensions_site/changes/versions.py", f"def {name}(): {select}")) for name in ("_among", "x")
    ]
    assert [len(hits) for hits in found] == [0, 1]


@pytest.mark.parametrize(
    "right", ["Account.of(repository).count()", "Repository.objects.get(pk=1)", "rows.update(nature=nature)"]
)
def test_what_is_scoped_or_no_element_is_left_alone(right):
    assert list(bypasses("bulkops/rest/views.py", right)) == []
