from tests.factories import account, currency, read


def test_smoke(alice):
    r = alice.send("POST", alice.currency(), currency())
    assert r.status_code == 201, r.content
    r = alice.send("POST", alice.account(), account())
    assert r.status_code == 201, r.content
    assert len(read(alice.get(alice.account()))) == 1
    r = alice.send(
        "PATCH",
        alice.account("elements/1000"),
        {"rules": {"grossAmountEqualICSum": True}, "cashFlowPlanning": {"variation": {"debit": {"id": "7"}}}},
    )
    assert r.status_code == 200, r.content
    r2 = alice.send("PUT", alice.account("elements/1000"), r.json())
    assert r2.json() == r.json()
