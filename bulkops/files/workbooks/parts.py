"""The parts of a workbook (XLSX): its sheets, and what their cells refer to."""

import posixpath
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass
from datetime import datetime
from typing import IO, TYPE_CHECKING
from urllib.parse import unquote
from zipfile import ZipFile

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

from bulkops.files.formats.rows import UnreadableFile
from bulkops.files.workbooks.texts import CellTexts
from bulkops.files.workbooks.xml import damaged_workbook, start_tags, whole_number
from dimensions_site.text.formats import grouped_number, shortened

if TYPE_CHECKING:
    # Importing it here would load all of REST framework.
    from django_stubs_ext import StrPromise

_SAVE_AS = _("Open it in the program that it comes from, save it as an Excel workbook (.xlsx) and load that.")
# Other kinds of zip archives, by the name of a part in lower case.
_OTHER_ARCHIVES = {
    "xl/workbook.bin": format_lazy("{} {}", _("This is a binary workbook (.xlsb)."), _SAVE_AS),
    "mimetype": format_lazy("{} {}", _("This is a document of LibreOffice (.ods)."), _SAVE_AS),
    "index/document.iwa": format_lazy("{} {}", _("This is a document of Numbers."), _SAVE_AS),
    "word/document.xml": _("This is a text document of Word. Copy its table into a workbook, and load that."),
}
# Excel's own limits for formats and styles, and for the rest far more than a workbook has.
MAX_FORMAT_CHARACTERS = 255
MAX_STYLES = 65_536
MAX_NUMBER_FORMATS = 10_000
MAX_SHEETS = 1_000
MAX_PARTS = 10_000
_FORMAT_TOO_LONG = _(
    "The workbook has a number format with {count} characters, such as {start}; Excel allows up to {maximum}. Give its "
    "cells another format, save the workbook again and load that."
)
_TOO_MANY = _("The workbook has more than {maximum} {things}. Copy the table into a new workbook, and load that.")
_NO_WORKBOOK = _("This is a zip archive, not a workbook. Extract it and load the file in it.")
_SAME_NAMES = _(
    "The workbook has two parts with the same name, {one} and {other}. Open it in Excel, save it again as an Excel "
    "workbook (.xlsx) and load that."
)


@dataclass(frozen=True)
class Sheet:
    name: str
    part: str


class Workbook:
    """The sheets, dates and formats of the workbook in `archive`. Raises UnreadableFile if it contains no workbook."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        names = archive.namelist()
        _check_count(names, MAX_PARTS, _("parts"))
        self._entries = _entries(names)
        path = self._workbook_path()
        self._targets: Mapping[str, tuple[str, str]] = self._relations(path)
        self.sheets: list[Sheet] = []
        self._epoch: datetime = WINDOWS_EPOCH
        # Programs that do not compute write 0 for each formula, and have Excel compute it.
        self.is_computed_on_load = False
        with self._open(path) as part:
            for parent, name, attributes in start_tags(part):
                if not parent and name != "workbook":
                    raise UnreadableFile(1, _NO_WORKBOOK)
                if name == "sheet":
                    self._add_sheet(attributes)
                elif name == "workbookPr" and attributes.get("date1904") in ("1", "true"):
                    self._epoch = MAC_EPOCH
                elif name == "calcPr":
                    self.is_computed_on_load = attributes.get("fullCalcOnLoad") in ("1", "true")

    def cell_texts(self) -> CellTexts:
        """Return the converter from stored values to texts, with the formats of this workbook."""
        formats: dict[int, str] = {}
        styles: list[int] = []
        path = self._part_of_kind("styles")
        if path is not None:
            with self._open(path) as part:
                for parent, name, attributes in start_tags(part):
                    # Excel may write a format in several forms, for several programs, and those of tables come last.
                    if name == "numFmt" and parent != "dxf":
                        formats.setdefault(whole_number(attributes.get("numFmtId")), _format_code(attributes))
                        _check_count(formats, MAX_NUMBER_FORMATS, _("number formats"))
                    elif name == "xf" and parent == "cellXfs":
                        styles.append(whole_number(attributes.get("numFmtId", "0")))
                        _check_count(styles, MAX_STYLES, _("cell styles"))
        return CellTexts(formats, styles, self._epoch)

    def open_shared_texts(self) -> IO[bytes] | None:
        """Open the part with the texts that cells share; None without one."""
        path = self._part_of_kind("sharedStrings")
        return None if path is None or path not in self._entries else self._open(path)

    def _workbook_path(self) -> str:
        for name, message in _OTHER_ARCHIVES.items():
            if name in self._entries:
                raise UnreadableFile(1, message)
        found = next((path for kind, path in self._relations("").values() if kind == "officeDocument"), None)
        if found is None:
            raise UnreadableFile(1, _NO_WORKBOOK)
        return found

    def _open(self, path: str) -> IO[bytes]:
        if path not in self._entries:
            raise damaged_workbook()
        return self._archive.open(self._entries[path])

    def _relations(self, path: str) -> dict[str, tuple[str, str]]:
        """Return the (kind, path) of each part that the part at `path` refers to, by the id of the reference."""
        folder, name = posixpath.split(path)
        relations = posixpath.join(folder, "_rels", f"{name}.rels")
        if relations not in self._entries:
            return {}
        found: dict[str, tuple[str, str]] = {}
        with self._open(relations) as part:
            for _parent, name, attributes in start_tags(part):
                # References to the outside are never opened.
                if name == "Relationship" and attributes.get("TargetMode") != "External":
                    target = _part_name(attributes.get("Target", ""), folder)
                    found[attributes.get("Id", "")] = attributes.get("Type", "").rpartition("/")[2], target
                    _check_count(found, MAX_PARTS, _("parts"))
        return found

    def _add_sheet(self, attributes: Mapping[str, str]) -> None:
        kind, path = self._targets.get(attributes.get("id", ""), ("", ""))
        if kind == "worksheet" and attributes.get("state", "visible") == "visible":
            if path not in self._entries:
                raise damaged_workbook()
            self.sheets.append(Sheet(attributes.get("name", ""), self._entries[path]))
            _check_count(self.sheets, MAX_SHEETS, _("sheets"))

    def _part_of_kind(self, wanted: str) -> str | None:
        return next((path for kind, path in self._targets.values() if kind == wanted), None)


def _entries(names: Iterable[str]) -> Mapping[str, str]:
    """Return the entries of an archive by the names of their parts. Raises UnreadableFile for two with one name."""
    found: dict[str, str] = {}
    for entry in names:
        name = _part_name(entry)
        if name in found:
            raise UnreadableFile(1, _SAME_NAMES.format(one=shortened(found[name]), other=shortened(entry)))
        if not entry.endswith(("/", "\\")):
            found[name] = entry
    return found


def _part_name(text: str, folder: str = "") -> str:
    """Return the name of a part in the form in which equal names are the same text: OPC does not distinguish letter
    case and percent-encoding, and some programs write backslashes. A relative one is within `folder`.
    """
    name = unquote(text).replace("\\", "/").lower()
    return posixpath.normpath(posixpath.join("/", folder, name)).lstrip("/")


def _format_code(attributes: Mapping[str, str]) -> str:
    code = attributes.get("formatCode", "")
    if len(code) > MAX_FORMAT_CHARACTERS:
        values = {"count": grouped_number(len(code)), "maximum": MAX_FORMAT_CHARACTERS, "start": shortened(code)}
        raise UnreadableFile(1, _FORMAT_TOO_LONG.format(**values))
    return code


def _check_count(found: Sized, maximum: int, things: "StrPromise") -> None:
    if len(found) > maximum:
        raise UnreadableFile(1, _TOO_MANY.format(maximum=grouped_number(maximum), things=things))
