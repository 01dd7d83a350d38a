"""People who propose, approve and reject plans."""

from datetime import timedelta
from typing import Any

from dimensions_site.changes.requirements import set_approval
from dimensions_site.repositories.models import ApprovalSwitch, Repository, Role
from dimensions_site.tokens.jwt.tokens import ACCESS, new_claims, sign_token
from tests.bulkops.plans.plans import one
from tests.factories import Person, add_person, read

EVERYTHING, DELETIONS, NOTHING = ApprovalSwitch.ALL, ApprovalSwitch.DELETIONS, ApprovalSwitch.NONE


def signed_in(person: Person) -> Person:
    """The same user with the token of a password, so that they count as a person."""
    client = Person(headers={"Authorization": f"Bearer {sign_token(new_claims(ACCESS, person.user, timedelta(1)))}"})
    client.user = person.user
    return client


def somebody(name: str, repository: Repository, role: Role) -> Person:
    """A new user with the role, signed in."""
    return signed_in(add_person(name, repository, role))


def require_approval(repository: Repository, switch: ApprovalSwitch = EVERYTHING) -> None:
    """Throw the switch for all dimensions of the repository."""
    for dimension in ("account", "currency"):
        set_approval(repository, dimension, switch)
    repository.refresh_from_db()


def decide(
    person: Person, dimension: str, plan: dict[str, Any], do: str = "approve", text: str = "Agreed.", **headers: str
) -> Any:
    """The answer to the decision on a plan that was just read."""
    etag = person.get(one(person, dimension, plan))["ETag"]
    return person.send("POST", one(person, dimension, plan, f"/{do}"), {"text": text}, **{"If-Match": etag, **headers})


def approved(person: Person, dimension: str, plan: dict[str, Any], text: str = "Agreed.") -> dict[str, Any]:
    """The plan after its approval; anything but success fails."""
    response = decide(person, dimension, plan, "approve", text)
    assert response.status_code == 200, response.content[:2_000]
    found: dict[str, Any] = read(response)
    assert found["status"] == "APPROVED"
    return found


def refusal(response: Any) -> tuple[int, str]:
    """Status and code of a refusal."""
    return response.status_code, read(response)["code"]
