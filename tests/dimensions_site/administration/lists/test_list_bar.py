"""One line of tools above the list; after a save the list opens at the row that was saved."""

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.utils.timezone import localdate

from account.models import Account
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.dimensions_site.administration.lists.lists import LIST, ids
from tests.dimensions_site.administration.site.pages import change, errors, filled_in
from tests.dimensions_site.administration.site.people import browser_of, page
from tests.factories import account
from tests.storing import store_accounts

pytestmark = pytest.mark.django_db


@pytest.fixture
def many(northwind):
    """Three pages of accounts."""
    numbers = range(1000, 1120)
    store_accounts(northwind, *(account(f"{number}", descriptions={"en": f"No. {number}"}) for number in numbers))


def test_after_a_save_the_list_opens_at_the_row(many, alice):
    """On the page that has it, which marks the row; the message leads to the account."""
    browser = browser_of(alice)
    element = Account.objects.get(element_id="1110")
    answer = change(browser, element, documentationLink="https://example.com")
    address = urlsplit(answer["Location"])
    assert (address.query, address.fragment) == (f"row={element.pk}", "here")
    answer = browser.get(answer["Location"])
    shown = answer.content.decode()
    assert ids(answer)[:1] == ["1100"]
    assert (
        shown.index('<tr id="here">')
        < shown.index(f'value="{element.pk}" class="action-select"')
        < shown.index("No. 1111")
    )
    assert f'<a class="underline" href="{page(Account, "change", element.pk)}">1110</a> was saved.' in shown


def test_the_row_of_a_new_account_is_found_in_the_order_of_the_list(many, alice):
    """The list keeps its search and its order."""
    browser = browser_of(alice)
    address = f"{page(Account, 'add')}?_changelist_filters=q%3DNo.%26o%3D-1"
    form = filled_in(browser.get(address))
    form |= {
        "id": "1115a",
        "descriptions:0:key": "en",
        "descriptions:0:text": "No. 1115 a",
        "nature": "OTHER_STOCKS",
        "type": "NORMAL",
        "conversion.conversionType": "NONE",
    }
    saved = browser.post(address, form)
    assert saved.status_code == 302, errors(saved)
    answer = browser.get(saved["Location"])
    assert ids(answer)[:5] == ["1119", "1118", "1117", "1116", "1115a"]


@pytest.mark.parametrize("row", ["0", "x", "99999999999999999999", ""])
def test_a_row_that_is_not_in_the_list_leaves_it_at_its_beginning(many, alice, row):
    answer = browser_of(alice).get(LIST, {"row": row})
    assert ids(answer)[0] == "1000"
    assert 'id="here"' not in answer.content.decode()


def test_the_height_of_the_rows_is_remembered(many, alice):
    browser = browser_of(alice)
    assert "is-comfortable" not in browser.get(LIST).content.decode()
    assert browser.get(LIST, {"density": "comfortable", "q": "1000"})["Location"] == f"{LIST}?q=1000"
    assert "is-comfortable" in browser.get(LIST).content.decode()
    assert browser.get(LIST, {"density": "١"}).cookies["density"].value == "compact"
    browser.get(LIST, {"density": "x" * 5000})
    assert "is-comfortable" not in browser.get(LIST).content.decode()


def test_the_end_of_the_last_month_is_one_choice(many, alice):
    day = localdate().replace(day=1) - timedelta(days=1)
    shown = browser_of(alice).get(LIST, {"q": "10"}).content.decode()
    assert f'href="?q=10&amp;as_of={day}T23%3A59%3A59">End of {day}</a>' in shown
    german = browser_of(alice).get(LIST, headers={"Accept-Language": "de"}).content.decode()
    assert f"{day:%d.%m.%Y}</a>" in german


def test_all_of_the_current_repository_are_no_results_of_a_filter(many, alice, contoso):
    """So there is no link that shows all of them, beside the one that shows them on one page."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    browser, northwind = browser_of(alice), Repository.objects.get(db_id="northwind").pk
    shown = browser.get(LIST, {"repository__id__exact": f"{northwind}"}).content.decode()
    assert "results (" not in shown
    found = browser.get(LIST, {"repository__id__exact": f"{northwind}", "q": "10"}).content.decode()
    assert "results (" in found


def test_an_empty_cell_is_the_same_sign_everywhere(northwind, alice):
    store_accounts(northwind, account("1000"))
    shown = browser_of(alice).get(LIST, {"columns": "descriptions,documentationLink"}).content.decode()
    assert '<td class="field-documentation_link" data-label="Link to documentation">–</td>' in shown


@pytest.mark.parametrize("role", [Role.READER, Role.PROPOSER])
def test_the_list_of_one_repository_offers_what_is_done_there(ed, northwind, contoso, role):
    """A reader changes nothing there, whatever they may do elsewhere; who proposes is offered all."""
    store_accounts(contoso, account())
    AccessGrant.objects.create(user=ed.user, repository=contoso, role=role)
    browser = browser_of(ed)
    for listed, is_offered in ((contoso.pk, role == Role.PROPOSER), (northwind.pk, True), ("", True)):
        answer = browser.get(LIST, {"repository__id__exact": listed})
        shown = answer.content.decode()
        for words in ("delete_elements", page(Account, "add"), page(Account, "import_file"), page(Account, "table")):
            assert (words in shown) is is_offered, (listed, words)
        assert page(Account, "export_file") in shown
    table = browser.get(page(Account, "table"), {"repository__id__exact": contoso.pk})
    assert table.status_code == (200 if role == Role.PROPOSER else 403)
