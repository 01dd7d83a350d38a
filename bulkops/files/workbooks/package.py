"""The fixed parts of a workbook (XLSX), and the hidden sheet with the values that its columns may have."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import zip_longest
from typing import TypeAlias

from openpyxl.utils import get_column_letter

from bulkops.files.formats.tables import MAX_HEADINGS
from bulkops.files.workbooks.sheets import MAX_ROWS

# The values that a column may have; None for any.
AllowedValues: TypeAlias = Sequence[str | bool] | None

SHEET = "xl/worksheets/sheet1.xml"
_LISTS_SHEET = "xl/worksheets/sheet2.xml"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPES}.sheet.main+xml"/>'
        f'<Override PartName="/{SHEET}" ContentType="{_SHEET_TYPES}.worksheet+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_SHEET_TYPES}.styles+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
        '<sheets><sheet name="Elements" sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'
    ),
    # Style 0 is plain, 1 the format "text" (number 49), 2 that in bold.
    "xl/styles.xml": (
        f'<styleSheet xmlns="{_MAIN}">'
        '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
        '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
        '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
        '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
        '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
    ),
}
SHEET_START = (
    f'{DECLARATION}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
    f'<cols><col min="1" max="{MAX_HEADINGS}" width="18" style="1" customWidth="1"/></cols><sheetData>'
)
# What makes the sheet of lists known, where there is one.
_LISTS = "Lists"
_WITH_LISTS = {
    "[Content_Types].xml": (
        "</Types>",
        f'<Override PartName="/{_LISTS_SHEET}" ContentType="{_SHEET_TYPES}.worksheet+xml"/></Types>',
    ),
    "xl/workbook.xml": ("</sheets>", f'<sheet name="{_LISTS}" sheetId="2" state="hidden" r:id="rId3"/></sheets>'),
    "xl/_rels/workbook.xml.rels": (
        "</Relationships>",
        f'<Relationship Id="rId3" Type="{_OFFICE}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>',
    ),
}


def parts_of(allowed: Sequence[AllowedValues]) -> Mapping[str, str]:
    """Return all parts but the sheet of elements, by name; `allowed` are the values that each column may have."""
    lists = _distinct(allowed)
    if not lists:
        return {name: DECLARATION + content for name, content in _PARTS.items()}
    parts = {**_PARTS, **{name: _PARTS[name].replace(*lists_too) for name, lists_too in _WITH_LISTS.items()}}
    rows = "".join(_row(number, values) for number, values in enumerate(zip_longest(*lists), start=1))
    parts[_LISTS_SHEET] = f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    return {name: DECLARATION + content for name, content in parts.items()}


def sheet_end(columns: int, rows: int, allowed: Sequence[AllowedValues]) -> str:
    """Return the end of a sheet with that many columns and rows: its filter, its lists, and its ignored errors.

    Excel marks texts that look like numbers as errors, unless the sheet says that they are intended.
    """
    autofilter = f'<autoFilter ref="A1:{get_column_letter(columns)}{max(rows, 1)}"/>' if columns else ""
    ignored = f'<ignoredErrors><ignoredError sqref="A1:XFD{MAX_ROWS}" numberStoredAsText="1"/></ignoredErrors>'
    return f"</sheetData>{autofilter}{_validations(allowed)}{ignored}</worksheet>"


def _validations(allowed: Sequence[AllowedValues]) -> str:
    """Return the lists to choose from. Excel asks about another value but accepts it: cells have other notations."""
    places = {values: get_column_letter(column) for column, values in enumerate(_distinct(allowed), start=1)}
    found = [
        '<dataValidation type="list" errorStyle="warning" allowBlank="1" showErrorMessage="1" '
        f'sqref="{get_column_letter(column)}2:{get_column_letter(column)}{MAX_ROWS}">'
        f"<formula1>{_LISTS}!${places[tuple(values)]}$1:${places[tuple(values)]}${len(values)}</formula1></dataValidation>"
        for column, values in enumerate(allowed, start=1)
        if values
    ]
    return f'<dataValidations count="{len(found)}">{"".join(found)}</dataValidations>' if found else ""


def _distinct(allowed: Iterable[AllowedValues]) -> list[tuple[str | bool, ...]]:
    return list(dict.fromkeys(tuple(values) for values in allowed if values))


def _row(number: int, values: Iterable[str | bool | None]) -> str:
    return f'<row r="{number}">{"".join(_cell(column, number, value) for column, value in enumerate(values, 1))}</row>'


def _cell(column: int, row: int, value: str | bool | None) -> str:
    place = f'r="{get_column_letter(column)}{row}"'
    match value:
        case None:
            return ""
        case bool():
            return f'<c {place} t="b"><v>{value:d}</v></c>'
    return f'<c {place} t="inlineStr"><is><t xml:space="preserve">{escape(value, quote=False)}</t></is></c>'
