"""Bulk calls, and how their answers are compared."""

from collections.abc import Iterable
from typing import Any

from dimensions_site.repositories.dimensions import dimension_names
from tests.factories import Person, read

DIMENSIONS = dimension_names()


def path(person: Person, dimension: str, rest: str = "elements-bulk", db_id: str = "northwind") -> str:
    """The path of a route of the dimension."""
    return person.elements(dimension, rest, db_id)


def send(person: Person, dimension: str, body: Any, query: str = "", **headers: str) -> Any:
    """The answer to a bulk save in Northwind."""
    return person.send("POST", path(person, dimension) + query, body, **headers)


def save(person: Person, dimension: str, **body: Any) -> Any:
    """Save and return the response; anything but success fails."""
    response = send(person, dimension, body)
    assert response.status_code == 200, response.content[:2_000]
    return read(response)


def refused(response: Any) -> dict[str, Any]:
    """The report of a refused call."""
    report: dict[str, Any] = read(response)
    assert response.status_code == 400, report
    assert response["Content-Type"] == "application/problem+json"
    return report


def places(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Path and code of each error of a report, in its order."""
    return [(error["path"], error["code"]) for error in report["errors"]]


def patch(id: str, /, **data: Any) -> dict[str, Any]:
    """An entry of `patch`."""
    return {"key": {"id": id}, "data": data}


def element(person: Person, dimension: str, id: str) -> Any:
    """The element as it is read alone."""
    response = person.get(path(person, dimension, f"elements/{id}"))
    assert response.status_code == 200
    return read(response)


def elements(person: Person, dimension: str) -> list[Any]:
    """All elements, by id."""
    found: list[Any] = read(person.get(path(person, dimension, "elements")))
    return found


def without(element: dict[str, Any], *names: str) -> dict[str, Any]:
    """The element without who wrote it, and without the members `names`."""
    return {name: value for name, value in element.items() if name not in {"updateInfo", *names}}


def ids(elements: Iterable[dict[str, Any]]) -> list[str]:
    return [element["id"] for element in elements]
