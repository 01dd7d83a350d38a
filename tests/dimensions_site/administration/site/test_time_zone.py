"""Pages show instants in the person's time zone and take moments in it; their addresses mean the same to everybody."""

from datetime import UTC, datetime

import pytest

from account.models import Account
from dimensions_site.administration.base.values import COOKIE
from dimensions_site.changes.models import ChangeSet
from tests.dimensions_site.administration.elements.dated import store_chart
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account, content
from tests.storing import store_accounts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("J1")]

LIST = page(Account)


@pytest.fixture
def berlin(rita):
    """The browser of rita, in Berlin."""
    browser = browser_of(rita)
    browser.cookies[COOKIE] = "Europe/Berlin"
    return browser


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("Europe/Berlin", "2026-07-02 01:30"),
        ("America/New_York", "2026-07-01 19:30"),
        ("Asia/Kolkata", "2026-07-02 05:00"),
        ("UTC", "2026-07-01 23:30"),
        ("", "2026-07-01 23:30"),
        ("Mars/Olympus", "2026-07-01 23:30"),
        ("../../etc/passwd", "2026-07-01 23:30"),
        ("/etc/localtime", "2026-07-01 23:30"),
        ("x" * 3000, "2026-07-01 23:30"),
    ],
)
def test_a_list_shows_instants_in_the_zone_that_the_browser_told(alice, northwind, rita, zone, shown):
    """The day; the file of the list has the minute."""
    store_accounts(northwind, account("1000"))
    Account.objects.update(update_date=datetime(2026, 7, 1, 23, 30, 15, tzinfo=UTC))
    browser = browser_of(rita)
    browser.cookies[COOKIE] = zone
    cell = f'<time datetime="2026-07-01T23:30:15Z" title="2026-07-01 23:30:15 UTC">{shown[:10]}</time>'
    assert cell in browser.get(LIST).content.decode()
    sent = {"action": "export_elements", "_selected_action": "0", "select_across": "1", "shown": "csv"}
    assert shown in content(browser.post(LIST, sent)).decode()


@pytest.mark.parametrize(
    ("language", "shown"),
    [("de", "01.04.2026 00:00:00 CEST"), ("fr", "01/04/2026 00:00:00 CEST"), ("en", "2026-04-01 00:00:00 CEST")],
)
def test_a_moment_is_written_as_in_the_language(berlin, alice, northwind, language, shown):
    store_chart(alice, northwind)
    answer = berlin.get(LIST, {"as_of": "2026-03-31T22:00:00Z"}, headers={"Accept-Language": language})
    assert shown in answer.content.decode()


def test_a_moment_is_typed_in_the_zone_and_its_address_is_in_utc(berlin, alice, northwind):
    """Half past one in the night in Berlin is still the day before in UTC; a colleague elsewhere sees the same."""
    store_chart(alice, northwind)
    answer = berlin.get(LIST, {"as_of": "2026-04-01T00:00:00"})
    assert answer.status_code == 302
    assert answer.url == f"{LIST}?as_of=2026-03-31T22%3A00%3A00Z"
    text = berlin.get(answer.url).content.decode()
    assert "as of 2026-04-01 00:00:00 CEST." in text
    assert 'value="2026-04-01T00:00:00"' in text
    berlin.cookies[COOKIE] = "UTC"
    assert "as of 2026-03-31 22:00:00 UTC." in berlin.get(answer.url).content.decode()


@pytest.mark.parametrize(
    ("zone", "typed", "message"),
    [
        ("Europe/Berlin", "0026-03-31T10:00", "is not known: the history begins then."),
        ("America/New_York", "0001-01-01T00:00:00Z", "is not known: the history begins then."),
        ("Europe/Berlin", "9999-12-31T23:59:59Z", "This moment is in the future."),
    ],
)
def test_a_moment_in_a_year_that_nobody_means_is_refused_in_words(alice, northwind, rita, zone, typed, message):
    """Such as a year of two digits, or the first hours of the calendar, which a zone in the west does not have."""
    store_chart(alice, northwind)
    browser = browser_of(rita)
    browser.cookies[COOKIE] = zone
    key = str(northwind.pk)
    for address, query in (
        (LIST, {"as_of": typed}),
        (f"{LIST}compare/", {"from_repository": key, "from": typed, "repository": key, "to": ""}),
    ):
        answer = browser.get(address, query, follow=True)
        assert answer.status_code == 200
        assert message in answer.content.decode()


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "0026-01-01"])
def test_any_day_is_a_filter(northwind, rita, zone, day):
    browser = browser_of(rita)
    browser.cookies[COOKIE] = zone
    for address, name in (
        (LIST, "update_date"),
        (page(ChangeSet), "committed_at"),
        (page(ChangeSet, "report"), "committed_at"),
    ):
        for end in ("from", "to"):
            assert browser.get(address, {f"{name}_{end}": day}, follow=True).status_code == 200, (address, end)


def test_a_comparison_takes_moments_in_the_zone(berlin, alice, northwind):
    store_chart(alice, northwind)
    compare = f"{LIST}compare/"
    key = str(northwind.pk)
    sides = {"from_repository": key, "from": "2026-04-01T00:00:00", "repository": key, "to": ""}
    answer = berlin.get(compare, sides)
    assert answer.status_code == 302
    assert "from=2026-03-31T22%3A00%3A00Z" in answer.url
    assert 'value="2026-04-01T00:00:00"' in berlin.get(answer.url).content.decode()


def test_a_day_in_a_filter_is_that_of_the_zone(berlin, northwind):
    store_accounts(northwind, account("1000"))
    Account.objects.update(update_date=datetime(2026, 7, 1, 23, 30, tzinfo=UTC))
    for day, count in (("2026-07-01", 0), ("2026-07-02", 1)):
        found = berlin.get(LIST, {"update_date_from": day, "update_date_to": day}).context["cl"].result_list
        assert len(found) == count
