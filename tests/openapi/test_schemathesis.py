"""schemathesis calls every operation with what its OpenAPI document allows, and with what it forbids.

The short form runs with all other tests. The long one takes many minutes: `make test-long`.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import settings
from schemathesis.config import SchemathesisConfig
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test

from dimensions_site.repositories.models import Repository, Role
from dimensions_site.wsgi import application
from tests.bulkops.jobs import deletions
from tests.bulkops.plans import plans
from tests.dimensions import DIMENSIONS, DOCUMENTS
from tests.factories import Person, add_person
from tests.lengths import IS_LONG
from tests.openapi import strategies
from tests.openapi.rules import Stored, closed, is_accepted_beyond, keep_rules
from tests.openapi.test_openapi_examples import EXAMPLES

# An editor is refused less than a reader, and allowed less than a manager.
ROLES = tuple(Role) if IS_LONG else (Role.READER, Role.MANAGER)
# The body of `replaceCurrency` has the same schema as those of the others.
TAKING_LONG = ("createCurrency", "patchCurrency", "saveCurrencies", "planCurrencies", "saveAccountsMinimal")
# Both spellings support GET and POST, and each is described in one of them (contract A2).
DESCRIBED = {
    "/dimensions/v1/{dbID}/account/elements-bulk-delete-async": "GET",
    "/dimensions/v1/{dbID}/account/elements-bulk-delete-asynch": "POST",
}

strategies.register()


@cache
def operations(*, covered: bool) -> dict[str, Any]:
    """Every operation of both documents by its id; `covered`: with a call for each bound of its schema."""
    config = SchemathesisConfig.from_dict(
        {
            "generation": {
                # NUL is refused wherever it stands (contract B3), and JSON Schema has no short word for that.
                "allow-x00": False,
                # The client's key is sent with every call.
                "with-security-parameters": False,
            },
            "checks": {
                # A precondition that does not hold is not an error of the request.
                "positive_data_acceptance": {"expected-statuses": ["2xx", "304", "403", "404", "412"]},
                # It may be looked at before the body is.
                "negative_data_rejection": {"expected-statuses": ["400", "403", "404", "405", "412", "415", "428"]},
                # It repeats each call that is answered, without a key and with a wrong one. test_access_matrix.py asks
                # that of every operation; here it is asked of the calls that are made up.
                "ignored_auth": {"enabled": not covered},
            },
            "phases": {"coverage": {"enabled": covered}},
        }
    )
    found: dict[str, Any] = {}
    for document in DOCUMENTS.values():
        loaded = schemathesis.openapi.from_dict(closed(document.content), config=config)
        loaded.app = application  # called in this process, in the transaction of the test
        for methods in loaded.values():
            found |= {operation.definition.raw["operationId"]: operation for operation in methods.values()}
    return found


# Read from the documents: schemathesis takes seconds to load them, and each process of the tests collects them all.
# The list of repositories is one view, which both describe.
NAMES = {
    operation["operationId"]: operation["tags"][0]
    for document in DOCUMENTS.values()
    for methods in document.content["paths"].values()
    for operation in methods.values()
    if "operationId" in operation
}
# What is read is read by everybody alike.
READS = {
    methods["get"]["operationId"]
    for document in DOCUMENTS.values()
    for methods in document.content["paths"].values()
    if "get" in methods
}
CASES = [(name, role) for name in NAMES for role in ROLES if IS_LONG or role is Role.MANAGER or name not in READS]


def chosen(name: str, role: Role) -> Any:
    """The operation; in the short form covered for one role only, and not where that takes hundreds of calls.

    The parameters of accounts are those of currencies.
    """
    twin = name.replace("Accounts", "Currencies").replace("Account", "Currency")
    is_covered = IS_LONG or (role is Role.MANAGER and name not in TAKING_LONG and twin not in NAMES.keys() - {name})
    return operations(covered=is_covered)[name]


def examples(role: Role) -> int:
    """How many calls are made up; those of other roles differ from a manager's in what is 403."""
    if IS_LONG:
        return 300
    return 6 if role is Role.MANAGER else 2


@pytest.fixture
def stored(alice: Person, name: str) -> Stored:
    """The element of the document's examples, a waiting deletion and a plan of its dimension, in `northwind`."""
    dimension = NAMES[name]
    element = EXAMPLES[dimension]["create"]
    alice.send("POST", alice.elements(dimension), element)
    deletion = deletions.start(alice, ["another"], dimension)
    plan = plans.make(alice, dimension, snapshot=[element])["planId"]
    token = alice.head(alice.elements(dimension))["Sync-Token"]
    return Stored(DIMENSIONS[dimension].wire, element, deletion, plan, token)


@pytest.fixture
def kept_connection(stored: Stored) -> Iterator[None]:
    """The connection, whose transaction is that of the test, stays open from one call to the next."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def calls(record_property: Callable[[str, object], None]) -> dict[int, int]:
    """How many calls were answered with each status; the summary of the tests adds them up."""
    counted: dict[int, int] = {}
    record_property("openapi_calls", counted)
    return counted


@pytest.mark.contract("H3", "B3")
@pytest.mark.usefixtures("kept_connection")
@pytest.mark.parametrize(("name", "role"), CASES, ids=lambda each: str(getattr(each, "label", each)))
def test_an_operation_does_what_its_document_says(
    name: str, role: Role, northwind: Repository, stored: Stored, calls: dict[int, int]
) -> None:
    """Every status, header and body is documented; what the document allows succeeds, what it forbids is refused."""
    key = add_person("petra", northwind, role).defaults["HTTP_X_API_KEY"]
    operation = chosen(name, role)

    def call(case: schemathesis.Case) -> None:
        if DESCRIBED.get(case.path, case.method) != case.method:
            return
        if is_accepted_beyond(case):
            return
        keep_rules(case, stored)
        with transaction.atomic():
            response = case.call_and_validate(headers={"X-API-Key": key, "Accept-Encoding": "identity"})
            calls[response.status_code] = calls.get(response.status_code, 0) + 1
            transaction.set_rollback(True)

    # With `schema.parametrize()` thousands of calls would be made up whenever tests are collected.
    build_operation_test(
        config=operation.schema.config,
        operation=operation,
        test_func=call,
        given_kwargs={},
        feedback=FeedbackSources(),
        explicit_settings=settings(max_examples=examples(role)),
    )()
