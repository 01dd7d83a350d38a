"""Pages of the admin as a browser fills them in and sends them."""

import re
from html.parser import HTMLParser
from typing import Any

from tests.dimensions_site.site_admin.people import page

_MAPS = ("descriptions", "alternativeDescriptions", "customAttributes")


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
        told = dict(attrs)
        if tag == "form":
            self._is_inside = told.get("id") == self._id
        elif tag == "template":
            self._in_template = True
        name = told.get("name")
        if not self._is_inside or self._in_template:
            return
        if tag == "select":
            self._select = name
        elif tag == "option" and self._select is not None:
            if "selected" in told or self._select not in self.sent:
                self.sent[self._select] = told["value"] or ""
        elif name is None or "disabled" in told:
            return
        elif tag == "textarea":
            self._area, self.sent[name] = name, ""
        elif tag == "input" and (told.get("type") not in ("checkbox", "radio") or "checked" in told):
            # One line has no line breaks.
            self.sent[name] = re.sub(r"[\r\n]", "", told.get("value") or ("on" if "checked" in told else ""))

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


def filled_in(response: Any, form: str = "element-form") -> dict[str, str]:
    """What a browser sends of the form on the page when nothing is changed in it."""
    reader = _Form(form)
    reader.feed(response.content.decode())
    return reader.sent


def typed(value: Any, path: str = "") -> dict[str, str]:
    """What people type to get the wire JSON `value`: the names of the controls with their texts."""
    if path in _MAPS:
        entries = {path: ""}
        for number, (key, text) in enumerate((value or {}).items()):
            entries[f"{path}:{number}:key"] = key
            entries |= {f"{path}:{number}:null": "on"} if text is None else {f"{path}:{number}:text": text}
        return entries
    if isinstance(value, dict):
        parts = (typed(inner, f"{path}.{name}" if path else name) for name, inner in value.items())
        return {name: text for part in parts for name, text in part.items()}
    return {path: "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)}


def errors(response: Any) -> dict[str, list[str]]:
    """The errors on the page, by field; at a map's row by its path and key; those above the form under ""."""
    form = response.context["form"]
    found = {"": form.errors}
    for path, control in form.controls.items():
        found[path] = control.errors
        for row in getattr(control, "rows", ()):
            found.setdefault(f"{path}.{row.key}", []).extend(row.errors)
    return {path: messages for path, messages in found.items() if messages}


def change(browser, element, **changes):
    """Open the page of the element, type the `changes` (by path), and save."""
    address = page(type(element), "change", element.pk)
    return browser.post(address, {**filled_in(browser.get(address)), **changes})
