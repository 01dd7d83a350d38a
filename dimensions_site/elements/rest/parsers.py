"""Reads the body of a request about one element."""

from dimensions_site.api.json.fast import is_acceptable
from dimensions_site.api.parsers import StrictJSONParser
from dimensions_site.elements.writing.raw_element import RawElement


class ElementParser(StrictJSONParser):
    """Passes the body to the view as `RawElement`. Errors in the JSON are raised at once, before anything is locked."""

    removes = False

    def value(self, body: bytearray) -> RawElement:
        """Return the body. Raises `JsonError`."""
        sent = RawElement(bytes(body), removes=self.removes)
        if sent.members is None or not is_acceptable(sent.text, sent.members):
            sent.value = super().value(body)
        return sent


class MergePatchParser(ElementParser):
    """Does the same with a patch in which null removes the entry of a map (RFC 7396, contract C15)."""

    media_type = "application/merge-patch+json"
    method = "PATCH"
    removes = True
