"""What a cell shows is what is stored, whatever its number format; where that is not known, its row is an error."""

import re

import pytest

from tests.bulkops.files.formats.files import SHEET, STYLES, read, with_parts, workbook
from tests.factories import read as read_json


def row_of(stored, number_format="General", kind=b"n"):
    """The row with a cell that has that stored number, or text, and format."""

    def change(book):
        book.worksheets[0]["B2"].number_format = number_format

    content = workbook(["id", "name"], ["1", stored if isinstance(stored, str) else 777], change=change)
    number = str(stored).encode()
    cell = b't="%b"><v>%b<' % (kind, number)
    outcome = read(with_parts(content, {SHEET: lambda sheet: sheet.replace(b't="n"><v>777<', cell)}))
    assert outcome.refusal is None
    return outcome.rows[0]


class Number:
    """A number with these digits in the file."""

    def __init__(self, digits):
        self._digits = digits

    def __str__(self):
        return self._digits


@pytest.mark.parametrize(
    ("code", "stored", "text"),
    [
        ('"A"0000', 42, "A0042"),
        (r"\K0000", 42, "K0042"),
        ('0000"-X"', 42, "0042-X"),
        (r"00\-00", 1005, "10-05"),
        (r"00\.00", 1005, "10.05"),
        ('0000 "EUR"', 42, "0042 EUR"),
        ("[$EUR-407]0000", 42, "EUR0042"),
        ("[$-407]0000", 42, "0042"),
        ("[Red]0000", 42, "0042"),
        ("[Color 12]0000", 42, "0042"),
        ("_-0000_-", 42, "0042"),
        ("* 0000", 42, "0042"),
        ("000-0000", 12, "000-0012"),
        ("(000) 000", 12345, "(012) 345"),
        ("#-##-00", 12345, "1-23-45"),
        ("???0", 7, "7"),
        ('"0"0', 5, "05"),
        ('0;"minus "0', -5, "minus 5"),
        ('0;-0;"none"', 0, "none"),
        ('"A"General', 5, "A5"),
        ('General" EUR"', -5, "-5 EUR"),
        ("General;-0000", 5, "5"),
        ("General;-0000", -5, "-0005"),
        ("0000;General", -5, "5"),
        ("0000;-General", -5, "-5"),
        ("General;[Red]-General", -5, "-5"),
        ("General;(General)", -1.5, "(1.5)"),
        ('General;-General;"none"', 0, "none"),
        ("General;-0000;General;@", -5, "-0005"),
        ("General_)", -5, "-5"),
        ("General", -5, "-5"),
        ('0;@" !"', 5, "5"),
        ('"x"@', 5, "5"),
        ("0", 10.4, "10"),
        ("0.00", 10.05, "10.05"),
        ("0.##", 10.5, "10.5"),
        ("0%", 0.25, "25%"),
        ("#,##0", 1234567, "1234567"),
        ("#,##0", 0, "0"),
        ("0,000", 1234, "1234"),
        ("0000.##", 1234.5, "1234.5"),
        ('_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)', 5, "5"),
        ('_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)', 0, "-"),
    ],
)
def test_the_fixed_text_of_a_format_is_part_of_a_code(code, stored, text):
    row = row_of(stored, code)
    assert (row.cells["name"], row.errors) == (text, {})


@pytest.mark.parametrize(
    ("code", "stored"),
    [
        ('[>=100]"A"0;"B"0', 42),
        ("0*-", 5),
        ("0,", 5000),
        ("00/00", 1005),
        ("0!-0", 15),
        ("# ?/?", 1.5),
        ("0.00E+00", 1234),
        ("K0000", 5),
        ("[DBNum1]0", 5),
        ("[h]:mm", 1.5),
        ("0.0", 1000),
        ("#,##0.00", 1234.5),
        ('"$"#,##0', 1234),
        ("#,##0_);(#,##0)", -5),
        (";;;", 7),
        ("0;;", -3),
        ("General;", -3),
        ("0,000", 42),
        ("0000.##", 42),
        ("00.?", 5),
        ("General0", 5),
        ("General;-General;", 0),
    ],
)
def test_a_number_that_may_be_shown_otherwise_is_an_error_of_a_text_but_not_of_a_number(code, stored):
    """Its digits are those of the number; what is between them depends on the language of the program."""
    row = row_of(stored, code)
    assert row.numbers == {"name": str(stored)}
    assert row.errors["name"].endswith("shows something else. Paste what you see as text.")


def test_a_percentage_is_to_be_written_as_the_number_that_it_means():
    """0.19 is 19 to some people; a text with a percent sign would be no number."""
    row = row_of(0.19, "0.00%")
    assert row.numbers == {}
    assert row.errors["name"] == (
        "The cell B2 holds 0.19, and '0.00%' shows it as a percentage. Write the number that you mean, without %."
    )


@pytest.mark.parametrize(
    ("code", "text"), [("@", "ab"), ("General", "ab"), ('"A"@', "Aab"), ('@"-X"', "ab-X"), ("0;0;0;_(@_)", "ab")]
)
def test_a_text_is_shown_as_its_format_says(code, text):
    assert row_of("ab", code).cells["name"] == text


@pytest.mark.parametrize("code", [";;;", '0;0;0;"x"'])
def test_a_text_that_its_format_hides_is_an_error(code):
    assert "shows something else" in row_of("ab", code).errors["name"]


@pytest.mark.parametrize(("stored", "kind"), [("46022.75", b"n"), ("2025-12-31T18:00:00", b"d")])
@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("yyyy", "2025"),
        ("YYYY-MM-DD", "2025-12-31"),
        (r"yyyy\-mm\-dd;@", "2025-12-31"),
        ("dd.mm.yyyy", "31.12.2025"),
        ("d.m.yy", "31.12.25"),
        ("d, m", "31, 12"),
        ("yyyymm", "202512"),
        ('"FY"yy', "FY25"),
        (r"\Qmm", "Q12"),
    ],
)
def test_a_text_takes_from_a_date_what_its_format_shows(code, text, stored, kind):
    """A field for a date takes the whole date."""
    row = row_of(Number(stored), code, kind)
    assert (row.cells["name"], row.errors) == (text, {})
    assert row.numbers == {"name": "2025-12-31T18:00:00"}


@pytest.mark.parametrize(
    "code",
    ["mmm-yy", "d/m/yyyy", "[$-107041E]d-m-yyyy", "yyyy-mm-dd h:mm:ss", "ddd", "yyy", "m/d/yy", "yyyy0", "[Red]yyyy"],
)
def test_a_date_that_programs_show_differently_is_an_error_of_a_text_but_not_of_a_date(code):
    """Names, and signs that the language decides; in brackets also the calendar."""
    row = row_of(46022, code)
    assert row.numbers == {"name": "2025-12-31"}
    message = f"The cell B2 holds 2025-12-31, but its number format '{code}' shows something else."
    assert row.errors["name"] == f"{message} Paste what you see as text."


def test_the_day_of_a_time_is_not_known():
    assert row_of(0.5, "yyyy").numbers == {"name": "12:00:00"}
    assert row_of(0.5, "yyyy").errors.keys() == {"name"}


_DATES = [*range(14, 18), 22, *range(27, 37), *range(50, 59), *range(71, 75), 77, 81]
_TIMES = [18, 19, 20, 21, 32, 33, 45, 47, 75, 76, 78, 80]


@pytest.mark.parametrize("definition", [b"", b'<numFmts count="1"><numFmt numFmtId="%d" formatCode=""/></numFmts>'])
@pytest.mark.parametrize(
    ("number", "stored", "text"),
    [
        *((number, 46022, None) for number in _DATES),
        *((number, 0.5, None) for number in _TIMES),
        *((number, 1005, "1005") for number in (0, 1, 3, 23, 26, 37, 38, 49, 59, 61, 63, 164)),
        (9, 0.25, "25%"),
        (67, 0.25, "25%"),
    ],
)
def test_a_format_without_definition_is_that_of_its_number(number, stored, text, definition):
    """Excel in East Asia and Thailand saves dates so, and shows them as is usual there. Other programs write an empty
    definition for plain numbers.
    """
    content = with_parts(
        workbook(["id", "name"], ["1", stored], change=lambda book: setattr(book.worksheets[0]["B2"], "style", "Bad")),
        {
            STYLES: lambda part: (
                b'<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
                + definition.replace(b"%d", b"%d" % number)
                + b"<cellXfs>"
                + b'<xf numFmtId="%d"/>' % number * 9
                + b"</cellXfs></styleSheet>"
            )
        },
    )
    row = read(content).rows[0]
    if text is None:
        assert row.numbers["name"] in ("2025-12-31", "12:00:00")
        assert row.errors.keys() == {"name"}
    else:
        assert (row.cells["name"], row.errors) == (text, {})


def test_a_format_is_found_among_its_forms_for_several_programs():
    """Excel writes them so where only a new version knows the language."""
    content = workbook(["id"], [10], change=lambda book: setattr(book.worksheets[0]["A2"], "number_format", "0000"))
    format = b'<numFmt numFmtId="164" formatCode="0000"/>'
    forms = (
        b'<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        b'<mc:Choice Requires="x16r2">%s</mc:Choice><mc:Fallback>%s</mc:Fallback></mc:AlternateContent>'
    ) % (format, format)
    changed = with_parts(content, {STYLES: lambda part: re.sub(rb'<numFmt [^>]*"0000" ?/>', forms, part)})
    assert changed != content
    assert read(changed).cells == [{"id": "0010"}]


def test_the_format_of_a_table_or_a_condition_is_not_that_of_cells():
    """Programs number those of differential formats on their own."""
    content = workbook(["id"], [10], change=lambda book: setattr(book.worksheets[0]["A2"], "number_format", "0000"))
    differential = b'<dxfs><dxf><numFmt numFmtId="164" formatCode="General"/></dxf></dxfs>'
    content = with_parts(
        content, {STYLES: lambda part: part.replace(b"</styleSheet>", differential + b"</styleSheet>")}
    )
    assert read(content).cells == [{"id": "0010"}]


@pytest.mark.parametrize(
    ("digits", "text"),
    [
        ("4.0000000000000007E-4", "0.0004"),
        ("2.0000000000000004", "2"),
        ("434.99999999999994", "435"),
        ("0.30000000000000004", "0.3"),
        ("123456789012345", "123456789012345"),
        ("1.0E+20", "100000000000000000000"),
        ("12345678901234567.5", "12345678901234600"),
        ("-0", "0"),
        ("-1.0E+30", f"-1{'0' * 30}"),
        ("1E-300", f"0.{'0' * 299}1"),
    ],
)
def test_a_number_has_the_fifteen_digits_that_excel_shows(digits, text):
    row = row_of(Number(digits))
    assert (row.cells["name"], row.errors) == (text, {})


def test_the_zeros_of_a_format_follow_the_shown_digits():
    assert row_of(Number("434.99999999999994"), "0000").cells["name"] == "0435"


@pytest.mark.parametrize("digits", ["1234567890123456", "-9007199254740993", "12345678901234567890"])
def test_a_whole_number_with_more_digits_is_an_error(digits):
    """Excel shows zeros in place of the last digits, which were part of a code."""
    assert "more than 15 digits" in row_of(Number(digits)).errors["name"]


@pytest.mark.contract("H4")
@pytest.mark.parametrize("number_format", ["0%", "0.0%", "0.##%;-0.##%"])
def test_a_share_that_is_shown_in_percent_is_not_taken_for_its_hundredth(import_currencies, number_format):
    """A field in percent would get 0.05 where people see 5%; nothing is nothing."""

    def change(book):
        for cell in ("C2", "C3"):
            book.worksheets[0][cell].number_format = number_format

    rows = (["EUR", 2, 0.05, "Euro"], ["USD", 2, 0, "Dollar"])
    content = workbook(["id", "decimalNumbers", "percentageDifference", "descriptions.en"], *rows, change=change)
    [error] = import_currencies(content).errors
    assert error.startswith("line 2, percentageDifference: ")


@pytest.mark.contract("H4")
def test_a_truth_value_is_taken_where_one_is_expected_and_is_no_text(import_currencies, alice):
    """Programs show it in their language, as TRUE, WAHR or VRAI; its own export comes back."""
    required = ["id", "decimalNumbers", "percentageDifference"]
    good = workbook([*required, "descriptions.en", "preferred"], ["EUR", 2, "12.50", "Euro", True])
    assert import_currencies(good).errors == []
    assert read_json(alice.get(alice.currency("elements/EUR")))["preferred"] is True
    outcome = import_currencies(workbook([*required, "descriptions.en"], ["USD", 2, "12.50", True]))
    assert outcome.errors == [
        "line 2, descriptions.en: The cell D2 holds TRUE, which programs show in their own language. Write it as text."
    ]


@pytest.mark.parametrize(
    ("stored", "value"), [("TRUE", "true"), ("True", "true"), ("FALSE", "false"), (" 0 ", "false")]
)
def test_a_truth_value_may_be_written_in_any_letter_case(stored, value):
    assert row_of(Number(stored), kind=b"b").numbers == {"name": value}


@pytest.mark.parametrize("stored", ["-1", "yes", "WAHR", "2"])
def test_what_is_no_truth_value_is_not_taken_for_false(stored):
    row = row_of(Number(stored), kind=b"b")
    assert (row.numbers, "name" in row.errors) == ({}, True)
