"""The history has every state that a repository was ever in, however it was written."""

import json
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from tests.bulkops.jobs.deletions import start, work_now
from tests.bulkops.save.bulk import without
from tests.dimensions import MODELS, WIRES
from tests.dimensions_site.administration.site.pages import filled_in, typed
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import MAKERS, content
from tests.lengths import tries
from tests.random_elements import RandomElements

CHANGES = tries(45, long=500)
IDS = [f"{number:02}" for number in range(12)]

WAYS = (
    *("put", "patch", "bulk_save", "import_file", "create_in_form", "change_in_form"),
    *("restore", "restore_deleted", "delete", "delete_many"),
)


class Walk:
    """Changes the elements of Northwind at random, each time by another way of writing."""

    def __init__(self, dimension: str, alice: Any, folder: Any) -> None:
        self.dimension = dimension
        self.model = MODELS[dimension]
        self.alice = alice
        self.browser = browser_of(alice)
        self.file = folder / "table.csv"
        self.random = Random(CHANGES)
        self.source = RandomElements(WIRES[dimension], seed=CHANGES)

    def step(self) -> str:
        """Make one change and return by which way."""
        way = self.random.choice(WAYS)
        getattr(self, way)()
        return way

    @property
    def living(self) -> list[str]:
        return sorted(self.model.objects.values_list("element_id", flat=True))

    def address(self, rest: str) -> str:
        path: str = getattr(self.alice, self.dimension)(rest)
        return path

    def whole(self, id: str) -> dict[str, Any]:
        """A random element; the oid of a currency is left to the service, since it never changes."""
        return {name: value for name, value in {**self.source.one(), "id": id}.items() if name != "oid"}

    def send(self, method: str, rest: str, body: Any) -> None:
        answer = self.alice.send(method, self.address(rest), body)
        text = content(answer)
        assert answer.status_code in (200, 201), text

    def put(self) -> None:
        id = self.random.choice(IDS)
        self.send("PUT", f"elements/{id}", self.whole(id))

    def patch(self) -> None:
        for id in self.random.sample(self.living, min(1, len(self.living))):
            self.send("PATCH", f"elements/{id}", self.source.changes())

    def bulk_save(self) -> None:
        chosen = self.random.sample(IDS, 4)
        living = set(self.living)
        patches = [{"key": {"id": id}, "data": self.source.changes()} for id in chosen[2:] if id in living]
        puts = [self.whole(id) for id in chosen if id not in {entry["key"]["id"] for entry in patches}]
        self.send("POST", "elements-bulk", {"put": puts, "patch": patches})

    def import_file(self) -> None:
        if living := self.living:
            rows = [f"{id},import {self.random.randrange(3)}" for id in self.random.sample(living, min(2, len(living)))]
            self.file.write_text("\n".join(["id,descriptions.en", *rows]) + "\n")
            name = {"account": "import_accounts", "currency": "import_currencies"}[self.dimension]
            call_command(name, "northwind", str(self.file))

    def create_in_form(self) -> None:
        make = MAKERS[self.dimension]
        for id in self.random.sample(free := sorted(set(IDS) - set(self.living)), min(1, len(free))):
            form = typed(make(id, descriptions={"en": f"form {self.random.randrange(3)}"}))
            assert self.browser.post(page(self.model, "add"), form).status_code == 302

    def change_in_form(self) -> None:
        for id in self.random.sample(self.living, min(1, len(self.living))):
            address = page(self.model, "change", self.model.objects.get(element_id=id).pk)
            form = filled_in(self.browser.get(address))
            form.pop("descriptions:0:null", None)
            form["descriptions:0:text"] = f"form {self.random.randrange(3)}"
            assert self.browser.post(address, form).status_code == 302

    def restore(self) -> None:
        versions = list(
            self.model.version_model.objects.filter(element_id__in=self.living).values_list("pk", flat=True)
        )
        for version in self.random.sample(versions, min(1, len(versions))):
            self.browser.post(page(self.model, "restore", version))

    def restore_deleted(self) -> None:
        gone = list(self.model.version_model.objects.exclude(element_id__in=self.living).values_list("pk", flat=True))
        for version in self.random.sample(gone, min(1, len(gone))):
            self.browser.post(page(self.model, "restore", version), {"is_deleted": "yes"})

    def delete(self) -> None:
        for id in self.random.sample(self.living, min(1, len(self.living))):
            self.browser.post(page(self.model, "delete", self.model.objects.get(element_id=id).pk), {"post": "yes"})

    def delete_many(self) -> None:
        start(self.alice, self.random.sample(IDS, 2), self.dimension)
        work_now()


def states(dimension: str, rows: Any, repository: Any) -> dict[int, str]:
    """Primary key and wire JSON of each row, without who wrote it."""
    wire = WIRES[dimension]
    return {row.id: json.dumps(without(wire.json_of(row, repository.default_language)), sort_keys=True) for row in rows}


@pytest.mark.contract("C18")
@pytest.mark.parametrize("dimension", MODELS)
@pytest.mark.django_db(transaction=True)
def test_the_state_of_every_moment_is_rebuilt_from_the_history(dimension, alice, northwind, tmp_path):
    """After each random change: the elements as stored, and as the history up to then shows them."""
    walk = Walk(dimension, alice, tmp_path)
    moments: list[tuple[str, int, dict[int, str]]] = []
    for _ in range(CHANGES):
        way = walk.step()
        last = walk.model.version_model.objects.order_by("-number").values_list("pk", flat=True).first() or 0
        moments.append((way, last, states(dimension, walk.model.objects.all(), northwind)))

    rebuilt: dict[int, str] = {}
    versions = iter(list(walk.model.version_model.objects.order_by("number")))
    version = next(versions, None)
    for way, last, state in moments:
        while version is not None and version.number <= last:
            rebuilt.pop(version.id, None)
            if version.change != "-":
                rebuilt |= states(dimension, [version], northwind)
            version = next(versions, None)
        assert rebuilt == state, way
    assert version is None
    assert {way for way, _, _ in moments} == set(WAYS)
    kinds = set(walk.model.version_model.objects.values_list("change", "change_set__channel"))
    channels = {
        "+": ("REST", "ADMIN", "RESTORE"),
        "~": ("REST", "ADMIN", "RESTORE", "IMPORT"),
        "-": ("ADMIN", "DELETION"),
    }
    assert kinds == {(kind, channel) for kind in channels for channel in channels[kind]}
