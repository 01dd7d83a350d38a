"""Tables in CSV as spreadsheets and other systems write them."""

import codecs

import pytest

from bulkops.files.formats.rows import FileShape
from bulkops.files.formats.tables import MAX_CELL_CHARACTERS, MAX_ROW_CHARACTERS
from dimensions_site.text.files import Format
from tests.bulkops.files.formats.files import read

TABLE = "id,descriptions.de\n0010,Büro\n"
CELLS = [{"id": "0010", "descriptions.de": "Büro"}]


@pytest.mark.contract("H4")
@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (TABLE.encode(), "utf-8"),
        (codecs.BOM_UTF8 + TABLE.encode(), "utf-8-sig"),
        (codecs.BOM_UTF16_LE + TABLE.encode("utf-16-le"), "utf-16"),
        (codecs.BOM_UTF16_BE + TABLE.encode("utf-16-be"), "utf-16"),
        (TABLE.encode("utf-16-le"), "utf-16-le"),
        (TABLE.encode("utf-16-be"), "utf-16-be"),
    ],
    ids=["UTF-8", "UTF-8 with mark", "UTF-16 LE", "UTF-16 BE", "UTF-16 LE no mark", "UTF-16 BE no mark"],
)
def test_the_encoding_is_recognised_by_the_content(content, encoding):
    """An accountant does not know what an encoding is; Excel has written one of these."""
    outcome = read(content)
    assert outcome.shape == FileShape(Format.CSV, encoding, ",")
    assert (outcome.cells, outcome.refusal) == (CELLS, None)


def test_letters_far_down_in_the_file_are_found():
    """The decision is made about the whole file, not about its beginning."""
    rows = "".join(f"{number},{'Kasse ' * 20}\n" for number in range(20_000))
    content = f"id,name\n{rows}x,Büro – „Zürich“ 5 €\n".encode("cp1252")
    outcome = read(content, encoding="windows-1252")
    assert outcome.shape == FileShape(Format.CSV, "cp1252", ",")
    assert outcome.cells[-1] == {"id": "x", "name": "Büro – „Zürich“ 5 €"}
    assert str(read(content).refusal).startswith("line 20002: The encoding of the file is not certain.")


def test_utf_16_that_is_cut_off_is_refused():
    outcome = read(codecs.BOM_UTF16_LE + TABLE.encode("utf-16-le")[:-1])
    assert outcome.refusal == "line 2: The line has characters that are not UTF-16. Save the file again as 'CSV UTF-8'."


def test_a_nul_is_refused_where_it_stands():
    outcome = read(b"id,name\n1,Cash\n2,a\x00b\n")
    assert outcome.cells == [{"id": "1", "name": "Cash"}]
    assert outcome.refusal == (
        "line 3: The line contains the character NUL, which is not allowed in text. Save the file again as 'CSV UTF-8'."
    )


@pytest.mark.contract("H4")
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"], ids=["commas", "semicolons", "tabs", "bars"])
def test_the_delimiter_is_recognised(delimiter):
    """Excel writes the separator of its country setting."""
    rows = [["id", "name", "amount"], ["0010", '"a,b;c\td"', '"1,5"']]
    outcome = read("\r\n".join(delimiter.join(row) for row in rows).encode())
    assert outcome.shape is not None
    assert outcome.shape.delimiter == delimiter
    assert outcome.cells == [{"id": "0010", "name": "a,b;c\td", "amount": "1,5"}]


def test_other_delimiters_in_headings_and_cells_do_not_mislead():
    """The rows below the headings have to have as many cells as there are headings."""
    outcome = read(b"Konto, neu;Name, lang;Zusatz\n1000;Kasse, Bank, Post;x\n1100;Bank;y\n")
    assert outcome.headings == ["Konto, neu", "Name, lang", "Zusatz"]
    assert [row["Name, lang"] for row in outcome.cells] == ["Kasse, Bank, Post", "Bank"]


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("headings", ["Rates, end of 2026\nid;rate", "id;rate, closing"])
def test_commas_in_titles_and_numbers_do_not_mislead(headings, delimiter):
    """Each line has one of both; a comma is more often in texts and numbers."""
    table = f"{headings}\nUSD;1,08\nGBP;0,87\n".replace(";", delimiter)
    outcome = read(table.encode(), heading_row=headings.count("\n") + 1)
    assert [list(cells.values()) for cells in outcome.cells] == [["USD", "1,08"], ["GBP", "0,87"]]


def test_semicolons_in_titles_and_texts_do_not_mislead():
    """Between the title and the rows, the headings have one cell with them."""
    outcome = read(b"Chart; 2026\nid,name\n1,Cash; till\n2,Bank; giro\n", heading_row=2)
    assert [row["name"] for row in outcome.cells] == ["Cash; till", "Bank; giro"]


@pytest.mark.parametrize(
    ("line", "separator"),
    [
        *(
            (line, ";")
            for line in ("sep=;", '"sep=;"', "SEP=;", "sep=;;;", "Sep = ;", '"sep=;";;', "sep=;,,", "sep=; ")
        ),
        *((line, "\t") for line in ("sep=\t", '"sep=\t"', "sep = \t", "sep=\t\t")),
    ],
)
def test_the_separator_line_of_excel_is_honoured(line, separator):
    """It precedes the headings, and counts as a line."""
    table = "id;name\r\n1000;Cash\r\n".replace(";", separator)
    outcome = read(f"{line}\r\n{table}".encode())
    assert (outcome.headings, outcome.lines, outcome.cells) == (["id", "name"], [3], [{"id": "1000", "name": "Cash"}])


def test_a_table_may_have_one_column():
    assert read(b"id\n1000\n1100\n").cells == [{"id": "1000"}, {"id": "1100"}]
    assert read(b"id\n1,5\n").messages == ["line 2: The row has 2 cells, but there is 1 heading."]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_line_ends_of_all_systems_are_read_and_those_in_quotes_are_kept(end):
    outcome = read(f'id,name{end}1,"two{end}lines"{end}2,""""{end}'.encode())
    assert outcome.cells == [{"id": "1", "name": f"two{end}lines"}, {"id": "2", "name": '"'}]
    assert outcome.lines == [2, 4]


def test_empty_columns_and_rows_at_the_end_are_passed_over():
    """Spreadsheets write cells that were coloured once."""
    outcome = read(b"id,name,,\n1000,Cash,,\n,,,\n\n1100,Bank,,\n,,,\n")
    assert outcome.headings == ["id", "name"]
    assert (outcome.cells, outcome.lines) == ([{"id": "1000", "name": "Cash"}, {"id": "1100", "name": "Bank"}], [2, 5])
    outcome = read(b" , \nid,name\n1000,Cash\n  ,\t\n \n\x0c\n1100,Bank\n")
    assert (outcome.messages, outcome.lines) == ([], [3, 7])


@pytest.mark.parametrize(
    ("table", "refusal"),
    [
        (b",,\n,,\n", "The line must have the headings, such as id,descriptions.en."),
    ],
)
def test_a_table_without_headings_is_refused(table, refusal):
    """It would be unclear where the cells belong."""
    assert read(table).refusal == f"line 1: {refusal}"


@pytest.mark.parametrize("end", ["", ",", ",,"])
def test_a_row_may_lack_empty_cells_at_its_end(end):
    """Excel leaves out their delimiters."""
    outcome = read(f"id,name,note\n1000{end}\n2000,Cash,x\n".encode())
    assert (outcome.messages, outcome.cells[0]) == ([], {"id": "1000", "name": "", "note": ""})


@pytest.mark.parametrize(
    ("row", "cells", "options"), [("1000", "1 cell", {"pads_rows": False}), ("1000,Cash,more", "3 cells", {})]
)
def test_a_row_that_is_longer_or_shorter_than_the_headings_is_a_failure(row, cells, options):
    """The rows around it are read, and all its cells are kept. A program writes each row in full."""
    outcome = read(f"id,name\n1,a\n{row}\n2,b\n".encode(), **options)
    assert outcome.messages == [f"line 3: The row has {cells}, but there are 2 headings."]
    assert outcome.failures[0].cells == row.split(",")
    assert [row["id"] for row in outcome.cells] == ["1", "2"]


@pytest.mark.parametrize(
    ("row", "refusal"),
    [
        ('1100,"never closed\n1200,B\n', "A quote opens in this row and is never closed. Close it, or remove it."),
        (
            '1100,"closed" too early\n1200,B\n',
            (
                "The rest cannot be read as CSV: after a closing quote the cell must end. Check that all "
                "quotes are closed, and write a quote inside a quoted text twice."
            ),
        ),
    ],
    ids=["never closed", "closed early"],
)
def test_broken_quotes_end_the_reading_where_the_row_begins(row, refusal):
    outcome = read(f"id,name\n1000,Cash\n{row}".encode())
    assert (outcome.lines, outcome.refusal) == ([2], f"line 3: {refusal}")


def test_a_cell_of_one_megabyte_is_read_and_a_longer_one_is_a_failure():
    """The failure names the column, and reading continues."""
    rows = f"1,{'x' * MAX_CELL_CHARACTERS}\n2,{'x' * (MAX_CELL_CHARACTERS + 1)}\n3,short\n"
    outcome = read(f"id,name\n{rows}".encode())
    assert [len(row["name"]) for row in outcome.cells] == [MAX_CELL_CHARACTERS, 5]
    assert outcome.messages == ["line 3, name: The cell is 1,048,577 characters long; the limit is 1,048,576."]


@pytest.mark.parametrize("text", ["x", "x\n", '""', "\n"], ids=["one line", "lines", "quotes", "empty lines"])
def test_a_row_that_is_too_long_ends_the_reading(text):
    """It is a quote that is not closed; to look for its end would take as long as the file is."""
    outcome = read(f'id,name\n1,a\n2,"{text * MAX_ROW_CHARACTERS}"\n3,b\n'.encode())
    assert outcome.refusal == "line 3: The row has more than 4,194,304 characters. Check that all quotes are closed."
    assert [(row.line, row.cells["id"]) for row in outcome.rows] == [(2, "1")]


def test_empty_rows_count_where_rows_are_limited():
    content = b"id,name\n" + b"\n" * 8 + b"1,a\n"
    assert read(content, most_rows=10).cells == [{"id": "1", "name": "a"}]
    assert read(content, most_rows=9).refusal == "line 10: The table has more than 9 rows, empty ones included."


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ('="0070",Cash', ["0070", "Cash"]),
        ('"=""0070""",Cash', ["0070", "Cash"]),
        ('="a ""b""",Cash', ['a "b"', "Cash"]),
        ('="",Cash', ["", "Cash"]),
        (' = "0070" ,Cash', ["0070", "Cash"]),
        ('1,\t"Cash"', ["1", "Cash"]),
        ('"1, ""a""", "Cash"', ['1, "a"', "Cash"]),
        ('"1, ""a""",Cash "new"', ['1, "a"', 'Cash "new"']),
        ('1, \t\xa0"Cash, at ""bank"""', ["1", 'Cash, at "bank"']),
        ('[[text]]="0070",=1+1', ['[[text]]="0070"', "=1+1"]),
        ('0070, "Cash"', ["0070", "Cash"]),
        ('0070,   "Cash, ""Bank"""', ["0070", 'Cash, "Bank"']),
        (' "0070", "Cash"', ["0070", "Cash"]),
        ('0070," ""Cash"""', ["0070", ' "Cash"']),
        ("0070, Cash", ["0070", " Cash"]),
        ('0070,a "b" c', ["0070", 'a "b" c']),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_cells_are_read_as_the_programs_that_write_them_mean_them(row, cells, delimiter):
    """`="0070"` keeps the zeros in Excel, and blanks before a quote are not of the text."""
    outcome = read(f"id,name\n{row}\n".replace(",", delimiter).encode())
    assert ([list(each.values()) for each in outcome.cells], outcome.refusal) == (
        [[cell.replace(",", delimiter) for cell in cells]],
        None,
    )


def test_a_code_with_the_sign_of_a_formula_is_a_failure():
    """Excel would show it without zeros."""
    outcome = read(b"id,name\n=0070,Cash\n = 0075,Cash\n0080,Bank\n")
    assert outcome.messages == [
        "line 2, id: '=0070' is a formula. Write 0070 as text, without '='.",
        "line 3, id: ' = 0075' is a formula. Write 0075 as text, without '='.",
    ]
    assert [row["id"] for row in outcome.cells] == ["0080"]


@pytest.mark.parametrize("text", ["1.23457E+11", "1,00E+05", "-5E-07", "1E+100", "1e+05", "1.234568e+11"])
def test_a_number_that_a_spreadsheet_has_shortened_is_refused(text):
    """Excel, R and pandas write the few digits that they show of a long code, so the others are lost."""
    outcome = read(f'id,name\n"{text}",Cash\n0080,Bank\n'.encode())
    message = f"line 2, id: '{text}' is a number that a spreadsheet program has shortened. Write all its digits; if "
    assert outcome.messages == [message + f"the text is meant so, write [[text]]{text}."]
    assert [row["id"] for row in outcome.cells] == ["0080"]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "#N/A",
            "#NV",
            "#DIV/0!",
            "#REF!",
            "#NAME?",
            "#N/D",
            "#BEZUG!",
            "######",
            "Err:502",
            "#GETTING_DATA",
            "#ИМЯ?",
        ),
        *("Err :502", "Err\N{NO-BREAK SPACE}:508"),
        *("#DEĞER!", "#ČÍSLO!", "#DĚLENÍ_NULOU!", "#N/D!", "#YOK", "#HIÁNYZIK", "#NENÍ_K_DISPOZICI", "#ΤΙΜΗ!"),
    ],
)
def test_the_error_of_a_formula_is_refused(text):
    """In whatever language the spreadsheet program was; hash signs are what it shows of a narrow column."""
    outcome = read(f"id,name\n1,{text}\n".encode())
    message = f"line 2, name: '{text}' is an error of a spreadsheet program. Write what belongs there; if "
    assert outcome.messages == [message + f"the text is meant so, write [[text]]{text}."]


@pytest.mark.parametrize("text", ["1.23457E+11 ", " 1,00E+05", " #N/A", "#NV\t", "\xa0Err:502  ", "###### "])
def test_blanks_around_what_a_spreadsheet_leaves_instead_of_a_value_do_not_hide_it(text):
    """Programs fill columns of one width with blanks, and an import that a person checks leaves them out."""
    outcome = read(f'id,name\n1,"{text}"\n'.encode())
    assert (outcome.cells, len(outcome.messages)) == ([], 1)
    assert outcome.messages[0].endswith(f"write [[text]]{text.strip()}.")


def test_a_shortened_number_is_not_repeated_at_length():
    outcome = read(f"id,name\n1.{'1' * 100_000}E+05,Cash\n".encode())
    assert len(outcome.messages[0]) < 500


@pytest.mark.parametrize(
    "text",
    [
        "1E05",
        "E+12",
        "4E-1A",
        "10E+05",
        "e-05",
        "1e5",
        "Err:5",
        "Err: 502",
        "#12",
        "#urgent",
        "#",
        "#VIP",
        "A/B",
        "[[text]]#N/A",
        "[[text]]1E+05",
    ],
)
def test_a_text_that_no_spreadsheet_leaves_instead_of_a_value_is_a_text(text):
    """Programs write at least two digits behind E, and one digit before the point."""
    assert read(f"id,name\n1,{text}\n".encode()).cells == [{"id": "1", "name": text}]


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ('1 ,"Cash" ,"x"', ["1 ", "Cash", "x"]),
        ('"1" , "Cash" , "x" ', ["1", "Cash", "x"]),
        ('"1"\t,"a, ""b"" , c" ,x', ["1", 'a, "b" , c', "x"]),
        ('"1"," two\nlines " ,"" ', ["1", " two\nlines ", ""]),
        ('"a ,"""" , b" ,"c" ,d', ['a ,"" , b', "c", "d"]),
    ],
)
def test_blanks_behind_a_closing_quote_are_not_of_the_cell(row, cells):
    """Programs that pad columns write them; the rows behind are read."""
    outcome = read(f"id,name,note\n{row}\n2,Bank,y\n".encode())
    assert [list(one.values()) for one in outcome.cells] == [cells, ["2", "Bank", "y"]]
    assert (outcome.messages, outcome.refusal) == ([], None)


def test_blanks_before_a_quote_that_is_closed_on_another_line_are_refused():
    outcome = read(b'id,name\n1,a\n2, "two\nlines"\n')
    assert (outcome.lines, str(outcome.refusal)[:36]) == ([2], "line 3: The rest cannot be read as C")


@pytest.mark.parametrize("end", ["\x1a", "\r\n\x1a", "\n\x1a\x1a\x1a", "\n\x1a\r\n"])
def test_the_sign_of_the_end_of_a_file_is_not_a_row(end):
    """Old programs write it."""
    outcome = read(f"id,name\n1,Cash{end}".encode())
    assert (outcome.cells, outcome.messages, outcome.refusal) == ([{"id": "1", "name": "Cash"}], [], None)


@pytest.mark.parametrize("heading", ['"\ufeffid"', "\r\n\ufeffid", "id\u200b", "\u200eid\u200f"])
def test_marks_that_nobody_sees_are_not_of_a_heading(heading):
    assert read(f"{heading},name\n1,Cash\n".encode()).cells == [{"id": "1", "name": "Cash"}]


@pytest.mark.parametrize("marks", [1, 2, 3])
@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(("line", "marks_below"), [("", ""), ("sep=,\n", ""), ("sep=,\n", "\ufeff")])
def test_several_marks_of_the_encoding_are_not_of_the_first_heading(marks, codec, line, marks_below):
    outcome = read(("\ufeff" * marks + f'{line}{marks_below}"id",name\n1,Cash\n').encode(codec))
    assert (outcome.headings, outcome.cells) == (["id", "name"], [{"id": "1", "name": "Cash"}])


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_the_mark_between_files_that_were_put_one_behind_the_other_is_not_of_an_id(codec):
    """`0080` and the same behind a mark that nobody sees would be two accounts. Within a text it is content."""
    outcome = read('id,name\n0070,"a\n\ufeffb"\n\ufeff\ufeff0080,\ufeffBank\n\ufeff'.encode(codec))
    assert [list(one.values()) for one in outcome.cells] == [["0070", "a\n\ufeffb"], ["0080", "\ufeffBank"]]


def test_a_file_that_is_one_endless_line_is_refused():
    assert read(b"id" * MAX_ROW_CHARACTERS).refusal == (
        "line 1: The row has more than 4,194,304 characters. Check that all quotes are closed."
    )


@pytest.mark.contract("C19", "H4")
def test_text_that_looks_like_anything_else_stays_as_it_is():
    """Formulas, apostrophes, backslashes, blanks and zeros are content; nothing is run."""
    cells = ["=1+1", "'0010", "\\n", " x ", "007", "1E5", "TRUE", "#1"]
    outcome = read("\n".join(["id", *cells]).encode())
    assert [row["id"] for row in outcome.cells] == cells


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "/"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("title", ["", "Chart of accounts\n\n"])
def test_a_table_whose_headings_stand_in_single_quotes_is_read_without_them(delimiter, end, title):
    """Programs for databases write it so; blanks around quotes, numbers and empty cells are as in other tables."""
    rows = ["'id';'name';'note'", "'0070';'Cash; \"till\"';''", " 'a''b' ;'Bank\n2';", "'0080';'=\"1\"';-1.5", ""]
    text = (title + end.join(rows)).replace(";", delimiter)
    line = 1 + title.count("\n")
    if delimiter == "/":
        text, line = f"sep=/\n{text}", line + 1
    outcome = read(text.encode(), heading_row=line)
    assert [list(row.values()) for row in outcome.cells] == [
        ["0070", f'Cash{delimiter} "till"', ""],
        ["a'b", "Bank\n2", ""],
        ["0080", "1", "-1.5"],
    ]
    assert (outcome.headings, outcome.messages, outcome.refusal) == (["id", "name", "note"], [], None)


@pytest.mark.parametrize("row", [r"'2';'O\'Brien'", "'2';'x'y", "'s;'t"])
def test_a_row_with_broken_single_quotes_ends_the_reading(row):
    outcome = read(f"'id';'name'\n'1';'Cash'\n{row}\n".encode())
    assert (len(outcome.cells), str(outcome.refusal)[:36]) == (1, "line 3: The rest cannot be read as C")


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("id;name\n'1';'Cash'\n", [["'1'", "'Cash'"]]),
        ("'id';name\n'1';'Cash'\n", [["'1'", "'Cash'"]]),
        ("'id';'name'\n\"1\";\"Cash\"\n", [["1", "Cash"]]),
        ("id\n'1'\n'2'\n", [["'1'"], ["'2'"]]),
    ],
)
def test_single_quotes_are_content_where_not_all_headings_have_them(table, rows):
    assert [list(row.values()) for row in read(table.encode()).cells] == rows


WRAPPED = '"id,""name"",note"\n"1,""Cash, """"till"""""",x"\n"2,Bank,"\n'


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["", ",,", "sep"])
def test_a_table_of_which_each_row_stands_in_quotes_is_read_without_them(delimiter, end):
    """Excel writes it so where CSV was pasted into one column."""
    table = WRAPPED.replace('"\n', f'"{end}\n') if end != "sep" else f"sep=,\n{WRAPPED}"
    outcome = read(table.replace(",", delimiter).encode())
    assert outcome.cells == [
        {"id": "1", "name": 'Cash, "till"'.replace(",", delimiter), "note": "x"},
        {"id": "2", "name": "Bank", "note": ""},
    ]
    assert (outcome.messages, outcome.refusal) == ([], None)
    assert outcome.shape is not None
    assert outcome.shape.delimiter == delimiter


@pytest.mark.parametrize("line", ["\n", ";;\n", "Title\n", " ; ;\n"])
@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_many_lines_above_the_table_do_not_mislead(line, delimiter):
    """Reports begin with a cover."""
    table = (line * 28 + "id;name\n1;Cash\n").replace(";", delimiter)
    assert read(table.encode(), heading_row=29).cells == [{"id": "1", "name": "Cash"}]


def test_a_row_in_quotes_within_such_a_table_is_one_record():
    """Two lines in one cell of the pasted column are no two rows."""
    outcome = read((WRAPPED + '"3,Till\n4,Safe,"\n').encode())
    assert (len(outcome.cells), str(outcome.refusal)[:36]) == (2, "line 4: The rest cannot be read as C")


def test_a_row_that_stands_in_quotes_beside_others_says_so():
    """It may be a text with commas in the first cell, so it is not taken for a row."""
    outcome = read(b'id,name,note\n1,Cash,x\n"2,""Bank, new"",y"\n"3,4"\n"5",Safe,z\n')
    assert outcome.messages == [
        (
            "line 3: The whole row stands in quotes, so all of it is one cell. Remove the quotes around it, and write "
            "a quote within it once instead of twice."
        )
    ]
    assert outcome.failures[0].cells == ['2,"Bank, new",y']
    assert [row["id"] for row in outcome.cells] == ["1", "3,4", "5"]


@pytest.mark.parametrize(
    ("headings", "rows"),
    [
        ("id;name;note", ["1,Cash,x", '2,"Bank; new",y']),
        ("id,name,note", ["1;Cash;x", '2;"Bank; new";y']),
        ('"id";"name";"note"', ["1,Cash,x", '2,"Bank; new",y']),
        ("id\tname\tnote", ["1;Cash;x", '2;"Bank; new";y']),
        ('"id,""name"",note"', ["1,Cash,x", '2,"Bank; new",y']),
        ("Chart\nid;name;note", ["1,Cash,x", '2,"Bank; new",y']),
    ],
)
def test_headings_with_another_separator_than_the_rows_are_read(headings, rows):
    """They have one reading: as many as there are cells."""
    line = headings.count("\n") + 1
    outcome = read("\n".join([headings, *rows]).encode(), heading_row=line)
    assert outcome.cells == [{"id": "1", "name": "Cash", "note": "x"}, {"id": "2", "name": "Bank; new", "note": "y"}]


@pytest.mark.parametrize("row", ["2;Bank;y", '"2";"Bank";"y"'])
def test_a_row_with_another_separator_than_the_headings_says_so(row):
    """Read with theirs, it would be one cell."""
    outcome = read(f"id,name,note\n1,Cash,x\n{row}\n3;4\n".encode())
    assert outcome.messages == [
        (
            "line 3: The cells of this row are separated by semicolons, those of the headings by commas. Use the same "
            "separator in all rows."
        )
    ]
    assert [row["id"] for row in outcome.cells] == ["1", "3;4"]


def test_titles_and_tables_of_one_column_keep_their_commas():
    table = b'"Accounts, 2026, draft"\nid,name\n1,Cash\n'
    assert read(table, heading_row=2).cells == [{"id": "1", "name": "Cash"}]
    assert read(b'id\n"1,2"\n').cells == [{"id": "1,2"}]
