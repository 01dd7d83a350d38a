"""Calls of the routes of what has changed, as clients make them."""

from typing import Any

from tests.factories import Person, read

Change = tuple[str, str]


def token(person: Person, path: str = "elements", dimension: str = "account") -> str:
    """The Sync-Token of a list, or of another route."""
    response = person.get(person.elements(dimension, path))
    assert response.status_code == 200
    return str(response["Sync-Token"])


def answer(person: Person, route: str, dimension: str = "account", **query: str) -> Any:
    """The JSON of `elements-{route}`, which is answered with 200."""
    response = person.get(person.elements(dimension, f"elements-{route}" if route else "elements"), query)
    body = read(response)
    assert response.status_code == 200, body
    return body


def changes(person: Person, since: str, dimension: str = "account", **query: str) -> list[Change]:
    """The changes since the token: what each says, and the id of its element."""
    found = answer(person, "changes", dimension, since=since, **query)
    return [(one["change"], one["id"] if one["change"] == "deleted" else one["element"]["id"]) for one in found]


def refusal(person: Person, route: str, dimension: str = "account", **query: str) -> tuple[int, str, list[Change]]:
    """The status and the code of a refused call, and the path and code of each error."""
    response = person.get(person.elements(dimension, f"elements-{route}" if route else "elements"), query)
    body = read(response)
    return response.status_code, body["code"], [(one["path"], one["code"]) for one in body.get("errors", ())]
