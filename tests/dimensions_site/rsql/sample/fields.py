"""The fields of the sample model, as the owner of a model declares them to the filter language."""

from django.db.models import F

from dimensions_site.rsql.errors import UnknownField
from dimensions_site.rsql.expressions import JsonLeaf, MapEntry
from dimensions_site.rsql.fields import Field, Kind
from dimensions_site.text.suggestions import unknown_field

STATUSES = ("OPEN", "CLOSED", "ON HOLD")

FIELDS = {
    field.path: field
    for field in (
        Field("code", Kind.TEXT, F("code"), nullable=False),
        Field("note", Kind.TEXT, F("note")),
        Field("status", Kind.ENUM, F("status"), choices=STATUSES, spellings={"ON_HOLD": "ON HOLD"}),
        Field("openStatus", Kind.ENUM, F("status"), choices=STATUSES, open_text=True),
        Field("quantity", Kind.INTEGER, F("quantity")),
        Field("amount", Kind.DECIMAL, F("amount")),
        Field("coefficient", Kind.DECIMAL, F("coefficient"), choices=("true", "false")),
        Field("active", Kind.BOOLEAN, F("active")),
        Field("changed", Kind.TIMESTAMP, F("changed")),
        Field("names", Kind.TEXT_MAP, F("names")),
        Field("bundle.label", Kind.TEXT, JsonLeaf("bundle", ("label",), Kind.TEXT)),
        Field("bundle.limits.strict", Kind.BOOLEAN, JsonLeaf("bundle", ("limits", "strict"), Kind.BOOLEAN)),
        Field("oid", Kind.TEXT, F("code"), filterable=False),
    )
}


class SampleFields:
    """A field table with the fields above, and one field for each key of `names`."""

    def resolve(self, selector: str) -> Field:
        group, _, key = selector.partition(".")
        if group == "names" and key:
            return Field(selector, Kind.TEXT, MapEntry("names", key))
        if selector not in FIELDS:
            raise UnknownField(unknown_field(selector, [path for path in FIELDS if path[:3] == selector[:3]]))
        return FIELDS[selector]
