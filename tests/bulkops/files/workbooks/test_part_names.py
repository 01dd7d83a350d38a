"""Programs name the parts of a workbook in their own ways; the standard for packages (OPC) says which are equal."""

import io
import zipfile

import pytest

from tests.bulkops.files.formats.files import RELATIONS, SHEET, as_excel_saves, read, with_parts, workbook

DAMAGED = "line 1: The workbook is damaged. Open it in Excel, save it again as an Excel workbook (.xlsx) and load that."
NO_WORKBOOK = "line 1: This is a zip archive, not a workbook. Extract it and load the file in it."


def zeros(book):
    book.worksheets[0]["A2"].number_format = "0000"


WORKBOOK = as_excel_saves(workbook(["id", "name"], [30, "Cash"], change=zeros))
PARTS = [
    "_rels/.rels",
    "xl/workbook.xml",
    "xl/_rels/workbook.xml.rels",
    "xl/styles.xml",
    "xl/sharedStrings.xml",
    "xl/worksheets/sheet1.xml",
]


def renamed(content, name_of, *more):
    """The workbook with its entries under other names, and `more` entries."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(changed, "w") as target:
        for entry in source.namelist():
            target.writestr(name_of(entry), source.read(entry))
        for name in more:
            target.writestr(name, b"")
    return changed.getvalue()


def with_target(old, new):
    """The workbook whose relations name a part in another way."""
    return with_parts(WORKBOOK, {RELATIONS: lambda part: part.replace(old.encode(), new.encode())})


def is_read(content):
    outcome = read(content)
    assert (outcome.refusal, outcome.messages) == (None, [])
    return outcome.cells == [{"id": "0030", "name": "Cash"}]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("change", [str.upper, str.title], ids=["upper case", "title case"])
def test_a_part_is_found_in_any_letter_case(part, change):
    """Without its styles, the code 0030 would be 30."""
    assert is_read(renamed(WORKBOOK, lambda name: change(name) if name == part else name))


@pytest.mark.parametrize(
    "name_of",
    [
        lambda name: name.replace("/", "\\"),
        lambda name: f"/{name}",
        lambda name: f"./{name}",
        lambda name: name.replace("sheet1", "%73heet1"),
        lambda name: name.replace("/", "\\").upper(),
    ],
    ids=["backslashes", "absolute", "dot", "percent", "backslashes in upper case"],
)
def test_entries_are_found_as_other_programs_name_them(name_of):
    assert is_read(renamed(WORKBOOK, name_of))


@pytest.mark.parametrize(
    ("entry", "target"),
    [
        ("xl/worksheets/Sheet 1.xml", "worksheets/Sheet%201.xml"),
        ("xl/worksheets/Sheet%201.xml", "worksheets/Sheet 1.xml"),
        ("xl/worksheets/B\u00fcro.xml", "worksheets/B%C3%BCro.xml"),
        (SHEET, r"worksheets\sheet1.xml"),
        (SHEET, r"\XL\Worksheets\SHEET1.xml"),
        (SHEET, "../xl/./worksheets/sheet1.xml"),
    ],
)
def test_a_target_names_its_part_in_any_notation(entry, target):
    changed = with_target("/xl/worksheets/sheet1.xml", target)
    assert is_read(renamed(changed, lambda name: entry if name == SHEET else name))


def test_the_main_part_may_be_in_any_folder():
    """What makes it a workbook is its content."""
    moved = {"xl/workbook.xml": "book.xml", "xl/_rels/workbook.xml.rels": "_rels/book.xml.rels"}
    content = with_parts(WORKBOOK, {"_rels/.rels": lambda part: part.replace(b"xl/workbook.xml", b"book.xml")})
    content = with_parts(
        content,
        {
            RELATIONS: lambda part: part.replace(b'Target="styles', b'Target="/xl/styles').replace(
                b'Target="shared', b'Target="/xl/shared'
            )
        },
    )
    assert is_read(renamed(content, lambda name: moved.get(name, name)))


@pytest.mark.parametrize("other", ["xl/Styles.xml", "xl\\styles.xml", "xl/%73tyles.xml", "xl/styles.xml"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_parts_with_one_name_are_refused(other):
    """Which of them another program takes is unknown."""
    assert read(renamed(WORKBOOK, str, other)).refusal == (
        f"line 1: The workbook has two parts with the same name, xl/styles.xml and {other}. Open it in Excel, save it "
        "again as an Excel workbook (.xlsx) and load that."
    )


def test_folders_are_no_parts():
    assert is_read(renamed(WORKBOOK, str, "xl/", "XL\\"))


@pytest.mark.parametrize("target", ["styles.xml", "/xl/worksheets/sheet1.xml"])
def test_a_part_that_is_named_but_missing_is_damage(target):
    """Without it, codes would lose their zeros, or a sheet would be overlooked."""
    assert read(with_target(target, "missing.xml")).refusal == DAMAGED


def test_an_archive_whose_main_part_is_no_workbook_is_refused():
    content = with_parts(WORKBOOK, {"xl/workbook.xml": lambda _part: b"<presentation/>"})
    assert read(content).refusal == NO_WORKBOOK
