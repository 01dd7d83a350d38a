"""The columns of an uploaded table, and the field that each of them sets."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from bulkops.files.columns import read_columns
from bulkops.files.formats.rows import REASON
from bulkops.files.outside.previews import ColumnContent
from bulkops.models import FileImport
from dimensions_site.administration.files.column import (
    NO,
    YES,
    ColumnField,
    GuessOrigin,
    evidence,
    has_codes,
    has_yes_and_no,
    known_values,
)
from dimensions_site.elements.declaration.names import names_of
from dimensions_site.elements.declaration.wire import NamedField, Place
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.reading.selection import DEFAULT_DESCRIPTION, DESCRIPTIONS
from dimensions_site.rsql.fields import ValueKind
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import MAX_SUGGESTIONS, did_you_mean, unknown_field

# How many columns there are before the clear ones are folded.
_MOST_OPEN = 12
# The share of different texts in a column of ids or descriptions.
_DISTINCT = 0.9
# What says that a column has yes and no, such as `J/N` or `(yes/no)`.
_YES_OR_NO = re.compile(r"[\s_([]\w{1,5}\s?/\s?\w{1,5}[)\]]?$")
# A longer name is not sent by the page, and names no field.
MAX_TYPED = 300


class ColumnFields:
    """The columns of an import's file; none for JSON elements.

    They show the submitted choice (`data`), the earlier one (`mapping`) or the one of the last import with the same
    headings (`remembered`), else the field that the heading names or resembles.
    """

    def __init__(
        self, file_import: FileImport, mapping: Mapping[str, str], remembered: Mapping[str, str], data: Any = None
    ) -> None:
        self._wire = dimension_named(file_import.dimension).wire
        self._names = names_of(self._wire)
        self._language = file_import.repository.default_language
        self.general_errors: list[str] = []
        preview = file_import.preview
        contents = preview.get("contents")
        self.fields = [
            ColumnField(
                number,
                heading,
                [row[number] for row in preview["rows"]],
                content=ColumnContent(**contents[number]) if contents else ColumnContent(0, 0, ()),
            )
            for number, heading in enumerate(preview["headings"])
        ]
        for column in self.fields:
            if data is not None:
                self._read(column, data)
            elif column.heading in mapping:
                self._choose(column, mapping[column.heading], GuessOrigin.NONE)
            elif (path := remembered.get(column.heading)) is not None and (not path or self._can_be_set(path)):
                self._choose(column, path, GuessOrigin.REMEMBERED)
            else:
                self._recognise(column)
        if data is None:
            self._guess()
        self._compare()

    @property
    def mapping(self) -> dict[str, str]:
        """The wire path of each heading, "" for those to leave out."""
        return {column.heading: "" if column.is_out else column.path for column in self.fields}

    @property
    def has_errors(self) -> bool:
        """Return whether a column has no field, or an invalid one."""
        return any(column.errors for column in self.fields)

    @property
    def to_check(self) -> int:
        """The number of columns that a person has to look at."""
        return sum(column.is_to_check for column in self.fields)

    @property
    def marked(self) -> list[ColumnField]:
        """The columns that a person has to look at, those without a field first."""
        return sorted((one for one in self.fields if one.is_to_check), key=lambda one: not (one.is_open or one.errors))

    @property
    def clear(self) -> list[ColumnField]:
        """The other columns."""
        return [column for column in self.fields if not column.is_to_check]

    @property
    def are_folded(self) -> bool:
        """Whether the clear columns would only hide the others."""
        return len(self.fields) > _MOST_OPEN

    @property
    def offers(self) -> list[tuple[str, str]]:
        """The fields to choose from: pairs of what each is called and its wire path."""
        return [
            (place.heading_of(key), place.path if key is None else f"{place.path}.{key}")
            for place in self._wire.places.values()
            if not place.leaf.read_only
            for key in self._keys(place)
        ]

    def check(self) -> None:
        """Find the errors, with the messages of the import itself."""
        by_heading = {column.heading: column for column in self.fields}
        for column in self.fields:
            if not (column.is_out or column.path or column.errors):
                column.errors.append(_("Choose a field, or leave the column out."))
        if self.fields and not self.has_errors:
            headings = list(by_heading)
            for failure in read_columns(self._wire, headings, self._language, self.mapping)[1]:
                found = by_heading.get(failure.path)
                (self.general_errors if found is None else found.errors).append(failure.message)

    def _read(self, column: ColumnField, data: Any) -> None:
        """Take over what was submitted for the column."""
        column.typed = data.get(column.name, "").strip()[:MAX_TYPED]
        column.is_out = f"out-{column.number}" in data
        if column.is_out or not column.typed:
            return
        found = self._found(column.typed)
        if len(found) == 1:
            column.path = found[0]
        elif found:
            column.errors.append(self._ambiguity(column.typed, found))
        else:
            column.errors.append(self._refusal(column.typed))

    def _recognise(self, column: ColumnField) -> None:
        """Choose the field that the heading names, unless the cells contradict."""
        found = self._found(column.heading)
        if not found and has_yes_and_no(column.content):
            found = self._found(_YES_OR_NO.sub("", column.heading))
        if column.heading == REASON or (len(found) == 1 and self._known(found[0]).place.leaf.read_only):
            column.is_out = True
            return
        says = {path: self._evidence(column, path) for path in found if self._can_be_set(path)}
        best = [path for path, said in says.items() if said == max(says.values()) != NO]
        if len(best) == 1 and (len(found) == 1 or says[best[0]] == YES):
            # A name in a column of ids is often the wrong column.
            is_clear = best[0] != "id" or says["id"] == YES or column.heading == "id" or not column.content.texts
            languages = self._names.languages_of(column.heading) or (self._language,)
            if best[0] == f"{DESCRIPTIONS}.{self._language}" and self._language not in languages:
                # The texts are probably in the language of the heading.
                is_clear = False
            self._choose(column, best[0], GuessOrigin.HEADING if is_clear else GuessOrigin.SIMILAR)
        elif len(best) > 1:
            column.hint = self._ambiguity(column.heading, found)
        elif says:
            message = _("Its cells do not look like '{field}', which has this name.")
            column.hint = message.format(field=self._called(next(iter(says))))
        elif found:
            column.hint = self._wire.refusal(found[0])

    def _guess(self) -> None:
        """Choose a field for the other columns if their names or cells point to one that no other column has."""
        for column in self.fields:
            place = None if column.is_open else self._wire.places.get(column.path)
            is_listed = place is not None and place.leaf.kind is ValueKind.ENUM and bool(column.content.texts)
            if is_listed and column.origin is GuessOrigin.HEADING and self._evidence(column, column.path) != YES:
                self._choose_alone(column, self._with_the_values_of(column), GuessOrigin.CONTENT)
            elif column.is_open and column.is_like_its_cells:
                message = _(
                    "'{heading}' looks like the cells below it. If the table has no headings, write them into a row "
                    "above it: its first row is not imported."
                )
                column.hint = message.format(heading=shortened(column.heading))
            elif column.is_open:
                similar = [path for path in self._paths(self._names.similar(column.heading)) if self._can_be_set(path)]
                if len(similar) == 1 and self._is_likely(column, similar[0]):
                    self._choose_alone(column, similar, GuessOrigin.SIMILAR)
                if column.is_open:
                    column.hint = column.hint or unknown_field(column.heading, [self._called(path) for path in similar])
                    self._choose_alone(column, self._with_the_values_of(column), GuessOrigin.CONTENT)
        described = f"{DESCRIPTIONS}.{self._language}"
        for path, is_it in (("id", has_codes), (described, lambda content: not has_codes(content))):
            fitting = [one for one in self.fields if one.is_open and _is_distinct(one.content)]
            fitting = [one for one in fitting if not (has_yes_and_no(one.content) or one.is_like_its_cells)]
            likely = [column for column in fitting if is_it(column.content)]
            if path != "id":
                # Such as the text in another language.
                likely = [column for column in likely if not self._names.says_more(column.heading)]
            if len(likely) == 1:
                self._choose_alone(likely[0], [path], GuessOrigin.CONTENT)

    def _compare(self) -> None:
        """Find the columns that have the field of one before them, and other cells."""
        first: dict[str, ColumnField] = {}
        for column in self.fields:
            other = first.setdefault(column.path, column)
            if column.path and (column.cells, column.content) != (other.cells, other.content):
                message = _(
                    "'{one}' and '{other}' are one field, and their cells are different. Leave one of them out, or "
                    "choose another field."
                )
                column.errors.append(message.format(one=shortened(other.heading), other=shortened(column.heading)))

    def _is_likely(self, column: ColumnField, path: str) -> bool:
        """Return whether the field at `path` is nearly called like the column, or has its values."""
        says = self._evidence(column, path)
        return (says == YES and self._is_listed(path)) or (says != NO and self._names.is_alike(column.heading, path))

    def _choose_alone(self, column: ColumnField, paths: Sequence[str], origin: GuessOrigin) -> None:
        """Choose the only one of the `paths`, unless another column has it."""
        if len(paths) == 1 and all(paths[0] != other.path for other in self.fields):
            self._choose(column, paths[0], origin)

    def _with_the_values_of(self, column: ColumnField) -> list[str]:
        """Return the fields that have most texts of the column as values: all, or at least two and the half."""
        content = column.content
        if not content.texts or has_yes_and_no(content):
            return []
        known = {
            place.path: known_values(place.leaf, content)
            for place in self._wire.places.values()
            if place.leaf.kind is ValueKind.ENUM and self._is_listed(place.path)
        }
        most = max(known.values(), default=0)
        is_enough = most == len(content.texts) or (most > 1 and 2 * most >= len(content.texts))
        return [path for path, count in known.items() if is_enough and count == most]

    def _is_listed(self, path: str) -> bool:
        """Return whether the field at `path` has one of some values, yes and no included."""
        found = self._wire.named(path)
        return found is not None and not found.place.leaf.read_only and bool(found.choices)

    def _evidence(self, column: ColumnField, path: str) -> int:
        found = self._known(path)
        return evidence(None if found.is_entry else found.place.leaf, column.content)

    def _choose(self, column: ColumnField, path: str, origin: GuessOrigin) -> None:
        column.path, column.is_out, column.origin, column.hint = path, not path, origin, ""
        column.typed = self._called(path) if path else ""

    def _can_be_set(self, path: str) -> bool:
        found = self._wire.named(path)
        return found is not None and not found.place.leaf.read_only and found.is_entry is found.place.is_map

    def _found(self, name: str) -> list[str]:
        return self._paths(self._names.find(name))

    def _paths(self, found: Sequence[str]) -> list[str]:
        """Return the wire paths; the descriptions as a whole are those in the default language."""
        whole = (DESCRIPTIONS, DEFAULT_DESCRIPTION)
        return list(dict.fromkeys(f"{DESCRIPTIONS}.{self._language}" if path in whole else path for path in found))

    def _known(self, path: str) -> NamedField:
        found = self._wire.named(path)
        if found is None:
            raise KeyError(path)
        return found

    def _called(self, path: str) -> str:
        return self._known(path).heading

    def _refusal(self, name: str) -> str:
        similar = [path for path in self._paths(self._names.similar(name)) if self._can_be_set(path)]
        return unknown_field(name, [self._called(path) for path in similar]) if similar else self._wire.refusal(name)

    def _ambiguity(self, name: str, found: Sequence[str]) -> str:
        names = [self._called(path) for path in found]
        question = did_you_mean(names[:MAX_SUGGESTIONS])
        message = _("Several fields are called '{name}'.{question}")
        return message.format(name=name, question=question)

    def _keys(self, place: Place) -> Sequence[str | None]:
        if not place.is_map:
            return () if place.is_default_description else (None,)
        if not place.leaf.has_languages:
            return ()
        return tuple(dict.fromkeys((self._language, *(code for code, _name in settings.LANGUAGES))))


def _is_distinct(content: ColumnContent) -> bool:
    """Return whether nearly each cell has a text of its own."""
    return content.filled > 1 and content.distinct >= content.filled * _DISTINCT
