"""A chart as a tree of its ids: headings above those that begin with their id, else the common beginning."""

from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from account.models import Account
from dimensions_site.elements.reading.ranges import RANGE_FROM, SHOWN_NODES, level, opened_level
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
    store(northwind, *(f"40{number}" for number in range(11, 23)), "5000", "5100", "X")
    assert tree(northwind) == "[40…(12) 5000 5100 X]"
    assert tree(northwind, "40") == "[401…(9) 4020 4021 4022]"


def test_an_account_is_the_heading_of_those_that_begin_with_its_id(northwind):
    """At every depth, whether there are many or few below."""
    store(northwind, "4", *(f"41{number:02}" for number in range(1, 21)), "7", "70", "701", "71")
    assert tree(northwind) == "[4(20) 7[70[701] 71]]"
    assert tree(northwind, "4") == "[410…(9) 4110(9) 4120]"


def test_an_account_with_zeros_after_the_beginning_is_the_heading_of_its_range(northwind):
    """As in most charts; below it, it is not shown again."""
    store(northwind, "0101000", *(f"01010{number}" for number in range(10, 16)), "0101030.04", "0102000", "0200000")
    assert tree(northwind) == "[010…(9) 0200000]"
    assert tree(northwind, "010") == "[0101000(7) 0102000]"
    nodes = level(Account.of(northwind), "01010", COLUMNS, heading="0101000").nodes
    assert drawn(nodes) == "[0101010(5) 0101030.04]"


def test_a_range_without_a_heading_has_its_first_and_last_account(northwind):
    """Their descriptions say what is in it."""
    store(northwind, *(f"40{number}" for number in range(11, 23)), "5")
    first = level(Account.of(northwind), "", COLUMNS).nodes[0]
    assert [end.element_id for end in first.ends] == ["4011", "4022"]


def test_all_levels_are_opened_in_one_query(northwind, monkeypatch):
    """Up to a number of accounts; the levels are those that people open one after another."""
    store(northwind, "4", *(f"41{number:02}" for number in range(1, 21)), "7", "70", "701", "71")
    with CaptureQueriesContext(connection) as queries:
        found = opened_level(Account.of(northwind), "", COLUMNS)
    assert len(queries) == 1
    assert found is not None
    nodes = found.nodes
    assert [node.number for node in nodes] == [20, 3]
    assert drawn(nodes[1:]) == "[7[70[701] 71]]"
    assert drawn(nodes[0].below[0].below[1:2]) == "[4110[4111 4112 4113 4114 4115 4116 4117 4118 4119]]"
    monkeypatch.setattr("dimensions_site.elements.reading.ranges.OPENED_ELEMENTS", 24)
    assert opened_level(Account.of(northwind), "", COLUMNS) is None


def test_the_only_range_is_opened_at_once(northwind):
    """Separators at the end of a beginning are not shown."""
    store(northwind, *(f"A.{group}.{number}" for group in "123" for number in range(101, 107)))
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


def ids_of(repository, beginning="", heading=""):
    """Every id of the tree, as somebody finds them who opens all nodes."""
    for node in level(Account.of(repository), beginning, COLUMNS, heading).nodes:
        yield from ids_below(repository, node)


def ids_below(repository, node):
    if node.element:
        yield node.element.element_id
    if node.is_closed:
        below = list(ids_of(repository, node.beginning, node.element.element_id if node.element else ""))
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
    ids = {"".join(random.choices("0ab-é😀", k=random.randint(1, 6))) for _ in range(60)}
    store(northwind, *ids)
    assert list(ids_of(northwind)) == sorted(ids)
