"""HTTP Basic: which credentials are accepted, and what the cache of verified credentials may remember."""

import base64

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.core.cache import cache
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from dimensions_site.api.access.basic import BasicAuthentication

PASSWORD = "Käse: 100%"


class CountingHasher(MD5PasswordHasher):
    """Notes each password that it hashes."""

    algorithm = "counting"
    hashed: list[str] = []

    def encode(self, password, salt):
        self.hashed.append(password)
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def _fresh_cache_and_counter(settings):
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    cache.clear()
    yield
    CountingHasher.hashed.clear()


@pytest.fixture
def alice(db):
    user = User.objects.create_user("alice", password=PASSWORD)
    CountingHasher.hashed.clear()
    return user


def encoded(credentials: str | bytes) -> str:
    raw = credentials if isinstance(credentials, bytes) else credentials.encode()
    return "Basic " + base64.b64encode(raw).decode()


def authenticate(header: str, **environment: str):
    request = APIRequestFactory().get("/", headers={"Authorization": header})
    request.META.update(environment)
    return BasicAuthentication().authenticate(Request(request))


def refusal(header: str) -> str:
    with pytest.raises(AuthenticationFailed) as error:
        authenticate(header)
    return str(error.value.detail)


@pytest.mark.contract("G1")
@pytest.mark.parametrize("scheme", ["Basic", "basic", "BASIC", "Basic  "])
def test_the_right_password_is_accepted(alice, scheme):
    """The scheme's name has no case, and the password may hold a colon and letters beyond ASCII."""
    header = encoded(f"alice:{PASSWORD}").replace("Basic", scheme)
    assert authenticate(header) == (alice, None)


@pytest.mark.contract("G1")
def test_a_name_typed_with_combining_accents_is_the_same_name(db):
    """Some keyboards send e and an accent for é; user names are stored in one form only."""
    zoe = User.objects.create_user("zoé", password=PASSWORD)
    assert authenticate(encoded(f"zoe\u0301:{PASSWORD}")) == (zoe, None)


@pytest.mark.contract("G1")
@pytest.mark.parametrize("header", ["", "Bearer abc", "Api-Key abc", "Basically abc"])
def test_a_header_of_another_scheme_is_left_to_others(header):
    """The class does not decide then, so the next mode is tried."""
    assert authenticate(header) is None


@pytest.mark.contract("B3", "G1")
@pytest.mark.parametrize(
    "header",
    [
        "Basic",
        "Basic !!!",
        "Basic YWxpY2U6 eA==",
        "Basic YWxpY2U6eA",
        "Basic Ünïcode",
        encoded("no colon"),
        encoded(b"alice:\xff\xfe"),
        encoded("ali\x00ce:x"),
        encoded("alice:x\x00"),
        encoded("alice:x\n"),
    ],
)
def test_credentials_that_cannot_be_read_are_refused_before_the_database_is_asked(header):
    """No database is available to this test: asking it would fail the test."""
    assert refusal(header).startswith("The Basic credentials")


@pytest.mark.contract("G1")
def test_wrong_password_unknown_name_and_inactive_user_look_the_same_and_cost_the_same(alice):
    """Neither the message nor the time reveals whether a name exists: each costs one password hash."""
    User.objects.create_user("bob", password=PASSWORD, is_active=False)
    CountingHasher.hashed.clear()
    answers = {refusal(encoded(credentials)) for credentials in ("alice:wrong", "nobody:wrong", f"bob:{PASSWORD}")}
    assert len(answers) == 1
    assert CountingHasher.hashed == ["wrong", "wrong", PASSWORD]


@pytest.mark.contract("G1")
def test_verified_credentials_are_not_hashed_again(alice, django_assert_num_queries):
    """The first hashes the password, asks for wrong ones and notes the address; the second reads the user alone."""
    for queries in (6, 1):
        with django_assert_num_queries(queries):
            assert authenticate(encoded(f"alice:{PASSWORD}")) == (alice, None)
    assert CountingHasher.hashed == [PASSWORD]


@pytest.mark.contract("G1")
def test_without_a_lifetime_nothing_is_remembered(alice, settings):
    """BASIC_CREDENTIALS_CACHE_SECONDS = 0 switches the cache off."""
    settings.BASIC_CREDENTIALS_CACHE_SECONDS = 0
    for _ in range(2):
        authenticate(encoded(f"alice:{PASSWORD}"))
    assert CountingHasher.hashed == [PASSWORD, PASSWORD]


@pytest.mark.contract("G1")
def test_failures_are_not_remembered(alice):
    """A wrong password is hashed each time, and a password that becomes right is accepted at once."""
    for _ in range(2):
        refusal(encoded("alice:later"))
    assert CountingHasher.hashed == ["later", "later"]
    alice.set_password("later")
    alice.save()
    assert authenticate(encoded("alice:later")) == (alice, None)


@pytest.mark.contract("G1")
def test_what_is_remembered_counts_at_the_same_address_only(alice):
    """Otherwise somebody elsewhere could try passwords against it at no cost."""
    for address in ("192.0.2.1", "192.0.2.2", "192.0.2.1"):
        authenticate(encoded(f"alice:{PASSWORD}"), REMOTE_ADDR=address)
    assert CountingHasher.hashed == [PASSWORD, PASSWORD]


@pytest.mark.contract("G1")
def test_a_changed_password_ends_the_old_one_at_once(alice):
    """The stored hash is part of the cache key."""
    authenticate(encoded(f"alice:{PASSWORD}"))
    alice.set_password("new")
    alice.save()
    assert "wrong" in refusal(encoded(f"alice:{PASSWORD}"))


@pytest.mark.contract("G1")
def test_a_deactivated_user_is_out_at_once(alice):
    """Cached credentials do not outlive the user's deactivation."""
    authenticate(encoded(f"alice:{PASSWORD}"))
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert "not active" in refusal(encoded(f"alice:{PASSWORD}"))


@pytest.mark.contract("G1")
def test_what_is_remembered_is_worth_nothing_under_another_secret_key(alice, settings):
    """A cache that is read or shared elsewhere neither reveals the password nor gives access."""
    authenticate(encoded(f"alice:{PASSWORD}"))
    settings.SECRET_KEY = "another"
    authenticate(encoded(f"alice:{PASSWORD}"))
    assert CountingHasher.hashed == [PASSWORD, PASSWORD]


@pytest.mark.contract("G1")
def test_a_hash_of_an_older_hasher_is_renewed_and_then_remembered(settings, db):
    """Renewing the stored hash in the first request must not cost the second one a hash."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    User.objects.create_user("alice", password=PASSWORD)
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher", "django.contrib.auth.hashers.MD5PasswordHasher"]
    authenticate(encoded(f"alice:{PASSWORD}"))
    assert User.objects.get(username="alice").password.startswith("counting$")
    CountingHasher.hashed.clear()
    authenticate(encoded(f"alice:{PASSWORD}"))
    assert CountingHasher.hashed == []
