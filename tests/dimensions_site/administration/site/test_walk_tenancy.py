"""A walk through everything that the admin can show or take, as somebody who may see one of two repositories."""

import re
from collections.abc import Iterator
from datetime import timedelta
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.messages import get_messages
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from account.models import Account
from bulkops.models import DataProcessing, DeletionChunk, FileImport, FileImportPiece, Worker
from currency.models import Currency
from dimensions_site.repositories.models import AccessChange, AccessGrant, ApiKey, LoginFailures, Repository, Role
from dimensions_site.saved_views.models import SavedView
from dimensions_site.tokens.models import Application, IssuedToken
from tests.bulkops.jobs.deletions import start, work_now
from tests.bulkops.plans.plans import make
from tests.dimensions import MODELS
from tests.dimensions_site.administration.files.imports import BANK, FAULTY, HEADINGS, checked, upload
from tests.dimensions_site.administration.site.crawling import SentForm, crawl, few, kind_of
from tests.dimensions_site.administration.site.pages import lasting
from tests.dimensions_site.administration.site.people import browser_of, superuser
from tests.dimensions_site.tokens.clients import access_token, service
from tests.factories import Person, account, currency
from tests.lengths import tries
from tests.storing import store_accounts, store_currencies

pytestmark = [pytest.mark.contract("G2"), pytest.mark.django_db(transaction=True)]

# Whoever sees one of these words has seen something of Contoso.
TRACES = ("contoso", "holding", "bob", "ccode", "c-words", "cgone", "c-chart", "c-group", "c-reason")
_GENERAL = {"django_q.Schedule", "django_q.Success", "django_q.Failure", "django_q.OrmQ", "bulkops.Worker"}


@pytest.fixture
def two_tenants(alice: Person, bob: Person, northwind: Repository, contoso: Repository) -> None:
    """Both repositories have elements, deleted ones, running and ended deletions, and imports at each step."""
    # It must live until the end of the walk.
    Worker.objects.create(name="host-1", beat_at=timezone.now() + timedelta(hours=1))
    for person, repository, mark in ((alice, northwind, "N"), (bob, contoso, "C")):
        words = {"descriptions": {repository.default_language: f"{mark.lower()}-words"}}
        store_accounts(repository, *(account(f"{mark}{rest}", **words) for rest in ("CODE", "GONE", "LEFT")))
        logic = {"grossAmountEqualICSum": True, "accrual": {"debitAccrual": {"id": f"{mark}CODE", "description": "x"}}}
        store_accounts(repository, account(f"{mark}REFERS", rules=logic, **words))
        store_currencies(repository, currency(f"{mark}CODE", **words), currency(f"{mark}GONE", **words))
        for dimension in MODELS:
            start(person, [f"{mark}GONE", f"{mark}MISSING"], dimension, repository.db_id)
        work_now()
        start(person, [f"{mark}LEFT"], "account", repository.db_id)
        path = person.account("elements/" + f"{mark}CODE", repository.db_id)
        person.send("PATCH", path, {"type": "DETAIL"}, Change_Reason=f"{mark.lower()}-reason")
        make(
            person, "account", repository.db_id, bulk={"put": [account(f"{mark}PLAN")]}, reason=f"{mark.lower()}-reason"
        )
        browser = browser_of(person)
        upload(browser, repository, HEADINGS + BANK, f"{mark.lower()}-chart.csv")
        checked_import = checked(browser, repository, HEADINGS + BANK + FAULTY)
        FileImport.objects.filter(pk=checked_import.pk).update(file_name=f"{mark.lower()}-chart-errors.csv")
        LoginFailures.objects.create(name=person.user.username, address="192.0.2.1", failures=5)
        access_token(service(person.user, name=f"{mark.lower()}-words"))
        group = Group.objects.create(name=f"{mark.lower()}-group")
        AccessGrant.objects.create(group=group, repository=repository, role=Role.READER, dimension="account")
        for dimension in MODELS:
            view = {"owner": person.user, "dimension": dimension, "repository": repository}
            query = "filter=id%21%3Dx"
            SavedView.objects.create(name=f"{mark.lower()}-words", is_shared=True, query=query, **view)
            SavedView.objects.create(name=f"{mark.lower()}-chart", query=query, **view)


def of_contoso(model: Any) -> list[Any]:
    """The keys of a model's rows that are Contoso's; what belongs to nobody has a key that exists or not."""
    contoso = Repository.objects.get(db_id="contoso")
    if model._meta.label in _GENERAL:
        return [1]
    conditions: dict[Any, dict[str, Any]] = {
        Repository: {"pk": contoso.pk},
        User: {"username": "bob"},
        ApiKey: {"user__username": "bob"},
        AccessChange: {"subject__repository": "contoso"},
        LoginFailures: {"name": "bob"},
        Application: {"user__username": "bob"},
        IssuedToken: {"user__username": "bob"},
        Group: {"access_grants__repository": contoso},
    }
    return list(model.objects.filter(**conditions.get(model, {"repository": contoso})).values_list("pk", flat=True))


def views_of_contoso() -> list[int]:
    """The keys of the saved views of lists."""
    return list(SavedView.objects.filter(repository__db_id="contoso").values_list("pk", flat=True))


def addresses_of_patterns() -> Iterator[str]:
    """Every address of the admin that has a key in it, with each key of Contoso.

    An unexpected name in a pattern is a KeyError, on purpose.
    """
    contoso = Repository.objects.get(db_id="contoso")
    model: Any
    for model, pages in admin.site._registry.items():
        keys = of_contoso(model)
        versions = (
            model.version_model.objects.filter(repository=contoso) if model in MODELS.values() else model.objects.none()
        )
        names = {
            **dict.fromkeys(("object_id", "oid", "pk", "id"), keys),
            "version": list(versions.values_list("pk", flat=True)),
            "repository_id": [contoso.pk],
            "view_id": views_of_contoso(),
        }
        base = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for pattern in pages.urls:
            assert isinstance(pattern, URLPattern)
            route = str(pattern.pattern)
            for name in re.findall(r"<(?:\w+:)?(\w+)>", route):
                for key in names[name]:
                    yield base + re.sub(r"<[^>]+>", str(key), route)
        for key in keys:
            yield reverse("admin:view_on_site", args=[ContentType.objects.get_for_model(model).pk, key])


def general_addresses() -> Iterator[str]:
    """Every address without a key, searches for what is Contoso's, and lists filtered by it."""
    northwind, contoso = (Repository.objects.get(db_id=name) for name in ("northwind", "contoso"))
    moment = f"{timezone.now() - timedelta(seconds=1):%Y-%m-%dT%H:%M:%S}"
    for pattern in admin.site.urls[0]:
        if isinstance(pattern, URLPattern) and "<" not in str(pattern.pattern) and str(pattern.pattern) != "logout/":
            yield f"/admin/{pattern.pattern}"
    yield from (f"{reverse('admin:search')}?s={word}" for word in TRACES)
    for model, pages in admin.site._registry.items():
        base = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        yield from (f"{base}{pattern.pattern}" for pattern in pages.urls if "<" not in str(pattern.pattern))
        yield from (f"{base}?q={word}" for word in ("CODE", "words", "chart", "reason"))
        yield f"{base}?repository__id__exact={contoso.pk}"
        yield f"{base}add/?repository={contoso.pk}"
        if model not in MODELS.values():
            continue
        yield f"{base}deleted/?q=GONE"
        yield f"{base}?as_of={moment}&repository__id__exact={contoso.pk}"
        yield f"{base}export_file/?as_of={moment}&repository__id__exact={contoso.pk}"
        yield from (f"{base}?view={key}" for key in views_of_contoso())
        yield from (f"{base}?columns=repository,descriptions&filter=id=={mark}CODE" for mark in "NC")
        for page_of_list in ("condition/", "columns/", "views/save/"):
            yield f"{base}{page_of_list}?list=repository__id__exact%3D{contoso.pk}"
        yield f"{base}condition/?field=rules.accrual.debitAccrual.id&list=repository__id__exact%3D{contoso.pk}"
        for one, other in ((northwind, contoso), (contoso, northwind)):
            yield from (
                f"{base}compare/{rest}?from_repository={one.pk}&repository={other.pk}" for rest in ("", "export/")
            )


def seen(browser: Client, address: str) -> tuple[int, str]:
    """The status and the constant text of a page; after a redirect, of its target."""
    answer = browser.get(address, follow=True)
    return answer.status_code, lasting(text_of(answer.getvalue()))


def text_of(content: bytes) -> str:
    """The text of a page, or of all parts of a workbook, whose compressed parts bear the time."""
    if not content.startswith(b"PK"):
        return content.decode(errors="replace")
    with ZipFile(BytesIO(content)) as workbook:
        return "\n".join(workbook.read(name).decode() for name in sorted(workbook.namelist()))


def without(text: str, address: str) -> str:
    """The text of a page in lower case without the words that the address itself contains."""
    small = lasting(text).lower()
    return small.replace(address.rpartition("=")[2].lower(), "") if "=" in address else small


def traces(text: str, address: str = "") -> list[str]:
    small = without(text, address)
    return [word for word in TRACES if word in small]


def remove_contoso() -> None:
    """Delete Contoso with everybody and everything that is its own."""
    contoso = Repository.objects.get(db_id="contoso")
    FileImportPiece.objects.filter(file_import__repository=contoso).delete()
    DeletionChunk.objects.filter(processing__repository=contoso).delete()
    for model in (FileImport, DataProcessing, Account, Currency):
        model.objects.filter(repository=contoso).delete()
    for model in MODELS.values():
        model.version_model.objects.filter(repository=contoso).delete()
    Group.objects.filter(name="c-group").delete()
    LoginFailures.objects.filter(name="bob").delete()
    User.objects.filter(username="bob").delete()
    contoso.delete()
    AccessChange.objects.all().delete()


def all_of_contoso() -> dict[str, list[Any]]:
    """What is stored of Contoso."""
    models: list[Any] = [model for model in admin.site._registry if model._meta.label not in _GENERAL]
    rows = {model._meta.label: list(model.objects.filter(pk__in=of_contoso(model)).values()) for model in models}
    for model in MODELS.values():
        history = model.version_model.objects.filter(repository__db_id="contoso")
        rows[f"history of {model._meta.label}"] = list(history.order_by("pk").values())
    rows["views"] = list(SavedView.objects.filter(pk__in=views_of_contoso()).order_by("pk").values())
    return rows


def test_pages_with_a_key_of_another_repository_are_refused(two_tenants, alice):
    """They are 403 or 404, or 405, reveal nothing of it, and change nothing of it."""
    browser, keyed, before = browser_of(alice), set(addresses_of_patterns()), all_of_contoso()
    for address in few(sorted(keyed), kind_of):
        for send in (browser.get, browser.post):
            answer = send(address, follow=True)
            assert answer.status_code in (403, 404, 405), f"{answer.status_code} {address}"
            assert traces(answer.getvalue().decode(), address) == [], address
    assert all_of_contoso() == before
    assert len(keyed) >= 130


def test_all_others_are_as_if_there_was_no_other_repository(two_tenants, alice):
    """No page has a name, a number or a choice of it, and no form changes anything of it.

    They are all that a superuser finds, who sees everything.
    """
    keyed = set(addresses_of_patterns())
    addresses, forms = crawl(superuser(), reverse("admin:index"), *sorted(keyed))
    browser = browser_of(alice)
    pages = sorted({*few(sorted(addresses - keyed), kind_of), *general_addresses()} - keyed)
    look_at_pages(browser, [page for page in pages if "/logout/" not in page])
    send_forms(browser, few(forms, lambda form: (form.action.partition("?")[0] in keyed, form.kind())))


def look_at_pages(browser: Client, pages: list[str]) -> None:
    """Open the pages once as things are, and once after Contoso was taken away.

    An address that is closed to her is so whatever is asked of it.
    """
    compact = f"{reverse('admin:account_account_changelist')}?density=compact"  # a cookie keeps the height of rows
    browser.get(compact)
    before: dict[str, tuple[int, str]] = {}
    for page in pages:
        path, _, asked = page.partition("?")
        if not asked or path not in before or before[path][0] != 403:
            before[page] = seen(browser, page)
    assert {page: found for page, (_, text) in before.items() if (found := traces(text, page))} == {}
    with transaction.atomic():
        remove_contoso()
        cache.clear()
        browser.get(compact)
        # What she may not open has shown nothing.
        shown = [page for page in before if before[page][0] != 403]
        after = {page: seen(browser, page) for page in shown}
        transaction.set_rollback(True)
    assert [page for page in shown if before[page] != after[page]] == []
    assert len(pages) >= tries(200, long=350)
    assert len(shown) >= tries(90, long=120)


def send_forms(browser: Client, forms: list[SentForm]) -> None:
    """Send every form that a superuser may send, with every action and place to choose; Contoso stays as it is."""
    before = all_of_contoso()
    assert all(before.values())
    sent = 0
    for form in forms:
        for fields in form.variants():
            answer = browser.post(form.action, fields)
            assert answer.status_code < 500
            # The next page shows the messages; what else it shows is seen above.
            browser.cookies.pop("messages", None)
            texts = [text_of(answer.getvalue()), *map(str, get_messages(answer.wsgi_request))]
            assert traces("\n".join([*texts, answer.headers.get("Location", "")]), form.action) == [], form.action
            sent += 1
    assert all_of_contoso() == before
    assert sent >= tries(230, long=350)
