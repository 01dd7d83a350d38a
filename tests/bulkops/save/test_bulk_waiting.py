"""What happens while a bulk save waits for its turn: what it has read must still be true when it is saved."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction

from account.models import Account, AccountVersion
from currency.models import Currency
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.elements.models import Element
from dimensions_site.elements.writing.locking import writing_many
from dimensions_site.elements.writing.saving import delete
from tests.beside import Answer, asked, beside
from tests.bulkops.save.bulk import element, elements, patch, path, places, refused, save
from tests.factories import MAKERS, account, currency
from tests.services.citus import IS_CITUS
from tests.services.worker import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.contract("E2")]

# In seconds: by then a small body is read and waits; if not, a test shows less, and does not fail.
_READ_BY_THEN = 0.7


@pytest.fixture
def meanwhile(northwind) -> Callable[..., Any]:
    """Another bulk writer holds the repository; a call comes, reads and waits; the block runs for that writer."""

    @contextmanager
    def waiting(person: Any, dimension: str, **body: Any) -> Iterator[Future[Answer]]:
        with writing_many(northwind):
            call = asked(person, "POST", path(person, dimension), body)
            wait([call], timeout=_READ_BY_THEN)
            assert not call.done()
            yield call
        call.result(30)

    return waiting


def remove(model: type[Element], id: str) -> None:
    """Delete an element, as a deletion of many does."""
    rows = model._base_manager.filter(element_id=id)
    delete(rows, rows.get().repository, Actor(SYSTEM, Channel.DELETION))


def referring(target: str) -> dict[str, Any]:
    return account("1", rules={"accrual": {"debitAccrual": {"id": target}}})


def put_one(person: Any, dimension: str, body: dict[str, Any]) -> None:
    """Write one element by itself."""
    response = person.send("PUT", path(person, dimension, f"elements/{body['id']}"), body)
    assert response.status_code in (200, 201), response.content


@pytest.mark.contract("C2", "C15")
@pytest.mark.parametrize(
    ("dimension", "stored", "body", "act", "place"),
    [
        (
            *("account", [], {"post": [account("1"), account("2")]}),
            lambda alice: put_one(alice, "account", account("2", type="DETAIL")),
            ("/post/1/id", "ALREADY_EXISTS"),
        ),
        (
            *("account", ["1", "2"], {"patch": [patch("1", type="DETAIL"), patch("2", type="DETAIL")]}),
            lambda _: remove(Account, "2"),
            ("/patch/1/key/id", "ELEMENT_NOT_FOUND"),
        ),
        (
            *("account", ["target"], {"saveMode": "STRICT", "post": [referring("target")]}),
            lambda _: remove(Account, "target"),
            ("/post/0/rules/accrual/debitAccrual/id", "UNKNOWN_REFERENCE"),
        ),
        (
            *("currency", [], {"put": [currency("EUR", oid="mine")]}),
            lambda alice: put_one(alice, "currency", currency("EUR", oid="theirs")),
            ("/put/0/oid", "IMMUTABLE"),
        ),
        (
            *("currency", [], {"put": [currency("EUR", oid="wanted")]}),
            lambda alice: put_one(alice, "currency", currency("USD", oid="wanted")),
            ("/put/0/oid", "ALREADY_EXISTS"),
        ),
    ],
    ids=["id taken", "patched one deleted", "reference deleted", "oid given", "oid taken"],
)
def test_what_others_have_done_meanwhile_may_forbid_it(alice, meanwhile, dimension, stored, body, act, place):
    """As if it had been so from the beginning; nothing of the body is saved."""
    save(alice, dimension, post=[MAKERS[dimension](id) for id in stored])
    with meanwhile(alice, dimension, **body) as call:
        act(alice)
        before = elements(alice, dimension)
    answer = call.result(30)
    assert (answer.status, places(answer.body)) == (400, [place])
    assert elements(alice, dimension) == before


def test_a_replacement_replaces_what_is_there_then(alice, meanwhile):
    """What was changed, created and deleted meanwhile; a replacement is compared with what is stored then."""
    save(alice, "account", post=[account("changed"), account("deleted")])
    body = {"put": [account("changed"), account("created"), account("deleted")]}

    with meanwhile(alice, "account", **body) as call:
        put_one(alice, "account", account("changed", type="DETAIL"))
        put_one(alice, "account", account("created", type="DETAIL"))
        remove(Account, "deleted")

    assert call.result(30).status == 200
    assert [(each["id"], each["type"]) for each in elements(alice, "account")] == [
        ("changed", "NORMAL"),
        ("created", "NORMAL"),
        ("deleted", "NORMAL"),
    ]
    kinds = AccountVersion.objects.order_by("number").values_list("element_id", "change")
    assert {id: "".join(kind for name, kind in kinds if name == id) for id in ("changed", "created", "deleted")} == {
        "changed": "+~~",
        "created": "+~",
        "deleted": "+-+",
    }


@pytest.mark.contract("C15")
def test_a_patch_changes_what_is_there_then(alice, meanwhile):
    """It keeps what others wrote meanwhile, and finds what they made."""
    save(alice, "account", post=[account("changed")])
    body = {"patch": [patch("changed", type="DETAIL"), patch("created", type="DETAIL")]}

    with meanwhile(alice, "account", **body) as call:
        put_one(alice, "account", account("changed", documentationLink="theirs"))
        put_one(alice, "account", account("created", documentationLink="theirs"))

    assert call.result(30).status == 200
    found = {(each["type"], each["documentationLink"]) for each in elements(alice, "account")}
    assert found == {("DETAIL", "theirs")}


def test_a_reference_to_what_was_created_meanwhile_is_accepted(alice, meanwhile):
    """For the same reason."""
    with meanwhile(alice, "account", saveMode="STRICT", post=[referring("target")]) as call:
        put_one(alice, "account", account("target"))

    assert call.result(30).status == 200
    assert len(elements(alice, "account")) == 2


@pytest.mark.contract("C2")
@pytest.mark.parametrize("existed", [False, True], ids=["new", "made again"])
def test_a_currency_keeps_the_oid_that_it_got_meanwhile(alice, meanwhile, existed):
    """A replacement without an oid changes none; neither that of a new currency nor of a recreated one."""
    if existed:
        save(alice, "currency", post=[currency("EUR", oid="old")])

    with meanwhile(alice, "currency", put=[currency("EUR", decimalNumbers=3)]) as call:
        if existed:
            remove(Currency, "EUR")
        put_one(alice, "currency", currency("EUR", oid="theirs"))

    assert call.result(30).status == 200
    stored = element(alice, "currency", "EUR")
    assert (stored["oid"], stored["decimalNumbers"]) == ("theirs", 3)


@pytest.mark.contract("G2")
def test_who_writes_in_another_repository_waits_for_nobody(alice, bob, contoso, meanwhile):
    """On PostgreSQL; SQLite knows one writer at a time."""
    with meanwhile(alice, "account", post=[account("1")]):
        if connection.vendor == "postgresql":
            other = asked(bob, "POST", path(bob, "account", db_id="contoso"), {"post": [account("1")]})
            assert other.result(30).status == 200


if connection.vendor == "postgresql":  # SQLite locks no single elements

    def test_a_bulk_save_that_the_database_undoes_for_another_writer_is_done_again(alice, northwind):
        """The operator's own program locks two accounts in the other order; the client does not notice."""
        if IS_CITUS:
            pytest.skip("Who waits for whom is known to the worker.")
        save(alice, "account", post=[account("1"), account("2")])
        body = {"put": [account(id, documentationLink="bulk") for id in ("1", "2")]}
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL deadlock_timeout = '60s'")  # so that the other one notices
            Account.of(northwind).select_for_update().get(element_id="2")
            call = asked(alice, "POST", path(alice, "account"), body)
            wait_until(lambda: waits_for_us(cursor), "The bulk save does not wait")
            Account.of(northwind).select_for_update().get(element_id="1")
            assert not call.done()
        answer = call.result(30)
        assert answer.status == 200, answer.body
        assert [each["documentationLink"] for each in answer.body] == ["bulk", "bulk"]
        assert AccountVersion.objects.count() == 4

    def waits_for_us(cursor: Any) -> bool:
        """Whether another session waits for a lock of this one."""
        cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))")
        return cursor.fetchone() is not None

    def test_a_patch_of_what_is_created_while_it_is_looked_for_is_refused_as_unknown(alice):
        """Somebody creates an account between its lookup and its reading: it counts as missing."""
        save(alice, "account", post=[account("1")])
        entries = [patch(id, documentationLink="bulk") for id in ("1", "2")]

        def create_after_locking(execute: Any, sql: str, *arguments: Any) -> Any:
            result = execute(sql, *arguments)
            if "FOR NO KEY UPDATE" in sql and "account_account" in sql and not created:
                created.append(beside(lambda: put_one(alice, "account", account("2"))))
                created[0].result(30)
            return result

        created: list[Future[None]] = []
        with connection.execute_wrapper(create_after_locking):
            response = alice.send("POST", path(alice, "account"), {"patch": entries})
        assert created
        assert places(refused(response)) == [("/patch/1/key/id", "ELEMENT_NOT_FOUND")]
