"""Two people change the same element in the administration: nothing that either of them wrote is lost."""

import pytest

from account.models import Account, AccountVersion
from dimensions_site.api.errors import Problem
from dimensions_site.repositories.models import AccessGrant, Role
from tests.account.samples import FULL
from tests.dimensions_site.administration.site.pages import errors, filled_in
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, add_person, read
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("C16")


class Form:
    """The form of an element as it was opened in a browser, before somebody else saves the element."""

    def __init__(self, browser, address):
        self.browser = browser
        self.address = address
        self.opened = filled_in(browser.get(address))

    def __call__(self, follow=False, **typed):
        return self.browser.post(self.address, {**self.opened, **typed}, follow=follow)


@pytest.fixture
def form(ed, cash):
    """The form of the account 1000 in Ed's browser."""
    return Form(browser_of(ed), page(Account, "change", cash.pk))


def patch(alice, id="1000", **changes):
    answer = alice.send("PATCH", alice.account(f"elements/{id}"), changes)
    assert answer.status_code == 200, answer.content
    return answer


def choices(answer):
    """What the page offers for each conflict: before, theirs and mine."""
    shown = answer.context["attempt"].choices
    return {str(choice.spot): (choice.base, choice.theirs, choice.mine) for choice in shown}


def sent_again(answer, *chosen, **typed):
    """What the browser sends of a page with conflicts, on which somebody has `chosen` in their order."""
    picked = {f"_choice:{number}": choice for number, choice in enumerate(chosen) if choice}
    # A browser sends one hidden field for each conflict.
    listed = [choice.sent for choice in answer.context["attempt"].choices]
    return {**filled_in(answer), **picked, "_conflict": listed, **typed}


@pytest.mark.contract("C18")
@pytest.mark.django_db(transaction=True)
def test_what_only_one_of_two_changed_is_saved_for_both(alice, form, cash):
    """By field, and of maps by entry; the page says whose changes were kept, and the history who changed what."""
    patch(alice, descriptions={"de": "Bargeld"}, type="DETAIL", alternativeDescriptions={"fr": "Caisse"})
    answer = form(
        follow=True,
        **{"descriptions:0:text": "Cash in hand", "documentationLink": "ed.example", "nature": "OTHER_STOCKS"},
    )
    fields = "Description (de) by alice, Alternative description (fr) by alice, Type by alice"
    assert messages_of(answer) == [
        "The account 1000 was saved.",
        f"Others saved here, too, while you were editing. These changes are kept: {fields}.",
    ]
    cash.refresh_from_db()
    assert cash.descriptions == {"en": "Cash in hand", "de": "Bargeld"}
    assert (cash.type, cash.documentation_link, cash.nature) == ("DETAIL", "ed.example", "OTHER_STOCKS")
    assert cash.alternative_descriptions == {"fr": "Caisse"}
    assert [version.change_set.user for version in AccountVersion.objects.order_by("number")[1:]] == ["alice", "ed"]


def test_a_field_that_both_changed_is_for_the_second_to_decide(alice, form, cash):
    """With the text that both began with; nothing is saved, and nothing that was typed is lost."""
    patch(alice, descriptions={"en": "Cash of Alice", "de": "Bargeld"}, documentationLink="alice.example")
    answer = form(**{"descriptions:0:text": "Cash of Ed", "documentationLink": "ed.example"})
    assert answer.status_code == 200
    assert choices(answer) == {
        "descriptions.en": ("Cash", "Cash of Alice", "Cash of Ed"),
        "documentationLink": ("not set", "alice.example", "ed.example"),
    }
    assert answer.context["attempt"].taken == ["Description (de) by alice"]
    assert "alice saved on 20" in answer.content.decode()
    cash.refresh_from_db()
    assert cash.descriptions == {"en": "Cash of Alice", "de": "Bargeld"}
    again = filled_in(answer)
    assert (again["descriptions:0:text"], again["descriptions:1:text"]) == ("Cash of Ed", "Bargeld")
    assert again["documentationLink"] == "ed.example"
    assert not [name for name in again if name.startswith("_choice")]


@pytest.mark.parametrize(
    ("chosen", "stored"),
    [
        (("theirs", "mine"), ("Cash of Alice", "ed.example")),
        (("mine", "theirs"), ("Cash of Ed", "alice.example")),
        (("mine", "mine"), ("Cash of Ed", "ed.example")),
        (("theirs", "theirs"), ("Cash of Alice", "alice.example")),
    ],
    ids=" ".join,
)
def test_what_is_chosen_is_saved(alice, form, cash, chosen, stored):
    """For each field by itself; beside it what only one of the two changed."""
    patch(alice, descriptions={"en": "Cash of Alice", "de": "Bargeld"}, documentationLink="alice.example")
    answer = form(**{"descriptions:0:text": "Cash of Ed", "documentationLink": "ed.example", "nature": "OTHER_STOCKS"})
    assert form.browser.post(form.address, sent_again(answer, *chosen)).status_code == 302
    cash.refresh_from_db()
    assert (cash.descriptions["en"], cash.documentation_link) == stored
    assert (cash.descriptions["de"], cash.nature) == ("Bargeld", "OTHER_STOCKS")


@pytest.mark.parametrize("chosen", [(), ("mine",), ("", "theirs"), ("mine", "whatever")], ids=str)
def test_save_again_without_a_choice_for_each_field_stores_nothing(alice, form, cash, chosen):
    """The page asks again, and keeps the choices and the input; an old text is never restored unasked."""
    patch(alice, descriptions={"en": "Cash of Alice"}, documentationLink="alice.example")
    answer = form(**{"descriptions:0:text": "Cash of Ed", "documentationLink": "ed.example"})
    for _ in range(2):
        answer = form.browser.post(form.address, sent_again(answer, *chosen))
        assert answer.status_code == 200
        assert choices(answer) == {
            "descriptions.en": ("Cash", "Cash of Alice", "Cash of Ed"),
            "documentationLink": ("not set", "alice.example", "ed.example"),
        }
        valid = [choice if choice in ("mine", "theirs") else "" for choice in chosen]
        assert [choice.chosen for choice in answer.context["attempt"].choices][: len(chosen)] == valid
    cash.refresh_from_db()
    assert (cash.descriptions["en"], cash.documentation_link) == ("Cash of Alice", "alice.example")


def test_a_text_made_of_both_is_saved_as_ones_own(alice, form, cash):
    """The field of the form can be edited further before the choice."""
    patch(alice, descriptions={"en": "Cash of Alice"})
    answer = form(**{"descriptions:0:text": "Cash of Ed"})
    both = sent_again(answer, "mine", **{"descriptions:0:text": "Cash of Alice and Ed"})
    assert form.browser.post(form.address, both).status_code == 302
    cash.refresh_from_db()
    assert cash.descriptions["en"] == "Cash of Alice and Ed"


def test_a_third_save_in_between_is_asked_about_again(alice, form, cash):
    """The choice was between other texts. What is left to the others follows the others."""
    patch(alice, descriptions={"en": "Cash of Alice"}, documentationLink="alice.example")
    answer = form(**{"descriptions:0:text": "Cash of Ed", "documentationLink": "ed.example"})
    patch(alice, descriptions={"en": "Cash, third"}, documentationLink="third.example")
    answer = form.browser.post(form.address, sent_again(answer, "mine", "theirs"))
    assert choices(answer) == {"descriptions.en": ("Cash of Alice", "Cash, third", "Cash of Ed")}
    assert form.browser.post(form.address, sent_again(answer, "mine")).status_code == 302
    cash.refresh_from_db()
    assert (cash.descriptions["en"], cash.documentation_link) == ("Cash of Ed", "third.example")


def test_entries_that_one_removed_and_the_other_changed_are_conflicts(alice, form, cash):
    """A missing entry is distinguished from one without a text; either choice is kept."""
    patch(alice, descriptions={"de": None}, customAttributes={"Owner": "Treasury"})
    removed = {name: text for name, text in form.opened.items() if not name.startswith("descriptions:1:")}
    removed |= {"customAttributes:0:key": "Owner", "customAttributes:0:text": "Sales"}
    answer = form.browser.post(form.address, removed)
    assert choices(answer) == {
        "descriptions.de": ("Kasse", "no text", "not set"),
        "customAttributes.Owner": ("not set", "Treasury", "Sales"),
    }
    assert form.browser.post(form.address, sent_again(answer, "mine", "theirs")).status_code == 302
    cash.refresh_from_db()
    assert (cash.descriptions, cash.custom_attributes) == ({"en": "Cash"}, {"Owner": "Treasury"})


def test_two_spellings_of_one_day_are_the_same(alice, form, cash):
    patch(alice, dataEntryAndReporting={"validity": {"startDate": "2026-01-31"}})
    start = {"dataEntryAndReporting.validity.startDate": "2026-01-31T00:00:00Z"}
    assert form(**start).status_code == 302


@pytest.mark.contract("B1")
def test_what_is_wrong_after_the_merge_is_said_at_its_field(alice, form, cash):
    """Each change was right by itself: the form shows both, and the next save is one to what is stored now."""
    patch(alice, dataEntryAndReporting={"validity": {"endDate": "2026-01-31"}})
    answer = form(**{"dataEntryAndReporting.validity.startDate": "2026-02-01"})
    assert list(errors(answer)) == ["dataEntryAndReporting.validity.endDate"]
    again = filled_in(answer)
    assert again["dataEntryAndReporting.validity.endDate"] == "2026-01-31"
    assert "Only others changed these fields" in answer.content.decode()
    again["dataEntryAndReporting.validity.startDate"] = "2026-01-01"
    assert form.browser.post(form.address, again).status_code == 302


def test_what_cannot_be_read_is_said_before_anything_is_merged(alice, form, cash):
    """A key that is there twice; corrected, it is merged with what the other saved."""
    patch(alice, documentationLink="alice.example")
    answer = form(**{"descriptions:9:key": "en", "descriptions:9:text": "Money"})
    assert list(errors(answer)) == ["descriptions.en"]
    again = {name: text for name, text in filled_in(answer).items() if not name.startswith("descriptions:9:")}
    assert form.browser.post(form.address, {**again, "type": "DETAIL"}).status_code == 302
    cash.refresh_from_db()
    assert (cash.documentation_link, cash.type) == ("alice.example", "DETAIL")


def test_without_the_version_that_was_opened_each_difference_is_asked_about(alice, form, cash):
    """It is no longer known who changed what; whatever names no version means the same."""
    patch(alice, descriptions={"en": "Cash of Alice"}, type="DETAIL")
    answer = form(_etag='"nonsense"', documentationLink="ed.example")
    assert choices(answer) == {
        "descriptions.en": ("not known any more", "Cash of Alice", "Cash"),
        "type": ("not known any more", "Detail", "Normal"),
        "documentationLink": ("not known any more", "not set", "ed.example"),
    }
    by_field = {"descriptions.en": "theirs", "type": "theirs", "documentationLink": "mine"}
    chosen = [by_field[str(choice.spot)] for choice in answer.context["attempt"].choices]
    assert form.browser.post(form.address, sent_again(answer, *chosen)).status_code == 302
    cash.refresh_from_db()
    assert (cash.descriptions["en"], cash.type, cash.documentation_link) == ("Cash of Alice", "DETAIL", "ed.example")


@pytest.mark.parametrize(
    "listed",
    [
        *("", "{}", "[1]", '["nature"', '["nature",null,"",[]]', '["nature",null]'),
        *(
            '["nowhere",null,"",""]',
            '["nature","x","",""]',
            '["descriptions",null,"",""]',
            '["updateInfo.user",null,"",""]',
        ),
    ],
)
def test_conflicts_that_no_form_names_do_no_harm(form, cash, listed):
    answer = form(**{"_conflict": listed, "_choice:0": "theirs", "type": "DETAIL"})
    assert answer.status_code == 302
    cash.refresh_from_db()
    assert cash.type == "DETAIL"


@pytest.mark.contract("C8", "C19")
def test_each_field_of_a_full_account_is_merged(alice, ed, northwind):
    """Whatever the wire holds: one empties all fields that can be empty, the other changes one text."""
    store_accounts(northwind, FULL)
    element = Account.objects.get()
    browser, address = browser_of(ed), page(Account, "change", element.pk)
    opened = filled_in(browser.get(address))
    bare = account("1000", descriptions=FULL["descriptions"])
    assert alice.send("PUT", alice.account("elements/1000"), bare).status_code == 200
    expected = read(alice.get(alice.account("elements/1000")))
    assert browser.post(address, {**opened, "descriptions:0:text": "Ed's"}).status_code == 302
    merged = read(alice.get(alice.account("elements/1000")))
    first = opened["descriptions:0:key"]
    without_stamp = {**merged, "updateInfo": None, "description": None}
    wanted = {**expected, "updateInfo": None, "description": None}
    assert without_stamp == {**wanted, "descriptions": {**expected["descriptions"], first: "Ed's"}}


@pytest.mark.django_db(transaction=True)
def test_an_element_that_was_deleted_in_between_can_be_created_again(alice, ed, bob, cash):
    """With all that was typed; a user without a grant learns nothing."""
    browser, address = browser_of(ed), page(Account, "change", cash.pk)
    form = filled_in(browser.get(address)) | {"documentationLink": "ed.example"}
    browser_of(alice).post(page(Account, "delete", cash.pk), {"post": "yes"})
    assert browser_of(bob).post(address, form).status_code == 404
    answer = browser.post(address, form)
    assert "alice deleted 1000 on 20" in answer.content.decode()
    again = filled_in(answer)
    assert (again["documentationLink"], again["id"]) == ("ed.example", "1000")
    assert browser.post(f"{page(Account, 'add')}?repository={cash.repository.pk}", again).status_code == 302
    assert Account.objects.get().documentation_link == "ed.example"


@pytest.mark.contract("B1")
def test_a_form_that_would_wait_for_others_for_too_long_keeps_what_was_typed(form, monkeypatch):
    """The page says that nothing was saved, and when to save again."""

    def busy(repository):
        raise Problem(503, "REPOSITORY_BUSY", "Others are saving elements.")

    monkeypatch.setattr("dimensions_site.elements.writing.editing.writing_one_in_turn", busy)
    answer = form(**{"descriptions:0:text": "Cash in hand"})
    assert errors(answer) == {"": ["Others are saving elements."]}
    assert "Cash in hand" in answer.content.decode()


def test_each_field_names_who_changed_it_last(alice, bob, form, northwind):
    """Not who saved the element last: of three who saved it, each changed another field."""
    AccessGrant.objects.create(user=bob.user, repository=northwind, role=Role.EDITOR)
    carl = add_person("carl", northwind, Role.EDITOR)
    patch(alice, descriptions={"de": "Von Alice", "en": "By Alice"})
    patch(bob, descriptions={"de": "Von Bob", "fr": "De Bob"})
    patch(carl, documentationLink="carl.example")
    typed = {"descriptions:0:text": "Mine", "descriptions:1:text": "Meines"}
    answer = form(**typed)

    def shown() -> dict[str, str]:
        return {str(choice.spot): choice.who for choice in answer.context["attempt"].choices}

    who = {"descriptions.de": "bob", "descriptions.en": "alice"}
    assert shown() == who
    taken = ["Description (fr) by bob", "Link to documentation by carl"]
    assert answer.context["attempt"].taken == taken
    assert "Stored now (saved by bob)" in answer.content.decode()
    answer = form.browser.post(form.address, sent_again(answer))
    assert shown() == who
    patch(carl, descriptions={"en": "By Carl"})
    answer = form.browser.post(form.address, sent_again(answer))
    assert shown() == who | {"descriptions.en": "carl"}


def test_nobody_is_named_once_the_versions_in_between_are_unknown(alice, form):
    """A wrong name would be worse than none."""
    patch(alice, descriptions={"en": "Cash of Alice"})
    answer = form(**{"descriptions:0:text": "Mine", "_etag": '"0"'})
    assert {choice.who for choice in answer.context["attempt"].choices} == {""}
    assert "Stored now (saved by" not in answer.content.decode()
