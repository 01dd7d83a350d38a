"""The scope of a plan is looked for once, before others have to wait, and like a read (contract K4)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from bulkops.models import Plan
from bulkops.plans.scopes import ElementScope
from tests.bulkops.plans.plans import counts, make
from tests.bulkops.save.bulk import elements, patch, save
from tests.factories import account


@pytest.fixture
def chart(alice):
    """Ten accounts, of which five are of the balance sheet."""
    natures = ("BALANCE_SHEET", "PROFIT_AND_LOSS")
    save(alice, "account", put=[account(f"{10 + place}", nature=natures[place % 2]) for place in range(10)])


@pytest.mark.contract("K4")
@pytest.mark.django_db(transaction=True)
def test_what_others_write_before_the_turn_is_looked_at_again(alice, chart, monkeypatch):
    """One that left the scope meanwhile is not deleted, one that came into it is, and one that is gone is no matter."""
    keep = ElementScope.keep

    def write() -> None:
        try:
            save(alice, "account", patch=[patch("10", nature="PROFIT_AND_LOSS"), patch("11", nature="BALANCE_SHEET")])
            assert alice.send("PATCH", alice.account("elements/12"), {"nature": "PROFIT_AND_LOSS"}).status_code == 200
        finally:
            connection.close()

    def keep_and_wait(scope: ElementScope) -> None:
        keep(scope)
        with ThreadPoolExecutor(1) as others:
            others.submit(write).result()

    monkeypatch.setattr(ElementScope, "keep", keep_and_wait)
    plan = make(alice, "account", snapshot=[account("14")], scope="nature==BALANCE_SHEET", maxDelete="100%")

    assert (plan["status"], counts(plan)) == ("READY", (0, 0, 1, 3))
    assert {change.element_id for change in Plan.objects.get().changes.all()} == {"11", "16", "18"}


@pytest.mark.contract("K4")
def test_a_scope_leaves_nothing_behind(alice, chart):
    """The same connection makes the next plan."""
    for nature, deleted in (("BALANCE_SHEET", 5), ("PROFIT_AND_LOSS", 5), ("BALANCE_SHEET", 5)):
        plan = make(alice, "account", snapshot=[], scope=f"nature=={nature}", maxDelete="100%")
        assert counts(plan) == (0, 0, 0, deleted)
    assert len(elements(alice, "account")) == 10
