"""Random plans of all sources: the application does exactly what the plan shows, and its undo leads back."""

from random import Random
from typing import Any

import pytest

from dimensions_site.repositories.models import AccessGrant, Role
from tests.bulkops.plans.plans import applied, changes, counts, make, without_info
from tests.dimensions import DIMENSIONS
from tests.dimensions_site.elements.history.histories import IDS, Moment, Walk, differences
from tests.factories import Person, read
from tests.lengths import tries
from tests.random_elements import RandomElements

PLANS = tries(9, long=1_000)
# Each walk begins with empty repositories. It is one transaction, and PostgreSQL keeps a lock for each of its temporary
# tables.
WALK = 25
WALKS = [range(first, min(first + WALK, PLANS)) for first in range(0, PLANS, WALK)]
ALL = "100%"


class Sources:
    """Requests for plans, of one kind after the other."""

    def __init__(self, walk: Walk, moments: list[Moment]) -> None:
        self.walk = walk
        self.moments = moments
        self.kinds = (self.snapshot, self.replacement, self.repository, self.as_of, self.undo, self.bulk)

    def ask(self, number: int) -> dict[str, Any]:
        return self.kinds[number % len(self.kinds)]()

    def chart(self) -> list[dict[str, Any]]:
        """A new chart, some of whose elements are as they were."""
        kept = {element["id"]: element for element in self.walk.random.choice(self.moments).elements}
        ids = self.walk.random.sample(IDS, 6)
        # An oid of another life of the element would be refused.
        return [
            {name: value for name, value in kept[id].items() if name != "oid"}
            if id in kept and self.walk.random.random() < 0.5
            else self.walk.whole(id)
            for id in ids
        ]

    def snapshot(self) -> dict[str, Any]:
        return {"snapshot": self.chart()}

    def replacement(self) -> dict[str, Any]:
        return {"snapshot": self.chart(), "replace": True}

    def repository(self) -> dict[str, Any]:
        return {"repository": "contoso"}

    def as_of(self) -> dict[str, Any]:
        return {"asOf": self.walk.random.choice(self.moments).token}

    def undo(self) -> dict[str, Any]:
        sets = read(self.walk.alice.get(self.walk.path("elements-changesets")))
        chosen = self.walk.random.choice(sets)
        return {"undo": chosen["operation"] or chosen["id"], "onConflict": "skip"}

    def bulk(self) -> dict[str, Any]:
        living = {element["id"] for element in read(self.walk.alice.get(self.walk.path()))}
        ids = self.walk.random.sample(IDS, 8)
        patched = [id for id in ids[4:6] if id in living]
        return {
            "bulk": {
                "post": [self.walk.whole(id) for id in ids[:1] if id not in living],
                "put": [self.walk.whole(id) for id in ids[1:3]],
                "merge": [self.walk.whole(ids[3])],
                "patch": [{"key": {"id": id}, "data": self.walk.source.changes()} for id in patched],
                "delete": [{"id": id} for id in ids[6:]],
            }
        }


@pytest.mark.contract("K1", "K4", "K5", "K6", "K7")
@pytest.mark.parametrize("numbers", WALKS, ids=str)
@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.django_db(transaction=True)
def test_the_application_does_what_the_plan_shows(alice: Person, bob: Person, contoso, dimension, numbers):
    """The measure is the difference of the lists before and after it; the undo leads back, except for updateInfo."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    wire, seed = DIMENSIONS[dimension].wire, numbers.start
    walk = Walk(alice, dimension, "northwind", Random(seed), RandomElements(wire, seed))
    there = Walk(bob, dimension, "contoso", Random(-seed - 1), RandomElements(wire, -seed - 1))
    walk.save([])
    moments = [walk.moment()]
    sources = Sources(walk, moments)
    for number in numbers:
        walk.step()
        there.step()
        before = walk.moment()
        plan = make(alice, dimension, **sources.ask(number), maxDelete=ALL)
        shown = changes(alice, dimension, plan)
        assert (plan["status"], plan["errors"]) == ("READY", [])
        assert walk.moment().json == before.json

        done = applied(alice, dimension, plan)
        after = walk.moment()
        reported = [
            (one["id"], one["action"], {each["path"]: (each["before"], each["after"]) for each in one["changes"]})
            for one in shown
        ]
        assert reported == differences(before, after)
        actions = [one["action"] for one in shown]
        assert [actions.count(name) for name in ("created", "changed", "deleted")] == [
            count for count, name in zip(counts(plan), ("created", "changed", "", "deleted"), strict=True) if name
        ]
        moments.append(after)
        if done["changeSet"]:
            undo = make(alice, dimension, undo=done["changeSet"], maxDelete=ALL)
            applied(alice, dimension, undo)
            assert without_info(walk.moment().elements) == without_info(before.elements)
