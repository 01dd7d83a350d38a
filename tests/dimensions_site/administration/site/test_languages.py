"""The administration speaks the language of its user, and everything else that the service says stays English."""

import json
import re
from html.parser import HTMLParser

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from account.models import Account, AccountVersion
from bulkops.models import DataProcessing, FileImport, Worker
from bulkops.worker.tasks import work
from currency.models import Currency
from dimensions_site.changes.models import ChangeSet
from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository
from tests.bulkops.jobs.deletions import start, work_now
from tests.dimensions_site.administration.files.imports import CASH, FAULTY, HEADINGS, describe, upload
from tests.dimensions_site.administration.site.pages import errors, filled_in
from tests.dimensions_site.administration.site.people import browser_of, messages_of, page
from tests.factories import account, content, currency
from tests.lengths import IS_LONG
from tests.messages import LANGUAGES, strings, translated
from tests.storing import store_accounts, store_currencies

# Attributes whose text people see or hear.
_READ = {"title", "placeholder", "aria-label", "data-label", "data-words", "data-removed", "alt"}
# Two words of a sentence one after the other.
_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,}")
# Names in the samples, a command, and an id of a map that follows the wire's word for the map.
_NAMES = re.compile(r"northwind \(Northwind group\)|Northwind group|manage\.py qcluster|\b\w+escriptions \w+: Text")

SIGN_IN = reverse("admin:login")


class _Texts(HTMLParser):
    """Collects what people read on a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._hidden = 0

    def handle_starttag(self, tag, attrs):
        self._hidden += tag in ("script", "style")
        self.found |= {" ".join(value.split()) for name, value in attrs if name in _READ and value}

    def handle_endtag(self, tag):
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data):
        if not self._hidden:
            self.found.add(" ".join(data.split()))


def read(response):
    """The texts that people read on the page."""
    assert response.status_code == 200, response
    texts = _Texts()
    texts.feed(response.content.decode())
    return texts.found


def speaks(browser, language):
    """The same browser with another language in its settings."""
    browser.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    return browser


@pytest.fixture
def english():
    """Patterns of our texts, by language, whatever is filled in; those longer than a word or two."""
    return {
        language: [
            re.compile(".+".join(map(re.escape, said)))
            for message in translated(language)
            if message.id
            for text in strings(message.id)
            for said in [re.split(r"%\(\w+\)[sd]|\{\w*\}", text)]
            if len("".join(said)) > 12 and text not in strings(message.string)
        ]
        for language in LANGUAGES
    }


@pytest.fixture
def pages(alice, northwind):
    """Requests the pages of the administration with something on each; alice is a superuser here."""
    store_accounts(northwind, account("1000"), account("1010"), account("1020"))
    store_currencies(northwind, currency("EUR"))
    User.objects.filter(pk=alice.user.pk).update(is_superuser=True)
    browser = browser_of(alice)
    start(alice, ["1010", "MISSING"])
    work_now()
    upload(browser, northwind, HEADINGS + CASH.replace("Cash", "Till") + FAULTY)
    upload(browser, northwind, HEADINGS + CASH)
    to_check, _waiting = FileImport.objects.order_by("created_at")
    kept = Account.objects.get(element_id="1000")
    gone = AccountVersion.objects.filter(change="-").get()

    def addresses():
        yield from (reverse("admin:index"), reverse("admin:password_change"), f"{page(Account)}?q=nothing")
        lists = Account, Currency, ChangeSet, DataProcessing, FileImport, Worker, Repository, AccessGrant, ApiKey, User
        yield from map(page, lists)
        yield from (page(model, "add") for model in lists if model not in (ChangeSet, DataProcessing, Worker))
        yield from (page(Account, name, kept.pk) for name in ("change", "uses", "history", "delete"))
        yield from (page(Account, name) for name in ("deleted_elements", "export_file"))
        yield page(Account, "version", gone.number)
        for model in (ChangeSet, DataProcessing, FileImport, Repository, ApiKey, User):
            yield from (page(model, "change", found.pk) for found in model.objects.all())

    def ask(language):
        speaks(browser, language)
        describe(browser, to_check)
        work()
        start(alice, ["1020"])
        shown = {address: browser.get(address) for address in addresses()}
        deleting = {"action": "delete_elements", ACTION_CHECKBOX_NAME: [kept.pk]}
        shown["confirm deletion"] = browser.post(page(Account), deleting)
        changing = {**deleting, "action": "change_elements"}
        shown["changes"] = browser.post(page(Account), changing)
        shown["refused changes"] = browser.post(page(Account), {**changing, "chosen": "yes", "nature:how": "set"})
        shown["refused"] = browser.post(page(Account, "change", kept.pk), {"descriptions": ""})
        shown["sign in"] = speaks(Client(), language).get(SIGN_IN)
        return {name: read(response) for name, response in shown.items()}

    return ask


@pytest.mark.django_db(transaction=True)
def test_no_page_shows_english_in_another_language(pages, english):
    """No text of ours, whatever is filled in into it; and no sentence that nobody has marked for translation.

    What reads the same in English and in German is a name, a word of the wire or a word of both. The short form looks
    at German: whatever lacks gettext lacks it in every language, and other tests compare the translations.
    """
    languages = LANGUAGES if IS_LONG else ["de"]
    shown = {language: pages(language) for language in ("en", *languages)}
    for language in languages:
        for name, texts in shown[language].items():
            all_of_it = "\n".join(texts)
            found = [pattern.pattern for pattern in english[language] if pattern.search(all_of_it)]
            assert found == [], (language, name)
    same = set().union(*(texts & shown["de"].get(name, set()) for name, texts in shown["en"].items()))
    assert {text for text in same if _WORDS.search(_NAMES.sub("", text))} == set()


@pytest.mark.django_db(transaction=True)
def test_a_blank_stands_before_each_colon_in_french(pages):
    """What people read, and what they only hear."""
    texts = set().union(*pages("fr").values())
    assert {text for text in texts if re.search(r"[^\W\d_]:( |$)", text)} == set()


@pytest.mark.django_db(transaction=True)
def test_what_a_worker_finds_in_a_file_is_reported_in_the_language_of_who_uploaded_it(ed, northwind):
    store_accounts(northwind, account("1000"))
    browser = speaks(browser_of(ed), "de")
    upload(browser, northwind, HEADINGS + CASH.replace("Cash", "Till") + FAULTY)
    describe(browser, FileImport.objects.get())
    work()
    texts = "\n".join(read(browser.get(page(FileImport, "change", FileImport.objects.get().pk))))
    assert "Kontoart: Zulässig ist einer der Werte Bilanz" in texts
    assert "1 Zeile hat Fehler." in texts


def switch(browser, language, **form):
    return browser.post(reverse("set_language"), {"language": language, **form})


def test_the_language_that_is_chosen_stays_chosen_and_counts_more_than_the_browser(alice):
    browser = speaks(browser_of(alice), "de-CH,de;q=0.9,en;q=0.5")
    assert b"Letzte \xc3\x84nderungen" in browser.get(reverse("admin:index")).content
    answer = switch(browser, "it", next=page(Account))
    assert (answer.status_code, answer["Location"]) == (302, page(Account))
    shown = browser.get(page(Account))
    assert shown["Content-Language"] == "it"
    assert '<html lang="it"' in shown.content.decode()
    assert "Ultime modifiche" in browser.get(reverse("admin:index")).content.decode()
    switch(browser, "en")
    assert "Latest changes" in browser.get(reverse("admin:index")).content.decode()


def test_a_language_that_the_administration_does_not_have_is_english(alice):
    browser = speaks(browser_of(alice), "pl")
    assert switch(browser, "pl").status_code == 302
    assert "Latest changes" in browser.get(reverse("admin:index")).content.decode()


def test_every_language_can_be_chosen_on_each_page_and_before_signing_in(alice):
    for answer in (Client().get(SIGN_IN), browser_of(alice).get(page(Account))):
        offered = re.findall(r'name="language" type="hidden" value="(\w+)"', answer.content.decode())
        assert offered == ["en", "de", "it", "fr", "es"]


def test_a_page_that_is_not_there_is_refused_in_the_language_of_the_user(alice):
    answer = speaks(browser_of(alice), "fr").get(page(Account, "change", 1))
    assert answer.status_code == 404
    assert '<html lang="fr"' in answer.content.decode()
    assert "Page introuvable" in answer.content.decode()


def test_pages_outside_of_the_administration_are_english_also_after_a_german_one(alice):
    browser = speaks(browser_of(alice), "de")
    switch(browser, "de")
    assert browser.get(reverse("admin:index"))["Vary"] == "Cookie, Accept-Language, Accept-Encoding"
    for path in ("/", "/openapi/account.json", "/docs/account", "/health/live", "/nowhere"):
        german, english = browser.get(path), Client().get(path)
        assert german.content == english.content
        assert "Content-Language" not in german
        assert german.get("Vary") == english.get("Vary")


def without_request_id(response):
    return {name: value for name, value in json.loads(content(response)).items() if name != "requestId"}


@pytest.mark.contract("B1")
def test_rest_stays_english_whatever_language_is_asked_for(alice):
    """Errors of one element and of many, refusals and unknown addresses, after a German page."""
    wrong = account("1000", type="DETAILS", descriptions={"en": " "}, startDate=1)
    calls = [
        ("POST", alice.account(), wrong),
        ("POST", alice.account("elements-bulk"), {"post": [wrong, currency("x" * 200)]}),
        ("GET", alice.account("elements/NOWHERE"), ""),
        ("GET", alice.account("elements?filter=natur==X"), ""),
        ("GET", alice.account("elements-export?properties=natur"), ""),
        ("GET", alice.account("nowhere"), ""),
    ]
    plain = [alice.send(*call) for call in calls]
    speaks(browser_of(alice), "de").get(reverse("admin:index"))
    alice.cookies["django_language"] = "de"
    for call, english in zip(calls, plain, strict=True):
        german = alice.send(*call, accept_language="de")
        assert without_request_id(german) == without_request_id(english)
        assert german.status_code == english.status_code
        assert german.headers.keys() == english.headers.keys()
        assert german.get("Vary") == english.get("Vary")


def test_an_error_stands_at_its_field_in_the_language_of_the_user(ed, northwind):
    """The same error as over REST, which reports it in English."""
    browser = speaks(browser_of(ed), "de")
    address = f"{page(Account, 'add')}?repository={northwind.pk}"
    sent = {**filled_in(browser.get(address)), "id": " 1", "type": "", "conversion.conversionType": "FINAL"}
    answer = browser.post(address, {**sent, "descriptions:0:text": "Kasse"})
    assert errors(answer)["type"] == ["Kontotyp fehlt; zulässig ist einer der Werte Normal, Detail, Veränderung."]
    [message] = errors(answer)["id"]
    assert message == 'Id darf nicht mit Leerraum beginnen oder enden; angegeben ist " 1".'
    assert "Es wurde nichts gespeichert: Es gibt 3 Fehler." in answer.content.decode()


def test_numbers_and_dates_are_written_as_the_language_writes_them(alice, northwind):
    """On pages that people read; the key of a row, and whatever is sent back, is unchanged."""
    Account.objects.bulk_create(
        Account(
            id=20_000 + number,
            repository=northwind,
            element_id=f"A{number}",
            descriptions={"en": "x"},
            nature="BALANCE_SHEET",
            type="NORMAL",
            conversion_type="FINAL",
            accrual={},
            banking_data={},
            update_user="alice",
            update_date="2026-01-31T10:20:30Z",
            update_origin="INPUT_WEB",
        )
        for number in range(1_234)
    )
    shown = {language: read(speaks(browser_of(alice), language).get(page(Account))) for language in ("en", "de", "fr")}
    assert "2026-01-31" in shown["en"]
    assert "31.01.2026" in shown["de"]
    assert "31/01/2026" in shown["fr"]
    start_page = {language: read(speaks(browser_of(alice), language).get("/admin/")) for language in ("en", "de")}
    assert "1,234 accounts" in start_page["en"]
    assert "1.234 Konten" in start_page["de"]
    german = speaks(browser_of(alice), "de").get(page(Account)).content.decode()
    assert page(Account, "change", 20_000) in german
    assert 'value="20000"' in german


def test_days_in_filters_have_the_format_of_the_language(alice, northwind):
    store_accounts(northwind, account("1000"))
    Account.objects.update(update_date="2026-03-04T10:00:00Z")
    browser = speaks(browser_of(alice), "de")
    for first, last, count in (("04.03.2026", "04.03.2026", 1), ("05.03.2026", "", 0), ("2026-03-04", "", 1)):
        asked = {"update_date_from": first, "update_date_to": last}
        assert browser.get(page(Account), asked).context["cl"].result_count == count


@pytest.mark.parametrize("language", ["de", "fr"])
def test_a_form_of_a_superuser_is_taken_back_as_it_was_shown(alice, language):
    """A moment in a form is written as the language writes it, and read again as the same moment."""
    User.objects.filter(pk=alice.user.pk).update(is_superuser=True)
    key = ApiKey.objects.get()
    ApiKey.objects.update(expiry_date="2031-02-03T04:05:06Z")
    browser = speaks(browser_of(alice), language)
    address = page(ApiKey, "change", key.pk)
    sent = filled_in(browser.get(address), "apikey_form")
    assert not sent["expiry_date_0"].startswith("2031")
    answer = browser.post(address, sent, follow=True)
    assert len(messages_of(answer)) == 1
    key.refresh_from_db()
    assert key.expiry_date.isoformat() == "2031-02-03T04:05:06+00:00"
