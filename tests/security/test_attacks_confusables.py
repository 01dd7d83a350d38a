"""Names that look alike are different names: elements, repositories and people are never confused."""

import base64
from functools import partial
from itertools import combinations
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from dimensions_site.repositories.models import AccessGrant, Repository, Role
from tests.bulkops.jobs.deletions import start, status_of, work_now
from tests.bulkops.save.bulk import ids, patch, save
from tests.factories import MAKERS, read

pytestmark = pytest.mark.contract("C1", "C19")

# All names of a group look alike, or are the same for programs that fold case or normalise.
GROUPS = {
    "latin, cyrillic, greek": ("Acc", "Асс", "Αcc"),
    "case": ("cash", "Cash", "CASH", "caſh"),
    "composed and not": ("caf\u00e9", "cafe\u0301"),
    "compatibility": ("ﬁn", "fin", "ｆｉｎ", "𝐟𝐢𝐧"),
    "sharp s": ("straße", "strasse", "STRASSE", "STRAẞE"),
    "turkish": ("i1", "I1", "İ1", "ı1"),
    "digits": ("1000", "１０００", "l000", "1O00", "١٠٠٠"),
    "invisible": ("ab", "a\u200bb", "a\u200db", "a\u00adb", "a\ufeffb", "a\u2060b"),
    "blanks": ("a b", "a\u00a0b", "a\u2003b", "a  b"),
    "direction": ("a\u200eb", "a\u200fb", "a\u061cb"),
    "hyphens": ("a-b", "a\u2010b", "a\u2013b", "a\u2212b"),
    "hangul": ("\uac00", "\u1100\u1161"),
    "singletons": ("\u212b", "\u00c5", "A\u030a"),
}
DIMENSIONS = ("currency", "account")


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_bulk_save_and_a_deletion_take_exactly_what_is_named(alice, dimension):
    """All that look alike in one body; then the first of each group is changed, and then deleted."""
    new = MAKERS[dimension]
    everything = [id for group in GROUPS.values() for id in group]
    firsts = [group[0] for group in GROUPS.values()]
    save(alice, dimension, post=[new(id) for id in everything])
    save(alice, dimension, patch=[patch(id, descriptions={"it": "Primo"}) for id in firsts])
    path = partial(alice.elements, dimension)
    assert ids(read(alice.get(path(), {"filter": "descriptions.it==Primo"}))) == sorted(firsts)
    oid = start(alice, firsts, dimension)
    work_now()
    assert status_of(alice, oid, dimension)["deleted"] == len(firsts)
    assert ids(read(alice.get(path()))) == sorted(set(everything) - set(firsts))


def test_names_that_look_alike_name_no_repository(alice, bob):
    """A dbID has letters, digits and marks of ASCII, so nobody can make one that looks like another."""
    for db_id in (
        "nоrthwind",
        "northwınd",
        "ｎorthwind",
        "north\u200bwind",
        "northwind\u00ad",
        "Northwind",
        "NORTHWIND",
    ):
        assert alice.get(alice.account(db_id=quote(db_id))).json()["code"] == "REPOSITORY_NOT_FOUND"
        if not db_id.isascii():
            with pytest.raises(Exception, match="dbID"):
                Repository(db_id=db_id, name="Northwind").full_clean()


def basic(name: str, password: str) -> Client:
    credentials = base64.b64encode(f"{name}:{password}".encode()).decode()
    return Client(headers={"Authorization": f"Basic {credentials}"})


PEOPLE = ("mallory", "mаllory", "Mallory", "MALLORY", "mall\u200bory", "mallóry")


@pytest.fixture
def people(northwind: Repository) -> dict[str, User]:
    """People whose names look alike, each with a password of their own; the first alone may read."""
    cache.clear()
    made = {name: User(username=name) for name in PEOPLE}
    for number, person in enumerate(made.values()):
        person.set_password(f"password-{number}")
    User.objects.bulk_create(made.values())
    AccessGrant.objects.create(user=User.objects.get(username=PEOPLE[0]), repository=northwind, role=Role.READER)
    return made


@pytest.mark.contract("G1", "G2")
def test_people_whose_names_look_alike_are_different_people(people, alice):
    """Each password gives access for its own name only, cached or not; the grant is that of the first alone."""
    for _ in ("computed", "remembered"):
        for number, name in enumerate(PEOPLE):
            status = basic(name, f"password-{number}").get(alice.account()).status_code
            assert status == (200 if number == 0 else 403), name
    for (one, name), (other, _) in combinations(enumerate(PEOPLE), 2):
        assert one != other
        assert basic(name, f"password-{other}").get(alice.account()).status_code in (401, 429), name
