"""A key belongs to the client, in one repository; without access there is no answer."""

import pytest
from django.contrib.auth.models import User

from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
from tests.dimensions_site.idempotency.posts import BULK, CREATE, DELETION, code, is_replayed, stored
from tests.factories import Person, add_person

pytestmark = pytest.mark.contract("G2")
each = pytest.mark.parametrize("post", [CREATE, BULK, DELETION], ids=str)


@each
def test_two_clients_may_use_the_same_key(alice, northwind, post):
    """The second request is a different one, which is performed, or refused for itself."""
    clara = add_person("clara", northwind, Role.MANAGER)
    first = post.send(alice)
    hers = post.send(clara)
    assert not is_replayed(hers)
    assert hers.body != first.body
    assert post.send(clara).body == hers.body
    assert post.send(alice).body == first.body


@pytest.mark.contract("G1")
def test_a_client_may_authenticate_in_another_way(alice):
    """Another key of the same user, or their password."""
    first = CREATE.send(alice)
    _, key = ApiKey.objects.create_key(user=alice.user, name="another")
    other = Person(headers={"x-api-key": key})
    again = CREATE.send(other)
    assert (is_replayed(again), again.body) == (True, first.body)


@each
def test_in_two_repositories_the_same_key_means_two_requests(alice, contoso, post):
    """The path alone would make them two; here the key is even free."""
    AccessGrant.objects.create(user=alice.user, repository=contoso, role=Role.MANAGER)
    post.send(alice)
    theirs = post.send(alice, db_id="contoso")
    assert (theirs.status_code, is_replayed(theirs)) == (post.status, False)
    assert is_replayed(post.send(alice, db_id="contoso"))


@each
def test_a_client_whose_grant_was_taken_away_gets_no_stored_answer(alice, post):
    """Nor one whose role has become too small; once it is restored, the answer is there."""
    first = post.send(alice)
    grants = AccessGrant.objects.filter(user=alice.user)

    grants.update(role=Role.READER)
    assert code(post.send(alice)) == (403, "ROLE_TOO_SMALL")
    (grant,) = grants
    grants.delete()
    assert code(post.send(alice)) == (403, "NO_GRANT")

    grant.pk, grant.role = None, Role.MANAGER
    grant.save()
    assert post.send(alice).body == first.body


@each
@pytest.mark.contract("A6", "G3")
def test_who_may_not_call_is_refused_before_the_key_is_looked_at(alice, bob, rita, post):
    """A stranger, a reader, a deactivated user; with the API disabled everybody."""
    post.send(alice)
    done = stored()
    assert code(post.send(Person())) == (401, "NOT_AUTHENTICATED")
    assert code(post.send(bob, key="é")) == (403, "NO_GRANT")
    assert code(post.send(rita, key="é")) == (403, "ROLE_TOO_SMALL")
    assert code(post.send(alice, db_id="nowhere")) == (404, "REPOSITORY_NOT_FOUND")
    Repository.objects.update(api_enabled=False)
    assert code(post.send(alice)) == (403, "API_NOT_ENABLED")
    User.objects.filter(pk=alice.user.pk).update(is_active=False)
    assert code(post.send(alice)) == (401, "AUTHENTICATION_FAILED")
    assert stored() == done


@pytest.mark.contract("A6", "A7")
def test_what_is_refused_before_a_body_is_looked_at_does_not_use_up_the_key(alice):
    """An unknown parameter, another media type or encoding, no body: correct it and send it with the same key."""
    address = alice.account()
    sent = {"Idempotency_Key": "month-end-2026-01"}
    for query, headers, status in (
        ("?wrong=1", {}, 400),
        ("", {"Accept": "text/csv"}, 406),
        ("", {"Content_Encoding": "br"}, 415),
        ("", {"Content_Encoding": "gzip"}, 400),
    ):
        assert alice.send("POST", address + query, CREATE.body, **sent, **headers).status_code == status
    assert alice.send("POST", address, b"", **sent).status_code == 400
    assert CREATE.send(alice).status_code == 201
