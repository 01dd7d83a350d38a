"""The parts of a workbook (XLSX): which sheets it has, and what their cells refer to."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import IO
from zipfile import ZipFile

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

from bulkops.formats.rows import UnreadableFile
from bulkops.formats.workbook_texts import CellTexts
from bulkops.formats.xml_reading import damaged, start_tags

_SAVE_AS = _("Open it in the program that it comes from, save it as an Excel workbook (.xlsx) and load that.")
# What else is a zip archive, by the name of a part.
_STRANGERS = {
    "xl/workbook.bin": format_lazy("{} {}", _("This is a binary workbook (.xlsb)."), _SAVE_AS),
    "mimetype": format_lazy("{} {}", _("This is a document of LibreOffice (.ods)."), _SAVE_AS),
    "Index/Document.iwa": format_lazy("{} {}", _("This is a document of Numbers."), _SAVE_AS),
    "word/document.xml": _("This is a text document of Word. Copy its table into a workbook, and load that."),
}
_NO_WORKBOOK = _("This is a zip archive, not a workbook. Unpack it and load the file that is in it.")


@dataclass(frozen=True)
class Sheet:
    """A visible sheet: its name, and its part."""

    name: str
    part: str


class Workbook:
    """What `archive` says of its sheets, dates and formats. Raises UnreadableFile when it holds no workbook."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._names = set(archive.namelist())
        path = self._workbook_path()
        self._targets: Mapping[str, tuple[str, str]] = self._relations(path)
        self.sheets: list[Sheet] = []
        self._epoch: datetime = WINDOWS_EPOCH
        with archive.open(path) as part:
            for _, name, attributes in start_tags(part):
                if name == "sheet":
                    self._add_sheet(attributes)
                elif name == "workbookPr" and attributes.get("date1904") in ("1", "true"):
                    self._epoch = MAC_EPOCH

    def cell_texts(self) -> CellTexts:
        """What turns stored values into texts, by the formats of this workbook."""
        formats: dict[int, str] = {}
        styles: list[int] = []
        path = self._part_of_kind("styles")
        if path is not None:
            with self._archive.open(path) as part:
                for parent, name, attributes in start_tags(part):
                    if name == "numFmt":
                        formats[_number(attributes.get("numFmtId"))] = attributes.get("formatCode", "")
                    elif name == "xf" and parent == "cellXfs":
                        styles.append(_number(attributes.get("numFmtId", "0")))
        return CellTexts(formats, styles, self._epoch)

    def open_shared_texts(self) -> IO[bytes] | None:
        """The part with the texts that cells share, None when there is none."""
        path = self._part_of_kind("sharedStrings")
        return None if path is None else self._archive.open(path)

    def open_sheet(self, sheet: Sheet) -> IO[bytes]:
        """The part of that sheet."""
        return self._archive.open(sheet.part)

    def size(self, sheet: Sheet) -> int:
        """The size of that sheet's part in bytes, unpacked."""
        return self._archive.getinfo(sheet.part).file_size

    def _workbook_path(self) -> str:
        for name, message in _STRANGERS.items():
            if name in self._names:
                raise UnreadableFile(1, message)
        found = next((path for kind, path in self._relations("").values() if kind == "officeDocument"), None)
        if found is None or not found.startswith("xl/"):
            raise UnreadableFile(1, _NO_WORKBOOK)
        return found

    def _relations(self, path: str) -> dict[str, tuple[str, str]]:
        """Kind and path of the parts that the part at `path` refers to, by the id of the reference."""
        folder, name = posixpath.split(path)
        relations = posixpath.join(folder, "_rels", f"{name}.rels")
        if relations not in self._names:
            return {}
        with self._archive.open(relations) as part:
            return {
                attributes.get("Id", ""): (
                    attributes.get("Type", "").rpartition("/")[2],
                    posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", ""))).lstrip("/"),
                )
                for _, name, attributes in start_tags(part)
                # What is outside of the workbook is never opened.
                if name == "Relationship" and attributes.get("TargetMode") != "External"
            }

    def _add_sheet(self, attributes: Mapping[str, str]) -> None:
        kind, path = self._targets.get(attributes.get("id", ""), ("", ""))
        if kind == "worksheet" and path in self._names and attributes.get("state", "visible") == "visible":
            self.sheets.append(Sheet(attributes.get("name", ""), path))

    def _part_of_kind(self, wanted: str) -> str | None:
        return next((path for kind, path in self._targets.values() if kind == wanted and path in self._names), None)


def _number(text: str | None) -> int:
    if text is None or not text.isdecimal():
        raise damaged()
    return int(text)
