"""A third dimension does everything that the others do; `test_third_dimension.py` runs these with its settings."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from openapi_spec_validator import validate

from bulkops.models import FileImport
from dimensions_site.elements.dimension import dimensions
from dimensions_site.repositories.models import AccessGrant, ApiKey, Role
from tests.bulkops.jobs import deletions
from tests.bulkops.plans import plans
from tests.dimensions_site.administration.files.imports import describe, upload
from tests.dimensions_site.administration.site.pages import change, filled_in
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.dimensions_site.elements.history.calls import answer, token
from tests.entity.models import Entity
from tests.factories import Person, add_person, content, currency, read
from tests.openapi.test_openapi_examples import play, shown_answers
from tests.storing import store_currencies

EXAMPLES = Path(__file__).with_name("examples.json")
ENTITIES = "/dimensions/v1/northwind/entity/elements"
pytestmark = pytest.mark.django_db


def entity(id: str = "DE01", **fields: Any) -> dict[str, Any]:
    return {"id": id, "descriptions": {"en": "Germany"}, "method": "FULL", **fields}


def create(person: Person, *bodies: dict[str, Any]) -> None:
    for body in bodies:
        assert person.send("POST", ENTITIES, body).status_code == 201


def ids(person: Person, query: str) -> list[str]:
    return [element["id"] for element in read(person.get(f"{ENTITIES}?{query}"))]


def test_no_other_app_needs_a_migration():
    assert [dimension.name for dimension in dimensions()] == ["currency", "account", "entity"]
    call_command("makemigrations", check=True, dry_run=True)


def test_one_element_is_created_read_replaced_and_patched(alice):
    """Under both prefixes, by the rules of the wire."""
    body = entity(share="80.0", parent={"id": "GROUP"}, currency={"id": "EUR"})
    created = alice.send("POST", ENTITIES, body)
    assert (created.status_code, created["Location"]) == (201, f"{ENTITIES}/DE01")
    assert created.json()["currency"] == {"id": "EUR", "description": None}
    other_prefix = alice.get("/api/aih/dimensions/v1/northwind/entity/elements/DE01")
    assert other_prefix.json() == created.json()
    patched = alice.send("PATCH", f"{ENTITIES}/DE01", {"isActive": True}).json()
    assert (patched["isActive"], patched["share"]) == (True, "80.0")
    assert alice.send("PUT", f"{ENTITIES}/DE01", entity()).json()["share"] is None
    wrong = alice.send("POST", ENTITIES, entity("X", method="NONE", shares=1)).json()
    assert {error["path"] for error in wrong["errors"]} == {"method", "shares"}
    unknown = alice.get(f"{ENTITIES}/X").json()
    assert unknown["detail"] == "There is no entity 'X' in repository 'northwind'."


def test_lists_are_filtered_sorted_counted_and_written_as_csv(alice):
    create(alice, entity("A", share="80"), entity("B", method="EQUITY", share="9.5"), entity("C", parent={"id": "A"}))
    assert ids(alice, "filter=method==FULL&sort=-id") == ["C", "A"]
    assert ids(alice, "filter=share=gt=10,parent.id==A") == ["A", "C"]
    assert read(alice.get(f"{ENTITIES}-count?filter=share=lt=10")) == 1
    assert read(alice.get(f"{ENTITIES}-fetch?properties=id,method&take=1")) == [{"id": "A", "method": "FULL"}]
    assert content(alice.get(f"{ENTITIES}-fetch?properties=id,share", headers={"accept": "text/csv"})).decode() == (
        "id,share\r\nA,80\r\nB,9.5\r\nC,\r\n"
    )


def test_many_are_saved_and_strict_looks_for_what_they_refer_to(alice, northwind):
    """In their own dimension and in others."""
    store_currencies(northwind, currency())
    loose = {"post": [entity("A"), entity("B", parent={"id": "nowhere"})]}
    assert len(read(alice.send("POST", f"{ENTITIES}-bulk", loose))) == 2
    strict = {
        "saveMode": "STRICT",
        "post": [entity("C", parent={"id": "A"}, currency={"id": "EUR"})],
        "patch": [{"key": {"id": "B"}, "data": {"currency": {"id": "XXX"}}}],
    }
    errors = alice.send("POST", f"{ENTITIES}-bulk", strict).json()["errors"]
    assert [(error["path"], error["message"].partition(",")[0]) for error in errors] == [
        ("/patch/0/data/parent/id", "parent.id refers to the entity 'nowhere'"),
        ("/patch/0/data/currency/id", "currency.id refers to the currency 'XXX'"),
    ]
    assert Entity._base_manager.count() == 2
    del strict["patch"]
    assert read(alice.send("POST", f"{ENTITIES}-bulk", strict))[0]["id"] == "C"


def test_a_grant_and_a_key_can_be_for_it_alone(northwind):
    """The commands and the forms of grants and keys know it."""
    emma = add_person("emma", northwind, Role.EDITOR, dimension="entity")
    assert emma.send("POST", ENTITIES, entity()).status_code == 201
    refused = emma.get(emma.currency())
    assert (refused.status_code, refused.json()["code"]) == (403, "NO_GRANT")
    call_command("grant_access", "emma", "northwind", "reader", dimension="currency")
    call_command("create_api_key", "emma", name="narrow", dimension="entity")
    assert AccessGrant.objects.filter(dimension="entity").get().get_dimension_display() == "entity"
    assert ApiKey.objects.get(name="narrow").allows() == "manager of entity in all repositories"


def test_what_is_exported_is_imported_again(alice, tmp_path):
    """By the commands, as CSV."""
    create(alice, entity("A", share="80", isActive=True), entity("B", parent={"id": "A"}, currency={"id": "EUR"}))
    before = read(alice.get(ENTITIES))
    file = tmp_path / "entities.csv"
    call_command("export_entities", "northwind", str(file))
    Entity._base_manager.all().delete()
    call_command("import_entities", "northwind", str(file), strict=False)
    after = read(alice.get(ENTITIES))
    assert [{**element, "updateInfo": None} for element in after] == [{**one, "updateInfo": None} for one in before]


def test_a_file_is_imported_in_the_administration(alice, northwind):
    browser = browser_of(alice)
    upload(browser, northwind, "id,descriptions.en,method\nA,Group,FULL\n", dimension="entity")
    file_import = FileImport.objects.get()
    describe(browser, file_import)
    deletions.work_now()
    browser.post(page(FileImport, "confirm", file_import.pk))
    deletions.work_now()
    assert (Entity._base_manager.get().element_id, Entity._base_manager.get().update_origin) == ("A", "IMPORT")


@pytest.mark.django_db(transaction=True)
def test_many_are_deleted_in_the_background(alice):
    create(alice, entity("A"), entity("B"))
    started = alice.send("POST", f"{ENTITIES}-bulk-delete-async", [{"id": "A"}, {"id": "Z"}])
    assert started.status_code == 202
    deletions.work_now()
    status = read(alice.get(started["Location"]))
    assert (status["status"], status["parameters"]["deleted"]) == ("COMPLETED", 1)
    assert status["parameters"]["notFound"] == ["Z"]
    assert ids(alice, "") == ["B"]


@pytest.mark.django_db(transaction=True)  # the history begins with a commit
def test_people_edit_it_look_up_what_it_refers_to_and_see_its_history(alice, northwind):
    """With messages and links that contain its name."""
    browser = browser_of(alice)
    start = browser.get("/admin/").content.decode()
    assert "/admin/entity/entity/" in start
    form = filled_in(browser.get(page(Entity, "add")))
    form |= {"id": "A", "descriptions:0:text": "Group", "method": "FULL", "parent.id": "nobody"}
    answer = browser.post(page(Entity, "add"), form, follow=True)
    assert messages_of(answer)[0] == "The entity A was created."
    element = Entity._base_manager.get()
    assert change(browser, element, method="EQUITY", **{"parent.id": "A"}).status_code == 302
    element.refresh_from_db()
    assert (element.method, element.parent_id) == ("EQUITY", "A")
    [found] = browser.get(page(Entity, "pick", northwind.pk), {"q": "A"}).json()["results"]
    assert found == {"id": "A", "description": "Group", "address": page(Entity, "change", element.pk)}
    # It is its own parent, which is no use.
    assert "No entities refer to it." in browser.get(page(Entity, "uses", element.pk)).content.decode()
    history = browser.get(page(Entity, "history", element.pk)).content.decode()
    assert "Equity" in history
    assert "Full" in history


@pytest.mark.django_db(transaction=True)  # the history begins with a commit
def test_a_plan_is_applied_and_the_history_routes_report_it(alice):
    """The feed, the change sets, the versions and the comparison of both states; the plan of its undo leads back."""
    create(alice, entity("A"), entity("B"))
    before = token(alice, dimension="entity")
    plan = plans.make(alice, "entity", snapshot=[entity("A", share="80"), entity("C")], maxDelete="100%")
    assert plans.counts(plan) == (1, 1, 0, 1)
    plans.applied(alice, "entity", plan)

    assert ids(alice, "") == ["A", "C"]
    fed = [one["change"] for one in answer(alice, "changes", "entity", since=before)]
    assert fed == ["saved", "deleted", "saved"]
    compared = answer(alice, "compare", "entity", **{"from": before})
    assert [(one["id"], one["action"]) for one in compared] == [("A", "changed"), ("B", "deleted"), ("C", "created")]
    [latest, *_] = answer(alice, "changesets", "entity")
    [last_of_b, *_] = answer(alice, "versions", "entity", id="B")
    assert last_of_b["changeSet"] == latest["id"]
    assert [element["id"] for element in read(alice.get(ENTITIES, {"asOf": before}))] == ["A", "B"]
    undo = plans.make(alice, "entity", undo=latest["id"], maxDelete=1)
    plans.applied(alice, "entity", undo)
    assert ids(alice, "") == ["A", "B"]


def test_a_plan_is_made_from_a_file_by_the_command(alice, tmp_path, capsys):
    create(alice, entity("A"))
    file = tmp_path / "entities.csv"
    file.write_text("id,descriptions.en,method\nA,Group,FULL\nB,France,EQUITY\n")
    call_command("plan_entities", "northwind", str(file))
    assert "1 created" in capsys.readouterr().out
    assert ids(alice, "") == ["A"]


def test_several_are_edited_in_the_table(alice, northwind):
    create(alice, entity("A"))
    assert browser_of(alice).get(page(Entity, "table"), {"repository": northwind.pk}).status_code == 200


def test_its_openapi_document_is_valid_and_the_landing_page_leads_to_it(client: Client):
    document = client.get("/openapi/entity.json").json()
    validate(document)
    assert "/dimensions/v1/{dbID}/entity/elements/{id}" in document["paths"]
    assert {"Entity", "EntityCreate", "EntityPatch"} <= document["components"]["schemas"].keys()
    assert "/docs/entity" in client.get("/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_its_examples_are_what_the_service_answers(alice, client: Client):
    """They serve as the pattern for those of a new dimension."""
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    answers = play(alice, partial(alice.elements, "entity"), examples)
    assert answers == shown_answers(client.get("/openapi/entity.json").json(), "entity", answers)


def test_its_references_count_as_uses_of_currencies_for_those_who_may_read_both(alice, northwind):
    """Without an own line of code; a deletion of currencies that are in use leaves them."""
    store_currencies(northwind, currency("EUR"), currency("USD"))
    create(alice, entity(currency={"id": "EUR"}), entity("FR01", parent={"id": "DE01"}))
    used = [{"dimension": "entity", "id": "DE01", "path": "currency.id"}]
    narrow = add_person("nora", northwind, Role.MANAGER, "currency")
    for client, seen in ((alice, used), (narrow, [])):
        address = client.currency("elements-uses?id=EUR")
        assert read(client.get(address)) == [{"id": "EUR", "usedBy": seen, "count": len(seen)}]
        # That something refers to it counts for everybody.
        assert [one["id"] for one in read(client.get(client.currency("elements?unused=true")))] == ["USD"]
    assert ids(alice, "unused=true") == ["FR01"]
    oid = deletions.start(narrow, ["EUR", "USD"], "currency", query="?references=refuse")
    deletions.work_now()
    assert deletions.status_of(alice, oid, "currency")["inUse"] == [{"id": "EUR", "usedBy": used}]
    assert deletions.status_of(narrow, oid, "currency")["inUse"] == [{"id": "EUR", "usedBy": []}]
