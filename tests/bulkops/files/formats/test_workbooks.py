"""Workbooks as Excel and other programs write them; openpyxl makes them here."""

import io
import re

import pytest
from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_ISO8601

from bulkops.files.formats.rows import FileShape
from bulkops.files.workbooks.sheets import MAX_MERGED, MergedCells
from dimensions_site.text.files import Format
from tests.bulkops.files.formats.files import (
    RELATIONS,
    SHEET,
    STRINGS,
    STYLES,
    as_excel_saves,
    read,
    with_parts,
    workbook,
)

HEADINGS = ["id", "name", "value"]
EMPTY = "The workbook has no visible sheet with anything in it. Show the sheet that is meant, or save it again."
DAMAGED = "The workbook is damaged. Open it in Excel, save it again as an Excel workbook (.xlsx) and load that."
DOCUMENT_TYPE = "The workbook declares a document type, which spreadsheet programs never do; it is rejected."


def value(cell, number_format="General"):
    """The text that is read from a cell with that value and format."""

    def change(book):
        book.worksheets[0]["C2"].number_format = number_format

    outcome = read(workbook(HEADINGS, ["1000", "Cash", cell], change=change))
    assert (outcome.refusal, outcome.messages) == (None, [])
    return outcome.cells[0]["value"]


def test_a_workbook_is_a_table_of_texts():
    """Rows may end early; rows without any text are passed over, and are counted."""
    outcome = read(workbook(HEADINGS, ["0010", "Büro 现金", "x"], [], ["", None, " "], ["0020"]))
    assert outcome.shape == FileShape(Format.XLSX)
    assert outcome.headings == HEADINGS
    assert outcome.lines == [2, 5]
    assert outcome.cells[0] == {"id": "0010", "name": "Büro 现金", "value": "x"}
    assert outcome.cells[1] == {"id": "0020", "name": "", "value": ""}


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    ("cell", "number_format", "text"),
    [
        (10, "00000", "00010"),
        (10.0, "00000", "00010"),
        (-10, "0000;-0000", "-0010"),
        (123456, "00000", "123456"),
        (42, '"K"0000', "K0042"),
        (42, r"00\-00", "00-42"),
        (42, "[Red]0000", "0042"),
        (10, "0", "10"),
        (1000, "General", "1000"),
        (1000.0, "General", "1000"),
        (1234567, "#,##0", "1234567"),
        (1234.25, "#,##0.00", "1234.25"),
        (0.25, "0%", "25%"),
        (1.1, "General", "1.1"),
        (1e-7, "General", "0.0000001"),
        (1e20, "General", "100000000000000000000"),
        ("1E5", "General", "1E5"),
        ("'0010", "General", "'0010"),
    ],
)
def test_a_number_is_read_as_a_code_or_a_plain_number(cell, number_format, text):
    """What the format shows is kept; the signs between thousands are not part of a number."""
    assert value(cell, number_format) == text


def test_digits_that_excel_stores_but_does_not_show_are_left_out():
    """Excel writes the nearest number that it can compute with: 1.1000000000000001."""
    content = with_parts(
        workbook(HEADINGS, ["1000", "Cash", 777]), {SHEET: lambda sheet: sheet.replace(b"777", b"1.1000000000000001")}
    )
    assert read(content).cells[0]["value"] == "1.1"


@pytest.mark.parametrize("epoch", [WINDOWS_EPOCH, MAC_EPOCH], ids=["from 1900", "from 1904"])
@pytest.mark.parametrize("is_iso", [False, True], ids=["numbers", "ISO"])
@pytest.mark.parametrize(
    "text", ["2026-01-31", "2026-01-31T10:20:30", "10:20:30"], ids=["date", "date and time", "time"]
)
def test_a_date_is_read_as_iso(text, is_iso, epoch):
    """Workbooks store dates as days since 1900 or 1904, or as ISO text."""

    def change(book):
        book.epoch = epoch
        book.iso_dates = is_iso
        book.worksheets[0]["A2"] = from_ISO8601(text)

    row = read(workbook(["value"], change=change)).rows[0]
    assert (row.cells["value"], row.numbers.get("value", text)) == (text, text)


def test_texts_that_excel_stores_once_are_read_wherever_they_are_used():
    """They are in a separate part, and the cells have their numbers."""
    rows = [[f"{number:06d}", "Büro" if number % 2 else "_x0041_", "x" * number] for number in range(1, 6000)]
    outcome = read(as_excel_saves(workbook(HEADINGS, *rows)))
    assert outcome.cells == [
        {"id": code, "name": name.replace("_x0041_", "A"), "value": text} for code, name, text in rows
    ]


@pytest.mark.parametrize("number", [99_999_999, 60], ids=["too large", "29 February 1900"])
def test_an_invalid_date_in_the_format_of_a_date_is_a_failure(number):
    def change(book):
        book.worksheets[0]["C2"].number_format = "dd.mm.yyyy"

    outcome = read(workbook(HEADINGS, ["1", "a", number], ["2", "b", ""], change=change))
    assert outcome.messages == [
        "line 2, value: The cell C2 is formatted as a date, but its number is not a date. Write the date again."
    ]
    assert [row["id"] for row in outcome.cells] == ["2"]


def test_a_formula_is_never_run_and_without_its_value_a_failure():
    outcome = read(workbook(HEADINGS, ["1", "=1+1", "=A2"], ["2", "b", ""]))
    assert outcome.messages == [
        f"line 2, {heading}: The cell {cell} holds a formula without its value. Open the workbook in Excel and save it "
        "there, or write the value."
        for heading, cell in (("name", "B2"), ("value", "C2"))
    ]
    assert list(outcome.rows[0].cells.values()) == ["1", "=1+1", "=A2"]
    assert [row["id"] for row in outcome.cells] == ["2"]


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        (b'<c r="C2"><f>A2*2</f><v>2000</v></c>', "2000"),
        (b'<c r="C2" t="str"><f>VLOOKUP(A2,X:Y,2)</f><v>Cash</v></c>', "Cash"),
        (b'<c r="C2" t="str"><f>IF(1,"","")</f><v></v></c>', ""),
        (b'<c r="C2"><f t="shared" si="0"/><v>7</v></c>', "7"),
    ],
)
def test_the_value_that_a_program_has_computed_is_taken_and_marked(stored, text):
    content = with_parts(
        workbook(HEADINGS, ["1000", "Cash", 777]),
        {SHEET: lambda sheet: sheet.replace(b'<c r="C2" t="n"><v>777</v></c>', stored)},
    )
    row = read(content).rows[0]
    assert (row.cells["value"], row.formulas, row.errors) == (text, ("value",), {})


@pytest.mark.parametrize("zero", [b"0", b"0.0"])
@pytest.mark.parametrize("is_computed_on_load", [True, False])
def test_the_zero_of_a_program_that_has_excel_compute_is_no_value(zero, is_computed_on_load):
    """XlsxWriter and others write it for each formula, whatever that is; Excel computes as it opens the file."""
    cell = b'<c r="C2"><f>"Ca"&amp;"sh"</f><v>%s</v></c>' % zero
    content = with_parts(
        workbook(HEADINGS, ["1000", "Cash", 777]),
        {
            SHEET: lambda sheet: sheet.replace(b'<c r="C2" t="n"><v>777</v></c>', cell),
            "xl/workbook.xml": lambda book: book if is_computed_on_load else book.replace(b' fullCalcOnLoad="1"', b""),
        },
    )
    outcome = read(content)
    assert outcome.rows[0].cells["value"] == ('="Ca"&"sh"' if is_computed_on_load else "0")
    assert [message[:61] for message in outcome.messages] == (
        ["line 2, value: The cell C2 holds a formula without its value."] if is_computed_on_load else []
    )


@pytest.mark.parametrize(
    "stored", [b'<c r="C2" t="n"><f aca="false">%s()</f><v>1</v></c>', b'<c r="C2" t="b"><f>%s()</f></c>']
)
@pytest.mark.parametrize(("name", "text"), [(b"TRUE", "true"), (b"FALSE", "false")])
def test_true_and_false_are_written_as_formulas_by_libreoffice(stored, name, text):
    content = with_parts(
        workbook(HEADINGS, ["1000", "Cash", 777]),
        {SHEET: lambda sheet: sheet.replace(b'<c r="C2" t="n"><v>777</v></c>', stored % name)},
    )
    row = read(content).rows[0]
    assert (row.cells["value"], row.numbers, row.formulas) == (text, {"value": text}, ())


def test_an_error_of_excel_is_a_failure_of_its_row():
    outcome = read(workbook(HEADINGS, ["1", "a", "#N/A"], ["2", "b", ""]))
    assert outcome.messages == [
        "line 2, value: The cell C2 holds the error #N/A. Correct it, or replace it by its value."
    ]


def test_a_formula_without_its_value_is_a_heading_that_can_be_left_out():
    assert read(workbook(["id", "=A1"], ["1", "a"])).headings == ["id", "=A1"]


def test_hidden_sheets_and_empty_sheets_are_passed_over():
    """They are the notes of those who made the file; a hidden first sheet does not matter either."""

    def change(book):
        for position, state in enumerate(["hidden", "veryHidden", "visible"]):
            sheet = book.create_sheet(f"Notes {position}", position)
            sheet.sheet_state = state
            if state != "visible":
                sheet.append(["nothing", "for you"])

    assert read(workbook(["id"], ["1000"], change=change)).cells == [{"id": "1000"}]


def test_several_sheets_with_content_are_refused():
    """Only their author knows which one is meant."""
    outcome = read(workbook(["id"], ["1000"], change=lambda book: book.create_sheet("Notes").append(["note"])))
    assert outcome.refusal == (
        "line 1: 2 sheets have something in them: 'Sheet', 'Notes'. Choose the one that is meant."
    )


@pytest.mark.parametrize(
    ("merged", "rows"),
    [
        ("B2:B4", {3: ["name"], 4: ["name"]}),
        ("A1:B1", {}),
        ("A1:A2", {2: ["id"]}),
        ("$B$4:$C$5", {4: ["value"], 5: ["name", "value"]}),
        ("b9:c9", {9: ["value"]}),
        ("C9:C1048576", {10: ["value"]}),
        ("XFA2:XFD2", {}),
    ],
)
def test_merged_cells_without_a_text_of_their_own_are_failures(merged, rows):
    """Only the first of them has the value; the others would be taken for empty. Above the rows they do not matter."""
    ranges = f'</sheetData><mergeCells count="1"><mergeCell ref="{merged}"/></mergeCells>'.encode()
    content = workbook(HEADINGS, *([str(number), "a", "b"] for number in range(9)))
    outcome = read(with_parts(content, {SHEET: lambda sheet: sheet.replace(b"</sheetData>", ranges)}))
    named = merged.replace("$", "").upper()
    assert outcome.messages == [
        f"line {line}, {heading}: Cells are merged: {named}. Unmerge them, and write into each cell what belongs there."
        for line, headings in rows.items()
        for heading in headings
    ]


def test_merged_cells_that_overlap_are_refused():
    """No program makes them; ten thousand over each cell of a large sheet would be searched for hours."""
    ranges = b'</sheetData><mergeCells><mergeCell ref="B2:B9"/><mergeCell ref="A4:XFD9"/></mergeCells>'
    content = workbook(HEADINGS, *([str(number), "a", "b"] for number in range(9)))
    outcome = read(with_parts(content, {SHEET: lambda sheet: sheet.replace(b"</sheetData>", ranges)}))
    assert (outcome.lines, outcome.refusal) == ([2, 3], f"line 1: {DAMAGED}")


def test_of_merged_cells_only_those_beside_others_are_looked_at():
    """A sheet that is merged to its last column costs no more than one without that."""
    part = io.BytesIO(b'<mergeCells><mergeCell ref="A2:XFD3"/><mergeCell ref="F2:XFD1048576"/></mergeCells>')
    merged = MergedCells(part)
    assert merged.covering(2, 3) == {2: "A2:XFD3", 3: "A2:XFD3"}
    assert merged.covering(3, 3) == {1: "A2:XFD3", 2: "A2:XFD3", 3: "A2:XFD3"}
    assert merged.covering(4, 3) == {}


@pytest.mark.parametrize(("count", "is_read"), [(MAX_MERGED, True), (MAX_MERGED + 1, False)])
def test_a_sheet_has_a_limit_of_merged_cells(count, is_read):
    ranges = "".join(f'<mergeCell ref="F{row}:G{row}"/>' for row in range(count)).encode()
    sheet_end = b"</sheetData><mergeCells>%s</mergeCells>" % ranges
    content = with_parts(workbook(["id"], ["1"]), {SHEET: lambda sheet: sheet.replace(b"</sheetData>", sheet_end)})
    assert read(content).refusal == (
        None
        if is_read
        else "line 1: More than 10,000 ranges of cells are merged. Unmerge those of the table, and load it again."
    )


@pytest.mark.parametrize(
    ("rows", "refusal"),
    [([], EMPTY), ([[" "], [" "]], "The line must have the headings, such as id,descriptions.en.")],
)
def test_a_workbook_without_headings_is_refused(rows, refusal):
    assert read(workbook(*rows)).refusal == f"line 1: {refusal}"


def test_a_value_beside_the_table_is_a_failure_of_its_row():
    outcome = read(workbook(["id", "name"], ["1", "a", "", "note"], ["2", "b"]))
    assert outcome.messages == ["line 2, Column D: It has no heading. Give it one, or say what 'Column D' means."]
    assert [row["id"] for row in outcome.cells] == ["2"]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (b'<c r="B2"><is><t>a</t></is></c>', "a"),
        (b'<c r="B2" t="str"><is><t>a</t></is></c>', "a"),
        (b'<c r="B2" t="s"><is><t>a</t></is></c>', "a"),
        (b'<c r="B2" t="inlineStr"><v>a</v></c>', "a"),
        (b'<c r="B2"><v>+10</v></c>', "10"),
        (b'<c r="B2"><v>.5</v></c>', "0.5"),
        (b'<c r="B2"><v>10.</v></c>', "10"),
    ],
)
def test_a_value_that_a_program_writes_in_an_unusual_way_is_not_lost(cell, text):
    """An empty cell would clear the field."""
    content = workbook(["id", "name"], ["1", 777])
    content = with_parts(content, {SHEET: lambda part: re.sub(rb'<c r="B2".*?</c>', cell, part)})
    outcome = read(content)
    assert (outcome.cells, outcome.messages, outcome.refusal) == ([{"id": "1", "name": text}], [], None)


def test_blanks_around_the_number_of_a_shared_text_do_not_matter():
    content = as_excel_saves(workbook(["id", "name"], ["1", "a"]))
    content = with_parts(content, {SHEET: lambda part: re.sub(rb"<v>(\d)</v>", rb"<v>\n \1\n</v>", part)})
    assert read(content).cells == [{"id": "1", "name": "a"}]


def test_two_cells_in_one_place_are_damage():
    content = workbook(["id", "name"], ["1", "a"])
    content = with_parts(content, {SHEET: lambda part: part.replace(b'<c r="A2"', b'<c r="B2"')})
    assert "damaged" in str(read(content).refusal)


def test_a_row_without_a_number_has_that_of_its_cells():
    """So its errors name the right line."""
    content = workbook(["id", "name"], [], [], ["1", "a"], ["2", "b"])
    content = with_parts(content, {SHEET: lambda part: re.sub(rb'<row r="\d"', b"<row", part)})
    assert read(content).lines == [4, 5]
    content = with_parts(content, {SHEET: lambda part: part.replace(b'r="A5"', b'r="A4"')})
    assert "damaged" in str(read(content).refusal)


def test_rows_of_blanks_are_empty():
    """With a blank people clear a cell."""
    outcome = read(workbook(["id", "name"], ["1", "a"], [" ", "\xa0"], ["2", "b"], [None, " "]))
    assert (outcome.lines, outcome.messages) == ([2, 4], [])


def test_coloured_empty_cells_do_not_count():
    """A sheet whose columns are formatted to the end has a million cells without a value."""

    def change(book):
        for column in range(1, 50):
            book.worksheets[0].cell(1, column).number_format = "0.00"
            book.worksheets[0].cell(9, column).number_format = "0.00"

    assert read(workbook(["id"], ["1000"], change=change)).cells == [{"id": "1000"}]


def test_texts_with_characters_that_xml_cannot_carry_are_read_as_excel_writes_them():
    """`_x000D_` is a carriage return, `_x005F_` the underscore of a text that looks like that."""
    outcome = read(workbook(["id", "name"], ["a_x000D_\nb", "_x005F_x000D_"], ["_xD800_", "_x12"]))
    assert outcome.cells == [{"id": "a\r\nb", "name": "_x000D_"}, {"id": "_xD800_", "name": "_x12"}]


def test_rich_text_is_read_without_its_formats_and_without_how_it_is_pronounced():
    """Japanese workbooks have the pronunciation beside the text."""
    rich = (
        b"<si><r><rPr><b/></rPr><t>Ca</t></r><r><t>sh</t></r><rPh sb='0' eb='1'><t>kyasshu</t></rPh>"
        b"<phoneticPr fontId='1'/></si>"
    )
    content = with_parts(
        as_excel_saves(workbook(["id"], ["1000"])), {STRINGS: lambda part: part.replace(b"<si><t>1000</t></si>", rich)}
    )
    assert read(content).cells == [{"id": "Cash"}]


def test_what_an_extension_adds_to_a_cell_is_not_of_its_value():
    added = b"<v>10</v><extLst><ext uri='x'><y:v xmlns:y='urn:example'>99</y:v></ext></extLst>"
    content = with_parts(workbook(["id"], [10]), {SHEET: lambda sheet: sheet.replace(b"<v>10</v>", added)})
    assert read(content).cells == [{"id": "10"}]


def test_a_document_type_is_refused():
    """With entities a small text becomes a huge one, or shows files of the server."""
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    for part in (SHEET, STRINGS, "xl/workbook.xml", "xl/styles.xml", "_rels/.rels"):
        content = with_parts(
            as_excel_saves(workbook(["id"], ["1000"])),
            {part: lambda text: bomb + text[text.index(b"?>") + 2 if b"?>" in text else 0 :]},
        )
        assert read(content).refusal == f"line 1: {DOCUMENT_TYPE}"


@pytest.mark.parametrize(
    "change",
    [
        lambda sheet: sheet[: len(sheet) // 2],
        lambda sheet: sheet.replace(b'r="2"', b'r="two"'),
        lambda sheet: sheet.replace(b'r="2"', b'r="1"'),
        lambda sheet: sheet.replace(b"<v>1</v>", b"<v>99</v>"),
        lambda sheet: sheet.replace(b"<v>1</v>", b"<v>-1</v>"),
        lambda sheet: sheet.replace(b'r="A2"', b'r="ZZZZ2"'),
        lambda sheet: sheet.replace(b'r="A2"', b'r="2"'),
        lambda sheet: sheet.replace(b'r="A2"', b'r="a2"'),
        lambda sheet: sheet.replace(b'r="A2"', b'r="A?2"'),
        lambda sheet: sheet.replace(b'r="A2"', b'r="XFE2"'),
        lambda sheet: sheet.replace(b'r="A2"', b'r="A1048577"'),
        lambda sheet: sheet.replace(b'r="A2"', b'r="A%s"' % (b"9" * 5_000)),
        lambda sheet: sheet.replace(b'r="2"', b'r="1048577"'),
        lambda sheet: sheet.replace(b'r="2"', b'r="-2"'),
        lambda sheet: sheet.replace(b'r="2"', b'r="%s"' % (b"9" * 5_000)),
        lambda sheet: sheet.replace(b'r="A2"', b'r="A2" s="-100"'),
        lambda sheet: sheet.replace(b'r="A2"', b'r="A2" s="1.5"'),
        lambda sheet: sheet.replace(b'r="A2"', b'r="A2" s="%s"' % (b"9" * 5_000)),
        lambda sheet: sheet.replace(b"<v>1</v>", b"<v>%s</v>" % (b"9" * 4_000)),
        lambda _sheet: b"<worksheet>" * 1000,
        lambda _sheet: b"no XML",
    ],
    ids=[
        *("cut", "row no number", "row twice", "text unknown", "text negative", "column", "no column", "small letters"),
        *("strange letters", "beyond the last column", "beyond the last row", "endless row", "row too far"),
        *("row negative", "row endless", "style negative", "style no number", "style endless", "text endless"),
        *("deep", "no XML"),
    ],
)
def test_a_damaged_sheet_is_refused(change):
    """Whatever damaged it, there is one sentence."""
    content = with_parts(as_excel_saves(workbook(["id"], ["1000"])), {SHEET: change})
    assert read(content).refusal == f"line 1: {DAMAGED}"


@pytest.mark.contract("B3")
@pytest.mark.parametrize("number", ["-1", "-100", "1e9", "", "9" * 5_000, "\u0663"])
@pytest.mark.parametrize("place", [b'numFmtId="0"', b'numFmtId="164"'], ids=["style", "format"])
def test_the_number_of_a_missing_format_is_damage(place, number):
    """The number of a style, and that of a format which the workbook declares."""

    def change(book):
        book.worksheets[0]["A2"].number_format = "0000.0"

    changed = b'numFmtId="%s"' % number.encode()
    content = workbook(["id"], [7], change=change)
    outcome = read(with_parts(content, {STYLES: lambda part: part.replace(place, changed)}))
    assert outcome.refusal == f"line 1: {DAMAGED}"


@pytest.mark.contract("B3")
def test_a_style_that_the_workbook_has_not_is_a_plain_number():
    """Some programs write style numbers, but no styles."""
    content = with_parts(workbook(["id"], [7]), {SHEET: lambda sheet: sheet.replace(b'r="A2"', b'r="A2" s="999999"')})
    assert read(content).cells == [{"id": "7"}]


@pytest.mark.contract("B3")
def test_a_cell_of_an_unknown_kind_is_a_failure_of_its_row():
    content = with_parts(
        workbook(["id"], [7], [8]), {SHEET: lambda sheet: sheet.replace(b't="n"><v>7', b't="nn"><v>7')}
    )
    outcome = read(content)
    assert outcome.messages == ["line 2, id: The cell A2 holds a value of the unknown kind 'nn'. Write it again."]
    assert outcome.cells == [{"id": "8"}]


@pytest.mark.contract("B3")
@pytest.mark.parametrize("stored", ["9" * 400, "-1", "-0.5", "1e308", "2958466", "0.99999999999"])
def test_no_number_in_the_format_of_a_date_ends_the_reading(stored):
    """It is a date, or a failure of its row."""

    def change(book):
        book.worksheets[0]["A2"].number_format = "dd.mm.yyyy"

    content = with_parts(
        workbook(["id"], [777], ["end"], change=change), {SHEET: lambda sheet: sheet.replace(b"777", stored.encode())}
    )
    outcome = read(content)
    assert (outcome.refusal, len(outcome.messages) + len(outcome.cells)) == (None, 2)


@pytest.mark.contract("B3")
@pytest.mark.parametrize(("length", "is_read"), [(255, True), (256, False)])
def test_a_number_format_has_at_most_as_many_characters_as_in_excel(length, is_read):
    """Whether a cell uses it or not."""
    code = '"K"' + "0" * (length - 3)

    def change(book):
        book.worksheets[0]["A2"].number_format = code

    outcome = read(workbook(["id"], [7], change=change))
    if is_read:
        assert outcome.cells == [{"id": "K" + "7".zfill(length - 3)}]
    else:
        shown = f"{code[:100]}…"
        assert outcome.refusal == (
            f"line 1: The workbook has a number format with 256 characters, such as {shown}; Excel allows up to 255. "
            "Give its cells another format, save the workbook again and load that."
        )


def test_links_to_other_files_are_not_followed():
    """Neither is a reference from a part to something outside the workbook."""

    def outside(relations):
        return relations.replace(b"/xl/worksheets/sheet1.xml", b"../../../etc/passwd")

    content = with_parts(workbook(["id"], ["1000"]), {RELATIONS: outside})
    assert read(content).refusal == f"line 1: {DAMAGED}"
