"""The documents name the scope that a token needs for each operation."""

import pytest

from tests.dimensions import DOCUMENTS

PROPOSING = {"planA", "planC"}
# What a plan deletes needs more.
WRITING = {"create", "replace", "patch", "save", "apply", "approve", "reject"}
MANAGING = {"delete", "abort"}


def scope_for(operation: str) -> str:
    if operation.startswith("delete") and operation.endswith("Plan"):
        return "propose"  # proposers delete their own
    if operation.startswith(tuple(MANAGING)):
        return "manage"
    if operation.startswith(tuple(PROPOSING)):
        return "propose"
    return "write" if operation.startswith(tuple(WRITING)) else "read"


@pytest.mark.contract("G1", "H3")
@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_each_operation_names_the_smallest_scope(document):
    """The other modes of authentication have none, as OpenAPI requires."""
    scopes_of = {}
    for methods in document.content["paths"].values():
        for operation in methods.values():
            of_schemes = {name: scopes for way in operation["security"] for name, scopes in way.items()}
            scopes_of[operation["operationId"]] = of_schemes.pop("oauth2")
            assert set(map(tuple, of_schemes.values())) == {()}
    assert scopes_of == {operation: [scope_for(operation)] for operation in scopes_of}
    assert {scope for (scope,) in scopes_of.values()} == {"read", "propose", "write", "manage"}
