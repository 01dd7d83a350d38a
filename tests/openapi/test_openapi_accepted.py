"""The OpenAPI documents are valid, and change only on purpose."""

import json
import os
from collections.abc import Iterator
from difflib import unified_diff
from functools import reduce
from itertools import islice
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
import yaml
from drf_spectacular import drainage
from openapi_spec_validator import validate

from dimensions_site.api.openapi.documents import Document
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.urls import DIMENSIONS, TOGETHER
from tests import openapi
from tests.dimensions import DOCUMENTS

ACCEPTED = Path(openapi.__file__).parent
ACCEPT = "make accept-openapi"

ALL = {**DOCUMENTS, "dimensions": TOGETHER}

each_document = pytest.mark.parametrize(("name", "document"), DOCUMENTS.items(), ids=DOCUMENTS)
every_document = pytest.mark.parametrize(("name", "document"), ALL.items(), ids=ALL)


@pytest.mark.contract("H3")
@every_document
def test_the_document_is_the_accepted_one(name: str, document: Document) -> None:
    """A changed promise of the service shows up as a changed file; the failure says how to accept it."""
    file = ACCEPTED / f"{name}.yml"
    if os.environ.get("ACCEPT_OPENAPI") == "true":
        file.write_bytes(document.yaml)

    accepted = file.read_text(encoding="utf-8") if file.exists() else ""

    lines = unified_diff(accepted.splitlines(), document.yaml.decode().splitlines(), "accepted", "now", lineterm="")
    difference = "\n".join(islice(lines, 60))
    assert not difference, f"tests/openapi/{name}.yml is not up to date; to accept this, run: {ACCEPT}\n{difference}"


@pytest.mark.contract("H3")
@every_document
def test_the_document_is_valid_openapi(name: str, document: Document) -> None:
    """Both forms of the document have the same content, and the official validator finds no error in it."""
    content = yaml.safe_load(document.yaml)

    assert content == document.content
    assert content["openapi"] == "3.0.3"
    assert content["info"]["version"] == (dimension_named(name).version if name in DOCUMENTS else "v1")
    validate(content)


@pytest.mark.contract("H3")
@pytest.mark.parametrize("routes", [found.documented for found in DIMENSIONS], ids=DOCUMENTS)
def test_the_document_is_built_without_a_warning(routes, capsys: pytest.CaptureFixture[str]) -> None:
    """drf-spectacular writes its warnings to the standard error stream."""
    assert Document("any", "1", routes).content["paths"]

    assert not drainage.GENERATOR_STATS
    assert capsys.readouterr().err == ""


def test_a_dimension_without_references_has_a_document_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of who uses an element shows no use then."""
    routes = next(each for each in DIMENSIONS if each.dimension.name == "currency")
    monkeypatch.setitem(routes.dimension.wire.__dict__, "references", [])
    fresh = Document("currency", "v1", routes.documented)
    (uses,) = [content for path, content in fresh.content["paths"].items() if path.endswith("/elements-uses")]
    validate(fresh.content)
    answer = uses["get"]["responses"]["200"]["content"]["application/json"]
    assert '"usedBy": []' in json.dumps(answer)


@pytest.mark.contract("A1", "H3")
def test_only_canonical_paths_are_documented() -> None:
    """The paths are spelled as in the specification, and the other prefix is not mentioned."""
    for name, prefix in (("currency", "/api/aih/dimensions/v1"), ("account", "/dimensions/v1")):
        repositories, *paths = DOCUMENTS[name].content["paths"]
        assert repositories == prefix
        assert paths
        assert all(path.startswith(f"{prefix}/{{dbID}}/{name}/elements") for path in paths)


@pytest.mark.contract("A2", "H2", "H3")
@pytest.mark.parametrize(("name", "spelling"), [("currency", "async"), ("account", "asynch")])
def test_the_start_of_a_deletion_is_documented_in_the_spelling_of_the_specification_only(
    name: str, spelling: str
) -> None:
    """The list and the status have their own paths, whatever the spelling of the start."""
    paths = DOCUMENTS[name].content["paths"]
    methods = {path.partition(f"/{name}/")[2]: set(item) for path, item in paths.items() if "delete" in path}

    asked = {"elements-bulk-delete-async": {"get"}, "elements-bulk-delete-async/{dataProcessingId}": {"get", "delete"}}
    start = f"elements-bulk-delete-{spelling}"
    assert methods == asked | {start: asked.get(start, set()) | {"post"}}


@pytest.mark.contract("H3")
@each_document
def test_every_parameter_and_status_is_described(name: str, document: Document) -> None:
    """No operation, parameter, answer or header is left without a sentence."""
    content = document.content
    parts = [*content["components"]["parameters"].values(), *content["components"]["headers"].values()]
    operations = [operation for path in content["paths"].values() for operation in path.values()]
    parts += operations
    parts += [answer for operation in operations for answer in operation["responses"].values() if "$ref" not in answer]
    parts += content["components"]["responses"].values()

    assert all(part["description"] for part in parts)
    assert all(operation["summary"] and operation["operationId"] for operation in operations)


@pytest.mark.contract("A7", "C16", "H3")
@each_document
def test_an_operation_promises_the_statuses_that_the_contract_gives_it(name: str, document: Document) -> None:
    """Only reading one currency is never answered with 400; preconditions are those of single elements."""
    statuses = {
        operation["operationId"]: set(operation["responses"])
        for path in document.content["paths"].values()
        for operation in path.values()
    }
    noun = name.title()
    plural = str(dimension_named(name).verbose_name_plural).title()

    always = {"401", "403", "404", "405", "406", "414", "429", "431", "500", "503"}
    assert all(always <= answers for answers in statuses.values())
    assert {operation for operation, answers in statuses.items() if "400" not in answers} <= {"getCurrency"}
    assert {operation for operation, answers in statuses.items() if "304" in answers} == {f"get{noun}"}
    assert {operation for operation, answers in statuses.items() if "412" in answers} == {
        f"replace{noun}",
        f"patch{noun}",
        *(f"{do}{noun}Plan" for do in ("apply", "approve", "delete", "reject")),
    }
    assert {operation for operation, answers in statuses.items() if "410" in answers} == {
        *(f"{do}{plural}" for do in ("list", "count", "fetch", "compare", "plan")),
        f"list{noun}Changes",
    }
    accepting = {f"delete{plural}", "abortCurrencyDeletion"} & {*statuses}
    assert {operation for operation, answers in statuses.items() if "202" in answers} == accepting
    assert {operation for operation, answers in statuses.items() if "201" in answers} == {
        f"create{noun}",
        f"replace{noun}",
        f"plan{plural}",
    }


@pytest.mark.contract("K6", "M3")
@each_document
def test_a_conflict_may_say_when_to_try_again(name: str, document: Document) -> None:
    """A plan that was applied is one for ever, and has no `Retry-After`."""
    components = document.content["components"]
    header = components["responses"]["Conflict"]["headers"]["Retry-After"]["$ref"].rpartition("/")[2]
    assert "required" not in components["headers"][header]


@pytest.mark.contract("M4")
@each_document
def test_answers_may_get_members_and_requests_may_not(name: str, document: Document) -> None:
    """A client made of this document reads the answers of later releases; the service drops nothing silently."""
    endings = ("Request", "Create", "Replace", "Merge", "Patch", "Bulk", "Key", "DeletionItem")
    schemas = document.content["components"]["schemas"]
    objects = {name: schema for name, schema in schemas.items() if "properties" in schema}

    is_open = {name: schema["additionalProperties"] for name, schema in objects.items()}
    assert is_open == {name: not name.endswith(endings) or name == "InvalidRequest" for name in objects}


@pytest.mark.contract("M3")
@each_document
def test_no_schema_has_a_choice_that_client_generators_get_wrong(name: str, document: Document) -> None:
    """One type for each member. Only an enum that may be null and a currency's `coefficient` have a choice."""
    schemas = document.content["components"]["schemas"]

    def choices(part: object, path: str = "") -> Iterator[tuple[str, Any]]:
        inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, value in inner:
            if key in {"anyOf", "oneOf", "allOf"}:
                yield path.rpartition("/")[2], value
            yield from choices(value, f"{path}/{key}")

    null = {"type": "boolean", "nullable": True, "enum": [None]}
    others = {
        member
        for member, (first, *more) in choices(schemas)
        if more != [null] or "enum" not in schemas[first["$ref"].rpartition("/")[2]]
    }
    assert others == ({"coefficient"} if name == "currency" else set())


@pytest.mark.contract("C7", "M3")
def test_the_values_of_a_field_have_one_type_in_whatever_is_read_and_sent() -> None:
    """So that what was read can be sent back without a mapping: an enum is a component, and nowhere written out."""

    def enums(part: object, path: str = "") -> Iterator[tuple[str, list[Any]]]:
        inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, value in inner:
            if key == "enum":
                yield path, value
            yield from enums(value, f"{path}/{key}")

    schemas = TOGETHER.content["components"]["schemas"]
    found = [(path, values) for path, values in enums(schemas) if path.count("/") > 1 and values != [None]]
    once = {"saved": "/AccountChange/", "SUCCESS": "/BulkResult/", "reader": "/AccessibleRepository/"}
    assert [path for path, values in found if values[0] not in once] == []
    nature = {"$ref": "#/components/schemas/Nature"}
    assert [schemas[f"Account{name}"]["properties"]["nature"] for name in ("", "Create", "Patch")] == [nature] * 3


@pytest.mark.contract("M3")
def test_the_document_of_all_dimensions_says_what_each_of_theirs_says() -> None:
    """Each operation of both, once, with everything that it refers to; the list of repositories has one path."""

    def whole(document: Any, part: Any) -> Any:
        if isinstance(part, list):
            return [whole(document, item) for item in part]
        if not isinstance(part, dict):
            return part
        if "$ref" in part:
            return whole(document, reduce(getitem, part["$ref"].removeprefix("#/").split("/"), document))
        return {key: whole(document, inner) for key, inner in part.items()}

    together = TOGETHER.content
    names = [operation["operationId"] for path in together["paths"].values() for operation in path.values()]
    assert len(names) == len(set(names))
    for document in DOCUMENTS.values():
        for path, operations in document.content["paths"].items():
            if path.endswith("/v1") and path not in together["paths"]:
                continue
            assert whole(document.content, operations) == whole(together, together["paths"][path])
    assert [path for path in together["paths"] if path.endswith("/v1")] == ["/api/aih/dimensions/v1"]
    assert {tag["name"] for tag in together["tags"]} == {*DOCUMENTS}


@pytest.mark.contract("M3")
@each_document
@pytest.mark.parametrize(("prefix", "url"), [("", "/"), ("/some/prefix", "/some/prefix")])
def test_the_server_is_where_the_document_is(
    settings: Any, name: str, document: Document, prefix: str, url: str
) -> None:
    """Its address is relative to that of the document, so it is right for whichever host the document is asked of."""
    settings.URL_PREFIX = prefix
    made = Document(name, "1", next(found.documented for found in DIMENSIONS if found.dimension.name == name))

    assert [server["url"] for server in made.content["servers"]] == [url]
