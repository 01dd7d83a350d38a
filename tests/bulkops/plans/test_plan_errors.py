"""What a plan refuses: what was sent is wrong (400), or what is stored forbids it (an error of the plan)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection

from bulkops.models import Plan
from bulkops.plans.requests import BULK_MEMBERS, MEMBERS
from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.bulkops.jobs.deletions import start
from tests.bulkops.plans.plans import applied, apply, changes, counts, make, one, send
from tests.bulkops.save.bulk import elements, patch, places, refused, save
from tests.factories import account, currency, read


@pytest.fixture
def chart(alice):
    """Twenty accounts, all profit and loss but the first ten."""
    save(
        alice,
        "account",
        put=[account(f"{id}", nature="BALANCE_SHEET" if id < 20 else "PROFIT_AND_LOSS") for id in range(10, 30)],
    )
    return elements(alice, "account")


@pytest.mark.contract("K4", "B1")
@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({}, [("", "ONE_SOURCE")]),
        ({"snapshot": [], "undo": "x"}, [("", "ONE_SOURCE"), ("/undo", "UNKNOWN_CHANGE_SET")]),
        ({"snapshot": [], "asOf": "x"}, [("", "ONE_SOURCE"), ("/asOf", "INVALID_VALUE")]),
        ({"snapshot": {}}, [("/snapshot", "INVALID")]),
        ({"snapshot": [account("1"), account("1")]}, [("/snapshot/1/id", "REPEATED")]),
        ({"snapshot": [account("1", nature="X")]}, [("/snapshot/0/nature", "INVALID")]),
        ({"bulk": {}}, [("/bulk", "REQUIRED")]),
        ({"bulk": []}, [("/bulk", "INVALID")]),
        (
            {"bulk": {"put": [account("11", nature="X")], "delete": [{}]}},
            [("/bulk/delete/0/id", "REQUIRED"), ("/bulk/put/0/nature", "INVALID")],
        ),
        ({"bulk": {"put": [account("11")], "delete": [{"id": "11"}]}}, [("/bulk/delete", "REPEATED")]),
        ({"bulk": {"saveMode": "STRICT"}}, [("/bulk/saveMode", "UNKNOWN_MEMBER"), ("/bulk", "REQUIRED")]),
        ({"bulk": {"patch": [patch("99", type="NORMAL")]}}, [("/bulk/patch/0/key/id", "ELEMENT_NOT_FOUND")]),
        ({"undo": "nothing"}, [("/undo", "UNKNOWN_CHANGE_SET")]),
        ({"asOf": "yesterday"}, [("/asOf", "INVALID_VALUE")]),
        ({"asOf": "bm8.dG9rZW4"}, [("/asOf", "INVALID_TOKEN")]),
        ({"repository": "northwind"}, [("/repository", "INVALID_VALUE")]),
        (
            {"snapshot": [], "maxDelete": "6 %", "saveMode": "strict", "onConflict": "skip", "replace": 1},
            [
                ("/maxDelete", "INVALID"),
                ("/onConflict", "NOT_ALLOWED"),
                ("/replace", "INVALID"),
                ("/saveMode", "INVALID"),
            ],
        ),
        ({"snapshot": [], "scope": "updateInfo.user==x"}, [("/scope", "UNKNOWN_FIELD")]),
        ({"snapshot": [], "scope": "id=="}, [("/scope", "SYNTAX")]),
        (
            {"snapshot": [], "scope": "naturee==1,typ==2", "maxDelete": "x", "reason": "a\nb"},
            [
                *[("/scope", "UNKNOWN_FIELD")] * 2,
                ("/maxDelete", "INVALID"),
                ("/reason", "INVALID_CHARACTER"),
            ],
        ),
        ({"snapshot": [], "reason": "a\nb"}, [("/reason", "INVALID_CHARACTER")]),
        (
            {
                "snapshot": [account("1", nature="X"), account("2"), account("2")],
                "scope": "id==",
                "maxDelete": "x",
                "saveMode": "x",
                "replace": 1,
                "reason": "a\nb",
                "onConflict": "skip",
                "more": 1,
            },
            [
                ("/snapshot/0/nature", "INVALID"),
                ("/snapshot/2/id", "REPEATED"),
                ("/scope", "SYNTAX"),
                *((f"/{name}", "INVALID") for name in ("maxDelete", "saveMode", "replace")),
                ("/reason", "INVALID_CHARACTER"),
                ("/onConflict", "NOT_ALLOWED"),
                ("/more", "UNKNOWN_MEMBER"),
            ],
        ),
        (
            {
                "bulk": {
                    "put": [account("9", nature="X")],
                    "patch": [patch("99")],
                    "merge": {},
                    "more": [],
                    "delete": [{"id": "9"}, {"id": 5}, {"id": "15"}, {"id": "25"}],
                },
                "maxDelete": "x",
                "scope": "nature==BALANCE_SHEET",
            },
            [
                ("/bulk/put/0/nature", "INVALID"),
                ("/bulk/patch/0/key/id", "ELEMENT_NOT_FOUND"),
                ("/bulk/merge", "INVALID"),
                ("/bulk/more", "UNKNOWN_MEMBER"),
                ("/bulk/delete", "REPEATED"),
                ("/bulk/delete/1/id", "INVALID"),
                ("/bulk/delete", "OUTSIDE_SCOPE"),
                ("/maxDelete", "INVALID"),
            ],
        ),
        (
            {"undo": "nothing", "scope": "id==", "maxDelete": "x", "onConflict": "x"},
            [
                ("/undo", "UNKNOWN_CHANGE_SET"),
                ("/scope", "SYNTAX"),
                ("/maxDelete", "INVALID"),
                ("/onConflict", "INVALID"),
            ],
        ),
        (
            {"repository": "northwind", "scope": "id==", "saveMode": "x"},
            [("/repository", "INVALID_VALUE"), ("/scope", "SYNTAX"), ("/saveMode", "INVALID")],
        ),
        ({"snapshot": [], "reasn": "a"}, [("/reasn", "UNKNOWN_MEMBER")]),
    ],
)
def test_what_was_sent_is_refused(alice, chart, body, errors):
    """All at once, each at its place; nothing is kept."""
    report = refused(send(alice, "account", **body))

    assert sorted(places(report)) == sorted(errors)
    assert not Plan.objects.exists()


@pytest.mark.contract("K4", "B3")
def test_a_snapshot_that_was_cut_off_plans_nothing(alice, chart):
    """A broken connection must never look like a short chart."""
    body = '{"maxDelete": "100%", "snapshot": [{"id": "10"}, {"id": "1'
    response = alice.send("POST", alice.account("elements-plans"), body)

    assert (response.status_code, read(response)["code"]) == (400, "INVALID_JSON")


@pytest.mark.contract("K4")
def test_more_deletions_than_allowed_are_an_error_of_the_plan(alice, chart):
    """The plan shows what would go, and cannot be applied."""
    plan = make(alice, "account", snapshot=[account(f"{id}") for id in range(10, 28)])

    assert (plan["status"], counts(plan)[3], plan["errorCount"]) == ("INVALID", 2, 1)
    assert [(error["path"], error["code"]) for error in plan["errors"]] == [("/maxDelete", "TOO_MANY_DELETIONS")]
    assert "2 of the 20 stored elements (10.0%)" in plan["errors"][0]["message"]
    assert len(changes(alice, "account", plan, "?action=deleted")) == 2
    response = apply(alice, "account", plan)
    assert (response.status_code, read(response)["code"]) == (409, "PLAN_INVALID")
    assert elements(alice, "account") == chart


@pytest.mark.contract("K4")
def test_nothing_outside_the_scope_is_touched(alice, chart):
    """A snapshot of a part of the chart deletes only in that part."""
    snapshot = [account(f"{id}") for id in range(10, 19)]
    plan = make(alice, "account", snapshot=snapshot, scope="nature==BALANCE_SHEET", maxDelete="10%")

    assert counts(plan) == (0, 0, 9, 1)
    applied(alice, "account", plan)
    assert [element["id"] for element in elements(alice, "account")] == [f"{id}" for id in range(10, 30) if id != 19]


@pytest.mark.contract("K4")
@pytest.mark.parametrize(
    ("bulk", "path"),
    [
        ({"put": [account("15", nature="PROFIT_AND_LOSS")]}, "/bulk/put/0/id"),
        ({"merge": [account("25")]}, "/bulk/merge/0/id"),
        ({"put": [account("25", nature="PROFIT_AND_LOSS")]}, "/bulk/put/0/id"),
        ({"post": [account("5", nature="PROFIT_AND_LOSS")]}, "/bulk/post/0/id"),
        ({"delete": [{"id": "25"}]}, "/bulk/delete"),
    ],
)
def test_an_element_outside_the_scope_is_refused(alice, chart, bulk, path):
    """Whether it is outside before or after the change, or stays the same."""
    report = refused(send(alice, "account", bulk=bulk, scope="nature==BALANCE_SHEET", maxDelete="100%"))

    assert places(report) == [(path, "OUTSIDE_SCOPE")]
    assert elements(alice, "account") == chart


@pytest.mark.contract("K4", "B1")
def test_what_is_outside_the_scope_comes_with_the_errors_of_all_elements(alice, chart):
    """Before and after the change, of new elements and of those with errors themselves."""
    missing = {"rules": {"accrual": {"debitAccrual": {"id": "nowhere"}}}}
    snapshot = [
        account("10", nature="X"),
        account("11", nature="PROFIT_AND_LOSS"),
        account("25"),
        account("26", nature="X"),
        account("27"),
        account("27"),
        account("30", nature="PROFIT_AND_LOSS", **missing),
        account("31", nature="X"),
        account("32", **missing),
    ]
    report = refused(
        send(alice, "account", snapshot=snapshot, scope="nature==BALANCE_SHEET", saveMode="STRICT", maxDelete="100%")
    )

    reference = "rules/accrual/debitAccrual/id", "UNKNOWN_REFERENCE"
    wrong, outside = ("nature", "INVALID"), ("id", "OUTSIDE_SCOPE")
    found = [(0, [wrong]), (1, [outside]), (2, [outside]), (3, [wrong, outside]), (4, [outside])]
    found += [(5, [("id", "REPEATED")]), (6, [reference, outside]), (7, [wrong]), (8, [reference])]
    assert places(report) == [(f"/snapshot/{at}/{name}", code) for at, errors in found for name, code in errors]
    assert report["errorCount"] == 11
    assert elements(alice, "account") == chart


@pytest.mark.contract("K4", "B1")
@pytest.mark.parametrize(
    ("body", "path", "count"),
    [
        ({"snapshot": [account(f"{number}") for number in range(1_002)], "scope": "id==x"}, "/snapshot/999/id", 1_002),
        (
            {"bulk": {"put": [account("1", nature="X"), account("1")], "delete": [{"id": 5}] * 1_002}},
            "/bulk/delete/999/id",
            1_004,
        ),
    ],
    ids=["outside the scope", "deletions"],
)
def test_more_errors_than_are_listed_are_counted(alice, body, path, count):
    """The first are listed, in the order of their elements."""
    report = refused(send(alice, "account", **body))
    assert (report["errors"][-1]["path"], report["errorCount"], report["errorCountIsExact"]) == (path, count, True)


@pytest.mark.contract("K4", "B1", "C2")
def test_what_is_outside_the_scope_comes_with_names_that_others_have(alice):
    """Neither an id nor an oid that is taken ends the trial of the others."""
    save(alice, "currency", post=[currency("A", oid="a"), currency("B", oid="b", decimalNumbers=0)])
    bulk = {
        "post": [currency("A"), currency("C", oid="a")],
        "put": [currency("D", decimalNumbers=0)],
        "merge": [currency("B")],
    }
    assert places(refused(send(alice, "currency", bulk=bulk, scope="decimalNumbers==2"))) == [
        ("/bulk/post/0/id", "ALREADY_EXISTS"),
        ("/bulk/post/1/oid", "ALREADY_EXISTS"),
        ("/bulk/put/0/id", "OUTSIDE_SCOPE"),
        ("/bulk/merge/0/id", "OUTSIDE_SCOPE"),
    ]


@pytest.mark.contract("K4", "B3")
def test_a_deletion_is_refused_if_the_scope_has_no_elements(alice, chart):
    """No share of none is too large."""
    report = refused(send(alice, "account", bulk={"delete": [{"id": "25"}]}, scope="id==none"))

    assert places(report) == [("/bulk/delete", "OUTSIDE_SCOPE")]
    assert elements(alice, "account") == chart


@pytest.mark.contract("K4", "A6")
def test_another_repository_needs_a_grant(alice, chart, contoso):
    """The answers are those of the repository in the path."""
    for name, status, code in (("nowhere", 404, "REPOSITORY_NOT_FOUND"), ("contoso", 403, "NO_GRANT")):
        response = send(alice, "account", repository=name)
        assert (response.status_code, read(response)["code"]) == (status, code)


@pytest.mark.contract("K4", "E2")
def test_what_another_repository_has_may_be_refused_here(alice, bob, chart, contoso):
    """The client has not sent it, so it is an error of the plan, at the id of its element."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    refers = account("40", rules={"accrual": {"debitAccrual": {"id": "nowhere"}}})
    read(bob.send("POST", bob.account("elements-bulk", "contoso"), {"put": [refers]}))
    plan = make(alice, "account", repository="contoso", saveMode="STRICT", maxDelete="100%")

    assert plan["status"] == "INVALID"
    assert places(plan) == [("/40/rules/accrual/debitAccrual/id", "UNKNOWN_REFERENCE")]
    assert elements(alice, "account") == chart


@pytest.mark.contract("K4")
def test_a_plan_reports_the_ids_that_are_not_there(alice, chart):
    """As a deletion does; the others are deleted."""
    wanted = [{"id": id} for id in ("11", "none", "12", "99")]
    plan = make(alice, "account", bulk={"delete": wanted}, maxDelete="50%")
    assert (plan["deleted"], plan["notFound"], plan["status"]) == (2, ["99", "none"], "READY")
    assert read(alice.get(one(alice, "account", plan)))["notFound"] == ["99", "none"]
    assert applied(alice, "account", plan)["notFound"] == ["99", "none"]
    assert make(alice, "account", snapshot=[account("13")], maxDelete="100%")["notFound"] == []


@pytest.mark.contract("K4", "C5")
def test_null_means_absent_in_the_request_for_a_plan(alice, chart):
    """Generated clients send every member."""
    absent: dict[str, Any] = dict.fromkeys(MEMBERS)
    plan = make(alice, "account", **absent | {"bulk": dict.fromkeys(BULK_MEMBERS) | {"merge": [account("30")]}})
    assert (plan["created"], plan["saveMode"], plan["scope"], plan["reason"]) == (1, "LOOSE", None, None)
    assert places(refused(send(alice, "account", **absent))) == [("", "ONE_SOURCE")]


@pytest.mark.contract("K6", "C16")
def test_the_order_of_refusals_to_apply(alice, chart):
    """What was applied says so first; a plan that nobody has looked at is not applied."""
    plan = make(alice, "account", snapshot=[account(f"{id}") for id in range(10, 31)])
    address = one(alice, "account", plan, "/apply")

    response = alice.send("POST", address, "")
    assert (response.status_code, read(response)["code"]) == (428, "PRECONDITION_REQUIRED")
    response = alice.send("POST", address, "", **{"If-Match": "*"})
    assert (response.status_code, read(response)["code"]) == (428, "PRECONDITION_REQUIRED")
    for tag in ('W/"another"', "another"):
        assert refused(alice.send("POST", address, "", **{"If-Match": tag}))["errors"][0]["path"] == "If-Match"
    response = alice.send("POST", address, "", **{"If-Match": '"another"'})
    assert (response.status_code, read(response)["code"]) == (412, "PRECONDITION_FAILED")
    assert read(response)["detail"].startswith("The plan has changed")
    response = alice.send("POST", address, '{"reason": "x"}', **{"If-Match": "*"})
    assert (response.status_code, read(response)["code"]) == (400, "NOT_ALLOWED")
    applied(alice, "account", plan)
    response = alice.send("POST", address, "")
    assert (response.status_code, read(response)["code"]) == (409, "PLAN_APPLIED")


@pytest.mark.contract("K6")
def test_an_outdated_plan_lists_all_that_has_changed(alice, chart):
    """Of its own elements only: what happens to others does not matter."""
    plan = make(
        alice,
        "account",
        snapshot=[*(account(f"{id}", type="DETAIL") for id in range(10, 29)), account("30"), account("31")],
    )
    save(alice, "account", patch=[patch("10", descriptions={"en": "A"})], post=[account("30"), account("99")])
    applied(alice, "account", make(alice, "account", bulk={"delete": [{"id": "11"}]}, maxDelete=1))
    before = elements(alice, "account")
    response = apply(alice, "account", plan)
    report = read(response)

    assert (response.status_code, report["code"]) == (409, "PLAN_OUTDATED")
    assert report["detail"].startswith("3 elements of the plan have changed since the plan was made.")
    assert {error["path"] for error in report["errors"]} == {""}
    assert [(error["id"], error["code"]) for error in report["errors"]] == [
        (id, "CHANGED_SINCE") for id in ("10", "11", "30")
    ]
    assert elements(alice, "account") == before


@pytest.mark.contract("K5", "A6")
def test_plans_of_others(alice, ed, rita, bob, chart, contoso):
    """Those who may see the repository and the dimension find its plans; others do not, nor in another dimension."""
    plan = make(alice, "account", snapshot=[account(f"{id}") for id in range(10, 30)])
    address = one(alice, "account", plan)

    assert read(rita.get(address)) == plan
    assert [found["planId"] for found in read(rita.get(alice.account("elements-plans")))] == [plan["planId"]]
    assert bob.get(address).status_code == 403
    assert bob.get(bob.account(f"elements-plans/{plan['planId']}", "contoso")).status_code == 404
    assert alice.get(alice.currency(f"elements-plans/{plan['planId']}")).status_code == 404
    assert rita.delete(address).status_code == 403
    assert ed.delete(address).status_code == 204
    assert alice.get(address).status_code == 404


@pytest.mark.contract("K5", "F7")
@pytest.mark.django_db(transaction=True)
def test_an_id_is_found_only_as_it_was_answered(alice, chart):
    """That of a plan, a deletion and a change set: no other spelling of the UUID is one."""
    plan = applied(alice, "account", make(alice, "account", bulk={"delete": [{"id": "11"}]}, maxDelete=1))
    deletion = start(alice, ["12"])
    for spelled in (str, str.upper, lambda id: id.replace("-", ""), "{{{}}}".format, "urn:uuid:{}".format):
        ids = {name: quote(spelled(id)) for name, id in (("plan", plan["planId"]), ("set", plan["changeSet"]))}
        answers = [
            alice.get(alice.account(f"elements-plans/{ids['plan']}")),
            alice.get(alice.account(f"elements-bulk-delete-async/{quote(spelled(deletion))}")),
            alice.get(alice.account(f"elements-versions?changeSet={ids['set']}")),
            send(alice, "account", undo=spelled(plan["changeSet"])),
            send(alice, "account", undo=spelled(plan["planId"])),
        ]
        expected = [200, 200, 200, 201, 201] if spelled is str else [404, 404, 400, 400, 400]
        assert [one.status_code for one in answers] == expected, spelled(plan["planId"])


@pytest.mark.contract("K5", "M3")
def test_a_plan_is_deleted_for_a_client_that_accepts_only_problems(alice, chart):
    """There is no content to choose a form for; generated clients name only that of errors."""
    address = one(alice, "account", make(alice, "account", bulk={"delete": [{"id": "11"}]}, maxDelete=1))
    assert alice.send("GET", address, "", Accept="application/problem+json").status_code == 406
    assert alice.send("DELETE", address, "", Accept="application/problem+json").status_code == 204


@pytest.mark.contract("K6", "G2", "I2")
@pytest.mark.django_db(transaction=True)
def test_everything_is_checked_again_at_the_application(alice, ed, chart):
    """Grants, the switch of the API, the reason: as they are by then."""
    plan = make(alice, "account", snapshot=[account(f"{id}") for id in range(11, 30)])
    response = apply(ed, "account", plan)
    assert (response.status_code, read(response)["code"]) == (403, "ROLE_TOO_SMALL")
    Repository.objects.update(requires_reason=True)
    response = apply(alice, "account", plan)
    assert (response.status_code, read(response)["code"]) == (400, "REASON_REQUIRED")
    Repository.objects.update(api_enabled=False)
    etag = {"If-Match": "*"}
    assert alice.send("POST", one(alice, "account", plan, "/apply"), "", **etag).status_code == 403
    Repository.objects.update(api_enabled=True)
    AccessGrant.objects.filter(user=alice.user).update(role=Role.READER)
    assert alice.send("POST", one(alice, "account", plan, "/apply"), "", **etag).status_code == 403
    AccessGrant.objects.filter(user=alice.user).update(role=Role.MANAGER)
    assert apply(alice, "account", plan, **{"Change-Reason": "Synchronisation"}).status_code == 200
    [latest] = read(alice.get(alice.account("elements-changesets?take=1")))
    assert latest["reason"] == "Synchronisation"


@pytest.mark.contract("K4", "I2")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("header", "member", "kept"),
    [
        ({"Change-Reason": "Month%20end"}, {}, "Month end"),
        ({"Change-Reason": "Month end"}, {"reason": " Audit "}, "Audit"),
        ({}, {"reason": " "}, None),
    ],
)
def test_the_reason_with_which_a_plan_was_made_is_that_of_its_changes(alice, chart, header, member, kept):
    """In the header as of every request that writes, or in the body, which counts; without blanks around it."""
    sent = {"bulk": {"delete": [{"id": "11"}]}, "maxDelete": 1, **member}
    response = alice.send("POST", alice.account("elements-plans"), sent, **header)
    plan = read(response)
    assert (response.status_code, plan["reason"]) == (201, kept)
    assert apply(alice, "account", plan).status_code == 200
    [latest] = read(alice.get(alice.account("elements-changesets?take=1")))
    assert latest["reason"] == kept


@pytest.mark.contract("K6", "E2")
def test_a_strict_plan_checks_references_again(alice, chart):
    """What it refers to may be gone by then."""
    refers = account("40", rules={"accrual": {"debitAccrual": {"id": "29"}}})
    plan = make(alice, "account", bulk={"post": [refers]}, saveMode="STRICT")
    applied(alice, "account", make(alice, "account", bulk={"delete": [{"id": "29"}]}, maxDelete=1))
    response = apply(alice, "account", plan)

    assert response.status_code == 400
    later = read(response)
    assert places(later) == [("/40/rules/accrual/debitAccrual/id", "UNKNOWN_REFERENCE")]
    report = refused(
        send(
            alice,
            "account",
            bulk={"put": [account("40", rules={"accrual": {"debitAccrual": {"id": "28"}}})], "delete": [{"id": "28"}]},
            saveMode="STRICT",
            maxDelete=1,
        )
    )
    assert places(report) == [("/bulk/put/0/rules/accrual/debitAccrual/id", "UNKNOWN_REFERENCE")]
    for id, found in (("29", later), ("28", report)):
        assert found["errors"][0]["message"] == (
            f"rules.accrual.debitAccrual.id refers to the account '{id}', which the plan deletes, or which is neither "
            "in the repository nor in the plan; name one that stays, or make the plan with saveMode LOOSE."
        )


@pytest.mark.contract("K4")
def test_too_many_changes_and_too_many_plans(alice, chart, settings):
    """Each limit names itself, and loses nothing."""
    settings.PLAN_MAX_CHANGES = 3
    plan = make(alice, "account", bulk={"put": [account(f"{id}") for id in range(40, 44)]})
    assert [error["code"] for error in plan["errors"]] == ["TOO_MANY_CHANGES"]
    settings.PLAN_MAX_OPEN = 1
    response = send(alice, "account", bulk={"put": []})
    assert (response.status_code, read(response)["code"]) == (409, "TOO_MANY_PLANS")
    assert elements(alice, "account") == chart


@pytest.mark.contract("K4")
@pytest.mark.parametrize(
    "source",
    [
        {"snapshot": [account(f"{id}", descriptions={"en": "Bank"}) for id in range(10, 30)]},
        {"undo": "the chart"},
        {"repository": "contoso"},
    ],
    ids=lambda source: next(iter(source)),
)
@pytest.mark.django_db(transaction=True)
def test_the_bytes_of_a_clients_plans_are_limited(alice, chart, settings, contoso, source):
    """Whatever they come from, applied ones included. The trial stops as soon as there is no more room."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.READER)
    if "undo" in source:
        source = {"undo": read(alice.get(alice.account("elements-changesets")))[0]["id"]}
    plan = applied(alice, "account", make(alice, "account", bulk={"put": [account("40")]}))
    size = Plan.objects.get().size
    assert size > len(str(changes(alice, "account", plan)))
    settings.PLAN_MAX_BYTES = 2 * size
    response = send(alice, "account", **source, maxDelete="100%")
    assert (response.status_code, read(response)["code"]) == (409, "PLANS_TOO_LARGE")
    assert Plan.objects.count() == 1
    assert alice.delete(one(alice, "account", plan)).status_code == 204
    settings.PLAN_MAX_BYTES = 100 * size
    assert make(alice, "account", **source, maxDelete="100%")["status"] == "READY"


@pytest.mark.contract("K4")
@pytest.mark.django_db(transaction=True)
def test_plans_that_are_made_at_the_same_time_count_each_other(alice, chart, settings):
    """Six at a time never make more than the limit."""
    settings.PLAN_MAX_OPEN = 3

    def plan(number: int) -> int:
        try:
            status: int = send(alice, "account", bulk={"put": [account(f"{number}")]}).status_code
            return status
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as clients:
        statuses = list(clients.map(plan, range(40, 46)))
    assert statuses.count(201) == Plan.objects.count() == 3
    assert set(statuses) == {201, 409}


@pytest.mark.contract("K4", "B1", "A6")
@pytest.mark.parametrize(
    ("source", "errors"),
    [
        ({"asOf": "yesterday"}, [("/asOf", "INVALID_VALUE")]),
        ({"asOf": "2999-01-01"}, [("/asOf", "INVALID_VALUE")]),
        ({"repository": "northwind", "asOf": "bm8.dG9rZW4"}, [("/asOf", "INVALID_TOKEN")]),
        ({"repository": "nowhere"}, []),
        ({"asOf": "0001-01-01"}, []),
    ],
)
def test_the_errors_of_a_state_come_with_those_of_the_other_members(alice, chart, source, errors):
    """Before the answer that the state is not there, or too old."""
    others = {"scope": "nothing==1", "maxDelete": "many"}
    report = refused(send(alice, "account", **source, **others))
    assert sorted(places(report)) == [*errors, ("/maxDelete", "INVALID"), ("/scope", "UNKNOWN_FIELD")]
