"""What a client asks for when it makes a plan: its source, and the rules for it (contract K4, K7)."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import msgspec
from django.conf import settings

from bulkops.files.imports.options import MAX_DELETE, Share
from bulkops.session.envelope import check_kind, find_ids, operations_of, read_members, save_mode_of, wrong
from bulkops.session.items import OPERATIONS, Envelope
from dimensions_site.api.errors import Failure, Problem, bad_request, check_all, quoted
from dimensions_site.api.json.dividing import first_character, items
from dimensions_site.api.json.reader import JsonError
from dimensions_site.changes.requirements import MAX_REASON as MAX_TEXT
from dimensions_site.changes.requirements import InvalidReason, typed_remark
from dimensions_site.rsql.parser import MAX_FILTER_LENGTH as MAX_FILTER

SOURCES = ("snapshot", "repository", "asOf", "undo", "bulk")
# The members that belong to one source, and that source.
_COMPANIONS = {"replace": "snapshot", "onConflict": "undo"}
_RULES = ("scope", "maxDelete", "saveMode", "reason")
# What a snapshot in NDJSON or CSV takes, in the query.
OPTIONS = ("replace", *_RULES)
MEMBERS = (*SOURCES, *_COMPANIONS, *_RULES)
BULK_MEMBERS = (*OPERATIONS, "delete")
CONFLICTS = ("error", "skip")
# The longest id of a repository, a moment, a change set or an operation.
_LONGEST_NAME = 1_000


@dataclass(frozen=True)
class PlanRequest:
    """The source of a plan, and the rules for it.

    `envelope` and `deletions` have the elements that the client sent, the former also what is wrong with the request.
    A plan from a `snapshot` deletes the elements that it does not have. Of a repository, an earlier state or an undo
    there is only the name; `table_digest` is that of `Plan`.
    """

    envelope: Envelope
    deletions: Sequence[str] = ()
    is_snapshot: bool = False
    repository: str | None = None
    as_of: str | None = None
    undo: str | None = None
    skips_conflicts: bool = False
    scope: str | None = None
    max_delete: Share = MAX_DELETE
    reason: str | None = None
    table_digest: str | None = None

    @property
    def source(self) -> dict[str, Any]:
        """Return what names the source; of elements that were sent their number."""
        named = {"repository": self.repository, "asOf": self.as_of, "undo": self.undo}
        found: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
        if self.skips_conflicts:
            found["onConflict"] = "skip"
        if not found:
            found["snapshot" if self.is_snapshot else "bulk"] = self.envelope.count + len(self.deletions)
        return found


# What else a request must fulfil; each raises `Problem` if it does not.
Checks = Sequence[Callable[[PlanRequest], object]]


def read_request(body: bytearray, checks: Checks = ()) -> PlanRequest:
    """Return the content of the body, which is UTF-8 as `BulkBodyParser` returns it.

    Its failures are those of the `checks`, too; what they are about is left out. Raises `Problem` if the elements
    cannot be found, as `read_envelope` does, and without failures what the `checks` raise.
    """
    text = memoryview(body)
    failures: list[Failure] = []
    try:
        check_kind(text, b"{", f"an object with one of {', '.join(SOURCES)}")
        values = read_members(text, MEMBERS, failures)
        return _request(values, failures, checks)
    except JsonError as error:
        raise bad_request(error.failures, error.failure_count) from None


def read_decision(body: bytearray, *, requires_text: bool) -> str | None:
    """Return the `text` in the body of an approval or a rejection, None without one (contract O3).

    Raises `Problem` 400 with everything that is wrong with the body.
    """
    failures: list[Failure] = []
    try:
        check_kind(memoryview(body), b"{", 'an object such as {"text": "Agreed."}')
        values = read_members(memoryview(body), ("text",), failures)
    except JsonError as error:
        raise bad_request(error.failures, error.failure_count) from None
    typed: str = _Members(values, failures).value("text", str, "a text") or ""
    remark: str | None = None
    try:
        remark = typed_remark(typed)
    except InvalidReason as error:
        failures.append(error.failure("/text"))
    if not failures and remark is None and requires_text:
        message = f"text must say in 1 to {MAX_TEXT:,} characters why the plan is rejected."
        failures.append(Failure("/text", "REQUIRED", message))
    if failures:
        raise bad_request(failures)
    return remark


def read_options(query: Mapping[str, str], checks: Checks = ()) -> PlanRequest:
    """Return the request for a plan of a snapshot, still without elements, with the options in the `query`; its
    failures are those of the options.
    """
    texts = {name: msgspec.json.encode(text) for name, text in query.items()}
    if query.get("replace") in ("true", "false"):
        texts["replace"] = query["replace"].encode()
    values = {name: msgspec.Raw(text) for name, text in {"snapshot": b"[]", **texts}.items()}
    return _request(values, [], checks)


def _request(values: Mapping[str, msgspec.Raw], failures: list[Failure], checks: Checks) -> PlanRequest:
    _check_source(values, failures)
    members = _Members(values, failures)
    save_mode = save_mode_of(values.get("saveMode"), failures)
    name = "put" if members.value("replace", bool, "true or false") else "merge"
    arrays: Mapping[str, msgspec.Raw] = {}
    places = {name: "/snapshot"} if "snapshot" in values else {name: f"/bulk/{name}" for name in OPERATIONS}
    deletions: Sequence[str] = ()
    unlisted = 0
    if "snapshot" in values:
        arrays = {name: values["snapshot"]}
    elif "bulk" in values:
        arrays, deletions, unlisted = _bulk(values["bulk"], failures)
    request = PlanRequest(
        Envelope(save_mode, operations_of(arrays, failures, places), unlisted=unlisted),
        deletions,
        "snapshot" in values,
        repository=members.text("repository", "the dbID of a repository"),
        as_of=members.text("asOf", "an instant or a Sync-Token"),
        undo=members.text("undo", "the id of a change set or an operation"),
        skips_conflicts=members.value("onConflict", Literal["error", "skip"], " or ".join(CONFLICTS)) == "skip",
        scope=members.text("scope", "a filter in RSQL", MAX_FILTER),
        reason=members.value("reason", str, "a text"),
        max_delete=members.share("maxDelete", 'a number of elements such as 20, or a share such as "5%"'),
    )
    try:
        check_all(failures, *(partial(check, request) for check in checks))
    except Problem as problem:
        if not problem.failures:
            raise
        is_wrong = any(failure.path == "/scope" for failure in problem.failures)
        envelope = replace(request.envelope, failures=problem.failures)
        return replace(request, envelope=envelope, scope=None if is_wrong else request.scope, reason=None)
    return request


def _check_source(values: Mapping[str, msgspec.Raw], failures: list[Failure]) -> None:
    named = [name for name in SOURCES if name in values]
    if len(named) != 1 and named != ["repository", "asOf"]:
        got = f"got {', '.join(named)}" if named else "got none of them"
        message = (
            "A plan must have exactly one source: snapshot, repository (with or without asOf), asOf, undo or bulk; "
            f"{got}."
        )
        failures.append(Failure("", "ONE_SOURCE", message))
    for name, source in _COMPANIONS.items():
        if name in values and source not in values:
            failures.append(Failure(f"/{name}", "NOT_ALLOWED", f"{name} is only allowed beside {source}."))


def _bulk(text: msgspec.Raw, failures: list[Failure]) -> tuple[Mapping[str, msgspec.Raw], Sequence[str], int]:
    """Return the arrays of elements, the ids to delete, and how many failures there are beside those that are added."""
    raw = memoryview(text)
    if first_character(raw) != b"{":
        failures.append(wrong("/bulk", "bulk", raw, f"an object with one of {', '.join(BULK_MEMBERS)}"))
        return {}, (), 0
    arrays = read_members(raw, BULK_MEMBERS, failures, "/bulk")
    if not any(name in arrays for name in BULK_MEMBERS):
        message = f"bulk must have at least one of {', '.join(BULK_MEMBERS)}."
        failures.append(Failure("/bulk", "REQUIRED", message))
    listed = arrays.pop("delete", None)
    # An empty array is no error here, as it would be in a deletion.
    if listed is None or (first_character(memoryview(listed)) == b"[" and not any(items(memoryview(listed)))):
        return arrays, (), 0
    ids, unlisted = list[str](), 0
    try:
        ids, errors = find_ids(bytearray(listed))
        errors.refuse()
    except Problem as problem:
        failures += (replace(one, path=f"/bulk/delete{one.path}") for one in problem.failures)
        unlisted = problem.failure_count - len(problem.failures)
    return arrays, ids, unlisted


@dataclass(frozen=True)
class _Members:
    """The members of a request by name; what is wrong with those that are asked for is added to `failures`."""

    values: Mapping[str, msgspec.Raw]
    failures: list[Failure]

    def value(self, name: str, kind: Any, expected: str) -> Any:
        """Return the value of a member, None if it is missing; a value of another type than `kind` is an error."""
        if name not in self.values:
            return None
        text, value = memoryview(self.values[name]), None
        with suppress(msgspec.DecodeError, RecursionError):
            # A longer text would take several times its length in memory.
            value = None if text.nbytes > settings.API_MAX_BODY_SIZE else msgspec.json.decode(text, type=kind)
        if value is None:
            self.failures.append(wrong(f"/{name}", name, text, expected))
        return value

    def text(self, name: str, expected: str, longest: int = _LONGEST_NAME) -> str | None:
        """Return the text of a member, None if it is missing."""
        text: str | None = self.value(name, str, expected)
        if text is None or (text.strip() and len(text) <= longest and "\0" not in text):
            return text
        self.failures.append(Failure(f"/{name}", "INVALID_VALUE", f"{name} must be {expected}; got {quoted(text)}."))
        return None

    def share(self, name: str, expected: str) -> Share:
        """Return the share of the stored elements that a member means, the default if it is missing."""
        limit: int | str | None = self.value(name, int | str, expected)
        try:
            return MAX_DELETE if limit is None else Share.parse(str(limit))
        except ValueError:
            self.failures.append(wrong(f"/{name}", name, memoryview(self.values[name]), expected))
            return MAX_DELETE
