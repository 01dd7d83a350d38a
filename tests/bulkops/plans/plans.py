"""Plans as integrators make and apply them."""

from typing import Any

from tests.bulkops.save.bulk import path
from tests.factories import Person, read

COUNTS = ("created", "changed", "unchanged", "deleted")


def send(person: Person, dimension: str, db_id: str = "northwind", **body: Any) -> Any:
    """The answer to the request for a plan."""
    return person.send("POST", path(person, dimension, "elements-plans", db_id), body)


def make(person: Person, dimension: str, db_id: str = "northwind", **body: Any) -> dict[str, Any]:
    """A new plan; anything but success fails."""
    response = send(person, dimension, db_id, **body)
    assert response.status_code == 201, response.content[:2_000]
    plan: dict[str, Any] = read(response)
    return plan


def one(person: Person, dimension: str, plan: dict[str, Any], rest: str = "", db_id: str = "northwind") -> str:
    """The path of a plan, or of something below it."""
    return path(person, dimension, f"elements-plans/{plan['planId']}{rest}", db_id)


def changes(person: Person, dimension: str, plan: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    """What the plan does, by element."""
    response = person.get(one(person, dimension, plan, "/changes") + query)
    assert response.status_code == 200
    found: list[dict[str, Any]] = read(response)
    return found


def apply(person: Person, dimension: str, plan: dict[str, Any], **headers: str) -> Any:
    """The answer to the application of a plan that was just read."""
    etag = person.get(one(person, dimension, plan))["ETag"]
    return person.send("POST", one(person, dimension, plan, "/apply"), "", **{"If-Match": etag, **headers})


def applied(person: Person, dimension: str, plan: dict[str, Any]) -> dict[str, Any]:
    """The plan after its application; anything but success fails."""
    response = apply(person, dimension, plan)
    assert response.status_code == 200, response.content[:2_000]
    found: dict[str, Any] = read(response)
    assert found["status"] == "APPLIED"
    return found


def counts(plan: dict[str, Any]) -> tuple[int, ...]:
    """The counts of a plan: created, changed, unchanged, deleted."""
    return tuple(plan[name] for name in COUNTS)


def without_info(elements: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The elements without what each write changes."""
    return [{name: value for name, value in element.items() if name != "updateInfo"} for element in elements]
