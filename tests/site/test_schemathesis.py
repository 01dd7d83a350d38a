"""schemathesis calls every operation with what its OpenAPI document allows, and with what it forbids."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.db import transaction
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig

from dimensions_site.openapi import Document
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.urls import ACCOUNT_DOCUMENT, CURRENCY_DOCUMENT
from dimensions_site.wsgi import application
from tests.factories import Caller, caller
from tests.openapi import strategies
from tests.openapi.rules import keep_rules
from tests.site.test_openapi_examples import EXAMPLES

CONFIG = SchemathesisConfig.from_dict(
    {
        "generation": {
            # NUL is refused wherever it stands (contract B3), and JSON Schema has no short word for that.
            "allow-x00": False,
            # The caller's key is sent with every call.
            "with-security-parameters": False,
        },
        # A precondition that does not hold is no fault of the request.
        "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "304", "403", "404", "412"]}},
    }
)
strategies.register()


def schema(document: Document) -> Any:
    """What schemathesis knows of a dimension: its document, and the application that is called in this process."""
    loaded = schemathesis.openapi.from_dict(document.content, config=CONFIG)
    loaded.app = application
    return loaded


@pytest.fixture(params=Role, ids=lambda role: str(role.label))
def key(request: pytest.FixtureRequest, northwind: Repository, alice: Caller) -> str:
    """The API key of somebody with a role in a repository that holds the examples of the documents."""
    alice.send("POST", alice.currency(), EXAMPLES["currency"]["create"]["request"])
    alice.send("POST", alice.account(), EXAMPLES["account"]["create"]["request"])
    return str(caller("petra", northwind, request.param).headers["x-api-key"])


@schemathesis.pytest.parametrize(currency=schema(CURRENCY_DOCUMENT), account=schema(ACCOUNT_DOCUMENT))
@settings(suppress_health_check=list(HealthCheck))
def test_what_the_document_says_is_so(case: schemathesis.Case, key: str) -> None:
    keep_rules(case)
    with transaction.atomic():
        case.call_and_validate(headers={"X-API-Key": key})
        transaction.set_rollback(True)
