"""Any filter over real rows selects exactly what it means, on every database."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from account import choices
from account.serializers import ACCOUNT_WIRE
from currency.serializers import CURRENCY_WIRE
from dimensions_site.elements.declaration.choices import EnumField
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.rsql.operators import OPERATORS, Relation
from dimensions_site.rsql.parser import Comparison
from tests.dimensions_site.elements.reading.meaning import holds, kind_of, texts
from tests.dimensions_site.rsql.strategies import TRICKY, trees
from tests.dimensions_site.rsql.writing import write
from tests.factories import account, currency, read
from tests.storing import store_accounts, store_currencies

ROWS = 40
DECIMALS = ("0", "0.000", "-0", "1", "1.0", "01", "-1.5", "9", "10", "999999999999999.9999999999", "0.0000000001")
# Those that an id may hold, and those that a text may hold.
WORDS = tuple(word for word in TRICKY if word.isprintable())
TEXTS = tuple(word for word in TRICKY if word)
PARTS = ("0", "1", ".", "-", "TRUE", "als", "00:", "T0", "+00", "_")
# Besides the stored values: nearly equal ones, and no value.
STRANGERS = {
    ValueKind.TEXT: TEXTS,
    ValueKind.TEXT_MAP: TEXTS,
    ValueKind.DECIMAL: DECIMALS,
    ValueKind.INTEGER: ("0", "-1", "2", "20", "2147483647"),
    ValueKind.BOOLEAN: ("true", "false"),
    # Of the channel; other enums say their values.
    ValueKind.ENUM: ("IMPORT", "INPUT_WEB"),
    ValueKind.TIMESTAMP: ("2026-01-31T10:00:00Z", "0001-01-02T00:00:00Z", "9999-12-30T00:00:00.001+01:00"),
}


class Listed(list[Any]):
    """Elements of a list; the search for counterexamples shows its arguments, but not a hundred kilobytes of them."""

    def __repr__(self) -> str:
        return f"{len(self)} elements"


def currencies():
    """Currencies with every kind of value, and with none; the same ones each time."""
    chance = Random(1)
    return [
        currency(
            f"{number}{chance.choice(WORDS).strip()}",
            decimalNumbers=chance.randrange(4),
            preferred=chance.choice((True, False, None)),
            percentageDifference=chance.choice(DECIMALS),
            descriptions={"en": "-", "de": chance.choice((None, *TEXTS)), "fr-CH": chance.choice(TEXTS)},
            referenceCurrency={
                "id": chance.choice((None, *WORDS)),
                "coefficient": chance.choice((None, True, False, *DECIMALS)),
            },
            xbrlContent=chance.choice((None, *TEXTS)),
        )
        for number in range(ROWS)
    ]


def accounts():
    """Accounts likewise."""
    chance = Random(2)

    def reference(**more):
        return chance.choice((None, {"id": chance.choice((None, *WORDS)), "description": chance.choice(WORDS), **more}))

    return [
        account(
            f"{number}{chance.choice(WORDS).strip()}",
            descriptions={"en": chance.choice((None, *WORDS)), "de": "."},
            alternativeDescriptions=chance.choice((None, {}, {"en": chance.choice(WORDS)})),
            customAttributes={"region": chance.choice((None, *TEXTS)), "a.b": chance.choice(TEXTS)},
            nature=chance.choice(choices.Nature.values),
            restrictions={"customDimension1": {"dimensionName": chance.choice(WORDS)}, "ctpRestriction": reference()},
            dataEntryAndReporting={
                "class": chance.choice(choices.AccountClass.values),
                "icManagement": chance.choice((True, False, None)),
                "validity": {"startDate": chance.choice((None, "2026-01-31T10:00:00Z", "2026-01-31"))},
            },
            consolidation={"bankingData": {"icIitemOld": reference(changeSign=chance.choice((True, False, None)))}},
            cashFlowPlanning={
                "other": {"credit": reference()},
                "revaluationDevaluation": {"enable": chance.choice((True, None))},
            },
            monthlySplittingRules={"reference": {"entityCtpFilter": chance.choice(("NONE", "E-1", None))}},
        )
        for number in range(ROWS)
    ]


@st.composite
def comparisons(draw, wire, elements, language):
    """A condition on any field that may be filtered, mostly with values that some element has."""
    entries = ["descriptions.de", "descriptions.fr-CH", "description"]
    if wire is ACCOUNT_WIRE:
        entries += ["customAttributes.region", "customAttributes.a.b", "alternativeDescriptions.en"]
    selector = draw(st.sampled_from([*(path for path in wire.places if path != "oid"), *entries]))
    kind = kind_of(wire, selector)
    operator = draw(st.sampled_from([operator for operator in OPERATORS if kind in operator.kinds]))
    if operator.relation is Relation.IS_SET:
        values = ["true", "false"]
    else:
        stored = {text for element in elements for text in texts(element, selector, language)}
        leaf = wire.places[selector].leaf if selector in wire.places else None
        strangers = leaf.choices.values if isinstance(leaf, EnumField) else STRANGERS[kind]
        values = sorted(stored | set(strangers))
        if operator.relation in (Relation.CONTAINS, Relation.CONTAINS_FOLDED):
            # Parts of what is returned, whatever the kind (contract M5).
            whole = draw(st.sampled_from(values))
            start = draw(st.integers(0, max(0, len(whole) - 1)))
            values = [whole[start : start + draw(st.integers(0, 6))], whole, *PARTS]
        elif kind is ValueKind.DECIMAL and operator.relation is not Relation.ONE_OF:
            values = [value for value in values if value not in ("true", "false")]
    chosen = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3 if operator.takes_list else 1))
    return Comparison(selector, operator, tuple(chosen), position=1)


@pytest.mark.contract("D1", "D2", "D3", "D4", "D7", "M5")
@pytest.mark.parametrize("dimension", ["currency", "account"])
def test_any_filter_selects_what_it_means(alice, northwind, dimension):
    """The list and the count, compared with the plain evaluation of the same filter over the whole list."""
    if dimension == "currency":
        wire, path = CURRENCY_WIRE, alice.currency
        store_currencies(northwind, *currencies())
    else:
        wire, path = ACCOUNT_WIRE, alice.account
        store_accounts(northwind, *accounts())
    elements = Listed(read(alice.get(path())))

    @settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(trees(comparisons(wire, elements, "en")), st.randoms(use_true_random=False))
    def check(node, style):
        query = {"filter": write(node, style)}
        expected = [element["id"] for element in elements if holds(node, element, wire, "en")]
        assert [element["id"] for element in read(alice.get(path(), query))] == expected, query
        assert alice.get(path("elements-count"), query).json() == len(expected)

    check()
