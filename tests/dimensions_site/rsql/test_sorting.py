"""The order in which rows come."""

import re
from collections.abc import Mapping
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dimensions_site.rsql.compiler import parse_sort
from dimensions_site.rsql.errors import RsqlError
from tests.dimensions_site.rsql import strategies
from tests.dimensions_site.rsql.sample.fields import FIELDS, SampleFields
from tests.dimensions_site.rsql.sample.models import Sample


def error_of(text: str) -> RsqlError:
    with pytest.raises(RsqlError) as caught:
        parse_sort(text, SampleFields())
    return caught.value


@pytest.mark.contract("D5")
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("code", "1234"),
        ("code:asc", "1234"),
        ("code,asc", "1234"),
        ("-code", "4321"),
        ("code:desc", "4321"),
        ("code,desc", "4321"),
        ("note,code", "1342"),
        ("note;-code", "4312"),
        ("note,desc,code", "2134"),
        ("note:desc;code,desc", "2431"),
        ("-note,-code", "2431"),
        ("note,code,desc", "4312"),
        ("note,asc,code:desc", "4312"),
        ("quantity,code", "1234"),
    ],
)
def test_every_way_of_writing_a_direction_is_understood(sorted_codes, text: str, codes: str) -> None:
    """`-field`, `field:desc`, `field,desc` and their ascending sisters, separated by `,` or `;`."""
    for code, note in (("3", "a"), ("1", "a"), ("2", "b"), ("4", "a")):
        Sample.objects.create(code=code, note=note)

    assert "".join(sorted_codes(text)) == codes


@pytest.mark.contract("D5")
@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        (",", 1, "a field is missing here"),
        ("code,", 6, "a field is missing here"),
        ("code;;note", 6, "a field is missing here"),
        (",desc", 1, "a field is missing here"),
        ("-code:desc", 1, "a field must not have two directions"),
        ("note;-code,asc", 6, "a field must not have two directions"),
    ],
)
def test_an_invalid_sort_order_is_refused_with_the_valid_forms(text: str, position: int, words: str) -> None:
    """By its position, and with an example of each form."""
    error = error_of(text)

    assert error.message == (
        f"sort cannot be read at character {position}: {words}. "
        "Write field, -field, field:desc or field,desc, with ',' or ';' between fields."
    )
    assert (error.code, error.position) == ("SYNTAX", position)


@pytest.mark.contract("D5")
@pytest.mark.parametrize(
    ("text", "code", "position", "message"),
    [
        ("", "SYNTAX", 1, "sort is empty; write for example sort=-id."),
        ("code,note,-code", "DUPLICATE_FIELD", 11, "sort must not name code twice."),
    ],
)
def test_an_empty_sort_order_and_a_field_twice_are_refused(text: str, code: str, position: int, message: str) -> None:
    """In whichever direction the field is named."""
    error = error_of(text)
    assert (error.code, error.position, error.message) == (code, position, message)


@pytest.mark.contract("D5")
@pytest.mark.parametrize(
    ("text", "position", "field"),
    [
        ("desc", 1, "desc"),
        ("code;desc", 6, "desc"),
        ("code:desc,desc", 11, "desc"),
        ("code,desc,asc", 11, "asc"),
        ("code:down", 1, "code:down"),
        ("code DESC", 1, "code DESC"),
        ("code, note", 6, " note"),
        ("+code", 1, "+code"),
        ("--code", 1, "-code"),
    ],
)
def test_what_is_neither_field_nor_direction_is_an_unknown_field(text: str, position: int, field: str) -> None:
    """Nothing is skipped, no blank is trimmed and no direction guessed."""
    error = error_of(text)

    assert (error.code, error.position) == ("UNKNOWN_FIELD", position)
    assert error.message.startswith(f"Unknown field '{field}'.")


@pytest.mark.contract("D5")
def test_five_fields_are_allowed_and_six_are_not() -> None:
    """Directions do not count."""
    five = "code,desc,note,desc,status,desc,quantity,desc,amount,desc"

    assert len(parse_sort(five, SampleFields())) == 5
    error = error_of(f"{five},active")
    assert (error.code, error.position) == ("TOO_MANY", 59)
    assert error.message == "sort has more than 5 fields; the limit is reached at character 59."


@pytest.mark.contract("D3", "D5")
def test_a_map_can_be_sorted_by_only_in_one_language() -> None:
    """A row has no single place among others when it has several texts."""
    error = error_of("names")

    assert error.code == "NOT_SORTABLE"
    assert error.message == "sort must not name names, which has many texts; name one of them, such as names.en."


@pytest.mark.contract("B1")
def test_all_errors_of_a_sort_order_are_reported() -> None:
    """Each with its place."""
    assert [(one.code, one.position) for one in error_of("nothing;code,names,-code").errors] == [
        ("UNKNOWN_FIELD", 1),
        ("NOT_SORTABLE", 14),
        ("DUPLICATE_FIELD", 20),
    ]


@pytest.mark.contract("B3")
@pytest.mark.parametrize("character", ["\0", "\n", "\ud800"])
def test_control_characters_in_a_sort_order_are_refused(character: str) -> None:
    """They would reach the database inside the key of a map."""
    error = error_of(f"names.{character}")

    assert (error.code, error.position) == ("SYNTAX", 7)
    assert error.message.startswith("The sort order has ")
    assert str(error) == error.message


@pytest.mark.contract("D5")
def test_a_field_that_no_filter_may_use_can_be_sorted_by(sorted_codes) -> None:
    """As the `oid` of a currency."""
    Sample.objects.create(code="A")
    Sample.objects.create(code="B")

    assert sorted_codes("-oid") == ["B", "A"]


@pytest.mark.contract("D4", "D5")
def test_words_come_after_numbers_and_nulls_come_last(sorted_codes) -> None:
    """In both directions the missing ones are at the end."""
    for coefficient in ("10", None, "true", "9.5", "false", "-1", "-10"):
        Sample.objects.create(code=str(coefficient), coefficient=coefficient)

    assert sorted_codes("coefficient") == ["-10", "-1", "9.5", "10", "false", "true", "None"]
    assert sorted_codes("-coefficient") == ["true", "false", "10", "9.5", "-1", "-10", "None"]


sort_keys = st.tuples(
    st.one_of(
        st.sampled_from([path for path in FIELDS if path != "names"]),
        st.sampled_from(("names.en", "names.ключ", 'names.q"uote', "names.'")),
    ),
    st.booleans(),
)


def present_values(selector: str, row: Mapping[str, Any]) -> list[Any]:
    """The value of a field in a row, if it has one, as a Python object that compares likewise."""
    group, *path = selector.split(".")
    value = row[{"openStatus": "status"}.get(group, group)]
    # A key of a map may contain a dot.
    for name in [".".join(path)] if group == "names" else path:
        value = value.get(name) if value is not None else None
    is_decimal = group in ("amount", "coefficient") and value is not None and re.fullmatch("[-0-9.]+", value)
    return [] if value is None else [Decimal(value) if is_decimal else value]


@pytest.mark.contract("D5")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.lists(strategies.rows, min_size=2, max_size=8),
    st.lists(sort_keys, min_size=1, max_size=5, unique_by=lambda key: key[0]),
    st.randoms(use_true_random=False),
)
def test_any_order_of_any_rows_is_that_of_numbers_instants_and_code_points(
    sample_table: None, db: None, rows: list[dict[str, Any]], keys: list[tuple[str, bool]], style: Random
) -> None:
    """Compared with the sorting of Python, key by key from the last to the first."""
    Sample.objects.all().delete()
    stored = Sample.objects.bulk_create(Sample(**row) for row in rows)
    expected = list(zip([sample.pk for sample in stored], rows, strict=True))
    for selector, descending in reversed(keys):
        selector = {"oid": "code"}.get(selector, selector)
        with_value = [pair for pair in expected if present_values(selector, pair[1])]
        without = [pair for pair in expected if not present_values(selector, pair[1])]
        with_value.sort(
            key=lambda pair: [(isinstance(value, str), value) for value in present_values(selector, pair[1])],
            reverse=descending,
        )
        expected = with_value + without
    text = style.choice(",;").join(
        style.choice((f"-{path}", f"{path}:desc", f"{path},desc"))
        if descending
        else style.choice((path, f"{path}:asc", f"{path},asc"))
        for path, descending in keys
    )

    ordering = parse_sort(text, SampleFields())

    assert list(Sample.objects.order_by(*ordering, "pk").values_list("pk", flat=True)) == [pk for pk, _ in expected]
