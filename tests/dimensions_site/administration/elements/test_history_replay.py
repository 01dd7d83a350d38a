"""The history has every state that a repository was ever in, however it was written."""

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest
from django.core.management import call_command
from django.test import Client

from tests.bulkops.save.bulk import without
from tests.dimensions import MODELS, WIRES
from tests.dimensions_site.administration.site.pages import filled_in, typed
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.dimensions_site.elements.history.histories import IDS, Walk
from tests.factories import MAKERS
from tests.lengths import tries
from tests.random_elements import RandomElements

T = TypeVar("T")
EACH = tries(5, long=50)
WAYS = (
    *("put", "patch", "save", "delete", "import_file", "create_in_form", "change_in_form"),
    *("restore", "restore_deleted", "delete_on_page"),
)


@dataclass(frozen=True)
class WalkOnPages(Walk):
    """Changes the elements of Northwind at random, each time by another way of writing."""

    browser: Client
    file: Path

    @property
    def model(self) -> Any:
        return MODELS[self.dimension]

    def change(self, way: str) -> None:
        """Make one change that way."""
        getattr(self, way)(sorted(self.model.objects.values_list("element_id", flat=True)))

    def one_of(self, known: list[T]) -> list[T]:
        return self.random.sample(known, min(1, len(known)))

    def import_file(self, living: list[str]) -> None:
        if living:
            rows = [f"{id},import {self.random.randrange(3)}" for id in self.random.sample(living, min(2, len(living)))]
            self.file.write_text("\n".join(["id,descriptions.en", *rows]) + "\n")
            name = {"account": "import_accounts", "currency": "import_currencies"}[self.dimension]
            call_command(name, "northwind", str(self.file))

    def create_in_form(self, living: list[str]) -> None:
        for id in self.one_of(sorted(set(IDS) - set(living))):
            form = typed(MAKERS[self.dimension](id, descriptions={"en": f"form {self.random.randrange(3)}"}))
            assert self.browser.post(page(self.model, "add"), form).status_code == 302

    def change_in_form(self, living: list[str]) -> None:
        for id in self.one_of(living):
            address = page(self.model, "change", self.model.objects.get(element_id=id).pk)
            form = filled_in(self.browser.get(address))
            form.pop("descriptions:0:null", None)
            form["descriptions:0:text"] = f"form {self.random.randrange(3)}"
            assert self.browser.post(address, form).status_code == 302

    def restore(self, living: list[str]) -> None:
        versions = self.model.version_model.objects.filter(element_id__in=living, change__in="+~").order_by("number")
        numbers = list(versions.values_list("number", "element_id"))
        latest = {id: number for number, id in numbers}
        for number in self.one_of([number for number, id in numbers if number != latest[id]]):
            self.browser.post(page(self.model, "restore", number))

    def restore_deleted(self, living: list[str]) -> None:
        gone = self.model.version_model.objects.exclude(element_id__in=living)
        for version in self.one_of(list(gone.order_by("number").values_list("number", flat=True))):
            self.browser.post(page(self.model, "restore", version), {"is_deleted": "yes"})

    def delete_on_page(self, living: list[str]) -> None:
        for id in self.one_of(living):
            address = page(self.model, "delete", self.model.objects.get(element_id=id).pk)
            self.browser.post(address, {"post": "yes"})


def states(dimension: str, rows: Any, repository: Any) -> dict[int, str]:
    """Primary key and wire JSON of each row, without who wrote it."""
    wire = WIRES[dimension]
    return {row.id: json.dumps(without(wire.json_of(row, repository.default_language)), sort_keys=True) for row in rows}


@pytest.mark.contract("C18")
@pytest.mark.parametrize("dimension", MODELS)
@pytest.mark.django_db(transaction=True)
def test_the_state_of_every_moment_is_rebuilt_from_the_history(dimension, alice, northwind, tmp_path):
    """After each random change: the elements as stored, and as the history up to then shows them."""
    random, source = Random(EACH), RandomElements(WIRES[dimension], seed=EACH)
    walk = WalkOnPages(alice, dimension, "northwind", random, source, browser_of(alice), tmp_path / "table.csv")
    moments: list[tuple[str, int, dict[int, str]]] = []
    for way in random.sample(WAYS * EACH, EACH * len(WAYS)):
        walk.change(way)
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
    kinds = set(walk.model.version_model.objects.values_list("change", "change_set__channel"))
    channels = {
        "+": ("REST", "ADMIN", "RESTORE"),
        "~": ("REST", "ADMIN", "RESTORE", "IMPORT"),
        "-": ("ADMIN", "DELETION"),
    }
    assert kinds == {(kind, channel) for kind in channels for channel in channels[kind]}
