"""The meaning of table cells, and how values are written into them."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimensions_site.elements.reading.cells import UNSET, csv_cell, read_cell, typed_cell, untyped_cell, write_cell
from tests.strategies import characters

pytestmark = pytest.mark.contract("H4")
pieces = st.sampled_from(
    ["[[", "]]", "[[text]]", "[[null]]", "[[empty]]", "=", "+", "-", "@", "'", "\\", "\t", " ", "1"]
)
texts = st.lists(pieces | st.text(characters, max_size=4), max_size=4).map("".join)
FORMULAS = [
    "=1+1",
    "+49 30 1234",
    "-x",
    "-1+1",
    "@SUM(A1)",
    "\tx",
    "\rx",
    "\nx",
    " =1",
    "＝1",
    "＋1",
    "－1",
    "＠x",
    "-1\n=2",
]


@given(st.none() | texts, st.booleans())
def test_what_is_written_into_a_cell_is_read_again(text, guards_formulas):
    """Any text, the empty one and null; and none of them looks like an empty cell."""
    cell = write_cell(text, guards_formulas=guards_formulas)
    assert cell != ""
    assert read_cell(cell) == text


@given(texts.filter(lambda text: not text.startswith(("[[empty]]", "[[null]]", "[[text]]"))))
def test_what_others_have_written_stays_as_it_is(text):
    """Only the three notations mean something other than their text."""
    assert read_cell(text) == (text or UNSET)


@pytest.mark.parametrize(
    "text", ["'1000", "\\N", "[[", "[[x]]", "[[TEXT]]x", "[[empty]] ", " [[null]]", "NULL", "#N/A", "=1"]
)
def test_what_only_looks_like_a_notation_is_text(text):
    """A leading apostrophe or backslash stays, and so does whatever is not exactly a notation."""
    assert read_cell(text) == text


@pytest.mark.parametrize("text", FORMULAS)
def test_no_program_for_tables_runs_or_changes_a_text(text):
    """Not after blanks either, and not in full-width letters; typed cells need no guard."""
    assert write_cell(text, guards_formulas=True) == f"[[text]]{text}"
    assert write_cell(text, guards_formulas=False) == text


@pytest.mark.parametrize(
    "text", ["#N/A", "#REF!", "1.23457E+11", "1E+05", "1e+05", "Err:502", "Err :502", " #N/A", "1E+05 "]
)
def test_a_text_like_the_remains_of_a_value_is_guarded(text):
    """Files with it are refused, because spreadsheet programs write it where they had something else."""
    assert csv_cell(text) == write_cell(text, guards_formulas=True) == f"[[text]]{text}"


@given(texts)
def test_a_guarded_cell_begins_with_nothing_that_a_program_would_run(text):
    """Whatever the text is, unless it is a number."""
    cell = write_cell(text, guards_formulas=True)
    assert cell.lstrip()[:1] not in {*"=+@"}
    assert not cell.startswith("-") or float(cell) <= 0


@pytest.mark.parametrize("text", ["-1", "-12.50", "0.0000", "001000", "A-1", "a=b", "'=1", "1-2", "x@y.example"])
def test_numbers_and_harmless_texts_stay_readable(text):
    """A negative number is not a formula, and a sign inside a text does nothing."""
    assert write_cell(text, guards_formulas=True) == text


def test_booleans_and_numbers_are_words_and_digits_where_cells_have_no_types():
    """A workbook keeps their types; a text that looks like one stays text in both."""
    assert [untyped_cell(value) for value in (True, False, 20, -3, "true", "", None)] == [
        "true",
        "false",
        "20",
        "-3",
        "true",
        "[[empty]]",
        "[[null]]",
    ]
    assert [typed_cell(value) for value in (True, False, 20, "=1", "", None)] == [
        True,
        False,
        20,
        "=1",
        "[[empty]]",
        "[[null]]",
    ]


QUOTED = ["a,b", 'say "x"', "a\nb", "a\rb", "", " "]
UNUSUAL = ["[[null]]", "ºC", "²", "_", "٣", "٣E+10", "1e-05", "1.2E+10", "Err:502", "Er"]


@pytest.mark.parametrize("text", [*FORMULAS, *QUOTED, *UNUSUAL])
def test_a_cell_of_csv_is_that_of_any_other_untyped_table_in_quotes_where_it_needs_them(text):
    """So the shortcut for harmless texts lets nothing through."""
    [[cell]] = csv.reader(io.StringIO(csv_cell(text), newline=""))
    assert cell == untyped_cell(text)
