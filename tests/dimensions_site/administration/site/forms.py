"""Forms of the admin as a browser sends them, read without Django."""

import re
from html.parser import HTMLParser
from typing import Any


def filled_form(page: str, id: str = "element-form") -> dict[str, str]:
    """What a browser sends of the form with this id on the page when nothing is changed in it."""
    reader = _Form(id)
    reader.feed(page)
    return reader.sent


class _Form(HTMLParser):
    """Collects what a browser would send of the form with an id if nobody touched it."""

    def __init__(self, id: str) -> None:
        super().__init__()
        self.sent: dict[str, str] = {}
        self._id = id
        self._is_inside = False
        self._in_template = False
        self._area: str | None = None
        self._select: str | None = None

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        attributes = dict(attrs)
        if tag == "form":
            self._is_inside = attributes.get("id") == self._id
        elif tag == "template":
            self._in_template = True
        name = attributes.get("name")
        if not self._is_inside or self._in_template:
            return
        if tag == "select":
            self._select = name
        elif tag == "option" and self._select is not None:
            if "selected" in attributes or self._select not in self.sent:
                self.sent[self._select] = attributes["value"] or ""
        elif name is None or "disabled" in attributes:
            return
        elif tag == "textarea":
            self._area, self.sent[name] = name, ""
        elif tag == "input" and (attributes.get("type") not in ("checkbox", "radio") or "checked" in attributes):
            value = attributes.get("value") or ("on" if "checked" in attributes else "")
            # One line has no line breaks; what is hidden has, and all are sent alike.
            is_hidden = attributes.get("type") == "hidden"
            self.sent[name] = re.sub(r"\r\n|\r|\n", "\r\n" if is_hidden else "", value)

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self.sent[self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._area is not None:
            text = re.sub(r"\r\n|\r", "\n", self.sent[self._area]).removeprefix("\n")
            self.sent[self._area] = text.replace("\n", "\r\n")
            self._area = None
        elif tag in ("form", "select", "template"):
            self._is_inside = self._is_inside and tag != "form"
            self._select = None
            self._in_template = False
