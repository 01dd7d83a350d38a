"""A filter is read to chips by the parser of REST, and written back; what chips cannot express stays as it is."""

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from account.serializers import ACCOUNT_WIRE
from currency.serializers import CURRENCY_WIRE
from dimensions_site.administration.conditions.condition_form import ConditionForm
from dimensions_site.administration.conditions.filtering import Chip, chips_of, text_of
from dimensions_site.administration.conditions.operations import (
    CONDITION_OPERATIONS,
    FilterCondition,
    FilterOperation,
    Takes,
    offered_operations,
)
from dimensions_site.administration.lists.columns import ColumnTable
from dimensions_site.elements.reading.filters import ElementFields
from dimensions_site.rsql.compiler import compile_filter
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.rsql.parser import parse
from tests.dimensions import DIMENSIONS
from tests.dimensions_site.administration.lists.lists import words
from tests.dimensions_site.rsql.strategies import texts

FIELDS = ElementFields(DIMENSIONS["account"], "en")
PATHS = [*ACCOUNT_WIRE.places, "descriptions.de", "customAttributes.Owner"]


def values_for(kind: ValueKind, choices: tuple[str, ...]) -> st.SearchStrategy[str]:
    """The values that people choose or type in the form."""
    return st.sampled_from(choices) if kind is ValueKind.ENUM else _VALUES[kind]


_VALUES = {
    ValueKind.BOOLEAN: st.sampled_from(("true", "false")),
    ValueKind.TIMESTAMP: st.dates().filter(lambda day: 1 < day.year < 9999).map(lambda day: day.isoformat()),
    **dict.fromkeys((ValueKind.INTEGER, ValueKind.DECIMAL), st.integers(0, 20).map(str)),
    **dict.fromkeys((ValueKind.TEXT, ValueKind.TEXT_MAP), texts.filter(bool)),
}


@st.composite
def conditions(draw: st.DrawFn) -> FilterCondition:
    named = ACCOUNT_WIRE.named(draw(st.sampled_from(PATHS)))
    assert named is not None
    field = FIELDS.resolve(named.path)
    operation: FilterOperation = draw(st.sampled_from(offered_operations(field, is_entry=named.is_entry)))
    value = values_for(named.kind, field.choices)
    counts = {Takes.NOTHING: (0, 0), Takes.ONE: (1, 1), Takes.RANGE: (2, 2), Takes.SEVERAL: (1, 3)}
    least, most = counts[operation.takes]
    values = tuple(draw(st.lists(value, min_size=least, max_size=most)))
    if operation.takes is Takes.RANGE and named.kind is ValueKind.TIMESTAMP:
        values = tuple(sorted(values))
    return FilterCondition(named, operation, values)


def test_a_long_key_is_named_by_its_beginning():
    """In the sentence of a chip, and above a column; the label of a table or file has all of it."""
    (chip,) = chips_of(parse(f"customAttributes.{'k' * 61}==x"), ACCOUNT_WIRE)
    (condition,) = chip.parts
    column = ColumnTable(ACCOUNT_WIRE, {}).find(f"customAttributes.{'k' * 61}")
    assert isinstance(condition, FilterCondition)
    assert column is not None

    for text in (condition.words, column.heading):
        assert "k" * 60 + "…" in text
    assert "k" * 61 in condition.field.heading


chips = st.lists(st.lists(conditions(), min_size=1, max_size=3).map(lambda parts: Chip(tuple(parts))), max_size=4)


@pytest.mark.contract("D1")
@given(chips)
def test_what_the_builder_builds_is_a_filter_that_is_read_back_to_the_same_chips(chips):
    """As text and as words; the filter is one that REST takes. What two conditions mean together may be one chip."""
    if not chips:
        assert text_of(chips) == ""
        return
    text = text_of(chips)
    again = chips_of(parse(text), ACCOUNT_WIRE)
    assert text_of(again) == text
    compile_filter(parse(text), FIELDS)
    if len(again) == len(chips):
        for one, other in zip(again, chips, strict=True):
            for part, built in zip(one.parts, other.parts, strict=True):
                assert part.node == built.node
    else:
        assert len(again) < len(chips)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nature==PROFIT_AND_LOSS", ["Nature is Profit and loss"]),
        (
            "nature==PROFIT_AND_LOSS;descriptions.de=isnull=true",
            ["Nature is Profit and loss", "Description (de) is missing"],
        ),
        ("descriptions.de=isnull=false", ["Description (de) is there"]),
        ("documentationLink=isnull=true", ["Link to documentation is missing"]),
        ('documentationLink=isnull=true,documentationLink==""', ["Link to documentation is empty"]),
        (
            '(documentationLink=isnull=true,documentationLink=="",id==1);documentationLink>""',
            ["Link to documentation is empty or Id is “1”", "Link to documentation is not empty"],
        ),
        ("rules.grossAmountEqualICSum=isnull=true", ["Gross amount equals intercompany sum is empty"]),
        ("descriptions=ilike=cash", ["Description (any language) contains “cash”"]),
        ("id>=10;id<11", ["Id starts with “10”"]),
        ("id>=1000;id<=1999", ["Id is from “1000” to “1999”"]),
        ("id>=1000;id<1999", ["Id is at least “1000”", "Id is less than “1999”"]),
        ("type=in=(NORMAL,DETAIL)", ["Type is one of Normal, Detail"]),
        ("type!=NORMAL", ["Type is not Normal"]),
        ("rules.grossAmountEqualICSum==true", ["Gross amount equals intercompany sum is yes"]),
        (
            "dataEntryAndReporting.validity.startDate>=2026-01-31;dataEntryAndReporting.validity.startDate<2026-02-01",
            ["Valid from is on 2026-01-31"],
        ),
        (
            "dataEntryAndReporting.validity.startDate>=2026-01-01;dataEntryAndReporting.validity.startDate<2026-02-01",
            ["Valid from is from 2026-01-01 to 2026-01-31"],
        ),
        ("dataEntryAndReporting.validity.startDate>2026-01-31", ["Valid from is after 2026-01-31"]),
        ("nature==PROFIT_AND_LOSS,type==DETAIL", ["Nature is Profit and loss or Type is Detail"]),
        ("id==1;(nature==PROFIT_AND_LOSS,type==DETAIL)", ["Id is “1”", "Nature is Profit and loss or Type is Detail"]),
        ("id==1;((id==2;type==DETAIL),id==3)", ["Id is “1”", "(id==2;type==DETAIL),id==3"]),
        ("(id==1;id==2);(id==3)", ["Id is “1”", "Id is “2”", "Id is “3”"]),
        ("natur==X;id==1", ["natur==X", "Id is “1”"]),
        ("id=isnull=perhaps", ["id=isnull=perhaps"]),
        ('id==""', ["Id is “”"]),
        ("rules.accrual.debitAccrual.id==1000", ["Debit accrual account is “1000”"]),
        ("customAttributes.Owner==Anna", ["Custom attributes (Owner) is “Anna”"]),
        ("type=in=(" + ",".join("NORMAL" for _ in range(7)) + ")", ["Type is one of " + "Normal, " * 5 + "…"]),
    ],
)
def test_a_filter_reads_as_sentences(text, expected):
    found = chips_of(parse(text), ACCOUNT_WIRE)
    assert words(found) == expected
    assert chips_of(parse(text_of(found)), ACCOUNT_WIRE) == found


def test_numbers_are_compared_in_words():
    found = chips_of(parse("decimalNumbers>=1;decimalNumbers<=3;percentageDifference>0.5"), CURRENCY_WIRE)
    assert words(found) == ["Number of decimals is from 1 to 3", "Percentage difference is greater than 0.5"]


@pytest.mark.parametrize(("text", "expected"), [("true", "yes"), ("false", "no"), ("1.5", "1.5")])
def test_a_coefficient_is_called_what_the_list_calls_it(text, expected):
    """It is a number, or true or false; the form of the condition shows the same."""
    path = "referenceCurrency.coefficient"
    (chip,) = chips_of(parse(f"{path}=={text}"), CURRENCY_WIRE)
    assert words([chip]) == [f"Coefficient is {expected}"]

    (condition,) = chip.parts
    assert isinstance(condition, FilterCondition)
    form = ConditionForm(condition.field, ElementFields(DIMENSIONS["currency"], "en"), [], condition=condition)
    assert form.typed["value"] == expected


def test_a_word_that_is_no_truth_value_stays_as_it_is():
    (chip,) = words(chips_of(parse("preferred==perhaps"), CURRENCY_WIRE))
    assert chip == "Preferred currency is perhaps"


def test_the_sentences_are_in_the_language_of_the_page():
    with override("de"):
        (chip,) = words(chips_of(parse("nature==PROFIT_AND_LOSS"), ACCOUNT_WIRE))
    assert "Gewinn" in chip or "Erfolg" in chip or "GuV" in chip


def test_every_operation_has_words_of_its_own():
    sentences = [str(operation.sentence) for operation in CONDITION_OPERATIONS.values()]
    assert len(set(sentences)) == len(sentences)
