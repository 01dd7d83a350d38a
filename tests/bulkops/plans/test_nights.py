"""Nightly plans: a source owns some fields of a chart, accountants own others, and neither loses anything."""

from random import Random
from typing import Any

import pytest

from dimensions_site.demo.samples import fill_accounts
from tests.bulkops.plans.plans import applied, apply, changes, make
from tests.bulkops.save.bulk import elements, patch, save
from tests.factories import Person, read
from tests.lengths import tries

# A multiple of 3.
NIGHTS = tries(3, long=30)
# So many times the sample chart.
TIMES = 2
OWNED = ("id", "descriptions", "nature", "type", "conversion")
Element = dict[str, Any]


class Source:
    """The system that owns the chart: every night it changes some accounts, adds some and drops some."""

    def __init__(self, chart: list[Element], random: Random) -> None:
        self._random = random
        self._added = 0
        self.accounts: dict[str, Element] = {}
        for turn in range(TIMES):
            for element in chart:
                id = f"{turn}.{element['id']}"
                self.accounts[id] = {**{name: element[name] for name in OWNED}, "id": id}

    def live(self, night: int) -> None:
        """Do what happens in one day."""
        for id in self._random.sample(sorted(self.accounts), 12):
            before = self.accounts[id]
            self.accounts[id] = {**before, "descriptions": {**before["descriptions"], "en": f"{id}, night {night}"}}
        for id in self._random.sample(sorted(self.accounts), 5):
            del self.accounts[id]
        for _ in range(6):
            self._added += 1
            model = self._random.choice(list(self.accounts.values()))
            id = f"new.{self._added}"
            self.accounts[id] = {**model, "id": id}


class Accountants:
    """People who add links and attributes to accounts, by REST."""

    def __init__(self, person: Person, random: Random) -> None:
        self._person = person
        self._random = random
        # The link and the attributes of each account that has any.
        self.notes: dict[str, tuple[str, dict[str, str]]] = {}

    def edit(self, ids: list[str], mark: str) -> None:
        """Set the link of these accounts, and add an attribute to them."""
        for id in ids:
            _, attributes = self.notes.get(id, ("", {}))
            self.notes[id] = (f"https://intranet.example/{mark}", {**attributes, mark: id})
        changed = [patch(id, documentationLink=self.notes[id][0], customAttributes={mark: id}) for id in ids]
        save(self._person, "account", patch=changed)


@pytest.mark.contract("K4", "K6", "I3", "I4")
@pytest.mark.django_db(transaction=True)
def test_many_nights_lose_nothing(alice, northwind):
    """Each night everything of the source arrives, every note stays, and the feed has exactly what the plan shows."""
    random = Random(30)
    fill_accounts(northwind)
    source = Source(elements(alice, "account"), random)
    people = Accountants(alice, random)
    wanted = list(source.accounts.values())
    applied(alice, "account", make(alice, "account", snapshot=wanted, maxDelete="100%"))
    outdated = 0
    for night in range(NIGHTS):
        source.live(night)
        present = sorted(element["id"] for element in elements(alice, "account"))
        people.edit(random.sample(present, 8), f"day{night}")
        plan = make(alice, "account", snapshot=list(source.accounts.values()), maxDelete="2%")
        touched = [change["id"] for change in changes(alice, "account", plan, "?action=changed")]
        untouched = sorted({*present} & source.accounts.keys() - {*touched})
        people.edit(random.sample(untouched, 2), f"evening{night}")  # does not matter to the plan
        if night % 3 == 0:
            late = random.sample(touched, 2)
            people.edit(late, f"late{night}")
            report = read(apply(alice, "account", plan))
            assert report["code"] == "PLAN_OUTDATED"
            assert [error["id"] for error in report["errors"]] == sorted(late)
            outdated += 1
            plan = make(alice, "account", snapshot=list(source.accounts.values()), maxDelete="2%")
        shown = {change["id"]: change["action"] == "deleted" for change in changes(alice, "account", plan)}
        token = alice.get(alice.account("elements?take=1"))["Sync-Token"]
        done = applied(alice, "account", plan)

        assert (done["created"], done["deleted"]) == (6, 5)
        answer = read(alice.get(alice.account("elements-changes"), {"since": token}))
        fed = {one["id"] if "id" in one else one["element"]["id"]: one["change"] == "deleted" for one in answer}
        assert fed == shown
        stored = {element["id"]: element for element in elements(alice, "account")}
        assert stored.keys() == source.accounts.keys()
        assert [{name: stored[id][name] for name in OWNED} for id in source.accounts] == list(source.accounts.values())
        people.notes = {id: note for id, note in people.notes.items() if id in stored}
        notes = {
            id: (element["documentationLink"], element["customAttributes"])
            for id, element in stored.items()
            if element["customAttributes"]
        }
        assert notes == people.notes
    assert outdated == NIGHTS // 3
