"""The rules of the contract that OpenAPI 3.0's JSON schemas cannot express, kept by requests that must succeed."""

import json
import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from itertools import count
from typing import Any
from urllib.parse import unquote

import schemathesis
from schemathesis.generation import GenerationMode

from bulkops.plans.requests import OPTIONS
from bulkops.rest.bodies import EMPTY_CELLS
from bulkops.rest.views import DRY_RUN, PARAMETERS
from bulkops.session.items import OPERATIONS
from dimensions_site.elements.declaration.wire import Wire
from tests.openapi.strategies import CSV, NDJSON

# Letters for languages: `aa`, `bb`, and on.
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Stored:
    """What of a dimension the repository `northwind` holds: one `element` of `wire`, the `deletion` of another, and a
    `plan`. `token` is the Sync-Token of its list.
    """

    wire: Wire
    element: Mapping[str, Any]
    deletion: str
    plan: str
    token: str


# An element that is merged without a change, by media type.
_TEXTS = {NDJSON: '{{"id":{id}}}\n', CSV: "id\r\n{id}\r\n"}
# Parameters that take a token.
_MOMENTS = ("since", "asOf", "from", "to")


def keep_rules(case: schemathesis.Case, stored: Stored) -> None:
    """Make a request that keeps its schema keep the rest of the contract too; leave any other as it is."""
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    id = _keep_path(case.path_parameters, stored)
    query = case.query or {}
    _keep_moments(query, stored)
    if case.path.endswith("/elements-compare") and not query.keys() & {"from", "to", "fromRepository"}:
        case.query = {**query, "fromRepository": "northwind"}  # J2: so is what to compare with
    if case.path.endswith("/elements-versions") and not query.keys() & {"id", "changeSet"}:
        case.query = {**query, "id": id}  # I5: an element or a change set is named
    _keep_tags(case.headers)
    _keep_format(case, query, stored)
    if isinstance(case.body, dict):
        body = case.body
        if case.path.endswith(("/elements-bulk", "/elements-bulk-minimal")):
            _keep_bulk(body, stored)
        elif case.path.endswith("/elements-plans"):
            _keep_plan(body, stored)
        elif case.method == "POST":
            _keep_newness(body, stored.element)
            _keep_description(body)
            _keep_values(body)
        else:
            _keep_identity(body, id)
            if case.method == "PUT":
                _keep_description(body)
            _keep_values(body)
        case.body = body


def _keep_path(path: dict[str, Any], stored: Stored) -> str:
    """Let some calls be about what is stored; return the id of the element.

    Any other repository and nearly any other element, deletion or plan is only ever answered 404.
    """
    path["dbID"] = "northwind"
    for name, known in (("dataProcessingId", stored.deletion), ("planId", stored.plan)):
        if path.get(name, "f") < "c":
            path[name] = known
    id = unquote(path.get("id", ""))
    if len(id) % 2:
        id = path["id"] = stored.element["id"]
    return id


def _keep_tags(headers: Any) -> None:
    """C16: schemathesis breaks patterns with alternatives."""
    for name in {"If-Match", "If-None-Match"}.intersection(headers or ()):
        if not re.fullmatch(r'\*|"[!#-~]*"(, *"[!#-~]*")*', headers[name]):
            headers[name] = '"0"'


def _keep_moments(query: Any, stored: Stored) -> None:
    query.pop("after", None)  # M7: the links set it
    # I4: any other token is invalid. J1: nearly any instant is in the future, or before the first version.
    query.update(dict.fromkeys(query.keys() & set(_MOMENTS), stored.token))
    if query.get("unused"):
        query.pop("asOf", None)  # L1: what was unused is not known
    if "fromRepository" in query:
        query["fromRepository"] = "northwind"


def is_accepted_beyond(case: schemathesis.Case) -> bool:
    """Whether a body that is meant to break its schema contains a form that is accepted besides the described one.

    C4: a string in place of `descriptions`. C10: a JSON number in place of decimal text. K4: a number of deletions.
    """
    if case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE:
        return False
    return any(
        (name == "descriptions" and isinstance(value, str))
        or (name in {"percentageDifference", "coefficient"} and isinstance(value, int | float))
        or (name == "maxDelete" and isinstance(value, int))
        for name, value in _members(case.body)
    )


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """Each member of each object in a JSON value."""
    if isinstance(value, dict):
        yield from value.items()
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _members(inner)


def closed(document: Any) -> Any:
    """The OpenAPI document, whose answers may have no member but those that it describes.

    Clients have to allow others, as later releases may add some (contract M4); this release may not.
    """
    if isinstance(document, list):
        return [closed(item) for item in document]
    if not isinstance(document, dict):
        return document
    inner = {name: closed(value) for name, value in document.items()}
    return (
        {**inner, "additionalProperties": False} if "properties" in inner and inner.get("type") == "object" else inner
    )


def _keep_format(case: schemathesis.Case, query: MutableMapping[str, Any], stored: Stored) -> None:
    """K3, K4: a JSON body says itself what is done; any other is that of a stored element, which is merged as it is."""
    for name in (*PARAMETERS.keys() - {DRY_RUN}, EMPTY_CELLS, *OPTIONS):
        query.pop(name, None)
    if case.media_type in _TEXTS:
        case.body = _TEXTS[case.media_type].format(id=json.dumps(stored.element["id"]))


def _keep_newness(element: dict[str, Any], stored: Mapping[str, Any]) -> None:
    """C13: the element is new."""
    for name in ("id", "oid"):
        if name in element and element[name] == stored.get(name):
            element[name] = f"another {element[name]}"


def _keep_identity(element: dict[str, Any], id: str) -> None:
    """C14: the id in the body is that of the path. C2: the oid is that of the stored element."""
    element.pop("oid", None)
    if "id" in element:
        element["id"] = id


def _drop_nulls(envelope: dict[str, Any]) -> None:
    """C15: null means absent there."""
    for name in [name for name, value in envelope.items() if value is None]:
        del envelope[name]


def _keep_bulk(body: dict[str, Any], stored: Stored) -> None:
    _drop_nulls(body)
    numbers = count()
    if not body.keys() & {*OPERATIONS}:
        body["post"] = []  # E1: at least one of them is there
    for element in [*body.get("post", ()), *body.get("put", ())]:
        _keep_description(element)
        _keep_values(element)
        _number(element, next(numbers))
    if body.get("patch"):
        # E1: what is changed is there, and stands once.
        body["patch"] = [{"key": {"id": stored.element["id"]}, "data": body["patch"][0]["data"]}]
        _keep_identity(body["patch"][0]["data"], stored.element["id"])
        _keep_values(body["patch"][0]["data"])
        # E2: the stored element refers to others that are not there.
        body.pop("saveMode", None)
        body.pop("merge", None)
    elif body.get("merge"):
        # K1: only what is stored may leave out what is required.
        body["merge"] = body["merge"][:1]
        _keep_identity(body["merge"][0], stored.element["id"])
        body["merge"][0]["id"] = stored.element["id"]
        _keep_values(body["merge"][0])
        body.pop("saveMode", None)
    elif body.get("put"):
        _keep_identity(body["put"][0], stored.element["id"])
    if body.get("saveMode") == "STRICT":
        for element in [*body.get("post", ()), *body.get("put", ())]:
            _forget_references(element, stored.wire)


def _keep_plan(body: dict[str, Any], stored: Stored) -> None:
    """K4: there is exactly one source, with what belongs to it."""
    _drop_nulls(body)
    source = next((name for name in ("bulk", "snapshot", "asOf", "repository") if name in body), "snapshot")
    for name in ("bulk", "snapshot", "asOf", "repository", "undo", "onConflict", "replace"):
        if name != source and not (name == "replace" and source == "snapshot"):
            body.pop(name, None)
    if source == "bulk":
        mode = {"saveMode": body.pop("saveMode", "LOOSE")}
        bulk = body["bulk"] | mode
        deletions = bulk.pop("delete", None)
        _keep_bulk(bulk, stored)
        bulk.pop("saveMode", None)
        body["bulk"] = bulk if deletions is None else bulk | {"delete": [{"id": "another"}]}
    elif source == "snapshot":
        # K1: only what is stored may leave out what is required, and it is merged.
        body["snapshot"] = body.get("snapshot", [])[:1]
        for element in body["snapshot"]:
            _keep_identity(element, stored.element["id"])
            element["id"] = stored.element["id"]
            _keep_values(element)
        body.pop("replace", None)
        body.pop("saveMode", None)
    else:
        body["asOf"] = stored.token
        if source == "repository":
            body["repository"] = "northwind"  # its own one, at an earlier state
    body.pop("scope", None)  # nearly every element is outside of any


def _number(element: dict[str, Any], number: int) -> None:
    """E1: ids and oids stand once. With the number at their end they are others than the stored ones, too."""
    for name, length in (("id", 128), ("oid", 64)):
        if element.get(name) is not None:
            element[name] = f"{element[name][: length - 8]}#{number}"


def _forget_references(element: dict[str, Any], wire: Wire) -> None:
    """E2: in the save mode STRICT elements that others refer to are there."""
    for path in (place.path for place in wire.places.values() if place.leaf.refers_to):
        *groups, name = path.split(".")
        group: Any = element
        for inner in groups:
            group = (group or {}).get(inner)
        if group:
            group.pop(name, None)


def _keep_description(element: dict[str, Any]) -> None:
    """C3, C4: a text in at least one language."""
    if "descriptions" not in element and not (element.get("description") or "").strip():
        element["descriptions"] = {"en": "Something"}


def _keep_values(element: dict[str, Any]) -> None:
    _keep_texts(element)
    _keep_validity(element)


def _keep_texts(element: dict[str, Any]) -> None:
    if "descriptions" in element:
        # C4: what `description` says is what `descriptions` says.
        element.pop("description", None)
    for name in ("descriptions", "alternativeDescriptions"):
        # C3: the keys are languages. OpenAPI 3.0 has no `propertyNames`.
        if isinstance(element.get(name), dict):
            element[name] = {_language(number): text for number, text in enumerate(element[name].values())}
    if isinstance(element.get("customAttributes"), dict):
        # C9: the keys have 1 to 128 characters.
        attributes = element["customAttributes"]
        element["customAttributes"] = {name: text for name, text in attributes.items() if 1 <= len(name) <= 128}


def _language(number: int) -> str:
    return f"{_LETTERS[number % len(_LETTERS)] * 2}-{number:02}"


def _keep_validity(element: dict[str, Any]) -> None:
    """C11: the end does not come before the start, be it sent or stored."""
    validity = (element.get("dataEntryAndReporting") or {}).get("validity") or {}
    if validity.get("endDate"):
        validity["startDate"] = validity["endDate"]
