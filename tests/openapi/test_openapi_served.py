"""The OpenAPI documents are served to anybody, fast."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import yaml
from django.test import Client

from dimensions_site.api.openapi.documents import Document
from dimensions_site.urls import DIMENSIONS
from tests.factories import Person
from tests.lengths import tries


@pytest.fixture
def anybody() -> Client:
    """Somebody without any credentials."""
    return Client()


@pytest.mark.contract("H3")
@pytest.mark.parametrize("dimension", ["currency", "account", "dimensions"])
def test_a_document_is_answered_as_json_and_as_yaml_without_credentials(anybody: Client, dimension: str) -> None:
    """Both forms hold the same; no database is asked, or this test would fail."""
    as_json = anybody.get(f"/openapi/{dimension}.json")
    as_yaml = anybody.get(f"/openapi/{dimension}.yaml")

    assert (as_json.status_code, as_json["Content-Type"]) == (200, "application/json")
    assert (as_yaml.status_code, as_yaml["Content-Type"]) == (200, "application/yaml")
    assert yaml.safe_load(as_yaml.content) == as_json.json()


@pytest.mark.contract("H3", "M3")
def test_the_start_page_leads_to_the_documents_in_each_form_and_on(anybody: Client) -> None:
    """To those of each dimension and to that of all, to the administration, and to the state of the service."""
    page = anybody.get("/").content.decode()
    documents = {
        f"/{path}{name}{ending}"
        for name in ("currency", "account", "dimensions")
        for path, ending in (("docs/", ""), ("openapi/", ".json"), ("openapi/", ".yaml"))
    }
    links = set(re.findall(r'<a [^>]*href="([^"]+)"', page))
    assert links == documents | {"/admin/", "/health/live", "/health/ready"}
    assert b'data-document="/openapi/dimensions.json"' in anybody.get("/docs/dimensions").content


@pytest.mark.contract("H3")
def test_a_document_that_the_client_has_is_not_sent_again(anybody: Client) -> None:
    """The entity tag of the document is answered with 304."""
    first = anybody.get("/openapi/account.json")

    again = anybody.get("/openapi/account.json", headers={"If-None-Match": first["ETag"]})

    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.contract("B1")
def test_a_changed_document_is_refused_with_a_problem_document(anybody: Client) -> None:
    """`If-Match` names one that is not served: 412 in the form of every error."""
    response = anybody.get("/openapi/account.json", headers={"If-Match": '"of yesterday"'})

    assert (response.status_code, response["Content-Type"]) == (412, "application/problem+json")
    assert response.json()["code"] == "PRECONDITION_FAILED"


@pytest.mark.contract("A4", "B1")
def test_a_document_can_only_be_read(anybody: Client) -> None:
    """Another method is refused with a problem document that names those that are permitted."""
    response = anybody.post("/openapi/account.json")

    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert response["Content-Type"] == "application/problem+json"


@pytest.mark.contract("H3")
@pytest.mark.django_db
@pytest.mark.parametrize("dimension", ["currency", "account"])
def test_the_security_schemes_are_those_that_the_application_uses(alice: Person, dimension: str) -> None:
    """By default all: Basic credentials, an API key in either of two headers, and both kinds of tokens."""
    document = alice.get(f"/openapi/{dimension}.json").json()

    schemes = document["components"]["securitySchemes"]
    assert set(schemes) == {"basic", "apiKey", "jwt", "oauth2"}
    assert {flow["tokenUrl"] for flow in schemes["oauth2"]["flows"].values()} == {"/auth/oauth2/token"}


@pytest.mark.contract("H3")
def test_who_ask_at_once_after_the_start_get_the_documents_that_one_alone_gets() -> None:
    """The generator keeps its state in shared classes, so only one document is generated at a time."""
    alone = [document.json for document in _new_documents()]

    def asked(document: Document) -> bytes:
        together.wait()
        return document.json

    for _ in range(tries(1, long=10)):
        documents = _new_documents()
        together = Barrier(len(documents) * 3)
        with ThreadPoolExecutor(len(documents) * 3) as clients:
            assert list(clients.map(asked, documents * 3)) == alone * 3


def _new_documents() -> list[Document]:
    return [Document(routes.dimension.name, "1", routes.documented) for routes in DIMENSIONS]
