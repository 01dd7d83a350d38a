"""The fields of the sample model, as the owner of a model declares them to the filter language."""

from django.db.models import F

from dimensions_site.rsql.errors import UnknownField
from dimensions_site.rsql.expressions import JsonLeaf, MapEntry
from dimensions_site.rsql.fields import Field, ValueKind
from dimensions_site.text.suggestions import unknown_field

STATUSES = ("OPEN", "CLOSED", "ON HOLD")

FIELDS = {
    field.path: field
    for field in (
        Field("code", ValueKind.TEXT, F("code"), nullable=False),
        Field("note", ValueKind.TEXT, F("note")),
        Field("status", ValueKind.ENUM, F("status"), choices=STATUSES, spellings={"ON_HOLD": "ON HOLD"}),
        Field("openStatus", ValueKind.ENUM, F("status"), choices=STATUSES, open_text=True),
        Field("quantity", ValueKind.INTEGER, F("quantity")),
        Field("amount", ValueKind.DECIMAL, F("amount")),
        Field("coefficient", ValueKind.DECIMAL, F("coefficient"), choices=("true", "false")),
        Field("active", ValueKind.BOOLEAN, F("active")),
        Field("changed", ValueKind.TIMESTAMP, F("changed")),
        Field("names", ValueKind.TEXT_MAP, F("names")),
        Field("bundle.label", ValueKind.TEXT, JsonLeaf("bundle", ("label",), ValueKind.TEXT)),
        Field("bundle.limits.strict", ValueKind.BOOLEAN, JsonLeaf("bundle", ("limits", "strict"), ValueKind.BOOLEAN)),
        Field("oid", ValueKind.TEXT, F("code"), filterable=False),
    )
}


class SampleFields:
    """A field table with the fields above, and one field for each key of `names`."""

    def resolve(self, selector: str) -> Field:
        group, _, key = selector.partition(".")
        if group == "names" and key:
            return Field(selector, ValueKind.TEXT, MapEntry("names", key))
        if selector not in FIELDS:
            raise UnknownField(unknown_field(selector, [path for path in FIELDS if path[:3] == selector[:3]]))
        return FIELDS[selector]
