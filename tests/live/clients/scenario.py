"""Every operation of a dimension, as a client in Python calls it with bodies of its own types."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest

from tests.account.samples import FULL
from tests.factories import currency

# A repository without elements.
OTHER = "southwind"
each_dimension = pytest.mark.parametrize(
    ("dimension", "plural", "element"),
    [
        ("currency", "currencies", {**currency("PYC"), "referenceCurrency": {"id": "EUR", "coefficient": None}}),
        ("account", "accounts", {name: value for name, value in FULL.items() if name != "updateInfo"}),
    ],
    ids=["currency", "account"],
)


def is_meant_untyped(model: str, member: str, annotation: object) -> bool:
    """Whether the documents name no type for `member` of `model` on purpose.

    `update_info` in a request is ignored, whatever it is (contract C12). Of a selection the groups hold what was asked
    for, and `descriptions` is a text or a map (contract D8). What a field had before and after a change has its type.
    """
    if model == "ChangedField":
        return member in {"before", "after", "additional_properties"}
    if model.endswith("Selection"):
        return member in {"additional_properties", "descriptions"} or "Dict[str, " in str(annotation)
    if member == "update_info":
        return model.endswith(("Create", "Replace", "Merge", "Patch"))
    return member == "additional_properties"


# Calls the operation with that name, which has to answer with that status; returns the content and the headers.
Call = Callable[..., tuple[Any, Mapping[str, str]]]


def do_every_operation(call: Call, dimension: str, plural: str, element: Any) -> set[str]:
    """Call all with `call(operation, status, *path, **arguments)`; return their names."""
    done: set[str] = set()

    def answer(operation: str, status: int, *path: Any, **arguments: Any) -> tuple[Any, Mapping[str, str]]:
        done.add(operation)
        return call(operation, status, *path, **arguments)

    def do(operation: str, status: int, *path: Any, **arguments: Any) -> Any:
        return answer(operation, status, "northwind", *path, **arguments)[0]

    id = element["id"]
    description = {"descriptions": {"en": "Another name"}}
    repositories, _ = answer("list_repositories", 200)
    assert "northwind" in [repository.db_id for repository in repositories]
    created = do(f"create_{dimension}", 201, body=element)
    assert {name: value for name, value in created.to_dict().items() if name in element} == element
    if dimension == "currency":
        assert created.reference_currency.coefficient is None
        changed = do("patch_currency", 200, id, body={"referenceCurrency": {"coefficient": True}})
        coefficient = changed.reference_currency.coefficient
        assert getattr(coefficient, "actual_instance", coefficient) is True
    assert do(f"create_{dimension}", 400, body=element).code == "ALREADY_EXISTS"
    assert do(f"get_{dimension}", 200, id).id == id
    assert do(f"replace_{dimension}", 200, id, body={**element, **description}).id == id
    assert do(f"patch_{dimension}", 200, id, body=description).descriptions["en"] == "Another name"
    assert [found.id for found in do(f"list_{plural}", 200, filter=f"id=={id}", sort="-id", take=1)] == [id]
    assert do(f"count_{plural}", 200, filter=f"id=={id}") == 1
    assert do(f"fetch_{plural}", 200, properties="id,description", filter=f"id=={id}")[0].id == id
    assert [found.change for found in do(f"list_{dimension}_changes", 200, filter=f"id=={id}")] == ["saved"]
    change_set = do(f"list_{dimension}_change_sets", 200, take=1)[0]
    assert (change_set.user, change_set.committed_at.utcoffset()) == ("alice", timedelta(0))
    assert do(f"list_{dimension}_versions", 200, id=id, take=1)[0].id == id
    compared = do(f"compare_{plural}", 200, filter=f"id=={id}", from_repository=OTHER)
    assert [(each.id, each.action) for each in compared] == [(id, "created")]
    assert [found.id for found in do(f"list_{plural}", 200, filter=f"id=={id}", unused=True)] == [id]
    assert do(f"list_{dimension}_uses", 200, id=[id])[0].count == 0
    do(f"save_{plural}", 200, body={"put": [element]})
    do(f"save_{plural}", 200, body={"merge": [{"id": id, **description}]})
    assert do(f"get_{dimension}", 200, id).descriptions["en"] == "Another name"
    if dimension == "account":
        assert do("save_accounts_minimal", 200, body={"merge": [{"id": id}]}).code == "SUCCESS"
        conversion = {"conversionType": created.conversion.conversion_type}
        do("patch_account", 200, id, body={"nature": created.nature, "conversion": conversion})
    token = answer(f"list_{plural}", 200, "northwind", filter=f"id=={id}")[1]["Sync-Token"]
    for source, value in (
        ("bulk", {"merge": [{"id": id}], "delete": [{"id": "nothing"}]}),
        ("repository", OTHER),
        ("asOf", token),
        ("undo", str(change_set.id)),
    ):
        plan = do(f"plan_{plural}", 201, body={source: value, "scope": f"id=={id}", "maxDelete": "100%"})
        assert plan.source.to_dict() == {source: 2 if source == "bulk" else value}
        do(f"delete_{dimension}_plan", 204, plan.plan_id)
    assert do(f"plan_{plural}", 400, body={"scope": f"id=={id}"}).errors[0].code == "ONE_SOURCE"
    snapshot = {"snapshot": [element], "scope": f"id=={id}", "maxDelete": "0", "reason": "As it was"}
    plan, headers = answer(f"plan_{plural}", 201, "northwind", body=snapshot)
    assert (plan.changed, plan.source.snapshot) == (1, 1)
    assert plan.plan_id in [each.plan_id for each in do(f"list_{dimension}_plans", 200)]
    assert do(f"get_{dimension}_plan", 200, plan.plan_id).status == "READY"
    changes = do(f"list_{dimension}_plan_changes", 200, plan.plan_id, take=1)[0].changes
    assert "Another name" in [field.before for field in changes]
    for decide in ("approve", "reject"):  # neither its author nor a key does
        decision = {"if_match": headers["ETag"], "body": {"text": "As agreed"}}
        refused = do(f"{decide}_{dimension}_plan", 403, plan.plan_id, **decision)
        assert refused.code in {"OWN_PLAN", "NOT_A_PERSON"}
    assert do(f"apply_{dimension}_plan", 200, plan.plan_id, if_match=headers["ETag"]).status == "APPLIED"
    do(f"delete_{dimension}_plan", 204, plan.plan_id)
    started = do(f"delete_{plural}", 202, body=[{"id": id}], references="refuse")
    assert started.data_processing_id in [each.data_processing_id for each in do(f"list_{dimension}_deletions", 200)]
    assert do(f"get_{dimension}_deletion", 200, started.data_processing_id)
    stopped = do(f"abort_{dimension}_deletion", 202 if dimension == "currency" else 200, started.data_processing_id)
    assert str(started.data_processing_id) in stopped.message
    assert do(f"get_{dimension}", 404, "nothing").code == "ELEMENT_NOT_FOUND"
    return done
