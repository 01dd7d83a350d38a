"""Plans as people make, see and apply them in the administration."""

from typing import Any

from django.test import Client

from bulkops.models import Plan
from tests.dimensions_site.administration.site.forms import filled_form
from tests.dimensions_site.administration.site.people import page


def at(plan: Plan, name: str = "change") -> str:
    """The address of a page of the plan."""
    return page(Plan, name, plan.pk)


def opened(browser: Client, plan: Plan, query: str = "") -> Any:
    """The page of the plan."""
    answer = browser.get(f"{at(plan)}{query}")
    assert answer.status_code == 200
    return answer


def apply(browser: Client, plan: Plan, shown: Any = None, **sent: str) -> Any:
    """Apply the plan as its page, which was `shown`, offers it; return the page that follows."""
    form = filled_form((shown or opened(browser, plan)).content.decode(), "apply-form")
    return browser.post(at(plan, "apply"), {**form, **sent}, follow=True)


def planned(answer: Any) -> Plan:
    """The new plan to whose page an answer leads."""
    plan = Plan.objects.latest("created_at")
    assert answer.redirect_chain == [(at(plan), 302)]
    assert answer.status_code == 200
    return plan
