"""What a reason may be: in the header of a request, in a field of a page, and as the argument of a command."""

from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from account.models import Account, AccountVersion
from dimensions_site.changes.models import ChangeSet
from dimensions_site.changes.requirements import InvalidReason, sent_reason, typed_reason
from dimensions_site.repositories.models import AccessChange, Repository
from tests.dimensions_site.administration.site.pages import filled_in
from tests.dimensions_site.administration.site.people import browser_of, page, superuser
from tests.factories import Person, account, json_bytes
from tests.storing import store_accounts

pytestmark = pytest.mark.contract("I2")

FREE = Repository(db_id="free")
BAD = {
    "empty": ("", "BLANK"),
    "blanks": ("%20 %09", "BLANK"),
    "too long": ("x" * 1_001, "TOO_LONG"),
    "too long once decoded": ("%C3%BC" * 1_001, "TOO_LONG"),
    "line break": ("a%0Ab", "INVALID_CHARACTER"),
    "NUL": ("a%00b", "INVALID_CHARACTER"),
    "bidirectional": ("a%E2%80%AEb", "INVALID_CHARACTER"),
    "C1": ("a%C2%85b", "INVALID_CHARACTER"),
    "line of Unicode": ("a%E2%80%A8b", "INVALID_CHARACTER"),
    "paragraph of Unicode": ("a%E2%80%A9b", "INVALID_CHARACTER"),
    "lone percent sign": ("5 %", "INVALID_ENCODING"),
    "not UTF-8": ("Pr%FCfung", "INVALID_ENCODING"),
    "surrogate": ("%ED%A0%80", "INVALID_ENCODING"),
    "not encoded": ("Pr\u00fcfung", "INVALID_ENCODING"),
    "twice": ("a\nb", "REPEATED_HEADER"),
}


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=1_000).filter(str.strip))
def test_any_text_in_one_line_is_a_reason(text: str) -> None:
    """Sent and typed alike; only blanks around it are left out."""
    assert sent_reason(quote(text), FREE) == typed_reason(text, FREE) == text.strip()


@given(st.text(st.characters(max_codepoint=0xFF), max_size=1_200))
def test_no_header_fails(header: str) -> None:
    """A server decodes the bytes of a header as Latin-1."""
    with suppress(InvalidReason):
        assert 1 <= len(sent_reason(header, FREE) or "") <= 1_000


@pytest.mark.contract("B1")
@pytest.mark.parametrize(("header", "code"), BAD.values(), ids=BAD)
@pytest.mark.parametrize(
    ("method", "path", "sent"),
    [
        ("POST", "elements", account("2")),
        ("PUT", "elements/1", account("1", descriptions={"en": "New"})),
        ("PATCH", "elements/1", {"descriptions": {"en": "New"}}),
        ("POST", "elements-bulk", {"post": [account("2")]}),
        ("POST", "elements-bulk?dryRun=true", {"post": [account("2")]}),
        ("POST", "elements-bulk-delete-async", [{"id": "1"}]),
    ],
)
def test_a_bad_header_is_refused_and_nothing_is_saved(
    alice: Person, northwind: Repository, method: str, path: str, sent: Any, header: str, code: str
) -> None:
    store_accounts(northwind, account("1"))
    before = list(AccountVersion.objects.values())

    answer = alice.generic(method, alice.account(path), json_bytes(sent), "application/json", HTTP_CHANGE_REASON=header)

    assert (answer.status_code, answer.json()["code"]) == (400, code)
    (error,) = answer.json()["errors"]
    assert error["path"] == "Change-Reason"
    assert list(AccountVersion.objects.values()) == before


def test_a_reading_request_ignores_the_header(alice: Person) -> None:
    assert alice.get(alice.account(), headers={"Change-Reason": "%"}).status_code == 200


@pytest.mark.contract("A6")
def test_access_is_checked_before_the_reason(rita: Person, bob: Person) -> None:
    for stranger in (rita, bob):
        assert stranger.send("POST", rita.account(), account(), Change_Reason="%").status_code == 403


@pytest.mark.django_db(transaction=True)
def test_a_repeated_post_with_a_key_is_answered_whatever_its_reason(alice: Person) -> None:
    """Like every other header, the reason is no part of what is compared; the first one counts."""
    answers = [
        alice.send("POST", alice.account(), account(), Idempotency_Key="k", Change_Reason=reason)
        for reason in ("first", "second")
    ]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert [one.reason for one in ChangeSet.objects.all()] == ["first"]


@pytest.mark.parametrize("typed", ["", "  ", "x" * 1_001, "a\x07b"])
def test_a_form_without_the_reason_that_it_needs_keeps_what_was_typed(alice: Person, cash: Account, typed: str) -> None:
    """The error stands at the field and above the form."""
    Repository.objects.update(requires_reason=True)
    browser, address = browser_of(alice), page(Account, "change", cash.pk)
    sent = {**filled_in(browser.get(address)), "nature": "PROFIT_AND_LOSS", "_reason": typed}

    answer = browser.post(address, sent)

    assert answer.context["reason"].error
    text = answer.content.decode()
    assert text.count(answer.context["reason"].error) == 2
    assert 'aria-describedby="id_reason_error"' in text
    assert filled_in(answer)["nature"] == "PROFIT_AND_LOSS"
    assert filled_in(answer)["_reason"] == typed
    assert not ChangeSet.objects.filter(channel="ADMIN").exists()


def test_the_switch_is_in_the_form_of_the_repository_and_its_change_is_recorded(northwind: Repository) -> None:
    browser, address = superuser(), page(Repository, "change", northwind.pk)
    text = browser.get(address).content.decode()
    assert 'name="requires_reason"' in text
    form = {"name": "Northwind group", "default_language": "en", "api_enabled": "on", "requires_reason": "on"}
    form |= {"grants-TOTAL_FORMS": "0", "grants-INITIAL_FORMS": "0"}
    assert browser.post(address, form).status_code == 302
    assert AccessChange.objects.latest("pk").changes == {"requires_reason": [False, True]}


@pytest.mark.django_db(transaction=True)
def test_a_command_refuses_what_is_no_reason(northwind: Repository, tmp_path: Any) -> None:
    """A dry run needs none."""
    northwind.requires_reason = True
    northwind.save()
    file = tmp_path / "accounts.csv"
    file.write_text("id,descriptions.en,nature,type,conversion.conversionType\n1,A,BALANCE_SHEET,NORMAL,FINAL\n")
    for arguments in ((), ("--reason", " "), ("--reason", "a\nb"), ("--reason", "a\udcffb"), ("--reason", "x" * 1_001)):
        with pytest.raises(CommandError, match="Nothing was imported: The re"):
            call_command("import_accounts", "northwind", str(file), *arguments)
    call_command("import_accounts", "northwind", str(file), "--dry-run")
    assert not Account.objects.exists()
    call_command("import_accounts", "northwind", str(file), "--reason", "Opening")
    assert ChangeSet.objects.get().reason == "Opening"
