"""Points in time as clients write them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given

from dimensions_site.text.formats import TooPrecise, parse_timestamp
from tests.dimensions_site.rsql import strategies

INSTANT = datetime(2024, 12, 31, 22, 30, tzinfo=UTC)


@pytest.mark.contract("C11")
@pytest.mark.parametrize(
    "text",
    [
        "2024-12-31T22:30:00Z",
        "2024-12-31T22:30Z",
        "2024-12-31T22:30",
        "2024-12-31 22:30:00",
        "2024-12-31T22:30:00.000+0000",
        "2024-12-31T22:30:00,0-00:00",
        "2025-01-01T00:00:00+01:30",
        "2025-01-01T00:00:00+0130",
        "2024-12-31T21:30:00-01",
        "2024-12-31T22:30:00.000000000Z",
        "20241231T223000Z",
        "20241231T2230Z",
        "20241231T223000",
        "20241231T223000,000+0000",
        "20250101T000000.0+01:30",
        "20250101T000000+0130",
        "20241231T213000-01",
    ],
)
def test_one_instant_has_many_spellings(text: str) -> None:
    """`Z`, an offset with and without colon, no offset, with and without seconds and fractions; extended and basic."""
    assert parse_timestamp(text) == INSTANT
    assert parse_timestamp(text).tzinfo is UTC


@pytest.mark.contract("C11")
def test_a_date_alone_is_its_first_moment_in_utc() -> None:
    """Wherever the server is."""
    assert parse_timestamp("2024-12-31") == parse_timestamp("20241231") == datetime(2024, 12, 31, tzinfo=UTC)


@pytest.mark.contract("C11")
@pytest.mark.parametrize(
    ("fraction", "microsecond"), [("1", 100_000), ("999", 999_000), ("009", 9_000), ("123000000000", 123_000)]
)
@pytest.mark.parametrize("form", ["2024-12-31T23:59:59.{}Z", "20241231T235959,{}Z"])
def test_milliseconds_are_kept(form: str, fraction: str, microsecond: int) -> None:
    """Zeros behind them change nothing."""
    assert parse_timestamp(form.format(fraction)).microsecond == microsecond


@pytest.mark.contract("C11")
@pytest.mark.parametrize("fraction", ["9999", "0009", "1239", "123000000001", "000999"])
@pytest.mark.parametrize("form", ["2024-12-31T23:59:59.{}Z", "20241231T235959.{}Z"])
def test_what_is_finer_than_milliseconds_is_cut(form: str, fraction: str) -> None:
    """Never rounded up; an exact instant is refused."""
    assert parse_timestamp(form.format(fraction)).microsecond == int(fraction[:3]) * 1000
    with pytest.raises(TooPrecise):
        parse_timestamp(form.format(fraction), exact=True)


@pytest.mark.contract("C11", "B3")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2024123",
        "20241231T",
        "20241231T22",
        "20241231T22:30",
        "2024-12-31T2230",
        "20241231 223000",
        "20241331",
        "2024-W01-1",
        "31.12.2024",
        "2024-12-31T",
        "2024-12-31T22",
        "2024-12-31T24:00",
        "2024-12-31T22:60",
        "2024-12-31T22:30:60",
        "2024-12-31T22:30:00.",
        "2024-12-31T22:30:00+24:00",
        "2024-12-31T22:30:00+01:60",
        "2024-12-31T22:30:00 0000",
        "2024-12-31Z",
        "2024-12-31\n",
        "２０２４-12-31",
        "2024-02-30",
        "2023-02-29",
        "2024-13-01",
        "0000-01-01",
        "10000-01-01",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
    ],
)
def test_what_names_no_instant_is_refused(text: str) -> None:
    """Other forms, dates that no calendar has, and years that are out of range once in UTC."""
    with pytest.raises(ValueError, match=r"ISO 8601|does not exist|1 to 9999"):
        parse_timestamp(text)


@pytest.mark.contract("C11", "B1")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("31.12.2024", "The text is not an ISO 8601 date or time."),
        ("9999-12-31T23:59:59-00:01", "The year in UTC is not from 1 to 9999."),
    ],
)
def test_the_reason_is_reported_in_a_sentence(text: str, message: str) -> None:
    """Which the error of the field shows."""
    with pytest.raises(ValueError, match="is not") as caught:
        parse_timestamp(text)
    assert str(caught.value) == message


@pytest.mark.contract("C11")
@given(strategies.instant_texts())
def test_whatever_the_offset_the_instant_is_the_same(text: str) -> None:
    """What Python's own reader of ISO 8601 says."""
    assert parse_timestamp(text) == datetime.fromisoformat(text)
