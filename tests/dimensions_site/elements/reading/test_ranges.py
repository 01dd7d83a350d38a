"""A chart as a tree of its ids: headings above those that begin with their id, else the common beginning."""

from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from account.models import Account
from dimensions_site.elements.reading.ranges import RANGE_FROM, SHOWN_NODES, level
from tests.factories import account
from tests.storing import store_accounts

COLUMNS = ("element_id",)


def drawn(nodes):
    """The nodes as texts: `4000` is an account, `4…(12)` a range; what is below comes in brackets."""
    shown = []
    for node in nodes:
        name = node.element.element_id if node.element else f"{node.title}…"
        below = f"({node.number})" if node.is_closed else f"{drawn(node.below)}" if node.below else ""
        shown.append(name + below)
    return f"[{' '.join(shown)}]"


def tree(repository, beginning=""):
    return drawn(level(Account.of(repository), beginning, COLUMNS).nodes)


def store(repository, *ids):
    store_accounts(repository, *(account(id) for id in ids))


def test_many_ids_with_a_common_beginning_are_a_range(northwind):
    """Few are shown at once."""
    store(northwind, *(f"40{number}" for number in range(10, 22)), "5000", "5100", "X")
    assert tree(northwind) == "[40…(12) 5000 5100 X]"
    assert tree(northwind, "40") == "[401…(10) 4020 4021]"


def test_an_account_is_the_heading_of_those_that_begin_with_its_id(northwind):
    """At every depth, whether there are many or few below."""
    store(northwind, "4", *(f"41{number:02}" for number in range(20)), "7", "70", "701", "71")
    assert tree(northwind) == "[4(20) 7[70[701] 71]]"
    assert tree(northwind, "4") == "[410…(10) 411…(10)]"


def test_the_only_range_is_opened_at_once(northwind):
    """Separators at the end of a beginning are not shown."""
    store(northwind, *(f"A.{group}.{number}" for group in "123" for number in range(100, 106)))
    assert tree(northwind) == "[A.1.10…(6) A.2.10…(6) A.3.10…(6)]"
    store(northwind, *(f"B.{group}.{number}" for group in "123" for number in range(100, 106)))
    assert tree(northwind) == "[A…(18) B…(18)]"


def test_a_level_is_bounded(northwind, monkeypatch):
    """It says that there is more."""
    monkeypatch.setattr("dimensions_site.elements.reading.ranges.SHOWN_NODES", 3)
    store(northwind, *"ABCD")
    found = level(Account.of(northwind), "", COLUMNS)
    assert drawn(found.nodes) == "[A B C]"
    assert found.has_more
    assert SHOWN_NODES > 100


def test_a_level_costs_two_queries(northwind):
    """However many accounts there are below it."""
    store(northwind, "9", "90", *(f"{number % 7}{number:03}" for number in range(60)))
    with CaptureQueriesContext(connection) as queries:
        tree(northwind)
    assert len(queries) == 2


def test_other_repositories_are_not_in_it(northwind, contoso):
    """The rows are those of one repository."""
    store(northwind, "1")
    store(contoso, "2")
    assert tree(northwind) == "[1]"


def ids_of(repository, beginning=""):
    """Every id of the tree, as somebody finds them who opens all nodes."""
    for node in level(Account.of(repository), beginning, COLUMNS).nodes:
        yield from ids_below(repository, node)


def ids_below(repository, node):
    if node.element:
        yield node.element.element_id
    if node.is_closed:
        below = list(ids_of(repository, node.beginning))
        assert len(below) == node.number
        yield from below
    else:
        assert node.element
        below = [id for child in node.below for id in ids_below(repository, child)]
        assert len(below) == node.number < RANGE_FROM
        yield from below


@pytest.mark.parametrize("seed", range(8))
def test_every_account_is_in_the_tree_once_and_in_order(northwind, seed):
    """Whatever the ids are."""
    random = Random(seed)
    ids = {"".join(random.choices("ab-é😀", k=random.randint(1, 6))) for _ in range(60)}
    store(northwind, *ids)
    assert list(ids_of(northwind)) == sorted(ids)
